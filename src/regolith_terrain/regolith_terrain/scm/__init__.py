# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""SCM, the soil contact model: wrench of deformable terrain on a rigid body, and its rut.

A height-map form of Bekker pressure and Janosi-Hanamoto shear (Krenn & Hirzinger 2009, "SCM: a soil contact model for
multi-body system simulations"; Serban, Taves & Zhou 2023). Every terrain node above the underside of a body carries
pressure and shear. There are two modes:

``MODE_REFERENCE`` does what Project Chrono's SCMTerrain does (with exact geometry), so that results can be compared.

``MODE_REGOLITH`` (default) differs where the reference has known weaknesses:

1. Contact patches consist of loaded nodes only. The reference counts all nodes with the body up to 0.1 m above them.
   The hull encloses the cells of the nodes, not their centers, so b in k_c / b is that of the contact.
2. Pressure acts along the normal of the body's surface, as it must on a frictionless one. Shear acts in its tangent
   plane (Wong & Reece 1967). The reference has both along and across the normal of the terrain. So compaction
   resistance is a drag on the wheel, the rim of a driven wheel slides in one direction along its whole contact, and
   pressure does no net work when a body is moved about elastically.
3. Shear belongs to (wheel, node) and is reset when the wheel leaves the node. The reference never resets it, so a
   second wheel in a rut starts with fully mobilized shear.
4. Shear is a vector: the mobilized fraction m of the shear strength obeys dm = (d - m) |v| dt / K, with the unit vector
   d against sliding. For steady sliding that is Janosi-Hanamoto's 1 - exp(-j / K) exactly. On reversal it unwinds over
   a distance of order K (Dahl 1968), and a body at rest on a slope stays at rest. A term in dm / dt damps it there. The
   reference jumps with the sign of any sliding velocity.
5. Damping opposes the rate at which the body's surface moves down, not the speed of its material, which a wheel that
   spins in place has, too. Damping never makes the soil pull.
6. Stresses act on the body's true surface above a node: spacing^2 / cos(its inclination). On a flank that area is at
   most that of a wall with the depth of the body there, or with the spacing if that is more.
7. Yielding never lowers the yield pressure or the plastic sinkage, for any change of b. So no cycle of loading adds
   energy.
8. There is no range of heights outside which a body has no contact.

Numba's disk cache does not detect changes in files that a kernel calls into. ``install/env.sh`` therefore names the
cache folder after the sources of all kernels, and the name of the vehicles' loop contains their digest.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_terrain.scm import constants as constants
    from regolith_terrain.scm.arrays import Ground as Ground
    from regolith_terrain.scm.arrays import Scratch as Scratch
    from regolith_terrain.scm.arrays import make_scratch as make_scratch
    from regolith_terrain.scm.arrays import scm_ground as scm_ground
    from regolith_terrain.scm.constants import MODE_REFERENCE as MODE_REFERENCE
    from regolith_terrain.scm.constants import MODE_REGOLITH as MODE_REGOLITH
    from regolith_terrain.scm.constants import MODES as MODES
    from regolith_terrain.scm.constants import NOTHING_MOVES as NOTHING_MOVES
    from regolith_terrain.scm.contact import ScmArrays as ScmArrays
    from regolith_terrain.scm.contact import ScmContact as ScmContact
    from regolith_terrain.scm.contact import press as press
    from regolith_terrain.scm.law import SCM as SCM
    from regolith_terrain.scm.ring_profile import NODE_ROWS as NODE_ROWS
    from regolith_terrain.scm.ring_profile import nodes_below as nodes_below
    from regolith_terrain.scm.ring_profile import place_nodes as place_nodes
    from regolith_terrain.scm.ring_profile import ring_load as ring_load
    from regolith_terrain.scm.settings import BulldozingConfig as BulldozingConfig
    from regolith_terrain.scm.settings import ScmSettings as ScmSettings
    from regolith_terrain.scm.settings import SlipSinkageConfig as SlipSinkageConfig
    from regolith_terrain.scm.soil import ScmSoilConfig as ScmSoilConfig
    from regolith_terrain.scm.wrench import body_wrench as body_wrench

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'arrays': (
            'Ground',
            'Scratch',
            'make_scratch',
            'scm_ground',
        ),
        'constants': (
            'MODES',
            'MODE_REFERENCE',
            'MODE_REGOLITH',
            'NOTHING_MOVES',
        ),
        'contact': (
            'ScmArrays',
            'ScmContact',
            'press',
        ),
        'law': ('SCM',),
        'ring_profile': (
            'NODE_ROWS',
            'nodes_below',
            'place_nodes',
            'ring_load',
        ),
        'settings': (
            'BulldozingConfig',
            'ScmSettings',
            'SlipSinkageConfig',
        ),
        'soil': ('ScmSoilConfig',),
        'wrench': ('body_wrench',),
    },
    modules=('constants',),
)
