# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the force on a blade in particles against the earthmoving equation."""

from __future__ import annotations

import math

import pytest

from regolith_terrain.excavation.cutting import blade_force, cutting_factors, rupture_angle
from regolith_testbeds.crm.blade import Cut, push_blade, soil_to_cut

DENSITY, FRICTION, MOON = 1500.0, math.radians(35.0), 1.62


def equation(depth: float, speed: float, cohesion: float, soil_tool: float, gravity: float = MOON) -> float:
    """Return the draft force of an upright blade per width [N/m]."""
    beta = rupture_angle(0.5 * math.pi, FRICTION, soil_tool)
    factors = cutting_factors(0.5 * math.pi, FRICTION, soil_tool, beta)
    return float(blade_force(factors, depth, speed, DENSITY, gravity, cohesion, 0.0, 0.0)[0])


def cut(depth: float, speed: float, cohesion: float, spacing: float, gravity: float = MOON) -> Cut:
    return push_blade(soil_to_cut(DENSITY, cohesion, FRICTION, gravity, depth), depth, speed, gravity, spacing)


WEDGE = pytest.mark.xfail(
    reason='ratio 0.45: a plane wedge overestimates a rough blade, log spirals give half', strict=True
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ('cohesion', 'speed', 'part'),
    [(c, v, 2.0 / 3.0) for c in (0.0, 170.0) for v in (0.1, 0.5)]
    + [(0.0, 0.1, 1.0), (0.0, 0.5, 1.0), pytest.param(170.0, 0.1, 1.0, marks=WEDGE), (170.0, 0.5, 1.0)],
)
def test_crm_blade_draft_matches_the_equation_within_a_factor_of_two(
    cohesion: float, speed: float, part: float
) -> None:
    """Depth of five particles, for a blade as rough as soil (as in the testbed) and for two thirds of that (as for
    tools).
    """
    found = cut(0.1, speed, cohesion, 0.02)
    assert 0.5 < found.draft / equation(0.1, speed, cohesion, part * FRICTION) < 2.0
    assert found.lift > 0.0  # the rough face lifts the wedge; the soil below the thick edge supports it


@pytest.mark.slow
def test_crm_blade_draft_scales_with_gravity_and_depth_squared() -> None:
    """Without cohesion, forces per width scale with rho g d^2 if speeds scale with the root of g d.

    The soil has the same relative stiffness, so results are equal to within the rounding of sums.
    """
    one = cut(0.1, 1.6, 0.0, 0.025)
    other = cut(0.2, 1.6 * math.sqrt(2.0 * 9.81 / 1.62), 0.0, 0.05, 9.81)
    assert other.draft / one.draft == pytest.approx(4.0 * 9.81 / 1.62, rel=1e-3)


def test_crm_blade_coarse_particles_are_rejected() -> None:
    with pytest.raises(
        ValueError, match=r'spacing 0.03 m is too coarse for a cut of 0.1 m; allowed: at most a quarter of it'
    ):
        cut(0.1, 0.4, 0.0, 0.03)
