# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil at rest in CRM: layers, slopes and vertical cuts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from particles import layer, of_soil, soil

from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.arrays import SOIL
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization

G = 9.81


@pytest.mark.seconds
def test_crm_column_at_rest_has_geostatic_stress() -> None:
    """Stress grows with depth as the weight above, laterally by nu / (1 - nu) of it; motion decays."""
    made = soil()
    bed = layer(made, 0.0125, 0.075, 0.15, (0.0, 0.0, -G), artificial_viscosity=0.5)
    dt = Discretization(spacing_m=0.0125).step(made.material())
    energy = []
    total = np.zeros(6)
    depth = 0.15 - of_soil(bed)[:, 2]
    inside = depth > 2.0 * bed.scheme.length
    share = []
    for _ in range(800):
        bed.step(dt)
        now = of_soil(bed)
        energy.append(float((now[:, 3:6] ** 2).sum()))
        share.append((now[inside, 8] / (-made.density_kgpm3 * G * depth[inside])).mean())
        total += now[inside, 6:].mean(axis=0)
    # Mean over whole oscillations; the free surface, half a spacing thick, has its full weight.
    assert np.mean(share) == pytest.approx(1.0, abs=0.03)
    assert total[0] / total[2] == pytest.approx(0.3 / 0.7, rel=0.02)
    assert max(energy[-100:]) < 0.7 * max(energy[:100])


@pytest.mark.seconds
@pytest.mark.parametrize(('share', 'flows'), [(0.95, False), (1.05, True)])
def test_crm_slope_flows_above_the_friction_angle(share: float, flows: bool) -> None:
    made = soil(friction=0.5, youngs_modulus_pa=2e5)
    slope = math.atan(share * 0.5)
    bed = layer(made, 0.0125, 0.075, 0.1, (G * math.sin(slope), 0.0, -G * math.cos(slope)), artificial_viscosity=0.1)
    dt = Discretization(spacing_m=0.0125).step(made.material())
    speeds = []
    for _ in range(round(0.4 / dt)):
        bed.step(dt)
        speeds.append(float(of_soil(bed)[:, 3].mean()))
    late = np.mean(speeds[-len(speeds) // 4 :])
    if flows:
        # Coulomb: the excess of gravity over friction accelerates the layer; the part near the floor follows.
        assert late > 0.5 * G * math.cos(slope) * (math.tan(slope) - 0.5) * 0.35
    else:
        assert abs(late) < 1e-3


@pytest.mark.seconds
@pytest.mark.parametrize(('share', 'stands'), [(0.9, True), pytest.param(4.4, False, marks=pytest.mark.slow)])
def test_crm_vertical_cut_stands_up_to_the_critical_height(share: float, stands: bool) -> None:
    """2 c tan(45 + phi/2) / (rho g); twice this height is the upper bound of plasticity."""
    made = soil(friction=math.tan(math.radians(30.0)), cohesion_pa=1200.0, youngs_modulus_pa=5e5)
    height = 2.0 * 1200.0 * math.tan(math.radians(60.0)) / (made.density_kgpm3 * G) * share
    d = height / 10
    count = 6
    low, high = (0.0, 0.0, 0.0), (1.2 * height, count * d, height)
    places = boundary_markers.lattice(low, high, d)
    walls = boundary_markers.lattice((-3 * d, 0.0, -3 * d), (3.0 * height, count * d, height), d)
    walls = walls[(walls[:, 0] < 0.0) | (walls[:, 2] < 0.0)]
    settings = Discretization(spacing_m=d, artificial_viscosity=0.2)
    bed = ParticleBed(
        made,
        settings,
        (0.0, 0.0, -G),
        places,
        walls,
        np.zeros(len(walls), np.int32),
        period=(0.0, count * d),
    )
    bed.lay_at_rest(height)
    dt = settings.step(made.material())
    for _ in range(round(2.5 * math.sqrt(2.0 * height / G) / dt)):
        bed.step(dt)
    now = of_soil(bed)
    edge = now[:, 0].max() - high[0]
    if stands:
        assert edge < 0.02 * height
    else:
        assert edge > 0.2 * height


def test_crm_forces_on_bodies_and_soil_are_opposite() -> None:
    """The momentum change of the soil in a step equals the impulse of gravity and bodies."""
    made = soil()
    settings = Discretization(spacing_m=0.02)
    ball = boundary_markers.ball(0.07, 0.02)
    walls = boundary_markers.trough((0, 0, 0), (0.2, 0.2, 0.2), 0.02, 0.06)
    body = np.concatenate((np.zeros(len(walls)), np.ones(len(ball)))).astype(np.int32)
    bed = ParticleBed(
        made,
        settings,
        (0.3, 0.0, -G),
        boundary_markers.lattice((0, 0, 0), (0.2,) * 3, 0.02),
        np.concatenate((walls, ball)),
        body,
    )
    bed.lay_at_rest(0.2)
    bed.bodies.center[1] = 0.1, 0.1, 0.27
    bed.bodies.velocity[1] = 0.1, 0.0, -0.5
    bed.bodies.spin[1] = 0.0, 3.0, 0.0
    mass = made.density_kgpm3 * settings.spacing_m**3
    dt = 1e-4
    for _ in range(20):
        before = of_soil(bed)[:, 3:6].sum(axis=0)
        bed.step(dt)
        bed.bodies.center[1] += dt * bed.bodies.velocity[1]
        gained = mass * (of_soil(bed)[:, 3:6].sum(axis=0) - before) / dt
        weight = mass * np.count_nonzero(bed.kind == SOIL) * bed.gravity
        assert gained == pytest.approx(weight - bed.force.sum(axis=0), rel=1e-9, abs=1e-8)
    assert bed.force[1, 2] > 1.0  # the soil supports the ball
