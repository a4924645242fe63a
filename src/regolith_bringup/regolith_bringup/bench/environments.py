# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the Gymnasium environments."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from regolith_world.numerics import measure_machine_score

STEPS, RESETS = 100, 10
RANGE = 0.1, 0.9
"""Range of the random actions: the vehicle moves forward."""


def environments(steps: int = STEPS, resets: int = RESETS) -> dict[str, Any]:
    """Measure steps and resets of the Gymnasium environments, in processor time of one core.

    Actions are random. Steps are 0.1 s of simulated time. Loading is not counted, as it happens once.

    Args:
        steps: Number of steps of each environment.
        resets: Number of resets of each environment. The median counts.

    Returns:
        By name of the environment ``steps_per_s`` of one core, ``reset_ms`` and ``make_s``. For the shared world of
        four vehicles, ``steps_per_s`` counts the steps of all vehicles. ``machine_score``, see
        :func:`regolith_world.numerics.machine_score.measure_machine_score`.

    Raises:
        ImportError: If Gymnasium is not installed.
    """
    from regolith_bringup.gym.requirement import load_gymnasium

    gymnasium = load_gymnasium()
    found: dict[str, Any] = {}
    for name in ('DriveToGoal', 'DriveToGoalCamera', 'Dig', 'Berm', 'SlipControl'):
        begin = time.process_time()
        env = gymnasium.make(f'regolith_bringup.gym.registration:Regolith/{name}-v0')
        found[name] = {'make_s': time.process_time() - begin, **measured(env, 1, steps, resets)}
    begin = time.process_time()
    shared = gymnasium.make_vec('Regolith/DriveToGoalShared-v0', num_envs=4, vectorization_mode='vector_entry_point')
    made = time.process_time() - begin
    found['DriveToGoalShared, 4 vehicles'] = {'make_s': made, **measured(shared, 4, steps // 2, resets)}
    return {**found, 'cores': os.cpu_count(), 'machine_score': measure_machine_score(1)}


def measured(env: Any, vehicles: int, steps: int, resets: int) -> dict[str, float]:
    """Return steps per second of processor time and the median time of a reset [ms].

    Args:
        env: Environment, or vector environment of all vehicles.
        vehicles: Number of vehicles.
        steps: Number of steps.
        resets: Number of resets.
    """
    random = np.random.default_rng(1)
    env.reset(seed=1)
    env.step(env.action_space.low * 0.0)
    times = []
    for _ in range(resets):
        begin = time.process_time()
        env.reset()
        times.append(time.process_time() - begin)
    begin = time.process_time()
    for _ in range(steps):
        env.step(random.uniform(*RANGE, env.action_space.shape).astype(np.float32))
    spent = time.process_time() - begin
    return {'steps_per_s': vehicles * steps / spent, 'reset_ms': 1e3 * float(np.median(times))}
