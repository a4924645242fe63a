# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of entities: names, categories, bounds and filters."""

from __future__ import annotations

import math
import time
from contextlib import suppress

import numpy as np
import pytest

from regolith_world.cycle.records import VEHICLE_ROLES, BodyState, JoinRequest, Shape, ShapeKind
from regolith_world.numerics.rotation import from_yaw
from regolith_world.objects.beam import Beam
from regolith_world.objects.entities import (
    BoxRegion,
    Category,
    SphereRegion,
    bounds,
    category,
    entities,
    filter_entities,
    match_names,
)
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import make_objects
from regolith_world.objects.remote_body import RemoteAgent

THINGS = {
    'wall': {
        'type': 'static_body',
        'position': [5, 0, 1],
        'shapes': [{'kind': 'box', 'size_m': [0.1, 2.0, 1.0]}],
        'rpy_deg': [0, 0, 90],
    },
    'ball': {'type': 'rigid_body', 'position': [1, 2, 3], 'mass_kg': 1.0, 'shape': {'kind': 'sphere', 'size_m': [0.5]}},
    'cable': {'type': 'rope', 'ends': [[0, 9, 4], [2, 9, 4]], 'length_m': 2.0, 'rods': 2, 'mass_kg': 1.0},
}


def rover() -> RemoteAgent:
    """Return a vehicle of a box, turned to the left, with a ball on an arm ahead of it."""

    def state(name: str, at: list[float]) -> BodyState:
        return BodyState(name, np.array(at), from_yaw(math.pi / 2), np.zeros(3), np.zeros(3), 10.0)

    shapes = (Shape(ShapeKind.BOX, np.array([0.8, 0.4, 0.2])), Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0])))
    bodies = state('amber', [-3.0, 0.0, 0.5]), state('amber/arm', [-3.0, 1.5, 0.5])
    return RemoteAgent(JoinRequest('amber', VEHICLE_ROLES, shapes, bodies, 0, '', '', {}, shape_bodies=(0, 1)), 0)


@pytest.fixture
def world() -> dict[str, Object]:
    beam = Beam('amber/0', np.zeros(3), np.array([1.0, 0.0, 0.0]), 9.0, 0, 'amber')
    return {item.name: item for item in (*make_objects(THINGS, 1.62), rover(), beam)}


def test_vehicles_objects_and_links_are_entities_and_beams_are_not(world: dict[str, Object]) -> None:
    found = entities(world)
    assert list(found) == ['amber', 'ball', 'cable/rod_000', 'cable/rod_001', 'wall']
    assert [category(item) for item in found.values()] == [
        Category.ROBOT,
        *[Category.DYNAMIC_OBJECT] * 3,
        Category.STATIC_OBJECT,
    ]


def test_bounds_are_in_the_frame_of_the_entity(world: dict[str, Object]) -> None:
    """In any direction; the other bodies of a vehicle are included as posed."""
    box = bounds(world['amber'])
    assert box is not None
    assert box.low == pytest.approx([-0.8, -0.4, -0.2]) and box.high == pytest.approx([1.6, 0.4, 0.2])
    wall = bounds(world['wall'])
    assert wall is not None and wall.high == pytest.approx([0.1, 2.0, 1.0])
    world['ball'].shapes = ()
    assert bounds(Object('ghost', world['ball'].body)) is None


def test_entity_filters_are_combined(world: dict[str, Object]) -> None:
    found = entities(world)
    assert list(filter_entities(found)) == list(found)
    assert list(filter_entities(found, '^(ball|wall)$')) == ['ball', 'wall']
    assert list(filter_entities(found, '[[:digit:]]{3}$', [Category.DYNAMIC_OBJECT])) == [
        'cable/rod_000',
        'cable/rod_001',
    ]
    assert list(filter_entities(found, 'l', [Category.STATIC_OBJECT, Category.ROBOT])) == ['wall']
    # The wall, rotated by 90 degrees, extends from x = 3 to 7; the arm of the vehicle to y = 1.6.
    assert list(filter_entities(found, region=SphereRegion(np.array([3.5, 0.0, 1.0]), 0.6))) == ['wall']
    assert list(filter_entities(found, region=BoxRegion(np.array([-4.0, 1.55, 0.0]), np.array([-2.0, 9.0, 9.0])))) == [
        'amber'
    ]
    assert not filter_entities(found, region=SphereRegion(np.array([-3.0, 1.9, 0.5]), 0.2))
    with pytest.raises(ValueError, match=r"filter '\(': .*; allowed: a POSIX extended regular expression"):
        filter_entities(found, '(')
    with pytest.raises(ValueError, match=r'null'):
        filter_entities(found, 'a\0')


def test_pattern_with_excessive_run_time_is_refused() -> None:
    """A world waits for it."""
    long = 'a' * 60
    assert match_names([long, f'{long}b'], '^(a|a)*b$') == [f'{long}b']
    began = time.monotonic()
    with suppress(ValueError):  # the implementation may be fast enough
        match_names([long] * 50, r'^(.*)(.*)(.*)(.*)(.*)\5\4\3\2\1b$')
    assert time.monotonic() - began < 10.0
