# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the objects in the view: shapes, poses and lives, with a canvas that keeps what is drawn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rerun')
from regolith_bringup.view.draw_objects import CYCLE, DrawnObjects
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.object_markers import ObjectMarkers

BALL = {'kind': 'box', 'size_m': [0.1, 0.1, 0.1]}
OBJECTS = {'ball': {'type': 'rigid_body', 'position': [0, 0, 1], 'mass_kg': 1.0, 'shape': BALL}}


class Canvas:
    """Canvas that keeps meshes and the newest transform by path."""

    def __init__(self) -> None:
        self.meshes: dict[str, Any] = {}
        self.last: dict[str, Any] = {}

    def fix(self, path: str, mesh: Any) -> None:
        self.meshes[path] = mesh

    def put(self, t_ns: int, path: str, transform: Any) -> None:
        self.last[path] = transform


def body(name: str, x: float) -> SimpleNamespace:
    turn = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
    pose = SimpleNamespace(position=SimpleNamespace(x=x, y=0.0, z=0.0), orientation=turn)
    return SimpleNamespace(name=name, pose=pose, mass=1.0, inertia=0.4 * np.eye(3).ravel())


def visual(name: str, anchor: int, half: float, between: tuple[str, ...] = ()) -> SimpleNamespace:
    shape = SimpleNamespace(kind=1, size=[half] * 3, pose=body('', 0.0).pose, vertices=[])
    return SimpleNamespace(
        name=name, anchor=anchor, position=[5.0 * (anchor == 1), 0.0, 0.0], shapes=[shape] if half else [], material='metal', mesh='',
        mesh_scale=1.0, color=[], between=between, near=[0.0] * 3, far=[0.0] * 3, until_ns=2**62,
    )  # fmt: skip


def widths(mesh: Any) -> list[float]:
    return np.ptp(np.array(mesh.vertex_positions.as_arrow_array().to_pylist()), axis=0).tolist()


def cycle_of(t_ms: int, bodies: list[Any], visuals: list[Any]) -> SimpleNamespace:
    key, names = SimpleNamespace(epoch=0), ['comms']
    return SimpleNamespace(
        t_ns=t_ms * 10**6, clock_offset_ns=0, key=key, bodies=bodies, visuals=visuals, participants=names
    )


def test_markers_show_objects_at_their_poses_until_their_removal() -> None:
    """Corners of coarse triangles in the world; without what lies on the terrain, which a layer shows."""
    scenario = SimpleNamespace(objects=OBJECTS, world=SimpleNamespace(gravity_mps2=1.62))
    drawn = ObjectMarkers(scenario)
    assert drawn.corners() == {} and not drawn.fresh
    first = [visual('ball', 0, 0.1), visual('mast', 1, 0.5), visual('crumb', 2, 0.1)]
    drawn.take(cycle_of(0, [body('amber', 0.0), body('ball', 1.0)], first))
    assert drawn.fresh
    found = drawn.corners()
    assert set(found) == {'ball', 'mast'}
    for name, x, half in (('ball', 1.0, 0.1), ('mast', 5.0, 0.5)):
        assert found[name].min(axis=0).tolist() == pytest.approx([x - half, -half, -half])
        assert found[name].max(axis=0).tolist() == pytest.approx([x + half, half, half])
    line = visual('cable', 3, 0.01, ('amber', 'ball'))
    drawn.take(cycle_of(20, [body('amber', 0.0), body('ball', 2.0)], [line, visual('mast', 1, 0.0)]))
    found = drawn.corners()
    assert set(found) == {'ball', 'cable'} and np.ptp(found['cable'][:, 0]) == pytest.approx(2.0)


def test_view_shows_objects_with_their_shapes_until_their_removal() -> None:
    """Also between two drawings, with which the visuals of the cycles between are not lost; vehicles are drawn elsewhere."""
    canvas: Any = Canvas()
    scenario = SimpleNamespace(objects=OBJECTS, world=SimpleNamespace(gravity_mps2=1.62), vehicles={'amber': None})
    drawn = DrawnObjects(canvas, scenario, 100_000_000)
    assert drawn.meet({CYCLE: ''}) == {CYCLE: 0}

    def take(t_ms: int, bodies: list[Any], visuals: list[Any]) -> None:
        cycle = cycle_of(t_ms, bodies, visuals)
        drawn.take(ViewMessage(CYCLE, t_ms * 10**6, b'', lambda raw: cycle))

    first = [body('amber', 0.0), body('ball', 1.0), body('amber/wheel', 9.0)]
    take(0, first, [visual('ball', 0, 0.1), visual('mast', 1, 0.5)])
    assert set(canvas.meshes) == {'world/objects/ball', 'world/objects/mast'}
    take(20, [*first, body('comms/0', 3.0)], [visual('comms/0', 0, 0.25), visual('cable', 3, 0.01, ('amber', 'ball'))])
    assert 'world/objects/comms/0' not in canvas.meshes, 'the last drawing is not old enough'
    take(100, [*first, body('comms/0', 3.0)], [])
    assert widths(canvas.meshes['world/objects/comms/0']) == pytest.approx([0.5] * 3)
    assert widths(canvas.meshes['world/objects/cable'])[2] == pytest.approx(1.0)
    assert canvas.last['world/objects/cable'].scale.as_arrow_array().to_pylist()[0] == pytest.approx([1.0, 1.0, 1.0])
    take(200, [body('ball', 1.0)], [visual('mast', 1, 0.0)])
    assert canvas.last['world/objects/mast'].scale.as_arrow_array().to_pylist()[0] == [0.0, 0.0, 0.0]
    assert canvas.last['world/objects/comms/0'].scale.as_arrow_array().to_pylist()[0] == [0.0, 0.0, 0.0]
