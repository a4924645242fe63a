# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of the contact of parts with solids: arguments of the compiled loop, memory and work arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.moving_solids import MovingSolids
from regolith_terrain.solids.solids import NearbySolids

Indices = NDArray[np.int64]

MOST_DISCS = 20
"""Largest number of discs of a round part."""
SLOTS = 24
"""Largest number of contact points of one part."""


class SolidContactArrays(NamedTuple):
    """Solids near a vehicle, its shapes, and the memory of their contacts."""

    near: NearbySolids
    moving: MovingSolids
    shapes: Shapes
    reach: Floats
    """Radius about its origin that encloses each part [m], shape (n,)."""
    stiffness: Floats
    """Total stiffness of the springs at all points of each part [N/m], shape (n,)."""
    inverse: Floats
    """Inverse inertia of the vehicle at each part's origin at the start of the cycle, shape (n, 6, 6): from force and
    torque to linear and angular acceleration, world axes; times the number of parts that share it."""
    touched: Indices
    """Input and output: number of contact points of each part, shape (n,)."""
    key: Indices
    """Input and output: solid and feature of each point, shape (n, SLOTS)."""
    held: Floats
    """Input and output: mobilized friction of each point, world axes, shape (n, SLOTS, 3)."""
    found: Floats
    """Work array for the points of one part, shape (SLOTS, 8)."""
    keys: Indices
    """Work array for their keys, shape (SLOTS,)."""
    owner: Indices
    """Work array for the index of the solid of each point, shape (SLOTS,)."""
    fresh: Floats
    """Work array for their friction, shape (SLOTS, 3)."""
    vertices: Floats
    """Work array for the vertices of one solid, shape (v, 3)."""
    discs: Floats
    """Work array for disc contacts, shape (MOST_DISCS, 6): squared distance, x, z, facet, whether on its side,
    change of the distance along the edge of a corner per length along the axle."""
