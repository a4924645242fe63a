# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil contact model: the wrench a rigid body gets from yielding ground, and the rut it leaves.

A height-map form of Bekker pressure and Janosi-Hanamoto shear (Krenn & Hirzinger 2009, "SCM: a soil contact model for
multi-body system simulations"; Serban, Taves & Zhou 2023). Every node of the ground that lies above the underside of a
body carries pressure and shear. Two modes:

``MODE_REFERENCE`` does what Project Chrono's SCMTerrain does (with exact geometry), so that results can be compared.

``MODE_REGOLITH`` (default) differs where the reference has known weaknesses:

1. Contact patches consist of loaded nodes only (the reference counts all nodes with the body up to 0.1 m above them),
   and the hull runs round their cells, not through their centres; so b in k_c / b is that of the contact.
2. Pressure acts along the normal of the body's surface, as it must on a frictionless one, and shear in its tangent
   plane (Wong & Reece 1967); the reference has both along and across the ground's normal. So compaction resistance is
   a drag on the wheel, the rim of a driven wheel slides one way all along its contact, and pressure does no net work
   when a body is moved about elastically.
3. Shear belongs to (wheel, node) and is forgotten when the wheel leaves the node; the reference never forgets, so a
   second wheel in a rut starts with fully mobilised shear.
4. Shear is a vector: the mobilised fraction m of the shear strength obeys dm = (d - m) |v| dt / K, d being the unit
   vector against sliding. For steady sliding that is Janosi-Hanamoto's 1 - exp(-j / K) exactly; on reversal it unwinds
   over a distance of order K (Dahl 1968), and a body at rest on a slope stays at rest. A term in dm / dt damps it
   there. The reference jumps with the sign of any sliding velocity.
5. Damping opposes the rate at which the body's surface goes down, not the speed of its material (which a wheel that
   spins on the spot has, too), and never makes the soil pull.
6. Stresses act on the body's true surface above a node: spacing^2 / cos(its inclination). On a flank that area is at
   most that of a wall as high as the body is deep there, or as the spacing if that is more.
7. Yielding never lowers the yield pressure or the plastic set, whatever becomes of b, so no cycle of loading yields
   energy.
8. There is no window of heights outside which a body is not felt.

Numba's cache on disk does not notice changes in files a kernel calls into: ``install/env.sh`` names the cache's folder
after the sources of all kernels, and the vehicles' loop carries their digest.
"""

from regolith_terrain.scm.arrays import Ground as Ground
from regolith_terrain.scm.arrays import Scratch as Scratch
from regolith_terrain.scm.arrays import Shapes as Shapes
from regolith_terrain.scm.arrays import Wrench as Wrench
from regolith_terrain.scm.arrays import make_scratch as make_scratch
from regolith_terrain.scm.arrays import make_wrench as make_wrench
from regolith_terrain.scm.arrays import scm_ground as scm_ground
from regolith_terrain.scm.constants import CREEP_SPEED as CREEP_SPEED
from regolith_terrain.scm.constants import LEFT_WINDOW as LEFT_WINDOW
from regolith_terrain.scm.constants import MODE_REFERENCE as MODE_REFERENCE
from regolith_terrain.scm.constants import MODE_REGOLITH as MODE_REGOLITH
from regolith_terrain.scm.constants import MODES as MODES
from regolith_terrain.scm.constants import NOTHING_MOVES as NOTHING_MOVES
from regolith_terrain.scm.constants import OK as OK
from regolith_terrain.scm.constants import SCRATCH_TOO_SMALL as SCRATCH_TOO_SMALL
from regolith_terrain.scm.constants import SHEAR_RELAXATION_S as SHEAR_RELAXATION_S
from regolith_terrain.scm.constants import STAT_COUNT as STAT_COUNT
from regolith_terrain.scm.constants import STAT_DISPLACED as STAT_DISPLACED
from regolith_terrain.scm.constants import STAT_HIT_NODES as STAT_HIT_NODES
from regolith_terrain.scm.constants import STAT_INVERSE_WIDTH as STAT_INVERSE_WIDTH
from regolith_terrain.scm.constants import STAT_LOADED_AREA as STAT_LOADED_AREA
from regolith_terrain.scm.constants import STAT_LOADED_NODES as STAT_LOADED_NODES
from regolith_terrain.scm.constants import STAT_MAX_SINKAGE as STAT_MAX_SINKAGE
from regolith_terrain.scm.constants import STAT_MEAN_PRESSURE as STAT_MEAN_PRESSURE
from regolith_terrain.scm.constants import STAT_PATCHES as STAT_PATCHES
from regolith_terrain.scm.shapes import box as box
from regolith_terrain.scm.shapes import cylinder as cylinder
from regolith_terrain.scm.shapes import grousered_wheel as grousered_wheel
from regolith_terrain.scm.shapes import join_shapes as join_shapes
from regolith_terrain.scm.shapes import mesh as mesh
from regolith_terrain.scm.shapes import reach as reach
from regolith_terrain.scm.wrench import body_wrench as body_wrench
