# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Counter-based random numbers for kernels: a word for every (key, layer, cell), a double for every draw of it.

Built on the SplitMix64 finaliser (Steele, Lea & Flood 2014). What is drawn for a cell depends on nothing else.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numba import njit

from regolith_world.counter import mix


def key_of(seed: int, purpose: str) -> np.uint64:
    """Return the key of a seed and a purpose."""
    return np.uint64(int.from_bytes(hashlib.sha256(f'{purpose} {seed}'.encode()).digest()[:8], 'little'))


@njit(cache=True, nogil=True, error_model='numpy')
def cell_word(key, layer, ix, iy):  # type: ignore[no-untyped-def]
    """Return the random word of a lattice cell of a layer."""
    word = mix(key + np.uint64(layer + 1) * np.uint64(0x9E3779B97F4A7C15))
    word = mix(word ^ np.uint64(np.int64(ix)))
    return mix((word + np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(np.int64(iy)))


@njit(cache=True, nogil=True, error_model='numpy')
def draw(word, index):  # type: ignore[no-untyped-def]
    """Return the index-th double in [0, 1) of a word."""
    bits = mix(word + np.uint64(index + 1) * np.uint64(0xD1342543DE82EF95))
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True, error_model='numpy')
def poisson(uniform, mean):  # type: ignore[no-untyped-def]
    """Return the Poisson number of a uniform one, by inversion; for means below some hundred."""
    term = np.exp(-mean)
    total = term
    count = 0
    while uniform >= total and term > 1e-18:
        count += 1
        term *= mean / count
        total += term
    return count
