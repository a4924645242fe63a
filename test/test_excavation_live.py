# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A digger in own processes: the same bits as in one, from a checkpoint with full drums, and after a failure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from harness import LiveRun, RunResult, run_scenario
from test_excavation import DOWN, write
from test_failures import kill_in_mid_run

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_world.numerics.machine_score import measure_machine_score

pytestmark = pytest.mark.ros


@pytest.mark.slow  # the order below has one hash in many processes and in this one, too
def test_one_process_and_many_dig_the_same_hole(tmp_path: Path) -> None:
    """The same hash, the same mass balance, closed to 1e-9 of what was dug."""
    file = write(tmp_path, duration_s=5.0)
    whole = run_scenario(tmp_path, file, '--no-record', name='whole', processes='one')
    many = run_scenario(tmp_path, file, '--no-record', name='many')
    same_outcome(many, whole)
    book, soil = whole.summary['terrain']['mass_balance'], whole.summary['vehicles']['digger']['soil']
    assert book['carried_kg'] == soil['carried_kg'] > 10.0 and soil['dumped_kg'] > 1.0
    assert abs(book['error_kg']) <= 1e-9 * soil['excavated_kg']


@pytest.mark.slow
def test_checkpoint_of_one_process_continues_in_many(tmp_path: Path) -> None:
    """Soil is in the drums and in the air at 4.5 s; restored into many processes it lands as in one."""
    file = write(tmp_path, duration_s=6.0, world={'checkpoint_period_s': 4.5})
    whole = run_scenario(tmp_path, file, '--no-record', name='whole', processes='one')
    saved = whole.run_dir / 'checkpoints' / 't000004.500'
    same_outcome(run_scenario(tmp_path, file, '--checkpoint', saved, '--no-record', name='rest'), whole)


def same_outcome(result: RunResult, other: RunResult) -> None:
    """Hold two runs against each other."""
    for key in ('state_hash', 'terrain', 'vehicles'):
        assert result.summary[key] == other.summary[key]


@pytest.mark.slow
@pytest.mark.parametrize('node', ['digger/agent', 'regolith/terrain'])
def test_node_that_fails_while_digging_restarts_with_its_soil(tmp_path: Path, node: str) -> None:
    """Killed at 3 s, started again by the policy ``wait``: it replays grants and loose soil to the same hash."""
    world = {'on_failure': 'wait', 'participant_timeout_s': 3.0, 'checkpoint_period_s': 2.0}
    file = write(tmp_path, duration_s=6.0, world=world)
    undisturbed = run_scenario(tmp_path, file, '--no-record', name='undisturbed')
    with LiveRun(tmp_path, file, '--no-record', '--rtf', 1.0) as live:
        kill_in_mid_run(live, node, 3.0)
        result = live.finish()
    assert result.summary['state_hash'] == undisturbed.summary['state_hash']


def processor_time_s(pid: int) -> float:
    """Return the processor time of a process since its start [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(') ')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


@pytest.mark.slow
def test_a_digger_keeps_up_with_real_time(tmp_path: Path) -> None:
    """On a core of its own each process, the recorder too, is at least as fast as the clock: processor time, so that other work
    on the machine does not count. From 5 s to 100 s of simulated time, beside the machine's score."""
    from regolith_msgs.msg import WorldStatus

    with LiveRun(tmp_path, 'rassor_dig', processes='one') as live:
        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        used, reached = [], []
        for t_s in (5.0, 100.0):
            live.wait_for(lambda t_s=t_s: status and status[-1].t_ns > t_s * 1e9, 1200.0, f'{t_s} s')
            reached.append(status[-1].t_ns * 1e-9)
            used.append({name: processor_time_s(pid) for name, pid in live.pids().items()})
        live.interrupt()
        live.finish(code=None)
    taken = {name: (used[1][name] - used[0][name]) / (reached[1] - reached[0]) for name in used[0]}
    print(f'processor time per simulated second {taken}, machine_score {measure_machine_score():.3g}')
    assert len(taken) == 2 and max(taken.values()) <= 1.0


def dig(live: LiveRun, client: Any, progress: list[Any], **goal: Any) -> Any:
    """Send an order; return the handle of the goal."""
    from regolith_msgs.action import Dig

    down = {'joints': list(DOWN), 'targets': list(DOWN.values()), 'speed': 0.04}
    sent = client.send_goal_async(Dig.Goal(**down, **goal), lambda message: progress.append(message.feedback))
    live.wait_for(sent.done, 20.0, 'the response to a goal')
    return sent.result()


@pytest.mark.parametrize('processes', ['many', 'one'])
@pytest.mark.slow
def test_dig_goal_reports_progress_and_is_canceled_and_repeated_by_a_replay(tmp_path: Path, processes: str) -> None:
    """One order fills the drums to a quarter, the next is canceled half way, wrong ones are refused; fed back from what
    was recorded, the same inputs lead to the same hash in this one process."""
    from action_msgs.msg import GoalStatus
    from rclpy.action import ActionClient
    from regolith_msgs.action import Dig

    file = write(tmp_path, driver={'type': 'external', 'timeout_s': 0.5}, duration_s=9.0)
    with LiveRun(tmp_path, file, '--rtf', 2.0, processes=processes) as live:
        client = ActionClient(live.node, Dig, '/digger/dig')
        live.wait_for(client.server_is_ready, 60.0, 'the action')
        assert not dig(live, client, [], target_fill=0.5, tools=['shovel']).accepted
        for level in (1.5, 0.0, -0.1):
            assert not dig(live, client, [], target_fill=level).accepted
        progress: list[Any] = []
        goal = dig(live, client, progress, target_fill=0.25)
        assert goal.accepted
        assert not dig(live, client, [], target_fill=0.5).accepted  # one at a time
        ended = goal.get_result_async()
        live.wait_for(ended.done, 30.0, 'a quarter')
        result = ended.result()
        assert result.status == GoalStatus.STATUS_SUCCEEDED and result.result.filled
        assert (
            min(result.result.fill_levels) >= 0.25
            and result.result.excavated_mass > 19.0
            and 1.0 < result.result.duration < 8.0
        )
        assert len(progress) > 3 and progress[-1].fill_levels[0] > progress[0].fill_levels[0]
        goal = dig(live, client, progress, target_fill=1.0)
        live.spin(0.3)
        canceled = goal.cancel_goal_async()
        live.wait_for(canceled.done, 20.0, 'the response to a cancel')
        ended = goal.get_result_async()
        live.wait_for(ended.done, 20.0, 'the end')
        assert ended.result().status == GoalStatus.STATUS_CANCELED and not ended.result().result.filled
        whole = live.finish()
    simulation = Simulation(load_scenario(file).scenario)
    fed = {
        result.key.cycle: bytes(result.live_inputs)
        for m in Bag(whole.run_dir).messages('/regolith/cycle_result')
        for result in m.content.results
        if result.name == 'digger'
    }
    simulation.agents['digger'].replay_inputs = fed
    assert simulation.run(9.0) == whole.summary['state_hash']
