# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of checks of constraints at their start, and of worlds that hardly advance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_constraints import HOOK, ROD, G, ball, brick, cable, joint

from regolith_world.config import WorldConfig
from regolith_world.cycle.stall import SPAN_NS, Discards, Stalled
from regolith_world.objects.constraint_checks import CORRECTION_MPS, impossible_constraint
from regolith_world.objects.constraints import STEPS
from regolith_world.objects.object_types import make_objects
from regolith_world.world import AdmissionError, ProtocolError, World

STEP_S = 0.005
MOST_M = CORRECTION_MPS * STEPS * STEP_S


def made(**things: dict[str, Any]) -> World:
    return World(WorldConfig(gravity_mps2=G), make_objects(things, G))


def problem(**things: dict[str, Any]) -> str:
    return str(impossible_constraint(made(**things).objects) or '')


@pytest.mark.parametrize(
    ('coupling', 'said'),
    [
        (cable('a', 'b', length_m=0.1), 'c.length_m = 0.1: ends are 2 m apart, an error of 1.9 m where a step may'),
        (cable('a', 'b', length_m=2.0 - 1.1 * MOST_M), 'allowed: at least 1.99'),
        (cable('a', 'b', length_m=1.0, stiffness_npm=1e6), 'c.length_m = 1: ends are 2 m apart'),
        (
            joint('spring', 'a', 'b', **ROD, stiffness_npm=1e6, rest_length_m=9.0),
            'c.rest_length_m = 9: ends are 2 m apart',
        ),
        (
            cable('a', 'b', ends=[[1e4, 0, 0], [0, 0, 0]], length_m=5.0),
            'm outside the shapes of a; allowed: within 1 m',
        ),
        (cable('a', 'b', ends=[[0, 0, 0], [0, 3, 0]], length_m=50.0), 'c.ends.1 = [0.0, 3.0, 0.0]: is 2.9 m outside'),
        (joint('distance', 'a', 'b', ends=[[0, 0, -9], [0, 0, 0]]), 'c.ends.0 = [0.0, 0.0, -9.0]: is 8.9 m outside'),
        (joint('fixed', 'a', 'b', at=[0, 0, 1e3]), 'c.at = [0.0, 0.0, 1000.0]: is 999.9 m outside the shapes of a'),
    ],
)
def test_constraint_that_would_throw_its_ends_is_refused_with_the_value(coupling: dict[str, Any], said: str) -> None:
    """By the check, at the first step, and at spawning."""
    things = {'a': ball(0, 0, 3), 'b': ball(2, 0, 3)}
    assert said in problem(**things, c=coupling)
    with pytest.raises(ProtocolError, match='allowed: '):
        made(**things, c=coupling).step()
    world = made(**things)
    world.step()
    (spawned,) = make_objects({'c': coupling}, G)
    with pytest.raises(AdmissionError, match='allowed: '):
        world.find_room(spawned)


@pytest.mark.parametrize(
    'coupling',
    [
        cable('a', 'b'),
        cable('a', 'b', length_m=2.0),
        cable('a', 'b', length_m=5.0),
        cable('a', 'b', length_m=2.0 - 0.9 * MOST_M),
        cable('a', 'b', length_m=1.5, stiffness_npm=100.0),
        cable('a', 'b', ends=[[0.1, 0, 0], [0, 0.1, 0.5]], length_m=3.0),
        joint('fixed', 'a', 'b', at=[1, 0, 0]),
        joint('spring', 'a', 'b', **ROD, stiffness_npm=50.0, rest_length_m=1.0),
        joint('hinge', 'a', 'b', at=[0, 0, 2.0]),
    ],
)
def test_valid_constraint_gives_at_most_the_stated_speed(coupling: dict[str, Any]) -> None:
    """Two equal bodies in free motion: one step of the constraint changes their approach by at most the limit."""
    world = made(a=ball(0, 0, 3), b=ball(2, 0, 3), c=coupling)
    assert impossible_constraint(world.objects) is None
    for _ in range(3):
        before = world.objects['b'].body.linear_velocity - world.objects['a'].body.linear_velocity
        world.step()
        after = world.objects['b'].body.linear_velocity - world.objects['a'].body.linear_velocity
        assert np.linalg.norm(after - before) <= 1.001 * CORRECTION_MPS


def test_constraint_distance_is_measured_from_the_shapes_of_the_body() -> None:
    things = {'wall': HOOK, 'b': brick(0, 0, 3)}
    assert not problem(**things, c=cable('wall', 'b', length_m=2.0))
    assert not problem(**things, c=cable('wall', 'b', ends=[[0, 0, 0], [1.1, 0, 0]], length_m=9.0))
    assert 'of b; allowed: within 1 m' in problem(
        **things, c=cable('wall', 'b', ends=[[0, 0, 0], [1.4, 0, 0]], length_m=9.0)
    )


def test_world_that_discards_too_many_cycles_warns_and_ends() -> None:
    """Counted in simulated time: the same number over a longer time is allowed."""
    discards = Discards(100)
    for k in range(100):
        discards.add(k * SPAN_NS // 1000, ('a', 'b'))
        assert bool(discards.warning) == (k >= 10)
    with pytest.raises(Stalled, match=r'101 cycles discarded within 1 s .* last for a and b; allowed: 100 \(world'):
        discards.add(SPAN_NS // 10, ('a', 'b'))
    slow = Discards(100)
    for k in range(1000):
        slow.add(k * SPAN_NS // 90, ('a', 'b'))
    rewound = Discards(100)
    for _ in range(20):
        for k in range(60):
            rewound.add(k * 1000, ('a', 'b'))


def test_world_of_stuck_bodies_ends_at_its_limit() -> None:
    """A ball between two walls that close on it: no step is short enough."""
    wall = {'type': 'platform', 'travel_time_s': 2.0, 'shapes': [{'kind': 'box', 'size_m': [0.05, 1.0, 1.0]}]}
    left, right = (
        {**wall, 'position': [-0.2, 0, 3], 'end_position': [0.2, 0, 3]},
        {**wall, 'position': [0.2, 0, 3], 'end_position': [-0.2, 0, 3]},
    )
    world = World(
        WorldConfig(gravity_mps2=0.0, discards_per_s=100),
        make_objects({'l': left, 'm': ball(0, 0, 3), 'r': right}, 0.0),
    )
    with pytest.raises(Stalled):
        while world.t_ns < 2 * SPAN_NS:
            world.step()
    assert world.discarded_cycles == 101
