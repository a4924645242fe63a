# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""DEM: discrete elements for testbeds, as spheres or clumps of spheres.

A **grain** is a rigid body of one or more **balls**. Balls contact one another and the **parts** of rigid bodies
(planes, boxes, cylinders, tubes). A step has one pass over balls, which computes the force of each contact, and one
over grains, which sums the forces of each in a fixed order and moves it. So results are bit-identical for any number of
threads.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.dem.beds import GrainBin as GrainBin
    from regolith_terrain.dem.beds import Grains as Grains
    from regolith_terrain.dem.beds import fill_bin as fill_bin

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'beds': (
            'GrainBin',
            'Grains',
            'fill_bin',
        ),
    },
)
