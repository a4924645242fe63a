# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose of a mounted camera."""

from __future__ import annotations

from regolith_sensors.camera.pipeline import CameraPose
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.scene.world_view import WorldView
from regolith_world.numerics import rotation


def camera_pose(sensor: ResolvedSensor, view: WorldView, t_ns: int) -> CameraPose:
    """Return the pose of a camera at a simulated time [ns]."""
    mount = sensor.mount
    place, turn = view.base_pose(sensor.vehicle, t_ns)
    return CameraPose(
        place[0] + rotation.matrix(turn[0]) @ mount.position, rotation.product(turn[0], mount.orientation)
    )
