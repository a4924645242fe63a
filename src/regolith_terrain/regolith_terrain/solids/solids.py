# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Static solids of a scenario: convex polyhedra, indexed by lattice cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats
from regolith_terrain.solids.polyhedron import Polyhedron
from regolith_world.numerics import kernel, portable_math

Indices = NDArray[np.int64]

_CELL_M = 1.0
_MOST_CELLS = 512
"""Largest number of cells along one axis; cells are wider where solids cover a larger area."""


class ShapeLibrary(NamedTuple):
    """Shapes of all solids, concatenated."""

    vertices: Floats
    """Vertices, shape (n, 3)."""
    first_vertex: Indices
    """First vertex of each shape, and the end, shape (shapes + 1,); the next two are equivalent."""
    triangles: Indices
    """Corners of the facets, counterclockwise from outside, counted within the shape, shape (m, 3)."""
    first_triangle: Indices
    normals: Floats
    """Outward unit normals of the facets, shape (m, 3)."""
    samples: Floats
    """Points at which boxes are checked, shape (k, 3)."""
    first_sample: Indices


class PlacedSolids(NamedTuple):
    """All n solids in the world."""

    shape: Indices
    """Number of the shape, shape (n,)."""
    middle: Floats
    """Position of the shape's origin [m], shape (n, 3)."""
    axes: Floats
    """Axes of the shape in the world as columns, scaled to the unit of the shape [m], shape (n, 3, 3)."""
    friction: Floats
    """Coulomb friction coefficient of the solid, shape (n,)."""
    box: Floats
    """Bounding box: smallest x, y, z and largest [m], shape (n, 6)."""


class SolidCells(NamedTuple):
    """Numbers of the solids that extend into each cell of a lattice."""

    west: float
    south: float
    width: float
    """Corner of the lattice and width of a cell [m]."""
    rows: int
    columns: int
    """Number of cells along x and y."""
    start: Indices
    """First entry of each cell and the end, shape (rows * columns + 1,)."""
    member: Indices
    """Numbers of solids, ascending within a cell."""


class NearbySolids(NamedTuple):
    """Solids in the world that parts of a vehicle may contact in a cycle."""

    number: Indices
    """Numbers of the solids, ascending, shape (n,)."""
    box: Floats
    """Bounding box: smallest x, y, z and largest [m], shape (n, 6)."""
    friction: Floats
    """Coulomb friction coefficient, shape (n,)."""
    vertices: Floats
    """Vertices [m], shape (v, 3)."""
    first_vertex: Indices
    """First vertex of each solid, and the end, shape (n + 1,); the next two are equivalent."""
    triangles: Indices
    """Corners of the facets, rows of ``vertices``, shape (m, 3)."""
    first_triangle: Indices
    planes: Floats
    """Outward unit normals of the facets, and their distances from the origin along these [m], shape (m, 4)."""
    samples: Floats
    """Points at which boxes are checked [m], shape (k, 3)."""
    first_sample: Indices


_NO_NUMBERS = np.zeros(0, dtype=np.int64)
_ONE = np.zeros(1, dtype=np.int64)
NOTHING_NEAR = NearbySolids(
    _NO_NUMBERS,
    np.zeros((0, 6)),
    np.zeros(0),
    np.zeros((0, 3)),
    _ONE,
    np.zeros((0, 3), dtype=np.int64),
    _ONE,
    np.zeros((0, 4)),
    np.zeros((0, 3)),
    _ONE,
)


@dataclass(frozen=True, slots=True)
class Solid:
    """A solid to be placed."""

    shape: int
    """Number of its shape."""
    middle: Floats
    """Position of its origin [m], shape (3,)."""
    axes: Floats
    """See :attr:`PlacedSolids.axes`, shape (3, 3)."""
    friction: float
    overhead: bool = False
    """Whether vehicles stand under it, not on it."""


class Solids:
    """Static solids, equal in all processes of a scenario."""

    def __init__(self, shapes: Sequence[Polyhedron], placed: Sequence[Solid]) -> None:
        """Index the solids by the cells they occupy.

        Args:
            shapes: Shapes of the solids.
            placed: One or more solids; their numbers are their positions here.
        """
        self.library = ShapeLibrary(
            np.concatenate([shape.vertices for shape in shapes]),
            np.cumsum([0, *(len(shape.vertices) for shape in shapes)]),
            np.concatenate([shape.triangles for shape in shapes]),
            np.cumsum([0, *(len(shape.triangles) for shape in shapes)]),
            np.concatenate([shape.normals for shape in shapes]),
            np.concatenate([shape.samples for shape in shapes]),
            np.cumsum([0, *(len(shape.samples) for shape in shapes)]),
        )
        box = np.empty((len(placed), 6))
        for solid, row in zip(placed, box, strict=True):
            points = portable_math.times(shapes[solid.shape].vertices, solid.axes.T) + solid.middle
            row[:3], row[3:] = points.min(axis=0), points.max(axis=0)
        self.placed = PlacedSolids(
            np.array([solid.shape for solid in placed], dtype=np.int64),
            np.array([solid.middle for solid in placed]),
            np.array([solid.axes for solid in placed]),
            np.array([solid.friction for solid in placed]),
            box,
        )
        self.cells = _cells(box)
        self._overhead = np.array([solid.overhead for solid in placed], dtype=np.bool_)

    def __len__(self) -> int:
        """Return the number of solids."""
        return len(self.placed.shape)

    def near(self, numbers: Indices) -> NearbySolids:
        """Return selected solids in the world."""
        made: NearbySolids = _near(self.library, self.placed, numbers)
        return made

    def tops(self, x: Floats, y: Floats, levels: Floats) -> Floats:
        """Return the height at which a vertical line from above hits a solid or the surface [m], shape (n,).

        Solids overhead, such as roofs, do not count.

        Args:
            x: Positions along x [m], shape (n,).
            y: Positions along y [m], shape (n,).
            levels: Heights of the surface there [m], shape (n,).
        """
        out = np.array(levels, dtype=np.float64)
        for k, (px, py) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            around = _in_cell(self.cells, px, py)
            around = around[~self._overhead[around]]
            if len(around):
                out[k] = _top(self.near(around), px, py, float(out[k]))
        return out


def _cells(box: Floats) -> SolidCells:
    west, south = box[:, 0].min(), box[:, 1].min()
    long, wide = box[:, 3].max() - west, box[:, 4].max() - south
    width = max(_CELL_M, max(long, wide) / _MOST_CELLS)
    rows, columns = int(long / width) + 1, int(wide / width) + 1
    first = ((box[:, :2] - (west, south)) / width).astype(np.int64)
    last = ((box[:, 3:5] - (west, south)) / width).astype(np.int64)
    start, member = _filled(first, np.minimum(last, (rows - 1, columns - 1)), rows, columns)
    return SolidCells(float(west), float(south), float(width), rows, columns, start, member)


@kernel
def _filled(first: Indices, last: Indices, rows: int, columns: int) -> tuple[Indices, Indices]:
    """Return start and members of all cells."""
    start = np.zeros(rows * columns + 1, dtype=np.int64)
    for n in range(first.shape[0]):
        for r in range(first[n, 0], last[n, 0] + 1):
            for c in range(first[n, 1], last[n, 1] + 1):
                start[r * columns + c + 1] += 1
    for cell in range(rows * columns):
        start[cell + 1] += start[cell]
    member = np.empty(start[-1], dtype=np.int64)
    filled = start[:-1].copy()
    for n in range(first.shape[0]):
        for r in range(first[n, 0], last[n, 0] + 1):
            for c in range(first[n, 1], last[n, 1] + 1):
                cell = r * columns + c
                member[filled[cell]] = n
                filled[cell] += 1
    return start, member


@kernel
def _touches(box: Floats, x: float, y: float, z: float, radius: float) -> bool:
    """Return whether a sphere touches a box."""
    dx = max(box[0] - x, x - box[3], 0.0)
    dy = max(box[1] - y, y - box[4], 0.0)
    dz = max(box[2] - z, z - box[5], 0.0)
    near: bool = dx * dx + dy * dy + dz * dz <= radius * radius
    return near


@kernel
def solids_within(cells: SolidCells, box: Floats, balls: Floats) -> tuple[Indices, NDArray[np.bool_]]:
    """Return the numbers of solids whose boxes any sphere touches, ascending, and which spheres touch any.

    Args:
        cells: Lattice of the solids.
        box: Bounding boxes of all solids: smallest x, y, z and largest [m], shape (n, 6).
        balls: x, y, z and radius of the spheres [m], shape (k, 4).
    """
    met = np.zeros(balls.shape[0], dtype=np.bool_)
    found = np.empty(16, dtype=np.int64)
    count = 0
    for b in range(balls.shape[0]):
        x, y, z, radius = balls[b, 0], balls[b, 1], balls[b, 2], balls[b, 3]
        # Far from all solids: the lattice may be far away, and indices must not overflow.
        west, south = (x - radius - cells.west) / cells.width, (y - radius - cells.south) / cells.width
        east, north = (x + radius - cells.west) / cells.width, (y + radius - cells.south) / cells.width
        if not (east >= 0.0 and north >= 0.0 and west < cells.rows and south < cells.columns):
            continue
        r0, c0 = int(max(west, 0.0)), int(max(south, 0.0))
        r1, c1 = int(min(east, cells.rows - 1.0)), int(min(north, cells.columns - 1.0))
        for r in range(r0, r1 + 1):
            for c in range(c0, c1 + 1):
                cell = r * cells.columns + c
                for k in range(cells.start[cell], cells.start[cell + 1]):
                    number = cells.member[k]
                    if not _touches(box[number], x, y, z, radius):
                        continue
                    met[b] = True
                    at = count  # insert in order, unless present
                    while at > 0 and found[at - 1] >= number:
                        at -= 1
                    if at < count and found[at] == number:
                        continue
                    if count == found.shape[0]:
                        more = np.empty(2 * count, dtype=np.int64)
                        more[:count] = found
                        found = more
                    for move in range(count, at, -1):
                        found[move] = found[move - 1]
                    found[at] = number
                    count += 1
    return found[:count].copy(), met


@kernel
def _in_cell(cells: SolidCells, x: float, y: float) -> Indices:
    """Return the solids that extend into the cell of a position."""
    row, column = math.floor((x - cells.west) / cells.width), math.floor((y - cells.south) / cells.width)
    if not (0.0 <= row < cells.rows and 0.0 <= column < cells.columns):
        return np.zeros(0, dtype=np.int64)
    cell = int(row) * cells.columns + int(column)
    return cells.member[cells.start[cell] : cells.start[cell + 1]].copy()


@kernel
def _near(library: ShapeLibrary, placed: PlacedSolids, numbers: Indices) -> NearbySolids:
    """Return selected solids in the world."""
    count = numbers.shape[0]
    first_vertex = np.zeros(count + 1, dtype=np.int64)
    first_triangle = np.zeros(count + 1, dtype=np.int64)
    first_sample = np.zeros(count + 1, dtype=np.int64)
    for n in range(count):
        s = placed.shape[numbers[n]]
        first_vertex[n + 1] = first_vertex[n] + library.first_vertex[s + 1] - library.first_vertex[s]
        first_triangle[n + 1] = first_triangle[n] + library.first_triangle[s + 1] - library.first_triangle[s]
        first_sample[n + 1] = first_sample[n] + library.first_sample[s + 1] - library.first_sample[s]
    vertices, samples = np.empty((first_vertex[count], 3)), np.empty((first_sample[count], 3))
    triangles, planes = np.empty((first_triangle[count], 3), dtype=np.int64), np.empty((first_triangle[count], 4))
    box, friction = np.empty((count, 6)), np.empty(count)
    for n in range(count):
        number = numbers[n]
        s = placed.shape[number]
        middle, axes = placed.middle[number], placed.axes[number]
        box[n] = placed.box[number]
        friction[n] = placed.friction[number]
        _moved(
            library.vertices,
            library.first_vertex[s],
            library.first_vertex[s + 1],
            middle,
            axes,
            vertices,
            first_vertex[n],
        )
        _moved(
            library.samples,
            library.first_sample[s],
            library.first_sample[s + 1],
            middle,
            axes,
            samples,
            first_sample[n],
        )
        for k in range(first_triangle[n + 1] - first_triangle[n]):
            row = first_triangle[n] + k
            for a in range(3):
                triangles[row, a] = first_vertex[n] + library.triangles[library.first_triangle[s] + k, a]
            # A normal rotates with the axes and scales inversely: n_j / |axis_j|^2.
            given = library.normals[library.first_triangle[s] + k]
            square = 0.0
            for a in range(3):
                planes[row, a] = 0.0
                for j in range(3):
                    length = axes[0, j] * axes[0, j] + axes[1, j] * axes[1, j] + axes[2, j] * axes[2, j]
                    planes[row, a] += axes[a, j] * given[j] / length
                square += planes[row, a] * planes[row, a]
            corner = vertices[triangles[row, 0]]
            away = 0.0
            for a in range(3):
                planes[row, a] /= math.sqrt(square)
                away += planes[row, a] * corner[a]
            planes[row, 3] = away
    return NearbySolids(
        numbers, box, friction, vertices, first_vertex, triangles, first_triangle, planes, samples, first_sample
    )


@kernel
def _moved(points: Floats, start: int, end: int, middle: Floats, axes: Floats, out: Floats, at: int) -> None:
    """Write points of a shape in the world."""
    for k in range(end - start):
        for a in range(3):
            out[at + k, a] = middle[a]
            for j in range(3):
                out[at + k, a] += axes[a, j] * points[start + k, j]


@kernel
def _top(near: NearbySolids, x: float, y: float, level: float) -> float:
    """Return the height of the highest of some solids at a position, at least ``level`` [m]."""
    top = level
    for n in range(near.number.shape[0]):
        low, high = -math.inf, math.inf
        for t in range(near.first_triangle[n], near.first_triangle[n + 1]):
            nz = near.planes[t, 2]
            rest = near.planes[t, 3] - near.planes[t, 0] * x - near.planes[t, 1] * y
            if nz > 1e-12:
                high = min(high, rest / nz)
            elif nz < -1e-12:
                low = max(low, rest / nz)
            elif rest < 0.0:
                high = -math.inf
        if high >= low:
            top = max(top, high)
    return top
