# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rendered images with ground truth, and the random streams of their rays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.random import stream_key

Singles = NDArray[np.float32]

DARK = np.zeros((0, 3), np.float32)
"""Indirect light of no hull."""


class SampleStreams(NamedTuple):
    """Random stream, frame number and numbers of samples of an image."""

    key: np.uint64
    frame: int
    sun_samples: int
    bounce_samples: int
    bounces: int = 1
    """Largest number of surfaces between the first one and the light."""


@dataclass
class RenderedImage:
    """Rendered image and its ground truth, each of shape (height, width) unless stated otherwise."""

    radiance: Singles
    """Radiance of red, green and blue [W/m^2/sr], shape (height, width, 3)."""
    depth: Singles
    """Depth along the optical axis [m] (REP 118); +inf without a hit (REP 117)."""
    range: Singles
    """Distance along the ray [m]; +inf without a hit."""
    object_id: NDArray[np.uint16]
    """Number of the object, 0 for the sky, 1 for the ground."""
    semantic: NDArray[np.uint8]
    """Class, see :class:`regolith_sensors.scene.scene.Semantic`."""
    normal: Singles
    """Surface normal in the optical frame, zero without a hit, shape (height, width, 3)."""
    instance: NDArray[np.int32]
    """Twice the number of the scene's instance, plus one if the sun ray is unblocked; -1 for the sky."""
    sunlit: Singles
    """Part of the radiance due to a fully visible sun [W/m^2/sr], shape (height, width, 3); 0: unknown."""
    sun_part: Singles
    """Part of the green radiance directly from the sun [W/m^2/sr]."""
    blocker: Singles
    """Distance of the nearest object between surface and sun, from further rays of the pixel [m]; 0: unknown."""


def sample_streams(
    seed: int, name: str, frame: int, sun_samples: int = 1, bounce_samples: int = 0, bounces: int = 1
) -> SampleStreams:
    """Return the random stream and the numbers of samples of a frame.

    Args:
        seed: Seed of the scenario.
        name: Name of the sensor.
        frame: Number of the frame.
        sun_samples: Rays to the sun's disc per pixel, >= 1.
        bounce_samples: Rays per pixel that gather light from sunlit ground; 0: none.
        bounces: Largest number of surfaces that this light meets before the pixel's surface.

    Raises:
        ValueError: If a number is negative.
    """
    if sun_samples < 1 or bounce_samples < 0:
        raise ValueError(f'sun_samples {sun_samples}, bounce_samples {bounce_samples}; allowed: >= 1 and >= 0')
    return SampleStreams(stream_key(seed, name, 'light'), frame, sun_samples, bounce_samples, bounces)


def empty_frame(height: int, width: int) -> RenderedImage:
    """Return an empty frame of this size as a render target."""
    return RenderedImage(
        np.zeros((height, width, 3), np.float32),
        np.zeros((height, width), np.float32),
        np.zeros((height, width), np.float32),
        np.zeros((height, width), np.uint16),
        np.zeros((height, width), np.uint8),
        np.zeros((height, width, 3), np.float32),
        np.full((height, width), -1, np.int32),
        np.zeros((height, width, 3), np.float32),
        np.zeros((height, width), np.float32),
        np.zeros((height, width), np.float32),
    )
