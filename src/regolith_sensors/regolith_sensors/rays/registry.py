# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Registry of the installed ray back ends: entry points of group ``regolith.ray_backends``; a scenario selects one.

Each is a subclass of :class:`regolith_sensors.rays.backend.RayBackend`, created without arguments for each scene.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from regolith_files import allowed_names, entry_points, load_plugin

if TYPE_CHECKING:
    from regolith_sensors.rays.backend import RayBackend

GROUP = 'regolith.ray_backends'
DEFAULT_RAY_BACKEND = 'embree'
"""Name of the ray back end that applies if a scenario names none."""


def ray_backend(name: str = DEFAULT_RAY_BACKEND) -> type[RayBackend]:
    """Return the class of a back end.

    Raises:
        ValueError: If the name is unknown, or the back end cannot be loaded.
    """
    points = {point.name: point for point in entry_points(GROUP)}
    if name not in points:
        raise ValueError(f'unknown ray back end; allowed: {allowed_names(points, name)}')
    return cast('type[RayBackend]', load_plugin(points[name], _checked))


def check(name: str) -> str:
    """Return the name of a back end if it can be created; the default, which is slow to import, is not tried.

    Raises:
        ValueError: If it cannot be created.
    """
    if name != DEFAULT_RAY_BACKEND:
        try:
            ray_backend(name)()
        except ValueError:
            raise
        except Exception as error:  # the code of a plugin
            problem = f'cannot be created: {type(error).__name__}: {error}'
            raise ValueError(f'{problem}; allowed: a back end that can be created') from error
    return name


def supports_surfels(name: str) -> bool:
    """Return whether a back end shows moving soil; the default, which is slow to import, does.

    Raises:
        ValueError: If the name is unknown, or the back end cannot be loaded.
    """
    return name == DEFAULT_RAY_BACKEND or ray_backend(name).shows_discs


def _checked(target: object) -> object:
    from regolith_sensors.rays.backend import RayBackend

    if not (isinstance(target, type) and issubclass(target, RayBackend)):
        raise TypeError(f'the entry point refers to {target!r}, not to a RayBackend')
    return target
