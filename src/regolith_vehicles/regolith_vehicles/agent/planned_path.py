# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Planned path of a vehicle, from which rocks are removed."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from regolith_terrain import contact
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.drivers.builtin import ConstantDriver
from regolith_vehicles.drivers.config import ConstantDriverConfig, PathDriverConfig, waypoints_of
from regolith_vehicles.drivers.task_config import TasksDriverConfig
from regolith_vehicles.running_gear import RunningGear
from regolith_world.cycle import BodyState
from regolith_world.numerics import portable_math

Point = tuple[float, float]

_STEP_RAD = math.radians(10.0)


def planned_base_path(entry: VehicleEntry, duration_s: float) -> list[Point]:
    """Return the planned path of a vehicle's base [m]: start and waypoints, or the arc of a constant twist.

    Drivers without a fixed path (live commands, plug-ins) return only the start. A constant twist drifts off its arc
    when wheels slip and on slopes.

    Args:
        entry: Configuration of the vehicle in the scenario.
        duration_s: Duration of the run [s].
    """
    x, y = entry.position
    driver = entry.driver
    if isinstance(driver, PathDriverConfig):
        points = [(x, y), *driver.waypoints]
        return [*points, driver.waypoints[0]] if driver.loop else points
    if isinstance(driver, TasksDriverConfig):
        return [(x, y), *waypoints_of(driver).values()]
    if isinstance(driver, ConstantDriverConfig):
        base = BodyState('', np.array([x, y, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
        speed, rate = ConstantDriver(driver).command(math.ceil(driver.start_s * 1e9), base)
        end_s = duration_s if driver.end_s is None else min(driver.end_s, duration_s)
        return _arc(x, y, math.radians(entry.heading_deg), speed, rate, max(end_s - driver.start_s, 0.0))
    return [(x, y)]


def running_gear_radius(gear: RunningGear) -> float:
    """Return the radius around the base's origin [m] that encloses all wheels, steered or not, or all shoes."""
    data = mujoco.MjData(gear.body.model)
    data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    mujoco.mj_forward(gear.body.model, data)
    places, _ = gear.part_poses(data)
    reach = [contact.reach(part.shape) for part in gear.touching]
    return float(np.max(np.hypot(places[:, 0], places[:, 1]) + reach, initial=0.0))


def _arc(x: float, y: float, heading: float, speed: float, rate: float, time_s: float) -> list[Point]:
    """Return points of an arc, at most one full turn."""
    if rate != 0.0:
        time_s = min(time_s, 2.0 * math.pi / abs(rate))
    if speed == 0.0 or time_s == 0.0:
        return [(x, y)]
    if rate == 0.0:
        return [(x, y), (x + speed * time_s * math.cos(heading), y + speed * time_s * math.sin(heading))]
    turns = heading + rate * time_s * np.linspace(0.0, 1.0, math.ceil(time_s * abs(rate) / _STEP_RAD) + 1)
    along_x = x + speed / rate * (portable_math.each(math.sin, turns) - math.sin(heading))
    along_y = y - speed / rate * (portable_math.each(math.cos, turns) - math.cos(heading))
    return list(zip(along_x.tolist(), along_y.tolist()))
