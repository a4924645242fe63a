#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Render recorded runs in particles: ``./regolith exec python3 tools/make_crm_images.py NAME RUN SECONDS``.

NAME is a scenario of VIEWS, and RUN the folder of a run of it. The image has four panels: a camera beside the wheel or
drum and one above the vehicle, each at a high and at a low sun. All are rendered from the recorded states at one time.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from make_gallery import sun
from PIL import Image

from regolith_bringup.report.summary import FinishedRun
from regolith_sensors.camera.display import display_image
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.sensor_types import Mount
from regolith_sensors.report.render_from_bag import BagRenderer
from regolith_sensors.sensor_models import load_sensor
from regolith_world.numerics import rotation

FOLDER = Path(__file__).resolve().parents[1] / 'docs' / 'images'
PANEL = (520, 360)
SUNS = (sun(150.0, 50.0), sun(125.0, 9.0))
"""High and low sun."""


class View(NamedTuple):
    """Camera relative to a vehicle: positions ahead, to the left and above its base [m]."""

    eye: tuple[float, float, float]
    aim: tuple[float, float, float]
    across_deg: float


VIEWS = {
    'viper_crm_rocks': (
        'rover',
        (View((1.45, -1.55, 0.45), (0.75, -0.6, -0.05), 62.0), View((0.6, -0.4, 3.2), (0.75, -0.4, 0.0), 48.0)),
    ),
    'rassor_crm': (
        'digger',
        (View((1.75, -1.1, 0.30), (0.85, 0.0, -0.02), 62.0), View((0.5, 0.0, 3.2), (0.65, 0.0, 0.0), 52.0)),
    ),
}


def photograph(drawn: BagRenderer, name: str, view: View, light: Any) -> Image.Image:
    """Return the image of a view in a light."""
    base = drawn.poses[name][0]
    turn = rotation.matrix(base[3:])
    yaw = math.atan2(turn[1, 0], turn[0, 0])
    around = np.array([[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    eye, aim = (base[:3] + around @ np.array(place) for place in (view.eye, view.aim))
    way = aim - eye
    down, to = math.atan2(-way[2], math.hypot(way[0], way[1])), math.atan2(way[1], way[0])
    values = load_sensor('navcam', CameraConfig).model_dump(mode='json') | {
        'width': PANEL[0],
        'height': PANEL[1],
        'pixel_size_m': 2.0 * 4.6e-3 * math.tan(math.radians(0.5 * view.across_deg)) / PANEL[0],
        'focal_length_m': 4.6e-3,
        'focus_distance_m': float(np.linalg.norm(way)),
        'f_number': 11.0,
        'color': 'rgb',
        'samples_per_pixel': 4,
        'sun_samples': 4,
    }
    camera = Camera(CameraConfig.model_validate(values), 4, 'particles')
    pose = CameraPose(eye, Mount(rpy_deg=(0.0, math.degrees(down), math.degrees(to))).orientation)
    scene = drawn._world.view(name)
    scene.center_on(eye)
    frame = camera.expose(scene.prepare(drawn.t_ns), scene.scene.origin, lambda _: pose, light, ())
    seen = camera.process(frame)
    return Image.fromarray(np.ascontiguousarray(display_image(seen.image, seen.encoding)[0]))


def main() -> None:
    """Write the image of a run."""
    name, run, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    vehicle, views = VIEWS[name]
    drawn = BagRenderer(FinishedRun(run), seconds)
    whole = Image.new('RGB', (2 * PANEL[0] + 6, 2 * PANEL[1] + 6))
    for row, light in enumerate(SUNS):
        for column, view in enumerate(views):
            place = (column * (PANEL[0] + 6), row * (PANEL[1] + 6))
            whole.paste(photograph(drawn, vehicle, view, light), place)
    path = FOLDER / f'scenario_{name}.png'
    whole.quantize(32).save(path, optimize=True)
    print(f'{path}: {path.stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
