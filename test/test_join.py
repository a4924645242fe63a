# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle the scenario does not name may join a run that is under way."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from harness import environment, new_domain, vehicle, write_scenario

from regolith_bringup.plan import NodeSpec, plan
from regolith_bringup.processes import NodeProcess, end_all
from regolith_bringup.scenario import load_scenario, write_resolved

pytestmark = pytest.mark.ros

AMBER = vehicle(0.0, 0.0, type='constant', linear_mps=0.4)
# Into amber's ruts, which only someone with the present ground can know.
BASALT = vehicle(-1.0, 0.05, type='constant', linear_mps=0.4)


def _plan(folder: Path, name: str, vehicles: dict[str, object], duration: float) -> list[NodeSpec]:
    file = write_scenario(folder, vehicles, name)
    loaded = load_scenario(file, (), record=False, duration_s=duration, speed='2').scenario
    resolved = folder / f'{name}.resolved.yaml'
    write_resolved(loaded, resolved)
    return plan(loaded, resolved, folder)


def test_a_vehicle_joins_a_run_under_way(tmp_path: Path) -> None:
    """It stands and drives on the ruts that were made before it came; the world checks its ground every cycle."""
    nodes_of_the_run = _plan(tmp_path, 'alone', {'amber': AMBER}, 16.0)
    both = _plan(tmp_path, 'both', {'amber': AMBER, 'basalt': BASALT}, 16.0)
    (late,) = (s for s in both if s.executable == 'agent_node' and s.namespace == 'basalt')
    said: list[str] = []
    surroundings = environment(new_domain())
    nodes: list[NodeProcess] = []

    def say(label: str, line: str) -> None:
        said.append(f'{label}: {line}')

    try:
        nodes.extend(NodeProcess(spec, surroundings, say) for spec in nodes_of_the_run)
        world = nodes[0]
        until = time.monotonic() + 40.0
        while not (tmp_path / 'started').exists() and time.monotonic() < until:
            time.sleep(0.05)
        nodes.append(NodeProcess(late, surroundings, say))
        while world.running and time.monotonic() < until:
            time.sleep(0.05)
        world.join_output()
        assert world.code == 0, said
    finally:
        end_all(nodes, 0.0)
    (joined,) = (line for line in said if 'basalt joins at' in line)
    at_s = float(joined.split('basalt joins at')[1].split()[0])
    assert 0.0 < at_s < 15.0
    reports = json.loads((tmp_path / 'world.json').read_text())['reports']
    driven = reports['basalt']['distance_m']
    assert 0.2 < driven < 0.4 * (16.0 - at_s) + 0.05
    assert reports['amber']['distance_m'] > driven
