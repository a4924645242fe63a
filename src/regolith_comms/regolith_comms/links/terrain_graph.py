# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tile graph of open terrain, for the use of SubT's model outside tunnels.

The terrain is divided into square tiles. An edge between any two of them has the cost

    LEG + J(v) / (10 k log10 r)

LEG = 3 is SubT's cost of one turn. A clear line of sight then has path loss exponent ``fading_exponent + 3 k``, 2.0 to
2.1 with lunar_uhf and subt_competition, as in free space. J is the loss over a single knife edge at the worst point of
the profile. The denominator converts decibels to visibility cost, so the link model has exactly this loss at the
distance r of the tiles. Large objects on the ground
(:attr:`regolith_world.participant_context.ParticipantContext.standing`) are edges like the ground. Dijkstra's
algorithm then finds the paths over a crest or around its end. Each further leg costs LEG again, at 200 m about 14 dB,
similar to the loss over a ridge at 400 MHz.

This construction is Regolith's own. Simplifications: one knife edge per profile (several in a row add up as legs); no
reflections; no curvature of the Moon (7 cm at 1 km). Within a tile, ends are averaged over five points, so obstacles
smaller than a tile are blurred.

Source: itu526, eq. 31; subt2022.
Checked by: test_terrain_graph.py::test_link_over_an_edge_has_knife_edge_loss,
test_terrain_graph.py::test_flat_ground_costs_one_leg_for_every_pair.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regolith_comms.links.dot_file import Edge, GraphTile
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import RECORD, WorldGrid
from regolith_comms.radio import Floats
from regolith_comms.radio_config import Radio
from regolith_world.numerics import kernel

LEG_COST = 3.0
"""Cost of a clear line of sight [-]."""
KEPT_EXCESS = 2.0 * LEG_COST
"""Excess of an edge's cost over LEG above which it is omitted [-]; a path over another tile is cheaper."""
MAX_TILES = 1500
MAX_AREA_M2 = 2e6
"""Maximum area of a world grid [m^2]; a grid has 180 bytes per square meter."""
WAVELENGTH_M = 0.749
"""Wavelength at 400 MHz, the band of UHF radios on Mars and the Moon [m]."""
DRIVABLE_SLOPE = math.tan(math.radians(25.0))
"""Slope between neighboring tiles up to which their edge costs at most one turn [-].

This applies only without large objects between the tiles' centers.
"""
BELOW_M, ABOVE_M = 2, 6
"""Distances below and above the ground that belong to a tile [m]."""
_ENDS = np.array([[0.0, 0.0], [0.25, 0.25], [0.25, -0.25], [-0.25, 0.25], [-0.25, -0.25]])
"""Ends of the lines of sight, relative to the tiles' centers [tile edge]."""


@dataclass(frozen=True, slots=True)
class HeightMap:
    """Heights of the ground on a regular grid."""

    west: float
    """Position of the first row along x [m]."""
    south: float
    """Position of the first column along y [m]."""
    spacing: float
    """Grid spacing [m]."""
    heights: Floats
    """Heights z [m], shape (nx, ny)."""
    fingerprint: str
    """Fingerprint of the ground and of the objects on it."""
    standing: Floats | None = None
    """Heights of the ground or of the top of objects on it [m], shape (nx, ny); None: no objects."""

    @property
    def tops(self) -> Floats:
        """Heights over which waves pass [m], shape (nx, ny)."""
        return self.heights if self.standing is None else self.standing

    @property
    def size(self) -> tuple[float, float]:
        """Return the lengths along x and y [m]."""
        nx, ny = self.heights.shape
        return (nx - 1) * self.spacing, (ny - 1) * self.spacing


MARK = 'regolith terrain graph'
"""First words of the first comment in every graph made here."""


def signature(fingerprint: str, antenna_height_m: float, radio: Radio) -> str:
    """Return the hash of all inputs of the costs: the terrain, and some of the radio's parameters.

    Extent and size of the tiles are excluded: a graph of a part of the terrain, or with other tiles, is also valid.
    """
    text = (
        f'{fingerprint} {antenna_height_m!r} {radio.scaling_factor!r} {radio.visibility_cost_to_fading_exponent!r}'
        f' {radio.max_range_m!r} {LEG_COST!r} {WAVELENGTH_M!r}'
    )
    return hashlib.sha256(text.encode()).hexdigest()


def comment(built_from: str, grid: WorldGrid) -> str:
    """Return the first comment of a graph's file: the hashes of its terrain and of its grid."""
    return f'{MARK} {built_from} grid {hashlib.sha256(grid.to_dat()).hexdigest()}'


def check_graph_files(graph: TileGraph, grid: WorldGrid, built_from: str) -> None:
    """Refuse a graph made here for other terrain or another grid; graphs of other origin are accepted.

    Args:
        graph: Tile graph.
        grid: World grid.
        built_from: :func:`signature` of the present terrain.

    Raises:
        ValueError: If the graph is stale; names both hashes.
    """
    if not graph.comment.startswith(MARK):
        return
    words = graph.comment.removeprefix(MARK).split()
    stated = [*words[0::2], '', ''][:2]
    own = hashlib.sha256(grid.to_dat()).hexdigest()
    for what, is_now, was in (('the ground, antennas or radio', built_from, stated[0]), ('the grid', own, stated[1])):
        if is_now != was:
            raise ValueError(f'is stale: built for {was[:16]}, but {what} hash to {is_now[:16]}')


def tile_layout(ground: HeightMap, tile_size_m: float) -> tuple[int, int]:
    """Return the numbers of tiles along x and y.

    Raises:
        ValueError: If there are too many tiles for a graph of all pairs, or the terrain is too large for a grid.
    """
    columns, rows = (max(1, math.ceil(length / tile_size_m - 1e-9)) for length in ground.size)
    if columns * rows > MAX_TILES:
        least = math.sqrt(ground.size[0] * ground.size[1] / MAX_TILES)
        raise ValueError(
            f'tile_size_m {tile_size_m!r} divides {ground.size[0]:.0f} m x {ground.size[1]:.0f} m into '
            f'{columns * rows} tiles; allowed: at most {MAX_TILES}, '
            f'i.e. tile_size_m >= {math.ceil(least * 10.0) / 10.0 + 0.1:.1f}'
        )
    if ground.size[0] * ground.size[1] > MAX_AREA_M2:
        raise ValueError(
            f'the ground, {ground.size[0]:.0f} m x {ground.size[1]:.0f} m, is too large for a grid of 1 m;'
            f' allowed: at most {MAX_AREA_M2:.0f} m2'
        )
    return columns, rows


def build_graph_and_grid(
    ground: HeightMap,
    tile_size_m: float,
    antenna_height_m: float,
    radio: Radio,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[TileGraph, WorldGrid]:
    """Return graph and grid of a piece of terrain, linked by the graph's comment.

    Parameters and errors are those of :func:`build_graph`.
    """
    grid = build_grid(ground, tile_size_m)
    graph = build_graph(ground, tile_size_m, antenna_height_m, radio, progress)
    mark = comment(signature(ground.fingerprint, antenna_height_m, radio), grid)
    return TileGraph(graph.tiles, graph.edges, mark), grid


def build_graph(
    ground: HeightMap,
    tile_size_m: float,
    antenna_height_m: float,
    radio: Radio,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> TileGraph:
    """Return the graph of a piece of terrain; tile ids count along y first.

    Args:
        ground: Heights of the terrain.
        tile_size_m: Edge length of the tiles [m].
        antenna_height_m: Height of the antennas above the ground at both ends [m].
        radio: Parameters of the radios, for the relation of costs to losses and the maximum range.
        progress: Called with the numbers of finished tiles and of all tiles.

    Raises:
        ValueError: If there are too many tiles.

    Source: itu526, eq. 31; subt2022.
    Checked by: test_terrain_graph.py::test_link_over_an_edge_has_knife_edge_loss,
    test_terrain_graph.py::test_ridge_and_rim_raise_the_cost.
    """
    columns, rows = tile_layout(ground, tile_size_m)
    x = ground.west + (np.arange(columns) + 0.5) * tile_size_m
    y = ground.south + (np.arange(rows) + 0.5) * tile_size_m
    middles = np.stack(np.meshgrid(x, y, indexing='ij'), axis=-1).reshape(-1, 2)
    reach = radio.max_range_m if radio.max_range_m > 0.0 else math.inf
    scale, rate = radio.scaling_factor, radio.visibility_cost_to_fading_exponent
    count = len(middles)
    edges: list[Edge] = []
    for a in range(count):
        costs = _costs_from(
            a,
            middles,
            ground.tops,
            ground.west,
            ground.south,
            ground.spacing,
            tile_size_m,
            antenna_height_m,
            reach,
            scale,
            rate,
            _ENDS,
        )
        apart = np.maximum(np.abs(middles[:, 0] - middles[a, 0]), np.abs(middles[:, 1] - middles[a, 1]))
        near = apart < 1.5 * tile_size_m
        for b in np.nonzero((costs <= LEG_COST + KEPT_EXCESS) | near)[0]:
            if b <= a:
                continue
            cost = float(costs[b])
            if near[b] and cost > 2.0 * LEG_COST and _drivable(ground, middles[a], middles[b]):
                cost = 2.0 * LEG_COST
            if cost <= LEG_COST + KEPT_EXCESS:
                # Three digits exceed the accuracy of the model, and keep the file short.
                edges.append(Edge(a, int(b), round(cost, 3)))
        progress(a + 1, count)
    tiles = [GraphTile(k, 'terrain', f'tile_{k // rows}_{k % rows}') for k in range(count)]
    return TileGraph(tiles, edges)


def _drivable(ground: HeightMap, a: Floats, b: Floats) -> bool:
    at = [_height(ground.heights, ground.west, ground.south, ground.spacing, p[0], p[1]) for p in (a, b)]
    return bool(abs(at[1] - at[0]) <= DRIVABLE_SLOPE * np.hypot(*(b - a))) and not _barred(ground, a, b)


def _barred(ground: HeightMap, a: Floats, b: Floats) -> bool:
    """Return whether an object is on the line between two points."""
    if ground.standing is None:
        return False
    raised = ground.standing - ground.heights
    count = max(2, int(2.0 * np.hypot(*(b - a)) / ground.spacing))
    line = a + np.linspace(0.0, 1.0, count + 1)[:, None] * (b - a)
    return any(_height(raised, ground.west, ground.south, ground.spacing, x, y) > 0.0 for x, y in line.tolist())


def build_grid(ground: HeightMap, tile_size_m: float) -> WorldGrid:
    """Return the sample points of the same tiles: every meter of the ground, from just below it to above antennas."""
    columns, rows = tile_layout(ground, tile_size_m)
    width, length = ground.size
    x = np.arange(math.ceil(ground.west), math.floor(ground.west + width) + 1)
    y = np.arange(math.ceil(ground.south), math.floor(ground.south + length) + 1)
    levels = np.floor(
        _heights(ground.heights, ground.west, ground.south, ground.spacing, x.astype(float), y.astype(float))
    ).astype(np.int64)
    # Points are assigned to tiles by their position; the last row and column include the far edge.
    column = np.minimum(((x - ground.west) / tile_size_m).astype(np.int64), columns - 1)
    row = np.minimum(((y - ground.south) / tile_size_m).astype(np.int64), rows - 1)
    layers = np.arange(-BELOW_M, ABOVE_M + 1)
    records = np.zeros((len(x), len(y), len(layers)), dtype=RECORD)
    records['x'] = x[:, None, None]
    records['y'] = y[None, :, None]
    records['z'] = levels[:, :, None] + layers
    records['id'] = (column[:, None] * rows + row[None, :])[:, :, None]
    return WorldGrid(records.reshape(-1))


def knife_edge_loss(v: float) -> float:
    """Return J(v), the loss over a knife edge [dB]; 0 for v <= -0.78.

    Args:
        v: Fresnel-Kirchhoff parameter h sqrt(2 (d1 + d2) / (wavelength d1 d2)), with the height h of the edge above
            the line.

    Source: itu526, eq. 31.
    Checked by: test_terrain_graph.py::test_knife_edge_loss_has_known_limits.
    """
    return float(_knife_edge_loss(v))


@kernel
def _knife_edge_loss(v: float) -> float:
    if v <= -0.78:
        return 0.0
    return 6.9 + 20.0 * math.log10(math.sqrt((v - 0.1) ** 2 + 1.0) + v - 0.1)


@kernel
def _height(heights: Floats, west: float, south: float, spacing: float, x: float, y: float) -> float:
    """Return the height at a point [m], bilinear; outside the map that of its edge."""
    u = min(max((x - west) / spacing, 0.0), heights.shape[0] - 1.0)
    v = min(max((y - south) / spacing, 0.0), heights.shape[1] - 1.0)
    i, j = min(int(u), heights.shape[0] - 2), min(int(v), heights.shape[1] - 2)
    f, g = u - i, v - j
    low = heights[i, j] * (1.0 - g) + heights[i, j + 1] * g
    high = heights[i + 1, j] * (1.0 - g) + heights[i + 1, j + 1] * g
    between: float = low * (1.0 - f) + high * f
    return between


@kernel
def _heights(heights: Floats, west: float, south: float, spacing: float, x: Floats, y: Floats) -> Floats:
    """Return the heights at all pairs of x and y [m], shape (len(x), len(y))."""
    out = np.empty((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            out[i, j] = _height(heights, west, south, spacing, x[i], y[j])
    return out


@kernel
def _worst_edge(
    heights: Floats,
    west: float,
    south: float,
    spacing: float,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    antenna: float,
) -> float:
    """Return the largest Fresnel-Kirchhoff parameter between two points, with antennas above the ground at both."""
    distance = math.hypot(bx - ax, by - ay)
    start = _height(heights, west, south, spacing, ax, ay) + antenna
    end = _height(heights, west, south, spacing, bx, by) + antenna
    steps = max(2, int(2.0 * distance / spacing))
    worst = -np.inf
    for k in range(1, steps):
        f = k / steps
        above = _height(heights, west, south, spacing, ax + (bx - ax) * f, ay + (by - ay) * f)
        above -= start + (end - start) * f
        worst = max(worst, above * math.sqrt(2.0 / (WAVELENGTH_M * distance * f * (1.0 - f))))
    return worst


@kernel
def _costs_from(
    a: int,
    middles: Floats,
    heights: Floats,
    west: float,
    south: float,
    spacing: float,
    tile: float,
    antenna: float,
    reach: float,
    scale: float,
    rate: float,
    ends: Floats,
) -> Floats:
    """Return the costs from tile a to all tiles with higher numbers; inf for the others and beyond the range."""
    costs = np.full(len(middles), np.inf)
    for b in range(a + 1, len(middles)):
        dx, dy = middles[b, 0] - middles[a, 0], middles[b, 1] - middles[a, 1]
        distance = math.hypot(dx, dy)
        if distance > reach + tile:
            continue
        loss = 0.0
        for e in range(len(ends)):
            x, y = middles[a, 0] + ends[e, 0] * tile, middles[a, 1] + ends[e, 1] * tile
            v = _worst_edge(heights, west, south, spacing, x, y, x + dx, y + dy, antenna)
            loss += _knife_edge_loss(v) / len(ends)
        # Below 10 m of effective range the exponent has no effect on the loss.
        grip = 10.0 * rate * math.log10(max(scale * distance, 10.0))
        if loss > 0.0 and grip > 0.0:
            costs[b] = LEG_COST + loss / grip
        elif loss == 0.0:
            costs[b] = LEG_COST
    return costs
