# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of sleep of rigid bodies: trembling bodies sleep, slowly moving ones do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from bodies_on_ground import CYCLE_S, EARTH, MOON, one_body, rigid_parameters, scm_parameters, tilted

from regolith_terrain import FlatField, SoilGrid, SoilMap
from regolith_terrain.bodies import (
    BodyDescription,
    BodyGround,
    BodyShape,
    BodySteps,
    RigidBodies,
    prepare_cycle,
    shapes,
)
from regolith_terrain.bodies.sleep import rest, wake_disturbed
from regolith_terrain.terrain_model import find_terrain_model

CYCLE_NS = round(CYCLE_S * 1e9)
Placed = tuple[BodyShape, float, tuple[float, float, float], Any]
LYING = np.array([0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)])


def placed(parts: Sequence[Placed], soil: np.ndarray, gravity: float, spacing: float = 0.02) -> RigidBodies:
    """Return bodies of shape, mass, position and orientation on level ground."""
    law = find_terrain_model('scm' if len(soil) == 9 else 'rigid')
    ground = BodyGround(SoilGrid(FlatField(), spacing, law), SoilMap(soil), np.array([0.0, 0.0, -gravity]))
    bodies = RigidBodies([BodyDescription(f'b{k}', part[0], part[1]) for k, part in enumerate(parts)], ground)
    for k, (_, _, place, turn) in enumerate(parts):
        bodies.place(k, np.array(place), turn)
    return bodies


def cycle(bodies: RigidBodies) -> None:
    """Advance bodies by a cycle as the participant does, with sleep."""
    awake, asleep = np.flatnonzero(bodies.awake).tolist(), np.flatnonzero(~bodies.awake).tolist()
    steps = BodySteps(bodies)
    steps.plan(CYCLE_S, awake, asleep)
    steps.run()
    bodies.ground.grid.apply(steps.finish())
    rest(bodies, sorted({*awake, *np.flatnonzero(bodies.awake).tolist()}), CYCLE_NS)
    wake_disturbed(bodies, range(len(bodies)))


def asleep_after(bodies: RigidBodies, seconds: float) -> float:
    """Return the time at which all bodies sleep [s]; inf: not within some seconds."""
    for k in range(round(seconds / CYCLE_S)):
        if not bodies.awake.any():
            return k * CYCLE_S
        cycle(bodies)
    return math.inf


def tower(half: float) -> list[Placed]:
    """Return six boxes on each other."""
    return [
        (shapes.box([half] * 3), 1500.0 * (2.0 * half) ** 3, (0.0, 0.0, half * (2 * k + 1)), None) for k in range(6)
    ]


def bridge() -> list[Placed]:
    """Return a capsule that lies across two boxes."""
    box = shapes.box([0.15, 0.15, 0.15])
    piers: list[Placed] = [(box, 20.0, (x, 0.0, 0.15), None) for x in (-0.25, 0.25)]
    return [*piers, (shapes.capsule(0.08, 0.3), 10.0, (0.0, 0.0, 0.38), LYING)]


@pytest.mark.parametrize('soil', [rigid_parameters(), scm_parameters()], ids=['rigid', 'scm'])
@pytest.mark.parametrize('parts', [tower(0.25), bridge()], ids=['tower', 'bridge'])
def test_bodies_that_tremble_on_each_other_sleep(parts: list[Placed], soil: np.ndarray) -> None:
    """On Earth they move by up to 0.3 mm per cycle, back and forth, and are at rest by no cycle alone."""
    bodies = placed(parts, soil, EARTH)
    begun = bodies.position.copy()
    assert asleep_after(bodies, 10.0) <= 8.0
    assert np.abs(bodies.position[:, :2] - begun[:, :2]).max() < 0.01
    assert not bodies.velocity.any() and not bodies.spin.any()


def at_rest_by(pose: Callable[[int], tuple[float, float]], cycles: int) -> int:
    """Return the number of cycles after which a body sleeps that follows x [m] and a yaw [rad]; 0: it stays awake."""
    body = one_body(shapes.sphere(0.1), 1.0, rigid_parameters())
    body.place(0, np.array([0.0, 0.0, 0.1]))
    for k in range(1, cycles + 1):
        prepare_cycle(body, [0])
        body.contact_force[0] = (0.0, 0.0, MOON)
        x, yaw = pose(k)
        body.position[0], body.orientation[0] = (x, 0.0, 0.1), (0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw))
        rest(body, [0], CYCLE_NS)
        if not body.awake[0]:
            return k
    return 0


def test_time_to_sleep_depends_on_drift_not_on_tremor() -> None:
    """The limits are 2 mm/s for 0.5 s, 40 um per cycle, and 1 mm about one pose, where a cycle counts a third."""
    assert at_rest_by(lambda k: (0.0, 0.0), 100) == 25
    assert at_rest_by(lambda k: (1.9e-3 * CYCLE_S * k, 0.0), 100) == 25
    # The first pose of a trembling body does not count. 0.3 mm in a cycle; 2 mm/s of a point at 0.1 m by rotation.
    assert at_rest_by(lambda k: (1.5e-4 * (-1) ** k, 0.0), 200) == 77  # 1 + 75, and the rest of a division
    assert at_rest_by(lambda k: (0.0, 1.5e-3 * (-1) ** k), 200) == 77
    for drift in (2.2e-3, 5e-3, 0.1):
        assert not at_rest_by(lambda k, v=drift: (v * CYCLE_S * k, 0.0), 1000)  # type: ignore[misc]
        assert not at_rest_by(lambda k, v=drift: (0.0, 10.0 * v * CYCLE_S * k), 1000)  # type: ignore[misc]
    assert not at_rest_by(lambda k: (2.2e-3 * CYCLE_S * k + 1.5e-4 * (-1) ** k, 0.0), 1000)  # both
    assert not at_rest_by(lambda k: (2e-3 * (-1) ** k, 0.0), 1000)


def test_ball_that_turns_on_a_slope_of_one_degree_does_not_sleep() -> None:
    """It rolls up at 20 mm/s, is slower than 2 mm/s for 0.2 s where it turns, and rolls down at 5/7 g sin t."""
    body = one_body(shapes.sphere(0.1), 5.0, rigid_parameters(), tilted(1.0))
    body.place(0, np.array([0.0, 0.0, 0.1]), velocity=np.array([-0.02, 0.0, 0.0]), spin=np.array([0.0, -0.2, 0.0]))
    for _ in range(200):
        cycle(body)
        assert body.awake[0]
    rate = 5.0 / 7.0 * MOON * math.sin(math.radians(1.0))
    assert body.velocity[0, 0] == pytest.approx(-0.02 + 4.0 * rate, rel=0.01)
    at_once = one_body(shapes.sphere(0.1), 5.0, rigid_parameters(), tilted(1.0))
    at_once.place(0, np.array([0.0, 0.0, 0.1]))
    assert asleep_after(at_once, 4.0) == math.inf


def test_box_that_creeps_down_a_slope_does_not_sleep() -> None:
    """Just above the friction angle it slides at 3 mm/s and more, with a = g (sin t - mu cos t)."""
    friction, angle = 0.5, math.degrees(math.atan(0.5)) + 0.02
    pull = tilted(angle)
    body = one_body(shapes.box([0.2, 0.2, 0.05]), 20.0, rigid_parameters(friction=friction), pull)
    body.place(0, np.array([0.0, 0.0, 0.05]), velocity=np.array([3e-3, 0.0, 0.0]))
    for _ in range(300):
        cycle(body)
        assert body.awake[0]
    assert body.velocity[0, 0] >= 3e-3 and body.position[0, 0] > 6.0 * 3e-3


@pytest.mark.slow
def test_dominoes_that_lean_on_each_other_on_soil_sleep() -> None:
    """They fall within 5 s, then tremble. Four grid spacings are their thickness: on 2 cm they chatter, and creep."""
    box, angle = shapes.box([0.02, 0.075, 0.15]), math.radians(10.0)
    fallen: list[Placed] = [(box, 3.6, (0.15 * k, 0.0, 0.15), None) for k in range(8)]
    fallen[0] = (*fallen[0][:3], np.array([0.0, math.sin(angle), 0.0, math.cos(angle)]))
    bodies = placed(fallen, scm_parameters(), MOON, 0.01)
    asleep_after(bodies, 5.0)
    lying = bodies.position.copy()
    assert asleep_after(bodies, 15.0) < math.inf
    assert np.sqrt(np.square(bodies.position - lying).sum(axis=1)).max() < 0.05
