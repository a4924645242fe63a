# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A hash of all modified nodes that is kept current node by node, whatever the order.

Each node is mixed into four 64-bit words; the hash of the ground is the SHA-256 of the number of nodes and the four
sums modulo 2^64 (a multiset hash, Clarke et al. 2003, "Incremental multiset hash functions", AdHash form). The mixer
is the finaliser of SplitMix64, in which every input bit affects every output bit. It tells states apart; it is no
protection against somebody who wants a collision.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_world.counter import mix

LANES = 4


@njit(cache=True, nogil=True, error_model='numpy')
def add_node(i, j, bits, n, subtract, lanes):  # type: ignore[no-untyped-def]
    """Add (or subtract) node (i, j), whose values are bits[:, n], to the lanes, in place."""
    place = (np.uint64(np.int64(i)) << np.uint64(32)) | (np.uint64(np.int64(j)) & np.uint64(0xFFFFFFFF))
    for lane in range(lanes.shape[0]):
        word = mix(place + np.uint64(lane + 1) * np.uint64(0x9E3779B97F4A7C15))
        for k in range(bits.shape[0]):
            word = mix((word ^ bits[k, n]) + np.uint64(0x9E3779B97F4A7C15))
        lanes[lane] = lanes[lane] - word if subtract else lanes[lane] + word


def digest(count: int, lanes: NDArray[np.uint64]) -> str:
    """Return the SHA-256 (hex) of the number of nodes and the lanes."""
    return hashlib.sha256(np.int64(count).astype('<i8').tobytes() + lanes.astype('<u8').tobytes()).hexdigest()
