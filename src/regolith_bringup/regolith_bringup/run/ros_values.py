# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Message, service and action types by name, and conversion of their values from and to YAML."""

from __future__ import annotations

import array
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import yaml

from regolith_files import InputError, Problem, allowed_names, as_yaml_text, parse_yaml_value

LONGEST = 128
"""Maximum number of list items shown, as in ``ros2``."""
KINDS = ('msg', 'srv', 'action')


def interface(name: str, kind: str, command: str) -> Any:
    """Return the class of an interface type.

    Args:
        name: Type name ``package/msg/Type`` or ``package/Type``.
        kind: One of :data:`KINDS`.
        command: Name of the command, for error messages, e.g. ``topic pub``.

    Raises:
        InputError: If the type does not exist.
    """
    parts = name.split('/')
    if len(parts) == 2:
        parts.insert(1, kind)
    try:
        if len(parts) != 3 or parts[1] != kind or not all(re.fullmatch(r'\w+', part) for part in parts):
            raise AttributeError(name)
        found = getattr(import_module(f'{parts[0]}.{kind}'), parts[2])
        if not isinstance(found, type):
            raise AttributeError(name)
        return found
    except (ImportError, AttributeError):
        known = _types_named(parts[-1], kind)
        allowed = ', '.join(known) if known else f'package/{kind}/Type of a package that is installed'
        raise InputError(Problem(command, 'type', 'is not installed', allowed, as_yaml_text(name))) from None


def _types_named(name: str, kind: str) -> list[str]:
    """Return the installed types ``package/kind/name`` of a name."""
    from ament_index_python import get_resource, get_resources

    packages = sorted(get_resources('rosidl_interfaces'))
    file = f'{kind}/{name}.{kind}'
    return [f'{p}/{kind}/{name}' for p in packages if file in get_resource('rosidl_interfaces', p)[0].split()]


def filled(message: Any, text: str, command: str) -> Any:
    """Return a message with fields set from a YAML text. Other fields keep their defaults.

    Args:
        message: Message to fill.
        text: Field values in YAML.
        command: Name of the command, for error messages.

    Raises:
        InputError: If a field is not valid. The message states the field.
    """
    values = parse_yaml_value(text, command) if text else {}
    if not isinstance(values, Mapping):
        raise InputError(Problem(command, '', 'is not a mapping', "'{field: value}' in YAML", as_yaml_text(values)))
    _fill(message, values, command, '')
    return message


def _fill(message: Any, values: Mapping[str, Any], command: str, above: str) -> None:
    types = message.get_fields_and_field_types()
    message._check_fields = True  # otherwise any value is accepted
    for name, value in values.items():
        key = f'{above}.{name}' if above else str(name)
        if name not in types:
            raise InputError(
                Problem(command, key, 'is not a field', allowed_names(types, str(name)), as_yaml_text(value))
            )
        kind = types[name]
        try:
            setattr(message, name, _value(getattr(message, name), kind, value, command, key))
        except (TypeError, ValueError, AssertionError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                Problem(command, key, 'does not fit', f'a value of type {kind}', as_yaml_text(value))
            ) from None


def _value(default: Any, kind: str, value: Any, command: str, key: str) -> Any:
    """Return the value of a field, converted to its type.

    Args:
        default: Default value of the field.
        kind: Type of the field in the message definition.
        value: Value from YAML.
        command: Name of the command, for error messages.
        key: Dotted field name, for error messages.
    """
    if hasattr(default, 'get_fields_and_field_types'):
        made = type(default)()
        if not isinstance(value, Mapping):
            raise TypeError(value)
        _fill(made, value, command, key)
        return made
    if isinstance(default, (list, tuple, array.array, np.ndarray)):
        item = re.sub(r'(\[.*\]$)|(^sequence<)|((, \d+)?>$)', '', kind)
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise TypeError(value)
        if '/' not in item:
            items = [_plain(item, each) for each in value]
            return np.array(items, dtype=default.dtype) if isinstance(default, np.ndarray) else items
        package, name = item.split('/')
        part = interface(f'{package}/msg/{name}', 'msg', command)
        return [_value(part(), item, each, command, key) for each in value]
    return _plain(kind, value)


def _plain(kind: str, value: Any) -> Any:
    """Return a number, text or truth value of a type. Integers are accepted for other numeric types."""
    if kind in ('float', 'double') and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind == 'octet' and isinstance(value, int):
        return bytes([value])
    if kind == 'boolean' and not isinstance(value, bool):
        raise TypeError(value)
    if kind.startswith('string') and not isinstance(value, str):
        return str(value)
    if re.fullmatch(r'u?int\d+', kind) and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(value)
    return value


def stamp_ns(message: Any, topic: str) -> int:
    """Return the stamp of a message [ns].

    Args:
        message: Message with a header.
        topic: Topic name, for error messages.

    Raises:
        InputError: If the message has no header.
    """
    from rclpy.time import Time

    header = getattr(message, 'header', None)
    if header is None:
        problem, allowed = 'has messages without a header', 'a topic of stamped messages'
        raise InputError(Problem('topic delay', 'topic', problem, allowed, as_yaml_text(topic)))
    nanoseconds: int = Time.from_msg(header.stamp).nanoseconds
    return nanoseconds


def parameters_yaml(node: str, values: Mapping[str, Any]) -> str:
    """Return the parameters of a node in the YAML format of ``ros2`` and launch files."""
    plain = {name: _content(value) for name, value in values.items()}
    text: str = yaml.safe_dump({node: {'ros__parameters': plain}}, sort_keys=False, allow_unicode=True)
    return text


def as_yaml(message: Any) -> str:
    """Return a message as YAML."""
    text: str = yaml.safe_dump(_content(message), sort_keys=False, allow_unicode=True)
    return text


def _content(value: Any) -> Any:
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: _content(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (list, tuple, array.array, np.ndarray)):
        items = [_content(each) for each in list(value)[:LONGEST]]
        return [*items, '...'] if len(value) > LONGEST else items
    if isinstance(value, bytes):
        return value[0] if len(value) == 1 else list(value)
    return value.item() if isinstance(value, np.generic) else value
