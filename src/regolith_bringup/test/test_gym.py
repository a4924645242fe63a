# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the Gymnasium environments (section 2.4 of the specification)."""

from __future__ import annotations

import hashlib
import importlib
import math
import sys
import time
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from regolith_bringup.gym import RegolithEnv, SharedWorldVectorEnv, registration
from regolith_bringup.run.simulation import Simulation
from regolith_vehicles.commands import DriveCommand

NAMES = ('DriveToGoal', 'Dig', 'Berm', 'SlipControl', 'DriveToGoalCamera')
TURN = np.array([0.5, 0.5], np.float32)


@pytest.fixture(scope='module')
def env() -> RegolithEnv:
    made = gymnasium.make('Regolith/DriveToGoal-v0').unwrapped
    assert isinstance(made, RegolithEnv)
    return made


def digest(observation: dict[str, Any]) -> str:
    """Return a hash of all bits of an observation."""
    return hashlib.sha256(b''.join(observation[name].tobytes() for name in sorted(observation))).hexdigest()


def drive(env: Any, seed: int | None, steps: int = 4, rest: float = 0.0) -> list[str]:
    """Return the hashes of the observations of a reset and of some steps."""
    observation, _ = env.reset(seed=seed)
    found = [digest(observation)]
    for k in range(steps):
        action = np.full(env.action_space.shape, 0.5 - rest * k, np.float32)
        found.append(digest(env.step(action)[0]))
    return found


@pytest.mark.parametrize('name', [NAMES[0], *(pytest.param(n, marks=pytest.mark.slow) for n in NAMES[1:])])
def test_2_4_environment_passes_gymnasiums_check(name: str) -> None:
    check_env(gymnasium.make(f'Regolith/{name}-v0').unwrapped, skip_render_check=True)


def test_2_4_equal_seeds_and_actions_give_bit_identical_observations(env: RegolithEnv) -> None:
    first = drive(env, 7)
    state = env.state_hash
    assert drive(env, 7) == first and env.state_hash == state
    assert drive(env, 8) != first
    # Another second action changes what follows, but not what was before.
    other = drive(env, 7, rest=0.5)
    assert other[:2] == first[:2] and other[2] != first[2]


def test_2_4_reset_after_reset_equals_reset(env: RegolithEnv) -> None:
    once = digest(env.reset(seed=3)[0])
    following = digest(env.reset()[0])
    assert following != once
    assert digest(env.reset(seed=3)[0]) == once
    env.step(TURN)
    assert digest(env.reset()[0]) == following


def test_2_4_reset_takes_under_20_ms_of_processor_time(env: RegolithEnv) -> None:
    taken = []
    for _ in range(5):
        begin = time.process_time()
        env.reset(seed=3)
        taken.append(time.process_time() - begin)
    # Measured: 4 ms. The least of five is not disturbed by other processes.
    assert min(taken) < 0.02


def test_2_4_restored_checkpoint_repeats_the_episode(env: RegolithEnv) -> None:
    env.reset(seed=5)
    env.step(TURN)
    saved = env.checkpoint()
    after = [env.step(TURN) for _ in range(3)]
    other = env.step(-TURN)
    assert digest(env.restore(saved)) != digest(after[0][0])
    again = [env.step(TURN) for _ in range(3)]
    assert [(digest(o), r, info) for o, r, _, _, info in again] == [(digest(o), r, info) for o, r, _, _, info in after]
    # The future after a checkpoint is free: other actions are not compared with those before.
    env.restore(saved)
    env.step(-TURN)
    assert digest(other[0]) not in [digest(o) for o, *_ in again]


def test_reward_of_a_drive_is_progress_less_energy_and_time(env: RegolithEnv) -> None:
    options = {'position': (0.0, 0.0), 'heading_deg': 0.0, 'goal': (1.5, 0.0)}
    observation, _ = env.reset(seed=1, options=options)
    np.testing.assert_allclose(observation['state'][:2], (1.5, 0.0), atol=1e-6)  # float32
    rewards, info, over = [], {'energy_kj': 0.0}, False
    before = math.hypot(*observation['state'][:2].tolist())
    while not over:
        observation, reward, over, _, info = env.step(np.array([1.0, 0.0], np.float32))
        rewards.append(reward)
    after = math.hypot(*observation['state'][:2].tolist())
    assert info['is_success'] and after < 0.5
    expected = before - after - 0.1 * info['energy_kj'] - 0.01 * len(rewards) + 10.0
    assert sum(rewards) == pytest.approx(expected, abs=1e-5)  # rounding of float32 observations
    assert 0.02 < info['energy_kj'] < 0.5


def test_start_pose_is_at_rest_on_the_soil(env: RegolithEnv) -> None:
    env.reset(seed=11, options={'position': (2.0, 1.0), 'heading_deg': 30.0})
    before = env.simulation.observe('rover').base.position
    env.step(np.zeros(2, np.float32))
    moved = env.simulation.observe('rover').base.position - before
    # Static sinkage is 0.02 m; without it the rover would fall or jump by as much.
    assert np.abs(moved).max() < 5e-3


def test_invalid_values_are_refused(env: RegolithEnv) -> None:
    env.reset(seed=1)
    with pytest.raises(ValueError, match='2 finite numbers'):
        env.step(np.array([math.nan, 0.0], np.float32))
    with pytest.raises(ValueError, match='allowed: 0 to 0'):
        env.reset(options={'variant': 1})
    with pytest.raises(ValueError, match='allowed: rgb_array'):
        gymnasium.make('Regolith/DriveToGoal-v0', render_mode='human', disable_env_checker=True)
    with pytest.raises(ValueError, match='control_s'):
        gymnasium.make('Regolith/DriveToGoal-v0', control_s=0.0)
    with pytest.raises(ValueError, match='factor of wheel'):
        env.simulation.act('rover', DriveCommand(0.1, wheels={'front': 0.5}))
    with pytest.raises(ValueError, match=r'allowed: 0 to 1'):
        env.simulation.act('rover', DriveCommand(0.1, wheels={'front_left': 1.5}))
    with pytest.raises(ValueError, match='below the ground'):
        low = env.simulation.pose_on_ground('rover', 1.0, 1.0, 0.0)
        low.position[2] -= 1.0
        env.simulation.move('rover', low)


def test_vehicle_with_another_driver_takes_no_actions() -> None:
    simulation = Simulation.load('two_rovers')
    with pytest.raises(ValueError, match=r'vehicles.amber.driver.type = path: .* allowed: external'):
        simulation.act('amber', DriveCommand(0.1))


def test_missing_gymnasium_is_reported_with_its_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'gymnasium', None)
    with pytest.raises(ImportError, match=r"pip install 'regolith-sim\[gym\]'"):
        importlib.reload(registration)


def test_2_4_shared_world_resets_at_the_step_after_the_end() -> None:
    envs = SharedWorldVectorEnv(2, max_episode_steps=2)
    first, _ = envs.reset(seed=2)
    assert envs.observation_space.contains(first)
    assert not np.array_equal(first['state'][0, :2], first['state'][1, :2])
    actions = np.full((2, 2), 0.5, np.float32)
    assert not envs.step(actions)[3].any()
    last, rewards, terminated, truncated, infos = envs.step(actions)
    assert truncated.all() and not terminated.any() and rewards.all()
    assert infos['energy_kj'].shape == (2,)
    begun, rewards, _, truncated, _ = envs.step(actions)
    # The action is ignored, the reward is 0, and the goal is that of the next episode.
    assert not rewards.any() and not truncated.any()
    assert np.abs(begun['state'][:, 4]).max() < 0.02 < np.abs(last['state'][:, 4]).min()
    assert not envs.step(actions)[3].any() and envs.step(actions)[3].all()
    again, _ = envs.reset(seed=2)
    assert digest(again) == digest(first)


@pytest.mark.slow
def test_2_4_synchronous_and_asynchronous_vectors_are_bit_identical() -> None:
    makers = [
        lambda: gymnasium.make('regolith_bringup.gym.registration:Regolith/DriveToGoal-v0', max_episode_steps=3)
    ] * 2
    results = []
    for kind, arguments in ((SyncVectorEnv, {}), (AsyncVectorEnv, {'context': 'spawn'})):
        envs = kind(makers, **arguments)
        found = [digest(envs.reset(seed=4)[0])]
        for _ in range(6):  # beyond the end of an episode
            observation, reward, *_ = envs.step(np.full((2, 2), 0.5, np.float32))
            found += [digest(observation), reward.tobytes()]
        envs.close()
        results.append(found)
    assert results[0] == results[1]


@pytest.mark.slow
@pytest.mark.parametrize('name', NAMES[:4])
def test_2_4_a_thousand_random_steps_stay_finite(name: str) -> None:
    env = gymnasium.make(f'Regolith/{name}-v0')
    env.action_space.seed(1)
    env.reset(seed=1)
    for _ in range(1000):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert math.isfinite(reward) and all(np.isfinite(values).all() for values in observation.values())
        assert env.observation_space.contains(observation)
        if terminated or truncated:
            env.reset()


@pytest.mark.slow
def test_2_4_scripted_policy_reaches_the_goal_in_nine_of_ten_episodes() -> None:
    env = gymnasium.make('Regolith/DriveToGoal-v0')
    reached = 0
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        over, info = False, {}
        while not over:
            bearing = math.atan2(float(observation['state'][1]), float(observation['state'][0]))
            turn = abs(bearing) > 0.3
            action = [0.0, math.copysign(1.0, bearing)] if turn else [1.0, min(max(3.0 * bearing, -1.0), 1.0)]
            observation, _, terminated, truncated, info = env.step(np.array(action, np.float32))
            over = terminated or truncated
        reached += info['is_success']
    assert reached >= 9


@pytest.mark.slow
def test_variants_differ_and_are_selected_by_seed_or_option() -> None:
    env = gymnasium.make('Regolith/DriveToGoal-v0', variants=((), ('terrain.soil=chrono_sandmid', 'seed=9'))).unwrapped
    chosen = {seed: env.reset(seed=seed)[1]['variant'] for seed in range(8)}
    assert set(chosen.values()) == {0, 1}
    options = {'position': (0.0, 0.0), 'heading_deg': 0.0, 'goal': (3.0, 0.0)}
    heights = [env.reset(seed=1, options={**options, 'variant': k})[0]['heights'] for k in (0, 1)]
    assert not np.array_equal(*heights)


@pytest.mark.slow
def test_camera_sees_the_ruts_and_the_render_the_rover() -> None:
    env = gymnasium.make('Regolith/DriveToGoalCamera-v0', render_mode='rgb_array')
    options = {'position': (0.0, 0.0), 'heading_deg': 0.0, 'goal': (-4.0, 0.0)}
    first = env.reset(seed=1, options=options)[0]['image']
    for _ in range(60):
        env.step(np.array([-1.0, 0.0], np.float32))
    for _ in range(20):
        env.step(np.zeros(2, np.float32))
    tracks = env.reset(seed=1, options={**options, 'position': (-2.4, 0.0)})[0]['image']
    assert first.shape == (45, 80, 1) and first.std() > 2.0
    assert env.reset(seed=1, options=options)[0]['image'].tobytes() == first.tobytes()
    assert tracks.tobytes() != first.tobytes()
    assert env.render().shape == (640, 960, 3)
