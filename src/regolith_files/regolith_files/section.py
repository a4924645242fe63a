# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of all schemas, and types of times in files."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Section(BaseModel):
    """Base class of a section of a file.

    It rejects unknown keys, NaN and values of a similar type, such as true for 1 or '5' for 5.
    """

    model_config = ConfigDict(extra='forbid', allow_inf_nan=False, frozen=True, strict=True)

    @model_validator(mode='before')
    @classmethod
    def _lists_are_tuples(cls, values: Any) -> Any:
        """Convert lists to tuples: files contain lists, and a frozen model holds tuples."""
        return _with_tuples(values)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


SHORTEST_DURATION_S = 1e-6
"""Minimum duration in a file [s], far above the nanosecond to which times are rounded."""
LONGEST_DURATION_S = 1e9
"""Maximum duration in a file [s]: 31 years, within 64 bits of nanoseconds."""
TimeSinceStart = Annotated[float, Field(ge=0.0, le=LONGEST_DURATION_S)]
"""Time since the start [s]."""
PositiveTimeSinceStart = Annotated[float, Field(ge=SHORTEST_DURATION_S, le=LONGEST_DURATION_S)]
"""Time after the start [s], greater than zero."""
Seconds = Annotated[float, Field(ge=SHORTEST_DURATION_S, le=LONGEST_DURATION_S)]
"""Duration [s], greater than zero."""
