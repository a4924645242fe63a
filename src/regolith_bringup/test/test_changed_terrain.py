# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of changed terrain: the last committed height of a node counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regolith_bringup.bag.columns import FieldColumn
from regolith_bringup.bag.reading import Bag
from regolith_bringup.report.changed_terrain import COMMIT_PATHS, ChangedLevels, LatestLevels


def column(rows: list[list[float]], kind: type = np.int64) -> FieldColumn:
    counts = np.array([len(row) for row in rows])
    return FieldColumn(np.array([x for row in rows for x in row], kind), np.cumsum(counts) - counts, counts, many=True)


def commits(*told: tuple[int, list[int], float]) -> dict[str, FieldColumn]:
    """Return changes (soil_seq, nodes along x, level); a node has three numbers, as those of the made-up run."""
    number = [
        FieldColumn(np.array(each), np.arange(len(told)), np.ones(len(told), int), many=False)
        for each in zip(*((1, 20_000_000 * seq, seq) for seq, _, _ in told), strict=True)
    ]
    nodes = [column([x for _, x, _ in told]), column([[7] * len(x) for _, x, _ in told])]
    values = column([[*[9.0] * len(x), *[level] * len(x), *[9.0] * len(x)] for _, x, level in told], float)
    return dict(zip(COMMIT_PATHS, (*number, *nodes, values), strict=True))


def test_last_change_of_a_node_counts_and_repetitions_do_not(run_dir: Path) -> None:
    first = next(Bag(run_dir).messages('/regolith/terrain/committed')).content
    assert list(first.nodes.fields).index('level') == 1, 'as commits() has it'
    soil = ChangedLevels(Bag(run_dir))
    soil.take(commits((5, [1, 2], -0.1), (6, [2], -0.2)))
    # The fifth is sent again in the next part.
    soil.take(commits((5, [1, 2], -9.0), (7, [], 0.0), (8, [1], -0.3)))
    changed_terrain = soil.changed_terrain(0.02)
    assert (changed_terrain.i.tolist(), changed_terrain.j.tolist(), changed_terrain.level.tolist()) == (
        [1, 2],
        [7, 7],
        [-0.3, -0.2],
    )


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
