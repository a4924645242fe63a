# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a lidar's YAML file, separate from the kernels, so that a scenario is checked without loading them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regolith_files import Section
from regolith_sensors.config.beams import BeamConfig


class LidarNoise(Section):
    """Gaussian noise of a lidar. Ranges of weak echoes have a larger deviation."""

    range_stddev_m: float = Field(
        0.0, ge=0.0, le=1000.0, description='Standard deviation s0 of the range of strong echoes [m].'
    )
    range_weak_stddev_m: float = Field(
        0.0,
        ge=0.0,
        le=1000.0,
        description='Standard deviation s1 of the range, divided by the signal-to-noise ratio [m].',
    )
    reference_intensity: float = Field(
        1e-4, gt=0.0, le=1e6, description='Intensity at which the signal-to-noise ratio is 1.'
    )
    angle_stddev_rad: float = Field(
        0.0, ge=0.0, le=0.5, description='Standard deviation of azimuth and elevation [rad].'
    )
    intensity_stddev: float = Field(0.0, ge=0.0, le=1e6, description='Standard deviation of the intensity.')


class LidarConfig(BeamConfig):
    """A lidar."""

    type: Literal['lidar'] = 'lidar'
    description: str = Field('', description='One line about the lidar.')
    returns: Literal['strongest', 'first', 'last', 'mean', 'dual'] = Field(
        'strongest',
        description='Echo of a beam that makes a point; mean: of all, weighted by intensity; dual: two points, of '
        'the strongest and the last one.',
    )
    min_echo_separation_m: float = Field(
        0.05, gt=0.0, le=1000.0, description='Range difference below which echoes merge [m].'
    )
    threshold: float = Field(1e-4, ge=0.0, le=1e6, description='Minimum intensity of a return.')
    range_falloff: bool = Field(
        True, description='Whether intensities decrease as 1 / R^2 (some makers compensate for it).'
    )
    noise: LidarNoise = LidarNoise()
