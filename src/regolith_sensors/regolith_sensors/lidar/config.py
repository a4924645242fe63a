# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a lidar's YAML file, apart from the kernels, so that a scenario is checked without loading them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files.section import Section

Floats = NDArray[np.float64]


class LidarNoise(Section):
    """Gaussian noise; ranges are less certain where the echo is weak."""

    range_stddev_m: float = Field(0.0, ge=0.0, description='s0: standard deviation of strong echoes [m]')
    range_weak_stddev_m: float = Field(0.0, ge=0.0, description='s1: added over the signal-to-noise ratio [m]')
    reference_intensity: float = Field(1e-4, gt=0.0, description='intensity at which that ratio is 1')
    angle_stddev_rad: float = Field(0.0, ge=0.0, description='of azimuth and elevation [rad]')
    intensity_stddev: float = Field(0.0, ge=0.0, description='of the intensity')


class LidarConfig(Section):
    """A lidar."""

    type: Literal['lidar'] = 'lidar'
    description: str = ''
    columns: int = Field(ge=1, le=20000, description='beams across')
    azimuth_deg: tuple[float, float] = Field((-180.0, 180.0), description='first and last edge, anticlockwise [deg]')
    rings: int | None = Field(None, ge=1, le=1024, description='beams up and down, evenly over elevation_deg')
    elevation_deg: tuple[float, float] = Field((-15.0, 15.0), description='lowest and highest beam [deg]')
    elevations_deg: tuple[float, ...] | None = Field(None, description='of every ring, instead of the two above [deg]')
    flash: bool = Field(False, description='all beams at once; otherwise column by column over the period')
    rate_hz: float = Field(10.0, ge=1e-3, le=1000.0, description='sweeps per second of simulated time')
    range_m: tuple[float, float] = Field((0.5, 100.0), description='shortest and longest [m]')
    divergence_rad: tuple[float, float] = Field((0.0, 0.0), description='full angles across and up [rad]')
    sample_radius: int = Field(1, ge=1, le=6, description='r: 2 r - 1 sub-rays per axis')
    beam: Literal['elliptical', 'rectangular'] = 'elliptical'
    profile: Literal['uniform', 'gaussian'] = 'uniform'
    returns: Literal['strongest', 'first', 'last', 'mean', 'dual'] = 'strongest'
    min_echo_separation_m: float = Field(0.05, gt=0.0, description='echoes nearer than this merge [m]')
    threshold: float = Field(1e-4, ge=0.0, description='least intensity of a return')
    organized: bool = Field(False, description='whether the cloud is an image of rings by columns, misses included')
    fields: Literal['velodyne', 'ouster', 'xyzi'] = Field(
        'velodyne',
        description='Fields of the points, as drivers of these makers lay them out, or place and intensity alone; a'
        ' flash lidar has no field for the time of a point.',
    )
    range_falloff: bool = Field(True, description='whether intensities fall as 1 / R^2 (some makers compensate it)')
    noise: LidarNoise = LidarNoise()

    @model_validator(mode='after')
    def _consistent(self) -> LidarConfig:
        if (self.rings is None) == (self.elevations_deg is None):
            raise ValueError(f'rings = {self.rings!r}: not the only one; allowed: either rings or elevations_deg')
        if self.elevations_deg is not None and len(self.elevations_deg) == 0:
            raise ValueError('elevations_deg = (): empty; allowed: one number or more')
        if not 0.0 <= self.range_m[0] < self.range_m[1]:
            raise ValueError(f'range_m = {list(self.range_m)!r}: not increasing; allowed: 0 <= shortest < longest')
        if not 0.0 < self.azimuth_deg[1] - self.azimuth_deg[0] <= 360.0:
            raise ValueError(f'azimuth_deg = {list(self.azimuth_deg)!r}: no sector; allowed: rising, up to 360 degrees')
        if any(abs(e) > 90.0 for e in (*self.elevation_deg, *(self.elevations_deg or ()))):
            raise ValueError(f'elevation_deg = {list(self.elevation_deg)!r}: beyond the zenith; allowed: -90 to 90')
        return self

    @property
    def elevations(self) -> Floats:
        """Return the elevation of every ring [rad], shape (rings,)."""
        if self.elevations_deg is not None:
            given: Floats = np.radians(np.array(self.elevations_deg, dtype=np.float64))
            return given
        assert self.rings is not None
        low, high = np.deg2rad(self.elevation_deg)
        return np.linspace(low, high, self.rings) if self.rings > 1 else np.array([0.5 * (low + high)])

    @property
    def azimuths(self) -> Floats:
        """Return the azimuth of every column [rad]; a full turn does not repeat its first one at the end."""
        first, last = (math.radians(edge) for edge in self.azimuth_deg)
        full = self.azimuth_deg[1] - self.azimuth_deg[0] == 360.0
        steps = self.columns if full else max(self.columns - 1, 1)
        out: Floats = first + (last - first) * np.arange(self.columns) / steps
        return out
