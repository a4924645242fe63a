# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""IMU model: specific force and angular velocity in the sensor frame, with their errors.

The Moon has no global magnetic field, so there is no magnetometer. Vibration, temperature and g-sensitivity are
omitted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.config.imu import ImuConfig, InertialErrors
from regolith_sensors.inertial.drift import Drift, white
from regolith_world.numerics import rotation
from regolith_world.random import stream_key

Floats = NDArray[np.float64]


def specific_force(
    acceleration: ArrayLike,
    orientation: ArrayLike,
    gravity: ArrayLike,
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_acceleration: ArrayLike = (0.0, 0.0, 0.0),
    lever_arm: ArrayLike = (0.0, 0.0, 0.0),
) -> Floats:
    """Return the specific force at a sensor in the body frame: R^T (a + alpha x r + w x (w x r) - g) [m/s^2].

    At rest on level ground it is +g along z: 1.62 m/s^2 on the Moon.

    Args:
        acceleration: Acceleration of the body's origin in the world frame [m/s^2], shape (3,).
        orientation: Orientation of the body, quaternion (x, y, z, w).
        gravity: Gravity in the world frame [m/s^2], (0, 0, -1.62) on the Moon.
        angular_velocity: Angular velocity w in the world frame [rad/s], shape (3,).
        angular_acceleration: Angular acceleration alpha in the world frame [rad/s^2], shape (3,).
        lever_arm: Position r of the sensor in the body frame [m], shape (3,).

    Source: titterton2004.
    Checked by: test_inertial.py::test_specific_force.
    """
    world_from_body = rotation.matrix(np.asarray(orientation, dtype=np.float64))
    arm, w = world_from_body @ np.asarray(lever_arm), np.asarray(angular_velocity, dtype=np.float64)
    alpha = np.asarray(angular_acceleration, dtype=np.float64)
    point = np.asarray(acceleration) + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    out: Floats = world_from_body.T @ (point - np.asarray(gravity))
    return out


def mean_specific_force(
    velocity: tuple[Floats, Floats],
    angular_velocity: tuple[Floats, Floats],
    orientation: tuple[Floats, Floats],
    duration: float,
    gravity: Floats,
    lever_arm: Floats,
) -> Floats:
    """Return the mean specific force over a window in the body frame [m/s^2], from the body's states at its ends.

    The velocity change of the sensor is exact in the world frame. It is rotated to the body frame at the middle of the
    window, with an error of second order in the angle of rotation during the window.

    Args:
        velocity: Velocity of the body's origin in the world frame, before and after [m/s].
        angular_velocity: Angular velocity in the world frame, before and after [rad/s].
        orientation: Orientation before and after, quaternions (x, y, z, w).
        duration: Duration of the window [s].
        gravity: Gravity in the world frame [m/s^2].
        lever_arm: Position of the sensor in the body frame [m].

    Source: titterton2004.
    Checked by: test_inertial.py::test_mean_over_a_window_equals_mean_of_samples,
    test_convergence_order.py::test_mean_force_of_a_window_is_of_second_order.
    """
    arms = [rotation.matrix(q) @ lever_arm for q in orientation]
    before, after = (v + np.cross(w, arm) for v, w, arm in zip(velocity, angular_velocity, arms))
    first, last = orientation
    middle = first + (last if float(first @ last) >= 0.0 else -last)
    out: Floats = rotation.matrix(middle / np.linalg.norm(middle)).T @ ((after - before) / duration - gravity)
    return out


class Imu:
    """An IMU. Equal seed, name and index give equal errors.

    Source: ieee952.
    Checked by: test_inertial.py::test_allan_deviation, test_inertial.py::test_readings_are_quantized_and_saturated,
    test_inertial.py::test_every_constant_error_has_its_size.
    """

    def __init__(self, config: ImuConfig, seed: int, name: str) -> None:
        """Make the unit.

        Args:
            config: Model of the unit.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config = config
        self.period = 1.0 / config.rate_hz
        self._gyroscope = _Triad(config.gyroscope, self.period, seed, name, 'gyroscope')
        self._accelerometer = _Triad(config.accelerometer, self.period, seed, name, 'accelerometer')

    def sample(self, n: int, force: ArrayLike, rate: ArrayLike) -> tuple[Floats, Floats]:
        """Return sample n as measured: (specific force [m/s^2], angular velocity [rad/s]), each of shape (3,)."""
        measured = self.samples(n, np.asarray(force)[None, :], np.asarray(rate)[None, :])
        return measured[0][0], measured[1][0]

    def samples(self, first: int, force: Floats, rate: Floats) -> tuple[Floats, Floats]:
        """Return consecutive samples from ``first`` on. True and measured values have the shape (n, 3)."""
        return self._accelerometer.measured(first, force), self._gyroscope.measured(first, rate)

    def variances(self) -> tuple[float, float]:
        """Return the variance of one sample's white noise: (force [(m/s^2)^2], rate [(rad/s)^2])."""
        a, g = self.config.accelerometer, self.config.gyroscope
        return a.noise_density**2 / self.period, g.noise_density**2 / self.period


class _Triad:
    """Three axes with their errors: m = (1 + s + M) x + b0 + b(t) + n, clipped and quantized."""

    def __init__(self, errors: InertialErrors, period: float, seed: int, name: str, quantity: str) -> None:
        self._errors = errors
        self._noise = (seed, name, f'{quantity}/white')
        self._density = errors.noise_density / np.sqrt(period)
        once = white(seed, name, f'{quantity}/once', 0, 12, 1)[:, 0]
        self._offset = errors.turn_on_bias_stddev * once[:3]
        self._gain = np.diag(1.0 + errors.scale_factor_stddev * once[3:6])
        self._gain[[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]] = errors.misalignment_stddev_rad * once[6:12]
        key = stream_key(seed, name, f'{quantity}/bias')
        self._drift = Drift(key, 3, period, errors.bias_stddev, errors.bias_correlation_time_s, errors.random_walk)

    def measured(self, first: int, true: Floats) -> Floats:
        count = len(true)
        out: Floats = true @ self._gain.T + self._offset + self._drift.run(first, count)
        if self._density > 0.0:
            out += self._density * white(*self._noise, first, count, 3)
        errors = self._errors
        if errors.full_scale_range is not None:
            out = np.clip(out, -errors.full_scale_range, errors.full_scale_range)
            if errors.resolution_bits is not None:
                step = 2.0 * errors.full_scale_range / 2**errors.resolution_bits
                out = np.round(out / step) * step
        return out
