# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith rewind``, ``reset``, ``save_snapshot``, ``list_snapshots``: the past of a world that runs, from another
terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from regolith_bringup.commands.options import DomainOption, JsonOption, NamespaceOption
from regolith_files.extension_points import CommandContext
from regolith_files.problems import InputError, Problem, allowed_names
from regolith_files.section import LONGEST_S

if TYPE_CHECKING:
    from regolith_bringup.run.running_simulation import RunningSimulation


def rewind(
    to: Annotated[str, typer.Argument(metavar='S|NAME', help='Simulated time in seconds, or a moment that was kept.')],
    live: Annotated[
        bool, typer.Option('--live', help='From there on inputs come from outside; else those of then come again.')
    ] = False,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Bring the running world back to its last commit at or before a time, soil, vehicles, sensors and all.

    What follows is recorded into bag_1, bag_2, ... of the run.
    """
    from regolith_bringup.run.running_simulation import RunningSimulation

    with RunningSimulation(domain, namespace) as world:
        response = world.rewind(_place(to, world), live)
        at = f'at {response.t_ns * 1e-9:.3f} s, cycle {response.cycle}'
        state = f'state hash {response.state_hash[:16]}' if response.state_hash else response.message
        print(f'{at}, {state}; recorded from here on: bag_{response.branch}')


def _place(text: str, world: RunningSimulation) -> int | str:
    """Return what a text means: a time [ns], given in seconds, or the name of a moment."""
    try:
        seconds = float(text)
    except ValueError:
        kept = world.list_snapshots()
    else:
        if not 0.0 <= seconds <= LONGEST_S:
            raise InputError(Problem('rewind', '', 'is no time', f'seconds from 0 to {LONGEST_S:g}', text))
        return round(seconds * 1e9)
    if text not in kept.names:
        allowed = allowed_names(['seconds', *kept.names], text)
        raise InputError(Problem('rewind', '', 'is no time and no moment', allowed, text))
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def reset(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Bring the running world back to its beginning: /clock at 0, without what was put into it."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    with RunningSimulation(domain, namespace) as world:
        world.reset()
        print('at the beginning')


def save_snapshot(
    name: Annotated[str, typer.Argument(metavar='NAME', help='Of this moment, for rewind.')],
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Keep this moment of the running world under a name, for rewind and for run --from."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    if not name or _is_number(name):
        problem = 'is taken for a time' if name else 'is no name'
        raise InputError(Problem('keep', '', problem, 'a name that is no number', name))
    with RunningSimulation(domain, namespace) as world:
        kept = world.save_snapshot(name)
        print(f'{kept.name}: at {kept.t_ns * 1e-9:.3f} s, {kept.size_bytes * 1e-6:.1f} MB, {kept.path or "in memory"}')


def list_snapshots(
    context: typer.Context, domain: DomainOption = None, namespace: NamespaceOption = '', as_json: JsonOption = False
) -> None:
    """List the moments that the running world has kept, and as far as it can be brought back."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    tools: CommandContext = context.obj
    with RunningSimulation(domain, namespace) as world:
        found = world.list_snapshots()
    rows = list(zip(found.names, found.t_ns, found.state_hashes, found.paths))
    if as_json:
        listed = [{'name': n, 't_s': t / 1e9, 'state_hash': h, 'path': p} for n, t, h, p in rows]
        tools.print_json({'moments': listed, 'initial_wait_s': found.first_ns / 1e9, 'last_s': found.last_ns / 1e9})
        return
    for name, t_ns, state_hash, _ in rows:
        print(f'{name:<20} {t_ns * 1e-9:10.3f} s  {state_hash[:16]}')
    print(f'back to any time from {found.first_ns * 1e-9:.3f} to {found.last_ns * 1e-9:.3f} s')
