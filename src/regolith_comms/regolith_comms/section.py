# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation of the ``comms`` section against the rest of a scenario, and resolution of its defaults.

Kernels are imported on use, since this takes longer than all other checks.
"""

from __future__ import annotations

from typing import Any

from regolith_comms.addresses import BROADCAST, MULTICAST
from regolith_comms.config import CommsConfig
from regolith_comms.radio_config import RADIOS, load_radio
from regolith_files import KeyPath, YamlSource, allowed_names
from regolith_world import ParticipantContext, TerrainSurface, check_name, out_of_bounds


def resolved_comms(config: CommsConfig, site: ParticipantContext, source: YamlSource) -> CommsConfig:
    """Return the resolved section: absolute file paths, stations with heights.

    Args:
        config: Section ``comms``, with validated keys.
        site: Participant context of the scenario.
        source: Scenario file.

    Raises:
        InputError: If the section is invalid; names file, key, value and allowed values.
    """
    _check_names(site, config, source)
    load_radio(RADIOS.find_for_key(('comms', 'radio'), config.radio, source))
    files: dict[str, Any] = {'radio': RADIOS.resolve(('comms', 'radio'), config.radio, source)}
    for key in ('graph', 'grid', 'tiles'):
        name = getattr(config, key)
        files[key] = None if name is None else str(source.find_file(('comms', key), name, 'the path of a file'))
    if config.graph is None and config.tiles is None:
        files['tiles'] = site.tiles
    if (config.graph is None) != (config.grid is None):
        given, missing = ('graph', 'grid') if config.grid is None else ('grid', 'graph')
        allowed = 'both graph and grid, or neither (built from the terrain)'
        raise source.error(('comms', given), f'is given without {missing}', allowed, getattr(config, given))
    if config.tiles is not None and config.graph is not None:
        allowed = 'either tiles, or graph and grid'
        raise source.error(('comms', 'tiles'), 'is given with graph and grid', allowed, config.tiles)
    ground = site.ground()
    stations = {name: _station(name, place, ground, source) for name, place in config.stations.items()}
    config = config.model_copy(update={**files, 'stations': stations})
    if config.graph is not None:
        _check_files(config, site.fingerprint(), source)
    elif config.tiles is not None:
        _check_tiles(config)
    else:
        _check_size(config, site, source)
    return config


def _station(name: str, place: tuple[float, ...], ground: TerrainSurface, source: YamlSource) -> tuple[float, ...]:
    """Return a station's position with its height."""
    x, y = place[:2]
    if allowed := out_of_bounds(ground, x, y):
        raise source.error(('comms', 'stations', name), 'is outside the elevation model', allowed, [x, y])
    return place if len(place) == 3 else (x, y, float(ground.heights(x, y)))


def _check_names(site: ParticipantContext, config: CommsConfig, source: YamlSource) -> None:
    reserved = (BROADCAST, MULTICAST)
    for name in site.vehicles:
        if name in reserved:
            allowed = f'any name but {", ".join(reserved)}, which are addresses'
            raise source.error(('vehicles', name), 'cannot carry a radio', allowed)
    for name in config.stations:
        check_name(name, ('comms', 'stations', name), source, (*site.vehicles, *reserved))
    radios = sorted({*site.vehicles, *config.stations})
    for number, entry in enumerate(config.traffic):
        at: KeyPath = ('comms', 'traffic', number)
        if entry.src not in radios:
            raise source.error((*at, 'src'), 'no such radio', allowed_names(radios, entry.src), entry.src)
        if entry.dst not in (*radios, *reserved) or entry.dst == entry.src:
            allowed = allowed_names([r for r in (*radios, *reserved) if r != entry.src], entry.dst)
            raise source.error((*at, 'dst'), 'is not another radio', allowed, entry.dst)
        if entry.end_s is not None and entry.end_s <= entry.start_s:
            raise source.error((*at, 'end_s'), 'is not after start_s', f'> {entry.start_s}', entry.end_s)
    for number, drop in enumerate(config.breadcrumb_drops):
        if drop.vehicle not in site.vehicles:
            allowed = allowed_names(sorted(site.vehicles), drop.vehicle)
            raise source.error(
                ('comms', 'breadcrumb_drops', number, 'vehicle'), 'no such vehicle', allowed, drop.vehicle
            )
    for vehicle in sorted({drop.vehicle for drop in config.breadcrumb_drops}):
        drops = sum(drop.vehicle == vehicle for drop in config.breadcrumb_drops)
        if drops > config.breadcrumbs_per_vehicle:
            raise source.error(
                ('comms', 'breadcrumbs_per_vehicle'),
                f'is too small: {vehicle!r} drops {drops}',
                f'>= {drops}',
                config.breadcrumbs_per_vehicle,
            )


def _check_files(config: CommsConfig, fingerprint: str, source: YamlSource) -> None:
    """Refuse graph and grid files that cannot be read or do not match the present terrain."""
    from regolith_comms.links.link_model_files import load_model
    from regolith_comms.links.terrain_graph import check_graph_files, signature

    key: KeyPath = ('comms', 'graph')
    try:
        model = load_model(config)
    except ValueError as error:
        raise source.wrap(key, error, 'a tile graph (.dot) and its world grid (.dat)', config.graph) from None
    assert model.graph is not None and model.grid is not None
    try:
        check_graph_files(model.graph, model.grid, signature(fingerprint, config.antenna_height_m, model.radio))
    except ValueError as error:
        allowed = 'files of this terrain (./regolith comms build-graph), or none (built from the terrain)'
        raise source.wrap(key, error, allowed, config.graph) from None


def _check_tiles(config: CommsConfig) -> None:
    """Refuse a tile list that cannot be read, or whose tiles do not form a graph, if the radios need one."""
    from regolith_comms.links.tile_graph_builder import needs_graph
    from regolith_comms.links.tile_list_graph import graph_of_tiles
    from regolith_world.tiles import read_tile_list

    if config.tiles is not None and needs_graph(config):
        graph_of_tiles(read_tile_list(config.tiles))


def _check_size(config: CommsConfig, site: ParticipantContext, source: YamlSource) -> None:
    """Refuse terrain whose graph would have too many tiles."""
    from regolith_comms.links.tile_graph_builder import height_map, needs_graph

    if not needs_graph(config):
        return
    try:
        height_map(config, site)
    except ValueError as error:
        allowed = 'vehicles and stations within the elevation model'
        raise source.wrap(('comms', 'tile_size_m'), error, allowed, config.tile_size_m) from None
