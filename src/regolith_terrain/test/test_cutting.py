# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the earthmoving equation against Rankine pressure, wedge equilibrium and limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.excavation.cutting import (
    LEAST_FRICTION_RAD,
    STEEPEST_RAD,
    blade_force,
    cutting_factors,
    rupture_angle,
)

RAKES = [math.radians(a) for a in (20.0, 45.0, 70.0, 90.0, 110.0)]
FRICTIONS = [math.radians(a) for a in (10.0, 25.0, 35.0, 42.0)]


@pytest.mark.parametrize('friction', FRICTIONS)
def test_cutting_smooth_vertical_wall_matches_rankine(friction: float) -> None:
    """Passive pressure: half rho g d^2 K_p + 2 c d sqrt(K_p) + q d K_p, rupture at 45 deg - phi / 2, no vertical
    force.
    """
    beta = rupture_angle(0.5 * math.pi, friction, 0.0)
    assert beta == pytest.approx(0.25 * math.pi - 0.5 * friction, rel=1e-12)
    factors = cutting_factors(0.5 * math.pi, friction, 0.0, beta)
    passive = math.tan(0.25 * math.pi + 0.5 * friction) ** 2
    depth, density, gravity, cohesion, surcharge = 0.15, 1500.0, 1.62, 170.0, 400.0
    for c, q in ((0.0, 0.0), (cohesion, 0.0), (0.0, surcharge)):
        against, down = blade_force(factors, depth, 0.0, density, gravity, c, q, 0.0)
        rankine = 0.5 * density * gravity * depth**2 * passive + 2.0 * c * depth * math.sqrt(passive)
        assert against == pytest.approx(rankine + q * depth * passive, rel=1e-6)
        assert down == pytest.approx(0.0, abs=1e-9 * against)


@pytest.mark.parametrize('rake', RAKES)
@pytest.mark.parametrize('friction', FRICTIONS)
def test_rupture_angle_minimizes_n_gamma(rake: float, friction: float) -> None:
    """No angle of a fine sweep over all wedge angles gives less, except for rounding."""
    soil_tool = 2.0 / 3.0 * friction
    least = cutting_factors(rake, friction, soil_tool, rupture_angle(rake, friction, soil_tool)).gamma
    assert least > 0.0
    steepest = math.pi - rake - soil_tool - friction
    for beta in np.linspace(0.01, 0.99, 400) * steepest:
        assert cutting_factors(rake, friction, soil_tool, float(beta)).gamma >= least * (1.0 - 1e-12)


@pytest.mark.parametrize('rake', RAKES)
@pytest.mark.parametrize('adhesion', [0.0, 300.0])
def test_cutting_factors_give_wedge_equilibrium(rake: float, adhesion: float) -> None:
    """Forces on the wedge and the momentum of its soil balance perpendicular to the resultant on the rupture plane."""
    friction, soil_tool, beta = math.radians(33.0), math.radians(21.0), math.radians(28.0)
    density, gravity, cohesion, surcharge, depth, speed = 1600.0, 3.71, 250.0, 500.0, 0.2, 0.7
    factors = cutting_factors(rake, friction, soil_tool, beta)
    against, down = blade_force(factors, depth, speed, density, gravity, cohesion, surcharge, adhesion)
    top = depth * (1.0 / math.tan(rake) + 1.0 / math.tan(beta))
    weight = np.array([0.0, -(0.5 * density * gravity * depth * top + surcharge * top)])
    bond = -cohesion * depth / math.sin(beta) * np.array([math.cos(beta), math.sin(beta)])
    # Soil that enters moves up the rupture plane at the speed that the blade imposes.
    speed_up = speed * math.sin(rake) / math.sin(rake + beta)
    momentum = density * depth * speed * speed_up * np.array([math.cos(beta), math.sin(beta)])
    # The force on the tool is opposite to the force on the wedge, adhesion included.
    from_blade = np.array([against, down])
    left = from_blade + weight + bond - momentum
    # The rest is the reaction of the rupture plane, inclined by the friction angle to its normal.
    assert left @ np.array([math.cos(beta + friction), math.sin(beta + friction)]) == pytest.approx(
        0.0, abs=1e-9 * np.abs(from_blade).max()
    )


def test_blade_force_scales_with_depth_and_speed() -> None:
    """Without cohesion, force grows with depth squared; the inertial part with speed squared; zero above ground."""
    rake, friction, soil_tool = math.radians(50.0), math.radians(35.0), math.radians(20.0)
    factors = cutting_factors(rake, friction, soil_tool, rupture_angle(rake, friction, soil_tool))

    def force(depth: float, speed: float = 0.0, cohesion: float = 0.0) -> float:
        return float(blade_force(factors, depth, speed, 1500.0, 1.62, cohesion, 0.0, 0.0)[0])

    assert force(0.2) == pytest.approx(4.0 * force(0.1), rel=1e-12)
    assert force(0.2, cohesion=170.0) - force(0.2) == pytest.approx(2.0 * (force(0.1, 0.0, 170.0) - force(0.1)))
    rise = force(0.1, 1.0) - force(0.1)
    assert rise == pytest.approx((force(0.1, 2.0) - force(0.1)) / 4.0, rel=1e-12) and rise > 0.0
    assert force(0.0, 1.0, 170.0) == force(-0.1) == 0.0


def test_rupture_angle_at_the_limits_is_valid() -> None:
    """At the stated limits of the module, the angle is that of a wedge, and its factors are finite."""
    for rake, friction, soil_tool in (
        (math.radians(60.0), LEAST_FRICTION_RAD, 0.0),
        (STEEPEST_RAD - 0.6, 0.4, 0.19),
    ):
        beta = rupture_angle(rake, friction, soil_tool)
        assert 0.0 < beta < math.pi - rake - friction - soil_tool
        assert all(math.isfinite(value) for value in cutting_factors(rake, friction, soil_tool, beta))
