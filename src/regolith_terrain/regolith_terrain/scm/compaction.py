# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Whose compaction a node keeps where several vehicles loaded it in one cycle."""

from __future__ import annotations

from numba import njit

from regolith_terrain.soil_law import SCM

PLASTIC = SCM.names.index('sinkage_plastic')
YIELD = SCM.names.index('sigma_yield')


@njit(cache=True, nogil=True, error_model='numpy')
def outdoes(values, a, b):  # type: ignore[no-untyped-def]
    """Return whether column a of node records has the deeper plastic set, or as deep a one and the larger pressure."""
    if values[PLASTIC, a] != values[PLASTIC, b]:
        return values[PLASTIC, a] > values[PLASTIC, b]
    return values[YIELD, a] > values[YIELD, b]
