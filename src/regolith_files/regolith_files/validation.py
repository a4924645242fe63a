# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation of files with error messages for each key."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from regolith_files.problems import InputError, Problem, allowed_names, closest_name, counted_noun
from regolith_files.validation_messages import describe_error
from regolith_files.yaml_source import KeyPath, YamlSource, value_at

ModelT = TypeVar('ModelT', bound=BaseModel)

_ABOUT = re.compile(r' \([a-z]\w*: .*\)$', re.DOTALL)
"""Pattern of the field name and description after the allowed values."""
_KEY_FIRST = re.compile(r'(?P<key>\w+(\.[^\s:=]+)*)( = (?P<value>.+?))?: (?P<problem>.+)', re.DOTALL)
"""Pattern of a message of a model validator: ``KEY = VALUE: PROBLEM``, or ``KEY: PROBLEM`` for the value in the
data.
"""


def validated(model: type[ModelT], data: Any, source: YamlSource, prefix: KeyPath = ()) -> ModelT:
    """Return the data as an instance of a model.

    Args:
        model: Schema of the data.
        data: Plain data, as read from the file.
        source: Source of the data, for messages; validators find it as ``source`` of their context.
        prefix: Key of the data in the file.

    Raises:
        InputError: If the data is invalid. The error has all problems with file, key, value and allowed values.
    """
    try:
        return model.model_validate(data, context={'source': source})
    except ValidationError as error:
        details = error.errors(include_url=False)
        # If list items are invalid, pydantic also reports that the list without them is too short.
        echoes = [d for d in details if d['type'] == 'too_short' and 'after validation' in d['msg']]
        found = [d for d in details if d not in echoes] or details
        problems = [(_with_null(_problem(model, data, detail, source, prefix), detail), detail) for detail in found]
        raise InputError(_joined(_of_fitting_lists(problems))) from None


def _with_null(problem: Problem, detail: ErrorDetails) -> Problem:
    """Return the problem with the value null, if this is what the file has at its key."""
    written = detail['input'] is None and detail['type'] != 'missing'
    return replace(problem, value='null') if written and not problem.value else problem


def _of_fitting_lists(found: list[tuple[Problem, ErrorDetails]]) -> list[Problem]:
    """Return the problems without wrong lengths of lists that also have a wrong item.

    If two or three numbers are allowed, pydantic tries both and reports a wrong length for the form that does not
    apply.
    """
    lists = [_list_of_wrong_length(problem, detail) for problem, detail in found]
    inside = [problem.key for (problem, _), key in zip(found, lists) if key is None]
    return [
        problem
        for (problem, _), key in zip(found, lists)
        if key is None or not any(other.startswith(f'{key}.') for other in inside)
    ]


def _list_of_wrong_length(problem: Problem, detail: ErrorDetails) -> str | None:
    """Return the key of a list with a wrong length; None if the problem is another one."""
    if not _list_of_wrong_length_in(detail):
        return None
    # Without a fixed length in the schema, pydantic reports the missing item.
    missing = detail['type'] == 'missing' and problem.key.endswith(f'.{detail["loc"][-1]}')
    return problem.key.rpartition('.')[0] if missing else problem.key


def _list_of_wrong_length_in(detail: ErrorDetails) -> bool:
    """Return whether an error is about the length of a list."""
    return detail['type'] == 'too_long' or (detail['type'] == 'missing' and isinstance(detail['loc'][-1], int))


def _lengths(model: Any) -> str:
    """Return the allowed lengths of lists of fixed length, e.g. '2 or 3 values'; '' without such lists."""
    arguments = [get_args(member) for member in _members(model) if get_origin(member) is tuple]
    sizes = sorted({len(types_of) for types_of in arguments if Ellipsis not in types_of})
    return f'{" or ".join(map(str, sizes))} value{"" if sizes == [1] else "s"}' if sizes else ''


def _joined(problems: list[Problem]) -> list[Problem]:
    """Return the problems, with those of several members of a union on one value merged into one."""
    joined: dict[tuple[str, str], Problem] = {}
    for problem in problems:
        place = (problem.where, problem.key)
        other = joined.setdefault(place, problem)
        if other is not problem and problem.allowed not in other.allowed:
            # The description of the field appears once, at the end.
            about = _ABOUT.search(problem.allowed)
            first = other.allowed.removesuffix(about[0]) if about is not None else other.allowed
            joined[place] = replace(other, allowed=f'{first} or {problem.allowed}')
    return list(joined.values())


def _tag_key(discriminator: object) -> str:
    """Return the key that selects a member of a union, which is ``type`` if a function reads it."""
    name = str(discriminator)
    return 'type' if name.endswith('()') else name.strip("'")


def _problem(model: type[BaseModel], data: Any, detail: ErrorDetails, source: YamlSource, prefix: KeyPath) -> Problem:
    path, parent = _walk(model, data, detail['loc'])
    full, kind, value = (*prefix, *path), detail['type'], detail['input']
    context = detail.get('ctx', {})
    if kind == 'extra_forbidden' and path[-1] in _fields(parent):  # key of another member of a union
        return source.problem(
            full, 'cannot be combined with the keys beside it', 'this key or the others, not both', value
        )
    if kind == 'extra_forbidden':
        outside = (path[-1],) if path[-1] in _fields(model) else _inside(model, str(path[-1]))
        allowed = allowed_keys(parent, str(path[-1]), full[:-1], outside=(*prefix, *outside) if outside else ())
        return source.problem(full, 'unknown key', allowed, value)
    if _list_of_wrong_length_in(detail):
        at = path[:-1] if kind == 'missing' else path
        given = value_at(data, at)
        _, holder = _walk(model, data, at)
        if (sizes := _lengths(_child(holder, at[-1]))) and isinstance(given, (list, tuple)):
            problem = f'has {counted_noun(len(given), "value")}'
            return source.problem((*prefix, *at), problem, _describe(holder, at[-1], f'a list of {sizes}'), given)
    if kind == 'missing':
        return source.problem(full, 'is missing', _describe(parent, path[-1], 'a value'))
    if kind == 'union_tag_invalid':
        tags = [tag.strip().strip("'") for tag in str(context['expected_tags']).split(',')]
        key = _tag_key(context['discriminator'])
        given = value.get(key) if isinstance(value, Mapping) else getattr(value, key, value)
        return source.problem((*full, key), 'unknown type', allowed_names(tags, given), given)
    if kind == 'union_tag_not_found':
        key = _tag_key(context['discriminator'])
        return source.problem(full, 'has no type', f'a mapping with the key {key}', value)
    problem, allowed = describe_error(detail)
    inner = _KEY_FIRST.match(problem) if kind == 'value_error' else None
    members = _members(_child(parent, path[-1]) if path else model)
    within = () if inner is None else _within(members, value, inner['key'].split('.'))
    if inner is not None and within:
        # A check of several keys names the key with the problem, which may have a default value.
        named = source.problem((*full, *within), inner['problem'], allowed, value_at(value, within))
        shown = {None: named.value, 'None': 'null'}.get(inner['value'], inner['value'])
        if not _has(value, within):
            shown = f'{shown} (default)' if shown not in ('', 'null') else ''
        return replace(named, value=shown)
    if allowed == 'a mapping':
        allowed = _mapping(members)
    if kind == 'value_error' and allowed:
        return source.problem(full, problem, allowed, value)
    return source.problem(full, problem, _describe(parent, path[-1] if path else '', allowed), value)


def _within(members: list[Any], value: Any, parts: list[str]) -> KeyPath:
    """Return the path of a dotted key in a value; () if neither the value nor its schema has the key.

    Keys can contain dots. Items of a list written as one text, such as '0.1,0.2', have no key.
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
        value, parts = value_at(value, (at,)), parts[size:]
    return tuple(path)


def _has(value: Any, path: KeyPath) -> bool:
    """Return whether a value has a key at a path."""
    holder = value_at(value, path[:-1])
    return not isinstance(holder, Mapping) or path[-1] in holder


def _mapping(members: list[Any]) -> str:
    """Return the allowed values for a value that must be a mapping of one of some schemas."""
    kinds = [tag for member in members if (tag := _tag(member)) is not None]
    if len(kinds) > 1:
        return f'a mapping with the key type: {", ".join(kinds)}'
    variants = list(dict.fromkeys(', '.join(fields) for member in members if (fields := _fields(member))))
    return f'a mapping with keys of {", or of ".join(variants)}' if variants else 'a mapping'


def _describe(model: Any, key: str | int, allowed: str) -> str:
    """Return the allowed values with the description of the field."""
    fields = model.model_fields if isinstance(model, type) and issubclass(model, BaseModel) else {}
    description = fields[key].description if isinstance(key, str) and key in fields else None
    if description and allowed:
        return f'{allowed} ({key}: {description})'
    return allowed or description or 'another value'


def allowed_keys(model: Any, given: str, prefix: KeyPath = (), more: Iterable[str] = (), outside: KeyPath = ()) -> str:
    """Return the allowed keys of a mapping, with a suggestion of the intended key.

    Args:
        model: Schema of the mapping.
        given: Unknown key.
        prefix: Path of the mapping.
        more: Allowed keys that are not in the schema.
        outside: Path of a key of this name elsewhere in the file; () if there is none.
    """
    known = [*_fields(model), *more]
    inside = _inside(model, given)
    meant = (*prefix, *inside) if inside else outside
    if meant and not closest_name(known, given, likeness=0.8):
        return f'{", ".join(known)} (did you mean {".".join(map(str, meant))}?)'
    return allowed_names(known, given)


def _inside(model: Any, name: str, depth: int = 3) -> KeyPath:
    """Return the shortest path to a key of a given name in the mappings below a schema; () if there is none.

    Items of lists and of mappings with free keys have no fixed path.
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
    """Return the path of a location in the data, and the schema of the mapping that contains its last key.

    The locations of pydantic contain names of union members, which are not in the file. They also contain item numbers
    of lists written as one text, such as '0.1,0.2'.
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
    """Return the members of a union without None, or the schema itself; Annotated is unwrapped."""
    while get_origin(model) is Annotated:
        model = get_args(model)[0]
    if get_origin(model) in (Union, types.UnionType):
        return [m for option in get_args(model) if option is not type(None) for m in _members(option)]
    return [model]


def _tag(model: Any) -> str | None:
    """Return the ``type`` that distinguishes a schema from the other members of its union."""
    field = model.model_fields.get('type') if isinstance(model, type) and issubclass(model, BaseModel) else None
    return field.default if field is not None and isinstance(field.default, str) else None


def _child(model: Any, key: str | int) -> Any:
    if isinstance(model, type) and issubclass(model, BaseModel):
        field = model.model_fields.get(str(key))
        return field.annotation if field is not None else None
    arguments = [a for a in get_args(model) if a is not Ellipsis]
    return arguments[-1] if arguments else None
