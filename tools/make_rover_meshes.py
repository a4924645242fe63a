#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the meshes of wheel and bucket drums of the rovers: ``python3 tools/make_rover_meshes.py``.

The wheel has a thin rim with chevron grousers and six bent spokes. The bucket drum has scoops along its length. The
axle is along y. Contact with soil uses other shapes, those of the vehicles' YAML files. An exception is the scoop drum,
whose surface touches particles.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DATA = Path(__file__).parents[1] / 'src' / 'regolith_vehicles' / 'regolith_vehicles' / 'data'
Floats = NDArray[np.float64]
Solid = tuple[Floats, list[tuple[int, ...]]]
"""Vertices [m], shape (n, 3), and faces, counterclockwise seen from outside."""


def strip(sections: Floats, closed: bool) -> Solid:
    """Return a bar through cross-sections of equally many corners, ordered around the axis seen from the far end.

    Args:
        sections: Corners [m], shape (sections, corners, 3).
        closed: Whether the last section is connected to the first. False: both ends are faces.
    """
    count, corners, _ = sections.shape
    faces: list[tuple[int, ...]] = []
    for s in range(count if closed else count - 1):
        a, b = s * corners, (s + 1) % count * corners
        faces += [(a + c, a + (c + 1) % corners, b + (c + 1) % corners, b + c) for c in range(corners)]
    if not closed:
        faces += [tuple(range(corners - 1, -1, -1)), tuple(range((count - 1) * corners, count * corners))]
    return sections.reshape(-1, 3), faces


def polar(radius: float, angle: float, y: float) -> tuple[float, float, float]:
    """Return a point at a radius [m] and an angle [rad] about the axle: x = r cos, z = r sin."""
    return radius * math.cos(angle), y, radius * math.sin(angle)


def ring(profile: list[tuple[float, float]], sides: int) -> Solid:
    """Return the solid of revolution of a closed profile (radius, y) [m], counterclockwise with radius to the right."""
    turns = -2.0 * math.pi * np.arange(sides) / sides
    return strip(np.array([[polar(r, t, y) for r, y in profile] for t in turns]), closed=True)


def plate(inner: float, outer: float, thickness: float, path: list[tuple[float, float]]) -> Solid:
    """Return a plate on a drum along a path of (angle [rad], y [m]) with rising y."""
    half = 0.5 * thickness / outer
    corners = [
        [polar(inner, a - half, y), polar(outer, a - half, y), polar(outer, a + half, y), polar(inner, a + half, y)]
        for a, y in path
    ]
    return strip(np.array(corners)[:, ::-1], closed=False)


def spoke(path: list[tuple[float, float]], thickness: float, half_width: float) -> Solid:
    """Return a flat bar across the wheel's plane along a path of (radius [m], angle [rad])."""
    points = np.array([polar(r, a, 0.0) for r, a in path])
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    aside = np.cross(along, (0.0, 1.0, 0.0)) * 0.5 * thickness
    y = np.array([0.0, half_width, 0.0])
    corners = [points - aside - y, points + aside - y, points + aside + y, points - aside + y]
    return strip(np.stack(corners, axis=1), closed=False)


def rover_wheel(radius: float, half_width: float, chevrons: int = 24) -> list[Solid]:
    """Return a rim of 4 mm under chevrons of 9 mm, with a stiffening ring, six spokes and a hub."""
    height = 0.009
    top, edge = radius - height, radius - height - 0.012
    tread = [(edge, -half_width), (top, -0.6 * half_width), (top, 0.6 * half_width), (edge, half_width)]
    rim = ring([*tread, *((r - 0.004, y) for r, y in tread[::-1])], 72)
    flange = ring([(edge - 0.030, 0.18), (edge, 0.18), (edge, 0.186), (edge - 0.030, 0.186)], 72)
    parts = [rim, flange]
    bend = 0.5 * 2.0 * math.pi / chevrons
    for k in range(chevrons):
        start = 2.0 * math.pi * k / chevrons
        places = [(-0.92, 0.0), (-0.25, 0.0), (0.0, bend), (0.25, 0.0), (0.92, 0.0)]
        parts.append(plate(edge - 0.006, radius, 0.006, [(start + a, f * half_width) for f, a in places]))
    for k in range(6):
        start = 2.0 * math.pi * k / 6
        path = [(0.055 + (edge - 0.058) * f, start + 0.75 * f * f) for f in np.linspace(0.0, 1.0, 6).tolist()]
        parts.append(spoke(path, 0.007, 0.045))
    parts.append(ring([(0.02, -0.07), (0.062, -0.07), (0.062, 0.07), (0.02, 0.07)], 24))
    return parts


def bucket_drum(radius: float, half_length: float, rows: int, scoops: int = 4) -> list[Solid]:
    """Return a drum in sections, each with scoops at angles shifted from those of its neighbors."""
    shell = radius - 0.045
    parts = [ring([(0.03, -half_length), (shell, -half_length), (shell, half_length), (0.03, half_length)], 48)]
    wide = 2.0 * half_length / rows
    for row in range(rows):
        low, high = -half_length + row * wide + 0.006, -half_length + (row + 1) * wide - 0.006
        for k in range(scoops):
            start = 2.0 * math.pi * (k / scoops + row / (rows * scoops))
            # The lip protrudes ahead of the opening. The back slopes down to the shell.
            back = [(shell - 0.004, start + 0.80), (shell + 0.022, start + 0.45), (radius, start)]
            under = [(radius - 0.006, start), (shell + 0.012, start + 0.45), (shell - 0.010, start + 0.80)]
            profile = [*back, *under]
            corners = np.array([[polar(r, a, y) for r, a in profile] for y in (low, high)])
            parts.append(strip(corners, closed=False))
            for y in (low, high - 0.004):
                cheek = [(shell - 0.004, 0.02), (radius - 0.003, 0.02), (shell + 0.018, 0.45), (shell - 0.004, 0.78)]
                sides = [[polar(r, start + a, v) for r, a in cheek] for v in (y, y + 0.004)]
                parts.append(strip(np.array(sides)[:, ::-1], closed=False))
    low, high = shell - 0.02, shell + 0.012
    for end in (-half_length, half_length - 0.012):
        parts += [ring([(low, end), (high, end), (high, end + 0.012), (low, end + 0.012)], 48)]
    return parts


def scoop_drum(radius: float, half_length: float, thickness: float = 0.02, scoops: int = 2) -> list[Solid]:
    """Return a hollow drum of bent plates between two discs, with a wide opening ahead of each lip.

    Each plate runs from the lip, backward along the shell, to a guard that leans inward over the opening behind. Soil
    passes between the guard and the next plate. The guard holds it while the drum scoops, and leads it out in reverse.
    Walls and openings are wide enough for particles of 20 mm: the narrowest passage is 90 mm wide.
    """
    shell, opening, pitch = radius - 0.04, 1.25, 2.0 * math.pi / scoops
    parts = []
    for k in range(scoops):
        start = k * pitch
        arc = [(shell, -start - opening - f * (pitch - opening - 0.16)) for f in np.linspace(0.0, 1.0, 12).tolist()]
        guard = [(0.062, -start - 0.30), (0.098, -start - 0.95)]
        lip = [(radius - 0.008, -start - pitch)]
        parts.append(spoke([*guard, *arc, *lip], thickness, half_length - thickness - 0.0005))
    for side in (-half_length, half_length - thickness):
        ends = [(0.002, side), (shell + 0.01, side), (shell + 0.01, side + thickness), (0.002, side + thickness)]
        parts.append(ring(ends, 48))
    return parts


def outward(solid: Solid) -> Solid:
    """Return a solid with faces counterclockwise seen from outside, by the sign of its volume."""
    vertices, faces = solid
    volume = sum(
        float(np.dot(vertices[f[0]], np.cross(vertices[f[i]], vertices[f[i + 1]])))
        for f in faces
        for i in range(1, len(f) - 1)
    )
    return solid if volume > 0.0 else (vertices, [f[::-1] for f in faces])


def write(path: Path, parts: list[Solid], what: str) -> None:
    """Write solids as one OBJ file."""
    lines = [
        f'# {what}; written by tools/make_rover_meshes.py',
        '# Copyright 2026 Regolith contributors',
        '# SPDX-License-Identifier: Apache-2.0',
    ]
    start = 1
    for vertices, faces in map(outward, parts):
        lines += ['v ' + ' '.join(f'{x:.4f}' for x in v) for v in vertices + 0.0]
        lines += ['f ' + ' '.join(str(start + k) for k in face) for face in faces]
        start += len(vertices)
    path.write_text('\n'.join(lines) + '\n')
    print(path, path.stat().st_size)


if __name__ == '__main__':
    write(DATA / 'rocker_bogie' / 'wheel.obj', rover_wheel(0.25, 0.20), 'Wheel of 0.25 m radius and 0.40 m width')
    drum = bucket_drum(0.20, 0.155, rows=3)
    write(DATA / 'rassor' / 'drum.obj', drum, 'Bucket drum of 0.20 m radius and 0.31 m length')
    drum = scoop_drum(0.20, 0.35)
    write(DATA / 'rassor' / 'scoop_drum.obj', drum, 'Scoop drum of 0.20 m radius and 0.70 m length')
