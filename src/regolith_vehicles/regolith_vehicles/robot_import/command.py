# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith vehicle …``: import of robots from URDF, xacro and SDF files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from regolith_files import InputError, Problem

vehicle = typer.Typer(help='Import robots as vehicles.', no_args_is_help=True)


@vehicle.callback()
def group() -> None:
    """Import robots as vehicles."""


@vehicle.command('import')
def import_robot(
    robot: Annotated[Path, typer.Argument(metavar='ROBOT', help='URDF, xacro or SDF file of the robot.')],
    out: Annotated[Path, typer.Option('--out', metavar='DIR', help='New folder to write to.')],
    wheels: Annotated[
        str, typer.Option('--wheels', metavar='A,B,...', help='Joints or links of the driven wheels. Default: found.')
    ] = '',
    differential: Annotated[
        str, typer.Option('--differential', metavar='LEFT,RIGHT', help='Rocker joints with opposite angles.')
    ] = '',
    ball_casters: Annotated[
        str, typer.Option('--ball-casters', metavar='A,B,...', help='Links of balls that roll; fixed in the file.')
    ] = '',
    limits: Annotated[
        list[str] | None,
        typer.Option(
            '--limits',
            metavar='JOINT=EFFORT,SPEED',
            help="Maximum effort [N m, N] and speed [rad/s, m/s] of motors, e.g. '*_wheel_joint=8,10'; repeatable.",
        ),
    ] = None,
    from_geometry: Annotated[
        bool, typer.Option('--inertia-from-geometry', help='Compute missing or impossible inertias from the shapes.')
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option('--skip-missing-meshes', help='Leave out visual meshes whose files do not exist.')
    ] = False,
    package: Annotated[
        list[str] | None, typer.Option('--package', metavar='NAME=DIR', help='Folder of a package; may be repeated.')
    ] = None,
    arg: Annotated[
        list[str] | None, typer.Option('--arg', metavar='NAME=VALUE', help='Argument of xacro; may be repeated.')
    ] = None,
) -> None:
    """Write the MJCF file, the vehicle file and a page of all guesses for a robot, and print their paths."""
    from regolith_vehicles.robot_import.converter import convert, parse_pairs, write_folder
    from regolith_vehicles.robot_import.options import ImportOptions

    sides = _names(differential)
    if differential and len(sides) != 2:
        raise InputError(Problem('--differential', '', 'does not name two joints', 'LEFT,RIGHT', repr(differential)))
    options = ImportOptions(
        _names(wheels),
        (sides[0], sides[1]) if sides else None,
        _names(ball_casters),
        {name: _two_numbers(name, text) for name, text in parse_pairs('--limits', limits).items()},
        from_geometry,
        skip_missing,
        {name: Path(folder) for name, folder in parse_pairs('--package', package).items()},
        parse_pairs('--arg', arg),
    )
    made = convert(robot, options)
    write_folder(made, out)
    for note in made.notes:
        print(note, file=sys.stderr)
    named = '' if wheels else '; if not: --wheels A,B,...'
    print(f'driven wheels: {", ".join(made.wheels)}{named}', file=sys.stderr)
    for name in made.files:
        if not name.startswith('meshes/'):
            print(out / name)


def _names(text: str) -> tuple[str, ...]:
    """Return the names of an option ``A,B,...``."""
    return tuple(name.strip() for name in text.split(',') if name.strip())


def _two_numbers(name: str, text: str) -> tuple[float, float]:
    """Return the numbers of an option ``NAME=A,B``."""
    try:
        values = [float(word) for word in text.split(',')]
    except ValueError:
        values = []
    if len(values) != 2 or not all(0.0 < value < 1e12 for value in values):
        raise InputError(Problem('--limits', name, 'are not two numbers above 0', 'EFFORT,SPEED', repr(text)))
    return values[0], values[1]
