# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes and materials of GLB and glTF files, their textures, and damaged files."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from regolith_sensors.scene.gltf_files import load_gltf
from regolith_sensors.scene.object_layer import OBSTACLES, ObjectLayer
from regolith_sensors.scene.scene import Scene
from regolith_sensors.surfaces.materials import Principled
from regolith_world.cycle import ObjectVisual

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
"""In the plane of x and y of the file, which is upright."""
PLACES = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32)
FACES = np.array([0, 1, 2, 0, 2, 3], np.uint16)


def document(**changes: Any) -> dict[str, Any]:
    """Return a file with a square of two triangles, whose buffer is a data URI."""
    parts = [SQUARE.tobytes(), PLACES.tobytes(), FACES.tobytes()]
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    uri = 'data:application/octet-stream;base64,' + base64.b64encode(b''.join(parts)).decode()
    surface = {'baseColorFactor': [0.5, 0.25, 0.125, 1.0], 'metallicFactor': 0.75, 'roughnessFactor': 0.4}
    return {
        'asset': {'version': '2.0'},
        'buffers': [{'byteLength': starts[-1], 'uri': uri}],
        'bufferViews': [
            {'buffer': 0, 'byteOffset': start, 'byteLength': len(part)} for start, part in zip(starts, parts)
        ],
        'accessors': [
            {'bufferView': 0, 'componentType': 5126, 'count': 4, 'type': 'VEC3'},
            {'bufferView': 1, 'componentType': 5126, 'count': 4, 'type': 'VEC2'},
            {'bufferView': 2, 'componentType': 5123, 'count': 6, 'type': 'SCALAR'},
        ],
        'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'TEXCOORD_0': 1}, 'indices': 2, 'material': 0}]}],
        'nodes': [{'mesh': 0}],
        'materials': [{'pbrMetallicRoughness': surface}],
        **changes,
    }


def written(tmp_path: Path, data: Any) -> Path:
    path = tmp_path / 'a.gltf'
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_triangles_and_materials_of_a_file(tmp_path: Path) -> None:
    """The y axis of the file is up; nodes move, turn and scale; factors become those of the material."""
    half = np.sqrt(0.5).item()
    nodes = [
        {'children': [1], 'translation': [0.0, 0.0, 3.0], 'scale': [2.0, 2.0, 2.0]},
        {'mesh': 0, 'rotation': [0.0, half, 0.0, half]},
    ]
    found = load_gltf(written(tmp_path, document(nodes=nodes, scene=0, scenes=[{'nodes': [0]}])), 0.5)
    # A turn of 90 deg about y takes x to -z. Then twice as large, 3 m along z, and half of all; at last (x, -z, y).
    corners = np.array([[0.0, -1.5, 0.0], [0.0, -0.5, 0.0], [0.0, -0.5, 1.0], [0.0, -1.5, 1.0]])
    np.testing.assert_allclose(found.triangles, corners[FACES.reshape(2, 3)], atol=1e-12)
    assert found.materials == (Principled((0.5, 0.25, 0.125), 0.4, 0.75),) and found.material.tolist() == [0, 0]
    assert found.ignored == ()


def test_glb_is_the_same_as_gltf(tmp_path: Path) -> None:
    data = document()
    raw = base64.b64decode(data['buffers'][0].pop('uri').partition('base64,')[2])
    raw += b'\0' * (-len(raw) % 4)
    text = json.dumps(data).encode()
    text += b' ' * (-len(text) % 4)
    chunks = struct.pack('<II', len(text), 0x4E4F534A) + text + struct.pack('<II', len(raw), 0x004E4942) + raw
    path = tmp_path / 'a.GLB'
    path.write_bytes(b'glTF' + struct.pack('<II', 2, 12 + len(chunks)) + chunks)
    one, other = load_gltf(path), load_gltf(written(tmp_path, document()))
    np.testing.assert_array_equal(one.triangles, other.triangles)
    assert one.materials == other.materials


def test_texture_gives_each_triangle_its_color(tmp_path: Path) -> None:
    """Red below the diagonal, blue above it, in sRGB; the factor multiplies linear values."""
    pixels = np.zeros((64, 64, 3), np.uint8)
    rows, columns = np.mgrid[:64, :64]
    # Rows of the image go down from v = 0; OpenCV writes blue, green, red.
    pixels[columns > 63 - rows] = (0, 0, 188)
    pixels[columns < 63 - rows] = (255, 0, 0)
    (tmp_path / 'skin.png').write_bytes(cv2.imencode('.png', pixels)[1].tobytes())
    data = document(textures=[{'source': 0}], images=[{'uri': 'skin.png'}])
    data['materials'] = [{'pbrMetallicRoughness': {'baseColorTexture': {'index': 0}, 'metallicFactor': 0.0}}]
    found = load_gltf(written(tmp_path, data))
    low, high = (found.materials[n] for n in found.material)
    # 188 of sRGB is 0.503; colors are rounded to sixteenths of their square roots.
    assert low.color == pytest.approx((0.503, 0.0, 0.0), abs=0.05) and high.color == (0.0, 0.0, 1.0)
    assert low.metallic == 0.0 and low.roughness == 1.0


def test_what_images_do_not_show_is_named(tmp_path: Path) -> None:
    data = document(animations=[{}], extensionsUsed=['KHR_lights_punctual'])
    data['materials'][0] |= {'emissiveFactor': [1, 0, 0], 'alphaMode': 'BLEND', 'normalTexture': {'index': 0}}
    found = load_gltf(written(tmp_path, data))
    expected = ('animations', 'emissive light', 'extension KHR_lights_punctual', 'normal textures', 'transparency')
    assert found.ignored == expected


def test_an_object_has_the_materials_of_its_file(tmp_path: Path, flat_scene: Callable[..., Scene]) -> None:
    """Without a color of the object; a color paints all of it."""
    path = str(written(tmp_path, document()))
    scene = flat_scene()
    layer = ObjectLayer(scene)
    layer.add(ObjectVisual('a', mesh=path))
    assert Principled((0.5, 0.25, 0.125), 0.4, 0.75) in scene._materials
    layer.add(ObjectVisual('b', mesh=path, color=np.array([0.3, 0.2, 0.1])))
    assert Principled((0.3, 0.2, 0.1), OBSTACLES['metal'].roughness) in scene._materials


def _without(key: str) -> dict[str, Any]:
    data = document()
    del data[key]
    return data


def _accessor(**changes: Any) -> dict[str, Any]:
    data = document()
    data['accessors'][0] |= changes
    return data


def _factor(**changes: Any) -> dict[str, Any]:
    data = document()
    data['materials'][0]['pbrMetallicRoughness'] |= changes
    return data


@pytest.mark.parametrize(
    ('data', 'problem'),
    [
        ('', 'is not a glTF file'),
        ('[1, 2]', 'is not of version 2.0'),
        ('{"asset": {"version": NaN}}', 'contains NaN'),
        (document(asset={'version': '1.0'}), 'is not of version 2.0'),
        (_without('meshes'), 'is damaged: KeyError'),
        (_without('nodes'), 'has 0 triangles'),
        (document(nodes=[{'mesh': 7}]), 'is damaged: IndexError'),
        (document(nodes=[{'mesh': -1}]), "has '-1' where a number from 0 is needed"),
        (document(nodes=[{'mesh': 0, 'children': [0]}]), 'has nodes within nodes'),
        (document(nodes=[{'mesh': 0, 'scale': [1e30, 1.0, 1.0]}]), 'not finite or farther'),
        (document(nodes=[{'mesh': 0, 'rotation': [0, 0, 0, 0]}]), 'has a rotation without length'),
        (document(nodes=[{'mesh': 0, 'matrix': [1, 2]}]), 'reshape'),
        (document(extensionsRequired=['KHR_draco_mesh_compression']), 'needs the extensions KHR_draco'),
        (document(buffers=[{'byteLength': 9, 'uri': '../../etc/passwd'}]), 'outside of its folder'),
        (document(buffers=[{'byteLength': 9, 'uri': 'data:x;base64,%%'}]), 'has a damaged data URI'),
        (document(buffers=[{'byteLength': 9, 'uri': 'no.bin'}]), 'no such file'),
        (_accessor(count=5_000_000_000), 'an accessor is larger than its buffer'),
        (_accessor(count=2), 'a triangle has vertex 3, but there are 2'),
        (_accessor(type='VEC2'), 'where 3 numbers are needed'),
        (_accessor(byteOffset=-4), "has '-4'"),
        (_factor(metallicFactor=2.0), "has a factor '2.0' of a material; allowed: 0 to 1"),
        (_factor(baseColorFactor=['x', 0, 0, 1]), "has a factor 'x'"),
        (_factor(baseColorTexture={'index': 0}), 'is damaged: KeyError'),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, data: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=r'a\.gltf: .*allowed: a GLB or glTF file') as error:
        load_gltf(written(tmp_path, data))
    assert problem in str(error.value)
