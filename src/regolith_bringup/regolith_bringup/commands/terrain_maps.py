# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth for planners: layers of a scenario's ground, or of the ground at the end of a run, as files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, Problem, allowed_names
from regolith_terrain import StageProgress, build_height_field
from regolith_terrain.elevation import geotiff_profile, new_folder, write_about
from regolith_terrain.grid import SoilGrid
from regolith_terrain.planning_maps import (
    BLOCKED,
    UNKNOWN,
    Limits,
    MapFrame,
    covered_share,
    drive_cost,
    horn_slope,
    occupancy_values,
    places_in_cells,
    plane_fits,
    raster_values,
    surface_from_above,
    traversability,
)
from regolith_vehicles.contact import build_solids

Floats = NDArray[np.float64]

LAYERS: dict[str, str] = {
    'elevation': 'm',
    'ground': 'm',
    'slope': 'deg',
    'slope_3x3': 'deg',
    'roughness_rms': 'm',
    'roughness_max': 'm',
    'step': 'm',
    'rock_any': '',
    'rock_area': '',
    'traversability': '',
    'cost': '',
}
"""Layers and the units of their files."""
_MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class MapRequest:
    """Layers of a square of ground."""

    source: str
    """Scenario (path or name), or run folder."""
    layers: tuple[str, ...]
    cell_m: float
    size_m: float | None
    """Side of the square [m]; None: ``terrain.map_size_m``."""
    center: tuple[float, float]
    footprint_m: float
    """Side of the window of slope and roughness [m]."""
    wheel_m: float
    """Side of the window of steps [m]."""
    clearance_m: float
    """Distance from blocked cells within which the cost is infinite [m]."""
    rock_radius_m: float
    """Radius of the disc of ``rock_area`` [m]."""
    limits: Limits


def check_layers(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of layers, all of them if there are none.

    Raises:
        InputError: If a name is unknown.
    """
    for name in names:
        if name not in LAYERS:
            raise InputError(Problem('terrain map', '--layers', 'is unknown', allowed_names(LAYERS, name), name))
    return tuple(names) or tuple(LAYERS)


def write_maps(
    request: MapRequest, folder: Path, settings: Sequence[str], seed: int | None, progress: StageProgress
) -> dict[str, Any]:
    """Write ``maps.tif``, with one band per layer, ``traversability.pgm`` and ``.yaml`` and ``metadata.json``.

    Heights are those of soil and of rocks and obstacles on it. Vehicles and loose bodies are not part of the maps.

    Args:
        request: What to compute.
        folder: New or empty folder.
        settings: Settings of the scenario; none for a run.
        seed: Seed that replaces that of the scenario; None for a run.
        progress: Progress callback.

    Returns:
        Content of ``metadata.json``.

    Raises:
        InputError: If the source or the size is not valid.
        ValueError: If the folder is not empty.
    """
    progress(0.0, 'ground')
    scenario, grid = _ground(request.source, settings, seed)
    size = request.size_m or scenario.terrain.map_size_m
    count = max(1, round(size / request.cell_m))
    if count * count > _MOST_CELLS:
        problem = f'{count} x {count} cells over {size:g} m are too many'
        raise InputError(Problem('terrain map', '--cell', problem, 'a larger cell, or a smaller square'))
    half = 0.5 * count * request.cell_m
    frame = MapFrame(request.center[0] - half, request.center[1] - half, request.cell_m, (count, count))
    with new_folder(folder) as made:
        layers, classes = _layers(request, scenario, grid, frame, progress)
        progress(0.95, 'files')
        _write_raster(layers, frame, made / 'maps.tif')
        _write_occupancy(occupancy_values(classes), frame, made)
        about = {
            'source': request.source,
            'layers': {name: LAYERS[name] for name in layers},
            'cell_m': request.cell_m,
            'cells': list(frame.shape),
            'origin_m': [frame.x0, frame.y0],
            'footprint_m': request.footprint_m,
            'wheel_m': request.wheel_m,
            'clearance_m': request.clearance_m,
            'rock_radius_m': request.rock_radius_m,
            'limits': {
                'slope_deg': math.degrees(request.limits.slope),
                'step_m': request.limits.step,
                'roughness_m': request.limits.roughness,
            },
            'blocked_share': float(np.mean(classes == BLOCKED)),
        }
        write_about(made / 'metadata.json', about)
    return about


def _ground(source: str, settings: Sequence[str], seed: int | None) -> tuple[Scenario, SoilGrid]:
    """Return the scenario and the ground at its start, or at the end of a run."""
    run = Path(source)
    if not (run / 'scenario.yaml').is_file():
        scenario = load_scenario(source, settings, seed=seed).scenario
        field = build_height_field(scenario.terrain, scenario.seed)
        return scenario, SoilGrid(field, scenario.terrain.spacing_m, scenario.terrain.law)
    if settings or seed is not None:
        raise InputError(Problem('terrain map', '--set, --seed', 'apply to scenarios', 'without a run folder'))
    from regolith_bringup.bag.reading import Bag
    from regolith_sensors.report import replayed_ground

    scenario = load_scenario(run / 'scenario.yaml').scenario
    field = build_height_field(scenario.terrain, scenario.seed)
    return scenario, replayed_ground(Bag(run), SoilGrid(field, scenario.terrain.spacing_m, scenario.terrain.law))


def _layers(
    request: MapRequest, scenario: Scenario, grid: SoilGrid, frame: MapFrame, progress: StageProgress
) -> tuple[dict[str, Floats], NDArray[np.int8]]:
    """Return the layers in the units of their files, and the classes of traversability."""
    x, y = frame.centers()
    seen = scenario.terrain.model_copy(update={'rock_collision': True})
    solids = build_solids(seen, scenario.seed, grid.height_field)
    elevation, _ = surface_from_above(grid, solids, x, y)
    rocky = np.zeros(frame.shape, dtype=bool)
    if {'rock_any', 'rock_area'} & set(request.layers):
        progress(0.2, 'rocks')
        for places in places_in_cells(x, y, frame.cell_m):
            rocky |= surface_from_above(grid, solids, *places)[1]
    progress(0.4, 'slopes')
    fits = plane_fits(elevation, frame.cell_m, request.footprint_m)
    progress(0.7, 'steps')
    steps = plane_fits(elevation, frame.cell_m, request.wheel_m).step
    classes = traversability(fits, steps, request.limits)
    found = {
        'elevation': elevation,
        'ground': grid.levels(x, y),
        'slope': np.degrees(fits.slope),
        'slope_3x3': np.degrees(horn_slope(elevation, frame.cell_m)),
        'roughness_rms': fits.rms,
        'roughness_max': fits.most * np.cos(fits.slope),
        'step': steps,
        'rock_any': rocky.astype(np.float64),
        'rock_area': covered_share(rocky, frame.cell_m, request.rock_radius_m),
        'traversability': np.where(classes == UNKNOWN, np.nan, classes),
        'cost': drive_cost(fits, steps, request.limits, frame.cell_m, request.clearance_m),
    }
    return {name: found[name] for name in request.layers}, classes


def _write_raster(layers: dict[str, Floats], frame: MapFrame, path: Path) -> None:
    import rasterio  # type: ignore[import-untyped,unused-ignore]

    cell, (columns, rows) = frame.cell_m, frame.shape
    corner = rasterio.Affine(cell, 0.0, frame.x0, 0.0, -cell, frame.y0 + rows * cell)
    profile = {**geotiff_profile(rows, columns, corner, 'float32'), 'count': len(layers), 'nodata': math.nan}
    with rasterio.open(path, 'w', **profile) as file:
        for band, (name, layer) in enumerate(layers.items(), 1):
            file.write(raster_values(layer), band)
            file.set_band_description(band, name)
            if LAYERS[name]:
                file.set_band_unit(band, LAYERS[name])


def _write_occupancy(values: NDArray[np.int8], frame: MapFrame, folder: Path) -> None:
    """Write the map of Nav2's map server in mode ``raw``: values 0, 50, 100, and 255 for unknown."""
    columns, rows = frame.shape
    pixels = np.where(values < 0, 255, values).astype(np.uint8).reshape(rows, columns)[::-1]
    head = f'P5\n{columns} {rows}\n255\n'.encode()
    (folder / 'traversability.pgm').write_bytes(head + pixels.tobytes())
    text = (
        f'image: traversability.pgm\nmode: raw\nresolution: {frame.cell_m!r}\n'
        f'origin: [{frame.x0!r}, {frame.y0!r}, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n'
    )
    (folder / 'traversability.yaml').write_text(text, encoding='utf-8')
