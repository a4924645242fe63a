# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files of the sections ``obstacles`` and ``objects`` of a scenario: paths and validation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regolith_bringup.scenario.schema import Scenario
from regolith_files import KeyPath, YamlSource, rounded_text
from regolith_terrain import TerrainConfig

if TYPE_CHECKING:
    from regolith_world.objects import VisualConfig


MESHES = 'the path of an OBJ, STL or MSH file'
VISUAL_MESHES = 'the path of an OBJ, STL, MSH, GLB or glTF file'


def resolve_meshes(source: YamlSource) -> None:
    """Make the mesh paths of obstacles and of the visuals of objects absolute.

    Args:
        source: Scenario file, which is changed.

    Raises:
        InputError: If a mesh file does not exist. The message states the key.
    """
    for section, allowed, *keys in (('obstacles', MESHES, 'path'), ('objects', VISUAL_MESHES, 'visual', 'mesh')):
        entries = source.data.get(section)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            for key in keys[:-1]:
                entry = entry.get(key) if isinstance(entry, dict) else None
            given = entry.get(keys[-1]) if isinstance(entry, dict) else None
            if isinstance(given, str) and given:
                entry[keys[-1]] = str(source.find_file((section, name, *keys), given, allowed))


LARGEST_MESH_M, DOUBTFUL_MESH_M = 100.0, 20.0
"""Mesh size limits [m]: refused without a scale and warned about with one; warned about without a scale.

The longest shipped vehicle has 6 m, the lander 5 m. A mesh of 20 m is therefore rarely intended. A mesh of 100 m is
terrain and belongs into an elevation model. For a file in millimeters read as meters, the limits correspond to objects
of 2 cm and 10 cm, which hardly affect a wheel. The limits therefore detect every relevant mesh in millimeters, but not
a hall of 30 m with ``scale: 1``.
"""


def _check_size(key: KeyPath, path: str, unit: tuple[str, float | None], side: float, source: YamlSource) -> None:
    """Refuse, or warn about, a mesh whose size suggests that its unit is millimeters.

    Args:
        key: Key of the mesh file.
        path: Path of the mesh file.
        unit: Name of the key of its unit, and the unit as stated in the scenario [m]; None: not stated.
        side: Largest side of the mesh [m].
        source: Scenario file, for messages.
    """
    name, scale = unit
    shown = '.'.join(map(str, (*key[:-1], name)))
    fix = f'set {shown}, the unit of the file in meters (0.001 for millimeters, 1 for meters)'
    if side > LARGEST_MESH_M and scale is None:
        allowed = f'up to {LARGEST_MESH_M:g} m without {name}; fix: {fix}'
        raise source.error(key, f'the mesh is {rounded_text(side, 4)} m wide', allowed, path)
    if side > (DOUBTFUL_MESH_M if scale is None else LARGEST_MESH_M):
        if scale is not None:
            fix = f'set {shown}: 0.001 if the file is in millimeters; now it is {scale:g}'
        source.warn(key, f'the mesh is {rounded_text(side, 4)} m wide', fix, path)


def check_object_mesh(name: str, visual: VisualConfig, source: YamlSource) -> None:
    """Refuse the mesh of an object's visual if it cannot be read, or is absurdly large.

    Args:
        name: Name of the object.
        visual: Key ``visual`` of the object.
        source: Scenario file, for messages.

    Raises:
        InputError: With the key, and the problem of the file.
    """
    key: KeyPath = ('objects', name, 'visual', 'mesh')
    try:
        if Path(visual.mesh).suffix.lower() in ('.glb', '.gltf'):
            from regolith_sensors.scene import load_gltf

            found = load_gltf(Path(visual.mesh), visual.mesh_scale)
            triangles = found.triangles
            if found.ignored:
                problem, fix = f'images do not show {", ".join(found.ignored)}', 'none is needed'
                source.warn(key, problem, fix, visual.mesh, 'note')
        else:
            from regolith_vehicles.description import load_triangles

            triangles = load_triangles(Path(visual.mesh), visual.mesh_scale)
    except ValueError as error:
        raise source.wrap(key, error, VISUAL_MESHES, visual.mesh) from None
    scale = visual.mesh_scale if 'mesh_scale' in visual.model_fields_set else None
    side = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    _check_size(key, visual.mesh, ('mesh_scale', scale), side, source)


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
        key: KeyPath = ('obstacles', name, 'path')
        scale = config.scale if 'scale' in config.model_fields_set else None
        side = float(np.ptp(made.triangles.reshape(-1, 3), axis=0).max())
        _check_size(key, config.path, ('scale', scale), side, source)
    return scenario.terrain.model_copy(update={'obstacles': dict(scenario.obstacles)})
