# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicles that are spawned, deleted and spawned again: name, process and memory are free after a reset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import WORLD, LiveRun, vehicle, write_scenario

pytestmark = [pytest.mark.ros, pytest.mark.slow]


def commands(pid: int) -> list[str]:
    """Return the command lines of the children of a process, spawned agents among them."""
    tasks = Path(f'/proc/{pid}/task').iterdir()
    children = [child for task in tasks for child in (task / 'children').read_text().split()]
    return [Path(f'/proc/{child}/cmdline').read_text().replace('\0', ' ') for child in children]


def resident_mb(pid: int) -> float:
    """Return the memory of a process [MB]."""
    lines = Path(f'/proc/{pid}/status').read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith('VmRSS')) / 1024.0


@pytest.mark.parametrize('processes', ['one', 'many'])
def test_spawned_vehicle_is_freed_by_a_full_reset(tmp_path: Path, processes: str) -> None:
    from geometry_msgs.msg import PoseStamped
    from nav_msgs.msg import Odometry
    from simulation_interfaces.srv import DeleteEntity, ResetSimulation, SpawnEntity

    scenario = write_scenario(tmp_path, {'amber': vehicle(0.0, 0.0)}, duration_s=3600.0, real_time_factor=1.0)
    guest = '{model: viper, driver: {type: constant, speed_mps: 0.3}}'
    with LiveRun(tmp_path, scenario, processes=processes) as live:
        live.come_to(0.2)
        world = live.pids()['regolith/world']
        place = PoseStamped()
        place.pose.position.y, place.pose.orientation.w = 5.0, 1.0

        def spawn() -> Any:
            return live.call(
                SpawnEntity, f'{WORLD}/spawn_entity', 120.0, name='guest', resource_string=guest, initial_pose=place
            ).result

        def reset(scope: int = 0) -> None:
            assert live.call(ResetSimulation, f'{WORLD}/reset_simulation', 60.0, scope=scope).result.result == 1

        def delete() -> None:
            assert live.call(DeleteEntity, f'{WORLD}/delete_entity', entity='guest').result.result == 1

        def agents() -> int:
            return sum('__ns:=/guest' in command for command in commands(world))

        odom = live.subscribe(Odometry, '/guest/ground_truth/odom')
        sizes = []
        for _ in range(3):
            odom.clear()
            assert spawn().result == 1 and agents() == (processes == 'many')
            live.wait_for(lambda: odom and odom[-1].twist.twist.linear.x > 0.2, 60.0, 'a guest that drives')
            delete()
            taken = spawn()
            assert taken.result == 101 and "name 'guest' is taken" in taken.error_message
            reset(ResetSimulation.Request.SCOPE_SPAWNED)
            assert spawn().result == 101, 'a rewind may need it'
            reset()
            assert agents() == 0
            sizes.append(resident_mb(world))
        # The world's own allocators keep some of it; a vehicle that stayed would take what the first one did.
        assert sizes[-1] - sizes[0] < 40.0, sizes
        assert spawn().result == 1
        reset()
        live.interrupt()
        live.finish()
