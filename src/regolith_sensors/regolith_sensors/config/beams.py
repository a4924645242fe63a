# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams of lidars and of single-photon sensors, as a part of their YAML files."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files import Section

Floats = NDArray[np.float64]
Divergence = Annotated[float, Field(ge=0.0, le=1.0)]
Range = Annotated[float, Field(le=1e6)]


BYTES_PER_BEAM, BYTES_PER_RAY = 100, 30
"""Memory of a beam and of each of its rays while a sweep is computed [B], measured."""


class BeamConfig(Section):
    """Directions of beams, their divergence, and the cloud of points that they make."""

    columns: int = Field(ge=1, le=20000, description='Number of beams in azimuth.')
    azimuth_deg: tuple[float, float] = Field(
        (-180.0, 180.0), description='First and last azimuth, counterclockwise [deg].'
    )
    rings: int | None = Field(
        None, ge=1, le=1024, description='Number of beams in elevation, evenly spaced over elevation_deg.'
    )
    elevation_deg: tuple[float, float] = Field(
        (-15.0, 15.0), description='Elevation of the lowest and the highest beam [deg].'
    )
    elevations_deg: tuple[float, ...] | None = Field(
        None, description='Elevation of every ring, instead of rings and elevation_deg [deg].'
    )
    flash: bool = Field(
        False, description='Whether all beams are at one time; otherwise column by column over the period.'
    )
    rate_hz: float = Field(10.0, ge=1e-3, le=1000.0, description='Sweep rate in simulated time [Hz].')
    range_m: tuple[Range, Range] = Field((0.5, 100.0), description='Minimum and maximum range [m].')
    divergence_rad: tuple[Divergence, Divergence] = Field(
        (0.0, 0.0), description='Full beam divergence, horizontal and vertical [rad].'
    )
    sample_radius: int = Field(1, ge=1, le=6, description='Sample radius r: a beam has 2 r - 1 sub-rays per axis.')
    beam: Literal['elliptical', 'rectangular'] = Field(
        'elliptical', description='Shape of the cross section of a beam, whose axes are divergence_rad.'
    )
    profile: Literal['uniform', 'gaussian'] = Field(
        'uniform', description='Light over the cross section; gaussian: exp(-2) at its edge, relative to the center.'
    )
    organized: bool = Field(
        False, description='Whether the cloud is an image of rings by columns, including beams without a return.'
    )
    fields: Literal['velodyne', 'ouster', 'xyzi'] = Field(
        'velodyne',
        description='Fields of the points: layout of the drivers of these makers, or position and intensity only '
        '(xyzi). A'
        ' flash lidar has no field for the time of a point.',
    )

    @model_validator(mode='after')
    def _consistent(self) -> BeamConfig:
        if self.rings is None and self.elevations_deg is None:
            raise ValueError('rings = None: is missing; allowed: either rings or elevations_deg')
        if self.rings is not None and self.elevations_deg is not None:
            raise ValueError(
                f'rings = {self.rings!r}: excludes elevations_deg; allowed: either rings or elevations_deg'
            )
        if self.elevations_deg is not None and len(self.elevations_deg) == 0:
            raise ValueError('elevations_deg = (): is empty; allowed: one number or more')
        if not 0.0 <= self.range_m[0] < self.range_m[1]:
            raise ValueError(f'range_m = {list(self.range_m)!r}: is not increasing; allowed: 0 <= minimum < maximum')
        if not 0.0 < self.azimuth_deg[1] - self.azimuth_deg[0] <= 360.0:
            raise ValueError(
                f'azimuth_deg = {list(self.azimuth_deg)!r}: is not a sector; allowed: increasing, up to 360 degrees'
            )
        low, high = self.elevation_deg
        if low > high or (low == high and (self.rings or 1) > 1):
            raise ValueError(
                f'elevation_deg = {list(self.elevation_deg)!r}: is not increasing; allowed: lowest and highest '
                'elevation; elevations_deg lists rings in any order'
            )
        if any(abs(e) > 90.0 for e in (*self.elevation_deg, *(self.elevations_deg or ()))):
            raise ValueError(f'elevation_deg = {list(self.elevation_deg)!r}: is beyond the zenith; allowed: -90 to 90')
        return self

    @property
    def elevations(self) -> Floats:
        """Elevation of every ring [rad], shape (rings,)."""
        if self.elevations_deg is not None:
            given: Floats = np.radians(np.array(self.elevations_deg, dtype=np.float64))
            return given
        assert self.rings is not None
        low, high = np.deg2rad(self.elevation_deg)
        return np.linspace(low, high, self.rings) if self.rings > 1 else np.array([0.5 * (low + high)])

    @property
    def beams(self) -> int:
        """Number of beams of a sweep."""
        return self.columns * (len(self.elevations_deg) if self.elevations_deg is not None else self.rings or 0)

    @property
    def frame_bytes(self) -> int:
        """Memory that a sweep takes [B]."""
        return self.beams * (BYTES_PER_BEAM + BYTES_PER_RAY * (2 * self.sample_radius - 1) ** 2)

    @property
    def azimuths(self) -> Floats:
        """Azimuth of every column [rad]; a full turn does not repeat the first one at its end."""
        first, last = (math.radians(edge) for edge in self.azimuth_deg)
        full = self.azimuth_deg[1] - self.azimuth_deg[0] == 360.0
        steps = self.columns if full else max(self.columns - 1, 1)
        out: Floats = first + (last - first) * np.arange(self.columns) / steps
        return out
