# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Image of a vehicle from its side, in the light of the scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.camera.display import display_image
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.sensor_types import Mount
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.sensor_models import load_sensor
from regolith_vehicles.visuals import VisualDescription
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

SIZE = (960, 640)
_SIDES_DEG = (-42.0, 42.0, 138.0, -138.0)
"""Candidate view directions, from a vehicle's forward axis to the left, in order of preference [deg]."""
_SUN_ASIDE_DEG = 55.0
"""Preferred angle between sun and camera, seen from the vehicle [deg]: shading makes shapes visible."""


def side_view(
    world: SensorScene,
    looks: Mapping[str, VisualDescription],
    poses: Mapping[str, Floats],
    name: str,
    t_ns: int,
    seed: int,
    from_deg: float | None = None,
    size: tuple[int, int] = SIZE,
) -> NDArray[np.uint8]:
    """Return an image of a vehicle from its side, in the scenario's light, shape (rows, columns, 3).

    Args:
        world: Scene, advanced to the time.
        looks: Visual descriptions by vehicle.
        poses: Poses of the parts by vehicle, shape (n, 7).
        name: Name of the vehicle.
        t_ns: Simulated time [ns].
        seed: Seed of the scenario.
        from_deg: Direction of the camera from its forward axis to the left [deg]; None: selected by the sun.
        size: Width and height of the image [px].
    """
    view = world.view(name)
    low, high = extent(looks[name], poses[name])
    middle, width = 0.5 * (low + high), float(np.linalg.norm(high - low))
    ahead = rotation.matrix(poses[name][0, 3:])[:, 0]
    yaw = math.atan2(ahead[1], ahead[0])
    sun = world.sun_at(t_ns)
    to = yaw + math.radians(_best_side(yaw, sun) if from_deg is None else from_deg)
    distance = 1.6 * width
    grid = world.states.ground.grid
    x, y = middle[:2] + distance * np.array([math.cos(to), math.sin(to)])
    eye = np.array([x, y, max(float(grid.levels(x, y)), low[2]) + 0.34 * distance])
    down = math.degrees(math.atan2(eye[2] - middle[2], distance))
    values = load_sensor('navcam', CameraConfig).model_dump(mode='json')
    values |= {
        'width': size[0],
        'height': size[1],
        'pixel_size_m': 6.4e-6 * 1024 / size[0] / 1.05,
        'color': 'rgb',
        'samples_per_pixel': 4,
        'sun_samples': 4,
        'focus_distance_m': distance,
    }
    camera = Camera(CameraConfig.model_validate(values), seed, 'snapshot')
    pose = CameraPose(eye, Mount(rpy_deg=(0.0, down, math.degrees(math.remainder(to + math.pi, math.tau)))).orientation)
    view.center_on(eye)
    rays = view.prepare(t_ns)
    frame = camera.expose(rays, view.scene.origin, lambda _: pose, sun, (), dust=view.dust(t_ns))
    seen = camera.process(frame)
    return np.ascontiguousarray(display_image(seen.image, seen.encoding)[0])


def _best_side(yaw: float, sun: Any) -> float:
    """Return the view direction [deg]; if there is a sun, one with the sun at the side."""
    if sun is None:
        return _SIDES_DEG[0]
    to_sun = 0.5 * math.pi - sun.azimuth
    aside = math.radians(_SUN_ASIDE_DEG)

    def off(side_deg: float) -> float:
        turn = to_sun - yaw - math.radians(side_deg)
        return abs(abs(math.remainder(turn, 2.0 * math.pi)) - aside)

    return min(_SIDES_DEG, key=off)


def extent(looks: VisualDescription, poses: Floats) -> tuple[Floats, Floats]:
    """Return the minimum and maximum x, y, z of a vehicle in the world [m]; round shapes count with their corners.

    Args:
        looks: Visual description of the vehicle.
        poses: Poses of its parts, shape (n, 7).
    """
    points = []
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    for part, pose in zip(looks.parts, poses, strict=True):
        if not part.visuals:
            continue
        turns = rotation.matrices(np.array([visual.orientation for visual in part.visuals]))
        own = []
        for visual, turn in zip(part.visuals, turns, strict=True):
            if visual.mesh is not None:
                at = visual.mesh.vertices.astype(np.float64)
            else:
                size = visual.size
                at = corners * (size[:3] if visual.shape in ('box', 'ellipsoid') else max(size[:2]))
            own.append(at @ turn.T + visual.position)
        points.append(np.concatenate(own) @ rotation.matrix(pose[3:]).T + pose[:3])
    every = np.concatenate(points)
    return every.min(axis=0), every.max(axis=0)
