# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle that a world of separate processes starts in mid-run, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_prefix
from rclpy.task import Future

from regolith_files.bounded_yaml import load_yaml
from regolith_world.start import PARENT

_PACKAGE, _EXECUTABLE = 'regolith_vehicles', 'agent_node'


class SpawnedVehicle:
    """Its process; it joins like any other.

    :param entry: checked and resolved
    :param scenario_file: of the run
    :param folder: for the scenario with the vehicle in it
    :param root: namespace above all names of the run
    :param run: its id
    """

    def __init__(
        self, name: str, entry: Mapping[str, Any], scenario_file: Path, folder: Path, root: str, run: int
    ) -> None:
        self.name = name
        self.come = Future()
        """Its outcome is '' once the vehicle is there, or why it did not come."""
        scenario = load_yaml(scenario_file.read_text(encoding='utf-8'))
        scenario['vehicles'] = {**scenario['vehicles'], name: dict(entry)}
        folder.mkdir(parents=True, exist_ok=True)
        own = folder / f'{name}.yaml'
        own.write_text(yaml.safe_dump(scenario), encoding='utf-8')
        parameters = {'scenario_file': str(own), 'run': run, 'vehicle': name}
        words = [
            str(Path(get_package_prefix(_PACKAGE)) / 'lib' / _PACKAGE / _EXECUTABLE), '--ros-args',
            '-r', '__node:=agent', '-r', f'__ns:={root}/{name}',
        ]  # fmt: skip
        for key, value in parameters.items():
            words += ['-p', f'{key}:={json.dumps(value)}']
        self._process = subprocess.Popen(
            words, env={**os.environ, PARENT: str(os.getpid())}, stdin=subprocess.DEVNULL, start_new_session=True
        )

    def look(self) -> None:
        """Notice if its process has ended before it came."""
        code = self._process.poll()
        if code is not None and not self.come.done():
            self.come.set_result(f'{self.name} ended with code {code} before it joined; its output says why')
