#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the lander of the challenge scenarios: ``./regolith exec python3 tools/make_challenge_lander.py``.

Places and widths of the fiducials are those of the Lunar Autonomy Challenge, the rest of the lander is invented. Its
origin is on the ground, z is up. Fiducials are tags 36h11 of OpenCV, one rectangle for each run of black cells on a
white plate.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FILE = Path(__file__).resolve().parents[1] / 'src/regolith_bringup/config/scenarios/lac_lander.glb'
MATERIALS = {
    'foil': ((0.32, 0.22, 0.08), 0.0, 0.45),
    'metal': ((0.16, 0.155, 0.15), 0.3, 0.6),
    'white': ((0.45, 0.45, 0.44), 0.0, 0.9),
    'black': ((0.02, 0.02, 0.02), 0.0, 0.9),
}
"""Color, metallic factor and roughness."""
TAG_M, CHARGER_TAG_M = 0.339, 0.253
"""Widths of the black square of fiducials."""
FACE_M, ASIDE_M, HEIGHTS_M = 1.033, 0.691, (0.894, 0.412)
CHARGER = (0.0, 1.452, 0.509)
"""Antenna that charges the rover [m]."""
BLACK_ABOVE_M = 0.002
"""Distance of black cells from their plate, which keeps rays apart."""


def box(half: tuple[float, float, float], center: tuple[float, float, float]) -> Floats:
    """Return the triangles of a box, shape (12, 3, 3)."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half + center
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return np.array([corners[[q[a], q[b], q[c]]] for q in quads for a, b, c in ((0, 1, 2), (0, 2, 3))])


def strut(start: Floats, end: Floats, half_m: float) -> Floats:
    """Return a square strut between two points."""
    along = (end - start) / np.linalg.norm(end - start)
    side = np.cross(along, [0.0, 0.0, 1.0] if abs(along[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(along, side), along])
    unit = box((half_m, half_m, 0.5 * float(np.linalg.norm(end - start))), (0.0, 0.0, 0.0))
    return unit @ axes + 0.5 * (start + end)


def tag(number: int, width: float, center: tuple[float, float, float], facing: float) -> dict[str, Floats]:
    """Return the triangles of a fiducial by material; ``facing`` is the azimuth of its normal from x toward y [rad]."""
    normal = np.array([np.cos(facing), np.sin(facing), 0.0])
    across = np.array([-np.sin(facing), np.cos(facing), 0.0])  # to the right for a viewer, whose view is -normal
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    black = cv2.aruco.generateImageMarker(family, number, 8) == 0
    cell = width / 8.0

    def rectangle(left: float, right: float, top: float, bottom: float, out: float) -> Floats:
        """Return two triangles in cells from the upper left corner."""
        points = [
            np.array(center) + out * normal + (u - 4.0) * cell * across + (4.0 - v) * cell * np.array([0.0, 0.0, 1.0])
            for u, v in ((left, bottom), (right, bottom), (right, top), (left, top))
        ]
        return np.array([[points[a] for a in (0, 1, 2)], [points[a] for a in (0, 2, 3)]])

    cells = []
    for row in range(8):
        column = 0
        while column < 8:
            if not black[row, column]:
                column += 1
                continue
            end = column
            while end < 8 and black[row, end]:
                end += 1
            cells.append(rectangle(column, end, row, row + 1, BLACK_ABOVE_M))
            column = end
    return {'white': rectangle(-1.0, 9.0, -1.0, 9.0, 0.0), 'black': np.concatenate(cells)}


def lander() -> dict[str, Floats]:
    """Return the triangles of the lander by material."""
    found: dict[str, list[Floats]] = {name: [] for name in MATERIALS}
    found['foil'].append(box((1.02, 1.02, 0.50), (0.0, 0.0, 0.72)))
    found['metal'] += [box((0.9, 0.9, 0.05), (0.0, 0.0, 1.27)), box((0.35, 0.35, 0.12), (0.0, 0.0, 0.14))]
    for sx in (-1.0, 1.0):
        for sy in (-1.0, 1.0):
            foot = np.array([1.35 * sx, 1.35 * sy, 0.0])
            found['metal'].append(strut(np.array([0.95 * sx, 0.95 * sy, 0.9]), foot, 0.03))
            found['metal'].append(box((0.16, 0.16, 0.15), (1.35 * sx, 1.35 * sy, -0.10)))
    found['metal'].append(strut(np.array([0.5, 0.5, 1.3]), np.array([0.5, 0.5, 2.1]), 0.015))
    found['metal'].append(strut(np.array([0.0, 1.0, 0.509]), np.array([0.0, CHARGER[1] - 0.04, 0.509]), 0.02))
    found['metal'].append(box((0.05, 0.04, 0.05), (0.0, CHARGER[1] - 0.04, CHARGER[2])))
    number = 0
    for turn in range(4):
        angle = 0.5 * np.pi * turn
        for aside in (-ASIDE_M, ASIDE_M):
            for height in HEIGHTS_M:
                x, y = FACE_M * np.cos(angle) - aside * np.sin(angle), FACE_M * np.sin(angle) + aside * np.cos(angle)
                for name, triangles in tag(number, TAG_M, (float(x), float(y), height), angle).items():
                    found[name].append(triangles)
                number += 1
    for name, triangles in tag(number, CHARGER_TAG_M, (0.0, FACE_M, 0.9), 0.5 * np.pi).items():
        found[name].append(triangles)
    return {name: np.concatenate(parts) for name, parts in found.items()}


def write_glb(parts: dict[str, Floats], path: Path) -> None:
    """Write triangles by material as glTF 2.0, whose y axis is up: (x, y, z) is written as (x, z, -y)."""
    data, accessors, views, primitives = b'', [], [], []
    for number, triangles in enumerate(parts.values()):
        points = np.ascontiguousarray(triangles.reshape(-1, 3)[:, [0, 2, 1]] * (1.0, 1.0, -1.0), dtype='<f4')
        views.append({'buffer': 0, 'byteOffset': len(data), 'byteLength': points.nbytes})
        limits = {'min': points.min(axis=0).tolist(), 'max': points.max(axis=0).tolist()}
        accessors.append({'bufferView': number, 'componentType': 5126, 'count': len(points), 'type': 'VEC3', **limits})
        primitives.append({'attributes': {'POSITION': number}, 'material': number})
        data += points.tobytes()
    materials = [
        {
            'name': name,
            'pbrMetallicRoughness': {
                'baseColorFactor': [*MATERIALS[name][0], 1.0],
                'metallicFactor': MATERIALS[name][1],
                'roughnessFactor': MATERIALS[name][2],
            },
        }
        for name in parts
    ]
    head = {
        'asset': {'version': '2.0'},
        'scene': 0,
        'scenes': [{'nodes': [0]}],
        'nodes': [{'mesh': 0}],
        'meshes': [{'primitives': primitives}],
        'materials': materials,
        'accessors': accessors,
        'bufferViews': views,
        'buffers': [{'byteLength': len(data)}],
    }
    text = json.dumps(head, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(data)
    path.write_bytes(
        struct.pack('<4sII', b'glTF', 2, size)
        + struct.pack('<I4s', len(text), b'JSON')
        + text
        + struct.pack('<I4s', len(data), b'BIN\0')
        + data
    )


def main() -> None:
    """Write the file."""
    parts = lander()
    write_glb(parts, FILE)
    print(f'{FILE}: {sum(len(each) for each in parts.values())} triangles, {FILE.stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
