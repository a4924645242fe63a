# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What stands and moves in a world, as tools from outside see it: names, kinds, places, bounds.

An entity is a vehicle with all its bodies, an object of the scenario, or, of a linkage, each of its links. Offspring
are entities as long as they live; beams and other intangible things are none.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from regolith_world.cycle.records import BodyState, Vector
from regolith_world.cycle.transport import RemoteAgent
from regolith_world.numerics.rotation import matrix, product
from regolith_world.objects.object import Object
from regolith_world.objects.static_body import StaticBody


class Category(IntEnum):
    """Kind of an entity, with the numbers that ``simulation_interfaces/EntityCategory`` has."""

    OBJECT = 0
    ROBOT = 1
    HUMAN = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


_POSIX = 'a POSIX extended regular expression'
_LONGEST_MATCH_S = 1.0
"""For which a world waits for a pattern [wall s]."""


@dataclass(frozen=True, slots=True)
class SphereRegion:
    """A ball in the world."""

    center: Vector
    """[m], shape (3,)."""
    radius: float
    """[m]."""


@dataclass(frozen=True, slots=True)
class BoxRegion:
    """A box along the axes of the world."""

    low: Vector
    """[m], shape (3,)."""
    high: Vector
    """[m], shape (3,)."""


def entities(objects: Mapping[str, Object]) -> dict[str, Object]:
    """Return all entities by name, in name order.

    Args:
        objects: roots by name
    """
    found = {}
    for root in objects.values():
        for item in (root,) if root.tangible else root.children:
            if item.tangible:
                found[item.name] = item
    return dict(sorted(found.items()))


def category(entity: Object) -> Category:
    """Return the kind of an entity."""
    if isinstance(entity, RemoteAgent):
        return Category.ROBOT
    return Category.STATIC_OBJECT if isinstance(entity, StaticBody) else Category.DYNAMIC_OBJECT


def bounds(entity: Object) -> BoxRegion | None:
    """Return the box round an entity along the axes of its own frame, its other bodies as they stand; None: no shapes.

    Of those bodies, and so of a vehicle whose arm is lifted, the box is that of their boxes.
    """
    turn = matrix(entity.body.orientation)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for item in entity.family():
        if item.shapes:
            own_low, own_high = item.outline.bounds(_seen_from(item.body, entity.body, turn))
            low, high = np.minimum(low, own_low), np.maximum(high, own_high)
    return BoxRegion(low, high) if np.isfinite(low).all() else None


def intersects_region(entity: Object, region: SphereRegion | BoxRegion) -> bool:
    """Return whether the box round an entity along the axes of the world meets a region; without shapes, its place."""
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
    """Return the entities that fit all filters; those left empty fit everything.

    Args:
        pattern: a POSIX extended regular expression that some part of the name matches

    Raises:
        ValueError: if the pattern is none
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
    """Return the names of which some part matches a POSIX extended regular expression; all, if it is ''.

    ``grep -E`` looks, in a process of its own: it is what POSIX says, and one who takes for ever can be ended.

    Raises:
        ValueError: if the pattern is none, or takes too long
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
        raise ValueError(f'{problem}takes more than {_LONGEST_MATCH_S:g} s; allowed: a simpler one') from None
    except ValueError as error:
        raise ValueError(f'{problem}{error}; allowed: {_POSIX}') from None
    if found.returncode > 1:
        raise ValueError(f'{problem}{found.stderr.strip().removeprefix("grep: ")}; allowed: {_POSIX}')
    return found.stdout.splitlines()


def _seen_from(state: BodyState, frame: BodyState, turn: Vector) -> BodyState:
    """Return a state with its pose in the frame of another body."""
    back = frame.orientation * np.array([-1.0, -1.0, -1.0, 1.0])
    return BodyState(
        state.name,
        turn.T @ (state.position - frame.position),
        product(back, state.orientation),
        state.linear_velocity,
        state.angular_velocity,
    )
