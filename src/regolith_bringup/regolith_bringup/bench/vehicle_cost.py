# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Computing time of each vehicle on soil and on rigid terrain, by component."""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

import mujoco
import numpy as np

from regolith_bringup.bench.isolated_domain import environment
from regolith_bringup.bench.scaling import FLEETS, scaling
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.schema import Scenario
from regolith_vehicles import known_vehicles
from regolith_vehicles.agent import CycleMotion
from regolith_vehicles.commands import DriveCommand
from regolith_world.numerics import measure_machine_score

CYCLE_NS = 20_000_000
MOON, EARTH = 1.62, 9.81
GARAGE = {
    'viper': (0.2, MOON, 0.02),
    'rocker_bogie': (0.2, MOON, 0.02),
    'rassor': (0.2, MOON, 0.02),
    'hmmwv': (4.0, EARTH, 0.05),
    'hmmwv_flexible': (4.0, EARTH, 0.05),
    'm113': (3.0, EARTH, 0.05),
}
"""Forward speed [m/s], gravity [m/s^2] and soil grid spacing [m] by vehicle."""
TERRAINS: dict[str, dict[str, Any]] = {
    'soil': {'soil': 'chrono_lunar'},
    'rigid': {'model': 'rigid', 'soil': {'friction': 0.8}},
}
_LEAD_S = 1.0
"""Simulated time before the measurement starts [s]."""


def vehicles(
    simulated_s: float = 1.0,
    repeats: int = 5,
    names: tuple[str, ...] = tuple(GARAGE),
    rovers: tuple[int, ...] = FLEETS,
) -> dict[str, Any]:
    """Measure each shipped vehicle alone on one thread, without a world, publishing or recording.

    A cycle is 20 ms, straight ahead on flat terrain. It includes soil windows, substeps, measurements of the running
    gear, application of soil changes and the commit.

    Args:
        simulated_s: Simulated length of a segment [s].
        repeats: Number of segments of each vehicle, measured alternately.
        names: Names of the vehicles.
        rovers: Numbers of rovers measured together, see :func:`regolith_bringup.bench.scaling.scaling`.

    Returns:
        By vehicle and terrain: ``real_time_factor``, simulated seconds per wall second, the median of
        ``real_time_factors``, and ``split_ms_per_s``, milliseconds per simulated second: ``multibody``, ``contact``
        (forces of terrain and running gear), ``python`` (rest of the loop) and, additionally, ``messages`` (all topics
        of a vehicle with subscribers).
        ``fleets``, see :func:`regolith_bringup.bench.scaling.scaling`. ``machine_score``, see
        :func:`regolith_world.numerics.machine_score.measure_machine_score`.
    """
    here = [name for name in names if name in known_vehicles()]
    stretches = {(name, terrain): DriveSegment(name, terrain) for name in here for terrain in TERRAINS}
    scores = []
    timed: dict[tuple[str, str], list[dict[str, float]]] = {key: [] for key in stretches}
    for _ in range(repeats):
        scores.append(measure_machine_score(1))
        for key, stretch in stretches.items():
            timed[key].append(stretch.run(simulated_s))
    messages = {name: message_cost(stretches[name, 'rigid']) for name in here}
    figures: dict[str, Any] = {name: {} for name in here}
    for (name, terrain), runs in timed.items():
        speeds = [1.0 / sum(run.values()) for run in runs]
        middle = runs[speeds.index(sorted(speeds)[len(speeds) // 2])]
        split = {part: 1e3 * seconds for part, seconds in middle.items()} | {'messages': 1e3 * messages[name]}
        figures[name][terrain] = {
            'real_time_factor': statistics.median(speeds),
            'real_time_factors': speeds,
            'split_ms_per_s': split,
            'substep_s': stretches[name, terrain].vehicle.config.substep_s,
        }
    return {
        'vehicles': figures,
        **({'fleets': scaling(rovers)} if rovers else {}),
        'machine_score': max(scores),
        'machine_scores': scores,
        'cores': os.cpu_count(),
    }


class DriveSegment:
    """One vehicle driving on one terrain."""

    def __init__(self, model: str, terrain: str) -> None:
        speed, gravity, spacing = GARAGE[model]
        settings = {'source': 'flat', 'spacing_m': spacing, **TERRAINS[terrain]}
        driver = {'type': 'constant', 'speed_mps': speed}
        scenario = Scenario.model_validate(
            {
                'name': 'garage',
                'duration_s': 10.0,
                'terrain': settings,
                'world': {'gravity_mps2': gravity},
                'vehicles': {'one': {'model': model, 'position': [0.0, 0.0], 'driver': driver}},
            }
        )
        self.agent = Simulation(scenario).agents['one']
        self.vehicle = self.agent.vehicle
        self.command = DriveCommand(speed)
        self.run(_LEAD_S)

    def cycle(self) -> float:
        """Run one cycle and return the wall time of its substeps [s]."""
        vehicle = self.vehicle
        plan = vehicle.plan(CYCLE_NS, *vehicle.gear.targets(self.command))
        begin = time.perf_counter()
        vehicle.run(plan)
        passed = time.perf_counter() - begin
        vehicle.grid.apply(vehicle.finish(plan))
        vehicle.commit()
        return passed

    def run(self, simulated_s: float) -> dict[str, float]:
        """Return wall seconds per simulated second of multibody, contact and python."""
        cycles = max(1, round(simulated_s * 1e9 / CYCLE_NS))
        begin = time.perf_counter()
        substeps = sum(self.cycle() for _ in range(cycles))
        whole = time.perf_counter() - begin
        bodies = cycles * self.multibody()
        return {
            part: seconds / (cycles * CYCLE_NS * 1e-9)
            for part, seconds in (('multibody', bodies), ('contact', substeps - bodies), ('python', whole - substeps))
        }

    def multibody(self, repeats: int = 10) -> float:
        """Return the wall time of MuJoCo in one cycle [s]: the same number of steps with constant forces."""
        model, data = self.vehicle.body.model, self.vehicle._data
        steps = -(-CYCLE_NS // max(1, int(self.vehicle.config.substep_s * 1e9)))
        times = []
        for _ in range(repeats):
            copy = mujoco.MjData(model)
            mujoco.mj_copyData(copy, model, data)
            begin = time.perf_counter()
            mujoco.mj_step(model, copy, steps)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)


def message_cost(stretch: DriveSegment, cycles: int = 100) -> float:
    """Return the wall time per simulated second [s] of publishing a vehicle state on every topic, with subscribers."""
    os.environ.update(environment())
    import rclpy
    from rclpy.context import Context
    from rclpy.node import Node

    from regolith_vehicles.ros import VehicleTopics
    from regolith_world.ros import Inbox, helper_node, qos

    context = Context()
    rclpy.init(context=context)
    node = Node('agent', namespace='one', context=context)
    try:
        topics = VehicleTopics(node, stretch.agent, 1, Inbox(helper_node(node, 'inbox')))
        # The received messages are not read, because reading is a cost of the subscriber.
        for publisher in list(node.publishers):
            node.create_subscription(publisher.msg_type, publisher.topic_name, lambda message: None, qos.STATE)
        until = time.monotonic() + 5.0
        while time.monotonic() < until and not stretch.agent.poses_wanted():
            time.sleep(0.01)
        motion = CycleMotion(CYCLE_NS, np.zeros((20, 13)), np.zeros(stretch.agent.vehicle.body.model.nu))
        passed = 0.0
        for k in range(cycles):
            stretch.cycle()
            begin = time.perf_counter()
            topics.publish(stretch.agent.vehicle_state((k + 1) * CYCLE_NS, motion))
            passed += time.perf_counter() - begin
    finally:
        stretch.agent.poses_wanted = lambda: True
        node.destroy_node()
        context.try_shutdown()
    return passed / (cycles * CYCLE_NS * 1e-9)
