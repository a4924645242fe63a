# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that users give: of vehicles, sensors and stations, which become parts of ROS names, and of folders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from regolith_files.problems import as_yaml_text
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_world.cycle.participant_type import participant_types

RESERVED_NAMES = ('regolith', 'world', 'terrain', 'recorder', 'clock', 'tf', 'tf_static', 'rosout')
"""Names taken by nodes and topics of ours and of ROS 2, besides those of registered participants."""

LONGEST_NAME = 60
"""Longest name: ROS 2 allows topics of some 240 characters, and a topic may hold three names."""


def reserved_names() -> tuple[str, ...]:
    """Return all taken names."""
    return (*RESERVED_NAMES, *participant_types())


def fits_ros(name: str) -> bool:
    """Return whether a name is possible in ROS 2."""
    return len(name) <= LONGEST_NAME and re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*', name) is not None


def file_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a name if a file or folder can have it, and a terminal can show it.

    Args:
        taken: names that are used otherwise

    Raises:
        ValueError: naming what is allowed
    """
    odd = not re.fullmatch(r'[^\W_][\w .+-]*', name) or name != name.strip()
    if odd or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(
            f'{as_yaml_text(name)} cannot be the name of a folder; allowed: letters, digits, blanks and _ . + -,'
            f' a letter or digit first, at most {LONGEST_NAME} of them'
        )
    if name in taken:
        raise ValueError(f'{as_yaml_text(name)} is taken; allowed: any name but {", ".join(taken)}')
    return name


def path_within(folder: Path | None, text: str) -> Path:
    """Return the path of a text, which is relative to a folder or absolute, if it is inside that folder.

    Args:
        folder: of a run; None: there is none

    Raises:
        ValueError: if it leads elsewhere, also through links
    """
    if folder is None:
        raise ValueError(f'path {as_yaml_text(text)}: this run has no folder; allowed: no path')
    whole = folder.resolve()
    try:
        path = (whole / text).resolve()
    except (ValueError, OSError, RuntimeError):  # a null character, a loop of links
        path = whole
    if whole not in path.parents:
        raise ValueError(f'path {as_yaml_text(text)} is outside the run; allowed: a path below {folder}')
    for part in path.relative_to(whole).parts:
        file_name(part)
    return path


def ros_name(name: str) -> str:
    """Return a name if it is possible in ROS 2 and not taken.

    Raises:
        ValueError: naming what is allowed
    """
    if not fits_ros(name):
        raise ValueError(
            f'{as_yaml_text(name)} cannot be a ROS 2 name; allowed: letters, digits and single underscores, a letter '
            f'first, at most {LONGEST_NAME} of them'
        )
    if name in reserved_names():
        raise ValueError(f'{name!r} is taken; allowed: any name but {", ".join(reserved_names())}')
    return name


def check_name(name: str, key: KeyPath, source: YamlSource, taken: Iterable[str] = ()) -> None:
    """Refuse a name that is impossible in ROS 2, or taken.

    Args:
        key: of the name in its file
        taken: further taken names

    Raises:
        InputError: naming file, key and what is allowed
    """
    try:
        ros_name(name)
    except ValueError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise source.error(key, problem, allowed) from None
    if name in (others := tuple(taken)):
        raise source.error(key, 'is taken', f'any name but {", ".join(others)}')
