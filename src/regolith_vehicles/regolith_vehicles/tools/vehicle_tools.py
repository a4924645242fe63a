# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The tools of a vehicle from cycle to cycle: what they hold, what is granted to them, what they pour out.

Soil goes through four states, and each is exact in whole quanta of mass per area of a node. The *ground* has it until
terrain's update grants it; once that is committed it is *in transit*; the next cycle begins with it *held*, as part
of a payload; poured out it is *in flight*, until a delta of this vehicle lays it on the ground.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.exchange import SoilGrant, SoilRequest, ToolExchange
from regolith_terrain.excavation.sweep import (
    ADHESION,
    CAPACITY,
    DENSITY,
    DEPTH,
    DRAFT,
    HALF_WIDTH,
    KINDS,
    LIPS,
    MASS,
    RADIUS,
    RAKE,
    SOIL_TOOL,
    TOLD_COLUMNS,
    TOOL_COLUMNS,
    make_tools,
)
from regolith_terrain.grid.mass_balance import QUANTUM_KGPM2
from regolith_terrain.grid.soil_grid import SoilGrid, SoilWindow
from regolith_vehicles.config import VehicleModelError
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics import multibody, substeps
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.running_gear import TelemetryQuantity
from regolith_vehicles.tools.soil_in_flight import SoilInFlight
from regolith_vehicles.tools.tool_shapes import shape_of
from regolith_vehicles.tools.tool_substep import ToolStepArrays
from regolith_world.numerics.portable_math import dot, norm, times

Vector = NDArray[np.float64]

ROCKING_RADPS = 0.1
"""Speed up to which a drum that turns backward keeps its soil: arms and wheels rock it [rad/s]."""
_HEAD = struct.Struct('<q')
_HELD, _TRANSIT, _GRANTED, _POURED, SOIL_COLUMNS = range(5)
"""Columns of a tool's soil, per area of a node [kg/m^2]: held, in transit, granted and poured out since the start."""


_TOLD = ('load', 'kg'), ('depth of cut', 'm'), ('cutting force', 'N')


class VehicleTools:
    """The tools of a vehicle's file, in name order; none for most vehicles."""

    def __init__(
        self,
        config: VehicleModelConfig,
        body: Multibody,
        mjcf_path: str | Path,
        payloads: Payloads,
        grid: SoilGrid,
        gravity: Vector,
        ground: DiggableSoil | None,
    ) -> None:
        """Make the tools of a vehicle.

        Args:
            gravity: In the world [m/s^2], shape (3,).
            ground: What can be dug; None: nothing.

        Raises:
            VehicleModelError: If the file does not describe them.
        """
        self.names = tuple(sorted(config.tools))
        """Names of the tools."""
        self._body, self._payloads, self._grid = body, payloads, grid
        self._gravity, self._ground = gravity, ground
        self._cell = grid.spacing**2
        given = self._given = [config.tools[name] for name in self.names]
        where, file = config.file or mjcf_path, Path(mjcf_path).name
        n, model = len(given), body.model
        shapes = [
            shape_of(name, tool, Path(mjcf_path).parent, where) for name, tool in zip(self.names, given, strict=True)
        ]
        bodies = [
            multibody.index_of(model, 'body', tool.body, file, where, f'tools.{name}.body')
            for name, tool in zip(self.names, given, strict=True)
        ]
        joints = [
            -1
            if tool.joint is None
            else multibody.index_of(model, 'joint', tool.joint, file, where, f'tools.{name}.joint')
            for name, tool in zip(self.names, given, strict=True)
        ]
        for name, tool, joint, index in zip(self.names, given, joints, bodies, strict=True):
            if config.payloads[tool.payload].body != tool.body:
                raise VehicleModelError(
                    where,
                    f'tools.{name}.payload',
                    tool.payload,
                    f'a payload on {tool.body}, the body of the tool',
                    'not on the body of the tool',
                )
            multibody.check_hinge(model, joint, index, file, where, f'tools.{name}.joint', tool.joint)
        self._kind = np.array([KINDS[tool.kind] for tool in given], dtype=np.int64)
        self._numbers = np.zeros((n, TOOL_COLUMNS))
        self._dof = np.array([-1 if k < 0 else model.jnt_dofadr[k] for k in joints], dtype=np.int64)
        self._parts = substeps.ContactParts(
            np.array(bodies, dtype=np.int64),
            np.array([s.offset for s in shapes]).reshape(n, 3),
            np.array([_turned(s.frame, model, k) for s, k in zip(shapes, joints, strict=True)]).reshape(n, 3, 3),
            n,
        )
        points = max((len(tool.fill_curve) for tool in given), default=2)
        self._fill, self._share = np.zeros((n, points)), np.zeros((n, points))
        for k, (tool, shape) in enumerate(zip(given, shapes, strict=True)):
            payload = config.payloads[tool.payload]
            row = self._numbers[k]
            row[HALF_WIDTH], row[RADIUS], row[LIPS] = 0.5 * shape.width, shape.radius, tool.scoops
            row[RAKE], row[SOIL_TOOL] = math.radians(tool.rake_angle_deg), tool.soil_tool_friction
            row[ADHESION], row[CAPACITY] = tool.adhesion_pa, payload.capacity_kg
            row[MASS] = model.body_mass[bodies[k]]
            # Shorter curves end in points further on, at which nothing enters either.
            curve = [*tool.fill_curve, *((1.0 + m, tool.fill_curve[-1][1]) for m in range(1, points))][:points]
            self._fill[k], self._share[k] = np.array(curve).T
        self._payload = [payloads.names.index(tool.payload) for tool in given]
        self._axis = [_nearest_axis(model, b, self._parts.frame[k][:, 1]) for k, b in enumerate(bodies)]
        self._reach = np.hypot(self._numbers[:, HALF_WIDTH], self._numbers[:, RADIUS])
        self.told = np.zeros((n, TOLD_COLUMNS))
        """Of each tool, by the columns of :mod:`regolith_terrain.excavation.sweep`, shape (n, TOLD_COLUMNS)."""
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self.flight = SoilInFlight()
        """Soil that has not landed."""
        self.work = ToolExchange()
        """What the last cycle asked for, and what came down in it."""
        self.quantities = tuple(TelemetryQuantity(*what, self.names) for what in _TOLD) if self.names else ()
        """What they tell of themselves, with values as in :meth:`tell`."""
        self._nothing = np.zeros(0)
        self.always_near = False
        """Whether tools take part in every cycle, near the ground or not: to compile what they need."""
        self.reset()

    def reset(self) -> None:
        """Be empty, with nothing in the air."""
        n = len(self.names)
        self._soil = np.zeros((n, SOIL_COLUMNS))
        self._edge = np.full((n, 2, 3), np.nan)
        self.told[:] = 0.0
        self.flight.load(np.zeros(0))
        self.work = ToolExchange()

    # -- a cycle ------------------------------------------------------------------------------------------------

    def apply_grants(self) -> bool:
        """Take on board what was granted in the cycle before; return whether that changed any payload."""
        arrived = self._soil[:, _TRANSIT].copy()
        if not arrived.any():
            return False
        self._soil[:, _TRANSIT] = 0.0
        self._load(arrived)
        return True

    def places(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return places [m] and velocities [m/s] of all tools in the plane, shape (n, 2), and their reach [m], (n,)."""
        centers, velocities = self._poses(data)
        return centers[:, :2], velocities[:, :2], self._reach

    def begin(
        self, data: Any, window: SoilWindow, duration: float, acceleration: float = substeps.MARGIN_ACCELERATION
    ) -> ToolStepArrays | None:
        """Return the tools at work in a cycle; None if none comes near the ground, or nothing can be dug.

        Args:
            window: Of the soil within reach, see :meth:`places`.
            duration: Of the cycle [s].
            acceleration: Within the cycle, at most [m/s^2].
        """
        if not self.names or self._ground is None:
            return None
        centers, velocities = self._poses(data)
        near = np.array(
            [
                self.always_near or self._is_near(*each, window, duration, acceleration)
                for each in zip(centers, velocities, self._reach, strict=True)
            ]
        )
        self._force[:], self._torque[:] = 0.0, 0.0
        self.told[:, DEPTH] = self.told[:, DRAFT] = 0.0
        self._edge[~near] = np.nan
        if not near.any():
            return None
        ground = self._ground
        region = ground.rows(window.i0, window.j0, window.shape, window.spacing)
        tools = make_tools(
            self._kind,
            self._numbers,
            self._fill,
            self._share,
            self._soil[:, _HELD] * self._cell,
            self._edge,
            ground.cut,
            window.level,
            ground.bedrock(window.base[1:-1, 1:-1]),
            region,
            window.i0,
            window.j0,
            window.spacing,
            norm(self._gravity),
        )
        return ToolStepArrays(tools, self._parts, self._dof, near, self._force, self._torque)

    def finish(self, data: Any, digging: ToolStepArrays | None, duration: float) -> bool:
        """Take in a cycle that was run: note the work, pour, let fall; return whether that changed any payload.

        Args:
            digging: What :meth:`begin` returned.
        """
        if not self.names:
            return False
        asked: tuple[SoilRequest, ...] = ()
        if digging is not None:
            self.told[:] = digging.tools.told
            parts = (self._asked(name, k, digging.tools) for k, name in enumerate(self.names))
            asked = tuple(part for part in parts if part is not None)
        # What was in the air falls for the whole cycle; what is poured now leaves the tool at its end.
        landed = self.flight.fall(duration, self._gravity, self._grid)
        poured = self._pour(data, duration)
        self.work = ToolExchange(asked, landed)
        return poured

    def _asked(self, name: str, k: int, tools: Any) -> SoilRequest | None:
        """Return what a tool asked for in a cycle, None if nothing."""
        height = tools.asked[k]
        r, c = np.nonzero(height)
        if not len(r):
            return None
        density = tools.soils[tools.region[r, c], DENSITY]
        mass = np.floor(height[r, c] * density / QUANTUM_KGPM2) * QUANTUM_KGPM2
        some = mass > 0.0
        i, j = (r + tools.i0).astype(np.int32)[some], (c + tools.j0).astype(np.int32)[some]
        return SoilRequest(name, i, j, mass[some], tools.path[k][r, c][some]) if some.any() else None

    def grant(self, grants: Iterable[SoilGrant], vehicle: str) -> bool:
        """Take what a committed update grants as in transit; return whether that is anything."""
        any_of_it = False
        for grant in grants:
            if grant.agent == vehicle and grant.tool in self.names and grant.granted > 0.0:
                self._soil[self.names.index(grant.tool), [_TRANSIT, _GRANTED]] += grant.granted
                any_of_it = True
        return any_of_it

    def _pour(self, data: Any, duration: float) -> bool:
        """Drop what leaves the tools in a cycle; return whether anything does."""
        if not self._soil[:, _HELD].any():
            return False
        centers, velocities = self._poses(data)
        out = np.zeros(len(self.names))
        for k, tool in enumerate(self._given):
            turn = times(data.xmat[self._parts.body[k]].reshape(3, 3), self._parts.frame[k])
            rate = self._rate(data, k, turn)
            full = rate * self._numbers[k, CAPACITY] * duration / self._cell
            out[k] = min(math.floor(full / QUANTUM_KGPM2) * QUANTUM_KGPM2, self._soil[k, _HELD])
            if not out[k] > 0.0:
                continue
            along = turn[:2, 1] / max(float(np.hypot(*turn[:2, 1])), 1e-9)
            place, half = centers[k].copy(), self._numbers[k, HALF_WIDTH]
            if tool.kind == 'drum':
                place[2] -= self._numbers[k, RADIUS]
                across = 0.5 * self._numbers[k, RADIUS]
            else:
                across = self._pile(k, self._soil[k, _HELD] * self._cell)
                place[:2] += across * np.array([along[1], -along[0]])
            self.flight.drop(float(out[k]), place, velocities[k], along, (half, across))
        if not out.any():
            return False
        self._soil[:, _POURED] += out
        self._load(-out)
        return True

    def _rate(self, data: Any, k: int, turn: Vector) -> float:
        """Return the share of a full load that leaves a tool in a second [1/s]."""
        tool = self._given[k]
        if tool.kind == 'drum':
            spin = -float(data.qvel[self._dof[k]])
            return spin / (2.0 * math.pi * tool.revolutions_to_empty) if spin > ROCKING_RADPS else 0.0
        if tool.kind == 'bucket':
            pours = math.asin(min(1.0, max(-1.0, -float(turn[2, 0])))) > math.radians(tool.dump_angle_deg)
        else:
            # A blade keeps its pile as long as it stands in the ground.
            pours = not self.told[k, DEPTH] > 0.0 and self._is_clear(data, k)
        return 1.0 / tool.dump_time_s if pours else 0.0

    def _is_clear(self, data: Any, k: int) -> bool:
        """Return whether a tool's origin is above the ground under it."""
        x, y, z = self._poses(data)[0][k]
        return bool(z > self._grid.levels(x, y))

    def _pile(self, k: int, mass: float) -> float:
        """Return the half length of the ground that an edge's load comes down on: a heap of square section [m]."""
        density = 1500.0 if self._ground is None else float(self._ground.lying[0, 0])
        return 0.5 * math.sqrt(mass / (density * 2.0 * self._numbers[k, HALF_WIDTH])) + self._grid.spacing

    def _load(self, change: Vector) -> None:
        """Add to what the tools hold [kg/m^2], and to the payloads they fill, as a body of the load's size."""
        self._soil[:, _HELD] += change
        table = self._payloads.table.copy()
        for k, tool in enumerate(self._given):
            row = table[self._payload[k]]
            row[0] = max(0.0, row[0] + change[k] * self._cell)
            width, mass = 2.0 * self._numbers[k, HALF_WIDTH], row[0]
            if tool.kind == 'drum':
                square = self._numbers[k, RADIUS] ** 2
                about, across = 0.5 * mass * square, mass * (3.0 * square + width**2) / 12.0
            else:
                side = (2.0 * self._pile(k, mass)) ** 2
                about, across = mass * 2.0 * side / 12.0, mass * (width**2 + side) / 12.0
            row[1:] = across
            row[1 + self._axis[k]] = about
        self._payloads.take(table)

    def _poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return origins [m] and velocities [m/s] of all tools in the world, shape (n, 3) each."""
        bodies = self._parts.body
        turn = data.xmat[bodies].reshape(-1, 3, 3)
        centers = data.xpos[bodies] + np.einsum('nij,nj->ni', turn, self._parts.offset)
        root = int(self._body.model.body_rootid[self._body.base])
        return centers, multibody.point_velocities(data.cvel, centers, data.subtree_com[root], bodies)

    @staticmethod
    def _is_near(
        center: Vector, velocity: Vector, reach: float, window: SoilWindow, duration: float, acceleration: float
    ) -> bool:
        """Return whether a tool may touch the ground in a cycle."""
        way = float(np.abs(velocity).max()) * duration + 0.5 * acceleration * duration**2
        around = reach + way
        first = np.maximum(np.floor((center[:2] - around) / window.spacing).astype(int) - (window.i0, window.j0), 0)
        last = np.ceil((center[:2] + around) / window.spacing).astype(int) - (window.i0, window.j0) + 1
        under = window.level[first[0] : max(0, last[0]), first[1] : max(0, last[1])]
        return bool(under.size) and bool(center[2] - around < np.max(under))

    # -- what there is ------------------------------------------------------------------------------------------

    def telemetry(self) -> Vector:
        """Return the values of :attr:`quantities`, one after the other."""
        if not self.names:
            return self._nothing
        load = self._soil[:, _HELD] * self._cell
        return np.concatenate((load, self.told[:, DEPTH], self.told[:, DRAFT]))

    def levels(self) -> Mapping[str, float]:
        """Return how full each tool is, 0 to 1, with what is on its way."""
        held = self._soil[:, [_HELD, _TRANSIT]].sum(axis=1) * self._cell
        return {name: float(held[k] / self._numbers[k, CAPACITY]) for k, name in enumerate(self.names)}

    def mass_balance(self) -> dict[str, float]:
        """Return the vehicle's soil by where it is [kg]: carried_kg, in_flight_kg, in_transit_kg; and dug, poured."""
        held, transit, granted, poured = (float(v) * self._cell for v in self._soil.sum(axis=0))
        return {
            'carried_kg': held,
            'in_flight_kg': self.flight.mass * self._cell,
            'in_transit_kg': transit,
            'excavated_kg': granted,
            'dumped_kg': poured,
        }

    def save(self) -> bytes:
        """Return all that evolves, with its length; nothing without tools."""
        if not self.names:
            return b''
        values = np.concatenate(
            (self._soil.reshape(-1), self._edge.reshape(-1), self.told.reshape(-1), self.flight.save())
        )
        return _HEAD.pack(len(values)) + values.astype('<f8').tobytes()

    def load(self, blob: bytes, at: int) -> int:
        """Restore what :meth:`save` returned, from a place on; return where it ends.

        Raises:
            ValueError: If it was cut short.
        """
        if not self.names:
            return at
        start = at + _HEAD.size
        count = int(_HEAD.unpack(blob[at:start].ljust(_HEAD.size, b'\xff'))[0])
        end = start + 8 * count
        sizes = [self._soil.size, self._edge.size, self.told.size]
        if count < sum(sizes) or end > len(blob):
            raise ValueError(f'saved state of tools in {len(blob)} bytes was cut short')
        values = np.frombuffer(blob, '<f8', count, start).astype(np.float64)
        soil, edge, told, flight = np.split(values, np.cumsum(sizes))
        self._soil, self._edge = soil.reshape(self._soil.shape).copy(), edge.reshape(self._edge.shape).copy()
        self.told[:] = told.reshape(self.told.shape)
        self.flight.load(flight)
        return end


def _turned(frame: Vector, model: Any, joint: int) -> Vector:
    """Return the frame of a tool; a drum's y axis is that of its joint, so that it scoops at positive speeds."""
    if joint < 0:
        return frame
    axis = np.asarray(model.jnt_axis[joint])
    ahead = frame[:, 0] - dot(frame[:, 0], axis) * axis
    if not norm(ahead) > 0.1:
        ahead = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.5 else np.array([0.0, 1.0, 0.0])
        ahead = ahead - dot(ahead, axis) * axis
    ahead = ahead / norm(ahead)
    return np.stack((ahead, axis, np.cross(ahead, axis)), axis=1)


def _nearest_axis(model: Any, body: int, direction: Vector) -> int:
    """Return which principal axis of a body's inertia is nearest to a direction in the body's frame."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, model.body_iquat[body])
    return int(np.argmax(np.abs(times(matrix.reshape(3, 3).T, direction))))
