# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of state histories, random numbers, cycle hash and parameter comparison."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from regolith_world.cycle.handshake import ParameterAgreement
from regolith_world.cycle.state_hash import cycle_hash
from regolith_world.numerics.rotation import from_yaw, yaw
from regolith_world.objects.rigid_state import make_rigid_state
from regolith_world.objects.state_history import StateManager, interpolate_body
from regolith_world.random.keyed_generator import generator


def body(x, turn):
    return make_rigid_state('a', [x, 0, 0], 1.0, np.eye(3), orientation=from_yaw(turn))


def test_states_are_exact_where_recorded_and_interpolated_between():
    states = StateManager(interpolate_body)
    states.new_state(0, body(0.0, 0.0))
    last = states.new_state(10, body(1.0, 1.0))
    assert states.get_state(10) is last
    middle = states.get_state(5)
    np.testing.assert_allclose(middle.position, [0.5, 0, 0])
    # Two rotations about one axis: slerp is linear in the angle.
    assert yaw(middle.orientation) == pytest.approx(0.5, abs=1e-14)
    with pytest.raises(LookupError, match='no state at 11 ns'):
        states.get_state(11)


def test_a_held_state_is_that_of_all_later_times_until_it_resumes():
    states = StateManager(interpolate_body)
    states.new_state(0, body(0.0, 0.0))
    still = states.new_state(10, body(1.0, 0.0))
    states.held = True
    assert states.get_state(10) is still and states.get_state(1000) is still
    assert states.around(1000) == [(1000, still)]
    assert states.get_state(5).position[0] == 0.5
    states.resume(1000)
    with pytest.raises(LookupError, match='no state at 1001 ns'):
        states.get_state(1001)
    states.new_state(1020, body(2.0, 0.0))
    assert [states.get_state(t).position[0] for t in (500, 1000, 1010)] == [1.0, 1.0, 1.5]
    states.delete_state(0)
    assert states.newest is still and states.newest_time_ns == 1000


def test_delete_state_counts_from_the_end_and_time_must_grow():
    states = StateManager()
    for t in range(4):
        states.new_state(t, t)
    states.delete_state(-1)
    states.delete_state(0)
    assert states.newest == 1 and len(states) == 2
    with pytest.raises(IndexError):
        states.delete_state(-2)
    with pytest.raises(ValueError, match='not after'):
        states.new_state(1, 9)


def test_a_constraint_confines_every_later_state():
    states = StateManager(interpolate_body)

    def only_y(state):
        state.position[[0, 2]] = 0.0
        return state

    states.constrain(only_y)
    states.new_state(0, make_rigid_state('a', [3.0, 4.0, 5.0], 1.0, np.eye(3)))
    np.testing.assert_array_equal(states.newest.position, [0.0, 4.0, 0.0])


def test_random_numbers_depend_on_their_key_only():
    a = generator(7, 'amber', 'slip', 3).normal(size=4)
    generator(7, 'amber', 'slip', 2).normal(size=100)
    np.testing.assert_array_equal(a, generator(7, 'amber', 'slip', 3).normal(size=4))
    for other in ((8, 'amber', 'slip', 3), (7, 'basalt', 'slip', 3), (7, 'amber', 'x', 3), (7, 'amber', 'slip', 4)):
        assert not np.array_equal(a, generator(*other).normal(size=4))


def philox_4x64(counter: list[int], key: list[int]) -> list[int]:
    """Return a block by the definition of Salmon et al. 2011: ten rounds, with the key bumped between them."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
        c = [b >> 64 ^ c[1] ^ k[0], b % 2**64, a >> 64 ^ c[3] ^ k[1], a % 2**64]
        k = [(k[0] + 0x9E3779B97F4A7C15) % 2**64, (k[1] + 0xBB67AE8584CAA73B) % 2**64]
    return c


def test_random_numbers_are_those_of_philox_4x64() -> None:
    """Random123's vector for zeros; then the block of (1, 0, 0, index), NumPy's first, under the first 16 bytes of SHA-256."""
    known = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert philox_4x64([0] * 4, [0] * 2) == known
    digest = hashlib.sha256(b'7\x00amber\x00slip').digest()
    key = [int.from_bytes(digest[k : k + 8], 'little') for k in (0, 8)]
    raw = generator(7, 'amber', 'slip', 3).bit_generator.random_raw(8).tolist()
    assert raw == [*philox_4x64([1, 0, 0, 3], key), *philox_4x64([2, 0, 0, 3], key)]


def test_cycle_hash_depends_on_all_values_except_the_order():
    hashes = {'a': '00' * 32, 'b': '11' * 32}
    base = cycle_hash(5, hashes, 's', b'm')
    assert base == cycle_hash(5, dict(reversed(hashes.items())), 's', b'm')
    others = [(6, hashes, 's', b'm'), (5, {'a': '00' * 32}, 's', b'm'), (5, hashes, 't', b'm'), (5, hashes, 's', b'n')]
    assert len({base, *(cycle_hash(*o) for o in others)}) == 5


def test_parameter_difference_names_the_parameter_and_both_values():
    agreement = ParameterAgreement()
    agreement.adopt('terrain', {'soil.cohesion_pa': '170.0', 'x': '1'})
    text = agreement.differences('amber', {'soil.cohesion_pa': '17.0', 'x': '1', 'of its own': '3'})
    assert text == 'soil.cohesion_pa is 17.0 at amber but 170.0 at terrain'
    assert agreement.differences('amber', {'x': '1'}) is None
