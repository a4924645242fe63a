# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith challenge …``: missions of agents, with scores."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from regolith_files import CommandContext, InputError, Problem

_COMMAND = 'challenge run'

challenge = typer.Typer(help='Run and score mapping agents.', no_args_is_help=True)


@challenge.callback()
def group() -> None:
    """Run and score mapping agents."""


@challenge.command('run')
def run(
    context: typer.Context,
    agent: Annotated[Path, typer.Argument(metavar='AGENT.py', help='Python file of the agent.')],
    scenario: Annotated[str, typer.Option(metavar='NAME', help='lac_lite, lac_qualifier or lac_final.')] = 'lac_lite',
    preset: Annotated[int, typer.Option(metavar='N', help='Number of the ground.')] = 0,
    seed: Annotated[
        str, typer.Option(metavar='N', help='Seed of ground, start and noise; - reads it from standard input.')
    ] = '1',
    evaluation: Annotated[
        bool, typer.Option('--evaluation', help='Hide true poses and semantic images from the agent.')
    ] = False,
    config: Annotated[str, typer.Option(metavar='TEXT', help="Value for the agent's method setup.")] = '',
    agent_user: Annotated[
        str, typer.Option(metavar='USER', help="User whose rights the agent's process has; needs rights to switch.")
    ] = '',
    settings: Annotated[
        list[str] | None, typer.Option('--set', metavar='KEY=VALUE', help='Setting of the scenario; may be repeated.')
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar='DIR', help='Folder of the result. Default: runs/NAME_001.')
    ] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print the scores as one JSON value on stdout.')] = False,
) -> None:
    """Let an agent map the ground around a lander, and score its map.

    Prints the folder of the result last. Status 3: the agent failed; its map is scored as it stood.
    """
    if not agent.is_file():
        raise InputError(Problem(_COMMAND, 'AGENT.py', 'no such file', 'the Python file of an agent', str(agent)))
    if agent_user:
        _check_user(agent_user)
    chosen = {}
    for each in settings or ():
        key, equals, value = each.partition('=')
        if not key or not equals:
            raise InputError(Problem(_COMMAND, '--set', 'is not valid', 'KEY=VALUE', each))
        chosen[key] = value
    number = _seed(sys.stdin.readline().strip() if seed == '-' else seed)

    from regolith_bringup.challenge.challenge_report import write_files
    from regolith_bringup.challenge.mission_run import MissionRun, score_file
    from regolith_bringup.run.progress import progress
    from regolith_bringup.run.run_folder import check_run_folder, new_run_folder
    from regolith_world.numerics import announce_compilation

    if out is not None:
        check_run_folder(out)
    try:
        order = MissionRun(
            scenario, agent, preset, number, config=config, evaluation=evaluation, user=agent_user, settings=chosen
        )
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        problem, _, allowed = str(error).partition('; allowed: ')
        raise InputError(Problem(_COMMAND, '', problem, allowed)) from None
    folder = new_run_folder(scenario, out)
    tools: CommandContext = context.obj
    with announce_compilation(), progress(f'mission {scenario}', quiet=as_json) as tick:
        result = order.run(lambda done, limit: tick(min(round(done), round(limit)), round(limit)))
    scored = score_file(order, result)
    write_files(folder, scored, result.found, result.truth, result.path)
    if as_json:
        tools.print_json(scored)
    else:
        for rules, parts in scored['rules'].items():
            shown = ', '.join(f'{name} {value}' for name, value in parts.items() if name != 'total')
            print(f'{rules}: {parts["total"]} ({shown})')
        print(
            f'{scored["status"]}; {scored["duration_s"]:.0f} s, {scored["distance_m"]:.1f} m, {scored["frames"]} images'
        )
        print(folder)
    if result.status.startswith('failed'):
        raise typer.Exit(3)


@challenge.command('summary')
def summary(
    context: typer.Context,
    folders: Annotated[list[Path], typer.Argument(metavar='DIR…', help='Folders of missions.')],
    planned: Annotated[
        int, typer.Option(metavar='N', help='Number of planned missions. Default: that of the folders.', min=0)
    ] = 0,
    as_json: Annotated[bool, typer.Option('--json', help='Print the result as one JSON value on stdout.')] = False,
) -> None:
    """Print the mean over all planned missions and the sample standard deviation of the total scores."""
    from regolith_bringup.challenge.scores import RULES, statistics

    scored = []
    for folder in folders:
        try:
            scored.append(json.loads((folder / 'score.json').read_text(encoding='utf-8'))['rules'])
        except (OSError, ValueError, KeyError) as error:
            problem, allowed = f'has no scores: {error}', 'a folder of challenge run'
            raise InputError(Problem('challenge summary', 'DIR', problem, allowed, str(folder))) from None
    found = {rules: statistics([each[rules]['total'] for each in scored], planned or len(folders)) for rules in RULES}
    tools: CommandContext = context.obj
    if as_json:
        tools.print_json(found)
    else:
        for rules, values in found.items():
            print(f'{rules}: mean {values["mean"]}, standard deviation {values["stddev"]}')


def _seed(text: str) -> int:
    """Return a seed, checked."""
    try:
        found = int(text)
    except ValueError:
        found = -1
    if not 0 <= found < 2**63:
        raise InputError(Problem(_COMMAND, '--seed', 'is not a seed', 'a whole number from 0', text))
    return found


def _check_user(name: str) -> None:
    """Refuse an unknown user, or one whose rights this process cannot take."""
    import os
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        problem = 'is unknown'
        raise InputError(Problem(_COMMAND, '--agent-user', problem, 'a user of this machine', name)) from None
    if os.geteuid() != 0:
        raise InputError(Problem(_COMMAND, '--agent-user', 'needs the rights of root', 'no --agent-user', name))
