# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lidar model: beams with divergence, echoes in exact backscatter, return modes, noise, motion during the sweep.

An echo of a sub-ray at range R has the intensity w pi r (R_ref / R)^2 exp(-2 tau) with the reflectance r at phase angle
0. A white Lambert target at R_ref = 10 m and normal incidence gives 1. Dust gives an echo of its densest range bin for
each sub-ray. Echoes closer to each other than the range
resolution merge. Simplifications: one bounce, no crosstalk, no saturation, no sunlight in the receiver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Floats, Singles
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.dust.optics import DustOptics
from regolith_sensors.lidar.beams import Beams, Poses, beam_directions
from regolith_sensors.noise import normals
from regolith_sensors.rays.backend import RayBackend
from regolith_world.numerics import kernel
from regolith_world.random import stream_key

_LEAST = 1e-6
RETURN_TYPES = {'strongest': 1, 'last': 2, 'first': 3, 'mean': 4}
"""Values of the ``return_type`` field; a dual return gives 1 and 2."""


@dataclass(frozen=True)
class Scan:
    """One sweep: arrays of shape (returns, columns, rings), with returns = 2 for dual returns."""

    points: Singles
    """(x, y, z) in the sensor frame at the time of each beam [m], NaN without a return; one axis more."""
    range: Singles
    """Range [m]; +inf: no return, -inf: too near (REP 117)."""
    intensity: Singles
    """Intensity; 1: a white target at 10 m."""
    ring: NDArray[np.uint16]
    time: Singles
    """Time since the start of the sweep [s]."""
    return_type: NDArray[np.uint8]
    """Type of return, see RETURN_TYPES."""
    object_id: NDArray[np.uint16]
    """Object hit by the middle sub-ray (ground truth)."""


class Lidar:
    """A lidar.

    Ranges have the deviation sqrt(s0^2 + s1^2 I_noise / I), azimuth, elevation and intensity a constant one: Regolith's
    own.
    Tests: test_lidar.py.
    """

    def __init__(self, config: LidarConfig, seed: int, name: str) -> None:
        """Make the lidar.

        Args:
            config: Model of the lidar.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config = config
        self.seed = seed
        self.name = name
        self.beams = Beams(config)

    def scan(
        self,
        scene: RayBackend,
        origin: Floats,
        poses: Poses,
        frame: int = 0,
        dust: DustOptics | None = None,
        through: float = 1.0,
    ) -> Scan:
        """Return a sweep.

        Args:
            scene: Committed scene.
            origin: Origin of its coordinates in the world frame [m], shape (3,).
            poses: Poses of the sensor during the sweep.
            frame: Index of the sweep, which selects its noise.
            dust: Dust in the air; None: there is none.
            through: Transmission of the lens, which the light passes twice.

        Source: wagner2010.
        Checked by: test_lidar.py::test_intensity_against_range_and_dust, test_lidar.py::test_sweep_in_motion.
        """
        config = self.config
        columns, rings, _ = self.beams.shape
        echoes = self.beams.echoes(scene, origin, poses, config.range_falloff, dust, config.min_echo_separation_m)
        distance, echo = self.beams.with_dust(echoes)
        modes = ('strongest', 'last') if config.returns == 'dual' else (config.returns,)
        count = distance.shape[2]
        ranges, echo = distance.reshape(-1, count), echo.reshape(-1, count)
        if through < 1.0:
            echo = echo * np.float32(through * through)
        found = [
            merged_return(ranges, echo, mode, config.min_echo_separation_m, max(config.threshold, _LEAST))
            for mode in modes
        ]
        reach = np.stack([r for r, _ in found]).reshape(-1, columns, rings)
        intensity = np.stack([i for _, i in found]).reshape(-1, columns, rings)
        return self._noisy(reach, intensity, modes, echoes.objects, frame)

    def _noisy(
        self, reach: Singles, intensity: Singles, modes: tuple[str, ...], objects: NDArray[np.uint16], frame: int
    ) -> Scan:
        config, noise = self.config, self.config.noise
        shape = reach.shape

        def drawn(quantity: str) -> Singles:
            return normals(stream_key(self.seed, self.name, quantity), frame, reach.size).reshape(shape)

        azimuth = np.broadcast_to(config.azimuths[None, :, None], shape)
        elevation = np.broadcast_to(config.elevations[None, None, :], shape)
        if noise.range_stddev_m > 0.0 or noise.range_weak_stddev_m > 0.0:
            weak = noise.range_weak_stddev_m**2 * noise.reference_intensity / np.maximum(intensity, _LEAST)
            reach = reach + np.sqrt(noise.range_stddev_m**2 + weak).astype(np.float32) * drawn('range')
        if noise.angle_stddev_rad > 0.0:
            azimuth = azimuth + noise.angle_stddev_rad * drawn('azimuth')
            elevation = elevation + noise.angle_stddev_rad * drawn('elevation')
        if noise.intensity_stddev > 0.0:
            changed = np.maximum(intensity + np.float32(noise.intensity_stddev) * drawn('intensity'), 0.0)
            intensity = np.where(intensity > _LEAST, changed, intensity)
        near = reach < config.range_m[0]
        reach = np.where(near, -np.inf, np.where(reach > config.range_m[1], np.inf, reach)).astype(np.float32)
        there = np.isfinite(reach)
        points = beam_directions(azimuth, elevation) * np.where(there, reach, np.nan)[..., None]
        period = 0.0 if config.flash else 1.0 / config.rate_hz
        columns, rings = shape[1:]
        types = np.array([RETURN_TYPES[mode] for mode in modes], dtype=np.uint8)
        return Scan(
            points.astype(np.float32),
            reach,
            np.where(there, intensity, 0.0).astype(np.float32),
            np.ascontiguousarray(np.broadcast_to(np.arange(rings, dtype=np.uint16), shape)),
            np.ascontiguousarray(
                np.broadcast_to((np.arange(columns) * (period / columns)).astype(np.float32)[None, :, None], shape)
            ),
            np.ascontiguousarray(np.broadcast_to(types[:, None, None], shape)),
            np.ascontiguousarray(np.broadcast_to(objects[None, :, :, objects.shape[2] // 2], shape)),
        )


def merged_return(
    distance: Singles, intensity: Singles, mode: str, resolution: float, threshold: float
) -> tuple[Singles, Singles]:
    """Return (range [m], intensity) of each beam's return; +inf and 0 where no echo reaches the threshold.

    The merged intensity of an echo is the sum of all echoes, weighted by a triangle over their distance in range,
    divided by the number of sub-rays.

    Args:
        distance: Ranges of the echoes [m], shape (beams, sub-rays).
        intensity: Intensities of the echoes, same shape.
        mode: strongest, first, last or mean (the intensity-weighted mean of all echoes).
        resolution: Half width of the triangle [m].
        threshold: Minimum merged intensity.

    Source: chrono.
    Checked by: test_lidar.py::test_return_modes_of_four_sub_rays.
    """
    reach, strength = np.empty(len(distance), np.float32), np.empty(len(distance), np.float32)
    number = ('strongest', 'first', 'last', 'mean').index(mode)
    _merge(distance, intensity, number, resolution, threshold, reach, strength)
    return reach, strength


@kernel
def _merge(
    distance: Singles,
    intensity: Singles,
    mode: int,
    resolution: float,
    threshold: float,
    reach: Singles,
    strength: Singles,
) -> None:
    beams, subs = distance.shape
    for beam in range(beams):
        best, best_range, total, moment = 0.0, np.inf, 0.0, 0.0
        for i in range(subs):
            r, own = float(distance[beam, i]), float(intensity[beam, i])
            if not own > 0.0:
                continue
            total += own
            moment += own * r
            merged = 0.0
            for j in range(subs):
                if intensity[beam, j] > 0.0:
                    merged += max(0.0, 1.0 - abs(float(distance[beam, j]) - r) / resolution) * intensity[beam, j]
            merged /= subs
            if merged < threshold:
                continue
            # The first of equal echoes is kept, because sub-rays have an order.
            if (
                best == 0.0
                or (mode == 0 and merged > best)
                or (mode == 1 and r < best_range)
                or (mode == 2 and r > best_range)
            ):
                best, best_range = merged, r
        if mode == 3:
            best = total / subs
            best_range = moment / total if best >= threshold else np.inf
            best = best if best >= threshold else 0.0
        reach[beam], strength[beam] = best_range, best
