# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Two agents that change the same nodes in the same cycle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import LiveRun, library_run, vehicle, write_scenario

from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_terrain.updates.soil_copy import SoilCopy
from regolith_world.cycle.records import TERRAIN_ROLES, VEHICLE_ROLES, Command, Cycle, CycleKey, CycleResult, Verdict

CONFIG = TerrainConfig.model_validate({'source': 'flat', 'soil': 'lunar_nominal'})
AGENTS = ('amber', 'basalt')


def _overlapping(folder: Path) -> Path:
    """Write a scenario of two rovers almost in one place, which pass through each other, on separate courses."""
    vehicles = {
        'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.3),
        'basalt': vehicle(0.06, 0.05, 8.0, type='constant', speed_mps=0.3),
    }
    return write_scenario(folder, vehicles, 'overlapping', world={'contact': 'none'}, duration_s=2.0)


@pytest.mark.ros
def test_wheels_on_the_same_nodes_give_one_ground_everywhere(tmp_path: Path) -> None:
    """Conflicts in every cycle: terrain and both agents hold the same heights, and one process gives the same hash."""
    from regolith_msgs.msg import TerrainUpdate
    from regolith_msgs.srv import GetHeights

    scenario = _overlapping(tmp_path)
    with LiveRun(tmp_path, scenario, '--no-record', name='many') as run:
        updates = run.subscribe(TerrainUpdate, '/regolith/terrain/update')
        run.wait_for(lambda: len(updates) >= 30, what='30 updates')
        run.pause()
        nodes = {(i, j) for u in updates for i, j in zip(u.nodes.x, u.nodes.y, strict=True)}
        x, y = (np.array(sorted(nodes)) * 0.04).T.tolist()
        heights = [
            np.array(run.call(GetHeights, f'{node}/get_heights', x=x, y=y).height)
            for node in ('/regolith/terrain', '/amber/agent', '/basalt/agent')
        ]
        run.pause(False)
        many = run.finish()
    # Not "nearly": all three apply the same merged records.
    assert heights[0].tobytes() == heights[1].tobytes() == heights[2].tobytes()
    assert heights[0].min() < -2e-3
    assert sum(u.conflicts > 0 for u in updates) > 30
    one = library_run(scenario)
    assert many.summary['terrain']['conflicts'] == one.terrain.conflicts > 100
    assert many.summary['state_hash'] == one.world.state_hash


def _rut(i: range, depth: float, sigma: float) -> NodeRecords:
    """Return a rut along x at y = 0 on flat ground."""
    n = len(i)
    values = np.stack((np.zeros(n), np.full(n, -depth), np.full(n, depth), np.full(n, sigma), np.zeros(n)))
    return NodeRecords.from_values(np.array(i, np.int32), np.zeros(n, np.int32), values)


@pytest.mark.parametrize('order', [AGENTS, AGENTS[::-1]])
@pytest.mark.parametrize('early', [False, True])
def test_the_order_of_arrival_does_not_matter(order: tuple[str, str], early: bool) -> None:
    """The deeper rut wins where two overlap, the conflict is counted, and the copies in other nodes have terrain's bits.

    Deltas may come before the record of their cycle (``early``) or after it.
    """
    deltas = {'amber': _rut(range(0, 10), 0.010, 8e3), 'basalt': _rut(range(6, 16), 0.012, 1e4)}
    field = build_height_field(CONFIG, 0)
    updates: list[SoilUpdate] = []
    results: list[CycleResult] = []
    terrain = TerrainParticipant(CONFIG, field, results.append, updates.append)
    copies = [SoilCopy(SoilGrid(field, CONFIG.spacing_m), name) for name in AGENTS]
    key = CycleKey(0, 0, 0)
    roles = (VEHICLE_ROLES, VEHICLE_ROLES, TERRAIN_ROLES)
    evolve = Cycle(key, 0, 20_000_000, Verdict.NONE, Command.EVOLVE, (*AGENTS, 'terrain'), roles)
    if not early:
        terrain.on_cycle(evolve)
    for name in order:
        assert not updates
        terrain.on_delta(SoilDelta(key, name, deltas[name]))
        terrain.on_delta(SoilDelta(key, name, deltas[name]))  # a duplicate changes nothing
    if early:
        terrain.on_cycle(evolve)
    (update,) = updates
    assert update.conflicts == 4
    assert [update.agents[k] for k in update.owner] == ['amber'] * 6 + ['basalt'] * 10
    assert update.records.level.tolist() == [-0.010] * 6 + [-0.012] * 10
    assert update.records.sigma_yield.tolist() == [8e3] * 6 + [1e4] * 10
    hold = Cycle(CycleKey(0, 1, 0), 20_000_000, 0, Verdict.COMMIT, Command.HOLD, (*AGENTS, 'terrain'), roles)
    terrain.on_cycle(hold)
    for copy in copies:
        copy.receive(update)
        copy.commit(key)
        assert copy.grid.all_records().equals(terrain.grid.all_records())
        assert copy.grid.soil_hash() == results[-1].soil_hash == update.soil_hash
