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
from regolith_sensors.dust.density import BLOCK, CELLS_M, DensityGrid, Puffs, density_grid
from regolith_sensors.dust.dusty_image import add_dust
from regolith_sensors.dust.flight import positions
from regolith_sensors.dust.optics import (
    DustOptics,
    LidarRays,
    dust_echoes,
    dust_optics,
    nodes_of_light,
    scattering,
)
from regolith_sensors.dust.ray_steps import DEPTH, LEVEL, START, STEP_COLUMNS, cross_all, depth_along, most_steps
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.rays.camera_rays import lights
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box

GRAINS = PRESETS['lunar_sato2014']
Slab = Callable[..., DustOptics]
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


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


AHEAD = CameraPose(np.array([0.0, 0.0, 1.6]), np.array(UPRIGHT))


@pytest.fixture
def slab(dust_box: Callable[..., DustOptics]) -> Slab:
    """Return a factory of dust between two planes across x, from 0 to 3.2 m above the ground, 12.8 m wide."""
    return lambda x0, x1, *more: dust_box((x0, -6.4, 0.0), (x1, 6.4, 3.2), *more)


@pytest.fixture
def walled(flat_scene: Callable[..., Scene]) -> Scene:
    """Return level ground with a white wall across x at 6 m."""
    scene = flat_scene(materials=(Lambert((1.0, 1.0, 1.0)),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.1, 5.0, 3.0))), Semantic.OTHER)])
    scene.place(wall, 0, (6.1, 0.0, 0.0), UPRIGHT)
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
    up = CameraPose(np.array([0.0, 0.0, 1.6]), np.array(UPRIGHT))
    for azimuth in (270.0, 300.0, 0.0, 60.0, 90.0):
        sun = Sun(math.radians(azimuth), math.radians(20.0))
        dust = slab(2.0, 2.5, 0.02)
        device = camera()
        frame = device.expose(scene.commit(), scene.origin, lambda _: up, sun)
        before = frame.radiance.copy()
        eyes = device.view(scene.origin, up)
        add_dust(dust, scene.rays, eyes, lights(scene.origin, sun), frame)
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
        add_dust(dust, scene.rays, device.view(scene.origin, AHEAD), lights(scene.origin, sun), frame)
        most = float(scattering(dust.grains, np.float32(0.0))) * sun.irradiance * dust.tint
        assert (frame.radiance <= 1.01 * most).all() and frame.radiance.min() > 0.0


def test_backscatter_to_forward_ratio() -> None:
    """p(0) / p(180 deg) of b = 0.24, c = 0.30 is 1.46 by the closed form of two lobes; it integrates to 1."""
    p = HapkeParameters(1.0, 0.24, 0.30, 0.0, 0.05, 0.0, 0.0)
    dust = dust_optics(DensityGrid.of((), np.zeros((0, 0, 512), np.float32)), p)
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
    puffs = Puffs(random.uniform(-3.0, 3.0, (5000, 3)), random.uniform(0.0, 2.0, 5000), np.arange(5000))
    grid = density_grid(puffs, 1e-3, np.array([64.0, 0.0, 0.0]), np.zeros(3))
    assert len(grid.levels) == len(CELLS_M)
    sums = grid.extinction.reshape(-1, 9, 9, 9)[:, :BLOCK, :BLOCK, :BLOCK].sum(axis=(1, 2, 3), dtype=np.float64)
    blocks = [len(grid.blocks(level)) for level in range(len(CELLS_M))]
    assert (sums * np.repeat(CELLS_M, blocks) ** 3).sum() == pytest.approx(5.0, rel=1e-6)
    assert density_grid(puffs._replace(place=puffs.place + 200.0), 1e-3, np.zeros(3), np.zeros(3)).is_empty


def test_many_wide_parcels_are_smooth() -> None:
    """Parcels that overlap have no discs: optical depths of parallel rays scatter as those of Gaussian puffs.

    Of n parcels per area, each a Gaussian of standard deviation s, the relative variance is 1 / (4 pi n s^2).
    """
    random, spread, count = np.random.default_rng(1), 0.4, 20_000
    place = np.stack([random.uniform(-5.0, 5.0, count), *random.uniform(-3.0, 3.0, (2, count))], axis=1)
    puffs = Puffs(place, np.full(count, spread), np.arange(count))
    grid = density_grid(puffs, 1e-3, np.zeros(3), np.zeros(3))
    depths = [float(depth_along(*grid, -9.0, *at, 1.0, 0.0, 0.0, 30.0)) for at in random.uniform(-1.5, 1.5, (1000, 2))]
    density = count / 36.0
    assert np.mean(depths) == pytest.approx(1e-3 * density, rel=0.05)
    assert np.std(depths) / np.mean(depths) < 1.5 / math.sqrt(4.0 * math.pi * density * spread**2)


def test_spread_of_a_parcel_is_drawn() -> None:
    """The variance of parcels on the grid is that of their grains, and never less than that of the finest spline."""
    random = np.random.default_rng(1)
    for spread in (0.0, 0.04, 0.1, 0.2, 0.3, 0.6, 1.0, 2.0):
        puffs = Puffs(random.uniform(-0.01, 0.01, (1000, 3)), np.full(1000, spread), np.arange(1000))
        grid = density_grid(puffs, 1.0, np.zeros(3), np.zeros(3))
        row = grid.levels[0]
        inside = np.stack(np.meshgrid(*[np.arange(BLOCK)] * 3, indexing='ij'), axis=-1).reshape(-1, 3)
        at = row[:3] + (grid.blocks(0)[:, None] * BLOCK + inside) * row[3]
        mass = grid.extinction.reshape(-1, 9, 9, 9)[:, :BLOCK, :BLOCK, :BLOCK].reshape(len(at), -1).astype(np.float64)
        variance = np.einsum('nk,nkc->c', mass, at**2) / mass.sum()
        # The few places of pieces have this variance within 20 %.
        assert variance == pytest.approx(np.full(3, max(spread, 0.025) ** 2), rel=0.2)


def test_steps_of_all_levels_are_in_order() -> None:
    """The steps of a ray are in order, and their depths are those of all levels together."""
    random = np.random.default_rng(1)
    spread = np.repeat([0.03, 0.1, 0.3, 1.0], 500)
    puffs = Puffs(random.uniform(-1.0, 1.0, (2000, 3)), spread, np.arange(2000))
    grid = density_grid(puffs, 1.0, np.zeros(3), np.zeros(3))
    steps = np.empty((most_steps(grid), STEP_COLUMNS), np.float32)
    for toward in random.normal(size=(50, 3)):
        toward /= np.linalg.norm(toward)
        eye = random.uniform(-0.5, 0.5, 3) - 6.0 * toward
        found = steps[: cross_all(*grid, *eye, *toward, 20.0, steps)].copy()
        assert len(np.unique(found[:, LEVEL])) == 4
        assert (np.diff(found[:, START]) >= 0.0).all()
        assert found[:, DEPTH].sum() == pytest.approx(depth_along(*grid, *eye, *toward, 20.0), rel=1e-5)


def test_pixels_between_traced_ones_are_those_of_rays(flat_scene: Callable[..., Scene]) -> None:
    """Pixels between traced ones are within 1.5 % of the dust of those that are traced, and within 10 % at edges."""
    scene = flat_scene(materials=(Lambert((0.2, 0.2, 0.2)),))
    pole = scene.add_object('pole', [(scene.add_mesh(box((0.02, 0.02, 1.0))), Semantic.OTHER)])
    scene.place(pole, 0, (3.0, 0.03, 1.0), UPRIGHT)
    scene.center((0.0, 0.0, 1.6))
    random, sun = np.random.default_rng(1), Sun(math.radians(200.0), math.radians(20.0))
    places = random.uniform((2.0, -1.0, 0.0), (5.0, 1.0, 0.6), (4000, 3))
    grid = density_grid(Puffs(places, np.full(4000, 0.1), np.arange(4000)), 2e-4, scene.origin, np.zeros(3))
    dust, images = dust_optics(grid, GRAINS), []
    pose = CameraPose(np.array([0.0, 0.0, 1.0]), np.array([0.0, math.sin(0.1), 0.0, math.cos(0.1)]))
    for shift in (0, 1):
        # The second camera has a column and a row more at the left and top, so that the other pixels are traced.
        device = camera(61 + 2 * shift, 81 + 2 * shift, pixel_size_m=3e-5)
        frame = device.expose(scene.commit(), scene.origin, lambda _: pose, sun)
        clear = frame.radiance.copy()
        add_dust(dust, scene.rays, device.view(scene.origin, pose), lights(scene.origin, sun), frame)
        images.append((frame.radiance - clear)[shift : shift + 61, shift : shift + 81])
    difference = np.abs(images[0] - images[1]).max(axis=2) / np.abs(images[0]).max()
    assert np.percentile(difference, 99.0) < 0.015 and difference.max() < 0.1


@pytest.mark.slow
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
        add_dust(dust, walled.rays, device.view(walled.origin, AHEAD), lights(walled.origin, sun), frame)
        assert (float(frame.radiance.max()) > 1e-3 * sun.irradiance[1] * 0.05) == lit


@pytest.mark.parametrize('dusk_deg', [-40.0, -5.0])
def test_dust_at_the_ground_is_dark_at_night(flat_scene: Callable[..., Scene], slab: Slab, dusk_deg: float) -> None:
    """Light is interpolated between nodes, some of which are below the ground: the sun must not shine on them."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 0.1))
    low = CameraPose(np.array([0.0, 0.0, 0.1]), np.array(UPRIGHT))
    sun = Sun(math.radians(203.0), math.radians(dusk_deg))  # not along edges of the ground's triangles
    assert seen(scene, slab(2.0, 4.0, 5.0), sun, pose=low).max() == 0.0


def test_dust_at_the_ground_is_as_bright_as_above(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """A plane of thick dust in sunlight, 10 cm and 1.6 m above the ground; 10 % for the depth to the sun inside it."""
    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    sun, dust = Sun(math.radians(270.0), math.radians(40.0)), slab(2.0, 4.0, 40.0)
    low, high = (
        seen(scene, dust, sun, pose=CameraPose(np.array([0.0, 0.0, z]), np.array(UPRIGHT))) for z in (0.1, 1.6)
    )
    assert high.min() > 0.0 and low == pytest.approx(high, rel=0.1)


def test_dust_shadows_itself(flat_scene: Callable[..., Scene], slab: Slab) -> None:
    """The far side of a slab of optical depth 3 toward the sun has exp(-3) of the light of the near side."""
    from regolith_sensors.dust.optics import light_in_dust

    scene = flat_scene()
    scene.center((0.0, 0.0, 1.6))
    dust, sun = slab(2.0, 3.6, 2.0), Sun(math.radians(90.0), math.radians(1e-3))
    lit = light_in_dust(dust, scene.commit(), lights(scene.origin, sun))[0]
    # Nodes are in whole cells from the faces of the slab.
    nodes = np.concatenate(nodes_of_light(dust.grid))
    inside = (nodes > (2.04, -5.0, 0.1)).all(axis=1) & (nodes < (3.56, 5.0, 3.0)).all(axis=1)
    exact = np.exp(-2.0 * (3.6 - nodes[inside, 0]))
    assert inside.sum() > 1000 and lit[inside] == pytest.approx(exact, rel=1e-3)


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
    # The faces of the slab are not aligned with the bins of 10 cm, so the sum over all bins is compared.
    r = np.linspace(4.0, 5.0, 10001)
    layer = back * 0.5 * np.exp(-(r - 4.0)) * (10.0 / r) ** 2
    exact = float(((layer[1:] + layer[:-1]) * 0.5 * np.diff(r)).sum())
    assert echoes.of_beams.sum() == pytest.approx(exact, rel=1e-3)
    assert ranges[echoes.of_beams[0] > 0.0].min() > 3.9 and ranges[echoes.of_beams[0] > 0.0].max() < 5.15
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
    add_dust(dust, scene.rays, device.view(scene.origin, AHEAD), lights(scene.origin, None, [lamp]), frame)
    exact = float(scattering(dust.grains, np.float32(1.0))) * 40.0 / 4.05**2 * 0.005 * dust.tint
    assert frame.radiance.mean(axis=(0, 1)) == pytest.approx(exact, rel=0.03)
