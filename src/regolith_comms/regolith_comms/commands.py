# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith comms …``: the tile graph of a scenario or of a list of tiles, and the coverage of a radio."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from regolith_comms.config import CommsConfig
from regolith_files import CommandContext, InputError, Problem, allowed_names, as_yaml_text
from regolith_world import ParticipantContext

comms = typer.Typer(help='Build tile graphs and plot radio coverage.', no_args_is_help=True)

ScenarioArgument = Annotated[str, typer.Argument(help='Path of a scenario YAML, or name of one that ships.')]
SetOption = Annotated[
    list[str] | None,
    typer.Option('--set', metavar='KEY=VALUE', help='Set one key of the scenario, e.g. comms.tile_size_m=15.'),
]
SeedOption = Annotated[int | None, typer.Option('--seed', metavar='N', help='Seed of all random numbers.', min=0)]


@comms.command('build-graph')
def build_graph(
    context: typer.Context,
    scenario: ScenarioArgument,
    out: Annotated[Path, typer.Option(metavar='DIR', help='Folder to write to.')] = Path('comms'),
    settings: SetOption = None,
    seed: SeedOption = None,
) -> None:
    """Write the tile graph of a scenario: NAME.dot and NAME.dat for comms.graph and comms.grid, and a plot."""
    from regolith_comms.links.tile_graph_builder import build_from_config, height_map, write_graph_files
    from regolith_comms.plots import graph_plot

    tools: CommandContext = context.obj
    absent = [f'comms.{key}=null' for key in ('graph', 'grid', 'tiles')]
    config, site = _with_radios(tools, scenario, [*(settings or ()), *absent], seed)
    if config.tiles is not None:
        allowed = 'a scenario on open terrain; fix: ./regolith comms import-tiles writes the graph of a tile list'
        raise InputError(
            Problem('comms build-graph', 'terrain.source', 'is a tile list', allowed, as_yaml_text(config.tiles))
        )
    _check_folder(out)
    with tools.progress('tile graph') as progress:
        graph, grid = build_from_config(config, site, progress)
    paths = write_graph_files(graph, grid, out, site.name)
    picture = out / f'{site.name}_graph.png'
    graph_plot(height_map(config, site), graph, config, site).savefig(picture, dpi=130)
    for path in (*paths, picture):
        print(path)


@comms.command('import-tiles')
def import_tiles(
    context: typer.Context,
    tiles: Annotated[Path, typer.Argument(help='Tile list: a CSV file with name, type and pose of every tile.')],
    out: Annotated[Path, typer.Option(metavar='DIR', help='Folder to write to.')] = Path('comms'),
    finals: Annotated[bool, typer.Option('--finals', help='Costs of tunnel turns as in the SubT finals.')] = False,
    leave_out: Annotated[
        list[str] | None,
        typer.Option('--leave-out', metavar='TYPE', help="Tile types to leave out, e.g. 'Cave Cap*'; may be repeated."),
    ] = None,
    unconnected: Annotated[
        bool, typer.Option('--allow-unconnected', help='Accept tiles that cannot be reached from the base station.')
    ] = False,
) -> None:
    """Write the tile graph of a list of tiles: NAME.dot and NAME.dat for comms.graph and comms.grid."""
    from regolith_comms.links.tile_graph_builder import write_graph_files
    from regolith_comms.links.tile_list_graph import graph_of_tiles, grid_of_tiles
    from regolith_world.tiles import read_tile_list

    found = read_tile_list(tiles, leave_out or ())
    graph = graph_of_tiles(found, finals=finals, connected=not unconnected)
    _check_folder(out)
    name = tiles.name.removesuffix('.csv').removesuffix('.tiles')
    paths = write_graph_files(graph, grid_of_tiles(found), out, name)
    others = ', '.join(f'{kind} ({number})' for kind, number in found.other.items())
    for note in (*found.notes, *([f'models that are not tiles: {others}'] if others else [])):
        typer.echo(f'note: {tiles}: {note}', err=True)
    for path in paths:
        print(path)


@comms.command('coverage')
def coverage(
    context: typer.Context,
    scenario: ScenarioArgument,
    transmitter: Annotated[
        str, typer.Option(metavar='NAME', help='Transmitter: a vehicle at its start position, or a station.')
    ],
    breadcrumbs: Annotated[
        list[str] | None,
        typer.Option('--breadcrumb', metavar='X,Y', help='Position of a breadcrumb [m]; may be repeated.'),
    ] = None,
    size: Annotated[int, typer.Option('--bytes', metavar='N', help='Payload size [B].', min=0, max=1500)] = 100,
    out: Annotated[Path, typer.Option(metavar='DIR', help='Folder to write to.')] = Path('comms'),
    settings: SetOption = None,
    seed: SeedOption = None,
) -> None:
    """Plot the probability that a datagram of a transmitter is received: NAME_TRANSMITTER_coverage.png."""
    from regolith_comms.coverage import coverage_map
    from regolith_comms.plots import coverage_plot

    config, site = _with_radios(context.obj, scenario, settings or [], seed)
    radios = sorted({*site.vehicles, *config.stations})
    if transmitter not in radios:
        allowed = allowed_names(radios, transmitter)
        raise InputError(Problem('comms coverage', '--transmitter', 'is not a radio', allowed, transmitter))
    places = [_place(text) for text in breadcrumbs or ()]
    _check_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f'{site.name}_{transmitter}_coverage.png'
    coverage_plot(coverage_map(config, site, transmitter, places, size)).savefig(path, dpi=130)
    print(path)


def _check_folder(out: Path) -> None:
    if os.path.exists(out) and not out.is_dir():
        raise InputError(Problem(f'--out {out}', '', 'is not a folder', 'a folder'))


def _with_radios(
    tools: CommandContext, name: str, settings: list[str], seed: int | None
) -> tuple[CommsConfig, ParticipantContext]:
    """Return radios and participant context of a scenario; without radios, all vehicles get the default radio."""
    scenario = tools.scenario(name, settings, seed)
    if getattr(scenario, 'comms', None) is None:
        scenario = tools.scenario(name, [*settings, 'comms={}'], seed)
    return scenario.comms, tools.participant_context(scenario)


def _place(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(','))
    except ValueError:
        problem = Problem('--breadcrumb', '', 'is not a position', 'X,Y [m], e.g. 12.5,-3', as_yaml_text(text))
        raise InputError(problem) from None
    return x, y
