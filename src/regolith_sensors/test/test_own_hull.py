# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of positions inside and on a vehicle's own hull."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_sensors.scene.own_hull import distance, nearest_part
from regolith_sensors.surfaces import meshes
from regolith_vehicles.visuals.visual_description import (
    MovingPart,
    PartRole,
    TriangleMesh,
    Visual,
    VisualDescription,
)

SHAPES = {
    'box': ((0.3, 0.2, 0.1), meshes.box((0.3, 0.2, 0.1))),
    'cylinder': ((0.2, 0.3), meshes.cylinder(0.2, 0.3, 400)),
    'capsule': ((0.15, 0.2), meshes.capsule(0.15, 0.2, 200)),
    'sphere': ((0.25,), None),
}


@pytest.mark.parametrize('shape', SHAPES)
def test_distances_to_shapes_and_meshes_agree(shape: str) -> None:
    """Closed forms against triangles of the same body, whose chords are up to 2 mm inside round surfaces."""
    size, mesh = SHAPES[shape]
    if mesh is None:
        ball = meshes.icosphere(4)
        mesh = meshes.Mesh(ball.vertices * size[0], ball.triangles, ball.material)
    triangles = TriangleMesh('m', mesh.vertices.astype(np.float32), mesh.triangles.astype(np.uint32))
    exact, meshed = Visual(shape, size), Visual(mesh=triangles)
    tolerance = {'box': 1e-6, 'capsule': 4e-3}.get(shape, 1.5e-3)  # capsule: four rings per end
    signs = set()
    for place in np.random.default_rng(4).uniform(-0.6, 0.6, (100, 3)):
        found = distance(exact, place)
        assert distance(meshed, place) == pytest.approx(found, abs=tolerance)
        signs.add(found > 0.0)
    assert signs == {True, False}


def rover() -> VisualDescription:
    quarter = np.array([0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4)])
    body = MovingPart(
        'base',
        '',
        PartRole.BODY,
        (
            Visual('box', (0.5, 0.3, 0.2), name='hull'),
            Visual('box', (0.08, 0.20, 0.10), position=np.array([0.45, 0.0, 1.85]), name='mast_head'),
        ),
    )
    arm = MovingPart('arm', 'base', PartRole.BODY, (), position=np.array([1.0, 0.0, 0.0]), orientation=quarter)
    hand = MovingPart(
        'hand', 'arm', PartRole.BODY, (Visual('box', (0.3, 0.1, 0.1), name='palm'),), position=np.array([0.5, 0.0, 0.0])
    )
    return VisualDescription((body, arm, hand))


def test_positions_inside_and_on_parts_are_found() -> None:
    looks = rover()
    name, apart = nearest_part(looks, np.array([0.52, 0.0, 1.75]))
    assert name == 'mast_head' and apart == pytest.approx(0.0, abs=1e-12)
    name, apart = nearest_part(looks, np.zeros(3))
    assert name == 'hull' and apart == pytest.approx(-0.2)
    # The hand is rotated by a quarter turn and 0.5 m along the arm's x, the base's y: its long side is along y.
    name, apart = nearest_part(looks, np.array([1.0, 0.75, 0.0]))
    assert name == 'palm' and apart < 0.0
    name, apart = nearest_part(looks, np.array([1.25, 0.5, 0.0]))
    assert name == 'palm' and apart == pytest.approx(0.15)
    assert nearest_part(looks, np.array([0.0, 0.0, 0.21])) == ('hull', pytest.approx(0.01))
    assert nearest_part(VisualDescription((MovingPart('base', '', PartRole.BODY, ()),)), np.zeros(3)) == ('', np.inf)
