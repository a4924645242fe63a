# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What turns the sprockets of a tracked vehicle: engine, gearbox, differential and brakes.

Engine and gearbox are as of a car (:mod:`regolith_vehicles.powertrain.powertrain`). Steered by brakes, an open
differential splits the torque evenly, and the brake of the inner side is pressed. Steered by splitting, each side has
half the torque, the inner one a share of (1 - steering) of that, or (1 - 2 steering) in pivot mode: its reverse at full
steering. Brakes, and the inner resistance of a band, are elastics that wind up until they slide, so they hold.

Source: wong2008, section 6.4.
Checked by: test_tracks.py::test_engine_and_brakes_turn_the_sprockets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.contact.ground_contact import PartPose
from regolith_terrain.scm.arrays import Wrench
from regolith_vehicles.dynamics.substeps import BodyArrays, ContactParts, Wrenches, apply_to_body, body_fixed_pose
from regolith_vehicles.powertrain.brake import brake
from regolith_vehicles.powertrain.columns import BRAKING, DIRECTION, STEERING, THROTTLE
from regolith_vehicles.powertrain.powertrain import Powertrain, driveshaft_torque
from regolith_vehicles.tracks.band import Band, BandState, place_shoes
from regolith_vehicles.tracks.forces import settle_band, turn_wheels

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

PIVOT = 4
"""Column of the command after those of a car: 1 turns on the spot, where the driveline can."""


class Driveline(NamedTuple):
    """What does not change of it."""

    train: Powertrain
    motors: Indices
    """Actuators of the sprockets, left and right, shape (2,)."""
    dof: Indices
    """Their degrees of freedom, shape (2,)."""
    final_drive_ratio: float
    """Mean speed of the sprockets over the driveshaft's."""
    split: bool
    """Whether torque is split to steer; else the brakes steer."""
    brake_torque: float
    """Of each sprocket at full braking [N m]."""
    resistance: Floats
    """Torque against turning [N m], and its growth with speed [N m s]: of each band at its sprocket, shape (2, 2)."""


class TrackArrays(NamedTuple):
    """First argument of the hooks."""

    band: Band
    state: BandState
    line: Driveline
    begin: Floats
    """Command at the start of the cycle, shape (5,)."""
    end: Floats
    """Command at its end."""
    engine: Floats
    """In/out: of the powertrain, shape (STATES,)."""
    wound_up: Floats
    """In/out: elastic part of each brake's turn [rad], shape (2,)."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
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


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def place(arrays: TrackArrays, part: int, parts: ContactParts, bodies: BodyArrays, pose: PartPose) -> bool:
    """Write the pose of a shoe, or of a part of the hull; return whether it may touch the ground."""
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


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def bear(
    arrays: TrackArrays, part: int, parts: ContactParts, bodies: BodyArrays, pose: PartPose, wrench: Wrench
) -> None:
    """Let the hull bear the wrench on a part of it; those on shoes wait for all of them."""
    if part >= arrays.state.near.shape[0]:
        apply_to_body(None, part, parts, bodies, pose, wrench)


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def settle(arrays: TrackArrays, step: float, bodies: BodyArrays, wrenches: Wrenches) -> None:
    """Pass the wrenches on all shoes through the bands to the vehicle."""
    settle_band(arrays.band, arrays.state, step, bodies, wrenches)
