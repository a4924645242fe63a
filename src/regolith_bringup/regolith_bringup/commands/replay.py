# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith replay``: publish a recorded run, or compute it again and compare."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from regolith_bringup.commands.options import JsonOption, NamespaceOption, parse_end, parse_real_time_factor
from regolith_files import CommandContext, InputError, NoRecordingError, Problem, allowed_names, counted_noun
from regolith_world import run_policy


def replay(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar='RUN', help='Run folder.')],
    begin: Annotated[
        float, typer.Option('--start', metavar='S', help='Start at this simulated time [s].', min=0.0)
    ] = 0.0,
    end: Annotated[
        float | None,
        typer.Option(
            '--end', metavar='S', help='Stop at this simulated time [s]. Default: the end of the run.', min=0.0
        ),
    ] = None,
    branch: Annotated[
        int, typer.Option(metavar='K', help='Replay the part recorded after the K-th rewind.', min=0)
    ] = 0,
    rate: Annotated[str, typer.Option(metavar='X|max', help='Publish at this real-time factor.')] = '1',
    topics: Annotated[
        list[str] | None, typer.Option('--topic', metavar='NAME', help='Publish only this topic; may be repeated.')
    ] = None,
    delay: Annotated[
        float,
        typer.Option(metavar='S', help='Wait this wall time [s] for subscribers before the first message.', min=0.0),
    ] = 1.0,
    resimulate: Annotated[
        bool,
        typer.Option(
            '--resimulate',
            help='Compute the run again from the last checkpoint before --start, and compare the states.',
        ),
    ] = False,
    domain: Annotated[
        str | None, typer.Option('--domain', metavar='N|auto', help='ROS domain to publish in; auto: a free one.')
    ] = None,
    namespace: NamespaceOption = '',
    as_json: JsonOption = False,
) -> None:
    """Publish the topics of a recorded run on its clock, or compute the run again and compare every state.

    Latched messages from before --start are published first. Exit code 3: the resimulated states differ.
    """
    from regolith_bringup.commands.recordings import open_recording

    end = parse_end(end)
    if not math.isfinite(begin + delay):
        problem = 'is not a time'
        raise InputError(Problem('replay', '', problem, 'seconds for --start and --delay', f'{begin:g}, {delay:g}'))
    bag = open_recording('replay', run, branch)
    tools: CommandContext = context.obj
    if resimulate:
        _check_resimulation(
            {'--end': end, '--rate': rate != '1', '--topic': topics, '--branch': branch, '--domain': domain}
        )
        _again(tools, run, begin, as_json)
        return
    from regolith_bringup.run.bag_player import BagPlayer

    speed = parse_real_time_factor(rate, 'replay --rate')
    for name in topics or ():
        if name not in bag.topics:
            raise InputError(Problem('replay', '--topic', 'was not recorded', allowed_names(bag.topics, name), name))
    last = tools.run(run).simulated_s if end is None else end
    if begin > last:
        raise InputError(Problem('replay', '--start', 'is after the end', f'up to {last:g}', f'{begin:g}'))
    to_ns = round(end * 1e9) if end is not None else 2**63 - 1
    with BagPlayer(bag, tuple(topics or ()), domain, namespace) as republisher, tools.progress('replay') as tick:
        print(f'ROS_DOMAIN_ID={os.environ.get("ROS_DOMAIN_ID", "0")}', file=sys.stderr)
        from_ns = round(begin * 1e9)
        span = max(1, round((last - begin) * 1e3))
        count = republisher.publish(
            from_ns=from_ns,
            to_ns=to_ns,
            rate=speed,
            wait_s=delay,
            on_progress=lambda t_ns: tick(min(span, round((t_ns - from_ns) * 1e-6)), span),
        )
    if as_json:
        tools.print_json({'messages': count})
    else:
        print(counted_noun(count, 'message'))


def _check_resimulation(options: Mapping[str, object]) -> None:
    """Refuse options that do not apply to a resimulation, which runs to the end without a real-time factor limit."""
    given = [name for name, value in options.items() if value]
    if given:
        problem = 'does not apply to --resimulate'
        raise InputError(Problem('replay --resimulate', given[0], problem, '--start'))


def _again(tools: CommandContext, run: Path, begin: float, as_json: bool) -> None:
    from regolith_bringup.run.environment_pinning import restart_pinned
    from regolith_bringup.run.resimulation import resimulate as evolve

    restart_pinned(tools.run(run).scenario)
    try:
        with tools.progress('replay') as tick:
            found = evolve(run, begin, tick)
    except (NoRecordingError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        problem, _, allowed = str(error).partition('; allowed: ')
        allowed = allowed or 'a run that can be computed again'
        raise InputError(Problem('replay', '--resimulate', problem, allowed, str(run))) from None
    if as_json:
        tools.print_json(asdict(found))
    else:
        span = f'{counted_noun(found.cycles, "cycle")} from {found.from_s:g} to {found.to_s:g} s'
        words = f'{span}: bit-identical states'
        print(found.difference or words)
    if found.difference:
        raise typer.Exit(run_policy.NODE_FAILED)
