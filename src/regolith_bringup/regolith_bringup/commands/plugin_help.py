# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Help pages of ``./regolith experiment NAME --help`` and ``bench NAME --help``, made from the schemas of plug-ins."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator
from inspect import getdoc, signature
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from regolith_bringup.commands.plugins import benchmark, experiment

Row = tuple[str, str]
"""Text to type, and its meaning."""

ABOUT_SETTINGS = (
    'Settings are given as --set key=value or as --key value, several values as key=1,2 or --key 1 --key 2. '
    'Ctrl-C stops a long experiment. Its results so far are marked incomplete, and --resume FILE continues from its '
    'checkpoint.'
)
_GENERAL: tuple[Row, ...] = (
    ('--set KEY=VALUE', 'set one setting; same as --KEY VALUE'),
    ('--json', 'print the result as one JSON value on stdout: an object, or a list for a sweep'),
    ('--help', 'show this help'),
)
_PLOT: Row = ('--plot FILE', 'write a plot of the result: .png, .svg or .pdf')
_FILES = ('resume', 'checkpoint')
"""Settings of the execution, not of the measurement."""
_BOUNDS = (('ge', 'from'), ('gt', 'above'), ('le', 'up to'), ('lt', 'below'))
_SAID = re.compile(r'\b(none|absent): ')
"""Matches descriptions that state the meaning of none."""


def experiment_help(name: str) -> str:
    """Return the help page of an experiment.

    Args:
        name: Name of the experiment.

    Raises:
        InputError: If the experiment does not exist or cannot be loaded.
    """
    target = experiment(name)
    if not isinstance(target, ModuleType):
        return _page(f'experiment {name}', target, [('Settings', _parameters(target)), ('Options', [*_GENERAL])])
    fields = target.Settings.model_fields
    files = [(f'--{key} FILE', _meaning(fields[key])) for key in _FILES if key in fields]
    return _page(
        f'experiment {name}',
        target,
        [('Settings', list(_settings(target.Settings))), ('Options', [*_GENERAL[:-1], _PLOT, *files, _GENERAL[-1]])],
    )


def benchmark_help(name: str) -> str:
    """Return the help page of a benchmark.

    Args:
        name: Name of the benchmark.

    Raises:
        InputError: If the benchmark does not exist or cannot be loaded.
    """
    target = benchmark(name)
    return _page(f'bench {name}', target, [('Options', [('--json', 'print one JSON value on stdout'), _GENERAL[-1]])])


def _page(command: str, target: Any, parts: list[tuple[str, list[Row]]]) -> str:
    """Return a page: usage, description of the target, and tables."""
    wide = max(60, min(120, shutil.get_terminal_size().columns))
    lines = [f'Usage: regolith {command} [OPTIONS]', '']
    for paragraph in (getdoc(target) or '').split('\n\n'):
        if paragraph and not paragraph.startswith(':'):
            lines += [*textwrap.wrap(' '.join(paragraph.replace('``', '').split()), wide), '']
    for title, rows in parts:
        lines.append(f'{title}:' if rows else f'{title}: none')
        column = 4 + max((len(left) for left, _ in rows), default=0)
        for left, right in rows:
            first = f'  {left}'.ljust(column)
            lines += textwrap.wrap(right, wide, initial_indent=first, subsequent_indent=' ' * column) or [first]
        lines.append('')
    return '\n'.join(lines).rstrip()


def _parameters(function: Any) -> list[Row]:
    """Return the parameters of a function."""
    return [
        (p.name, 'required' if p.default is p.empty else f'default {_written(p.default)}')
        for p in signature(function).parameters.values()
    ]


def _settings(model: type[BaseModel], indent: str = '') -> Iterator[Row]:
    """Yield the settings of a schema. The keys of nested mappings are indented."""
    for key, field in model.model_fields.items():
        if key in _FILES:
            continue
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        yield f'{indent}{key}', _meaning(field)
        if isinstance(default, BaseModel) and not hasattr(default, 'name'):
            yield from _settings(type(default), f'{indent}  ')


def _meaning(field: Any) -> str:
    """Return the description of a setting with its allowed values and default."""
    parts = [field.description.rstrip('.')] if field.description else []
    choices = _choices(field.annotation)
    bounds = [
        f'{word} {_written(getattr(mark, key))}'
        for key, word in _BOUNDS
        for mark in field.metadata
        if isinstance(getattr(mark, key, None), int | float)
    ]
    if choices:
        parts.append(f'one of {", ".join(choices)}')
    parts += [', '.join(bounds)] if bounds else []
    if field.is_required():
        return '; '.join([*parts, 'required'])
    default = field.get_default(call_default_factory=True)
    named = getattr(default, 'name', None)
    if default is None and field.description and _SAID.search(field.description):
        return '; '.join(parts)
    if named is not None or not isinstance(default, BaseModel):
        parts.append(f'default {named or _written(default)}')
    return '; '.join(parts)


def _choices(annotation: Any) -> list[str]:
    """Return the enumerated values of a setting, empty for other types."""
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for option in get_args(annotation) for word in _choices(option)]


def _written(value: object) -> str:
    """Return a value as it is typed on the command line."""
    match value:
        case None | bool():
            return {None: 'none', True: 'true', False: 'false'}[value]
        case float():
            return f'{value:g}'
        case list() | tuple():
            return ','.join(map(_written, value)) or 'none'
    return str(value)
