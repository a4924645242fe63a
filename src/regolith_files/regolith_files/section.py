# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The base of every schema, and the lengths of time that files may ask for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Section(BaseModel):
    """A part of a file: unknown keys and NaN are refused, and true is not taken for 1, nor '5' for 5."""

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
"""Shortest length of time a file may ask for, far above the nanosecond that times are rounded to: 0 is for ever."""
LONGEST_S = 1e9
"""Longest: 31 years in nanoseconds fit into 64 bits."""
Moment = Annotated[float, Field(ge=0.0, le=LONGEST_S)]
"""A time from the beginning [s]."""
Seconds = Annotated[float, Field(ge=SHORTEST_S, le=LONGEST_S)]
"""A length of time [s]."""
