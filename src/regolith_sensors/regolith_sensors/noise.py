# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Random fields as pure functions of (seed, sensor, quantity, frame): noise that a replay finds again bit for bit.

Blocks of :mod:`regolith_world.counter`: value n of a field depends on n alone, so that any part of a field may be
computed by any thread.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_sensors.threads import in_bands
from regolith_world.counter import philox

Singles = NDArray[np.float32]

_TO_UNIT = np.float32(2.0**-24)
_BAND = 16384


def normals(key: np.uint64, frame: int, count: int) -> Singles:
    """Return standard normal numbers 0 ... count - 1 of a stream at a frame, shape (count,).

    :param key: from :func:`regolith_world.counter.stream_key`
    :param frame: index of the frame or sample, 0 <= frame < 2^64
    :param count: how many
    """
    out = np.empty(count, dtype=np.float32)
    blocks = (count + 3) // 4
    in_bands(_normals, blocks, _BAND, key, np.uint64(frame), out)
    return out


def uniforms(key: np.uint64, frame: int, count: int) -> Singles:
    """Return numbers uniform in [0, 1), 24 bits each, shape (count,); arguments as in :func:`normals`."""
    out = np.empty(count, dtype=np.float32)
    in_bands(_uniforms, (count + 3) // 4, _BAND, key, np.uint64(frame), out)
    return out


@njit(cache=True, nogil=True, error_model='numpy')
def unit(word):  # type: ignore[no-untyped-def]
    """Return a single in [0, 1) from a word below 2^32."""
    return np.float32(word >> np.uint64(8)) * _TO_UNIT


@njit(cache=True, nogil=True, error_model='numpy')
def _pair(a, b):  # type: ignore[no-untyped-def]
    """Return two standard normal numbers from two words (Box & Muller 1958)."""
    # All 32 bits go into the radius, which reaches 6.7: a tail cut at 5.8 would show in long runs.
    radius = math.sqrt(np.float32(-2.0) * math.log((np.float32(a) + np.float32(0.5)) * np.float32(2.0**-32)))
    angle = np.float32(2.0 * math.pi) * unit(b)
    return radius * math.cos(angle), radius * math.sin(angle)


@njit(cache=True, nogil=True, error_model='numpy')
def _normals(first, last, key, frame, out):  # type: ignore[no-untyped-def]
    count = out.shape[0]
    for block in range(first, last):
        a, b, c, d = philox(key, frame, block)
        z0, z1 = _pair(a, b)
        z2, z3 = _pair(c, d)
        at = 4 * block
        if at + 4 <= count:
            out[at], out[at + 1], out[at + 2], out[at + 3] = z0, z1, z2, z3
        else:
            rest = (z0, z1, z2)
            for n in range(count - at):
                out[at + n] = rest[n]


@njit(cache=True, nogil=True, error_model='numpy')
def _uniforms(first, last, key, frame, out):  # type: ignore[no-untyped-def]
    count = out.shape[0]
    for block in range(first, last):
        words = philox(key, frame, block)
        for n in range(min(4, count - 4 * block)):
            out[4 * block + n] = unit(words[n])
