# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What happens when a process fails: agents, the recorder, or when the user presses Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from importlib import resources
from pathlib import Path

import pytest
from harness import (
    LiveRun,
    command,
    environment,
    last_committed,
    process_runs,
    run_scenario,
    vehicle,
    write_scenario,
)

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario

pytestmark = pytest.mark.ros

DRIVES = {
    'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
    'basalt': vehicle(0.0, 4.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.0),
}


def scenario(folder: Path, policy: str, duration_s: float = 8.0, participant_timeout_s: float = 3.0) -> Path:
    world = {'on_failure': policy, 'participant_timeout_s': participant_timeout_s, 'checkpoint_period_s': 1.0}
    return write_scenario(folder, DRIVES, duration_s=duration_s, world=world)


def kill_in_mid_run(live: LiveRun, label: str, after_s: float = 1.3) -> None:
    """SIGKILL a node once the world has come to ``after_s``, past its first checkpoint."""
    live.come_to(after_s)
    os.kill(live.pids()[label], signal.SIGKILL)


def named_on_diagnostics(live: LiveRun, diagnostics: list, name: str) -> None:
    live.wait_for(
        lambda: any(s.hardware_id == name and s.level == b'\x02' for m in diagnostics for s in m.status),
        10.0,
        'diagnostics',
    )


def diagnostics_of(live: LiveRun) -> list:
    from diagnostic_msgs.msg import DiagnosticArray

    return live.subscribe(DiagnosticArray, '/diagnostics')


@pytest.mark.slow
def test_stop_names_the_failed_node_and_keeps_the_bag(tmp_path):
    with LiveRun(
        tmp_path, scenario(tmp_path, 'stop', participant_timeout_s=1.5), '--rtf', 1.0, to_be_killed=True
    ) as live:
        diagnostics = diagnostics_of(live)
        kill_in_mid_run(live, 'basalt/agent')
        named_on_diagnostics(live, diagnostics, 'basalt')
        result = live.finish(30.0, code=3)
    # How long it waited is what the scenario says, not the 5 s that would be without it; the message counts them.
    said = [s.message for m in diagnostics for s in m.status if s.hardware_id == 'basalt' and s.level == b'\x02']
    assert all('no response within 1.5 s' in text for text in said), said
    assert 'basalt' in result.output and 'world.on_failure: wait' in result.output
    assert result.summary['bag']['lost'] == 0
    world, bag = last_committed(result.run_dir)
    assert bag == world


@pytest.mark.slow
def test_drop_continues_without_it(tmp_path):
    with LiveRun(tmp_path, scenario(tmp_path, 'drop', 3.0), '--rtf', 1.0, to_be_killed=True) as live:
        diagnostics = diagnostics_of(live)
        kill_in_mid_run(live, 'basalt/agent')
        named_on_diagnostics(live, diagnostics, 'basalt')
        result = live.finish(40.0, code=None)
    assert result.code == 3  # a node failed, and the run says so
    assert result.summary['simulated_s'] == pytest.approx(3.0)
    assert result.summary['vehicles']['amber']['distance_m'] > 0.8
    assert result.summary['vehicles']['basalt']['distance_m'] is None


@pytest.mark.slow
def test_wait_restarts_them_bit_identical(tmp_path):
    """The killed agent is started again, restores its checkpoint, replays without publishing; then terrain. No bit is lost."""
    file = scenario(tmp_path, 'wait', 4.0)
    undisturbed = Simulation(load_scenario(file).scenario).run(4.0)
    with LiveRun(tmp_path, file, '--rtf', 1.0, to_be_killed=True) as live:
        kill_in_mid_run(live, 'amber/agent')
        live.wait_for(lambda: 'rejoined after replaying' in live.output, 30.0, 'amber')
        kill_in_mid_run(live, 'regolith/terrain', 2.4)
        result = live.finish(60.0)
    for name in ('amber/agent', 'regolith/terrain'):
        assert f'{name} ended with -9; starting it again' in result.output
    assert result.output.count('rejoined after replaying') == 2
    assert result.summary['state_hash'] == undisturbed
    assert result.summary['bag']['lost'] == 0


def test_an_unstable_vehicle_ends_the_run_with_its_name_and_time(tmp_path):
    """A model whose wheels gain energy above 1.5 rad/s, faster than the check's trial turns them: exit code 3, and the world's
    result states vehicle, place and time, well before a timeout."""
    source = resources.files('regolith_vehicles') / 'data' / 'viper'
    text = (source / 'viper.xml').read_text()
    (tmp_path / 'viper.xml').write_text(text.replace('class="spin"/>', 'class="spin" damping="-200"/>'))
    (tmp_path / 'mad.yaml').write_text((source / 'viper.yaml').read_text())
    drives = {**DRIVES, 'basalt': {**DRIVES['basalt'], 'model': 'mad.yaml'}}
    world = {'participant_timeout_s': 60.0}
    result = run_scenario(tmp_path, write_scenario(tmp_path, drives, world=world, duration_s=8.0), code=3, timeout=40.0)
    failure = json.loads((result.run_dir / 'world_summary.json').read_text())['failure']
    assert re.match(r'basalt: in the cycle from \d\.\d{4} s: .*(unstable|left the soil window|moves at more)', failure)
    assert failure in result.output.replace('\n', ' ')


@pytest.mark.alone
def test_ctrl_c_leaves_nothing_behind_and_a_whole_bag(tmp_path):
    with LiveRun(tmp_path, scenario(tmp_path, 'stop', 60.0), '--rtf', 1.0, forked=False) as live:
        from regolith_msgs.msg import WorldStatus

        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status and status[-1].t_ns > 1e9, 60.0, '1 s')
        pids = live.pids()
        assert len(pids) == 5
        live.interrupt()
        until = time.monotonic() + 60.0
        while any(map(process_runs, pids.values())):
            assert time.monotonic() < until, 'processes are left'
            time.sleep(0.02)
        result = live.finish(30.0)
    assert result.summary['bag']['lost'] == 0
    world, bag = last_committed(result.run_dir)
    assert bag == world


def test_a_killed_supervisor_leaves_no_orphans(tmp_path):
    with LiveRun(tmp_path, scenario(tmp_path, 'stop', 60.0), '--rtf', 1.0, to_be_killed=True, forked=False) as live:
        from regolith_msgs.msg import WorldStatus

        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status and status[-1].t_ns > 0.5e9, 60.0, 'half a second')
        pids = live.pids()
        live.process.kill()
        live.process.wait()
        until = time.monotonic() + 20.0
        while any(map(process_runs, pids.values())):
            assert time.monotonic() < until, 'orphans'
            time.sleep(0.05)


@pytest.mark.slow  # as the recorder's own test, with a whole run around it
@pytest.mark.alone
def test_a_killed_recorder_loses_at_most_a_second(tmp_path):
    import subprocess

    from regolith_bringup.bag.reading import Bag

    with LiveRun(tmp_path, scenario(tmp_path, 'stop', 5.0), '--rtf', 1.0, to_be_killed=True) as live:
        kill_in_mid_run(live, 'regolith/recorder', 2.2)
        from regolith_msgs.msg import WorldStatus

        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status, 10.0, 'the status')
        at_kill_ns = status[0].t_ns
        live.finish(40.0, code=3)
    repair = subprocess.run(
        command('recover', live.run_dir), env=environment(live.domain), capture_output=True, text=True, timeout=60
    )
    assert repair.returncode == 0, repair.stderr
    last_ns = max(m.content.t_ns for m in Bag(live.run_dir).messages('/regolith/cycle'))
    # At speed 1 a wall second is a simulated one.
    assert last_ns > at_kill_ns - 1_000_000_000


@pytest.mark.parametrize('processes', ['one', 'many'])
@pytest.mark.slow
def test_a_recorder_that_is_held_up_loses_nothing(tmp_path, processes):
    """The world waits for it before anything is overwritten that it has not taken."""
    sensors = {'imu': {'model': {'type': 'imu', 'rate_hz': 200.0}}}
    drives = {**DRIVES, 'amber': {**DRIVES['amber'], 'sensors': sensors}}
    path = write_scenario(tmp_path, drives, duration_s=8.0, recording={'sensors': True})
    with LiveRun(tmp_path, path, processes=processes, to_be_killed=True) as live:
        from regolith_msgs.msg import WorldStatus

        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status and status[-1].t_ns > 1e9, 60.0, 'a second')
        recorder = live.pids()['regolith/recorder']
        os.kill(recorder, signal.SIGSTOP)
        live.spin(1.5)
        held_at_ns = status[-1].t_ns
        os.kill(recorder, signal.SIGCONT)
        done = live.finish(60.0)
    assert held_at_ns < 7.5e9, 'it was over before it could be held up'
    assert done.summary['bag']['lost'] == 0, (live.run_dir / 'recorder.json').read_text()
    assert done.summary['bag']['messages'] > 4000
