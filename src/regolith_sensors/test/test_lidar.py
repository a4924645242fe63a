# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of lidars against geometry and radiometry: the tests (a) to (f) of their specification."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from regolith_sensors.brdf import PRESETS
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.dust.optics import DustOptics
from regolith_sensors.lidar.beams import beam_offsets
from regolith_sensors.lidar.sweep import Lidar, Scan, merged_return
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.sensor_models import SensorModelError, load_sensor, sensor_models
from regolith_sensors.surfaces.materials import HapkeSoil, Lambert
from regolith_sensors.surfaces.meshes import box


def one_beam(**changes: Any) -> LidarConfig:
    """Return a configuration with a single forward beam."""
    values = {'columns': 1, 'azimuth_deg': (0.0, 1.0), 'rings': 1, 'elevation_deg': (0.0, 0.0), **changes}
    return LidarConfig.model_validate(values)


def look(scene: Scene, config: LidarConfig, position: tuple[float, float, float], down: float, **more: Any) -> Scan:
    """Return a scan from a position, pitched down by an angle [rad]."""
    pitch = np.array([[math.cos(down), 0, math.sin(down)], [0, 1, 0], [-math.sin(down), 0, math.cos(down)]])

    def poses(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.tile(np.array(position), (len(moments), 1)), np.tile(pitch, (len(moments), 1, 1))

    scene.center(position)
    arrays = scene.commit()
    return Lidar(config, 1, 'lidar').scan(arrays, scene.origin, poses, **more)


def test_lidar_range_of_a_perpendicular_plane(flat_scene: Callable[..., Scene]) -> None:
    """(a) A plane at 10 m: every range is 10 m divided by the cosine."""
    config = one_beam(columns=21, azimuth_deg=(-10.0, 10.0), rings=21, elevation_deg=(-10.0, 10.0))
    scan = look(flat_scene(), config, (0.0, 0.0, 10.0), math.pi / 2)
    azimuth, elevation = np.deg2rad(np.meshgrid(np.linspace(-10, 10, 21), np.linspace(-10, 10, 21), indexing='ij'))
    expected = 10.0 / (np.cos(azimuth) * np.cos(elevation))
    # Single precision in ray tracing: 1e-6 of 10 m.
    np.testing.assert_allclose(scan.range[0], expected, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(scan.points[0], axis=-1), scan.range[0], rtol=1e-6)
    np.testing.assert_allclose(scan.points[0, ..., 0], 10.0, atol=1e-4)
    assert scan.intensity[0, 10, 10] == pytest.approx(1.0, abs=1e-3)


def test_lidar_range_of_a_tilted_plane(flat_scene: Callable[..., Scene]) -> None:
    """(b) At 60 degrees the footprint spreads the range: first return early by R da/2 tan i (d-1)/d, mean unbiased."""
    tilt, reach, spread = math.radians(60.0), 10.0, 3e-3
    beam = {'divergence_rad': (spread, spread), 'sample_radius': 2, 'range_falloff': False}
    at = ((0.0, 0.0, reach * math.cos(tilt)), math.pi / 2 - tilt)
    mean = look(flat_scene(), one_beam(returns='mean', **beam), *at).range[0, 0, 0]
    assert abs(mean - reach) < reach * spread**2 / 4 * math.tan(tilt) ** 2 + 2e-5
    first = look(flat_scene(), one_beam(returns='first', **beam), *at).range[0, 0, 0]
    # First order; the second is 1 % of it.
    assert reach - first == pytest.approx(reach * spread / 2 * math.tan(tilt) * 2 / 3, rel=0.02)


def test_lidar_edge_in_front_of_a_wall(flat_scene: Callable[..., Scene]) -> None:
    """(c) Half on an edge at 10 m, half on a wall at 12 m: the strongest return changes, dual mode gives both."""
    scene = flat_scene(materials=(Lambert(),))
    near, wall = (scene.add_object(n, [(scene.add_mesh(box((0.5, 5, 5))), Semantic.OTHER)]) for n in ('near', 'wall'))
    scene.place(wall, 0, (12.5, 0, 10), (0, 0, 0, 1))
    beam = {'divergence_rad': (4e-3, 4e-3), 'sample_radius': 3, 'beam': 'rectangular', 'range_falloff': False}
    seen = []
    # Sub-rays lie at 0, +-0.016 and +-0.008 m at 10 m; the near box covers y > edge.
    for edge, covered in ((0.012, 1), (0.004, 2), (-0.004, 3), (-0.012, 4)):
        scene.place(near, 0, (10.5, 5 + edge, 10), (0, 0, 0, 1))
        strongest = look(scene, one_beam(returns='strongest', **beam), (0, 0, 10), 0.0)
        seen.append(round(float(strongest.range[0, 0, 0]), 2))
        assert strongest.intensity[0, 0, 0] == pytest.approx(max(covered, 5 - covered) / 5, abs=1e-3)
        dual = look(scene, one_beam(returns='dual', **beam), (0, 0, 10), 0.0)
        assert [round(float(r), 2) for r in dual.range[:, 0, 0]] == [seen[-1], 12.0]
        first = look(scene, one_beam(returns='first', **beam), (0, 0, 10), 0.0)
        assert first.range[0, 0, 0] == pytest.approx(10.0, abs=1e-3)
        assert dual.return_type[:, 0, 0].tolist() == [1, 2]
    assert seen == [12.0, 12.0, 10.0, 10.0]


def test_intensity_against_incidence(flat_scene: Callable[..., Scene]) -> None:
    """(d) Regolith is flat within 2 %, Lambert falls with the cosine; regolith has 0.27 of a white target."""
    soil = HapkeSoil(PRESETS['lunar_sato2014'], (1.0, 1.0, 1.0))
    for i in np.deg2rad([0.0, 20.0, 40.0, 60.0]):
        at = ((0.0, 0.0, 10.0 * math.cos(i)), math.pi / 2 - i)
        white = look(flat_scene(Lambert()), one_beam(), *at).intensity[0, 0, 0]
        assert white == pytest.approx(math.cos(i), abs=1e-3)
        assert look(flat_scene(soil), one_beam(), *at).intensity[0, 0, 0] == pytest.approx(0.269994, rel=0.02)


def test_intensity_against_range_and_dust(
    flat_scene: Callable[..., Scene], dust_box: Callable[..., DustOptics]
) -> None:
    """(e) and (f): 1 / R^2, and exp(-2 tau) through dust."""
    for reach in (5.0, 10.0, 18.0):
        intensity = look(flat_scene(), one_beam(), (0.0, 0.0, reach), math.pi / 2).intensity[0, 0, 0]
        assert intensity == pytest.approx((10.0 / reach) ** 2, rel=1e-3)
    dust = dust_box((-1.0, -1.0, 1.0), (1.0, 1.0, 9.0), 0.0625)
    through = look(flat_scene(), one_beam(), (0.0, 0.0, 10.0), math.pi / 2, dust=dust)
    assert through.intensity[0, 0, 0] == pytest.approx(math.exp(-1.0), rel=1e-3)
    # The beam meets dust thick enough for an echo of its own before the ground.
    first = look(flat_scene(), one_beam(returns='first', threshold=1e-3), (0.0, 0.0, 10.0), math.pi / 2, dust=dust)
    assert first.range[0, 0, 0] == pytest.approx(1.0, abs=0.15)


def test_lidar_misses_and_too_near_returns(flat_scene: Callable[..., Scene]) -> None:
    up = look(flat_scene(), one_beam(), (0.0, 0.0, 1.0), -math.pi / 4)
    assert up.range[0, 0, 0] == np.inf and np.isnan(up.points[0, 0, 0]).all() and up.intensity[0, 0, 0] == 0.0
    near = look(flat_scene(), one_beam(), (0.0, 0.0, 0.3), math.pi / 2)
    assert near.range[0, 0, 0] == -np.inf and np.isnan(near.points[0, 0, 0]).all()


def test_noise_has_its_size_and_repeats(flat_scene: Callable[..., Scene]) -> None:
    config = one_beam(
        columns=100, azimuth_deg=(-2.0, 2.0), rings=100, elevation_deg=(-2.0, 2.0), noise={'range_stddev_m': 0.03}
    )
    at = ((0.0, 0.0, 10.0), math.pi / 2)
    clean = look(flat_scene(), config.model_copy(update={'noise': type(config.noise)()}), *at)
    first, again, other = (look(flat_scene(), config, *at, frame=n) for n in (4, 4, 5))
    assert first.points.tobytes() == again.points.tobytes()
    error = first.range - clean.range
    # 10 000 samples: the deviation is known to 0.7 %.
    assert error.std() == pytest.approx(0.03, rel=0.03) and abs(error.mean()) < 0.0015
    assert abs(np.corrcoef(error.ravel(), (other.range - clean.range).ravel())[0, 1]) < 0.05


def test_sweep_in_motion(flat_scene: Callable[..., Scene]) -> None:
    """Each column is measured at the sensor's pose at its time: for a rising sensor the ground sinks."""
    config = one_beam(columns=360, azimuth_deg=(-180.0, 180.0), elevation_deg=(-45.0, -45.0))
    scene = flat_scene()
    scene.center((0.0, 0.0, 2.0))

    def poses(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.stack([0 * moments, 0 * moments, 2.0 + moments], axis=1), np.tile(np.eye(3), (len(moments), 1, 1))

    scan = Lidar(config, 1, 'l').scan(scene.commit(), scene.origin, poses)
    part = np.arange(360) / 360
    np.testing.assert_allclose(scan.range[0, :, 0], (2.0 + part) * math.sqrt(2.0), rtol=1e-5)
    np.testing.assert_allclose(scan.time[0, :, 0], part / 10.0, rtol=1e-6)
    # A full turn does not repeat its first column.
    assert config.azimuths[-1] == pytest.approx(math.pi - 2 * math.pi / 360)


def test_beam_profiles() -> None:
    config = one_beam(divergence_rad=(2e-3, 4e-3), sample_radius=3, profile='gaussian')
    offsets, weights = beam_offsets(config)
    assert len(offsets) == 25 and weights.mean() == pytest.approx(1.0)
    # Inside the ellipse, with its axes in the correct order and weights that fall from the center.
    assert ((offsets[:, 0] / 1e-3) ** 2 + (offsets[:, 1] / 2e-3) ** 2 <= 1.0).all()
    assert np.abs(offsets[:, 1]).max() == pytest.approx(2.0 * np.abs(offsets[:, 0]).max())
    assert weights.argmax() == 12


def test_lidar_models_load_and_invalid_ones_are_rejected() -> None:
    assert sensor_models('lidar') == ('flash_lidar', 'os1_64', 'vlp16')
    assert len(load_sensor('vlp16', LidarConfig).elevations) == 16
    for change, words in [
        ({'columns': 0}, 'columns = 0'),
        ({'range_m': [5.0, 1.0]}, 'range_m'),
        ({'rings': 4, 'elevations_deg': [1.0]}, 'rings = 4'),
    ]:
        with pytest.raises(SensorModelError, match=words + '.*allowed: '):
            load_sensor({'columns': 4, 'rings': 2, **change}, LidarConfig)


def test_return_modes_of_four_sub_rays() -> None:
    """Four sub-rays: two at 10 m that merge by half, a weak one at 11 m, a strong one at 12 m; the last beam misses."""
    reach = np.array([[10.0, 10.025, 11.0, 12.0], [np.inf] * 4], dtype=np.float32)
    echo = np.array([[0.4, 0.4, 0.1, 0.5], [0.0] * 4], dtype=np.float32)
    # At 10 m 0.4 + 0.4 / 2, at 12 m 0.5, at 11 m 0.1; over four sub-rays.
    expected = {'strongest': (10.0, 0.15), 'first': (10.0, 0.15), 'last': (12.0, 0.125)}
    for mode, (at, strength) in expected.items():
        found = merged_return(reach, echo, mode, 0.05, 1e-4)
        assert found[0].tolist() == pytest.approx([at, np.inf]) and found[1].tolist() == pytest.approx(
            [strength, 0.0], rel=1e-4
        )
    mean = merged_return(reach, echo, 'mean', 0.05, 1e-4)
    assert mean[0][0] == pytest.approx((4.0 + 4.01 + 1.1 + 6.0) / 1.4) and mean[1][0] == pytest.approx(0.35)
    # A threshold removes the weaker of the two, then all.
    assert merged_return(reach, echo, 'last', 0.05, 0.13)[0][0] == pytest.approx(10.025)
    for mode in (*expected, 'mean'):
        assert merged_return(reach, echo, mode, 0.05, 0.4)[0].tolist() == [np.inf, np.inf]


def test_rings_have_the_elevations_of_the_table(flat_scene: Callable[..., Scene]) -> None:
    """Channels of a real unit with uneven spacing: ring k has the k-th elevation of the file."""
    table = (-40.0, -33.0, -15.5, -20.0)
    config = one_beam(rings=None, elevations_deg=table, columns=8, azimuth_deg=(-180.0, 180.0))
    scan = look(flat_scene(half=60.0), config, (0.0, 0.0, 2.0), 0.0)
    np.testing.assert_array_equal(scan.ring[0], np.tile(np.arange(4), (8, 1)))
    np.testing.assert_allclose(scan.range[0], np.tile(2.0 / np.sin(np.radians(-np.array(table))), (8, 1)), rtol=1e-5)
    # Columns run counterclockwise from the rear.
    azimuth = np.degrees(np.arctan2(scan.points[0, 1:, 0, 1], scan.points[0, 1:, 0, 0]))
    np.testing.assert_allclose(azimuth, np.arange(-135.0, 180.0, 45.0), atol=1e-3)


@pytest.mark.parametrize(
    ('name', 'rings', 'columns', 'lowest', 'highest', 'returns'),
    [
        ('vlp16', 16, 1800, -15.0, 15.0, 1),
        ('os1_64', 64, 1024, -22.5, 22.5, 2),
        ('flash_lidar', 128, 128, -10.0, 10.0, 1),
    ],
)
def test_shipped_lidars(
    flat_scene: Callable[..., Scene], name: str, rings: int, columns: int, lowest: float, highest: float, returns: int
) -> None:
    config = load_sensor(name, LidarConfig)
    scan = look(flat_scene(HapkeSoil()), config, (0.0, 0.0, 1.5), 0.0)
    assert scan.range.shape == (returns, columns, rings)
    assert np.degrees(config.elevations[[0, -1]]) == pytest.approx([lowest, highest])
    # Upward beams miss; beams at 6 degrees and more below the horizon hit the ground within 15 m.
    elevation = np.degrees(config.elevations)
    assert np.isfinite(scan.range[:, :, elevation < -6.0]).all()
    assert (scan.range[:, :, elevation > 1.0] == np.inf).all()
    assert (np.ptp(scan.time) == 0.0) == (name == 'flash_lidar')
    if name == 'vlp16':
        assert (
            config.divergence_rad == (3.0e-3, 1.5e-3)
            and config.noise.range_stddev_m == 0.03
            and config.range_m == (0.5, 100.0)
        )


def test_errors_of_the_two_angles_are_independent(flat_scene: Callable[..., Scene]) -> None:
    """Both have the configured size and are independent: 10 000 pairs have a random correlation of 1 %."""
    config = one_beam(
        columns=100, azimuth_deg=(-2.0, 2.0), rings=100, elevation_deg=(-2.0, 2.0), noise={'angle_stddev_rad': 1e-3}
    )
    at = ((0.0, 0.0, 10.0), math.pi / 2)
    clean = look(flat_scene(), config.model_copy(update={'noise': type(config.noise)()}), *at).points.astype(float)
    noisy = look(flat_scene(), config, *at).points.astype(float)
    angles = [
        (np.arctan2(p[..., 1], p[..., 0]), np.arctan2(p[..., 2], np.hypot(p[..., 0], p[..., 1])))
        for p in (clean, noisy)
    ]
    azimuth, elevation = (b - a for a, b in zip(*angles, strict=True))
    for error in (azimuth, elevation):
        assert error.std() == pytest.approx(1e-3, rel=0.03)
    assert abs(np.corrcoef(azimuth.ravel(), elevation.ravel())[0, 1]) < 0.05


@pytest.mark.parametrize(('radius', 'parts'), [(1, 1), (3, 5)])
def test_sub_ray_width_is_its_part_of_the_beam(radius: int, parts: int) -> None:
    config = one_beam(divergence_rad=(2e-3, 4e-3), sample_radius=radius)
    assert Lidar(config, 1, 'l').beams.spread == pytest.approx(4e-3 / parts)
