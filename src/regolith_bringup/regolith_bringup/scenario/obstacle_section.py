# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``obstacles`` section of a scenario: paths of meshes, and whether these are solids."""

from __future__ import annotations

import os

from regolith_bringup.scenario.schema import Scenario
from regolith_files.paths import resolved
from regolith_files.yaml_source import YamlSource
from regolith_terrain.config import TerrainConfig


def resolve_obstacles(source: YamlSource) -> None:
    """Make the paths of meshes absolute.

    :raises InputError: naming the key of a file that is not there
    """
    section = source.data.get('obstacles')
    for name, entry in section.items() if isinstance(section, dict) else ():
        given = entry.get('path') if isinstance(entry, dict) else None
        if isinstance(given, str):
            key = ('obstacles', name, 'path')
            path = resolved(source.base_dir(key) / given)
            if not os.path.isfile(path):
                raise source.error(key, f'no such file ({path})', 'the path of an OBJ, STL or MSH file', given)
            entry['path'] = str(path)


def standing_obstacles(scenario: Scenario, source: YamlSource) -> TerrainConfig:
    """Return the terrain with the obstacles on it, as every process reads it.

    :raises InputError: if a mesh is no solid
    """
    if 'obstacles' not in source.data:
        return scenario.terrain
    for name, config in scenario.obstacles.items():
        if config.path is None:
            continue
        # MuJoCo, which reads meshes, takes longer to load than all that is checked else.
        from regolith_terrain.height_field import FlatField
        from regolith_terrain.solids.obstacles import obstacle
        from regolith_vehicles.wheel_shapes import load_triangles

        try:
            obstacle(name, config, FlatField(), load_triangles)
        except ValueError as error:
            problem, _, allowed = str(error).partition('; allowed: ')
            allowed = allowed or 'a mesh of solids'
            raise source.error(('obstacles', name, 'path'), problem, allowed, config.path) from None
    return scenario.terrain.model_copy(update={'obstacles': dict(scenario.obstacles)})
