# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Cameras, lamps, battery and charging of the rover, with the values of the Lunar Autonomy Challenge (NASA, 2024)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.challenge.autonomous_agent import (
    BACK,
    BACK_LEFT,
    BACK_RIGHT,
    FRONT,
    FRONT_LEFT,
    FRONT_RIGHT,
    LEFT,
    POSITIONS,
    RIGHT,
    Transform,
)
from regolith_sensors import CameraConfig
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

FIELD_DEG = 70.0
"""Horizontal field of view of all cameras [deg]."""
LARGEST_PX = (2448, 2048)
"""Largest width and height of an image [px]."""
CAMERA_W, LAMP_W = 3.0, 9.8
"""Power of a camera that is active, and of a lamp at full intensity [W]."""
LAMP_W_SR = 3.0
"""Radiant intensity of a lamp at full intensity, each band [W/sr]."""
EMPTY_WH = 5.0
"""Energy at which a mission ends [Wh]."""
CHARGER, ROVER_ANTENNA = (0.0, 1.452, 0.509), (0.0, -0.208, 0.346)
"""Antennas of the lander, in its frame, and of the rover, in base_link [m]."""
REACH_M, TOWARD_DEG, AWAY_M, FULL_CHARGE_S = 0.1, 30.0, 1.0, 7200.0
"""Charging: distance along x and along y of the antennas [m]; angle between them [deg]; distance after which the rover
may charge again [m]; duration of a full charge [s]."""


class CameraMount(NamedTuple):
    """Place of a camera."""

    place: Transform
    """Pose in base_link, or from the hinge of an arm whose axes are those of base_link while it is level."""
    arm: str = ''
    """Body of the arm, empty for base_link."""


def _at(x: float, y: float, z: float, yaw_deg: float = 0.0, pitch_deg: float = 0.0) -> Transform:
    return Transform(x, y, z, 0.0, math.radians(pitch_deg), math.radians(yaw_deg))


CAMERAS: Mapping[str, CameraMount] = {
    FRONT_LEFT: CameraMount(_at(0.28, 0.081, 0.131)),
    FRONT_RIGHT: CameraMount(_at(0.28, -0.081, 0.131)),
    BACK_LEFT: CameraMount(_at(-0.28, -0.081, 0.131, 180.0)),
    BACK_RIGHT: CameraMount(_at(-0.28, 0.081, 0.131, 180.0)),
    LEFT: CameraMount(_at(0.015, 0.252, 0.132, 90.0)),
    RIGHT: CameraMount(_at(-0.015, -0.252, 0.132, -90.0)),
    FRONT: CameraMount(_at(0.414, -0.015, -0.038, 0.0, 90.0), 'arm_front'),
    BACK: CameraMount(_at(-0.339, 0.017, 0.083, 0.0, -30.0), 'arm_rear'),
}
"""Cameras by position. The last two turn with an arm: Front looks down at rest, Back ahead and 30 degrees up."""


def orientation(place: Transform) -> Floats:
    """Return the quaternion (x, y, z, w) of a pose: yaw, then pitch (positive down), then roll."""
    return rotation.from_rpy_deg((math.degrees(place.roll), math.degrees(place.pitch), math.degrees(place.yaw)))


class CameraRequest(NamedTuple):
    """Camera that an agent requests."""

    active: bool
    light: float
    """Intensity of its lamp, 0 to 1."""
    width: int
    """Width of its images [px]."""
    height: int
    """Height of its images [px]."""
    semantic: bool
    """Whether classes are given."""


def check_cameras(requested: object, most: int, shown: bool) -> dict[str, CameraRequest]:
    """Return the cameras that an agent requests, checked.

    Args:
        requested: Result of the agent's method ``sensors``.
        most: Largest number of cameras that are active at once.
        shown: Whether semantic images are given.

    Raises:
        ValueError: If a position, key or value is not valid.
    """
    if not isinstance(requested, Mapping):
        raise ValueError(f'sensors() = {requested!r}: is not a mapping; allowed: cameras by position')
    found: dict[str, CameraRequest] = {}
    for key, values in requested.items():
        position = str(getattr(key, 'value', key))
        if position not in POSITIONS:
            raise ValueError(f'sensors(): {position!r}: is not a camera; allowed: {", ".join(POSITIONS)}')
        where = f'sensors()[{position!r}]'
        if not isinstance(values, Mapping):
            raise ValueError(f'{where} = {values!r}: is not a mapping; allowed: settings of a camera')
        unknown = set(values) - {'camera_active', 'light_intensity', 'width', 'height', 'use_semantic'}
        if unknown:
            raise ValueError(
                f'{where}: {min(unknown)!r}: is unknown; allowed: camera_active, light_intensity, width, height, '
                'use_semantic'
            )
        size = []
        for name, largest in zip(('width', 'height'), LARGEST_PX, strict=True):
            value = int(str(values.get(name, 0)))
            if not 16 <= value <= largest:
                raise ValueError(f'{where}: {name} = {value}: is not valid; allowed: 16 to {largest} px')
            size.append(value)
        intensity = float(str(values.get('light_intensity', 0.0)))
        if not 0.0 <= intensity <= 1.0:
            raise ValueError(f'{where}: light_intensity = {intensity:g}: is not valid; allowed: 0 to 1')
        semantic = bool(values.get('use_semantic', False))
        if semantic and not shown:
            raise ValueError(f'{where}: use_semantic = True: is not given in an evaluation; allowed: False')
        found[position] = CameraRequest(bool(values.get('camera_active', False)), intensity, size[0], size[1], semantic)
    active = [position for position, camera in found.items() if camera.active]
    if len(active) > most:
        raise ValueError(f'sensors(): {len(active)} cameras are active; allowed: up to {most} in this mission')
    return found


def device_power(cameras: Mapping[str, bool], lights: Mapping[str, float]) -> float:
    """Return the power of cameras and lamps [W]."""
    return CAMERA_W * sum(cameras.values()) + LAMP_W * sum(lights.values())


def antenna_gap(place: Floats, turn: Floats) -> Floats:
    """Return the antenna of the lander from that of the rover along x and y [m], shape (2,).

    Args:
        place: Position of base_link [m], shape (3,).
        turn: Its rotation matrix.
    """
    gap: Floats = (np.array(CHARGER) - place - turn @ np.array(ROVER_ANTENNA))[:2]
    return gap


def charges(place: Floats, turn: Floats) -> bool:
    """Return whether the rover is at the charger: antennas within 0.1 m along x and y, facing within 30 degrees.

    Args:
        place: Position of base_link [m], shape (3,).
        turn: Its rotation matrix.
    """
    facing = turn @ np.array([0.0, -1.0, 0.0])  # toward the lander, whose antenna faces +y
    near = np.all(np.abs(antenna_gap(place, turn)) <= REACH_M)
    return bool(near and -facing[1] >= math.cos(math.radians(TOWARD_DEG)))


def imu_reading(positions: Floats, turns: Floats, dt: float, gravity: float) -> Floats:
    """Return acceleration with gravity in the rover's axes [m/s2], and angular velocity [rad/s], shape (6,).

    a_k = R_k^T ((p_k + p_{k-2} - 2 p_{k-1}) / dt^2 + (0, 0, g)). The angular velocity is that of ((R_k - R_{k-1}) / dt)
    R_k^T, in axes of the world, as in the challenge.

    Args:
        positions: Positions of the last three steps [m], shape (3, 3).
        turns: Rotation matrices of the last three steps, shape (3, 3, 3).
        dt: Period of steps [s].
        gravity: Gravity [m/s2].

    Tests: test_challenge_devices.py::test_inertial_readings_are_differences_of_poses.
    """
    acceleration = (positions[2] + positions[0] - 2.0 * positions[1]) / dt**2 + np.array([0.0, 0.0, gravity])
    rate = (turns[2] - turns[1]) / dt @ turns[2].T
    return np.concatenate([turns[2].T @ acceleration, [rate[2, 1], rate[0, 2], rate[1, 0]]])


def camera_configs(sizes: Mapping[str, tuple[int, int]]) -> dict[str, CameraConfig]:
    """Return cameras of 70 degrees by position, without distortion, for widths and heights of images [px]."""
    focal = 4.0e-3
    return {
        position: CameraConfig.model_validate(
            {
                'width': width,
                'height': height,
                'pixel_size_m': 2.0 * focal * math.tan(math.radians(0.5 * FIELD_DEG)) / width,
                'focal_length_m': focal,
                'f_number': 8.0,
                'focus_distance_m': 2.0,
                'exposure_s': 4.0e-3,
                'auto_exposure': {
                    'percentile': 95.0,
                    'target_level': 0.6,
                    'min_exposure_s': 2.0e-5,
                    'max_exposure_s': 0.2,
                },
                'color': 'mono',
                'full_well': 20000.0,
                'noise': {'dark_current': [20.0] * 3, 'read': [12.0] * 3, 'dsnu': 4.0, 'prnu': 0.008},
            }
        )
        for position, (width, height) in sizes.items()
    }
