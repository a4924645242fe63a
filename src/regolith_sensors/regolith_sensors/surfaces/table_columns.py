# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables of instances and discs."""

from __future__ import annotations

TERRAIN, MESH, DISCS = 0, 1, 2
FACT_KIND, FACT_REFERENCE, FACT_OBJECT, FACT_SEMANTIC, FACT_MATERIAL, FACT_LIGHT = range(6)
"""Columns of an instance: TERRAIN, MESH or DISCS; slot of the tile's nodes or first triangle of the mesh; number of the
object; class; material of the ground; first node of its indirect light, -1 without."""
DISC_PLACE, DISC_RADIUS, DISC_NORMAL, DISC_BEND, DISC_COLUMNS = 0, 3, 4, 7, 13
"""Columns of a disc: center relative to the scene origin [m], radius [m], unit normal, and gradient of the normals
across it [1/m], see :class:`regolith_terrain.contact.surfels.Surfels`."""
