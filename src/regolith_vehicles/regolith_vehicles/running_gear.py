# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Interface of running gears: wheels, or a running gear of another package.

A running gear defines the parts that touch the ground. It computes actuator targets from a command, computes odometry,
and keeps a table of named columns with one row per part. A cycle calls it in this order:

1. :meth:`RunningGear.targets`: command to targets of its actuators.
2. :meth:`RunningGear.plan`: targets to inputs of the compiled loop.
3. :attr:`RunningGear.run`: its functions in each substep of the loop.
4. :meth:`RunningGear.finish`: results of the loop to odometry and table.

A loop without functions of a running gear uses only controls that change linearly from one value to another, and parts
with wrenches. Placement calls :meth:`RunningGear.plan_ramp` with :attr:`RunningGear.at_rest`, the loop, and
:meth:`RunningGear.settle`.
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

from regolith_files import PluginError, Section, entry_points, load_plugin, validated
from regolith_terrain import TerrainModel
from regolith_terrain.contact import ContactSetting, GroundContact, Shapes
from regolith_terrain.grid import SoilWindow
from regolith_terrain.solids import STIFFNESS_OF_PART
from regolith_vehicles.commands.command import TWIST, AckermannCommand, DriveCommand
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.model_checks import index_of
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.dynamics.odometry import Odometry, slope_of
from regolith_vehicles.dynamics.run_statistics import Progress
from regolith_vehicles.powertrain.battery import STORED, full_charge
from regolith_vehicles.powertrain.config import PowertrainConfig
from regolith_vehicles.powertrain.powertrain import Powertrain, make_powertrain
from regolith_vehicles.visuals.visual_description import DrawnPart, Roller
from regolith_world.cycle import Saved, StateField, StateLayout
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

GROUP = 'regolith.running_gears'
"""Entry point group of running gears; an entry point refers to a RunningGear class."""


PARAMETERS = ('running_gear', 'parameters')
"""Path of a running gear's parameters in a vehicle's file."""

Checked = TypeVar('Checked', bound=Section)


@dataclass(frozen=True, slots=True)
class ContactPart:
    """Part of a vehicle that can touch the ground."""

    name: str
    """Name for errors, e.g. 'wheel front_left'."""
    body: int
    """MJCF body of the part."""
    shape: Shapes
    """Shape of the part."""
    offset: Vector = field(default_factory=lambda: np.zeros(3))
    """Origin of the shape in the body frame [m], shape (3,)."""
    frame: Vector = field(default_factory=lambda: np.eye(3))
    """Rotation of the shape in the body frame, shape (3, 3). The y axis of a cylinder is the axle."""
    layer: int | None = None
    """Index of the soil memory among those of the running gear, for parts that share one; None: own memory."""
    stiffness: float = STIFFNESS_OF_PART
    """Stiffness of the part in contact with a solid [N/m]."""
    own_mass: float = math.inf
    """Mass that yields at once in contact with a solid, such as a shoe [kg]; inf: all that its body supports."""


@dataclass(frozen=True, slots=True)
class TelemetryQuantity:
    """Quantity that a running gear publishes for some of its parts, for plots."""

    name: str
    """Name, e.g. 'sinkage'; quantities of one name share a plot."""
    unit: str
    """SI unit, e.g. 'm'; '' for ratios."""
    parts: tuple[str, ...]
    """Names of the parts, one per value."""


class Sunk(NamedTuple):
    """Sinkage of one part of a running gear."""

    name: str
    """Name of the part, as in 'wheel front_left'."""
    sinkage: float
    """Depth of its lowest point below the undisturbed ground [m]."""
    height: float
    """Height from its lowest point to its top [m]."""


class GearPlan(NamedTuple):
    """Inputs of the compiled loop from a running gear in a cycle, and its state at the start."""

    begin: Vector
    """Command at the start of the cycle, shape (m,)."""
    end: Vector
    """Command at the end of the cycle, shape (m,)."""
    controls: substeps.Controls
    """Controls of the actuators."""
    driving: Any = None
    """First argument of the functions in :attr:`RunningGear.run`; None: the loop calls only those of parts."""
    before: Any = None
    """State at the start that :meth:`RunningGear.finish` needs."""


class Contacts(NamedTuple):
    """Contacts of the running gear's parts with the ground in the last substep of a cycle."""

    window: SoilWindow
    """Soil at the end of the cycle."""
    velocity: Vector
    """Velocities of the parts' origins, world axes [m/s], shape (n, 3)."""
    force: Vector
    """Forces on the parts, world axes [N], shape (n, 3)."""
    torque: Vector
    """Torques about the parts' origins, world axes [N m], shape (n, 3)."""
    stats: Vector
    """Statistics of the contacts by the STAT columns, shape (n, STAT_COUNT)."""


class RunningGear(Saved, ABC):
    """Running gear of one vehicle; its complete state is declared in STATE, except odometry and charge.

    A running gear with more state than its table declares its fields before the table.
    """

    STATE = StateLayout('running gear', StateField('table', '<f8'))

    columns: tuple[str, ...] = ()
    """Names of the table's columns."""
    quantities: tuple[TelemetryQuantity, ...] = ()
    """Telemetry for plots, with values from :meth:`telemetry`; wheels have separate messages."""
    drawn: tuple[DrawnPart, ...] = ()
    """Drawn parts that are not bodies of the MJCF file, at the poses of :meth:`drawn_poses`."""
    faces: tuple[str, ...] = (TWIST,)
    """Supported command interfaces (:attr:`DriveCommand.interface`); the vehicle subscribes to their topics only."""
    wheelbase: float = 0.0
    """Distance from the rearmost to the foremost axle [m], for the curvature of an Ackermann command."""
    joints: tuple[str, ...] = ()
    """Joints that a command may set (:attr:`DriveCommand.joints`); targets of other joints are refused."""
    joint_limits: Mapping[str, tuple[float, float]] = MappingProxyType({})
    """Minimum and maximum target of joints with limits."""
    scaled_wheels: tuple[str, ...] = ()
    """Wheels whose speeds a command may scale (:attr:`DriveCommand.wheels`)."""
    faults: Any = None
    """Faults of the vehicle (:class:`regolith_vehicles.faults.VehicleFaults`); None: it has none."""
    traction: Any = None
    """Traction control (:class:`regolith_vehicles.traction.TractionControl`); None: there is none."""
    actuators: Indices
    """Indices of its actuators in MuJoCo's controls, shape (m,)."""
    run: substeps.RunningGearHooks = substeps.RunningGearHooks()
    """Compiled functions called in each substep."""
    layout: WheelLayout | None = None
    """Wheels used for odometry, or their equivalents; None: it has no odometry and publishes none."""

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path) -> None:
        """Make the running gear of a vehicle.

        Raises:
            VehicleModelError: If the vehicle's files do not define a running gear of this type.
        """
        self.config, self.body = config, body
        self.charge = np.zeros(0) if config.battery is None else full_charge(config.battery)
        """State of the vehicle's battery (:mod:`regolith_vehicles.powertrain.battery`); (0,) without one."""
        self.is_locked: Callable[[], bool] = lambda: False
        """Returns whether the battery was empty and does not supply motors yet."""
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
        """Area that can press on the ground at once [m^2]; it limits the maximum substep."""

    @property
    @abstractmethod
    def top_speed(self) -> float:
        """Maximum forward speed that can be commanded [m/s]."""

    @property
    def rollers(self) -> tuple[Roller, ...]:
        """Bodies that rotate on axles, with their names in messages: wheels in table order, sprockets, …."""
        return ()

    def drawn_poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return the poses of :attr:`drawn` in the world: positions [m] and quaternions (x, y, z, w).

        Their shapes are (n, 3) and (n, 4). The caller copies the arrays after every commit while poses are requested.

        Args:
            data: MuJoCo state (mujoco.MjData).
        """
        return np.zeros((0, 3)), np.zeros((0, 4))

    @property
    def special_contact(self) -> Callable[[TerrainModel, ContactSetting], GroundContact | None] | None:
        """Factory of special contacts, as for tires; it returns None for terrain models with the default contact."""
        return None

    @abstractmethod
    def support_points(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return x, y and z [m] of the vehicle's support points in the base frame, shape (k,) each.

        Args:
            data: MuJoCo state (mujoco.MjData) with the base at the world's origin and all joints at zero.
        """

    def twist(self, command: DriveCommand) -> tuple[float, float]:
        """Return forward speed [m/s] and yaw rate [rad/s] of a twist or Ackermann command.

        At steering angle d a bicycle of wheelbase L turns with v tan(d) / L.

        Source: rajamani2012, section 2.2.
        Checked by: test_command_interfaces.py::test_ackermann_angle_sets_the_curvature.
        """
        if isinstance(command.by, AckermannCommand):
            speed, angle = command.by[:2]
            return speed, speed * math.tan(angle) / self.wheelbase
        return command.linear, command.angular

    @abstractmethod
    def targets(self, command: DriveCommand) -> tuple[Vector, ...]:
        """Return the targets of the actuators for :meth:`plan`."""

    @abstractmethod
    def ramp(self, duration: float, *targets: ArrayLike) -> tuple[Vector, Vector]:
        """Return commands at the start and the end of a cycle within limits of value and rate, shape (m,) each.

        Args:
            duration: Duration of the cycle [s].
            *targets: Targets of the actuators, from :meth:`targets`.
        """

    def plan(self, data: Any, duration: float, *targets: ArrayLike) -> GearPlan:
        """Return the inputs of the compiled loop in a cycle.

        Args:
            data: MuJoCo state (mujoco.MjData) at the start of the cycle.
            duration: Duration of the cycle [s].
            *targets: Targets of the actuators, from :meth:`targets`.
        """
        return self.plan_ramp(data, *self.ramp(duration, *targets))

    def plan_ramp(self, data: Any, begin: Vector, end: Vector) -> GearPlan:
        """Return the inputs of the compiled loop between two commands; by default the commands are the controls.

        Args:
            data: MuJoCo state (mujoco.MjData) at the start of the cycle.
            begin: Command at the start of the cycle, from :meth:`ramp` or :attr:`at_rest`.
            end: Command at the end of the cycle.
        """
        return GearPlan(begin, end, substeps.Controls(self.actuators, begin, end))

    def joint_goals(self) -> dict[str, float]:
        """Return the present targets of :attr:`joints` by name."""
        return {}

    @property
    def at_rest(self) -> Vector:
        """Command of a vehicle at rest; it applies during placement."""
        return np.zeros(len(self.actuators))

    def powertrain(self, config: PowertrainConfig, name: str, shaft_inertia: float) -> Powertrain:
        """Return a powertrain that draws power from the vehicle's battery.

        Args:
            config: Configuration of the powertrain.
            name: Name of the powertrain in the vehicle's file.
            shaft_inertia: Moment of inertia of the driveshaft for a sudden torque [kg m^2].

        Raises:
            VehicleModelError: If the powertrain needs a battery and the vehicle has none.
        """
        try:
            return make_powertrain(config, self.config.battery, self.charge, shaft_inertia)
        except ValueError as error:
            problem, _, allowed = str(error).partition('; allowed: ')
            key = '.'.join((*PARAMETERS, 'powertrains', name))
            raise VehicleModelError(self.config.file, key, None, allowed, problem) from None

    def whereabouts(self, data: Any) -> tuple[Vector, Vector] | None:
        """Return centers [m] and velocities [m/s] of the parts in the world, shape (n, 3) each.

        None: the parts are fixed to their bodies.

        Args:
            data: MuJoCo state (mujoco.MjData) at the start or the end of a cycle.
        """
        return None

    def part_poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return positions [m] and quaternions (x, y, z, w) of the parts in the world, shapes (n, 3) and (n, 4)."""
        bodies = [part.body for part in self.touching]
        return data.xpos[bodies], data.xquat[bodies][:, [1, 2, 3, 0]]

    @abstractmethod
    def finish(self, data: Any, plan: GearPlan, contacts: Contacts, duration: float) -> Progress:
        """Update the running gear after a cycle: store its command, advance odometry, fill the table.

        Args:
            data: MuJoCo state (mujoco.MjData) at the end of the cycle.
            plan: Result of :meth:`plan`.
            contacts: Contacts of the parts in the last substep.
            duration: Duration of the cycle [s].

        Returns:
            What the run statistics count.
        """

    def settle(self, data: Any, plan: GearPlan, duration: float) -> None:
        """Update the running gear after a cycle of placement, without a command; as :meth:`finish`."""

    def roll(self, data: Any, speed: float) -> None:
        """Set the speeds of the moving parts for a vehicle that rolls forward.

        Args:
            data: MuJoCo state (mujoco.MjData); its qvel is changed.
            speed: Forward speed [m/s].
        """

    def telemetry(self) -> Vector:
        """Return the values of all :attr:`quantities`, one after the other, shape (total number of parts,)."""
        return np.zeros(0)

    def start_odometry(self) -> Odometry | None:
        """Return new odometry; None for a running gear without odometry."""
        return None if self.layout is None else Odometry.start(self.layout, self.config.odometry)

    def advance_odometry(self, data: Any, turned: Vector, angles: Vector, duration: float) -> None:
        """Advance odometry by a cycle.

        Args:
            data: MuJoCo state (mujoco.MjData) at the end of the cycle.
            turned: Rotation of each wheel of :attr:`layout` in the cycle [rad], shape (n,).
            angles: Mean steering angles of the wheels in the cycle [rad], shape (n,).
            duration: Duration of the cycle [s].
        """
        if self.odometry is not None and self.layout is not None:
            gravity = self.body.model.opt.gravity
            slope = slope_of(data.xmat[self.body.base].reshape(3, 3), gravity)
            self.odometry.advance(
                self.layout, self.config.odometry, turned, angles, duration, slope, float(portable_math.norm(gravity))
            )

    @classmethod
    def patch(cls, config: VehicleModelConfig) -> float:
        """Return the shorter side of the smallest contact area of a part with the ground [m]; inf if unknown.

        Args:
            config: Vehicle model with this running gear.
        """
        return math.inf

    def sunk(self) -> tuple[Sunk, ...]:
        """Return the sinkage of the parts; empty for a running gear that does not compute it."""
        return ()

    def penetration_error(self, part_of_height: float = 1.0) -> str:
        """Return the part with the largest sinkage for its height, as an error; '' if no part is too deep.

        Args:
            part_of_height: Largest accepted sinkage divided by height [-].
        """
        deepest = max(self.sunk(), key=lambda each: each.sinkage / each.height, default=None)
        if deepest is None or not deepest.sinkage > part_of_height * deepest.height:
            return ''
        return f'{deepest.name} sinks in by {deepest.sinkage:.3g} m, and is {deepest.height:.3g} m high'

    def reset(self) -> None:
        """Reset to the initial state, without a command and without history."""
        self.table = np.zeros_like(self.table)
        self.odometry = self.start_odometry()
        self.recharge()

    @property
    def is_empty(self) -> bool:
        """Whether the vehicle has a battery and the battery is empty."""
        return bool(len(self.charge)) and (self.charge[STORED] <= 0.0 or self.is_locked())

    def recharge(self) -> None:
        """Set the battery to its initial charge."""
        if self.config.battery is not None:
            self.charge[:] = full_charge(self.config.battery)


def checked_parameters(schema: type[Checked], config: VehicleModelConfig, parameters: dict[str, Any]) -> Checked:
    """Return a running gear's parameters, validated by its configuration class.

    Raises:
        InputError: If a parameter is invalid; names file, key, value and allowed values.
    """
    if config.source is None:
        return schema.model_validate(parameters)
    return validated(schema, parameters, config.source, PARAMETERS)


def parameter_indices(model: Any, kind: str, names: list[tuple[str, str]], mjcf: str, where: str) -> Indices:
    """Return the indices of elements of an MJCF file that a running gear's parameters refer to.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        kind: Type of the elements, e.g. 'joint'.
        names: Key in the parameters and name of each element.
        mjcf: Name of the MJCF file.
        where: Vehicle's file.

    Raises:
        VehicleModelError: If an element does not exist; names the key and the elements of the model.
    """
    found = [index_of(model, kind, name, mjcf, where, '.'.join((*PARAMETERS, key))) for key, name in names]
    return np.array(found, dtype=np.int64)


def known_running_gears() -> tuple[str, ...]:
    """Return the names of the running gears of other packages, in order."""
    return tuple(point.name for point in entry_points(GROUP))


def running_gear_class(name: str) -> type[RunningGear]:
    """Return the class of a running gear of another package.

    Raises:
        ValueError: If no running gear has this name (lists the installed ones), or it cannot be loaded.
    """
    points = {point.name: point for point in entry_points(GROUP)}
    if name not in points:
        raise PluginError(f'running gear {name!r} is not installed; allowed: {", ".join(points) or "none is"}')
    found = load_plugin(points[name])
    if not (isinstance(found, type) and issubclass(found, RunningGear)):
        raise PluginError(f'running gear {name!r} refers to {found!r}; allowed: a subclass of RunningGear')
    return found
