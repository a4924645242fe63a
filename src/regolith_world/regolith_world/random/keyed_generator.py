# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers as pure functions of their purpose, independent of earlier draws.

The generator is Philox 4x64-10 with a key from SHA-256 of (scenario seed, object name, quantity). Its counter is the
cycle or frame index. So a discarded cycle, a restored checkpoint or another number of processes cannot shift a stream.
"""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, name: str, quantity: str, index: int) -> np.random.Generator:
    """Return a generator for one object, quantity and cycle (or frame) index.

    Args:
        seed: Seed of the scenario.
        name: Name of the object, such as ``amber/navcam``.
        quantity: Name of the quantity, such as ``shot_noise``.
        index: Cycle or frame number, >= 0.

    Returns:
        A new :class:`numpy.random.Generator`. Equal arguments give equal numbers.

    Source: salmon2011, Philox 4x64-10.
    Checked by: test_state_history.py::test_random_numbers_are_those_of_philox_4x64.
    """
    digest = hashlib.sha256(f'{seed}\x00{name}\x00{quantity}'.encode()).digest()
    key = np.frombuffer(digest[:16], dtype='<u8')
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, index]))
