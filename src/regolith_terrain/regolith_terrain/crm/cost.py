# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What particles cost, known before any is laid: memory and time."""

from __future__ import annotations

import os

from regolith_terrain.crm.soil import Discretization, ParticleSoil

BED_BYTES = 500
"""Most that a particle takes in a bed, what a checkpoint holds included (``bench crm``)."""
PARTICLE_STEPS_PER_S = 4.4e5
"""Of one thread, from ``bench crm``: 0.44e6 of 200 000 to 0.62e6 of 10 000 particles at a machine score of 91."""


def memory_gb() -> float:
    """Return the memory of this machine [10^9 B]."""
    return 1e-9 * os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')


def hours(count: float, seconds: float, step: float) -> float:
    """Return how many hours one thread of a laptop needs, about, if so many particles move for a time [s]."""
    return count * seconds / step / PARTICLE_STEPS_PER_S / 3600.0


def refuse_too_many(
    volume: float, seconds: float, soil: ParticleSoil, settings: Discretization, finer_along: int = 3
) -> None:
    """Refuse a bed of more particles than memory holds.

    Args:
        volume: Of soil [m^3].
        seconds: Simulated [s].
        finer_along: Directions in which a finer bed has more particles.

    Raises:
        ValueError: Saying what it would take.
    """
    spacing = settings.spacing_m
    count, there = volume / spacing**3, memory_gb()
    if 1e-9 * BED_BYTES * count <= there:
        return
    time = hours(count, seconds, settings.step(soil.material()))
    least = 1.05 * spacing * (1e-9 * BED_BYTES * count / there) ** (1.0 / finer_along)  # also when it is rounded
    raise ValueError(
        f'spacing_m {spacing!r}: {count:.3g} particles would take {1e-9 * BED_BYTES * count:.3g} GB and up to '
        f'{time:.3g} hours on one core; allowed: at least {least:.2g}, for which {there:.3g} GB suffice'
    )
