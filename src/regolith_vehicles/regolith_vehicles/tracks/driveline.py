# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Driveline of a tracked vehicle: engine, gearbox, differential and brakes.

Engine and gearbox are those of a car (:mod:`regolith_vehicles.powertrain.powertrain`). With steering by brakes, an
open differential splits the torque evenly, and the brake of the inner side is applied. With split steering, each side
has half the torque. The inner side has a fraction of (1 - steering) of it, or (1 - 2 steering) in a pivot turn, which
is reversed at full steering. Brakes and the inner resistance of a band are elastic until they slide, so they hold the
vehicle.

Source: wong2008, section 6.4.
Checked by: test_tracks.py::test_engine_and_brakes_turn_the_sprockets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import PartPose, Wrench
from regolith_vehicles.dynamics.substeps import BodyArrays, ContactParts, Wrenches, apply_to_body, body_fixed_pose
from regolith_vehicles.powertrain.brake import brake
from regolith_vehicles.powertrain.columns import BRAKING, DIRECTION, STEERING, THROTTLE
from regolith_vehicles.powertrain.powertrain import Powertrain, driveshaft_torque
from regolith_vehicles.tracks.band import Band, BandState, place_shoes
from regolith_vehicles.tracks.forces import settle_band, turn_wheels
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

PIVOT = 4
"""Column of the command after those of a car: 1 rotates in place, if the driveline can."""


class Driveline(NamedTuple):
    """Constant parameters of the driveline."""

    train: Powertrain
    motors: Indices
    """Actuators of the sprockets, left and right, shape (2,)."""
    dof: Indices
    """Degrees of freedom of the sprockets, shape (2,)."""
    final_drive_ratio: float
    """Mean speed of the sprockets divided by the driveshaft's speed [-]."""
    split: bool
    """Whether torque is split for steering; else the brakes steer."""
    brake_torque: float
    """Brake torque of each sprocket at full braking [N m]."""
    resistance: Floats
    """Inner resistance of each band at its sprocket: torque [N m] and its increase with speed [N m s], shape (2, 2)."""


class TrackArrays(NamedTuple):
    """Arguments of the hooks."""

    band: Band
    state: BandState
    line: Driveline
    begin: Floats
    """Command at the start of the cycle, shape (5,)."""
    end: Floats
    """Command at the end of the cycle, shape (5,)."""
    engine: Floats
    """In/out: state of the powertrain, shape (STATES,)."""
    wound_up: Floats
    """In/out: elastic rotation of each brake [rad], shape (2,)."""


@kernel(views_only=True)
def drive(arrays: TrackArrays, step: float, share: float, bodies: BodyArrays) -> None:
    """Place the shoes, and set the torques of engine, brakes and wheels."""
    band, state, line = arrays.band, arrays.state, arrays.line
    place_shoes(band, state, step, bodies)
    begin, end = arrays.begin, arrays.end
    throttle = begin[THROTTLE] + (end[THROTTLE] - begin[THROTTLE]) * share
    braking = begin[BRAKING] + (end[BRAKING] - begin[BRAKING]) * share
    steering = begin[STEERING] + (end[STEERING] - begin[STEERING]) * share
    left, right = bodies.qvel[line.dof[0]], bodies.qvel[line.dof[1]]
    shaft_speed = 0.5 * (left + right) / line.final_drive_ratio
    shaft = driveshaft_torque(line.train, arrays.engine, throttle, end[DIRECTION] < 0.0, shaft_speed, step)
    half = 0.5 / line.final_drive_ratio * shaft
    turning = 2.0 if end[PIVOT] > 0.5 else 1.0
    for side in range(2):
        inner = max(steering if side == 0 else -steering, 0.0)
        given, pressed = half, braking
        if line.split:
            given *= 1.0 - turning * inner
        else:
            pressed = min(1.0, braking + inner)
        bodies.ctrl[line.motors[side]] = given
        dof = line.dof[side]
        speed = bodies.qvel[dof]
        resisting = line.resistance[side, 0] + line.resistance[side, 1] * abs(speed)
        limit = pressed * line.brake_torque + resisting
        arrays.wound_up[side], holding = brake(arrays.wound_up[side], speed, line.brake_torque, limit, step)
        bodies.qfrc_applied[dof] = holding - turn_wheels(band, state, side, bodies)


@kernel(views_only=True)
def place(arrays: TrackArrays, part: int, parts: ContactParts, bodies: BodyArrays, pose: PartPose) -> bool:
    """Write the pose of a shoe or of a part of the hull; return whether it can touch the ground."""
    state = arrays.state
    if part >= state.near.shape[0]:
        body_fixed_pose(None, part, parts, bodies, pose)
        return True
    if not state.near[part]:
        return False
    for a in range(3):
        pose.center[a] = state.center[part, a]
        pose.velocity[a] = state.velocity[part, a]
        pose.angular_velocity[a] = state.spin[part, a]
        for b in range(3):
            pose.rotation[a, b] = state.rotation[part, a, b]
    return True


@kernel(views_only=True)
def bear(
    arrays: TrackArrays, part: int, parts: ContactParts, bodies: BodyArrays, pose: PartPose, wrench: Wrench
) -> None:
    """Apply the wrench on a part of the hull; wrenches on shoes are applied later, all at once."""
    if part >= arrays.state.near.shape[0]:
        apply_to_body(None, part, parts, bodies, pose, wrench)


@kernel(views_only=True)
def settle(arrays: TrackArrays, step: float, bodies: BodyArrays, wrenches: Wrenches) -> None:
    """Apply the wrenches on all shoes to the vehicle through the bands."""
    settle_band(arrays.band, arrays.state, step, bodies, wrenches)
