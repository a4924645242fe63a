# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions of the software that results of a run depend on. They must be equal on all machines of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import metadata

_DECISIVE = ('regolith_world', 'numpy', 'numba', 'llvmlite', 'mujoco')
"""Distributions that compute states or compile kernels. In addition, all packages with Regolith plug-ins count."""


@cache
def installed_versions() -> tuple[str, ...]:
    """Return ``name version`` of every distribution that results depend on, in name order."""
    found = {name: _version(name) for name in _DECISIVE}
    for package in metadata.distributions():
        if any(point.group.startswith('regolith.') for point in package.entry_points):
            found[_spelled(package.metadata['Name'])] = package.version
    return tuple(f'{name} {found[name]}' for name in sorted(found))


def version_differences(here: Iterable[str], there: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return (name, version here, version there) of all distributions that differ, in name order.

    Args:
        here: Versions in the form of :func:`installed_versions`.
        there: Versions of the other machine.
    """
    ours, theirs = (dict(line.split(' ', 1) for line in lines if ' ' in line) for lines in (here, there))
    found = ((name, ours.get(name, 'missing'), theirs.get(name, 'missing')) for name in sorted({*ours, *theirs}))
    return [row for row in found if row[1] != row[2]]


def _spelled(name: str) -> str:
    """Return the normalized name of a distribution."""
    return re.sub(r'[-_.]+', '_', name).lower()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return 'missing'
