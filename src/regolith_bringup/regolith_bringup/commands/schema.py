# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith schema``: JSON Schemas of the configuration files, for editors and other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from regolith_files import InputError, Problem, allowed_names


def schema(
    kind: Annotated[str | None, typer.Argument(metavar='KIND', help='Kind of file. Default: list the kinds.')] = None,
    out: Annotated[Path | None, typer.Option(metavar='FILE', help='Write to this file. Default: stdout.')] = None,
) -> None:
    """Print the JSON Schema of a kind of configuration file: scenario, vehicle, sensor, tire, soil and others.

    An editor completes and validates a YAML file that names its schema: `# yaml-language-server: $schema=FILE`.
    """
    from regolith_bringup.commands.file_schemas import file_kinds, json_schema

    if kind is None:
        for name, each in file_kinds().items():
            print(f'{name:<16}{each.about}')
        return
    if kind not in file_kinds():
        raise InputError(Problem('schema', '', 'is not a kind of file', allowed_names(file_kinds(), kind), kind))
    text = json.dumps(json_schema(kind), indent=1) + '\n'
    if out is None:
        print(text, end='')
        return
    try:
        out.write_text(text, encoding='utf-8')
    except OSError as error:
        problem = f'cannot be written: {error.strerror}'
        raise InputError(Problem('schema', '--out', problem, 'the path of a file', str(out))) from None
    print(out)
