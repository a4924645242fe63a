# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Upright blade pushed through CRM soil, for comparison with the earthmoving equation.

The bed is periodic along the blade, so the cut is plane, as in the equation. The blade is three spacings thick, as
rough as the strength of the soil, and initially in a slot. The pushed soil stays in front of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from regolith_terrain.crm import Discretization, ParticleBed, ParticleSoil, boundary_markers

STIFFNESS = 400.0
"""Young's modulus over rho g d + c: soil in front of the blade is compressed by a few percent."""
_COURANT = 0.4
_VISCOSITY = 0.05
_ACROSS = 9
"""Period of the bed in spacings: three cells."""
_AHEAD, _BEHIND, _DEEP, _WAY = 7.0, 3.0, 2.5, 1.5
"""Soil ahead, behind and below, and travel of the blade, in depths of the cut."""
_START_S = 0.2
"""Time in which the blade reaches its speed, at most a fifth of its travel [s]."""


class Cut(NamedTuple):
    """Forces on a blade per width, averaged over the last two thirds of its travel."""

    draft: float
    """Force against the motion [N/m]."""
    lift: float
    """Upward force [N/m]."""
    particles: int


def soil_to_cut(density: float, cohesion: float, friction: float, gravity: float, depth: float) -> ParticleSoil:
    """Return soil with the stiffness for a cut, and the plane-strain strength of Mohr-Coulomb.

    In plane strain, half the difference of the principal stresses in the plane is sqrt(J2), and half their sum is the
    pressure. So p sin(phi) + c cos(phi) limits sqrt(J2).

    Args:
        density: Bulk density [kg/m^3].
        cohesion: Cohesion [Pa].
        friction: Friction angle [rad].
        gravity: Gravity [m/s^2].
        depth: Depth of the cut [m].
    """
    return ParticleSoil(
        name='cut',
        density_kgpm3=density,
        youngs_modulus_pa=STIFFNESS * (density * gravity * depth + cohesion),
        friction=math.sin(friction),
        cohesion_pa=cohesion * math.cos(friction),
    )


def push_blade(
    soil: ParticleSoil,
    depth: float,
    speed: float,
    gravity: float,
    spacing: float,
    workers: int = 1,
    tick: Callable[[float], None] = lambda part: None,
) -> Cut:
    """Push a blade through soil and return the mean forces.

    Args:
        soil: Soil of the bed.
        depth: Depth of the edge below the surface [m], at least four spacings.
        speed: Speed of the blade [m/s].
        gravity: Gravity [m/s^2].
        spacing: Particle spacing [m].
        workers: Number of threads; it does not change the result.
        tick: Progress callback with the completed fraction.

    Raises:
        ValueError: If particles are too coarse.
    """
    if depth < 4.0 * spacing:
        raise ValueError(
            f'spacing {spacing!r} m is too coarse for a cut of {depth!r} m; allowed: at most a quarter of it'
        )
    behind, ahead, deep = (round(k * depth / spacing) * spacing for k in (_BEHIND, _AHEAD, _DEEP))
    across, edge = _ACROSS * spacing, boundary_markers.LAYERS * spacing

    places, walls = boundary_markers.channel((-behind, ahead), across, -deep, spacing, 2.0 * edge)
    blade = boundary_markers.lattice((-edge, 0.0, 0.0), (0.0, across, round(3.0 * depth / spacing) * spacing), spacing)
    slot = (places[:, 0] > -edge) & (places[:, 0] < 0.0) & (places[:, 2] > -depth)
    settings = Discretization(spacing_m=spacing, artificial_viscosity=_VISCOSITY, courant_number=_COURANT)
    bed = ParticleBed(
        soil,
        settings,
        (0.0, 0.0, -gravity),
        places[~slot],
        *boundary_markers.together(walls, blade),
        workers=workers,
        period=(0.0, across),
    )
    bed.lay_at_rest(0.0)
    dt, way = settings.step(bed.material), _WAY * depth
    start = min(_START_S, 0.2 * way / speed)
    x, total, count = 0.0, np.zeros(3), 0
    while x < way:
        now = speed * min(1.0, (bed.t + 0.5 * dt) / start)
        bed.bodies.center[1] = x, 0.0, -depth
        bed.bodies.velocity[1] = now, 0.0, 0.0
        bed.step(dt)
        x += now * dt
        if x > way / 3.0:
            total += bed.force[1] / across
            count += 1
        tick(min(1.0, x / way))
    return Cut(-float(total[0]) / count, float(total[2]) / count, bed.soil_count)
