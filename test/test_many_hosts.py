# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One run on several machines, with links that delay, lose and break; network namespaces stand for machines."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness import command, environment, free_domain, library_run, new_domain, node_pids, vehicle, write_scenario
from hosts import Hosts, Program, why_not

from regolith_bringup.bag.reading import Bag

pytestmark = [
    pytest.mark.ros,
    pytest.mark.slow,
    pytest.mark.alone,
]

DRIVES = {
    'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
    'basalt': vehicle(-2.6, 0.1, type='constant', speed_mps=0.4),
}
DELAY_S, LOSS = 0.02, 0.005
STEP_S = 0.02
CUT_S = 5.0


@dataclass
class Fleet:
    """A run whose world is on one host, terrain and amber on another, basalt on a third."""

    hosts: Hosts
    programs: dict[str, Program]
    folder: Path

    def finish(self, timeout_s: float = 240.0) -> dict[str, Any]:
        """Return the summary, once all have ended well."""
        codes = {name: program.wait(timeout_s) for name, program in self.programs.items()}
        said = '\n'.join(program.output[-3000:] for program in self.programs.values())
        assert set(codes.values()) == {0}, (codes, said)
        return dict(json.loads((self.folder / 'world' / 'summary.json').read_text()))

    def come_to(self, t_s: float) -> None:
        """Wait until the world has reached a time, by its checkpoints."""
        self.await_(lambda: (self.folder / f'world/checkpoints/t{t_s:010.3f}/manifest.json').exists(), f'{t_s} s')

    def await_(self, condition: Callable[[], bool], what: str, timeout_s: float = 240.0) -> None:
        until = time.monotonic() + timeout_s
        while not condition():
            ended = [name for name, program in self.programs.items() if program.process.poll() is not None]
            assert not ended and time.monotonic() < until, f'{ended} ended before {what}, or it took too long'
            time.sleep(0.02)


@pytest.fixture(scope='module', autouse=True)
def namespaces() -> None:
    """Skip where there can be none."""
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture
def domain() -> Iterator[int]:
    """A domain of the test's own; its hosts share none with other tests' in any case."""
    number = new_domain()
    yield number
    free_domain(number)


def started(
    hosts: Hosts,
    folder: Path,
    scenario: Path,
    domain: int,
    *options: object,
    to_be_killed: bool = False,
    **variables: str,
) -> Fleet:
    """Start a run on three hosts, those that join first.

    Args:
        variables: Additional environment variables.
    """
    folder.mkdir()
    surroundings = {**environment(domain, to_be_killed=to_be_killed), **variables}

    def start(host: str, name: str, *words: object) -> Program:
        return hosts.start(
            host, command(*words, '--network', '--out', folder / name), surroundings, folder / f'{name}.txt'
        )

    programs = {
        'basalt': start('c', 'basalt', 'join', 'basalt'),
        'others': start('b', 'others', 'join', 'terrain', 'amber'),
        'world': start('a', 'world', 'run', scenario, '--remote', 'amber,basalt,terrain', '--no-report', *options),
    }
    return Fleet(hosts, programs, folder)


def scenario(folder: Path, duration_s: float, **world: Any) -> Path:
    return write_scenario(folder, DRIVES, duration_s=duration_s, world={'checkpoint_period_s': 0.5, **world})


def cycles_near_and_far(fleet: Fleet, delay_s: float, loss: float) -> tuple[float, float]:
    """Follow a recorded run to its end with links that are good and bad by turns; return the mean cycle of each [wall s].

    Both come from the same seconds of the same machine, whatever else it does.
    """
    phases = []
    world = fleet.programs['world'].process
    fleet.await_((fleet.folder / 'world/started').exists, 'the first cycle')
    while world.poll() is None:
        for link, lasts_s in (((0.0, 0.0), 0.5), ((delay_s, loss), 2.0)):
            fleet.hosts.link(*link)
            begun, until = time.time_ns(), time.monotonic() + lasts_s
            while world.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            phases.append((begun, time.time_ns()))
    fleet.hosts.link(0.0, 0.0)
    # The time at which the world said it; those that say nothing new but repeat themselves are left out.
    said = {
        message.content.key.cycle: message.publish_time_ns
        for message in reversed(list(Bag(fleet.folder / 'world').messages('/regolith/cycle')))
        if message.content.command == message.content.COMMAND_EVOLVE
    }
    lengths: tuple[list[float], list[float]] = [], []
    for cycle, begun in said.items():
        ended = said.get(cycle + 1)
        for number, (first, last) in enumerate(phases):
            if ended is not None and first <= begun and ended <= last:
                lengths[number % 2].append((ended - begun) * 1e-9)
    assert min(map(len, lengths)) >= 20, 'the run was too short for this check'
    near, far = (sum(part) / len(part) for part in lengths)
    return near, far


def test_delay_and_loss_change_speed_alone(tmp_path: Path, domain: int) -> None:
    """The same hash as in one process, and three delays in each cycle: out to basalt, its delta on to terrain, back."""
    path = scenario(tmp_path, 4.0)
    with Hosts('a', 'b', 'c') as hosts:
        fleet = started(hosts, tmp_path / 'run', path, domain)
        near, far = cycles_near_and_far(fleet, DELAY_S, LOSS)
        summary = fleet.finish()
    assert summary['state_hash'] == library_run(path).world.state_hash
    assert summary['bag']['lost'] == 0 and summary['discarded_cycles'] == 0
    speed, law = STEP_S / far, STEP_S / (near + 3.0 * DELAY_S)
    assert speed == pytest.approx(law, rel=0.3), f'{near * 1e3:.1f} ms a cycle near, {far * 1e3:.1f} ms far'
    assert speed < STEP_S / (3.0 * DELAY_S)


def test_a_run_rides_out_a_cut(tmp_path: Path, domain: int) -> None:
    """Shorter than the timeout: the world waits while a link is cut, and continues to the same end."""
    path = scenario(tmp_path, 2.0, participant_timeout_s=15.0)
    alone = library_run(path).world.state_hash
    with Hosts('a', 'b', 'c', delay_s=0.005) as hosts:
        fleet = started(hosts, tmp_path / 'run', path, domain)
        fleet.come_to(0.5)
        hosts.cut('c', CUT_S)
        summary = fleet.finish()
    assert summary['state_hash'] == alone
    assert summary['bag']['lost'] == 0
    assert 'no response' not in fleet.programs['world'].output
    assert summary['wall_s'] > CUT_S


@pytest.mark.parametrize('cut_s', [CUT_S, 25.0])
def test_node_rejoins_after_a_cut(tmp_path: Path, domain: int, cut_s: float) -> None:
    """Longer than the timeout, with ``wait``: the world names the missing node, and continues with it once it responds.

    Also after the 20 s in which the middleware removes it, and with it messages still to be sent.
    """
    path = scenario(tmp_path, 2.0, participant_timeout_s=1.5, on_failure='wait')
    alone = library_run(path).world.state_hash
    with Hosts('a', 'b', 'c', delay_s=0.005) as hosts:
        fleet = started(hosts, tmp_path / 'run', path, domain)
        fleet.come_to(0.5)
        hosts.cut('c', cut_s)
        summary = fleet.finish()
    assert 'no response from basalt: the world waits for it to return' in fleet.programs['world'].output
    assert 'rejoined' not in fleet.programs['basalt'].output
    assert summary['state_hash'] == alone
    assert summary['wall_s'] > cut_s


def test_node_that_fails_behind_a_cut_rejoins(tmp_path: Path, domain: int) -> None:
    """Started again by the join on its host, it finds the world when the link is back, restores and repeats itself."""
    path = scenario(tmp_path, 2.0, participant_timeout_s=1.5, on_failure='wait')
    alone = library_run(path).world.state_hash
    with Hosts('a', 'b', 'c', delay_s=0.005) as hosts:
        fleet = started(hosts, tmp_path / 'run', path, domain, to_be_killed=True)
        fleet.come_to(0.5)
        os.kill(node_pids(fleet.programs['basalt'].process.pid)['basalt/agent'], signal.SIGKILL)
        hosts.cut('c', CUT_S)
        summary = fleet.finish()
    assert 'ended with -9; starting it again' in fleet.programs['basalt'].output
    assert 'rejoined after replaying' in fleet.programs['basalt'].output
    assert summary['state_hash'] == alone


@pytest.mark.parametrize('by', ['peers', 'server'])
def test_without_multicast_machines_are_named(tmp_path: Path, domain: int, by: str) -> None:
    """Where multicast does not work, each machine has the others' addresses, or that of a discovery server."""
    path = scenario(tmp_path, 0.5)
    server = shutil.which('fast-discovery-server')
    if by == 'server' and server is None:
        pytest.skip('Fast DDS has no discovery server here')
    with Hosts('a', 'b', 'c', delay_s=0.005) as hosts:
        hosts.multicast(False)
        where = {'ROS_STATIC_PEERS': ';'.join(map(hosts.address, 'abc'))}
        if by == 'server':
            where = {'ROS_DISCOVERY_SERVER': f'{hosts.address("a")}:11811'}
            words = [str(server), '-i', '0', '-l', hosts.address('a'), '-p', '11811']
            hosts.start('a', words, os.environ, tmp_path / 'server.txt')
        fleet = started(hosts, tmp_path / 'run', path, domain, '--no-record', **where)
        summary = fleet.finish()
    assert summary['state_hash'] == library_run(path).world.state_hash
