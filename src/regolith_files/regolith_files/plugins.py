# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plug-ins of other packages through entry points; a broken one affects nothing else."""

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
"""Group and name, or target, of plug-ins already warned of."""


class PluginError(ValueError):
    """A plug-in that cannot be used; the text names it, its package and the reason."""


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """Return the entry points of a group in name order; of equal names ours, else that of the first package."""
    found: dict[str, metadata.EntryPoint] = {}
    for point in _selected(tuple(sys.path), group):
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
    """Return all entry points, cached, since reading them takes a tenth of a second.

    Args:
        path: ``sys.path`` at the time, the cache's key.
    """
    return metadata.entry_points()


@cache
def _selected(path: tuple[str, ...], group: str) -> tuple[metadata.EntryPoint, ...]:
    """Return those of a group by name, ours first: cached, as that takes 3 ms and every name is compared with some."""
    points = _installed(path).select(group=group)
    return tuple(sorted(points, key=lambda point: (point.name, not _ours(point))))


def load_plugin(point: metadata.EntryPoint, make: Callable[[Any], Any] = lambda target: target) -> Any:
    """Return the target of an entry point.

    Args:
        make: Converts or checks the target; its errors count as the plug-in's.

    Raises:
        PluginError: For any error.
    """
    try:
        return make(point.load())
    except (Exception, SystemExit) as error:  # it is not our code that runs here
        reason = ' '.join(str(error).split()) or 'no reason given'
        reason = f'{type(error).__name__}: {reason}'
        which = f'{point.name!r} ({point.group}, {point.value}) of {_package(point)}'
        raise PluginError(f'{which} cannot be loaded: {reason}') from error


def instance_of(kind: type[KindT]) -> Callable[[object], KindT]:
    """Return a ``make`` for :func:`load_plugin` that returns instances of a class and refuses all else."""

    def make(target: object) -> KindT:
        if not isinstance(target, kind):
            raise TypeError(f'it leads to a {type(target).__name__}, not a {kind.__name__}')
        return target

    return make


def load_plugins(group: str, make: Callable[[Any], Any] = lambda target: target) -> dict[str, Any]:
    """Return the targets of a group's entry points, in name order, without those that cannot be loaded.

    For each of these there is one warning, which names the package.
    """
    found = {}
    for point in entry_points(group):
        try:
            found[point.name] = load_plugin(point, make)
        except PluginError as error:
            _warn_once(group, point.name, str(error))
    return found
