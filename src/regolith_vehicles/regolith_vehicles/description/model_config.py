# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The sections of a vehicle's YAML file: wheels, motors, limits, collision shapes, looks."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PrivateAttr, field_validator, model_validator

from regolith_files.problems import counted
from regolith_files.section import Section
from regolith_files.yaml_source import YamlSource
from regolith_vehicles.powertrain.config import BatteryConfig, WheelMotorConfig
from regolith_vehicles.tools.tool_config import ToolConfig

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Positive = Annotated[float, Field(gt=0.0)]


def unit_quaternion(value: Quaternion) -> Quaternion:
    """Return a quaternion that is of unit length; for validators.

    Raises:
        ValueError: if it is not
    """
    if abs(sum(q * q for q in value) - 1.0) > 1e-6:
        raise ValueError('is not of unit length; allowed: a unit quaternion (x, y, z, w)')
    return value


def frame_id(value: str) -> str:
    """Return it if tf2 takes it as the id of a frame; for validators.

    Raises:
        ValueError: if not
    """
    if not re.fullmatch(r'\w([\w./-]*\w)?', value, re.ASCII):
        raise ValueError('is no frame id; allowed: letters, digits and _, with / . - between them')
    return value


class GrouserConfig(Section):
    """Straight plates across a wheel's drum."""

    count: int = Field(ge=1, le=360, description='number, evenly spaced')
    height_m: float = Field(gt=0.0, le=1.0, description='by which they stand out of the drum [m]')
    thickness_m: float = Field(gt=0.0, le=1.0, description='[m]')


class WheelGrouserConfig(GrouserConfig):
    """Grousers of a wheel on soil."""

    individual_contact: bool = Field(
        default=False,
        description='whether each presses on the soil; false: drum and plates share the load of a cylinder around the'
        ' tips, and carry soil by slip; without slip_sinkage and in mode reference that cylinder is smooth',
    )


class WheelConfig(Section):
    """One wheel, by the names its parts have in the MJCF file; the soil feels a cylinder about the joint's axis.

    With ``grousers`` one by one the cylinder is the drum they stand on, with ``mesh`` the mesh replaces the cylinder.
    """

    name: str = Field(min_length=1, description='of the wheel in messages')
    body: str = Field(min_length=1, description='MJCF body whose origin is the wheel centre')
    joint: str = Field(min_length=1, description='MJCF hinge it spins about; its axis is the axle')
    actuator: str = Field(min_length=1, description='MJCF velocity servo on that joint [rad/s]')
    radius_m: float = Field(gt=0.0, le=5.0, description='over everything, grousers included [m]')
    width_m: float = Field(gt=0.0, le=5.0, description='[m]')
    steer_joint: str | None = Field(default=None, description='MJCF hinge about the vertical it steers with')
    steer_actuator: str | None = Field(default=None, description='MJCF position servo on that joint [rad]')

    grousers: WheelGrouserConfig | None = Field(default=None, description='absent: a smooth wheel')
    mesh: str | None = Field(
        default=None, min_length=1, description="OBJ, STL or MSH file in the body's frame, relative to the MJCF file"
    )
    mesh_scale: float = Field(default=1.0, gt=0.0, le=1e4, description="of the mesh file's unit [m]")
    stiffness_npm: float | None = Field(
        default=None,
        ge=1e4,
        le=1e9,
        description='of the rim on its hub, where it meets rocks and obstacles [N/m]; absent: it does not yield',
    )
    tire: str | None = Field(
        default=None,
        min_length=1,
        description='name of a known tyre, or tyre YAML relative to this file: its law on ground that does not yield;'
        ' absent: a rigid cylinder',
    )

    @model_validator(mode='after')
    def _one_shape(self) -> WheelConfig:
        if self.tire is not None and (self.grousers is not None or self.mesh is not None):
            raise ValueError('tire: excludes grousers and mesh; allowed: one of them')
        if self.grousers is not None and self.mesh is not None:
            raise ValueError('mesh: excludes grousers; allowed: one of them')
        if self.grousers is not None:
            drum = self.radius_m - self.grousers.height_m
            if drum <= 0.0:
                raise ValueError(f'grousers.height_m: is not below radius_m; allowed: below {self.radius_m!r}')
            if self.grousers.thickness_m >= 2.0 * drum:
                raise ValueError(f'grousers.thickness_m: thicker than the drum; allowed: below {2.0 * drum:g}')
        return self

    @model_validator(mode='after')
    def _steering_is_whole(self) -> WheelConfig:
        if (self.steer_joint is None) != (self.steer_actuator is None):
            lone, missing = ('steer_joint', 'steer_actuator')[:: 1 if self.steer_actuator is None else -1]
            raise ValueError(f'{lone}: without {missing}; allowed: steer_joint and steer_actuator, or neither')
        return self


class CollisionShape(Section):
    """A convex shape fixed to one body: to the chassis, then suspension travel and steering do not move it."""

    kind: Literal['sphere', 'box', 'capsule', 'cylinder']
    size: tuple[Positive, ...] = Field(
        min_length=1,
        max_length=3,
        description='[m] sphere: radius; capsule, cylinder: radius, half length along z; box: half lengths',
    )
    body: str | None = Field(default=None, min_length=1, description='MJCF body it is fixed to; absent: the chassis')
    position: Vector3 = Field(default=(0.0, 0.0, 0.0), description="of its centre in the body's frame [m]")
    orientation: Quaternion = Field(default=(0.0, 0.0, 0.0, 1.0), description="in the body's frame, (x, y, z, w)")

    @model_validator(mode='after')
    def _size_fits_kind(self) -> CollisionShape:
        wanted = {'sphere': 1, 'box': 3, 'capsule': 2, 'cylinder': 2}[self.kind]
        if len(self.size) != wanted:
            raise ValueError(f'size: has {counted(len(self.size), "number")}; allowed: {wanted} for a {self.kind}')
        return self

    _unit = field_validator('orientation')(unit_quaternion)


class GroundShapeConfig(Section):
    """A part of the hull that presses on soil where it comes to the ground, as wheels do."""

    name: str = Field(min_length=1, description='of the part in messages')
    kind: Literal['box', 'cylinder'] | None = None
    size: tuple[Positive, ...] | None = Field(
        default=None,
        min_length=2,
        max_length=3,
        description='[m] box: half lengths; cylinder: radius, half length along z',
    )
    mesh: str | None = Field(
        default=None, min_length=1, description='OBJ, STL or MSH file for kind and size, relative to the MJCF file'
    )
    mesh_scale: float = Field(default=1.0, gt=0.0, le=1e4, description="of the mesh file's unit [m]")
    body: str | None = Field(default=None, min_length=1, description='MJCF body it is fixed to; absent: the chassis')
    position: Vector3 = Field(default=(0.0, 0.0, 0.0), description="of its origin in the body's frame [m]")
    orientation: Quaternion = Field(default=(0.0, 0.0, 0.0, 1.0), description="in the body's frame, (x, y, z, w)")

    @model_validator(mode='after')
    def _one_shape(self) -> GroundShapeConfig:
        given = (self.kind is not None, self.size is not None, self.mesh is not None)
        if given not in ((True, True, False), (False, False, True)):
            key = 'mesh' if given[2] else 'size' if given[1] else 'kind'
            lone = f'{key}: stands beside others, or alone' if any(given) else 'has no shape'
            raise ValueError(f'{lone}; allowed: kind and size, or mesh')
        wanted = 3 if self.kind == 'box' else 2
        if self.size is not None and len(self.size) != wanted:
            raise ValueError(f'size: has {counted(len(self.size), "number")}; allowed: {wanted} for a {self.kind}')
        return self

    _unit = field_validator('orientation')(unit_quaternion)


class CollisionConfig(Section):
    """Shapes that other agents can strike."""

    shapes: tuple[CollisionShape, ...] = ()
    restitution: float = Field(default=0.1, ge=0.0, le=1.0, description='of impacts [-]')
    friction: float = Field(default=0.5, ge=0.0, le=10.0, description='Coulomb coefficient of impacts [-]')


class DriveConfig(Section):
    """Limits of the wheel motors."""

    max_wheel_speed_radps: float = Field(gt=0.0, le=1000.0, description='[rad/s]')
    max_wheel_acceleration_radps2: float = Field(gt=0.0, le=1e5, description='of the commanded speed [rad/s^2]')
    integral_time_s: float | None = Field(
        default=None,
        gt=0.0,
        le=10.0,
        description='time constant with which the motor controller removes the speed error that its load causes [s];'
        ' absent: the error stays',
    )
    parking_brake_time_s: float | None = Field(
        default=None,
        gt=0.0,
        le=10.0,
        description='parking brake: time constant with which wheels that are to stand return to where they came to do'
        ' so [s]; absent: they are kept from turning, but do not return',
    )
    motor: WheelMotorConfig | None = Field(
        default=None, description="of each wheel; absent: it takes of the vehicle's battery just the power of the wheel"
    )


class SteeringConfig(Section):
    """Limits of the steering."""

    max_angle_deg: float = Field(default=30.0, gt=0.0, lt=90.0, description='either side [deg]')
    max_rate_degps: float = Field(default=30.0, gt=0.0, le=1000.0, description='of the commanded angle [deg/s]')


class CommandedJointConfig(Section):
    """A joint that takes targets of its own, by its MJCF name; they begin at zero."""

    actuator: str = Field(min_length=1, description='MJCF servo on the joint, of position or speed')
    limits: tuple[float, float] = Field(description='least and greatest target [unit of the servo: rad, rad/s, m, m/s]')
    rate: float = Field(gt=0.0, le=1e5, description='at which the command goes to its target [unit of the servo/s]')
    on_timeout: Literal['hold', 'zero'] = Field(
        default='hold', description='what the target is when none comes any more: the last one, or zero'
    )

    @model_validator(mode='after')
    def _zero_is_within(self) -> CommandedJointConfig:
        low, high = self.limits
        if not (math.isfinite(low) and math.isfinite(high) and low <= 0.0 <= high and low < high):
            raise ValueError('limits: zero is not within; allowed: two finite numbers, at most 0 and at least 0')
        return self


class PayloadConfig(Section):
    """What a body carries at the start, about its centre of mass, and how much it can; it turns with the body."""

    body: str = Field(min_length=1, description='MJCF body that carries it')
    capacity_kg: float = Field(gt=0.0, le=1e6, description='greatest mass of it [kg]')
    mass_kg: float = Field(default=0.0, ge=0.0, description='[kg]')
    inertia_kgm2: tuple[float, float, float] = Field(
        default=(0.0, 0.0, 0.0),
        description="moments about its centre of mass, along the axes of the body's own inertia [kg m^2]",
    )

    @model_validator(mode='after')
    def _is_a_body(self) -> PayloadConfig:
        if not self.mass_kg <= self.capacity_kg:
            raise ValueError(f'mass_kg: is too much; allowed: up to capacity_kg, {self.capacity_kg!r}')
        a, b, c = sorted(self.inertia_kgm2)
        if not (a >= 0.0 and c <= (a + b) * (1.0 + 1e-9) and (self.mass_kg > 0.0 or c == 0.0)):
            raise ValueError(
                'inertia_kgm2: is of no body; allowed: moments of a body: none above the sum of the other two, all zero'
                ' without mass'
            )
        return self


class OdometryConfig(Section):
    """Errors of the vehicle's own dead reckoning; see :mod:`regolith_vehicles.dynamics.odometry_covariance`."""

    common_slip_stddev: float = Field(
        default=0.04, ge=0.0, le=1.0, description='standard deviation of the slip all wheels have in common [-]'
    )
    wheel_slip_stddev: float = Field(default=0.03, ge=0.0, le=1.0, description="the same of each wheel's own slip [-]")
    slip_correlation_length_m: float = Field(
        default=0.2, gt=0.0, le=1e4, description="way over which a wheel's own slip changes [m]"
    )
    slope_slip: float = Field(
        default=0.8,
        ge=0.0,
        le=100.0,
        description='standard deviation of the slip downhill per unit of slope (tangent) [-]',
    )
    turn_slip: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description='Standard deviation of the share of the yaw rate lost or gained [-]. Absent: 0.06 with steered'
        ' wheels, 0.12 where wheels skid, 0.3 of tracks.',
    )
    turn_correlation_rad: float = Field(
        default=2.0, gt=0.0, le=1e4, description='angle turned over which that share changes [rad]'
    )
    turn_lag_m: float = Field(
        default=0.04,
        ge=0.0,
        le=100.0,
        description='Standard deviation of the way over which the vehicle takes up a new curvature [m]; its yaw lags by'
        ' this times the change of curvature.',
    )
    uneven_slip: float | None = Field(
        default=None,
        ge=0.0,
        le=2.0,
        description='Standard deviation of the share of way and of yaw rate lost in a turn in which the wheels of one'
        ' side stand [-]; of wheels that skid. Absent: the part of a turn that scrubbing takes, from where they are.',
    )
    start_slip_stddev_m: float = Field(
        default=0.03, ge=0.0, le=10.0, description='standard deviation of the way lost once until soil bears thrust [m]'
    )
    ticks_per_revolution: int = Field(default=4096, ge=1, le=2**31, description='of the wheels, per turn')


class RunningGearConfig(Section):
    """A running gear of another package, from entry-point group ``regolith.running_gears``."""

    name: str = Field(min_length=1, description='of the entry point')
    parameters: dict[str, Any] = Field(default_factory=dict, description="the gear's own")


class VisualsConfig(Section):
    """Looks without effect: mesh files by name, as SynChrono's description messages carry them, and plates."""

    chassis_vis_file: str = ''
    wheel_vis_file: str = ''
    tire_vis_file: str = ''
    track_shoe_vis_file: str = ''
    left_sprocket_vis_file: str = ''
    right_sprocket_vis_file: str = ''
    left_idler_vis_file: str = ''
    right_idler_vis_file: str = ''
    left_road_wheel_vis_file: str = ''
    right_road_wheel_vis_file: str = ''
    grousers: GrouserConfig | None = Field(
        default=None, description='drawn on wheels that the soil feels as smooth cylinders'
    )


class FramesConfig(Section):
    """Names of the frames of REP 105."""

    base: Annotated[str, AfterValidator(frame_id)] = Field(default='base_link', min_length=1)
    odom: Annotated[str, AfterValidator(frame_id)] = Field(default='odom', min_length=1)

    @model_validator(mode='after')
    def _differ(self) -> FramesConfig:
        if self.base == self.odom:
            raise ValueError(f'odom = {self.odom!r}: is the base frame, too; allowed: two frames')
        return self


class VehicleModelConfig(Section):
    """A vehicle: an MJCF file, and its properties that MuJoCo has no place for."""

    description: str = ''
    mjcf: str = Field(min_length=1, description='MJCF file, relative to this one')
    substep_s: float = Field(default=1e-3, gt=0.0, le=0.02, description='longest substep [s]')
    chassis: str = Field(default='base_link', min_length=1, description='MJCF body with the free joint: the base frame')
    running_gear: RunningGearConfig | None = Field(default=None, description='gear it moves by; absent: its wheels')
    wheels: tuple[WheelConfig, ...] = Field(default=(), description='one or more, unless another gear is named')
    collision: CollisionConfig = CollisionConfig()
    attachment_bodies: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        max_length=32,
        description='MJCF bodies that the world keeps as objects of their own, VEHICLE/BODY, for others to attach to;'
        ' those of collision shapes are so anyway',
    )
    ground_shapes: tuple[GroundShapeConfig, ...] = Field(
        default=(), description='parts of the hull that press on soil; absent: only wheels do'
    )
    drive: DriveConfig | None = Field(default=None, description='of the wheels, which need one')
    steering: SteeringConfig = SteeringConfig()
    battery: BatteryConfig | None = Field(
        default=None, description='that feeds its motors; absent: they are fed for ever'
    )
    joints: dict[str, CommandedJointConfig] = Field(
        default_factory=dict, description='MJCF joint -> how it takes targets (topic joint_command), beside the wheels'
    )
    payloads: dict[str, PayloadConfig] = Field(
        default_factory=dict, description='name -> what a body carries; part of the state'
    )
    tools: dict[Annotated[str, Field(min_length=1, max_length=100)], ToolConfig] = Field(
        default_factory=dict, description='name -> a blade, bucket or bucket drum that digs and fills a payload'
    )
    odometry: OdometryConfig = OdometryConfig()
    visuals: VisualsConfig = VisualsConfig()
    frames: FramesConfig = FramesConfig()
    _source: YamlSource | None = PrivateAttr(None)

    @property
    def file(self) -> str:
        """Path of the YAML file it was read from, for messages; '' if from none."""
        return '' if self._source is None else str(self._source.file)

    @property
    def source(self) -> YamlSource | None:
        """File it was read from, with the line of every key; None if from no file."""
        return self._source

    @property
    def smallest_wheel_m(self) -> float:
        """Return the smallest width or radius of the wheels under ``wheels`` [m]; inf if there are none."""
        return min((min(wheel.width_m, wheel.radius_m) for wheel in self.wheels), default=math.inf)

    @model_validator(mode='after')
    def _moves_by_something(self) -> VehicleModelConfig:
        if self.running_gear is None:
            for key, lacks in (('wheels', not self.wheels), ('drive', self.drive is None)):
                if lacks:
                    raise ValueError(f'{key}: is missing; allowed: wheels and their drive, or another running_gear')
        elif self.joints:
            named = self.running_gear.name
            raise ValueError(f'joints: do not apply to running_gear {named!r}; allowed: joints beside wheels')
        elif self.wheels:
            raise ValueError(f'wheels: stand beside running_gear {self.running_gear.name!r}; allowed: one of them')
        return self

    @field_validator('payloads')
    @classmethod
    def _bodies_differ(cls, payloads: dict[str, PayloadConfig]) -> dict[str, PayloadConfig]:
        first: dict[str, str] = {}
        for name, payload in payloads.items():
            if first.setdefault(payload.body, name) != name:
                what = f'{name}.body = {payload.body!r}: carries {first[payload.body]}, too'
                raise ValueError(f'{what}; allowed: one payload for each body')
        return payloads

    @model_validator(mode='after')
    def _tools_fill_payloads(self) -> VehicleModelConfig:
        filled = [tool.payload for tool in self.tools.values()]
        for name, tool in self.tools.items():
            payload = self.payloads.get(tool.payload)
            if payload is None or payload.mass_kg > 0.0 or filled.count(tool.payload) > 1:
                raise ValueError(
                    f'tools.{name}.payload = {tool.payload!r}: cannot be filled; allowed: one of the payloads, empty at'
                    f' the start, for no other tool: {", ".join(self.payloads) or "there is none"}'
                )
        return self

    @property
    def wheel_drive(self) -> DriveConfig:
        """Limits of the wheels' motors, of a vehicle that has wheels."""
        assert self.drive is not None
        return self.drive

    @property
    def parts(self) -> tuple[str, ...]:
        """MJCF bodies besides the chassis that the world has as objects, in name order."""
        named = {*self.attachment_bodies, *(shape.body for shape in self.collision.shapes if shape.body is not None)}
        return tuple(sorted(named - {self.chassis}))

    @field_validator('wheels', 'ground_shapes')
    @classmethod
    def _names_differ(cls, parts: tuple[WheelConfig | GroundShapeConfig, ...]) -> tuple[Any, ...]:
        names = [part.name for part in parts]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValueError(f'{number}.name = {name!r}: is taken; allowed: names that differ')
        return parts
