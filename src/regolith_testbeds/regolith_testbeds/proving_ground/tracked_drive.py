# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Proving ground run of a tracked vehicle: driver inputs over time, and a table of poses, tracks and suspension."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from regolith_testbeds.proving_ground.inputs import inputs
from regolith_testbeds.proving_ground.settings import Settings
from regolith_vehicles.agent import Vehicle
from regolith_vehicles.powertrain import columns
from regolith_vehicles.tracks import Tracks
from regolith_world.numerics import rotation


def tank_parameters(s: Settings, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of tracks with the changes of the settings."""
    if s.powertrain is not None:
        given = {**given, 'powertrain': s.powertrain}
    if s.driveline is None:
        return given
    # Split steering has no gear between driveshaft and sprockets.
    ratio = 1.0 if s.driveline == 'split' else given.get('final_drive_ratio', 1.0)
    return {**given, 'steering': s.driveline, 'final_drive_ratio': ratio}


def tracked_drive(
    s: Settings, vehicle: Vehicle, tick: Callable[[int, int], None]
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return columns and rows of a vehicle's motion."""
    gear = vehicle.gear
    assert isinstance(gear, Tracks)
    slides = _slides(gear)
    arms = [[int(b) for b in gear.model.body_parentid[row[1:-1]]] for row in gear.band.disc]
    columns = (
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
        'gear',
        'engine_radps',
        'engine_Nm',
        'spk_omega_L',
        'spk_omega_R',
        'spk_torque_L_Nm',
        'spk_torque_R_Nm',
        'shoe_speed_L_mps',
        'shoe_speed_R_mps',
        'tension_mean_L_N',
        'tension_max_L_N',
        'tension_mean_R_N',
        'tension_max_R_N',
        'tensioner_len_L_m',
        'tensioner_F_L_N',
        'tensioner_len_R_m',
        'tensioner_F_R_N',
        'ground_Fx_N',
        'ground_Fy_N',
        'ground_Fz_N',
        *(f'arm{side}{k}_deg' for side, row in zip('LR', arms, strict=True) for k in range(len(row))),
        *(f'wheelFz{side}{k}_N' for side, row in zip('LR', arms, strict=True) for k in range(len(row))),
        'sinkage_max_m',
    )
    cycle_ns, pivot = round(s.cycle_s * 1e9), float(s.maneuver == 'pivot')
    cycles, every = round(s.duration_s / s.cycle_s), max(1, round(s.sample_s / s.cycle_s))
    rows = [_row(vehicle, gear, arms, slides, 0.0, np.zeros(3))]
    for k in range(cycles):
        if k % 200 == 0:
            tick(k, cycles)
        time = k * s.cycle_s
        body = vehicle.body_state()
        speed = float(rotation.matrix(body.orientation)[:, 0] @ body.linear_velocity)
        given, ends = inputs(s, time + 1e-9, speed), inputs(s, time + s.cycle_s + 1e-9, speed)
        command = np.array([ends[0], given[1], ends[2], 1.0, pivot])
        vehicle.grid.apply(vehicle.evolve(cycle_ns, command))
        vehicle.commit()
        if (k + 1) % every == 0:
            rows.append(_row(vehicle, gear, arms, slides, time + s.cycle_s, ends))
    tick(cycles, cycles)
    return columns, np.array(rows)


def _slides(gear: Tracks) -> list[int]:
    """Return the joints by which the idlers move, -1 for fixed idlers."""
    model, found = gear.model, []
    for body in gear.band.disc[:, -1]:
        b = int(body)
        while b not in (0, gear.body.base):
            joints = range(int(model.body_jntadr[b]), int(model.body_jntadr[b]) + int(model.body_jntnum[b]))
            slides = [j for j in joints if int(model.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_SLIDE)]
            if slides:
                found.append(slides[0])
                break
            b = int(model.body_parentid[b])
        else:
            found.append(-1)
    return found


def _tensioner(model: Any, data: Any, joint: int) -> tuple[float, float]:
    """Return length [m] and force [N] of a tensioner from its slide; zeros without a slide.

    The length is 0.5 m with the slide at zero, as in the reference.
    """
    if joint < 0:
        return 0.0, 0.0
    dof = int(model.jnt_dofadr[joint])
    return 0.5 + float(data.qpos[model.jnt_qposadr[joint]]), float(data.qfrc_passive[dof] + data.qfrc_actuator[dof])


def _row(
    vehicle: Vehicle, gear: Tracks, arms: list[list[int]], slides: list[int], time: float, given: np.ndarray
) -> list[float]:
    body, data = vehicle.body_state(), vehicle.data
    axes = rotation.matrix(body.orientation)
    v = axes.T @ body.linear_velocity
    force = axes.T @ vehicle.ground_force()
    angles = []
    for side, row in enumerate(arms):
        for k, arm in enumerate(row):
            # From the wheel's center to the arm's pivot, in the hull frame.
            to_pivot = axes.T @ (data.xpos[arm] - data.xpos[gear.band.disc[side, 1 + k]])
            angles.append(math.degrees(math.atan2(to_pivot[2], to_pivot[0])))
    return [
        time,
        *given,
        *body.position,
        math.degrees(math.atan2(axes[2, 1], axes[2, 2])),
        math.degrees(math.asin(-axes[2, 0])),
        math.degrees(math.atan2(axes[1, 0], axes[0, 0])),
        v[0],
        v[1],
        float(body.angular_velocity[2]),
        gear.engine[columns.GEAR] + 1.0,
        gear.engine[columns.ENGINE_SPEED],
        gear.engine[columns.ENGINE_TORQUE],
        *data.qvel[gear.line.dof],
        *data.ctrl[gear.line.motors],
        *np.abs(gear.band.per_turn * data.qvel[gear.line.dof]),
        *np.column_stack((gear.state.tension.mean(axis=1), gear.state.tension.max(axis=1))).ravel(),
        *(number for joint in slides for number in _tensioner(gear.model, data, joint)),
        *force,
        *angles,
        # Force of the shoes in the last substep: no other external force acts on a road wheel.
        *data.xfrc_applied[gear.band.disc[:, 1:-1].ravel(), 2],
        float(vehicle.gear.table[:, 1].max()),
    ]
