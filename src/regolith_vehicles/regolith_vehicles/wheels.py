# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Running gear of wheels: speed servos, optional steering, and odometry from wheel rotation."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain import TerrainModel
from regolith_terrain.contact import ContactSetting, GroundContact
from regolith_terrain.solids import STIFFNESS_OF_PART
from regolith_vehicles.commands.command import ACKERMANN, TWIST, DriveCommand
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.contact.wheel_shapes import axle_frame, wheel_shape
from regolith_vehicles.contact.wheel_state import measure_wheels, slip_and_sinkage
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.dynamics.joint_servos import JointServos
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_vehicles.dynamics.motors import Motors
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.dynamics.run_statistics import Progress
from regolith_vehicles.dynamics.substeps import Controls
from regolith_vehicles.powertrain.battery import draw, make_battery
from regolith_vehicles.powertrain.electric import wheel_motor, wheels_power
from regolith_vehicles.running_gear import ContactPart, Contacts, GearPlan, RunningGear, Sunk
from regolith_vehicles.tires import Tire
from regolith_vehicles.tires.terrain_contact import flexible_shape, tire_contact
from regolith_vehicles.tires.wheel_tire import wheel_tire
from regolith_vehicles.visuals.visual_description import PartRole, Roller
from regolith_world.cycle import StateLayout, state_fields

Vector = NDArray[np.float64]


class Wheels(RunningGear):
    """Wheels of a vehicle's file; the table's columns are those of :mod:`regolith_vehicles.contact.wheel_state`."""

    STATE = StateLayout(
        'wheels',
        *state_fields(
            '<f8', 'motors.command', 'motors.bias', 'motors.strayed', 'servos.command', 'servos.goal', 'table'
        ),
    )
    columns = wheel_state.NAMES

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path) -> None:
        self.layout = body.layout
        super().__init__(config, body, mjcf_path)
        self.motors = Motors(config, body)
        self.servos = JointServos(config, body)
        self._goal = self.servos.goal
        self.joints = self.servos.names
        self.joint_limits = {name: config.joints[name].limits for name in self.joints}
        self.scaled_wheels = tuple(wheel.name for wheel in config.wheels)
        self.wheelbase = float(np.ptp(body.layout.x))
        self.faces = (TWIST, ACKERMANN) if self.wheelbase > 0.0 else (TWIST,)
        self.actuators = np.concatenate((self.motors.actuators, self.servos.actuators))
        self._battery = None if config.battery is None else make_battery(config.battery)
        self._motor = wheel_motor(None if config.drive is None else config.drive.motor)
        self._others = np.setdiff1d(np.arange(body.model.nu), body.wheel_actuator)

    def parts(self, mjcf_path: Path) -> tuple[ContactPart, ...]:
        """Return the wheels in the order of the file."""
        made = []
        axes = self.body.model.jnt_axis[self.body.wheel_joint]
        tires = self.tires
        for k, (wheel, body, axis) in enumerate(zip(self.config.wheels, self.body.wheel_body, axes, strict=True)):
            try:
                shape = flexible_shape(tires.get(k)) or wheel_shape(wheel, mjcf_path.parent)
            except ValueError as error:
                problem, _, allowed = str(error).partition('; allowed: ')
                where, key = self.config.file or mjcf_path, f'wheels.{wheel.name}'
                raise VehicleModelError(where, key, None, allowed or 'a solid with a volume', problem) from None
            frame = np.eye(3) if wheel.mesh is not None else axle_frame(axis)
            stiffness = wheel.stiffness_npm or STIFFNESS_OF_PART
            made.append(ContactPart(f'wheel {wheel.name}', int(body), shape, frame=frame, stiffness=stiffness))
        return tuple(made)

    @cached_property
    def tires(self) -> dict[int, Tire]:
        """Tires by the index of their wheel."""
        return {
            k: wheel_tire(self.config, f'wheels.{wheel.name}.tire', wheel.tire, wheel.radius_m)
            for k, wheel in enumerate(self.config.wheels)
            if wheel.tire is not None
        }

    @property
    def rollers(self) -> tuple[Roller, ...]:
        """Wheels as rollers."""
        plates = self.config.visuals.grousers
        return tuple(
            Roller(int(body), w.name, PartRole.WHEEL, w.radius_m, w.width_m, w.grousers or plates)
            for w, body in zip(self.config.wheels, self.body.wheel_body, strict=True)
        )

    @property
    def special_contact(self) -> Callable[[TerrainModel, ContactSetting], GroundContact | None] | None:
        """Factory of the tires' contact, if any wheel has a tire; other wheels use the default contact."""
        return partial(tire_contact, self.tires) if self.tires else None

    @property
    def contact_area(self) -> float:
        """Contact area of all wheels at a sinkage of half the radius, chord times width: sqrt(3) R w each [m^2].

        A single unsprung wheel is lighter than the vehicle, but it never sinks so deep that it would support this area
        alone.
        """
        return math.fsum(math.sqrt(3.0) * w.radius_m * w.width_m for w in self.config.wheels)

    @property
    def top_speed(self) -> float:
        """Speed at which the largest wheel rolls at its maximum speed [m/s]."""
        return self.body.layout.top_speed

    def support_points(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return the wheels' lowest points; see the base class."""
        layout = self.body.layout
        return layout.x, layout.y, data.xpos[self.body.wheel_body, 2] - self.body.radius

    def targets(self, command: DriveCommand) -> tuple[Vector, ...]:
        """Return wheel speeds [rad/s] and steering angles [rad] for the twist, shape (n,) each, and joint targets.

        Joint targets, in the units of their actuators, shape (k,), are included only if the vehicle's file has joints.
        """
        if not set(command.joints) <= set(self.joints):
            named = ', '.join(sorted(set(command.joints) - set(self.joints)))
            known = ', '.join(self.joints) or 'none: the targets of wheels follow from a twist'
            raise VehicleError(f'command has targets of joints {named}; allowed: {known}')
        wheels = wheel_commands(self.body.layout, *self.twist(command))
        for name, factor in command.wheels.items():
            wheels[0][self.scaled_wheels.index(name)] *= factor
        return (*wheels, self.servos.goals(command.joints)) if self.joints else wheels

    def ramp(self, duration: float, *targets: ArrayLike) -> tuple[Vector, Vector]:
        """Return commands at both ends of a cycle for the targets of :meth:`targets`; see the base class."""
        speeds, angles, *goal = (np.asarray(target, float) for target in targets)
        if self.traction is not None:
            speeds = self.traction.limited(speeds, self.table, duration)
        if self.is_empty:
            speeds = np.zeros_like(speeds)
        begin, end = self.motors.ramp(speeds, angles, duration)
        if not self.joints:
            return begin, end
        self._goal = goal[0] if goal else self.servos.goals({})
        begins, ends = self.servos.ramp(self._goal, duration)
        return np.concatenate((begin, begins)), np.concatenate((end, ends))

    def joint_goals(self) -> dict[str, float]:
        """Return the present targets of the file's joints by name."""
        return dict(zip(self.servos.names, self.servos.goal.tolist(), strict=True))

    def plan_ramp(self, data: Any, begin: Vector, end: Vector) -> GearPlan:
        """Return controls with the speeds that compensate load, and the angles of wheels and steering [rad]."""
        controls = Controls(self.actuators, self.motors.controls(begin), self.motors.controls(end))
        if self.faults is not None:
            self.faults.controls(controls.begin, controls.end)
        before = data.qpos[self.body.wheel_qpos], self.steer_angles(data)
        return GearPlan(begin, end, controls, before=before)

    def steer_angles(self, data: Any) -> Vector:
        """Return the steering angles of all wheels, zero for unsteered wheels [rad], shape (n,)."""
        angles = np.zeros(len(self.touching))
        steered = self.motors.steered
        angles[steered] = data.qpos[self.body.steer_qpos[steered]]
        return angles

    def finish(self, data: Any, plan: GearPlan, contacts: Contacts, duration: float) -> Progress:
        """Integrate the speed error, advance odometry and fill the table; see the base class."""
        body = self.body
        wheel_angles, steer_angles = plan.before
        begin, end = plan.begin, plan.end
        wheels = len(self.motors.actuators)
        self.motors.command, self.servos.command = end[:wheels], end[wheels:]
        if self.joints:
            self.servos.goal = self._goal
        turned = data.qpos[body.wheel_qpos] - wheel_angles
        wanted = 0.5 * (begin + end)[: len(turned)]
        wanted[: len(self.motors.returning)] += self.motors.returning
        self.motors.correct_droop(wanted - turned / duration, duration)
        self.motors.stand(turned, begin, end)
        angles = self.steer_angles(data)
        if self._battery is not None:
            self._take_power(data, turned, duration)
        counted = turned if self.faults is None else self.faults.counted(turned, duration)
        self.advance_odometry(data, counted, 0.5 * (steer_angles + angles), duration)
        window = contacts.window
        measure_wheels(
            window.base,
            window.level,
            window.i0,
            window.j0,
            window.spacing,
            data.xpos[body.wheel_body],
            data.xaxis[body.wheel_joint],
            contacts.velocity,
            data.qvel[body.wheel_dof],
            angles,
            body.radius,
            body.half_width,
            contacts.force,
            contacts.torque,
            contacts.stats,
            self.table,
        )
        moving = bool(end[:wheels].any()) or bool(begin[:wheels].any())
        return Progress(moving, turned / duration * body.radius, *slip_and_sinkage(self.table))

    def _take_power(self, data: Any, turned: Vector, duration: float) -> None:
        """Draw energy from the battery for a cycle, by the final torques and the rotation of the wheels."""
        assert self._battery is not None
        torques = data.qfrc_actuator[self.body.wheel_dof]
        power = wheels_power(self._motor, torques, turned / duration)
        force, speed = data.actuator_force[self._others], data.actuator_velocity[self._others]
        power += float(np.maximum(force * speed, 0.0).sum())
        draw(self._battery, self.charge, power + (0.0 if self.faults is None else self.faults.short_w), duration)

    def settle(self, data: Any, plan: GearPlan, duration: float) -> None:
        """Integrate the speed error that a slope causes; see the base class."""
        turned = data.qpos[self.body.wheel_qpos] - plan.before[0]
        self.motors.correct_droop(-turned / duration, duration)

    @classmethod
    def patch(cls, config: VehicleModelConfig) -> float:
        """Return the smallest width or radius of a wheel [m]; its contact with soil is about a radius long."""
        return config.smallest_wheel_m

    def sunk(self) -> tuple[Sunk, ...]:
        """Return the sinkage of the wheels."""
        sinkages = self.table[:, wheel_state.SINKAGE_TOTAL].tolist()
        return tuple(
            Sunk(f'wheel {wheel.name}', sinkage, 2.0 * wheel.radius_m)
            for wheel, sinkage in zip(self.config.wheels, sinkages, strict=True)
        )

    def reset(self) -> None:
        """Reset commands, integrators and joint targets; see the base class."""
        super().reset()
        self.motors.reset()
        self.servos.reset()
        self._goal = self.servos.goal
