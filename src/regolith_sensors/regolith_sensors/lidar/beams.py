# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams of a lidar or a single-photon sensor, and the echoes of their sub-rays in exact backscatter.

An echo of a sub-ray at range R has the intensity w pi r (R_ref / R)^2 exp(-2 tau) with the reflectance r at phase angle
0. A white Lambert target at R_ref = 10 m and normal incidence gives 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Floats, Singles
from regolith_sensors.config.beams import BeamConfig
from regolith_sensors.dust.density import CELLS_M
from regolith_sensors.dust.optics import DustEchoes, DustOptics, LidarRays, dust_echoes
from regolith_sensors.rays.backend import RayBackend

Poses = Callable[[Floats], tuple[Floats, Floats]]
"""Function from fractions of the sweep (m,) to positions (m, 3) [m] and rotations (m, 3, 3), sensor to world."""

REFERENCE_RANGE = 10.0
"""Range of the target to which intensities refer [m]."""


class Echoes(NamedTuple):
    """Echoes of all sub-rays, shape (columns, rings, subs) each."""

    distance: Singles
    """Range [m]."""
    intensity: Singles
    objects: NDArray[np.uint16]
    """Object hit."""
    dust: DustEchoes | None
    """Echoes of dust; None: there is none."""


class Beams:
    """Directions and weights of the sub-rays of all beams."""

    def __init__(self, config: BeamConfig) -> None:
        """Make the beams of a configuration."""
        self.config = config
        offsets, self._weights = beam_offsets(config)
        azimuth = config.azimuths[:, None, None] + offsets[None, None, :, 0]
        elevation = config.elevations[None, :, None] + offsets[None, None, :, 1]
        azimuth, elevation = np.broadcast_arrays(azimuth, elevation)
        self.directions = np.ascontiguousarray(beam_directions(azimuth, elevation).reshape(-1, 3), dtype=np.float32)
        """Unit vectors of the sub-rays in the sensor frame, shape (n, 3)."""
        columns, rings, subs = config.columns, len(config.elevations), len(offsets)
        groups = np.zeros(columns) if config.flash else np.arange(columns)
        self.groups = np.repeat(groups.astype(np.int32), rings * subs)
        """Pose of each sub-ray, shape (n,)."""
        self.shape = (columns, rings, subs)
        """Numbers of columns, of rings, and of sub-rays of a beam."""
        self.spread = max(*config.divergence_rad, 1e-4) / (2 * config.sample_radius - 1)
        """Width of a sub-ray, its part of the beam [rad]."""

    def echoes(
        self,
        scene: RayBackend,
        origin: Floats,
        poses: Poses,
        range_falloff: bool = True,
        dust: DustOptics | None = None,
        bin_m: float = CELLS_M[0],
        by_beam: bool = False,
    ) -> Echoes:
        """Return the echoes of all sub-rays. Without a hit the range is +inf and the intensity 0.

        Args:
            scene: Committed scene.
            origin: Origin of its coordinates in the world frame [m], shape (3,).
            poses: Poses of the sensor during the sweep.
            range_falloff: Whether intensities decrease as 1 / R^2.
            dust: Dust in the air; None: there is none.
            bin_m: Width of the range bins of dust [m].
            by_beam: Whether the range bins of the beams are wanted.
        """
        config = self.config
        moments = np.zeros(1) if config.flash else np.arange(config.columns) / config.columns
        positions, rotations = poses(moments)
        places = np.ascontiguousarray(positions - origin, dtype=np.float32)
        turns = np.ascontiguousarray(rotations, dtype=np.float32)
        distance, back, objects = scene.cast(
            self.directions, self.groups, places, turns, config.range_m[1], self.spread
        )
        echo = echo_intensity(distance, back, range_falloff)
        weights, thrown = self._weights.astype(np.float32), None
        if dust is not None:
            rays = LidarRays(self.directions, self.groups, places, turns, distance, self.shape[2])
            reference = REFERENCE_RANGE if range_falloff else 0.0
            thrown = dust_echoes(dust, rays, config.range_m, bin_m, reference, by_beam)
            echo *= thrown.transmission
        weighted = echo.reshape(self.shape) * weights
        return Echoes(distance.reshape(self.shape), weighted, objects.reshape(self.shape), thrown)

    def with_dust(self, echoes: Echoes) -> tuple[Singles, Singles]:
        """Return ranges [m] and intensities of surfaces and of the densest dust, shape (columns, rings, subs) or twice.

        The intensities of twice as many echoes are twice as large, so that their sum over a beam's number of echoes
        stays the same.
        """
        if echoes.dust is None:
            return echoes.distance, echoes.intensity
        dust = echoes.dust
        weighted = dust.intensity.reshape(self.shape) * self._weights.astype(np.float32)
        ranges = np.concatenate([echoes.distance, dust.range.reshape(self.shape)], axis=2)
        return ranges, np.float32(2.0) * np.concatenate([echoes.intensity, weighted], axis=2)


def beam_offsets(config: BeamConfig) -> tuple[Floats, Floats]:
    """Return (azimuth, elevation) of the sub-rays from the beam axis [rad], shape (n, 2), and weights of mean 1.

    There are d = 2 r - 1 per axis at ((k + 1/2) 2 / d - 1) / 2 of the full angle. An elliptical beam maps the rings of
    the square onto circles at the same angles. A Gaussian profile is exp(-2 rho^2) with rho in half divergences: 1 /
    e^2 at the edge.

    Source: chrono; siegman1986.
    Checked by: test_lidar.py::test_beam_profiles.
    """
    d = 2 * config.sample_radius - 1
    line = (np.arange(d) + 0.5) / d * 2.0 - 1.0
    x, y = (a.ravel() for a in np.meshgrid(line, line))
    if config.beam == 'elliptical':
        ring, radius = np.maximum(np.abs(x), np.abs(y)), np.hypot(x, y)
        scale = np.where(radius > 0.0, ring / np.maximum(radius, 1e-300), 1.0)
        x, y = x * scale, y * scale
    weights = np.exp(-2.0 * (x * x + y * y)) if config.profile == 'gaussian' else np.ones(len(x))
    half = 0.5 * np.array(config.divergence_rad)
    return np.stack([x * half[0], y * half[1]], axis=1), weights / weights.mean()


def echo_intensity(distance: Singles, back: Singles, range_falloff: bool) -> Singles:
    """Return the intensity of echoes of full sub-rays; 0 without a hit.

    Args:
        distance: Range R [m].
        back: Reflectance r at phase angle 0 [1/sr].
        range_falloff: Whether intensities decrease as 1 / R^2.

    Source: wagner2010.
    Checked by: test_lidar.py::test_intensity_against_range_and_dust, test_lidar.py::test_intensity_against_incidence.
    """
    fall = (REFERENCE_RANGE / np.maximum(distance, 1e-3)) ** 2 if range_falloff else np.ones_like(distance)
    out: Singles = np.where(np.isfinite(distance), np.pi * back * fall, 0.0).astype(np.float32)
    return out


def beam_directions(azimuth: Floats, elevation: Floats) -> Floats:
    """Return unit vectors (x ahead, y left, z up), shape (..., 3)."""
    flat = np.cos(elevation)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=-1)
