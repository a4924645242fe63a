# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The installed ray back ends: entry points of group ``regolith.ray_backends``, of which a scenario chooses one.

Each leads to a subclass of :class:`regolith_sensors.rays.backend.RayBackend`, made without arguments for each scene.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from regolith_files.plugins import entry_points, load_plugin
from regolith_files.problems import allowed_names

if TYPE_CHECKING:
    from regolith_sensors.rays.backend import RayBackend

GROUP = 'regolith.ray_backends'
USUAL = 'embree'


def ray_backend(name: str = USUAL) -> type[RayBackend]:
    """Return a back end.

    Raises:
        ValueError: if there is none of this name, or it cannot be loaded
    """
    points = {point.name: point for point in entry_points(GROUP)}
    if name not in points:
        raise ValueError(f'no such back end for rays; allowed: {allowed_names(points, name)}')
    return cast('type[RayBackend]', load_plugin(points[name], _checked))


def check(name: str) -> str:
    """Return the name of a back end if it can be made; ours, which is slow to import, is not tried.

    Raises:
        ValueError: if it cannot
    """
    if name != USUAL:
        try:
            ray_backend(name)()
        except ValueError:
            raise
        except Exception as error:  # it is not our code that runs here
            problem = f'cannot be made: {type(error).__name__}: {error}'
            raise ValueError(f'{problem}; allowed: a back end that can') from error
    return name


def supports_surfels(name: str) -> bool:
    """Return whether a back end shows soil in motion; ours, which is slow to import, does.

    Raises:
        ValueError: if there is none of this name, or it cannot be loaded
    """
    return name == USUAL or ray_backend(name).shows_discs


def _checked(target: object) -> object:
    from regolith_sensors.rays.backend import RayBackend

    if not (isinstance(target, type) and issubclass(target, RayBackend)):
        raise TypeError(f'it leads to {target!r}, not to a RayBackend')
    return target
