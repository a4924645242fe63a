# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmark of the cycle protocol: cycles per second with idle agents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from regolith_bringup.bench.empty_agent import EmptyAgent
from regolith_bringup.bench.isolated_domain import environment
from regolith_bringup.bench.measured_run import check_timed
from regolith_bringup.run.node_plan import NodeSpec, Parameter
from regolith_bringup.run.node_processes import executable
from regolith_terrain import TerrainConfig, TerrainParticipant, build_height_field
from regolith_terrain.updates import SoilDelta
from regolith_world import World, WorldConfig
from regolith_world.cycle import ParticipantGroup
from regolith_world.numerics import measure_machine_score

AGENTS = (1, 2, 4, 8, 16, 32, 64, 128)
MOST_PROCESSES = 8
"""Maximum number of processes with one agent each. More take longer to start than to run."""
SHARED = 4
"""Number of processes that share the agents."""
CYCLES = 1500
LEAST = 600
"""Minimum number of cycles with many agents. The first hundred or so are slower because all code runs for the first
time."""
_LIMIT_S = 240.0


def cycle_rate(agents: tuple[int, ...] = AGENTS, cycles: int = CYCLES) -> dict[str, Any]:
    """Measure cycles per wall second of world, terrain and n empty agents, for three process layouts.

    The layouts are one process, one process per agent, and shared processes. Each cycle is complete: one Cycle, n
    deltas, their merge, the update, n + 1 results and the state hash. No bag is recorded and no checkpoint is saved.

    Args:
        agents: Numbers n of agents.
        cycles: Number of cycles of each measurement, proportionally fewer for more than 8 agents.

    Returns:
        ``one_process``, ``many_processes`` (up to 8 agents) and ``four_processes`` (from 4 agents), each n (as text) ->
        cycles per wall second. ``machine_score`` is the largest score measured at the same time, see
        :func:`regolith_world.numerics.machine_score.measure_machine_score`.
    """
    found: dict[str, dict[str, float]] = {'one_process': {}, 'many_processes': {}, 'four_processes': {}}
    scores = []
    for n in agents:
        length = max(LEAST, min(cycles, cycles * MOST_PROCESSES // n)) if n > MOST_PROCESSES else cycles
        scores.append(measure_machine_score(1))
        found['one_process'][str(n)] = in_one_process(n, length)
        if n <= MOST_PROCESSES:
            found['many_processes'][str(n)] = in_processes(n, n, length)
        if n >= SHARED:
            found['four_processes'][str(n)] = in_processes(n, SHARED, length)
    return {
        **found,
        'unit': 'cycles per wall second',
        'cycles': cycles,
        'cores': os.cpu_count(),
        'machine_score': max(scores),
        'machine_scores': scores,
    }


def in_one_process(agents: int, cycles: int = CYCLES) -> float:
    """Return the cycle rate of participants that are called as functions."""
    world_config = WorldConfig.model_validate({})
    terrain_config = TerrainConfig.model_validate({'source': 'flat', 'soil': 'lunar_nominal'})
    field = build_height_field(terrain_config, 0)
    group = ParticipantGroup()
    world = World(world_config, bus=group)
    terrain = TerrainParticipant(terrain_config, field, group.receive, lambda update: None)
    group.add(terrain)
    world.admit(terrain.join_request())
    deltas: list[SoilDelta] = []
    for k in range(agents):
        agent = EmptyAgent(
            f'agent{k}', terrain_config, field, world_config.gravity_mps2, group.receive, deltas.append, terrain.grid
        )
        group.add(agent)
        world.admit(agent.join_request())

    def hand_over() -> None:
        for delta in deltas:
            terrain.on_delta(delta)
        deltas.clear()

    group.on_evolved = hand_over
    for _ in range(20):
        world.step()
    started = time.perf_counter()
    for _ in range(cycles):
        world.step()
    return cycles / (time.perf_counter() - started)


def in_processes(agents: int, processes: int, cycles: int = CYCLES) -> float:
    """Return the cycle rate of nodes: world, terrain and several agent processes.

    Args:
        agents: Number of agents.
        processes: Number of processes that share the agents.
        cycles: Number of cycles.

    Raises:
        RuntimeError: If the nodes do not finish, with their output, or if the run has no duration in wall time.
    """
    with tempfile.TemporaryDirectory(prefix='regolith_bench_') as folder:
        scenario = _write_scenario(Path(folder), agents)
        names = [f'agent{k}' for k in range(agents)]
        common: dict[str, Parameter] = {'scenario_file': str(scenario)}
        duration_s = cycles * WorldConfig.model_validate({}).max_step_s
        on_world: dict[str, Parameter] = {
            **common,
            'duration_s': duration_s,
            'real_time_factor': 0.0,
            'run_dir': folder,
        }
        nodes = [
            NodeSpec('regolith_world', 'world_node', 'world', 'regolith', on_world),
            NodeSpec('regolith_terrain', 'terrain_node', 'terrain', 'regolith', common),
        ]
        commands = [[str(executable(node)), *node.arguments()] for node in nodes]
        node = [sys.executable, '-m', 'regolith_bringup.bench.empty_agent_node', str(scenario)]
        commands += [[*node, *names[k::processes]] for k in range(processes)]
        _run(commands, Path(folder))
        outcome = json.loads((Path(folder) / 'world_summary.json').read_text(encoding='utf-8'))
        check_timed(outcome, f'{agents} agents in {processes} processes')
    return float(outcome['cycles'] / outcome['wall_s'])


def _write_scenario(folder: Path, agents: int) -> Path:
    terrain = TerrainConfig.model_validate({'source': 'flat', 'soil': 'lunar_nominal'})
    # The checkpoint period is longer than the run, so that checkpoints are not measured.
    world = WorldConfig.model_validate({'checkpoint_period_s': 1e9})
    content = {
        'name': 'cycle_rate',
        'seed': 0,
        'vehicles': {f'agent{k}': {} for k in range(agents)},
        'world': world.model_dump(mode='json'),
        'terrain': terrain.model_dump(mode='json'),
    }
    path = folder / 'scenario.yaml'
    path.write_text(yaml.safe_dump(content), encoding='utf-8')
    return path


def _run(commands: list[list[str]], folder: Path) -> None:
    """Run the world, which is the first command, together with all others, and stop them when it ends."""
    surroundings = {**environment(), 'ROS_LOG_DIR': str(folder / 'log')}
    printed = folder / 'console.log'
    running: list[subprocess.Popen[bytes]] = []
    try:
        with printed.open('wb') as stream:
            running.extend(
                subprocess.Popen(command, env=surroundings, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL)
                for command in commands
            )
        world = running[0]
        try:
            code = world.wait(_LIMIT_S)
        except subprocess.TimeoutExpired:
            code = -1
        if code != 0:
            tail = printed.read_text(encoding='utf-8', errors='replace')[-2000:]
            raise RuntimeError(f'the cycle rate benchmark failed ({code}):\n{tail}')
        until = time.monotonic() + 3.0
        while any(p.poll() is None for p in running) and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        for process in running:
            process.kill()
            process.wait()
