# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What users can set, as rows of a baseline: options of all commands and keys of all schemas, with defaults and bounds."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from baseline_values import Rows, Series
from pydantic import BaseModel

from regolith_bringup.cli import app
from regolith_bringup.commands.command_tree import all_commands

SOURCE = Path(__file__).resolve().parent.parent / 'src'
BOUNDS = ('ge', 'gt', 'le', 'lt', 'multiple_of', 'min_length', 'max_length', 'pattern')


def _option(series: Series, path: str, given: Any) -> None:
    """Take what a command says and does about one of its options or arguments."""
    about = {
        'words': ' '.join([*given.opts, *given.secondary_opts]),
        'help': getattr(given, 'help', None),
        'metavar': given.metavar,
        'required': given.required,
        'values': given.nargs,
        'repeated': bool(getattr(given, 'multiple', False)),
        'flag': bool(getattr(given, 'is_flag', False)),
        'default': None if callable(given.default) else _plain(given.default),
    }
    for bound in ('min', 'max'):  # of the option or, in other versions of the library, of its type
        about[bound] = getattr(given, bound, getattr(getattr(given, 'type', None), bound, None))
    series.add(path, _line(about))


def _plain(value: Any) -> Any:
    """Return a default as rows take it; a path of the checkout by its last part."""
    if isinstance(value, Path):
        return value.name if value.is_absolute() else str(value)
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, BaseModel):
        own = {'name': value.name} if hasattr(value, 'name') else value.model_dump(exclude_defaults=True)
        return f'{type(value).__name__} {_plain(own) or ""}'.strip()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return type(value).__name__


def _line(about: dict[str, Any]) -> str:
    """Return what is other than it mostly is in one line."""
    return ', '.join(f'{key} {value!r}' for key, value in about.items() if value is not None and value is not False)


def schemas() -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield all schemas with their names: in files that import them from pydantic, so without importing all others."""
    for file in sorted(SOURCE.glob('*/regolith_*/**/*.py')):
        if not re.search(r'^from pydantic import|\bSection\b|\bSettings\b', file.read_text(encoding='utf-8'), re.M):
            continue
        name = '.'.join(file.relative_to(SOURCE).with_suffix('').parts[1:])
        module = importlib.import_module(name.removesuffix('.__init__'))
        for key, value in sorted(vars(module).items()):
            if inspect.isclass(value) and issubclass(value, BaseModel) and value.__module__ == module.__name__:
                yield f'{module.__name__}.{key}', value


def interface() -> Rows:
    """Return the rows of all commands and schemas."""

    series = Series()
    for words, command in all_commands(app, 'regolith'):
        series.add(f'command {words}', str(command.help))
        for given in command.params:
            _option(series, f'command {words} {given.opts[-1]}', given)
    for name, schema in schemas():
        for key, field in schema.model_fields.items():
            bounds = {
                bound: getattr(mark, bound)
                for mark in field.metadata
                for bound in BOUNDS
                if getattr(mark, bound, None) is not None
            }
            default = '(required)' if field.is_required() else _plain(field.get_default(call_default_factory=True))
            series.add(f'key {name}.{key}', _line({'default': default, **bounds, 'about': field.description}))
    return series.rows()
