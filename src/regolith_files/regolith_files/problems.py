# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Problems with users' files: place, key, value, and what is allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from regolith_files.former_names import FORMER_NAMES


@dataclass(frozen=True)
class Problem:
    """One problem."""

    where: str
    """File, with the line if known (``two_rovers.yaml:12``), or the option that brought the value (``--set a.b=1``)."""
    key: str
    """Dotted path of the key; '' for the file as a whole."""
    problem: str
    """Description, e.g. ``is not a number``."""
    allowed: str
    """Allowed values."""
    value: str = ''
    """The offending value as written; '': none."""

    def __str__(self) -> str:
        subject = ' = '.join(part for part in (self.key, self.value) if part)
        return f'{self.where}: {subject}{": " if subject else ""}{self.problem}; allowed: {self.allowed}'


class InputError(ValueError):
    """A file, or a value from the command line, that cannot be used; its text has one line per :class:`Problem`."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__('\n'.join(map(str, self.problems)))


def without_name(problem: str, name: str) -> str:
    """Return the text of an error without the file that begins it, for messages that name this file already.

    Args:
        problem: e.g. ``wheel.stl:5: is not a vertex``, of which ``line 5: is not a vertex`` remains.
        name: Path of the file as the text has it.
    """
    found = re.fullmatch(rf'{re.escape(name)}(?::(\d+))?: (.+)', problem, re.DOTALL) if name else None
    return problem if found is None else f'line {found[1]}: {found[2]}' if found[1] else found[2]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 post``, ``2 posts``, ``3 boxes``."""
    ending = '' if number == 1 else 'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'
    return f'{number} {noun}{ending}'


def as_yaml_text(value: object, limit: int = 80) -> str:
    """Return a value as text for an error message, as YAML would have it, cut to a readable length."""
    text = _as_yaml(value)
    return text if len(text) <= limit else text[: limit - 1] + '…'


def _as_yaml(value: object) -> str:
    """Return a value on one line; text is always quoted, so that '1' and 1 look different."""
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
    """Return a list of allowed names, with a guess at the intended one.

    Args:
        names: Allowed names, in the order to show.
        given: The name as written.
    """
    listed = list(names)
    text = ', '.join(listed) or '(nothing)'
    guess = closest(listed, given) if given is not None else ''
    return f'{text} (did you mean {guess}?)' if guess else text


def closest(names: Iterable[str], given: object, likeness: float = 0.5) -> str:
    """Return the name that was meant by one as written; '' if none is like it and none had this name before.

    Args:
        likeness: At least, 0 to 1.
    """
    names = list(names)
    for name in FORMER_NAMES.get(str(given), ()):
        if name in names:
            return name
    return next(iter(difflib.get_close_matches(str(given), names, n=1, cutoff=likeness)), '')
