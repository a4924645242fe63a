# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Merge rule of SCM: a node loaded by several vehicles in one cycle keeps the deepest compaction."""

from __future__ import annotations

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.law import SCM
from regolith_world.numerics import kernel

PLASTIC = SCM.names.index('sinkage_plastic')
YIELD = SCM.names.index('sigma_yield')


@kernel(views_only=True)
def dominates(values: Floats, a: int, b: int) -> bool:
    """Return whether column ``a`` of node records has more plastic sinkage than ``b``, or as much and more yield
    pressure.
    """
    field = PLASTIC if values[PLASTIC, a] != values[PLASTIC, b] else YIELD
    more: bool = values[field, a] > values[field, b]
    return more
