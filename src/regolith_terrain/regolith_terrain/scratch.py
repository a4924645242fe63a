# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Working memory of the soil contact kernels, so that they need not allocate any."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Scratch(NamedTuple):
    """Working memory of one kernel call at a time."""

    floats: NDArray[np.float64]
    """Shape (2, n)."""
    ints: NDArray[np.int32]
    """Shape (n, 8)."""


def make_scratch(reach: float, spacing: float) -> Scratch:
    """Return working memory that serves any orientation of a body.

    :param reach: radius of a sphere about its centre that holds it [m]; of a cylinder, sqrt(R^2 + w^2)
    :param spacing: of the nodes [m]
    """
    side = 2 * int(math.ceil(reach / spacing)) + 6
    return Scratch(np.zeros((2, side * side)), np.zeros((side * side, 8), dtype=np.int32))
