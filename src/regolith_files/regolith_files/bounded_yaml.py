# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML read within limits, so that a file of a few lines cannot exhaust a machine.

Through aliases ten lines can stand for a billion values, and libyaml composes nested nodes by recursion on the C stack,
which some ten thousand levels overflow. Both are visible in the flat stream of parsing events, before any node is made.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

MAX_DEPTH = 40
"""Largest nesting of mappings and lists; our files need eight levels."""
MAX_VALUES = 200_000
"""Largest number of keys and values with aliases written out: a path of 50 000 way-points."""
MAX_CHARACTERS = 10_000_000

_InC: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


class BaseLoader(_InC):  # type: ignore[misc]  # the base is chosen at run time: C where it is built, else Python
    """PyYAML's safe loader, for which ``1e-3`` is a number as everywhere else."""


BaseLoader.add_implicit_resolver(
    'tag:yaml.org,2002:float', re.compile(r'^[-+]?(?:\d[\d_]*)(?:\.[\d_]*)?[eE][-+]?\d+$'), list('-+0123456789')
)


UNREADABLE = (KeyError, ValueError, AttributeError, IndexError, OverflowError)
"""Errors of PyYAML itself, for tags that do not fit their values: ``!!bool x``, ``!!timestamp x``, ``!!int ""``."""


class YamlLimitError(yaml.MarkedYAMLError):
    """YAML beyond a limit: ``problem`` names it, ``allowed`` gives it, ``problem_mark`` is the place."""

    def __init__(self, problem: str, allowed: str, mark: Any) -> None:
        super().__init__(problem=f'{problem}; allowed: {allowed}', problem_mark=mark)
        self.what = problem
        self.allowed = allowed


def check_limits(text: str) -> None:
    """Refuse text beyond the limits.

    Raises:
        YamlLimitError: If it nests too deeply or stands for too many values.
        yaml.YAMLError: If it is not YAML.
    """
    if len(text) > MAX_CHARACTERS:
        raise YamlLimitError(f'has {len(text)} characters', f'at most {MAX_CHARACTERS}', None)
    sizes: dict[str, int] = {}
    """Values that an anchor stands for."""
    open_: list[tuple[str | None, int]] = []
    """Anchor of each collection we are in, and the count at its beginning."""
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
            problem = f'stands for more than {MAX_VALUES} values, aliases (*name) written out'
            raise YamlLimitError(problem, f'at most {MAX_VALUES} values', event.start_mark)


def load_yaml(text: str) -> Any:
    """Return the content of a YAML text, as ``yaml.safe_load`` does, within the limits.

    Raises:
        yaml.YAMLError: If it is beyond them, or not YAML.
    """
    check_limits(text)
    try:
        return yaml.load(text, Loader=BaseLoader)
    except UNREADABLE as error:
        raise yaml.YAMLError(f'a value cannot be read: {error}') from None
