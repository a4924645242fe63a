# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith new``: write template files that are ready to run."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from regolith_files import InputError, Problem, allowed_names

FILES = {'scenario': ('scenario.yaml',), 'vehicle': ('vehicle.yaml', 'vehicle.xml'), 'sensor': ('sensor.yaml',)}
_TEMPLATES = resources.files('regolith_bringup') / 'templates' / 'new'
_SCHEMAS = resources.files('regolith_bringup') / 'schemas'


def new(
    kind: Annotated[str, typer.Argument(metavar='scenario|vehicle|sensor', help='Kind of file.')],
    name: Annotated[str, typer.Argument(metavar='NAME', help='Name of the new files, e.g. NAME.yaml.')],
    folder: Annotated[Path, typer.Option('--out', metavar='DIR', help='Folder to write to.')] = Path('.'),
) -> None:
    """Write template files of a scenario, vehicle or sensor, and print their paths."""
    if kind not in FILES:
        raise InputError(Problem('new', '', 'is unknown', allowed_names(FILES, kind), kind))
    if not re.fullmatch(r'[a-z][a-z0-9_]{0,63}', name) or name.endswith('_') or '__' in name:
        allowed = 'lower-case letters, digits and single underscores, a letter first'
        raise InputError(Problem(f'new {kind}', '', 'is not a name', allowed, name))
    paths = [folder / f'{name}{Path(file).suffix}' for file in FILES[kind]]
    if taken := [path for path in paths if path.exists()]:
        raise InputError(Problem(f'new {kind}', '', f'{taken[0]} exists', 'another name, or --out DIR', name))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, file in zip(paths, FILES[kind]):
            text = Template((_TEMPLATES / file).read_text(encoding='utf-8'))
            path.write_text(text.substitute(name=name, schema=_SCHEMAS / f'{kind}.json'), encoding='utf-8')
    except OSError as error:
        problem, allowed = f'cannot be written: {error.strerror}', 'a writable folder'
        raise InputError(Problem(f'new {kind}', '', problem, allowed, str(folder))) from None
    print('\n'.join(map(str, paths)))
