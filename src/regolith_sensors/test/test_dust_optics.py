# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust in images and echoes: density, transmission, scattering, shadows, lidar returns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pytest

from regolith_sensors.arrays import Floats
from regolith_sensors.brdf import PRESETS, HapkeParameters
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.dust.density import BLOCK, CELL_M, DensityGrid, Puffs, density_grid
from regolith_sensors.dust.flight import positions
from regolith_sensors.dust.optics import DustOptics, LidarRays, add_dust, dust_echoes, dust_optics, scattering
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.rays.camera_rays import lights
from regolith_sensors.rays.image import sample_streams
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box

GRAINS = PRESETS['lunar_sato2014']
Slab = Callable[..., DustOptics]
STREAMS = sample_streams(1, 'test', 0)
LEVEL = (0.0, 0.0, 0.0, 1.0)


def camera(height: int = 8, width: int = 8, **changes: object) -> Camera:
    """Return a camera of a narrow field of view."""
    values = {
        'width': width,
        'height': height,
        'pixel_size_m': 1e-5,
        'focal_length_m': 1e-2,
        'f_number': 4.0,
        'exposure_s': 1e-3,
        'focus_distance_m': 3.0,
        'edge_samples': 0,
    }
    return Camera(CameraConfig.model_validate(values | changes), 1, 'test')


def seen(scene: Scene, dust: DustOptics | None, sun: Sun | None, *lamps: Spotlight, pose: CameraPose) -> Floats:
    """Return the mean radiance of an image along a pose."""
    device = camera()
    frame = device.expose(scene.commit(), scene.origin, lambda _: pose, sun, lamps, dust=dust)
    return frame.radiance.mean(axis=(0, 1)).astype(np.float64)


AHEAD = CameraPose(np.array([0.0, 0.0, 1.6]), np.array(LEVEL))


@pytest.fixture
def slab(dust_box: Callable[..., DustOptics]) -> Slab:
    """Return a factory of dust between two planes across x, from 0 to 3.2 m above the ground, 12.8 m wide."""
    return lambda x0, x1, *more: dust_box((x0, -6.4, 0.0), (x1, 6.4, 3.2), *more)


@pytest.fixture
def walled(flat_scene: Callable[..., Scene]) -> Scene:
    """Return level ground with a white wall across x at 6 m."""
    scene = flat_scene(materials=(Lambert((1.0, 1.0, 1.0)),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.1, 5.0, 3.0))), Semantic.OTHER)])
    scene.place(wall, 0, (6.1, 0.0, 0.0), LEVEL)
    scene.center((0.0, 0.0, 1.6))
    return scene


def test_slab_has_its_transmission(walled: Scene, slab: Slab) -> None:
    """A slab of 1 m with 1 /m transmits exp(-1) within 1e-3, wherever it is relative to the cells, without a step."""
    black = HapkeParameters(0.0, *(getattr(GRAINS, name) for name in ('b', 'c', 'Bs0', 'hs', 'phi', 'theta')))
    # A lamp between the slab and the wall lights the wall alone.
    lamp = Spotlight(np.array([5.0, 0.0, 1.6]), np.array([1.0, 0.0, 0.0]), (5.0, 5.0, 5.0), 0.5, 0.6)
    clear = seen(walled, None, None, lamp, pose=AHEAD)
    for x0 in (2.0, 2.35):
        dusty = seen(walled, slab(x0, x0 + 1.0, 1.0, black), None, lamp, pose=AHEAD)
        assert dusty / clear == pytest.approx(math.exp(-1.0), abs=1e-3)


def test_thin_slab_has_the_radiance_of_single_scattering(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """L = w p(g) / (4 pi) E tau within 2 % at tau = 0.01, for phases from 20 to 160 deg."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    up = CameraPose(np.array([0.0, 0.0, 1.6]), np.array(LEVEL))
    for azimuth in (270.0, 300.0, 0.0, 60.0, 90.0):
        sun = Sun(math.radians(azimuth), math.radians(20.0))
        dust = slab(2.0, 2.5, 0.02)
        device = camera()
        frame = device.expose(scene.commit(), scene.origin, lambda _: up, sun)
        before = frame.radiance.copy()
        eyes = device.view(scene.origin, up)
        add_dust(dust, scene.rays, eyes, lights(scene.origin, sun), frame, STREAMS)
        cosine = -float(sun.direction[0])
        sky = np.isinf(frame.range)
        got = (frame.radiance - before)[sky].mean(axis=0)
        # Sunlight comes from the middle of the slab through one of its sides or its top.
        ways = np.array([0.25, 6.4, 1.6]) / np.maximum(np.abs(sun.direction), 1e-9)
        factor = float(scattering(dust.grains, np.float32(cosine))) * math.exp(-0.02 * ways.min())
        assert got / (factor * sun.irradiance * dust.tint * 0.01) == pytest.approx(np.ones(3), rel=0.02)


def test_white_dust_is_never_brighter_than_its_light(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """With w = 1 the radiance is at most E p / (4 pi), however thick the dust."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    white = HapkeParameters(1.0, *(getattr(GRAINS, name) for name in ('b', 'c', 'Bs0', 'hs', 'phi', 'theta')))
    sun = Sun(math.radians(0.0), math.radians(20.0))
    for beta in (0.1, 1.0, 10.0):
        dust = slab(2.0, 4.0, beta, white)
        device = camera()
        frame = device.expose(scene.commit(), scene.origin, lambda _: AHEAD, sun)
        frame.radiance[:] = 0.0
        add_dust(dust, scene.rays, device.view(scene.origin, AHEAD), lights(scene.origin, sun), frame, STREAMS)
        most = float(scattering(dust.grains, np.float32(0.0))) * sun.irradiance * dust.tint
        assert (frame.radiance <= 1.01 * most).all() and frame.radiance.min() > 0.0


def test_backscatter_to_forward_ratio() -> None:
    """p(0) / p(180 deg) of b = 0.24, c = 0.30 is 1.46 by the closed form of two lobes; it integrates to 1."""
    p = HapkeParameters(1.0, 0.24, 0.30, 0.0, 0.05, 0.0, 0.0)
    dust = dust_optics(DensityGrid(np.zeros(3), np.zeros((0, 0, 0), np.int32), np.zeros((0, BLOCK**3), np.float32)), p)
    back, forth = (float(scattering(dust.grains, np.float32(c))) for c in (1.0, -1.0))
    b = 0.24
    near, far = (1.0 - b * b) / (1.0 - b) ** 3, (1.0 - b * b) / (1.0 + b) ** 3
    assert back / forth == pytest.approx((1.3 * near + 0.7 * far) / (1.3 * far + 0.7 * near), rel=1e-5)
    assert back / forth == pytest.approx(1.470, abs=0.01)
    cosines, weights = np.polynomial.legendre.leggauss(40)
    values = np.array([float(scattering(dust.grains, np.float32(c))) for c in cosines])
    assert 2.0 * math.pi * (values * weights).sum() == pytest.approx(1.0, rel=1e-5)


def test_splat_conserves_mass() -> None:
    """The sum over the grid is the sum over the parcels to 1e-6, also across blocks and at negative coordinates."""
    random = np.random.default_rng(1)
    puffs = Puffs(random.uniform(-3.0, 3.0, (5000, 3)), random.uniform(0.0, 0.3, 5000), np.arange(5000))
    grid = density_grid(puffs, 1e-3, np.array([64.0, 0.0, 0.0]), np.zeros(3))
    assert grid.extinction.sum(dtype=np.float64) * CELL_M**3 == pytest.approx(5.0, rel=1e-6)
    assert density_grid(puffs._replace(place=puffs.place + 200.0), 1e-3, np.zeros(3), np.zeros(3)).is_empty


def test_splat_of_1e5_parcels_takes_less_than_50_ms() -> None:
    """1e5 parcels fly to a time and are splat in less than 50 ms of processor time, the shortest of some runs."""
    random = np.random.default_rng(1)
    place, velocity = random.uniform(-2.0, 2.0, (100_000, 3)), random.normal(size=(100_000, 3))
    age, times = random.uniform(0.0, 1.0, 100_000), list[float]()
    numbers = np.arange(100_000)
    for _ in range(6):
        begin = time.thread_time()
        puffs = Puffs(positions(place, velocity, age, 1.62), 0.1 * age, numbers)
        density_grid(puffs, 1e-6, np.zeros(3), np.zeros(3))
        times.append(time.thread_time() - begin)
    assert min(times) < 0.05


def test_dust_in_a_shadow_is_dark(walled: Scene, slab: Slab) -> None:
    """Dust behind a wall has no sunlight; dust beside its shadow has."""
    for azimuth, lit in ((90.0, False), (0.0, True)):
        sun = Sun(math.radians(azimuth), math.radians(10.0))
        dust = slab(3.0, 4.0, 0.05)
        device = camera()
        frame = device.expose(walled.commit(), walled.origin, lambda _: AHEAD, sun)
        frame.radiance[:] = 0.0
        add_dust(dust, walled.rays, device.view(walled.origin, AHEAD), lights(walled.origin, sun), frame, STREAMS)
        assert (float(frame.radiance.max()) > 1e-3 * sun.irradiance[1] * 0.05) == lit


@pytest.mark.parametrize('dusk_deg', [-40.0, -5.0])
def test_dust_at_the_ground_is_dark_at_night(flat_scene: Callable[..., Scene], slab: Slab, dusk_deg: float) -> None:
    """Light is interpolated between nodes, some of which are below the ground: the sun must not shine on them."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 0.1))
    low = CameraPose(np.array([0.0, 0.0, 0.1]), np.array(LEVEL))
    sun = Sun(math.radians(203.0), math.radians(dusk_deg))  # not along edges of the ground's triangles
    assert seen(scene, slab(2.0, 4.0, 5.0), sun, pose=low).max() == 0.0


def test_dust_at_the_ground_is_as_bright_as_above(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """A plane of thick dust in sunlight, 10 cm and 1.6 m above the ground; 10 % for the depth to the sun inside it."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    sun, dust = Sun(math.radians(270.0), math.radians(40.0)), slab(2.0, 4.0, 40.0)
    low, high = (seen(scene, dust, sun, pose=CameraPose(np.array([0.0, 0.0, z]), np.array(LEVEL))) for z in (0.1, 1.6))
    assert high.min() > 0.0 and low == pytest.approx(high, rel=0.1)


def test_dust_shadows_itself(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """The far side of a slab of optical depth 3 toward the sun has exp(-3) of the light of the near side."""
    from regolith_sensors.dust.optics import light_in_dust

    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    dust, sun = slab(2.0, 3.6, 2.0), Sun(math.radians(90.0), math.radians(1e-3))
    lit = light_in_dust(dust, scene.commit(), lights(scene.origin, sun))[0]
    grid = dust.grid
    middle = [int(v) for v in (np.array([0.0, 0.0, 1.6]) - grid.corner) / CELL_M]
    cells = (np.arange(grid.lookup.shape[0] * BLOCK), middle[1], middle[2])
    block = grid.lookup[cells[0] // BLOCK, cells[1] // BLOCK, cells[2] // BLOCK]
    cell = ((cells[0] % BLOCK) * BLOCK + cells[1] % BLOCK) * BLOCK + cells[2] % BLOCK
    along = lit[block, cell]
    x = grid.corner[0] + (cells[0] + 0.5) * CELL_M
    inside = (x > 2.0) & (x < 3.6)
    exact = np.exp(-2.0 * (3.6 - x[inside]))
    # Linear interpolation of exp(-2 x) over nodes 0.2 m apart is high by (2 * 0.2)^2 / 8 = 2 %.
    assert along[inside] == pytest.approx(exact, rel=0.025)


def test_ground_is_darker_in_the_shadow_of_dust(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """Sunlight on the ground behind a slab is weaker by the transmission of the slab along the rays of the sun."""
    scene = flat_scene(soil=Lambert((0.5, 0.5, 0.5)))
    scene.center((0.0, 0.0, 1.6))
    down = CameraPose(np.array([0.0, 0.0, 1.5]), np.array([0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)]))
    sun = Sun(math.radians(90.0), math.radians(20.0))
    clear, dusty = (seen(scene, dust, sun, pose=down) for dust in (None, slab(2.0, 2.5, 1.0)))
    assert dusty / clear == pytest.approx(math.exp(-0.5 / math.cos(sun.elevation)), rel=2e-3)


def test_lidar_sees_targets_through_dust_and_the_dust_itself(slab: Slab) -> None:
    """A target behind tau = 0.5 has exp(-1) of its echo; the dust has that of its layer, at its range."""
    dust = slab(4.0, 5.0, 0.5)
    direction, place = np.array([[1.0, 0.0, 0.0]], np.float32), np.array([[0.0, 0.0, 1.6]], np.float32)
    turn = np.eye(3, dtype=np.float32)[None]
    rays = LidarRays(direction, np.zeros(1, np.int32), place, turn, np.array([9.0], np.float32), 1)
    echoes = dust_echoes(dust, rays, (0.5, 50.0), 0.1, 10.0, by_beam=True)
    assert echoes.transmission[0] == pytest.approx(math.exp(-1.0), rel=1e-4)
    back = math.pi * float(scattering(dust.grains, np.float32(1.0)))
    ranges = echoes.ranges(0.1)
    # Cells of 5 cm are not aligned with the bins of 10 cm, so the sum over all bins is compared.
    r = np.linspace(4.0, 5.0, 10001)
    layer = back * 0.5 * np.exp(-(r - 4.0)) * (10.0 / r) ** 2
    exact = float(((layer[1:] + layer[:-1]) * 0.5 * np.diff(r)).sum())
    assert echoes.of_beams.sum() == pytest.approx(exact, rel=1e-3)
    assert ranges[echoes.of_beams[0] > 0.0].min() > 3.9 and ranges[echoes.of_beams[0] > 0.0].max() < 5.1
    assert 3.95 < echoes.range[0] < 4.3
    assert echoes.intensity[0] == echoes.of_beams.max()
    before = dust_echoes(dust, rays._replace(distance=np.array([3.0], np.float32)), (0.5, 50.0), 0.1)
    assert before.transmission[0] == 1.0 and np.isinf(before.range[0])


def test_lamp_lights_dust(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """A lamp beside the camera lights dust in front of it: L = w p(0) / (4 pi) I / R^2 tau."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    lamp = Spotlight(AHEAD.position + (0.0, 0.05, 0.0), np.array([1.0, 0.0, 0.0]), (40.0, 40.0, 40.0), 0.4, 0.5)
    dust, device = slab(4.0, 4.1, 0.05), camera()
    frame = device.expose(scene.commit(), scene.origin, lambda _: AHEAD, None, [lamp])
    frame.radiance[:] = 0.0
    add_dust(dust, scene.rays, device.view(scene.origin, AHEAD), lights(scene.origin, None, [lamp]), frame, STREAMS)
    exact = float(scattering(dust.grains, np.float32(1.0))) * 40.0 / 4.05**2 * 0.005 * dust.tint
    assert frame.radiance.mean(axis=(0, 1)) == pytest.approx(exact, rel=0.03)
