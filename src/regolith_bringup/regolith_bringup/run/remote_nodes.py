# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Remote nodes of a run: finds the run on another machine, checks versions, starts the nodes, waits for the end."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from regolith_bringup.run.environment_pinning import restart_pinned
from regolith_bringup.run.middleware import OPEN_WORDS, is_network_visible, middleware_environment
from regolith_bringup.run.node_plan import NodeSpec, node_specs
from regolith_bringup.run.node_supervisor import NodeSupervisor
from regolith_bringup.run.printing import print_status
from regolith_bringup.run.progress import progress
from regolith_bringup.run.run_folder import check_run_folder, new_run_folder
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_bringup.scenario.participant_sections import prepared
from regolith_bringup.scenario.schema import ResolvedScenario
from regolith_files import InputError, Problem, allowed_names, as_yaml_text
from regolith_world import check_ros_environment, installed_versions, run_policy, version_differences
from regolith_world.checkpoint import disk_reserve

if TYPE_CHECKING:
    from regolith_msgs.msg import WorldAnnouncement

    from regolith_bringup.run.run_listener import RunListener

_WORD_S = 10.0
"""Period of messages while waiting for a run [wall s]."""
_UNHEARD_S = 5.0
"""Time beyond the unresponsive timeout of the world after which a world without messages counts as lost [wall s]."""


def join_run(names: Sequence[str], *, namespace: str = '', network: bool = False, out: Path | None = None) -> int:
    """Start the remote nodes of a run, wait for its end, and print the folder of the logs.

    Args:
        names: Participants to start. Empty: all remote participants of the run.
        namespace: Namespace of the run.
        network: Whether to communicate with other machines.
        out: Folder to create, None for a new one in runs/.

    Returns:
        Exit code: 0 done, 3 a node or the world failed, 130 interrupted.

    Raises:
        InputError: If the run cannot be joined. Nothing has been created then.
    """
    from regolith_bringup.run.run_listener import RunListener

    if out is not None:
        check_run_folder(out)
    check_ros_environment(os.environ)
    os.environ.update(middleware_environment(os.environ, network))
    if is_network_visible(os.environ, network):
        print_status(OPEN_WORDS)
    with RunListener(f'/{namespace}' if namespace else '') as listener:
        run = _awaited(listener, is_network_visible(os.environ, network))
        wanted = selected_nodes(names, run.remote_nodes, run.host)
        check_software(installed_versions(), run.software_versions, run.host)
        resolved = _agreed(run)
        restart_pinned(resolved.scenario)
        check_not_running(wanted, listener.present())
        folder = new_run_folder(resolved.scenario.name, out).absolute()
        with progress('preparing') as show:
            scenario = prepared(resolved.scenario, folder, lambda name: show, without={*run.remote_nodes} - {*wanted})
        write_resolved(scenario, folder / 'scenario.yaml')
        specs = node_specs(scenario, folder / 'scenario.yaml', folder, namespace=namespace, run=run.run_id)
        specs = [spec for spec in specs if spec.public_name in wanted]
        waits = scenario.world.on_failure == 'wait'
        limit_s = math.inf if waits else scenario.world.participant_timeout_s + _UNHEARD_S
        code = _RemoteNodes(specs, folder, listener, run, network, limit_s).run()
    disk_reserve.release(folder)
    print(folder, flush=True)
    return code


def selected_nodes(names: Sequence[str], awaited: Sequence[str], host: str) -> list[str]:
    """Return the participants to start here: the named ones, or all remote participants of the run.

    Args:
        names: Requested participants.
        awaited: Remote participants of the run.
        host: Machine of the run, for error messages.

    Raises:
        InputError: If a participant is not remote. The message states the first one.
    """
    if not awaited:
        problem = f'the run on {host} has no remote nodes'
        raise InputError(Problem('join', '', problem, 'a run that was started with --remote NAMES'))
    for name in names:
        if name not in awaited:
            problem = f'is not a remote participant of the run on {host}'
            raise InputError(Problem('join', '', problem, allowed_names(awaited, name), as_yaml_text(name)))
    return list(dict.fromkeys(names or awaited))


def check_software(here: Iterable[str], there: Iterable[str], host: str) -> None:
    """Refuse software versions that differ from those on the machine of the world.

    Args:
        here: Versions on this machine.
        there: Versions on the machine of the world.
        host: Machine of the world, for error messages.

    Raises:
        InputError: With one line for each difference.
    """
    allowed = 'the same on all machines of a run (./regolith doctor lists them)'
    found = [
        Problem('join', name, f'is {ours} here and {theirs} on {host}', allowed)
        for name, ours, theirs in version_differences(here, there)
    ]
    if found:
        raise InputError(found)


def check_not_running(names: Iterable[str], present: Iterable[str]) -> None:
    """Refuse participants that are already connected.

    Args:
        names: Participants to start.
        present: Participants that are connected.

    Raises:
        InputError: If a participant is connected. The message states the first one.
    """
    for name in names:
        if name in present:
            allowed = 'a participant that is not connected; fix: wait 20 s until a lost node is released'
            raise InputError(Problem('join', '', 'is already connected', allowed, as_yaml_text(name)))


def _awaited(listener: RunListener, out: bool) -> WorldAnnouncement:
    """Wait for a run and return its announcement."""
    domain = os.environ.get('ROS_DOMAIN_ID', '0')
    reach = 'all interfaces' if out else 'this machine only; use --network for others'
    next_word = time.monotonic() + 1.0
    while (run := listener.run()) is None:
        if time.monotonic() > next_word:
            next_word += _WORD_S
            where = f'{listener.root or "no namespace"}, domain {domain}, {reach}'
            print_status(f'waiting for a run ({where}); on its machine: ./regolith run SCENARIO --remote NAMES')
        time.sleep(0.05)
    print_status(f'found run {run.run_id} of {run.scenario} on {run.host}')
    return run


def _agreed(run: WorldAnnouncement) -> ResolvedScenario:
    """Return the scenario of the run, checked with the packages and files of this machine.

    Raises:
        InputError: If the scenario cannot be run here.
    """
    with tempfile.TemporaryDirectory(prefix='regolith-') as folder:
        file = Path(folder) / f'{run.scenario}.yaml'
        file.write_text(run.scenario_yaml, encoding='utf-8')
        try:
            return load_scenario(file)
        except InputError as error:
            # The temporary file is removed, so the message names the machine.
            shown_as = f'join: {run.scenario} of {run.host}'
            raise InputError(replace(p, where=p.where.replace(str(file), shown_as)) for p in error.problems) from None


class _RemoteNodes(NodeSupervisor):
    """Remote nodes of a run on this machine, until it ends.

    Args:
        specs: Nodes to start.
        folder: Folder of the logs.
        listener: Subscriptions to the status of the world.
        run: Announcement of the run.
        network: Whether to communicate with other machines.
        timeout_s: Time without messages of the world before the nodes exit [wall s].
    """

    def __init__(
        self,
        specs: list[NodeSpec],
        folder: Path,
        listener: RunListener,
        run: WorldAnnouncement,
        network: bool,
        timeout_s: float,
    ) -> None:
        respawn = [spec.label for spec in specs if spec.respawn]
        policy = run_policy.RunPolicy(respawn=respawn, timeout_s=timeout_s)
        super().__init__(specs, folder, policy, quiet=False, network=network)
        self._listener, self._run = listener, run

    def stage(self) -> run_policy.Stage:
        """Return the stage of the run, from the status of the world."""
        problem = self._listener.over()
        if problem is None:
            return run_policy.Stage.RUNNING
        return run_policy.Stage.FAILED if problem else run_policy.Stage.COMPLETE

    def connected(self) -> bool:
        """Return whether the middleware sees the world."""
        return self._listener.heard()

    def events(self) -> Iterator[run_policy.Event]:
        """Yield what has happened, and whether another run has started."""
        other = self._listener.run()
        if other is not None and other.run_id != self._run.run_id:
            yield run_policy.WorldLost(f'replaced by another run ({other.scenario} on {other.host})')
        yield from super().events()

    def perform(self, action: run_policy.Action) -> None:
        """Perform an action of the policy."""
        match action:
            case run_policy.Warn(text):
                self.console.print(text, style='yellow')
            case run_policy.Report(label, int(code)):
                self._say(label, f'ended with {code}')
            case run_policy.End(reason=reason) if reason:
                self.console.print(f'stopping: {reason}', style='yellow')
            case run_policy.Exit(code) if code != run_policy.INTERRUPTED and (problem := self._listener.over()):
                self.console.print(f'the run failed: {problem}', style='yellow', markup=False, soft_wrap=True)
        super().perform(action)
