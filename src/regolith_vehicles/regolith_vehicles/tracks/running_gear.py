# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Running gear of two tracks: driver inputs to driveline, and wrenches of the ground on every shoe to the vehicle."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.contact import STAT_MAX_SINKAGE
from regolith_vehicles.commands.command import PEDALS, TWIST, DriveCommand, PedalCommand
from regolith_vehicles.contact.wheel_state import slip_ratio
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.dynamics.run_statistics import Progress
from regolith_vehicles.dynamics.substeps import BodyArrays, Controls, RunningGearHooks, bodies
from regolith_vehicles.powertrain.columns import STATES, THROTTLE
from regolith_vehicles.running_gear import (
    ContactPart,
    Contacts,
    GearPlan,
    RunningGear,
    Sunk,
    TelemetryQuantity,
    checked_parameters,
    parameter_indices,
)
from regolith_vehicles.tracks import driveline, shoe_shapes
from regolith_vehicles.tracks.band import Band, make_state, place_shoes
from regolith_vehicles.tracks.config import SprocketConfig, TracksConfig, TrackWheelConfig
from regolith_vehicles.tracks.driveline import Driveline, TrackArrays
from regolith_vehicles.tracks.speed_controller import speed_control
from regolith_vehicles.visuals.visual_description import DrawnPart, PartRole, Roller
from regolith_world.cycle import StateField, StateLayout, state_fields
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_FITS = 0.05
"""Maximum relative difference between the length of a band's shoes and its path when the vehicle is built [-]."""
_LAYERS = 4
"""Number of soil shear memories per side. Shoes this far apart share one: they never reach the same grid nodes."""
_NO_CONTROLS: Vector = np.zeros(0)
LOAD, SINKAGE, TRAVEL = range(3)
"""Columns of the table of shoes."""


class Tracks(RunningGear):
    """Running gear of two bands of shoes; the table has one row per shoe, left ones first.

    A command is steering (-1 right to 1 left), throttle and braking (0 to 1), direction (below 0: reverse gear) and
    pivot (1: rotate in place). It is given as :meth:`ramp`'s target, or computed from a twist.
    """

    STATE = StateLayout(
        'tracks',
        *state_fields('<f8', 'command', 'cruising'),
        *state_fields('<f8', 'engine', 'wound_up', 'state.pin', 'state.short', 'state.tension', shared=True),
        StateField('table', '<f8'),
    )
    columns = ('normal_force', 'sinkage', 'band_speed')
    faces = (TWIST, PEDALS)
    run = RunningGearHooks(driveline.drive, driveline.place, driveline.bear, driveline.settle)

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf_path: str | Path, **parameters: Any) -> None:
        """Make the running gear.

        Args:
            config: Vehicle model.
            body: Multibody model.
            mjcf_path: Path of the MJCF file.
            **parameters: Parameters as in :class:`regolith_vehicles.tracks.config.TracksConfig`.

        Raises:
            VehicleModelError: If a name is not in the MJCF file.
            InputError: If a parameter is invalid; names file, key, value and allowed values.
        """
        self.where, self.mjcf = config.file or str(mjcf_path), Path(mjcf_path).name
        self.tracks = checked_parameters(TracksConfig, config, parameters)
        self.model = body.model
        self._bodies: tuple[Any, BodyArrays] | None = None
        sides = self.tracks.sides
        self.shoes = np.array([side.shoes for side in sides], dtype=np.int64)
        super().__init__(config, body, mjcf_path)
        self.actuators = np.zeros(0, dtype=np.int64)
        self.band = self._band(body)
        self.state = make_state(self.band)
        self._check_length()
        # The band turns with its sprocket.
        turning = self.band.disc_dof[:, 0]
        inertia = self.shoes * self.tracks.shoe.mass_kg * self.band.per_turn**2
        self.model.dof_armature[turning] += inertia
        self.line = self._line(self.model.dof_M0[turning] + inertia)
        looks = shoe_shapes.visual_shapes(self.tracks.shoe)
        self.drawn = tuple(DrawnPart(name, PartRole.TRACK_SHOE, looks) for name in self.names)
        self.quantities = _quantities([side.name for side in sides])
        self.gauge = float(np.ptp(self.band.aside))
        self.layout = self._layout()
        self.odometry = self.start_odometry()
        self.command = np.zeros(5)
        self.cruising = np.zeros(4)
        """Forward speed [m/s], yaw rate [rad/s], and the controllers' integrals [m] and [rad]."""
        self.engine = np.zeros(STATES)
        self.wound_up = np.zeros(2)

    def _layout(self) -> WheelLayout:
        """Return four wheels that are equivalent to the tracks for odometry: left and right, front and rear.

        Shoes with little longitudinal slip keep the base's course. Their lateral displacement is omega (h^2 - x^2) /
        2v on their path through the contact, so they cause no moment. Sliding shoes have the moment of Coulomb
        friction, as wheels at their distance would (:func:`regolith_vehicles.dynamics.kinematics.twist_of_wheels`).
        The equivalent wheels are between both: half as far from the middle as the root mean square of the road wheels.
        On lunar soil in arcs of 5 m, the tracks of m113 turn it by 0.75 to 0.83 of their speed difference, in wide
        curves by all of it. Here the factor is 0.84. ``turn_slip`` covers the remaining error.

        Source: wong2008, section 6.1; martinez2005.
        Checked by: test_odometry.py::test_odometry_covers_its_true_errors.
        """
        data = mujoco.MjData(self.model)
        data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        mujoco.mj_kinematics(self.model, data)
        x = data.xpos[self.band.disc[:, 1:-1], 0] - data.xpos[self.body.base, 0]
        middle = x.mean(axis=1)
        arm = 0.5 * np.sqrt(((x - middle[:, None]) ** 2).mean(axis=1))
        return WheelLayout(
            np.concatenate((middle + arm, middle - arm)),
            np.tile(self.band.aside, 2),
            np.tile(self.band.per_turn, 2),
            np.zeros(4, dtype=bool),
            0.1,
            math.inf,
            tracks=True,
            engine=True,
        )

    def _check_length(self) -> None:
        """Refuse bands whose length does not match the path around their discs.

        Raises:
            VehicleModelError: If a band does not match; names the side.
        """
        data, pitch = mujoco.MjData(self.model), self.tracks.shoe.pitch_m
        mujoco.mj_forward(self.model, data)
        self.find_shoes(data)
        for k, (side, way) in enumerate(zip(self.tracks.sides, self.state.way.tolist(), strict=True)):
            off = side.shoes * pitch / way - 1.0
            if not abs(off) <= _FITS:
                least, most = math.ceil((1.0 - _FITS) * way / pitch), math.floor((1.0 + _FITS) * way / pitch)
                where = f'running_gear.parameters.sides.{k}.shoes'
                problem = f'are {side.shoes * pitch:.3g} m long on a path of {way:.3g} m'
                raise VehicleModelError(self.where, where, side.shoes, f'{least} to {most}', problem)
        self.state = make_state(self.band)

    def _find(self, kind: str, names: list[tuple[str, str]]) -> Indices:
        """Return the indices of elements of the MJCF file by (key, name)."""
        return parameter_indices(self.model, kind, names, self.mjcf, self.where)

    def _discs(self, kind: str) -> Indices:
        """Return bodies or joints of all discs, shape (2, discs)."""
        rows = []
        for k, side in enumerate(self.tracks.sides):
            named = [
                (f'sides.{k}.sprocket', side.sprocket),
                *((f'sides.{k}.wheels.{n}', w) for n, w in enumerate(side.wheels)),
                (f'sides.{k}.idler', side.idler),
            ]
            rows.append(self._find(kind, [(f'{key}.{kind}', getattr(disc, kind)) for key, disc in named]))
        return np.array(rows)

    def _band(self, body: Multibody) -> Band:
        tracks, shoe = self.tracks, self.tracks.shoe
        if len({len(side.wheels) for side in tracks.sides}) > 1:
            raise ValueError('sides: have different numbers of wheels; allowed: equal numbers')
        joints, bodies_ = self._discs('joint'), self._discs('body')
        teeth = np.array([side.sprocket.teeth for side in tracks.sides])
        rolling = np.array([[0.0, *(w.radius_m for w in side.wheels), side.idler.radius_m] for side in tracks.sides])
        radius = rolling + shoe.inner_face_height_m
        # The pins are on the corners of a polygon.
        radius[:, 0] = rolling[:, 0] = 0.5 * shoe.pitch_m / portable_math.each(math.sin, np.pi / teeth)
        data = mujoco.MjData(self.model)
        data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        mujoco.mj_kinematics(self.model, data)
        for k, places in enumerate(data.xpos[bodies_, 0]):
            if not (np.diff(places) < 0.0).all():
                raise VehicleModelError(
                    self.where,
                    f'running_gear.parameters.sides.{k}',
                    None,
                    'sprocket, wheels and idler in order from front to rear',
                    f'has discs at x = {", ".join(f"{x:.3g}" for x in places)} m',
                )
        return Band(
            hull=body.base,
            disc=bodies_,
            disc_dof=self.model.jnt_dofadr[joints].astype(np.int64),
            radius=radius,
            rolling_radius=rolling,
            sprocket_angle=self.model.jnt_qposadr[joints[:, 0]].astype(np.int64),
            aside=data.xpos[bodies_[:, 0], 1].copy(),
            shoes=self.shoes,
            first=np.concatenate(([0], np.cumsum(self.shoes)[:-1])).astype(np.int64),
            per_turn=shoe.pitch_m * teeth / (2.0 * np.pi),
            pitch=shoe.pitch_m,
            mass=shoe.mass_kg,
            face=shoe.inner_face_height_m,
            stiffness=tracks.tension.stiffness_npm,
            rubber=tracks.rubber.modulus_npm2,
            rubber_damping=tracks.rubber.damping_spm,
            gravity=np.array(self.model.opt.gravity),
        )

    def _line(self, sprocket_inertia: Vector) -> Driveline:
        """Return the driveline.

        Args:
            sprocket_inertia: Moment of inertia of each sprocket with its band [kg m^2], shape (2,).
        """
        tracks = self.tracks
        inertia = float(sprocket_inertia.sum()) * tracks.final_drive_ratio**2
        train = self.powertrain(tracks.powertrains[tracks.powertrain], tracks.powertrain, inertia)
        motors = self._find(
            'actuator', [(f'sides.{k}.sprocket.actuator', s.sprocket.actuator) for k, s in enumerate(tracks.sides)]
        )
        per_turn, resistance = self.band.per_turn, tracks.resistance
        return Driveline(
            train,
            motors,
            np.ascontiguousarray(self.band.disc_dof[:, 0]),
            tracks.final_drive_ratio,
            tracks.steering == 'split',
            tracks.brake_torque_nm,
            np.column_stack((per_turn * resistance.constant_n, per_turn**2 * resistance.linear_nspm)),
        )

    def parts(self, mjcf_path: Path) -> tuple[ContactPart, ...]:
        """Return the shoes."""
        shape, base = shoe_shapes.contact_surface(self.tracks.shoe), self.body.base
        return tuple(
            ContactPart(
                f'shoe {side.name} {n}', base, shape, layer=_LAYERS * k + n % _LAYERS, own_mass=self.tracks.shoe.mass_kg
            )
            for k, side in enumerate(self.tracks.sides)
            for n in range(side.shoes)
        )

    @property
    def contact_area(self) -> float:
        """Area of a shoe's pads, scaled to the vehicle's mass, since each shoe presses individually [m^2]."""
        shoe = self.tracks.shoe
        area = math.fsum(pad.length_m * pad.width_m for pad in shoe.pads)
        return area * self.body.mass / shoe.mass_kg

    @property
    def top_speed(self) -> float:
        """Speed at the engine's maximum speed in the highest gear, without slip [m/s]."""
        train = self.line.train
        return float(train.full[-1, 0] * train.ratio[-1] * self.line.final_drive_ratio * self.band.per_turn[0])

    def support_points(self, data: Any) -> tuple[Vector, Vector, Vector]:
        """Return the lowest points of the pads under the road wheels; see the base class."""
        shoe, wheels = self.tracks.shoe, self.band.disc[:, 1:-1].ravel()
        place = data.xpos[wheels]
        low = self.band.radius[:, 1:-1].ravel() - min(pad.position[2] for pad in shoe.pads)
        return place[:, 0], place[:, 1], place[:, 2] - low

    def targets(self, command: DriveCommand) -> tuple[Vector, ...]:
        """Return the targets of :meth:`ramp`: driver inputs, else the twist."""
        if command.joints:
            named = ', '.join(sorted(command.joints))
            raise VehicleError(f'command has targets of joints {named}; allowed: none for a tracked vehicle')
        if isinstance(command.by, PedalCommand):
            *inputs, reverse = command.by
            return (np.array([*inputs, -1.0 if reverse else 1.0]),)
        return (np.array([command.linear, command.angular]),)

    def ramp(self, duration: float, *targets: ArrayLike) -> tuple[Vector, Vector]:
        """Return commands at both ends of a cycle.

        Args:
            duration: Duration of the cycle [s].
            *targets: Forward speed [m/s] and yaw rate [rad/s], shape (2,), or steering, throttle and braking, then
                optionally direction and pivot, shape (3,) to (5,).
        """
        given = np.asarray(targets[0], dtype=np.float64)
        if len(given) == 2:
            wanted = speed_control(given, self.cruising, duration, self.gauge, self.tracks.pivot_steering)
        else:
            wanted = np.array([*given, *(1.0, 0.0)[len(given) - 3 :]])
        wanted = np.clip(wanted, (-1.0, 0.0, 0.0, -1.0, 0.0), 1.0)
        if self.tracks.pedal_time_s > 0.0:
            most = duration / self.tracks.pedal_time_s
            wanted[:3] = np.clip(wanted[:3], self.command[:3] - most, self.command[:3] + most)
        return self.command, wanted

    @property
    def at_rest(self) -> Vector:
        """Command with the brakes applied."""
        return np.array([0.0, 0.0, 1.0, 1.0, 0.0])

    def plan_ramp(self, data: Any, begin: Vector, end: Vector) -> GearPlan:
        """Return arguments of the functions of the loop and angles of the sprockets [rad], without controls.

        The driveline sets the sprockets' motors.
        """
        driving = TrackArrays(self.band, self.state, self.line, begin, end, self.engine, self.wound_up)
        controls = Controls(self.actuators, _NO_CONTROLS, _NO_CONTROLS)
        return GearPlan(begin, end, controls, driving, np.array(data.qpos[self.band.sprocket_angle]))

    def find_shoes(self, data: Any) -> None:
        """Write the poses of all shoes to :attr:`state`, from the poses and velocities of ``data``."""
        if self._bodies is None or self._bodies[0] is not data:
            self._bodies = data, bodies(self.model, data, self.body.base)
        place_shoes(self.band, self.state, 0.0, self._bodies[1])

    def whereabouts(self, data: Any) -> tuple[Vector, Vector]:
        """Return the shoes' centers and velocities; see the base class."""
        self.find_shoes(data)
        return self.state.center, self.state.velocity

    def part_poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return the shoes' positions and orientations; see the base class."""
        self.find_shoes(data)
        return self.state.center.copy(), quaternions(self.state.rotation)

    @property
    def rollers(self) -> tuple[Roller, ...]:
        """Sprockets, road wheels and idlers as rollers."""
        made = []
        for side, discs, radii in zip(self.tracks.sides, self.band.disc, self.band.rolling_radius, strict=True):
            roles = (PartRole.SPROCKET, *(PartRole.ROAD_WHEEL for _ in side.wheels), PartRole.IDLER)
            bodies_: tuple[SprocketConfig | TrackWheelConfig, ...] = (side.sprocket, *side.wheels, side.idler)
            width = max(pad.width_m for pad in self.tracks.shoe.pads)
            made += [
                Roller(int(body), disc.body, role, float(radius), width)
                for disc, body, role, radius in zip(bodies_, discs, roles, radii, strict=True)
            ]
        return tuple(made)

    def drawn_poses(self, data: Any) -> tuple[Vector, Vector]:
        """Return the poses of the shoes; see the base class."""
        return self.part_poses(data)

    def roll(self, data: Any, speed: float) -> None:
        """Set the speeds of bands and wheels; driver inputs are zero."""
        data.qvel[self.band.disc_dof] = speed / self.band.rolling_radius
        data.qvel[self.line.dof] = speed / self.band.per_turn
        self.command = np.zeros(5)
        self.wound_up[:] = 0.0

    def finish(self, data: Any, plan: GearPlan, contacts: Contacts, duration: float) -> Progress:
        """Store the command and the present motion, advance odometry and fill the table of shoes; see the base class.

        Only throttle is a command to move: brakes and direction are also set at rest.
        """
        self.command = plan.end
        axes = data.xmat[self.body.base].reshape(3, 3)
        self.cruising[0] = portable_math.dot(data.qvel[:3], axes[:, 0])
        self.cruising[1] = portable_math.dot(axes[2], data.qvel[3:6])
        turned = data.qpos[self.band.sprocket_angle] - plan.before
        self.advance_odometry(data, np.tile(turned, 2), np.zeros(4), duration)
        self.find_shoes(data)
        self.table[:, LOAD] = np.einsum('ni,ni->n', contacts.force, self.state.rotation[:, :, 2])
        self.table[:, SINKAGE] = contacts.stats[:, STAT_MAX_SINKAGE]
        speeds = self.band.per_turn * data.qvel[self.line.dof]
        self.table[:, TRAVEL] = np.repeat(speeds, self.shoes)
        moving = bool(max(plan.begin[THROTTLE], plan.end[THROTTLE]) > 0.0)
        sinkage = float(self.table[:, SINKAGE].max())
        return Progress(moving, turned / duration * self.band.per_turn, self._slips(speeds), sinkage)

    def telemetry(self) -> Vector:
        """Return sinkage, slip, tension and pressure of both bands; see the base class.

        Only loaded shoes count. The slip of a band is that of a wheel, relative to the hull's speed above the band's
        middle.
        """
        slips = self._slips(self.table[self.band.first, TRAVEL])
        pads = math.fsum(pad.length_m * pad.width_m for pad in self.tracks.shoe.pads)
        sinkage: list[float] = []
        pressure: list[float] = []
        for first, count in zip(self.band.first, self.shoes, strict=True):
            shoes = self.table[first : first + count]
            bearing = shoes[shoes[:, LOAD] > 0.0]
            for column, found, scale in ((SINKAGE, sinkage, 1.0), (LOAD, pressure, 1.0 / pads)):
                values = bearing[:, column] * scale
                found += [float(values.mean()), float(values.max())] if len(values) else [0.0, 0.0]
        return np.concatenate((sinkage, slips, self.state.tension.reshape(-1), pressure))

    def _slips(self, band: Vector) -> Vector:
        """Return the slip ratios of both bands.

        Args:
            band: Speeds of the bands [m/s].
        """
        speed, rate = self.cruising[:2]
        ahead = speed - rate * self.band.aside
        return np.array([slip_ratio(float(v), float(u)) for v, u in zip(ahead, band, strict=True)])

    @classmethod
    def patch(cls, config: VehicleModelConfig) -> float:
        """Return the shorter side of a shoe's largest pad [m]; see the base class."""
        assert config.running_gear is not None
        pads = checked_parameters(TracksConfig, config, config.running_gear.parameters).shoe.pads
        largest = max(pads, key=lambda pad: pad.length_m * pad.width_m)
        return min(largest.length_m, largest.width_m)

    def sunk(self) -> tuple[Sunk, ...]:
        """Return the sinkage of the tracks from their deepest shoes.

        The height is that of a road wheel and two shoes.
        """
        parts = []
        for side, first, count in zip(self.tracks.sides, self.band.first, self.shoes, strict=True):
            high = 2.0 * (max(wheel.radius_m for wheel in side.wheels) + self.tracks.shoe.inner_face_height_m)
            parts.append(Sunk(f'track {side.name}', float(self.table[first : first + count, SINKAGE].max()), high))
        return tuple(parts)

    def reset(self) -> None:
        """Reset to zero command and first gear, with the bands on their shortest paths."""
        super().reset()
        self.command, self.cruising = np.zeros(5), np.zeros(4)
        self.engine[:] = 0.0
        self.wound_up[:] = 0.0
        for values in (self.state.pin, self.state.short, self.state.tension, self.state.pull):
            values[:] = 0.0


def _quantities(sides: list[str]) -> tuple[TelemetryQuantity, ...]:
    """Return the telemetry of tracks, in the order of :meth:`Tracks.telemetry`."""

    def parts(*ends: str) -> tuple[str, ...]:
        return tuple(f'{side}, {end}' for side in sides for end in ends)

    return (
        TelemetryQuantity('sinkage', 'm', parts('mean', 'deepest')),
        TelemetryQuantity('slip ratio', '', tuple(sides)),
        TelemetryQuantity('band tension', 'N', parts('at the sprocket', 'at the idler')),
        TelemetryQuantity('ground pressure', 'Pa', parts('mean', 'highest')),
    )


def quaternions(rotation: Vector) -> Vector:
    """Return the quaternions (x, y, z, w) of rotations, shape (n, 3, 3) to (n, 4)."""
    from scipy.spatial.transform import Rotation  # slow to import, and few vehicles have tracks

    return np.asarray(Rotation.from_matrix(rotation).as_quat())
