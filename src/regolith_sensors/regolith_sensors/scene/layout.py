# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of the table of instances."""

from __future__ import annotations

TERRAIN, MESH = 0, 1
FACT_KIND, FACT_REFERENCE, FACT_OBJECT, FACT_SEMANTIC, FACT_MATERIAL, FACT_LIGHT = range(6)
"""TERRAIN or MESH; slot of the tile's nodes or first triangle of the mesh; number of the object; class; material of the
ground; first node of the light it holds, -1: none."""
