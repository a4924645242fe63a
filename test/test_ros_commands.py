# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ``./regolith topic``, ``service``, ``action``, ``param`` and ``node`` beside a running simulation."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from harness import LiveRun, command, environment, vehicle, write_scenario

pytestmark = [pytest.mark.ros, pytest.mark.slow]


def test_commands_of_the_docs_work_without_ros2(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0, type='external')}, duration_s=600.0)
    with LiveRun(tmp_path, scenario, '--rtf', 1.0, processes='one') as live:
        live.come_to(0.1)

        def call(*words: str, code: int = 0) -> str:
            done = subprocess.run(
                command(*words), env=environment(live.domain), capture_output=True, text=True, timeout=120, check=False
            )
            assert done.returncode == code, (words, done.stdout, done.stderr)
            assert 'Traceback' not in done.stderr
            return done.stdout if code == 0 else done.stderr

        status = yaml.safe_load(call('topic', 'echo', '--once', '/regolith/status').partition('---')[0])
        assert status['end_ns'] == 600 * 10**9
        assert '/amber/odom [nav_msgs/msg/Odometry]' in call('topic', 'list', '-t').splitlines()
        assert call('topic', 'type', '/amber/odom') == 'nav_msgs/msg/Odometry\n'
        assert '/regolith/world' in call('node', 'list').splitlines()
        assert '/regolith/world/pause [std_srvs/srv/SetBool]' in call('service', 'list', '-t').splitlines()
        assert call('action', 'list') == '/regolith/world/simulate_steps\n'
        assert call('service', 'type', '/regolith/world/pause') == 'std_srvs/srv/SetBool\n'
        assert call('service', 'find', 'std_srvs/srv/SetBool') == '/regolith/world/pause\n'
        assert '/amber/odom' in call('topic', 'find', 'nav_msgs/msg/Odometry').splitlines()
        about = call('topic', 'info', '--verbose', '/amber/odom').splitlines()
        assert (
            about[:2] == ['Type: nav_msgs/msg/Odometry', 'Publisher count: 1'] and '/amber/agent: nav_msgs' in about[2]
        )
        assert (
            call('action', 'type', '/regolith/world/simulate_steps') == 'simulation_interfaces/action/SimulateSteps\n'
        )
        assert call('action', 'info', '/regolith/world/simulate_steps').splitlines()[1:] == [
            'Action clients: 0',
            'Action servers: 1',
            '    /regolith/world',
        ]
        assert '    /clock: rosgraph_msgs/msg/Clock' in call('node', 'info', '/regolith/world').splitlines()
        assert yaml.safe_load(call('param', 'describe', '/regolith/world', 'real_time_factor'))['floating_point_range']
        assert (
            yaml.safe_load(call('param', 'dump', '/regolith/world'))['/regolith/world']['ros__parameters'][
                'real_time_factor'
            ]
            == 1.0
        )
        own = tmp_path / 'own.yaml'
        own.write_text('/regolith/world: {ros__parameters: {real_time_factor: 1.0}}')
        assert call('param', 'load', '/regolith/world', str(own)) == 'Set parameter real_time_factor successful\n'
        pause = call('service', 'call', '/regolith/world/pause', 'std_srvs/srv/SetBool', '{data: true}')
        assert yaml.safe_load(pause)['success'] is True
        steps = '/regolith/world/simulate_steps', 'simulation_interfaces/action/SimulateSteps', '{steps: 3}'
        assert yaml.safe_load(call('action', 'send_goal', *steps))['result']['result'] == 1
        call('service', 'call', '/regolith/world/pause', 'std_srvs/srv/SetBool')
        assert call('param', 'get', '/regolith/world', 'real_time_factor') == '1.0\n'
        call('param', 'set', '/regolith/world', 'real_time_factor', '0.5')
        assert call('param', 'get', '/regolith/world', 'real_time_factor') == '0.5\n'
        assert 'real_time_factor' in call('param', 'list', '/regolith/world').splitlines()
        call('topic', 'pub', '--once', '/amber/cmd_vel', 'geometry_msgs/msg/Twist', '{linear: {x: 0.2}}')

        assert 'is not a field; allowed: data' in call(
            'service', 'call', '/regolith/world/pause', 'std_srvs/srv/SetBool', '{dta: true}', code=2
        )
        assert 'is not in the graph; allowed: ' in call('topic', 'echo', '/amber/odm', code=2)
        assert 'is not in the graph; allowed: ' in call('service', 'call', '/x', 'std_srvs/srv/SetBool', code=2)
        assert "parameter = 'sped': is not one of /regolith/world" in call(
            'param', 'get', '/regolith/world', 'sped', code=2
        )
        assert 'param set: duration_s = ' in call('param', 'set', '/regolith/world', 'duration_s', '5.0', code=2)
        assert call('action', 'send_goal', steps[0], steps[1], '{steps: 1}', code=3), 'it is not paused'
