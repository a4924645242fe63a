# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle that comes into a run that is in progress stands on the ground as it is by then."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.terrain_model import LEVEL, LEVEL_INITIAL

DEPTH_M = 0.1
FIRM = ['terrain.source=flat', 'vehicles.basalt.position=[30.0, 30.0]']


@pytest.mark.seconds
@pytest.mark.parametrize('transfer', [True, False], ids=['one ground', 'a ground for each'])
def test_a_vehicle_that_comes_later_stands_in_what_was_dug(transfer: bool) -> None:
    """Ground lower by 0.1 m all around carries it lower by 0.1 m, whether vehicles share their compaction or not."""
    settings = [*FIRM, f'terrain.merge_compaction={str(transfer).lower()}']
    scenario = load_scenario('two_rovers', settings).scenario
    entry = scenario.vehicles['amber']
    late = scenario.model_copy(update={'vehicles': {'basalt': scenario.vehicles['basalt']}})
    heights = []
    for dug in (False, True):
        simulation = Simulation(late)
        simulation.run(0.06)
        if dug:
            lower(simulation, *entry.position)
        heights.append(simulation.add_vehicle('amber', entry).vehicle.body_state().position[2])
    assert heights[0] - heights[1] == pytest.approx(DEPTH_M, abs=2e-3)


@pytest.mark.seconds
def test_end_of_run_adds_the_end_of_a_cycle_and_steps_do_not() -> None:
    """As the page of determinism says: a cable shortens cycles, balls in flight do not."""
    for name, same in (('tow', False), ('ball_throwing_robot', True)):
        whole = Simulation.load(name).run(0.2)
        stepped = Simulation.load(name)
        while stepped.world.t_ns < 200_000_000:
            stepped.world.step(200_000_000)
        stepped.world.hold()
        assert stepped.world.state_hash == whole
        parted = Simulation.load(name)
        parted.run(0.1)
        assert (parted.run(0.2) == whole) is same


def test_faults_are_in_hash_checkpoints_and_summary() -> None:
    fault = 'vehicles.amber.faults=[{of: wheel/front_left, kind: stuck, time_s: 0.1, for_s: 0.1}]'
    healthy, faulty = Simulation.load('two_rovers'), Simulation.load('two_rovers', [fault])
    faulty.run(0.1)
    before = faulty.checkpoint()
    ends = [faulty.run(0.3)]
    assert ends[0] != healthy.run(0.3)
    faulty.go_to(before)
    ends += [faulty.run(0.3), Simulation.load('two_rovers', [fault], threads=2).run(0.3)]
    assert len(set(ends)) == 1
    (entry,) = faulty.agents['amber'].summary()['faults']
    assert (entry['began_s'], entry['ended_s']) == (0.1, 0.2)


def lower(simulation: Simulation, x: float, y: float) -> None:
    """Take 0.1 m off the committed ground within 3 m of a place."""
    grid = simulation.terrain.grid
    i, j = (each.astype(np.int32) for each in np.mgrid[-150:151, -150:151].reshape(2, -1))
    i, j = i + np.int32(round(x / grid.spacing)), j + np.int32(round(y / grid.spacing))
    table = np.zeros((len(grid.law.names), len(i)))
    for field in (LEVEL_INITIAL, LEVEL):
        table[grid.law.fields.index(field)] = -DEPTH_M
    grid.apply(NodeRecords.from_values(i, j, table, grid.law.names))
