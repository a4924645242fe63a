# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of an IMU's YAML file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regolith_files import Seconds, Section


class InertialErrors(Section):
    """Errors of three axes of one kind; the unit is m/s^2 or rad/s."""

    noise_density: float = Field(
        0.0, ge=0.0, le=1e6, description='Noise density N of the white noise [unit / sqrt(Hz)].'
    )
    bias_stddev: float = Field(0.0, ge=0.0, le=1e6, description='Standard deviation of the Gauss-Markov bias [unit].')
    bias_correlation_time_s: Seconds = Field(100.0, description='Correlation time of the Gauss-Markov bias [s].')
    random_walk: float = Field(0.0, ge=0.0, le=1e6, description='Random walk K of the bias [unit / s / sqrt(Hz)].')
    turn_on_bias_stddev: float = Field(
        0.0, ge=0.0, le=1e6, description='Standard deviation of the constant bias, drawn once per run [unit].'
    )
    scale_factor_stddev: float = Field(
        0.0,
        ge=0.0,
        lt=0.5,
        description='Standard deviation of the relative scale factor error, drawn once per run [-].',
    )
    misalignment_stddev_rad: float = Field(
        0.0,
        ge=0.0,
        lt=0.5,
        description='Standard deviation of the misalignment angles between axes, drawn once per run [rad].',
    )
    full_scale_range: float | None = Field(
        None, gt=0.0, le=1e6, description='Full-scale range: maximum absolute value [unit]; null: no limit.'
    )
    resolution_bits: int | None = Field(
        None,
        ge=2,
        le=32,
        description='Resolution over the positive and negative full-scale range [bits]; null: no quantization.',
    )


class ImuConfig(Section):
    """An inertial measurement unit (IMU)."""

    type: Literal['imu'] = 'imu'
    description: str = Field('', description='One line about the IMU.')
    rate_hz: float = Field(100.0, ge=1e-3, le=10000.0, description='Sample rate in simulated time [Hz].')
    gyroscope: InertialErrors = InertialErrors()
    accelerometer: InertialErrors = InertialErrors()
