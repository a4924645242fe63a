# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Elevation model of a scenario: validation, crop to the required area, lunar detail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource
from regolith_sensors.config import scenario_sensors
from regolith_sensors.inertial import OriginPlace
from regolith_terrain import RectangleConfig, TerrainConfig
from regolith_vehicles import ConstantDriverConfig, PathDriverConfig, waypoints_of
from regolith_vehicles.drivers import TasksDriverConfig
from regolith_world import out_of_bounds

if TYPE_CHECKING:
    from regolith_terrain import RasterField
    from regolith_terrain.elevation import ElevationGrid

WHOLE_MODEL_POSTS = 4_000_000
"""Elevation models with more posts are read only within reach of vehicles and sensors."""
FASTEST_MPS = 20.0
"""Speed used to estimate the reach of a vehicle without a given path [m/s]."""
_BEYOND_M = 100.0
"""Margin read beyond the reach of vehicles, independent of sensor ranges [m]."""
_LUNAR_GRAVITY_MPS2 = (1.5, 1.75)
_GRAVITY_MPS2 = {'moon': _LUNAR_GRAVITY_MPS2, 'earth': (9.7, 9.9)}
"""Lower and upper limit of the gravity of each body [m/s^2]."""
_BODIES = {'moon': 'the Moon', 'earth': 'the Earth'}
NARROWEST_M = 1.0
"""Minimum side length of an elevation model [m], set by the size of a small rover."""

Box = tuple[float, float, float, float]


TURN_NOTED_DEG = 1.0
"""Convergence of a map from which on it is noted: 1.7 m at 100 m."""


def resolved_model(scenario: Scenario, source: YamlSource) -> TerrainConfig:
    """Return the terrain with the window and the detail of its elevation model filled in.

    Implausible properties of the model are added to ``source`` as warnings, added detail as a note.

    Args:
        scenario: Checked scenario.
        source: Scenario file, for messages.

    Raises:
        InputError: If the model or the tile list cannot be used, or a position is outside the model.
    """
    terrain = scenario.terrain
    if terrain.has_tiles:
        from regolith_terrain.tiles import read_tunnels

        read_tunnels(terrain.source)
    if not terrain.has_elevation_model:
        return terrain
    from regolith_terrain import build_height_field, open_configured_model, read_elevation_model
    from regolith_terrain.elevation import height_statistics, unusual_heights

    try:
        grid = open_configured_model(terrain)
        terrain = terrain.model_copy(update={'window': _window(scenario, grid, source)})
        model = read_elevation_model(terrain)
        terrain = terrain.model_copy(update={'detail': _detail(scenario, model)})
        field = build_height_field(terrain, scenario.seed)
    except (ValueError, OSError) as error:
        allowed = 'heights in meters on a metric grid'
        raise source.wrap(('terrain', 'source'), error, allowed, scenario.terrain.source) from None
    width, height = (side * n for side, n in zip((model.spacing, model.spacing_across), model.posts.shape, strict=True))
    if min(width, height) < NARROWEST_M:
        problem = f'is a site of {width:.3g} x {height:.3g} m, narrower than a vehicle'
        allowed = f'at least {NARROWEST_M:g} m; fix: set post_spacing_m if the post spacing is not in meters'
        raise source.error(('terrain', 'source'), problem, allowed, terrain.source)
    as_stored = height_statistics(model.posts.T[::-1], model.spacing)
    for problem, fix in unusual_heights(as_stored, model.spacing, _first_post(terrain, grid)):
        source.warn(('terrain', 'source'), problem, fix, terrain.source)
    if terrain.site is not None and model.body not in (None, terrain.site.body):
        known = model.body in _BODIES
        problem = f'is not the body of the elevation model, {model.body if known else "which is another one"}'
        allowed = model.body if known else 'no terrain.site with this model'
        raise source.error(('terrain', 'site', 'body'), problem, str(allowed), terrain.site.body)
    for key, (x, y) in _places(scenario):
        if allowed := out_of_bounds(field, x, y):
            if scenario.terrain.window is not None:
                allowed += '; fix: set terrain.window around it, or leave it out'
            raise source.error(key, 'is outside the elevation model', allowed, [x, y])
    _note_turn(terrain, grid, source)
    if getattr(field, 'detail', None) is not None:
        _note_detail(terrain, source)
    _compare_gravity(scenario, model.body, source)
    return terrain


def origin_place(scenario: Scenario) -> OriginPlace | None:
    """Return the geodetic position of the scenario origin, or None if it is not defined.

    This is ``terrain.site``, else the center of a georeferenced elevation model and its height there. Heights of maps
    of the Earth often refer to the geoid. They are used unchanged, although they differ from ellipsoidal heights by up
    to 105 m.
    """
    terrain = scenario.terrain
    if terrain.site is not None:
        site = terrain.site
        return OriginPlace(site.latitude_deg, site.longitude_deg, site.altitude_m, site.body, _bearing(scenario))
    if not terrain.has_elevation_model:
        return None
    from regolith_terrain import open_configured_model, read_elevation_model
    from regolith_terrain.elevation import celestial_body, local_frame

    grid = open_configured_model(terrain)
    frame, body = local_frame(grid, terrain.center, terrain.north), celestial_body(grid.crs)
    if frame.latitude_deg is None or frame.longitude_deg is None or body is None:
        return None
    datum = read_elevation_model(terrain).datum
    return OriginPlace(frame.latitude_deg, frame.longitude_deg, datum, body, _bearing(scenario))


def _bearing(scenario: Scenario) -> float:
    """Return the bearing of +y, clockwise from true north [deg], which is 0 unless the axes are those of a map."""
    terrain = scenario.terrain
    if not terrain.has_elevation_model or terrain.north == 'true':
        return 0.0
    from regolith_terrain import open_configured_model
    from regolith_terrain.elevation import local_frame

    return local_frame(open_configured_model(terrain), terrain.center, 'true').grid_north_deg


def _detail(scenario: Scenario, model: RasterField) -> Any:
    """Return the detail of a scenario without ``terrain.detail``: highlands on the Moon, none on other bodies.

    A map without a body is taken as a map of the Moon if gravity is lunar.
    """
    low, high = _LUNAR_GRAVITY_MPS2
    lunar = model.body == 'moon' or (model.body is None and low < scenario.world.gravity_mps2 < high)
    given = scenario.terrain.detail
    return given if given is not None or lunar else 'none'


def _compare_gravity(scenario: Scenario, body: str | None, source: YamlSource) -> None:
    """Warn if the gravity of the world is that of another body than the elevation model.

    Args:
        scenario: Checked scenario.
        body: Body of the elevation model, None if unknown.
        source: Scenario file, for messages.
    """
    gravity = scenario.world.gravity_mps2
    other = next((name for name, (low, high) in _GRAVITY_MPS2.items() if low < gravity < high), None)
    if body in _BODIES and other not in (None, body):
        problem = f'is the gravity of {_BODIES[other]}, but terrain.source is a map of {_BODIES[body]}'
        fix = f'set world.gravity_mps2 to that of {_BODIES[body]}, or ignore this if the combination is intended'
        source.warn(('world', 'gravity_mps2'), problem, fix, gravity)


def note_sight(scenario: Scenario, source: YamlSource) -> None:
    """Note how far vehicle sensors can see beyond the edge of the elevation model, at the start positions.

    Args:
        scenario: Resolved scenario.
        source: Scenario file, for messages.
    """
    if not scenario.terrain.has_elevation_model:
        return
    seeing = {sensor.vehicle for sensor in scenario_sensors(scenario) if sensor.kind.sees}
    if not seeing:
        return
    from regolith_terrain import read_elevation_model

    sight = sight_m(scenario)
    west, east, south, north = read_elevation_model(scenario.terrain).extent
    starts = [scenario.vehicles[name].position for name in sorted(seeing)]
    beyond_m = max(sight - min(x - west, east - x, y - south, north - y) for x, y in starts)
    if beyond_m > 0.0:
        problem = f'sensors see up to {beyond_m:.0f} m beyond the model, where its last heights continue without rocks'
        fix = f'use a model that reaches light.view_range_m = {sight:g} m around the vehicles, or lower that range'
        source.warn(('terrain', 'source'), problem, fix, scenario.terrain.source, 'note')


def _note_turn(terrain: TerrainConfig, grid: ElevationGrid, source: YamlSource) -> None:
    """Note that the axes of the map are turned against those of the world, which makes the usable square smaller."""
    from regolith_terrain.elevation import local_frame

    turn = local_frame(grid, terrain.center, terrain.north).grid_north_deg
    if abs(turn) > TURN_NOTED_DEG:
        problem = f'the axes of the map are turned by {abs(turn):.1f} degrees against x (east) and y (north)'
        fix = 'set terrain.north: grid for the axes of the map'
        source.warn(('terrain', 'source'), problem, fix, terrain.source, 'note')


def _note_detail(terrain: TerrainConfig, source: YamlSource) -> None:
    detail = terrain.detail_between_posts
    assert detail is not None
    what = ['texture', *(['craters'] if detail.craters else []), *(['rocks'] if terrain.has_rocks else [])]
    problem = f'lunar detail of {detail.preset!r} is added between the posts: {", ".join(what)}'
    source.warn(('terrain', 'source'), problem, 'terrain.detail: none leaves it out', terrain.source, 'note')


def _window(scenario: Scenario, grid: ElevationGrid, source: YamlSource) -> RectangleConfig | None:
    """Return the part of the model that is read: as configured, all of a small model, or the required area."""
    terrain = scenario.terrain
    if terrain.window is not None or grid.rows * grid.cols <= WHOLE_MODEL_POSTS:
        return terrain.window
    from regolith_terrain.elevation import local_frame, rectangle_window

    west, south, east, north = needed(scenario)
    r0, r1, c0, c1 = rectangle_window(
        grid, local_frame(grid, terrain.center, terrain.north), (west, south, east, north)
    )
    if (r1 - r0, c1 - c0) == (grid.rows, grid.cols):
        return None
    problem = f'{c1 - c0} x {r1 - r0} of {grid.cols} x {grid.rows} posts are read, within reach of vehicles and sensors'
    fix = 'set terrain.window for another part'
    source.warn(('terrain', 'source'), problem, fix, terrain.source, 'note')
    return RectangleConfig(low=(west, south), high=(east, north))


def _first_post(terrain: TerrainConfig, grid: ElevationGrid) -> tuple[int, int]:
    """Return row and column of the first post that is read, as counted in the file."""
    if terrain.window is None:
        return 0, 0
    from regolith_terrain.elevation import local_frame, rectangle_window

    part = (*terrain.window.low, *terrain.window.high)
    first_row, _, first_column, _ = rectangle_window(grid, local_frame(grid, terrain.center, terrain.north), part)
    return first_row, first_column


def needed(scenario: Scenario) -> Box:
    """Return west, south, east and north limits of the area that vehicles reach and sensors see [m].

    The limits are rounded outwards to 10 m. A vehicle without a given path is assumed to drive straight at 20 m/s or at
    the speed of its constant twist.
    """
    boxes = []
    for entry in scenario.vehicles.values():
        x, y = entry.position
        driver, reach = entry.driver, 0.0
        if isinstance(driver, ConstantDriverConfig):
            reach = abs(driver.speed_mps) * scenario.duration_s
        elif not isinstance(driver, (PathDriverConfig, TasksDriverConfig)):
            reach = FASTEST_MPS * scenario.duration_s
        way = [(x, y), *waypoints_of(driver).values()]
        boxes += [(px - reach, py - reach, px + reach, py + reach) for px, py in way]
    points = [(pose.position[0], pose.position[1]) for pose in scenario.named_poses.values()]
    points += [(obstacle.position[0], obstacle.position[1]) for obstacle in scenario.obstacles.values()]
    points += [end for profile in scenario.terrain.profiles.values() for end in (profile.start, profile.end)]
    for region in scenario.terrain.regions:
        low, high = region.region().bounds()
        points += [(float(low[0]), float(low[1])), (float(high[0]), float(high[1]))]
    half = 0.5 * scenario.terrain.map_size_m
    boxes += [(-half, -half, half, half), *((float(x), float(y), float(x), float(y)) for x, y in points)]
    margin = max(_BEYOND_M, sight_m(scenario))
    west, south = (min(box[k] for box in boxes) - margin for k in (0, 1))
    east, north = (max(box[k] for box in boxes) + margin for k in (2, 3))
    most = 1e6
    west, south = (max(-most, 10.0 * math.floor(v / 10.0)) for v in (west, south))
    east, north = (min(most, 10.0 * math.ceil(v / 10.0)) for v in (east, north))
    return west, south, east, north


def sight_m(scenario: Scenario) -> float:
    """Return the maximum distance at which sensors of a scenario see terrain [m], or 0 without such sensors."""
    return scenario.light.view_range_m if any(entry.sensors for entry in scenario.vehicles.values()) else 0.0


def _places(scenario: Scenario) -> Iterator[tuple[KeyPath, tuple[float, float]]]:
    """Yield the keys of all positions on the terrain, with their values."""
    for name, entry in scenario.vehicles.items():
        yield ('vehicles', name, 'position'), entry.position
        for key, point in waypoints_of(entry.driver).items():
            yield ('vehicles', name, 'driver', *key), point
