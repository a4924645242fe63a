# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of commands whose message type is another one than usual, or a wrong one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import LiveRun, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('processes', ['one', pytest.param('many', marks=pytest.mark.slow)])
def test_twist_stamped_drives_and_wrong_type_warns(tmp_path: Path, processes: str) -> None:
    """Both types are taken, one after the other; a third is named in the world's output and on /diagnostics."""
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
    from geometry_msgs.msg import Twist, TwistStamped
    from nav_msgs.msg import Odometry
    from std_msgs.msg import String

    scenario = write_scenario(tmp_path, {'rover': vehicle(0.0, 0.0, type='external', timeout_s=0.3)}, duration_s=600.0)
    with LiveRun(tmp_path, scenario, '--rtf', 1, processes=processes) as live:
        odom, told = (
            live.subscribe(Odometry, '/rover/ground_truth/odom'),
            live.subscribe(DiagnosticArray, '/diagnostics'),
        )

        def drives(command: Any, kind: type, sign: float) -> bool:
            """Return whether the rover comes to drive in this direction while the command is repeated."""
            publisher = live.node.create_publisher(kind, '/rover/cmd_vel', 10)

            def moving() -> bool:
                publisher.publish(command)
                live.spin(0.05)
                return bool(odom) and sign * odom[-1].twist.twist.linear.x > 0.1

            live.wait_for(moving, 60.0, f'a rover driven by {kind.__name__}')
            live.node.destroy_publisher(publisher)
            return True

        stamped, plain = TwistStamped(), Twist()
        stamped.twist.linear.x, plain.linear.x = 0.3, -0.3
        assert drives(stamped, TwistStamped, 1.0) and drives(plain, Twist, -1.0) and drives(stamped, TwistStamped, 1.0)
        assert 'is not received' not in live.output
        wrong = live.node.create_publisher(String, '/rover/cmd_vel', 10)

        def status() -> list[DiagnosticStatus]:
            return [each for each in (told[-1].status if told else ()) if '/rover/cmd_vel' in each.name]

        live.wait_for(status, 30.0, 'a warning')
        (warning,) = status()
        said = 'publishes std_msgs/msg/String, which is not received; allowed: geometry_msgs/msg/Twist or '
        assert warning.level == DiagnosticStatus.WARN and said in warning.message
        live.wait_for(lambda: said in live.output, 10.0, 'a warning in the output')
        live.node.destroy_publisher(wrong)
        live.wait_for(lambda: not status(), 30.0, 'no warning')
        live.interrupt()
        live.finish()
    bag = Bag(live.run_dir)
    assert bag.topics['/rover/cmd_vel'].messages > 0


@pytest.mark.slow
def test_barrier_takes_its_type_from_the_topic_and_says_that_it_waits(tmp_path: Path) -> None:
    """A truck's pedals, commanded less often than the world has cycles."""
    from regolith_msgs.msg import DriverInputs

    truck = {'model': 'hmmwv', 'position': [0.0, 0.0], 'driver': {'type': 'external'}}
    barrier = {'input_barrier': {'topic': '/truck/driver_inputs', 'timeout_s': 2.0}}
    scenario = write_scenario(tmp_path, {'truck': truck}, duration_s=600.0, world=barrier)
    with LiveRun(tmp_path, scenario, processes='one') as live:
        publisher = live.node.create_publisher(DriverInputs, '/truck/driver_inputs', 10)
        live.come_to(0.01)
        said = 'waiting for a message on /truck/driver_inputs (world.input_barrier): '
        live.wait_for(lambda: said in live.output, 60.0, 'a word about the wait')
        from regolith_msgs.msg import WorldStatus

        status = live.subscribe(WorldStatus, '/regolith/status', latched=True)
        live.wait_for(lambda: status, 10.0, 'the status')
        begun = status[-1].cycle

        def driven() -> bool:
            publisher.publish(DriverInputs(throttle=0.1))
            live.spin(0.005)
            # Within the time-outs of a few cycles there would be as few of them.
            return status[-1].cycle > begun + 100

        live.wait_for(driven, 120.0, 'a hundred cycles, each with its message')
