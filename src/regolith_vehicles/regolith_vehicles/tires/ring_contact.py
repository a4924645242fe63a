# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of flexible tires with rigid terrain.

Each point of a ring (:mod:`regolith_vehicles.tires.ring_touch`) touches the plane of the ground below it, so a ring
envelops edges and stones that are longer than the distance of its points. The flanges of the rim press as those of
other tires do (:mod:`regolith_vehicles.tires.contact`). Parts without a ring use that contact.

Limits: all forces act in the middle plane of the wheel, so a leaning tire has no overturning moment from its width.
Side faces steeper than 60 degrees do not touch the tread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import (
    CONTACT_OK,
    LEFT_WINDOW,
    STAT_LOADED_NODES,
    STAT_MAX_SINKAGE,
    ContactSetting,
    GroundContact,
    PartPose,
    StepLimit,
    Wrench,
    push_at,
)
from regolith_terrain.grid import Floats, SoilWindow
from regolith_terrain.rigid import SOIL_FRICTION, SOIL_STIFFNESS, RigidArrays, soil_at, surface_at
from regolith_terrain.rigid import contact as rigid_contact
from regolith_vehicles.tires import contact as tire_contact
from regolith_vehicles.tires.config import RingConfig
from regolith_vehicles.tires.constants import Records
from regolith_vehicles.tires.contact import TireArrays, TireContact, is_near
from regolith_vehicles.tires.ring import RING_RECORD, arc_length
from regolith_vehicles.tires.ring_touch import (
    ALONG_N,
    ALONG_T,
    DIRECTIONS,
    FRICTION,
    GAP,
    INWARD,
    MOVED,
    MOVED_ASIDE,
    NO_GROUND,
    NORMAL,
    OUTWARD_T,
    SIDE,
    STATE_ROWS,
    TANGENT,
    U,
    W,
    touch,
    touch_work,
)
from regolith_vehicles.tires.tire import Tire
from regolith_world.cycle import Saved, StateField, StateLayout
from regolith_world.numerics import kernel, portable_math

_FACING = 0.2
"""Cosine of the angle between ground and rim below which a point does not touch."""
_ASIDE = 0.87
"""Component of a face's unit normal along the axle from which the face is beside the tire: 60 degrees."""


class RingArrays(NamedTuple):
    """Arguments of :func:`press`."""

    others: TireArrays
    """Arguments of the contact of all other parts."""
    rings: Records
    """Parameters of the rings, records of RING_RECORD, shape (n,)."""
    which: NDArray[np.int64]
    """Row of ``rings`` for each part, -1: none."""
    circle: Floats
    """Cosine and sine of the angle of each point, shape (n, 2, points)."""
    state: Floats
    """In/out: state of each ring, shape (n, STATE_ROWS, points)."""
    work: Floats
    """Work array of :func:`regolith_vehicles.tires.ring_touch.touch`."""


@kernel(views_only=True)
def press(arrays: RingArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a part on rigid terrain for one substep; see :mod:`regolith_terrain.contact.ground_contact`.

    Source: gipser2005.
    Checked by: test_ring.py::test_rolling_ring_loses_its_dampers_work,
    test_ring.py::test_effective_radius_of_a_rolling_ring.
    """
    ring = arrays.which[part]
    if ring < 0:
        status: int = tire_contact.press(arrays.others, step, part, pose, wrench)
        return status
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    wrench.stats[:] = 0.0
    p, state, g, ground = arrays.rings[ring], arrays.state[ring], arrays.work, arrays.others.rigid
    for k in range(p.points):
        if not _ground_below(p, ground, step, pose, arrays.circle[ring], state, g, k):
            return LEFT_WINDOW
    touching = touch(p, step, g, state)
    if touching > 0:
        _add_forces(p, pose, g, wrench)
        wrench.stats[STAT_LOADED_NODES] = touching
        for k in range(p.points):
            wrench.stats[STAT_MAX_SINKAGE] = max(wrench.stats[STAT_MAX_SINKAGE], state[W, k])
    radius, aside = p.radius - p.rim_depth, 0.5 * p.width
    if not is_near(ground, pose, radius, aside):
        ground.held[part] = 0.0
        return CONTACT_OK
    for side in range(2):
        flange = aside if side else -aside
        if rigid_contact.press_circle(ground, step, part, side, pose, radius, flange, wrench) != CONTACT_OK:
            return LEFT_WINDOW
    return CONTACT_OK


@kernel(views_only=True)
def _ground_below(
    p: Any, ground: RigidArrays, step: float, pose: PartPose, circle: Floats, state: Floats, g: Floats, k: int
) -> bool:
    """Write the ground below a point to the work array; return whether it is in the window."""
    m = pose.rotation
    c, s = circle[0, k], circle[1, k]
    g[GAP, k] = NO_GROUND
    ez = c * m[2, 0] + s * m[2, 2]
    if pose.center[2] + p.radius * ez > ground.top:
        return True
    ex, ey = c * m[0, 0] + s * m[0, 2], c * m[1, 0] + s * m[1, 2]
    ax, ay, az = m[0, 1], m[1, 1], m[2, 1]
    along_x, along_y, along_z = ey * az - ez * ay, ez * ax - ex * az, ex * ay - ey * ax
    radius, u = p.radius - state[W, k], state[U, k]
    rx, ry, rz = radius * ex + u * along_x, radius * ey + u * along_y, radius * ez + u * along_z
    x, y = pose.center[0] + rx, pose.center[1] + ry
    level, slope_x, slope_y = surface_at(ground, x, y)
    if math.isnan(level):
        return False
    soil = ground.soils[soil_at(ground, x, y)]
    nz = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    nx, ny = -slope_x * nz, -slope_y * nz
    lean, inward = ax * nx + ay * ny + az * nz, -(ex * nx + ey * ny + ez * nz)
    if inward < _FACING or abs(lean) > _ASIDE or math.isnan(soil[SOIL_STIFFNESS]):
        return True
    upright = 1.0 / math.sqrt(1.0 - lean * lean)
    tx, ty, tz = (ay * nz - az * ny) * upright, (az * nx - ax * nz) * upright, (ax * ny - ay * nx) * upright
    v, w = pose.velocity, pose.angular_velocity
    vx, vy, vz = v[0] + w[1] * rz - w[2] * ry, v[1] + w[2] * rx - w[0] * rz, v[2] + w[0] * ry - w[1] * rx
    along = along_x * nx + along_y * ny + along_z * nz
    g[GAP, k] = (level - pose.center[2] - rz) * nz + state[W, k] * inward + u * along
    g[INWARD, k], g[ALONG_N, k] = inward, along
    g[OUTWARD_T, k], g[ALONG_T, k] = ex * tx + ey * ty + ez * tz, along_x * tx + along_y * ty + along_z * tz
    g[FRICTION, k] = soil[SOIL_FRICTION]
    g[MOVED, k], g[MOVED_ASIDE, k] = step * (vx * tx + vy * ty + vz * tz), step * (vx * ax + vy * ay + vz * az)
    row = DIRECTIONS
    g[row, k], g[row + 1, k], g[row + 2, k] = nx, ny, nz
    g[row + 3, k], g[row + 4, k], g[row + 5, k] = tx, ty, tz
    g[row + 6, k], g[row + 7, k], g[row + 8, k] = rx, ry, rz
    return True


@kernel(views_only=True)
def _add_forces(p: Any, pose: PartPose, g: Floats, wrench: Wrench) -> None:
    """Add the forces of all points to a wrench."""
    arc, row = arc_length(p), DIRECTIONS
    for k in range(p.points):
        normal = g[NORMAL, k] * arc
        if normal == 0.0:
            continue
        tangent, side = g[TANGENT, k] * arc, g[SIDE, k] * arc
        fx = normal * g[row, k] + tangent * g[row + 3, k] + side * pose.rotation[0, 1]
        fy = normal * g[row + 1, k] + tangent * g[row + 4, k] + side * pose.rotation[1, 1]
        fz = normal * g[row + 2, k] + tangent * g[row + 5, k] + side * pose.rotation[2, 1]
        push_at(wrench, g[row + 6, k], g[row + 7, k], g[row + 8, k], fx, fy, fz)


class RingSet:
    """Rings of a vehicle: parameters and rows of their parts."""

    def __init__(self, parts: int, tires: Mapping[int, Tire]) -> None:
        """Collect the rings.

        Args:
            parts: Number of parts that may touch.
            tires: Tires by the index of their part; other types are ignored.
        """
        self.configs = {part: t.config for part, t in sorted(tires.items()) if isinstance(t.config, RingConfig)}
        self.tires = [tires[part] for part in self.configs]
        self.which = np.full(parts, -1, dtype=np.int64)
        self.which[list(self.configs)] = np.arange(len(self.configs))
        self.records = np.zeros(len(self.configs), dtype=RING_RECORD)
        for row, config in enumerate(self.configs.values()):
            self.records[row] = config.ring()
        self.points = max((config.points for config in self.configs.values()), default=0)
        self.circle = np.zeros((len(self.configs), 2, self.points))
        for circle, config in zip(self.circle, self.configs.values(), strict=True):
            angle = 2.0 * math.pi * np.arange(config.points) / config.points
            circle[0, : config.points] = portable_math.each(math.cos, angle)
            circle[1, : config.points] = portable_math.each(math.sin, angle)

    def make_state(self) -> Floats:
        """Return the state of rings without deflection, shape (n, STATE_ROWS, points)."""
        return np.zeros((len(self.configs), STATE_ROWS, self.points))

    def clear_idle(self, state: Floats, active: int) -> None:
        """Reset the state of the rings of parts that cannot touch in a cycle, all except the first ``active``."""
        idle = self.which[active:]
        state[idle[idle >= 0]] = 0.0

    def step_limit(self, mass: float) -> StepLimit:
        """Return min(2 sqrt(m / (n k)), m / (n c)) of all rings, compressed up to their rims [s].

        k is the slope of the load curve, or the shear stiffness of the tread in the whole contact.

        Args:
            mass: Supported mass [kg].
        """
        n, limits = len(self.configs), []
        for config, tire in zip(self.configs.values(), self.tires, strict=True):
            curve = tire.record[0]
            steepest = float(np.max(np.diff(curve['load']) / np.diff(curve['depth'])))
            length = 2.0 * config.radius_m * math.acos(1.0 - config.rim_depth_m / config.radius_m)
            shear = max(config.tread.longitudinal_npm2, config.tread.lateral_npm2) * length
            for k, c in ((steepest, 0.0), (shear, shear * config.tread.damping_s)):
                limit = 2.0 * math.sqrt(mass / (n * k))
                if c > 0.0:
                    limit = min(limit, mass / (n * c))
                limits.append(StepLimit(limit, f'{n} rings of {k:.3g} N/m and {c:.3g} N s/m'))
        return min(limits)


class RingContact(GroundContact):
    """Contact of rings and, for other parts, of other tires and rigid parts; it contains the memory of all."""

    STATE = StateLayout('rings', StateField('_state', '<f8', shared=True), StateField('_others', Saved))
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting, tires: Mapping[int, Tire]) -> None:
        """Make the contact.

        Args:
            setting: Settings of the ground contact.
            tires: Tires by the index of their part, at least one of type ring.
        """
        super().__init__(setting)
        self._rings = RingSet(self.parts, tires)
        others = {part: tire for part, tire in tires.items() if part not in self._rings.configs}
        self._others = TireContact(setting, others)
        self._state = self._rings.make_state()
        self._work = touch_work(self._rings.points)

    def arrays(self, window: SoilWindow, active: int) -> RingArrays:
        """Return the arguments of :func:`press` for a cycle."""
        self._rings.clear_idle(self._state, active)
        return RingArrays(
            self._others.arrays(window, active),
            self._rings.records,
            self._rings.which,
            self._rings.circle,
            self._state,
            self._work,
        )

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the smaller limit of the rings and the other contacts [s]."""
        return min(self._rings.step_limit(mass), self._others.step_limit(mass, area))

    def reset(self) -> None:
        """Reset all deflections."""
        self._others.reset()
        self._state[:] = 0.0
