# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the limits of YAML files."""

from __future__ import annotations

import pytest
import yaml

from regolith_files.bounded_yaml import MAX_DEPTH, MAX_VALUES, YamlLimitError, check_limits, load_yaml

BOMB = 'a: &l0 [x, x, x, x, x, x, x, x, x, x]\n' + ''.join(
    f'k{n}: &l{n} [{", ".join([f"*l{n - 1}"] * 10)}]\n' for n in range(1, 12)
)
"""Twelve lines that expand to 10^12 values."""


def test_load_yaml_alias_bomb_gives_an_error_at_its_line() -> None:
    with pytest.raises(YamlLimitError, match=f'more than {MAX_VALUES} values.*at most {MAX_VALUES}') as caught:
        load_yaml(BOMB)
    assert caught.value.problem_mark is not None and caught.value.problem_mark.line == 5


def test_load_yaml_merged_mappings_count_at_each_use() -> None:
    lines = ['a: &m0 {p: 1, q: 2, r: 3, s: 4, t: 5}']
    lines += [f'b{n}: &m{n} {{<<: [{", ".join([f"*m{n - 1}"] * 9)}]}}' for n in range(1, 9)]
    with pytest.raises(YamlLimitError):
        load_yaml('\n'.join(lines))


@pytest.mark.parametrize('levels', [2_000, 200_000])
@pytest.mark.parametrize(('before', 'after'), [('[', ']'), ('{a: ', '}')])
def test_deep_nesting_is_refused(levels: int, before: str, after: str) -> None:
    """200 000 levels overflow the C stack when libyaml composes them, and the process crashes."""
    with pytest.raises(YamlLimitError, match=f'more than {MAX_DEPTH} levels deep'):
        load_yaml('k: ' + before * levels + after * levels)


def test_load_yaml_within_limits_equals_safe_load() -> None:
    deep = '[' * MAX_DEPTH + ']' * MAX_DEPTH
    assert load_yaml(deep) == yaml.safe_load(deep)
    wide = '[' + '1,' * (MAX_VALUES - 1) + ']'
    check_limits(wide)
    with pytest.raises(YamlLimitError):
        check_limits('[' + wide[1:-1] + '1,]')
    text = 'base: &b {x: 1, y: [1, 2]}\nother: {<<: *b, z: *b}\nagain: &c 3\nlast: *c\n'
    assert load_yaml(text) == yaml.safe_load(text)


def test_limit_error_is_a_yaml_error() -> None:
    """Readers of files catch YAML errors and report them in their own style."""
    assert issubclass(YamlLimitError, yaml.YAMLError)
    with pytest.raises(yaml.YAMLError, match='allowed: at most'):
        load_yaml(BOMB)
