# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of vehicles, sensors, stations and participants, which become parts of ROS names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from regolith_files.problems import shown
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_world.participants import participant_types

RESERVED_NAMES = ('regolith', 'world', 'terrain', 'recorder', 'clock', 'tf', 'tf_static', 'rosout')
"""Names taken by nodes and topics of ours and of ROS 2, besides those of registered participants."""

LONGEST_NAME = 60
"""Longest name: ROS 2 allows topics of some 240 characters, and a topic may hold three names."""


def reserved_names() -> tuple[str, ...]:
    """Return all taken names."""
    return (*RESERVED_NAMES, *participant_types())


def ros_name(name: str) -> str:
    """Return a name if it is possible in ROS 2 and not taken.

    :raises ValueError: naming what is allowed
    """
    if len(name) > LONGEST_NAME or not re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*', name):
        raise ValueError(
            f'{shown(name)} cannot be a ROS 2 name; allowed: letters, digits and single underscores, a letter '
            f'first, at most {LONGEST_NAME} of them'
        )
    if name in reserved_names():
        raise ValueError(f'{name!r} is taken; allowed: any name but {", ".join(reserved_names())}')
    return name


def check_name(name: str, key: KeyPath, source: YamlSource, taken: Iterable[str] = ()) -> None:
    """Refuse a name that is impossible in ROS 2, or taken.

    :param key: of the name in its file
    :param taken: further taken names
    :raises InputError: naming file, key and what is allowed
    """
    try:
        ros_name(name)
    except ValueError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise source.error(key, problem, allowed) from None
    if name in (others := tuple(taken)):
        raise source.error(key, 'is taken', f'any name but {", ".join(others)}')
