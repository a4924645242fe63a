# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Entities of a world as external tools see them: names, categories, poses and bounds.

An entity is a vehicle with all its bodies, or an object of the scenario. Each link of a linkage is an entity. Spawned
objects are entities while they exist. Beams and other intangible objects are not.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from regolith_world.cycle.records import BodyState, Vector
from regolith_world.numerics.rotation import matrix, product
from regolith_world.objects.object import Object
from regolith_world.objects.remote_body import RemoteAgent
from regolith_world.objects.static_body import StaticBody


class Category(IntEnum):
    """Category of an entity, with the values of ``simulation_interfaces/EntityCategory``."""

    OBJECT = 0
    ROBOT = 1
    HUMAN = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


_POSIX = 'a POSIX extended regular expression'
_LONGEST_MATCH_S = 1.0
"""Time limit of a pattern match, wall time [s]. The world waits for it."""


@dataclass(frozen=True, slots=True)
class SphereRegion:
    """A sphere in the world frame."""

    center: Vector
    """Center [m], shape (3,)."""
    radius: float
    """Radius [m]."""


@dataclass(frozen=True, slots=True)
class BoxRegion:
    """A box aligned with the axes of the world frame."""

    low: Vector
    """Lower corner [m], shape (3,)."""
    high: Vector
    """Upper corner [m], shape (3,)."""


def entities(objects: Mapping[str, Object]) -> dict[str, Object]:
    """Return all entities by name, in name order.

    Args:
        objects: Root objects by name.
    """
    found = {}
    for root in objects.values():
        for item in (root,) if root.tangible else root.children:
            if item.tangible:
                found[item.name] = item
    return dict(sorted(found.items()))


def category(entity: Object) -> Category:
    """Return the category of an entity."""
    if isinstance(entity, RemoteAgent):
        return Category.ROBOT
    return Category.STATIC_OBJECT if isinstance(entity, StaticBody) else Category.DYNAMIC_OBJECT


def bounds(entity: Object) -> BoxRegion | None:
    """Return the bounding box of an entity along the axes of its own frame; None if it has no shapes.

    For its other bodies, and so for a vehicle with a raised arm, it is the box around their boxes.
    """
    turn = matrix(entity.body.orientation)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for item in entity.family():
        if item.shapes:
            own_low, own_high = item.outline.bounds(_seen_from(item.body, entity.body, turn))
            low, high = np.minimum(low, own_low), np.maximum(high, own_high)
    return BoxRegion(low, high) if np.isfinite(low).all() else None


def intersects_region(entity: Object, region: SphereRegion | BoxRegion) -> bool:
    """Return whether the world-aligned box of an entity meets a region; without shapes, whether its position does."""
    low = high = entity.body.position
    for item in entity.family():
        if item.shapes:
            own_low, own_high = item.outline.bounds(item.body)
            low, high = np.minimum(low, own_low), np.maximum(high, own_high)
    if isinstance(region, BoxRegion):
        return bool(((low <= region.high) & (high >= region.low)).all())
    nearest = np.clip(region.center, low, high) - region.center
    return bool(nearest @ nearest <= region.radius**2)


def filter_entities(
    found: Mapping[str, Object],
    pattern: str = '',
    categories: Iterable[int] = (),
    region: SphereRegion | BoxRegion | None = None,
) -> dict[str, Object]:
    """Return the entities that match all filters. An empty filter matches every entity.

    Args:
        found: Entities by name.
        pattern: POSIX extended regular expression that a part of the name must match.
        categories: Values of :class:`Category`.
        region: Region that the bounds of the entity must meet.

    Raises:
        ValueError: If the pattern is not valid.
    """
    fitting = set(match_names(found, pattern))
    wanted = set(categories)
    return {
        name: item
        for name, item in found.items()
        if name in fitting
        and (not wanted or category(item) in wanted)
        and (region is None or intersects_region(item, region))
    }


def match_names(names: Iterable[str], pattern: str) -> list[str]:
    """Return the names of which a part matches a POSIX extended regular expression; all names if it is ''.

    ``grep -E`` does the matching in a separate process. It defines what POSIX specifies, and it can be ended after a
    timeout.

    Args:
        names: Names to filter.
        pattern: The regular expression.

    Raises:
        ValueError: If the pattern is not valid or takes too long.
    """
    listed = list(names)
    if not pattern or not listed:
        return listed
    problem = f'filter {pattern!r}: '
    try:
        found = subprocess.run(
            ['grep', '-E', '-e', pattern.replace('\n', ''), '--', '-'],
            input='\n'.join(listed),
            text=True,
            capture_output=True,
            check=False,
            timeout=_LONGEST_MATCH_S,
            env={**os.environ, 'LC_ALL': 'C.UTF-8'},
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f'{problem}takes more than {_LONGEST_MATCH_S:g} s; allowed: a simpler pattern') from None
    except ValueError as error:
        raise ValueError(f'{problem}{error}; allowed: {_POSIX}') from None
    if found.returncode > 1:
        raise ValueError(f'{problem}{found.stderr.strip().removeprefix("grep: ")}; allowed: {_POSIX}')
    return found.stdout.splitlines()


def _seen_from(state: BodyState, frame: BodyState, turn: Vector) -> BodyState:
    """Return a state with its pose expressed in the frame of another body."""
    back = frame.orientation * np.array([-1.0, -1.0, -1.0, 1.0])
    return BodyState(
        state.name,
        turn.T @ (state.position - frame.position),
        product(back, state.orientation),
        state.linear_velocity,
        state.angular_velocity,
    )
