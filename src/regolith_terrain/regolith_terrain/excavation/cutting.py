# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Fundamental earthmoving equation: the force on a blade that cuts soil.

A wedge of soil is in front of a plane blade, between the blade, the surface, and a rupture plane. The rupture plane
rises from the edge at an angle beta to the surface. At failure the wedge slides up both planes. Equilibrium across the
resultant on the rupture plane gives (Reece 1964; McKyes 1985)

    P = (rho g d^2 N_gamma + c d N_c + q d N_q + c_a d N_ca + rho v^2 d N_a) w

with depth d, width w, cohesion c, surcharge q on the surface, adhesion c_a on the blade and speed v, which the soil
takes on as it enters the wedge (McKyes's inertial term). P acts at the soil-tool friction angle to the blade's normal.
The rupture angle is that of the smallest N_gamma.

The wedge is plane: no soil breaks out beside the ends of the blade. This is accurate for a blade much wider than deep;
for a narrow blade the force is too small.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from regolith_world.numerics import kernel

STEEPEST_RAD = math.radians(179.0)
"""Largest sum of rake, friction and soil-tool friction angle [rad]; beyond it no wedge slides up and soil sticks to the
blade."""
LEAST_FRICTION_RAD = 1e-3
"""Smallest friction angle [rad]; without friction N_gamma does not depend on the rupture angle."""


class CuttingFactors(NamedTuple):
    """Factors of the terms of the earthmoving equation [-], and the direction of P."""

    gamma: float
    """Factor of weight, N_gamma [-]."""
    cohesion: float
    surcharge: float
    adhesion: float
    inertia: float
    along: float
    """Sine of rake plus soil-tool friction angle: fraction of P against the motion."""
    down: float
    """Cosine of rake plus soil-tool friction angle: fraction of P that presses the tool into the soil."""
    cot_rake: float


@kernel
def rupture_angle(rake: float, friction: float, soil_tool: float) -> float:
    """Return the angle of the rupture plane with the horizontal at which N_gamma is smallest [rad].

    The derivative of N_gamma by cot(beta) is a quadratic equation with one root inside the soil: cot(beta) = -e +
    sqrt((e - cot(rake)) (e - cot(friction))), e = cot(rake + soil_tool + friction).

    Args:
        rake: Angle between the horizontal and the blade's face [rad], > 0: a right angle for an upright blade, less for
            one that leans back and lifts.
        friction: Friction angle of the soil [rad], at least LEAST_FRICTION_RAD.
        soil_tool: Friction angle between soil and blade [rad], >= 0; the sum of the three is below STEEPEST_RAD.

    Source: mckyes1985, chapter 3.
    Checked by: test_cutting.py::test_rupture_angle_minimizes_n_gamma.
    """
    e = 1.0 / math.tan(rake + soil_tool + friction)
    cot_beta = -e + math.sqrt((e - 1.0 / math.tan(rake)) * (e - 1.0 / math.tan(friction)))
    return math.atan2(1.0, cot_beta)


@kernel
def cutting_factors(rake: float, friction: float, soil_tool: float, beta: float) -> CuttingFactors:
    """Return the factors for a rupture plane at an angle ``beta`` [rad].

    The other angles are those of :func:`rupture_angle`.

    Source: reece1964; mckyes1985, chapters 3 and 5, the latter for inertia.
    Checked by: test_cutting.py::test_cutting_smooth_vertical_wall_matches_rankine,
    test_cutting.py::test_cutting_factors_give_wedge_equilibrium.
    """
    cot_rake, cot_beta = 1.0 / math.tan(rake), 1.0 / math.tan(beta)
    along, down = math.sin(rake + soil_tool), math.cos(rake + soil_tool)
    cot_plane = 1.0 / math.tan(beta + friction)
    bearing = down + along * cot_plane
    gamma = 0.5 * (cot_rake + cot_beta) / bearing
    inertia = (math.tan(beta) + cot_plane) / (bearing * (1.0 + math.tan(beta) * cot_rake))
    return CuttingFactors(
        gamma,
        (1.0 + cot_beta * cot_plane) / bearing,
        2.0 * gamma,
        (1.0 - cot_rake * cot_plane) / bearing,
        inertia,
        along,
        down,
        cot_rake,
    )


@kernel
def blade_force(
    factors: CuttingFactors,
    depth: float,
    speed: float,
    density: float,
    gravity: float,
    cohesion: float,
    surcharge: float,
    adhesion: float,
) -> tuple[float, float]:
    """Return the force on a blade per width, against its motion and downward [N/m].

    The force is zero above the surface.

    Args:
        factors: Factors of :func:`cutting_factors`.
        depth: Depth of the edge below the surface [m].
        speed: Speed along the surface [m/s].
        density: Bulk density of the soil [kg/m^3].
        gravity: Gravity [m/s^2].
        cohesion: Cohesion of the soil [Pa].
        surcharge: Surcharge on the surface [Pa].
        adhesion: Adhesion on the blade [Pa].

    Source: reece1964; mckyes1985.
    Checked by: test_cutting.py::test_cutting_smooth_vertical_wall_matches_rankine,
    test_cutting.py::test_blade_force_scales_with_depth_and_speed.
    """
    if depth <= 0.0:
        return 0.0, 0.0
    stuck = adhesion * depth
    bulk = density * (gravity * depth * factors.gamma + speed * speed * factors.inertia)
    p = depth * (bulk + cohesion * factors.cohesion + surcharge * factors.surcharge) + stuck * factors.adhesion
    return p * factors.along + stuck * factors.cot_rake, p * factors.down - stuck
