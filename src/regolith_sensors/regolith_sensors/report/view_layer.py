# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor layers in the view of a run: direction of the sun and fields of view of the cameras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import ViewLayer, ViewMarks
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.sensor_types import OPTICAL
from regolith_sensors.config.sensors import ResolvedSensor, scenario_sensors
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

_SUN, _FIELD = '#ffd75e', '#8fd3ff'
_LONG_M = 2.5
"""Length of the line toward the sun [m]."""
_ABOVE_M = 3.0
"""Height of that line above the vehicles [m]."""
_DEEP_M = 0.9
"""Distance at which fields of view end [m]."""


def sun(scenario: Any) -> ViewLayer | None:
    """Return the layer with the direction of the sun; None without a sun or without sensors."""
    if scenario.light.sun_at(0) is None or not scenario_sensors(scenario):
        return None
    topics = {f'/{name}/part_poses': 'regolith_msgs/msg/PartPoses' for name in sorted(scenario.vehicles)}

    def draw(t_ns: int, last: Mapping[str, Any]) -> list[ViewMarks]:
        found = scenario.light.sun_at(t_ns)
        bases = [_base(last[topic])[0] for topic in topics if topic in last]
        if found is None or not bases:
            return []
        start = np.mean(bases, axis=0) + (0.0, 0.0, _ABOVE_M)
        end = start + _LONG_M * found.direction
        words = f'sun, {np.degrees(found.elevation):.1f}° high'
        return [ViewMarks([start, end], _SUN, 2.5, joined=True), ViewMarks([end], _SUN, 12.0, label=words)]

    return ViewLayer('Sun', draw, topics)


def fields_of_view(scenario: Any) -> ViewLayer | None:
    """Return the layer with the fields of view of the cameras; None without cameras."""
    eyes = [s for s in scenario_sensors(scenario) if isinstance(s.config, CameraConfig)]
    if not eyes:
        return None
    topics = {f'/{eye.vehicle}/part_poses': 'regolith_msgs/msg/PartPoses' for eye in eyes}
    lines = [(f'/{eye.vehicle}/part_poses', field_of_view(eye)) for eye in eyes]

    def draw(t_ns: int, last: Mapping[str, Any]) -> list[ViewMarks]:
        marks = []
        for topic, points in lines:
            if topic in last:
                place, turn = _base(last[topic])
                marks.append(ViewMarks(points @ rotation.matrix(turn).T + place, _FIELD, 1.2, joined=True))
        return marks

    return ViewLayer('Fields of view', draw, topics)


def field_of_view(eye: ResolvedSensor) -> Floats:
    """Return the edges of a camera's view pyramid as one line, in the frame of its vehicle's base [m], shape (n, 3).

    Distortion is neglected.
    """
    config: CameraConfig = eye.config
    half = 0.5 * config.pixel_size_m / config.focal_length_m * np.array([config.width, config.height])
    corners = _DEEP_M * np.array([(x * half[0], y * half[1], 1.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    apex = np.zeros(3)
    a, b, c, d = corners
    line = np.array([apex, a, b, apex, c, d, apex, b, c, d, a])
    ahead = line @ rotation.matrix(np.array(OPTICAL.orientation)).T
    return np.asarray(ahead @ rotation.matrix(eye.mount.orientation).T + eye.mount.position)


def _base(state: Any) -> tuple[Floats, Floats]:
    p, q = state.poses[0].position, state.poses[0].orientation
    return np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])
