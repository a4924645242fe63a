# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of friction against spinning of a ball about the normal of its contact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies_on_ground import MOON, one_body, rigid_parameters, run, scm_parameters
from scipy.integrate import quad

from regolith_terrain import load_soil
from regolith_terrain.bodies import RigidBodies, shapes
from regolith_terrain.bodies.sleep import rest
from regolith_terrain.solids.point_force import spin_friction

RADIUS, MASS = 0.1, 5.0
INERTIA = 0.4 * MASS * RADIUS**2


@pytest.mark.parametrize('exponent', [0.0, 0.5, 1.0, 1.3])
def test_spin_friction_is_that_of_known_pressures(exponent: float) -> None:
    """The integral of r p dA over that of p dA, for a radius of 1; Johnson has 3 pi / 16 for Hertz's pressure."""
    moment = quad(lambda r: r * r * (1.0 - r * r) ** exponent, 0.0, 1.0)[0]
    load = quad(lambda r: r * (1.0 - r * r) ** exponent, 0.0, 1.0)[0]
    assert spin_friction(exponent) == pytest.approx(moment / load, rel=1e-9)
    known = {0.0: 2.0 / 3.0, 0.5: 3.0 * math.pi / 16.0, 1.0: 8.0 / 15.0}
    if exponent in known:
        assert spin_friction(exponent) == pytest.approx(known[exponent], rel=1e-12)


def slowed(body: RigidBodies, rate: float) -> None:
    """Check that a ball at rest that is given a spin about the vertical loses it at a rate [rad/s^2], in 0.5 s."""
    body.spin[0] = (0.0, 0.0, 0.5 * rate)
    track = []
    for _ in range(10):
        run(body, 0.02)
        track.append(float(body.spin[0, 2]))
    # The first substeps begin with unmobilized contacts.
    assert track[-1] - track[0] == pytest.approx(-rate * 9 * 0.02, rel=0.02)
    run(body, 0.4)
    assert abs(body.spin[0]).max() < 1e-6


def test_ball_that_spins_is_slowed_by_friction_of_its_contact() -> None:
    """3 pi / 16 mu N a, with Hertz's a = sqrt(R d) at the depth d = N / k. Then it sleeps."""
    body = one_body(shapes.sphere(RADIUS), MASS, rigid_parameters(friction=0.8, stiffness_npm=2e5))
    load = MASS * MOON
    body.place(0, np.array([0.0, 0.0, RADIUS - load / 2e5]))
    run(body, 0.2)
    patch = math.sqrt(RADIUS * load / 2e5)
    slowed(body, 3.0 * math.pi / 16.0 * 0.8 * load * patch / INERTIA)
    for _ in range(30):
        run(body, 0.02)
        rest(body, [0], 20_000_000)
    assert not body.awake[0]


def test_small_ball_that_spins_is_slowed_by_shear_of_the_soil() -> None:
    """On a grid that is too coarse for it: a (2/3 c pi a^2 + 8/15 N tan phi), a^2 = 2 R z - z^2."""
    soil = load_soil('lunar_nominal')
    body = one_body(shapes.sphere(RADIUS), MASS, scm_parameters(), spacing=0.05)
    assert body.contact.small[0]  # type: ignore[attr-defined]
    body.place(0, np.array([0.0, 0.0, RADIUS]))
    run(body, 3.0)
    deep = RADIUS - float(body.position[0, 2])
    patch = math.sqrt(2.0 * RADIUS * deep - deep * deep)
    friction = 8.0 / 15.0 * MASS * MOON * math.tan(math.radians(soil.friction_angle_deg))
    slowed(body, patch * (2.0 / 3.0 * soil.cohesion_pa * math.pi * patch**2 + friction) / INERTIA)


def test_ball_on_the_grid_is_slowed_by_shear_of_its_nodes() -> None:
    body = one_body(shapes.sphere(0.15), 41.0, scm_parameters(), spacing=0.01)
    body.place(0, np.array([0.0, 0.0, 0.15]), spin=np.array([0.0, 0.0, 1.0]))
    run(body, 2.0)
    assert abs(body.spin[0, 2]) < 1e-2
