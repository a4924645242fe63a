# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of scenarios in which vehicles compute the rigid bodies near them: assignment, transfer, equal hashes."""

from __future__ import annotations

import copy
import os
import signal
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from harness import LiveRun, run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario


def box(x: float, y: float, half: tuple[float, float, float], mass: float, z: float | None = None) -> dict[str, Any]:
    """Return a box of a scenario that lies on flat ground."""
    position = [x, y, half[2] if z is None else z]
    return {
        'type': 'rigid_body',
        'shape': {'kind': 'box', 'size_m': list(half)},
        'mass_kg': mass,
        'position': position,
    }


def rocks(folder: Path, **sections: Any) -> Path:
    """Write a scenario in which two rovers drive over and past five boxes."""
    vehicles = {
        'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.4),
        'basalt': vehicle(0.0, 3.0, type='constant', speed_mps=0.4),
    }
    sizes = ((0.05, 0.04, 0.03), (0.08, 0.06, 0.05), (0.1, 0.08, 0.08))
    objects = {
        f'rock_{k}': box(1.4 + 0.35 * (k % 3), y, sizes[k % 3], (1.4, 5.5, 15.0)[k % 3])
        for k, y in enumerate((0.6, -0.6, 0.62, 3.6, 2.4))
    }
    terrain = {'spacing_m': 0.02, 'map_size_m': 40.0}
    return write_scenario(folder, vehicles, objects=objects, bodies={}, terrain=terrain, **sections)


def simulation(file: Path) -> Simulation:
    return Simulation(load_scenario(file).scenario)


def owners(made: Simulation) -> dict[str, str]:
    return {name: item.moved_by for name, item in made.world.objects.items() if item.moved_by}


@pytest.mark.seconds
def test_row_11_state_hash_is_equal_after_a_rewind_while_vehicles_compute_bodies(tmp_path: Path) -> None:
    file = rocks(tmp_path)
    made = simulation(file)
    made.run(2.6)
    assert {'amber', 'basalt'} <= set(owners(made).values())
    assert len({item.body.position.tobytes() for item in made.world.objects.values()}) == 7
    saved, end = made.checkpoint(), made.run(3.4)
    made.go_to(saved)
    assert made.run(3.4) == end
    again = simulation(file)
    again.go_to(saved)
    assert again.run(3.4) == end


@pytest.mark.seconds
def test_row_11_state_hash_is_equal_with_any_number_of_threads(tmp_path: Path) -> None:
    """The compiled loops of both rovers run at the same time, each with bodies of its own."""
    scenario = load_scenario(rocks(tmp_path)).scenario
    alone = Simulation(scenario).run(3.0)
    for _ in range(3):
        assert Simulation(scenario, threads=2).run(3.0) == alone


@pytest.mark.ros
@pytest.mark.parametrize('processes', ['many', pytest.param('one', marks=pytest.mark.slow)])
def test_row_11_state_hash_is_equal_in_any_number_of_processes(tmp_path: Path, processes: str) -> None:
    file = rocks(tmp_path)
    done = run_scenario(tmp_path, file, '--duration', '2.6', processes=processes)
    made = simulation(file)
    assert done.summary['state_hash'] == made.run(2.6)
    assert 'amber' in owners(made).values()


@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.parametrize('victim', ['amber', 'bodies', 'terrain'])
def test_row_11_state_hash_is_equal_after_a_killed_node_has_joined_again(tmp_path: Path, victim: str) -> None:
    """It is killed while both rovers compute bodies, starts from a checkpoint, and repeats the cycles since then."""
    world = {'on_failure': 'wait', 'participant_timeout_s': 1.5, 'checkpoint_period_s': 1.0}
    file = rocks(tmp_path, world=world)
    made = simulation(file)
    made.run(2.6)
    assert {'amber', 'basalt'} <= set(owners(made).values())
    with LiveRun(tmp_path, file, '--rtf', 0.5, '--duration', 3.4, to_be_killed=True) as live:
        live.come_to(2.5)
        label = next(each for each in sorted(live.pids()) if victim in each.split('/'))
        os.kill(live.pids()[label], signal.SIGKILL)
        done = live.finish()
    assert done.output.count('rejoined after replaying') == 1, done.output[-4000:]
    assert done.summary['state_hash'] == made.run(3.4)


@pytest.mark.seconds
def test_row_11_bodies_of_a_lost_vehicle_return_to_the_participant_at_their_committed_states(tmp_path: Path) -> None:
    made = simulation(rocks(tmp_path))
    made.run(3.0)
    lost = sorted(name for name, owner in owners(made).items() if owner == 'amber')
    assert lost
    before = {name: made.world.objects[name].body for name in lost}
    made.world.remove('amber')
    assert {owners(made)[name] for name in lost} == {'bodies'}
    made.world.step()
    for name in lost:
        after = made.world.objects[name].body
        assert np.linalg.norm(after.position - before[name].position) < 0.02
    made.run(4.0)
    assert set(owners(made).values()) <= {'bodies', 'basalt'}


@pytest.mark.seconds
def test_row_12_rock_that_is_approached_but_not_touched_keeps_its_pose_bit_identical(tmp_path: Path) -> None:
    """A rover passes 10 cm beside a rock that sleeps. It computes the rock, which stays asleep."""
    objects = {'rock': box(1.6, 1.05, (0.1, 0.08, 0.06), 10.0)}
    drive = {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.5)}
    terrain = {'spacing_m': 0.02, 'map_size_m': 40.0}
    made = simulation(write_scenario(tmp_path, drive, objects=objects, bodies={'sleep_after_s': 0.2}, terrain=terrain))
    made.run(1.4)
    item, seen = made.world.objects['rock'], set()
    before = copy.deepcopy(item.body)
    assert not before.linear_velocity.any()
    while made.world.t_ns < 7_000_000_000:
        made.world.step()
        seen.add(item.moved_by)
        assert item.body.position.tobytes() == before.position.tobytes()
        assert item.body.orientation.tobytes() == before.orientation.tobytes()
    assert seen == {'amber', 'bodies'}
    assert item.moved_by == 'bodies'


@pytest.mark.seconds
@pytest.mark.parametrize('order', [['bodies', 'amber'], ['bodies', 'amber', 'bodies', 'basalt']])
def test_row_8_momentum_is_conserved_with_two_rovers_and_when_the_vehicle_of_a_block_changes(
    tmp_path: Path, order: list[str]
) -> None:
    """Without gravity: a rover hits a block, which hits a second rover; or a block flies from one to the other.

    To 1e-5 along the impact, and 2e-4 across it, as the hit rover turns. The forces are opposite to 1e-12, see row 7; the
    rest is the integration of articulated bodies by MuJoCo.
    """
    rovers = {
        'amber': {**vehicle(0.0, 0.0), 'height_above_ground_m': 30.0},
        'basalt': {**vehicle(4.5 if len(order) == 2 else 7.0, 0.0), 'height_above_ground_m': 30.0},
    }
    hit = len(order) == 2
    block = {**box(1.7 if hit else 1.3, 0.0, (0.3, 0.3, 0.3), 20.0, z=30.35), 'weightless': True}
    block['velocity_mps'] = [0.0 if hit else 1.2, 0.0, 0.0]
    world = {'gravity_mps2': 0.0}
    made = simulation(write_scenario(tmp_path, rovers, objects={'block': block}, bodies={}, world=world))
    state = copy.deepcopy(made.agents['amber'].vehicle.body_state())
    state.linear_velocity = np.array([0.8 if hit else 0.0, 0.0, 0.0])
    made.agents['amber'].set_state(state)
    made.world.await_state('amber')
    made.world.hold()

    def momentum() -> np.ndarray:
        block = made.world.objects['block'].body
        total = block.mass * block.linear_velocity
        for agent in made.agents.values():
            model, data = agent.vehicle.body.model, agent.vehicle.data
            mujoco.mj_subtreeVel(model, data)
            total = total + agent.vehicle.body.mass * data.subtree_linvel[1]
        return np.array(total)

    start, seen = momentum(), []
    while made.world.t_ns < 7_000_000_000:
        made.world.step()
        owner = made.world.objects['block'].moved_by
        seen += [owner] if seen[-1:] != [owner] else []
        if not made.world._impulses:  # they act at the start of the next cycle
            change = np.abs(momentum() - start) / np.linalg.norm(start)
            assert change[0] < 1e-5
            assert change.max() < 2e-4
    assert seen[: len(order)] == order
    assert made.world.objects['basalt'].body.linear_velocity[0] > 0.02


@pytest.mark.slow
def test_rover_at_a_lander_nudges_a_box_and_drops_a_breadcrumb_that_rests_on_the_ground() -> None:
    made = Simulation(load_scenario('lander_site').scenario)
    made.run(1.5)
    crate = made.world.objects['crate'].body.position.copy()
    made.run(16.0)
    assert np.linalg.norm(made.world.objects['crate'].body.position - crate) > 0.05
    (crumb,) = (item for name, item in made.world.objects.items() if 'breadcrumb' in name)
    assert crumb.moved_by in ('bodies', 'rover')
    level = float(made.terrain.grid.levels(*crumb.body.position[:2]))
    assert abs(crumb.body.position[2] - level) < 0.06
    assert np.linalg.norm(crumb.body.linear_velocity) < 0.02
    assert made.world.discarded_cycles == 0
