# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of all kernels of the package, so that the first frame takes no extra time."""

from __future__ import annotations

import numpy as np

from regolith_sensors.brdf import PRESETS
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.imu import ImuConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.dust.density import Puffs, density_grid
from regolith_sensors.dust.flight import hit_boxes, land
from regolith_sensors.dust.optics import dust_optics
from regolith_sensors.inertial.imu import Imu
from regolith_sensors.labels.ground_truth import boxes
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.rays.registry import DEFAULT_RAY_BACKEND, ray_backend
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Principled
from regolith_sensors.surfaces.meshes import box
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain import FlatField
from regolith_terrain.grid import SoilGrid

_BOX = (
    np.zeros(1, np.int64),
    np.zeros((2, 1, 3, 3)),
    np.zeros((2, 1, 3)),
    np.ones((1, 3)),
    np.ones(1),
)
"""A box for the kernel that finds hits."""


def main(rays: str = DEFAULT_RAY_BACKEND) -> None:
    """Render a small image, a lidar scan and an IMU sample.

    Args:
        rays: Name of the ray back end.
    """
    grid = SoilGrid(FlatField(), 0.05)
    ground = SoilHeightSource(grid, (-2.0, 2.0, -2.0, 2.0))
    scene = Scene(ground, [Principled((0.1, 0.1, 0.1))], rays=ray_backend(rays)())
    node = np.zeros(1, dtype=np.int32)
    scene.center((0.0, 0.0, 1.0))
    scene.update(node, node)
    # Large enough to receive ground light.
    hull = scene.add_object('hull', [(scene.add_mesh(box((0.5, 0.5, 0.1)), holds_light=True), Semantic.VEHICLE)])
    scene.place(hull, 0, (0.6, 0.0, 0.3), (0.0, 0.0, 0.0, 1.0))
    arrays = scene.commit()
    down = CameraPose(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5**0.5, 0.0, 0.5**0.5]))
    lamp = Spotlight(down.position, np.array([0.0, 0.0, -1.0]), (1.0, 1.0, 1.0), 0.3, 0.4)
    values = {
        'width': 16,
        'height': 16,
        'pixel_size_m': 1e-5,
        'focal_length_m': 1e-4,
        'f_number': 0.01,
        'exposure_s': 1e-3,
        'focus_distance_m': 0.5,
        'bounce_samples': 1,
    }
    camera = Camera(CameraConfig.model_validate(values), 0, 'warm_up')
    # The sun is low in the east, so that the hull's shadow lies beside it.
    puffs = Puffs(np.array([[0.3, 0.0, 0.3]]), np.array([0.01]), np.zeros(1, np.int64))
    dust = dust_optics(density_grid(puffs, 1e-4, scene.origin, down.position), PRESETS['lunar_sato2014'])
    frame = camera.expose(arrays, scene.origin, lambda _: down, Sun(1.5, 0.5), [lamp], dust=dust)
    camera.process(frame)
    Camera(CameraConfig.model_validate({**values, 'bounce_samples': 0}), 0, 'warm_up').expose(
        arrays, scene.origin, lambda _: down, Sun(0.0, 1.0), [lamp]
    )
    boxes(frame.object_id, frame.semantic)

    def poses(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.tile(down.position, (len(moments), 1)), np.tile(np.eye(3), (len(moments), 1, 1))

    Lidar(LidarConfig(columns=4, rings=4), 0, 'warm_up').scan(arrays, scene.origin, poses, dust=dust)
    land(down.position[None], np.ones((1, 3)), 1.62, grid)
    one = np.zeros((1, 3))
    hit_boxes(one, one, *_BOX, np.zeros(1, np.int32))
    Imu(ImuConfig.model_validate({'gyroscope': {'noise_density': 1e-3}}), 0, 'warm_up').sample(
        0, (0.0, 0.0, 1.62), (0.0,) * 3
    )


if __name__ == '__main__':
    main()
