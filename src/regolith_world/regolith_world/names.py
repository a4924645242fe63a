# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Names set by users: of vehicles, sensors and stations (parts of ROS names), and of folders."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from regolith_files import KeyPath, YamlSource, as_yaml_text
from regolith_world.cycle.participant_type import participant_types

RESERVED_NAMES = ('regolith', 'world', 'terrain', 'ground', 'recorder', 'clock', 'tf', 'tf_static', 'rosout')
"""Names of nodes and topics of Regolith and ROS 2, in addition to those of registered participants."""

LONGEST_NAME = 60
"""Maximum length of a name. ROS 2 allows topics of about 240 characters, and a topic may contain three names."""


def reserved_names() -> tuple[str, ...]:
    """Return all reserved names."""
    return (*RESERVED_NAMES, *participant_types())


def is_valid_ros_name(name: str) -> bool:
    """Return whether a name is valid in ROS 2."""
    return len(name) <= LONGEST_NAME and re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*', name) is not None


def valid_file_name(name: str, taken: Collection[str] = ()) -> str:
    """Return a name if it is valid for a file or folder and printable.

    Args:
        name: The name.
        taken: Names that are not allowed.

    Raises:
        ValueError: With what is allowed.
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
    """Return the path of a text, relative to a folder or absolute, if it is inside that folder.

    Args:
        folder: Folder of a run; None: there is none.
        text: The path.

    Raises:
        ValueError: If it is outside the folder, also through links.
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
        valid_file_name(part)
    return path


def valid_ros_name(name: str) -> str:
    """Return a name if it is valid in ROS 2 and not reserved.

    Args:
        name: The name.

    Raises:
        ValueError: With what is allowed.
    """
    if not is_valid_ros_name(name):
        raise ValueError(
            f'{as_yaml_text(name)} cannot be a ROS 2 name; allowed: letters, digits and single underscores, a letter '
            f'first, at most {LONGEST_NAME} of them'
        )
    if name in reserved_names():
        raise ValueError(f'{name!r} is taken; allowed: any name but {", ".join(reserved_names())}')
    return name


def check_name(name: str, key: KeyPath, source: YamlSource, taken: Iterable[str] = ()) -> None:
    """Refuse a name that is not valid in ROS 2, or taken.

    Args:
        name: The name.
        key: Key of the name in its file.
        source: The file.
        taken: Further taken names.

    Raises:
        InputError: With file, key and what is allowed.
    """
    try:
        valid_ros_name(name)
    except ValueError as error:
        problem, _, allowed = str(error).partition('; allowed: ')
        raise source.error(key, problem, allowed) from None
    if name in (others := tuple(taken)):
        raise source.error(key, 'is taken', f'any name but {", ".join(others)}')
