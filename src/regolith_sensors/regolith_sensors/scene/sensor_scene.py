# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of a scenario's sensors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from regolith_sensors.brdf import PRESETS
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.config.materials import material_of
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.heat.ground import GroundTemperatures
from regolith_sensors.heat.sun_path import scenario_sun_path
from regolith_sensors.light import Sun
from regolith_sensors.rays.registry import ray_backend
from regolith_sensors.scene.object_layer import OBSTACLES, ROCK, ObjectLayer
from regolith_sensors.scene.rock_layer import RockLayer, movable_mesh
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.scene.vehicle_mesh import MeshPart, vehicle_parts
from regolith_sensors.scene.world_view import ScenePart, WorldStates, WorldView
from regolith_sensors.sky.far_terrain import FarTerrain
from regolith_sensors.surfaces.materials import HapkeSoil, Material
from regolith_sensors.surfaces.meshes import Mesh
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain import TerrainConfig, build_height_field, build_rocks
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.grid import SoilGrid
from regolith_terrain.lunar import Rocks
from regolith_terrain.scenario_bodies import movable_rocks
from regolith_terrain.solids import Obstacle, rock_shapes
from regolith_vehicles.contact import build_obstacles
from regolith_vehicles.visuals import PartRole, VisualDescription
from regolith_world.cycle import ObjectVisual
from regolith_world.numerics import rotation

_OF_THE_BODY = (PartRole.BODY, PartRole.TRACK_SHOE)


class SensorScene:
    """Ground, shapes and states shared by all views of a process."""

    def __init__(
        self,
        terrain: TerrainConfig,
        light: LightConfig,
        seed: int,
        vehicles: Mapping[str, VisualDescription],
        kept_ns: int = 2_000_000_000,
        objects: Mapping[str, ObjectVisual] | None = None,
        bodies: BodiesConfig | None = None,
        dust: DustCloud | None = None,
    ) -> None:
        """Build the ground and the shapes.

        Args:
            terrain: Terrain section of the scenario.
            light: Light section of the scenario.
            seed: Seed of the scenario.
            vehicles: Visual descriptions of all vehicles, by name.
            kept_ns: Age to which states are kept [ns]; longer than the span of any frame.
            objects: Visuals of the scenario's objects, by name; see :func:`regolith_world.objects.object_visuals`.
            bodies: Section ``bodies`` of the scenario, whose movable rocks move; None: there is no such section.
            dust: Dust of the vehicles; None: there is none.
        """
        self.light = light
        self._size_m = terrain.map_size_m
        self._far: FarTerrain | None = None
        self._latitude_deg = 0.0 if terrain.site is None else terrain.site.latitude_deg
        self._ground_temperatures: GroundTemperatures | None = None
        self._materials: list[Material] = [_rock(light)]
        self._parts: dict[str, list[MeshPart]] = {}
        for name, looks in sorted(vehicles.items()):
            self._parts[name] = vehicle_parts(looks, self._materials, light.vehicle_dust)
        ground = build_height_field(terrain, seed)
        if light.horizon is not None:
            half = 0.5 * terrain.map_size_m + light.view_range_m
            self._far = FarTerrain(light.horizon, ground, half, light.view_range_m)
        grid = SoilGrid(ground, terrain.spacing_m, terrain.law)
        names = {name: [part.name for part in looks.parts] for name, looks in vehicles.items()}
        moving = {region.vehicle for region in terrain.owned_regions()} & set(vehicles)
        rocks = movable_rocks(terrain, seed, None if bodies is None else bodies.movable_rocks)
        self._movable = {rock.description.name: rock for rock in rocks}
        moved = {name: rock.visual for name, rock in self._movable.items()}
        self._visuals = dict(sorted({**(objects or {}), **moved}.items()))
        self.states = WorldStates(names, grid, kept_ns, moving, self._visuals, dust)
        self._solid: dict[str, int] = {}
        """Rows of the materials of obstacles, by name."""
        self._obstacles = self._looks_of(build_obstacles(terrain, ground))
        field = build_rocks(terrain, seed)
        self._rocks: Rocks | None = rock_shapes.site_rocks(field, terrain.map_size_m) if field is not None else None

    def sun_at(self, t_ns: int) -> Sun | None:
        """Return the sun at a simulated time [ns], with the shadow of far terrain; None: night."""
        sun = self.light.sun_at(t_ns)
        return sun if sun is None or self._far is None else replace(sun, far=self._far.shadow(sun))

    def ground_temperatures(self, duration_s: float) -> GroundTemperatures:
        """Return the temperatures of the ground over a run of some duration [s]; computed once."""
        if self._ground_temperatures is None:
            path = scenario_sun_path(self.light, self.sun_at, self._latitude_deg, duration_s)
            self._ground_temperatures = GroundTemperatures(path)
        return self._ground_temperatures

    def _looks_of(self, obstacles: list[Obstacle]) -> list[tuple[Obstacle, Mesh]]:
        """Return obstacles with their meshes; their materials are appended to the scene's."""
        found = []
        for thing in obstacles:
            material = self._material(thing.config.material)
            corners = thing.triangles.reshape(-1, 3)
            triangles = np.arange(len(corners), dtype=np.uint32).reshape(-1, 3)
            found.append((thing, Mesh(corners, triangles, np.full(len(triangles), material, dtype=np.uint16))))
        return found

    def _material(self, name: str) -> int:
        """Return the row of the material of an obstacle; a new one is appended."""
        if name not in self._solid:
            self._solid[name] = len(self._materials)
            self._materials.append(_rock(self.light) if name == 'rock' else OBSTACLES[name])
        return self._solid[name]

    def view(self, viewer: str) -> WorldView:
        """Return the view from a vehicle, with a scene of its own."""
        light = self.light
        scene = Scene(
            SoilHeightSource(self.states.ground.grid),
            self._materials,
            soil=material_of(light.soil, HapkeSoil(PRESETS[light.reflectance]), 1.0),
            view_range=light.view_range_m,
            detail=light.terrain_detail,
            micro_slope_deg=light.micro_slope_deg,
            micro_albedo=light.micro_albedo,
            micro_shadows=light.micro_relief == 'shadowed',
            rays=ray_backend(light.ray_backend)(),
        )
        objects = {name: _objects(scene, name, parts) for name, parts in self._parts.items()}
        for thing, mesh in self._obstacles:
            semantic = Semantic.ROCK if thing.config.material == 'rock' else Semantic.OTHER
            added = scene.add_object(thing.name, [(scene.add_mesh(mesh), semantic)])
            scene.place(added, 0, thing.middle, rotation.from_yaw(math.radians(thing.config.heading_deg)))
        layer = ObjectLayer(scene)
        named = list(enumerate(self._visuals))
        shown = [ScenePart(layer.add(self._visuals[name]), 0, row) for row, name in named if name not in self._movable]
        rocks, first = None, len(scene.objects) + 2
        if self._rocks is not None:
            for row, name in named:
                if name in self._movable:  # the number of a rock is the same whether or not it can move
                    rock = self._movable[name]
                    index = scene.add_mesh(movable_mesh(rock, int(self._rocks.shape[rock.number])))
                    added = scene.add_object(name, [(index, Semantic.ROCK)], first + rock.number)
                    shown.append(ScenePart(added, 0, row))
            rocks = RockLayer(self._rocks, scene, 0, first, [rock.number for rock in self._movable.values()])
        grains = PRESETS[light.reflectance]
        return WorldView(self.states, viewer, scene, objects, rocks, shown, layer.add, grains)

    def views(self, viewers: Iterable[str]) -> dict[str, WorldView]:
        """Return one view per vehicle."""
        return {name: self.view(name) for name in sorted(set(viewers))}


def _rock(light: LightConfig) -> Material:
    """Return the material of rocks."""
    if light.rocks is None:
        return ROCK
    chosen = material_of(light.rocks, HapkeSoil(PRESETS[light.reflectance]), ROCK.micro_relief)
    return replace(chosen, facets=ROCK.facets)


def _objects(scene: Scene, name: str, parts: list[MeshPart]) -> list[ScenePart]:
    """Add a vehicle to a scene; each wheel is an object, for separate boxes, and the rest is one object."""
    meshes: dict[int, int] = {}
    for part in parts:
        if id(part.mesh) not in meshes:
            # A track has many small, dark shoes; gathering light for each would take longer than all the rest.
            meshes[id(part.mesh)] = scene.add_mesh(part.mesh, holds_light=part.role != PartRole.TRACK_SHOE)
    body = [part for part in parts if part.role in _OF_THE_BODY]
    whole = scene.add_object(name, [(meshes[id(part.mesh)], Semantic.VEHICLE) for part in body])
    shown = [ScenePart(whole, k, part.row) for k, part in enumerate(body)]
    for part in parts:
        if part.role not in _OF_THE_BODY:
            wheel = scene.add_object(f'{name}/{part.name}', [(meshes[id(part.mesh)], Semantic.WHEEL)])
            shown.append(ScenePart(wheel, 0, part.row))
    return shown
