# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ghosts, spots and veil: the check lens and the closed forms of light_and_heat.md section 4."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_sensors.camera.flare import (
    Source,
    aperture_area,
    bright_sources,
    ghost_irradiance,
    lens_ghosts,
    spot_irradiance,
    veil,
)
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.flare import FlareConfig, focal_length
from regolith_sensors.light import SUN_BANDS, Spotlight, Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box

CHECK_LENS: list[dict[str, Any]] = [
    {'radius_m': 0.0102, 'distance_m': 0.003, 'index': 1.5, 'reflectance': 0.043},
    {'radius_m': -0.0102, 'reflectance': 0.043},
]
FOCAL, BACK = 10.7258e-3, 9.6742e-3
STOP = 8.0


def flare(**changed: Any) -> FlareConfig:
    return FlareConfig.model_validate({'lens': CHECK_LENS, **changed})


def source(x_deg: float = 0.0, y_deg: float = 0.0, power: float = 100.0) -> Source:
    way = np.array([math.tan(math.radians(x_deg)), math.tan(math.radians(y_deg)), 1.0])
    return Source(way / np.linalg.norm(way), np.array([power, 2.0 * power, 3.0 * power]))


def sensor(width: float = 0.012, pixels: int = 301) -> np.ndarray:
    return np.linspace(-0.5 * width, 0.5 * width, pixels)


def test_check_lens() -> None:
    """Section 4: focal length, back focus, and size and motion of its one ghost, to 1e-4."""
    lens = flare().lens
    assert focal_length(lens) == pytest.approx((FOCAL, BACK), rel=1e-4)
    (ghost,) = lens_ghosts(lens, focal_length(lens)[1])
    assert ghost.a == pytest.approx(-4.0898, rel=1e-4)
    assert 1e3 * ghost.b == pytest.approx(-3.0062, rel=1e-4)
    assert ghost.share == pytest.approx(0.043**2)


def test_ghost_equals_an_exact_trace() -> None:
    """Rays close to the axis, refracted by Snell's law and reflected in the plane, arrive where the matrices say."""

    def meet(point: np.ndarray, way: np.ndarray, vertex: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
        center = np.array([vertex + radius, 0.0])
        off = point - center
        half = off @ way
        roots = (-half + sign * math.sqrt(half * half - off @ off + radius * radius) for sign in (-1.0, 1.0))
        hits = [point + t * way for t in roots if t > 1e-9]
        hit = min(hits, key=lambda p: abs(p[0] - vertex))
        normal = (hit - center) / abs(radius)
        return hit, normal if normal @ way < 0.0 else -normal

    def bend(way: np.ndarray, normal: np.ndarray, ratio: float) -> np.ndarray:
        cosine = -normal @ way
        return ratio * way + (ratio * cosine - math.sqrt(1.0 - ratio**2 * (1.0 - cosine**2))) * normal

    def trace(height: float, slope: float) -> float:
        point, way = np.array([-0.01, height - 0.01 * slope]), np.array([1.0, slope]) / math.hypot(1.0, slope)
        surfaces = ((0.0, 0.0102), (0.003, -0.0102))
        for kind, k, ratio in (('in', 0, 1 / 1.5), ('back', 1, 0), ('back', 0, 0), ('out', 1, 1.5)):
            point, normal = meet(point, way, *surfaces[k])
            way = way - 2.0 * (way @ normal) * normal if kind == 'back' else bend(way, normal, ratio)
        return float(point[1] + (0.003 + focal_length(flare().lens)[1] - point[0]) * way[1] / way[0])

    small = 1e-6
    assert trace(small, 0.0) / small == pytest.approx(-4.0898, rel=2e-5)
    assert trace(0.0, small) / small == pytest.approx(-3.0062e-3, rel=2e-5)


@pytest.mark.parametrize('blades', [0, 6])
def test_flux_of_a_ghost(blades: int) -> None:
    """Section 4: the irradiance, summed over the sensor, is E cos(theta) A R R T."""
    x = sensor()
    for at in (source(), source(3.0, -2.0)):
        found = ghost_irradiance(flare(blades=blades), [at], x, x, STOP, 0.9)
        flux = found.sum(axis=(0, 1)) * (x[1] - x[0]) ** 2
        expected = at.irradiance * at.direction[2] * aperture_area(FOCAL / STOP, blades) * 0.043**2 * 0.9
        # The edge of 137 pixels' width is resolved by whole pixels.
        assert flux == pytest.approx(expected, rel=5e-3)


def test_brightness_of_the_ghost() -> None:
    """Section 4: at F/8 the ghost is 0.4, 3.4 and 28 % of sunlit ground of albedo 0.1, by reflectance."""
    ground = 0.1 / math.pi * math.pi / 4.0 / STOP**2
    for reflectance, part in ((0.005, 0.004), (0.015, 0.034), (0.043, 0.28)):
        lens = [{**surface, 'reflectance': reflectance} for surface in CHECK_LENS]
        at = Source(np.array([0.0, 0.0, 1.0]), np.ones(3))
        found = ghost_irradiance(flare(lens=lens), [at], sensor(pixels=51), sensor(pixels=51), STOP, 1.0)
        assert found.max() / ground == pytest.approx(part, rel=0.06)


def test_ghost_moves_with_the_image() -> None:
    """Section 4: its center moves as b / f of the image, on the other side of the axis."""
    x = sensor(0.02, 801)
    found = ghost_irradiance(flare(), [source(10.0, -5.0)], x, x, STOP, 0.9)[:, :, 1]
    right, down = (float(np.sum(found.sum(axis=axis) * x) / found.sum()) for axis in (0, 1))
    image = FOCAL * np.tan(np.radians([10.0, -5.0]))
    # Half a pixel of 25 um.
    assert (right, down) == pytest.approx(tuple(-3.0062 / 10.7258 * image), abs=1.3e-5)


def test_ghosts_of_two_sources_add_up() -> None:
    x = sensor(pixels=101)
    one, other = source(4.0), source(-2.0, 3.0, 30.0)
    both = ghost_irradiance(flare(), [one, other], x, x, STOP, 0.9)
    alone = [ghost_irradiance(flare(), [each], x, x, STOP, 0.9) for each in (one, other)]
    assert np.array_equal(both, alone[0] + alone[1])


def test_rims_cut_ghosts() -> None:
    """A ray at height h meets the second surface at 0.78 h (times slopes): a narrow rim cuts the ghost."""
    narrow = [{**CHECK_LENS[0], 'rim_m': 0.0003}, CHECK_LENS[1]]
    x = sensor()
    flux = [ghost_irradiance(flare(lens=lens), [source()], x, x, STOP, 0.9).sum() for lens in (CHECK_LENS, narrow)]
    assert 0.0 < flux[1] < (0.0003 / (0.5 * FOCAL / STOP)) ** 2 * flux[0] * 1.02


def test_ghosts_have_colors() -> None:
    """With dispersion, the ghosts of the bands have different sizes."""
    lens = [{**CHECK_LENS[0], 'index': [1.49, 1.5, 1.52]}, CHECK_LENS[1]]
    back = focal_length(flare(lens=lens).lens)[1]
    sizes = [abs(lens_ghosts(flare(lens=lens).lens, back, band)[0].a) for band in range(3)]
    assert sizes[0] < sizes[1] < sizes[2]


def test_pairs_of_surfaces() -> None:
    """p surfaces have p (p - 1) / 2 ghosts."""
    lens = flare(lens=[*CHECK_LENS[:1], {'radius_m': -0.0102, 'distance_m': 0.001}, *CHECK_LENS]).lens
    assert len(lens_ghosts(lens, 0.005)) == 6


def test_spots_have_their_share_and_place() -> None:
    x, at = sensor(0.02, 401), source(10.0, 0.0)
    spots = [{'along': -0.5, 'size': 0.1, 'share': 0.01, 'tint': [1.0, 0.5, 0.0]}]
    found = spot_irradiance(flare(lens=[], spots=spots), [at], x, x, 0.01, 4.0)
    flux = found.sum(axis=(0, 1)) * (x[1] - x[0]) ** 2
    expected = at.irradiance * at.direction[2] * math.pi / 4.0 * (0.01 / 4.0) ** 2 * 0.01 * np.array((1.0, 0.5, 0.0))
    assert flux == pytest.approx(expected, rel=0.01)
    center = float(np.sum(found[..., 0].sum(axis=0) * x) / found[..., 0].sum())
    assert center == pytest.approx(-0.5 * 0.01 * math.tan(math.radians(10.0)), abs=5e-5)


def test_veil_scatters_its_share() -> None:
    """The integral of the scatter over a plane is the share; within psi it is 1 - (1 + (psi / psi0)^2)^(1 - m)."""
    config = flare(lens=[], veil_share=0.02, veil_angle_deg=0.5, veil_power=1.8)
    size, focal = 601, 4000.0
    rays = pixel_rays(size, size, focal, (), 'plumb_bob').astype(np.float32)
    found = veil(config, [Source(np.array([0.0, 0.0, 1.0]), np.ones(3))], rays)[:, :, 0]
    apart = np.arccos(np.minimum(rays[:, :, 2], 1.0))
    inside = apart < math.radians(4.0)
    part = found[inside].sum() / focal**2
    expected = 0.02 * (1.0 - (1.0 + 8.0**2) ** -0.8)
    # A plane of small angles; cos^3 of 4 degrees is 0.7 %, and single precision of the angle near the axis.
    assert part == pytest.approx(expected, rel=0.015)


def camera(**effects: Any) -> Camera:
    values = {
        'width': 64,
        'height': 48,
        'pixel_size_m': 1e-4,
        'focal_length_m': 0.0107258,
        'f_number': STOP,
        'focus_distance_m': 3.0,
        'exposure_s': 1e-3,
        'effects': {'flare': effects},
    }
    return Camera(CameraConfig.model_validate(values), 1, 'flare')


def test_veil_of_a_sun_outside_the_image(flat_scene: Callable[..., Scene]) -> None:
    """The sun 35 degrees beside the axis is not in the image; its veil is that of the closed form."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.0))
    rays = scene.commit()
    pose = CameraPose(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    sun = Sun(math.radians(90.0 - 35.0), math.radians(30.0))
    dark = camera(veil_share=0.0)
    lit = camera(veil_share=0.01, veil_power=1.5)
    plain, veiled = (eye.expose(rays, scene.origin, lambda _: pose, sun).radiance.copy() for eye in (dark, lit))
    eyes = lit.view(scene.origin, pose)
    world = eyes.rays[10, 20] @ eyes.rotation.T
    psi = math.acos(float(world @ sun.direction))
    peak = 0.01 * 0.5 / (math.pi * math.radians(0.5) ** 2)
    cosine = sun.direction[0]
    expected = np.array(SUN_BANDS) * cosine * peak * (1.0 + (psi / math.radians(0.5)) ** 2) ** -1.5
    assert veiled[10, 20] - plain[10, 20] == pytest.approx(expected, rel=1e-3)


def test_hidden_sources_make_no_flare(flat_scene: Callable[..., Scene]) -> None:
    """Section 4: a sun behind a rock makes none; beside it, it does. Beyond the hood no light enters."""
    scene = flat_scene(materials=(Lambert(),))
    block = scene.add_object('block', [(scene.add_mesh(box((0.1, 0.5, 0.5))), Semantic.ROCK)])
    scene.place(block, 0, (3.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0))
    eye = np.array([0.0, 0.0, 1.0])
    scene.center(eye)
    rays = scene.commit()
    turn = camera().view(np.zeros(3), CameraPose(eye, np.array([0.0, 0.0, 0.0, 1.0]))).rotation.astype(np.float64)

    def found(sun: Sun | None, lamps: tuple[Spotlight, ...] = (), hood: float = 60.0) -> list[Source]:
        return bright_sources(rays, scene.origin, eye, turn, sun, lamps, hood)

    behind, beside = (Sun(math.radians(azimuth), math.atan2(1.0, 3.0)) for azimuth in (90.0, 60.0))
    assert found(behind) == []
    (seen,) = found(beside)
    assert seen.irradiance == pytest.approx(SUN_BANDS)
    assert math.acos(seen.direction[2]) == pytest.approx(math.acos(beside.direction[0]), abs=1e-9)
    assert found(beside, hood=30.0) == []
    lamp = Spotlight(np.array([4.0, 2.0, 1.0]), np.array([-2.0, -1.0, 0.0]), (30.0, 20.0, 10.0), 0.2, 0.4)
    (shining,) = found(None, (lamp,))
    assert shining.irradiance == pytest.approx(np.array((30.0, 20.0, 10.0)) / 20.0)
    away = Spotlight(np.array([4.0, 2.0, 1.0]), np.array([2.0, 1.0, 0.0]), (30.0, 20.0, 10.0), 0.2, 0.4)
    assert found(None, (away,)) == []


def test_flare_is_off_by_default(flat_scene: Callable[..., Scene]) -> None:
    """A camera without the key has the same bytes as one whose flare has neither veil nor ghosts."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.0))
    rays = scene.commit()
    pose, sun = CameraPose(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0])), Sun(1.0, 0.3)
    none = CameraConfig.model_validate({**camera().config.model_dump(mode='json'), 'effects': {}})
    frames = [
        eye.expose(rays, scene.origin, lambda _: pose, sun).radiance.tobytes()
        for eye in (Camera(none, 1, 'flare'), camera(veil_share=0.0))
    ]
    assert frames[0] == frames[1]


@pytest.mark.parametrize(
    'changed',
    [
        {'lens': [{'radius_m': 0.0}]},
        {'lens': [{'radius_m': float('nan')}]},
        {'lens': [{'radius_m': -0.01, 'index': 1.5}]},
        {'lens': [{**CHECK_LENS[0], 'index': 0.0}, CHECK_LENS[1]]},
        {'lens': [CHECK_LENS[0]] * 30},
        {'blades': 2},
        {'hood_deg': 90.0},
        {'veil_share': -0.1},
        {'veil_power': 1.0},
        {'spots': [{'along': 2.0, 'size': 0.1, 'share': 0.01}]},
        {'spots': [{'along': 1.0, 'size': 1e9, 'share': 0.01}]},
        {'ghosts': []},
    ],
)
def test_bad_settings_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        flare(**changed)


def test_lens_of_another_camera_is_refused() -> None:
    with pytest.raises(ValidationError, match=r'has a focal length of 0.01073 m; allowed: focal_length_m = 0.02'):
        values = camera().config.model_dump(mode='json')
        CameraConfig.model_validate({**values, 'focal_length_m': 0.02, 'effects': {'flare': {'lens': CHECK_LENS}}})
