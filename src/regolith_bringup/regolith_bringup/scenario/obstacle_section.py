# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``obstacles`` section of a scenario: mesh paths and mesh validation."""

from __future__ import annotations

import numpy as np

from regolith_bringup.scenario.schema import Scenario
from regolith_files import YamlSource
from regolith_terrain import TerrainConfig
from regolith_terrain.solids import ObstacleConfig


def resolve_obstacles(source: YamlSource) -> None:
    """Make the mesh paths absolute.

    Args:
        source: Scenario file, which is changed.

    Raises:
        InputError: If a mesh file does not exist. The message states the key.
    """
    section = source.data.get('obstacles')
    for name, entry in section.items() if isinstance(section, dict) else ():
        given = entry.get('path') if isinstance(entry, dict) else None
        if isinstance(given, str):
            key = ('obstacles', name, 'path')
            entry['path'] = str(source.find_file(key, given, 'the path of an OBJ, STL or MSH file'))


LARGEST_MESH_M, DOUBTFUL_MESH_M = 100.0, 20.0
"""Mesh size limits [m]: refused without a scale and warned about with one; warned about without a scale.

The longest shipped vehicle has 6 m, the lander 5 m. A mesh of 20 m is therefore rarely intended. A mesh of 100 m is
terrain and belongs into an elevation model. For a file in millimeters read as meters, the limits correspond to objects
of 2 cm and 10 cm, which hardly affect a wheel. The limits therefore detect every relevant mesh in millimeters, but not
a hall of 30 m with ``scale: 1``.
"""


def _check_size(name: str, config: ObstacleConfig, side: float, source: YamlSource) -> None:
    """Refuse, or warn about, a mesh whose size suggests that its unit is millimeters.

    Args:
        name: Name of the obstacle.
        config: Settings of the obstacle.
        side: Largest side of the mesh [m].
        source: Scenario file, for messages.
    """
    key, stated = ('obstacles', name, 'path'), 'scale' in config.model_fields_set
    fix = f'set obstacles.{name}.scale, the unit of the file in meters (0.001 for millimeters, 1 for meters)'
    if side > LARGEST_MESH_M and not stated:
        allowed = f'up to {LARGEST_MESH_M:g} m without scale; fix: {fix}'
        raise source.error(key, f'the mesh is {side:.4g} m wide', allowed, config.path)
    if side > (LARGEST_MESH_M if stated else DOUBTFUL_MESH_M):
        if stated:
            fix = f'set obstacles.{name}.scale: 0.001 if the file is in millimeters; now it is {config.scale:g}'
        source.warn(key, f'the mesh is {side:.4g} m wide', fix, config.path)


def terrain_with_obstacles(scenario: Scenario, source: YamlSource) -> TerrainConfig:
    """Return the terrain with the obstacles of the scenario, as all processes read it.

    Args:
        scenario: Checked scenario.
        source: Scenario file, for messages.

    Raises:
        InputError: If a mesh is not closed.
    """
    if 'obstacles' not in source.data:
        return scenario.terrain
    for name, config in scenario.obstacles.items():
        if config.path is None:
            continue
        # Imported here because loading MuJoCo, which reads meshes, takes longer than all other checks.
        from regolith_terrain import FlatField
        from regolith_terrain.solids import make_obstacle
        from regolith_vehicles.description import load_triangles

        try:
            made = make_obstacle(name, config, FlatField(), load_triangles)
        except ValueError as error:
            raise source.wrap(('obstacles', name, 'path'), error, 'a mesh of solids', config.path) from None
        _check_size(name, config, float(np.ptp(made.triangles.reshape(-1, 3), axis=0).max()), source)
    return scenario.terrain.model_copy(update={'obstacles': dict(scenario.obstacles)})
