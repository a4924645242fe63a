# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith compare``: compare runs on one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from regolith_files import CommandContext, InputError, Problem


def compare(
    context: typer.Context,
    runs: Annotated[list[Path], typer.Argument(metavar='RUN RUN...', help='Run folders with bags.')],
    out: Annotated[Path, typer.Option(metavar='FILE', help='Page to write.')] = Path('compare.html'),
) -> None:
    """Compare runs on one page: paths, histories, results, and the first cycle in which they differ."""
    from regolith_bringup.commands.recordings import open_recording
    from regolith_bringup.report.compare import write_comparison

    if len(runs) < 2:
        raise InputError(Problem('compare', '', 'needs at least two runs', 'two run folders or more', str(runs[0])))
    if out.is_dir() or not out.resolve().parent.is_dir():
        problem = 'is a folder' if out.is_dir() else 'its folder does not exist'
        raise InputError(Problem('compare', '--out', problem, 'the path of a new or existing file', str(out)))
    for run in runs:
        open_recording('compare', run)
    tools: CommandContext = context.obj
    try:
        with tools.progress('compare') as tick:
            lines = write_comparison(runs, out, tick)
    except OSError as error:
        problem = f'cannot be written: {error.strerror}'
        raise InputError(Problem('compare', '--out', problem, 'a writable file', str(out))) from None
    for line in lines:
        print(line, file=sys.stderr)
    print(out)
