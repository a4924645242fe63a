# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Running gear of a vehicle that stands on feet, such as a lander: footpads without actuators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_terrain import contact
from regolith_terrain.contact import STAT_MAX_SINKAGE, Shapes
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.wheel_shapes import axle_frame
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.multibody import Multibody, quaternion_to_ros
from regolith_vehicles.dynamics.run_statistics import Progress
from regolith_vehicles.running_gear import (
    PARAMETERS,
    ContactPart,
    Contacts,
    GearPlan,
    RunningGear,
    Sunk,
    TelemetryQuantity,
    checked_parameters,
    parameter_indices,
)
from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_VALUES = {'cylinder': 2, 'box': 3, 'cap': 2}
NORMAL_LOAD, SHEAR, SINKAGE = range(3)
"""Columns of the table: load along z [N], horizontal force [N], sinkage along the terrain's normal [m]."""


class FootConfig(Section):
    """One foot of a vehicle."""

    name: str = Field(min_length=1, description='Name of the foot in messages.')
    body: str = Field(min_length=1, description='MJCF body of the foot.')
    kind: Literal['cylinder', 'box', 'cap'] = Field(
        description='Shape: an upright cylinder, a box, or a spherical cap with its top down.'
    )
    size_m: tuple[float, ...] = Field(
        description='Radius and half height of a cylinder, half lengths x, y, z of a box, or radius and depth of a cap'
        ' [m].'
    )
    position: tuple[float, float, float] = Field(
        default=(0.0, 0.0, 0.0),
        description='Center of a cylinder or a box, or of the rim of a cap, in the body frame [m].',
    )

    @model_validator(mode='after')
    def _has_a_size(self) -> FootConfig:
        count = _VALUES[self.kind]
        if len(self.size_m) != count or not all(0.001 <= value <= 10.0 for value in self.size_m):
            problem = f'size_m = {list(self.size_m)!r}: is not the size of a {self.kind}'
            raise ValueError(f'{problem}; allowed: {count} values, 0.001 to 10')
        if self.kind == 'cap' and self.size_m[1] > self.size_m[0]:
            raise ValueError(
                f'size_m = {list(self.size_m)!r}: is too deep for a cap; allowed: a depth up to its radius'
            )
        if not all(math.isfinite(value) for value in self.position):
            raise ValueError(f'position = {list(self.position)!r}: is not finite; allowed: finite values')
        return self

    @property
    def area(self) -> float:
        """Area of the foot seen from above [m^2]."""
        return 4.0 * self.size_m[0] * self.size_m[1] if self.kind == 'box' else math.pi * self.size_m[0] ** 2

    @property
    def width(self) -> float:
        """Shorter side of the area [m]."""
        return 2.0 * (min(self.size_m[:2]) if self.kind == 'box' else self.size_m[0])

    @property
    def height(self) -> float:
        """Height of the foot [m]."""
        return self.size_m[1] if self.kind == 'cap' else 2.0 * self.size_m[-1]

    @property
    def lowest(self) -> float:
        """Height of its lowest point in the body frame [m]."""
        return self.position[2] - (self.height if self.kind == 'cap' else self.size_m[-1])

    @property
    def bounds(self) -> tuple[Vector, Vector]:
        """Lowest and highest corner of the box around it, in the body frame [m], shape (3,) each."""
        half = self.size_m if self.kind == 'box' else (self.size_m[0], self.size_m[0], self.size_m[1])
        top = self.position[2] + (0.0 if self.kind == 'cap' else half[2])
        x, y = self.position[:2]
        return np.array([x - half[0], y - half[1], self.lowest]), np.array([x + half[0], y + half[1], top])

    def overlaps(self, other: FootConfig) -> bool:
        """Return whether the boxes around two feet of a body overlap; of two round feet, the cylinders around them."""
        (low, high), (other_low, other_high) = self.bounds, other.bounds
        apart = math.dist(self.position[:2], other.position[:2])
        if 'box' not in (self.kind, other.kind) and apart >= self.size_m[0] + other.size_m[0]:
            return False
        return bool((low < other_high).all() and (other_low < high).all())

    def shape(self) -> tuple[Shapes, Vector]:
        """Return the contact shape, and its rotation in the body frame, shape (3, 3)."""
        if self.kind == 'cylinder':  # about its y axis
            radius, half = self.size_m
            return contact.cylinder(radius, 2.0 * half), axle_frame(np.array([0.0, 0.0, 1.0]))
        if self.kind == 'box':
            x, y, z = self.size_m
            return contact.box(2.0 * x, 2.0 * y, 2.0 * z), np.eye(3)
        return contact.cap(*self.size_m), np.eye(3)


class FeetConfig(Section):
    """Parameters of the running gear ``feet`` in a vehicle's YAML file."""

    feet: tuple[FootConfig, ...] = Field(min_length=1, max_length=64, description='Feet of the vehicle.')

    @model_validator(mode='after')
    def _names_differ(self) -> FeetConfig:
        names = [foot.name for foot in self.feet]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f'feet = {names}: two have the name {twice[0]!r}; allowed: a different name for each')
        return self


def _check_places(feet: Sequence[FootConfig], bodies: Indices, model: Any, where: str) -> None:
    """Refuse feet in the same place, which would press the ground twice, and feet away from their bodies.

    Args:
        feet: The feet.
        bodies: MuJoCo body of each foot, shape (n,).
        model: MuJoCo model (mujoco.MjModel).
        where: Vehicle's file.

    Raises:
        VehicleModelError: With the key of the position and what is allowed.
    """
    for k, (foot, body) in enumerate(zip(feet, bodies.tolist(), strict=True)):
        key, (low, high) = '.'.join((*PARAMETERS, 'feet', str(k), 'position')), foot.bounds
        for n in range(k):
            if bodies[n] == body and foot.overlaps(feet[n]):
                problem = f'foot {foot.name} overlaps foot {feet[n].name}, both of body {foot.body}'
                raise VehicleModelError(where, key, list(foot.position), 'feet that do not overlap', problem)
        boxes = _geom_bounds(model, body)
        gaps = [float(portable_math.norm(np.maximum(0.0, np.maximum(b[0] - high, low - b[1])))) for b in boxes]
        most = float(np.max(high - low))
        if gaps and min(gaps) > most:
            problem = f'foot {foot.name} is {min(gaps):.3g} m away from the geoms of body {foot.body}'
            allowed = f'a gap of up to {most:.3g} m, the largest side of the foot'
            raise VehicleModelError(where, key, list(foot.position), allowed, problem)


def _geom_bounds(model: Any, body: int) -> list[tuple[Vector, Vector]]:
    """Return the corners of the box around each geom of a body, in the body's frame [m], shape (3,) each."""
    found = []
    for geom in np.flatnonzero(model.geom_bodyid == body).tolist():
        turn = rotation.matrix(quaternion_to_ros(model.geom_quat[geom]))
        middle = model.geom_pos[geom] + portable_math.times(turn, model.geom_aabb[geom, :3])
        half = portable_math.times(np.abs(turn), model.geom_aabb[geom, 3:])
        found.append((middle - half, middle + half))
    return found


class Feet(RunningGear):
    """Footpads of a vehicle that does not drive; the bodies of the MJCF file carry them on struts or rigidly."""

    columns = ('normal_load', 'shear', 'sinkage')
    faces = ()
    top_speed = 0.0

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path, **parameters: Any) -> None:
        """Make the running gear.

        Args:
            config: Vehicle model.
            body: Multibody model.
            mjcf_path: Path of the MJCF file.
            **parameters: Parameters as in :class:`FeetConfig`.

        Raises:
            VehicleModelError: If a body is not in the MJCF file.
            InputError: If a parameter is invalid; names file, key, value and allowed values.
        """
        self.feet = checked_parameters(FeetConfig, config, parameters).feet
        where, names = config.file or str(mjcf_path), [(f'feet.{k}.body', f.body) for k, f in enumerate(self.feet)]
        self.bodies: Indices = parameter_indices(body.model, 'body', names, Path(mjcf_path).name, where)
        _check_places(self.feet, self.bodies, body.model, where)
        super().__init__(config, body, mjcf_path)
        self.actuators = np.zeros(0, dtype=np.int64)
        self.quantities = tuple(
            TelemetryQuantity(name, unit, tuple(foot.name for foot in self.feet))
            for name, unit in zip(self.columns, ('N', 'N', 'm'), strict=True)
        )

    def parts(self, mjcf_path: Path) -> tuple[ContactPart, ...]:
        """Return the feet."""
        made = []
        for foot, body in zip(self.feet, self.bodies.tolist(), strict=True):
            shape, frame = foot.shape()
            made.append(ContactPart(f'foot {foot.name}', body, shape, np.array(foot.position), frame))
        return tuple(made)

    @property
    def contact_area(self) -> float:
        """Area of all feet, or that at which the vehicle's mass would swing as fast on soil as its quickest foot [m^2].

        A foot presses with its whole area A at once, and only what is below its strut moves with it. Against tilting,
        the pressure on a disc acts as on points at half its radius, since its second moment is A (r / 2)^2. So the
        smallest effective mass 1 / (J M^-1 J^T) of such a point, for a vertical force, limits the substep. On rigid
        ground the substep must be shorter by itself where a light foot is a box or a cylinder: its corners or its rim
        carry it there.
        """
        model, total = self.body.model, float(self.body.model.body_subtreemass[self.body.base])
        data, jacobian, answer = mujoco.MjData(model), np.zeros((3, model.nv)), np.zeros((1, model.nv))
        mujoco.mj_forward(model, data)
        mobile = 0.0
        for foot, body in zip(self.feet, self.bodies.tolist(), strict=True):
            x, y, z = foot.position
            across, along = (0.5 * foot.size_m[k] if foot.kind == 'box' else 0.5 * foot.size_m[0] for k in (0, 1))
            for dx, dy in ((across, 0.0), (-across, 0.0), (0.0, along), (0.0, -along)):
                turn = data.xmat[body].reshape(3, 3)
                point = data.xpos[body] + (turn * (x + dx, y + dy, z)).sum(axis=1)
                mujoco.mj_jac(model, data, jacobian, None, point, body)
                mujoco.mj_solveM(model, data, answer, jacobian[2:])
                mobile = max(mobile, foot.area * portable_math.dot(jacobian[2], answer[0]))
        return max(math.fsum(foot.area for foot in self.feet), total * mobile)

    def support_points(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return the lowest points of the feet below their centers; see the base class."""
        lowest = np.array([[*foot.position[:2], foot.lowest] for foot in self.feet])
        turned = data.xmat[self.bodies].reshape(-1, 3, 3)
        x, y, z = (data.xpos[self.bodies] + (turned * lowest[:, None, :]).sum(axis=2)).T
        return x, y, z

    def targets(self, command: DriveCommand) -> tuple[Vector, ...]:
        """Return no targets: feet follow no command."""
        return ()

    def ramp(self, duration: float, *targets: ArrayLike) -> tuple[Vector, Vector]:
        """Return empty commands."""
        return np.zeros(0), np.zeros(0)

    def finish(self, data: Any, plan: GearPlan, contacts: Contacts, duration: float) -> Progress:
        """Fill the table; see the base class."""
        force, table = contacts.force, self.table
        table[:, NORMAL_LOAD] = force[:, 2]
        table[:, SHEAR] = np.sqrt(np.square(force[:, :2]).sum(axis=1))
        table[:, SINKAGE] = contacts.stats[:, STAT_MAX_SINKAGE]
        return Progress(moving=False, sinkage=float(table[:, SINKAGE].max()))

    def telemetry(self) -> Vector:
        """Return loads, shear and sinkages of the feet."""
        return self.table.T.ravel()

    @classmethod
    def patch(cls, config: VehicleModelConfig) -> float:
        """Return the shorter side of the smallest foot [m]."""
        named = config.running_gear
        if named is None:
            return math.inf
        return min(foot.width for foot in checked_parameters(FeetConfig, config, named.parameters).feet)

    def sunk(self) -> tuple[Sunk, ...]:
        """Return the sinkage of the feet."""
        sinkages = self.table[:, SINKAGE].tolist()
        return tuple(Sunk(f'foot {foot.name}', z, foot.height) for foot, z in zip(self.feet, sinkages, strict=True))
