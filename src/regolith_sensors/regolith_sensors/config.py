# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor models as YAML files: shipped ones by name, a user's own by path; checked whole before anything starts."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from regolith_files.bounded_yaml import load_yaml
from regolith_files.section import Section

ModelT = TypeVar('ModelT', bound=Section)


class SensorModelError(ValueError):
    """A sensor file that cannot be used; one line per problem, each with file, key, value and what is allowed."""


def sensor_models(kind: str = '') -> tuple[str, ...]:
    """Return the names of the models that ship with the package, of one kind (e.g. 'camera') or all, sorted."""
    folder = resources.files('regolith_sensors') / 'data' / 'sensors'
    files = [entry for entry in folder.iterdir() if entry.name.endswith('.yaml')]
    chosen = [entry for entry in files if not kind or _kind(yaml.safe_load(entry.read_text())) == kind]
    return tuple(sorted(entry.name.removesuffix('.yaml') for entry in chosen))


def load_sensor(source: str | Path | Mapping[str, Any], schema: type[ModelT], base_dir: str | Path = '.') -> ModelT:
    """Return a sensor model from a shipped name, a YAML file or a mapping.

    :param source: name, path (relative ones start at ``base_dir``) or the values themselves
    :param schema: what it must be
    :raises SensorModelError: naming file, key, value and what is allowed
    """
    kind = str(schema.model_fields['type'].default)
    values, where = _read(source, kind, base_dir)
    return _checked(values, schema, where)


def sensor_kind(source: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> str:
    """Return what a sensor model says its type is; arguments and errors as of :func:`load_sensor`."""
    values, where = _read(source, '', base_dir)
    if 'type' not in values:
        raise SensorModelError(f'{where}: type: is missing; allowed: the type of the sensor, e.g. camera')
    return str(values['type'])


def _read(source: str | Path | Mapping[str, Any], kind: str, base_dir: str | Path) -> tuple[dict[str, Any], str]:
    """Return the values of a model, and where they came from."""
    if isinstance(source, Mapping):
        return dict(source), kind or 'sensor'
    shipped = resources.files('regolith_sensors') / 'data' / 'sensors' / f'{source}.yaml'
    path = Path(base_dir, source)
    try:
        if '/' not in str(source) and shipped.is_file():
            where, text = f'{source}.yaml', shipped.read_text(encoding='utf-8')
        else:
            where, text = str(path), path.read_text(encoding='utf-8')
        values = load_yaml(text)
    except OSError:
        known = sensor_models(kind)
        guess = difflib.get_close_matches(str(source), known, n=1)
        hint = f' (did you mean {guess[0]}?)' if guess else ''
        raise SensorModelError(
            f'{path}: {kind or "sensor"}: no such model or file; allowed: {", ".join(known)}, '
            f'or the path of a YAML file{hint}'
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SensorModelError(f'{path}: not valid YAML: {error}') from error
    if not isinstance(values, dict):
        raise SensorModelError(f'{where}: holds {values!r}; allowed: a mapping of type and what goes with it')
    return values, where


def _kind(values: Any) -> str:
    return str(values.get('type', '')) if isinstance(values, dict) else ''


def _checked(values: dict[str, Any], schema: type[ModelT], where: str) -> ModelT:
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        lines = [_line(schema, detail, where) for detail in error.errors(include_url=False)]
        raise SensorModelError('\n'.join(lines)) from None


def _line(schema: type[BaseModel], detail: Any, where: str) -> str:
    """Return one problem as text: file, key = value, what is wrong, what is allowed."""
    location = [str(part) for part in detail['loc']]
    message = str(detail['msg']).removeprefix('Value error, ')
    problem, separator, allowed = message.partition('; allowed: ')
    key, found, told = problem.partition(' = ')
    if separator and found and detail['type'] == 'value_error':
        # Checks over several keys name the one to mend themselves.
        return f'{where}: {".".join([*location, key])} = {told}; allowed: {allowed}'
    name = '.'.join(location)
    if detail['type'] == 'extra_forbidden':
        fields = list(_parent(schema, location).model_fields)
        guess = difflib.get_close_matches(location[-1], fields, n=1)
        hint = f' (did you mean {guess[0]}?)' if guess else ''
        return f'{where}: {name} = {detail["input"]!r}: unknown key; allowed: {", ".join(fields)}{hint}'
    if detail['type'] == 'missing':
        return f'{where}: {name}: is missing; allowed: {_about(schema, location)}'
    if separator:
        return f'{where}: {name} = {detail["input"]!r}: {problem}; allowed: {allowed}'
    expected = message.removeprefix('Input should be ')
    return f'{where}: {name} = {detail["input"]!r}: is not allowed; allowed: {expected}'


def _parent(schema: type[BaseModel], location: list[str]) -> type[BaseModel]:
    for part in location[:-1]:
        field = schema.model_fields.get(part)
        inner = field.annotation if field is not None else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            break
        schema = inner
    return schema


def _about(schema: type[BaseModel], location: list[str]) -> str:
    field = _parent(schema, location).model_fields.get(location[-1])
    return (field.description if field is not None else None) or 'a value'
