# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Resimulation of a recorded run from a checkpoint, compared with the recording cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from regolith_bringup.bag.comparison import CycleContent, cycles
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.schema import Scenario
from regolith_world import load_section
from regolith_world.checkpoint import Checkpoint, read_checkpoint
from regolith_world.cycle import CycleResult


@dataclass(frozen=True)
class ResimulationResult:
    """Result of a resimulation."""

    from_s: float
    """Time of the checkpoint [s], 0 for the start of the run."""
    to_s: float
    """End of the compared time span [s]."""
    cycles: int
    """Number of equal cycles."""
    difference: str
    """First difference as text, '' if there is none."""


def resimulate(
    folder: Path, from_s: float = 0.0, tick: Callable[[int, int], None] = lambda done, of: None
) -> ResimulationResult:
    """Compute a run again in one process, unrecorded, with its recorded inputs.

    Args:
        folder: Run folder with a bag.
        from_s: Start at the last checkpoint at or before this time [s].
        tick: Progress callback (done, total) in simulated milliseconds.

    Returns:
        Compared span and first difference.

    Raises:
        ValueError: If a checkpoint cannot be read, or the run cannot be repeated. The message states the reason.
    """
    if (folder / 'bag_1').exists():
        raise ValueError('the run was rewound, so its recording is in several bags; allowed: runs without a rewind')
    scenario = load_section(folder / 'scenario.yaml', '', Scenario)
    simulation = Simulation(scenario)
    world = simulation.world
    inputs: dict[str, dict[int, bytes]] = {name: {} for name in simulation.participants}
    """Latched inputs of each participant for the next cycle."""
    for name, participant in simulation.participants.items():
        participant.replay_inputs = inputs[name]
    world.hold()
    start = _checkpoint(folder, from_s)
    if start is not None:
        simulation.go_to(start)
        for name, participant in simulation.participants.items():
            participant.replay_inputs = inputs[name]
        world.hold()
    first, end_ns, same = world.t_ns, round(scenario.duration_s * 1e9), 0
    for spoken in cycles(folder):
        if spoken.number < world.cycle:
            continue
        for name, result in spoken.results.items():
            if name not in inputs:
                raise ValueError(f'{name!r} was added during the run; allowed: runs without spawned objects')
            inputs[name].clear()
            inputs[name][spoken.number] = bytes(result.live_inputs)
        world.step(end_ns)
        if words := _difference(spoken, world.last_results, world.t_ns):
            return ResimulationResult(first * 1e-9, world.t_ns * 1e-9, same, words)
        same += 1
        tick(round((world.t_ns - first) * 1e-6), round((end_ns - first) * 1e-6))
    if not same:
        raise ValueError(f'its bag contains no cycle after {first * 1e-9:g} s; allowed: a recorded run')
    return ResimulationResult(first * 1e-9, world.t_ns * 1e-9, same, '')


def _checkpoint(folder: Path, from_s: float) -> Checkpoint | None:
    """Return the last checkpoint of a run at or before a time [s], or None."""
    found = [read_checkpoint(path.parent) for path in sorted((folder / 'checkpoints').glob('t*/manifest.json'))]
    before = [each for each in found if 0 < each.t_ns <= round(from_s * 1e9)]
    return max(before, key=lambda each: each.t_ns, default=None)


def _difference(spoken: CycleContent, results: Mapping[str, CycleResult], t_ns: int) -> str:
    """Return the difference of a cycle as text, '' if there is none."""
    where = f'cycle {spoken.number} at {spoken.cycle.t_ns * 1e-9:.3f} s'
    ended = int(spoken.cycle.t_ns + spoken.cycle.dt_ns)
    if t_ns != ended:
        return f'{where}: it ended at {ended * 1e-9:.6f} s, and now at {t_ns * 1e-9:.6f} s'
    for name in sorted(spoken.results):
        then = spoken.results[name].state_hash
        now = results[name].state_hash if name in results else 'none'
        if then != now:
            return f'{where}: {name}: state hash {then[:16]} recorded, {now[:16]} computed'
    return ''
