# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Particle regions in a scenario: allowed vehicles, memory and computing time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource, allowed_names, rounded_text
from regolith_sensors.rays import DEFAULT_RAY_BACKEND, supports_surfels
from regolith_terrain.crm import ParticleRegion, machine_memory_gb
from regolith_vehicles import load_vehicle_model
from regolith_vehicles.description import VehicleModelConfig

if TYPE_CHECKING:
    from regolith_terrain import HeightField

Point = tuple[float, float]


class ParticleCost(NamedTuple):
    """Memory and computing time of a particle region."""

    region: ParticleRegion
    gigabytes: float
    hours: float
    """Computing time on one thread of a laptop [h], if all wheels and tools of its vehicle are always in the region."""

    def __str__(self) -> str:
        count = self.region.soil_count
        size = (
            f'{rounded_text(self.gigabytes, 3)} GB'
            if self.gigabytes >= 1.0
            else f'{rounded_text(1e3 * self.gigabytes, 3)} MB'
        )
        time = f'{rounded_text(self.hours, 3)} h' if self.hours >= 1.0 else f'{rounded_text(60.0 * self.hours)} min'
        return f'{self.region.name}: {count:,} particles, {size}, about {time} of one core'


def _particle_regions(scenario: Scenario) -> list[ParticleRegion]:
    return [region for region in scenario.terrain.owned_regions() if isinstance(region, ParticleRegion)]


def particle_costs(scenario: Scenario) -> list[ParticleCost]:
    """Return the cost of each particle region of a checked scenario."""
    costs = []
    for region in _particle_regions(scenario):
        from regolith_vehicles.description import load_triangles

        config, mjcf = load_vehicle_model(scenario.vehicles[region.vehicle].model)
        balls = [(wheel.radius_m**2 + 0.25 * wheel.width_m**2) ** 0.5 for wheel in config.wheels]
        for tool in config.tools.values():
            if tool.mesh is not None:
                corners = load_triangles(Path(mjcf).parent / tool.mesh, tool.mesh_scale)
                balls.append(float(np.square(corners).sum(axis=2).max()) ** 0.5)
        hours = region.hours(scenario.duration_s, balls, config.substep_s)
        costs.append(ParticleCost(region, 1e-9 * region.nbytes, hours))
    return costs


def check_particles(scenario: Scenario, models: dict[str, str], source: YamlSource) -> None:
    """Refuse particle regions that cannot be computed, entered or seen.

    These are regions that are too fine or too large, regions on the path of another vehicle, and regions that the ray
    backend of the sensors cannot show.

    Args:
        scenario: Checked scenario.
        models: Vehicle models, see :func:`regolith_bringup.scenario.vehicle_section.resolved_models`.
        source: Scenario file, for error messages.

    Raises:
        InputError: If a region is refused. The message states file, key, value and allowed values.
    """
    if not _particle_regions(scenario):
        return
    configs = {name: load_vehicle_model(model) for name, model in models.items()}
    from regolith_terrain import build_height_field

    reaches, field = _reaches(scenario, models), build_height_field(scenario.terrain, scenario.seed)
    for number, section in enumerate(scenario.terrain.regions):
        region = section.owned()
        if not isinstance(region, ParticleRegion):
            continue
        key: KeyPath = ('terrain', 'regions', number)
        if region.vehicle not in scenario.vehicles:
            allowed = allowed_names(scenario.vehicles, region.vehicle)
            raise source.error((*key, 'vehicle'), 'is not a vehicle of this scenario', allowed, region.vehicle)
        _check_vehicle(region, *configs[region.vehicle], key, source)
        _check_slope(region, field, key, source)
        _check_paths(region, scenario, reaches, source)
    if any(vehicle.sensors for vehicle in scenario.vehicles.values()) and not supports_surfels(
        scenario.light.ray_backend
    ):
        allowed = f"'{DEFAULT_RAY_BACKEND}', or another backend with shows_discs"
        raise source.error(
            ('light', 'ray_backend'), 'does not show moving particles', allowed, scenario.light.ray_backend
        )
    costs = particle_costs(
        scenario.model_copy(
            update={'vehicles': {n: e.model_copy(update={'model': models[n]}) for n, e in scenario.vehicles.items()}}
        )
    )
    there = machine_memory_gb()
    if sum(cost.gigabytes for cost in costs) > there:
        sections = enumerate(scenario.terrain.regions)
        number = next(k for k, part in sections if isinstance(part.owned(), ParticleRegion))
        problem = f'needs more memory than is available ({"; ".join(map(str, costs))})'
        allowed = f'{rounded_text(there, 3)} GB in total; fix: make regions coarser, smaller or shallower'
        raise source.error(('terrain', 'regions', number, 'spacing_m'), problem, allowed, costs[0].region.spacing)


def _check_vehicle(
    region: ParticleRegion, config: VehicleModelConfig, mjcf: str | Path, key: KeyPath, source: YamlSource
) -> None:
    """Refuse a vehicle that particles cannot support."""
    # Imported here because they load MuJoCo and kernels, and few scenarios have particles.
    from regolith_terrain.contact import refuse_unless_solid
    from regolith_vehicles.description import load_triangles

    narrowest = min((wheel.width_m for wheel in config.wheels), default=0.0)
    if config.running_gear is not None:
        allowed = 'a wheeled vehicle with one servo for each wheel'
        raise source.error((*key, 'vehicle'), 'does not run on particles', allowed, region.vehicle)
    for name, tool in sorted(config.tools.items()):
        if tool.mesh is None:
            allowed = 'tools with a mesh, whose surface touches the particles'
            raise source.error((*key, 'vehicle'), f'has a tool {name!r} without mesh', allowed, region.vehicle)
        if sum(shape.body == tool.body for shape in config.ground_shapes) != 1:
            allowed = 'exactly one ground shape on the body of each tool, which holds its soil'
            raise source.error(
                (*key, 'vehicle'), f'has a tool {name!r} without its ground shape', allowed, region.vehicle
            )
    meshes: list[tuple[str, Any]] = [(f'wheels.{wheel.name}', wheel) for wheel in config.wheels]
    meshes += [(f'ground_shapes.{shape.name}', shape) for shape in config.ground_shapes]
    meshes += [(f'tools.{name}', tool) for name, tool in sorted(config.tools.items())]
    for where, part in meshes:
        if part.mesh is None:
            continue
        try:
            refuse_unless_solid(load_triangles(Path(mjcf).parent / part.mesh, part.mesh_scale))
        except ValueError as error:
            problem, _, allowed = str(error).partition('; allowed: ')
            problem = f'has {where} with a mesh {part.mesh!r} that {problem}'
            raise source.error((*key, 'vehicle'), problem, allowed, region.vehicle) from None
    if not region.spacing < narrowest:
        allowed = f'less than {narrowest!r} m, the width of the narrowest wheel of {region.vehicle}'
        raise source.error((*key, 'spacing_m'), 'is coarser than a wheel', allowed, region.spacing)


def _check_slope(region: ParticleRegion, field: HeightField, key: KeyPath, source: YamlSource) -> None:
    """Refuse a region over a cliff: columns of particles whose neighbors are more than a spacing higher."""
    nx, ny, _ = region.counts
    x = region.low[0] + (np.arange(nx) + 0.5) * region.spacing
    y = region.low[1] + (np.arange(ny) + 0.5) * region.spacing
    top = field.heights(x[:, None], y[None, :])
    for axis in (0, 1):
        step = np.abs(np.diff(top, axis=axis))
        if step.max() > region.spacing:
            i, j = np.unravel_index(int(step.argmax()), step.shape)
            problem = f'is over a cliff: the surface rises by {step.max():.3g} m in {region.spacing:g} m at '
            problem += f'{_place((float(x[i]), float(y[j])))}'
            low, high = (list(corner) for corner in (region.low, region.high))
            raise source.error((*key, 'rectangle'), problem, 'slopes of up to 45 degrees', [low, high])


def _check_paths(region: ParticleRegion, scenario: Scenario, reaches: dict[str, float], source: YamlSource) -> None:
    """Refuse vehicles that start in a region, and paths of other vehicles that lead into it."""
    from regolith_vehicles.agent import planned_base_path

    for name, entry in sorted(scenario.vehicles.items()):
        reach = reaches[name]
        if region.distance(*entry.position) < reach:
            allowed = f'{reach:.3g} m or more from its edge: vehicles are placed on the ground around'
            raise source.error(('vehicles', name, 'position'), f'is in region {region.name!r}', allowed, entry.position)
        if name == region.vehicle:
            continue
        points = planned_base_path(entry, scenario.duration_s)
        for a, b in pairwise(points):
            if _crosses(a, b, region, reach):
                problem = f'leads from {_place(a)} to {_place(b)} through region {region.name!r} of {region.vehicle!r}'
                allowed = f'paths at a distance of {reach:.3g} m or more'
                raise source.error(('vehicles', name, 'driver'), problem, allowed)


def _place(point: Point) -> str:
    return f'({point[0]:g}, {point[1]:g})'


def _crosses(a: Point, b: Point, region: ParticleRegion, reach: float) -> bool:
    """Return whether a line segment intersects a region extended by a margin on all sides."""
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
    """Return the radius around the base of each vehicle that contains its wheels or tracks [m]."""
    # Imported here because loading MuJoCo takes longer than checking a scenario, and few scenarios have particles.
    from regolith_vehicles import make_running_gear
    from regolith_vehicles.agent import running_gear_radius
    from regolith_vehicles.dynamics import compile_vehicle

    reaches = {}
    for name in scenario.vehicles:
        config, mjcf = load_vehicle_model(models[name])
        reaches[name] = running_gear_radius(
            make_running_gear(config, compile_vehicle(config, mjcf, (0.0, 0.0, 0.0)), mjcf)
        )
    return reaches
