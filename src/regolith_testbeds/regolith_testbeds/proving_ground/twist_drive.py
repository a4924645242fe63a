# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Proving ground run of a vehicle commanded by a twist: wheel speed ramp, and a table of poses, wheels and torques."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from regolith_testbeds.proving_ground.settings import Settings
from regolith_vehicles import Wheels
from regolith_vehicles.agent import Vehicle
from regolith_vehicles.commands import DriveCommand
from regolith_world.numerics import rotation


def short(name: str) -> str:
    """Return a wheel's name as in tables: side, then front, middle or back; front_left -> LF."""
    where, _, side = name.partition('_')
    return f'{side[:1].upper()}{"B" if where == "rear" else where[:1].upper()}'


def twist(s: Settings, time: float, radius: float) -> DriveCommand:
    """Return the command at a time [s] for wheels of a radius [m]."""
    part = min(1.0, max(0.0, time / s.speed_ramp_s)) if s.speed_ramp_s > 0.0 else 1.0
    rolled = radius / s.nominal_radius_m if s.nominal_radius_m is not None else 1.0
    return DriveCommand(s.speed_mps * rolled * part, s.yaw_rate_radps * part)


def twist_drive(s: Settings, vehicle: Vehicle, tick: Callable[[int, int], None]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return columns and rows of a vehicle's motion."""
    gear = vehicle.gear
    assert isinstance(gear, Wheels)
    names = [short(wheel.name) for wheel in vehicle.config.wheels]
    columns = (
        't_s',
        'x_m',
        'y_m',
        'z_m',
        'roll_deg',
        'pitch_deg',
        'yaw_deg',
        'vx_mps',
        *(f'z{n}_m' for n in names),
        *(f'tq{n}_Nm' for n in names),
        'vy_mps',
        'yaw_rate_radps',
    )
    cycle_ns, radius = round(s.cycle_s * 1e9), float(vehicle.body.radius.mean())
    cycles, every = round(s.duration_s / s.cycle_s), max(1, round(s.sample_s / s.cycle_s))
    rows = [_row(vehicle, 0.0)]
    for k in range(cycles):
        if k % 200 == 0:
            tick(k, cycles)
        # Speeds are linear within a cycle, up to the command at its end.
        targets = gear.targets(twist(s, (k + 1) * s.cycle_s, radius))
        vehicle.grid.apply(vehicle.evolve(cycle_ns, *targets))
        vehicle.commit()
        if (k + 1) % every == 0:
            rows.append(_row(vehicle, (k + 1) * s.cycle_s))
    tick(cycles, cycles)
    return columns, np.array(rows)


def _row(vehicle: Vehicle, time: float) -> list[float]:
    body, data, wheels = vehicle.body_state(), vehicle.data, vehicle.body
    axes = rotation.matrix(body.orientation)
    velocity = axes.T @ body.linear_velocity
    return [
        time,
        *body.position,
        math.degrees(math.atan2(axes[2, 1], axes[2, 2])),
        math.degrees(math.asin(-axes[2, 0])),
        math.degrees(math.atan2(axes[1, 0], axes[0, 0])),
        velocity[0],
        *data.xpos[wheels.wheel_body, 2],
        *data.qfrc_actuator[wheels.wheel_dof],
        velocity[1],
        float(body.angular_velocity[2]),
    ]
