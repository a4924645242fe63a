# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Stages between lens and digital number that apply to each pixel separately, in one pass over the image.

The results are bit-identical to :mod:`regolith_sensors.camera.stages`, without an image in memory after each stage. New
memory for an image costs as much as tracing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Single, Singles, Words
from regolith_sensors.camera.stages import noisy_row
from regolith_sensors.noise import normal_blocks
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_world.numerics import kernel

_ROWS = 8
_CHUNK = 256
_ZERO, _HALF, _ONE, _MOST = (np.float32(v) for v in (0.0, 0.5, 1.0, 65535.0))


@dataclass(frozen=True)
class ImageSensor:
    """Properties of the pixels of a sensor.

    Tables have one row per image row, or one row for all. Columns are those of the image times its channels.
    """

    rate: Singles
    """Signal per second and radiance, without vignetting."""
    gain: Singles
    """Relative gain of the fixed pattern."""
    offset: Singles
    """Offset of the fixed pattern, in the unit of the signal."""
    dark: Singles
    """Dark current per second."""
    shot: Singles
    """Shot noise gain Gn."""
    read: Singles
    """Standard deviation of the read noise."""
    full_well: float
    poisson_below: float
    """Signal below which shot noise is a Poisson number; 0: Gaussian everywhere."""
    slope: Singles
    offset_of_response: Singles
    iso: float


@dataclass(frozen=True)
class NoiseStreams:
    """Random streams and frame number of the noise of a frame."""

    shot: np.uint64
    read: np.uint64
    frame: int


def signals(
    light: Singles, fall: Singles, sensor: ImageSensor, exposure: float, noise: NoiseStreams | None, full_scale: bool
) -> NDArray[Any]:
    """Return digital numbers of a linear response (uint16), or the signal up to the full well; shape of ``light``.

    Args:
        light: Radiance after the lens [W/m^2/sr], shape (height, width, channels).
        fall: Vignetting, shape (height, width), or (1, 1) for none.
        sensor: Properties of the pixels.
        exposure: Exposure time [s].
        noise: Random streams; None for a noise-free sensor.
        full_scale: True: digital numbers; False: the signal.

    Source: batagoda2024, eqs. 4 to 8.
    Checked by: test_camera_readout.py::test_single_pass_equals_the_stages.
    """
    height, width, channels = light.shape
    flat = np.ascontiguousarray(light).reshape(height, width * channels)
    out = np.empty(flat.shape, np.uint16 if full_scale else np.float32)
    keys = noise or NoiseStreams(np.uint64(0), np.uint64(0), 0)
    run_in_ranges(
        _read_out,
        height,
        _ROWS,
        flat,
        fall,
        channels,
        sensor.rate,
        np.float32(exposure),
        sensor.gain,
        sensor.offset,
        sensor.dark,
        sensor.shot,
        sensor.read,
        np.float32(sensor.poisson_below),
        noise is not None,
        keys.shot,
        keys.read,
        np.uint64(keys.frame),
        np.float32(sensor.full_well),
        sensor.slope,
        sensor.offset_of_response,
        np.float32(sensor.iso),
        full_scale,
        out,
    )
    return out.reshape(light.shape)


@kernel(forceinline=True)
def _of_row(table: Singles, i: int) -> Singles:
    row: Singles = table[min(i, table.shape[0] - 1)]
    return row


@kernel
def _draw(key: np.uint64, frame: np.uint64, begin: int, words: Words, numbers: Singles) -> int:
    """Fill ``numbers`` with those of a stream from the block of ``begin`` on; return the position of ``begin``."""
    first = begin // 4
    blocks = numbers.shape[0] // 4
    for at in range(0, blocks, _CHUNK):
        count = min(_CHUNK, blocks - at)
        normal_blocks(key, frame, first + at, count, words, numbers[4 * at : 4 * (at + count)])
    return begin - 4 * first


@kernel
def _read_out(
    first: int,
    last: int,
    light: Singles,
    fall: Singles,
    channels: int,
    rate: Singles,
    exposure: Single,
    gain: Singles,
    offset: Singles,
    dark: Singles,
    shot: Singles,
    read: Singles,
    poisson_below: Single,
    noisy: bool,
    shot_key: np.uint64,
    read_key: np.uint64,
    frame: np.uint64,
    full_well: Single,
    slope: Singles,
    bias: Singles,
    iso: Single,
    full_scale: bool,
    out: NDArray[Any],
) -> None:
    across = light.shape[1]
    words = np.empty((4, _CHUNK), np.uint32)
    shots, reads = np.empty((across + 7) // 4 * 4, np.float32), np.empty((across + 7) // 4 * 4, np.float32)
    signal, darks = np.empty(across, np.float32), np.empty(across, np.float32)
    caught, through = np.empty(across, np.float32), np.ones(across, np.float32)
    for i in range(first, last):
        if fall.shape[1] > 1:
            for n in range(across):
                through[n] = fall[i, n // channels]
        rates, gains, offsets, currents = _of_row(rate, i), _of_row(gain, i), _of_row(offset, i), _of_row(dark, i)
        for n in range(across):
            signal[n] = light[i, n] * through[n] * rates[n] * exposure * gains[n]
            darks[n] = currents[n] * exposure
        if noisy:
            at = _draw(shot_key, frame, i * across, words, shots)
            _draw(read_key, frame, i * across, words, reads)
            noisy_row(
                signal, darks, shot[0], read[0], shots[at : at + across], reads[at : at + across], poisson_below, caught
            )
        else:
            caught[:] = signal
        for n in range(across):
            signal[n] = min(caught[n] + offsets[n], full_well)
        if full_scale:
            for n in range(across):
                level = slope[0, n] * (signal[n] * iso) + bias[0, n]
                out[i, n] = np.uint16(np.int32(min(max(level, _ZERO), _ONE) * _MOST + _HALF))
        else:
            for n in range(across):
                out[i, n] = signal[n]
