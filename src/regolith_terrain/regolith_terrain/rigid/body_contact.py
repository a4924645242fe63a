# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a rigid body with rigid terrain: springs, dampers and Coulomb friction at its contact points.

A point presses as on a static solid (:mod:`regolith_terrain.solids.point_force`): both the spring and the damper are as
stiff as the body's effective mass allows in the step, up to the stiffness of the terrain. The damping ratio of an
approach faster than RESTITUTION_SPEED gives the coefficient of restitution of the body. A slower contact is damped
like a wheel, so a body comes to rest. A sphere has one point, a capsule two, a box eight, a cylinder four on each rim,
and a hull has its vertices. Friction of the patch below a sphere, of Hertz's radius sqrt(R d) at depth d, acts against
spinning about the normal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from regolith_terrain.bodies.contact_points import BodySetting, write_point
from regolith_terrain.bodies.shapes import ContactPoints
from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.constants import CONTACT_OK, LEFT_WINDOW, STAT_LOADED_NODES, STAT_MAX_SINKAGE
from regolith_terrain.contact.ground_contact import BodyMemory, ContactSetting, GroundContact, PartPose, StepLimit
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.rigid.surface import (
    SOIL_FRICTION,
    SOIL_STIFFNESS,
    RigidArrays,
    depth_at,
    soil_at,
    surface_at,
)
from regolith_terrain.solids.point_force import (
    DAMPING_RATIO,
    FRICTION,
    NX,
    NY,
    NZ,
    POINT_DEPTH,
    PX,
    PY,
    PZ,
    RESTITUTION_SPEED,
    SPHERE_FRICTION,
    approach_speed,
    brake_spin,
    dampable,
    push_point,
    share_masses,
)
from regolith_world.cycle import StateField, StateLayout
from regolith_world.numerics import kernel


class BodyRigidArrays(NamedTuple):
    """Terrain, contact points and memory of :func:`press`."""

    terrain: RigidArrays
    points: ContactPoints
    mobility: Floats
    """Inverse mass and inertia of each body, world axes, shape (n, 6, 6)."""
    reach: Floats
    """Radius that contains each body [m], shape (n,)."""
    damping_ratio: Floats
    """Damping ratio of a fast impact of each body [-], shape (n,)."""
    held: Floats
    """Input and output: mobilized friction of each point, world axes, shape (k, 3)."""
    found: Floats
    """Work array for the points, shape (k, 8)."""


@kernel(views_only=True)
def press(arrays: BodyRigidArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a body on the surface for one substep; see :mod:`regolith_terrain.contact.ground_contact`."""
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    wrench.stats[:] = 0.0
    terrain, held, found = arrays.terrain, arrays.held, arrays.found
    first, end = arrays.points.first[part], arrays.points.first[part + 1]
    if pose.center[2] - arrays.reach[part] > terrain.top:
        for k in range(first, end):
            held[k, 0] = held[k, 1] = held[k, 2] = 0.0
        return CONTACT_OK
    height, slope_x, slope_y = surface_at(terrain, pose.center[0], pose.center[1])
    if math.isnan(height):
        return LEFT_WINDOW
    nz = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    nx, ny = -slope_x * nz, -slope_y * nz
    count = 0
    point = terrain.point
    for k in range(first, end):
        found[k, POINT_DEPTH] = 0.0
        write_point(terrain.shapes, arrays.points, part, k, pose, nx, ny, nz, point)
        depth, mx, my, mz = math.nan, nx, ny, nz
        if point[2] <= terrain.top:
            depth, mx, my, mz = depth_at(terrain, point[0], point[1], point[2])
            if math.isnan(depth):
                return LEFT_WINDOW
            if arrays.points.radius[k] > 0.0 and (mx != nx or my != ny):
                write_point(terrain.shapes, arrays.points, part, k, pose, mx, my, mz, point)
                depth, mx, my, mz = depth_at(terrain, point[0], point[1], point[2])
        stiff = math.nan
        if depth > 0.0:
            stiff = terrain.soils[soil_at(terrain, point[0], point[1]), SOIL_STIFFNESS]
        if math.isnan(stiff):  # above the surface, or another terrain model there
            held[k, 0] = held[k, 1] = held[k, 2] = 0.0
            continue
        count += 1
        found[k, PX], found[k, PY], found[k, PZ] = point[0], point[1], point[2]
        found[k, NX], found[k, NY], found[k, NZ], found[k, POINT_DEPTH] = mx, my, mz, depth
        found[k, FRICTION] = terrain.soils[soil_at(terrain, point[0], point[1]), SOIL_FRICTION]
        wrench.stats[STAT_MAX_SINKAGE] = max(wrench.stats[STAT_MAX_SINKAGE], depth)
    wrench.stats[STAT_LOADED_NODES] = count
    inverse = arrays.mobility[part]
    share, damped = share_masses(found, first, end, 1, inverse, pose) if count > 0 else (0.0, 0.0)
    for k in range(first, end):
        if found[k, POINT_DEPTH] > 0.0:
            stiffness = terrain.soils[soil_at(terrain, found[k, PX], found[k, PY]), SOIL_STIFFNESS]
            ratio = arrays.damping_ratio[part] if approach_speed(found[k], pose) > RESTITUTION_SPEED else DAMPING_RATIO
            radius, stiffest = arrays.points.radius[k], min(stiffness, dampable(share, damped, ratio, step))
            normal = push_point(found[k], held[k], share, damped, stiffest, ratio, step, pose, wrench)
            if radius > 0.0:
                patch = math.sqrt(radius * found[k, POINT_DEPTH])
                limit = SPHERE_FRICTION * found[k, FRICTION] * normal * patch
                nx, ny, nz = found[k, NX], found[k, NY], found[k, NZ]
                brake_spin(limit, nx, ny, nz, inverse, count, step, pose, wrench)
    return CONTACT_OK


class _Memory(BodyMemory):
    """Memory of one body: the mobilized friction of its contact points."""

    STATE = StateLayout('friction of a body', StateField('held', '<f8', shared=True))

    def __init__(self, held: Floats) -> None:
        self.held = held

    def reset(self) -> None:
        """Reset the contact."""
        self.held[:] = 0.0


class BodyRigidContact(GroundContact):
    """Contact of rigid bodies with rigid terrain; its memory is the mobilized friction of each point."""

    STATE = StateLayout('friction of bodies', StateField('_held', '<f8', shared=True))
    press = staticmethod(press)
    margin_cells = 1.0
    """Margin of nodes: the nearest point of the surface may be in the next cell."""

    def __init__(self, setting: ContactSetting) -> None:
        super().__init__(setting)
        assert isinstance(setting, BodySetting)
        self._setting = setting
        count = len(setting.points.place)
        self._held, self._found = np.zeros((count, 3)), np.zeros((count, 8))
        self._scratch = np.zeros((1, count, 2)), np.zeros(3), np.zeros(3)

    def arrays(self, window: SoilWindow, active: int) -> BodyRigidArrays:
        """Return the arguments of :func:`press` for a cycle."""
        setting = self._setting
        terrain = RigidArrays(
            window.level,
            self.region_rows(window),
            window.i0,
            window.j0,
            window.spacing,
            setting.soils.soils,
            setting.shapes,
            bool(np.isnan(setting.soils.soils).any()),
            float(np.nanmax(window.level)),
            *self._scratch,
        )
        return BodyRigidArrays(
            terrain,
            setting.points,
            setting.mobility,
            setting.reach,
            setting.damping_ratio,
            self._held,
            self._found,
        )

    def still_valid(self, arrays: BodyRigidArrays) -> bool:
        """Return whether the highest node is still the same; the arrays are the memory."""
        return float(np.nanmax(arrays.terrain.level)) == arrays.terrain.top

    def memories(self, part: int) -> list[BodyMemory]:
        """Return the memory of a body."""
        first = self._setting.points.first
        return [_Memory(self._held[first[part] : first[part + 1]])]

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return no limit: the springs are as stiff as the step allows."""
        return StepLimit(math.inf, 'springs as stiff as the step allows')

    def reset(self) -> None:
        """Reset all friction."""
        self._held[:] = 0.0
