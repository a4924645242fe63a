# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain and layers as serialized visualization_msgs/MarkerArray.

A mesh with some thousand vertices takes 0.1 s as Python messages, and 1 ms as bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.view.terrain_mesh import MeshPiece
from regolith_files import ViewMarks
from regolith_world.ros import cdr

Floats = NDArray[np.float64]

GROUND_TOPIC, LAYERS_TOPIC = 'view/terrain', 'view/layers'
"""Topic names in namespace ``/regolith``."""
TYPE = 'visualization_msgs/msg/MarkerArray'

_LINE_STRIP, _SPHERE_LIST, _TEXT, _TRIANGLES = 4, 7, 9, 11
_ADD, _DELETE_ALL = 0, 3
_FRAME = 'world'
_STAMP, _COUNT, _BYTE = struct.Struct('<iI'), struct.Struct('<i'), struct.Struct('<B')
_REALS, _COLOR, _TIME = np.dtype('<f8'), np.dtype('<f4'), struct.Struct('<iI')
_POINT_M = 0.04
"""Diameter of a point and width of a line of 1 px [m]."""
_TEXT_M = 0.35
_OBJECT = (0.77, 0.66, 0.47)
"""Color of objects."""


class Markers:
    """MarkerArray under construction.

    Args:
        t_ns: Time of all markers [ns].
        clear: Whether to remove all earlier markers first.
    """

    def __init__(self, t_ns: int, *, clear: bool = False) -> None:
        self._stamp = divmod(t_ns, 10**9)
        self._clear = clear
        self._made: list[tuple[str, int, int, tuple[float, float, float], Floats, Floats, str]] = []

    def mesh(self, piece: MeshPiece, triangles: NDArray[np.uint32]) -> None:
        """Add a piece of the terrain mesh."""
        corners = triangles.reshape(-1).astype(np.int64)
        points = piece.vertices[corners].astype(np.float64)
        colors = np.ones((len(corners), 4))
        colors[:, :3] = piece.colors[corners] / 255.0
        self._made.append(('ground', _number(piece.name), _TRIANGLES, (1.0, 1.0, 1.0), points, colors, ''))

    def body(self, name: str, corners: Floats) -> None:
        """Add an object of the world with the corners of its triangles [m], shape (n, 3)."""
        colors = np.tile([*_OBJECT, 1.0], (len(corners), 1))
        self._made.append(('objects', _number(name), _TRIANGLES, (1.0, 1.0, 1.0), corners, colors, ''))

    def marks(self, layer: str, marks: Iterable[ViewMarks]) -> None:
        """Add the marks of a layer."""
        for k, mark in enumerate(marks):
            points = np.asarray(mark.points, dtype=np.float64).reshape(-1, 3)
            if not len(points) or (mark.joined and len(points) < 2):
                continue
            rgb = [int(mark.color[n : n + 2], 16) / 255.0 for n in (1, 3, 5)]
            colors = np.tile([*rgb, 1.0], (len(points), 1))
            size = _POINT_M * mark.size * (0.5 if mark.joined else 1.0)
            kind = _LINE_STRIP if mark.joined else _SPHERE_LIST
            self._made.append((layer, 2 * k, kind, (size, size, size), points, colors, ''))
            if mark.label:
                place = points[-1:] + (0.0, 0.0, _TEXT_M)
                self._made.append((layer, 2 * k + 1, _TEXT, (0.0, 0.0, _TEXT_M), place, colors[:1], mark.label))

    def serialized(self) -> bytes:
        """Return the serialized message."""
        writer = cdr.Writer()
        writer.count(len(self._made) + self._clear)
        nothing = np.zeros((0, 3))
        if self._clear:
            self._marker(writer, '', 0, _SPHERE_LIST, (1.0, 1.0, 1.0), nothing, np.zeros((0, 4)), '', _DELETE_ALL)
        for marker in self._made:
            self._marker(writer, *marker)
        return bytes(writer.data)

    def _marker(
        self,
        writer: cdr.Writer,
        space: str,
        number: int,
        kind: int,
        scale: Sequence[float],
        points: Floats,
        colors: Floats,
        text: str,
        action: int = _ADD,
    ) -> None:
        """Write the fields of a Marker in their order."""
        is_text = kind == _TEXT
        writer.pack(_STAMP, 4, *self._stamp)
        writer.text(_FRAME)
        writer.text(space)
        for value in (number, kind, action):
            writer.pack(_COUNT, 4, value)
        place = points[0] if is_text else (0.0, 0.0, 0.0)
        writer.fixed(np.array([*place, 0.0, 0.0, 0.0, 1.0, *scale], _REALS).tobytes(), 8)
        own = colors[0] if len(colors) else (1.0, 1.0, 1.0, 1.0)
        writer.fixed(np.asarray(own, _COLOR).tobytes(), 4)
        writer.pack(_TIME, 4, 0, 0)  # lifetime: unlimited
        writer.pack(_BYTE, 1, 0)  # not locked to its frame
        for table, layout, size in ((points, _REALS, 8), (colors, _COLOR, 4)):
            table = table[:0] if is_text else table
            writer.count(len(table))
            if len(table):
                writer.fixed(np.ascontiguousarray(table, layout).tobytes(), size)
        writer.text('')  # texture_resource
        writer.pack(_STAMP, 4, 0, 0)  # texture: header, format, data
        writer.text('')
        writer.text('')
        writer.count(0)
        writer.count(0)  # uv_coordinates
        writer.text(text)
        writer.text('')  # mesh_resource
        writer.text('')  # mesh_file: filename, data
        writer.count(0)
        writer.pack(_BYTE, 1, 0)  # mesh_use_embedded_materials


def _number(name: str) -> int:
    """Return the marker id of a piece, which depends only on its name."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF
