# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a rigid body with SCM soil: on the grid, or by a closed form where the grid is too coarse.

The sum over grid nodes is accurate where the radius of the contact is at least two spacings (4 % at two, 1 % at three).
A body whose contact at rest is smaller presses with its contact points instead, and leaves no rut. A point has the
load of a sphere, a cylinder or a flat face at its depth (:mod:`regolith_terrain.scm.point_loads`). Unloading has the
stiffness E of the loaded area. The memory of a point, its plastic sinkage and yield force, fades over a radius of the
contact as the body travels. A rolling sphere is held back by the soil that it compacts, f W with f = sqrt(2 / pi)
gamma(n + 2) / gamma(n + 5/2) sqrt(z / R) (1 - sqrt(k / E)). Shear of the patch acts against spinning about the
vertical. A body on the grid needs no such terms: its nodes compact and shear.

A vertical face has no area above nodes, so Rankine's passive earth pressure on the advancing face of a body that has
sunk in by d is added: F = w (K_p rho g d^2 / 2 + 2 c sqrt(K_p) d), K_p = tan^2(45 deg + phi / 2), mobilized over K.

Soil below a body stays in its column: neither bulldozing nor slip-sinkage moves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.contact_points import BodySetting, write_point
from regolith_terrain.bodies.shapes import ContactPoints
from regolith_terrain.contact.arrays import Wrench, push_at
from regolith_terrain.contact.constants import (
    CONTACT_OK,
    LEFT_WINDOW,
    SHAPE_BOX,
    SHAPE_MESH,
    STAT_LOADED_NODES,
    STAT_MAX_SINKAGE,
)
from regolith_terrain.contact.ground_contact import BodyMemory, ContactSetting, PartPose, StepLimit
from regolith_terrain.contact.lowest_point import lowest
from regolith_terrain.contact.mobilization import mobilize
from regolith_terrain.contact.shear_memory import ShearMemory
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.scm.arrays import Ground
from regolith_terrain.scm.constants import (
    COHESION,
    DAMPING,
    DENSITY,
    ELASTIC,
    EXPONENT,
    JANOSI,
    K_C,
    K_PHI,
    MODE_BODY,
    MODE_REGOLITH,
    TAN_PHI,
)
from regolith_terrain.scm.contact import ScmArrays, ScmContact
from regolith_terrain.scm.contact import press as press_part
from regolith_terrain.scm.point_loads import point_load, resting_contact, rolling_resistance
from regolith_terrain.solids.point_force import DAMPEST, STIFFEST, brake_spin, spin_friction
from regolith_terrain.solids.polyhedron import underside
from regolith_world.cycle import Part, Saved, StateField, StateLayout
from regolith_world.numerics import kernel

Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

SMALL_CELLS = 2.0
"""Radius of the contact at rest, in spacings, below which a body is pressed by the closed form."""
PLASTIC, YIELD, SHEAR_X, SHEAR_Y, MEMORY = range(5)
"""Columns of the memory of a contact point: plastic sinkage [m], yield force [N], mobilized shear."""
_STILL = 1e-3
"""Speed below which the resistance of a small rolling sphere is proportional to it [m/s]."""


class BodyScmArrays(NamedTuple):
    """Soil, contact points and memory of :func:`press`."""

    scm: ScmArrays
    members: Indices
    """Body of each layer of the shear, shape (layers,)."""
    points: ContactPoints
    small: Flags
    """Whether the closed form applies to each body, shape (n,)."""
    ploughs: Flags
    """Whether soil resists the advancing face of each body, shape (n,)."""
    mass: Floats
    """Masses [kg], shape (n,)."""
    mobility: Floats
    """Inverse mass and inertia of each body, world axes, shape (n, 6, 6)."""
    footprint: Floats
    """Half of the smaller side of the face on which each body rests [m], shape (n,)."""
    gravity: float
    """Magnitude of gravity [m/s^2]."""
    memory: Floats
    """Input and output: memory of each point, shape (k, MEMORY)."""
    plough: Floats
    """Input and output: mobilized passive pressure on each body, x and y, shape (n, 2)."""
    point: Floats
    """Work array for a point [m], shape (3,)."""


@kernel(views_only=True)
def press(arrays: BodyScmArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a body into the soil for one substep; see :mod:`regolith_terrain.contact.ground_contact`."""
    if arrays.small[part]:
        status: int = _press_points(arrays, step, part, pose, wrench)
    else:
        status = press_part(arrays.scm, step, part, pose, wrench)
    if arrays.ploughs[part] and status == CONTACT_OK:
        _plough(arrays, step, part, pose, wrench)
    return status


@kernel(views_only=True)
def _level(ground: Ground, x: float, y: float) -> float:
    """Return the height of the soil between nodes [m], NaN outside the window."""
    row, col = x / ground.spacing - ground.i0, y / ground.spacing - ground.j0
    level = ground.level
    if not (0.0 <= row < level.shape[0] - 1 and 0.0 <= col < level.shape[1] - 1):
        return math.nan
    r, c = int(row), int(col)
    u, v = row - r, col - c
    near = level[r, c] + v * (level[r, c + 1] - level[r, c])
    far = level[r + 1, c] + v * (level[r + 1, c + 1] - level[r + 1, c])
    height: float = near + u * (far - near)
    return height


@kernel(views_only=True)
def _soil_row(arrays: BodyScmArrays, x: float, y: float) -> int:
    """Return the row of the soil at a position in the window; its values are NaN for another terrain model."""
    ground = arrays.scm.ground
    if arrays.scm.soils.shape[0] == 1:
        return 0
    row, col = int(x / ground.spacing - ground.i0 + 0.5), int(y / ground.spacing - ground.j0 + 0.5)
    held: int = ground.region[row, col]
    return held


@kernel(views_only=True)
def _press_points(arrays: BodyScmArrays, step: float, b: int, pose: PartPose, wrench: Wrench) -> int:
    """Press the contact points of a small body into the soil."""
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    wrench.stats[:] = 0.0
    ground, shapes, points, point, memory = (
        arrays.scm.ground,
        arrays.scm.shapes,
        arrays.points,
        arrays.point,
        arrays.memory,
    )
    footprint, mass = arrays.footprint[b], arrays.mass[b]
    count = points.first[b + 1] - points.first[b]
    travel = step * math.sqrt(pose.velocity[0] * pose.velocity[0] + pose.velocity[1] * pose.velocity[1])
    for k in range(points.first[b], points.first[b + 1]):
        held = memory[k]
        write_point(shapes, points, b, k, pose, 0.0, 0.0, 1.0, point)
        level = _level(ground, point[0], point[1])
        if math.isnan(level):
            return LEFT_WINDOW
        soil = arrays.scm.soils[_soil_row(arrays, point[0], point[1])]
        depth = level - point[2]
        radius = points.radius[k]
        span = math.sqrt(max(2.0 * radius * depth, 0.0)) if radius > 0.0 else footprint
        fade = max(0.0, 1.0 - travel / max(span, 1e-3 * footprint))
        held[PLASTIC] *= fade
        held[YIELD] *= fade
        if depth <= max(held[PLASTIC], 0.0) or math.isnan(soil[ELASTIC]):
            held[SHEAR_X] = held[SHEAR_Y] = 0.0
            continue
        virgin, area = point_load(shapes, points, b, k, pose.rotation, footprint, soil, depth)
        spring = min(soil[ELASTIC] * area, STIFFEST * mass / (count * step * step))
        normal = spring * (depth - held[PLASTIC])
        if normal > held[YIELD]:
            normal = min(normal, max(virgin, held[YIELD]))
            held[YIELD] = normal
            held[PLASTIC] = depth - normal / spring
        px, py, pz = point[0] - pose.center[0], point[1] - pose.center[1], point[2] - pose.center[2]
        wx, wy, wz = pose.angular_velocity[0], pose.angular_velocity[1], pose.angular_velocity[2]
        vx = pose.velocity[0] + wy * pz - wz * py
        vy = pose.velocity[1] + wz * px - wx * pz
        vz = pose.velocity[2] + wx * py - wy * px
        normal = max(0.0, normal - min(soil[DAMPING] * area, DAMPEST * mass / (count * step)) * vz)
        speed = math.sqrt(vx * vx + vy * vy)
        held[SHEAR_X], held[SHEAR_Y], ux, uy = mobilize(held[SHEAR_X], held[SHEAR_Y], vx, vy, speed, step, soil[JANOSI])
        strength = soil[COHESION] * area + normal * soil[TAN_PHI]
        push_at(wrench, px, py, pz, strength * ux, strength * uy, normal)
        if points.ball[k] > 0.0:
            stiffness = soil[K_PHI] + soil[K_C] / max(span, 1e-9)
            deep = min(depth / radius, 1.0)
            resistance = normal * rolling_resistance(stiffness, soil[ELASTIC], soil[EXPONENT], deep)
            slow = max(travel / step, _STILL)
            wrench.force[0] -= resistance * pose.velocity[0] / slow
            wrench.force[1] -= resistance * pose.velocity[1] / slow
            friction = 2.0 / 3.0 * soil[COHESION] * area + spin_friction(soil[EXPONENT]) * normal * soil[TAN_PHI]
            patch = math.sqrt(max(2.0 * radius * depth - depth * depth, 0.0))
            brake_spin(friction * patch, 0.0, 0.0, 1.0, arrays.mobility[b], count, step, pose, wrench)
        wrench.stats[STAT_LOADED_NODES] += 1.0
        wrench.stats[STAT_MAX_SINKAGE] = max(wrench.stats[STAT_MAX_SINKAGE], depth)
    return CONTACT_OK


@kernel(views_only=True)
def passive_force(soil: Floats, gravity: float, width: float, depth: float) -> float:
    """Return Rankine's passive force on a vertical face in soil [N].

    Args:
        soil: Parameters of the soil.
        gravity: Gravity [m/s^2].
        width: Width of the face [m].
        depth: Depth of its lower edge [m].

    Source: rankine1857.
    Checked by: test_bodies_scm.py::test_ploughing_force_is_that_of_passive_earth_pressure.
    """
    sine = soil[TAN_PHI] / math.sqrt(1.0 + soil[TAN_PHI] * soil[TAN_PHI])
    passive = (1.0 + sine) / (1.0 - sine)
    weight = 0.5 * passive * soil[DENSITY] * gravity * depth * depth
    force: float = width * (weight + 2.0 * soil[COHESION] * math.sqrt(passive) * depth)
    return force


@kernel(views_only=True)
def _plough(arrays: BodyScmArrays, step: float, b: int, pose: PartPose, wrench: Wrench) -> None:
    """Add the passive earth pressure on the advancing face of a body."""
    depth, held = wrench.stats[STAT_MAX_SINKAGE], arrays.plough[b]
    x, y = pose.center[0], pose.center[1]
    if depth <= 0.0 or math.isnan(_level(arrays.scm.ground, x, y)):
        held[0] = held[1] = 0.0
        return
    soil = arrays.scm.soils[_soil_row(arrays, x, y)]
    if math.isnan(soil[ELASTIC]):
        return
    shapes, turn = arrays.scm.shapes, pose.rotation
    kind, size = shapes.kind[b], shapes.size[b]
    # Against the motion of its own point: a body that rolls must not be driven by it.
    arm = lowest(kind, size, pose.center, turn) + depth / 3.0 - pose.center[2]
    vx = pose.velocity[0] + pose.angular_velocity[1] * arm
    vy = pose.velocity[1] - pose.angular_velocity[0] * arm
    held[0], held[1], ux, uy = mobilize(held[0], held[1], vx, vy, math.sqrt(vx * vx + vy * vy), step, soil[JANOSI])
    length = math.sqrt(ux * ux + uy * uy)
    if length == 0.0 or kind not in (SHAPE_BOX, SHAPE_MESH):
        return
    width = 0.0
    for k in range(3):
        width += 2.0 * size[k] * abs(turn[0, k] * uy - turn[1, k] * ux) / length
    force = passive_force(soil, arrays.gravity, width, depth)
    push_at(wrench, 0.0, 0.0, arm, force * ux, force * uy, 0.0)


class _Memory(BodyMemory):
    """Memory of one body: its contact points, the passive pressure on it, and its shear on the grid."""

    STATE = StateLayout(
        'SCM of a body',
        StateField('points', '<f8', shared=True),
        StateField('plough', '<f8', shared=True),
        StateField('shear', Saved),
    )

    def __init__(self, points: Floats, plough: Floats) -> None:
        self.points, self.plough, self.shear = points, plough, ShearMemory.empty(1)
        self.dense: Floats | None = None
        """Arrays of a cycle that have this shear; none: unknown."""

    def reset(self) -> None:
        """Reset the contact."""
        self.points[:], self.plough[:] = 0.0, 0.0
        self.shear, self.dense = ShearMemory.empty(1), None

    def setters(self, blob: bytes) -> list[Callable[[], None]]:
        """Return the functions that restore the state from :meth:`save`."""
        return [*super().setters(blob), self._forget]

    def _forget(self) -> None:
        self.dense = None


class BodyScmContact(ScmContact):
    """SCM contact of rigid bodies; its memory is shear on the grid, contact points and passive pressure."""

    STATE = StateLayout('SCM of bodies', StateField('_memories', Part(1)))
    has_beds = True
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting) -> None:
        super().__init__(setting)
        assert isinstance(setting, BodySetting)
        self._body = setting
        if self.mode == MODE_REGOLITH:
            self.mode = MODE_BODY
        self._gravity = float(np.sqrt(np.sum(np.square(setting.gravity))))
        first, bodies = setting.points.first.tolist(), range(self.parts)
        self._points, self._plough, self._point = np.zeros((first[-1], MEMORY)), np.zeros((self.parts, 2)), np.zeros(3)
        self._memories = [_Memory(self._points[first[b] : first[b + 1]], self._plough[b]) for b in bodies]
        soils = setting.soils.only_model()
        radius = [min(resting_contact(setting, b, soil, self._gravity) for soil in soils)[1] for b in bodies]
        self.small = np.array(radius) < SMALL_CELLS * setting.spacing
        """Whether the grid is too coarse for each body, so that the closed form applies, shape (n,)."""

    def arrays(self, window: SoilWindow, active: int) -> BodyScmArrays:  # type: ignore[override]
        """Return the arguments of :func:`press` for a cycle."""
        return self.arrays_of(window, range(active))

    def arrays_of(self, window: SoilWindow, members: Sequence[int]) -> BodyScmArrays:
        """Return the arguments of :func:`press` for a cycle of some bodies."""
        body = self._body
        shear, layer = np.zeros((len(members), *window.shape, 2)), np.zeros(self.parts, np.int64)
        for k, b in enumerate(members):
            layer[b] = k
            if len(self._memories[b].shear):
                self._memories[b].shear.scatter_into(window.i0, window.j0, shear[k : k + 1])
        return BodyScmArrays(
            self._with(window, shear, layer),
            np.array(members, dtype=np.int64),
            body.points,
            self.small,
            body.ploughs,
            body.mass,
            body.mobility,
            body.footprint,
            self._gravity,
            self._points,
            self._plough,
            self._point,
        )

    def remember(self, window: SoilWindow, arrays: BodyScmArrays) -> None:  # type: ignore[override]
        """Store the shear memory from the arrays."""
        dense = arrays.scm.shear
        for k, b in enumerate(arrays.members.tolist()):
            memory = self._memories[b]
            memory.shear = memory.shear.gather(window.i0, window.j0, dense[k : k + 1], window.touched)
            memory.dense = dense

    def still_valid(self, arrays: BodyScmArrays) -> bool:
        """Return whether the arrays have the present shear."""
        return all(self._memories[b].dense is arrays.scm.shear for b in arrays.members.tolist())

    def make_bed(
        self, window: SoilWindow, part: int, center: Floats, rotation: Floats, planes: Floats, weight: float
    ) -> None:
        """Give the soil the shape of the underside of a body that lies in it and whose weight it carries.

        A node below the body has its level at the underside, at depth s of the surface along the normal. Its plastic
        sinkage is s - sigma / E with the pressure sigma = W / A, and its yield pressure that of virgin soil at s. The
        points of a small body get the same memory.

        Source: bekker1969.
        Checked by: test_rock_beds.py::test_rock_in_its_bed_stays_at_rest.
        """
        i, j = (int(round(float(v) / window.spacing)) for v in center[:2])
        soils, row = self.setting.soils.soils, self.region_rows(window)[i - window.i0, j - window.j0]
        soil, footprint = soils[row], float(self._body.footprint[part])
        if math.isnan(float(soil[ELASTIC])):
            return
        stiffness, exponent = float(soil[K_PHI] + soil[K_C] / footprint), float(soil[EXPONENT])
        if self.small[part]:
            points = self._body.points
            rows = range(int(points.first[part]), int(points.first[part + 1]))
            surface = float(window.level[i - window.i0, j - window.j0])
            depth = {k: surface - self._height(center, rotation, k) for k in rows}
            below = [k for k in rows if depth[k] > 0.0]
            for k in below:
                load = weight / len(below)
                spring = float(soil[ELASTIC] * points.area[k])
                self._points[k, PLASTIC] = max(0.0, depth[k] - load / spring)
                self._points[k, YIELD] = max(load, float(points.area[k]) * stiffness * depth[k] ** exponent)
            return
        x = window.spacing * (window.i0 + np.arange(window.shape[0], dtype=float))[:, None] + np.zeros(window.shape)
        y = window.spacing * (window.j0 + np.arange(window.shape[1], dtype=float))[None, :] + np.zeros(window.shape)
        under = underside(planes, x, y)
        hit = under < window.level
        if not hit.any():
            return
        r, c = np.nonzero(hit)
        base, twice = window.base, 2.0 * window.spacing
        along = (base[r + 2, c + 1] - base[r, c + 1]) / twice
        across = (base[r + 1, c + 2] - base[r + 1, c]) / twice
        deep = (window.level_initial[hit] - under[hit]) / np.sqrt(1.0 + along * along + across * across)
        pressure = weight / (float(hit.sum()) * window.spacing**2)
        window.level[hit] = under[hit]
        window.sinkage_plastic[hit] = np.maximum(0.0, deep - pressure / float(soil[ELASTIC]))
        window.sigma_yield[hit] = np.maximum(pressure, stiffness * np.maximum(deep, 0.0) ** exponent)
        window.touched[hit] = True

    def _height(self, center: Floats, rotation: Floats, k: int) -> float:
        """Return the height of a contact point [m]."""
        return float(center[2] + np.sum(rotation[2] * self._body.points.place[k]))

    def memories(self, part: int) -> list[BodyMemory]:
        """Return the memory of a body."""
        return [self._memories[part]]

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the limit of the stiffest soil; none for a small body, whose springs fit the step."""
        return StepLimit(math.inf, 'closed form') if self.small.all() else super().step_limit(mass, area)

    def reset(self) -> None:
        """Reset the memory of all bodies."""
        for memory in self._memories:
            memory.reset()
