# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of drivers."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

import numpy as np
import pytest

from regolith_vehicles.agent.planned_path import planned_base_path
from regolith_vehicles.commands.command import AckermannCommand, DriveCommand
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.drivers.builtin import Driver, make_driver
from regolith_vehicles.drivers.config import (
    ConstantDriverConfig,
    ExternalDriverConfig,
    PathDriverConfig,
    PluginDriverConfig,
)
from regolith_vehicles.drivers.live_input import DigOrder, LiveInput
from regolith_vehicles.drivers.task_config import DigConfig
from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import from_yaw

STEP_NS = 20_000_000


def _at(x: float, y: float, heading: float) -> BodyState:
    return BodyState('rover', np.array([x, y, 0.0]), from_yaw(heading), np.zeros(3), np.zeros(3))


def _drive(driver: Driver, x: float, y: float, heading: float, steps: int) -> np.ndarray:
    """Let an ideal unicycle follow a driver; return its path, shape (steps, 3)."""
    track = []
    for k in range(steps):
        v, w = driver.command(k * STEP_NS, _at(x, y, heading))
        x += v * math.cos(heading) * 0.02
        y += v * math.sin(heading) * 0.02
        heading += w * 0.02
        track.append((x, y, v))
    return np.array(track)


def test_constant_driver_keeps_its_times() -> None:
    """It stops before start_s and from until_s on."""
    driver = make_driver(ConstantDriverConfig(speed_mps=0.3, yaw_rate_radps=0.1, start_s=1.0, end_s=2.0))
    commands = [driver.command(t, _at(0.0, 0.0, 0.0)) for t in (0, 999_999_999, 1_000_000_000, 2_000_000_000)]
    assert [*map(tuple, commands)] == [(0.0, 0.0), (0.0, 0.0), (0.3, 0.1), (0.0, 0.0)]


@pytest.mark.parametrize(('y', 'heading'), [(0.4, 0.3), (-0.3, 0.9), (0.2, -0.7)])
def test_pure_pursuit_steers_on_the_circle_through_the_point_ahead(y: float, heading: float) -> None:
    """The circle tangent to the heading with the commanded curvature passes through the look-ahead point."""
    driver = make_driver(PathDriverConfig(waypoints=((0.0, 0.0), (50.0, 0.0)), speed_mps=0.5, lookahead_m=0.8))
    speed, rate = driver.command(0, _at(1.0, y, heading))
    radius = speed / rate
    center = (1.0 - radius * math.sin(heading), y + radius * math.cos(heading))
    assert math.dist(center, (1.8, 0.0)) == pytest.approx(abs(radius), rel=1e-12)


def test_path_driver_follows_and_stops() -> None:
    """It stays within 10 % of the look-ahead distance of a straight segment and stops at the end."""
    path = PathDriverConfig(waypoints=((0.0, 0.0), (6.0, 0.0), (6.0, 6.0)), speed_mps=0.5, lookahead_m=1.0)
    track = _drive(make_driver(path), -0.3, 0.5, 0.0, 1600)
    straight = track[(track[:, 0] > 2.5) & (track[:, 0] < 4.5)]
    assert len(straight) > 100 and np.max(np.abs(straight[:, 1])) < 0.1
    # It stops ARRIVED before the end of the path; a small heading error remains.
    assert math.dist(track[-1, :2], (6.0, 6.0)) < 0.1 and track[-1, 2] == 0.0


def test_path_driver_loops_and_crosses_itself() -> None:
    """An eight is driven twice; progress along the path never jumps at the crossing."""
    path = PathDriverConfig(
        waypoints=((0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)), speed_mps=0.5, lookahead_m=0.5, loop=True
    )
    length = 2 * math.hypot(4.0, 4.0) + 8.0
    track = _drive(make_driver(path), 0.0, 0.0, math.pi / 4, round(2 * length / 0.5 / 0.02))
    half = len(track) // 2
    for lap in (track[:half], track[half:]):
        for corner in path.waypoints:
            assert np.min(np.hypot(*(lap[:, :2] - corner).T)) < 0.5


def test_path_driver_state_resumes() -> None:
    """A driver restored midway gives bit-identical commands."""
    path = PathDriverConfig(waypoints=((0.0, 0.0), (3.0, 1.0), (5.0, -1.0)), speed_mps=0.4, lookahead_m=0.7)
    first, second = make_driver(path), make_driver(path)
    _drive(first, 0.0, 0.2, 0.0, 200)
    second.restore(first.save())
    assert second.command(0, _at(1.5, 0.6, 0.2)) == first.command(0, _at(1.5, 0.6, 0.2))


def test_external_driver_times_out() -> None:
    """A command applies for the timeout, in simulated time from the cycle that latched it."""
    driver = make_driver(ExternalDriverConfig(timeout_s=0.5))
    here = _at(0.0, 0.0, 0.0)
    assert driver.command(0, here) == DriveCommand()
    driver.receive(1_000_000_000, LiveInput(DriveCommand(0.3, -0.1)))
    driver.receive(1_020_000_000, LiveInput())
    assert driver.command(1_480_000_000, here) == DriveCommand(0.3, -0.1)
    copy = make_driver(ExternalDriverConfig(timeout_s=0.5))
    copy.restore(driver.save())
    assert copy.command(1_499_999_999, here) == DriveCommand(0.3, -0.1)
    assert copy.command(1_500_000_000, here) == DriveCommand()


def test_unknown_plugin_is_named() -> None:
    """A driver that is not installed is refused by name."""
    with pytest.raises(ValueError, match=r"driver.name: 'chauffeur' is not installed"):
        make_driver(PluginDriverConfig(type='plugin', name='chauffeur'))


def test_live_input_carries_targets_of_joints() -> None:
    """External input is received and saved, named targets included."""
    driver, again = (make_driver(ExternalDriverConfig(timeout_s=0.5)) for _ in range(2))
    again.receive(0, LiveInput(DriveCommand(0.3, -0.1), {'boom': 0.7, 'arm': -0.2}))
    again.receive(20_000_000, LiveInput())
    driver.restore(again.save())
    assert driver.command(40_000_000, _at(0.0, 0.0, 0.0)) == DriveCommand(0.3, -0.1, {'boom': 0.7, 'arm': -0.2})
    assert not DriveCommand(0.0, 0.0, {'boom': float('nan')}).finite
    # Targets alone leave the twist unchanged, which expires separately; targets of other joints stay.
    again.receive(100_000_000, LiveInput(joints={'arm': 0.4}))
    driver.restore(again.save())
    for each in (driver, again):
        assert each.command(499_999_999, _at(0.0, 0.0, 0.0)) == DriveCommand(0.3, -0.1, {'boom': 0.7, 'arm': 0.4})
        assert each.command(500_000_000, _at(0.0, 0.0, 0.0)) == DriveCommand(0.0, 0.0, {'boom': 0.7, 'arm': 0.4})
        assert each.command(600_000_000, _at(0.0, 0.0, 0.0)) == DriveCommand()


@pytest.mark.parametrize(
    ('live', 'blob'),
    [
        (LiveInput(), struct.pack('<?dd', False, 0.0, 0.0)),
        (LiveInput(DriveCommand(0.3, -0.1)), struct.pack('<?dd', True, 0.3, -0.1)),
        (LiveInput(joints={'b': 0.4, 'a': 1.0}), struct.pack('<Bdd', 2, 0.0, 0.0) + b'{"a": 1.0, "b": 0.4}'),
        (
            LiveInput(DriveCommand(by=AckermannCommand(-1.5, 0.2)), {'a': 1.0}),
            struct.pack('<Bdd', 1, 0.0, 0.0) + b'[{"a": 1.0}, "ackermann", -1.5, 0.2, 0.0, 0.0]',
        ),
    ],
)
def test_bytes_of_live_inputs_are_those_of_recorded_runs(live: LiveInput, blob: bytes) -> None:
    assert live.save() == blob and LiveInput.load(blob) == live
    assert live.save(with_order=True) == struct.pack('<q', -1) + blob
    cancel, dig = (replace(live, order=order) for order in (DigOrder(), DigOrder(DigConfig(type='dig'))))
    assert cancel.save(with_order=True) == struct.pack('<q', 0) + blob
    for each in (live, cancel, dig):
        assert LiveInput.load(each.save(with_order=True), with_order=True) == each


@pytest.mark.parametrize('speed', [0.5, -0.5])
def test_planned_path_of_right_turn_mirrors_left_turn(speed: float) -> None:
    """Path of a constant twist: an arc of speed over rate, at most one turn, forward and backward."""
    for seconds in (4.0, 100.0):
        paths = []
        for rate in (0.25, -0.25):
            driver = {'type': 'constant', 'speed_mps': speed, 'yaw_rate_radps': rate}
            entry = VehicleEntry.model_validate({'position': [1.0, 2.0], 'driver': driver})
            paths.append(np.array(planned_base_path(entry, seconds)))
        left, right = paths
        assert left[0] == pytest.approx([1.0, 2.0]) and len(left) > 5
        assert right == pytest.approx(left * (1.0, -1.0) + (0.0, 4.0))
        # Around a center to the left, at a distance of the radius of 2 m.
        assert np.hypot(*(left - (1.0, 2.0 + speed / 0.25)).T) == pytest.approx(2.0)
        turned = min(0.25 * seconds, 2.0 * math.pi)
        end = (1.0 + speed / 0.25 * math.sin(turned), 2.0 + speed / 0.25 * (1.0 - math.cos(turned)))
        assert left[-1] == pytest.approx(end, abs=1e-9)


def test_ackermann_rates_start_from_the_last_twist() -> None:
    """The state that an older Ackermann command had reached does not count after a twist."""
    driver, here = make_driver(ExternalDriverConfig(timeout_s=0.5)), _at(0.0, 0.0, 0.0)
    slowly = DriveCommand(by=AckermannCommand(1.0, 0.4, steering_rate=0.5, acceleration=2.0))
    for t_ns, given in (
        (0, DriveCommand(by=AckermannCommand(1.0, 0.4))),
        (100_000_000, DriveCommand(-0.2, 0.1)),
        (200_000_000, slowly),
    ):
        driver.receive(t_ns, LiveInput(given))
        command = driver.command(t_ns, here)
    assert command.by is not None
    assert command.by[:2] == pytest.approx((-0.2 + 0.1 * 2.0, 0.1 * 0.5))
