# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith run --dry-run``: print the nodes of a run without starting them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from regolith_bringup.run.node_plan import node_specs
from regolith_bringup.run.process_allocation import Processes
from regolith_bringup.scenario.schema import Scenario


def list_nodes(
    scenario: Scenario,
    processes: Processes,
    out: Path | None,
    restore_from: Path | None,
    namespace: str,
    remote_nodes: Collection[str],
    give: Callable[[Any], None] | None,
) -> None:
    """Print the nodes that a run would start on this machine.

    Args:
        scenario: Resolved scenario.
        processes: Process allocation, see :mod:`regolith_bringup.run.process_allocation`.
        out: Run folder, None for the default.
        restore_from: Checkpoint folder to continue from, None to start at t = 0.
        namespace: Namespace of the run.
        remote_nodes: Participants whose nodes are started on other machines.
        give: Function that prints a value as JSON. None prints command lines.
    """
    folder = out if out is not None else Path('runs') / f'{scenario.name}_NNN'
    specs = node_specs(
        scenario,
        folder / 'scenario.yaml',
        folder,
        processes,
        restore_from=restore_from,
        namespace=namespace,
        remote_nodes=remote_nodes,
    )
    if give is not None:
        give([{**vars(spec), 'parameters': dict(spec.parameters)} for spec in specs])
        return
    for spec in specs:
        print(f'ros2 run {spec.package} {spec.executable} {shlex.join(spec.arguments())}')
