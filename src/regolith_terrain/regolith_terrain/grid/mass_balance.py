# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Mass balance of moved soil: added and removed mass must be equal.

``mass_kgpm2`` of a node is the difference of its column's mass to undisturbed soil. Only transport changes it, never
compaction, which packs the same mass into less height. Soil is moved in whole quanta, multiples of a power of two,
which doubles add and subtract without rounding. So the sum over the grid is exact, in any order of moves.
"""

from __future__ import annotations

import math
from typing import TypedDict

MASS_QUANTUM_KGPM2 = 2.0**-30
"""Smallest moved mass [kg/m^2], about a microgram per square meter. A column is exact up to 2^53 quanta, eight million
kg/m^2."""


class MassBalance(TypedDict):
    """Masses of displaced soil by location [kg]."""

    ground_kg: float
    """Change over the whole terrain without edits, negative where soil was removed [kg]."""
    carried_kg: float
    """Soil in tools and on vehicles [kg]."""
    in_flight_kg: float
    """Soil ejected and not yet landed [kg]."""
    in_transit_kg: float
    """Soil taken from the terrain in one cycle and granted in the next [kg]."""
    error_kg: float
    """Sum of all four: mass created or lost [kg]; zero for a closed balance."""
    edited_kg: float
    """Soil that edits from outside added, negative where they removed more [kg]."""


def soil_mass_balance(
    ground_kgpm2: float,
    cell_m2: float,
    carried_kg: float = 0.0,
    in_flight_kg: float = 0.0,
    in_transit_kg: float = 0.0,
    edited_kg: float = 0.0,
) -> MassBalance:
    """Return the mass balance.

    Terrain contributes only the soil grid. Carried and ejected soil is added in the summary of a run. Bulldozing
    deposits soil in the substep in which it takes it.

    Args:
        ground_kgpm2: Exact sum of ``mass_kgpm2`` over all nodes without edits [kg/m^2].
        cell_m2: Area of a node [m^2].
        carried_kg: Soil in tools and on vehicles [kg].
        in_flight_kg: Soil ejected and not yet landed [kg].
        in_transit_kg: Soil taken in one cycle and granted in the next [kg].
        edited_kg: Soil that edits added [kg].
    """
    ground = ground_kgpm2 * cell_m2
    return {
        'ground_kg': ground,
        'carried_kg': carried_kg,
        'in_flight_kg': in_flight_kg,
        'in_transit_kg': in_transit_kg,
        'error_kg': math.fsum((ground, carried_kg, in_flight_kg, in_transit_kg)),
        'edited_kg': edited_kg,
    }
