# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The books of soil that was moved: what left one place must have come to another.

``mass_kgpm2`` of a node says by how much the mass of its column differs from virgin ground. Only transport changes it,
never compaction, which packs the same mass into less height. Whoever moves soil does so in whole quanta: multiples of a
power of two, which doubles add and subtract without rounding. So whatever is moved to and fro, in whatever order, the
sum over the ground is exact.
"""

from __future__ import annotations

import math
from typing import TypedDict

QUANTUM_KGPM2 = 2.0**-30
"""Least mass that is moved [kg/m^2], about a microgram on a square metre. A column is exact up to 2^53 quanta, which is
eight million kg/m^2."""


class Ledger(TypedDict):
    """Where the soil is that is not where it was [kg]."""

    ground_kg: float
    """Sum over the ground: negative where less lies than lay there."""
    carried_kg: float
    """In tools and on vehicles."""
    in_flight_kg: float
    """Thrown and not yet landed."""
    in_transit_kg: float
    """Taken from the ground in one cycle and granted in the next."""
    error_kg: float
    """Sum of all four: made of nothing, or lost."""


def ledger(
    ground_kgpm2: float, cell_m2: float, carried_kg: float = 0.0, in_flight_kg: float = 0.0, in_transit_kg: float = 0.0
) -> Ledger:
    """Return the books.

    Nothing carries soil today, and bulldozing sets down in the same substep what it takes up, so that only the ground
    has an entry; the others are for tools and thrown soil.

    :param ground_kgpm2: exact sum of ``mass_kgpm2`` over all nodes
    :param cell_m2: area of a node
    """
    ground = ground_kgpm2 * cell_m2
    return {
        'ground_kg': ground,
        'carried_kg': carried_kg,
        'in_flight_kg': in_flight_kg,
        'in_transit_kg': in_transit_kg,
        'error_kg': math.fsum((ground, carried_kg, in_flight_kg, in_transit_kg)),
    }
