# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Remote nodes of a run: names, startup timeout, and the scenario that their machines need."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import yaml
from rclpy.node import Node

from regolith_files import load_yaml
from regolith_world.ros.startup_timeout import StartupNotice


class RemoteNodes:
    """Nodes that users start on other machines, without a time limit.

    Args:
        link: Node of the protocol, see :class:`regolith_world.ros.startup_timeout.StartupNotice`.
        names: Names of the nodes; '' is ignored.
        scenario_file: Resolved scenario.
        run_dir: Folder of the run; '': none.
    """

    def __init__(self, link: Node, names: Iterable[str], scenario_file: Path, run_dir: str) -> None:
        self.names = tuple(sorted(filter(None, names)))
        self._file, self._run_dir = scenario_file, run_dir
        self._awaited = StartupNotice(link, 'starting') if self.names else None

    def wait_for(self, missing: Collection[str]) -> str:
        """Suspend all startup timeouts while a remote node is missing; return a hint for messages, or ''."""
        absent = [name for name in self.names if name in missing]
        if self._awaited is not None and not absent:
            self._awaited.done()
        return f' (remote: regolith join {" ".join(absent)})' if absent else ''

    def scenario_yaml(self) -> str:
        """Return the resolved scenario without paths in the run folder, whose files other machines create."""
        scenario = load_yaml(self._file.read_text(encoding='utf-8'))
        below = f'{self._run_dir}/' if self._run_dir else None
        return yaml.safe_dump(_without(scenario, below), sort_keys=False, allow_unicode=True)


def _without(value: Any, below: str | None) -> Any:
    """Return a value with all paths below a folder replaced by None."""
    if isinstance(value, dict):
        return {key: _without(item, below) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, below) for item in value]
    return None if below is not None and isinstance(value, str) and value.startswith(below) else value
