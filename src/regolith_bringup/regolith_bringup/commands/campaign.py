# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith campaign``: run many variations of a scenario."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from regolith_bringup.commands.options import JsonOption
from regolith_files import CommandContext, InputError, Problem, counted_noun
from regolith_world import run_policy


def campaign(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar='FILE', help='Campaign file (YAML).')],
    out: Annotated[
        Path | None,
        typer.Option(metavar='DIR', help='New folder, or that of a campaign to continue. Default: runs/FILE.'),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(metavar='N', help='Number of runs in parallel on this machine; 0: one per core.', min=0, max=1024),
    ] = 0,
    scheduler: Annotated[
        str, typer.Option(metavar='ADDRESS', help="Use the workers of a Dask scheduler, e.g. 'tcp://host:8786'.")
    ] = '',
    retry_failed: Annotated[bool, typer.Option('--retry-failed', help='Repeat the runs that failed before.')] = False,
    no_plots: Annotated[bool, typer.Option('--no-plots', help='Draw no plots.')] = False,
    dry_run: Annotated[bool, typer.Option('--dry-run', help='Check and list all runs; start none.')] = False,
    as_json: JsonOption = False,
) -> None:
    """Run many variations of a scenario, and print the folder with the table of results.

    An interrupted campaign continues with the missing runs. If runs fail, the others are completed, the failed runs are
    listed, and the exit code is 3.
    """
    from regolith_bringup.campaign.campaign import discard_failures, open_folder, run_campaign
    from regolith_bringup.campaign.config import load_campaign
    from regolith_bringup.run.environment_pinning import restart_pinned

    tools: CommandContext = context.obj
    if out is not None and out.is_file():
        raise InputError(Problem(f'--out {out}', '', 'is a file', 'a folder'))
    with tools.progress('checking') as tick:
        config, cases = load_campaign(file, tick)
    if dry_run:
        listed = {case.name: case.varied for case in cases}
        if as_json:
            tools.print_json(listed)
        else:
            for name, varied in listed.items():
                print(name, *(f'{key}={value}' for key, value in varied.items()))
        return
    restart_pinned(cases[0].scenario)
    folder = out if out is not None else Path('runs') / file.stem
    done = open_folder(folder, cases, config.record)
    if retry_failed:
        done -= discard_failures(folder, cases)
    count = workers or os.cpu_count() or 1
    where = scheduler or f'{counted_noun(min(count, len(cases)), "process")} on this machine'
    print(f'{counted_noun(len(cases), "run")}, {done} already complete; on {where}', file=sys.stderr)
    with tools.progress(file.stem) as tick:

        def on_run_done(so_far: int, problem: str) -> None:
            tick(so_far - done, len(cases) - done)
            if problem:
                print(problem, file=sys.stderr)

        result = run_campaign(
            folder, cases, recorded=config.record, workers=count, scheduler=scheduler, on_run_done=on_run_done
        )
    if not no_plots:
        from regolith_bringup.campaign.plots import draw_all

        (folder / 'plots').mkdir(exist_ok=True)
        with tools.progress('plots') as tick:
            draw_all(folder / 'plots', result.rows, list(config.vary), tick)
    if result.failures:
        print(f'{len(result.failures)} of {len(cases)} runs failed: {", ".join(result.failures)}', file=sys.stderr)
    if as_json:
        tools.print_json(result.rows)
    else:
        print(folder)
    if result.failures:
        raise typer.Exit(run_policy.NODE_FAILED)
