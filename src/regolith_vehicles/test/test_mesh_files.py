# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of mesh files: format, size, unit and error messages."""

from __future__ import annotations

import os
from pathlib import Path

import mujoco
import numpy as np
import pytest

from regolith_vehicles.description.mesh_files import (
    MOST_TRIANGLES,
    built_problem,
    check_assets,
    check_mesh,
    check_mesh_sizes,
    load_triangles,
)
from regolith_vehicles.description.model_files import VehicleModelError

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
SECRET = 'root:x:0:0:secret:/root:/bin/sh\n'


def binary_stl(corners: np.ndarray = CORNERS, count: int | None = None) -> bytes:
    record = np.zeros(len(FACES), dtype=[('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('more', '<u2')])
    record['corners'] = corners[FACES]
    return bytes(80) + (len(FACES) if count is None else count).to_bytes(4, 'little') + record.tobytes()


def msh(faces: np.ndarray = FACES) -> bytes:
    counts = np.array([len(CORNERS), 0, 0, len(faces)], '<i4')
    return counts.tobytes() + CORNERS.astype('<f4').tobytes() + faces.astype('<i4').tobytes()


def changed(corner: int, value: float) -> np.ndarray:
    corners = CORNERS.copy()
    corners[corner, 0] = value
    return corners


@pytest.mark.parametrize(
    ('name', 'content', 'problem'),
    [
        ('passwd', SECRET, ': does not have the name extension of a mesh; allowed: an OBJ, STL or MSH file'),
        ('a.stl', '', ': is empty; allowed'),
        ('a.obj', '', ': is empty; allowed'),
        ('a.stl', SECRET, ': is neither an ASCII nor a binary STL'),
        ('a.stl', 9 * SECRET, ': is not an ASCII STL, and its header has more than 200000 triangles'),
        (
            'a.stl',
            binary_stl(count=4_000_000_000),
            'header has more than 200000 triangles; allowed: an STL with 1 to 200000',
        ),
        ('a.stl', binary_stl(count=0), 'header has no triangles'),
        ('a.stl', binary_stl()[:-1], ': its header has 4 triangles, 284 bytes, but the file has 283'),
        ('a.stl', binary_stl(count=1), ': its header has 1 triangle, 134 bytes, but the file has 284'),
        ('a.stl', binary_stl(changed(3, np.nan)), ': triangle 2 has a coordinate that is not finite'),
        ('a.stl', binary_stl(changed(3, 1e30)), ': triangle 2: a vertex is more than 1e+06 m from the origin'),
        ('a.stl', 'solid a\nfacet\nvertex 0 0 1e300\n', ':3: a vertex is more than 1e+06 m from the origin'),
        ('a.obj', SECRET, ': has 0 vertices and 0 faces; allowed: 4 vertices or more, joined by faces'),
        ('a.obj', OBJ + 'v a 0 0\n', ':9: is not a vertex; allowed: v X Y Z, finite numbers'),
        ('a.obj', OBJ + 'v 0 0\n', ':9: is not a vertex'),
        ('a.obj', OBJ + 'v 0 nan 0\n', ':9: is not a vertex'),
        ('a.obj', OBJ + 'v 0 -2e6 0\n', ':9: a vertex is more than'),
        ('a.obj', OBJ + 'f 1 2\n', ':9: is not a face; allowed: f A B C ...'),
        ('a.obj', OBJ + 'f 1 2 x\n', ':9: is not a face; allowed: f A B C ...'),
        ('a.obj', OBJ + 'f 0 1 2\n', ':9: is not a face; allowed: f A B C ...'),
        ('a.obj', OBJ + 'f -5 1 2\n', ':9: a face refers to a vertex before the first'),
        ('a.obj', OBJ + 'f 9/1 1/1 2/1\n', ':9: a face has vertex 9, but the file has 4; allowed: 1 to 4'),
        ('a.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', ': has 3 vertices and 1 face; allowed: 4 vertices or more'),
        ('a.msh', SECRET, ": is not MuJoCo's binary MSH"),
        ('a.msh', b'short', ": is not MuJoCo's binary MSH"),
        ('a.msh', msh()[:-4], ": is not MuJoCo's binary MSH"),
        ('a.msh', msh(FACES + 1), ': a face has a vertex that does not exist; allowed: 0 to 3'),
    ],
)
def test_invalid_mesh_is_named_with_line_and_not_quoted(
    tmp_path: Path, name: str, content: str | bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ValueError) as caught:
        load_triangles(tmp_path / name)
    text = str(caught.value)
    assert text.startswith(f'{tmp_path / name}') and problem in text, text
    assert len(text.splitlines()) == 1 and text.count('; allowed: ') == 1
    assert not any(word in text for word in ('secret', 'root:', 'Element', 'decoder'))


@pytest.mark.parametrize(('name', 'content'), [('a.obj', OBJ.encode()), ('a.stl', binary_stl()), ('a.msh', msh())])
def test_valid_meshes_of_each_format_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    found = load_triangles(tmp_path / name, 2.0)
    # MuJoCo keeps single precision, and rotates the mesh and back.
    assert np.sort(found.ravel()) == pytest.approx(np.sort(2.0 * CORNERS[FACES].ravel()), abs=2e-6)


def test_relative_faces_weights_and_colors_are_read(tmp_path: Path) -> None:
    lines = OBJ.replace('v 1 0 0', 'v 1 0 0 1.0 0.5 0.5 0.5').replace('f 2 3 4', 'f -3 -2 -1')
    (tmp_path / 'a.obj').write_text(f'# made\no part\n\n{lines}')
    assert check_mesh(tmp_path / 'a.obj') is None and len(load_triangles(tmp_path / 'a.obj')) == 4


def test_vertex_limit_applies_in_meters(tmp_path: Path) -> None:
    """3000 km in millimeters are 3 km."""
    (tmp_path / 'a.obj').write_text(OBJ + 'v 3e6 0 0\n')
    assert check_mesh(tmp_path / 'a.obj', 1e-3) is None
    with pytest.raises(ValueError, match=r'allowed: coordinates up to 1e\+06 at this scale; fix: .* 0\.001 for mil'):
        check_mesh(tmp_path / 'a.obj')


def test_flat_mesh_is_refused_with_own_message(tmp_path: Path) -> None:
    (tmp_path / 'a.obj').write_text(OBJ.replace('v 0 0 1', 'v 1 1 0'))
    with pytest.raises(
        ValueError, match=rf'^{tmp_path}/a\.obj: its [^\n]*; allowed: an OBJ, STL or MSH file of a solid$'
    ):
        load_triangles(tmp_path / 'a.obj')


def test_incomplete_normals_are_refused_with_own_message(tmp_path: Path) -> None:
    (tmp_path / 'a.obj').write_text(OBJ.replace('f 2 3 4', 'f 2//1 3//1 4//1') + 'vn 0 0 1\n')
    with pytest.raises(ValueError, match=r'a\.obj: not all of its faces name their normals; allowed: '):
        load_triangles(tmp_path / 'a.obj')


def test_mujoco_mesh_errors_are_translated() -> None:
    assert 'face outward' in built_problem("Error: faces of mesh 'm' have inconsistent orientation. Element name 'm'")
    assert 'no volume' in built_problem('Error: mesh volume is too small: m . Try setting inertia to shell')
    assert built_problem('Error: unknown') == 'is not a mesh that MuJoCo can use'
    assert MOST_TRIANGLES == 200_000  # The bound in the message text of MuJoCo.


def model(folder: Path, assets: str, scale: str = '1 1 1') -> Path:
    path = folder / 'own.xml'
    path.write_text(
        f'<mujoco><compiler meshdir="parts"/><asset>{assets.format(scale=scale)}</asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="hull" mass="9"/><body pos="1 0 0"><joint/><geom type="sphere" size="0.2"/></body></body>'
        '</worldbody></mujoco>'
    )
    return path


def test_files_of_mjcf_models_are_checked_before_mujoco_opens_them(tmp_path: Path) -> None:
    (tmp_path / 'parts').mkdir()
    os.mkfifo(tmp_path / 'parts' / 'pipe.obj')
    (tmp_path / 'parts' / 'bad.obj').write_text(OBJ + 'v a 0 0\n')
    (tmp_path / 'parts' / 'text.stl').write_text('solid a\nfacet\nvertex 0 0 1\nvertex 0 1 0\nvertex 1 0 0\n')
    (tmp_path / 'parts' / 'good.obj').write_text(OBJ)
    for file, problem in (
        ('pipe.obj', 'is a pipe, not a regular file'),
        ('gone.obj', 'no such mesh file'),
        ('bad.obj', 'line 9: is not a vertex'),
        ('text.stl', 'is an ASCII STL; allowed: OBJ, MSH or binary STL in MJCF files'),
    ):
        path = model(tmp_path, f'<mesh name="hull" file="{file}"/>')
        with pytest.raises(VehicleModelError, match=rf"own\.xml: mesh hull = '{file}': {problem}[^\n]*$"):
            check_assets(path)
    check_assets(model(tmp_path, '<mesh name="hull" file="good.obj"/>'))
    with pytest.raises(VehicleModelError, match=r"own\.xml: texture sky = 'none\.png': no such file"):
        check_assets(
            model(tmp_path, '<mesh name="hull" file="good.obj"/><texture name="sky" type="2d" file="none.png"/>')
        )


def test_meshes_of_mjcf_models_in_millimeters_are_refused_with_their_size(tmp_path: Path) -> None:
    (tmp_path / 'parts').mkdir()
    (tmp_path / 'parts' / 'hull.obj').write_text(
        '\n'.join(
            [f'v {600 * x} {600 * y} {600 * z}' for x, y, z in CORNERS]
            + [f'f {a + 1} {b + 1} {c + 1}' for a, b, c in FACES]
        )
    )
    asset = '<mesh name="hull" file="hull.obj" scale="{scale}" inertia="shell"/>'
    path = model(tmp_path, asset)
    with pytest.raises(
        VehicleModelError, match=r'mesh hull: is \d{3}(\.\d)? m wide, on a vehicle .* fix: set its scale, "0\.001'
    ):
        check_mesh_sizes(mujoco.MjModel.from_xml_path(str(path)), path)
    path = model(tmp_path, asset, '0.001 0.001 0.001')
    check_mesh_sizes(mujoco.MjModel.from_xml_path(str(path)), path)
