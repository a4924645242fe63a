# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Process of a vehicle that a world of separate processes spawns during a run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_prefix
from rclpy.task import Future

from regolith_files import load_yaml
from regolith_world.node_main import PARENT_VARIABLE
from regolith_world.run_policy import GiveUp, NodeEnded, Restart, RunPolicy

_LEAVING_S = 3.0
"""Maximum time for the process to end, wall time [s]."""
_PACKAGE, _EXECUTABLE = 'regolith_vehicles', 'vehicle_node'


class VehicleProcess:
    """Process of a spawned vehicle. It joins like any other.

    Args:
        name: Name of the vehicle.
        entry: Validated and resolved entry of the scenario.
        scenario_file: Scenario of the run.
        folder: Folder for the scenario with the vehicle in it.
        root: Namespace above all names of the run.
        run: Id of the run.
        again: Function that returns whether a failed process is restarted now. The vehicle is then restored.
        give_up: Function of a human-readable reason, called after too many restarts.
    """

    def __init__(
        self,
        name: str,
        entry: Mapping[str, Any],
        scenario_file: Path,
        folder: Path,
        root: str,
        run: int,
        *,
        again: Callable[[], bool],
        give_up: Callable[[str], None],
    ) -> None:
        self.name, self._again, self._give_up = name, again, give_up
        self._policy = RunPolicy(respawn=[name])
        self._over = False
        self.come = Future()
        """Future with '' once the vehicle has joined, or with the reason of a failure."""
        scenario = load_yaml(scenario_file.read_text(encoding='utf-8'))
        scenario['vehicles'] = {**scenario['vehicles'], name: dict(entry)}
        folder.mkdir(parents=True, exist_ok=True)
        own = folder / f'{name}.yaml'
        own.write_text(yaml.safe_dump(scenario), encoding='utf-8')
        parameters = {'scenario_file': str(own), 'run_id': run, 'vehicles': [name]}
        words = [
            str(Path(get_package_prefix(_PACKAGE)) / 'lib' / _PACKAGE / _EXECUTABLE),
            '--ros-args',
            '-r',
            '__node:=agent',
            '-r',
            f'__ns:={root}/{name}',
        ]
        for key, value in parameters.items():
            words += ['-p', f'{key}:={json.dumps(value)}']
        self._words = words
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._words,
            env={**os.environ, PARENT_VARIABLE: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end(self) -> None:
        """End the process and wait, because two processes of one name would receive each other's requests."""
        self._over = True
        self._process.terminate()
        try:
            self._process.wait(_LEAVING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def poll(self) -> None:
        """Check whether the process has ended: before it joined, or later, when it may be restarted."""
        code = self._process.poll()
        if code is None or self._over:
            return
        if not self.come.done():
            self._over = True
            self.come.set_result(f'{self.name} ended with code {code} before it joined; fix: see its output')
        elif not (code and self._again()):
            self._over = True
        else:
            for action in self._policy.on(NodeEnded(self.name, code)):
                match action:
                    case Restart():
                        self._start()
                    case GiveUp(restarts=restarts):
                        self._over = True
                        words = f'{self.name} ended with code {code}, stopped after {restarts} restarts: ending the run'
                        self._give_up(words)
