# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of particles in a scenario: who may enter them, and what memory and time they take."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from regolith_bringup.scenario.schema import Scenario
from regolith_files.problems import allowed_names
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_sensors.rays.registry import USUAL, supports_surfels
from regolith_terrain.crm.cost import memory_gb
from regolith_terrain.crm.region import ParticleRegion
from regolith_vehicles.config import VehicleModelConfig, load_vehicle_model

Point = tuple[float, float]


class ParticleCost(NamedTuple):
    """What a region of particles takes."""

    region: ParticleRegion
    gigabytes: float
    hours: float
    """Of one thread of a laptop, if all wheels of its vehicle are in it all the time."""

    def __str__(self) -> str:
        count = self.region.soil_count
        size = f'{self.gigabytes:.3g} GB' if self.gigabytes >= 1.0 else f'{1e3 * self.gigabytes:.3g} MB'
        time = f'{self.hours:.3g} h' if self.hours >= 1.0 else f'{60.0 * self.hours:.2g} min'
        return f'{self.region.name}: {count:,} particles, {size}, about {time} of one core'


def particle_costs(scenario: Scenario) -> list[ParticleCost]:
    """Return what the regions of particles of a checked scenario take."""
    costs = []
    for region in scenario.terrain.particle_regions():
        config, _ = load_vehicle_model(scenario.vehicles[region.vehicle].model)
        balls = [(wheel.radius_m**2 + 0.25 * wheel.width_m**2) ** 0.5 for wheel in config.wheels]
        hours = region.hours(scenario.duration_s, balls, config.substep_s)
        costs.append(ParticleCost(region, 1e-9 * region.nbytes, hours))
    return costs


def check_particles(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse regions of particles that are too fine or too large, that others would enter, or that sensors cannot see.

    Args:
        models: as of :func:`regolith_bringup.scenario.vehicle_section.resolved_models`

    Raises:
        InputError: naming file, key, value and what is allowed
    """
    if not scenario.terrain.particle_regions():
        return
    configs = {name: load_vehicle_model(model) for name, model in models.items()}
    reaches = _reaches(scenario, models)
    for number, section in enumerate(scenario.terrain.regions):
        region = section.particles()
        if region is None:
            continue
        key: KeyPath = ('terrain', 'regions', number)
        if region.vehicle not in scenario.vehicles:
            allowed = allowed_names(scenario.vehicles, region.vehicle)
            raise source.error((*key, 'vehicle'), 'no such vehicle', allowed, region.vehicle)
        _check_vehicle(region, configs[region.vehicle][0], key, source)
        _check_paths(region, scenario, reaches, source)
    if any(vehicle.sensors for vehicle in scenario.vehicles.values()) and not supports_surfels(
        scenario.light.ray_backend
    ):
        allowed = f"'{USUAL}', or another that shows_discs"
        raise source.error(
            ('light', 'ray_backend'), 'shows no particles in motion', allowed, scenario.light.ray_backend
        )
    costs = particle_costs(
        scenario.model_copy(
            update={'vehicles': {n: e.model_copy(update={'model': models[n]}) for n, e in scenario.vehicles.items()}}
        )
    )
    there = memory_gb()
    if sum(cost.gigabytes for cost in costs) > there:
        number = next(k for k, part in enumerate(scenario.terrain.regions) if part.model == 'crm')
        problem = f'asks for more memory than there is ({"; ".join(map(str, costs))})'
        allowed = f'{there:.3g} GB in all: coarser, smaller or shallower'
        raise source.error(('terrain', 'regions', number, 'spacing_m'), problem, allowed, costs[0].region.spacing)


def _check_vehicle(region: ParticleRegion, config: VehicleModelConfig, key: KeyPath, source: YamlSource) -> None:
    """Refuse a vehicle that particles cannot carry."""
    narrowest = min((wheel.width_m for wheel in config.wheels), default=0.0)
    if config.running_gear is not None:
        allowed = 'a vehicle on wheels, each with a servo of its own'
        raise source.error((*key, 'vehicle'), 'does not run on particles', allowed, region.vehicle)
    if config.tools:
        allowed = 'a vehicle without tools, which dig in the grid'
        raise source.error((*key, 'vehicle'), 'has tools', allowed, region.vehicle)
    meshes = [*(wheel.mesh for wheel in config.wheels), *(shape.mesh for shape in config.ground_shapes)]
    if any(meshes):
        allowed = 'cylinders, wheels with grousers and boxes'
        raise source.error((*key, 'vehicle'), 'has meshes as wheels or ground shapes', allowed, region.vehicle)
    if not region.spacing < narrowest:
        allowed = f'less than {narrowest!r} m, the width of the narrowest wheel of {region.vehicle}'
        raise source.error((*key, 'spacing_m'), 'is coarser than a wheel', allowed, region.spacing)


def _check_paths(region: ParticleRegion, scenario: Scenario, reaches: dict[str, float], source: YamlSource) -> None:
    """Refuse vehicles that start in a region, and others than its own that are sent into it."""
    from regolith_vehicles.agent.planned_path import planned_path

    for name, entry in sorted(scenario.vehicles.items()):
        reach = reaches[name]
        if region.distance(*entry.position) < reach:
            allowed = f'{reach:.3g} m or more from its edge: vehicles are placed on the ground around'
            raise source.error(('vehicles', name, 'position'), f'is in region {region.name!r}', allowed, entry.position)
        if name == region.vehicle:
            continue
        points = planned_path(entry, scenario.duration_s)
        for a, b in pairwise(points):
            if _crosses(a, b, region, reach):
                problem = f'leads from {_place(a)} to {_place(b)} through region {region.name!r} of {region.vehicle!r}'
                allowed = f'ways that stay {reach:.3g} m away from it'
                raise source.error(('vehicles', name, 'driver'), problem, allowed)


def _place(point: Point) -> str:
    return f'({point[0]:g}, {point[1]:g})'


def _crosses(a: Point, b: Point, region: ParticleRegion, reach: float) -> bool:
    """Return whether a line comes into a region grown by a reach on all sides."""
    begin, end = 0.0, 1.0
    for k in (0, 1):
        low, high, way = region.low[k] - reach, region.high[k] + reach, b[k] - a[k]
        if way == 0.0:
            if not low <= a[k] <= high:
                return False
            continue
        at = sorted(((low - a[k]) / way, (high - a[k]) / way))
        begin, end = max(begin, at[0]), min(end, at[1])
    return begin <= end


def _reaches(scenario: Scenario, models: dict[str, str]) -> dict[str, float]:
    """Return the radius about each vehicle's base that holds its wheels or tracks [m]."""
    # MuJoCo takes longer to load than a scenario to check, and few scenarios have particles.
    from regolith_vehicles.agent.planned_path import running_gear_radius
    from regolith_vehicles.dynamics.multibody import compile_vehicle
    from regolith_vehicles.running_gear_registry import make_running_gear

    reaches = {}
    for name in scenario.vehicles:
        config, mjcf = load_vehicle_model(models[name])
        reaches[name] = running_gear_radius(
            make_running_gear(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)), mjcf)
        )
    return reaches
