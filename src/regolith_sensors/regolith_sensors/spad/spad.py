# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Model of a SPAD sensor: photons of laser echoes and of sunlight, counts over the time of flight, estimated ranges.

Photons of an echo per pulse: those of the transmitted pulse times the share that a Lambert target sends into the
aperture, N = E lambda / (h c) eta rho D^2 / (4 R^2), with the reflectance in exact backscatter in place of rho.
Sunlight: L A Omega of the pixel within the filter, with the radiance L of the rendered scene.

Simplifications: one bounce; no crosstalk between pixels; sunlight has the radiance of the nearest band of 100 nm,
scaled as a black body of 5772 K; in a scanning frame it is that of the pose in the middle of the frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from regolith_sensors.arrays import Floats, Singles
from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.dust.density import CELLS_M
from regolith_sensors.dust.optics import DustOptics
from regolith_sensors.lidar.beams import REFERENCE_RANGE, Beams, Poses, beam_directions
from regolith_sensors.lidar.sweep import RETURN_TYPES, Scan
from regolith_sensors.light import BAND_WAVELENGTHS, LIGHT_SPEED, PLANCK
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.image import sample_streams
from regolith_sensors.spad.photon_counts import FWHM, Counts, add_pulses, draw_counts, estimated_rate, find_peaks
from regolith_world.numerics import kernel
from regolith_world.random import generator

SATURATED = 0.98
"""Share of counted pulses beyond which a pixel is saturated."""
_BAND_M = 100e-9
_SUN_K = 5772.0
_OPTICAL = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
"""From the sensor frame (x ahead, y left, z up) to an optical frame (x right, y down, z ahead)."""


@dataclass(frozen=True)
class PhotonFrame:
    """One frame of a SPAD sensor."""

    counts: Counts
    """Counts, shape (columns, rings, bins)."""
    saturated_share: float
    """Share of the pixels with counts in over SATURATED of the pulses, in which Coates' estimate is unreliable."""
    scan: Scan
    """Estimated points; their intensity is that of a lidar, from the mean number of signal counts per pulse."""


class Spad:
    """A SPAD sensor.

    Tests: test_spad.py.
    """

    def __init__(self, config: SpadConfig, seed: int, name: str) -> None:
        """Make the sensor.

        Args:
            config: Model of the sensor.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config, self.seed, self.name = config, seed, name
        self.beams = Beams(config)
        width = math.hypot(config.laser.pulse_fwhm_s, config.detector.jitter_fwhm_s)
        self.sigma_s = width / FWHM
        """Standard deviation of pulse and timing jitter [s]."""
        azimuth, elevation = np.broadcast_arrays(config.azimuths[:, None], config.elevations[None, :])
        self._axes = beam_directions(azimuth, elevation)
        dead = math.ceil(config.detector.dead_time_s / config.bin_s)
        self.dead_bins = config.bins if config.detector.counting == 'synchronous' else min(dead, config.bins)
        """Number of bins without a count after a count."""

    def warm_up(self) -> None:
        """Compile the kernels."""
        one, places = np.ones((1, 1)), np.zeros(1)
        _add_all(one, one, self.sigma_s, 0.0, 1.0, np.zeros((1, 4), dtype=np.float32))
        find_peaks(one, one, 1, 5.0, 1, places, places.copy())

    @property
    def photons_per_echo(self) -> float:
        """Mean number of counts per pulse for an echo of intensity 1: a white target at 10 m.

        Source: rapp2017.
        Checked by: test_spad.py::test_photons_of_a_white_target_are_those_of_the_lidar_equation.
        """
        config, laser = self.config, self.config.laser
        columns, rings, _ = self.beams.shape
        energy = laser.pulse_energy_j / (columns * rings if config.flash else 1)
        sent = energy * laser.wavelength_nm * 1e-9 / (PLANCK * LIGHT_SPEED)
        caught = laser.aperture_m**2 / (4.0 * REFERENCE_RANGE**2)
        return sent * caught * laser.efficiency * config.detector.detection_probability

    def background_per_bin(self, radiance: Floats) -> Floats:
        """Return the mean number of counts per bin of light from the scene, in any shape.

        Args:
            radiance: Radiance of the scene in the bands [W/m^2/sr], shape (..., 3).

        Source: rapp2017.
        Checked by: test_spad.py::test_sunlight_gives_the_counts_of_its_radiance.
        """
        config, laser = self.config, self.config.laser
        wavelength = laser.wavelength_nm * 1e-9
        band = int(np.argmin(np.abs(np.array(BAND_WAVELENGTHS) - wavelength)))
        ratio = _black_body(wavelength) / _black_body(BAND_WAVELENGTHS[band])
        spectral = radiance[..., band] / _BAND_M * ratio
        area = 0.25 * math.pi * laser.aperture_m**2
        field = config.divergence_rad[0] * config.divergence_rad[1]
        if config.beam == 'elliptical':
            field *= 0.25 * math.pi
        power = spectral * area * field * laser.filter_width_nm * 1e-9 * laser.efficiency
        rate = power * wavelength / (PLANCK * LIGHT_SPEED) * config.detector.detection_probability
        found: Floats = rate * config.bin_s
        return found

    def frame(
        self,
        scene: RayBackend,
        origin: Floats,
        poses: Poses,
        light: Lights,
        number: int = 0,
        dust: DustOptics | None = None,
        through: float = 1.0,
    ) -> PhotonFrame:
        """Return a frame.

        Args:
            scene: Committed scene.
            origin: Origin of its coordinates in the world frame [m], shape (3,).
            poses: Poses of the sensor during the frame.
            light: Sun and lamps.
            number: Index of the frame, which selects its noise.
            dust: Dust in the air, which sends early photons; None: there is none.
            through: Transmission of the lens.

        Source: coates1968; rapp2017.
        Checked by: test_spad.py::test_frame_of_a_wall_has_its_range_and_repeats_bit_for_bit.
        """
        config, detector = self.config, self.config.detector
        bin_m = max(0.5 * LIGHT_SPEED * config.bin_s, CELLS_M[0])
        distance, echo, objects, thrown = self.beams.echoes(scene, origin, poses, True, dust, bin_m, by_beam=True)
        columns, rings, subs = self.beams.shape
        dark = detector.dark_count_hz * config.bin_s
        light_counts = self.background_per_bin(self._radiance(scene, origin, poses, light, number)) * through
        rate = np.empty((columns * rings, config.bins), dtype=np.float32)
        rate[:] = (light_counts.reshape(-1, 1) + dark).astype(np.float32)
        flat = distance.reshape(-1, subs).astype(np.float64)
        photons = echo.reshape(-1, subs) * (self.photons_per_echo / subs * through**2)
        if thrown is not None and thrown.of_beams.size:
            flat = np.concatenate([flat, np.broadcast_to(thrown.ranges(bin_m), thrown.of_beams.shape)], axis=1)
            early = thrown.of_beams * (self.photons_per_echo / subs * through**2)
            photons = np.concatenate([photons, early], axis=1)
        _add_all(2.0 * flat / LIGHT_SPEED, photons.astype(np.float64), self.sigma_s, config.start_s, config.bin_s, rate)
        random = generator(self.seed, self.name, 'photons', number)
        bins = detector.afterpulse_time_s / config.bin_s
        counts = draw_counts(rate, config.pulses, self.dead_bins, random, detector.afterpulse_probability, bins)
        synchronous = self.dead_bins == config.bins
        saturated = float(np.mean(counts.sum(axis=1) > SATURATED * config.pulses)) if synchronous else 0.0
        scan = self._scan(counts, objects[:, :, subs // 2])
        return PhotonFrame(counts.reshape(columns, rings, -1), saturated, scan)

    def _radiance(self, scene: RayBackend, origin: Floats, poses: Poses, light: Lights, number: int) -> Floats:
        """Return the radiance of the scene in the bands [W/m^2/sr], shape (columns, rings, 3)."""
        positions, rotations = poses(np.array([0.0 if self.config.flash else 0.5]))
        rays = (self._axes @ _OPTICAL.T).astype(np.float32)
        view = CameraRays(
            np.ascontiguousarray(rays),
            np.ascontiguousarray(rotations[0] @ _OPTICAL.T, dtype=np.float32),
            (positions[0] - origin).astype(np.float32),
            min(self.config.divergence_rad),
        )
        streams = sample_streams(self.seed, f'{self.name}/sun', number)
        return scene.render(view, light, streams).radiance.astype(np.float64)

    def _scan(self, counts: Counts, objects: np.ndarray) -> Scan:
        """Return the points that counts give."""
        config = self.config
        columns, rings, _ = self.beams.shape
        estimate, ready = estimated_rate(counts, config.pulses, self.dead_bins)
        place, signal = np.empty(len(counts)), np.empty(len(counts))
        half = max(1, round(2.0 * self.sigma_s / config.bin_s))
        find_peaks(estimate, ready, half, config.least_significance, config.pulses, place, signal)
        reach = 0.5 * LIGHT_SPEED * (config.start_s + place * config.bin_s)
        reach[np.isnan(place) | (reach > config.range_m[1])] = np.inf
        reach[reach < config.range_m[0]] = -np.inf
        there = np.isfinite(reach)
        points = self._axes.reshape(-1, 3) * np.where(there, reach, np.nan)[:, None]
        shape = (1, columns, rings)
        period = 0.0 if config.flash else 1.0 / config.rate_hz
        times = np.broadcast_to((np.arange(columns) * (period / columns))[None, :, None], shape)
        return Scan(
            points.reshape(*shape, 3).astype(np.float32),
            reach.reshape(shape).astype(np.float32),
            np.where(there, signal / self.photons_per_echo, 0.0).reshape(shape).astype(np.float32),
            np.ascontiguousarray(np.broadcast_to(np.arange(rings, dtype=np.uint16), shape)),
            times.astype(np.float32),
            np.full(shape, RETURN_TYPES['strongest'], dtype=np.uint8),
            np.ascontiguousarray(objects.reshape(shape)),
        )


@kernel
def _add_all(time: Floats, photons: Floats, sigma: float, start: float, width: float, rate: Singles) -> None:
    """Add the echoes of all pixels, shape (pixels, sub-rays), to their rates, shape (pixels, bins)."""
    for n in range(rate.shape[0]):
        add_pulses(time[n], photons[n], sigma, start, width, rate[n])


def _black_body(wavelength: float) -> float:
    """Return the spectral radiance of a black body of the sun's temperature, in arbitrary units."""
    second = PLANCK * LIGHT_SPEED / (wavelength * 1.380649e-23 * _SUN_K)
    return wavelength**-5 / math.expm1(second)
