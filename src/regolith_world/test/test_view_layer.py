# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the view layer of constraints."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from regolith_world.reporting.view_layer import CYCLE, layer, sagging_line

CABLE = {
    'type': 'cable',
    'between': ['amber', 'basalt'],
    'ends': [[-0.5, 0.0, 0.2], [0.5, 0.0, 0.2]],
    'length_m': 4.0,
    'release_s': 10.0,
}


def scenario(**objects: Any) -> Any:
    return SimpleNamespace(objects=objects, world=SimpleNamespace(gravity_mps2=1.62))


def cycle(t_s: float, apart: float) -> Any:
    def body(name: str, x: float) -> Any:
        pose = SimpleNamespace(
            position=SimpleNamespace(x=x, y=0.0, z=0.0), orientation=SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)
        )
        return SimpleNamespace(name=name, pose=pose)

    return SimpleNamespace(t_ns=round(1e9 * t_s), bodies=[body('amber', 0.0), body('basalt', -apart)])


def test_cable_is_drawn_from_end_to_end() -> None:
    found = layer(scenario(cable=CABLE))
    assert found is not None and list(found.topics) == [CYCLE]
    (taut,) = found.draw(0, {CYCLE: cycle(1.0, 5.0)})
    np.testing.assert_allclose(taut.points, [[-0.5, 0.0, 0.2], [-4.5, 0.0, 0.2]])
    (slack,) = found.draw(0, {CYCLE: cycle(1.0, 4.5)})
    assert np.asarray(slack.points)[:, 2].min() < 0.2 - 0.3
    assert found.draw(0, {CYCLE: cycle(10.0, 5.0)}) == []
    assert found.draw(0, {}) == []


def test_sagging_line_has_its_length() -> None:
    line = sagging_line(np.zeros(3), np.array([3.0, 0.0, 0.0]), 3.1)
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    # The series is cut after its second term, and a polygon is slightly shorter than its parabola.
    assert 3.09 < length < 3.11


def test_view_without_constraints_has_no_layer() -> None:
    ball = {
        'type': 'rigid_body',
        'position': [0.0, 0.0, 1.0],
        'mass_kg': 1.0,
        'shape': {'kind': 'sphere', 'size_m': [0.1]},
    }
    assert layer(scenario()) is None and layer(scenario(ball=ball)) is None
