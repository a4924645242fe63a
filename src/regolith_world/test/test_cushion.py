# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of cushions: tangible objects that give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from toy_worlds import run, world

from regolith_world.config import WorldConfig
from regolith_world.cycle.records import VEHICLE_ROLES, JoinRequest
from regolith_world.objects.object import yields
from regolith_world.objects.object_types import make_objects
from regolith_world.objects.remote_body import RemoteAgent
from regolith_world.world import World

BALL: dict[str, Any] = {
    'type': 'rigid_body',
    'position': [0.0, 0.0, 0.56],
    'mass_kg': 2.0,
    'shape': {'kind': 'sphere', 'size_m': [0.1]},
    'weightless': True,
}
CUSHION: dict[str, Any] = {
    'type': 'cushion',
    'position': [0.0, 0.0, 0.0],
    'mass_kg': 6.0,
    'shape': {'kind': 'box', 'size_m': [0.5, 0.5, 0.5]},
    'stiffness_npm': 60.0,
    'weightless': True,
}
REDUCED = 2.0 * 6.0 / 8.0
START = 0.04
"""Depth of the ball at the start [m]."""


def depth(w: World) -> float:
    """Return the depth of the ball in the cushion [m]."""
    return float(0.6 - w.objects['ball'].body.position[2] + w.objects['cushion'].body.position[2])


def momentum(w: World) -> np.ndarray:
    """Return momentum and angular momentum about the origin, shape (6,)."""
    total = np.zeros(6)
    for item in w.objects.values():
        body = item.body
        push = body.mass * body.linear_velocity
        total += np.concatenate((push, np.cross(body.position, push) + body.inertia @ body.angular_velocity))
    return total


def test_a_ball_on_a_cushion_swings_with_the_reduced_mass() -> None:
    """Depth d0 cos(w t) with w^2 = k / m, m = M1 M2 / (M1 + M2), until they separate at w d0.

    Velocity Verlet with steps of a tenth of 1 / w has a relative error of (w h)^2 / 24 in the rate: 4e-4. No attempt
    is discarded, although the ball is 40 mm deep, and no impulses act.
    """
    w = world(ball=BALL, cushion=CUSHION)
    rate = math.sqrt(60.0 / REDUCED)
    while w.t_ns * 1e-9 * rate < 0.5 * math.pi - 0.2:
        report = w.step()
        assert report.attempts == 1 and not report.impulses
        assert report.dt_ns <= 0.1 / rate * 1e9 or w.cycle == 1  # the first step knows no bodies near by
        assert depth(w) == pytest.approx(START * math.cos(rate * w.t_ns * 1e-9), abs=1e-3 * START)
    run(w, 1.5)
    apart = w.objects['ball'].body.linear_velocity[2] - w.objects['cushion'].body.linear_velocity[2]
    # It separates at the end of a cycle, up to a tenth of a radian late or early: 1 - cos(0.1) of the speed.
    assert apart == pytest.approx(rate * START, rel=5e-3)


def beside(max_step_s: float) -> tuple[float, float]:
    """Return the errors of momentum and angular momentum after an impact beside the center, which turns both."""
    ball = {**BALL, 'position': [0.3, 0.1, 0.7], 'velocity_mps': [0.1, 0.0, -0.8]}
    cushion = {**CUSHION, 'damping_nspm': 3.0, 'angular_velocity_radps': [0.1, -0.2, 0.3]}
    w = World(WorldConfig(max_step_s=max_step_s), make_objects({'ball': ball, 'cushion': cushion}, 1.62))
    before, worst, deepest, turned = momentum(w), np.zeros(6), 0.0, w.objects['cushion'].body.angular_velocity
    while w.t_ns < 1_500_000_000:
        w.step()
        deepest = max(deepest, *(-hit.distance for hit in w.intersection_pairs), 0.0)
        worst = np.maximum(worst, np.abs(momentum(w) - before))
    assert deepest > 0.03 and np.abs(w.objects['cushion'].body.angular_velocity - turned).max() > 0.05
    assert w.objects['ball'].body.linear_velocity[2] > 0.0
    return float(worst[:3].max()), float(worst[3:].max())


def test_a_ball_and_a_cushion_keep_their_momentum() -> None:
    """Momentum to 1e-12. A force that is held while the bodies move turns them: angular momentum to second order."""
    (push, spin), (finer_push, finer_spin) = beside(0.01), beside(0.005)
    assert max(push, finer_push) < 1e-12
    assert spin < 1e-3 and finer_spin < spin / 3.0


def test_damping_dissipates_as_a_damped_oscillator_does() -> None:
    """Depth of a damped oscillator released at rest, to 1 % of the start: steps of a twelfth of 1 / w."""
    c = 6.0
    w = world(ball=BALL, cushion={**CUSHION, 'damping_nspm': c})
    decay, rate = c / (2.0 * REDUCED), math.sqrt(60.0 / REDUCED)
    damped = math.sqrt(rate**2 - decay**2)
    while w.t_ns * 1e-9 < 0.25:
        w.step(250_000_000)
        t = w.t_ns * 1e-9
        wanted = math.exp(-decay * t) * (math.cos(damped * t) + decay / damped * math.sin(damped * t))
        assert depth(w) == pytest.approx(START * wanted, abs=0.01 * START)


def test_two_cushions_are_springs_in_series() -> None:
    """Stiffnesses 60 and 30 N/m: 20 N/m."""
    ball = {**BALL, 'type': 'cushion', 'stiffness_npm': 30.0}
    w = world(ball=ball, cushion=CUSHION)
    rate = math.sqrt(20.0 / REDUCED)
    before = momentum(w)
    run(w, 0.2)
    assert depth(w) == pytest.approx(START * math.cos(0.2 * rate), abs=1e-3 * START)
    assert momentum(w) == pytest.approx(before, abs=1e-12)


def test_a_ball_comes_to_rest_on_a_cushion_on_the_ground() -> None:
    """Where the forces balance: m g / k deep in the cushion, which is (m + M) g / k deep in the floor it stands on."""
    floor = {'type': 'static_body', 'position': [0, 0, -1.0], 'shapes': [{'kind': 'box', 'size_m': [3.0, 3.0, 0.5]}]}
    heavy = {'weightless': False}
    cushion = {**CUSHION, **heavy, 'stiffness_npm': 600.0, 'damping_nspm': 40.0}
    w = run(world(ball={**BALL, **heavy}, cushion=cushion, floor=floor), 6.0)
    assert depth(w) == pytest.approx(2.0 * 1.62 / 600.0, rel=1e-3)
    assert -w.objects['cushion'].body.position[2] == pytest.approx(8.0 * 1.62 / 600.0, rel=1e-3)
    assert not w.forced_cycles and not w.discarded_cycles


def test_vehicles_collide_with_a_cushion_as_with_a_rigid_body() -> None:
    """A participant applies impulses only, so forces on the cushion alone would not keep the momentum."""
    ball, cushion = make_objects({'ball': BALL, 'cushion': CUSHION}, 1.62)
    rover = RemoteAgent(JoinRequest('rover', VEHICLE_ROLES, ball.shapes, (ball.body,), 2**62, '', '', {}), 0)
    assert yields(ball, cushion) and not yields(rover, cushion) and not yields(ball, ball)


def test_a_cushion_continues_from_a_checkpoint() -> None:
    """Rule 1: the restored world has the same hash."""
    w = run(world(ball=BALL, cushion={**CUSHION, 'damping_nspm': 1.0}), 0.1)
    again = World(WorldConfig())
    again.load(w.save())
    assert run(again, 0.4).state_hash == run(w, 0.4).state_hash
