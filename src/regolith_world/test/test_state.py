# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""StateManager, quaternions, random numbers, codec: the small parts everything stands on."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from regolith_world import checkpoint, codec
from regolith_world.handshake import Agreement
from regolith_world.hashing import cycle_hash
from regolith_world.objects import rigid_state
from regolith_world.random import generator
from regolith_world.records import BodyState, Impulse
from regolith_world.rotation import from_rotation_vector, from_yaw, matrix, product, yaw
from regolith_world.state import StateManager, interpolate_body, slerp
from regolith_world.step_control import StepControl


def body(x, turn):
    return rigid_state('a', [x, 0, 0], 1.0, np.eye(3), orientation=from_yaw(turn))


def test_states_are_exact_where_recorded_and_interpolated_between():
    states = StateManager(interpolate_body)
    states.new_state(0, body(0.0, 0.0))
    last = states.new_state(10, body(1.0, 1.0))
    assert states.get_state(10) is last
    middle = states.get_state(5)
    np.testing.assert_allclose(middle.position, [0.5, 0, 0])
    # Two turns about one axis: slerp is linear in the angle.
    assert yaw(middle.orientation) == pytest.approx(0.5, abs=1e-14)
    with pytest.raises(LookupError, match='no state at 11 ns'):
        states.get_state(11)


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
    states.new_state(0, rigid_state('a', [3.0, 4.0, 5.0], 1.0, np.eye(3)))
    np.testing.assert_array_equal(states.newest.position, [0.0, 4.0, 0.0])


def test_quaternions_compose_like_matrices():
    rng = generator(1, 'test', 'quaternions', 0)
    for _ in range(20):
        p, q = (from_rotation_vector(rng.normal(size=3)) for _ in range(2))
        np.testing.assert_allclose(matrix(product(p, q)), matrix(p) @ matrix(q), atol=1e-14)
    np.testing.assert_allclose(slerp(p, -p, 0.3), p, atol=1e-14)


def test_random_numbers_depend_on_their_key_only():
    a = generator(7, 'amber', 'slip', 3).normal(size=4)
    generator(7, 'amber', 'slip', 2).normal(size=100)
    np.testing.assert_array_equal(a, generator(7, 'amber', 'slip', 3).normal(size=4))
    for other in ((8, 'amber', 'slip', 3), (7, 'basalt', 'slip', 3), (7, 'amber', 'x', 3), (7, 'amber', 'slip', 4)):
        assert not np.array_equal(a, generator(*other).normal(size=4))


def test_records_survive_the_codec_to_the_last_bit():
    state = body(np.nextafter(0.1, 1.0), 1 / 3)
    back = codec.decode(BodyState, codec.encode(state))
    assert back.name == 'a' and isinstance(back.inertia, np.ndarray)
    assert back.position.tobytes() == state.position.tobytes()
    assert back.orientation.tobytes() == state.orientation.tobytes()
    blow = Impulse('a', 'b', np.array([1e-300, -0.0, 3.0]), np.ones(3))
    assert codec.decode(Impulse, codec.encode(blow)).point.tobytes() == blow.point.tobytes()


def test_the_cycle_hash_depends_on_everything_but_the_order():
    hashes = {'a': '00' * 32, 'b': '11' * 32}
    base = cycle_hash(5, hashes, 's', b'm')
    assert base == cycle_hash(5, dict(reversed(hashes.items())), 's', b'm')
    others = [(6, hashes, 's', b'm'), (5, {'a': '00' * 32}, 's', b'm'), (5, hashes, 't', b'm'), (5, hashes, 's', b'n')]
    assert len({base, *(cycle_hash(*o) for o in others)}) == 5


def test_disagreement_names_the_parameter_and_both_values():
    agreement = Agreement()
    agreement.adopt('terrain', {'soil.cohesion_pa': '170.0', 'x': '1'})
    text = agreement.differences('amber', {'soil.cohesion_pa': '17.0', 'x': '1', 'of its own': '3'})
    assert text == 'soil.cohesion_pa is 17.0 at amber but 170.0 at terrain'
    assert agreement.differences('amber', {'x': '1'}) is None


def test_step_control_aims_at_touching_and_bisects_when_the_secant_fails():
    control = StepControl(20_000_000, 100_000)
    assert control.propose(2**62) == 20_000_000
    control.reject(20_000_000, 0.004, -0.012)
    # Constant closing speed: 4.3 mm of 16 mm.
    assert control.propose(2**62) == pytest.approx(20_000_000 * 4.3 / 16, rel=1e-6)
    memory = control.memory()
    control.reject(control.propose(0), -0.002, -0.003)
    assert control.propose(0) < 20_000_000 * 4.3 / 16
    control.recall(memory)
    assert control.rejections == 1
    control.accept()
    assert control.propose(7_000_000) == 7_000_000


def test_a_checkpoint_that_the_disk_refuses_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == 'b.bin':
            raise OSError(errno.ENOSPC, 'No space left on device')
        return real(path, data)

    monkeypatch.setattr(Path, 'write_bytes', full)
    with pytest.raises(OSError, match='No space'):
        checkpoint.write(tmp_path / 't1', checkpoint.Checkpoint(0, '', {'a': b'1', 'b': b'2'}))
    assert list(tmp_path.iterdir()) == []
