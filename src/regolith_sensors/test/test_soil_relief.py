# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the relief of soil below the grid and its shadows: closed forms, photometry and bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_sensors.brdf import PRESETS, hapke_reflectance, remaining_mean_slope
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.light import LAMP_HOUSING_M, SUN_RADIUS, Spotlight, Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.rays.camera_rays import lights, view
from regolith_sensors.rays.image import RenderedImage, sample_streams
from regolith_sensors.scene.scene import Scene
from regolith_sensors.surfaces.materials import HapkeSoil
from regolith_sensors.surfaces.micro_relief import SIDE
from regolith_sensors.surfaces.soil_relief import (
    AZIMUTHS,
    disc_part,
    levels_of,
    relief_part,
    relief_shadows,
    soil_tile,
)
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid import SoilGrid
from regolith_terrain.height_field import FlatField

SOIL = HapkeSoil(PRESETS['lunar_sato2014'], (1.0, 1.0, 1.0))
single = np.float32


def shoot(
    scene: Scene,
    height: float,
    sun: Sun | None,
    size: tuple[int, int] = (48, 64),
    focal: float = 60.0,
    lamps: tuple[Spotlight, ...] = (),
) -> RenderedImage:
    """Return the image of a camera that looks down from a height above the origin."""
    at = (0.0, 0.0, height)
    scene.center(at)
    traced = scene.commit()
    camera = view(scene.origin, pixel_rays(size[1], size[0], focal, (), 'plumb_bob'), np.diag([1, -1, -1]), at, focal)
    return traced.render(camera, lights(scene.origin, sun, lamps), sample_streams(1, 'camera', 0, 1, 0))


def flat(slope_deg: float, shadows: bool) -> Scene:
    """Return level soil with nodes every 5 cm and relief below them, without differences of brightness."""
    ground = SoilHeightSource(SoilGrid(FlatField(), 0.05), (-12.8, 12.8, -12.8, 12.8))
    return Scene(ground, soil=SOIL, micro_slope_deg=slope_deg, micro_albedo=0.0, micro_shadows=shadows)


@pytest.mark.parametrize(('x', 'part'), [(-0.9, 0.01869), (-0.5, 0.1955), (0.0, 0.5), (0.5, 0.8045), (0.9, 0.98131)])
def test_part_of_a_disc_above_a_straight_horizon(x: float, part: float) -> None:
    """Values of the area of a circular segment; the arc sine is good to 1e-6."""
    assert disc_part(single(x)) == pytest.approx(part, abs=6e-5)
    exact = 0.5 + (x * math.sqrt(1.0 - x * x) + math.asin(x)) / math.pi
    assert disc_part(single(x)) == pytest.approx(exact, abs=2e-6)


def test_slopes_are_isotropic_and_bounded() -> None:
    """Both axes have the same r.m.s. within 1 %; no slope exceeds three times that of both together."""
    slopes = soil_tile().slopes[: SIDE * SIDE].astype(np.float64)
    along, across = np.mean(slopes**2, axis=0)
    assert along + across == pytest.approx(1.0, rel=1e-6)
    assert along == pytest.approx(across, rel=0.01)
    assert abs(np.mean(slopes[:, 0] * slopes[:, 1])) < 0.01
    assert np.hypot(slopes[:, 0], slopes[:, 1]).max() < 3.0


def test_horizon_is_that_of_a_slow_search() -> None:
    """The horizon along one axis equals the steepest ascent to any texel within reach, up to the skipped distances."""
    tile = soil_tile()
    height = tile.height
    steepest = np.max([(np.roll(height, -far, 0) - height) / far for far in range(1, 65)], axis=0).clip(0.0)
    found = tile.horizons[: SIDE * SIDE, 0].reshape(SIDE, SIDE) * (3.5 / 255.0)
    error = steepest - found
    # Half a byte is 0.007; distances are 25 % apart where they are long, so that narrow tops are missed.
    assert -0.002 < error.mean() < 0.02 and np.percentile(np.abs(error), 99.0) < 0.12


@pytest.mark.parametrize('elevation_deg', [5.0, 10.0, 15.0])
def test_shadow_of_a_sinusoidal_relief(elevation_deg: float) -> None:
    """Section 2 (a): the shadowed share of z = A sin(k x) is that of the construction of its tangents, within 2 %.

    The ray that touches the wave at x1, where cos(k x1) = -tan e / (A k), ends where it meets the next wave.
    """
    waves, rise = 8, math.tan(math.radians(elevation_deg))
    k, steepness = 2.0 * math.pi * waves / SIDE, 0.5
    i = np.arange(SIDE)
    height = np.repeat((steepness / k * np.sin(k * i))[:, None], SIDE, axis=1)
    # The tangent touches behind a crest and meets the next ascent, seen from the sun.
    touch = math.acos(-rise / steepness)
    phase = np.linspace(touch + 1e-6, touch + 2.0 * math.pi, 2_000_001)
    ray = steepness * math.sin(touch) - rise * (phase - touch)
    met = phase[np.argmax(steepness * np.sin(phase)[1000:] > ray[1000:]) + 1000]
    expected = (met - touch) / (2.0 * math.pi)
    _, horizons = levels_of(height)
    table = np.array([3.5 / 255.0, 3.5], np.float32)
    # One texel per meter; the second layer is too fine to be shown.
    layers = np.array([[0.0, 0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1e6, 1.0, 0.0]], np.float32)
    part = [
        relief_part(
            horizons,
            table,
            layers,
            single(x),
            single(3.0),
            single(-1.0),
            single(0.0),
            single(rise),
            single(1.0),
            single(1e-3),
            single(SUN_RADIUS),
        )
        for x in np.arange(0.0, SIDE, 0.25)
    ]
    assert 1.0 - np.mean(part) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize('height', [0.5, 3.0])
@pytest.mark.parametrize('incidence_deg', [15.0, 45.0, 60.0, 75.0])
def test_mean_radiance(height: float, incidence_deg: float) -> None:
    """Section 2 (b): relief and the remaining roughness reflect what the whole roughness does, within 4 %."""
    # An image shows 11 or 68 cm of ground; several azimuths stand for several grounds.
    scene, means = flat(10.0, True), []
    for azimuth in np.arange(6.0):
        sun = Sun(azimuth, math.radians(90.0 - incidence_deg))
        means.append(shoot(scene, height, sun, (160, 160), 700.0).radiance[..., 1].mean() / sun.irradiance[1])
    expected = float(hapke_reflectance(math.radians(incidence_deg), 0.0, 0.0, SOIL.parameters))
    assert np.mean(means) == pytest.approx(expected, rel=0.04)


def test_no_relief_changes_nothing() -> None:
    """Section 2 (c): with a slope of zero, images are bit-identical to those of ground without relief."""
    sun = Sun(0.7, math.radians(12.0))
    one, other = (shoot(flat(0.0, shadows), 1.0, sun) for shadows in (True, False))
    assert one.radiance.tobytes() == other.radiance.tobytes()
    assert relief_shadows(0.0)[0].shape == (0, AZIMUTHS) and relief_shadows(0.0)[1].shape == (0,)


def test_relief_shadows_the_light_of_lamps() -> None:
    """A lamp low above the ground leaves parts of it dark; one beside the camera leaves none."""
    scene = flat(10.0, True)

    def dark_part(place: tuple[float, float, float]) -> float:
        away = np.array((0.0, 0.0, 0.0)) - place
        lamp = Spotlight(np.array(place), away / np.linalg.norm(away), (100.0, 100.0, 100.0), 0.6, 0.8)
        seen = shoot(scene, 1.0, None, (64, 64), 400.0, (lamp,))
        return float(np.mean(seen.radiance[..., 1] < 0.05 * np.median(seen.radiance[..., 1])))

    assert dark_part((1.0, 0.0, 0.08)) > 0.05
    assert dark_part((LAMP_HOUSING_M, 0.0, 1.0)) == 0.0


def test_roughness_of_the_relief_is_subtracted() -> None:
    """10 degrees of drawn slopes leave 22.8 of 23.4 degrees."""
    left = remaining_mean_slope(math.radians(23.4), math.tan(math.radians(10.0)))
    assert math.degrees(left) == pytest.approx(22.8, abs=0.05)
    assert remaining_mean_slope(0.3, 0.0) == pytest.approx(0.3, rel=1e-12)
    with pytest.raises(ValueError, match=r'rougher than the mean slope of 23.4 deg; allowed: <= 37.49 deg'):
        remaining_mean_slope(math.radians(23.4), math.tan(math.radians(38.0)))


@pytest.mark.parametrize(
    'section',
    [
        {'micro_slope_deg': 38.0},
        {'micro_slope_deg': 25.0, 'reflectance': 'pommerol2013'},
        {'micro_slope_deg': float('nan')},
        {'micro_slope_deg': -1.0},
        {'micro_relief': 'shadows'},
    ],
)
def test_relief_that_the_soil_cannot_have_is_refused(section: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LightConfig.model_validate(section)
    assert LightConfig.model_validate({'micro_slope_deg': 38.0, 'micro_relief': 'slopes_only'}).micro_slope_deg == 38.0
