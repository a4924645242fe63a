# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The running gear of a vehicle: wheels, or another package's gear in their place.

A gear names the parts that touch the ground, makes targets of actuators from a command, reckons its way, and keeps a
table of named columns with a row per part. It is called once per cycle: the substeps between know only controls that
run from one value to another, and parts with wrenches.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_files.plugins import PluginError, entry_points, load_plugin
from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_terrain.contact.ground_contact import ContactSetting, GroundContact
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.scm.arrays import Shapes
from regolith_terrain.solids.contact import STIFFNESS_OF_PART
from regolith_vehicles.agent.run_statistics import RunStatistics
from regolith_vehicles.commands.command import TWIST, AckermannCommand, DriveCommand
from regolith_vehicles.config import VehicleModelError
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.visual_description import DrawnPart, Roller
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.multibody import Multibody, index_of
from regolith_vehicles.dynamics.odometry import Odometry, slope_of
from regolith_vehicles.powertrain.battery import STORED, full_charge
from regolith_vehicles.powertrain.config import PowertrainConfig
from regolith_vehicles.powertrain.powertrain import Powertrain, make_powertrain
from regolith_world.numerics.portable_math import norm

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

GROUP = 'regolith.running_gears'
"""Entry points of other packages: name -> a RunningGear class."""


PARAMETERS = ('running_gear', 'parameters')
"""Path of a gear's parameters in a vehicle's file."""

Checked = TypeVar('Checked', bound=Section)


@dataclass(frozen=True, slots=True)
class ContactPart:
    """A part of a vehicle that the ground can feel."""

    name: str
    """Name for errors, e.g. 'wheel front_left'."""
    body: int
    """MJCF body it is fixed to."""
    shape: Shapes
    """Its shape."""
    offset: Vector = field(default_factory=lambda: np.zeros(3))
    """Origin of the shape in the body's frame [m], shape (3,)."""
    frame: Vector = field(default_factory=lambda: np.eye(3))
    """Rotation of the shape in the body's frame; of a cylinder the y axis is the axle, shape (3, 3)."""
    layer: int | None = None
    """Number among the gear's memories of the ground, where parts share them; None: its own."""
    stiffness: float = STIFFNESS_OF_PART
    """Of the part where it meets a solid [N/m]."""
    own_mass: float = math.inf
    """What gives way of it at once where it meets a solid, as a shoe of a band does [kg]; inf: all its body bears."""


@dataclass(frozen=True, slots=True)
class TelemetryQuantity:
    """Something that a running gear tells of some of its parts, for plots."""

    name: str
    """E.g. 'sinkage'; quantities of one name share a plot."""
    unit: str
    """Of SI, as 'm'; '' of ratios."""
    parts: tuple[str, ...]
    """What each of its values is of."""


class Sunk(NamedTuple):
    """Part of a running gear in the ground."""

    name: str
    """As in 'wheel front_left'."""
    sinkage: float
    """Of its lowest point below the undisturbed ground [m]."""
    height: float
    """From its lowest point to its top [m]."""


class Contacts(NamedTuple):
    """Contacts of the gear's parts with the ground in the last substep of a cycle."""

    window: SoilWindow
    """Soil at the end of the cycle."""
    velocity: Vector
    """Velocities of the parts' origins, world axes [m/s], shape (n, 3)."""
    force: Vector
    """Forces on the parts, world axes [N], shape (n, 3)."""
    torque: Vector
    """Torques about the parts' origins [N m], shape (n, 3)."""
    stats: Vector
    """Statistics of the contacts by the STAT columns, shape (n, STAT_COUNT)."""


class RunningGear(ABC):
    """The running gear of one vehicle; all that evolves of it is in :meth:`values` and :attr:`odometry`."""

    columns: tuple[str, ...] = ()
    """Names of the table's columns."""
    quantities: tuple[TelemetryQuantity, ...] = ()
    """What it tells of itself for plots, with values as in :meth:`told`; wheels have messages of their own."""
    drawn: tuple[DrawnPart, ...] = ()
    """What it draws besides bodies of the MJCF file, at :meth:`drawn_poses`."""
    faces: tuple[str, ...] = (TWIST,)
    """Kinds of command it understands (:attr:`DriveCommand.interface`); its vehicle listens to their topics alone."""
    wheelbase: float = 0.0
    """From the rearmost to the foremost axle [m], by which it turns where an Ackermann command steers it."""
    joints: tuple[str, ...] = ()
    """Names a command may set targets of (:attr:`DriveCommand.joints`); those of others are refused."""
    joint_limits: Mapping[str, tuple[float, float]] = MappingProxyType({})
    """Least and greatest target of joints that have limits."""
    actuators: Indices
    """Indices of its actuators in MuJoCo's controls, shape (m,)."""
    hooks: substeps.RunningGearHooks = substeps.RunningGearHooks()
    """Its compiled functions in each substep."""
    layout: WheelLayout | None = None
    """Wheels by which it computes its way, or what stands for them; None: it has no odometry, and publishes none."""

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path) -> None:
        """Make the gear of a vehicle.

        Raises:
            VehicleModelError: If its files do not describe one.
        """
        self.config, self.body = config, body
        self.charge = np.zeros(0) if config.battery is None else full_charge(config.battery)
        """State of the vehicle's battery (:mod:`regolith_vehicles.powertrain.battery`); (0,) without one."""
        self.touching = self.parts(Path(mjcf_path))
        self.names = tuple(part.name for part in self.touching)
        self.table = np.zeros((len(self.touching), len(self.columns)))
        self.odometry = self.start_odometry()

    @abstractmethod
    def parts(self, mjcf_path: Path) -> tuple[ContactPart, ...]:
        """Return the parts that touch the ground."""

    @property
    @abstractmethod
    def contact_area(self) -> float:
        """Area that can plausibly press on ground at once [m^2]; the longest substep follows from it."""

    @property
    @abstractmethod
    def top_speed(self) -> float:
        """Forward speed it can be asked for [m/s]."""

    @property
    def rollers(self) -> tuple[Roller, ...]:
        """Bodies that turn on axles, with their names in messages: wheels in the order of the table, sprockets, …."""
        return ()

    def drawn_poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return the poses of :attr:`drawn` in the world: positions [m] and quaternions (x, y, z, w).

        Their shapes are (n, 3) and (n, 4). Called after every commit while somebody listens; the arrays are copied.

        Args:
            data: Mujoco.MjData.
        """
        return np.zeros((0, 3)), np.zeros((0, 4))

    @property
    def rigid_terrain_contact(self) -> Callable[[ContactSetting], GroundContact] | None:
        """Maker of its own contact with ground that does not yield, as tyres have; none: the ground's law."""
        return None

    @abstractmethod
    def support_points(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return x, y and z [m] of the points it stands on, in the base frame, shape (k,) each.

        Args:
            data: Mujoco.MjData with the base at the world's origin and all joints at zero.
        """

    def twist(self, command: DriveCommand) -> tuple[float, float]:
        """Return forward speed [m/s] and yaw rate [rad/s] of a command that steers by them or by an angle.

        At angle d a bicycle of wheelbase L turns with v tan(d) / L.

        Source: rajamani2012, section 2.2.
        Checked by: test_command_interfaces.py::test_an_angle_is_a_curve.
        """
        if isinstance(command.by, AckermannCommand):
            speed, angle = command.by[:2]
            return speed, speed * math.tan(angle) / self.wheelbase
        return command.linear, command.angular

    @abstractmethod
    def targets(self, command: DriveCommand) -> tuple[Vector, ...]:
        """Return the targets of its actuators, as :meth:`ramp` takes them."""

    @abstractmethod
    def ramp(self, duration: float, *targets: ArrayLike) -> tuple[Vector, Vector]:
        """Return commands at the start and at the end of a cycle, as limits of value and rate allow, shape (m,).

        Args:
            duration: Of the cycle [s].
        """

    def joint_goals(self) -> dict[str, float]:
        """Return the present targets of :attr:`joints` by name."""
        return {}

    @property
    def at_rest(self) -> Vector:
        """Command of :meth:`ramp` that asks for nothing; a vehicle is placed with it."""
        return np.zeros(len(self.actuators))

    def moves(self, ramp: tuple[Vector, Vector]) -> bool:
        """Return whether commands of :meth:`ramp` are to move the vehicle, for the figures of a run."""
        begin, end = ramp
        return bool(end.any()) or bool(begin.any())

    def controls(self, command: Vector) -> Vector:
        """Return the actuators' controls for a command of :meth:`ramp`, shape (m,)."""
        return command

    def powertrain(self, config: PowertrainConfig, name: str, shaft_inertia: float) -> Powertrain:
        """Return a powertrain that draws on the vehicle's battery.

        Args:
            name: Among those of the file.
            shaft_inertia: Of the driveshaft for a sudden torque [kg m^2].

        Raises:
            VehicleModelError: If it needs a battery, and the vehicle has none.
        """
        try:
            return make_powertrain(config, self.config.battery, self.charge, shaft_inertia)
        except ValueError as error:
            problem, _, allowed = str(error).partition('; allowed: ')
            key = '.'.join((*PARAMETERS, 'powertrains', name))
            raise VehicleModelError(self.config.file, key, None, allowed, problem) from None

    def driving(self, ramp: tuple[Vector, Vector]) -> Any:
        """Return the first argument of the :attr:`hooks` for a cycle with these commands at its ends; None: none."""
        return None

    def whereabouts(self, data: Any) -> tuple[Vector, Vector] | None:
        """Return centres [m] and velocities [m/s] of its parts in the world, shape (n, 3) each; None: on their bodies.

        Args:
            data: Mujoco.MjData at the start or the end of a cycle.
        """
        return None

    def part_poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return places [m] and quaternions (x, y, z, w) of its parts in the world, shapes (n, 3) and (n, 4)."""
        bodies = [part.body for part in self.touching]
        return data.xpos[bodies], data.xquat[bodies][:, [1, 2, 3, 0]]

    def positions(self, data: Any) -> Any:
        """Return the state at the start of a cycle that :meth:`finish` needs."""
        return None

    @abstractmethod
    def finish(self, data: Any, before: Any, ramp: tuple[Vector, Vector], duration: float) -> None:
        """Take in a cycle: keep its command, reckon the way.

        Args:
            data: Mujoco.MjData at its end.
            before: What :meth:`positions` returned at its start.
            ramp: What :meth:`ramp` returned.
        """

    def roll(self, data: Any, speed: float) -> None:  # noqa: B027  most start from rest
        """Give its moving parts the speeds they have when it rolls forward.

        Args:
            data: Mujoco.MjData, whose qvel it changes.
            speed: [m/s].
        """

    def let_down(self, data: Any, before: Any, duration: float) -> None:  # noqa: B027  most have nothing to correct
        """Take in a cycle of placing, in which nothing was commanded."""

    @abstractmethod
    def measure(self, data: Any, contacts: Contacts) -> None:
        """Fill the table at the end of a cycle."""

    def telemetry(self) -> Vector:
        """Return the values of all :attr:`quantities`, one after the other, shape (number of their parts,)."""
        return np.zeros(0)

    def update_statistics(
        self, figures: RunStatistics, way: float, data: Any, before: Any, moving: bool, duration: float
    ) -> None:
        """Add a cycle to the figures of the run.

        Args:
            way: Horizontal, of the base [m].
            moving: Whether anything but standing still was commanded.
        """
        figures.update(way, np.zeros(0), np.zeros(0), 0.0, moving, duration)

    def start_odometry(self) -> Odometry | None:
        """Return dead reckoning that begins here; None of a gear without."""
        return None if self.layout is None else Odometry.start(self.layout, self.config.odometry)

    def advance_odometry(self, data: Any, turned: Vector, angles: Vector, duration: float) -> None:
        """Advance dead reckoning by a cycle.

        Args:
            data: Mujoco.MjData at its end.
            turned: Angle each wheel of :attr:`layout` turned in the cycle [rad], shape (n,).
            angles: Their mean steering angles in the cycle [rad], shape (n,).
            duration: Of the cycle [s].
        """
        if self.odometry is not None and self.layout is not None:
            gravity = self.body.model.opt.gravity
            slope = slope_of(data.xmat[self.body.base].reshape(3, 3), gravity)
            self.odometry.advance(
                self.layout, self.config.odometry, turned, angles, duration, slope, float(norm(gravity))
            )

    @classmethod
    def patch(cls, config: VehicleModelConfig) -> float:
        """Return the shorter side of the smallest area by which one of its parts meets the ground [m]; inf if unknown.

        Args:
            config: Of a vehicle that names this gear.
        """
        return math.inf

    def sunk(self) -> tuple[Sunk, ...]:
        """Return how far its parts are below the ground; none of a gear that does not know."""
        return ()

    def penetration_error(self, part_of_height: float = 1.0) -> str:
        """Return the part that is deepest in the ground for its height, and by how much; '' if none is too deep.

        Args:
            part_of_height: Sinkage over height from which one is.
        """
        deepest = max(self.sunk(), key=lambda each: each.sinkage / each.height, default=None)
        if deepest is None or not deepest.sinkage > part_of_height * deepest.height:
            return ''
        return f'{deepest.name} sinks in by {deepest.sinkage:.3g} m, and is {deepest.height:.3g} m high'

    def reset(self) -> None:
        """Command nothing and forget all history."""
        self.table = np.zeros_like(self.table)
        self.odometry = self.start_odometry()
        self.recharge()

    @property
    def is_empty(self) -> bool:
        """Whether it has a battery, and that is empty."""
        return bool(len(self.charge)) and self.charge[STORED] <= 0.0

    def recharge(self) -> None:
        """Give the battery its charge of the start."""
        if self.config.battery is not None:
            self.charge[:] = full_charge(self.config.battery)

    def values(self) -> Vector:
        """Return all that evolves except odometry, shape (k,); a gear with more than its table adds that before it."""
        return self.table.reshape(-1)

    def take(self, values: Vector) -> None:
        """Restore what :meth:`values` returned."""
        self.table = values.reshape(self.table.shape).copy()


def checked_parameters(schema: type[Checked], config: VehicleModelConfig, parameters: dict[str, Any]) -> Checked:
    """Return a gear's parameters as its schema has them.

    Raises:
        InputError: Naming file, key, value and what is allowed.
    """
    if config.source is None:
        return schema.model_validate(parameters)
    return validated(schema, parameters, config.source, PARAMETERS)


def parameter_indices(model: Any, kind: str, names: list[tuple[str, str]], mjcf: str, where: str) -> Indices:
    """Return the indices of things of an MJCF file that a gear's parameters name.

    Args:
        names: Key among the parameters, and name, of each.
        mjcf: Name of the MJCF file.
        where: vehicle's file.

    Raises:
        VehicleModelError: Naming the key and what there is.
    """
    found = [index_of(model, kind, name, mjcf, where, '.'.join((*PARAMETERS, key))) for key, name in names]
    return np.array(found, dtype=np.int64)


def known_running_gears() -> tuple[str, ...]:
    """Return the names of the gears of other packages, in name order."""
    return tuple(point.name for point in entry_points(GROUP))


def running_gear_class(name: str) -> type[RunningGear]:
    """Return a gear of another package.

    Raises:
        ValueError: If there is none of that name (lists those there are), or it cannot be loaded.
    """
    points = {point.name: point for point in entry_points(GROUP)}
    if name not in points:
        raise PluginError(f'running gear {name!r} is not installed; allowed: {", ".join(points) or "none is"}')
    found = load_plugin(points[name])
    if not (isinstance(found, type) and issubclass(found, RunningGear)):
        raise PluginError(f'running gear {name!r} leads to {found!r}; allowed: a subclass of RunningGear')
    return found
