# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles spawned during a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regolith_files import YamlSource, as_yaml_text, entry_points, validated
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.description.model_files import VEHICLE_FORMATS, known_vehicles, load_vehicle_model
from regolith_vehicles.description.model_files import VEHICLE_LIBRARY as MODELS
from regolith_world.objects import URI_SCHEME, Spawnable, SpawnPose, SpawnSource

_FOLDER = 'vehicles/'


class VehicleSource(SpawnSource):
    """Source of spawned vehicles, by their entries in a scenario; the pose sets x, y and heading on the ground."""

    key = 'model'

    def spawnables(self) -> tuple[Spawnable, ...]:
        """Return all known vehicle models."""
        return tuple(Spawnable(f'{URI_SCHEME}{_FOLDER}{name}', f'vehicle {name}') for name in sorted(known_vehicles()))

    def resource(self, path: str) -> Mapping[str, Any] | None:
        """Return the entry of a vehicle model."""
        name = path.removeprefix(_FOLDER)
        return {'model': name} if path.startswith(_FOLDER) and name in known_vehicles() else None

    def entry(self, resource: Mapping[str, Any], pose: SpawnPose) -> dict[str, Any]:
        """Return the scenario entry, with an absolute path of its model.

        Args:
            resource: Entry of the vehicle without a pose.
            pose: Pose of the spawned vehicle.

        Raises:
            ValueError: If the entry is invalid, or has sensors or spotlights, which can start only with a run.
        """
        x, y, _ = pose.position.tolist()
        given = {**resource, 'position': [x, y], 'heading_deg': pose.heading_deg}
        entry = validated(VehicleEntry, given, YamlSource.of(given, 'resource'))
        for key in ('sensors', 'spotlights'):
            if getattr(entry, key):
                raise ValueError(
                    f'{key} = {sorted(getattr(entry, key))}: cannot be spawned during a run; allowed: none'
                )
        if Path(entry.model).suffix.lower() in {f'.{point.name}' for point in entry_points(VEHICLE_FORMATS)}:
            problem = 'is not a YAML file; allowed: a vehicle file; fix: ./regolith vehicle import writes one'
            raise ValueError(f'model = {as_yaml_text(entry.model)}: {problem}')
        if 'mjcf' not in MODELS.read(entry.model).data:
            # The file's content is not quoted: the sender of a request may not be permitted to read the file.
            problem = 'does not describe a vehicle; allowed: a file with the key mjcf'
            raise ValueError(f'model = {as_yaml_text(entry.model)}: {problem}')
        load_vehicle_model(entry.model)
        model = entry.model if entry.model in known_vehicles() else str(Path(entry.model).resolve())
        return {**entry.model_dump(mode='json'), 'model': model}


VEHICLES = VehicleSource()
