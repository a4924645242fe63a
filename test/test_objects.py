# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of a scenario that the world itself moves: a rover runs into them. For nodes see ``test_ray_backend.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError

OBJECTS: dict[str, Any] = {
    'boulder': {'type': 'static_body', 'position': [1.25, 0.0, 0.3], 'shapes': [{'kind': 'sphere', 'size_m': [0.35]}]},
    'ball': {
        'type': 'rigid_body',
        'position': [-1.4, 0.0, 0.6],
        'velocity_mps': [1.5, 0.0, 0.3],
        'mass_kg': 6.0,
        'restitution': 0.6,
        'shape': {'kind': 'sphere', 'size_m': [0.15]},
    },
}
DURATION_S = 1.2


def scenario(folder: Path) -> Path:
    amber = vehicle(0.0, 0.0, type='constant', speed_mps=0.4)
    return write_scenario(folder, {'amber': amber}, duration_s=DURATION_S, objects=OBJECTS)


def test_run_with_objects_continues_from_a_checkpoint(tmp_path: Path) -> None:
    """The ball hits the rover from behind, the rover the boulder; then again from a time between the two."""
    loaded = load_scenario(scenario(tmp_path)).scenario
    first = Simulation(loaded)
    assert first.world.objects.keys() == {'amber', 'ball', 'boulder'}
    struck = set()
    while first.world.t_ns < 600_000_000:
        struck |= {frozenset((b.a, b.b)) for b in first.world.step(600_000_000).impulses}
    first.world.hold()
    saved = first.checkpoint()
    while first.world.t_ns < 1_200_000_000:
        struck |= {frozenset((b.a, b.b)) for b in first.world.step(1_200_000_000).impulses}
    first.world.hold()
    assert struck == {frozenset(('amber', 'ball')), frozenset(('amber', 'boulder'))}
    assert first.world.objects['ball'].body.linear_velocity[0] < 1.0
    again = Simulation(loaded)
    again.go_to(saved)
    assert again.run(DURATION_S) == first.world.state_hash
    for name, item in first.world.objects.items():
        assert again.world.objects[name].state_hash() == item.state_hash()


@pytest.mark.parametrize(
    ('setting', 'said'),
    [
        (
            'objects.boulder.type=static_bodi',
            r"objects.boulder.type = 'static_bodi'.*rigid_body, rope, static_body.*did you mean static_body",
        ),
        ('objects.ball.mass_kg=-1', r'objects.ball.mass_kg = -1.*greater than or equal to'),
        ('objects.ball.hue=red', r'objects.ball.hue.*unknown key'),
        (
            'objects.amber={type: static_body, position: [9.0, 9.0, 0.0], shapes: [{kind: sphere, size_m: [1.0]}]}',
            r'objects.amber.*is taken',
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, setting: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_scenario(scenario(tmp_path), [setting])
