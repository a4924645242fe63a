# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Attempts in the recording of a run. The world announces an attempt again if a response is late in wall time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

ATTEMPT_KEY_FIELDS = ('key.epoch', 'key.cycle', 'key.attempt')
"""Paths of the fields that identify an attempt in every message of the cycle protocol."""


def attempt_keys(columns: Mapping[str, Any]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the messages that announce an attempt for the first time, so that results do not depend on wall time.

    Args:
        columns: Values in the messages of a topic by path, in order of arrival, with the paths of
            :data:`ATTEMPT_KEY_FIELDS`.

    Returns:
        Indices of these messages, ascending, shape (n,), and their keys, shape (n, 3).
    """
    keys = np.stack([columns[path].astype(np.int64) for path in ATTEMPT_KEY_FIELDS], axis=1)
    first = np.sort(np.unique(keys, axis=0, return_index=True)[1])
    return first, keys[first]
