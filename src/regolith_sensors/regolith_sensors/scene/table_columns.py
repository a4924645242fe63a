# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables of instances and discs."""

from __future__ import annotations

TERRAIN, MESH, DISCS = 0, 1, 2
FACT_KIND, FACT_REFERENCE, FACT_OBJECT, FACT_SEMANTIC, FACT_MATERIAL, FACT_LIGHT = range(6)
"""TERRAIN, MESH or DISCS; slot of the tile's nodes or first triangle of the mesh; number of the object; class; material
of the ground; first node of the light it holds, -1: none."""
DISC_PLACE, DISC_RADIUS, DISC_NORMAL, DISC_BEND, DISC_COLUMNS = 0, 3, 4, 7, 13
"""Centre from the scene's origin [m], radius [m], unit normal, and how the normals change across it [1/m], see
:class:`regolith_terrain.crm.surfels.Surfels`."""
