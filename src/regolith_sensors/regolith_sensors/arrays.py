# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Array and number types of the arguments and results of compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Words = NDArray[np.uint32]
Bools = NDArray[np.bool_]

Single = Any
"""Single-precision number; numpy's own type does not follow the rules of compiled arithmetic."""
