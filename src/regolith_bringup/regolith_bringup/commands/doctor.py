# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith doctor``: list installed software, selected back ends and problems."""

from __future__ import annotations

import typer

from regolith_bringup.commands.options import JsonOption
from regolith_files import CommandContext


def doctor(
    context: typer.Context,
    as_json: JsonOption = False,
) -> None:
    """List installed software, the selected back ends with reasons, and problems that prevent a run, with fixes."""
    from regolith_bringup.run.doctor import diagnose

    tools: CommandContext = context.obj
    with tools.progress('doctor') as tick:
        tick(0, 0)
        findings = diagnose()
    if as_json:
        tools.print_json(findings)
    else:
        for group in ('versions', 'backends', 'health'):
            print(group)
            for key, value in findings[group].items():
                print(f'  {key:<22} {value}')
        for problem in findings['problems']:
            print(f'PROBLEM: {problem}')
    if findings['problems']:
        raise typer.Exit(1)
