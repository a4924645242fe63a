# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every fault of ``docs/guide/troubleshooting.md``: what the user sees of it, what is left, and that nothing committed is lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import (
    WORLD,
    LiveRun,
    RunResult,
    command,
    environment,
    last_committed,
    library_run,
    process_runs,
    run_scenario,
    vehicle,
    write_scenario,
)

from regolith_bringup.bag.reading import Bag
from regolith_world.run_policy import RESTARTS

pytestmark = pytest.mark.ros

DRIVES = {
    'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
    'basalt': vehicle(0.0, 4.0, 0.0, type='constant', speed_mps=0.4),
}
EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 64,
    'height': 48,
    'pixel_size_m': 5e-6,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'rate_hz': 5.0,
}
SEEING = {'eye': {'model': EYE, 'mount': {'xyz': [0.6, 0.0, 1.5], 'rpy_deg': [0.0, 30.0, 0.0]}}}
COMMS = {
    'radio': 'subt_cloud_tunnel',
    'margin_m': 20.0,
    'stations': {'lander': [-20.0, 0.0]},
    'traffic': [
        {'src': 'amber', 'dst': 'lander', 'period_s': 0.1},
        {'src': 'lander', 'dst': 'broadcast', 'period_s': 0.2},
    ],
}
REAL_TIME = ('--rtf', 1.0)


def scenario(folder: Path, policy: str, duration_s: float = 4.0, *, seeing: bool = False, **sections: Any) -> Path:
    """Write a scenario of two rovers whose timeout is a second and a half."""
    world = {
        'on_failure': policy,
        'participant_timeout_s': 1.5,
        'checkpoint_period_s': 1.0,
        **sections.pop('world', {}),
    }
    drives = {**DRIVES, 'amber': {**DRIVES['amber'], 'sensors': SEEING}} if seeing else DRIVES
    recording = {'sensors': seeing}
    return write_scenario(folder, drives, duration_s=duration_s, world=world, recording=recording, **sections)


def hit(live: LiveRun, label: str, number: signal.Signals, at_s: float = 1.3) -> int:
    """Send a signal to a node once the world has reached a time, past its first checkpoint; return its process id."""
    live.come_to(at_s)
    pid = live.pids()[label]
    os.kill(pid, number)
    return pid


def undisturbed(path: Path) -> str:
    """Return the hash that a scenario ends with if nothing happens to it."""
    return library_run(path).world.state_hash


def assert_whole(run: RunResult) -> None:
    """Assert that the bag lacks nothing of what the world has committed."""
    world, bag = last_committed(run.run_dir)
    assert bag == world
    assert run.summary['bag']['lost'] == 0 and run.summary['bag']['complete']


def the_line(run: RunResult, words: str) -> str:
    """Return the one line of the output that says so."""
    lines = [line for line in run.output.splitlines() if words in line]
    assert len(lines) == 1, run.output[-4000:]
    assert 'Traceback' not in run.output
    return lines[0]


def assert_gone(pids: dict[str, int]) -> None:
    """Assert that no process is left of a run that is over."""
    until = time.monotonic() + 10.0
    while left := [label for label, pid in pids.items() if process_runs(pid)]:
        assert time.monotonic() < until, left
        time.sleep(0.05)


# -- agents ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agent_that_hangs_for_a_while_is_waited_for(tmp_path: Path) -> None:
    from rosgraph_msgs.msg import Clock

    path = scenario(tmp_path, 'stop', 2.0)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        told = live.subscribe(Clock, '/clock')
        pid = hit(live, 'basalt/agent', signal.SIGSTOP, 0.6)
        live.spin(0.4)
        stands_at = told[-1]
        live.spin(0.4)
        assert told[-1] == stands_at, 'the world continued'
        os.kill(pid, signal.SIGCONT)
        done = live.finish()
    assert done.summary['state_hash'] == undisturbed(path)
    assert 'no response' not in done.output
    assert_whole(done)


@pytest.mark.slow
@pytest.mark.parametrize('policy', ['stop', 'drop'])
def test_agent_that_hangs_too_long_is_handled_by_policy(tmp_path: Path, policy: str) -> None:
    with LiveRun(tmp_path, scenario(tmp_path, policy), *REAL_TIME, to_be_killed=True) as live:
        hit(live, 'basalt/agent', signal.SIGSTOP)
        pids = live.pids()
        done = live.finish(code=3)
        assert_gone(pids)
    meaning = {'stop': 'stops', 'drop': 'continues without it'}[policy]
    line = the_line(done, 'no response from basalt: the world')
    assert re.search(rf'the world {meaning} \(no response within 1.5 s, at 1\.\d+ s\)', line)
    assert_whole(done)
    if policy == 'stop':
        assert re.search(
            rf'to continue: ./regolith run {done.run_dir}/scenario.yaml --checkpoint {done.run_dir}/checkpoints/t\S+',
            line,
        )
        assert re.fullmatch(r'no response from basalt at 1\.\d+ s', done.summary['failure'])
    else:
        assert done.summary['simulated_s'] == pytest.approx(4.0)
        assert list(done.summary['dropped_participants']) == ['basalt'] and not done.summary['failure']
        the_line(done, 'basalt failed: no response within 1.5 s')


@pytest.mark.slow
def test_agent_that_hangs_too_long_rejoins_a_world_that_waits(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'wait', 3.0)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        pid = hit(live, 'basalt/agent', signal.SIGSTOP)
        live.wait_for(lambda: 'waits for it to return' in live.output, 20.0, 'the line')
        os.kill(pid, signal.SIGCONT)
        done = live.finish()
    assert done.summary['state_hash'] == undisturbed(path)
    assert 'end a process that hangs' in the_line(done, 'no response from basalt')
    assert_whole(done)


@pytest.mark.slow
def test_agent_that_fails_repeatedly_is_not_restarted(tmp_path: Path) -> None:
    with LiveRun(tmp_path, scenario(tmp_path, 'wait', 20.0), *REAL_TIME, to_be_killed=True) as live:
        for k in range(RESTARTS + 1):
            hit(live, 'basalt/agent', signal.SIGKILL, 1.3 + 0.2 * k)
            if k < RESTARTS:
                live.wait_for(lambda k=k: live.output.count('rejoined after replaying') > k, 30.0, 'its return')
        done = live.finish(code=3)
    assert done.output.count('starting it again') == RESTARTS
    assert f'stopped after {RESTARTS} restarts: ending the run' in the_line(done, 'stopped after')
    assert 'no response from basalt at' in done.summary['failure']
    assert_whole(done)


@pytest.mark.slow
def test_vehicle_that_joined_in_mid_run_and_fails_is_restarted_too(tmp_path: Path) -> None:
    """The world started its process, and starts it again."""
    from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
    from regolith_msgs.msg import WorldStatus
    from simulation_interfaces.srv import SpawnEntity

    there = PoseStamped(pose=Pose(position=Point(x=-6.0, y=6.0), orientation=Quaternion(w=1.0)))
    with LiveRun(tmp_path, scenario(tmp_path, 'wait', 60.0), *REAL_TIME, to_be_killed=True) as live:
        live.come_to(1.1)
        come = live.call(
            SpawnEntity,
            f'{WORLD}/spawn_entity',
            timeout=90.0,
            name='late',
            uri='regolith://vehicles/viper',
            initial_pose=there,
        )
        assert come.result.result == 1, come.result.error_message
        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        own = os.fsencode(live.run_dir / 'spawned' / 'late.yaml')
        (pid,) = (int(f.parent.name) for f in Path('/proc').glob('[0-9]*/cmdline') if own in f.read_bytes())
        os.kill(pid, signal.SIGKILL)
        live.wait_for(lambda: 'rejoined after replaying' in live.output, 60.0, 'its return')
        live.come_to(status[-1].t_ns * 1e-9 + 1.0)
        live.interrupt()
        done = live.finish()
    assert 'no response from late: the world waits for it to return' in done.output
    assert_whole(done)


@pytest.mark.slow
def test_agent_that_fails_while_a_checkpoint_is_taken_is_restarted(tmp_path: Path) -> None:
    """One is taken after every cycle, so that it is hit there, or between, in two of three cases; three times."""
    path = scenario(tmp_path, 'wait', 3.0, world={'checkpoint_period_s': 0.02})
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        for k in range(RESTARTS):
            hit(live, 'basalt/agent', signal.SIGKILL, 0.5 + 0.5 * k)
            live.wait_for(lambda k=k: live.output.count('rejoined after replaying') > k, 60.0, 'its return')
        done = live.finish()
    assert done.summary['state_hash'] == undisturbed(path)
    assert_whole(done)


# -- terrain and radios ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize('victim', ['terrain', 'comms'])
@pytest.mark.parametrize('policy', ['stop', 'drop', 'wait'])
def test_terrain_and_radios_are_participants_like_any_other(tmp_path: Path, victim: str, policy: str) -> None:
    """Except with ``drop``: a run cannot continue without terrain, and radio datagrams would be missing."""
    path = scenario(tmp_path, policy, comms=COMMS)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        hit(live, f'regolith/{victim}', signal.SIGKILL)
        pids = live.pids()
        done = live.finish(code=0 if policy == 'wait' else 3)
        assert_gone(pids)
    assert_whole(done)
    if policy == 'wait':
        assert done.summary['state_hash'] == undisturbed(path)
        the_line(done, f'{victim} ended with -9; starting it again')
    else:
        assert 'the world stops' in the_line(done, f'no response from {victim}: ')
        assert re.fullmatch(rf'no response from {victim} at 1\.\d+ s', done.summary['failure'])
        assert 'SIGKILL' in the_line(done, f'regolith/{victim} ended')


# -- the world ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('processes', ['many', pytest.param('one', marks=pytest.mark.slow)])
def test_a_killed_world_ends_the_run_and_its_bag_is_whole(tmp_path: Path, processes: str) -> None:
    path = scenario(tmp_path, 'stop', 60.0)
    with LiveRun(tmp_path, path, *REAL_TIME, processes=processes, to_be_killed=True) as live:
        hit(live, 'regolith/world', signal.SIGKILL)
        pids = live.pids()
        done = live.finish(code=3)
        assert_gone(pids)
    line = the_line(done, 'regolith/world ended with exit code -9 (SIGKILL), which ends the run')
    saved = re.search(r'--checkpoint (\S+)', line)
    assert saved and (Path(saved[1]) / 'manifest.json').is_file()
    assert 'the world was terminated before writing its results' in the_line(done, 'failed: ')
    # What the bag holds is summed up: the last commit travels with a record that a dead world does not send.
    assert 1.2 < done.summary['simulated_s'] < 60.0 and done.summary['vehicles']['amber']['distance_m'] > 0.2
    assert done.summary['bag']['lost'] == 0 and done.summary['bag']['complete']
    cycles = [m.content.key.cycle for m in Bag(done.run_dir).messages('/regolith/cycle')]
    assert cycles == sorted(cycles) and set(cycles) == set(range(max(cycles) + 1))


@pytest.mark.slow
def test_a_run_whose_world_was_killed_is_continued_to_the_same_end(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'stop', 3.0)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        hit(live, 'regolith/world', signal.SIGKILL)
        line = the_line(live.finish(code=3), '--checkpoint')
    words = re.search(r'./regolith run (\S+) --checkpoint (\S+)', line)
    assert words
    rest = run_scenario(tmp_path, words[1], '--checkpoint', words[2], name='rest')
    assert rest.summary['state_hash'] == undisturbed(path)


# -- observers the world waits for ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize('policy', ['stop', 'drop', 'wait'])
def test_killed_sensors(tmp_path: Path, policy: str) -> None:
    path = scenario(tmp_path, policy, seeing=True)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        hit(live, 'regolith/sensors', signal.SIGKILL)
        pids = live.pids()
        done = live.finish(code=0 if policy == 'wait' else 3)
        assert_gone(pids)
    assert_whole(done)
    seen = sorted(
        m.content.header.stamp.sec + m.content.header.stamp.nanosec * 1e-9
        for m in Bag(done.run_dir).messages('/amber/eye/image_raw')
    )
    if policy == 'stop':
        assert 'the world stops' in the_line(done, 'no response from sensors: ')
        assert re.fullmatch(r'no response from sensors at \d\.\d+ s', done.summary['failure'])
        assert done.summary['vehicles']['amber']['distance_m'] > 0.2  # its participants sent their summaries
    else:
        assert done.summary['state_hash'] == undisturbed(path)
    if policy == 'drop':
        assert list(done.summary['dropped_participants']) == ['sensors']
    if policy == 'wait':
        # Those that were due while it was away: at most the world's lead over it, and an image it had not sent.
        assert seen[-1] == pytest.approx(3.8) and len(seen) >= 20 - 3
        the_line(done, 'sensors ended with -9; starting it again')


@pytest.mark.slow
def test_sensors_that_hang_are_waited_for(tmp_path: Path) -> None:
    """Longer than an agent, since a large image takes long; but a message is printed."""
    path = scenario(tmp_path, 'stop', 3.0, seeing=True)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        pid = hit(live, 'regolith/sensors', signal.SIGSTOP)
        live.wait_for(lambda: 'sensors: no frame for' in live.output, 20.0, 'the line')
        live.spin(1.0)
        os.kill(pid, signal.SIGCONT)
        done = live.finish()
    assert 'the world waits for one, 120 s at most' in the_line(done, 'sensors: no frame')
    assert done.summary['state_hash'] == undisturbed(path)
    assert_whole(done)
    assert Bag(done.run_dir).topics['/amber/eye/image_raw'].messages == 15


@pytest.mark.slow
@pytest.mark.parametrize('policy', ['stop', 'drop', 'wait'])
def test_a_killed_recorder(tmp_path: Path, policy: str) -> None:
    path = scenario(tmp_path, policy)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        hit(live, 'regolith/recorder', signal.SIGKILL, 2.2)
        pids = live.pids()
        done = live.finish(code=0 if policy == 'wait' else 3)
        assert_gone(pids)
    the_line(done, 'recover')
    if policy == 'stop':
        assert re.fullmatch(r'no response from recorder at [23]\.\d+ s', done.summary['failure'])
    else:
        assert done.summary['state_hash'] == undisturbed(path)
    if policy == 'drop':
        assert list(done.summary['dropped_participants']) == ['recorder']
    repair = subprocess.run(
        command('recover', done.run_dir), env=environment(live.domain), capture_output=True, text=True, timeout=60
    )
    assert repair.returncode == 0, repair.stderr
    last_ns = max(m.content.t_ns for m in Bag(done.run_dir).messages('/regolith/cycle'))
    # At speed 1 a wall second is a simulated one, of which the recorder loses one at most; 0.1 s for the way to the kill.
    assert last_ns > 2.2e9 - 1.1e9
    if policy == 'wait':
        # The one that came in its place writes a bag of its own.
        again = Bag(done.run_dir / 'bag_1')
        cycles = [m.content for m in again.messages('/regolith/cycle')]
        assert cycles[0].t_ns < 2.2e9 + 1.0e9 and max(c.t_ns for c in cycles) == 4_000_000_000
        assert again.topics['/amber/robot_description'].messages == 1


@pytest.mark.slow
def test_recorder_that_hangs_too_long_rejoins_a_world_that_waits(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'wait')
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True) as live:
        pid = hit(live, 'regolith/recorder', signal.SIGSTOP)
        live.wait_for(lambda: 'no response from recorder: the world waits' in live.output, 20.0, 'the line')
        os.kill(pid, signal.SIGCONT)
        done = live.finish()
    assert done.summary['state_hash'] == undisturbed(path)
    assert_whole(done)


# -- parent process -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_supervisor_leaves_a_whole_bag_to_report_on(tmp_path: Path) -> None:
    with LiveRun(tmp_path, scenario(tmp_path, 'stop', 60.0), *REAL_TIME, to_be_killed=True, forked=False) as live:
        live.come_to(1.3)
        pids = live.pids()
        live.process.kill()
        live.process.wait()
        assert_gone(pids)
        folder = live.run_dir
        done = subprocess.run(
            command('report', folder), env=environment(live.domain), capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stderr
    world, bag = last_committed(folder)
    assert bag == world and (folder / 'report.html').is_file()
    summary = json.loads((folder / 'summary.json').read_text())
    assert summary['bag']['complete'] and summary['bag']['lost'] == 0
    assert 1.2 < summary['simulated_s'] < 60.0 and summary['vehicles']['amber']['distance_m'] > 0.2


# -- messages -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_lost_late_and_double_messages_leave_no_trace(tmp_path: Path) -> None:
    names = ('amber', 'basalt', 'terrain', 'comms')
    chaos = {
        'duplicate': True,
        'max_delay_s': dict.fromkeys(names, 0.01),
        'drop_result_at': {name: 20 + 10 * k for k, name in enumerate(names)},
    }
    path = scenario(tmp_path, 'stop', 2.0, comms=COMMS, world={'fault_injection': chaos})
    done = run_scenario(tmp_path, path)
    assert done.summary['state_hash'] == undisturbed(scenario(tmp_path, 'stop', 2.0, comms=COMMS))
    assert done.summary['wall_s'] > 4 * 0.5  # every lost response was requested again
    assert_whole(done)


@pytest.mark.slow
def test_slow_subscriber_delays_no_node(tmp_path: Path) -> None:
    """One that takes 50 ms over every message, of the protocol, of states and of images."""
    from regolith_msgs.msg import Cycle, CycleResultBatch, TerrainCommitted
    from sensor_msgs.msg import Image, PointCloud2

    path = scenario(tmp_path, 'stop', 6.0, seeing=True)
    quick = run_scenario(tmp_path, path, name='quick').summary
    with LiveRun(tmp_path, path, name='slow') as live:
        taken = 0

        def take(message: object) -> None:
            nonlocal taken
            taken += 1
            time.sleep(0.05)

        for kind, topic in (
            (Cycle, '/regolith/cycle'),
            (CycleResultBatch, '/regolith/cycle_result'),
            (TerrainCommitted, '/regolith/terrain/committed'),
            (Image, '/amber/eye/image_raw'),
            (PointCloud2, '/regolith/terrain/points'),
        ):
            live.node.create_subscription(kind, topic, take, 10)
        done = live.finish()
    assert taken > 10
    assert done.summary['state_hash'] == quick['state_hash'] == undisturbed(path)
    assert_whole(done)
    assert done.summary['bag']['messages'] == pytest.approx(quick['bag']['messages'], rel=0.05)  # clock and status vary
    # It is far slower than the run: 300 cycles alone would take it 15 s. Other tests' load at most doubles a run's time.
    assert done.summary['wall_s'] < max(2.0 * quick['wall_s'], 10.0)


# -- a full disk ----------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB."""
    folder = tmp_path / 'disk'
    folder.mkdir()
    mounted = subprocess.run(
        ['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip('only root may mount a disk')
    yield folder
    subprocess.run(['umount', '--lazy', str(folder)], check=True)


def fill(disk: Path, left: int) -> None:
    """Fill a disk except for so many bytes."""
    room = os.statvfs(disk)
    with (disk / 'ballast').open('wb') as stream:
        os.posix_fallocate(stream.fileno(), 0, room.f_bavail * room.f_frsize - left)


@pytest.mark.slow
@pytest.mark.parametrize('policy', ['stop', 'drop', 'wait'])
def test_a_full_disk_ends_the_recording(small_disk: Path, tmp_path: Path, policy: str) -> None:
    """What was written before can be read, the world's results and the summary exist, and a checkpoint to continue from."""
    path = scenario(tmp_path, policy, 8.0, world={'checkpoint_period_s': 60.0})
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True, folder=small_disk) as live:
        live.come_to(1.8)  # the recorder is up to half a second behind, and more beside other work
        fill(small_disk, 100_000)
        pids = live.pids()
        done = live.finish(code=3)
        assert_gone(pids)
    line = the_line(done, 'regolith/recorder recording ends at')
    assert 'bag_0.mcap: No space left on device; the bag contains everything before' in line
    at_s = float(line.split('recording ends at ')[1].split()[0])
    assert at_s > 1.0
    assert done.summary['failure'] and done.summary['simulated_s'] > 1.3
    if policy == 'drop':
        assert done.summary['simulated_s'] == pytest.approx(8.0) and list(done.summary['dropped_participants']) == [
            'recorder'
        ]
        assert done.summary['state_hash'] == undisturbed(path)
    elif policy == 'wait':
        the_line(done, 'stopped after 0 restarts: ending the run')  # it would fill the disk again
    # Half a second lies between two flushes, and some cycles in transit.
    assert max(m.content.t_ns for m in Bag(done.run_dir).messages('/regolith/cycle')) >= (at_s - 0.2) * 1e9
    asked = {'env': environment(live.domain), 'capture_output': True, 'text': True, 'timeout': 120}
    (small_disk / 'ballast').unlink()
    repair = subprocess.run(command('recover', done.run_dir), **asked)
    assert repair.returncode == 0 and 'rebuilt' in repair.stdout, repair.stderr
    assert subprocess.run(command('report', done.run_dir), **asked).returncode == 0


@pytest.mark.slow
def test_a_full_disk_that_takes_no_checkpoint_ends_the_run(small_disk: Path, tmp_path: Path) -> None:
    path = scenario(tmp_path, 'stop', 8.0)
    with LiveRun(tmp_path, path, *REAL_TIME, '--no-record', folder=small_disk) as live:
        live.come_to(1.3)
        fill(small_disk, 0)
        done = live.finish(code=3)
    line = the_line(done, 'the run ends')
    assert re.search(
        rf'no checkpoint at \d\.\d+ s: {done.run_dir}/checkpoints\S*: No space left on device; the run ends', line
    )
    saved = re.search(r'--checkpoint (\S+)', line)
    assert saved and sorted(p.name for p in (done.run_dir / 'checkpoints').iterdir())[-1] == Path(saved[1]).name
    assert re.match(r'no checkpoint at \d\.\d+ s', done.summary['failure'])
    assert done.summary['vehicles']['amber']['distance_m'] > 0.2
    (small_disk / 'ballast').unlink()
    rest = run_scenario(
        tmp_path, done.run_dir / 'scenario.yaml', '--checkpoint', saved[1], '--duration', 3, name='rest'
    )
    assert rest.summary['state_hash'] == undisturbed(scenario(tmp_path, 'stop', 3.0))


@pytest.mark.slow
def test_a_full_disk_that_takes_no_report_leaves_the_summary(small_disk: Path, tmp_path: Path) -> None:
    """The reserve of the run folder is for results; a report is larger, and can be drawn later."""
    with LiveRun(tmp_path, scenario(tmp_path, 'stop', 2.0), *REAL_TIME, report=True, folder=small_disk) as live:
        live.come_to(1.8)
        fill(small_disk, 150_000)
        done = live.finish(code=None)
    assert 'No space left on device; to repeat: ./regolith report' in the_line(done, 'no report')
    assert done.summary['state_hash'] and not (done.run_dir / 'report.html').exists()
    assert not list(done.run_dir.glob('*.tmp'))
    # The same again by its command: one line, and exit code 2.
    asked = {'env': environment(live.domain), 'capture_output': True, 'text': True, 'timeout': 120}
    again = subprocess.run(command('report', done.run_dir), **asked)
    assert again.returncode == 2 and 'No space left on device' in again.stderr and 'Traceback' not in again.stderr
    (small_disk / 'ballast').unlink()
    assert subprocess.run(command('report', done.run_dir), **asked).returncode == 0


def test_disk_without_space_for_a_run_folder_is_bad_input(small_disk: Path, tmp_path: Path) -> None:
    fill(small_disk, 8192)
    with LiveRun(tmp_path, scenario(tmp_path, 'stop'), node=False, folder=small_disk) as live:
        done = live.finish(code=2)
    assert 'cannot be created: No space left on device' in done.output and 'Traceback' not in done.output


# -- deadlines ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.alone
def test_strict_real_time_counts_what_a_slow_participant_misses(tmp_path: Path) -> None:
    """It sleeps up to 0.2 s before each response, in cycles of 20 ms: most begin late. Status and summary have the counts."""
    from diagnostic_msgs.msg import DiagnosticArray

    strict = {'real_time': 'strict', 'deadline_tolerance_s': 0.05}
    slow = scenario(tmp_path, 'stop', 1.0, world={**strict, 'fault_injection': {'max_delay_s': {'basalt': 0.2}}})
    with LiveRun(tmp_path, slow, *REAL_TIME, report=True) as live:
        diagnostics = live.subscribe(DiagnosticArray, '/diagnostics')
        done = live.finish()
    told = done.summary['real_time']
    assert told == json.loads((done.run_dir / 'world_summary.json').read_text())['real_time']
    assert told['timed_cycles'] == 50 and told['deadline_misses'] > 25
    assert 0.05 < told['jitter_p99_s'] <= told['jitter_max_s']
    assert f'{told["deadline_misses"]} of 50 cycles missed their deadline' in the_line(done, 'real time: ')
    assert 'missed deadlines' in (done.run_dir / 'report.html').read_text()
    shown = {p.key: p.value for m in diagnostics for s in m.status if s.hardware_id == 'world' for p in s.values}
    assert int(shown['deadline_misses']) > 5 and float(shown['jitter_p99_s']) > 0.05
    # Without it, with twenty times the time for each cycle and half a second of tolerance, as good as none: other work on the
    # machine holds up a process for less.
    idle = scenario(tmp_path, 'stop', 0.3, world={**strict, 'deadline_tolerance_s': 0.5})
    quick = run_scenario(tmp_path, idle, '--rtf', 0.05, name='quick').summary['real_time']
    assert quick['timed_cycles'] == 15 and quick['deadline_misses'] <= 15 / 5


@pytest.mark.slow
def test_world_that_is_stopped_is_noticed_and_its_run_ends(tmp_path: Path) -> None:
    """Nodes say so; then the supervisor ends the run at the scenario's limit, and says where to continue."""
    path = scenario(tmp_path, 'stop', 600.0, seeing=True, world={'unresponsive_s': 20.0})
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True, forked=False) as live:
        hit(live, 'regolith/world', signal.SIGSTOP)
        run = live.finish(120.0, code=3)
    for node in ('amber/agent', 'basalt/agent', 'regolith/terrain', 'regolith/recorder', 'regolith/sensors'):
        assert re.search(rf'{node} .*no message from the world for 1\d s', run.output), node
    assert 'its process has not run for 20 s' in the_line(run, 'ending the run (world.unresponsive_s)')
    assert '; to continue: ./regolith run' in the_line(run, 'ended with exit code -9 (SIGKILL), which ends the run')
    assert not live.pids()


@pytest.mark.slow
def test_run_ends_as_usual_though_the_fork_server_is_stopped(tmp_path: Path) -> None:
    path = scenario(tmp_path, 'stop', 3.0)
    with LiveRun(tmp_path, path, *REAL_TIME, to_be_killed=True, forked=False) as live:
        live.come_to(1.0)
        parents = {Path(f'/proc/{pid}/stat').read_text().rpartition(') ')[2].split()[1] for pid in live.pids().values()}
        (server,) = map(int, parents)
        os.kill(server, signal.SIGSTOP)
        run = live.finish(120.0)
    assert_whole(run)
    # In a container it may stay a zombie.
    stat = Path(f'/proc/{server}/stat')
    assert not stat.exists() or stat.read_text().rpartition(') ')[2][0] == 'Z'
