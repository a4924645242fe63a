# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes of glTF 2.0 files with their materials: GLB, or glTF with its buffers and textures beside it.

The y axis of a file is up. It becomes the z axis of the body, as Blender and Gazebo read such files: (x, y, z) of the
file is (x, -z, y) of the body.

Materials become those of :class:`.Principled`: base color, metallic and roughness factors. A texture gives one color
per triangle, the mean over points of the triangle. What is left out is in :attr:`GltfMesh.ignored`.

Source: khronos2021.
Checked by: test_gltf_files.py::test_triangles_and_materials_of_a_file.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_files import usable_file
from regolith_sensors.surfaces.materials import Principled
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

SUFFIXES = ('.glb', '.gltf')
_ALLOWED = 'a GLB or glTF file of version 2.0 with triangles'
_LARGEST_BYTES, _MOST_TRIANGLES, _MOST_PIXELS, _DEEPEST = 200_000_000, 200_000, 1 << 26, 64
_FARTHEST_M = 1e6
_TYPES = {5120: 'i1', 5121: 'u1', 5122: '<i2', 5123: '<u2', 5125: '<u4', 5126: '<f4'}
_WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}
_FROM_FILE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_STEPS = 16
"""Shades of each band that triangles of a texture are rounded to."""
_INSIDE = np.array([[1, 1, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4]]) / np.array([[3.0], [6.0], [6.0], [6.0]])
"""Barycentric coordinates of the points at which a texture is read."""
_LEFT_OUT = {
    'emissiveFactor': 'emissive light',
    'emissiveTexture': 'emissive light',
    'normalTexture': 'normal textures',
    'occlusionTexture': 'occlusion textures',
}


class GltfMesh(NamedTuple):
    """Mesh of a file."""

    triangles: Floats
    """Corners in the frame of the body [m], counterclockwise from outside, shape (n, 3, 3)."""
    material: NDArray[np.int64]
    """Index of the material of each triangle, shape (n,)."""
    materials: tuple[Principled, ...]
    ignored: tuple[str, ...]
    """What the file has and images do not show, in the order of the alphabet."""


def load_gltf(path: Path, scale: float = 1.0) -> GltfMesh:
    """Return the mesh of a file with its materials.

    Args:
        path: Path of the file.
        scale: Unit of the file [m].

    Raises:
        ValueError: If it is not a valid file; names the file and the problem.

    Source: khronos2021.
    Checked by: test_gltf_files.py::test_triangles_and_materials_of_a_file,
    test_gltf_files.py::test_texture_gives_each_triangle_its_color.
    """
    file = usable_file(path, _ALLOWED, missing='no such mesh file')
    try:
        return _Reader(Path(file), scale).mesh()
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError, struct.error, RecursionError) as error:
        raise ValueError(f'{path}: is damaged: {type(error).__name__}; allowed: {_ALLOWED}') from None
    except (ValueError, OSError) as error:
        raise ValueError(f'{path}: {error}; allowed: {_ALLOWED}') from None


@dataclass(frozen=True)
class _Piece:
    """Triangles of one material."""

    corners: Floats
    """Shape (n, 3, 3)."""
    places: Floats | None
    """Places in the texture, shape (n, 3, 2)."""
    material: int
    """Index in the file; -1: none."""


class _Reader:
    """Reader of one file."""

    def __init__(self, path: Path, scale: float) -> None:
        self._path, self._scale = path, scale
        raw = self._bytes(path)
        self._chunk = b''
        if raw[:4] == b'glTF':
            raw, self._chunk = _chunks(raw)
        try:
            data = json.loads(raw.decode('utf-8'), parse_constant=_no_constant)
        except (UnicodeDecodeError, json.JSONDecodeError):
            raise ValueError('is not a glTF file') from None
        if not isinstance(data, dict) or str(data['asset']['version']).split('.')[0] != '2':
            raise ValueError('is not of version 2.0')
        if needed := sorted(set(data.get('extensionsRequired', ())) - {'KHR_texture_transform'}):
            raise ValueError(f'needs the extensions {", ".join(map(str, needed))}')
        self._data = data
        self._ignored: set[str] = set()
        self._buffers: dict[int, bytes] = {}
        self._images: dict[int, Floats] = {}

    def mesh(self) -> GltfMesh:
        """Return the mesh."""
        data = self._data
        for key in ('animations', 'skins', 'cameras'):
            if data.get(key):
                self._ignored.add(key)
        self._ignored.update(f'extension {name}' for name in data.get('extensionsUsed', ()))
        pieces: list[_Piece] = []
        scenes = data.get('scenes')
        roots = scenes[data.get('scene', 0)].get('nodes', []) if scenes else range(len(data.get('nodes', [])))
        for root in roots:
            self._walk(root, np.eye(4), pieces, 0)
        count = sum(len(piece.corners) for piece in pieces)
        if not 0 < count <= _MOST_TRIANGLES:
            raise ValueError(f'has {count} triangles; allowed: 1 to {_MOST_TRIANGLES}')
        corners = np.concatenate([piece.corners for piece in pieces]) * self._scale
        if not np.isfinite(corners).all() or np.abs(corners).max() > _FARTHEST_M:
            raise ValueError(f'has vertices that are not finite or farther than {_FARTHEST_M:g} m')
        materials: dict[Principled, int] = {}
        numbers = [self._painted(piece, materials) for piece in pieces]
        return GltfMesh(corners @ _FROM_FILE.T, np.concatenate(numbers), tuple(materials), tuple(sorted(self._ignored)))

    # -- triangles ----------------------------------------------------------------------------------------------

    def _walk(self, index: int, parent: Floats, pieces: list[_Piece], depth: int) -> None:
        """Append the triangles of a node and of its children."""
        if depth > _DEEPEST or len(pieces) > _MOST_TRIANGLES:
            raise ValueError(f'has nodes within nodes; allowed: up to {_DEEPEST} levels')
        node = self._data['nodes'][_index(index)]
        frame = parent @ _frame(node)
        if 'mesh' in node:
            primitives = self._data['meshes'][_index(node['mesh'])]['primitives']
            pieces += filter(None, (self._piece(primitive, frame) for primitive in primitives))
        for child in node.get('children', ()):
            self._walk(child, frame, pieces, depth + 1)

    def _piece(self, primitive: dict[str, Any], frame: Floats) -> _Piece | None:
        mode, attributes = primitive.get('mode', 4), primitive['attributes']
        if mode not in (4, 5, 6):
            self._ignored.add('lines and points')
            return None
        for name, what in (('COLOR_0', 'vertex colors'), ('JOINTS_0', 'skins')):
            if name in attributes:
                self._ignored.add(what)
        if primitive.get('targets'):
            self._ignored.add('morph targets')
        vertices = self._numbers(attributes['POSITION'], 3)
        corners = np.arange(len(vertices))
        if 'indices' in primitive:
            corners = self._numbers(primitive['indices'], 1)[:, 0].astype(np.int64)
        if len(corners) and corners.max() >= len(vertices):
            raise ValueError(f'a triangle has vertex {corners.max()}, but there are {len(vertices)}')
        if len(corners) > 3 * _MOST_TRIANGLES:
            raise ValueError(f'has more than {_MOST_TRIANGLES} triangles')
        faces = _faces(corners, mode)
        if np.linalg.det(frame[:3, :3]) < 0.0:
            faces = faces[:, ::-1]
        material = primitive.get('material', -1)
        places, texture = None, self._texture(material)
        if texture is not None and f'TEXCOORD_{texture[1]}' in attributes:
            places = self._numbers(attributes[f'TEXCOORD_{texture[1]}'], 2)
            if len(places) != len(vertices):
                raise ValueError('has another number of texture coordinates than of vertices')
            places = places[faces]
        placed = vertices @ frame[:3, :3].T + frame[:3, 3]
        return _Piece(placed[faces], places, material)

    def _numbers(self, index: int, width: int) -> Floats:
        """Return the values of an accessor, shape (n, width)."""
        accessor = self._data['accessors'][_index(index)]
        if accessor.get('sparse') or 'bufferView' not in accessor:
            raise ValueError('has sparse accessors')
        if _WIDTHS.get(accessor['type']) != width or accessor['componentType'] not in _TYPES:
            raise ValueError(f'has an accessor of {accessor["type"]!r} where {width} numbers are needed')
        kind, count = np.dtype(_TYPES[accessor['componentType']]), _index(accessor['count'])
        view = self._data['bufferViews'][_index(accessor['bufferView'])]
        raw = self._view(view)
        start, stride = _index(accessor.get('byteOffset', 0)), _index(view.get('byteStride', width * kind.itemsize))
        if count < 1 or stride < 1 or start + (count - 1) * stride + width * kind.itemsize > len(raw):
            raise ValueError('an accessor is larger than its buffer')
        values = np.ndarray((count, width), kind, raw, start, (stride, kind.itemsize)).astype(np.float64)
        return values / np.iinfo(kind).max if accessor.get('normalized') and kind.kind != 'f' else values

    def _view(self, view: dict[str, Any]) -> bytes:
        index = _index(view['buffer'])
        if index not in self._buffers:
            buffer = self._data['buffers'][index]
            self._buffers[index] = self._resource(buffer['uri']) if 'uri' in buffer else self._chunk
        start = _index(view.get('byteOffset', 0))
        return self._buffers[index][start : start + _index(view['byteLength'])]

    def _resource(self, uri: str) -> bytes:
        """Return the content of a data URI, or of a file in the folder of this file."""
        if uri.startswith('data:'):
            try:
                return base64.b64decode(uri.partition('base64,')[2], validate=True)
            except binascii.Error:
                raise ValueError('has a damaged data URI') from None
        other = Path(uri.replace('%20', ' '))
        if other.is_absolute() or '..' in other.parts or ':' in uri:
            raise ValueError('refers to a file outside of its folder')
        return self._bytes(self._path.parent / other)

    def _bytes(self, path: Path) -> bytes:
        file = Path(usable_file(path, _ALLOWED, missing='no such file'))
        if (size := file.stat().st_size) > _LARGEST_BYTES:
            raise ValueError(f'{path.name} has {size} bytes; allowed: up to {_LARGEST_BYTES}')
        return file.read_bytes()

    # -- materials ----------------------------------------------------------------------------------------------

    def _texture(self, material: int) -> tuple[int, int] | None:
        """Return the number of a material's color texture and that of its coordinates."""
        found = self._of(material).get('pbrMetallicRoughness', {}).get('baseColorTexture')
        return None if found is None else (_index(found['index']), _index(found.get('texCoord', 0)))

    def _of(self, material: int) -> dict[str, Any]:
        found: dict[str, Any] = self._data['materials'][_index(material)] if material != -1 else {}
        return found

    def _painted(self, piece: _Piece, materials: dict[Principled, int]) -> NDArray[np.int64]:
        """Return the materials of the triangles; new ones are added."""
        look = self._of(piece.material)
        self._ignored.update(what for key, what in _LEFT_OUT.items() if look.get(key) not in (None, [0, 0, 0]))
        if look.get('alphaMode', 'OPAQUE') != 'OPAQUE':
            self._ignored.add('transparency')
        surface = look.get('pbrMetallicRoughness', {})
        if 'metallicRoughnessTexture' in surface:
            self._ignored.add('textures of metal and roughness')
        metallic, roughness = _share(surface.get('metallicFactor', 1.0)), _share(surface.get('roughnessFactor', 1.0))
        factor = np.array([_share(part) for part in surface.get('baseColorFactor', (1.0, 1.0, 1.0, 1.0))])[:3]
        colors, of_color = factor[None], np.zeros(len(piece.corners), np.int64)
        texture = self._texture(piece.material)
        if piece.places is not None and texture is not None:
            shades = self._colors(texture[0], piece.places) * factor
            colors, of_color = np.unique(np.round(np.sqrt(shades) * _STEPS), axis=0, return_inverse=True)
            colors, of_color = (colors / _STEPS) ** 2, of_color.reshape(-1)
        found = []
        for red, green, blue in colors.tolist():
            paint = Principled((red, green, blue), max(roughness, 0.05), metallic)
            found.append(materials.setdefault(paint, len(materials)))
        return np.array(found)[of_color]

    def _colors(self, texture: int, places: Floats) -> Floats:
        """Return the mean linear colors of a texture over triangles, shape (n, 3)."""
        source = _index(self._data['textures'][texture]['source'])
        if source not in self._images:
            image = self._data['images'][source]
            view = self._data['bufferViews'][_index(image['bufferView'])] if 'bufferView' in image else None
            self._images[source] = _decoded(self._resource(image['uri']) if view is None else self._view(view))
        pixels = self._images[source]
        points = np.einsum('pk,nkc->npc', _INSIDE, places)
        if not np.isfinite(points).all():
            raise ValueError('has texture coordinates that are not finite')
        # Textures repeat; their first row is at v = 0.
        columns, rows = (np.floor((points[..., c] % 1.0) * pixels.shape[1 - c]).astype(int) for c in (0, 1))
        columns, rows = np.minimum(columns, pixels.shape[1] - 1), np.minimum(rows, pixels.shape[0] - 1)
        mean: Floats = pixels[rows, columns].mean(axis=1)
        return mean


def _no_constant(name: str) -> float:
    raise ValueError(f'contains {name}')


def _index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f'has {str(value)[:20]!r} where a number from 0 is needed')
    return value


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ValueError(f'has a factor {str(value)[:20]!r} of a material; allowed: 0 to 1')
    return float(value)


def _chunks(raw: bytes) -> tuple[bytes, bytes]:
    """Return the JSON text and the buffer of a GLB file."""
    version, _ = struct.unpack_from('<II', raw, 4)
    if version != 2:
        raise ValueError('is not of version 2.0')
    found: dict[int, bytes] = {}
    at = 12
    while at + 8 <= len(raw):
        length, kind = struct.unpack_from('<II', raw, at)
        if at + 8 + length > len(raw):
            raise ValueError('is cut off')
        found.setdefault(kind, raw[at + 8 : at + 8 + length])
        at += 8 + length
    return found[0x4E4F534A], found.get(0x004E4942, b'')


def _frame(node: dict[str, Any]) -> Floats:
    """Return the transform of a node into its parent, shape (4, 4)."""
    if 'matrix' in node:
        return np.array(node['matrix'], dtype=np.float64).reshape(4, 4).T
    quaternion = np.array(node.get('rotation', (0.0, 0.0, 0.0, 1.0)), dtype=np.float64)
    norm = float(np.linalg.norm(quaternion))
    if not norm > 0.0:
        raise ValueError('has a rotation without length')
    turn = rotation.matrix(quaternion / norm)
    out = np.eye(4)
    out[:3, :3] = turn * np.array(node.get('scale', (1.0, 1.0, 1.0)), dtype=np.float64)
    out[:3, 3] = node.get('translation', (0.0, 0.0, 0.0))
    return out


def _faces(corners: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """Return the triangles of a list (mode 4), a strip (5) or a fan (6), shape (n, 3)."""
    if mode == 4:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    k = np.arange(max(len(corners) - 2, 0))
    if mode == 6:
        return np.stack([np.full(len(k), corners[0]), corners[k + 1], corners[k + 2]], axis=1)
    return np.stack([corners[k], corners[k + 1 + k % 2], corners[k + 2 - k % 2]], axis=1)


def _decoded(raw: bytes) -> Floats:
    """Return the linear colors of a PNG or JPEG image, shape (height, width, 3)."""
    # Loading it takes a tenth of a second, and most files have no texture.
    import cv2

    pixels = cv2.imdecode(np.frombuffer(raw, np.uint8), cv2.IMREAD_COLOR) if raw else None
    if pixels is None or pixels.shape[0] * pixels.shape[1] > _MOST_PIXELS:
        raise ValueError(f'has a texture that is no PNG or JPEG image of up to {_MOST_PIXELS} pixels')
    shades = pixels[:, :, ::-1].astype(np.float64) / 255.0
    linear: Floats = np.where(shades <= 0.04045, shades / 12.92, ((shades + 0.055) / 1.055) ** 2.4)
    return linear
