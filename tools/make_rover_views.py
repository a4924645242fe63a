#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Render docs/images/rover_views.png: ``./regolith exec python3 tools/make_rover_views.py [FOLDER]``.

A VIPER drives over the mare and a RASSOR digs. Each is seen by a camera at a wheel and from above, with the sun behind
the camera and opposite to it, and the VIPER at night under its spotlight. If a folder is given, the single panels are
written to it.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from make_gallery import Site, gallery_scenario, sun, write_sheet
from numpy.typing import NDArray

from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.camera.display import display_image
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.light import Spotlight, Sun

IMAGE = Path(__file__).parents[1] / 'docs' / 'images' / 'rover_views.png'
LIGHT = LightConfig.model_validate({'view_range_m': 1500.0, 'terrain_detail': 10.0})
SUN_DEG = 18.0
"""Elevation of the sun [deg]."""
SHORT = {'max_full_fraction': 0.001, 'max_exposure_s': 1.0}
"""Automatic exposure of a dark scene with a bright part."""


class Place(NamedTuple):
    """Camera at a vehicle."""

    vehicle: str
    eye: tuple[float, float, float]
    """Position relative to the vehicle: ahead, to the left, above the ground [m]."""
    aim: tuple[float, float, float]
    """Target, relative to the vehicle in the same way."""


VIPER_WHEEL = Place('amber', (-0.30, 1.10, 0.50), (0.50, 0.62, 0.10))
VIPER_ABOVE = Place('amber', (-2.6, 0.01, 4.6), (0.75, 0.0, 0.2))
VIPER_LIT = Place('amber', (-1.6, -3.6, 3.0), (2.4, 0.3, 0.0))
VIPER_FRONT = Place('amber', (0.70, 0.0, 0.95), (3.2, 0.0, 0.0))
RASSOR_WHEEL = Place('digger', (-0.20, 0.85, 0.40), (0.30, 0.30, 0.05))


def view(
    site: Site, place: Place, sun_off_deg: float | None, lamp: Spotlight | None = None, **changes: Any
) -> NDArray[np.uint8]:
    """Return the image of a camera.

    Args:
        site: Terrain and vehicles.
        place: Camera.
        sun_off_deg: Azimuth of the sun, left of the direction of the view [deg]; None: night.
        lamp: Spotlight.
        changes: Changed settings of the camera.
    """
    eye, aim = (in_world(site, place.vehicle, point) for point in (place.eye, place.aim))
    off = aim - eye
    yaw = math.degrees(math.atan2(off[1], off[0]))
    pitch = math.degrees(math.atan2(-off[2], math.hypot(off[0], off[1])))
    light: Sun | None = None if sun_off_deg is None else sun(90.0 - yaw - sun_off_deg, SUN_DEG)
    shown = site.look(eye, yaw, pitch, light, () if lamp is None else (lamp,), bounces=2, bounce_samples=32, **changes)
    return display_image(shown.image, shown.encoding)[0]


def in_world(site: Site, vehicle: str, point: tuple[float, float, float]) -> NDArray[np.float64]:
    """Return the world position of a point relative to a vehicle."""
    base, turn = site.view.base_pose(vehicle, 0)
    yaw = 2.0 * math.atan2(turn[0, 2], turn[0, 3])
    ahead, left, above = point
    x = base[0, 0] + ahead * math.cos(yaw) - left * math.sin(yaw)
    y = base[0, 1] + ahead * math.sin(yaw) + left * math.cos(yaw)
    return site.above(x, y, above)


def panels() -> dict[str, NDArray[np.uint8]]:
    """Return images by title."""
    site = Site(gallery_scenario(), 9.0, LIGHT)
    digger = load_scenario('rassor_dig').scenario
    dug = Site(digger, 16.0, LIGHT, 'digger')
    lamp_at = in_world(site, 'amber', (0.72, 0.0, 0.99))
    aim = in_world(site, 'amber', (3.6, 0.0, 0.0)) - lamp_at
    lamp = Spotlight(lamp_at, aim / np.linalg.norm(aim), (40.0, 40.0, 40.0), 0.30, 0.55)
    return {
        'VIPER, wheel camera, sun behind': view(site, VIPER_WHEEL, 165.0),
        'VIPER, wheel camera, sun opposite': view(site, VIPER_WHEEL, 15.0),
        'VIPER from above, sun behind': view(site, VIPER_ABOVE, 165.0),
        'VIPER from above, sun opposite': view(site, VIPER_ABOVE, 15.0),
        'RASSOR, wheel camera, sun behind': view(dug, RASSOR_WHEEL, 165.0),
        'RASSOR, wheel camera, sun opposite': view(dug, RASSOR_WHEEL, 15.0),
        'VIPER, front camera, spotlight': view(site, VIPER_FRONT, None, lamp),
        'VIPER from the side, spotlight': view(site, VIPER_LIT, None, lamp, auto_exposure=SHORT),
    }


def main() -> None:
    """Write the image, and the single panels into the given folder."""
    write_sheet(panels(), 2, IMAGE)


if __name__ == '__main__':
    main()
