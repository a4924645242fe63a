#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Train a policy for environment Regolith/DriveToGoal-v0 by the cross-entropy method, and compare it with a script.

The policy has ten weights: forward speed and yaw rate are each tanh of a linear function of features of the bearing
of the goal. The cross-entropy method draws candidates from a normal distribution and fits the distribution to the best
of them. NumPy is enough for this, so no library for learning is needed.

    python3 examples/learning/train_drive_to_goal.py --out learning      about fifteen minutes on two cores

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

POPULATION, ELITE = 12, 3
EPISODES = 2
"""Number of episodes of each candidate, the same for all candidates of a generation."""
TRAINING_STEPS = 150
"""Number of steps after which an episode of the training ends."""
SPREAD = 1.0, 0.05
"""Initial standard deviation of the weights, and the one that is added in each generation, decreasing linearly."""
TEST_SEEDS = tuple(range(1000, 1020))

_env: Any = None


def features(observation: dict[str, Any]) -> Floats:
    """Return 1 and the first two harmonics of the bearing of the goal, shape (5,)."""
    ahead, left = observation['state'][:2]
    bearing = math.atan2(float(left), float(ahead))
    return np.array([1.0, math.cos(bearing), math.sin(bearing), math.cos(2.0 * bearing), math.sin(2.0 * bearing)])


def learned(weights: Floats) -> Policy:
    """Return the policy with ten weights."""
    matrix = weights.reshape(2, 5)
    return lambda observation: np.tanh(matrix @ features(observation))


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

        _env = gymnasium.make('regolith_bringup.gym:Regolith/DriveToGoal-v0')
    return _env


def episode(policy: Policy, seed: int, max_steps: int = 600) -> tuple[float, float, bool]:
    """Return the sum of rewards, the time [s] and the success of an episode."""
    env = environment()
    observation, _ = env.reset(seed=seed)
    total, steps, over, info = 0.0, 0, False, {'is_success': False}
    while not over and steps < max_steps:
        observation, reward, terminated, truncated, info = env.step(policy(observation).astype(np.float32))
        total, steps, over = total + reward, steps + 1, terminated or truncated
    return total, 0.1 * steps, bool(info['is_success'])


def score(job: tuple[list[float], list[int]]) -> tuple[float, float]:
    """Return the mean return of a candidate over episodes, and the processor time [s]: its weights and their seeds."""
    weights, seeds = job
    begin = time.process_time()
    returns = [episode(learned(np.array(weights)), seed, TRAINING_STEPS)[0] for seed in seeds]
    return float(np.mean(returns)), time.process_time() - begin


def test(job: tuple[list[float] | None, int]) -> tuple[float, float, bool]:
    """Return the result of :func:`episode` for a candidate, or for the baseline if it is None."""
    weights, seed = job
    return episode(scripted if weights is None else learned(np.array(weights)), seed)


def train(pool: ProcessPoolExecutor, generations: int) -> tuple[Floats, list[dict[str, float]]]:
    """Return the mean weights at the end, and the results of each generation."""
    random = np.random.default_rng(1)
    mean, deviation = np.zeros(10), np.full(10, SPREAD[0])
    curve, spent = [], 0.0
    for generation in range(generations):
        candidates = mean + deviation * random.standard_normal((POPULATION, 10))
        seeds = [EPISODES * generation + k for k in range(EPISODES)]
        scores = list(pool.map(score, [(list(map(float, each)), seeds) for each in candidates]))
        returns, spent = np.array([each[0] for each in scores]), spent + sum(each[1] for each in scores)
        best = candidates[np.argsort(-returns)[:ELITE]]
        mean = best.mean(axis=0)
        deviation = best.std(axis=0) + SPREAD[1] * SPREAD[0] * (1.0 - generation / generations) * 4.0
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
    axes.plot(minutes, [row['best'] for row in result['curve']], '.-', label='best candidate, 2 training episodes')
    axes.plot(minutes, [row['mean'] for row in result['curve']], '.-', label='mean of 12 candidates')
    for name, style in (('scripted', '--'), ('learned', '-')):
        value = result['test'][name]['return']
        axes.axhline(
            value, color='black', linestyle=style, linewidth=1.0, label=f'{name}, 20 test episodes: {value:.2f}'
        )
    axes.set_xlabel('processor time of two cores [min]')
    axes.set_ylabel('return of an episode')
    axes.legend(loc='lower right', fontsize=8)
    figure.savefig(file, dpi=110)


def main() -> None:
    """Train, test, and write ``policy.json`` and ``curve.png``."""
    parser = argparse.ArgumentParser(description='Train a policy for Regolith/DriveToGoal-v0.')
    parser.add_argument('--out', type=Path, default=Path('learning'), help='Folder of the results.')
    parser.add_argument('--generations', type=int, default=12)
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
