# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of changed terrain: the last committed height of a node counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regolith_bringup.bag.columns import FieldColumn
from regolith_bringup.bag.reading import Bag
from regolith_bringup.report.changed_terrain import UPDATE_PATHS, CommittedSoil, LatestLevels


def column(rows: list[list[float]], kind: type = np.int64) -> FieldColumn:
    counts = np.array([len(row) for row in rows])
    return FieldColumn(np.array([x for row in rows for x in row], kind), np.cumsum(counts) - counts, counts, many=True)


def updates(*told: tuple[int, int, list[int], float]) -> dict[str, FieldColumn]:
    """Return updates (cycle, attempt, nodes along x, level); a node has four numbers, as those of the made-up run."""
    number = [
        FieldColumn(np.array(each), np.arange(len(told)), np.ones(len(told), int), many=False)
        for each in zip(*((1, cycle, attempt, 1) for cycle, attempt, _, _ in told), strict=True)
    ]
    nodes = [column([x for _, _, x, _ in told]), column([[7] * len(x) for _, _, x, _ in told])]
    values = column([[*[9.0] * len(x), *[level] * len(x), *[9.0] * 2 * len(x)] for _, _, x, level in told], float)
    return dict(zip(UPDATE_PATHS, (*number[:3], *nodes, values, number[3]), strict=True))


def test_attempts_that_others_followed_do_not_count(run_dir: Path) -> None:
    first = next(Bag(run_dir).messages('/regolith/terrain/update')).content
    assert list(first.nodes.fields).index('level') == 1, 'as updates() has it'
    soil = CommittedSoil(Bag(run_dir))
    soil.take(updates((4, 0, [1, 2], -0.1), (5, 0, [2, 3], -9.0)))
    # Another attempt at the fifth cycle comes in the next part; then the fourth is sent again.
    soil.take(updates((5, 1, [2], -0.2), (4, 0, [1, 2], -9.0), (6, 0, [], 0.0), (7, 0, [1], -0.3)))
    changed_terrain = soil.changed_terrain({(1, 7, 0)}, 0.02)
    assert (changed_terrain.i.tolist(), changed_terrain.j.tolist(), changed_terrain.level.tolist()) == (
        [1, 2],
        [7, 7],
        [-0.3, -0.2],
    )
    assert changed_terrain.conflicts == 4, 'one each of the fourth to seventh cycle'


def test_the_last_update_counts_if_it_was_committed(run_dir: Path) -> None:
    for committed, level in (({(1, 5, 1)}, -0.2), ({(1, 5, 0)}, -0.1)):
        soil = CommittedSoil(Bag(run_dir))
        soil.take(updates((4, 0, [1], -0.1), (5, 1, [1], -0.2)))
        assert soil.changed_terrain(committed, 0.02).level.tolist() == [level]


@pytest.mark.parametrize('reach', [30, 2**31 - 1], ids=['close together', 'far apart'])
def test_last_levels_are_those_of_a_dictionary(monkeypatch: pytest.MonkeyPatch, reach: int) -> None:
    monkeypatch.setattr(LatestLevels, '_MANY', 300)
    rng = np.random.default_rng(3)
    pool = rng.integers(-reach, reach, (200, 2)).astype(np.int32)
    levels, last = LatestLevels(), {}
    for _ in range(50):
        nodes, level = pool[rng.integers(0, 200, 40)], rng.normal(size=40)
        levels.set(nodes[:, 0], nodes[:, 1], level)
        last |= dict(zip(map(tuple, nodes.tolist()), level.tolist(), strict=True))
    i, j, level = levels.all()
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == sorted(last)
    assert level.tolist() == [last[key] for key in sorted(last)]
