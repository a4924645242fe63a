# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The base of every schema, and the limits of times in files."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Section(BaseModel):
    """A part of a file; unknown keys, NaN, true for 1 and '5' for 5 are refused."""

    model_config = ConfigDict(extra='forbid', allow_inf_nan=False, frozen=True, strict=True)

    @model_validator(mode='before')
    @classmethod
    def _lists_are_tuples(cls, values: Any) -> Any:
        """Files have lists only; a frozen model keeps tuples."""
        return _with_tuples(values)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


SHORTEST_S = 1e-6
"""Shortest duration in a file [s], far above the nanosecond to which times are rounded."""
LONGEST_S = 1e9
"""Longest duration in a file [s]: 31 years, which fit into 64 bits of nanoseconds."""
Moment = Annotated[float, Field(ge=0.0, le=LONGEST_S)]
"""A time from the beginning [s]."""
Later = Annotated[float, Field(ge=SHORTEST_S, le=LONGEST_S)]
"""A time after the beginning [s]: what ends at once never was."""
Seconds = Annotated[float, Field(ge=SHORTEST_S, le=LONGEST_S)]
"""A length of time [s]."""
