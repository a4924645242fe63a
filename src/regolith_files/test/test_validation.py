# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of messages for values of which several forms are allowed."""

from __future__ import annotations

import math
from typing import Annotated, Any

import pytest
from pydantic import Field

from regolith_files.problems import InputError
from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_files.yaml_source import YamlSource

Place = Annotated[float, Field(le=1e6, allow_inf_nan=False)]


class Pair(Section):
    """Two numbers or three, as an obstacle's position."""

    at: tuple[Place, Place] | tuple[Place, Place, Place] = Field(description='x, y and perhaps z [m]')


def problems(value: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        validated(Pair, {'at': value}, YamlSource.of({'at': value}, 'file'))
    return [f'{p.key}: {p.problem}' for p in caught.value.problems]


def test_wrong_item_is_named_alone() -> None:
    """And not the length, which is right for one of the forms."""
    assert problems([3, 3, 1e9]) == ['at.2: is out of range']
    assert problems([3, math.nan]) == ['at.1: is not finite']
    assert problems([math.nan, 3, 1e9]) == ['at.0: is not finite', 'at.2: is out of range']


def test_wrong_length_is_named_where_all_items_are_right() -> None:
    assert [text.partition(':')[0] for text in problems([1, 2, 3, 4])] == ['at']
    assert all('is missing' in text for text in problems([1]))
