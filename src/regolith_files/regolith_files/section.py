# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of all schemas, and types of times in files."""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Section(BaseModel):
    """Base class of a section of a file.

    It rejects unknown keys, NaN and values of a similar type, such as true for 1 or '5' for 5. A whole number with an
    exponent or a decimal point, such as 1e6, is an integer.
    """

    model_config = ConfigDict(extra='forbid', allow_inf_nan=False, frozen=True, strict=True)

    @model_validator(mode='before')
    @classmethod
    def _values_of_files(cls, values: Any) -> Any:
        """Convert lists to tuples, because a frozen model holds tuples, and whole numbers of integer keys to integers.

        YAML reads 1e6 as a decimal number.
        """
        values = _with_tuples(values)
        if not isinstance(values, dict):
            return values
        fields = cls.model_fields
        return {k: _with_integers(v, fields[k].annotation) if k in fields else v for k, v in values.items()}


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(inner) for key, inner in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _with_integers(value: Any, annotation: Any) -> Any:
    """Return a value with its whole decimal numbers as integers, where the annotation has integers only."""
    if not isinstance(value, (float, tuple)):
        return value
    kinds = _kinds(annotation)
    if isinstance(value, float):
        return int(value) if int in kinds and float not in kinds and value.is_integer() else value
    lists = [get_args(kind) for kind in kinds if get_origin(kind) is tuple]
    if len(lists) != 1 or not lists[0]:
        return value
    items = lists[0]
    if items[-1] is Ellipsis:
        items = (items[0],) * len(value)
    return tuple(map(_with_integers, value, items)) if len(items) == len(value) else value


@cache
def _kinds(annotation: Any) -> tuple[Any, ...]:
    """Return the types that an annotation allows, without metadata."""
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(kind for member in get_args(annotation) for kind in _kinds(member))
    return (annotation,)


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
