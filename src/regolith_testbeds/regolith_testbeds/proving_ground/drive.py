# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Proving ground run of a car: driver inputs over time, and a table of its motion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain import RIGID_TERRAIN_MODEL, FlatField, RigidTerrainConfig, load_soil
from regolith_terrain.grid import SoilGrid
from regolith_terrain.solids import Solid, Solids, convex_hull
from regolith_testbeds.proving_ground.inputs import inputs
from regolith_testbeds.proving_ground.settings import Settings
from regolith_testbeds.proving_ground.tracked_drive import tank_parameters, tracked_drive
from regolith_testbeds.proving_ground.twist_drive import twist_drive
from regolith_vehicles import load_vehicle_model
from regolith_vehicles.agent import Vehicle
from regolith_vehicles.car import Car
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.dynamics import point_velocities
from regolith_vehicles.powertrain import columns
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

_STOOD_S = 2.0
"""Time for which a vehicle stands with its brakes applied before it starts to drive [s]."""


@dataclass(frozen=True, slots=True)
class Drive:
    """Result of a proving ground run."""

    columns: tuple[str, ...]
    rows: Floats
    """Table, shape (n, columns)."""

    def __getitem__(self, name: str) -> Floats:
        """Return a column by its name."""
        column: Floats = self.rows[:, self.columns.index(name)]
        return column


def make_proving_vehicle(s: Settings) -> Vehicle:
    """Return the vehicle of a run, placed at the origin.

    Raises:
        InputError: If it cannot be made, for example with a tire of another size.
    """
    config, mjcf = load_vehicle_model(s.vehicle)
    gear = config.running_gear
    changed: dict[str, Any] = {}
    if gear is not None:
        changes = tank_parameters if s.family == 'tracks' else _car_parameters
        changed['running_gear'] = gear.model_copy(update={'parameters': changes(s, gear.parameters)})
    if s.step_s is not None:
        changed['substep_s'] = s.step_s
    rigid = s.terrain_model == 'rigid'
    grid = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL) if rigid else SoilGrid(FlatField(), s.grid_spacing_m)
    soil = (
        RigidTerrainConfig(friction=s.friction, viscous_friction_nspm=s.viscous_friction_nspm)
        if rigid
        else load_soil(s.terrain_model)
    )
    solids = _box(s) if s.maneuver == 'box' else None
    vehicle = Vehicle('vehicle', config.model_copy(update=changed), mjcf, grid, soil, s.gravity_mps2, solids=solids)
    if s.start_height_m is None:
        vehicle.place(0.0, 0.0, 0.0)
    else:
        vehicle.place_at((0.0, 0.0, s.start_height_m), (0.0, 0.0, 0.0, 1.0))
    return vehicle


def _box(s: Settings) -> Solids:
    """Return the box of the maneuver."""
    x, y, z = (s.box_start_m, s.box_start_m + s.box_length_m), (s.box_right_m, s.box_left_m), (-0.5, s.box_height_m)
    friction = s.friction if s.box_friction is None else s.box_friction
    return Solids([convex_hull(list(itertools.product(x, y, z)))], [Solid(0, np.zeros(3), np.eye(3), friction)])


def _car_parameters(s: Settings, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a car with the changes of the settings."""
    wheels = [dict(wheel) for wheel in given['wheels']]
    for k, wheel in enumerate(wheels):
        if s.tire is not None:
            if len(s.tire) not in (1, 2, len(wheels)):
                raise ValueError(f'tire has {len(s.tire)} names; allowed: one, one per axle, or one per wheel')
            wheel['tire'] = s.tire[min(k * len(s.tire) // len(wheels), len(s.tire) - 1)]
        wheel['tire_mode'] = s.tire_mode
    trains = {
        name: {**train, 'engine': {**train['engine'], 'reaction_on_chassis': s.reaction_on_chassis}}
        for name, train in given['powertrains'].items()
    }
    parameters = {**given, 'wheels': wheels, 'powertrains': trains}
    if s.powertrain is not None:
        parameters['powertrain'] = s.powertrain
    if s.differentials is not None:
        parameters['differentials_locked'] = s.differentials == 'locked'
    return parameters


def drive(s: Settings, tick: Callable[[int, int], None]) -> Drive:
    """Run a maneuver and return the vehicle's motion."""
    vehicle = make_proving_vehicle(s)
    gear = vehicle.gear
    if s.by_twist:
        return Drive(*twist_drive(s, vehicle, tick))
    if s.family == 'tracks':
        return Drive(*tracked_drive(s, vehicle, tick))
    assert isinstance(gear, Car)
    cycle_ns = round(s.cycle_s * 1e9)
    for _ in range(round(_STOOD_S / 0.02)):
        vehicle.grid.apply(vehicle.evolve(20_000_000, gear.at_rest))
        vehicle.commit()
    if s.initial_speed_mps:
        vehicle.set_rolling_speed(s.initial_speed_mps)
    cycles, every = round(s.duration_s / s.cycle_s), max(1, round(s.sample_s / s.cycle_s))
    columns = _columns(gear)
    rows = [_row(vehicle, gear, 0.0, np.zeros(3), np.zeros(3))]
    before = vehicle.body_state().linear_velocity
    for k in range(cycles):
        if k % 200 == 0:
            tick(k, cycles)
        time = k * s.cycle_s
        speed = _forward(vehicle)
        given, ends = inputs(s, time + 1e-9, speed), inputs(s, time + s.cycle_s + 1e-9, speed)
        # The steering is linear within a cycle; throttle and braking are computed at its start.
        vehicle.grid.apply(vehicle.evolve(cycle_ns, np.array([ends[0], given[1], given[2], s.way])))
        vehicle.commit()
        now = vehicle.body_state().linear_velocity
        if (k + 1) % every == 0:
            rows.append(_row(vehicle, gear, time + s.cycle_s, ends, (now - before) / s.cycle_s))
        before = now
    tick(cycles, cycles)
    return Drive(columns, np.array(rows))


def _forward(vehicle: Vehicle) -> float:
    """Return the speed of the base along its own axis [m/s]."""
    body = vehicle.body_state()
    return float(rotation.matrix(body.orientation)[:, 0] @ body.linear_velocity)


def _short(name: str) -> str:
    """Return the capitals of a wheel's name: front_left -> FL."""
    return ''.join(part[0].upper() for part in name.split('_'))


def _columns(gear: Car) -> tuple[str, ...]:
    wheels = [_short(wheel.name) for wheel in gear.car.wheels]
    return (
        't_s',
        'steering',
        'throttle',
        'braking',
        'x_m',
        'y_m',
        'z_m',
        'roll_deg',
        'pitch_deg',
        'yaw_deg',
        'vx_mps',
        'vy_mps',
        'yaw_rate_radps',
        'ax_mps2',
        'ay_mps2',
        'gear',
        'engine_radps',
        'engine_Nm',
        *(f'Fz_{w}_N' for w in wheels),
        'Fy_F_N',
        'Fy_R_N',
        'Fx_F_N',
        'Fx_R_N',
        *(f'om_{w}_radps' for w in wheels),
        *(f'toe_{w}_deg' for w in wheels),
        *(f'camber_{w}_deg' for w in wheels),
        *(f'alpha_{w}_deg' for w in wheels),
        *(f'slip_{w}' for w in wheels),
        *(f'spring_{_short(spring.actuator.removeprefix("spring_"))}_m' for spring in gear.car.springs),
    )


def _row(vehicle: Vehicle, gear: Car, time: float, given: Floats, pull: Floats) -> list[float]:
    """Return a row of the table.

    Args:
        vehicle: Vehicle.
        gear: Running gear of the vehicle.
        time: Simulated time [s].
        given: Steering, throttle and braking, shape (3,).
        pull: Acceleration of the base over the last cycle, world frame [m/s^2], shape (3,).
    """
    body, data = vehicle.body_state(), vehicle.data
    axes = rotation.matrix(body.orientation)
    axles = data.xaxis[gear.joints_of] @ axes
    place = (data.xpos[gear.bodies] - body.position) @ axes
    v, a = axes.T @ body.linear_velocity, axes.T @ pull
    yaw = math.atan2(axes[1, 0], axes[0, 0])
    level = np.array([[math.cos(yaw), math.sin(yaw), 0.0], [-math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    table = gear.table
    force = table[:, wheel_state.FORCE : wheel_state.FORCE + 3] @ level.T
    toe, camber = np.degrees(np.arctan2(-axles[:, 0], axles[:, 1])), np.degrees(np.arcsin(axles[:, 2]))
    front = place[:, 0] > place[:, 0].mean()
    heading = np.radians(toe)
    wheel_force = np.stack(
        (
            force[:, 0] * np.cos(heading) + force[:, 1] * np.sin(heading),
            force[:, 1] * np.cos(heading) - force[:, 0] * np.sin(heading),
        ),
        axis=1,
    )
    slip_angle = np.degrees(table[:, wheel_state.SLIP_ANGLE])
    # Relative to the hub's speed along the heading, as in Chrono, not to the rim's speed as in the table.
    rims = table[:, wheel_state.SPIN] * gear.radius
    com = data.subtree_com[gear.model.body_rootid[vehicle.body.base]]
    hubs = point_velocities(data.cvel, data.xpos[gear.bodies], com, gear.bodies) @ axes
    along = hubs[:, 0] * axles[:, 1] - hubs[:, 1] * axles[:, 0]
    slip = (rims - along) / np.maximum(np.abs(along), 0.1)
    return [
        time,
        *given,
        *body.position,
        math.degrees(math.atan2(axes[2, 1], axes[2, 2])),
        math.degrees(math.asin(-axes[2, 0])),
        math.degrees(yaw),
        v[0],
        v[1],
        float(body.angular_velocity[2]),
        a[0],
        a[1],
        gear.state[columns.GEAR] + 1.0,
        gear.state[columns.ENGINE_SPEED],
        gear.state[columns.ENGINE_TORQUE],
        *force[:, 2],
        *(float(wheel_force[at, k].sum()) for k in (1, 0) for at in (front, ~front)),
        *table[:, wheel_state.SPIN],
        *toe,
        *camber,
        *slip_angle,
        *slip,
        *data.actuator_length[gear.struts.spring],
    ]
