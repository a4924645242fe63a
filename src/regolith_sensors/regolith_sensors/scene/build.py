# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenes of a scenario's sensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from regolith_sensors.brdf import PRESETS
from regolith_sensors.rays.choice import ray_backend
from regolith_sensors.scenario_config import LightConfig
from regolith_sensors.scene.materials import HapkeSoil, Material, Principled
from regolith_sensors.scene.rock_layer import RockLayer, site_rocks
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.scene.terrain_tiles import SoilGround
from regolith_sensors.scene.vehicle_mesh import Part, vehicle_parts
from regolith_sensors.scene.world_view import WorldStates, WorldView
from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field import build_height_field, build_rocks
from regolith_terrain.lunar.rocks import Rocks
from regolith_terrain.soil_grid import SoilGrid
from regolith_vehicles.model_config import VehicleModelConfig

ROCK = Principled((0.15, 0.135, 0.12), 0.9, micro_relief=0.6)
"""Blocks of mare basalt and breccia, a little brighter than mature soil."""


@dataclass(frozen=True)
class VehicleModel:
    """Description of a vehicle: its YAML file and its MJCF file."""

    config: VehicleModelConfig
    mjcf: Path

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of its rigid parts, the base first."""
        return ('chassis', *(wheel.name for wheel in self.config.wheels))


class SensedWorld:
    """Ground, shapes and states shared by all views of a process."""

    def __init__(
        self, terrain: TerrainConfig, light: LightConfig, seed: int, vehicles: Mapping[str, VehicleModel],
        kept_ns: int = 2_000_000_000,
    ) -> None:
        """Build the ground and the shapes.

        :param vehicles: all of the scenario, by name
        :param kept_ns: age to which states are kept [ns]: longer than any frame's span
        """
        self.light = light
        self._size_m = terrain.size_m
        self._materials: list[Material] = [ROCK]
        self._parts: dict[str, list[Part]] = {}
        for name, model in sorted(vehicles.items()):
            self._parts[name] = vehicle_parts(model.config, model.mjcf, self._materials)
        grid = SoilGrid(build_height_field(terrain, seed), terrain.spacing_m, terrain.law)
        self.states = WorldStates({n: m.parts for n, m in vehicles.items()}, grid, kept_ns)
        field = build_rocks(terrain, seed)
        self._rocks: Rocks | None = site_rocks(field, terrain.size_m) if field is not None else None

    def view(self, viewer: str) -> WorldView:
        """Return the view from a vehicle, with a scene of its own."""
        light = self.light
        scene = Scene(
            SoilGround(self.states.ground.grid), self._materials, soil=HapkeSoil(PRESETS[light.soil]),
            view_range=light.view_range_m, detail=light.detail, micro_slope_deg=light.micro_slope_deg,
            micro_albedo=light.micro_albedo, rays=ray_backend(light.rays)(),
        )
        objects = {}
        for name, parts in self._parts.items():
            # Body and wheels are objects of their own, so that boxes distinguish wheels.
            objects[name] = [
                scene.add_object(
                    name if part is parts[0] else f'{name}/{part.name}',
                    [
                        (
                            scene.add_mesh(part.mesh, holds_light=True),
                            Semantic.VEHICLE if part is parts[0] else Semantic.WHEEL,
                        )
                    ],
                )
                for part in parts
            ]
        rocks = RockLayer(self._rocks, scene, 0, len(scene.objects) + 2) if self._rocks is not None else None
        return WorldView(self.states, viewer, scene, objects, rocks)

    def views(self, viewers: Iterable[str]) -> dict[str, WorldView]:
        """Return one view per vehicle."""
        return {name: self.view(name) for name in sorted(set(viewers))}


World = SensedWorld
"""Its former name."""
