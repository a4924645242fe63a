# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of point clouds from sweeps over known geometry."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.lidar.point_cloud import POINT, layout, point_cloud, sensor_cloud
from regolith_sensors.lidar.sweep import RETURN_TYPES, Lidar, Scan
from regolith_sensors.scene.scene import Scene
from regolith_sensors.sensor_models import load_sensor

HEIGHT = 2.0


def sweep(scene: Scene, **changes: object) -> Scan:
    values = {
        'columns': 90,
        'rings': 8,
        'elevation_deg': (-60.0, 10.0),
        'range_m': (2.4, 30.0),
        'rate_hz': 10.0,
        **changes,
    }
    config = LidarConfig.model_validate(values)
    scene.center((0.0, 0.0, HEIGHT))

    def poses(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.tile([0.0, 0.0, HEIGHT], (len(moments), 1)), np.tile(np.eye(3), (len(moments), 1, 1))

    return Lidar(config, 1, 'lidar').scan(scene.commit(), scene.origin, poses)


def test_unorganized_cloud_has_returns_in_time_order(flat_scene: Callable[..., Scene]) -> None:
    cloud = point_cloud(sweep(flat_scene(half=60.0)))[0]
    # Rings at -60, -50 ... -20 degrees hit the ground between 2.31 m (too near) and 5.85 m, -10 at 11.5 m.
    assert len(cloud) == 5 * 90 and set(np.unique(cloud['ring'])) == {1, 2, 3, 4, 5}
    np.testing.assert_allclose(cloud['z'], -HEIGHT, atol=1e-4)
    elevation = np.deg2rad(np.linspace(-60.0, 10.0, 8))[cloud['ring']]
    np.testing.assert_allclose(cloud['range'], HEIGHT / np.sin(-elevation), rtol=1e-5)
    np.testing.assert_allclose(np.hypot(cloud['x'], cloud['y']), HEIGHT / np.tan(-elevation), rtol=1e-5)
    assert (np.diff(cloud['time']) >= 0.0).all() and cloud['time'][0] == 0.0
    assert math.isclose(cloud['time'].max(), 0.1 * 89 / 90, rel_tol=1e-6)
    # The first column faces backward, and columns run counterclockwise.
    assert cloud['x'][0] < 0.0 and cloud['y'][cloud['time'] > 0.01].min() < 0.0
    assert set(cloud['return_type']) == {RETURN_TYPES['strongest']}


def test_organized_clouds_keep_misses(flat_scene: Callable[..., Scene]) -> None:
    scan = sweep(flat_scene(half=60.0), returns='dual')
    cloud = point_cloud(scan, organized=True)
    assert cloud.shape == (2 * 8, 90)
    # Rows are rings, lowest first, with the second returns below; columns are in time order.
    np.testing.assert_array_equal(cloud['ring'], np.tile(np.arange(8), 2)[:, None] + np.zeros(90, int))
    assert (cloud['return_type'][:8] == 1).all() and (cloud['return_type'][8:] == 2).all()
    assert (np.diff(cloud['time'], axis=1) > 0.0).all()
    # REP 117: too near is -inf, no hit is +inf; both have no position.
    assert (cloud['range'][0] == -np.inf).all() and (cloud['range'][6:8] == np.inf).all()
    there = np.isfinite(cloud['range'])
    for axis in 'xyz':
        np.testing.assert_array_equal(np.isfinite(cloud[axis]), there)
    assert there[1:6].all() and (cloud['intensity'][~there] == 0.0).all()
    alone = point_cloud(scan)
    assert alone.shape == (1, there.sum()) and np.isfinite(alone['x']).all()


def test_point_layout_is_that_of_common_drivers() -> None:
    """x, y, z and intensity in the first 16 bytes, and no field across the border of another."""
    assert [POINT.fields[n][1] for n in ('x', 'y', 'z', 'intensity')] == [0, 4, 8, 12]
    ends = sorted((offset, offset + kind.itemsize) for kind, offset in POINT.fields.values())
    assert all(a[1] <= b[0] for a, b in pairwise(ends)) and ends[-1][1] <= POINT.itemsize


def lidar_config(**changes: object) -> LidarConfig:
    values = {'columns': 90, 'rings': 8, 'elevation_deg': (-60.0, 10.0), 'range_m': (2.4, 30.0), 'rate_hz': 10.0}
    return LidarConfig.model_validate({**values, **changes})


def test_ouster_fields_are_those_of_its_driver(flat_scene: Callable[..., Scene]) -> None:
    """Offsets and types as PCL's layout of the driver's point: x, y, z and padding in 16 bytes, 48 in all."""
    assert (
        load_sensor('os1_64', LidarConfig).fields == 'ouster' and load_sensor('vlp16', LidarConfig).fields == 'velodyne'
    )
    kind = layout(lidar_config(fields='ouster'))
    found = {name: (field[0].str, field[1]) for name, field in (kind.fields or {}).items()}
    assert (
        found
        == {
            'x': ('<f4', 0),
            'y': ('<f4', 4),
            'z': ('<f4', 8),
            'intensity': ('<f4', 16),
            't': ('<u4', 20),
            'reflectivity': ('<u2', 24),
            'ring': ('<u2', 26),
            'ambient': ('<u2', 28),
            'range': ('<u4', 32),
        }
        and kind.itemsize == 48
    )
    scan = sweep(flat_scene(half=60.0))
    plain, cloud = point_cloud(scan)[0], sensor_cloud(scan, lidar_config(fields='ouster'))[0]
    for name in ('x', 'y', 'z', 'intensity'):
        assert np.array_equal(cloud[name], plain[name])
    # Columns are 1/900 s apart, to the nanosecond; rings count from the top, ranges are in millimeters.
    column = np.rint(plain['time'].astype(float) * 900.0)
    assert (
        np.array_equal(cloud['t'], np.rint(column * (1e9 / 900.0)).astype(np.uint32)) and cloud['t'].max() == 98888889
    )
    assert np.array_equal(cloud['ring'], 7 - plain['ring'])
    np.testing.assert_allclose(cloud['range'], 1e3 * plain['range'], atol=0.51)
    # Corrected for range, the signal falls with incidence alone, because the ground is uniform.
    expected = np.rint(100.0 * plain['intensity'] * (plain['range'] / 10.0) ** 2)
    np.testing.assert_allclose(cloud['reflectivity'], expected, atol=1.0)
    assert 0 < cloud['reflectivity'].min() <= cloud['reflectivity'].max() < 100 and not cloud['ambient'].any()
    # As an image its rows are its rings.
    image = sensor_cloud(sweep(flat_scene(half=60.0)), lidar_config(fields='ouster', organized=True))
    assert np.array_equal(image['ring'], np.arange(8)[:, None] + np.zeros(90, int)) and (image['range'][0] == 0).all()
    assert np.isnan(image['x'][0]).all() and np.isfinite(image['x'][2:7]).all()


@pytest.mark.parametrize('returns', ['strongest', 'dual'])
def test_image_rows_run_from_the_top_return_by_return(returns: str, flat_scene: Callable[..., Scene]) -> None:
    """As the rows of ``velodyne`` with the rings of each return upside down; second returns stay below the first."""
    scan = sweep(flat_scene(half=60.0), returns=returns)
    plain = point_cloud(scan, organized=True)
    image = sensor_cloud(scan, lidar_config(fields='ouster', organized=True, returns=returns))
    count = 2 if returns == 'dual' else 1
    assert image.shape == plain.shape == (8 * count, 90)
    scan.points[-1, :, 3] += 0.5  # so that the returns differ
    image = sensor_cloud(scan, lidar_config(fields='ouster', organized=True, returns=returns))
    for k in range(count):
        rows = slice(8 * k, 8 * k + 8)
        assert np.array_equal(image['ring'][rows], np.arange(8)[:, None] + np.zeros(90, int))
        for axis, name in enumerate('xyz'):
            np.testing.assert_array_equal(image[name][rows], scan.points[k, :, ::-1, axis].T)


def test_xyzi_points_are_four_floats(flat_scene: Callable[..., Scene]) -> None:
    scan = sweep(flat_scene(half=60.0))
    plain, cloud = point_cloud(scan)[0], sensor_cloud(scan, lidar_config(fields='xyzi'))[0]
    assert cloud.dtype.names == ('x', 'y', 'z', 'intensity') and cloud.dtype.itemsize == 16
    assert np.array_equal(cloud.view('<f4').reshape(-1, 4)[:, 3], plain['intensity'])


@pytest.mark.parametrize('fields', ['velodyne', 'ouster', 'xyzi'])
def test_flash_lidar_points_have_no_time(fields: str, flat_scene: Callable[..., Scene]) -> None:
    """Programs that correct for motion divide by the span of the times, which would be 0."""
    config = lidar_config(fields=fields, flash=True)
    cloud = sensor_cloud(sweep(flat_scene(half=60.0), flash=True), config)
    names = cloud.dtype.names or ()
    assert not {'time', 't'} & set(names) and cloud.dtype.itemsize == layout(lidar_config(fields=fields)).itemsize
    swept = set(layout(lidar_config(fields=fields)).names or ()) - {'time', 't'}
    assert set(names) == swept and np.isfinite(cloud['x']).all()
    assert not load_sensor('flash_lidar', LidarConfig).organized and load_sensor('flash_lidar', LidarConfig).flash
