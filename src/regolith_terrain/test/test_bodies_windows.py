# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the soil windows of rigid bodies: they are kept between cycles without an effect on the results."""

from __future__ import annotations

import numpy as np
import pytest
from bodies_on_ground import CYCLE_S, MOON, rigid_parameters, scm_parameters

from regolith_terrain import FlatField, SoilGrid, SoilMap
from regolith_terrain.bodies import BodyDescription, BodyGround, BodySteps, RigidBodies, shapes
from regolith_terrain.bodies.soil_windows import joint_windows
from regolith_terrain.grid import NodeRecords
from regolith_terrain.terrain_model import find_terrain_model

CYCLES = 60


def some_bodies(soil: np.ndarray) -> RigidBodies:
    """Return bodies that roll, fall on one another, and rest apart."""
    law = find_terrain_model('scm' if len(soil) == 9 else 'rigid')
    ground = BodyGround(SoilGrid(FlatField(), 0.02, law), SoilMap(soil), np.array([0.0, 0.0, -MOON]))
    box = shapes.box(np.array([0.1, 0.12, 0.08]))
    placed = [
        (shapes.sphere(0.12), 20.0, (0.0, 0.0, 0.115), (0.8, 0.1, 0.0)),
        (box, 12.0, (1.0, 0.05, 0.079), (0.0, 0.0, 0.0)),
        (box, 12.0, (1.05, 0.05, 0.26), (0.0, 0.0, 0.0)),
        (shapes.sphere(0.1), 15.0, (-1.0, 0.4, 0.3), (-0.2, 0.0, 0.0)),
        (shapes.capsule(0.08, 0.1), 9.0, (0.2, -1.0, 0.078), (0.0, 0.3, 0.0)),
    ]
    bodies = RigidBodies([BodyDescription(f'b{k}', shape, mass) for k, (shape, mass, *_) in enumerate(placed)], ground)
    for k, (_, _, place, velocity) in enumerate(placed):
        bodies.place(k, np.array(place), velocity=np.array(velocity))
    return bodies


def foreign_change(grid: SoilGrid, k: int) -> NodeRecords:
    """Return nodes below a corner of a body that were raised or lowered by others."""
    i, j = np.repeat(np.arange(51, 60), 9), np.tile(np.arange(4, 13), 9)
    records = grid.records_at(i, j)
    rise = (2e-3 if k % 2 else -1e-3) + 1e-5 * k
    records.level_initial[:] += rise
    records.level[:] += rise
    return records


def state(bodies: RigidBodies) -> tuple[bytes, str]:
    return bodies.save(), bodies.ground.grid.soil_hash()


@pytest.mark.parametrize('soil', [scm_parameters(), rigid_parameters()], ids=['scm', 'rigid'])
def test_kept_windows_have_no_effect_on_the_results(soil: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    copies: dict[int, int] = {}
    copied = SoilGrid.window

    def counted(grid: SoilGrid, *arguments: int) -> object:
        copies[id(grid)] = copies.get(id(grid), 0) + 1
        return copied(grid, *arguments)

    monkeypatch.setattr(SoilGrid, 'window', counted)
    kept, fresh = some_bodies(soil), some_bodies(soil)
    everything, steps = range(len(kept)), BodySteps(kept)
    for k in range(CYCLES):
        for bodies, own in ((kept, steps), (fresh, BodySteps(fresh))):
            grid = bodies.ground.grid
            records = own.advance(CYCLE_S, everything)
            if k % 7 == 5:  # merged with the changes of another participant
                other = foreign_change(grid, k)
                mine = ~np.isin(records.i * 2**20 + records.j, other.i * 2**20 + other.j)
                records = other.joined([records.where(mine)])
            grid.apply(records)
            if k == 20:  # a write that the bodies did not see
                grid.apply(NodeRecords.empty(grid.law.names))
            if k == 30:
                bodies.place(4, np.array([0.2, -0.9, 0.1]))  # resets its contacts
        assert state(kept) == state(fresh), k
    assert copies[id(kept.ground.grid)] < 0.5 * copies[id(fresh.ground.grid)], 'windows are kept'


def test_discarded_cycle_leaves_nothing_behind() -> None:
    once, twice = some_bodies(scm_parameters()), some_bodies(scm_parameters())
    steps_of_once, steps_of_twice = BodySteps(once), BodySteps(twice)
    for k in range(20):
        before = twice.save()
        steps_of_twice.advance(0.7 * CYCLE_S, range(len(twice)))  # its soil is never written
        twice.load(before)
        for bodies, steps in ((once, steps_of_once), (twice, steps_of_twice)):
            bodies.ground.grid.apply(steps.advance(CYCLE_S, range(len(bodies))))
        assert state(once) == state(twice), k


def test_joint_windows_are_the_boxes_that_no_longer_overlap() -> None:
    generator = np.random.default_rng(3)
    for count in (1, 2, 5, 30):
        position, margin = generator.uniform(-2.0, 2.0, (count, 3)), generator.uniform(0.05, 0.4, count)
        found = joint_windows(np.arange(count), position, margin, 0.02)
        assert sorted(n for _, mine in found for n in mine) == list(range(count))
        for (i0, i1, j0, j1), mine in found:
            assert mine == sorted(mine)
            low, high = position[mine, :2] - margin[mine, None], position[mine, :2] + margin[mine, None]
            assert (i0, j0) == tuple(np.floor(low.min(axis=0) / 0.02)), 'no larger than its bodies need'
            assert (i1 - 1, j1 - 1) == tuple(np.ceil(high.max(axis=0) / 0.02))
        boxes = [box for box, _ in found]
        for k, a in enumerate(boxes):
            for b in boxes[:k]:
                assert a[0] >= b[1] or b[0] >= a[1] or a[2] >= b[3] or b[2] >= a[3]
    assert len(found) > 1 and any(len(mine) > 1 for _, mine in found)


def test_bodies_out_of_reach_of_each_other_are_no_solids_in_a_shared_window() -> None:
    bodies = some_bodies(scm_parameters())
    bodies.place(3, np.array([-0.28, 0.0, 0.095]))  # its window and that of the first one overlap
    for near, x in ((False, -0.28), (True, -0.22)):
        bodies.place(0, np.array([0.0, 0.0, 0.115]))
        bodies.place(3, np.array([x, 0.0, 0.095]))
        steps = BodySteps(bodies)
        steps.plan(CYCLE_S, [0, 3])
        (together,) = steps._steps
        assert together.members == [0, 3] and (together.arrays.first_own == 0) is near
