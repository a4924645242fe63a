# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The fundamental earthmoving equation: the force on a blade that cuts soil.

A wedge of soil before a plane blade, between the blade, a plane of rupture that rises from its edge at an angle beta
to the surface, and the surface itself, is about to slide up both planes. Its equilibrium across the rupture plane's
resultant gives (Reece 1964; McKyes 1985)

    P = (rho g d^2 N_gamma + c d N_c + q d N_q + c_a d N_ca + rho v^2 d N_a) w

with d the depth, w the width, c the cohesion, q a surcharge on the surface, c_a the adhesion on the blade and v the
speed, which the wedge's soil takes on as it enters (McKyes's inertial term). P stands at the soil-tool friction angle
to the blade's normal. The rupture angle is the one that makes N_gamma least.

The wedge is plane: no soil breaks out sideways of the blade's ends, which is true of a blade much wider than deep and
too little force for a narrow one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

STEEPEST_RAD = math.radians(179.0)
"""Greatest sum of rake, friction and soil-tool friction angle: beyond, no wedge slides up and soil sticks to the
blade."""
LEAST_FRICTION_RAD = 1e-3
"""Least friction angle: without friction N_gamma does not depend on the rupture angle."""


class CuttingFactors(NamedTuple):
    """Factors of the terms of the earthmoving equation [-], and where P points."""

    gamma: float
    """Of weight."""
    cohesion: float
    surcharge: float
    adhesion: float
    inertia: float
    along: float
    """Sine of rake plus soil-tool friction: share of P against the motion."""
    down: float
    """Its cosine: share of P that presses the tool into the soil."""
    cot_rake: float


@njit(cache=True, nogil=True, error_model='numpy')
def rupture_angle(rake: float, friction: float, soil_tool: float) -> float:
    """Return the angle of the rupture plane with the horizontal at which N_gamma is least [rad].

    Setting the derivative of N_gamma by cot(beta) to zero gives a quadratic equation with one root that lies inside the
    soil: cot(beta) = -e + sqrt((e - cot(rake)) (e - cot(friction))), e = cot(rake + soil_tool + friction).

    Args:
        rake: Between the horizontal and the blade's face: a right angle upright, less where it leans back and lifts
            [rad], > 0.
        friction: Of the soil [rad], at least LEAST_FRICTION_RAD.
        soil_tool: Between soil and blade [rad], >= 0; the three together below STEEPEST_RAD.

    Source: mckyes1985, chapter 3.
    Checked by: test_cutting.py::test_the_rupture_angle_is_the_least_of_n_gamma.
    """
    e = 1.0 / math.tan(rake + soil_tool + friction)
    cot_beta = -e + math.sqrt((e - 1.0 / math.tan(rake)) * (e - 1.0 / math.tan(friction)))
    return math.atan2(1.0, cot_beta)


@njit(cache=True, nogil=True, error_model='numpy')
def cutting_factors(rake: float, friction: float, soil_tool: float, beta: float) -> CuttingFactors:
    """Return the factors for a rupture plane at an angle ``beta`` [rad]; the others as for :func:`rupture_angle`.

    Source: reece1964; mckyes1985, chapters 3 and 5, the latter for inertia.
    Checked by: test_cutting.py::test_a_smooth_vertical_wall_is_rankines,
    test_cutting.py::test_factors_hold_a_wedge_in_equilibrium.
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


@njit(cache=True, nogil=True, error_model='numpy')
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
    """Return the force on a blade per width: against its motion and into the soil [N/m]; zeros above ground.

    Args:
        factors: Of :func:`cutting_factors`.
        depth: Of the edge below the surface [m].
        speed: Along the surface [m/s].
        density: Of the soil [kg/m^3].
        gravity: [m/s^2].
        cohesion: [Pa].
        surcharge: [Pa].
        adhesion: [Pa].

    Source: reece1964; mckyes1985.
    Checked by: test_cutting.py::test_a_smooth_vertical_wall_is_rankines,
    test_cutting.py::test_force_grows_with_depth_and_speed_as_its_terms.
    """
    if depth <= 0.0:
        return 0.0, 0.0
    stuck = adhesion * depth
    bulk = density * (gravity * depth * factors.gamma + speed * speed * factors.inertia)
    p = depth * (bulk + cohesion * factors.cohesion + surcharge * factors.surcharge) + stuck * factors.adhesion
    return p * factors.along + stuck * factors.cot_rake, p * factors.down - stuck
