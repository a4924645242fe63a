# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML reader with limits on depth, number of values and length.

With aliases, ten lines can expand to a billion values. libyaml composes nested nodes by recursion on the C stack, which
overflows at some ten thousand levels. Both are visible in the flat stream of parsing events, before any node exists.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

MAX_DEPTH = 40
"""Maximum depth of nested mappings and lists; the files of Regolith need eight levels."""
MAX_VALUES = 200_000
"""Maximum number of keys and values with aliases expanded: a path of 50 000 waypoints."""
MAX_CHARACTERS = 10_000_000

_InC: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


class BaseLoader(_InC):  # type: ignore[misc]  # base chosen at run time: C if available, else Python
    """Safe loader of PyYAML that also reads ``1e-3`` as a number."""


BaseLoader.add_implicit_resolver(
    'tag:yaml.org,2002:float', re.compile(r'^[-+]?(?:\d[\d_]*)(?:\.[\d_]*)?[eE][-+]?\d+$'), list('-+0123456789')
)


UNREADABLE = (KeyError, ValueError, AttributeError, IndexError, OverflowError)
"""Errors that PyYAML raises for tags that do not fit their values: ``!!bool x``, ``!!timestamp x``, ``!!int ""``."""


class YamlLimitError(yaml.MarkedYAMLError):
    """YAML text beyond a limit. ``problem`` names the limit and ``problem_mark`` the place."""

    def __init__(self, problem: str, allowed: str, mark: Any) -> None:
        super().__init__(problem=f'{problem}; allowed: {allowed}', problem_mark=mark)
        self.what = problem
        self.allowed = allowed


def check_limits(text: str) -> None:
    """Check a YAML text against the limits.

    Raises:
        YamlLimitError: If the text is too long, nests too deeply or expands to too many values.
        yaml.YAMLError: If the text is not valid YAML.
    """
    if len(text) > MAX_CHARACTERS:
        raise YamlLimitError(f'has {len(text)} characters', f'at most {MAX_CHARACTERS}', None)
    sizes: dict[str, int] = {}
    """Number of values behind each anchor."""
    open_: list[tuple[str | None, int]] = []
    """Anchor of each open collection and the count at its start."""
    count = 0
    for event in yaml.parse(text, Loader=BaseLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_.pop()
            if anchor is not None:
                sizes[anchor] = count - before
        elif isinstance(event, yaml.AliasEvent):
            count += sizes.get(str(event.anchor), 1)
        elif isinstance(event, yaml.NodeEvent):
            count += 1
            if isinstance(event, yaml.CollectionStartEvent):
                open_.append((event.anchor, count - 1))
            elif event.anchor is not None:
                sizes[event.anchor] = 1
        if len(open_) > MAX_DEPTH:
            problem = f'nests more than {MAX_DEPTH} levels deep'
            raise YamlLimitError(problem, f'at most {MAX_DEPTH} levels', event.start_mark)
        if count > MAX_VALUES:
            problem = f'expands to more than {MAX_VALUES} values, with aliases (*name) expanded'
            raise YamlLimitError(problem, f'at most {MAX_VALUES} values', event.start_mark)


def load_yaml(text: str) -> Any:
    """Return the content of a YAML text within the limits, otherwise like ``yaml.safe_load``.

    Raises:
        yaml.YAMLError: If the text exceeds a limit or is not valid YAML.
    """
    check_limits(text)
    try:
        return yaml.load(text, Loader=BaseLoader)
    except UNREADABLE as error:
        raise yaml.YAMLError(f'a value cannot be read: {error}') from None
