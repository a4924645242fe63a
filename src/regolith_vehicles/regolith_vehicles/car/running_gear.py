# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Running gear of a car: driver inputs, steering, powertrain, and forces of ground and struts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain import TerrainModel, contact
from regolith_terrain.contact import ContactSetting, GroundContact
from regolith_vehicles.car import forces
from regolith_vehicles.car.config import CarConfig
from regolith_vehicles.car.forces import CarArrays, Struts
from regolith_vehicles.car.speed_controller import speed_control, steered, traction_limit
from regolith_vehicles.commands.command import ACKERMANN, PEDALS, TWIST, AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.contact.wheel_shapes import axle_frame
from regolith_vehicles.contact.wheel_state import measure_wheels, slip_and_sinkage
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.dynamics.run_statistics import Progress
from regolith_vehicles.dynamics.substeps import Controls, RunningGearHooks
from regolith_vehicles.powertrain.columns import STATES, STEERING, THROTTLE
from regolith_vehicles.powertrain.powertrain import Powertrain
from regolith_vehicles.running_gear import (
    PARAMETERS,
    ContactPart,
    Contacts,
    GearPlan,
    RunningGear,
    Sunk,
    checked_parameters,
    parameter_indices,
)
from regolith_vehicles.tires import Tire
from regolith_vehicles.tires.terrain_contact import flexible_shape, tire_contact
from regolith_vehicles.tires.wheel_tire import wheel_tire
from regolith_vehicles.visuals.visual_description import PartRole, Roller
from regolith_world.cycle import StateField, StateLayout, state_fields
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_TENDON, _JOINT = int(mujoco.mjtEq.mjEQ_TENDON), int(mujoco.mjtWrap.mjWRAP_JOINT)
LOCKED_OUT = 1.0
"""Speed above which the gear does not change between forward and reverse [m/s]."""


class Car(RunningGear):
    """Wheels with tires and a powertrain; the table has the columns of :mod:`regolith_vehicles.contact.wheel_state`.

    A command is steering (-1 right to 1 left), throttle and braking (0 to 1) and direction (below 0: reverse gear). It
    is given as :meth:`ramp`'s target, or computed from a twist or an Ackermann command
    (:mod:`regolith_vehicles.car.speed_controller`).
    """

    STATE = StateLayout(
        'car',
        *state_fields('<f8', 'command', 'cruising'),
        *state_fields('<f8', 'state', 'wound_up', shared=True),
        StateField('table', '<f8'),
    )
    columns = wheel_state.NAMES
    faces = (TWIST, ACKERMANN, PEDALS)
    run = RunningGearHooks(drive=forces.drive)

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path, **parameters: Any) -> None:
        """Make the running gear.

        Args:
            config: Vehicle model.
            body: Multibody model.
            mjcf_path: Path of the MJCF file.
            **parameters: Parameters as in :class:`regolith_vehicles.car.config.CarConfig`.

        Raises:
            VehicleModelError: If a name is not in the MJCF file.
            InputError: If a parameter is invalid; names file, key, value and allowed values.
        """
        self.where = config.file or str(mjcf_path)
        self.mjcf = Path(mjcf_path).name
        self.car = checked_parameters(CarConfig, config, parameters)
        self.model = body.model
        wheels = self.car.wheels
        self.bodies = self._find('body', [(f'wheels.{k}.body', w.body) for k, w in enumerate(wheels)])
        self.joints_of = self._find('joint', [(f'wheels.{k}.joint', w.joint) for k, w in enumerate(wheels)])
        self.dofs = body.model.jnt_dofadr[self.joints_of].astype(np.int64)
        self.angles = body.model.jnt_qposadr[self.joints_of].astype(np.int64)
        self.radius = np.array([w.radius_m for w in wheels])
        self.half_width = np.array([0.5 * w.width_m for w in wheels])
        place = self._place(body.base)
        full = math.radians(self.car.steering.wheel_angle_deg)
        # Whether each wheel steers; a wheel without steering counts with an angle of 0.
        every = np.ones(len(wheels), dtype=bool)
        self.layout = WheelLayout(place[:, 0], place[:, 1], self.radius, every, full, math.inf, engine=True)
        super().__init__(config, body, mjcf_path)
        self.actuators = self._find('actuator', [('steering.actuator', self.car.steering.actuator)])
        self.struts = self._struts()
        self.driveshaft = int(self._find('actuator', [('driveshaft', self.car.driveshaft)])[0])
        self.train = self._train()
        self.brake_torque = np.array([w.brake_torque_nm for w in wheels])
        # Applied by every reset of MuJoCo's data, with which a placement starts.
        locks = self._find(
            'equality', [(f'differential_locks.{k}', name) for k, name in enumerate(self.car.differential_locks)]
        )
        self.model.eq_active0[locks] = self.car.differentials_locked
        self.drive_ratio = np.array([w.drive_ratio for w in wheels])
        named = [(k, w.upright) for k, w in enumerate(wheels) if w.upright is not None]
        self.uprights = np.full(len(wheels), -1, dtype=np.int64)
        self.uprights[[k for k, _ in named]] = self._find('body', [(f'wheels.{k}.upright', b) for k, b in named])
        self.wheelbase = float(np.ptp(self.layout.x))
        self.command = np.zeros(4)
        self.cruising = np.zeros(2)
        """Forward speed [m/s] and the controller's integral [m]."""
        self.mounted = self.car.powertrains[self.car.powertrain].engine.reaction_on_chassis
        self.state = np.zeros(STATES)
        self.wound_up = np.zeros(len(wheels))

    def _place(self, base: int) -> Vector:
        """Return the positions of the wheels in the frame of body ``base`` [m], shape (w, 3)."""
        data = mujoco.MjData(self.model)
        data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        mujoco.mj_kinematics(self.model, data)
        return np.asarray(data.xpos[self.bodies] - data.xpos[base])

    def _find(self, kind: str, names: list[tuple[str, str]]) -> Indices:
        """Return the indices of elements of the MJCF file by (key, name)."""
        return parameter_indices(self.model, kind, names, self.mjcf, self.where)

    def _struts(self) -> Struts:
        springs, dampers = self.car.springs, self.car.dampers
        curves = [spring.knots() for spring in springs]
        longest = max(map(len, curves), default=1)
        knots = np.zeros((len(springs), longest, 2))
        for k, curve in enumerate(curves):
            knots[k, : len(curve)] = curve
            # Beyond the last point the value is constant; the points that fill up the table are further on.
            knots[k, len(curve) :, 0] = curve[-1, 0] + 1.0 + np.arange(longest - len(curve))
            knots[k, len(curve) :, 1] = curve[-1, 1]
        damping = np.array(
            [
                (*d.range_m, d.compression_nspm, d.rebound_nspm, d.compression_outside_nspm, d.rebound_outside_nspm)
                for d in dampers
            ]
        ).reshape(-1, 6)
        return Struts(
            self._find('actuator', [(f'springs.{k}.actuator', s.actuator) for k, s in enumerate(springs)]),
            knots,
            self._find('actuator', [(f'dampers.{k}.actuator', d.actuator) for k, d in enumerate(dampers)]),
            damping,
        )

    def _train(self) -> Powertrain:
        config = self.car.powertrains[self.car.powertrain]
        return self.powertrain(config, self.car.powertrain, self._shaft_inertia())

    def _shaft_inertia(self) -> float:
        """Return the inertia of the driveshaft for a sudden torque, with all wheels in the air [kg m^2]."""
        data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, data)
        moment = np.zeros((1, self.model.nv))
        mujoco.mju_sparse2dense(
            moment,
            data.actuator_moment,
            data.moment_rownnz[[self.driveshaft]],
            data.moment_rowadr[[self.driveshaft]],
            data.moment_colind,
        )
        speeded = np.zeros((1, self.model.nv))
        mujoco.mj_solveM(self.model, data, speeded, moment)
        return 1.0 / portable_math.dot(moment[0], speeded[0])

    @cached_property
    def tires(self) -> dict[int, Tire]:
        """Tires by the index of their wheel."""
        return {
            k: wheel_tire(
                self.config,
                '.'.join((*PARAMETERS, f'wheels.{k}.tire')),
                wheel.tire,
                wheel.radius_m,
                wheel.tire_mode,
            )
            for k, wheel in enumerate(self.car.wheels)
            if wheel.tire is not None
        }

    def parts(self, mjcf_path: Path) -> tuple[ContactPart, ...]:
        """Return the wheels."""
        return tuple(
            ContactPart(
                f'wheel {wheel.name}',
                int(body),
                flexible_shape(self.tires.get(k)) or contact.cylinder(wheel.radius_m, wheel.width_m),
                frame=axle_frame(self.model.jnt_axis[joint]),
            )
            for k, (wheel, body, joint) in enumerate(zip(self.car.wheels, self.bodies, self.joints_of, strict=True))
        )

    @property
    def rollers(self) -> tuple[Roller, ...]:
        """Wheels as rollers."""
        return tuple(
            Roller(int(body), w.name, PartRole.WHEEL, w.radius_m, w.width_m)
            for w, body in zip(self.car.wheels, self.bodies, strict=True)
        )

    @property
    def special_contact(self) -> Callable[[TerrainModel, ContactSetting], GroundContact | None] | None:
        """Factory of the tires' contact."""
        return partial(tire_contact, self.tires) if self.tires else None

    @property
    def contact_area(self) -> float:
        """Area of all wheels, chord times width at a sinkage of half the radius [m^2]."""
        return math.fsum(math.sqrt(3.0) * w.radius_m * w.width_m for w in self.car.wheels)

    @property
    def top_speed(self) -> float:
        """Speed at the engine's maximum speed in the highest gear, without slip [m/s]."""
        per_wheel = float(self.drive_ratio.sum())
        return float(self.train.full[-1, 0] * self.train.ratio[-1] / per_wheel * self.radius.max())

    def support_points(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return the wheels' lowest points; see the base class."""
        place = data.xpos[self.bodies]
        return place[:, 0], place[:, 1], place[:, 2] - self.radius

    def targets(self, command: DriveCommand) -> tuple[Vector, ...]:
        """Return the targets of :meth:`ramp`: driver inputs, speed and angle, or the twist."""
        if command.joints:
            named = ', '.join(sorted(command.joints))
            raise VehicleError(f'command has targets of joints {named}; allowed: none for a car')
        if isinstance(command.by, PedalCommand):
            *inputs, reverse = command.by
            return (np.array([*inputs, -1.0 if reverse else 1.0]),)
        if isinstance(command.by, AckermannCommand):
            return np.array([command.by.speed]), np.array([command.by.steering_angle])
        return (np.array([command.linear, command.angular]),)

    def ramp(self, duration: float, *targets: ArrayLike) -> tuple[Vector, Vector]:
        """Return commands at both ends of a cycle.

        Args:
            duration: Duration of the cycle [s].
            *targets: Forward speed [m/s] and yaw rate [rad/s], shape (2,); or forward speed and angle of the steered
                wheels [rad], shape (1,) each; or steering, throttle, braking and optionally direction, shape (3,) or
                (4,).
        """
        given = np.concatenate([np.asarray(target, dtype=np.float64) for target in targets])
        speed, integral = self.cruising.tolist()
        if len(given) == 2:
            full = math.radians(self.car.steering.wheel_angle_deg)
            linear, turn = given.tolist()
            steering = turn / full if len(targets) == 2 else steered(linear, turn, speed, self.wheelbase, full)
            wanted, self.cruising[1] = speed_control(linear, steering, speed, integral, duration)
            left = traction_limit(self._rim_speed() - abs(speed), speed)
            if left < 1.0 and wanted[THROTTLE] > 0.0:
                wanted[THROTTLE], self.cruising[1] = left * wanted[THROTTLE], integral
        else:
            wanted, self.cruising[1] = np.array([*given, 1.0])[:4], 0.0
            if (wanted[3] < 0.0) != (self.command[3] < 0.0) and abs(speed) > LOCKED_OUT:
                wanted[3] = self.command[3]
        wanted = np.clip(wanted, (-1.0, 0.0, 0.0, -1.0), 1.0)
        if self.car.pedal_time_s > 0.0:
            most = duration / self.car.pedal_time_s
            wanted[:3] = np.clip(wanted[:3], self.command[:3] - most, self.command[:3] + most)
        if self.car.steering.max_rate_degps is not None:
            most = self.car.steering.max_rate_degps / self.car.steering.max_angle_deg * duration
            before = float(self.command[STEERING])
            wanted[STEERING] = min(max(float(wanted[STEERING]), before - most), before + most)
        return self.command, wanted

    def _rim_speed(self) -> float:
        """Return the speed of the fastest driven rim at the end of the last cycle [m/s]."""
        rims = np.abs(self.table[:, wheel_state.SPIN]) * self.radius
        return float(rims[self.drive_ratio > 0.0].max(initial=0.0))

    @property
    def at_rest(self) -> Vector:
        """Command with the brakes applied."""
        return np.array([0.0, 0.0, 1.0, 1.0])

    def plan_ramp(self, data: Any, begin: Vector, end: Vector) -> GearPlan:
        """Return angles of the steering linkage [rad], arguments of the drive, and angles of wheels and axles [rad]."""
        full = math.radians(self.car.steering.max_angle_deg)
        controls = Controls(self.actuators, np.array([begin[STEERING] * full]), np.array([end[STEERING] * full]))
        driving = CarArrays(
            self.struts,
            self.train,
            self.driveshaft,
            begin,
            end,
            self.dofs,
            self.brake_torque,
            self.drive_ratio,
            self.uprights,
            self.body.base,
            self.mounted,
            self.state,
            self.wound_up,
        )
        return GearPlan(begin, end, controls, driving, (np.array(data.qpos[self.angles]), self.steer_angles(data)))

    def roll(self, data: Any, speed: float) -> None:
        """Set the speeds of rolling wheels and of the joints coupled to them by tendons; driver inputs are zero."""
        model = self.model
        data.qvel[self.dofs] = speed / self.radius
        known = {int(dof) for dof in self.dofs}
        fixed = [k for k in range(model.neq) if int(model.eq_type[k]) == _TENDON]
        rows = []
        for k in fixed:
            tendon = int(model.eq_obj1id[k])
            wraps = range(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon])
            if all(int(model.wrap_type[w]) == _JOINT for w in wraps):
                joints = [int(model.jnt_dofadr[model.wrap_objid[w]]) for w in wraps]
                rows.append(dict(zip(joints, (float(model.wrap_prm[w]) for w in wraps), strict=True)))
        while tied := next((row for row in rows if len(row.keys() - known) == 1), None):
            (dof,) = tied.keys() - known
            data.qvel[dof] = -sum(ratio * data.qvel[other] for other, ratio in tied.items() if other != dof) / tied[dof]
            known.add(dof)
        self.command = np.zeros(4)
        self.wound_up[:] = 0.0

    def steer_angles(self, data: Any) -> Vector:
        """Return the steering angles of the wheels' axles in the chassis plane [rad], positive to the left.

        For odometry these are the angles that sensors on the uprights would measure, including toe and suspension
        play.
        """
        local = portable_math.times(data.xaxis[self.joints_of], data.xmat[self.body.base].reshape(3, 3))
        return portable_math.each(math.atan2, -local[:, 0], local[:, 1])

    def finish(self, data: Any, plan: GearPlan, contacts: Contacts, duration: float) -> Progress:
        """Store the command and the present speed, advance odometry and fill the table; see the base class.

        The steering angles of the table are those of the wheels relative to the chassis. Only throttle is a command to
        move: brakes and direction are also set at rest.
        """
        self.command = plan.end
        turned, angles = data.qpos[self.angles] - plan.before[0], self.steer_angles(data)
        self.advance_odometry(data, turned, 0.5 * (plan.before[1] + angles), duration)
        self.cruising[0] = portable_math.dot(data.qvel[:3], data.xmat[self.body.base].reshape(3, 3)[:, 0])
        window = contacts.window
        measure_wheels(
            window.base,
            window.level,
            window.i0,
            window.j0,
            window.spacing,
            data.xpos[self.bodies],
            data.xaxis[self.joints_of],
            contacts.velocity,
            data.qvel[self.dofs],
            angles,
            self.radius,
            self.half_width,
            contacts.force,
            contacts.torque,
            contacts.stats,
            self.table,
        )
        moving = bool(max(plan.begin[THROTTLE], plan.end[THROTTLE]) > 0.0)
        return Progress(moving, turned / duration * self.radius, *slip_and_sinkage(self.table))

    @classmethod
    def patch(cls, config: VehicleModelConfig) -> float:
        """Return the smallest width or radius of a wheel [m]; see the base class."""
        assert config.running_gear is not None
        wheels = checked_parameters(CarConfig, config, config.running_gear.parameters).wheels
        return min(min(wheel.width_m, wheel.radius_m) for wheel in wheels)

    def sunk(self) -> tuple[Sunk, ...]:
        """Return the sinkage of the wheels."""
        sinkages = self.table[:, wheel_state.SINKAGE_TOTAL].tolist()
        return tuple(
            Sunk(f'wheel {wheel.name}', sinkage, 2.0 * wheel.radius_m)
            for wheel, sinkage in zip(self.car.wheels, sinkages, strict=True)
        )

    def reset(self) -> None:
        """Reset to zero command and first gear, without contact memory."""
        super().reset()
        self.command = np.zeros(4)
        self.cruising[:] = 0.0
        self.state[:] = 0.0
        self.wound_up[:] = 0.0
