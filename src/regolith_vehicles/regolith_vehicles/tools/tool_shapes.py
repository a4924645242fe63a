# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Sizes of tools, from their section or from the closed surface of a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_files import rounded_text, without_file_name
from regolith_terrain.contact import refuse_unless_solid
from regolith_vehicles.description.mesh_files import LARGEST_PART_M, load_triangles
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.description.tool_config import ToolConfig
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]


class ToolShape(NamedTuple):
    """Size of a tool, and position of its edge or axle in its body frame."""

    width: float
    """Width along the edge or axle [m]."""
    radius: float
    """Radius of a drum's circle of lips [m]; 0 for other tools."""
    offset: Vector
    """Middle of the edge or axle [m], shape (3,)."""
    frame: Vector
    """Axes as columns: x ahead, y along the edge, shape (3, 3)."""


def tool_shape(config: ToolConfig, folder: Path) -> ToolShape:
    """Return the shape of a tool.

    Args:
        config: Configuration of the tool.
        folder: Folder to which the mesh's path refers.

    Raises:
        ValueError: If the mesh cannot be read, is open, or its faces are oriented inward.
    """
    x, y, z, w = config.orientation
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.array([w, x, y, z]))
    frame: Vector = matrix.reshape(3, 3)
    offset = np.array(config.position)
    if config.mesh is None:
        assert config.width_m is not None
        return ToolShape(config.width_m, config.radius_m or 0.0, offset, frame)
    corners = load_triangles(folder / config.mesh, config.mesh_scale)
    refuse_unless_solid(corners)
    points = corners.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    side = float((high - low).max())
    if side > LARGEST_PART_M:
        allowed = f'up to {LARGEST_PART_M:g} m; fix: set mesh_scale, 0.001 for millimeters'
        raise ValueError(f'has a mesh that is {rounded_text(side, 4)} m wide; allowed: {allowed}')
    middle = 0.5 * (low + high)
    if config.kind == 'drum':
        radius = float(np.hypot(points[:, 0], points[:, 2]).max())
        return ToolShape(
            float(high[1] - low[1]), radius, offset + portable_math.times(frame, [0.0, middle[1], 0.0]), frame
        )
    lowest = points[points[:, 2] <= low[2] + 1e-6 * (high[2] - low[2])]
    edge = np.array([lowest[:, 0].max(), middle[1], low[2]])
    width = float(np.ptp(lowest[:, 1]))
    if not width > 0.0:
        raise ValueError('has no edge at its lowest line; allowed: a surface whose lowest line is an edge along y')
    return ToolShape(width, 0.0, offset + portable_math.times(frame, edge), frame)


def shape_of(name: str, config: ToolConfig, folder: Path, where: str | Path) -> ToolShape:
    """Return the shape of a named tool.

    Args:
        name: Name of the tool.
        config: Configuration of the tool.
        folder: Folder to which the mesh's path refers.
        where: Vehicle's file.

    Raises:
        VehicleModelError: If the shape is invalid; names the key.
    """
    try:
        return tool_shape(config, folder)
    except ValueError as error:
        text = without_file_name(str(error), str(folder / (config.mesh or '')))
        problem, _, allowed = text.partition('; allowed: ')
        raise VehicleModelError(where, f'tools.{name}.mesh', config.mesh, allowed, problem) from None
