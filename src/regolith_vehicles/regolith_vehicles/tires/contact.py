# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of tires with rigid terrain.

Each tire touches at a single point: where the plane of the wheel meets the plane of the ground below it. Where the
ground bends under the tire, as at the edge of a step, this is the point of the ground nearest to the axle. The force
points from there to the axle. The normal force is thus the gradient of a distance, so an edge neither adds nor removes
energy. Limits: in a groove the tire touches one side at a time. The nearest point is searched in a vertical plane. A
truck that rolled over an edge on wheels that lean by 45 degrees gained 0.13 m of height.

The flanges of the rim, a circle on each side of the tire, press as rigid wheels do
(:mod:`regolith_terrain.rigid.contact`). They support a tire that is compressed to the rim, that lies on its
side, or whose side is against the face of a step. Other parts of a vehicle also use this contact. The tread has no
force where the ground is steeper than 60 degrees across the wheel, or above its axle. A step below the axle that the
tire slides into sideways pushes its middle plane back by the load curve, without friction. The ground below the step
supports the tire. Limits: half the width of a tire enters such a step freely. A truck that climbs a curb at 20 degrees
to it gained 0.11 m of height at 5 m/s.
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
from regolith_terrain.rigid import (
    SOIL_FRICTION,
    SOIL_STIFFNESS,
    RigidArrays,
    RigidContact,
    find_foot,
    foot_normal,
    soil_at,
    surface_at,
)
from regolith_terrain.rigid import contact as rigid_contact
from regolith_vehicles.tires.constants import DEEPEST, TIRE_RECORD, Records
from regolith_vehicles.tires.force import MEMORY, Contact, tire_force
from regolith_vehicles.tires.load_curve import vertical_load
from regolith_vehicles.tires.tire import NAMES, Tire, penetration
from regolith_world.cycle import Saved, StateField, StateLayout
from regolith_world.numerics import kernel

_UPRIGHT = 0.5
"""Cosine of the camber below which a wheel no longer rests on its tread."""


class TireArrays(NamedTuple):
    """Arguments of :func:`press`."""

    rigid: RigidArrays
    """Arguments of the rigid contact, for parts without a tire."""
    tires: Records
    """Parameters of the tires, records of TIRE_RECORD, shape (n,)."""
    which: NDArray[np.int64]
    """Row of ``tires`` for each part, -1: none."""
    memory: Floats
    """In/out: memory of each tire, shape (n, MEMORY)."""
    out: Floats
    """Work array for a force and moments, shape (5,)."""
    flanges: Floats
    """Radius of each tire's flanges [m], shape (n,)."""
    foot: Floats
    """Work array of :func:`regolith_terrain.rigid.surface.find_foot`, shape (3,)."""


@kernel(views_only=True)
def press(arrays: TireArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a part on rigid terrain for one substep; see :mod:`regolith_terrain.contact.ground_contact`.

    Source: pacejka2012, section 4.3.1.
    Checked by: test_tire_contact.py::test_wheel_on_a_plane_matches_the_rig,
    test_tire_contact.py::test_wheel_beyond_an_edge_is_supported_by_the_edge,
    test_tire_contact.py::test_wheel_over_an_edge_finds_nearest_point_at_any_heading.
    """
    tire = arrays.which[part]
    if tire < 0:
        status: int = rigid_contact.press(arrays.rigid, step, part, pose, wrench)
        return status
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    wrench.stats[:] = 0.0
    p = arrays.tires[tire]
    contact = _touch(arrays, p, pose)
    if math.isnan(contact.reach):
        return LEFT_WINDOW
    # The lowest point of the tread, or of the circle where the ground is a face beside it.
    ux, uy, uz = contact.up
    px, py, pz = pose.center[0] - p.radius * ux, pose.center[1] - p.radius * uy, pose.center[2] - p.radius * uz
    depth = contact.depth
    if contact.beside:
        height, _, _ = surface_at(arrays.rigid, px, py)
        depth = height - pz
    way, lower, nx, ny, nz = math.inf, 0.0, 0.0, 0.0, 1.0
    if depth > 0.0:
        way, nx, ny, nz, lower = rigid_contact.way_aside(arrays.rigid, pose, px, py, pz, depth)
    if way < depth:
        contact = _on_level(p, pose, lower, contact.friction)
    if contact.depth > 0.0:
        _roll(p, contact, step, pose, arrays.memory[tire], arrays.out, wrench)
    else:
        arrays.memory[tire] = 0.0
    if way < depth:
        _push_back(p, pose, way, (nx, ny, nz), (px, py, pz), wrench)
    radius, aside = arrays.flanges[tire], 0.5 * p.width
    if not is_near(arrays.rigid, pose, radius, aside):
        arrays.rigid.held[part] = 0.0
        return CONTACT_OK
    for side in range(2):
        flange = aside if side else -aside
        if rigid_contact.press_circle(arrays.rigid, step, part, side, pose, radius, flange, wrench) != CONTACT_OK:
            return LEFT_WINDOW
    return CONTACT_OK


class _Touch(NamedTuple):
    """Contact point of a tire with the ground."""

    depth: float
    """Penetration of the tire [m], 0 without contact."""
    reach: float
    """Distance of the ground from the axle in the wheel's plane [m], NaN beyond the window."""
    friction: float
    normal: tuple[float, float, float]
    """Normal of the ground."""
    ahead: tuple[float, float, float]
    """Forward direction along the ground, in the wheel's plane."""
    up: tuple[float, float, float]
    """Direction from the contact to the axle."""
    lean: float
    """Sine of the camber."""
    beside: bool
    """Whether the ground is a face beside the wheel, which the tread does not touch."""


@kernel(views_only=True)
def _touch(arrays: TireArrays, p: Any, pose: PartPose) -> _Touch:
    """Return the contact point of a tire with the ground.

    Args:
        arrays: Arguments of the contact.
        p: Parameters of the tire, a record of TIRE_RECORD.
        pose: Pose and twist of the wheel.
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    cx, cy, cz = pose.center[0], pose.center[1], pose.center[2]
    none = (0.0, 0.0, 1.0)
    px, py = cx, cy
    lean, height, reach, nx, ny, nz, upright = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0
    tx, ty, tz, ex, ey, ez = 1.0, 0.0, 0.0, 0.0, 0.0, 1.0
    level_part = math.sqrt(ax * ax + ay * ay)
    deepest = math.inf
    for k in range(3):  # the plane of the ground below the axle, the plane at the resulting contact, the nearest point
        if k < 2:
            level, slope_x, slope_y = surface_at(arrays.rigid, px, py)
            if math.isnan(level):
                return _Touch(0.0, math.nan, 0.0, none, none, none, 0.0, False)
            if k == 0 and level >= cz:
                return _Touch(0.0, 0.0, 0.0, none, none, none, 0.0, False)
            nz = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
            nx, ny = -slope_x * nz, -slope_y * nz
        else:
            hx, hy = ay / level_part, -ax / level_part
            if not find_foot(arrays.rigid, cx, cy, cz, hx, hy, p.radius, arrays.foot):
                break
            ahead, level = arrays.foot[0], arrays.foot[1]
            px, py = cx + ahead * hx, cy + ahead * hy
            # The plane through the nearest point can be closer to a leaning wheel than the ground is.
            deepest = p.radius - math.sqrt(ahead * ahead + (cz - level) * (cz - level))
            nx, ny, nz = foot_normal(arrays.rigid, cx, cy, cz, hx, hy, arrays.foot)
        lean = ax * nx + ay * ny + az * nz
        upright = math.sqrt(max(0.0, 1.0 - lean * lean))
        if upright < _UPRIGHT:
            if level_part < _UPRIGHT:
                return _Touch(0.0, 0.0, 0.0, none, none, none, 0.0, False)
            up = (-az * ax / level_part, -az * ay / level_part, level_part)
            soil = arrays.rigid.soils[soil_at(arrays.rigid, cx, cy)]
            return _Touch(0.0, 0.0, soil[SOIL_FRICTION], none, none, up, 0.0, not math.isnan(soil[SOIL_STIFFNESS]))
        # Forward direction, and up direction in the wheel's plane.
        tx, ty, tz = (ay * nz - az * ny) / upright, (az * nx - ax * nz) / upright, (ax * ny - ay * nx) / upright
        ex, ey, ez = ty * az - tz * ay, tz * ax - tx * az, tx * ay - ty * ax
        height = (cx - px) * nx + (cy - py) * ny + (cz - level) * nz
        reach = height / upright
        if height <= 0.0:  # the axle is below that plane: a face beside a leaning wheel
            return _Touch(0.0, 0.0, 0.0, none, none, none, 0.0, False)
        if reach <= p.radius:
            px, py = cx - reach * ex, cy - reach * ey
    depth = min(penetration(p, height, math.asin(lean)), deepest)
    if depth <= 0.0:
        return _Touch(0.0, 0.0, 0.0, none, none, none, 0.0, False)
    soil = arrays.rigid.soils[soil_at(arrays.rigid, px, py)]
    if math.isnan(soil[SOIL_STIFFNESS]):  # another terrain model applies there
        depth = 0.0
    return _Touch(depth, reach, soil[SOIL_FRICTION], (nx, ny, nz), (tx, ty, tz), (ex, ey, ez), lean, False)


@kernel(views_only=True)
def _on_level(p: Any, pose: PartPose, level: float, friction: float) -> _Touch:
    """Return the contact point of a tire with level ground at a height [m].

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        pose: Pose and twist of the wheel.
        level: Height of the ground [m].
        friction: Friction coefficient of the ground [-].
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    upright = math.sqrt(max(0.0, 1.0 - az * az))
    ahead, up = (ay / upright, -ax / upright, 0.0), (-az * ax / upright, -az * ay / upright, upright)
    height = pose.center[2] - level
    depth = max(penetration(p, height, math.asin(az)), 0.0) if height > 0.0 else 0.0
    return _Touch(depth, height / upright, friction, (0.0, 0.0, 1.0), ahead, up, az, False)


@kernel(views_only=True)
def _push_back(
    p: Any,
    pose: PartPose,
    way: float,
    normal: tuple[float, float, float],
    point: tuple[float, float, float],
    wrench: Wrench,
) -> None:
    """Add the force and torque of a face beside a tire to the wrench.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        pose: Pose and twist of the wheel.
        way: Penetration into the face [m].
        normal: Normal of the face.
        point: Point of the tire in the face [m].
        wrench: In/out: wrench on the wheel.
    """
    rx, ry, rz = point[0] - pose.center[0], point[1] - pose.center[1], point[2] - pose.center[2]
    vx, vy, vz = pose.velocity[0], pose.velocity[1], pose.velocity[2]
    load = vertical_load(p, way, vx * normal[0] + vy * normal[1] + vz * normal[2])
    fx, fy, fz = load * normal[0], load * normal[1], load * normal[2]
    push_at(wrench, rx, ry, rz, fx, fy, fz)
    wrench.stats[STAT_LOADED_NODES] = 1.0
    wrench.stats[STAT_MAX_SINKAGE] = max(wrench.stats[STAT_MAX_SINKAGE], way)


@kernel(views_only=True)
def _roll(p: Any, contact: _Touch, step: float, pose: PartPose, memory: Floats, out: Floats, wrench: Wrench) -> None:
    """Add the force and moments of a tire in contact with the ground to the wrench.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        contact: Contact point of the tire.
        step: Substep [s].
        pose: Pose and twist of the wheel.
        memory: In/out: memory of the tire, shape (MEMORY,).
        out: Work array, shape (5,).
        wrench: In/out: wrench on the wheel.
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    nx, ny, nz = contact.normal
    tx, ty, tz = contact.ahead
    ex, ey, ez = contact.up
    reach, depth, camber = contact.reach, contact.depth, math.asin(contact.lean)
    wx, wy, wz = pose.angular_velocity[0], pose.angular_velocity[1], pose.angular_velocity[2]
    spin = wx * ax + wy * ay + wz * az
    vx, vy, vz = pose.velocity[0], pose.velocity[1], pose.velocity[2]
    rx, ry, rz = -reach * ex, -reach * ey, -reach * ez
    if not p.reference:  # tilting and turning of the wheel also moves its contact
        ux, uy, uz = wx - spin * ax, wy - spin * ay, wz - spin * az
        vx, vy, vz = vx + uy * rz - uz * ry, vy + uz * rx - ux * rz, vz + ux * ry - uy * rx
    lx, ly, lz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
    upright = math.sqrt(max(0.0, 1.0 - contact.lean * contact.lean))
    leaving = (vx * nx + vy * ny + vz * nz) * (upright if p.reference else 1.0)
    load = vertical_load(p, depth, leaving)
    along, across = vx * tx + vy * ty + vz * tz, vx * lx + vy * ly + vz * lz
    tire_force(p, Contact(load, depth, along, across, spin, camber, contact.friction), step, memory, out)
    force, torque = wrench.force, wrench.torque
    force[0] = out[0] * tx + out[1] * lx + load * nx
    force[1] = out[0] * ty + out[1] * ly + load * ny
    force[2] = out[0] * tz + out[1] * lz + load * nz
    torque[0] = ry * force[2] - rz * force[1] + out[2] * tx + out[3] * lx + out[4] * nx
    torque[1] = rz * force[0] - rx * force[2] + out[2] * ty + out[3] * ly + out[4] * ny
    torque[2] = rx * force[1] - ry * force[0] + out[2] * tz + out[3] * lz + out[4] * nz
    wrench.stats[STAT_LOADED_NODES] = 1.0
    wrench.stats[STAT_MAX_SINKAGE] = depth


@kernel(views_only=True)
def is_near(ground: RigidArrays, pose: PartPose, radius: float, aside: float) -> bool:
    """Return whether a grid node around two circles about an axle is at least as high as their lowest point.

    Args:
        ground: Arguments of the rigid contact.
        pose: Pose and twist of the wheel.
        radius: Radius of the circles [m].
        aside: Distance of their centers from the part's center along the axle, in both directions [m].
    """
    ax, ay, az = pose.rotation[0, 1], pose.rotation[1, 1], pose.rotation[2, 1]
    lowest = pose.center[2] - radius * math.sqrt(max(0.0, 1.0 - az * az)) - aside * abs(az)
    if lowest > ground.top:
        return False
    s, level = ground.spacing, ground.level
    reach_x = radius * math.sqrt(max(0.0, 1.0 - ax * ax)) + aside * abs(ax)
    reach_y = radius * math.sqrt(max(0.0, 1.0 - ay * ay)) + aside * abs(ay)
    first_r = int(math.floor((pose.center[0] - reach_x) / s)) - ground.i0
    last_r = int(math.ceil((pose.center[0] + reach_x) / s)) - ground.i0
    first_c = int(math.floor((pose.center[1] - reach_y) / s)) - ground.j0
    last_c = int(math.ceil((pose.center[1] + reach_y) / s)) - ground.j0
    for r in range(max(first_r, 0), min(last_r + 1, level.shape[0])):
        for c in range(max(first_c, 0), min(last_c + 1, level.shape[1])):
            if level[r, c] >= lowest:
                return True
    return False


class TireContact(GroundContact):
    """Contact of tires and, for other parts, rigid contact; it contains the memory of both."""

    STATE = StateLayout('tires', StateField('_memory', '<f8', shared=True), StateField('_rigid', Saved))
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting, tires: Mapping[int, Tire]) -> None:
        """Make the contact.

        Args:
            setting: Settings of the ground contact.
            tires: Tires by the index of their part.
        """
        super().__init__(setting)
        self._rigid = RigidContact(setting)
        self._which = np.full(self.parts, -1, dtype=np.int64)
        self._records = np.zeros(len(tires), dtype=TIRE_RECORD)
        for row, (part, tire) in enumerate(sorted(tires.items())):
            self._which[part] = row
            self._records[row] = tire.record[0]
        self._memory = np.zeros((len(tires), MEMORY))
        depths = np.array([float(p['depth'][int(p['knots']) - 1]) for p in self._records])
        self._flanges = self._records['radius'] - np.maximum(depths, DEEPEST * self._records['radius'])
        self._foot = np.zeros(3)

    def arrays(self, window: SoilWindow, active: int) -> TireArrays:
        """Return the arguments of :func:`press` for a cycle."""
        idle = self._which[active:]
        self._memory[idle[idle >= 0]] = 0.0
        return TireArrays(
            self._rigid.arrays(window, active),
            self._records,
            self._which,
            self._memory,
            np.zeros(len(NAMES)),
            self._flanges,
            self._foot,
        )

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the step limit min(2 sqrt(m / (n k)), m / (n c)) of tire stiffness, or of rigid contact [s]."""
        limits = [self._rigid.step_limit(mass, area)]
        n = len(self._records)
        for p in self._records:
            count = int(p['knots'])
            steepest = float(np.max(np.diff(p['load'][:count]) / np.diff(p['depth'][:count])))
            for k, c in ((steepest, p['vertical_damping']), (p['bristle_stiffness'], p['bristle_damping'])):
                limit = 2.0 * math.sqrt(mass / (n * k))
                if c > 0.0:
                    limit = min(limit, mass / (n * float(c)))
                limits.append(StepLimit(limit, f'{n} tires of {float(k):.3g} N/m and {float(c):.3g} N s/m'))
        return min(limits)

    def reset(self) -> None:
        """Reset all deflections."""
        self._rigid.reset()
        self._memory[:] = 0.0
