# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``vehicles`` section of a scenario, validated with its models and drivers.

Shipped models are known to work on shipped terrain. All others are built once, as their nodes build them. The libraries
needed for this are slow to import and are imported only in this case.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from regolith_bringup.scenario.participant_sections import without_participants
from regolith_bringup.scenario.schema import Scenario
from regolith_files import InputError, KeyPath, PluginError, Problem, YamlSource, allowed_names
from regolith_terrain import RigidTerrainConfig, TerrainConfig, load_soil, soil_names
from regolith_vehicles import (
    VEHICLE_LIBRARY,
    ConstantDriverConfig,
    PathDriverConfig,
    PluginDriverConfig,
    VehicleEntry,
    VehicleModelError,
    known_vehicles,
    load_vehicle_model,
)
from regolith_vehicles.description import CollisionShape, VehicleModelConfig
from regolith_vehicles.drivers import (
    DigConfig,
    DumpConfig,
    ReleaseConfig,
    TasksDriverConfig,
    known_drivers,
    make_driver,
)
from regolith_vehicles.faults import fault_problem
from regolith_vehicles.tools import idle_drums


def resolved_models(scenario: Scenario, source: YamlSource) -> dict[str, str]:
    """Return the model of each vehicle: a known name, or an absolute path.

    Args:
        scenario: Scenario with checked keys.
        source: Scenario file, for error messages.

    Raises:
        InputError: If a vehicle or its driver cannot be built.
    """
    if not (scenario.vehicles or scenario.objects):
        raise source.error(('vehicles',), 'is empty', 'at least one vehicle, as amber: {position: [0, 0]}, or objects')
    _check_prefixes(scenario, source)
    models: dict[str, str] = {}
    built: set[tuple[str, float]] = set()
    reaches: dict[str, float] = {}
    for name, entry in scenario.vehicles.items():
        models[name], config, mjcf = _model(name, entry.model, source)
        _check_spacing(name, config, scenario.terrain, source)
        if entry.traction is not None and not config.wheels:
            raise source.error(('vehicles', name, 'traction'), f'is for wheels, which {name} has not', 'absent')
        if (unknown := fault_problem(entry.faults, config)) is not None:
            dotted, value, devices = unknown
            place = (int(part) if part.isdigit() else part for part in dotted.split('.'))
            raise source.error(
                ('vehicles', name, *place), f'is not a device of {name}', allowed_names(devices, value), value
            )
        as_shipped = isinstance(known_vehicles().get(entry.model), Path) and entry.mass_scale == 1.0
        if not (as_shipped and _soils_ship(scenario.terrain)) and (models[name], entry.mass_scale) not in built:
            _build(name, entry, config, mjcf, scenario, source)
            built.add((models[name], entry.mass_scale))
        reaches[name] = max((shape_reach(shape) for shape in config.collision.shapes), default=0.0)
        if isinstance(entry.driver, (ConstantDriverConfig, PathDriverConfig)) and not follows_commands(config):
            key = ('vehicles', name, 'driver', 'type')
            raise source.error(
                key, f'is for vehicles with a drive, which {name} has not', 'no driver', entry.driver.type
            )
        if isinstance(entry.driver, PluginDriverConfig):
            _check_driver(name, entry.driver, source)
        if isinstance(entry.driver, TasksDriverConfig):
            _check_tasks(name, entry.driver, config, source)
    if scenario.world.contact != 'none':
        _check_room(scenario, models, reaches, source)
    return models


def _check_prefixes(scenario: Scenario, source: YamlSource) -> None:
    """Refuse vehicles whose frames would have the same ids."""
    taken: dict[str, str] = {}
    for name, entry in scenario.vehicles.items():
        prefix = f'{name}/' if entry.frame_prefix is None else entry.frame_prefix
        if prefix in taken:
            problem = f'is already the prefix of {taken[prefix]}, and all transforms are in one tree'
            raise source.error(('vehicles', name, 'frame_prefix'), problem, 'a prefix for each vehicle', prefix)
        taken[prefix] = name


def _model(name: str, model: str, source: YamlSource) -> tuple[str, VehicleModelConfig, Path]:
    """Return name or absolute path of a vehicle model, its content and its MJCF file."""
    target = VEHICLE_LIBRARY.resolve(('vehicles', name, 'model'), model, source)
    return target, *load_vehicle_model(target)


def _with_line(error: VehicleModelError, source: YamlSource | None) -> InputError:
    """Return the error with the line of its key, if it concerns this file."""
    (problem,) = error.problems
    if source is None or Path(problem.where) != source.file:
        return error
    return InputError(replace(problem, where=source.where(_path(problem.key, source))))


def _path(key: str, source: YamlSource) -> KeyPath:
    """Return the path of a dotted key in a vehicle file, where wheels are a list without names."""
    first, *rest = key.split('.')
    wheels = source.data.get('wheels')
    if first == 'wheels' and rest and isinstance(wheels, list):
        names = [wheel.get('name') for wheel in wheels if isinstance(wheel, dict)]
        return (first, names.index(rest[0]), *rest[1:]) if rest[0] in names else (first, *rest)
    return (first, *rest)


def _soils_ship(terrain: TerrainConfig) -> bool:
    shipped = [*(load_soil(name) for name in soil_names()), RigidTerrainConfig()]
    yielding = (region.soil for region in terrain.regions if region.owned() is None)  # no vehicle is placed there
    return all(soil in shipped for soil in (terrain.soil, *yielding))


FINE_ENOUGH = 0.5
"""Maximum ratio of soil grid spacing to the shorter side of a contact patch without a warning [-].

VIPER on smooth wheels (0.25 m wide) sank by 16 mm on grids up to 0.1 m, by 33 mm at 0.2 m and by 58 mm at 0.3 m.
"""


def _contact_patch(config: VehicleModelConfig) -> float:
    """Return the shorter side of the smallest contact patch of a vehicle [m]."""
    if config.running_gear is None:
        return config.smallest_wheel_m
    from regolith_vehicles import contact_patch_width  # imports the kernels of all running gears, which takes long

    return contact_patch_width(config)


def follows_commands(config: VehicleModelConfig) -> bool:
    """Return whether a vehicle follows any command."""
    if config.running_gear is None:
        return True
    from regolith_vehicles import has_drive

    return has_drive(config)


def _check_spacing(name: str, config: VehicleModelConfig, terrain: TerrainConfig, source: YamlSource) -> None:
    """Refuse a soil grid that is coarser than a wheel or shoe. Warn if few grid nodes support it."""
    patch, spacing = _contact_patch(config), terrain.spacing_m
    if not terrain.law.own or spacing <= FINE_ENOUGH * patch:
        return
    if spacing >= patch:
        allowed = (
            f'less than {patch:.3g} m, the shorter side of the contact patch of {name}; at most'
            f' {FINE_ENOUGH * patch:.2g} m for errors of some percent in sinkage and slip'
        )
        raise source.error(('terrain', 'spacing_m'), 'is coarser than a wheel or shoe', allowed, spacing)
    problem = f'is coarse for {name} with a contact patch of {patch:.3g} m: sinkage is up to twice too large'
    source.warn(('terrain', 'spacing_m'), problem, f'at most {FINE_ENOUGH * patch:.2g}', spacing)


def _build(
    name: str, entry: VehicleEntry, config: VehicleModelConfig, mjcf: Path, scenario: Scenario, source: YamlSource
) -> None:
    """Build a vehicle as its agent does and run it briefly on level terrain, to find its problems."""
    from regolith_terrain import FlatField
    from regolith_terrain.grid import SoilGrid
    from regolith_vehicles.agent import SinksInError, Vehicle, test_drive
    from regolith_vehicles.dynamics import VehicleError

    terrain = scenario.terrain
    try:
        with _mujoco_is_quiet():
            vehicle = Vehicle(
                name,
                config,
                mjcf,
                SoilGrid(FlatField(), terrain.spacing_m, terrain.law),
                terrain.soil_map(),
                scenario.world.gravity_mps2,
                terrain.scm_mode,
                entry.mass_scale,
                terrain.displacement(),
            )
            soft = test_drive(vehicle, *entry.position)
    except VehicleModelError as error:
        raise _with_line(error, config.source) from None
    except VehicleError as error:
        problem = str(error).partition('; allowed: ')[0]
        if not isinstance(error, SinksInError) or _soils_ship(terrain):
            allowed = 'masses, gains and damping with which it stands and rolls on level ground of this soil'
            raise InputError(Problem(config.file or str(mjcf), 'mjcf', problem, allowed, config.mjcf)) from None
        key, soil = _soil_below(terrain, *entry.position)
        raise source.error(key, problem, _MODULI, soil) from None
    if soft and not _soils_ship(terrain):
        key, soil = _soil_below(terrain, *entry.position)
        source.warn(key, f'hardly supports {name} at rest: {soft}', _MODULI, soil)


_MODULI = (
    'moduli that support it, in SI units: k_c [N/m^(n+1)], k_phi [N/m^(n+2)], cohesion [Pa] (values of tables in kN or '
    'kPa times 1000)'
)


def _soil_below(terrain: TerrainConfig, x: float, y: float) -> tuple[KeyPath, str]:
    """Return key and name of the soil at a position [m]."""
    i, j = round(x / terrain.spacing_m), round(y / terrain.spacing_m)
    row = int(terrain.soil_map().rows(i, i + 1, j, j + 1, terrain.spacing_m)[0, 0])
    if row == 0:
        return ('terrain', 'soil'), terrain.soil_name
    return ('terrain', 'regions', row - 1, 'soil'), terrain.regions[row - 1].soil.name


def check_clear(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse vehicles that start inside an obstacle, which would eject them.

    Args:
        scenario: Checked scenario.
        models: Vehicle models, see :func:`resolved_models`.
        source: Scenario file, for error messages.
    """
    terrain, places = scenario.terrain, {name: entry.position for name, entry in scenario.vehicles.items()}
    near = {
        name
        for name, at in places.items()
        for obstacle in terrain.obstacles.values()
        if obstacle.path is not None
        or math.dist(at, obstacle.position[:2]) < NEAR_M + math.hypot(*(obstacle.size or (0.0, 0.0))[:2])
    }
    if terrain.has_tiles:
        near = set(places)
    if not near:
        return
    from regolith_terrain import RIGID_TERRAIN_MODEL, FlatField, build_height_field
    from regolith_terrain.grid import SoilGrid
    from regolith_vehicles.agent import Vehicle, placement_conflict
    from regolith_vehicles.contact import build_solids

    ground = build_height_field(terrain, scenario.seed) if terrain.has_tiles else FlatField()
    solids = build_solids(terrain.model_copy(update={'rock_collision': False}), scenario.seed, ground)
    for name in sorted(near):
        config, mjcf = load_vehicle_model(models[name])
        with _mujoco_is_quiet():
            grid, gravity = (
                SoilGrid(ground, 0.1 if terrain.has_tiles else 1.0, RIGID_TERRAIN_MODEL),
                scenario.world.gravity_mps2,
            )
            vehicle = Vehicle(name, config, mjcf, grid, RigidTerrainConfig(), gravity, solids=solids)
            problem = placement_conflict(vehicle, *places[name], math.radians(scenario.vehicles[name].heading_deg))
        if problem:
            raise source.error(('vehicles', name, 'position'), problem, 'a position beside or on it', places[name])


@contextmanager
def _mujoco_is_quiet() -> Iterator[None]:
    """Suppress MuJoCo warnings on the terminal. The vehicle reads them and reports one line."""
    log = logging.getLogger('mujoco')
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def shape_reach(shape: CollisionShape) -> float:
    """Return an upper bound of the distance of a shape from the vehicle origin on level ground [m]."""
    upright = shape.orientation == (0.0, 0.0, 0.0, 1.0)
    wide = 2 if shape.kind == 'box' else 1
    return math.hypot(*shape.position[:2]) + math.hypot(*(shape.size[:wide] if upright else shape.size))


NEAR_M = 10.0
"""Maximum extent of the largest vehicles from their position [m]."""
LARGE_M = 5.0
"""Maximum object size considered here. Intersection with a larger object is found when the vehicle joins the world."""


def _check_room(scenario: Scenario, models: dict[str, str], reaches: dict[str, float], source: YamlSource) -> None:
    """Refuse vehicles that intersect each other or an object. Close ones are checked by the world itself."""
    places = {name: entry.position for name, entry in scenario.vehicles.items()}
    close = {
        name
        for pair in combinations(places, 2)
        if math.dist(*(places[name] for name in pair)) < sum(reaches[name] for name in pair)
        for name in pair
    }
    given = [entry.get('position') for entry in scenario.objects.values()]
    objects = [at[:2] for at in given if isinstance(at, list) and all(isinstance(x, float) for x in at[:2])]
    close |= {
        name for name, at in places.items() for place in objects if math.dist(at, place) < reaches[name] + LARGE_M
    }
    if not close:
        return
    from regolith_bringup.scenario.in_process_simulation import InProcessSimulation
    from regolith_world import AdmissionError

    vehicles = {
        name: entry.model_copy(update={'model': models[name], 'sensors': {}})
        for name, entry in scenario.vehicles.items()
        if name in close
    }
    # This check needs no determinism level and no pinned environment.
    world = scenario.world.model_copy(update={'determinism': None})
    try:
        InProcessSimulation(without_participants(scenario).model_copy(update={'vehicles': vehicles, 'world': world}))
    except AdmissionError as refused:
        problem = str(refused).partition(';')[0]
        name = next((name for name in vehicles if problem.startswith(f'{name!r} at')), '')
        raise source.error(
            ('vehicles', name, 'position'), problem, 'positions without intersection', places.get(name)
        ) from None


def _check_tasks(name: str, driver: TasksDriverConfig, config: VehicleModelConfig, source: YamlSource) -> None:
    """Refuse tasks for tools or joints that the vehicle does not have, or for drums that do not turn."""
    goals: dict[str, float] = {}
    dug: dict[str, float] = {}  # tools that an earlier task dug with may be full
    for number, task in enumerate(driver.tasks):
        key: KeyPath = ('vehicles', name, 'driver', 'tasks', number)
        known = ', '.join(sorted(config.tools)) or 'none: the vehicle has no tools'
        if isinstance(task, ReleaseConfig) and task.dispenser not in config.dispensers:
            allowed = allowed_names(config.dispensers, task.dispenser) or 'none: the vehicle has no dispensers'
            raise source.error((*key, 'dispenser'), 'is not a dispenser of the vehicle', allowed, task.dispenser)
        if isinstance(task, (DigConfig, DumpConfig)):
            unknown = sorted(set(task.tools) - set(config.tools))
            if unknown or not config.tools:
                raise source.error((*key, 'tools'), f'is not a tool for {task.type}', known, unknown or None)
        for joint, target in task.joints.items():
            given = config.joints.get(joint)
            if given is None:
                allowed = ', '.join(sorted(config.joints)) or 'none: the vehicle has no joints that take targets'
                raise source.error((*key, 'joints', joint), 'is not a joint that takes targets', allowed, joint)
            if not given.limits[0] <= target <= given.limits[1]:
                allowed = f'{given.limits[0]!r} to {given.limits[1]!r}, the limits of the joint'
                raise source.error((*key, 'joints', joint), 'is outside its limits', allowed, target)
        if isinstance(task, DigConfig):
            problem = idle_drums(config, task, goals, dug)
            if problem:
                what, _, allowed = problem.partition('; allowed: ')
                raise source.error((*key, 'joints'), what, allowed, dict(task.joints))
        goals |= task.joints
        dug |= {name: 1.0 for name, tool in config.tools.items() if goals.get(tool.joint or '', 0.0) > 0.0}


def _check_driver(name: str, driver: PluginDriverConfig, source: YamlSource) -> None:
    """Build a plug-in driver once, to find wrong parameters before its node starts."""
    key: KeyPath = ('vehicles', name, 'driver')
    known = known_drivers()
    if driver.name not in known:
        allowed = f'the name of an entry point of group regolith.drivers: {allowed_names(known, driver.name)}'
        raise source.error((*key, 'name'), 'is not an installed driver', allowed, driver.name)
    try:
        make_driver(driver)
    except PluginError as error:
        raise source.error((*key, 'name'), str(error), 'a driver that can be loaded', driver.name) from None
    except (TypeError, ValueError) as error:
        allowed = f'parameters of {known[driver.name].value}'
        raise source.error((*key, 'parameters'), str(error), allowed, driver.parameters) from None
    except Exception as error:  # the driver is a plug-in
        allowed = f'valid parameters of {known[driver.name].value}'
        problem = f'{type(error).__name__}: {error}'
        raise source.error((*key, 'parameters'), problem, allowed, driver.parameters) from error
