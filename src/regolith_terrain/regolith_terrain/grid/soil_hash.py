# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Incremental hash of all modified nodes, independent of the order of changes.

Each node is mixed into four 64-bit words. The soil hash is the SHA-256 of the number of nodes and the four sums modulo
2^64 (a multiset hash in AdHash form). The mixer is the finalizer of SplitMix64, in which every input bit affects every
output bit. The hash distinguishes states. It does not protect against deliberate collisions.

Source: clarke2003; steele2014.
Checked by: test_soil_grid.py::test_soil_hash_is_independent_of_order,
test_soil_grid.py::test_soil_hash_changes_with_one_ulp.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from regolith_world.numerics import kernel
from regolith_world.random import GOLDEN_GAMMA, mix_bits

Words = NDArray[np.uint64]

LANES = 4
"""Number of words into which a node is mixed."""


@kernel
def add_node(i: int, j: int, bits: Words, n: int, subtract: bool, lanes: Words) -> None:
    """Add node (i, j) to the lanes, or subtract it, in place.

    Args:
        i: Node index along x.
        j: Node index along y.
        bits: Values of nodes as words, shape (number of fields, k).
        n: Column of the node in ``bits``.
        subtract: Whether to subtract the node.
        lanes: Input and output: words of the hash, shape (LANES,).
    """
    place = (np.uint64(np.int64(i)) << np.uint64(32)) | (np.uint64(np.int64(j)) & np.uint64(0xFFFFFFFF))
    for lane in range(lanes.shape[0]):
        word = mix_bits(place + np.uint64(lane + 1) * GOLDEN_GAMMA)
        for k in range(bits.shape[0]):
            word = mix_bits((word ^ bits[k, n]) + GOLDEN_GAMMA)
        lanes[lane] = lanes[lane] - word if subtract else lanes[lane] + word


def digest(count: int, lanes: Words) -> str:
    """Return the SHA-256 (hex) of the number of nodes and the lanes."""
    return hashlib.sha256(np.int64(count).astype('<i8').tobytes() + lanes.astype('<u8').tobytes()).hexdigest()
