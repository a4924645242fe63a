# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of an inertial measurement unit's YAML file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regolith_files.section import Seconds, Section


class InertialErrors(Section):
    """Errors of three like axes; the unit is m/s^2 or rad/s."""

    noise_density: float = Field(0.0, ge=0.0, description='N: density of the white noise [unit / sqrt(Hz)]')
    bias_stddev: float = Field(0.0, ge=0.0, description='standard deviation of the Gauss-Markov bias [unit]')
    bias_correlation_time_s: Seconds = Field(100.0, description='its correlation time [s]')
    random_walk: float = Field(0.0, ge=0.0, description='K: random walk of the bias [unit / s / sqrt(Hz)]')
    turn_on_bias_stddev: float = Field(0.0, ge=0.0, description='standard deviation of the bias drawn once [unit]')
    scale_factor_stddev: float = Field(
        0.0, ge=0.0, lt=0.5, description='standard deviation of the relative scale error drawn once'
    )
    misalignment_stddev_rad: float = Field(
        0.0, ge=0.0, lt=0.5, description='the same of the small turns between axes [rad]'
    )
    full_scale_range: float | None = Field(None, gt=0.0, description='largest value [unit]; absent: none')
    resolution_bits: int | None = Field(
        None, ge=2, le=32, description='resolution over plus and minus limit; absent: none'
    )


class ImuConfig(Section):
    """An inertial measurement unit."""

    type: Literal['imu'] = 'imu'
    description: str = ''
    rate_hz: float = Field(100.0, ge=1e-3, le=10000.0, description='samples per second of simulated time')
    gyroscope: InertialErrors = InertialErrors()
    accelerometer: InertialErrors = InertialErrors()
