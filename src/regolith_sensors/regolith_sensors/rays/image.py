# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An image and its ground truth, and the random streams of its rays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_world.random.philox import stream_key

Singles = NDArray[np.float32]

DARK = np.zeros((0, 3), np.float32)
"""Hulls that hold no light."""


class SampleStreams(NamedTuple):
    """Random stream, frame and numbers of samples of an image."""

    key: np.uint64
    frame: int
    sun_samples: int
    bounce_samples: int


@dataclass
class RenderedImage:
    """An image and its ground truth, each of shape (height, width) unless said otherwise."""

    radiance: Singles
    """Radiance of red, green and blue [W/m^2/sr], shape (height, width, 3)."""
    depth: Singles
    """Along the optical axis [m] (REP 118); +inf where nothing was met (REP 117)."""
    range: Singles
    """Along the ray [m]; +inf where nothing was met."""
    object_id: NDArray[np.uint16]
    """Number of the object, 0 for the sky, 1 for the ground."""
    semantic: NDArray[np.uint8]
    """Class, see :class:`regolith_sensors.scene.scene.Semantic`."""
    normal: Singles
    """In the optical frame, zero where nothing was met, shape (height, width, 3)."""
    instance: NDArray[np.int32]
    """Twice the number of the scene's instance, plus one where the sun's ray arrived; -1 for the sky."""
    sunlit: Singles
    """Part of the radiance that a wholly visible sun would give [W/m^2/sr], shape (height, width, 3); 0: not known."""
    sun_part: Singles
    """Part of the green radiance that comes straight from the sun [W/m^2/sr]."""
    blocker: Singles
    """Distance of what stands nearest in the way of the sun, from further rays of the pixel [m]; 0: nothing known."""


def sample_streams(seed: int, name: str, frame: int, sun_samples: int = 1, bounce_samples: int = 0) -> SampleStreams:
    """Return the random stream and the numbers of samples of a frame.

    Args:
        seed: of the scenario
        name: of the sensor
        frame: index
        sun_samples: rays to the sun's disc per pixel, >= 1
        bounce_samples: rays that gather light from lit ground per pixel; 0: none

    Raises:
        ValueError: if a number is negative
    """
    if sun_samples < 1 or bounce_samples < 0:
        raise ValueError(f'sun_samples {sun_samples}, bounce_samples {bounce_samples}; allowed: >= 1 and >= 0')
    return SampleStreams(stream_key(seed, name, 'light'), frame, sun_samples, bounce_samples)


def empty_frame(height: int, width: int) -> RenderedImage:
    """Return an empty frame of this size, for rendering."""
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
