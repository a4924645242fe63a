# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith comms …``: make the tile graph of a scenario's ground, look where a radio is heard."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regolith_files.problems import InputError, Problem, one_of, shown

if TYPE_CHECKING:
    from regolith_bringup.scenario.schema import Scenario

comms_app = typer.Typer(help='Who hears whom: tile graphs of open ground, coverage.', no_args_is_help=True)

ScenarioArgument = Annotated[str, typer.Argument(help='Path of a scenario YAML, or name of one that ships.')]
SetOption = Annotated[
    list[str] | None, typer.Option('--set', metavar='KEY=VALUE', help='Change one value, e.g. comms.tile_m=15.')
]
SeedOption = Annotated[int | None, typer.Option('--seed', metavar='N', help='Seed of everything random.', min=0)]


@comms_app.command('build-graph')
def build_graph(
    scenario: ScenarioArgument,
    out: Annotated[Path, typer.Option(metavar='DIR', help='Folder to write to.')] = Path('comms'),
    settings: SetOption = None,
    seed: SeedOption = None,
) -> None:
    """Write NAME.dot and NAME.dat of a scenario's ground, which comms.graph and comms.grid can name, and a picture."""
    from regolith_bringup.commands.progress import tile_progress
    from regolith_bringup.scenario.participants import site_of
    from regolith_comms.plots import graph_picture
    from regolith_comms.site_graph import height_map, make_pair, write_pair

    loaded = _with_radios(scenario, [*(settings or ()), 'comms.graph=null', 'comms.grid=null'], seed)
    config, site = loaded.comms, site_of(loaded)
    _check_folder(out)
    with tile_progress('tile graph') as progress:
        graph, grid = make_pair(config, site, progress)
    paths = write_pair(graph, grid, out, loaded.name)
    picture = out / f'{loaded.name}_graph.png'
    graph_picture(height_map(config, site), graph, config, site).savefig(picture, dpi=130)
    for path in (*paths, picture):
        print(path)


@comms_app.command('coverage')
def coverage(
    scenario: ScenarioArgument,
    sender: Annotated[str, typer.Option('--from', metavar='NAME', help='Vehicle, where it starts, or station.')],
    breadcrumbs: Annotated[
        list[str] | None, typer.Option('--at-breadcrumbs', metavar='X,Y', help='One for each, on the ground [m].')
    ] = None,
    size: Annotated[int, typer.Option('--bytes', metavar='N', help='Payload.', min=0, max=1500)] = 100,
    out: Annotated[Path, typer.Option(metavar='DIR', help='Folder to write to.')] = Path('comms'),
    settings: SetOption = None,
    seed: SeedOption = None,
) -> None:
    """Draw the probability that a datagram of a radio arrives, over the ground: NAME_FROM_coverage.png."""
    from regolith_bringup.scenario.participants import site_of
    from regolith_comms.coverage import coverage_map
    from regolith_comms.plots import coverage_picture

    loaded = _with_radios(scenario, settings or [], seed)
    radios = sorted({*loaded.vehicles, *loaded.comms.stations})
    if sender not in radios:
        raise InputError(Problem('comms coverage', '--from', 'no such radio', one_of(radios, sender), sender))
    places = [_place(text) for text in breadcrumbs or ()]
    _check_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f'{loaded.name}_{sender}_coverage.png'
    coverage_picture(coverage_map(loaded.comms, site_of(loaded), sender, places, size)).savefig(path, dpi=130)
    print(path)


def _check_folder(out: Path) -> None:
    if os.path.exists(out) and not out.is_dir():
        raise InputError(Problem(f'--out {out}', '', 'is not a folder', 'a folder'))


def _with_radios(name: str, settings: list[str], seed: int | None) -> Scenario:
    """Return a scenario; where it has no radios, as if all its vehicles carried the default one."""
    from regolith_bringup.scenario.loading import load_scenario

    scenario = load_scenario(name, settings, seed=seed).scenario
    if (scenario.model_extra or {}).get('comms') is None:
        scenario = load_scenario(name, [*settings, 'comms={}'], seed=seed).scenario
    return scenario


def _place(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(','))
    except ValueError:
        problem = Problem('--at-breadcrumbs', '', 'is not a place', 'X,Y [m], e.g. 12.5,-3', shown(text))
        raise InputError(problem) from None
    return x, y
