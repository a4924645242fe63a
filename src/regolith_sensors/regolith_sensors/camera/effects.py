# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of real cameras outside the stages: fixed pattern, dust, glare, mosaic, JPEG, exposure control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from regolith_sensors.config.camera import EffectsConfig, ExposureConfig, NoiseConfig
from regolith_sensors.noise import normals, uniforms
from regolith_world.random import stream_key

Singles = NDArray[np.float32]
_HOT = 100.0
_GLARE_SHRINK = 8
_DIRT_SPOTS, _DIRT_OPACITY = 80, 0.7
# Widths (fractions of the image's diagonal) and weights of the Gaussians that represent scattered light of a lens.
_GLARE_SKIRT = ((0.01, 0.45), (0.04, 0.30), (0.16, 0.25))


@dataclass(frozen=True)
class FixedPattern:
    """Fixed differences between the pixels of a sensor, each of shape (height, width, channels)."""

    gain: Singles
    """Relative gain, 0 for dead pixels."""
    offset: Singles
    """Offset in the unit of the signal."""
    dark: Singles
    """Dark current per second."""


def fixed_pattern(shape: tuple[int, int, int], noise: NoiseConfig, seed: int, name: str) -> FixedPattern:
    """Return the fixed pattern of one sensor, drawn once from seed and name: PRNU, DSNU, row and column noise, defects.

    Args:
        shape: (height, width, channels).
        noise: Sizes of the parts.
        seed: Seed of the scenario.
        name: Name of the sensor.

    Source: emva1288, section 4.
    Checked by: test_camera_faults.py::test_fixed_pattern_has_the_size_of_its_parts.
    """
    height, width, channels = shape
    count = height * width * channels

    def drawn(quantity: str, size: int) -> Singles:
        return normals(stream_key(seed, name, quantity), 0, size)

    gain = (1.0 + noise.prnu * drawn('prnu', count).reshape(shape)).astype(np.float32)
    fate = uniforms(stream_key(seed, name, 'defects'), 0, count).reshape(shape)
    gain[fate >= 1.0 - noise.dead_fraction] = 0.0
    offset = noise.dsnu * drawn('dsnu', count).reshape(shape)
    offset += noise.row * drawn('row', height)[:, None, None] + noise.column * drawn('column', width)[None, :, None]
    current = np.array(noise.dark_current[:channels] if channels > 1 else noise.dark_current[1:2], dtype=np.float32)
    dark = np.broadcast_to(current, shape) * np.where(fate < noise.hot_fraction, _HOT, 1.0)
    return FixedPattern(np.maximum(gain, 0.0), offset.astype(np.float32), dark.astype(np.float32))


def dust_transmission(height: int, width: int, effects: EffectsConfig, seed: int, name: str) -> Singles:
    """Return the transmission of a dusty front lens: soft dark spots, out of focus, shape (height, width).

    Shape and sizes of the spots are Regolith's own, chosen by eye.

    Args:
        height: Image height [px].
        width: Image width [px].
        effects: Number and opacity of the spots.
        seed: Seed of the scenario.
        name: Name of the sensor.
    """
    u = uniforms(stream_key(seed, name, 'dust'), 0, 4 * max(effects.dust_spots, 1)).reshape(-1, 4)
    through = np.ones((height, width), dtype=np.float32)
    i, j = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
    for y, x, size, dark in u[: effects.dust_spots]:
        radius = np.float32(np.hypot(height, width)) * (0.005 + 0.02 * size)
        away = ((i - y * height) ** 2 + (j - x * width) ** 2) / radius**2
        through *= 1.0 - effects.dust_opacity * dark * np.exp(-(away**2))
    return through


def dirt_pattern(height: int, width: int, seed: int, name: str) -> Singles:
    """Return the relative thickness of dust that fell on a lens: soft spots of mean 1, shape (height, width).

    Args:
        height: Image height [px].
        width: Image width [px].
        seed: Seed of the scenario.
        name: Name of the sensor.

    Shape and sizes are chosen by eye. Tests: test_dust_on_lenses.py.
    """
    spots = EffectsConfig(dust_spots=_DIRT_SPOTS, dust_opacity=_DIRT_OPACITY)
    thickness = 0.5 - np.log(dust_transmission(height, width, spots, seed, f'{name}/lens'))
    found: Singles = (thickness / thickness.mean()).astype(np.float32)
    return found


def glare(image: NDArray[Any], part: float) -> NDArray[Any]:
    """Return the image with a fraction of its light spread widely, the veil around a sun in or near the image.

    The point spread function is Regolith's own: a sum of three Gaussians of 1, 4 and 16 % of the diagonal, computed at
    an eighth of the resolution. Light that falls outside the image is lost.

    Args:
        image: Image, shape (height, width, channels).
        part: Fraction of the light, 0 to 0.5.
    """
    height, width = image.shape[:2]
    small = (max(width // _GLARE_SHRINK, 1), max(height // _GLARE_SHRINK, 1))
    coarse = cv2.resize(np.ascontiguousarray(image, dtype=np.float32), small, interpolation=cv2.INTER_AREA)
    coarse = coarse.reshape(small[1], small[0], -1)
    veil = np.zeros_like(coarse)
    for size, share in _GLARE_SKIRT:
        sigma = max(size * float(np.hypot(*small)), 0.3)
        blurred = cv2.GaussianBlur(coarse, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
        veil += np.float32(share) * blurred.reshape(coarse.shape)
    spread = cv2.resize(veil, (width, height), interpolation=cv2.INTER_LINEAR).reshape(image.shape)
    kind = image.dtype.type
    out: NDArray[Any] = image * kind(1.0 - part) + spread.astype(image.dtype) * kind(part)
    return out


def mosaic(image: NDArray[Any], pattern: str) -> NDArray[Any]:
    """Return one value per pixel, of the color of its filter; ``pattern`` is such as 'rggb', from the top left."""
    out = np.empty(image.shape[:2], dtype=image.dtype)
    for n, letter in enumerate(pattern):
        row, column = divmod(n, 2)
        out[row::2, column::2] = image[row::2, column::2, 'rgb'.index(letter)]
    return out


def jpeg_artifacts(image: NDArray[np.uint16], quality: int) -> NDArray[np.uint16]:
    """Return an image after JPEG compression (8 bit) at this quality, 1 to 100, scaled to 16 bits."""
    eight = (image // 257).astype(np.uint8)
    ordered = eight[:, :, ::-1] if eight.ndim == 3 else eight
    _, packed = cv2.imencode('.jpg', np.ascontiguousarray(ordered), [cv2.IMWRITE_JPEG_QUALITY, quality])
    back = np.asarray(cv2.imdecode(packed, cv2.IMREAD_UNCHANGED))
    back = back[:, :, ::-1] if back.ndim == 3 else back
    return np.ascontiguousarray(back).astype(np.uint16) * np.uint16(257)


def metered_exposure(rate: NDArray[Any], full_well: float, config: ExposureConfig) -> float:
    """Return the exposure time [s] at which a percentile of the metered pixels reaches its level.

    It is shortened until at most ``max_full_fraction`` of them are full. It depends on this frame only, so frames may
    be left out without a change of later ones. The rule is Regolith's own; tests: test_exposure.py.

    Args:
        rate: Signal per second of the metered pixels.
        full_well: Signal of a full pixel.
        config: Settings of the automatic exposure.
    """
    typical = float(np.percentile(rate, config.percentile))
    exposure = config.target_level * full_well / typical if typical > 0.0 else config.max_exposure_s
    brightest = float(np.percentile(rate, 100.0 * (1.0 - config.max_full_fraction)))
    if config.max_full_fraction < 1.0 and brightest > 0.0:
        exposure = min(exposure, full_well / brightest)
    return min(max(exposure, config.min_exposure_s), config.max_exposure_s)
