# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A recorded run evolved again from one of its checkpoints, and held against what it was, cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from regolith_bringup.bag.comparison import CycleContent, cycles
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.schema import Scenario
from regolith_world.checkpoint import files
from regolith_world.config import load_section
from regolith_world.cycle.records import CycleResult


@dataclass(frozen=True)
class ResimulationResult:
    """What became of evolving a run again."""

    from_s: float
    """Time of the checkpoint [s]; 0: the beginning."""
    to_s: float
    """Time up to which it was compared [s]."""
    cycles: int
    """Number of cycles that were the same."""
    difference: str
    """Where it was another, in words; '': nowhere."""


def resimulate(
    folder: Path, from_s: float = 0.0, tick: Callable[[int, int], None] = lambda done, of: None
) -> ResimulationResult:
    """Evolve a run again, in one process and unrecorded, on the inputs it had.

    Args:
        folder: of the run, with its bag
        from_s: the last checkpoint at or before it is the start [s]
        tick: progress callback (done, total) in simulated milliseconds

    Raises:
        ValueError: if a checkpoint cannot be read, or the run cannot be repeated, with the reason
    """
    if (folder / 'bag_1').exists():
        raise ValueError('the run was rewound: its past is in several bags; allowed: runs that went straight on')
    scenario = load_section(folder / 'scenario.yaml', '', Scenario)
    simulation = Simulation(scenario)
    world = simulation.world
    inputs: dict[str, dict[int, bytes]] = {name: {} for name in simulation.participants}
    """What each latched in the cycle that comes."""
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
        for name, answer in spoken.answers.items():
            if name not in inputs:
                raise ValueError(f'{name!r} came in mid-run; allowed: runs in which nothing was spawned')
            inputs[name].clear()
            inputs[name][spoken.number] = bytes(answer.live_inputs)
        world.step(end_ns)
        if words := _difference(spoken, world.last_answers, world.t_ns):
            return ResimulationResult(first * 1e-9, world.t_ns * 1e-9, same, words)
        same += 1
        tick(round((world.t_ns - first) * 1e-6), round((end_ns - first) * 1e-6))
    if not same:
        raise ValueError(f'its bag holds no cycle after {first * 1e-9:g} s; allowed: a run that was recorded')
    return ResimulationResult(first * 1e-9, world.t_ns * 1e-9, same, '')


def _checkpoint(folder: Path, from_s: float) -> files.Checkpoint | None:
    """Return the last checkpoint of a run at or before a time [s]; None: there is none."""
    found = [files.read(path.parent) for path in sorted((folder / 'checkpoints').glob('t*/manifest.json'))]
    before = [each for each in found if 0 < each.t_ns <= round(from_s * 1e9)]
    return max(before, key=lambda each: each.t_ns, default=None)


def _difference(spoken: CycleContent, answers: Mapping[str, CycleResult], t_ns: int) -> str:
    """Return in words what was said otherwise of a cycle; '': nothing."""
    where = f'cycle {spoken.number} at {spoken.cycle.t_ns * 1e-9:.3f} s'
    ended = int(spoken.cycle.t_ns + spoken.cycle.dt_ns)
    if t_ns != ended:
        return f'{where}: it ended at {ended * 1e-9:.6f} s, and now at {t_ns * 1e-9:.6f} s'
    for name in sorted(spoken.answers):
        then = spoken.answers[name].state_hash
        now = answers[name].state_hash if name in answers else 'none'
        if then != now:
            return f'{where}: {name}: state hash {then[:16]} then, {now[:16]} now'
    return ''
