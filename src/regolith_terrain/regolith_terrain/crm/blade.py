# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An upright blade pushed through soil as a continuum of particles: what the earthmoving equation is held against.

The bed repeats itself along the blade, so the cut is plane, as the equation has it. The blade is three spacings thick,
as rough as the soil is strong, and stands in a slot at first; what it pushes stays before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization, ParticleSoil

STIFFNESS = 400.0
"""Young's modulus over rho g d + c: soil before the blade is compressed by a few per cent."""
_COURANT = 0.4
_VISCOSITY = 0.05
_ACROSS = 9
"""Spacings after which the bed repeats itself: three cells."""
_AHEAD, _BEHIND, _DEEP, _WAY = 7.0, 3.0, 2.5, 1.5
"""Soil before, behind and above the floor, and the way of the blade, in depths of the cut."""
_START_S = 0.2
"""Time in which the blade comes to its speed, at most a fifth of its way [s]."""


class Cut(NamedTuple):
    """Forces on a blade per width, means over the last two thirds of its way."""

    draft: float
    """Against its motion [N/m]."""
    lift: float
    """Upwards [N/m]."""
    particles: int


def soil_to_cut(density: float, cohesion: float, friction: float, gravity: float, depth: float) -> ParticleSoil:
    """Return soil as stiff as a cut asks for, as strong in plane strain as Mohr and Coulomb say.

    Where it does not widen, half the difference of the principal stresses in the plane is sqrt(J2), and half their sum
    the pressure: so p sin(phi) + c cos(phi) bounds sqrt(J2).

    Args:
        density: [kg/m^3].
        cohesion: [Pa].
        friction: Angle [rad].
        gravity: [m/s^2].
        depth: Of the cut [m].
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
    """Push a blade through soil.

    Args:
        depth: Of its edge below the surface [m], four spacings or more.
        speed: [m/s].
        gravity: [m/s^2].
        spacing: Of particles [m].
        workers: Threads; the outcome is the same.
        tick: Called with the part that is done.

    Raises:
        ValueError: If particles are too coarse.
    """
    if depth < 4.0 * spacing:
        raise ValueError(f'spacing {spacing!r} m for a cut of {depth!r} m; allowed: at most a quarter of it')
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
