# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The same scenario gives the same bits: twice, in one process or in many, disturbed, and from a checkpoint on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import LiveRun, run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_world.world import ProtocolError

DRIVES = {
    'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.15),
    'basalt': vehicle(-2.6, 0.1, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
}
"""Basalt runs into amber's ruts within three seconds."""


def scenario(folder: Path, **sections: object) -> Path:
    terrain = {'source': 'procedural', 'spacing_m': 0.04}
    return write_scenario(folder, DRIVES, duration_s=3.0, terrain=terrain, **sections)


@pytest.fixture(scope='module')
def undisturbed(tmp_path_factory):
    """State hash of the plain run in as many processes as there are nodes."""
    folder = tmp_path_factory.mktemp('undisturbed')
    return run_scenario(folder, scenario(folder)).summary['state_hash']


@pytest.mark.ros
@pytest.mark.slow  # the same as the next but one, in fair weather
def test_twice_in_a_row(tmp_path, undisturbed):
    assert run_scenario(tmp_path, scenario(tmp_path)).summary['state_hash'] == undisturbed


@pytest.mark.ros
def test_one_process_against_many(tmp_path, undisturbed):
    result = run_scenario(tmp_path, scenario(tmp_path), processes='one')
    assert result.summary['processes'] == 'one'
    assert result.summary['state_hash'] == undisturbed


@pytest.mark.ros
@pytest.mark.slow
def test_agent_slowed_by_random_sleeps_messages_duplicated_and_results_lost(tmp_path, undisturbed):
    chaos = {'max_delay_s': {'amber': 0.02}, 'duplicate': True, 'drop_result_at': {'basalt': 40, 'terrain': 70}}
    result = run_scenario(tmp_path, scenario(tmp_path, world={'fault_injection': chaos}))
    assert result.summary['state_hash'] == undisturbed
    # The two lost responses cost one repetition each, the sleeps 10 ms a cycle: proof that they were lost, and requested
    # again.
    assert result.summary['wall_s'] > 2 * 0.5 + 150 * 0.005


@pytest.mark.ros
def test_restoring_a_checkpoint_gives_the_hash_of_the_uninterrupted_run(tmp_path):
    """Checkpoint of one process at 3 s, on ground with the ruts of both, restored into many, run on to 5 s."""
    file = scenario(tmp_path, world={'checkpoint_period_s': 3.0})
    whole = run_scenario(tmp_path, file, '--duration', 5, '--no-record', name='whole', processes='one')
    saved = whole.run_dir / 'checkpoints' / 't000003.000'
    assert json.loads((saved / 'manifest.json').read_text())['t_ns'] == 3_000_000_000
    rest = run_scenario(tmp_path, file, '--duration', 5, '--checkpoint', saved, '--no-record', name='rest')
    assert rest.summary['state_hash'] == whole.summary['state_hash']
    assert rest.summary['simulated_s'] == pytest.approx(2.0)
    assert rest.summary['terrain'] == whole.summary['terrain']


@pytest.mark.ros
@pytest.mark.slow
def test_rewinding_a_live_run_repeats_it_and_keeps_the_clock_monotonic(tmp_path):
    from regolith_msgs.srv import SaveCheckpoint, Step
    from rosgraph_msgs.msg import Clock

    file = scenario(tmp_path)
    with LiveRun(tmp_path, file, '--duration', 60, '--rtf', 1.0) as live:
        clock = live.subscribe(Clock, '/clock')
        live.wait_for(lambda: clock and clock[-1].clock.sec >= 1, 40.0, 'one second')
        live.pause()
        saved = live.call(SaveCheckpoint, '/regolith/world/save_checkpoint', path='saved')
        assert saved.success and (live.run_dir / 'saved' / 'manifest.json').is_file()
        first = [live.call(Step, '/regolith/world/step', steps=25).state_hash for _ in range(2)]
        back = live.call(SaveCheckpoint, '/regolith/world/restore_checkpoint', path=saved.path)
        assert back.success and back.state_hash == saved.state_hash
        second = [live.call(Step, '/regolith/world/step', steps=25).state_hash for _ in range(2)]
        assert first == second
        assert len({*first, saved.state_hash}) == 3
        times = [c.clock.sec * 10**9 + c.clock.nanosec for c in clock]
        assert times == sorted(times)


# -- it is a real hash ----------------------------------------------------------------------------------------------


def simulation(tmp_path: Path) -> Simulation:
    return Simulation(load_scenario(scenario(tmp_path)).scenario)


def test_the_library_gives_the_hash_of_the_nodes(tmp_path, undisturbed):
    assert simulation(tmp_path).run(3.0) == undisturbed


def test_threads_do_not_change_a_bit(tmp_path):
    loaded = load_scenario(scenario(tmp_path)).scenario
    assert Simulation(loaded, threads=2).run(1.0) == Simulation(loaded).run(1.0)


@pytest.mark.slow
def test_one_ulp_on_one_soil_node_changes_the_hash(tmp_path):
    plain, touched = simulation(tmp_path), simulation(tmp_path)
    assert plain.run(2.0) == touched.run(2.0)
    grid = touched.terrain.grid
    # The hindmost node was left behind long ago: nothing but the hash can notice.
    records = grid.all_records()
    records.level[0] = np.nextafter(records.level[0], np.inf)
    grid.apply(records)
    assert grid.soil_hash() == grid.recomputed_hash()
    with pytest.raises(ProtocolError, match='has the soil state'):
        touched.run(2.02)
    # Such a change behind the world's back is caught; had it been committed, the hash would say so.
    touched = simulation(tmp_path)
    touched.run(2.0)
    touched.terrain.grid.apply(records)
    touched.world.soil_hash = grid.soil_hash()
    assert plain.run(2.02) != touched.run(2.02)
    assert plain.agents['amber'].vehicle.state() == touched.agents['amber'].vehicle.state()


def test_a_hair_on_one_wheel_speed_changes_the_hash(tmp_path):
    plain, touched = simulation(tmp_path), simulation(tmp_path)
    assert plain.run(0.5) == touched.run(0.5)
    vehicle_ = touched.agents['amber'].vehicle
    dof = vehicle_.body.wheel_dof[0]
    vehicle_._data.qvel[dof] += 1e-12
    vehicle_.commit()
    assert plain.run(0.52) != touched.run(0.52)


def test_every_agent_holds_terrains_ground_at_every_checkpoint(tmp_path):
    """Agents with copies of their own (as in processes of their own) against terrain, and both against a recount."""
    from regolith_terrain.grid.soil_grid import SoilGrid
    from regolith_terrain.updates.soil_copy import SoilCopy

    run = simulation(tmp_path)
    # Every agent follows terrain's updates on a copy, as in a process of its own.
    copies: dict[str, SoilCopy] = {}
    for name, agent in run.agents.items():
        copies[name] = SoilCopy(SoilGrid(run.terrain.height_field, run.scenario.terrain.spacing_m), name)
        agent.grid = agent.vehicle.grid = copies[name].grid
        run.group.terrain_copies.append(copies[name])
    run.on_update = lambda update: [copy.receive(update) for copy in copies.values()]
    for second in (1.0, 2.0, 3.0):
        run.run(second)
        expected = run.terrain.grid.recomputed_hash()
        assert run.world.soil_hash == expected
        for copy in copies.values():
            assert copy.soil_hash() == copy.grid.recomputed_hash() == expected
    assert run.terrain.grid.modified_count > 1000
