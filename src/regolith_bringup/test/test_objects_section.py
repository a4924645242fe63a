# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of objects of a scenario: what is refused where it begins, and that many of them are compared quickly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_world.objects.bounding_box import ShapeBounds

BALL: dict[str, Any] = {'type': 'rigid_body', 'mass_kg': 1.0, 'shape': {'kind': 'sphere', 'size_m': [0.1]}}
LEAF = {'position': [0.0, 0.0, 0.0], 'shape': {'kind': 'box', 'size_m': [0.1, 0.1, 0.1]}, 'mass_kg': 1.0}
HINGE = {'kind': 'hinge', 'between': ['world', 'leaf'], 'at': [0.0, 0.3, 0.0], 'axis': [1.0, 0.0, 0.0]}


def loaded(folder: Path, objects: dict[str, Any], **terrain: Any) -> None:
    file = folder / 'scenario.yaml'
    ground = {'source': 'flat', **terrain}
    file.write_text(yaml.safe_dump({'duration_s': 1.0, 'terrain': ground, 'vehicles': {}, 'objects': objects}))
    load_scenario(file)


@pytest.mark.parametrize(
    ('entry', 'said'),
    [
        (
            {**BALL, 'position': [0.0, 0.0, -5.0]},
            r'objects\.item\.position = .*: its top is 4.9 m below the terrain surface at the start',
        ),
        (
            {**BALL, 'position': [0.0, 0.0, -0.11]},
            'its top is 0.01 m below the terrain surface at the start; allowed: a position',
        ),
        (
            {'type': 'linkage', 'position': [0.0, 0.0, -2.0], 'bodies': {'leaf': LEAF}, 'joints': [HINGE]},
            'the top of item/leaf is 1.9 m below the terrain surface',
        ),
        ({**BALL, 'position': [0.0, 0.0, 1.0], 'lifetime_s': 0}, 'objects.item.lifetime_s = 0: '),
        (
            {'type': 'cable', 'between': ['a', 'b'], 'ends': [[0, 0, 0], [0, 0, 0]], 'release_s': 0},
            'objects.item.release_s = 0: ',
        ),
    ],
)
def test_object_that_cannot_begin_is_refused(tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        loaded(tmp_path, {'item': entry})


def test_bodies_on_and_half_in_the_ground_are_taken(tmp_path: Path) -> None:
    """What nothing moves may be below the surface, as a foundation."""
    wall = {'type': 'static_body', 'position': [4.0, 0.0, -3.0], 'shapes': [{'kind': 'box', 'size_m': [0.5, 0.5, 0.5]}]}
    loaded(
        tmp_path,
        {
            'on': {**BALL, 'position': [0.0, 0.0, 0.1]},
            'half': {**BALL, 'position': [1.0, 0.0, 0.0]},
            'wall': wall,
            'soon': {**BALL, 'position': [2.0, 0.0, 1.0], 'lifetime_s': 0.1},
        },
    )


def test_overlap_of_any_two_objects_is_refused_at_the_later_one(tmp_path: Path) -> None:
    """As if each was compared with all before it: the first such object in the file, the first it meets."""
    row = {f'b{k}': {**BALL, 'position': [1.0 * k, 0.0, 1.0]} for k in range(6)}
    loaded(tmp_path, row)
    row['b4'] = {**BALL, 'position': [1.05, 0.0, 1.0]}
    row['b5'] = {**BALL, 'position': [0.1, 0.0, 1.0]}
    with pytest.raises(InputError, match=r"objects\.b4\.position = .*: is 0.150 m inside 'b1' at the start"):
        loaded(tmp_path, row)


def test_rope_that_begins_inside_a_body_is_refused(tmp_path: Path) -> None:
    """Its rods collide, though the rope as a whole has no shape."""
    ends = [[0.0, 0.0, 2.0], [2.0, 0.0, 2.0]]
    rope = {'type': 'rope', 'ends': ends, 'length_m': 2.5, 'rods': 8, 'mass_kg': 1.0, 'radius_m': 0.02}
    wall = {'type': 'static_body', 'position': [0.0, 0.0, 2.0], 'shapes': [{'kind': 'box', 'size_m': [0.3, 0.3, 0.3]}]}
    loaded(tmp_path, {'rope': rope, 'wall': {**wall, 'position': [0.0, 0.5, 2.0]}})
    with pytest.raises(InputError, match=r"objects\.wall\.position = .*: is .* m inside 'rope/\w+' at the start"):
        loaded(tmp_path, {'rope': rope, 'wall': wall})


def test_many_bodies_are_measured_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each other one: that made 3000 bodies take 40 s."""
    calls = 0
    bounds = ShapeBounds.bounds

    def counted(self: ShapeBounds, state: Any) -> Any:
        nonlocal calls
        calls += 1
        return bounds(self, state)

    monkeypatch.setattr(ShapeBounds, 'bounds', counted)
    count = 400
    loaded(tmp_path, {f'b{k}': {**BALL, 'position': [1.0 * (k % 20), 1.0 * (k // 20), 1.0]} for k in range(count)})
    assert count <= calls <= 4 * count
