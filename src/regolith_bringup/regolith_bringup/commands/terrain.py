# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith terrain …``: describe, make and import terrain."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regolith_files import InputError, Problem, allowed_names, as_yaml_text

if TYPE_CHECKING:
    from regolith_terrain import StageProgress

terrain_app = typer.Typer(help='Describe, make and import terrain.', no_args_is_help=True)

SetOption = Annotated[
    list[str] | None,
    typer.Option('--set', metavar='KEY=VALUE', help='Set one key of the scenario, e.g. terrain.spacing_m=0.05.'),
]
SeedOption = Annotated[int | None, typer.Option('--seed', metavar='N', help='Seed of all random numbers.', min=0)]
JsonOption = Annotated[bool, typer.Option('--json', help='Print the result as one JSON value on stdout.')]
SCENARIO_SPACING_M = 0.1
PRESET_SPACING_M = 1.0
PRESET_SIZE_M = 1000.0

OutOption = Annotated[Path, typer.Option(metavar='DIR', help='New or empty folder to write to.')]


PostSpacingOption = Annotated[
    float | None, typer.Option(metavar='M', help='Post spacing [m] of files that do not state it.', min=1e-3)
]
NodataOption = Annotated[float | None, typer.Option(metavar='X', help='Stored value of posts without data.')]
HeightScaleOption = Annotated[float | None, typer.Option(metavar='M', help='Scale of the stored values [m].', min=1e-9)]
CenterOption = Annotated[
    str | None,
    typer.Option(metavar='LAT,LON|X,Y', help='Center: degrees, or map coordinates [m]. Default: that of the model.'),
]
HeightOffsetOption = Annotated[float, typer.Option(metavar='M', help='Offset of the scaled values [m].')]


@terrain_app.command('info')
def terrain_info(
    scenario: Annotated[
        str, typer.Argument(help='Scenario (path or name), or elevation model (GeoTIFF, PDS3, .npy, …).')
    ],
    settings: SetOption = None,
    seed: SeedOption = None,
    post_spacing: PostSpacingOption = None,
    nodata: NodataOption = None,
    height_scale: HeightScaleOption = None,
    height_offset: HeightOffsetOption = 0.0,
) -> None:
    """Print heights and slopes of a scenario, or size, position and heights of an elevation model, as JSON."""
    if Path(scenario).suffix.lower() not in ('', '.yaml', '.yml'):
        from regolith_terrain.elevation import StoredValues, describe_elevation_model

        if settings or seed is not None:
            raise InputError(Problem('terrain info', '--set, --seed', 'apply to scenarios', 'without a model file'))
        with _bad_input('terrain info'):
            values = StoredValues(nodata, height_scale, height_offset)
            print(json.dumps(describe_elevation_model(Path(scenario), post_spacing, values), indent=1))
        return
    stated = {'--post-spacing': post_spacing, '--nodata': nodata, '--height-scale': height_scale}
    for option in (option for option, value in stated.items() if value is not None):
        raise InputError(Problem('terrain info', option, 'applies to model files', 'without a scenario'))
    from regolith_bringup.commands.terrain_files import ground_figures
    from regolith_bringup.scenario.loading import load_scenario

    print(json.dumps(ground_figures(load_scenario(scenario, settings or (), seed=seed).scenario), indent=1))


@terrain_app.command('make')
def terrain_make(
    scenario: Annotated[str | None, typer.Argument(help='Scenario whose terrain is written; or use --preset.')] = None,
    preset: Annotated[str | None, typer.Option(metavar='NAME', help='Terrain preset: mare, highland or polar.')] = None,
    out: OutOption = Path('terrain'),
    size: Annotated[
        float | None,
        typer.Option(
            metavar='M', help='Side length of the square [m]. Default: 1000; of a scenario its map.', min=1.0, max=1e5
        ),
    ] = None,
    spacing: Annotated[
        float | None,
        typer.Option(metavar='M', help='Post spacing [m]. Default: 1; 0.1 for a scenario.', min=0.01, max=1e3),
    ] = None,
    center: Annotated[str, typer.Option(metavar='X,Y', help='Center of the square [m].')] = '0,0',
    min_rock_diameter: Annotated[
        float | None, typer.Option(metavar='M', help='Smallest rock in the catalog [m]. Default: SIZE / 5000.')
    ] = None,
    settings: SetOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write terrain as a GeoTIFF for terrain.source, with a hillshade and, for a preset, a rock catalog."""
    if (scenario is None) == (preset is None):
        raise InputError(Problem('terrain make', '', 'needs a scenario or --preset', 'one of the two'))
    if scenario is not None:
        from regolith_bringup.commands.terrain_files import write_ground
        from regolith_bringup.scenario.loading import load_scenario

        if min_rock_diameter is not None:
            raise InputError(Problem('terrain make', '--min-rock-diameter', 'applies to presets', 'without a scenario'))
        given = load_scenario(scenario, settings or (), seed=seed).scenario
        with _bad_input('terrain make'):
            about = write_ground(given, out, spacing or SCENARIO_SPACING_M, size, _pair('--center', center))
        _tell_files(out, about, as_json, [about['heights'], about['hillshade']])
        return
    from regolith_terrain import GridWindow, write_lunar_ground
    from regolith_terrain.lunar import LunarField, RockField, load_preset, preset_names

    if preset not in preset_names():
        allowed = allowed_names(preset_names(), preset)
        raise InputError(Problem('terrain make', '--preset', 'no such preset', allowed, str(preset)))
    if settings:
        raise InputError(Problem('terrain make', '--set', 'changes scenarios', 'without --preset', settings[0]))
    rocks = RockField(LunarField(seed or 0, load_preset(str(preset))))
    side = size if size is not None else PRESET_SIZE_M
    least = min_rock_diameter if min_rock_diameter is not None else side / 5000.0
    with _bad_input('terrain make'), _progress() as progress:
        nodes = GridWindow.around(_pair('--center', center), side, spacing or PRESET_SPACING_M)
        about = write_lunar_ground(rocks, nodes, out, least_rock_m=least, progress=progress)
    _tell_files(out, about, as_json)


@terrain_app.command('import')
def terrain_import(
    file: Annotated[Path, typer.Argument(help='GeoTIFF, PDS3 .LBL or .IMG, .npy or gray image.')],
    center: CenterOption = None,
    size: Annotated[
        float | None,
        typer.Option(metavar='M', help='Side length of the square [m]. Default: the whole model.', min=1.0),
    ] = None,
    out: OutOption = Path('terrain'),
    upsample: Annotated[
        float | None, typer.Option(metavar='M', help='Post spacing of generated detail [m].', min=0.01)
    ] = None,
    preset: Annotated[str, typer.Option(metavar='NAME', help='Terrain preset of the detail.')] = 'highland',
    post_spacing: PostSpacingOption = None,
    nodata: NodataOption = None,
    height_scale: HeightScaleOption = None,
    height_offset: HeightOffsetOption = 0.0,
    north: Annotated[
        str, typer.Option(metavar='true|grid', help='Direction of +y: true north or grid north.')
    ] = 'true',
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write part of an elevation model in a local metric frame, for terrain.source."""
    from regolith_terrain.elevation import ImportRequest, StoredValues, import_elevation_model
    from regolith_terrain.lunar import preset_names

    for option, value, allowed in (('--preset', preset, preset_names()), ('--north', north, ('true', 'grid'))):
        if value not in allowed:
            raise InputError(Problem('terrain import', option, 'is unknown', allowed_names(allowed, value), value))
    place = _pair('--center', center) if center is not None else None
    with _bad_input('terrain import'), _progress() as progress:
        values = StoredValues(nodata, height_scale, height_offset)
        request = ImportRequest(file, place, size, post_spacing, north, upsample, preset, seed or 0, values)
        about = import_elevation_model(request, out, progress)
    _tell_files(out, about, as_json)


@terrain_app.command('illumination')
def terrain_illumination(
    file: Annotated[Path, typer.Argument(help='Elevation model of the site, with a lunar reference system.')],
    start: Annotated[str, typer.Option('--from', metavar='UTC', help='Start of the period, e.g. 2026-11-21T12:00Z.')],
    days: Annotated[float, typer.Option(metavar='D', help='Duration of the period.', min=0.01, max=7000.0)] = 365.25,
    step: Annotated[float, typer.Option(metavar='H', help='Time step [h].', min=0.01, max=1000.0)] = 2.0,
    center: CenterOption = None,
    size: Annotated[
        float | None,
        typer.Option(metavar='M', help='Side length of the square [m]. Default: the largest on the model.', min=1.0),
    ] = None,
    farther: Annotated[
        list[Path] | None,
        typer.Option(metavar='FILE', help='Coarser model around the site; repeat it, finest first.'),
    ] = None,
    height: Annotated[
        float, typer.Option(metavar='M', help='Height of the viewer above the ground [m].', min=0.0, max=1e4)
    ] = 0.0,
    azimuths: Annotated[int, typer.Option(metavar='N', help='Azimuths of the horizon.', min=8, max=3600)] = 360,
    every: Annotated[int, typer.Option(metavar='N', help='Result at every N-th post.', min=1, max=1000)] = 1,
    out: OutOption = Path('illumination'),
    as_json: JsonOption = False,
) -> None:
    """Write sunlit share, longest darkness, permanent shadow and visibility of the Earth around a site."""
    from regolith_bringup.commands.terrain_illumination import IlluminationRequest, write_illumination
    from regolith_sensors import utc_time

    try:
        when = utc_time(start)
    except ValueError:
        allowed = 'ISO 8601, e.g. 2026-11-21T12:00:00Z'
        raise InputError(
            Problem('terrain illumination', '--from', 'is no time', allowed, as_yaml_text(start))
        ) from None
    place = _pair('--center', center) if center is not None else None
    with _bad_input('terrain illumination'), _progress() as progress:
        request = IlluminationRequest(file, place, size, farther or (), when, days, step, height, azimuths, every)
        about = write_illumination(request, out, progress)
    _tell_files(out, about, as_json)


@terrain_app.command('map')
def terrain_map(
    source: Annotated[str, typer.Argument(metavar='SCENARIO|RUN', help='Scenario (path or name), or run folder.')],
    layers: Annotated[
        str, typer.Option(metavar='NAME,…', help='Layers, e.g. slope,cost. Default: all; see the page on terrain.')
    ] = '',
    cell: Annotated[float, typer.Option(metavar='M', help='Width of a cell [m].', min=0.01, max=100.0)] = 0.1,
    size: Annotated[
        float | None, typer.Option(metavar='M', help='Side of the square [m]. Default: terrain.map_size_m.', min=0.1)
    ] = None,
    center: Annotated[str, typer.Option(metavar='X,Y', help='Center of the square [m].')] = '0,0',
    footprint: Annotated[
        float, typer.Option(metavar='M', help='Window of slope and roughness: size of the vehicle [m].', min=0.03)
    ] = 1.0,
    wheel: Annotated[
        float, typer.Option(metavar='M', help='Window of steps: diameter of a wheel [m].', min=0.03)
    ] = 0.5,
    clearance: Annotated[
        float, typer.Option(metavar='M', help='Distance from blocked cells of infinite cost [m].', min=0.0)
    ] = 0.5,
    rock_radius: Annotated[
        float, typer.Option(metavar='M', help='Radius of the disc of rock_area [m].', min=0.03)
    ] = 1.0,
    max_slope: Annotated[float, typer.Option(metavar='DEG', help='Largest slope [deg].', min=0.1, max=89.0)] = 18.0,
    max_step: Annotated[float, typer.Option(metavar='M', help='Largest step [m].', min=1e-3)] = 0.18,
    max_roughness: Annotated[float, typer.Option(metavar='M', help='Largest r.m.s. roughness [m].', min=1e-3)] = 0.07,
    out: OutOption = Path('maps'),
    settings: SetOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write ground truth for planners: heights, slopes, roughness, steps, rocks and traversability, as files."""
    import math

    from regolith_bringup.commands.terrain_maps import MapRequest, check_layers, write_maps
    from regolith_terrain.planning_maps import Limits

    chosen = check_layers([name.strip() for name in layers.split(',') if name.strip()])
    limits = Limits(math.radians(max_slope), max_step, max_roughness)
    windows = footprint, wheel, clearance, rock_radius
    request = MapRequest(source, chosen, cell, size, _pair('--center', center), *windows, limits)
    with _bad_input('terrain map'), _progress() as progress:
        about = write_maps(request, out, settings or (), seed, progress)
    _tell_files(out, about, as_json)


def _pair(option: str, text: str) -> tuple[float, float]:
    """Return two numbers given by a comma-separated text."""
    try:
        first, second = (float(part) for part in text.split(','))
    except ValueError:
        raise InputError(Problem('terrain', option, 'is not two numbers', 'e.g. 12.5,-3', as_yaml_text(text))) from None
    return first, second


@contextlib.contextmanager
def _bad_input(command: str) -> Iterator[None]:
    """Convert errors of the library about a file or folder to input errors."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, OSError) as error:
        raise InputError(_Said(f'{command}: {error}')) from error


class _Said(Problem):
    """Input error with a complete text."""

    def __init__(self, text: str) -> None:
        super().__init__('', '', text, '')

    def __str__(self) -> str:
        return self.problem


@contextlib.contextmanager
def _progress() -> Iterator[StageProgress]:
    """Show progress on stderr within the block."""
    from regolith_bringup.run.progress import progress

    with progress('starting') as show:
        show(0.0, 1.0)
        yield lambda done, what: show(done, 1.0, what)


def _tell_files(folder: Path, about: dict[str, Any], as_json: bool, names: Sequence[str] = ()) -> None:
    """Print the paths of the written files, by default of all files in the folder."""
    if as_json:
        print(json.dumps({'folder': str(folder), **about}, indent=1))
        return
    for path in [folder / name for name in names] or sorted(folder.iterdir()):
        print(path)
