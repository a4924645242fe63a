# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust on lenses, and dust in front of lidars and SPAD sensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_sensors.arrays import Floats
from regolith_sensors.camera.pipeline import Camera
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.dust.dust_cloud import DustCloud, Lens
from regolith_sensors.dust.optics import DustOptics, scattering
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.light import LIGHT_SPEED
from regolith_sensors.rays.camera_rays import lights
from regolith_sensors.rays.image import empty_frame
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.spad.spad import Spad
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import box
from regolith_terrain import FlatField
from regolith_terrain.grid import SoilGrid
from regolith_vehicles.visuals import PartRole, VisualDescription
from regolith_vehicles.visuals.visual_description import MovingPart

LEVEL = (0.0, 0.0, 0.0, 1.0)
STEP_NS = 20_000_000


def rained(axis: tuple[float, float, float]) -> DustCloud:
    """Return a cloud whose only lens was for 1 s in 4 g/m^3 of dust that rises at 1 m/s, without gravity."""
    looks = VisualDescription((MovingPart('base', '', PartRole.BODY, ()),))
    lens = {'amber/eye': Lens('amber', np.array([0.0, 0.0, 1.0]), np.array(axis))}
    cloud = DustCloud(DustConfig(parcel_mass_kg=1e-6, extinction_m2pkg=48.0), 1, 1e-9, {'amber': looks}, lens)
    base = {'amber': np.array([[0.0, 0.0, 0.0, *LEVEL]])}
    grid = SoilGrid(FlatField(), 0.1)
    cloud.follow(0, base, grid)
    random = np.random.default_rng(1)
    count = 4000 * 4  # in a column of 1 x 1 x 4 m
    cloud._reserve(count)
    cloud._data['place'][:count] = random.uniform((-0.5, -0.5, -2.0), (0.5, 0.5, 2.0), (count, 3))
    cloud._data['velocity'][:count] = (0.0, 0.0, 1.0)
    cloud._data['t_ns'][:count], cloud._data['land_ns'][:count] = 0, 10**12
    cloud._data['hit_ns'][:count], cloud._data['hit'][:count] = np.iinfo(np.int64).max, -1
    cloud._count = count
    for k in range(1, 51):
        cloud.follow(k * STEP_NS, base, grid)
    return cloud


def test_lens_in_uniform_rain_gets_the_flux() -> None:
    """A lens that faces 4 g/m^3 at 1 m/s gets 4 g/m^2 in 1 s; one that looks along or aside gets none."""
    cloud = rained((0.0, 0.0, -1.0))
    # Some 850 parcels pass the ball, each for up to 0.3 s.
    assert cloud.dirt[0] == pytest.approx(4e-3, rel=0.1)
    assert cloud.transmission('amber/eye') == pytest.approx(math.exp(-48.0 * cloud.dirt[0]), rel=1e-12)
    before = cloud.digest()
    assert cloud.clean('amber/eye') < 0.9 and cloud.transmission('amber/eye') == 1.0
    assert cloud.digest() != before
    for axis in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)):
        assert rained(axis).dirt[0] == 0.0


def test_dirt_returns_with_the_dust() -> None:
    """A return to an earlier commit, and a saved state, have the dirt of that time."""
    cloud = rained((0.0, 0.0, -1.0))
    blob, dirt = cloud.save(), float(cloud.dirt[0])
    assert cloud.return_to(25 * STEP_NS) and 0.0 < cloud.dirt[0] < dirt
    cloud.restore(blob)
    assert cloud.dirt[0] == dirt
    other = DustCloud(DustConfig(), 1, 1.62, {}, {})
    with pytest.raises(ValueError, match='other vehicles or sensors'):
        other.restore(blob)


def test_dirty_lens_darkens_the_image() -> None:
    """The geometric mean of the image falls by the transmission; the pattern is soft, and fixed for a sensor."""
    values = {
        'width': 64,
        'height': 48,
        'pixel_size_m': 1e-5,
        'focal_length_m': 1e-2,
        'f_number': 4.0,
        'exposure_s': 1e-4,
        'focus_distance_m': 3.0,
        'stages': dict.fromkeys(('defocus', 'vignetting', 'noise', 'fixed_pattern', 'motion_blur'), False),
    }
    frame = empty_frame(48, 64)
    frame.radiance[:], frame.depth[:] = 5.0, 3.0

    def image(through: float, name: str = 'eye') -> Floats:
        device = Camera(CameraConfig.model_validate(values), 1, name)
        return device.process(frame, through=through).image.astype(np.float64)

    clean, dirty = image(1.0), image(0.8)
    ratio = dirty / clean
    # Numbers of 16 bits round by half a number of some thousands.
    assert math.exp(float(np.log(ratio).mean())) == pytest.approx(0.8, abs=2e-3)
    assert 0.01 < ratio.std() < 0.1 and np.array_equal(dirty, image(0.8))
    assert not np.array_equal(dirty, image(0.8, 'other'))


def walled(flat_scene: Callable[..., Scene]) -> Scene:
    """Return level ground with a white wall across x at 9 m."""
    scene = flat_scene(materials=(Lambert((1.0, 1.0, 1.0)),))
    wall = scene.add_object('wall', [(scene.add_mesh(box((0.1, 5.0, 3.0))), Semantic.OTHER)])
    scene.place(wall, 0, (9.1, 0.0, 0.0), LEVEL)
    scene.center((0.0, 0.0, 1.6))
    return scene


def ahead(moments: Floats) -> tuple[Floats, Floats]:
    """Return poses at 1.6 m above the origin that look along x."""
    return np.tile((0.0, 0.0, 1.6), (len(moments), 1)), np.tile(np.eye(3), (len(moments), 1, 1))


def test_lidar_returns_of_dust_depend_on_its_mode(
    flat_scene: Callable[..., Scene], dust_box: Callable[..., DustOptics]
) -> None:
    """Thick dust at 4 m is the first return, the wall behind it the last; below the threshold it is none."""
    scene = walled(flat_scene)
    beam: dict[str, Any] = {
        'columns': 1,
        'azimuth_deg': (0.0, 1.0),
        'rings': 1,
        'elevation_deg': (0.0, 0.0),
        'noise': {'range_stddev_m': 0.0, 'range_weak_stddev_m': 0.0, 'angle_stddev_rad': 0.0, 'intensity_stddev': 0.0},
    }

    def seen(dust: DustOptics, through: float = 1.0, **changes: Any) -> tuple[float, float]:
        device = Lidar(LidarConfig.model_validate({**beam, **changes}), 1, 'lidar')
        scan = device.scan(scene.commit(), scene.origin, ahead, 0, dust, through)
        return float(scan.range[0, 0, 0]), float(scan.intensity[0, 0, 0])

    dust = dust_box((4.0, -3.0, 0.0), (4.5, 3.0, 3.2), 1.0)
    assert seen(dust, returns='first', threshold=0.01)[0] == pytest.approx(4.05, abs=0.1)
    reach, intensity = seen(dust, returns='last', threshold=0.01)
    assert reach == pytest.approx(9.0, abs=1e-3)
    assert intensity == pytest.approx(math.exp(-1.0) * (10.0 / 9.0) ** 2, rel=2e-3)
    assert seen(dust, returns='first', threshold=0.6)[0] == np.inf
    assert seen(dust, 0.9, returns='last', threshold=0.01)[1] == pytest.approx(0.81 * intensity, rel=1e-5)
    thin = dust_box((4.0, -3.0, 0.0), (4.5, 3.0, 3.2), 0.001)
    assert seen(thin, returns='first', threshold=0.01)[0] == pytest.approx(9.0, abs=1e-3)


def test_dust_sends_early_photons_to_a_spad(
    flat_scene: Callable[..., Scene], dust_box: Callable[..., DustOptics]
) -> None:
    """Counts from 4 to 5 m are those of the layer, within 4 standard deviations; the wall has exp(-2 tau) of its own."""
    scene = walled(flat_scene)
    config = SpadConfig.model_validate(
        {
            'columns': 4,
            'azimuth_deg': [-0.5, 0.5],
            'rings': 4,
            'elevation_deg': [-0.5, 0.5],
            'range_m': [1.0, 12.0],
            'flash': True,
            'pulses': 20_000,
            'sample_radius': 1,
            'divergence_rad': [5e-3, 5e-3],
            'laser': {'pulse_energy_j': 2e-11},
            'detector': {'counting': 'free_running', 'dead_time_s': 1e-12, 'afterpulse_probability': 0.0},
        }
    )
    device, light = Spad(config, 1, 'spad'), lights(scene.origin, None)
    dust = dust_box((4.0, -3.0, 0.0), (5.0, 3.0, 3.2), 0.5)
    clear, dusty = (
        device.frame(scene.commit(), scene.origin, ahead, light, 0, each).counts.astype(np.float64).sum(axis=(0, 1))
        for each in (None, dust)
    )
    reach = 0.5 * LIGHT_SPEED * (config.start_s + (np.arange(config.bins) + 0.5) * config.bin_s)
    layer, wall = (reach > 3.8) & (reach < 5.2), reach > 8.8
    r = np.linspace(4.0, 5.0, 10_001)
    back = math.pi * float(scattering(dust.grains, np.float32(1.0)))
    echo = back * 0.5 * np.exp(-(r - 4.0)) * (10.0 / r) ** 2
    expected = float(((echo[1:] + echo[:-1]) * 0.5 * np.diff(r)).sum()) * device.photons_per_echo * 16 * config.pulses
    early = dusty[layer].sum() - clear[layer].sum()
    assert expected > 500.0 and early == pytest.approx(
        expected, abs=4.0 * math.sqrt(expected + 2.0 * clear[layer].sum())
    )
    share = math.exp(-1.0)
    assert dusty[wall].sum() == pytest.approx(share * clear[wall].sum(), abs=4.0 * math.sqrt(clear[wall].sum()))


def test_clear_air_changes_no_bit(flat_scene: Callable[..., Scene]) -> None:
    """A lidar without dust and one without the section give the same bits."""
    scene = walled(flat_scene)
    device = Lidar(LidarConfig(columns=36, rings=8), 1, 'lidar')
    first = device.scan(scene.commit(), scene.origin, ahead, 3)
    second = device.scan(scene.commit(), scene.origin, ahead, 3, None, 1.0)
    assert np.array_equal(first.points, second.points, equal_nan=True)
