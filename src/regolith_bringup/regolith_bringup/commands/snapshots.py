# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith snapshot``, ``rewind``, ``reset``: return a running simulation to an earlier time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from regolith_bringup.commands.options import DomainOption, JsonOption, NamespaceOption
from regolith_files import LONGEST_DURATION_S, CommandContext, InputError, Problem, allowed_names

if TYPE_CHECKING:
    from regolith_bringup.run.running_simulation import RunningSimulation

snapshot = typer.Typer(help='Save and list named states of the running simulation, for rewind.', no_args_is_help=True)


def rewind(
    to: Annotated[str, typer.Argument(metavar='S|NAME', help='Simulated time [s], or the name of a snapshot.')],
    live: Annotated[
        bool,
        typer.Option(
            '--live', help='Take new inputs from topics after the rewind. Default: repeat the recorded inputs.'
        ),
    ] = False,
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Return the running simulation to the last commit at or before a time, or to a snapshot.

    All state is restored: soil, vehicles, objects, sensors. Recording continues in bag_1, bag_2, ... of the run.
    """
    from regolith_bringup.run.running_simulation import RunningSimulation

    with RunningSimulation(domain, namespace) as world:
        response = world.rewind(_place(to, world), live)
        at = f'at {response.t_ns * 1e-9:.3f} s, cycle {response.cycle}'
        state = f'state hash {response.state_hash[:16]}' if response.state_hash else response.message
        print(f'{at}, {state}; recording continues in bag_{response.branch}')


def _place(text: str, world: RunningSimulation) -> int | str:
    """Return the time [ns] or the name of a snapshot given by a text."""
    try:
        seconds = float(text)
    except ValueError:
        kept = world.list_snapshots()
    else:
        if not 0.0 <= seconds <= LONGEST_DURATION_S:
            raise InputError(Problem('rewind', '', 'is not a time', f'seconds from 0 to {LONGEST_DURATION_S:g}', text))
        return round(seconds * 1e9)
    if text not in kept.names:
        allowed = allowed_names(['seconds', *kept.names], text)
        raise InputError(Problem('rewind', '', 'is neither a time [s] nor the name of a snapshot', allowed, text))
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def reset(domain: DomainOption = None, namespace: NamespaceOption = '') -> None:
    """Reset the running simulation to t = 0 and remove all objects spawned since."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    with RunningSimulation(domain, namespace) as world:
        world.reset()
        print('reset to t = 0')


@snapshot.command('save')
def save_snapshot(
    name: Annotated[str, typer.Argument(metavar='NAME', help='Name of the snapshot.')],
    domain: DomainOption = None,
    namespace: NamespaceOption = '',
) -> None:
    """Save the state of the running simulation under a name, for rewind and for run --checkpoint."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    if not name or _is_number(name):
        problem = 'would be read as a time' if name else 'is empty'
        raise InputError(Problem('snapshot save', '', problem, 'a name that is not a number', name))
    with RunningSimulation(domain, namespace) as world:
        kept = world.save_snapshot(name)
        print(f'{kept.name}: at {kept.t_ns * 1e-9:.3f} s, {kept.size_bytes * 1e-6:.1f} MB, {kept.path or "in memory"}')


@snapshot.command('list')
def list_snapshots(
    context: typer.Context, domain: DomainOption = None, namespace: NamespaceOption = '', as_json: JsonOption = False
) -> None:
    """List the snapshots of the running simulation and the range of times that rewind can reach."""
    from regolith_bringup.run.running_simulation import RunningSimulation

    tools: CommandContext = context.obj
    with RunningSimulation(domain, namespace) as world:
        found = world.list_snapshots()
    rows = list(zip(found.names, found.t_ns, found.state_hashes, found.paths))
    if as_json:
        listed = [{'name': n, 't_s': t / 1e9, 'state_hash': h, 'path': p} for n, t, h, p in rows]
        tools.print_json({'snapshots': listed, 'first_s': found.first_ns / 1e9, 'last_s': found.last_ns / 1e9})
        return
    for name, t_ns, state_hash, _ in rows:
        print(f'{name:<20} {t_ns * 1e-9:10.3f} s  {state_hash[:16]}')
    print(f'rewindable range: {found.first_ns * 1e-9:.3f} to {found.last_ns * 1e-9:.3f} s')
