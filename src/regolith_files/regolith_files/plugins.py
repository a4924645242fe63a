# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What other packages add through entry points; one that is broken takes nothing with it but itself."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import Any

_log = logging.getLogger('regolith')
_told: set[tuple[str, str]] = set()
"""Group and name of those that were skipped aloud."""


class PluginError(ValueError):
    """A plug-in that cannot be used; its text names it, its package, and why."""


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """Return the entry points of a group in name order."""
    return sorted(_installed(tuple(sys.path)).select(group=group), key=lambda point: point.name)


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
        package = f'package {point.dist.name} {point.dist.version}' if point.dist is not None else 'an unknown package'
        reason = ' '.join(str(error).split()) or 'no reason given'
        reason = f'{type(error).__name__}: {reason}'
        which = f'{point.name!r} ({point.group}, {point.value}) of {package}'
        raise PluginError(f'{which} cannot be loaded: {reason}') from error


def load_plugins(group: str, make: Callable[[Any], Any] = lambda target: target) -> dict[str, Any]:
    """Return what the entry points of a group lead to, in name order, without those that cannot be loaded.

    Of each of these one warning is given, by which a person can find the package.
    """
    found = {}
    for point in entry_points(group):
        try:
            found[point.name] = load_plugin(point, make)
        except PluginError as error:
            if (group, point.name) not in _told:
                _told.add((group, point.name))
                _log.warning('plug-in skipped: %s', error)
    return found
