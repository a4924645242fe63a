# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the report section on objects."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace as Made
from typing import Any

import numpy as np
import pytest

from regolith_files.extension_points import Figure
from regolith_world.reporting.section import section
from regolith_world.reporting.trajectories import SAMPLES, principal_coordinates, read_trajectories
from regolith_world.reporting.view_layer import CYCLE

COUNT = 1000
OBJECTS = {
    'cable': {
        'type': 'cable',
        'between': ['amber', 'ball'],
        'ends': [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        'length_m': 9.0,
        'release_s': 4.0,
    },
}


def body(name: str, *place: float) -> Any:
    at = Made(x=place[0], y=place[1], z=place[2])
    return Made(name=name, pose=Made(position=at, orientation=Made(x=0.0, y=0.0, z=0.0, w=1.0)))


class Bag:
    """Commits every 10 ms: amber stands, a ball moves along y at 1 m/s, a stone is spawned after 5 s, a rope of five hangs at rest.

    Args:
        repeated: Cycles that are announced twice.
    """

    def __init__(self, repeated: Collection[int] = ()) -> None:
        self.numbers = sorted([*range(COUNT), *repeated])

    def columns(self, topic: str, *paths: str) -> dict[str, Any]:
        assert topic == CYCLE and paths == ('key.epoch', 'key.cycle', 'key.attempt')
        zeros = np.zeros(len(self.numbers), np.uint32)
        return dict(zip(paths, (zeros, np.array(self.numbers, np.uint64), zeros), strict=True))

    def some(self, topic: str, numbers: Collection[int]) -> list[Any]:
        assert topic == CYCLE
        return [Made(content=self.cycle(k)) for at, k in enumerate(self.numbers) if at in numbers]

    def cycle(self, k: int) -> Any:
        bodies = [body('amber', 0.0, 0.0, 0.0), body('amber/arm', 0.0, 0.0, 1.0), body('ball', 1.0, 0.01 * k, 2.0)]
        bodies += [body('post', 5.0, 5.0, 0.0)]
        bodies += [body(f'rope/rod_{n}', 0.3 * n, 0.4 * n, 1.0 + n) for n in range(5)]
        bodies += [body('ball/0', 0.0, 0.0, 0.001 * k)] if k >= 500 else []
        bodies += [body('late', 0.0, 0.002 * k, 0.0)] if k >= 500 else []  # a spawned vehicle
        return Made(t_ns=k * 10**7, bodies=bodies, participants=['amber', 'late', 'terrain'], roles=[3, 3, 4])


def run(objects: dict[str, Any], messages: int = COUNT, repeated: Collection[int] = ()) -> Any:
    scenario = Made(objects=objects, vehicles={'amber': None}, world=Made(gravity_mps2=1.62))
    return Made(scenario=scenario, recorded={CYCLE: Made(messages=messages)}, bag=Bag(repeated))


def test_trajectories_of_bodies_and_lines_match_the_recording() -> None:
    paths = read_trajectories(run(OBJECTS))
    assert len(paths.time) == SAMPLES and (paths.time[0], paths.time[-1]) == (0.0, pytest.approx(9.99))
    assert sorted(n for n in paths.bodies if '/' not in n) == ['ball', 'post'], 'vehicles are in other sections'
    assert {len(positions) for positions in paths.bodies.values()} == {SAMPLES}
    moving = paths.moving()
    assert sorted(moving) == ['ball', 'ball/0'], 'a post stands, a rope is a chain'
    assert moving['ball'][:, 1] == pytest.approx(paths.time)
    born = np.isfinite(moving['ball/0'][:, 2])
    assert born.tolist() == [t >= 5.0 for t in paths.time]
    # From amber's hook at (1, 0, 0) to the ball at (1, t, 2); released after four seconds.
    held = np.array(paths.time) < 4.0
    assert np.array(paths.lines['cable'])[held] == pytest.approx(np.hypot(2.0, np.array(paths.time)[held]))
    assert np.isnan(np.array(paths.lines['cable'])[~held]).all() and paths.lengths == {'cable': 9.0}


def test_repeated_announcements_do_not_change_the_samples() -> None:
    once, again = read_trajectories(run(OBJECTS)), read_trajectories(run(OBJECTS, repeated=range(0, COUNT, 3)))
    assert again.time == once.time
    assert np.array_equal(again.bodies['ball'], once.bodies['ball'])


def test_chain_is_projected_along_its_largest_spread() -> None:
    (chain,) = read_trajectories(run(OBJECTS)).chains().values()
    along, height = principal_coordinates(chain)
    assert np.diff(along[0]) == pytest.approx([0.5] * 4) and height[0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_report_has_a_plot_of_each_kind_and_none_without_objects() -> None:
    found = section(run(OBJECTS))
    assert found is not None and [type(part) for part in found.parts] == [Figure] * 3
    moving, chain, line = (part.figure.axes for part in found.parts)
    assert [label.get_text() for label in moving[0].get_legend().get_texts()] == ['ball', 'ball/0']
    assert chain[0].get_title() == 'rope' and len(line[0].lines) == 2
    spawned = section(run({}))
    assert spawned is not None and len(spawned.parts) == 2, 'bodies that are not of the scenario'
    alone = run({})
    alone.bag.cycle = lambda k: Made(
        t_ns=k * 10**7, bodies=[body('amber', 0.01 * k, 0.0, 0.0)], participants=['amber'], roles=[3]
    )
    assert section(alone) is None and section(run(OBJECTS, 0)) is None
