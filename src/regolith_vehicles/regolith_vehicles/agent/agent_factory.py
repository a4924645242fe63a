# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Factory of vehicle agents of one process, which share the data read from a scenario file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from regolith_terrain import HeightField, TerrainConfig, build_height_field
from regolith_terrain.grid import SoilCopy, SoilDelta, SoilGrid
from regolith_terrain.solids import Solids
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.config import VehicleEntry, load_vehicle_model
from regolith_vehicles.contact.static_obstacles import build_solids
from regolith_world import ScenarioHead, WorldConfig, load_section
from regolith_world.cycle import CycleResult


class AgentFactory:
    """Factory of vehicle agents with common terrain and world settings."""

    def __init__(self, scenario_file: Path) -> None:
        self._file = scenario_file
        self.head = load_section(scenario_file, '', ScenarioHead)
        self.world = load_section(scenario_file, 'world', WorldConfig)
        self.terrain = load_section(scenario_file, 'terrain', TerrainConfig)

    @cached_property
    def field(self) -> HeightField:
        """Height field of the undisturbed terrain."""
        return build_height_field(self.terrain, self.head.seed)

    @cached_property
    def solids(self) -> Solids | None:
        """Static obstacles; None: none exist."""
        return build_solids(self.terrain, self.head.seed, self.field)

    def grid(self) -> SoilGrid:
        """Return a new soil grid in the initial state."""
        return SoilGrid(self.field, self.terrain.spacing_m, self.terrain.law)

    def agent(
        self,
        name: str,
        send_result: Callable[[CycleResult], None],
        send_delta: Callable[[SoilDelta], None],
        publish: Callable[[VehicleState], None],
        grid: SoilGrid | None = None,
    ) -> VehicleAgent:
        """Return the agent of a vehicle; see :class:`VehicleAgent`.

        Args:
            name: Name of the vehicle in the scenario.
            send_result: Sends cycle results to the world.
            send_delta: Sends soil changes to terrain.
            publish: Called with every committed state.
            grid: Shared soil grid; None: the agent has its own copy.
        """
        entry = load_section(self._file, f'vehicles.{name}', VehicleEntry)
        model, mjcf_path = load_vehicle_model(entry.model)
        soil = SoilCopy(self.grid(), name, self.terrain.merge_compaction) if grid is None else None
        return VehicleAgent(
            name,
            entry,
            model,
            mjcf_path,
            self.terrain,
            self.field,
            self.world.gravity_mps2,
            send_result,
            send_delta,
            soil=soil,
            grid=grid,
            publish=publish,
            solids=self.solids,
        )
