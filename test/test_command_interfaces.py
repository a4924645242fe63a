# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Every command interface through its topic: a rover, a digger and a truck follow commands, and stop without them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import LiveRun, vehicle, write_scenario

pytestmark = [pytest.mark.ros, pytest.mark.seconds]

TIMEOUT_S = 0.4


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """Three vehicles on firm ground, in one process; the run ends when the tests are done."""
    folder = tmp_path_factory.mktemp('faces')
    driver = {'type': 'external', 'timeout_s': TIMEOUT_S}
    models = {'rover': 'viper', 'digger': 'rassor', 'truck': 'hmmwv'}
    vehicles = {
        name: {**vehicle(0.0, 8.0 * k, **driver), 'model': model} for k, (name, model) in enumerate(models.items())
    }
    terrain = {'source': 'flat', 'spacing_m': 0.1, 'model': 'rigid', 'soil': {'friction': 0.8}}
    scenario = write_scenario(folder, vehicles, duration_s=300.0, terrain=terrain, world={'gravity_mps2': 9.81})
    with LiveRun(folder, scenario, '--rtf', 2.5, '--no-record', processes='one') as live:
        yield live


def _seconds(message: Any) -> float:
    return float(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)


class Cab:
    """Publishers of all faces, and what the vehicles do."""

    def __init__(self, run: LiveRun) -> None:
        from ackermann_msgs.msg import AckermannDriveStamped
        from nav_msgs.msg import Odometry
        from regolith_msgs.msg import DriverInputs
        from sensor_msgs.msg import JointState

        self.run = run
        self.angle = AckermannDriveStamped
        self.pedals, self.joints = DriverInputs, JointState
        make = run.node.create_publisher
        self.publishers = {
            (name, topic): make(kind, f'/{name}/{topic}', 1)
            for topic, kind in (
                ('ackermann_cmd', self.angle),
                ('driver_inputs', DriverInputs),
                ('joint_command', JointState),
            )
            for name in ('rover', 'digger', 'truck')
        }
        self.odom = {
            name: run.subscribe(Odometry, f'/{name}/ground_truth/odom') for name in ('rover', 'digger', 'truck')
        }
        self.arm = run.subscribe(JointState, '/digger/joint_states')
        heard = {
            ('rover', 'ackermann_cmd'),
            ('digger', 'ackermann_cmd'),
            ('digger', 'joint_command'),
            ('truck', 'ackermann_cmd'),
            ('truck', 'driver_inputs'),
        }
        run.wait_for(
            lambda: self.heard >= heard and self.arm and all(self.odom.values()), 150.0, 'all vehicles to listen'
        )
        assert self.heard == heard  # and to nothing they could not do

    @property
    def heard(self) -> set[tuple[str, str]]:
        return {key for key, publisher in self.publishers.items() if publisher.get_subscription_count()}

    def ackermann(self, speed: float, angle: float) -> Any:
        message = self.angle()
        message.drive.speed, message.drive.steering_angle = speed, angle
        return message

    def now(self, name: str) -> tuple[float, float]:
        """Return forward speed and yaw rate."""
        twist = self.odom[name][-1].twist.twist
        return float(twist.linear.x), float(twist.angular.z)

    def time(self) -> float:
        """Return the simulated time (s) of the youngest odometry of the truck."""
        return _seconds(self.odom['truck'][-1])

    def fastest_of_the_last(self, span_s: float) -> float:
        """Return the greatest forward speed (m/s) of any vehicle within a span up to now."""
        since = self.time() - span_s
        return max(abs(m.twist.twist.linear.x) for heard in self.odom.values() for m in heard if _seconds(m) >= since)

    def arm_angle(self) -> float:
        return float(self.arm[-1].position[list(self.arm[-1].name).index('arm_front')])

    def keep(self, told: dict[tuple[str, str], Any], until: Callable[[], bool], what: str) -> None:
        """Publish messages at 20 Hz until a condition holds, for 10 s of simulated time at most."""
        begin = self.time()
        for _ in range(2000):  # the simulation is slower on a busy machine
            if until():
                return
            if self.time() > begin + 10.0:
                break
            for key, message in told.items():
                self.publishers[key].publish(message)
            self.run.spin(0.05)
        raise TimeoutError(f'{what}: { ({name: self.now(name) for name in self.odom}) }, arm {self.arm_angle()}')


def test_every_command_interface_drives_and_timeout_stops_it(run: LiveRun) -> None:
    cab = Cab(run)
    angle, curve = 0.2, math.tan(0.2)
    told = {
        ('rover', 'ackermann_cmd'): cab.ackermann(0.3, angle),
        ('truck', 'driver_inputs'): cab.pedals(steering=0.5, throttle=0.6),
        ('digger', 'joint_command'): cab.joints(name=['arm_front'], position=[0.2]),
    }

    def under_way() -> bool:
        speed, turn = cab.now('rover')
        fast, right = cab.now('truck')
        return 0.27 < speed < 0.33 and turn > 0.03 and fast > 0.6 and right > 0.05 and cab.arm_angle() > 0.17

    cab.keep(told, under_way, 'all moving')
    speed, turn = cab.now('rover')
    wheelbase = curve * speed / turn
    assert 1.0 < wheelbase < 2.0  # VIPER's is 1.36 m; wheels slip sideways a little

    def stands() -> bool:
        return all(abs(number) < 0.02 for name in cab.odom for number in cab.now(name))

    silent = cab.time()
    run.wait_for(stands, 20.0, 'all to stand')
    assert cab.time() - silent > TIMEOUT_S
    assert cab.arm_angle() == pytest.approx(0.2, abs=0.02)  # arms hold without commands

    # Backwards, on the other face of each; the digger, which does not steer, skids round.
    back = {
        ('truck', 'driver_inputs'): cab.pedals(throttle=0.6, gear=cab.pedals.REVERSE),
        ('rover', 'ackermann_cmd'): cab.ackermann(-0.3, angle),
        ('digger', 'ackermann_cmd'): cab.ackermann(0.2, angle),
    }
    cab.keep(
        back,
        lambda: (
            cab.now('truck')[0] < -0.3
            and cab.now('rover')[0] < -0.25
            and cab.now('rover')[1] < -0.03
            and cab.now('digger')[1] > 0.02
        ),
        'all back',
    )
    # The face that comes last drives.
    ahead = {('truck', 'ackermann_cmd'): cab.ackermann(1.0, 0.0)}
    cab.keep(ahead, lambda: cab.now('truck')[0] > 0.3, 'the truck ahead')
    run.wait_for(stands, 20.0, 'all to stand again')


def test_nonsense_is_refused_by_topic_field_and_value(run: LiveRun) -> None:
    cab = Cab(run)
    told = {
        ('rover', 'ackermann_cmd'): cab.ackermann(math.nan, 0.0),
        ('truck', 'driver_inputs'): cab.pedals(throttle=1.5),
        ('digger', 'joint_command'): cab.joints(name=['arm_front'], position=[9.0]),
    }
    words = (
        'rover ignores a message on ackermann_cmd: drive.speed is nan; allowed: finite numbers',
        'truck ignores a message on driver_inputs: throttle is 1.5; allowed: 0 to 1',
        'digger ignores a message on joint_command: target of arm_front is 9.0; allowed: -1.05 to 0.79',
    )
    # Springs and elastic brakes let a vehicle rock a little after it first stands: wait for that to be over.
    run.wait_for(lambda: cab.fastest_of_the_last(1.0) < 0.005, 20.0, 'all to rest')
    cab.keep(told, lambda: all(word in run.output for word in words), 'warnings')
    told_at = cab.time()
    run.wait_for(lambda: cab.time() > told_at + 0.3, 20.0, 'what was refused to have no effect')
    assert cab.fastest_of_the_last(0.5) < 0.01
