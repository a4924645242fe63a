# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the schema base class: strict types, unknown keys."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field, ValidationError

from regolith_files.section import Section


class Inner(Section):
    flag: bool = False
    ratio: float = Field(0.5, ge=0.0)


class Outer(Section):
    count: int = 1
    name: str = 'a'
    place: tuple[float, ...] = ()
    places: dict[str, tuple[float, float]] = Field(default_factory=dict)
    inner: Inner = Inner()
    others: tuple[Inner, ...] = ()


def test_valid_values_of_a_yaml_file_are_accepted() -> None:
    found = Outer.model_validate(
        {
            'count': 3,
            'place': [1, 2.5],
            'places': {'here': [0, 1]},
            'inner': {'flag': True, 'ratio': 1},
            'others': [{'ratio': 0.25}],
        }
    )
    assert (found.count, found.place, found.places) == (3, (1.0, 2.5), {'here': (0.0, 1.0)})
    assert found.inner == Inner(flag=True, ratio=1.0) and found.others == (Inner(ratio=0.25),)
    assert Outer.model_validate(found.model_dump(mode='json')) == found


@pytest.mark.parametrize(
    ('values', 'where'),
    [
        ({'count': True}, ('count',)),
        ({'count': '3'}, ('count',)),
        ({'count': 3.5}, ('count',)),
        ({'name': 3}, ('name',)),
        ({'place': [1.0, '2']}, ('place', 1)),
        ({'place': [True]}, ('place', 0)),
        ({'places': {'here': [0.0, float('nan')]}}, ('places', 'here', 1)),
        ({'inner': {'flag': 1}}, ('inner', 'flag')),
        ({'inner': {'flag': 'yes'}}, ('inner', 'flag')),
        ({'others': [{}, {'ratio': False}]}, ('others', 1, 'ratio')),
        ({'ratio': 0.5}, ('ratio',)),
    ],
)
def test_values_of_a_wrong_type_are_refused(values: dict[str, Any], where: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(values)
    assert [error['loc'] for error in caught.value.errors()] == [where]
