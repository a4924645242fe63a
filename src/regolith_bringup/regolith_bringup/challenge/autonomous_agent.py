# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of the agents of the challenge, with the method names of the Lunar Autonomy Challenge.

A file of an agent has a function ``get_entry_point`` that returns the name of its class. Positions of cameras are the
strings of :data:`POSITIONS`, angles are in radians, lengths in meters, energies in watt hours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.challenge.geometric_map import GeometricMap

FRONT_LEFT, FRONT_RIGHT, BACK_LEFT, BACK_RIGHT = 'FrontLeft', 'FrontRight', 'BackLeft', 'BackRight'
LEFT, RIGHT, FRONT, BACK = 'Left', 'Right', 'Front', 'Back'
POSITIONS = (FRONT_LEFT, FRONT_RIGHT, BACK_LEFT, BACK_RIGHT, LEFT, RIGHT, FRONT, BACK)
"""Cameras, each with a lamp beside it. Front and Back are on the arms."""


class VelocityControl(NamedTuple):
    """Command of one step."""

    linear: float
    """Speed, forward positive [m/s]."""
    angular: float
    """Angular speed, left positive [rad/s]."""


@dataclass(frozen=True)
class Transform:
    """Pose: position [m] and roll, pitch and yaw [rad], x forward, y left, z up."""

    x: float
    y: float
    z: float
    roll: float
    pitch: float
    yaw: float


@dataclass
class RoverState:
    """What an agent may know of the rover at the present time; the mission fills it."""

    mission_time_s: float = 0.0
    energy_wh: float = 0.0
    consumed_wh: float = 0.0
    imu: NDArray[np.float64] = field(default_factory=lambda: np.zeros(6))
    linear_mps: float = 0.0
    angular_radps: float = 0.0
    joints: dict[str, float] = field(default_factory=dict)
    """Angles of arms [rad] and speeds of drums [rad/s]."""
    cover_open: bool = False
    transform: Transform | None = None
    """True pose; None in an evaluation."""


@dataclass
class RoverCommand:
    """What an agent requests until its next step."""

    cameras: dict[str, bool] = field(default_factory=dict)
    lights: dict[str, float] = field(default_factory=dict)
    joints: dict[str, float] = field(default_factory=dict)
    cover_open: bool = False
    complete: bool = False


class AutonomousAgent(ABC):
    """Agent of the challenge. Subclasses implement the abstract methods; the runner calls all others from outside."""

    def __init__(self) -> None:
        self._state, self._command = RoverState(), RoverCommand()
        self._map = GeometricMap(1, 1.0)
        self._start = self._lander = Transform(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self._cameras: dict[str, Transform] = {}

    # -- methods of the agent ---------------------------------------------------------------------------

    @abstractmethod
    def setup(self, path_to_conf_file: str) -> None:
        """Prepare the agent.

        Args:
            path_to_conf_file: Value of ``--config``, empty without.
        """

    @abstractmethod
    def use_fiducials(self) -> bool:
        """Return whether the agent uses the fiducials of the lander."""

    @abstractmethod
    def sensors(self) -> dict[str, dict[str, Any]]:
        """Return the cameras by position.

        Keys are ``camera_active`` (bool), ``light_intensity`` (0 to 1), ``width`` and ``height`` [px], and optionally
        ``use_semantic`` (bool), for classes per pixel in training.
        """

    @abstractmethod
    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        """Return the command of the next step.

        Args:
            input_data: ``Grayscale`` and ``Semantic``: images by position, shape (height, width) of bytes, of the
                cameras that are active. None at steps without an image.
        """

    def finalize(self) -> None:  # noqa: B027 (optional)
        """Finish the map, after the mission has ended."""

    def get_estimated_pose(self) -> Transform | None:
        """Return the agent's estimate of the rover's pose in the world, for the rules ``regolith1``."""
        return None

    # -- state ------------------------------------------------------------------------------------------

    def get_initial_position(self) -> Transform:
        """Return the pose of the rover in the world at the start."""
        return self._start

    def get_initial_lander_position(self) -> Transform:
        """Return the pose of the lander in the rover's frame at the start."""
        return self._lander

    def get_transform(self) -> Transform | None:
        """Return the true pose of the rover; None in an evaluation."""
        return self._state.transform

    def get_geometric_map(self) -> GeometricMap:
        """Return the map that the agent fills."""
        return self._map

    def get_mission_time(self) -> float:
        """Return the time since the start of the mission, with the time of charging [s]."""
        return self._state.mission_time_s

    def get_current_power(self) -> float:
        """Return the energy in the battery [Wh]."""
        return self._state.energy_wh

    def get_consumed_power(self) -> float:
        """Return the energy consumed so far [Wh]."""
        return self._state.consumed_wh

    def get_imu_data(self) -> NDArray[np.float64]:
        """Return acceleration with gravity in the rover's axes [m/s2] and angular velocity [rad/s], shape (6,)."""
        return self._state.imu.copy()

    def get_linear_speed(self) -> float:
        """Return the speed by odometry [m/s]."""
        return self._state.linear_mps

    def get_angular_speed(self) -> float:
        """Return the angular speed by odometry [rad/s]."""
        return self._state.angular_radps

    def get_camera_position(self, camera: str) -> Transform:
        """Return the pose of a camera in the rover's frame, x along its optical axis; arms as at the start."""
        return self._cameras[_position(camera)]

    def get_light_position(self, light: str) -> Transform:
        """Return the pose of the lamp beside a camera in the rover's frame."""
        place = self._cameras[_position(light)]
        return Transform(place.x, place.y, place.z + LAMP_ABOVE_M, place.roll, place.pitch, place.yaw)

    def get_camera_state(self, camera: str) -> bool:
        """Return whether a camera is active."""
        return self._command.cameras.get(_position(camera), False)

    def get_light_state(self, light: str) -> float:
        """Return the intensity of a lamp, 0 to 1."""
        return self._command.lights.get(_position(light), 0.0)

    def get_front_arm_angle(self) -> float:
        """Return the angle of the front arm [rad]."""
        return self._state.joints.get('arm_front', 0.0)

    def get_back_arm_angle(self) -> float:
        """Return the angle of the rear arm [rad]."""
        return self._state.joints.get('arm_rear', 0.0)

    def get_front_drums_speed(self) -> float:
        """Return the speed of the front drum [rad/s]."""
        return self._state.joints.get('drum_front', 0.0)

    def get_back_drums_speed(self) -> float:
        """Return the speed of the rear drum [rad/s]."""
        return self._state.joints.get('drum_rear', 0.0)

    def get_radiator_cover_state(self) -> bool:
        """Return whether the cover of the radiator is open."""
        return self._command.cover_open

    # -- commands ---------------------------------------------------------------------------------------

    def set_camera_state(self, camera: str, active: bool) -> None:
        """Switch a camera."""
        self._command.cameras[_position(camera)] = bool(active)

    def set_light_state(self, light: str, intensity: float) -> None:
        """Set the intensity of a lamp, limited to 0 to 1."""
        self._command.lights[_position(light)] = min(max(float(intensity), 0.0), 1.0)

    def set_front_arm_angle(self, angle: float) -> None:
        """Move the front arm to an angle [rad]."""
        self._command.joints['arm_front'] = float(angle)

    def set_back_arm_angle(self, angle: float) -> None:
        """Move the rear arm to an angle [rad]."""
        self._command.joints['arm_rear'] = float(angle)

    def set_front_drums_target_speed(self, speed: float) -> None:
        """Turn the front drum at a speed [rad/s]."""
        self._command.joints['drum_front'] = float(speed)

    def set_back_drums_target_speed(self, speed: float) -> None:
        """Turn the rear drum at a speed [rad/s]."""
        self._command.joints['drum_rear'] = float(speed)

    def set_radiator_cover_state(self, opened: bool) -> None:
        """Open or close the cover of the radiator. It has no effect on the rover."""
        self._command.cover_open = bool(opened)

    def mission_complete(self) -> None:
        """End the mission after this step."""
        self._command.complete = True


LAMP_ABOVE_M = 0.03
"""Height of a lamp above its camera [m]."""


def _position(name: str) -> str:
    """Return the name of a camera from a string or an enumeration.

    Raises:
        ValueError: If there is no such camera.
    """
    text = str(getattr(name, 'value', name))
    if text not in POSITIONS:
        raise ValueError(f'camera = {text!r}: is unknown; allowed: {", ".join(POSITIONS)}')
    return text
