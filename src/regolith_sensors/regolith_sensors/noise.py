# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Random fields as functions of (seed, sensor, quantity, frame), so that a replay has bit-identical noise.

Value n of a field depends on n alone (:mod:`regolith_world.random.philox`), so any thread can compute any part of a
field.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_sensors.arrays import Single, Singles, Words
from regolith_sensors.numerics.fast_math import cos_sin_of_turn, log
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_world.numerics import kernel
from regolith_world.random import philox_block

_TO_UNIT = np.float32(2.0**-24)
_MINUS_TWO, _HALF, _TO_WHOLE = np.float32(-2.0), np.float32(0.5), np.float32(2.0**-32)
_BAND, _CHUNK = 16384, 256


def normals(key: np.uint64, frame: int, count: int) -> Singles:
    """Return standard normal numbers 0 ... count - 1 of a stream at a frame, shape (count,).

    Args:
        key: Stream key from :func:`regolith_world.random.philox.stream_key`.
        frame: Index of the frame or sample, 0 <= frame < 2^64.
        count: Length of the result.

    Source: box1958.
    Checked by: test_camera_stages.py::test_noise_repeats_per_frame_and_differs_between_frames.
    """
    out = np.empty(count, dtype=np.float32)
    blocks = (count + 3) // 4
    run_in_ranges(_normals, blocks, _BAND, key, np.uint64(frame), out)
    return out


def uniforms(key: np.uint64, frame: int, count: int) -> Singles:
    """Return numbers uniform in [0, 1), 24 bits each, shape (count,); same arguments as :func:`normals`."""
    out = np.empty(count, dtype=np.float32)
    run_in_ranges(_uniforms, (count + 3) // 4, _BAND, key, np.uint64(frame), out)
    return out


@kernel
def unit(word: np.uint64) -> Single:
    """Return a single-precision number in [0, 1) from a word below 2^32."""
    return np.float32(word >> np.uint64(8)) * _TO_UNIT


@kernel(forceinline=True)
def _pair(a: np.uint32, b: np.uint32) -> tuple[Single, Single]:
    """Return two standard normal numbers from two words of 32 bits.

    Source: box1958.
    Checked by: test_camera_stages.py::test_noise_repeats_per_frame_and_differs_between_frames.
    """
    # All 32 bits determine the radius, which reaches 6.7: a tail cut off at 5.8 would be visible in long runs.
    radius = math.sqrt(_MINUS_TWO * log((np.float32(a) + _HALF) * _TO_WHOLE))
    cosine, sine = cos_sin_of_turn(np.float32(np.int32(b >> np.uint32(8))) * _TO_UNIT)
    return radius * cosine, radius * sine


@kernel
def normal_blocks(key: np.uint64, frame: np.uint64, first: int, count: int, words: Words, out: Singles) -> None:
    """Write the 4 ``count`` standard normal numbers of ``count`` blocks into ``out``.

    Args:
        key: Stream key.
        frame: Index of the frame.
        first: First block.
        count: Number of blocks.
        words: Work array of uint32, shape (4, at least count); some hundred blocks at a time fit the fastest cache.
        out: Numbers, shape (at least 4 count,).
    """
    # Two loops, each with one word width, so that the compiler vectorizes both.
    for n in range(count):
        a, b, c, d = philox_block(key, frame, np.uint64(first + n))
        words[0, n], words[1, n], words[2, n], words[3, n] = np.uint32(a), np.uint32(b), np.uint32(c), np.uint32(d)
    for n in range(count):
        z0, z1 = _pair(words[0, n], words[1, n])
        z2, z3 = _pair(words[2, n], words[3, n])
        out[4 * n], out[4 * n + 1], out[4 * n + 2], out[4 * n + 3] = z0, z1, z2, z3


@kernel
def _normals(first: int, last: int, key: np.uint64, frame: np.uint64, out: Singles) -> None:
    words = np.empty((4, _CHUNK), np.uint32)
    numbers = np.empty(4 * _CHUNK, np.float32)
    for block in range(first, last, _CHUNK):
        count = min(_CHUNK, last - block)
        normal_blocks(key, frame, block, count, words, numbers)
        at = 4 * block
        end = min(4 * (block + count), out.shape[0])
        out[at:end] = numbers[: end - at]


@kernel
def _uniforms(first: int, last: int, key: np.uint64, frame: np.uint64, out: Singles) -> None:
    count = out.shape[0]
    for block in range(first, last):
        words = philox_block(key, frame, block)
        for n in range(min(4, count - 4 * block)):
            out[4 * block + n] = unit(words[n])
