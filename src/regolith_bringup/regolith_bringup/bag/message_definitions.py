# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts and hashes of ROS interfaces from the installed files of their packages.

A bag contains the full definitions of its types, so it can be read without the packages.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SEPARATOR = '=' * 80

_INTEGERS = {f'{sign}int{bits}' for sign in ('', 'u') for bits in (8, 16, 32, 64)}
_PRIMITIVES = frozenset(_INTEGERS | {'bool', 'byte', 'char', 'float32', 'float64', 'string', 'wstring'})
_FIELD = re.compile(r'^(?P<type>[A-Za-z][\w/]*)(?:<=\d+)?(?:\[[^\]]*\])?\s+(?P<name>[A-Za-z]\w*)\s*(?P<rest>.*)$')


class UnknownTypeError(LookupError):
    """Interface that is not installed."""


def share_folders(package: str) -> Iterator[Path]:
    """Yield the possible share folders of a package, highest precedence first.

    Args:
        package: Package name, e.g. ``std_msgs``.
    """
    prefixes = [p for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    # ROS 2 from pip is in the virtual environment, whose prefix may be missing in AMENT_PREFIX_PATH.
    for prefix in dict.fromkeys([*prefixes, sys.prefix]):
        folder = Path(prefix) / 'share' / package
        if folder.is_dir():
            yield folder


def _split(type_name: str) -> tuple[str, str]:
    """Return package and name of ``pkg/msg/Name`` or ``pkg/Name``."""
    parts = type_name.split('/')
    if len(parts) not in (2, 3) or (len(parts) == 3 and parts[1] != 'msg'):
        raise UnknownTypeError(f'{type_name!r} is not a message type; allowed: package/msg/Name')
    return parts[0], parts[-1]


def _find(type_name: str, suffix: str) -> Path:
    package, name = _split(type_name)
    for folder in share_folders(package):
        path = folder / 'msg' / f'{name}{suffix}'
        if path.is_file():
            return path
    raise UnknownTypeError(f'{package}/msg/{name}{suffix} is in no folder of AMENT_PREFIX_PATH; is {package} built?')


def _dependencies(text: str, package: str) -> list[str]:
    """Return the message types of a definition's fields, as ``pkg/Name``, in order of appearance."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        match = _FIELD.match(line.split('#', 1)[0].strip())
        # In a constant, '=' directly follows the name. A bound like <=10 precedes the name.
        if match is None or match['rest'].startswith('=') or match['type'] in _PRIMITIVES:
            continue
        name = match['type']
        if name == 'Header':
            name = 'std_msgs/Header'
        elif '/' not in name:
            name = f'{package}/{name}'
        found['/'.join(_split(name))] = None
    return list(found)


@cache
def schema_text(type_name: str) -> str:
    """Return the definitions of a message and all nested types, in the ``ros2msg`` format of rosbag2.

    Args:
        type_name: Message type, e.g. ``nav_msgs/msg/Odometry``.

    Raises:
        UnknownTypeError: If a definition is not installed.
    """
    package, name = _split(type_name)
    root = f'{package}/{name}'
    texts: dict[str, str] = {}
    waiting = [root]
    while waiting:
        key = waiting.pop(0)
        if key in texts:
            continue
        texts[key] = _find(key, '.msg').read_text(encoding='utf-8')
        waiting.extend(_dependencies(texts[key], key.split('/')[0]))
    parts = [texts.pop(root)]
    parts += [f'{SEPARATOR}\nMSG: {key}\n{text}' for key, text in texts.items()]
    return '\n'.join(parts)


@cache
def type_hash(type_name: str) -> str:
    """Return the RIHS01 hash of a message type from its package, '' if it has none.

    Args:
        type_name: Message type, e.g. ``std_msgs/msg/Bool``.
    """
    package, name = _split(type_name)
    try:
        hashes = json.loads(_find(type_name, '.json').read_text(encoding='utf-8'))['type_hashes']
    except (UnknownTypeError, KeyError, ValueError):
        return ''
    return next((str(h['hash_string']) for h in hashes if h['type_name'] == f'{package}/msg/{name}'), '')
