# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of IMU and GNSS: exact kinematics, and statistics of the errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.config.imu import ImuConfig
from regolith_sensors.inertial.drift import Drift
from regolith_sensors.inertial.gnss import Gnss, geodetic
from regolith_sensors.inertial.imu import Imu, mean_specific_force, specific_force
from regolith_sensors.sensor_models import load_sensor, sensor_models
from regolith_terrain import MOON_RADIUS_M
from regolith_world.numerics.rotation import from_rotation_vector, matrix, product
from regolith_world.random.philox import stream_key

MOON = np.array([0.0, 0.0, -1.62])
LEVEL = np.array([0.0, 0.0, 0.0, 1.0])


def allan(x: np.ndarray, m: int) -> float:
    """Return the overlapping Allan deviation of samples (n, axes) over m samples, pooled over the axes."""
    total = np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)])
    means = (total[m:] - total[:-m]) / m
    return float(np.sqrt(0.5 * np.mean((means[m:] - means[:-m]) ** 2)))


@pytest.mark.seconds
def test_allan_deviation() -> None:
    """Four hours at rest: white noise at 1 s, slope -1/2, and the maximum due to the bias."""
    config = load_sensor('imu_tactical', ImuConfig).gyroscope
    errors = config.model_copy(update={'scale_factor_stddev': 0.0})
    imu = Imu(ImuConfig(gyroscope=errors), 5, 'imu')
    count = 4 * 3600 * 100
    _, rate = imu.samples(0, np.zeros((count, 3)), np.zeros((count, 3)))
    assert allan(rate, 100) == pytest.approx(config.noise_density, rel=0.05)
    taus = np.array([0.1, 0.3, 1.0, 3.0, 10.0])
    # The bias adds 2 % at 10 s, which changes the slope by 0.005.
    slope = np.polyfit(np.log(taus), np.log([allan(rate, round(t * 100)) for t in taus]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.03)
    tau = 1.89 * config.bias_correlation_time_s
    expected = math.hypot(0.618 * config.bias_stddev, config.noise_density / math.sqrt(tau))
    assert allan(rate, round(tau * 100)) == pytest.approx(expected, rel=0.15)


def test_random_walk() -> None:
    drift = Drift(stream_key(1, 'a', 'b'), 100, 0.01, 0.0, 1.0, walk=0.3)
    x = drift.run(0, 20_000)
    # K sqrt(tau / 3), 100 axes of 200 s.
    assert allan(x, 100) == pytest.approx(0.3 * math.sqrt(1.0 / 3.0), rel=0.05)
    assert x[-1].std() == pytest.approx(0.3 * math.sqrt(200.0), rel=0.2)


def test_imu_errors_depend_on_sample_index_only() -> None:
    config = load_sensor('imu_mems', ImuConfig)
    straight, jumping = Imu(config, 3, 'imu'), Imu(config, 3, 'imu')
    force, rate = straight.samples(0, np.tile([0.0, 0.0, 1.62], (500, 1)), np.zeros((500, 3)))
    for n in (400, 17, 18, 499):
        f, r = jumping.sample(n, (0.0, 0.0, 1.62), (0.0, 0.0, 0.0))
        assert f.tobytes() == force[n].tobytes() and r.tobytes() == rate[n].tobytes()
    assert not np.array_equal(force, Imu(config, 4, 'imu').samples(0, np.tile([0.0, 0.0, 1.62], (500, 1)), rate)[0])


def test_readings_are_quantized_and_saturated() -> None:
    imu = Imu(ImuConfig.model_validate({'accelerometer': {'full_scale_range': 8.0, 'resolution_bits': 4}}), 1, 'i')
    force, _ = imu.samples(0, np.array([[9.0, -20.0, 1.62], [0.4, 0.6, 7.9]]), np.zeros((2, 3)))
    assert force.tolist() == [[8.0, -8.0, 2.0], [0.0, 1.0, 8.0]]


def test_every_constant_error_has_its_size() -> None:
    """m = (1 + s + M) x + b0, drawn once per unit: over 2000 units each part has its deviation, without cross-talk."""
    errors = {'turn_on_bias_stddev': 0.2, 'scale_factor_stddev': 0.01, 'misalignment_stddev_rad': 0.003}
    true = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    config = ImuConfig.model_validate({'gyroscope': errors})
    got = np.array([Imu(config, seed, 'imu').samples(0, true, true)[1] for seed in range(2000)])
    offset, x, y = got[:, 0], got[:, 1] - got[:, 0], (got[:, 2] - got[:, 0]) / 2.0
    # Deviations of 2000 units are known to 1.6 %; the tolerance is four times that.
    assert offset.std(axis=0) == pytest.approx(0.2, rel=0.065)
    assert np.array([x[:, 0].std(), y[:, 1].std()]) == pytest.approx(0.01, rel=0.065)
    assert np.array([x[:, 1].std(), x[:, 2].std(), y[:, 0].std(), y[:, 2].std()]) == pytest.approx(0.003, rel=0.065)
    assert x[:, 0].mean() == pytest.approx(1.0, abs=0.001) and abs(x[:, 1].mean()) < 3e-4
    parts = np.stack([offset[:, 0], x[:, 0], x[:, 1], x[:, 2], y[:, 0], y[:, 1]])
    assert np.abs(np.corrcoef(parts) - np.eye(6)).max() < 0.09


def test_specific_force() -> None:
    np.testing.assert_allclose(specific_force((0, 0, 0), LEVEL, MOON), [0, 0, 1.62])
    # Lying on its left side, the body's y axis points up.
    rolled = from_rotation_vector(np.array([math.pi / 2, 0, 0]))
    np.testing.assert_allclose(specific_force((0, 0, 0), rolled, MOON), [0, 1.62, 0], atol=1e-15)
    # In free fall the specific force is zero.
    np.testing.assert_allclose(specific_force(MOON, rolled, MOON), [0, 0, 0], atol=1e-15)
    # A rotating table: centripetal and tangential acceleration at the lever arm.
    got = specific_force((0, 0, 0), LEVEL, MOON, (0, 0, 2.0), (0, 0, 3.0), (0.5, 0, 0))
    np.testing.assert_allclose(got, [-2.0, 1.5, 1.62])


def test_mean_over_a_window_equals_mean_of_samples() -> None:
    """A body that rotates about a tilted axis while it accelerates: 100 samples against both ends of a window."""
    w, arm, a, dt = np.array([0.3, -0.2, 0.5]), np.array([0.4, 0.1, 0.6]), np.array([0.2, -0.1, 0.05]), 0.01
    start = from_rotation_vector(np.array([0.1, 0.4, -0.2]))

    def orientation(t: float) -> np.ndarray:
        return product(from_rotation_vector(w * t), start)

    moments = [specific_force(a, orientation(t), MOON, w, (0, 0, 0), arm) for t in (np.arange(100) + 0.5) * dt / 100]
    got = mean_specific_force((a * 0.0, a * dt), (w, w), (orientation(0.0), orientation(dt)), dt, MOON, arm)
    # Second order in the rotation of 6 mrad.
    np.testing.assert_allclose(got, np.mean(moments, axis=0), atol=2e-5)
    assert matrix(start)[2] @ got == pytest.approx(1.62, abs=0.3)


def test_fixes_on_the_earth_are_on_its_ellipsoid() -> None:
    """One arc second along the meridian and the parallel at 45 N, from tables of WGS 84: 30.870 m and 21.902 m."""
    quiet = {f'{kind}_{way}_m': 0.0 for kind in ('noise', 'drift') for way in ('horizontal', 'vertical')}
    config = GnssConfig(body='earth', latitude_deg=45.0, longitude_deg=7.0, altitude_m=300.0, **quiet)
    for place, expected in (((21.902, 0.0, 4.0), (45.0, 7.0 + 1 / 3600)), ((0.0, 30.870, 4.0), (45.0 + 1 / 3600, 7.0))):
        assert Gnss(config, 1, 'g').fix(0, place) == pytest.approx((*expected, 304.0), abs=2e-9)
    lat, lon, alt = Gnss(config, 1, 'g').fix(0, (21.902, 30.870, 4.0))
    # The same with rotated axes: +y points 30 degrees east of north.
    turned = GnssConfig(**{**config.model_dump(), 'north_deg': 30.0})
    c, s = math.cos(math.radians(30.0)), math.sin(math.radians(30.0))
    place = (21.902 * c - 30.870 * s, 21.902 * s + 30.870 * c, 4.0)
    assert Gnss(turned, 1, 'g').fix(0, place) == pytest.approx((lat, lon, alt), abs=1e-12)
    with pytest.raises(ValueError, match='of the origin are unknown'):
        Gnss(GnssConfig(), 1, 'g').fix(0, place)


def test_gnss_errors() -> None:
    config = GnssConfig(noise_horizontal_m=0.5, noise_vertical_m=0.5, drift_correlation_time_s=30.0)
    error = Gnss(config, 9, 'gnss').errors(0, 1_000_000)
    # 33 000 correlation times: the variance is known to 1 %, correlations to 0.01.
    np.testing.assert_allclose(error.var(axis=0), np.diag(Gnss(config, 9, 'g').covariance()), rtol=0.05)
    for lag in (10, 30, 60):
        covariance = np.mean(error[lag:] * error[:-lag], axis=0)
        np.testing.assert_allclose(covariance, np.array([1.5, 1.5, 3.0]) ** 2 * math.exp(-lag / 30.0), rtol=0.1)


def test_gnss_fix_on_the_sphere() -> None:
    config = GnssConfig(
        latitude_deg=60.0,
        longitude_deg=20.0,
        altitude_m=5.0,
        noise_horizontal_m=0,
        noise_vertical_m=0,
        drift_horizontal_m=0,
        drift_vertical_m=0,
    )
    degree = math.pi / 180 * MOON_RADIUS_M
    assert Gnss(config, 1, 'g').fix(3, (0.0, degree / 600, 2.0)) == pytest.approx((60.0 + 1 / 600, 20.0, 7.0), abs=1e-8)
    # A parallel is half as long at 60 N; second order in d / R: 2e-8 degrees.
    assert Gnss(config, 1, 'g').fix(3, (degree / 6e3, 0.0, 2.0)) == pytest.approx((60.0, 20.0 + 1 / 3e3, 7.0), abs=3e-8)
    assert geodetic((0, 100.0, 0), 0.0, 0.0, 0.0, MOON_RADIUS_M)[0] == pytest.approx(100.0 / MOON_RADIUS_M)


@pytest.mark.parametrize('latitude_deg', [0.0, 45.0, -80.0, -90.0, 90.0])
def test_local_coordinates_against_the_tangent_plane(latitude_deg: float) -> None:
    """A point of the tangent plane, projected to the sphere from its center; at a pole all longitudes occur."""
    latitude, d = math.radians(latitude_deg), 100.0
    turn = np.linspace(0.0, 2.0 * math.pi, 16, endpoint=False)
    east, north = d * np.cos(turn), d * np.sin(turn)
    up = np.array([math.cos(latitude), 0.0, math.sin(latitude)])
    plane = (
        MOON_RADIUS_M * up + east[:, None] * [0, 1, 0] + north[:, None] * [-math.sin(latitude), 0.0, math.cos(latitude)]
    )
    found = geodetic(np.stack([east, north, 0.0 * turn], axis=-1), latitude, 0.3, 0.0, MOON_RADIUS_M)
    apart_north = (found[:, 0] - np.arcsin(plane[:, 2] / np.linalg.norm(plane, axis=1))) * MOON_RADIUS_M
    apart = (found[:, 1] - 0.3 - np.arctan2(plane[:, 1], plane[:, 0]) + math.pi) % (2.0 * math.pi) - math.pi
    apart_east = apart * MOON_RADIUS_M * np.cos(found[:, 0])
    # Rounding: 1e-16 of the radius, and more of an arc sine near the pole, where 1 - sin is 1e-9.
    assert np.abs(apart_east).max() < 1e-8
    assert np.abs(apart_north).max() < (1e-8 if abs(latitude_deg) < 85.0 else 1e-5)


def test_receiver_at_a_pole_gives_its_distance_from_it() -> None:
    """100 m off the pole the latitude is lower by 100 m / R in every direction, on the Moon and on the Earth."""
    quiet = {f'{kind}_{way}_m': 0.0 for kind in ('noise', 'drift') for way in ('horizontal', 'vertical')}
    # Along a meridian the Earth's radius of curvature at its poles is a^2 / b.
    for body, radius in (('moon', MOON_RADIUS_M), ('earth', 6378137.0**2 / 6356752.314)):
        for latitude in (-90.0, 90.0):
            config = GnssConfig(body=body, latitude_deg=latitude, longitude_deg=30.0, altitude_m=0.0, **quiet)
            fixes = np.array(
                [Gnss(config, 1, 'g').fix(0, p) for p in ((0, 100, 1), (100, 0, 1), (0, -100, 1), (0, 0, 1))]
            )
            off = np.radians(90.0 - np.abs(fixes[:, 0])) * radius
            np.testing.assert_allclose(off, [100.0, 100.0, 100.0, 0.0], atol=1e-3)
            towards = 30.0 if latitude < 0.0 else -150.0
            sideways = 120.0
            np.testing.assert_allclose(fixes[:2, 1], [towards, sideways], atol=1e-9)
            assert np.all(np.sign(fixes[:, 0]) == np.sign(latitude)) and np.all(np.abs(fixes[:, :2]) <= [90.0, 180.0])


def test_shipped_inertial_models_load() -> None:
    assert sensor_models('imu') == ('imu_mems', 'imu_tactical') and sensor_models('gnss') == ('gnss_lunanet',)
    assert load_sensor('gnss_lunanet', GnssConfig).body == 'moon'
