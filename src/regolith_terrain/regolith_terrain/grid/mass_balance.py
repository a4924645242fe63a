# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The books of soil that was moved: as much must have come to one place as left another.

``mass_kgpm2`` of a node says by how much the mass of its column differs from virgin ground. Only transport changes it,
never compaction, which packs the same mass into less height. Whoever moves soil does so in whole quanta: multiples of a
power of two, which doubles add and subtract without rounding. So the sum over the ground is exact, in whatever order
soil is moved.
"""

from __future__ import annotations

import math
from typing import TypedDict

QUANTUM_KGPM2 = 2.0**-30
"""Least mass that is moved [kg/m^2], about a microgram on a square metre. A column is exact up to 2^53 quanta, which is
eight million kg/m^2."""


class MassBalance(TypedDict):
    """Masses of displaced soil, by where they are now [kg]."""

    ground_kg: float
    """Change over the whole ground: negative where soil was taken."""
    carried_kg: float
    """Soil in tools and on vehicles."""
    in_flight_kg: float
    """Soil thrown and not yet landed."""
    in_transit_kg: float
    """Soil taken from the ground in one cycle and granted in the next."""
    error_kg: float
    """Sum of all four: soil made of nothing, or lost; zero if the books balance."""


def mass_balance(
    ground_kgpm2: float, cell_m2: float, carried_kg: float = 0.0, in_flight_kg: float = 0.0, in_transit_kg: float = 0.0
) -> MassBalance:
    """Return the books.

    Terrain knows the ground alone; what tools carry and have thrown is added when a run is summed up. Bulldozing sets
    soil down in the substep in which it takes it up.

    Args:
        ground_kgpm2: Exact sum of ``mass_kgpm2`` over all nodes.
        cell_m2: Area of a node.
    """
    ground = ground_kgpm2 * cell_m2
    return {
        'ground_kg': ground,
        'carried_kg': carried_kg,
        'in_flight_kg': in_flight_kg,
        'in_transit_kg': in_transit_kg,
        'error_kg': math.fsum((ground, carried_kg, in_flight_kg, in_transit_kg)),
    }
