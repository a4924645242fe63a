# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of validation messages."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Discriminator, Field, Tag, model_validator

from regolith_files.problems import InputError, rounded_text
from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_files.yaml_source import YamlSource

Place = Annotated[float, Field(le=1e6, allow_inf_nan=False)]


class Pair(Section):
    """Two or three numbers, such as the position of an obstacle."""

    at: tuple[Place, Place] | tuple[Place, Place, Place] = Field(description='Position x, y and optionally z [m].')


def problems(value: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        validated(Pair, {'at': value}, YamlSource.of({'at': value}, 'file'))
    return [f'{p.key}: {p.problem}' for p in caught.value.problems]


def test_validated_wrong_item_is_the_only_problem() -> None:
    """The length is not reported, because it is valid for one of the forms."""
    assert problems([3, 3, 1e9]) == ['at.2: is out of range']
    assert problems([3, math.nan]) == ['at.1: is not finite']
    assert problems([math.nan, 3, 1e9]) == ['at.0: is not finite', 'at.2: is out of range']


def test_validated_valid_items_of_wrong_number_name_the_length() -> None:
    assert [text.partition(':')[0] for text in problems([1, 2, 3, 4])] == ['at']
    assert problems([1]) == ['at: has 1 value']


def allowed(model: type[Section], data: Any) -> str:
    with pytest.raises(InputError) as caught:
        validated(model, data, YamlSource.of(data, 'file'))
    (found,) = caught.value.problems
    return found.allowed


class Named(Section):
    """Mapping form of a position."""

    name: str
    at: tuple[Place, Place] = (0.0, 0.0)


class Inner(Section):
    """Section with a key that users often set one level too high."""

    regions: tuple[Named, ...] = ()
    width: float = 1.0


class Outer(Section):
    """Schema like a scenario: keys, mappings and a value of two forms."""

    seed: int = 1
    ground: Inner = Inner()
    sun: Pair | Named | None = None


def test_validated_wrong_length_states_allowed_lengths() -> None:
    assert allowed(Pair, {'at': [1]}).startswith('a list of 2 or 3 values (at: ')
    assert allowed(Named, {'name': 'a', 'at': [1, 2, 3]}) == 'a list of 2 values'


def test_validated_wrong_type_lists_all_forms_of_a_mapping() -> None:
    assert allowed(Outer, {'sun': 'noon'}) == 'a mapping with keys of at, or of name, at'


def test_validated_unknown_key_suggests_keys_inside_and_outside() -> None:
    assert allowed(Outer, {'regions': []}) == 'seed, ground, sun (did you mean ground.regions?)'
    assert allowed(Outer, {'ground': {'seed': 3}}) == 'regions, width (did you mean seed?)'
    assert allowed(Outer, {'sed': 3}) == 'seed, ground, sun (did you mean seed?)'
    assert allowed(Outer, {'color': 3}) == 'seed, ground, sun'


class Store(Section):
    """Sections and lists with a model validator over several keys."""

    vary: dict[str, tuple[int, ...]] = Field({})
    parts: tuple[dict[str, Any], ...] = ()
    blame: str = ''

    @model_validator(mode='after')
    def _names_a_key(self) -> Store:
        if self.blame:
            raise ValueError(self.blame)
        return self


@pytest.mark.parametrize(
    ('blame', 'said'),
    [
        ('vary.a.b.1: again; allowed: once', 'f.yaml:3: store.vary.a.b.1 = 7: again; allowed: once'),
        ('parts.0.name: taken; allowed: another', "f.yaml:5: store.parts.0.name = 'x': taken; allowed: another"),
        ('parts.0.name = y: taken; allowed: another', 'f.yaml:5: store.parts.0.name = y: taken; allowed: another'),
        ('parts.0.size: is missing; allowed: a number', 'f.yaml:5: store.parts.0.size: is missing; allowed: a number'),
        ('nothing: of the kind; allowed: that', 'f.yaml:1: store = {vary: '),
        ('no key at all; allowed: that', 'f.yaml:1: store = {vary: '),
    ],
)
def test_validated_model_check_names_the_deepest_key(tmp_path: Path, blame: str, said: str) -> None:
    """Keys can contain dots, such as those of a campaign."""
    file = tmp_path / 'f.yaml'
    file.write_text(f"store:\n  vary:\n    a.b: [7, 7]\n  parts:\n  - name: x\n  blame: '{blame}'\n")
    source = YamlSource(file, what='a store')
    with pytest.raises(InputError) as caught:
        validated(Store, source.data['store'], source, ('store',))
    assert str(caught.value).removeprefix(f'{tmp_path}/').startswith(said)


def test_validated_item_of_a_text_list_names_the_list() -> None:
    class Sweep(Section):
        slip: Any = ()

        @model_validator(mode='after')
        def _small(self) -> Sweep:
            raise ValueError('slip.1 = 2.0: is out of range; allowed: below 1')

    data = {'slip': '0.1,2.0'}
    with pytest.raises(InputError, match=r'^--set: slip = 2\.0: is out of range; allowed: below 1$'):
        validated(Sweep, data, YamlSource.of(data, '--set'))


class Matte(Section):
    """Surface without gloss."""

    albedo: float = 0.1


def _type_of(value: Any) -> Any:
    return value.get('type', 'matte') if isinstance(value, dict) else getattr(value, 'type', None)


class Painted(Section):
    """Section with a surface whose type a function reads."""

    surface: Annotated[Annotated[Matte, Tag('matte')] | Annotated[Pair, Tag('pair')], Discriminator(_type_of)]


@pytest.mark.parametrize(
    ('surface', 'key', 'message'),
    [
        (
            {'type': 'mate'},
            'surface.type',
            "surface.type = 'mate': unknown type; allowed: matte, pair (did you mean matte?)",
        ),
        (None, 'surface', 'has no type; allowed: a mapping with the key type'),
        ([1], 'surface', 'has no type; allowed: a mapping with the key type'),
    ],
)
def test_type_that_a_function_reads_is_named_by_its_key(surface: Any, key: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        validated(Painted, {'surface': surface}, YamlSource.of({'surface': surface}, 'file'))
    (problem,) = caught.value.problems
    assert problem.key == key and message in str(caught.value)


class Counts(Section):
    """Integers in several forms, beside a decimal number and a choice of both."""

    most: int = Field(1, le=1000)
    cells: tuple[int, Annotated[int, Field(ge=1)]] = (1, 1)
    lines: tuple[int, ...] = ()
    optional: int | None = None
    mass: float = 1.0
    either: int | float = 0

    @model_validator(mode='after')
    def _names_a_default(self) -> Counts:
        if self.optional == 7:
            raise ValueError(f'mass = {self.mass!r}: is too light; allowed: 2')
        if self.optional is None and self.most == 7:
            raise ValueError(f'optional = {self.optional!r}: is missing; allowed: 7')
        return self


def test_whole_numbers_with_an_exponent_are_integers() -> None:
    found = Counts.model_validate({'most': 1e2, 'cells': [2.0, 3], 'lines': [4e1], 'optional': 5.0, 'either': 6.0})
    assert (found.most, found.cells, found.lines, found.optional) == (100, (2, 3), (40,), 5)
    assert all(type(n) is int for n in (found.most, *found.cells, *found.lines, found.optional))
    assert type(found.either) is float and type(Counts.model_validate({'mass': 2.0}).mass) is float


@pytest.mark.parametrize(
    ('data', 'said'),
    [
        ({'most': 1e9}, 'file: most = 1000000000: is out of range; allowed: less than or equal to 1000'),
        ({'most': 2.5}, 'file: most = 2.5: has the wrong type; allowed: a valid integer'),
        ({'most': math.inf}, 'file: most = inf: is not finite; allowed: a finite number'),
        ({'most': True}, 'file: most = true: has the wrong type; allowed: a valid integer'),
        ({'cells': [1.0, 0.0]}, 'file: cells.1 = 0: is out of range; allowed: greater than or equal to 1'),
        ({'most': None}, 'file: most = null: has the wrong type; allowed: a valid integer'),
        ({'lines': [None]}, 'file: lines.0 = null: has the wrong type; allowed: a valid integer'),
        ({'optional': 7}, 'file: mass = 1.0 (default): is too light; allowed: 2'),
        ({'optional': 7, 'mass': 1.0}, 'file: mass = 1.0: is too light; allowed: 2'),
        ({'most': 7}, 'file: optional: is missing; allowed: 7'),
        ({'optional': None, 'most': 7}, 'file: optional = null: is missing; allowed: 7'),
    ],
)
def test_message_shows_integers_null_and_defaults(data: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        validated(Counts, data, YamlSource.of(data, 'file'))
    assert str(caught.value) == said


def test_message_has_no_value_for_a_missing_key() -> None:
    with pytest.raises(InputError, match=r'^file: name: is missing; allowed: a value$'):
        validated(Named, {}, YamlSource.of({}, 'file'))


@pytest.mark.parametrize(
    ('value', 'digits', 'text'),
    [(390.4, 2, '390'), (1.5e5, 2, '150000'), (0.00067, 2, '0.00067'), (1.0, 3, '1'), (2.5e-9, 2, '0.0000000025')],
)
def test_rounded_text_has_no_exponent(value: float, digits: int, text: str) -> None:
    assert rounded_text(value, digits) == text
