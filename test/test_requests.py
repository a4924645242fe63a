# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of services with requests they cannot meet: the response says so, and nothing is done."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from harness import WORLD, LiveRun, vehicle, write_scenario

pytestmark = pytest.mark.ros

HEIGHTS: list[tuple[list[float], list[float], str]] = [
    ([nan], [0.0], 'x[0] = nan is not finite; allowed'),
    ([0.0, 1.0], [0.0, nan], 'y[1] = nan is not finite; allowed'),
    ([inf], [0.0], 'x[0] = inf'),
    ([0.0], [-inf], 'y[0] = -inf'),
    ([1e300], [0.0], 'x[0] = 1e+300'),
    ([0.0], [-2e5], 'y[0] = -200000'),
    ([0.0, 1.0, 2.0], [0.0], '3 values of x and 1 of y'),
    ([], [0.0], '0 values of x and 1 of y'),
]
EDITS: list[tuple[dict[str, Any], str]] = [
    ({}, '0 points; allowed: 1 to 1000000'),
    ({'x': [nan], 'y': [0.0], 'height': [0.0]}, 'x[0] = nan is not finite; allowed'),
    ({'x': [0.0], 'y': [2e5], 'height': [0.0]}, 'y[0] = 200000'),
    ({'x': [0.0], 'y': [0.0], 'height': [inf]}, 'height[0] = inf; allowed: finite numbers'),
    ({'x': [0.0], 'y': [0.0], 'height': [-1e9]}, 'node (0, 0) is too far from the undisturbed surface'),
    ({'x': [0.0, 1.0], 'y': [0.0], 'height': [0.0]}, '2 values of x, 1 value of y, 1 value of height'),
    ({'x': [0.0] * 1_000_001, 'y': [0.0] * 1_000_001, 'height': [0.0] * 1_000_001}, '1000001 points; allowed: 1 to'),
    ({'stamp': 'hole', 'length': 1.0, 'depth': 1.0}, "stamp = 'hole'; allowed: crater, trench, mound"),
    ({'stamp': 'crater', 'length': nan, 'depth': 1.0}, 'length = nan; allowed: at least two grid spacings'),
    ({'stamp': 'crater', 'length': 1e5, 'depth': 1.0}, 'stamp crater reaches 200000 m'),
    ({'stamp': 'mound', 'length': 1.0, 'depth': 1.0, 'center_x': inf}, 'center[0] = inf'),
]
ESCAPES = ('../../../escape', '/escape', '~/escape', '..', '.', 'a/../../b', 'bag/../../x', '.hidden', 'a\nb')


def test_requests_that_cannot_be_met_are_refused_in_the_response(tmp_path: Path) -> None:
    from regolith_msgs.srv import BindPort, GetHeights, RegisterRadio, SaveCheckpoint, SaveSnapshot, SetTerrainNodes
    from simulation_interfaces.msg import Bounds
    from simulation_interfaces.srv import GetEntities, SpawnEntity

    scenario = write_scenario(
        tmp_path, {'amber': vehicle(0.0, 0.0)}, duration_s=600.0, comms={'radio': 'lunar_uhf', 'stations': {}}
    )
    with LiveRun(tmp_path, scenario) as live:
        live.come_to(0.1)

        def ask(kind: Any, service: str, **fields: Any) -> Any:
            return live.call(kind, service, **fields)

        for node in ('/regolith/terrain', '/amber/agent'):
            for x, y, said in HEIGHTS:
                response = ask(GetHeights, f'{node}/get_heights', x=x, y=y)
                assert not response.success and response.message.startswith(said), (node, x, y, response.message)
                assert not response.height and not response.height_initial
            response = ask(GetHeights, f'{node}/get_heights', x=[0.0, 90.0], y=[0.0, -1e4])
            assert response.success and len(response.height) == len(response.height_initial) == 2
        for fields, said in EDITS:
            response = ask(SetTerrainNodes, '/regolith/terrain/set_nodes', **fields)
            assert not response.success and response.message.startswith(said), (fields, response.message)
        for path in ESCAPES:
            response = ask(SaveCheckpoint, f'{WORLD}/save_checkpoint', path=path)
            assert not response.success and response.message.isprintable(), (path, response.message)
            assert 'is outside the run' in response.message or 'cannot be the name of a folder' in response.message
        assert not list(tmp_path.glob('**/*escape*')) and not Path('/escape').exists()
        for path in ('mine', str(live.run_dir / 'checkpoints' / 'other')):
            response = ask(SaveCheckpoint, f'{WORLD}/save_checkpoint', path=path)
            assert response.success and Path(response.path, 'manifest.json').is_file()
            assert Path(response.path) == (live.run_dir / path).resolve()
            assert ask(SaveCheckpoint, f'{WORLD}/restore_checkpoint', path=path).success
        for name in ('a\nb', 'a\x1b[31m', 'x' * 300, '../x', 'beginning', 't000001.000'):
            response = ask(SaveSnapshot, f'{WORLD}/save_snapshot', name=name)
            assert not response.success and '; allowed: ' in response.message and response.message.isprintable()
        for uri, resource in (('/etc/passwd', ''), ('file:///etc/passwd', ''), ('', 'model: /etc/passwd')):
            response = ask(SpawnEntity, f'{WORLD}/spawn_entity', name='guest', uri=uri, resource_string=resource)
            message = response.result.error_message
            assert response.result.result != 1 and 'root' not in message and message.isprintable(), message
        ball = GetEntities.Request()
        ball.filters.bounds.type = Bounds.TYPE_SPHERE
        from geometry_msgs.msg import Vector3

        for radius, allowed in ((-1.0, 'a radius of 0 m or more'), (nan, 'finite')):
            ball.filters.bounds.points = [Vector3(), Vector3(x=radius)]
            response = ask(GetEntities, f'{WORLD}/get_entities', filters=ball.filters)
            assert response.result.result != 1 and allowed in response.result.error_message
        for name in ('a b', 'x' * 61, 'broadcast', ''):
            assert '; allowed: ' in ask(RegisterRadio, '/regolith/comms/register_radio', name=name).message
        assert '; allowed: ' in ask(BindPort, '/regolith/comms/bind_port', name='nosuch', port=5).message
        assert live.running
