# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Loading of plug-ins through entry points; a plug-in that fails does not affect the others."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import Any, TypeVar

KindT = TypeVar('KindT')

_log = logging.getLogger('regolith')
_warned: set[tuple[str, str]] = set()
"""Group and name, or target, of plug-ins with a logged warning."""


class PluginError(ValueError):
    """Error for a plug-in that cannot be used; the text states its name, its package and the reason."""


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """Return the entry points of a group in name order.

    Of entry points with the same name, that of a Regolith package wins, otherwise that of the first package.
    """
    found: dict[str, metadata.EntryPoint] = {}
    for point in _selected(tuple(sys.path), group):
        if found.setdefault(point.name, point) is not point:
            text = f'{point.name!r} ({group}) of {_package(point)}: {_package(found[point.name])} already uses the name'
            _warn_once(group, point.value, text)
    return list(found.values())


def _ours(point: metadata.EntryPoint) -> bool:
    return point.dist is not None and point.dist.name.replace('-', '_').startswith('regolith_')


def _package(point: metadata.EntryPoint) -> str:
    return f'package {point.dist.name} {point.dist.version}' if point.dist is not None else 'an unknown package'


def _warn_once(group: str, which: str, text: str) -> None:
    if (group, which) not in _warned:
        _warned.add((group, which))
        _log.warning('plug-in skipped: %s', text)


@cache
def _installed(path: tuple[str, ...]) -> Any:
    """Return all entry points. The result is cached, because reading them takes 0.1 s.

    Args:
        path: Value of ``sys.path``, the key of the cache.
    """
    return metadata.entry_points()


@cache
def _selected(path: tuple[str, ...], group: str) -> tuple[metadata.EntryPoint, ...]:
    """Return the entry points of a group, sorted by name, those of Regolith first.

    The result is cached: the selection takes 3 ms, and every name is compared with some group.
    """
    points = _installed(path).select(group=group)
    return tuple(sorted(points, key=lambda point: (point.name, not _ours(point))))


def load_plugin(point: metadata.EntryPoint, make: Callable[[Any], Any] = lambda target: target) -> Any:
    """Return the target of an entry point.

    Args:
        point: Entry point to load.
        make: Function that converts or checks the target. Its errors count as errors of the plug-in.

    Raises:
        PluginError: If loading fails for any reason.
    """
    try:
        return make(point.load())
    except (Exception, SystemExit) as error:  # code of another package may raise any error
        reason = ' '.join(str(error).split()) or 'no reason given'
        reason = f'{type(error).__name__}: {reason}'
        which = f'{point.name!r} ({point.group}, {point.value}) of {_package(point)}'
        raise PluginError(f'{which} cannot be loaded: {reason}') from error


def instance_of(kind: type[KindT]) -> Callable[[object], KindT]:
    """Return a ``make`` function for :func:`load_plugin` that accepts only instances of a class."""

    def make(target: object) -> KindT:
        if not isinstance(target, kind):
            raise TypeError(f'its target is a {type(target).__name__}, not a {kind.__name__}')
        return target

    return make


def load_plugins(group: str, make: Callable[[Any], Any] = lambda target: target) -> dict[str, Any]:
    """Return the loaded targets of a group of entry points, in name order.

    A target that cannot be loaded is left out, with one warning that names its package.

    Args:
        group: Entry point group.
        make: Function that returns what is stored for a target, or raises an error that states why it is refused.
    """
    found = {}
    for point in entry_points(group):
        try:
            found[point.name] = load_plugin(point, make)
        except PluginError as error:
            _warn_once(group, point.name, str(error))
    return found
