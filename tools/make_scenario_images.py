#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Render the images of docs/guide/scenarios.md: ``./regolith exec python3 tools/make_scenario_images.py [NAME…]``.

Each scenario runs to a characteristic time. It is rendered from a camera at eye height, in the scenario's own light.
The images of scenarios with bodies that move are cropped images of ``./regolith render`` of a recorded run.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from make_gallery import Site, with_palette
from PIL import Image

from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.camera.display import display_image
from regolith_sensors.config.lighting import SpotlightConfig
from regolith_sensors.light import Spotlight

FOLDER = Path(__file__).resolve().parents[1] / 'docs' / 'images'
SIZE = (960, 480)
LARGEST = 250_000


class View(NamedTuple):
    """View of a scenario."""

    at_s: float
    """Simulated time [s]."""
    of: str
    """Vehicle at the center of the image."""
    off: tuple[float, float]
    """Camera position relative to the vehicle: ahead, to the left [m]."""
    height_m: float
    """Height of the camera above the ground [m]."""
    across_deg: float
    """Field of view [deg]."""
    aim: tuple[float, float, float] = (0.0, 0.0, 0.5)
    """Target of the camera relative to the vehicle: ahead, to the left, above [m]."""
    lamp: tuple[float, float] | None = None
    """Place of a lamp from the camera: to the left, above [m]. The spotlights of the vehicle are on too; None: none."""


VIEWS = {
    'traverse_polar': View(32.0, 'rover', (-4.6, -2.6), 2.1, 68.0, (3.0, 1.0, -0.2)),
    'rut_following': View(13.0, 'second', (-3.0, 2.8), 1.7, 64.0, (2.4, 0.0, 0.0)),
    'convoy': View(9.0, 'cobalt', (9.5, -6.0), 2.4, 62.0, (1.0, 0.0, 0.2)),
    'dusty_convoy': View(3.0, 'first', (-7.0, -4.5), 1.4, 50.0, (-1.2, 0.0, 0.3)),
    'crater_rim_night': View(6.0, 'first', (-5.2, 1.6), 1.3, 58.0, (0.2, 0.0, 0.0), (2.5, 1.0)),
    'tow': View(9.0, 'digger', (2.2, -4.6), 1.5, 66.0, (1.6, 0.0, 0.2)),
    'comms_ridge': View(5.0, 'amber', (-5.0, 3.4), 1.6, 62.0, (1.5, 0.0, 0.3)),
    'tunnel': View(44.0, 'amber', (-4.4, 1.7), 2.3, 76.0, (2.6, -0.3, 0.6), (-2.2, 0.4)),
    'rassor_dig': View(16.0, 'digger', (2.3, -2.2), 1.3, 60.0, (0.1, 0.0, 0.1)),
}


def photograph(name: str, view: View) -> Image.Image:
    """Return the image of a scenario."""
    scenario = load_scenario(name).scenario
    light = scenario.light.model_copy(update={'terrain_detail': 12.0, 'view_range_m': 3000.0})
    site = Site(scenario, view.at_s, light, view.of)
    base, turn = site.view.base_pose(view.of, 0)
    yaw = 2.0 * math.atan2(float(turn[0, 2]), float(turn[0, 3]))
    ahead, left = np.array([math.cos(yaw), math.sin(yaw)]), np.array([-math.sin(yaw), math.cos(yaw)])
    place = base[0, :2] + view.off[0] * ahead + view.off[1] * left
    eye = site.above(*place.tolist(), view.height_m)
    target = base[0] + np.append(view.aim[0] * ahead + view.aim[1] * left, view.aim[2])
    way = target - eye
    width = 3 * SIZE[0] // 2
    spots = scenario.vehicles[view.of].spotlights if view.lamp is not None else {}
    lamps = tuple(SpotlightConfig.model_validate(spot).spotlight(base[0], turn[0]) for spot in spots.values())
    if view.lamp is not None:  # beside the camera, so shadows are seen
        at = eye + np.append(view.lamp[0] * np.array([-way[1], way[0]]) / math.hypot(way[0], way[1]), view.lamp[1])
        toward = target - at
        lamps += (Spotlight(at, toward / np.linalg.norm(toward), (30.0, 30.0, 30.0), 0.6, 1.0),)
    pixel = 2.0 * 4.6e-3 * math.tan(math.radians(0.5 * view.across_deg)) / width
    picture = site.look(
        eye,
        math.degrees(math.atan2(way[1], way[0])),
        -math.degrees(math.atan2(way[2], math.hypot(way[0], way[1]))),
        light.sun_at(round(view.at_s * 1e9)),
        lamps,
        width=width,
        height=width * SIZE[1] // SIZE[0],
        pixel_size_m=pixel,
        focal_length_m=4.6e-3,
        focus_distance_m=float(np.linalg.norm(way)),
        f_number=11.0,
        # With one sample of each, penumbrae have no grain.
        samples_per_pixel=1,
        sun_samples=1,
    )
    pixels = display_image(picture.image, picture.encoding)[0]
    return Image.fromarray(np.ascontiguousarray(pixels)).resize(SIZE, Image.Resampling.LANCZOS)


def main() -> None:
    """Write the named images, or all."""
    for name in sys.argv[1:] or VIEWS:
        path = FOLDER / f'scenario_{name}.png'
        whole = photograph(name, VIEWS[name])
        for colors in (256, 160, 96, 64, 48, 32):
            with_palette(whole, colors).save(path, optimize=True)
            if path.stat().st_size < LARGEST:
                break
        print(f'{path}: {path.stat().st_size / 1000:.0f} kB, {colors} colors')


if __name__ == '__main__':
    main()
