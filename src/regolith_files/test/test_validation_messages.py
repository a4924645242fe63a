# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of error messages of values that a schema rejects."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, ValidationError, field_validator

from regolith_files.section import Section
from regolith_files.validation_messages import describe_error


class Sample(Section):
    count: int = Field(1, ge=1)
    share: float = 0.5
    name: str = Field('a', min_length=1, max_length=3)
    on: bool = True
    kind: Literal['one', 'many'] = 'one'
    points: Annotated[tuple[int, ...], Field(min_length=2, max_length=3)] = (1, 2)
    table: dict[str, int] = Field(default_factory=dict)
    inner: WithoutUnit | None = None

    @field_validator('share')
    @classmethod
    def _half(cls, share: float) -> float:
        if share > 1.0:
            raise ValueError('is more than all; allowed: up to 1')
        return share


class WithoutUnit(Section):
    value: int


@pytest.mark.parametrize(
    ('key', 'value', 'problem', 'allowed'),
    [
        ('count', 'x', 'has the wrong type', 'a valid integer'),
        ('count', 0, 'is out of range', 'greater than or equal to 1'),
        ('share', float('nan'), 'is not finite', 'a finite number'),
        ('share', 2.0, 'is more than all', 'up to 1'),
        ('share', 'inf', 'is not finite', 'a finite number'),
        ('share', 'NaN', 'is not finite', 'a finite number'),
        ('share', 'much', 'has the wrong type', 'a valid number'),
        ('count', '-inf', 'is not finite', 'a finite number'),
        ('count', float('inf'), 'is not finite', 'a finite number'),
        ('name', '', 'is too short', 'a length of at least 1'),
        ('name', 'abcd', 'is too long', 'a length of at most 3'),
        ('name', 3, 'has the wrong type', 'text'),
        ('on', 1, 'has the wrong type', 'true or false'),
        ('kind', 'two', 'is unknown', "'one' or 'many'"),
        ('points', [1], 'is too short', 'at least 2 of them'),
        ('points', [1, 2, 3, 4], 'is too long', 'at most 3 of them'),
        ('points', 3, 'has the wrong type', 'a list'),
        ('table', 3, 'has the wrong type', 'a mapping'),
        ('inner', 3, 'has the wrong type', 'a mapping'),
        ('inner', {}, 'is missing', ''),
        ('nosuch', 3, 'unknown key', ''),
    ],
)
def test_describe_error_gives_problem_and_allowed_values(key: str, value: Any, problem: str, allowed: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Sample.model_validate({key: value})
    (detail,) = caught.value.errors()
    assert describe_error(detail) == (problem, allowed)
