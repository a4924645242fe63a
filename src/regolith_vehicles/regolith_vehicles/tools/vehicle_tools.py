# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Excavation tools of a vehicle from cycle to cycle: held soil, granted soil, dumped soil.

Soil has four states, each exact in whole quanta of mass per area of a grid node. The *ground* has it until terrain's
update grants it. Once this is committed, it is *in transit*. The next cycle starts with it *held*, as part of a
payload. Dumped soil is *in flight*, until a delta of this vehicle adds it to the ground.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain.excavation import DiggableSoil, SoilGrant, SoilRequest, ToolExchange, make_tools, sweep
from regolith_terrain.grid import MASS_QUANTUM_KGPM2, SoilGrid, SoilWindow
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics import model_checks, multibody, substeps
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.running_gear import TelemetryQuantity
from regolith_vehicles.tools.soil_in_flight import PARCEL_COLUMNS, SoilInFlight
from regolith_vehicles.tools.tool_shapes import shape_of
from regolith_vehicles.tools.tool_substep import ToolStepArrays
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]

ROCKING_RADPS = 0.1
"""Rate up to which a drum in reverse rotation keeps its soil, since arms and wheels rock it [rad/s]."""
_HELD, _TRANSIT, _GRANTED, _POURED, SOIL_COLUMNS = range(5)
"""Columns of a tool's soil, per area of a grid node [kg/m^2]: held, in transit, granted and dumped since the start."""


_TOLD = ('load', 'kg'), ('depth of cut', 'm'), ('cutting force', 'N')


class VehicleTools(Saved):
    """Tools of a vehicle's file in order of their names; none for most vehicles."""

    STATE = StateLayout(
        'tools',
        *state_fields('<f8', '_soil', '_edge'),
        StateField('told', '<f8', shared=True),
        StateField('flight.parcels', '<f8', ('parcels', PARCEL_COLUMNS)),
    )

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
            config: Vehicle model.
            body: Multibody model.
            mjcf_path: Path of the MJCF file.
            payloads: Payloads of the vehicle.
            grid: Soil grid.
            gravity: Gravitational acceleration in the world frame [m/s^2], shape (3,).
            ground: Soil that can be dug; None: none.

        Raises:
            VehicleModelError: If the file does not define valid tools.
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
            model_checks.index_of(model, 'body', tool.body, file, where, f'tools.{name}.body')
            for name, tool in zip(self.names, given, strict=True)
        ]
        joints = [
            -1
            if tool.joint is None
            else model_checks.index_of(model, 'joint', tool.joint, file, where, f'tools.{name}.joint')
            for name, tool in zip(self.names, given, strict=True)
        ]
        for name, tool, joint, index in zip(self.names, given, joints, bodies, strict=True):
            if config.payloads[tool.payload].body != tool.body:
                raise VehicleModelError(
                    where,
                    f'tools.{name}.payload',
                    tool.payload,
                    f'a payload on {tool.body}, the body of the tool',
                    'is not on the body of the tool',
                )
            model_checks.check_hinge(model, joint, index, file, where, f'tools.{name}.joint', tool.joint)
        self._kind = np.array([sweep.KINDS[tool.kind] for tool in given], dtype=np.int64)
        self._numbers = np.zeros((n, sweep.TOOL_COLUMNS))
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
            row[sweep.HALF_WIDTH], row[sweep.RADIUS], row[sweep.LIPS] = 0.5 * shape.width, shape.radius, tool.scoops
            row[sweep.RAKE], row[sweep.SOIL_TOOL] = math.radians(tool.rake_angle_deg), tool.soil_tool_friction
            row[sweep.ADHESION], row[sweep.CAPACITY] = tool.adhesion_pa, payload.capacity_kg
            row[sweep.MASS] = model.body_mass[bodies[k]]
            # Shorter curves end in additional points at which nothing enters either.
            curve = [*tool.fill_curve, *((1.0 + m, tool.fill_curve[-1][1]) for m in range(1, points))][:points]
            self._fill[k], self._share[k] = np.array(curve).T
        self._payload = [payloads.names.index(tool.payload) for tool in given]
        self._axis = [_nearest_axis(model, b, self._parts.frame[k][:, 1]) for k, b in enumerate(bodies)]
        self._reach = np.hypot(self._numbers[:, sweep.HALF_WIDTH], self._numbers[:, sweep.RADIUS])
        self.told = np.zeros((n, sweep.TELEMETRY_COLUMNS))
        """Results of each tool by the columns of :mod:`regolith_terrain.excavation.sweep`, shape (n, TOLD_COLUMNS)."""
        self._force, self._torque = np.zeros((n, 3)), np.zeros((n, 3))
        self.flight = SoilInFlight()
        """Soil in flight."""
        self.work = ToolExchange()
        """Requested and landed soil of the last cycle."""
        self.quantities = tuple(TelemetryQuantity(*what, self.names) for what in _TOLD) if self.names else ()
        """Telemetry of the tools, with values as in :meth:`telemetry`."""
        self._nothing = np.zeros(0)
        self.moving_soil: Callable[[], Vector] = lambda: np.zeros((n, 2))
        """Function that returns the mass of moving soil in each tool [kg] and the force of it [N], shape (n, 2)."""
        self.always_near = False
        """Whether tools are active in every cycle, near the ground or not: for compilation."""
        self.reset()

    @property
    def bodies(self) -> NDArray[np.int64]:
        """Indices of the bodies of the tools, shape (n,)."""
        return self._parts.body

    def reset(self) -> None:
        """Reset to empty tools, without soil in flight."""
        n = len(self.names)
        self._soil = np.zeros((n, SOIL_COLUMNS))
        self._edge = np.full((n, 2, 3), np.nan)
        self.told[:] = 0.0
        self.flight.parcels = np.zeros((0, PARCEL_COLUMNS))
        self.work = ToolExchange()

    # -- cycle ----------------------------------------------------------------------------------------------------

    def apply_grants(self) -> bool:
        """Load the soil granted in the previous cycle; return whether this changed a payload."""
        arrived = self._soil[:, _TRANSIT].copy()
        if not arrived.any():
            return False
        self._soil[:, _TRANSIT] = 0.0
        self._load(arrived)
        return True

    def places(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return positions [m] and velocities [m/s] of all tools in the plane, (n, 2), and their reach [m], (n,)."""
        centers, velocities = self._poses(data)
        return centers[:, :2], velocities[:, :2], self._reach

    def begin(
        self, data: Any, window: SoilWindow, duration: float, acceleration: float = substeps.MARGIN_ACCELERATION
    ) -> ToolStepArrays | None:
        """Return the arguments of active tools in a cycle; None if no tool is near the ground, or no soil can be dug.

        Args:
            data: MuJoCo state (mujoco.MjData).
            window: Soil window within reach; see :meth:`places`.
            duration: Duration of the cycle [s].
            acceleration: Maximum acceleration within the cycle [m/s^2].
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
        self.told[:, sweep.DEPTH] = self.told[:, sweep.DRAFT] = 0.0
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
            portable_math.norm(self._gravity),
        )
        return ToolStepArrays(tools, self._parts, self._dof, near, self._force, self._torque)

    def finish(
        self, data: Any, digging: ToolStepArrays | None, duration: float, released: Vector | None = None
    ) -> bool:
        """Update the tools after a cycle: store the work, dump, advance soil in flight.

        Returns whether a payload changed.

        Args:
            data: MuJoCo state (mujoco.MjData).
            digging: Result of :meth:`begin`.
            duration: Duration of the cycle [s].
            released: Moving soil that left its region, see
                :meth:`regolith_terrain.contact.ground_contact.GroundContact.released_soil`; None: none.
        """
        if not self.names:
            return False
        asked: tuple[SoilRequest, ...] = ()
        if digging is not None:
            self.told[:] = digging.tools.telemetry
            parts = (self._asked(name, k, digging.tools) for k, name in enumerate(self.names))
            asked = tuple(part for part in parts if part is not None)
        # Soil already in flight moves for the whole cycle; soil dumped now leaves the tool at the end of the cycle.
        landed = self.flight.fall(duration, self._gravity, self._grid)
        poured = self._pour(data, duration)
        half = 0.5 * self._grid.spacing
        for parcel in () if released is None else released:
            self.flight.drop(float(parcel[0]), parcel[1:4], parcel[4:], np.array([1.0, 0.0]), (half, half))
        self.work = ToolExchange(asked, landed)
        return poured

    def _asked(self, name: str, k: int, tools: Any) -> SoilRequest | None:
        """Return the soil that a tool requested in a cycle; None if there is none."""
        height = tools.requested[k]
        r, c = np.nonzero(height)
        if not len(r):
            return None
        density = tools.soils[tools.region[r, c], sweep.DENSITY]
        mass = np.floor(height[r, c] * density / MASS_QUANTUM_KGPM2) * MASS_QUANTUM_KGPM2
        some = mass > 0.0
        i, j = (r + tools.i0).astype(np.int32)[some], (c + tools.j0).astype(np.int32)[some]
        return SoilRequest(name, i, j, mass[some], tools.path[k][r, c][some]) if some.any() else None

    def grant(self, grants: Iterable[SoilGrant], vehicle: str) -> bool:
        """Store the soil that a committed update grants as in transit; return whether there is any."""
        any_of_it = False
        for grant in grants:
            if grant.agent == vehicle and grant.tool in self.names and grant.granted > 0.0:
                self._soil[self.names.index(grant.tool), [_TRANSIT, _GRANTED]] += grant.granted
                any_of_it = True
        return any_of_it

    def _pour(self, data: Any, duration: float) -> bool:
        """Dump the soil that leaves the tools in a cycle; return whether there is any."""
        if not self._soil[:, _HELD].any():
            return False
        centers, velocities = self._poses(data)
        out = np.zeros(len(self.names))
        for k, tool in enumerate(self._given):
            turn = portable_math.times(data.xmat[self._parts.body[k]].reshape(3, 3), self._parts.frame[k])
            rate = self._rate(data, k, turn)
            full = rate * self._numbers[k, sweep.CAPACITY] * duration / self._cell
            out[k] = min(math.floor(full / MASS_QUANTUM_KGPM2) * MASS_QUANTUM_KGPM2, self._soil[k, _HELD])
            if not out[k] > 0.0:
                continue
            along = turn[:2, 1] / max(float(np.hypot(*turn[:2, 1])), 1e-9)
            place, half = centers[k].copy(), self._numbers[k, sweep.HALF_WIDTH]
            if tool.kind == 'drum':
                place[2] -= self._numbers[k, sweep.RADIUS]
                across = 0.5 * self._numbers[k, sweep.RADIUS]
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
        """Return the fraction of a full load that leaves a tool per time [1/s]."""
        tool = self._given[k]
        if tool.kind == 'drum':
            spin = -float(data.qvel[self._dof[k]])
            return spin / (2.0 * math.pi * tool.revolutions_to_empty) if spin > ROCKING_RADPS else 0.0
        if tool.kind == 'bucket':
            pours = math.asin(min(1.0, max(-1.0, -float(turn[2, 0])))) > math.radians(tool.dump_angle_deg)
        else:
            # A blade keeps its pile while it is in contact with the ground.
            pours = not self.told[k, sweep.DEPTH] > 0.0 and self._is_clear(data, k)
        return 1.0 / tool.dump_time_s if pours else 0.0

    def _is_clear(self, data: Any, k: int) -> bool:
        """Return whether a tool's origin is above the ground below it."""
        x, y, z = self._poses(data)[0][k]
        return bool(z > self._grid.levels(x, y))

    def _pile(self, k: int, mass: float) -> float:
        """Return the half length of the area in which an edge's load lands [m]: a heap of square section."""
        density = 1500.0 if self._ground is None else float(self._ground.lying[0, 0])
        return 0.5 * math.sqrt(mass / (density * 2.0 * self._numbers[k, sweep.HALF_WIDTH])) + self._grid.spacing

    def _load(self, change: Vector) -> None:
        """Add soil to the tools [kg/m^2] and to their payloads, as a body of the load's size."""
        self._soil[:, _HELD] += change
        table = self._payloads.table.copy()
        for k, tool in enumerate(self._given):
            row = table[self._payload[k]]
            row[0] = max(0.0, row[0] + change[k] * self._cell)
            width, mass = 2.0 * self._numbers[k, sweep.HALF_WIDTH], row[0]
            if tool.kind == 'drum':
                square = self._numbers[k, sweep.RADIUS] ** 2
                about, across = 0.5 * mass * square, mass * (3.0 * square + width**2) / 12.0
            else:
                side = (2.0 * self._pile(k, mass)) ** 2
                about, across = mass * 2.0 * side / 12.0, mass * (width**2 + side) / 12.0
            row[1:] = across
            row[1 + self._axis[k]] = about
        self._payloads.take(table)

    def _poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return origins [m] and velocities [m/s] of all tools in the world frame, shape (n, 3) each."""
        bodies = self._parts.body
        turn = data.xmat[bodies].reshape(-1, 3, 3)
        centers = data.xpos[bodies] + np.einsum('nij,nj->ni', turn, self._parts.offset)
        root = int(self._body.model.body_rootid[self._body.base])
        return centers, multibody.point_velocities(data.cvel, centers, data.subtree_com[root], bodies)

    @staticmethod
    def _is_near(
        center: Vector, velocity: Vector, reach: float, window: SoilWindow, duration: float, acceleration: float
    ) -> bool:
        """Return whether a tool can touch the ground in a cycle."""
        way = float(np.abs(velocity).max()) * duration + 0.5 * acceleration * duration**2
        around = reach + way
        first = np.maximum(np.floor((center[:2] - around) / window.spacing).astype(int) - (window.i0, window.j0), 0)
        last = np.ceil((center[:2] + around) / window.spacing).astype(int) - (window.i0, window.j0) + 1
        under = window.level[first[0] : max(0, last[0]), first[1] : max(0, last[1])]
        return bool(under.size) and bool(center[2] - around < np.max(under))

    # -- results --------------------------------------------------------------------------------------------------

    def telemetry(self) -> Vector:
        """Return the values of :attr:`quantities`, one after the other."""
        if not self.names:
            return self._nothing
        moving, force = self.moving_soil().T
        load = self._soil[:, _HELD] * self._cell + moving
        return np.concatenate((load, self.told[:, sweep.DEPTH], self.told[:, sweep.DRAFT] + force))

    def levels(self) -> Mapping[str, float]:
        """Return the fill level of each tool, 0 to 1, including soil in transit."""
        held = self._soil[:, [_HELD, _TRANSIT]].sum(axis=1) * self._cell + self.moving_soil()[:, 0]
        return {name: float(held[k] / self._numbers[k, sweep.CAPACITY]) for k, name in enumerate(self.names)}

    def mass_balance(self) -> dict[str, float]:
        """Return the vehicle's soil by state [kg]: carried, in flight and in transit; and excavated and dumped."""
        held, transit, granted, poured = (float(v) * self._cell for v in self._soil.sum(axis=0))
        return {
            'carried_kg': held + math.fsum(self.moving_soil()[:, 0].tolist()),
            'in_flight_kg': self.flight.mass * self._cell,
            'in_transit_kg': transit,
            'excavated_kg': granted,
            'dumped_kg': poured,
        }


def _turned(frame: Vector, model: Any, joint: int) -> Vector:
    """Return the frame of a tool; a drum's y axis is that of its joint, so the drum scoops at positive speeds."""
    if joint < 0:
        return frame
    axis = np.asarray(model.jnt_axis[joint])
    ahead = frame[:, 0] - portable_math.dot(frame[:, 0], axis) * axis
    if not portable_math.norm(ahead) > 0.1:
        ahead = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.5 else np.array([0.0, 1.0, 0.0])
        ahead = ahead - portable_math.dot(ahead, axis) * axis
    ahead = ahead / portable_math.norm(ahead)
    return np.stack((ahead, axis, np.cross(ahead, axis)), axis=1)


def _nearest_axis(model: Any, body: int, direction: Vector) -> int:
    """Return the index of the principal axis of a body's inertia nearest to a direction in the body frame."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, model.body_iquat[body])
    return int(np.argmax(np.abs(portable_math.times(matrix.reshape(3, 3).T, direction))))
