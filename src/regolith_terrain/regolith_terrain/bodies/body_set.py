# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies on the ground: their states, contacts and compiled substeps.

Bodies do not meet each other here; the world solves their contacts as impulses. In a cycle, each body takes all its
substeps before the next one, in the order of the list. Bodies that may reach the same grid nodes share a window, so the
second finds the soil as the first has left it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.contact_points import BodySetting
from regolith_terrain.bodies.motion import BodyArrays, move_body, prepare_body, set_pose
from regolith_terrain.bodies.shapes import BodyShape
from regolith_terrain.contact.arrays import Wrench, make_wrench
from regolith_terrain.contact.constants import CONTACT_OK, WINDOW_MARGIN_CELLS
from regolith_terrain.contact.ground_contact import PartPose, Press, make_pose
from regolith_terrain.contact.kernel_binding import bind_kernels, unbound
from regolith_terrain.contact.mixed_contact import make_contact
from regolith_terrain.grid.node_records import Floats, NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.solids.contact import STIFFNESS_OF_PART, SolidContactArrays, add_solid_wrench
from regolith_terrain.solids.friction_memory import NO_SOLIDS, SolidContact
from regolith_terrain.solids.point_force import damping_ratio
from regolith_terrain.solids.solids import Solids, solids_within
from regolith_world.cycle import Part, Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import kernel, portable_math, rotation

MARGIN_ACCELERATION = 100.0
"""Acceleration of a body within a cycle for which its soil window is sufficient [m/s^2]."""
FASTEST = 1e3
"""Largest speed of a body [m/s]."""

press: Press = unbound
"""Ground contact, bound by :class:`RigidBodies`."""


@dataclass(frozen=True, slots=True)
class BodyDescription:
    """A rigid body: what does not change during a run."""

    name: str
    shape: BodyShape
    mass: float
    """Mass [kg]."""
    restitution: float = 0.2
    """Coefficient of restitution of a fast impact on rigid terrain [-]."""
    ploughs: bool | None = None
    """Whether soil resists the advancing face; none: for boxes and hulls."""
    weightless: bool = False
    """Whether gravity does not act on the body."""


@dataclass(frozen=True, slots=True)
class BodyGround:
    """The ground of rigid bodies."""

    grid: SoilGrid
    """Committed soil."""
    soils: SoilMap
    """Soils of the terrain."""
    gravity: Floats
    """Gravity [m/s^2], shape (3,)."""
    solids: Solids | None = None
    """Rocks and obstacles; none: no solids."""
    mode: str = 'regolith'
    """Mode of the terrain model."""


def _run(
    bodies: BodyArrays,
    b: int,
    upright: bool,
    ground: Any,
    solids: SolidContactArrays,
    gravity: Floats,
    step: float,
    count: int,
    pose: PartPose,
    wrench: Wrench,
) -> int:
    """Advance a body in contact by ``count`` substeps; return the status of the ground contact."""
    for k in range(3):
        bodies.contact_force[b, k] = 0.0
    for _ in range(count):
        prepare_body(bodies, b)
        set_pose(bodies, b, upright, pose)
        status: int = press(ground, step, 0, pose, wrench)
        if status != CONTACT_OK:
            return status
        if solids.near.number.shape[0] > 0:
            add_solid_wrench(solids, step, 0, pose, wrench)
        for k in range(3):
            bodies.contact_force[b, k] += wrench.force[k] / count
        move_body(bodies, b, gravity, wrench, step)
    return CONTACT_OK


@kernel(views_only=True)
def fly(bodies: BodyArrays, b: int, gravity: Floats, step: float, count: int, wrench: Wrench) -> None:
    """Advance a body without contact by ``count`` substeps."""
    wrench.force[:] = 0.0
    wrench.torque[:] = 0.0
    for k in range(3):
        bodies.contact_force[b, k] = 0.0
    prepare_body(bodies, b)
    for _ in range(count):
        move_body(bodies, b, gravity, wrench, step)


class RigidBodies(Saved):
    """Rigid bodies of a scenario, their states and the memory of their contacts."""

    STATE = StateLayout(
        'rigid bodies',
        *state_fields('<f8', 'position', 'orientation', 'velocity', 'spin', 'contact_force', shared=True),
        StateField('contacts', Part(1)),
        StateField('solid_contacts', Part(1)),
    )

    def __init__(self, bodies: Sequence[BodyDescription], ground: BodyGround, substep: float = 1e-3) -> None:
        """Create the bodies at the origin, at rest; :meth:`place` sets a state.

        Args:
            bodies: Descriptions of the bodies.
            ground: The ground.
            substep: Largest substep [s].
        """
        self.bodies = tuple(bodies)
        self.names = [body.name for body in bodies]
        self.ground = ground
        self.substep = substep
        count = len(bodies)
        mass = np.array([body.mass for body in bodies])
        inertia = np.array([body.mass * body.shape.properties.inertia for body in bodies]).reshape(count, 3, 3)
        self.position, self.velocity, self.spin, self.contact_force = (np.zeros((count, 3)) for _ in range(4))
        self.orientation = np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))
        self._arrays = BodyArrays(
            self.position,
            self.orientation,
            self.velocity,
            self.spin,
            self.contact_force,
            mass,
            inertia,
            np.array([portable_math.solved(each, np.eye(3)) for each in inertia]).reshape(count, 3, 3),
            np.zeros((count, 3, 3)),
            np.zeros((count, 6, 6)),
            np.zeros((4, 4)),
        )
        self.reach = np.array([body.shape.reach for body in bodies])
        law = ground.grid.law
        settings = [self._setting(n) for n in range(count)]
        self.contacts = [make_contact(law, setting, of_bodies=True) for setting in settings]
        self.solid_contacts: list[SolidContact] = []
        if ground.solids is not None:
            stiffness = np.array([STIFFNESS_OF_PART])
            self.solid_contacts = [
                SolidContact(ground.solids, setting.shapes, setting.reach, stiffness) for setting in settings
            ]
        self._run = bind_kernels(_run, press=self.contacts[0].press) if self.contacts else None
        self._pose, self._wrench = make_pose(), make_wrench()
        self._weightless = np.zeros(3)

    def _setting(self, n: int) -> BodySetting:
        body, ground = self.bodies[n], self.ground
        shape = body.shape
        return BodySetting(
            soils=ground.soils,
            shapes=shape.contact,
            reach=np.array([shape.reach]),
            spacing=ground.grid.spacing,
            mode=ground.mode,
            field=ground.grid.height_field,
            gravity=ground.gravity,
            points=shape.points,
            mass=body.mass,
            mobility=self._arrays.mobility[n],
            footprint=shape.footprint,
            damping_ratio=damping_ratio(body.restitution),
            ploughs=shape.ploughs if body.ploughs is None else body.ploughs,
        )

    def __len__(self) -> int:
        """Return the number of bodies."""
        return len(self.bodies)

    def place(
        self,
        n: int,
        position: Floats,
        orientation: Floats | None = None,
        velocity: Floats | None = None,
        spin: Floats | None = None,
    ) -> None:
        """Set the state of a body and reset its contacts.

        Args:
            n: Index of the body.
            position: Center of mass [m], shape (3,).
            orientation: Quaternion (x, y, z, w); none: identity.
            velocity: Velocity [m/s], shape (3,); none: zero.
            spin: Angular velocity, world axes [rad/s], shape (3,); none: zero.
        """
        self.position[n] = position
        self.orientation[n] = (0.0, 0.0, 0.0, 1.0) if orientation is None else orientation
        self.velocity[n] = 0.0 if velocity is None else velocity
        self.spin[n] = 0.0 if spin is None else spin
        self.contacts[n].reset()
        if self.solid_contacts:
            self.solid_contacts[n].part()

    def push(self, n: int, impulse: Floats, point: Floats) -> None:
        """Apply an impulse [N s], shape (3,), at a point [m], shape (3,)."""
        turn = rotation.matrix(self.orientation[n])
        moment = portable_math.cross(point - self.position[n], impulse)
        inverse = portable_math.times(portable_math.times(turn, self._arrays.inverse_inertia[n]), turn.T)
        self.velocity[n] += impulse / self._arrays.mass[n]
        self.spin[n] += portable_math.times(inverse, moment)

    def inertia(self, n: int) -> Floats:
        """Return the inertia of a body about its center of mass, world axes [kg m^2], shape (3, 3)."""
        turn = rotation.matrix(self.orientation[n])
        return portable_math.times(portable_math.times(turn, self._arrays.inertia[n]), turn.T)

    @property
    def mass(self) -> Floats:
        """Masses [kg], shape (n,)."""
        return self._arrays.mass

    def energy(self, n: int) -> float:
        """Return the kinetic and potential energy of a body, zero at rest at the origin [J]."""
        gravity, v, w = self.ground.gravity, self.velocity[n], self.spin[n]
        kinetic = 0.5 * float(self.mass[n]) * portable_math.dot(v, v)
        turning = 0.5 * portable_math.dot(w, portable_math.times(self.inertia(n), w))
        return kinetic + turning - float(self.mass[n]) * portable_math.dot(gravity, self.position[n])

    def advance(self, duration: float, awake: Sequence[int]) -> NodeRecords:
        """Advance bodies; return the nodes of the soil that they changed.

        Args:
            duration: Time to advance [s].
            awake: Indices of the bodies, ascending.

        Raises:
            FloatingPointError: If a body is too fast or leaves the terrain.
        """
        count = max(1, math.ceil(duration / self.substep - 1e-9))
        step = duration / count
        grounded, near, ways = [], {}, {}
        for n in awake:
            ways[n] = way = self._way(n, duration)
            numbers = self._solids_near(n, way)
            if len(numbers) or self._may_touch(n, way):
                grounded.append(n)
                near[n] = numbers
            else:
                self.contacts[n].reset()
                if self.solid_contacts:
                    self.solid_contacts[n].part()
                fly(self._arrays, n, self._gravity(n), step, count, self._wrench)
        records = [
            self._advance_in(window, members, near, step, count) for window, members in self._windows(grounded, ways)
        ]
        return _joined(records, self.ground.grid.law.names)

    def _gravity(self, n: int) -> Floats:
        return self._weightless if self.bodies[n].weightless else self.ground.gravity

    def _way(self, n: int, duration: float) -> float:
        """Return the largest distance that a body can move [m]."""
        (x, y, z), (vx, vy, vz) = self.position[n].tolist(), self.velocity[n].tolist()
        speed = math.sqrt(vx * vx + vy * vy + vz * vz)
        if not (speed < FASTEST and max(abs(x), abs(y), abs(z)) < 1e7):
            raise FloatingPointError(
                f'{self.names[n]} is at {[x, y, z]} m with {speed:.3g} m/s; allowed: below {FASTEST:g} m/s'
            )
        return speed * duration + 0.5 * MARGIN_ACCELERATION * duration * duration

    def _may_touch(self, n: int, way: float) -> bool:
        reach = float(self.reach[n])
        x, y, z = self.position[n].tolist()
        return self.ground.grid.rises_above((x, y, reach, reach, z - reach, 0.0, 0.0), way)

    def _solids_near(self, n: int, way: float) -> NDArray[np.int64]:
        solids = self.ground.solids
        if solids is None:
            return np.zeros(0, dtype=np.int64)
        ball = np.append(self.position[n], self.reach[n] + way)[None, :]
        numbers: NDArray[np.int64] = solids_within(solids.cells, solids.placed.box, ball)[0]
        return numbers

    def _windows(self, members: Sequence[int], ways: Mapping[int, float]) -> list[tuple[SoilWindow, list[int]]]:
        """Return windows that contain all nodes within reach, each with its bodies; windows do not overlap."""
        spacing = self.ground.grid.spacing
        parts: list[tuple[list[int], list[int]]] = []
        for n in members:
            margin = float(self.reach[n]) + ways[n]
            margin += (self.contacts[n].margin_cells + WINDOW_MARGIN_CELLS + 2.0) * spacing
            x, y = self.position[n, :2].tolist()
            box = [math.floor((x - margin) / spacing), math.ceil((x + margin) / spacing) + 1]
            box += [math.floor((y - margin) / spacing), math.ceil((y + margin) / spacing) + 1]
            mine = [n]
            while True:  # join with all that overlap, until none does
                hit = next((k for k, (other, _) in enumerate(parts) if _overlap(box, other)), -1)
                if hit < 0:
                    break
                other, more = parts.pop(hit)
                box = [min(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), max(box[3], other[3])]
                mine += more
            parts.append((box, sorted(mine)))
        return [(self.ground.grid.window(box[0], box[1], box[2], box[3]), mine) for box, mine in parts]

    def _advance_in(
        self, window: SoilWindow, members: Sequence[int], near: Mapping[int, NDArray[np.int64]], step: float, count: int
    ) -> NodeRecords:
        assert self._run is not None
        for n in members:
            contact = self.contacts[n]
            arrays = contact.arrays(window, 1)
            solids = NO_SOLIDS
            if len(near[n]):
                solids = self.solid_contacts[n].arrays(near[n], self._arrays.mobility[n : n + 1])
            elif self.solid_contacts:
                self.solid_contacts[n].part()
            upright, gravity = self.bodies[n].shape.upright, self._gravity(n)
            status = self._run(self._arrays, n, upright, arrays, solids, gravity, step, count, self._pose, self._wrench)
            if status != CONTACT_OK or not math.isfinite(sum(self.position[n].tolist())):
                raise FloatingPointError(
                    f'{self.names[n]} at {self.position[n].tolist()} m leaves its soil window (status {status}); '
                    f'allowed: on the terrain, and accelerations up to {MARGIN_ACCELERATION:g} m/s^2'
                )
            contact.remember(window, arrays)
        return window.changed()


def _overlap(a: Sequence[int], b: Sequence[int]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def _joined(records: Sequence[NodeRecords], names: tuple[str, ...]) -> NodeRecords:
    """Return records of disjoint windows as one, sorted by (i, j)."""
    if not records:
        return NodeRecords.empty(names)
    if len(records) == 1:
        return records[0]
    i, j = np.concatenate([each.i for each in records]), np.concatenate([each.j for each in records])
    values = np.concatenate([each.table for each in records], axis=1)
    order = np.lexsort((j, i))
    return NodeRecords.from_values(i[order], j[order], values[:, order], names)
