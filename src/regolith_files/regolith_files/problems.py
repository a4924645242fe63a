# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Problems in configuration files and on the command line: place, key, value and allowed values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from regolith_files.former_names import FORMER_NAMES


@dataclass(frozen=True)
class Problem:
    """Problem with one key of a file or one option."""

    where: str
    """File with the line if known (``two_rovers.yaml:12``), or the option that gave the value (``--set a.b=1``)."""
    key: str
    """Dotted path of the key; '' for the file as a whole."""
    problem: str
    """Description that completes ``KEY = VALUE``, e.g. ``is not a number``."""
    allowed: str
    """Allowed values."""
    value: str = ''
    """Value as written; '' if there is none."""

    def __str__(self) -> str:
        subject = ' = '.join(part for part in (self.key, self.value) if part)
        # A problem with its remedy (`...; fix: ...`) has no list of allowed values.
        allowed = '' if '; fix: ' in self.problem else f'; allowed: {self.allowed}'
        return f'{self.where}: {subject}{": " if subject else ""}{self.problem}{allowed}'


class InputError(ValueError):
    """Error in a file or command line value; the text has one line per :class:`Problem`."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__('\n'.join(map(str, self.problems)))


def without_file_name(problem: str, name: str) -> str:
    """Return the text of an error without the file name at its start, for messages that name the file.

    Args:
        problem: Text of the error. ``wheel.stl:5: is not a vertex`` becomes ``line 5: is not a vertex``.
        name: Path of the file as in the text.
    """
    found = re.fullmatch(rf'{re.escape(name)}(?::(\d+))?: (.+)', problem, re.DOTALL) if name else None
    return problem if found is None else f'line {found[1]}: {found[2]}' if found[1] else found[2]


def counted_noun(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 post``, ``2 posts``, ``3 boxes``."""
    ending = '' if number == 1 else 'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'
    return f'{number} {noun}{ending}'


def rounded_text(value: float, digits: int = 2) -> str:
    """Return a finite number rounded to some significant digits, without an exponent: ``390``, ``0.00067``."""
    return f'{Decimal(f"{value:.{digits}g}"):f}'


def as_yaml_text(value: object, limit: int = 80) -> str:
    """Return a value as YAML text for an error message, shortened to a readable length.

    Args:
        value: Value of a key.
        limit: Maximum number of characters.
    """
    text = _as_yaml(value)
    return text if len(text) <= limit else text[: limit - 1] + '…'


def _as_yaml(value: object) -> str:
    """Return a value on one line; text is always quoted, so that '1' and 1 differ."""
    match value:
        case None | bool():
            return {None: 'null', True: 'true', False: 'false'}[value]
        case Mapping():
            return '{' + ', '.join(f'{key}: {_as_yaml(item)}' for key, item in value.items()) + '}'
        case list() | tuple():
            return '[' + ', '.join(map(_as_yaml, value)) + ']'
        case date():
            return value.isoformat()
    return repr(value)


def allowed_names(names: Iterable[str], given: object = None) -> str:
    """Return the list of allowed names with a suggestion of the intended one.

    Args:
        names: Allowed names, in the order to show.
        given: Name as written.
    """
    listed = list(names)
    text = ', '.join(listed) or '(nothing)'
    guess = closest_name(listed, given) if given is not None else ''
    return f'{text} (did you mean {guess}?)' if guess else text


def closest_name(names: Iterable[str], given: object, likeness: float = 0.5) -> str:
    """Return the allowed name closest to a given one; '' if none is similar and none replaced it.

    Args:
        names: Allowed names.
        given: Name as written.
        likeness: Minimum similarity of the names, 0 to 1.
    """
    names = list(names)
    for name in FORMER_NAMES.get(str(given), ()):
        if name in names:
            return name
    return next(iter(difflib.get_close_matches(str(given), names, n=1, cutoff=likeness)), '')
