# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Random words for compiled loops, as pure functions of their purpose and number.

Philox 4x32-10 is used where quality matters, the finalizer of SplitMix64 where speed matters. Generators of
:mod:`regolith_world.random.keyed_generator` draw in order. In contrast, a loop may compute any block by its number.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from regolith_world.numerics.kernel_options import kernel

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""Increment of SplitMix64: 2^64 divided by the golden ratio, rounded to an odd number."""


def stream_key(seed: int, name: str, quantity: str) -> np.uint64:
    """Return the key of a stream: 64 bits of SHA-256 over scenario seed, object name and quantity.

    Args:
        seed: Seed of the scenario.
        name: Name of the object, such as ``amber/navcam``.
        quantity: Name of the quantity, such as ``shot_noise``.
    """
    digest = hashlib.sha256(f'{seed}\x00{name}\x00{quantity}'.encode()).digest()
    return np.uint64(int.from_bytes(digest[:8], 'little'))


@kernel(forceinline=True)
def philox_block(key: np.uint64, high: np.uint64, low: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the block of a stream with counter (high, low), 64 bits each: four random words below 2^32.

    Source: salmon2011, Philox 4x32-10.
    Checked by: test_philox.py::test_philox_known_vectors.
    """
    key, high, low = np.uint64(key), np.uint64(high), np.uint64(low)
    k0, k1 = key & _LOW, key >> _SHIFT
    c0, c1, c2, c3 = low & _LOW, low >> _SHIFT, high & _LOW, high >> _SHIFT
    for _ in range(10):
        a, b = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (b >> _SHIFT) ^ c1 ^ k0, b & _LOW, (a >> _SHIFT) ^ c3 ^ k1, a & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@kernel
def normal_and_uniform(key: np.uint64, high: np.uint64, low: np.uint64) -> tuple[float, float]:
    """Return a standard normal number and a uniform number in [0, 1) of 32 bits, from one block.

    Source: salmon2011; box1958.
    Checked by: test_philox.py::test_normal_and_uniform_numbers_have_their_distributions.
    """
    a, b, c, _ = philox_block(key, high, low)
    # Half a step keeps the argument of the logarithm above 0.
    radius = math.sqrt(-2.0 * math.log((np.float64(a) + 0.5) * 2.0**-32))
    return radius * math.cos(2.0 * math.pi * np.float64(b) * 2.0**-32), np.float64(c) * 2.0**-32


@kernel
def mix_bits(word: np.uint64) -> np.uint64:
    """Return the SplitMix64 finalizer of a word.

    Source: steele2014.
    Checked by: test_philox.py::test_mix_known_values.
    """
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
