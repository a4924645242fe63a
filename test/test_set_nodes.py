# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Edits of the surface by service: two clients in one cycle, in any order, recorded and repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import WORLD, LiveRun, vehicle, write_scenario

pytestmark = pytest.mark.ros

SERVICE = '/regolith/terrain/set_nodes'


@pytest.mark.parametrize('processes', ['one', 'many'])
def test_two_clients_in_one_cycle_give_one_result_in_any_order(tmp_path: Path, processes: str) -> None:
    from regolith_msgs.srv import GetHeights, Rewind, SaveSnapshot, SetTerrainNodes, Step

    scenario = write_scenario(
        tmp_path,
        {'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.3)},
        duration_s=600.0,
        terrain={'source': 'flat'},
    )
    with LiveRun(tmp_path, scenario, processes=processes) as live:
        live.come_to(0.1)
        live.pause()
        assert live.call(SaveSnapshot, f'{WORLD}/save_snapshot', name='before').success

        def heights() -> list[float]:
            return list(live.call(GetHeights, '/amber/agent/get_heights', x=[3.0, 3.1, 4.0], y=[0.0] * 3).height)

        def steps(*edits: dict[str, Any]) -> str:
            for fields in edits:
                response = live.call(SetTerrainNodes, SERVICE, **fields)
                assert response.success and response.nodes > 0, response.message
            return str(live.call(Step, f'{WORLD}/step', steps=10).state_hash)

        def back(inputs: int) -> None:
            assert live.call(Rewind, f'{WORLD}/rewind', snapshot='before', inputs=inputs).success

        first = {'x': [3.0, 3.1], 'y': [0.0, 0.0], 'height': [0.2, 0.1]}
        second = {
            'x': [3.0],
            'y': [0.0],
            'height': [0.3],
            'stamp': 'mound',
            'center_x': 4.0,
            'length': 1.0,
            'depth': 0.5,
        }
        without = steps()
        assert heights() == [0.0, 0.0, 0.0]
        back(Rewind.Request.LIVE)
        expected = steps(first, second)
        assert expected != without and heights() == [0.3, 0.1, 0.5]
        back(Rewind.Request.LIVE)
        assert heights() == [0.0, 0.0, 0.0]
        assert steps(second, first) == expected
        back(Rewind.Request.REPLAY)
        assert steps() == expected and heights() == [0.3, 0.1, 0.5]
        live.interrupt()
        balance = live.finish(code=None).summary['terrain']['mass_balance']
    assert balance['edited_kg'] > 0.0 and balance['error_kg'] == 0.0
