# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of the YAML file of a single-photon avalanche diode (SPAD) sensor."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from regolith_files import Section
from regolith_sensors.config.beams import BeamConfig
from regolith_sensors.light import LIGHT_SPEED

FEWEST_BINS = 8
"""Smallest number of bins of a pixel: the background is the median of the bins."""
MOST_DIVERGENCE_RAD = 0.5
"""Largest field of view of a pixel [rad]."""
MOST_COUNTS = 40_000_000
"""Largest number of bins of a frame, over all pixels."""
MANY_PIXELS = 100_000
"""Number of pixels above which they, not the bins, are too many in a message."""
BYTES_PER_COUNT = 50
"""Memory of a bin while a frame is computed [B], measured."""


class LaserConfig(Section):
    """Laser and optics of a SPAD sensor."""

    wavelength_nm: float = Field(532.0, ge=200.0, le=2000.0, description='Wavelength [nm].')
    pulse_energy_j: float = Field(
        2e-11, gt=0.0, le=10.0, description='Energy of a pulse; a flash divides it among all beams [J].'
    )
    pulse_fwhm_s: float = Field(
        200e-12, ge=0.0, le=1e-6, description='Full width at half maximum of the pulse, which is Gaussian [s].'
    )
    aperture_m: float = Field(0.01, gt=0.0, le=10.0, description='Diameter of the aperture of the receiver [m].')
    efficiency: float = Field(0.5, gt=0.0, le=1.0, description='Transmission of transmitter and receiver together.')
    filter_width_nm: float = Field(1.0, gt=0.0, le=500.0, description='Width of the band-pass filter [nm].')


class DetectorConfig(Section):
    """Detectors of a SPAD sensor, one per pixel."""

    counting: Literal['synchronous', 'free_running'] = Field(
        'synchronous',
        description='synchronous: at most one count per pulse; free_running: the next one after dead_time_s.',
    )
    detection_probability: float = Field(0.25, gt=0.0, le=1.0, description='Probability of a count per photon.')
    dark_count_hz: float = Field(500.0, ge=0.0, le=1e9, description='Rate of counts without light [Hz].')
    jitter_fwhm_s: float = Field(
        120e-12, ge=0.0, le=1e-6, description='Full width at half maximum of the timing jitter, which is Gaussian [s].'
    )
    dead_time_s: float = Field(50e-9, ge=0.0, le=1.0, description='Time without counts after a count [s].')
    afterpulse_probability: float = Field(
        0.01, ge=0.0, lt=0.5, description='Probability of a further count after dead_time_s of a count.'
    )
    afterpulse_time_s: float = Field(30e-9, gt=0.0, le=1.0, description='Mean delay of it after dead_time_s [s].')


class SpadConfig(BeamConfig):
    """A SPAD sensor: photon counts over the time of flight, and a cloud of points."""

    type: Literal['spad'] = 'spad'
    description: str = Field('', description='One line about the sensor.')
    divergence_rad: tuple[float, float] = Field(
        description=f'Full field of view of a pixel, horizontal and vertical, up to {MOST_DIVERGENCE_RAD:g} [rad].'
    )
    pulses: int = Field(10_000, ge=1, le=65_535, description='Number of laser pulses per frame.')
    bin_s: float = Field(100e-12, ge=1e-12, le=1e-6, description='Width of a time bin [s].')
    gate_m: tuple[float, float] | None = Field(
        None, description='Range window in which the detectors are on [m]; null: from range 0 to the maximum range.'
    )
    least_significance: float = Field(
        5.0, ge=0.0, description='Least signal over the standard deviation of the background for a point.'
    )
    laser: LaserConfig = LaserConfig()
    detector: DetectorConfig = DetectorConfig()

    @model_validator(mode='after')
    def _countable(self) -> SpadConfig:
        near, far = self.gate
        if not 0.0 <= near < far:
            raise ValueError(f'gate_m = {[near, far]!r}: is not increasing; allowed: 0 <= minimum < maximum')
        if far > self.range_m[1]:
            raise ValueError(f'gate_m = {[near, far]!r}: ends beyond range_m; allowed: up to {self.range_m[1]:g} m')
        if not 0.0 < min(self.divergence_rad) <= max(self.divergence_rad) <= MOST_DIVERGENCE_RAD:
            raise ValueError(
                f'divergence_rad = {list(self.divergence_rad)!r}: is the field of view of a pixel; '
                f'allowed: above 0, up to {MOST_DIVERGENCE_RAD:g}'
            )
        if self.bins < FEWEST_BINS:
            raise ValueError(f'bin_s = {self.bin_s!r}: makes {self.bins} bins; allowed: at least {FEWEST_BINS}')
        if self.beams * self.bins > MOST_COUNTS:
            # The key that makes the counts: many pixels, else a key of the bins that the file has.
            bins = next((key for key in ('bin_s', 'gate_m', 'range_m') if key in self.model_fields_set), 'bin_s')
            blamed = 'columns' if self.beams > MANY_PIXELS else bins
            value = getattr(self, blamed)
            raise ValueError(
                f'{blamed} = {list(value) if isinstance(value, tuple) else value!r}: {self.beams} pixels with '
                f'{self.bins} bins make {self.beams * self.bins} counts; allowed: {MOST_COUNTS}; fix: longer bins, a '
                'gate_m, or fewer pixels'
            )
        return self

    @property
    def gate(self) -> tuple[float, float]:
        """Range window in which the detectors are on [m]."""
        return (0.0, self.range_m[1]) if self.gate_m is None else self.gate_m

    @property
    def frame_s(self) -> dict[str, float]:
        """Time that a frame takes, by the key that states it [s]: pulses follow when the gate has ended."""
        shots = self.pulses * (1 if self.flash else self.columns)
        return {'pulses': shots * 2.0 * self.gate[1] / LIGHT_SPEED}

    @property
    def frame_bytes(self) -> int:
        """Memory that a frame takes [B]."""
        return super().frame_bytes + BYTES_PER_COUNT * self.beams * self.bins

    @property
    def start_s(self) -> float:
        """Time of flight at the start of the first bin [s]."""
        return 2.0 * self.gate[0] / LIGHT_SPEED

    @property
    def bins(self) -> int:
        """Number of time bins."""
        near, far = self.gate
        return max(1, math.ceil(2.0 * (far - near) / LIGHT_SPEED / self.bin_s - 1e-9))
