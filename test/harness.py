# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs whole scenarios for tests: real nodes in real processes, on a ROS domain of the test's own.

:func:`run_scenario` runs one to its end. :class:`LiveRun` runs one in the background and gives the test a node of its
own beside it. Both end every process they started, whatever the result of the test.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
import yaml
from starter import Started, Starter

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run import ros_graph
from regolith_bringup.run.middleware import UDP, VARIABLE, middleware_environment, profile
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario

ROOT = Path(__file__).resolve().parent.parent
WORLD = '/regolith/world'

BUSY = 5.0
"""Factor on all limits of wall time here. They are for a quiet machine and only end what hangs: a busy machine takes longer."""

_DOMAINS = range(20, 81)
"""Clear of domain 0, where people work, of those below 20 and above 80, which the tests of packages and the benchmarks
use, and of the kernel's ephemeral ports, which begin above domain 101."""
_taken: dict[int, ros_graph.ReservedDomain] = {}


def new_domain() -> int:
    """Return a ROS domain that no other test uses, of this process or of another on this machine."""
    first = os.getpid() + len(_taken)
    domain = ros_graph.free_domain(_DOMAINS[(first + step) % len(_DOMAINS)] for step in range(len(_DOMAINS)))
    _taken[domain.number] = domain
    return domain.number


def free_domain(domain: int) -> None:
    """Give a domain back; those never given back are free when the process ends."""
    _taken.pop(domain).release()


NO_SHARED_MEMORY = {VARIABLE: str(profile(UDP))}
"""For processes that a test kills: a process that writes to one of them through shared memory may hang (see the file)."""


def environment(domain: int, *, to_be_killed: bool = False) -> dict[str, str]:
    """Return the environment of the processes of one run."""
    return {
        **os.environ,
        **middleware_environment({**os.environ, **(NO_SHARED_MEMORY if to_be_killed else {})}),
        'ROS_DOMAIN_ID': str(domain),
        # A field of a wrong Python type would otherwise corrupt a message without an error.
        'ROS_PYTHON_CHECK_FIELDS': '1',
        'PYTHONUNBUFFERED': '1',
    }


def command(*arguments: object) -> list[str]:
    """Return the command line of ``./regolith``, for an environment that is set up already."""
    return [sys.executable, '-m', 'regolith_bringup', *map(str, arguments)]


_starters: list[Starter] = []


def start(
    words: list[str], surroundings: Mapping[str, str], printed: Path, errors: Path | None = None, *, forked: bool = True
) -> Started | subprocess.Popen[bytes]:
    """Start what :func:`command` returned, in the folder of the file that takes what it prints.

    Args:
        errors: file for what it prints to stderr; None: the same
        forked: whether it may be forked from a process that has made its imports
    """
    errors = errors or printed
    for file in (printed, errors):
        file.write_bytes(b'')
    if forked:
        if not _starters:
            _starters.append(Starter(surroundings))
        if _starters[0].fits(surroundings):
            return _starters[0].start(words[3:], surroundings, printed.parent, printed, errors)
    with printed.open('ab') as out, errors.open('ab') as err:
        return subprocess.Popen(
            words,
            cwd=printed.parent,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )


def finished(
    words: list[str], surroundings: Mapping[str, str], folder: Path | None = None, timeout: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run what :func:`command` returned, as :func:`subprocess.run` would, except for its imports.

    Args:
        folder: where it runs; None: one of its own
    """
    with tempfile.TemporaryDirectory(prefix='command') as made:
        printed, errors = Path(folder or made) / '.stdout', Path(folder or made) / '.stderr'
        process = start(words, surroundings, printed, errors)
        try:
            code = process.wait(BUSY * timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        out, err = (file.read_text(encoding='utf-8') for file in (printed, errors))
        for file in (printed, errors):
            file.unlink()
    return subprocess.CompletedProcess(words, code, out, err)


# -- scenario files -------------------------------------------------------------------------------------------------


def vehicle(x: float, y: float, heading_deg: float = 0.0, **driver: Any) -> dict[str, Any]:
    """Return a VIPER of a scenario; ``driver`` as in scenario files, at rest if left out."""
    return {
        'model': 'viper',
        'position': [x, y],
        'heading_deg': heading_deg,
        'driver': driver or {'type': 'constant', 'speed_mps': 0.0},
    }


def write_scenario(folder: Path, vehicles: Mapping[str, Any], name: str = 'scenario', **sections: Any) -> Path:
    """Write a scenario on flat ground with a 4 cm grid; ``sections`` replace or add top-level keys, return its path.

    Args:
        sections: mappings are merged with the defaults, other values replace them
    """
    content: dict[str, Any] = {
        'name': name,
        'duration_s': 2.0,
        'seed': 1,
        'real_time_factor': 'max',
        'terrain': {'source': 'flat', 'spacing_m': 0.04, 'soil': 'lunar_nominal'},
        'vehicles': dict(vehicles),
    }
    for key, value in sections.items():
        before = content.get(key)
        content[key] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
    path = folder / f'{name}.yaml'
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding='utf-8')
    return path


def library_run(scenario: str | Path, *settings: str) -> Simulation:
    """Return the library's own run of a scenario, at its end: what nodes must agree with, and sooner there than they.

    Args:
        settings: ``a.b=value``
    """
    loaded = load_scenario(scenario, settings).scenario
    simulation = Simulation(loaded)
    simulation.run(loaded.duration_s)
    return simulation


# -- a run from beginning to end ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunResult:
    """What came of a run."""

    code: int
    run_dir: Path
    summary: dict[str, Any]
    """Empty if the run left none."""
    output: str
    """Everything that was printed, stdout and stderr."""


def run_scenario(
    tmp_path: Path,
    scenario: str | Path,
    *arguments: object,
    processes: str = 'many',
    timeout: float = 120.0,
    name: str = 'run',
    code: int | None = 0,
    report: bool = False,
) -> RunResult:
    """Run a scenario by the command line and return what came of it.

    Args:
        tmp_path: where the run folder ``name`` is made
        arguments: further options of ``./regolith run``
        code: exit code the test takes for granted; None: any
        report: whether to write one
    """
    with LiveRun(tmp_path, scenario, *arguments, processes=processes, name=name, node=False, report=report) as live:
        return live.finish(timeout, code)


class Observer:
    """A ROS node of the test's own, in a context of its own.

    ``with Observer(run.domain) as late:`` makes one in mid-run.
    """

    def __init__(self, domain: int) -> None:
        self.domain = domain
        self._context: Any = None
        self._executor: Any = None
        self._clients: dict[str, Any] = {}
        self.node: Any = None

    def __enter__(self) -> Observer:
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether what it waits for can still come."""
        return True

    def open(self) -> None:
        """Make the node."""
        pytest.importorskip('rclpy', reason='needs the environment of install/env.sh')
        import rclpy
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.node import Node

        from regolith_world.ros import remove_abandoned_segments

        os.environ.update(middleware_environment(os.environ))
        remove_abandoned_segments()
        self._context = Context()
        rclpy.init(context=self._context, domain_id=self.domain)
        self.node = Node('test', context=self._context, start_parameter_services=False, enable_rosout=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def subscribe(self, message_type: Any, topic: str, *, latched: bool = False) -> list[Any]:
        """Return a list that fills with the messages of a topic while the test waits."""
        from rclpy.qos import DurabilityPolicy, QoSProfile

        messages: list[Any] = []
        # Deep, so that nothing is lost while the test is busy.
        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        profile = QoSProfile(depth=10_000, durability=durability)
        self.node.create_subscription(message_type, topic, messages.append, profile)
        return messages

    def wait_for(self, condition: Callable[[], Any], timeout: float = 30.0, what: str = 'it') -> Any:
        """Spin until ``condition`` returns a true value, and return that.

        Raises:
            TimeoutError: if it does not within :data:`BUSY` times the timeout, or if the run ends before
        """
        until = time.monotonic() + BUSY * timeout
        while True:
            found = condition()
            if found:
                return found
            if time.monotonic() > until:
                raise TimeoutError(f'waited {BUSY * timeout} s for {what}')
            if not self.running:
                # What was sent before the end may still lie in the queues.
                for _ in range(200):
                    self._executor.spin_once(timeout_sec=0.005)
                found = condition()
                if found:
                    return found
                raise TimeoutError(f'the run ended while the test waited for {what}')
            self._executor.spin_once(timeout_sec=0.02)

    def spin(self, seconds: float) -> None:
        """Take messages for so long [wall s]."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._executor.spin_once(timeout_sec=0.02)

    def call(self, service_type: Any, service: str, timeout: float = 20.0, **fields: Any) -> Any:
        """Call a service of the run with the given fields and return its response.

        Raises:
            TimeoutError: If there is no such service, or no response
        """
        client = self._clients.pop(service, None)
        if client is not None and not (client.srv_type is service_type and client.service_is_ready()):
            self.node.destroy_client(client)
            client = None
        if client is None:
            client = self.node.create_client(service_type, service)
            self.wait_for(client.service_is_ready, timeout, f'service {service}')
            self.spin(0.1)  # a response to a client that the server has not discovered yet would be lost
        future = client.call_async(service_type.Request(**fields))
        self.wait_for(future.done, timeout, f'the response of {service}')
        self._clients[service] = client
        return future.result()

    def close(self) -> None:
        """Remove the node."""
        if self._context is not None:
            from regolith_world.ros.shutdown import await_stable_graph

            self._executor.shutdown()
            await_stable_graph(self.node)
            self.node.destroy_node()
            self._context.try_shutdown()
            self._context = None
            self._clients.clear()


class LiveRun(Observer):
    """A run in the background, and a ROS node beside it.

    ``with LiveRun(tmp_path, 'two_rovers', '--duration', 5) as live:`` starts it; leaving the block ends it.

    Args:
        arguments: further options of ``./regolith run``
        report: whether the test reads it; drawing it takes about as long as a short run
        to_be_killed: whether the test kills any of its processes
        forked: whether it may be forked (see :mod:`starter`) instead of started as users start it
        folder: where the run folder is made, if not in ``tmp_path``, where what it prints is kept
        node: whether the test needs :attr:`node` and the methods that use it
    """

    def __init__(
        self,
        tmp_path: Path,
        scenario: str | Path,
        *arguments: object,
        processes: str = 'many',
        name: str = 'run',
        node: bool = True,
        report: bool = False,
        to_be_killed: bool = False,
        forked: bool = True,
        folder: Path | None = None,
    ) -> None:
        super().__init__(new_domain())
        self.run_dir = (folder or tmp_path) / name
        self._printed = tmp_path / f'{name}.output.txt'
        self._command = command('run', scenario, '--out', self.run_dir, '--processes', processes, *arguments)
        if not report:
            self._command.append('--no-report')
        self._environment = environment(self.domain, to_be_killed=to_be_killed)
        self._forked = forked
        self._wants_node = node

    def __enter__(self) -> LiveRun:
        if self._wants_node:
            self.open()
        self.process = start(self._command, self._environment, self._printed, forked=self._forked)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.end()
        finally:
            self.close()
            free_domain(self.domain)
        if isinstance(error, (AssertionError, TimeoutError)):
            print(f'--- {self.run_dir.name} printed:\n{self.output[-4000:]}')

    # -- its processes ----------------------------------------------------------------------------------------------

    @property
    def output(self) -> str:
        """What it printed so far."""
        return self._printed.read_text(encoding='utf-8', errors='replace')

    @property
    def running(self) -> bool:
        """Whether the supervisor has not ended."""
        return self.process.poll() is None

    def pids(self) -> dict[str, int]:
        """Return the process ids of its nodes by label: ``amber/agent``, ``regolith/world``, ``single_process_node``."""
        return node_pids(self.process.pid)

    def come_to(self, t_s: float, timeout: float = 180.0) -> None:
        """Wait until the world has reached a time [s]."""
        from regolith_msgs.msg import WorldStatus

        status = self.subscribe(WorldStatus, '/regolith/status', latched=True)
        self.wait_for(lambda: status and status[-1].t_ns > t_s * 1e9, timeout, f'{t_s} s')

    def finish(self, timeout: float = 120.0, code: int | None = 0) -> RunResult:
        """Wait for its end and return what came of it.

        Raises:
            TimeoutError: if it does not end
        """
        until = time.monotonic() + BUSY * timeout
        while self.running:
            if time.monotonic() > until:
                raise TimeoutError(f'{self.run_dir.name} did not end within {BUSY * timeout} s')
            if self.node is not None:
                self._executor.spin_once(timeout_sec=0.05)
            else:
                time.sleep(0.05)
        return self._result(code)

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End every process of the run; in order where that works, by force where it does not."""
        nodes = self.pids()
        if self.running:
            self.interrupt()
            try:
                self.process.wait(10.0)
            except subprocess.TimeoutExpired:
                nodes = {**nodes, **self.pids()}
                self.process.kill()
                self.process.wait()
        for pid in nodes.values():
            # Only what still is the process that was started: its parent was the supervisor, its command ours.
            try:
                if b'/lib/regolith_' in Path(f'/proc/{pid}/cmdline').read_bytes():
                    os.kill(pid, signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                continue

    def _result(self, code: int | None) -> RunResult:
        path = self.run_dir / 'summary.json'
        summary = json.loads(path.read_text(encoding='utf-8')) if path.is_file() else {}
        result = RunResult(self.process.returncode, self.run_dir, summary, self.output)
        if 'did not exit in time' in result.output:
            warnings.warn(f'{self.run_dir.name} printed: {result.output[-4000:]}', stacklevel=2)
        if code is not None:
            assert result.code == code, (
                f'exit code {result.code}, expected {code}; it printed:\n{result.output[-4000:]}'
            )
        return result

    def pause(self, paused: bool = True) -> None:
        """Pause the world, and wait until it is paused; or resume it."""
        from regolith_msgs.msg import WorldStatus
        from std_srvs.srv import SetBool

        status = self.subscribe(WorldStatus, '/regolith/status', latched=True)
        assert self.call(SetBool, f'{WORLD}/pause', data=paused).success
        wanted = (WorldStatus.PAUSED,) if paused else (WorldStatus.PLAYING, WorldStatus.STOPPED)
        what = 'the world to ' + ('pause' if paused else 'resume')
        self.wait_for(lambda: any(s.state in wanted for s in status), 20.0, what)


def node_pids(starter: int) -> dict[str, int]:
    """Return the process ids of the nodes that a ``./regolith run`` or ``join`` has started, by label."""
    found = {}
    children = _children(starter)
    # Nodes are forked from a process of their own.
    for pid in [*children, *(grandchild for child in children for grandchild in _children(child))]:
        try:
            words = re.split('[\0 ]', Path(f'/proc/{pid}/cmdline').read_bytes().decode(errors='replace'))
        except OSError:
            continue
        options = dict(w.split(':=', 1) for w in words if ':=' in w)
        names = [options[key].strip('/') for key in ('__ns', '__node') if key in options]
        scripts = [Path(w).name for w in words if '/lib/regolith_' in w]
        if names or scripts:
            found['/'.join(names) or scripts[0]] = pid
    return found


def process_runs(pid: int) -> bool:
    """Return whether a process exists and has not ended. A zombie has ended: not every machine removes it at once."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(') ')[2][0] != 'Z'
    except OSError:
        return False


def last_committed(run_dir: Path) -> tuple[int, int]:
    """Return the number of the last cycle that was committed: according to the world, and to the bag."""
    world = json.loads((run_dir / 'world_summary.json').read_text())['cycles']
    commits = [m.content.key.cycle for m in Bag(run_dir).messages('/regolith/cycle') if m.content.verdict == 1]
    return world, max(commits)


def addresses(pid: int) -> set[str]:
    """Return the local addresses of a process's UDP and TCP sockets."""
    sockets = {os.readlink(fd) for fd in Path(f'/proc/{pid}/fd').iterdir()}
    found = set()
    for table in ('udp', 'tcp', 'udp6', 'tcp6'):
        for row in Path(f'/proc/{pid}/net/{table}').read_text().splitlines()[1:]:
            columns = row.split()
            if f'socket:[{columns[9]}]' in sockets:
                host = columns[1].partition(':')[0]
                found.add(socket.inet_ntoa(bytes.fromhex(host)[::-1]) if len(host) == 8 else host)
    return found


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f'/proc/{pid}/task').iterdir())
    except OSError:
        return []
    found = []
    for task in tasks:
        try:
            found += [int(word) for word in (task / 'children').read_text().split()]
        except OSError:
            continue
    return found
