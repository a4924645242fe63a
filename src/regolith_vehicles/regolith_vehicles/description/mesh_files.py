# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Validation and reading of mesh files, with file and line in errors; MuJoCo reads most formats.

Errors do not quote the content: a scenario can name any file, and errors are also sent to other machines.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_files import counted_noun, rounded_text, usable_file, without_file_name
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_world.numerics import portable_math

Vector = NDArray[np.float64]

ALLOWED = 'an OBJ, STL or MSH file'
LARGEST_BYTES = 200_000_000
MOST_TRIANGLES = 200_000
"""Maximum number of triangles that MuJoCo accepts in a binary STL."""
FARTHEST_M = 1e6
"""Maximum distance of a mesh's vertices from its origin [m]: a hundred times the largest obstacle."""
LARGEST_PART_M = 20.0
"""Size up to which meshes of tools and MJCF files are accepted for any vehicle [m]."""

_HEAD, _FACET = 84, 50
"""Size of a binary STL before its triangles, and of each triangle [B]."""
_MESH_XML = """<mujoco><asset><mesh name="m" file="{file}" scale="{scale} {scale} {scale}" inertia="shell"/></asset>
<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>"""
_BUILT = (
    ('orient', 'its triangles do not all face outward or all inward'),
    ('volume', 'its triangles enclose no volume'),
    ('area', 'its triangles have no area'),
    ('inertia', 'its triangles are too thin for a moment of inertia'),
    ('normal', 'not all of its faces name their normals'),
    ('coplanar', 'its points lie in one plane'),
    ('hull', 'its points lie in one plane or line'),
)
"""Problems of a mesh, by words in MuJoCo's error message."""


def load_triangles(path: Path, scale: float = 1.0) -> Vector:
    """Return the triangles of a mesh file [m], shape (k, 3, 3), in the file's own frame.

    MuJoCo reads OBJ, binary STL and MSH and centers the mesh on its inertia; this is reverted here. ASCII STL, which
    MuJoCo does not read, is read here.

    Args:
        path: Path of the mesh file.
        scale: Unit of the file [m].

    Raises:
        ValueError: If the file is not a valid mesh; names the file and the problem.
    """
    written = check_mesh(path, scale)
    if written is not None:
        return written * scale
    try:
        model = mujoco.MjModel.from_xml_string(_MESH_XML.format(file=path.resolve(), scale=scale))
    except ValueError as error:
        raise ValueError(f'{path}: {built_problem(str(error))}; allowed: {ALLOWED} of a solid') from error
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    corners = portable_math.times(model.mesh_vert, turn.reshape(3, 3).T) + model.mesh_pos[0]
    triangles: Vector = corners[np.asarray(model.mesh_face)]
    return triangles


def built_problem(text: str) -> str:
    """Return the problem of a mesh whose file was checked, from MuJoCo's error message."""
    return next((ours for word, ours in _BUILT if word in text), 'is not a mesh that MuJoCo can use')


def check_mesh(path: Path, scale: float = 1.0) -> Vector | None:
    """Refuse a file that is not a mesh; return the triangles of an ASCII STL as written, shape (k, 3, 3), else None.

    Args:
        path: Path of the mesh file.
        scale: Unit of the file [m].

    Raises:
        ValueError: If the file is not a valid mesh; names the file, the line for text formats, and the problem.
    """
    kind = path.suffix.lower()
    if kind not in ('.obj', '.stl', '.msh'):
        usable_file(path, ALLOWED, missing='no such mesh file')
        raise ValueError(f'{path}: does not have the name extension of a mesh; allowed: {ALLOWED}')
    file = usable_file(path, ALLOWED, missing='no such mesh file')
    if (size := os.path.getsize(file)) > LARGEST_BYTES:
        raise ValueError(f'{path}: has {size} bytes; allowed: up to {LARGEST_BYTES}')
    raw = file.read_bytes()
    if not raw:
        raise ValueError(f'{path}: is empty; allowed: {ALLOWED}')
    most = FARTHEST_M / scale
    if kind == '.stl' and (written := ascii_stl(path, raw, most)) is not None:
        return written
    {'.obj': _check_obj, '.stl': _check_stl, '.msh': _check_msh}[kind](path, raw, most)
    return None


def ascii_stl(path: Path, raw: bytes, most: float) -> Vector | None:
    """Return the triangles of an ASCII STL file as written, shape (k, 3, 3); None if it is not one.

    Binary files can also start with ``solid``; their length matches the number of triangles in them.

    Args:
        path: Path of the mesh file.
        raw: Content of the file.
        most: Maximum coordinate.

    Raises:
        ValueError: If the file is invalid; names the file, the line and the problem.
    """
    if not raw[:512].lstrip().lower().startswith(b'solid') or b'\0' in raw[:512]:
        return None
    if len(raw) >= _HEAD and len(raw) == _HEAD + _FACET * int.from_bytes(raw[80:84], 'little'):
        return None
    corners: list[list[float]] = []
    facets = 0
    for number, words in _lines(raw):
        key = words[0].lower()
        facets += key == 'facet'
        if key == 'vertex':
            corners.append(_vertex(path, number, words[1:], most, exactly=True))
    if not corners or len(corners) != 3 * facets:
        problem = f'{len(corners)} {"vertex" if len(corners) == 1 else "vertices"} in {counted_noun(facets, "facet")}'
        raise ValueError(f'{path}: {problem} of an ASCII STL; allowed: one facet or more, of three vertices each')
    return np.array(corners).reshape(-1, 3, 3)


def _lines(raw: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each nonempty line."""
    for number, line in enumerate(raw.decode('utf-8', errors='replace').splitlines(), 1):
        if words := line.split():
            yield number, words


def _vertex(path: Path, number: int, words: list[str], most: float, *, exactly: bool = False) -> list[float]:
    """Return the three coordinates of a vertex.

    Args:
        path: Path of the mesh file.
        number: Line of the file.
        words: Words of the line.
        most: Maximum coordinate.
        exactly: Whether additional numbers are refused; OBJ can append weights and colors.
    """
    try:
        place = [float(word) for word in words[:3]]
    except ValueError:
        place = []
    if len(place) != 3 or (exactly and len(words) > 3) or not all(map(math.isfinite, place)):
        allowed = f'{"vertex" if exactly else "v"} X Y Z, finite numbers'
        raise ValueError(f'{path}:{number}: is not a vertex; allowed: {allowed}')
    if max(map(abs, place)) > most:
        raise ValueError(f'{path}:{number}: {_too_far(most)}')
    return place


def _too_far(most: float) -> str:
    return (
        f'a vertex is more than {FARTHEST_M:g} m from the origin; allowed: coordinates up to {most:g} at this scale; '
        f'fix: set the scale of the mesh, 0.001 for millimeters'
    )


def _check_obj(path: Path, raw: bytes, most: float) -> None:
    """Refuse an OBJ with lines of vertices or faces that MuJoCo would read as zeros or ignore."""
    vertices, faces, highest, highest_at = 0, 0, 0, 0
    for number, words in _lines(raw):
        if words[0] == 'v':
            _vertex(path, number, words[1:], most)
            vertices += 1
        elif words[0] == 'f':
            allowed = 'allowed: f A B C ..., vertex numbers'
            try:
                corners = [int(word.partition('/')[0]) for word in words[1:]]
            except ValueError:
                corners = []
            if len(corners) < 3 or 0 in corners:
                raise ValueError(f'{path}:{number}: is not a face; {allowed}')
            if -min(corners) > vertices:
                raise ValueError(f'{path}:{number}: a face refers to a vertex before the first; {allowed}')
            if max(corners) > highest:
                highest, highest_at = max(corners), number
            faces += 1
    if highest > vertices:
        problem = f'a face has vertex {highest}, but the file has {vertices}'
        raise ValueError(f'{path}:{highest_at}: {problem}; allowed: 1 to {vertices}')
    _check_counts(path, vertices, faces)


def _check_counts(path: Path, vertices: int, faces: int) -> None:
    """Refuse a mesh with fewer vertices or faces than a solid has; the smallest solid is a tetrahedron."""
    if vertices < 4 or faces < 1:
        found = f'{vertices} {"vertex" if vertices == 1 else "vertices"} and {counted_noun(faces, "face")}'
        raise ValueError(f'{path}: has {found}; allowed: 4 vertices or more, joined by faces')


def _check_stl(path: Path, raw: bytes, most: float) -> None:
    """Refuse a binary STL that is truncated, or has invalid coordinates."""
    allowed = f'allowed: an STL with 1 to {MOST_TRIANGLES} triangles'
    if len(raw) < _HEAD:
        raise ValueError(f'{path}: is neither an ASCII nor a binary STL: it ends within the header; {allowed}')
    count = int.from_bytes(raw[80:84], 'little')
    if not 1 <= count <= MOST_TRIANGLES:
        found = f'more than {MOST_TRIANGLES}' if count else 'no'
        raise ValueError(f'{path}: is not an ASCII STL, and its header has {found} triangles; {allowed}')
    if len(raw) != (wanted := _HEAD + _FACET * count):
        found = f'{counted_noun(count, "triangle")}, {wanted} bytes, but the file has {len(raw)} bytes'
        raise ValueError(f'{path}: its header has {found}; {allowed}, complete')
    record = np.dtype([('normal', '<f4', 3), ('corners', '<f4', 9), ('more', '<u2')])
    _check_places(path, np.frombuffer(raw, record, count, _HEAD)['corners'], most, 'triangle')


def _check_msh(path: Path, raw: bytes, most: float) -> None:
    """Refuse a file that is not MuJoCo's binary MSH.

    The format has the numbers of vertices, normals, texture points and faces, then the arrays.
    """
    counts = [int(n) for n in np.frombuffer(raw, '<i4', 4)] if len(raw) >= 16 else [-1]
    wanted = 16 + 4 * sum(n * each for n, each in zip(counts, (3, 3, 2, 3), strict=False))
    if min(counts) < 0 or wanted != len(raw):
        raise ValueError(
            f"{path}: is not MuJoCo's binary MSH: its length does not match its header; allowed: {ALLOWED}"
        )
    _check_counts(path, counts[0], counts[3])
    _check_places(path, np.frombuffer(raw, '<f4', 3 * counts[0], 16).reshape(-1, 3), most, 'vertex')
    faces = np.frombuffer(raw, '<i4', 3 * counts[3], len(raw) - 12 * counts[3])
    if faces.min() < 0 or faces.max() >= counts[0]:
        raise ValueError(f'{path}: a face has a vertex that does not exist; allowed: 0 to {counts[0] - 1}')


def _check_places(path: Path, places: NDArray[np.float32], most: float, what: str) -> None:
    """Refuse coordinates that are not finite or too far from the origin; shape (n, any number)."""
    wrong = np.flatnonzero(~np.isfinite(places).all(axis=1))
    if wrong.size:
        problem = f'{what} {int(wrong[0]) + 1} has a coordinate that is not finite'
        raise ValueError(f'{path}: {problem}; allowed: finite numbers')
    far = np.flatnonzero((np.abs(places) > most).any(axis=1))
    if far.size:
        raise ValueError(f'{path}: {what} {int(far[0]) + 1}: {_too_far(most)}')


def check_assets(mjcf_path: str | Path) -> None:
    """Refuse files in an MJCF file that do not exist, are not files, or are not meshes, before MuJoCo opens them.

    Args:
        mjcf_path: Path of the MJCF file.

    Raises:
        VehicleModelError: If a file is invalid; names the element, the file and the problem.
    """
    try:
        spec = mujoco.MjSpec.from_file(str(mjcf_path))
    except ValueError:
        return  # MuJoCo's compiler reports the line
    folder = Path(mjcf_path).parent
    meshes = [('mesh', mesh, spec.meshdir) for mesh in spec.meshes]
    others = [('texture', texture, spec.texturedir) for texture in spec.textures]
    others += [('hfield', field, spec.meshdir) for field in spec.hfields]
    for kind, asset, given in (*meshes, *others):
        if not asset.file:
            continue
        name = Path(asset.file).name if spec.strippath else asset.file
        path = folder / given / name
        try:
            if kind != 'mesh' or asset.content_type:
                usable_file(path, f'the file of a {kind}')
            elif check_mesh(path, float(np.abs(asset.scale).max()) or 1.0) is not None:
                raise ValueError(f'{path}: is an ASCII STL; allowed: OBJ, MSH or binary STL in MJCF files')
        except ValueError as error:
            problem, _, allowed = without_file_name(str(error), str(path)).partition('; allowed: ')
            key = f'{kind} {asset.name or Path(asset.file).stem}'
            raise VehicleModelError(mjcf_path, key, asset.file, allowed, problem) from None


def check_mesh_sizes(model: Any, mjcf_path: str | Path) -> None:
    """Refuse meshes of an MJCF file that are much larger than the vehicle, such as meshes in millimeters.

    The vehicle's size is that of its skeleton: the farthest origin of a body, or edge of a shape that is not a mesh.
    The limit is five times this size, as for ground shapes, and at least 20 m, as for tools. Meshes in millimeters of
    parts smaller than 2 cm are not detected.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        mjcf_path: Path of the MJCF file.

    Raises:
        VehicleModelError: If a mesh is too large; names the mesh, its size and the remedy.
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    is_mesh = model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)
    if not is_mesh.any() or model.nbody < 2:
        return
    origin = data.xpos[1]
    reach = np.sqrt(((data.xpos[1:] - origin) ** 2).sum(axis=1)).max()
    moved = ~is_mesh & (model.geom_bodyid > 0)
    if moved.any():
        out = np.sqrt(((data.geom_xpos[moved] - origin) ** 2).sum(axis=1)) + model.geom_rbound[moved]
        reach = max(reach, out.max())
    most = max(LARGEST_PART_M, 5.0 * float(reach))
    for k in np.flatnonzero(is_mesh):
        side = 2.0 * float(model.geom_aabb[k, 3:].max())
        if side > most:
            mesh = model.mesh(int(model.geom_dataid[k])).name
            problem = (
                f'is {rounded_text(side, 4)} m wide, on a vehicle that extends to {rounded_text(float(reach), 3)} m'
            )
            allowed = f'up to {rounded_text(most, 3)} m; fix: set its scale, "0.001 0.001 0.001" for millimeters'
            raise VehicleModelError(mjcf_path, f'mesh {mesh}', None, allowed, problem)
