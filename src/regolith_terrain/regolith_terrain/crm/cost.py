# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Estimates of memory and computing time of CRM before particles are created."""

from __future__ import annotations

import os

from regolith_files import rounded_text
from regolith_terrain.crm.fluid import Fluid
from regolith_terrain.crm.soil import Discretization, ParticleSoil

BED_BYTES = 500
"""Largest memory of a particle in a bed [B], including that of a checkpoint (``bench crm``)."""
PARTICLE_STEPS_PER_S = 4.4e5
"""Particle steps per second of one thread, from ``bench crm``: 0.44e6 of 200 000 to 0.62e6 of 10 000 particles at a
machine score of 91.
"""


def machine_memory_gb() -> float:
    """Return the memory of this machine [10^9 B]."""
    return 1e-9 * os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')


def hours(count: float, seconds: float, step: float) -> float:
    """Return the approximate hours of one thread of a laptop for moving particles over a simulated time [s]."""
    return count * seconds / step / PARTICLE_STEPS_PER_S / 3600.0


def refuse_too_many(
    volume: float, seconds: float, soil: ParticleSoil | Fluid, settings: Discretization, finer_along: int = 3
) -> None:
    """Reject a bed with more particles than fit into memory.

    Args:
        volume: Volume of soil [m^3].
        seconds: Simulated time [s].
        soil: Soil of the bed, or a fluid.
        settings: Discretization of the soil.
        finer_along: Number of directions in which a finer bed has more particles.

    Raises:
        ValueError: If the memory is insufficient. The message states memory and time.
    """
    spacing = settings.spacing_m
    count, there = volume / spacing**3, machine_memory_gb()
    if 1e-9 * BED_BYTES * count <= there:
        return
    time = hours(count, seconds, settings.step(soil.material()))
    least = 1.05 * spacing * (1e-9 * BED_BYTES * count / there) ** (1.0 / finer_along)  # also after rounding
    particles, memory = rounded_text(count, 3), rounded_text(1e-9 * BED_BYTES * count, 3)
    raise ValueError(
        f'spacing_m {spacing!r}: {particles} particles would need {memory} GB and up to {rounded_text(time, 3)} hours '
        f'on one core; allowed: at least {rounded_text(least)}, for which {rounded_text(there, 3)} GB suffice'
    )
