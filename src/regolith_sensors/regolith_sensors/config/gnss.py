# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a GNSS receiver's YAML file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regolith_files import Seconds, Section


class GnssConfig(Section):
    """A satellite navigation (GNSS) receiver."""

    type: Literal['gnss'] = 'gnss'
    description: str = Field('', description='One line about the receiver.')
    rate_hz: float = Field(1.0, ge=1e-3, le=100.0, description='Rate of fixes in simulated time [Hz].')
    body: Literal['moon', 'earth'] = Field(
        'moon', description='Celestial body of its positions: sphere of the Moon or ellipsoid of the Earth.'
    )
    latitude_deg: float | None = Field(
        None,
        ge=-90.0,
        le=90.0,
        description="Latitude of the world's origin [deg]; null: that of terrain.site or of the elevation model.",
    )
    longitude_deg: float | None = Field(
        None, ge=-180.0, le=180.0, description="Longitude of the world's origin [deg]; null: as for the latitude."
    )
    altitude_m: float | None = Field(
        None,
        ge=-20_000.0,
        le=1e7,
        description="Height of the world's origin [m]; null: that of terrain.site or of the model at its center.",
    )
    north_deg: float | None = Field(
        None,
        ge=-360.0,
        le=360.0,
        description='Bearing of +y of the world, clockwise from true north [deg]; null: that of the elevation model.',
    )
    noise_horizontal_m: float = Field(
        0.5, ge=0.0, le=1e5, description='Standard deviation of the white noise per horizontal axis [m].'
    )
    noise_vertical_m: float = Field(
        1.0, ge=0.0, le=1e5, description='Standard deviation of the vertical white noise [m].'
    )
    drift_horizontal_m: float = Field(
        1.5, ge=0.0, le=1e5, description='Standard deviation of the slow error per horizontal axis [m].'
    )
    drift_vertical_m: float = Field(
        3.0, ge=0.0, le=1e5, description='Standard deviation of the slow vertical error [m].'
    )
    drift_correlation_time_s: Seconds = Field(300.0, description='Correlation time of the slow error [s].')
