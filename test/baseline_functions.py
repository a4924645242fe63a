# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions with fixed arguments, as the baseline ``functions``.

Runs reach few of a function's cases; here each is called with unequal arguments, negative ones and options that no scenario
of ``test/baselines`` has. Of a call with few numbers all are kept. Of one with many a count and two weighted sums of their
logarithms are kept, in which numbers of all sizes count alike: a change of one of n numbers by a part of 2e-4 sqrt(n) shows.
"""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import functions_of_sensors
import functions_of_terrain
import functions_of_vehicles
import functions_of_world
import numpy as np
from baseline_values import Rows, Series, weights
from pydantic import BaseModel

FEW = 6
LEAST = 1e-9
"""Numbers much smaller than this are the rounding of zero."""


def leaves(value: Any) -> Iterator[float]:
    """Return all numbers of anything made of fields, text as checksums, in a fixed order."""
    if value is None:
        yield -1.0
    elif isinstance(value, (str, bytes, Enum)):
        text = value.name if isinstance(value, Enum) else value
        yield float(zlib.crc32(text if isinstance(text, bytes) else text.encode()))
    elif isinstance(value, (bool, int, float, np.number, np.bool_)):
        yield float(value)
    elif isinstance(value, np.ndarray) and value.dtype.names:
        for name in value.dtype.names:
            yield from leaves(value[name])
    elif isinstance(value, np.ndarray) and value.dtype.kind in 'biuf':
        yield from value.astype(np.float64).ravel().tolist()
    elif isinstance(value, BaseModel):
        yield from leaves(value.model_dump())
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from leaves(str(key))
            yield from leaves(value[key])
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name))
    elif callable(value):
        return
    else:
        for part in value:
            yield from leaves(part)


def digest(value: Any) -> dict[str, Any]:
    """Return what is kept of a result."""
    found = list(leaves(value))
    n = len(found)
    if n <= FEW and all(map(math.isfinite, found)):
        return {str(k): each for k, each in enumerate(found)}
    numbers = np.nan_to_num(np.array(found), nan=-7e77, posinf=1e99, neginf=-1e99)
    sizes = np.copysign([math.log1p(each / LEAST) for each in np.abs(numbers).tolist()], numbers)
    return {'n': n, 'sums': [math.fsum((part * sizes).tolist()) / math.sqrt(n) for part in np.split(weights(2 * n), 2)]}


def measured() -> Rows:
    """Return the rows of all calls."""
    series = Series()
    for module in (functions_of_sensors, functions_of_terrain, functions_of_vehicles, functions_of_world):
        for name, value in module.calls():
            series.add(name, digest(value))
    return series.rows()
