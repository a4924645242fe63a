# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sections of a vehicle's YAML file: wheels, motors, limits, collision shapes, visual description."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PrivateAttr, field_validator, model_validator

from regolith_files import Section, YamlSource, counted_noun
from regolith_vehicles.description.energy_config import EnergySections
from regolith_vehicles.description.payload_config import DispenserConfig, PayloadConfig, check_dispensers
from regolith_vehicles.description.tool_config import ToolConfig
from regolith_vehicles.powertrain.config import BatteryConfig, WheelMotorConfig

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Positive = Annotated[float, Field(gt=0.0)]


def unit_quaternion(value: Quaternion) -> Quaternion:
    """Validate that a quaternion has unit length, and return it.

    Raises:
        ValueError: If it does not have unit length.
    """
    if abs(sum(q * q for q in value) - 1.0) > 1e-6:
        raise ValueError('does not have unit length; allowed: a unit quaternion (x, y, z, w)')
    return value


def frame_id(value: str) -> str:
    """Validate a frame id as tf2 accepts it, and return it.

    Raises:
        ValueError: If tf2 does not accept it.
    """
    if not re.fullmatch(r'\w([\w./-]*\w)?', value, re.ASCII):
        raise ValueError('is not a frame id; allowed: letters, digits and _, with / . - between them')
    return value


class GrouserConfig(Section):
    """Grousers: straight plates across a wheel's drum."""

    count: int = Field(ge=1, le=360, description='Number of evenly spaced grousers.')
    height_m: float = Field(gt=0.0, le=1.0, description='Height of the grousers above the drum [m].')
    thickness_m: float = Field(gt=0.0, le=1.0, description='Thickness of a grouser [m].')


class WheelGrouserConfig(GrouserConfig):
    """Grousers of a wheel on soil."""

    individual_contact: bool = Field(
        default=False,
        description='Whether each grouser presses on the soil individually. False: drum and grousers share the'
        ' load of a cylinder around the tips, and transport soil by slip. Without slip_sinkage and in'
        ' mode reference this cylinder is smooth.',
    )


class WheelConfig(Section):
    """One wheel, by the names of its parts in the MJCF file.

    The soil is in contact with a cylinder around the joint's axis. With individual ``grousers`` this cylinder is the
    drum. With ``mesh`` the mesh replaces the cylinder.
    """

    name: str = Field(min_length=1, description='Name of the wheel in messages.')
    body: str = Field(min_length=1, description='MJCF body whose origin is the wheel center.')
    joint: str = Field(min_length=1, description="MJCF hinge of the wheel's rotation; its axis is the axle.")
    actuator: str = Field(min_length=1, description='MJCF velocity servo on that joint, with commands in rad/s.')
    radius_m: float = Field(gt=0.0, le=5.0, description='Outer radius of the wheel, including grousers [m].')
    width_m: float = Field(gt=0.0, le=5.0, description='Width of the wheel [m].')
    steer_joint: str | None = Field(
        default=None, description='MJCF hinge that steers the wheel about the vertical axis.'
    )
    steer_actuator: str | None = Field(
        default=None, description='MJCF position servo on the steering joint, with commands in rad.'
    )

    grousers: WheelGrouserConfig | None = Field(
        default=None, description='Grousers of the wheel. Absent: the wheel is smooth.'
    )
    mesh: str | None = Field(
        default=None,
        min_length=1,
        description='OBJ, STL or MSH file of the wheel in the body frame, relative to the MJCF file.',
    )
    mesh_scale: float = Field(default=1.0, gt=0.0, le=1e4, description='Unit of the mesh file [m].')
    stiffness_npm: float | None = Field(
        default=None,
        ge=1e4,
        le=1e9,
        description='Stiffness of the rim relative to the hub in contacts with rocks and obstacles [N/m]. Absent:'
        ' the rim is rigid.',
    )
    tire: str | None = Field(
        default=None,
        min_length=1,
        description='Name of a known tire, or path of a tire YAML file relative to this file: tire model on rigid'
        ' terrain. Absent: a rigid cylinder.',
    )

    @model_validator(mode='after')
    def _one_shape(self) -> WheelConfig:
        if self.tire is not None and (self.grousers is not None or self.mesh is not None):
            raise ValueError('tire: excludes grousers and mesh; allowed: only one of them')
        if self.grousers is not None and self.mesh is not None:
            raise ValueError('mesh: excludes grousers; allowed: only one of them')
        if self.grousers is not None:
            drum = self.radius_m - self.grousers.height_m
            if drum <= 0.0:
                raise ValueError(f'grousers.height_m: is not below radius_m; allowed: below {self.radius_m!r}')
            if self.grousers.thickness_m >= 2.0 * drum:
                raise ValueError(f'grousers.thickness_m: is not below the drum diameter; allowed: below {2.0 * drum:g}')
        return self

    @model_validator(mode='after')
    def _steering_is_whole(self) -> WheelConfig:
        if (self.steer_joint is None) != (self.steer_actuator is None):
            lone, missing = ('steer_joint', 'steer_actuator')[:: 1 if self.steer_actuator is None else -1]
            raise ValueError(f'{lone}: is given without {missing}; allowed: both or neither')
        return self


class CollisionShape(Section):
    """Convex collision shape fixed to one body.

    Suspension travel and steering do not move a shape that is fixed to the chassis.
    """

    kind: Literal['sphere', 'box', 'capsule', 'cylinder'] = Field(description='Kind of shape.')
    size: tuple[Positive, ...] = Field(
        min_length=1,
        max_length=3,
        description='Size of the shape [m]. Sphere: radius. Capsule and cylinder: radius, half length along z.'
        ' Box: half lengths.',
    )
    body: str | None = Field(default=None, min_length=1, description='MJCF body of the shape. Absent: the chassis.')
    position: Vector3 = Field(default=(0.0, 0.0, 0.0), description='Center of the shape in the body frame [m].')
    orientation: Quaternion = Field(
        default=(0.0, 0.0, 0.0, 1.0), description='Orientation of the shape in the body frame, quaternion (x, y, z, w).'
    )

    @model_validator(mode='after')
    def _size_fits_kind(self) -> CollisionShape:
        wanted = {'sphere': 1, 'box': 3, 'capsule': 2, 'cylinder': 2}[self.kind]
        if len(self.size) != wanted:
            raise ValueError(f'size: has {counted_noun(len(self.size), "number")}; allowed: {wanted} for a {self.kind}')
        return self

    _unit = field_validator('orientation')(unit_quaternion)


class GroundShapeConfig(Section):
    """Part of the hull that presses on soil when it touches the ground, as wheels do."""

    name: str = Field(min_length=1, description='Name of the part in messages.')
    kind: Literal['box', 'cylinder'] | None = Field(None, description='Kind of shape; null for a mesh.')
    size: tuple[Positive, ...] | None = Field(
        default=None,
        min_length=2,
        max_length=3,
        description='Size of the part [m]. Box: half lengths. Cylinder: radius, half length along z.',
    )
    mesh: str | None = Field(
        default=None,
        min_length=1,
        description='OBJ, STL or MSH file in place of kind and size, relative to the MJCF file.',
    )
    mesh_scale: float = Field(default=1.0, gt=0.0, le=1e4, description='Unit of the mesh file [m].')
    body: str | None = Field(default=None, min_length=1, description='MJCF body of the part. Absent: the chassis.')
    position: Vector3 = Field(default=(0.0, 0.0, 0.0), description='Origin of the part in the body frame [m].')
    orientation: Quaternion = Field(
        default=(0.0, 0.0, 0.0, 1.0), description='Orientation of the part in the body frame, quaternion (x, y, z, w).'
    )

    @model_validator(mode='after')
    def _one_shape(self) -> GroundShapeConfig:
        given = (self.kind is not None, self.size is not None, self.mesh is not None)
        if given not in ((True, True, False), (False, False, True)):
            key = 'mesh' if given[2] else 'size' if given[1] else 'kind'
            lone = f'{key}: does not define one shape' if any(given) else 'has no shape'
            raise ValueError(f'{lone}; allowed: kind and size, or mesh')
        wanted = 3 if self.kind == 'box' else 2
        if self.size is not None and len(self.size) != wanted:
            raise ValueError(f'size: has {counted_noun(len(self.size), "number")}; allowed: {wanted} for a {self.kind}')
        return self

    _unit = field_validator('orientation')(unit_quaternion)


class CollisionConfig(Section):
    """Collision shapes of the vehicle, for contacts with other participants and objects."""

    shapes: tuple[CollisionShape, ...] = ()
    restitution: float = Field(default=0.1, ge=0.0, le=1.0, description='Coefficient of restitution of impacts [-].')
    friction: float = Field(default=0.5, ge=0.0, le=10.0, description='Coulomb friction coefficient of impacts [-].')
    within: tuple[tuple[str, str], ...] = Field(
        default=(),
        max_length=31,
        description='Pairs of MJCF bodies or geoms of this vehicle that collide with each other, all geoms of a body.',
    )


class DriveConfig(Section):
    """Limits and control of the wheel motors."""

    max_wheel_speed_radps: float = Field(gt=0.0, le=1000.0, description='Maximum wheel speed [rad/s].')
    max_wheel_acceleration_radps2: float = Field(
        gt=0.0, le=1e5, description='Maximum acceleration of the commanded wheel speed [rad/s^2].'
    )
    integral_time_s: float | None = Field(
        default=None,
        gt=0.0,
        le=10.0,
        description='Time constant with which the motor controller removes the speed error caused by load [s].'
        ' Absent: the error remains.',
    )
    parking_brake_time_s: float | None = Field(
        default=None,
        gt=0.0,
        le=10.0,
        description='Time constant of the parking brake [s]: wheels that a load has turned return to the angles at'
        ' which they stopped. Absent: the brake resists rotation, but does not return the wheels.',
    )
    motor: WheelMotorConfig | None = Field(
        default=None,
        description='Electric motor of each wheel. Absent: the battery supplies exactly the mechanical power of'
        ' the wheels.',
    )


class SteeringConfig(Section):
    """Limits of the steering."""

    max_angle_deg: float = Field(
        default=30.0, gt=0.0, lt=90.0, description='Maximum steering angle to either side [deg].'
    )
    max_rate_degps: float = Field(
        default=30.0, gt=0.0, le=1000.0, description='Maximum rate of the commanded steering angle [deg/s].'
    )


class CommandedJointConfig(Section):
    """Commanded joint, by its MJCF name. Its target is zero at the start."""

    actuator: str = Field(min_length=1, description='MJCF servo of position or speed on the joint.')
    limits: tuple[float, float] = Field(
        description="Minimum and maximum target, in the servo's unit [rad, rad/s, m or m/s]."
    )
    rate: float = Field(
        gt=0.0, le=1e5, description="Maximum rate of the command toward its target, in the servo's unit per second."
    )
    on_timeout: Literal['hold', 'zero'] = Field(
        default='hold', description='Target after commands have stopped: the last one, or zero.'
    )

    @model_validator(mode='after')
    def _zero_is_within(self) -> CommandedJointConfig:
        low, high = self.limits
        if not (math.isfinite(low) and math.isfinite(high) and low <= 0.0 <= high and low < high):
            raise ValueError('limits: do not include 0; allowed: two finite numbers, at most 0 and at least 0')
        return self


class OdometryConfig(Section):
    """Error model of the wheel odometry; see :mod:`regolith_vehicles.dynamics.odometry_covariance`."""

    common_slip_stddev: float = Field(
        default=0.04, ge=0.0, le=1.0, description='Standard deviation of the slip common to all wheels [-].'
    )
    wheel_slip_stddev: float = Field(
        default=0.03, ge=0.0, le=1.0, description='Standard deviation of the individual slip of each wheel [-].'
    )
    slip_correlation_length_m: float = Field(
        default=0.2, gt=0.0, le=1e4, description='Correlation length of the individual wheel slip [m].'
    )
    slope_slip: float = Field(
        default=0.8,
        ge=0.0,
        le=100.0,
        description='Standard deviation of the downhill slip per unit of slope (tangent) [-].',
    )
    turn_slip: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description='Standard deviation of the fraction of the yaw rate lost or gained [-]. Absent: 0.06 with'
        ' steered wheels, 0.12 for skid steering with wheels, 0.3 for tracks.',
    )
    turn_correlation_rad: float = Field(
        default=2.0, gt=0.0, le=1e4, description='Correlation angle of the yaw rate error [rad].'
    )
    turn_lag_m: float = Field(
        default=0.04,
        ge=0.0,
        le=100.0,
        description='Standard deviation of the distance over which the vehicle takes up a new curvature [m]. The'
        ' yaw lags by this distance times the change of curvature.',
    )
    uneven_slip: float | None = Field(
        default=None,
        ge=0.0,
        le=2.0,
        description='Skid steering only: standard deviation of the fraction of distance and yaw rate lost in a'
        ' turn in which the wheels of one side are stopped [-]. Absent: the fraction that scrubbing'
        ' takes, computed from the wheel positions.',
    )
    start_slip_stddev_m: float = Field(
        default=0.03,
        ge=0.0,
        le=10.0,
        description='Standard deviation of the distance lost once at the start, until the soil supports thrust [m].',
    )
    ticks_per_revolution: int = Field(
        default=4096, ge=1, le=2**31, description='Encoder ticks per wheel revolution in odometry.'
    )


class RunningGearConfig(Section):
    """Running gear of another package, from entry-point group ``regolith.running_gears``."""

    name: str = Field(min_length=1, description='Name of the entry point.')
    parameters: dict[str, Any] = Field(
        default_factory=dict, description='Parameters of the running gear, defined by its package.'
    )


class VisualsConfig(Section):
    """Visual description without effect on dynamics: mesh files by name as in SynChrono's messages, and grousers."""

    chassis_vis_file: str = Field('', description='Mesh file of the chassis; empty for none.')
    wheel_vis_file: str = Field('', description='Mesh file of the wheels; empty for none.')
    tire_vis_file: str = Field('', description='Mesh file of the tires; empty for none.')
    track_shoe_vis_file: str = Field('', description='Mesh file of the track shoes; empty for none.')
    left_sprocket_vis_file: str = Field('', description='Mesh file of the left sprocket; empty for none.')
    right_sprocket_vis_file: str = Field('', description='Mesh file of the right sprocket; empty for none.')
    left_idler_vis_file: str = Field('', description='Mesh file of the left idler; empty for none.')
    right_idler_vis_file: str = Field('', description='Mesh file of the right idler; empty for none.')
    left_road_wheel_vis_file: str = Field('', description='Mesh file of the left road wheels; empty for none.')
    right_road_wheel_vis_file: str = Field('', description='Mesh file of the right road wheels; empty for none.')
    grousers: GrouserConfig | None = Field(
        default=None, description='Grousers drawn on wheels that are smooth cylinders for the soil.'
    )


class FramesConfig(Section):
    """Frame ids of the vehicle, as in REP 105."""

    base: Annotated[str, AfterValidator(frame_id)] = Field(
        default='base_link', min_length=1, description='Frame id of the base of the vehicle.'
    )
    odom: Annotated[str, AfterValidator(frame_id)] = Field(
        default='odom', min_length=1, description='Frame id of the odometry of the vehicle.'
    )

    @model_validator(mode='after')
    def _differ(self) -> FramesConfig:
        if self.base == self.odom:
            raise ValueError(f'odom = {self.odom!r}: equals the base frame; allowed: a different frame id')
        return self


class VehicleModelConfig(EnergySections):
    """Vehicle model: an MJCF file, and the properties that MJCF does not define."""

    description: str = Field('', description='One line about the vehicle.')
    mjcf: str = Field(min_length=1, description='MJCF file, relative to this file.')
    substep_s: float = Field(default=1e-3, gt=0.0, le=0.02, description='Maximum substep [s].')
    chassis: str = Field(
        default='base_link', min_length=1, description='MJCF body with the free joint: the base frame.'
    )
    running_gear: RunningGearConfig | None = Field(
        default=None, description='Running gear of the vehicle. Absent: its wheels.'
    )
    wheels: tuple[WheelConfig, ...] = Field(
        default=(), description='Wheels of the vehicle; at least one, unless running_gear is given.'
    )
    collision: CollisionConfig = CollisionConfig()
    attachment_bodies: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(),
        max_length=32,
        description='MJCF bodies that the world keeps as separate objects VEHICLE/BODY, to which others can be'
        ' attached. Bodies with collision shapes are always included.',
    )
    ground_shapes: tuple[GroundShapeConfig, ...] = Field(
        default=(), description='Parts of the hull that press on soil. Absent: only the wheels do.'
    )
    drive: DriveConfig | None = Field(default=None, description='Limits of the wheel motors; required with wheels.')
    steering: SteeringConfig = SteeringConfig()
    battery: BatteryConfig | None = Field(default=None, description='Battery of the motors. Absent: unlimited energy.')
    joints: dict[str, CommandedJointConfig] = Field(
        default_factory=dict,
        description='Commanded joints other than the wheels, by MJCF joint name (topic joint_command).',
    )
    payloads: dict[str, PayloadConfig] = Field(
        default_factory=dict, description='Payloads of bodies by name; part of the state.'
    )
    dispensers: dict[str, DispenserConfig] = Field(
        default_factory=dict, description='Dispensers by name, which release objects into the world (service release).'
    )
    tools: dict[Annotated[str, Field(min_length=1, max_length=100)], ToolConfig] = Field(
        default_factory=dict,
        description='Excavation tools by name: blades, buckets and bucket drums that dig and fill a payload.',
    )
    odometry: OdometryConfig = OdometryConfig()
    visuals: VisualsConfig = VisualsConfig()
    frames: FramesConfig = FramesConfig()
    _source: YamlSource | None = PrivateAttr(None)

    @property
    def file(self) -> str:
        """Path of the YAML file, for messages; '' if the model is not from a file."""
        return '' if self._source is None else str(self._source.file)

    @property
    def source(self) -> YamlSource | None:
        """YAML file of the model, with the line of every key; None if the model is not from a file."""
        return self._source

    @property
    def smallest_wheel_m(self) -> float:
        """Minimum width or radius of the wheels under ``wheels`` [m]; inf without wheels."""
        return min((min(wheel.width_m, wheel.radius_m) for wheel in self.wheels), default=math.inf)

    @model_validator(mode='after')
    def _moves_by_something(self) -> VehicleModelConfig:
        if self.running_gear is None:
            for key, lacks in (('wheels', not self.wheels), ('drive', self.drive is None)):
                if lacks:
                    raise ValueError(f'{key}: is missing; allowed: wheels and drive, or running_gear')
        elif self.joints:
            named = self.running_gear.name
            raise ValueError(f'joints: do not apply to running_gear {named!r}; allowed: joints only with wheels')
        elif self.wheels:
            raise ValueError(f'wheels: exclude running_gear {self.running_gear.name!r}; allowed: only one of them')
        return self

    @field_validator('payloads')
    @classmethod
    def _bodies_differ(cls, payloads: dict[str, PayloadConfig]) -> dict[str, PayloadConfig]:
        first: dict[str, str] = {}
        for name, payload in payloads.items():
            if first.setdefault(payload.body, name) != name:
                what = f'{name}.body = {payload.body!r}: already carries {first[payload.body]}'
                raise ValueError(f'{what}; allowed: one payload per body')
        return payloads

    @model_validator(mode='after')
    def _tools_fill_payloads(self) -> VehicleModelConfig:
        filled = [tool.payload for tool in self.tools.values()]
        for name, tool in self.tools.items():
            payload = self.payloads.get(tool.payload)
            if payload is None or payload.mass_kg > 0.0 or filled.count(tool.payload) > 1:
                raise ValueError(
                    f'tools.{name}.payload = {tool.payload!r}: cannot be filled; allowed: a payload empty at the start'
                    f' and not filled by another tool: {", ".join(self.payloads) or "there is none"}'
                )
        return self

    @model_validator(mode='after')
    def _energy_has_a_battery(self) -> VehicleModelConfig:
        for key, entries in (('panels', self.panels), ('loads', self.loads)):
            if entries and self.battery is None:
                raise ValueError(f'battery = None: is needed for {key}; allowed: a battery, or no {key}')
        return self

    @model_validator(mode='after')
    def _dispensers_are_filled(self) -> VehicleModelConfig:
        check_dispensers(self.dispensers, self.payloads)
        return self

    @property
    def wheel_drive(self) -> DriveConfig:
        """Limits of the wheel motors; only for vehicles with wheels."""
        assert self.drive is not None
        return self.drive

    @property
    def parts(self) -> tuple[str, ...]:
        """MJCF bodies other than the chassis that are objects of the world, in order of their names."""
        named = {*self.attachment_bodies, *(shape.body for shape in self.collision.shapes if shape.body is not None)}
        return tuple(sorted(named - {self.chassis}))

    @field_validator('wheels', 'ground_shapes')
    @classmethod
    def _names_differ(cls, parts: tuple[WheelConfig | GroundShapeConfig, ...]) -> tuple[Any, ...]:
        names = [part.name for part in parts]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValueError(f'{number}.name = {name!r}: is already used; allowed: unique names')
        return parts
