# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Counter-based random numbers for kernels: a word per (key, layer, cell), and doubles drawn from it.

A draw of a cell depends on nothing else.

Source: steele2014, the finalizer of SplitMix64.
Checked by: test_lunar_statistics.py::test_cell_random_draws_are_uniform_and_poisson.
"""

from __future__ import annotations

import hashlib

import numpy as np

from regolith_world.numerics import kernel
from regolith_world.random import GOLDEN_GAMMA, mix_bits

DRAW_GAMMA = np.uint64(0xD1342543DE82EF95)
"""Increment between the draws of one word: odd, and different from the golden one."""


def key_of(seed: int, purpose: str) -> np.uint64:
    """Return the key of a seed and a purpose."""
    return np.uint64(int.from_bytes(hashlib.sha256(f'{purpose} {seed}'.encode()).digest()[:8], 'little'))


@kernel
def cell_word(key: np.uint64, layer: int, ix: int, iy: int) -> np.uint64:
    """Return the random word of a lattice cell of a layer."""
    word = mix_bits(key + np.uint64(layer + 1) * GOLDEN_GAMMA)
    word = mix_bits(word ^ np.uint64(np.int64(ix)))
    last: np.uint64 = mix_bits((word + GOLDEN_GAMMA) ^ np.uint64(np.int64(iy)))
    return last


@kernel
def unit(word: np.uint64) -> float:
    """Return a double in [0, 1) from the upper 53 bits of a random word."""
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@kernel
def uniform_draw(word: np.uint64, index: int) -> float:
    """Return the index-th double in [0, 1) of a word."""
    drawn: float = unit(mix_bits(word + np.uint64(index + 1) * DRAW_GAMMA))
    return drawn


@kernel
def poisson(uniform: float, mean: float) -> int:
    """Return a Poisson number from a uniform one in [0, 1) by inversion; for means below some hundred."""
    term = np.exp(-mean)
    total = term
    count = 0
    while uniform >= total and term > 1e-18:
        count += 1
        term *= mean / count
        total += term
    return count
