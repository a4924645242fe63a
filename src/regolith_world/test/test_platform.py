# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of platforms and sampled objects: motion, carried bodies, and Rule 1 between their states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from toy_worlds import run, world

from regolith_world.config import WorldConfig
from regolith_world.cycle import codec
from regolith_world.cycle.records import BodyState
from regolith_world.objects.object import SavedObject
from regolith_world.objects.object_types import make_objects, restored
from regolith_world.objects.platform import Platform, PlatformMotion, SampledObject
from regolith_world.objects.rigid_state import make_rigid_state
from regolith_world.world import World

LIFT: dict[str, Any] = {
    'type': 'platform',
    'position': [0.0, 0.0, 0.0],
    'end_position': [0.0, 0.0, 2.0],
    'travel_time_s': 4.0,
    'friction': 0.8,
    'shapes': [{'kind': 'box', 'size_m': [1.0, 1.0, 0.1]}],
}
CRATE: dict[str, Any] = {
    'type': 'rigid_body',
    'position': [0.0, 0.0, 0.3],
    'mass_kg': 20.0,
    'shape': {'kind': 'box', 'size_m': [0.3, 0.3, 0.2]},
    'friction': 0.8,
}


def test_platform_moves_back_and_forth_with_the_derivative_as_velocity() -> None:
    way = PlatformMotion(np.zeros(3), np.array([2.0, 0.0, 1.0]), 4_000_000_000, True)
    for t, share in ((0, 0.0), (2, 0.5), (4, 1.0), (6, 0.5), (8, 0.0), (12, 1.0)):
        assert way.at(t * 10**9)[0] == pytest.approx(share * way.end)
    for t in np.linspace(0.1, 11.9, 60):
        h = 100_000
        (before, v0, _), (now, v, a), (after, v1, _) = (way.at(round(t * 1e9) + k * h) for k in (-1, 0, 1))
        assert v == pytest.approx((after - before) / (2e-9 * h), abs=1e-6)
        if abs(t % 4.0 - 0.0) > 1e-3:
            assert a == pytest.approx((v1 - v0) / (2e-9 * h), abs=1e-6)
        assert np.linalg.norm(now) <= np.linalg.norm(way.end)
    once = PlatformMotion(way.start, way.end, way.leg_ns, False)
    assert [once.at(t)[0][0] for t in (0, 4 * 10**9, 9 * 10**9)] == [0.0, 2.0, 2.0]
    assert not once.at(5 * 10**9)[1].any() and not once.at(5 * 10**9)[2].any()


def test_a_lift_takes_a_crate_along() -> None:
    """Up by 2 m and down again: a carried body penetrates by at most half the pressing of a step and never lifts off."""
    w = world(lift=LIFT, crate=CRATE)
    gaps = []
    while w.t_ns < 8 * 10**9:
        w.step(8 * 10**9)
        gaps.append(w.objects['crate'].body.position[2] - w.objects['lift'].body.position[2] - 0.3)
    assert min(gaps) > -1e-3 and max(gaps) < 1e-3
    assert w.forced_cycles == 0


def test_a_ferry_takes_a_crate_along_by_friction() -> None:
    """At most 0.75 m/s^2, below the 1.3 m/s^2 that friction 0.8 holds on the Moon: the crate keeps its place."""
    w = run(world(lift={**LIFT, 'end_position': [2.0, 0.0, 0.0]}, crate=CRATE), 4.0)
    assert w.objects['crate'].body.position[0] == pytest.approx(2.0, abs=0.05)


def test_between_its_own_states_an_object_is_interpolated() -> None:
    w = world(lift={**LIFT, 'state_period_s': 0.05})
    lift = w.objects['lift']
    assert isinstance(lift, Platform)
    for _ in range(4):
        w.step()
    # 80 ms is between its states at 50 and 100 ms; the world's steps are 20 ms.
    assert [t for t, _ in lift.states.around(w.t_ns)] == [50_000_000, 100_000_000]
    z = [lift.way.at(t)[0][2] for t in (50_000_000, 100_000_000)]
    assert lift.body.position[2] == pytest.approx(z[0] + 0.6 * (z[1] - z[0]), rel=1e-12)
    assert lift.states.around(100_000_000)[0][0] == 100_000_000 and len(lift.states.around(100_000_000)) == 1


def test_rule_1_holds_between_the_states_of_a_sampled_object() -> None:
    """From every commit, with impacts and discarded attempts; own states at 70 ms, which no step size divides."""
    things = {
        'lift': {**LIFT, 'travel_time_s': 1.0, 'state_period_s': 0.07, 'restitution': 0.9},
        'crate': {
            **CRATE,
            'position': [0.1, 0.05, 0.9],
            'rpy_deg': [20.0, 10.0, 0.0],
            'angular_velocity_radps': [9.0, 4.0, 0.0],
        },
    }
    first, saved, hashes = world(**things), [], []
    for _ in range(100):
        saved.append(first.save())
        first.step()
        hashes.append(first.state_hash)
    assert first.discarded_cycles > 0 and first.forced_cycles == 0
    for k in range(0, 100, 6):
        again = world(**things)
        again.load(saved[k])
        for expected in hashes[k : k + 15]:
            again.step()
            assert again.state_hash == expected


class Logistic(SampledObject):
    """A nonlinear motion by its last own state that doubles every error."""

    kind = 'logistic'

    def moved(self, state: BodyState, t_ns: int, dt_ns: int) -> BodyState:
        x = state.position[0]
        return rigid_state_at(4.0 * x * (1.0 - x))


def rigid_state_at(x: float) -> BodyState:
    zero = np.zeros(3)
    return BodyState('walker', np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]), zero, zero)


def test_continuation_from_an_interpolated_state_would_differ() -> None:
    """The concern of the architecture holds: so a checkpoint has both neighboring states, not the interpolated one."""
    there = World(WorldConfig(), [Logistic('walker', rigid_state_at(0.3), pace_ns=50_000_000)])
    for _ in range(3):
        there.step()
    between = there.objects['walker'].body
    wrong = World(WorldConfig(), [Logistic('walker', rigid_state_at(between.position[0]), pace_ns=50_000_000)])
    for _ in range(30):
        there.step()
        wrong.step()
    assert abs(there.objects['walker'].body.position[0] - wrong.objects['walker'].body.position[0]) > 1e-3


def test_discarded_attempt_deletes_its_own_states_only() -> None:
    w = World(WorldConfig(), [Logistic('walker', rigid_state_at(0.3), pace_ns=30_000_000)])
    walker = w.objects['walker']
    w.step()
    known = [t for t, _ in walker.states.around(w.t_ns)]
    before = walker.canonical_state()
    for _ in range(3):
        cycle = w._record(0, 90_000_000)  # type: ignore[arg-type]
        walker.evolve(cycle)
        assert walker.states.newest_time_ns == 120_000_000
        walker.discard()
        assert walker.states.newest_time_ns == known[-1] == 30_000_000
        assert walker.canonical_state() == before and [t for t, _ in walker.states.around(w.t_ns)] == known


def test_sampled_object_with_mass_is_refused() -> None:
    with pytest.raises(ValueError, match='between which it could collide; allowed: mass 0'):
        Logistic('a', make_rigid_state('a', [0, 0, 0], 1.0, np.eye(3)), pace_ns=1000)
    assert Logistic('a', make_rigid_state('a', [0, 0, 0], 1.0, np.eye(3)), pace_ns=0).pace_ns == 0
    with pytest.raises(ValidationError, match=r'allowed: 0, or 1e-6 to 0.4, a tenth of the travel time'):
        make_objects({'lift': {**LIFT, 'state_period_s': 1.0}}, 1.62)


def test_every_field_of_the_record_is_restored() -> None:
    w = run(
        world(
            lift={**LIFT, 'state_period_s': 0.03, 'rpy_deg': [0.0, 0.0, 30.0], 'round_trip': False, 'restitution': 0.3}
        ),
        0.1,
    )
    item = w.objects['lift']
    again = restored(codec.decode_record(SavedObject, codec.encode_record(item.save())))
    assert (
        codec.encode_record(again.save()) == codec.encode_record(item.save())
        and again.state_hash() == item.state_hash()
    )
