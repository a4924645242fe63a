# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What vehicles, sensors, stations and participants may be called: their names become parts of ROS names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from regolith_files.problems import shown
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_world.participants import participant_types

RESERVED_NAMES = ('regolith', 'world', 'terrain', 'recorder', 'clock', 'tf', 'tf_static', 'rosout')
"""Taken by nodes and topics of ours and of ROS 2; those of registered participants come on top."""

LONGEST_NAME = 60
"""Letters of a vehicle's, sensor's or station's name: ROS 2 takes topics of 240 or so, and a topic may hold three."""


def reserved_names() -> tuple[str, ...]:
    """Return the names nobody may have."""
    return (*RESERVED_NAMES, *participant_types())


def ros_name(name: str) -> str:
    """Return a name that may be one in ROS 2 and is not taken.

    :raises ValueError: saying what is allowed
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
    """Refuse a name that cannot be one in ROS 2, or is taken.

    :param key: that it stands at
    :param taken: further names that nobody else may have there
    :raises InputError: naming file, key and what is allowed
    """
    try:
        ros_name(name)
    except ValueError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise source.error(key, problem, allowed) from None
    if name in (others := tuple(taken)):
        raise source.error(key, 'is taken', f'any name but {", ".join(others)}')
