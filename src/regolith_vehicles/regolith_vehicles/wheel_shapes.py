# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The shapes in which a vehicle's wheels meet the soil."""

from __future__ import annotations

import math
import os
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain import scm
from regolith_vehicles.model_config import WheelConfig
from regolith_world.arithmetic import norm, times

Vector = NDArray[np.float64]

_MESH_XML = """<mujoco><asset><mesh name="m" file="{file}" scale="{scale} {scale} {scale}" inertia="shell"/></asset>
<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>"""


def wheel_shape(wheel: WheelConfig, folder: Path) -> scm.Shapes:
    """Return the shape of one wheel in its own frame; a mesh has that of the body, all others the axle along y.

    :param folder: from which the mesh's path starts
    :raises ValueError: if the values do not make a shape, or the mesh cannot be read
    """
    if wheel.mesh is not None:
        triangles = load_triangles(folder / wheel.mesh, wheel.mesh_scale)
        reach = math.sqrt(float((triangles * triangles).sum(axis=2).max()))
        expected = math.hypot(wheel.radius_m, 0.5 * wheel.width_m)
        if not 0.2 * expected <= reach <= 5.0 * expected:
            raise ValueError(
                f'{folder / wheel.mesh}: reaches {reach:.4g} m from its origin, where radius_m and width_m make '
                f'{expected:.4g}; allowed: a fifth to five times of it; fix: set mesh_scale, 0.001 for millimeters'
            )
        return scm.mesh(triangles)
    if wheel.grousers is not None:
        g = wheel.grousers
        make = scm.grousered_wheel if g.one_by_one else scm.cylinder
        return make(wheel.radius_m, wheel.width_m, g.count, g.height_m, g.thickness_m)
    return scm.cylinder(wheel.radius_m, wheel.width_m)


def load_triangles(path: Path, scale: float = 1.0) -> Vector:
    """Return the triangles of a mesh file [m], shape (k, 3, 3), in the file's own frame.

    MuJoCo reads it (OBJ, binary STL or MSH) and centres it on its inertia; that is undone here. STL in ASCII, which it
    does not read, is read here.

    :param scale: of the file's unit [m]
    :raises ValueError: naming the file and what is wrong with it
    """
    if not os.path.isfile(path):
        raise ValueError(f'{path}: no such mesh file; allowed: an OBJ, STL or MSH file')
    if path.suffix.lower() == '.stl' and (written := ascii_stl(path)) is not None:
        return written * scale
    try:
        model = mujoco.MjModel.from_xml_string(_MESH_XML.format(file=path.resolve(), scale=scale))
    except ValueError as error:
        raise ValueError(f'{path}: {" ".join(str(error).split())}; allowed: an OBJ, STL or MSH file') from error
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    corners = times(model.mesh_vert, turn.reshape(3, 3).T) + model.mesh_pos[0]
    triangles: Vector = corners[np.asarray(model.mesh_face)]
    return triangles


def ascii_stl(path: Path) -> Vector | None:
    """Return the triangles of an STL file in ASCII as written, shape (k, 3, 3); None if it is not one.

    Binary files may begin with ``solid``, too: theirs is the length that the number of triangles in them demands.

    :raises ValueError: naming the file, the line and what is wrong with it
    """
    raw = path.read_bytes()
    if not raw[:512].lstrip().lower().startswith(b'solid') or b'\0' in raw[:512]:
        return None
    if len(raw) >= 84 and len(raw) == 84 + 50 * int.from_bytes(raw[80:84], 'little'):
        return None
    corners: list[list[float]] = []
    facets = 0
    for number, line in enumerate(raw.decode('utf-8', errors='replace').splitlines(), 1):
        words = line.split()
        key = words[0].lower() if words else ''
        if key == 'facet':
            facets += 1
        if key != 'vertex':
            continue
        try:
            place = [float(word) for word in words[1:]]
        except ValueError:
            place = []
        if len(place) != 3 or not all(map(math.isfinite, place)):
            raise ValueError(f'{path}:{number}: {line.strip()[:80]!r}: is no vertex; allowed: vertex X Y Z')
        corners.append(place)
    if not corners or len(corners) != 3 * facets:
        problem = f'{len(corners)} vertices in {facets} facets of an ASCII STL'
        raise ValueError(f'{path}: {problem}; allowed: one facet or more, of three vertices each')
    return np.array(corners).reshape(-1, 3, 3)


def axle_frame(axis: Vector) -> Vector:
    """Return the rotation, shape (3, 3), by the least angle from +y to a wheel's axle in its body's frame."""
    y = np.array([0.0, 1.0, 0.0])
    a = np.asarray(axis, dtype=np.float64)
    a = a / norm(a)
    if np.array_equal(a, y):
        return np.eye(3)
    quaternion, matrix = np.empty(4), np.empty(9)
    across = np.cross(y, a)
    sine = norm(across)
    # Opposite axes: half a turn about x.
    direction = across / sine if sine > 1e-12 else np.array([1.0, 0.0, 0.0])
    mujoco.mju_axisAngle2Quat(quaternion, direction, math.atan2(sine, a[1]))
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)
