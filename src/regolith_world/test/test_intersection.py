# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of distances, contacts and ranges of rotated shapes, off the center of their bodies, in either order of names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_world.contacts.intersection import (
    BROAD_MARGIN,
    NII_DEPTH,
    TOUCH_DISTANCE,
    ShapeQueries,
    Status,
    classify,
    close_pairs,
    intersect,
)
from regolith_world.cycle.records import BodyState, Shape, ShapeKind
from regolith_world.numerics.rotation import from_rotation_vector, matrix
from regolith_world.objects.beam import Beam
from regolith_world.objects.bounding_box import ShapeBounds
from regolith_world.objects.object import Object
from regolith_world.objects.rigid_state import make_rigid_state

TURN = from_rotation_vector(np.array([0.4, -0.9, 0.7]))
FAR = np.array([300.0, -200.0, 40.0])
"""Results do not depend on the position in the world."""


def thing(name, position, *shapes, turn=TURN):
    return Object(name, make_rigid_state(name, FAR + position, 1.0, np.eye(3), orientation=np.array(turn)), shapes)


def sphere(radius, at=(0.0, 0.0, 0.0)):
    return Shape(ShapeKind.SPHERE, np.array([radius, 0.0, 0.0]), np.array(at))


def box(half, at=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0, 1.0)):
    return Shape(ShapeKind.BOX, np.array(half), np.array(at), np.array(turn))


def look(first, second):
    a, b = sorted((first, second), key=lambda o: o.name)
    return intersect(a, b, ShapeQueries((a, b)))


@pytest.mark.parametrize(('ball_name', 'sign'), [('a', 1.0), ('z', -1.0)])
@pytest.mark.parametrize('gap', [0.2, 0.00005, -0.0005, -0.003])
def test_a_ball_on_the_face_of_a_turned_box(ball_name, sign, gap):
    """The normal points from the first name to the second, for either order in the solver."""
    r = matrix(TURN)
    # The box is 0.3 m beside its body's origin, the ball 0.05 m beside its own.
    block = thing('m', np.zeros(3), box([0.1, 0.2, 0.3], at=(0.3, 0.0, 0.0)))
    center = r @ np.array([0.4 + 0.05 + gap, 0.07, -0.1])
    ball = thing(ball_name, center - np.array([0.0, 0.0, 0.05]), sphere(0.05, at=(0.0, 0.0, 0.05)), turn=(0, 0, 0, 1))
    hit = look(block, ball)
    assert hit.distance == pytest.approx(gap, abs=2e-6)  # the solver's tolerance is 1e-6 m
    np.testing.assert_allclose(hit.normal, -sign * r[:, 0], atol=1e-4)
    assert hit.status == classify(gap, 1) and hit.involves(ball) and hit.involves(block)
    assert (hit.a.name, hit.b.name) == tuple(sorted(('m', ball_name)))
    if gap > TOUCH_DISTANCE:
        assert len(hit.points) == 0 and hit.contact_surfaces() == []
    else:
        # Midway between the two surfaces, below the center of the ball.
        np.testing.assert_allclose(hit.points[0], FAR + center - r[:, 0] * (0.05 + 0.5 * gap), atol=2e-6)
        np.testing.assert_allclose(hit.normals[0], -sign * r[:, 0], atol=1e-6)
        assert hit.gaps[0] == pytest.approx(gap, abs=2e-6)
        record = hit.record()
        np.testing.assert_allclose(record.point, hit.points.mean(axis=0))
        assert (record.a, record.b, record.status) == (hit.a.name, hit.b.name, int(hit.status))


def test_boxes_face_to_face_meet_in_a_rectangle():
    """Of 0.2 m by 0.1 m: the common area of the faces; the upper one is shifted."""
    r = matrix(TURN)
    low, high = (
        thing('a', np.zeros(3), box([0.2, 0.2, 0.1])),
        thing('b', r @ np.array([0.2, 0.3, 0.2]), box([0.2, 0.2, 0.1])),
    )
    hit = look(low, high)
    assert hit.status == Status.COLLISION_SURFACES and len(hit.contact_surfaces()[0]) == len(hit.contact_points()) == 4
    local = (hit.points - FAR) @ r
    # Corners of the common area of the faces, in the plane between them.
    assert sorted(map(tuple, np.round(local[:, :2], 6))) == [(0.0, 0.1), (0.0, 0.2), (0.2, 0.1), (0.2, 0.2)]
    np.testing.assert_allclose(local[:, 2], 0.1, atol=1e-6)
    np.testing.assert_allclose(hit.normals, np.tile(r[:, 2], (4, 1)), atol=1e-9)


def test_the_nearest_of_several_shapes_counts():
    """Two spheres on a bar against two others: the pair of nearest centers, although their bodies' origins are far apart."""
    bar = [sphere(0.1, at=(-1.0, 0.0, 0.0)), sphere(0.2, at=(1.0, 0.0, 0.0))]
    a = thing('a', np.zeros(3), *bar, turn=(0, 0, 0, 1))
    b = thing('b', np.array([1.0, 1.5, 0.0]), *bar, turn=from_rotation_vector(np.array([0.0, 0.0, math.pi / 2])))
    # b's first sphere is at (1, 0.5, 0): 0.5 m from a's second.
    hit = look(a, b)
    assert hit.distance == pytest.approx(0.5 - 0.2 - 0.1, abs=1e-6)
    np.testing.assert_allclose(hit.normal, [0.0, 1.0, 0.0], atol=1e-6)


def test_classes_change_at_their_limits():
    assert classify(TOUCH_DISTANCE + 1e-9, 0) == Status.NO_INTERSECTION
    assert classify(TOUCH_DISTANCE, 1) == classify(-TOUCH_DISTANCE, 2) == Status.COLLISION_POINTS
    assert classify(0.0, 3) == Status.COLLISION_SURFACES
    assert classify(-TOUCH_DISTANCE - 1e-9, 4) == classify(-NII_DEPTH, 1) == Status.INFINITESIMAL_INTERSECTION
    assert classify(-NII_DEPTH - 1e-9, 4) == Status.NON_INFINITESIMAL_INTERSECTION


@pytest.mark.parametrize('name', ['a', 'z'])
def test_a_beam_measures_from_where_it_leaves_its_body(name):
    """A slanted beam from a lens beside its body's origin onto the face of a rotated box: closed form of range and point."""
    r = matrix(TURN)
    block = thing('m', r @ np.array([3.0, 0.0, 0.0]), box([0.5, 2.0, 2.0]))
    lens, aim = np.array([0.1, 0.4, -0.2]), from_rotation_vector(np.array([0.0, 0.1, 0.2]))
    shape = Shape(ShapeKind.BEAM, np.array([5.0, 0.0, 0.0]), lens, aim)
    beam = Object(name, make_rigid_state(name, FAR, 1.0, np.eye(3), orientation=TURN), [shape], tangible=False)
    hit = look(beam, block)
    direction = matrix(aim)[:, 0]
    reach = (2.5 - lens[0]) / direction[0]
    assert hit.distance == pytest.approx(reach, rel=1e-12)
    assert hit.status == Status.NON_INFINITESIMAL_INTERSECTION
    np.testing.assert_allclose(hit.points, [FAR + r @ (lens + reach * direction)], atol=1e-9)
    np.testing.assert_allclose(hit.normal, (1.0 if name == 'a' else -1.0) * (r @ direction), atol=1e-12)
    shape.size[0] = reach - 1e-6
    missed = look(beam, block)
    assert missed.status == Status.NO_INTERSECTION and math.isinf(missed.distance) and len(missed.points) == 0


@pytest.mark.parametrize('order', [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_beam_ends_at_the_nearest_of_an_objects_shapes(order):
    places = [np.array([3.0, 0.1, 0.0]), np.array([5.0, -0.1, 0.1]), np.array([2.0, 3.0, 0.0])]  # the last beside it
    target = Object('m', make_rigid_state('m', np.zeros(3), 1.0, np.eye(3)), [sphere(0.5, places[k]) for k in order])
    hit = look(Beam('b/0', np.zeros(3), np.array([1.0, 0.0, 0.0]), 9.0, 0, 'b'), target)
    assert hit.distance == pytest.approx(3.0 - math.sqrt(0.25 - 0.01), abs=1e-9)


@pytest.mark.parametrize('direction', [[1, 0, 0], [-1, 0, 0], [0, 0, -1], [0.3, -2.0, 1.1]])
def test_beam_points_along_its_direction(direction):
    beam = Beam('b/0', np.zeros(3), np.array(direction, dtype=float), 2.0, 0, 'b')
    unit = np.array(direction) / np.linalg.norm(direction)
    np.testing.assert_allclose(matrix(beam.body.orientation)[:, 0], unit, atol=1e-15)
    wall = Object('w', make_rigid_state('w', unit, 1.0, np.eye(3)), [sphere(0.25)])
    hit = look(beam, wall)
    assert hit.distance == pytest.approx(0.75, abs=1e-12)
    emitter = Object('b', make_rigid_state('b', np.zeros(3), 1.0, np.eye(3)))
    assert hit.involves(emitter) and not hit.involves(Object('c', make_rigid_state('c', np.zeros(3), 1.0, np.eye(3))))


def surface(shape, count=400):
    """Return points of the surface of a shape in its own frame."""
    rng = np.random.default_rng(5)
    sphere_points = rng.normal(size=(count, 3))
    sphere_points /= np.linalg.norm(sphere_points, axis=1, keepdims=True)
    size = shape.size
    if shape.kind == ShapeKind.SPHERE:
        return sphere_points * size[0]
    if shape.kind == ShapeKind.BOX:
        return np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * size
    if shape.kind == ShapeKind.HULL:
        return shape.vertices
    if shape.kind == ShapeKind.BEAM:
        return np.array([[0.0, 0.0, 0.0], [size[0], 0.0, 0.0]])
    if shape.kind == ShapeKind.CAPSULE:
        return sphere_points * size[0] + np.sign(sphere_points[:, 2:]) * np.array([0.0, 0.0, size[1]])
    angle = np.linspace(0.0, 2.0 * math.pi, count)
    rim = np.stack([np.cos(angle) * size[0], np.sin(angle) * size[0], np.full(count, size[1])], axis=1)
    return np.concatenate([rim, rim * [1.0, 1.0, -1.0]])


@pytest.mark.parametrize('kind', list(ShapeKind))
def test_bounds_enclose_the_shape_tightly(kind):
    """Against points of the surface: the box encloses all of them and extends at most 2 % beyond the outermost."""
    size, turn = np.array([0.3, 0.5, 0.2]), from_rotation_vector(np.array([1.0, 0.3, -0.4]))
    corners = np.concatenate([np.eye(3), -np.eye(3)]) * size if kind == ShapeKind.HULL else np.zeros((0, 3))
    shape = Shape(kind, size, np.array([0.6, -0.1, 0.2]), turn, corners)
    ball = sphere(0.01, at=(-0.4, 0.3, 0.0))
    state = BodyState('a', FAR, TURN, np.zeros(3), np.zeros(3))
    outline = ShapeBounds([shape, ball])
    low, high = outline.bounds(state)
    r = matrix(TURN)
    points = [surface(s, 4000) @ matrix(s.orientation).T + s.position for s in (shape, ball)]
    world = np.concatenate(points) @ r.T + FAR
    assert (world > low - 1e-9).all() and (world < high + 1e-9).all()
    np.testing.assert_allclose([low, high], [world.min(axis=0), world.max(axis=0)], atol=0.01)
    assert max(np.linalg.norm(np.concatenate(points), axis=1)) <= outline.reach
    nothing = ShapeBounds([]).bounds(state)
    assert (nothing[0] == np.inf).all() and (nothing[1] == -np.inf).all()


@pytest.mark.parametrize('axis', range(3))
def test_pairs_are_close_when_their_boxes_are(axis):
    """Along every axis, in either order; each pair once."""
    low = np.zeros((3, 3))
    low[1, axis], low[2, axis] = 1.0 + BROAD_MARGIN - 1e-9, -1.0 - BROAD_MARGIN - 1e-9
    high = low + 1.0
    assert close_pairs([None] * 3, low, high) == [(0, 1)]
    assert close_pairs([None] * 3, low[::-1], high[::-1]) == [(1, 2)]
    assert close_pairs([None], low[:1], high[:1]) == []
