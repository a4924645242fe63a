#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Render images of docs/concepts/vehicles.md: ``./regolith exec python3 tools/make_vehicle_images.py [NAME ...]``.

They show each vehicle after some seconds of driving over the mare, from a camera beside it.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from make_gallery import PICTURE, Site, sun
from PIL import Image

from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.camera.display import display_image
from regolith_sensors.config.lighting import LightConfig

SIZE = (560, 385)
DRIVEN_S = 4.0
VIEWS = {
    'viper': (5.0, 1.9),
    'rocker_bogie': (4.6, 1.7),
    'rocker_bogie_reference': (5.2, 1.9),
    'rassor': (2.6, 1.0),
    'hmmwv': (8.5, 3.0),
    'm113': (10.0, 3.2),
}
"""Distance of the camera and its height above the ground [m], by vehicle."""
FROM_DEG = -42.0
"""Direction of the camera from the vehicle, from its forward axis to the left [deg]."""


def scenario(model: str) -> dict[str, Any]:
    """Return the scenario of a short drive of one vehicle."""
    vehicle = {'model': model, 'position': [0.0, 0.0], 'driver': {'type': 'constant', 'speed_mps': 0.2}}
    terrain = {'source': 'procedural', 'preset': 'mare', 'spacing_m': 0.02, 'soil': 'lunar_nominal'}
    return {'duration_s': DRIVEN_S, 'seed': 4, 'terrain': terrain, 'vehicles': {'basalt': vehicle}}


def picture(model: str) -> Image.Image:
    """Return the image of a vehicle."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'vehicle.yaml')
        file.write_text(yaml.safe_dump(scenario(model)), encoding='utf-8')
        drive = load_scenario(file).scenario
    site = Site(drive, DRIVEN_S, LightConfig.model_validate({'view_range_m': 300.0}))
    place, turn = site.view.base_pose('basalt', 0)
    yaw = 2.0 * math.atan2(turn[0, 2], turn[0, 3])
    distance, height = VIEWS[model]
    to = yaw + math.radians(FROM_DEG)
    eye = site.above(place[0, 0] + distance * math.cos(to), place[0, 1] + distance * math.sin(to), height)
    aim = site.above(place[0, 0], place[0, 1], 0.38 * height)
    down = math.degrees(math.atan2(eye[2] - aim[2], distance))
    lit = sun(90.0 - math.degrees(to) + 55.0, 28.0)
    pixel = 6.4e-6 * 1024 / SIZE[0] / 1.05
    seen = site.look(
        eye,
        math.degrees(to) + 180.0,
        down,
        lit,
        width=SIZE[0],
        height=SIZE[1],
        pixel_size_m=pixel,
        samples_per_pixel=8,
        focus_distance_m=distance,
    )
    return Image.fromarray(np.ascontiguousarray(display_image(seen.image, seen.encoding)[0]))


def main() -> None:
    """Write the images of the named vehicles, or of all."""
    for model in sys.argv[1:] or VIEWS:
        file = PICTURE.parent / f'vehicle_{model}.png'
        picture(model).quantize(128, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)
        print(f'{file}: {file.stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
