#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Train a policy for environment Regolith/DriveToGoal-v0 by the cross-entropy method, and compare it with a script.

The policy has five weights: forward speed and yaw rate are each tanh of a short Fourier series of the bearing of the
goal, even for the speed and odd for the yaw rate. The cross-entropy method draws candidates from a normal distribution
and fits the distribution to the best of them. NumPy is enough for this, so no library for learning is needed.

    python3 examples/learning/train_drive_to_goal.py --out learning      about five minutes on two cores

Method: R. Y. Rubinstein, The cross-entropy method for combinatorial and continuous optimization, 1999.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Policy = Callable[[dict[str, Any]], Floats]

POPULATION, ELITE = 8, 3
BEARINGS = (0.4, 1.6, 2.8)
"""Bearings of the goals of the training [rad], to the left; the policy is symmetric."""
TRAINING_M, TRAINING_STEPS = 2.5, 110
"""Distance of the goals of the training [m], and number of steps after which an episode of the training ends."""
SPREAD, EXTRA = 1.5, 0.5
"""Initial standard deviation of the weights, and the one that is added in each generation, decreasing linearly."""
WEIGHTS = 5
TEST_SEEDS = tuple(range(1000, 1020))

_env: Any = None


def learned(weights: Floats) -> Policy:
    """Return the policy with some weights, shape (5,)."""

    def policy(observation: dict[str, Any]) -> Floats:
        ahead, left = observation['state'][:2]
        bearing = math.atan2(float(left), float(ahead))
        speed = weights[0] + weights[1] * math.cos(bearing) + weights[2] * math.cos(2.0 * bearing)
        turn = weights[3] * math.sin(bearing) + weights[4] * math.sin(2.0 * bearing)
        return np.tanh(2.0 * np.array([speed, turn]))

    return policy


def scripted(observation: dict[str, Any]) -> Floats:
    """Return the action of the baseline: rotate in place until the goal is ahead, then drive and steer toward it."""
    ahead, left = observation['state'][:2]
    bearing = math.atan2(float(left), float(ahead))
    if abs(bearing) > 0.3:
        return np.array([0.0, math.copysign(1.0, bearing)])
    return np.array([1.0, min(max(3.0 * bearing, -1.0), 1.0)])


def environment() -> Any:
    """Return the environment of this process, made on first use."""
    global _env
    if _env is None:
        import gymnasium

        _env = gymnasium.make('regolith_bringup.gym.registration:Regolith/DriveToGoal-v0')
    return _env


def episode(
    policy: Policy, seed: int, options: dict[str, Any] | None = None, max_steps: int = 600
) -> tuple[float, float, bool]:
    """Return the sum of rewards, the time [s] and the success of an episode."""
    env = environment()
    observation, _ = env.reset(seed=seed, options=options)
    total, steps, over, info = 0.0, 0, False, {'is_success': False}
    while not over and steps < max_steps:
        observation, reward, terminated, truncated, info = env.step(policy(observation).astype(np.float32))
        total, steps, over = total + reward, steps + 1, terminated or truncated
    return total, 0.1 * steps, bool(info['is_success'])


def training_options(bearing: float) -> dict[str, Any]:
    """Return the options of a reset with the goal at a bearing [rad] from the start."""
    goal = TRAINING_M * math.cos(bearing), TRAINING_M * math.sin(bearing)
    return {'position': (0.0, 0.0), 'heading_deg': 0.0, 'goal': goal}


def score(weights: list[float]) -> tuple[float, float]:
    """Return the mean return of a candidate over the training, and the processor time [s]."""
    begin, policy = time.process_time(), learned(np.array(weights))
    returns = [episode(policy, 0, training_options(bearing), TRAINING_STEPS)[0] for bearing in BEARINGS]
    return float(np.mean(returns)), time.process_time() - begin


def test(job: tuple[list[float] | None, int]) -> tuple[float, float, bool]:
    """Return the result of :func:`episode` for a candidate, or for the baseline if it is None."""
    weights, seed = job
    return episode(scripted if weights is None else learned(np.array(weights)), seed)


def train(pool: ProcessPoolExecutor, generations: int) -> tuple[Floats, list[dict[str, float]]]:
    """Return the mean weights at the end, and the results of each generation."""
    random = np.random.default_rng(1)
    mean, deviation = np.zeros(WEIGHTS), np.full(WEIGHTS, SPREAD)
    curve, spent = [], 0.0
    for generation in range(generations):
        candidates = mean + deviation * random.standard_normal((POPULATION, WEIGHTS))
        scores = list(pool.map(score, [list(map(float, each)) for each in candidates]))
        returns, spent = np.array([each[0] for each in scores]), spent + sum(each[1] for each in scores)
        best = candidates[np.argsort(-returns)[:ELITE]]
        mean = best.mean(axis=0)
        deviation = best.std(axis=0) + EXTRA * (1.0 - generation / generations)
        curve.append(
            {
                'generation': generation,
                'mean': float(returns.mean()),
                'best': float(returns.max()),
                'processor_s': spent,
            }
        )
        print(json.dumps(curve[-1]), flush=True)
    return mean, curve


def summary(results: list[tuple[float, float, bool]]) -> dict[str, float]:
    """Return means over the test episodes."""
    returns, times, successes = (np.array(column, dtype=float) for column in zip(*results, strict=True))
    return {'return': float(returns.mean()), 'time_s': float(times.mean()), 'success': float(successes.mean())}


def plot(result: dict[str, Any], file: Path) -> None:
    """Write the learning curve."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    minutes = [row['processor_s'] / 120.0 for row in result['curve']]
    figure, axes = plt.subplots(figsize=(7.0, 3.6), layout='constrained')
    axes.plot(minutes, [row['best'] for row in result['curve']], '.-', label='best candidate, training')
    axes.plot(minutes, [row['mean'] for row in result['curve']], '.-', label='mean of 8 candidates, training')
    for name, style in (('scripted', '--'), ('learned', '-')):
        value = result['test'][name]['return']
        axes.axhline(
            value, color='black', linestyle=style, linewidth=1.0, label=f'{name}, 20 test episodes: {value:.2f}'
        )
    axes.set_xlabel('processor time of two cores [min]')
    axes.set_ylabel('return of an episode')
    axes.legend(loc='upper left', bbox_to_anchor=(0.02, 0.94), fontsize=8)
    figure.savefig(file, dpi=110)


def main() -> None:
    """Train, test, and write ``policy.json`` and ``curve.png``."""
    parser = argparse.ArgumentParser(description='Train a policy for Regolith/DriveToGoal-v0.')
    parser.add_argument('--out', type=Path, default=Path('learning'), help='Folder of the results.')
    parser.add_argument('--generations', type=int, default=10)
    parser.add_argument('--processes', type=int, default=2)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(options.processes, mp_context=context) as pool:
        weights, curve = train(pool, options.generations)
        jobs = {'scripted': None, 'learned': list(map(float, weights))}
        tests = {
            name: summary(list(pool.map(test, [(job, seed) for seed in TEST_SEEDS]))) for name, job in jobs.items()
        }
    result = {'weights': jobs['learned'], 'curve': curve, 'test': tests}
    (options.out / 'policy.json').write_text(json.dumps(result, indent=1) + '\n', encoding='utf-8')
    plot(result, options.out / 'curve.png')
    print(json.dumps(tests))


if __name__ == '__main__':
    main()
