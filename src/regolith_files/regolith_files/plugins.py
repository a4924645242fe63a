# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What other packages add through entry points; one that is broken takes nothing with it but itself."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import Any, TypeVar

KindT = TypeVar('KindT')

_log = logging.getLogger('regolith')
_told: set[tuple[str, str]] = set()
"""Group and name, or target, of those that were skipped aloud."""


class PluginError(ValueError):
    """A plug-in that cannot be used; its text names it, its package, and why."""


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """Return the entry points of a group in name order; of a name that several packages use, ours, else the first's."""
    found: dict[str, metadata.EntryPoint] = {}
    points = _installed(tuple(sys.path)).select(group=group)
    for point in sorted(points, key=lambda point: (point.name, not _ours(point))):
        if found.setdefault(point.name, point) is not point:
            text = f'{point.name!r} ({group}) of {_package(point)}: {_package(found[point.name])} has the name already'
            _warn_once(group, point.value, text)
    return list(found.values())


def _ours(point: metadata.EntryPoint) -> bool:
    return point.dist is not None and point.dist.name.replace('-', '_').startswith('regolith_')


def _package(point: metadata.EntryPoint) -> str:
    return f'package {point.dist.name} {point.dist.version}' if point.dist is not None else 'an unknown package'


def _warn_once(group: str, which: str, text: str) -> None:
    if (group, which) not in _told:
        _told.add((group, which))
        _log.warning('plug-in skipped: %s', text)


@cache
def _installed(path: tuple[str, ...]) -> Any:
    """Return all there are, for ``select`` to choose from; to read them again takes a tenth of a second.

    :param path: on which packages were looked for
    """
    return metadata.entry_points()


def load_plugin(point: metadata.EntryPoint, make: Callable[[Any], Any] = lambda target: target) -> Any:
    """Return what an entry point leads to.

    :param make: makes of that what is wanted; its errors count as the plug-in's
    :raises PluginError: whatever happens to be wrong with it
    """
    try:
        return make(point.load())
    except (Exception, SystemExit) as error:  # it is not our code that runs here
        reason = ' '.join(str(error).split()) or 'no reason given'
        reason = f'{type(error).__name__}: {reason}'
        which = f'{point.name!r} ({point.group}, {point.value}) of {_package(point)}'
        raise PluginError(f'{which} cannot be loaded: {reason}') from error


def instance_of(kind: type[KindT]) -> Callable[[object], KindT]:
    """Return a ``make`` for :func:`load_plugin` that takes instances of a class as they are and refuses all else."""

    def make(target: object) -> KindT:
        if not isinstance(target, kind):
            raise TypeError(f'it leads to a {type(target).__name__}, not a {kind.__name__}')
        return target

    return make


def load_plugins(group: str, make: Callable[[Any], Any] = lambda target: target) -> dict[str, Any]:
    """Return what the entry points of a group lead to, in name order, without those that cannot be loaded.

    Of each of these one warning is given, by which a person can find the package.
    """
    found = {}
    for point in entry_points(group):
        try:
            found[point.name] = load_plugin(point, make)
        except PluginError as error:
            _warn_once(group, point.name, str(error))
    return found
