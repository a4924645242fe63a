# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Random words for compiled loops, as pure functions of what they are for.

Philox 4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3") where every bit counts, and the
finaliser of SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators") where speed does.
Where :mod:`regolith_world.random` opens a stream and draws from it in order, here every block is reached by its number
alone, so that any loop may compute any of them.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numba import njit

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""Increment of SplitMix64: 2^64 over the golden ratio, made odd."""


def stream_key(seed: int, name: str, quantity: str) -> np.uint64:
    """Return the key of a stream: 64 bits of SHA-256 over scenario seed, object name and quantity."""
    digest = hashlib.sha256(f'{seed}\x00{name}\x00{quantity}'.encode()).digest()
    return np.uint64(int.from_bytes(digest[:8], 'little'))


@njit(cache=True, nogil=True, error_model='numpy', forceinline=True)
def philox(key, high, low):  # type: ignore[no-untyped-def]
    """Return the block of a stream whose counter is (high, low), 64 bits each: four random words below 2^32."""
    key, high, low = np.uint64(key), np.uint64(high), np.uint64(low)
    k0, k1 = key & _LOW, key >> _SHIFT
    c0, c1, c2, c3 = low & _LOW, low >> _SHIFT, high & _LOW, high >> _SHIFT
    for _ in range(10):
        a, b = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (b >> _SHIFT) ^ c1 ^ k0, b & _LOW, (a >> _SHIFT) ^ c3 ^ k1, a & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@njit(cache=True, nogil=True, error_model='numpy')
def normal_and_uniform(key, high, low):  # type: ignore[no-untyped-def]
    """Return a standard normal number (Box and Muller 1958) and one uniform in [0, 1), 32 bits, from one block."""
    a, b, c, _ = philox(key, high, low)
    # Half a step keeps the logarithm's argument above 0.
    radius = math.sqrt(-2.0 * math.log((np.float64(a) + 0.5) * 2.0**-32))
    return radius * math.cos(2.0 * math.pi * np.float64(b) * 2.0**-32), np.float64(c) * 2.0**-32


@njit(cache=True, nogil=True, error_model='numpy')
def mix(word):  # type: ignore[no-untyped-def]
    """Return the SplitMix64 finaliser of a word."""
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
