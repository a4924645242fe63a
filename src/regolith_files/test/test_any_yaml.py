# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the YAML reader with random values and random text."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from regolith_files.bounded_yaml import load_yaml
from regolith_files.problems import InputError
from regolith_files.yaml_source import YamlSource, parse_yaml_value

SEVERAL = settings(
    derandomize=True, max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
KEY = st.text(st.characters(exclude_categories=['C']), min_size=1, max_size=8).filter(lambda k: k != '<<')
NUMBER = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
LEAF = st.none() | st.booleans() | NUMBER | st.text(st.characters(exclude_categories=['C']), max_size=12)
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4), max_leaves=12
)


def same(a: Any, b: Any) -> bool:
    """Return whether two values are equal, with floats identical in every bit."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return isinstance(b, float) and a.hex() == b.hex()
    return type(a) is type(b) and a == b


@SEVERAL
@given(st.dictionaries(KEY, VALUE, min_size=1, max_size=4))
def test_yaml_source_written_values_read_back_identical(tmp_path: Path, values: dict[str, Any]) -> None:
    """Keys are text as written: yes, 1 and null can be names, for example of rovers."""
    file = tmp_path / 'a.yaml'
    file.write_text(yaml.safe_dump(values, allow_unicode=True), encoding='utf-8')
    source = YamlSource(file, what='values')
    assert same(source.data, values)
    for key in values:
        assert source.where((key,)).startswith(f'{file}:')


@SEVERAL
@given(NUMBER)
@example(1e-3)
@example(4.0e8)
@example(1e22)
def test_parse_value_any_python_notation_gives_the_number(number: float) -> None:
    if isinstance(number, float) and math.isinf(number):
        return
    for text in (repr(number), repr(number).replace('e+', 'e'), f'{number:+}', repr(number).upper()):
        read = parse_yaml_value(text)
        assert isinstance(read, (int, float)) and read == number, text


LINES = st.lists(
    st.sampled_from(
        [
            'a: 1',
            'a: 2',
            '  b: [1, 2',
            ']',
            '- x',
            'c: &x {d: *x}',
            'e: *x',
            '<<: *x',
            '? [1]',
            ': 2',
            '!!bool maybe',
            '---',
            'f: 2026-13-45',
            '\t',
            "g: '",
            'h: !!python/object:os.system x',
            '{',
            'i: |',
            '%YAML 9.9',
            'j: 0x',
            'k: 1:2:3',
            '...',
        ]
    )
    | st.text(max_size=10),
    max_size=6,
)


@SEVERAL
@given(LINES.map('\n'.join).map(lambda text: text.encode('utf-8', 'surrogatepass')) | st.binary(max_size=40))
@example(b'')
@example(b'a: !!float x')
@example(b'a: !!timestamp x')
@example(b'a: !!binary "\xc3\xbc"')
@example(b'a: !!int "0b"')
@example(b'a: !!int ""')
@example(b'a: 99999-01-01')
def test_yaml_source_any_bytes_give_a_mapping_or_a_named_error(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / 'a.yaml'
    file.write_bytes(data)
    try:
        source = YamlSource(file, what='values')
    except InputError as error:
        assert str(file) in str(error) and 'allowed' in str(error)
        return
    assert isinstance(source.data, dict) and all(isinstance(key, str) for key in source.data)


@SEVERAL
@given(LINES.map('\n'.join))
def test_parse_value_any_text_gives_a_value_or_an_error(text: str) -> None:
    try:
        parse_yaml_value(text, '--set a', 'a')
    except InputError as error:
        assert '--set a' in str(error)
    with suppress(yaml.YAMLError):
        load_yaml(text)
