# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation with messages for users: key by key, with the allowed values."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from regolith_files.problems import InputError, Problem, allowed_names, closest, counted
from regolith_files.validation_messages import describe_error
from regolith_files.yaml_source import KeyPath, YamlSource

ModelT = TypeVar('ModelT', bound=BaseModel)

_ABOUT = re.compile(r' \([a-z]\w*: .*\)$', re.DOTALL)
"""A field's name and description behind the values that it allows."""
_KEY_FIRST = re.compile(r'(?P<key>\w+(\.[^\s:=]+)*)( = (?P<value>.+?))?: (?P<problem>.+)', re.DOTALL)
"""Message of a check of several keys: ``KEY = VALUE: PROBLEM``, or ``KEY: PROBLEM`` for the value in the data."""


def validated(model: type[ModelT], data: Any, source: YamlSource, prefix: KeyPath = ()) -> ModelT:
    """Return the data as an instance of a model.

    Args:
        model: The schema.
        data: Plain data.
        source: The file it came from.
        prefix: Key of the data in that file.

    Raises:
        InputError: With all problems, each naming file, key, value and what is allowed.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False)
        # Of a list with bad items pydantic says, too, that it is too short without them.
        echoes = [d for d in details if d['type'] == 'too_short' and 'after validation' in d['msg']]
        found = [d for d in details if d not in echoes] or details
        problems = [(_problem(model, data, detail, source, prefix), detail) for detail in found]
        raise InputError(_joined(_of_fitting_lists(problems))) from None


def _of_fitting_lists(found: list[tuple[Problem, ErrorDetails]]) -> list[Problem]:
    """Return the problems without those of the length of a list that has a wrong item.

    Where two or three numbers are allowed, pydantic tries both, and says of each list that its length is wrong for the
    other.
    """
    lists = [_list_of_wrong_length(problem, detail) for problem, detail in found]
    inside = [problem.key for (problem, _), key in zip(found, lists) if key is None]
    return [
        problem
        for (problem, _), key in zip(found, lists)
        if key is None or not any(other.startswith(f'{key}.') for other in inside)
    ]


def _list_of_wrong_length(problem: Problem, detail: ErrorDetails) -> str | None:
    """Return the key of a list whose length is wrong; None: the problem is another one."""
    if not _list_of_wrong_length_in(detail):
        return None
    # Where the schema does not give the length, the problem is at the missing item.
    missing = detail['type'] == 'missing' and problem.key.endswith(f'.{detail["loc"][-1]}')
    return problem.key.rpartition('.')[0] if missing else problem.key


def _list_of_wrong_length_in(detail: ErrorDetails) -> bool:
    """Return whether an error is one of a list's length."""
    return detail['type'] == 'too_long' or (detail['type'] == 'missing' and isinstance(detail['loc'][-1], int))


def _lengths(model: Any) -> str:
    """Return the number of values that lists of fixed length take, e.g. '2 or 3 values'; '' if there are none."""
    arguments = [get_args(member) for member in _members(model) if get_origin(member) is tuple]
    sizes = sorted({len(types_of) for types_of in arguments if Ellipsis not in types_of})
    return f'{" or ".join(map(str, sizes))} value{"" if sizes == [1] else "s"}' if sizes else ''


def _joined(problems: list[Problem]) -> list[Problem]:
    """Return one problem for those of a union's members with one value."""
    joined: dict[tuple[str, str], Problem] = {}
    for problem in problems:
        place = (problem.where, problem.key)
        other = joined.setdefault(place, problem)
        if other is not problem and problem.allowed not in other.allowed:
            # What the field is for is said once, behind all.
            about = _ABOUT.search(problem.allowed)
            first = other.allowed.removesuffix(about[0]) if about is not None else other.allowed
            joined[place] = replace(other, allowed=f'{first} or {problem.allowed}')
    return list(joined.values())


def _problem(model: type[BaseModel], data: Any, detail: ErrorDetails, source: YamlSource, prefix: KeyPath) -> Problem:
    path, parent = _walk(model, data, detail['loc'])
    full, kind, value = (*prefix, *path), detail['type'], detail['input']
    context = detail.get('ctx', {})
    if kind == 'extra_forbidden' and path[-1] in _fields(parent):  # of another member of a union
        return source.problem(full, 'does not go with the keys beside it', 'leaving it out, or them', value)
    if kind == 'extra_forbidden':
        outside = (path[-1],) if path[-1] in _fields(model) else _inside(model, str(path[-1]))
        allowed = known_keys(parent, str(path[-1]), full[:-1], outside=(*prefix, *outside) if outside else ())
        return source.problem(full, 'unknown key', allowed, value)
    if _list_of_wrong_length_in(detail):
        at = path[:-1] if kind == 'missing' else path
        given = _at(data, at)
        _, holder = _walk(model, data, at)
        if (sizes := _lengths(_child(holder, at[-1]))) and isinstance(given, (list, tuple)):
            problem = f'has {counted(len(given), "value")}'
            return source.problem((*prefix, *at), problem, _describe(holder, at[-1], f'a list of {sizes}'), given)
    if kind == 'missing':
        return source.problem(full, 'is missing', _describe(parent, path[-1], 'a value'))
    if kind == 'union_tag_invalid':
        tags = [tag.strip().strip("'") for tag in str(context['expected_tags']).split(',')]
        key = str(context['discriminator']).strip("'")
        given = value.get(key) if isinstance(value, Mapping) else value
        return source.problem((*full, key), 'unknown type', allowed_names(tags, given), given)
    if kind == 'union_tag_not_found':
        return source.problem(full, 'has no type', f'a mapping with the key {context["discriminator"]}', value)
    problem, allowed = describe_error(detail)
    inner = _KEY_FIRST.match(problem) if kind == 'value_error' else None
    members = _members(_child(parent, path[-1]) if path else model)
    within = () if inner is None else _within(members, value, inner['key'].split('.'))
    if inner is not None and within:
        # A check of several keys names the one at fault.
        named = source.problem((*full, *within), inner['problem'], allowed, _at(value, within))
        return named if inner['value'] is None else replace(named, value=inner['value'])
    if allowed == 'a mapping':
        allowed = _mapping(members)
    if kind == 'value_error' and allowed:
        return source.problem(full, problem, allowed, value)
    return source.problem(full, problem, _describe(parent, path[-1] if path else '', allowed), value)


def _within(members: list[Any], value: Any, parts: list[str]) -> KeyPath:
    """Return the path of a dotted key in a value; () if neither the value nor its schema has it.

    Keys may have dots themselves. Items of a list that was written as one text, as '0.1,0.2', have no key.
    """
    path: list[str | int] = []
    while parts:
        size, name = 1, parts[0]
        at: str | int = name
        if isinstance(value, (list, tuple)) and parts[0].isdigit():
            at = int(name)
        elif path and isinstance(value, (str, float, int)):
            break
        else:
            sizes = range(len(parts), 0, -1) if isinstance(value, Mapping) else ()
            size = next((n for n in sizes if '.'.join(parts[:n]) in value), 1)
            at = name = '.'.join(parts[:size])
            known = isinstance(value, Mapping) and name in value
            if not path and not known and not any(name in _fields(member) for member in members):
                return ()
        path.append(at)
        value, parts = _at(value, (at,)), parts[size:]
    return tuple(path)


def _at(value: Any, path: KeyPath) -> Any:
    """Return what stands at a path in a value; None if nothing does."""
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _mapping(members: list[Any]) -> str:
    """Return the allowed values where one of some schemas is due."""
    kinds = [tag for member in members if (tag := _tag(member)) is not None]
    if len(kinds) > 1:
        return f'a mapping with the key type: {", ".join(kinds)}'
    variants = list(dict.fromkeys(', '.join(fields) for member in members if (fields := _fields(member))))
    return f'a mapping with keys of {", or of ".join(variants)}' if variants else 'a mapping'


def _describe(model: Any, key: str | int, allowed: str) -> str:
    """Return the allowed values, with the field's own description."""
    fields = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
    description = fields[key].description if isinstance(key, str) and key in fields else None
    if description and allowed:
        return f'{allowed} ({key}: {description})'
    return allowed or description or 'another value'


def known_keys(model: Any, given: str, prefix: KeyPath = (), more: Iterable[str] = (), outside: KeyPath = ()) -> str:
    """Return the keys that a mapping takes, with a guess at the one that was meant, which may be further inside.

    Args:
        model: Schema of the mapping.
        given: The unknown key.
        prefix: Path of the mapping.
        more: Keys that go beyond the schema.
        outside: Path of a key of this name that is not inside; (): there is none.
    """
    known = [*_fields(model), *more]
    inside = _inside(model, given)
    meant = (*prefix, *inside) if inside else outside
    if meant and not closest(known, given, likeness=0.8):
        return f'{", ".join(known)} (did you mean {".".join(map(str, meant))}?)'
    return allowed_names(known, given)


def _inside(model: Any, name: str, depth: int = 3) -> KeyPath:
    """Return the shortest path to a key of some name in the mappings below a schema; () if none has it.

    Items of lists, and of mappings whose keys users choose, have no path of their own.
    """
    level: list[tuple[KeyPath, Any]] = [((), model)]
    for _ in range(depth):
        level = [
            ((*path, key), child) for path, of in level for key in _fields(of) for child in _members(_child(of, key))
        ]
        if found := next((path for path, _ in level if path[-1] == name and len(path) > 1), ()):
            return found
    return ()


def _fields(model: Any) -> list[str]:
    if isinstance(model, type) and issubclass(model, BaseModel):
        return list(model.model_fields)
    return []


def _walk(model: Any, data: Any, location: tuple[int | str, ...]) -> tuple[KeyPath, Any]:
    """Return the path a location has in the data, and the schema of the mapping that holds its last key.

    Pydantic puts names of union members into its locations; they stand in no file. Nor do numbers of items where
    several were written as one text, as '0.1,0.2'.
    """
    path: list[str | int] = []
    parent: Any = model
    for depth, part in enumerate(location):
        if part == '[key]' or (isinstance(part, int) and isinstance(data, (str, float, int))):
            continue
        options = _members(model)
        if len(options) > 1 and not isinstance(data, (Mapping, list)):
            continue
        tagged = [m for m in options if _tag(m) == part]
        inside = (isinstance(data, Mapping) and part in data) or (isinstance(data, list) and isinstance(part, int))
        a_field = any(part in _fields(member) for member in options)
        if len(options) > 1 and not inside and (depth < len(location) - 1 or not a_field):
            model = tagged[0] if tagged else model
            continue
        if len(options) > 1 and tagged and depth < len(location) - 1:
            model = tagged[0]
            continue
        parent = next((m for m in options if part in _fields(m)), options[0])
        path.append(part)
        model = _child(parent, part)
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            data = None
    return tuple(path), parent


def _members(model: Any) -> list[Any]:
    """Return the members of a union (without None), or the schema itself; Annotated is unwrapped."""
    while get_origin(model) is Annotated:
        model = get_args(model)[0]
    if get_origin(model) in (Union, types.UnionType):
        return [m for option in get_args(model) if option is not type(None) for m in _members(option)]
    return [model]


def _tag(model: Any) -> str | None:
    """Return the ``type`` that tells a schema from the others of its union."""
    field = model.model_fields.get('type') if isinstance(model, type) and issubclass(model, BaseModel) else None
    return field.default if field is not None and isinstance(field.default, str) else None


def _child(model: Any, key: str | int) -> Any:
    if isinstance(model, type) and issubclass(model, BaseModel):
        field = model.model_fields.get(str(key))
        return field.annotation if field is not None else None
    arguments = [a for a in get_args(model) if a is not Ellipsis]
    return arguments[-1] if arguments else None
