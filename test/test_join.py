# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle that the scenario does not name may join a run in progress."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from harness import environment, new_domain, vehicle, write_scenario

from regolith_bringup.run.node_plan import NodeSpec, node_specs
from regolith_bringup.run.node_processes import NodeProcess, end_all
from regolith_bringup.scenario.loading import load_scenario, write_resolved

pytestmark = pytest.mark.ros

AMBER = vehicle(0.0, 0.0, type='constant', speed_mps=0.4)
# Clear of amber however early it comes, and into its ruts, which only someone with the present ground can know.
BASALT = vehicle(-2.6, 0.05, type='constant', speed_mps=0.4)
# One that stands, and one that would stand inside it.
COBALT, DACITE = vehicle(0.0, 6.0), vehicle(0.5, 6.0)


def _plan(folder: Path, name: str, **vehicles: object) -> list[NodeSpec]:
    file = write_scenario(folder, vehicles, name)
    loaded = load_scenario(file, (), record=False, duration_s=16.0, real_time_factor='2').scenario
    resolved = folder / f'{name}.resolved.yaml'
    write_resolved(loaded, resolved)
    return node_specs(loaded, resolved, folder)


@pytest.mark.slow
def test_vehicle_joins_a_run_in_progress(tmp_path: Path) -> None:
    """It stands and drives on the ruts that were made before it came; the world checks its ground every cycle.

    Another that would intersect an existing vehicle is refused, and the run continues without it.
    """
    nodes_of_the_run = _plan(tmp_path, 'before', amber=AMBER, cobalt=COBALT)
    # Without cobalt: a scenario with both would be refused before anything starts.
    after = _plan(tmp_path, 'after', amber=AMBER, basalt=BASALT, dacite=DACITE)
    late = [s for s in after if s.executable == 'vehicle_node' and s.namespace in ('basalt', 'dacite')]
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
        nodes.extend(NodeProcess(spec, surroundings, say) for spec in late)
        while world.running and time.monotonic() < until:
            time.sleep(0.05)
        world.join_output()
        assert world.code == 0, said
    finally:
        end_all(nodes, 0.0)
    (refused,) = (line for line in said if 'refused dacite' in line)
    assert "'dacite' at (0.50, 6.00, 0.2" in refused and "would penetrate 'cobalt' at (0.00, 6.00, 0.2" in refused
    assert nodes[-1].code == 3
    (joined,) = (line for line in said if 'basalt joins at' in line)
    at_s = float(joined.split('basalt joins at')[1].split()[0])
    assert 0.0 < at_s < 15.0
    outcome = json.loads((tmp_path / 'world_summary.json').read_text())
    assert outcome['forced_cycles'] == outcome['discarded_cycles'] == 0
    reports = outcome['participant_summaries']
    assert set(reports) == {'amber', 'basalt', 'cobalt', 'terrain'}, reports
    driven = reports['basalt']['distance_m']
    assert 0.2 < driven < 0.4 * (16.0 - at_s) + 0.05
    assert reports['amber']['distance_m'] > driven
