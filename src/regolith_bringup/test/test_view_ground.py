# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground of a view: meshes that cover the site once, are as high as the soil, and change where the soil does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regolith_bringup.view.draw_objects import CYCLE
from regolith_bringup.view.draw_vehicles import _PATH_NS, _PATH_POINTS, DrawnVehicles
from regolith_bringup.view.from_bag import _soil_before
from regolith_bringup.view.terrain_mesh import TILE, MeshPiece, TerrainMesh
from regolith_bringup.view.terrain_shading import TerrainShading
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.procedural import ProceduralField
from regolith_terrain.updates.committed_soil import COMMITTED_TOPIC
from regolith_world.numerics.rotation import from_rpy_deg, matrix

SPACING, SIZE = 0.02, 40.0
PLANE = PlaneField(0.05, -0.02, 1.0)


def pieces(field: Any = PLANE, tile_step: int = 1, together: bool = False) -> TerrainMesh:
    return TerrainMesh(field, SPACING, SIZE, TerrainShading(), tile_step=tile_step, together=together)


def latest(drawn: list[MeshPiece]) -> dict[str, MeshPiece]:
    """Return what stands after pieces were drawn one after the other."""
    found: dict[str, MeshPiece] = {}
    for piece in drawn:
        triangles = found[piece.name].triangles if piece.triangles is None else piece.triangles
        found[piece.name] = MeshPiece(piece.name, piece.vertices, piece.colors, triangles)
    return found


def areas(piece: MeshPiece) -> np.ndarray:
    """Return the areas of a piece's triangles as seen from above, those turned away negative [m^2]."""
    assert piece.triangles is not None
    corners = piece.vertices.astype(np.float64)[piece.triangles]
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return 0.5 * (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])


def dig(i: range, j: range, level: float) -> list[NodeRecords]:
    x, y = (part.ravel().astype(np.int32) for part in np.meshgrid(np.array(i), np.array(j), indexing='ij'))
    return [NodeRecords(x, y, np.full((1, len(x)), level), ('level',))]


@pytest.mark.parametrize(('tile_step', 'together'), [(1, False), (2, False), (2, True)])
def test_meshes_cover_the_site_once_and_face_up(tile_step: int, together: bool) -> None:
    ground = pieces(tile_step=tile_step, together=together)
    drawn = ground.show(ground.patches_around(np.array([[0.3, 0.4], [6.0, 1.0]])), [(0, 0), (3, -2), (8, 5)])
    drawn += ground.take(dig(range(100, 140), range(-60, -20), 0.9))
    standing = latest(drawn)
    assert {name.split('/')[0] for name in standing} == {'site', 'near', 'soil'}
    site = standing['site'].vertices
    extent = float(np.ptp(site[:, 0]) * np.ptp(site[:, 1]))
    assert extent >= SIZE * SIZE
    # Vertices are single precision: 40 m to 2 um, so an area of 1600 m^2 to some 1e-4.
    assert sum(float(areas(piece).sum()) for piece in standing.values()) == pytest.approx(extent, rel=1e-6)
    assert min(float(areas(piece).min()) for piece in standing.values()) > -1e-5


@pytest.mark.parametrize('tile_step', [1, 2])
def test_heights_are_the_grounds_and_skirts_hang_below(tile_step: int) -> None:
    ground = pieces(tile_step=tile_step)
    drawn = ground.show(ground.patches_around(np.zeros((1, 2))), [(0, 0)])
    for piece in drawn:
        x, y, z = piece.vertices.astype(np.float64).T
        below = PLANE.heights(x, y) - z
        assert below.min() > -1e-5  # single precision at a height of 1 m: 1e-7
        on_it = np.abs(below) < 1e-5
        assert on_it.any() and (below[~on_it] > 0.5 * SPACING).all()


def test_soil_change_rebuilds_only_its_own_tiles() -> None:
    ground = pieces(FlatField())
    ground.show(ground.patches_around(np.zeros((1, 2))), [(a, b) for a in range(-1, 4) for b in range(-1, 4)])
    inside = ground.take(dig(range(40, 50), range(40, 50), -0.03))
    assert [p.name for p in inside] == ['soil/1_1'] and inside[0].triangles is None
    side = TILE + 1
    height = inside[0].vertices[: side * side, 2].reshape(side, side)
    expected = np.zeros((side, side))
    expected[40 - TILE : 50 - TILE, 40 - TILE : 50 - TILE] = -0.03
    np.testing.assert_allclose(height, expected, atol=1e-7)
    # A node on the edge between two tiles is in both, and one beside it changes the slope in the other.
    assert {p.name for p in ground.take(dig(range(64, 65), range(40, 41), -0.02))} == {'soil/1_1', 'soil/2_1'}
    assert {p.name for p in ground.take(dig(range(63, 64), range(63, 64), -0.02))} == {
        f'soil/{a}_{b}' for a in (1, 2) for b in (1, 2)
    }


def test_plain_tiles_have_every_other_node() -> None:
    fine, plain = pieces(FlatField()), pieces(FlatField(), tile_step=2)
    hole = dig(range(40, 47), range(40, 47), -0.03)
    fine.take(hole)
    plain.take(hole)
    (one,), (other,) = ([p for p in ground.shown() if p.name == 'soil/1_1'] for ground in (fine, plain))
    many, few = TILE + 1, TILE // 2 + 1
    heights, thinned = one.vertices[: many * many], other.vertices[: few * few]
    np.testing.assert_array_equal(thinned.reshape(few, few, 3), heights.reshape(many, many, 3)[::2, ::2])
    assert one.triangles is not None and other.triangles is not None
    # Cells a quarter, skirts half.
    assert len(other.triangles) == 2 * (TILE // 2) ** 2 + 8 * (TILE // 2)
    assert other.colors[: few * few].min() > one.colors[: many * many].min(), 'lines between light and dark are softer'


def test_tiles_of_a_patch_may_be_one_piece() -> None:
    apart, together = pieces(FlatField()), pieces(FlatField(), together=True)
    for ground in (apart, together):
        ground.take(dig(range(40, 80), range(40, 47), -0.03))
    changed = dig(range(100, 102), range(40, 42), -0.05)
    tiles = [p for p in (apart.take(changed), apart.shown())[1] if p.name.startswith('soil/')]
    (one,) = (p for p in together.take(changed) if p.name.startswith('soil/'))
    assert one.name == 'soil/0_0'
    np.testing.assert_array_equal(one.vertices, np.concatenate([p.vertices for p in tiles]))
    np.testing.assert_array_equal(one.colors, np.concatenate([p.colors for p in tiles]))
    assert areas(one).sum() == pytest.approx(sum(areas(p).sum() for p in tiles), rel=1e-6)
    assert [p.name for p in together.restart()] == ['soil/0_0']


def test_new_tiles_are_complete_and_removed_from_their_patch() -> None:
    ground = pieces(FlatField())
    ground.show(ground.patches_around(np.zeros((1, 2))))
    found = ground.take(dig(range(10, 12), range(10, 12), 0.05))
    assert [p.name for p in found] == ['near/0_0', 'soil/0_0']
    assert all(p.triangles is not None for p in found)
    assert found[1].vertices[:, 2].max() == pytest.approx(0.05)
    # Far from all that was shown, even the site changes.
    assert [p.name.split('/')[0] for p in ground.take(dig(range(900, 901), range(5, 6), 0.0))] == [
        'site',
        'near',
        'soil',
    ]


def test_a_restart_brings_the_undisturbed_ground_back() -> None:
    ground = pieces(FlatField())
    ground.take(dig(range(10, 12), range(10, 12), -0.05))
    (tile,) = ground.restart()
    side = TILE + 1
    assert not tile.vertices[: side * side, 2].any()


def test_ruts_are_darker_and_heaps_brighter_than_level_ground() -> None:
    level = np.zeros((5, 5))
    plain, rut, heap = (
        TerrainShading().colors(level, SPACING, np.full((5, 5), dug)).mean() for dug in (0.0, 0.03, -0.03)
    )
    assert rut < 0.9 * plain and heap > 1.02 * plain


def test_slopes_towards_the_sun_are_brighter() -> None:
    i = np.arange(5.0)[:, None] * SPACING
    east = TerrainShading(azimuth_deg=90.0, elevation_deg=20.0)
    towards, away = (east.colors(sign * 0.2 * np.broadcast_to(i, (5, 5)), SPACING).mean() for sign in (-1.0, 1.0))
    assert towards > 1.3 * away


def test_of_equal_nodes_the_last_change_is_shown() -> None:
    ground = pieces(FlatField())
    node = range(5, 6)
    tile = latest(ground.take(dig(node, node, -0.5) + dig(node, node, -0.02)))['soil/0_0']
    assert tile.vertices[: (TILE + 1) ** 2, 2].min() == pytest.approx(-0.02)


def commit(cycle: int, level: float, epoch: int) -> Any:
    nodes = SimpleNamespace(x=[cycle], y=[4], fields=['level_initial', 'level'], values=[0.0, level])
    key = SimpleNamespace(epoch=epoch, cycle=cycle, attempt=0)
    return SimpleNamespace(key=key, t_ns=0, soil_seq=cycle + 1, nodes=nodes, soil_hash='')


def test_a_branch_begins_on_the_soil_of_the_cycles_before_it() -> None:
    """Each branch continues the one before it up to its own first cycle; what came later there is another past."""
    past = {
        1: (0, (5, 6, 7, 8)),  # branch by epoch: its first cycle, and cycles that change the soil
        2: (7, (7, 8, 9)),
        3: (6, (6, 7, 8)),
        4: (8, (8,)),
    }
    bags = []
    for epoch, (first, cycles) in past.items():
        begin = SimpleNamespace(key=SimpleNamespace(epoch=epoch, cycle=first, attempt=0))
        said = {CYCLE: [begin], COMMITTED_TOPIC: [commit(c, -0.1 * epoch, epoch) for c in cycles]}
        bags.append(
            SimpleNamespace(
                messages=lambda topic, said=said: iter([SimpleNamespace(content=one) for one in said[topic]])
            )
        )
    found = _soil_before(bags)  # type: ignore[arg-type]
    assert [(int(each.i[0]), float(each.level[0])) for each in found] == [
        (5, -0.1),
        (6, pytest.approx(-0.3)),
        (7, pytest.approx(-0.3)),
    ]
    assert _soil_before(bags[:1]) == []  # type: ignore[arg-type]


def test_points_of_a_long_path_are_equally_far_apart_in_time() -> None:
    """Once a path is thinned, new points come as seldom as the old ones that are left."""
    vehicle = SimpleNamespace(
        looks=SimpleNamespace(parts=[None]), alone=[], many=[], trail=[], next_ns=0, stride_ns=_PATH_NS, height=0.0
    )
    drawn = DrawnVehicles(SimpleNamespace(put=lambda *parts: None), 0)
    step_ns = _PATH_NS // 4
    for k in range(13 * _PATH_POINTS):
        poses = np.array([[float(k * step_ns), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
        if k * step_ns >= vehicle.next_ns or not vehicle.trail:
            drawn._extend('amber', vehicle, k * step_ns, poses)
    times = np.array(vehicle.trail)[:, 0]
    assert _PATH_POINTS // 2 <= len(times) <= _PATH_POINTS
    assert set(np.diff(times)) == {4.0 * _PATH_NS}


@pytest.mark.parametrize(
    'rpy_deg', [(0.0, 0.0, 0.0), (0.0, 30.0, 0.0), (0.0, -30.0, 90.0), (25.0, 0.0, -40.0), (10.0, 20.0, 160.0)]
)
@pytest.mark.parametrize('lower', [0, 1])
def test_a_path_lies_at_the_lowest_point_of_the_vehicle_at_first(
    rpy_deg: tuple[float, float, float], lower: int
) -> None:
    """However it stands: the path's first point is 3 cm above the lowest corner of its parts, its later ones alike."""
    rng, turn = np.random.default_rng(2), from_rpy_deg(rpy_deg)
    corners = [rng.uniform(-1.0, 1.0, (8, 3)) for _ in range(2)]
    parts = [SimpleNamespace(mesh=SimpleNamespace(vertices=c), row=k) for k, c in enumerate(corners)]
    vehicle = SimpleNamespace(
        looks=SimpleNamespace(parts=[None] * 2),
        parts=parts,
        alone=[],
        many=[],
        trail=[],
        next_ns=0,
        stride_ns=_PATH_NS,
        height=None,
    )
    drawn = DrawnVehicles(SimpleNamespace(put=lambda *parts: None), 0)
    places = np.array([[2.0, 3.0, 5.0], [2.5, 3.0, 2.0 if lower else 8.0]])
    poses = np.concatenate((places, [turn, turn]), axis=1)
    lowest = min((matrix(p[3:]) @ c.T).T[:, 2].min() + p[2] for p, c in zip(poses, corners))
    for k in range(3):
        drawn._extend('amber', vehicle, k, poses + [float(k), 0.0, 0.1 * k, 0.0, 0.0, 0.0, 0.0])
        assert vehicle.trail[-1] == pytest.approx([2.0 + k, 3.0, lowest + 0.03 + 0.1 * k])


def line(piece: MeshPiece, axis: int, at: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (place along a line across the world, height, color) of a mesh's nodes on the line, without skirts."""
    flat = piece.vertices[np.abs(piece.vertices[:, axis] - at) < 1e-4]
    colors = piece.colors[np.abs(piece.vertices[:, axis] - at) < 1e-4]
    order = np.lexsort((-flat[:, 2], np.round(flat[:, 1 - axis], 4)))
    along, height = np.round(flat[order, 1 - axis], 4), flat[order, 2]
    _, top = np.unique(along, return_index=True)
    return along[top], height[top], colors[order][top].astype(float)


def seam(fine: MeshPiece, coarse: MeshPiece, axis: int, at: float) -> tuple[float, float]:
    """Return the largest differences of height [m] and color on a line between two meshes."""
    along, height, colors = line(fine, axis, at)
    there, low, low_colors = line(coarse, axis, at)
    assert len(along) > len(there[(there >= along[0]) & (there <= along[-1])]) > 1
    gap = np.abs(height - np.interp(along, there, low)).max()
    shade = max(np.abs(colors[:, c] - np.interp(along, there, low_colors[:, c])).max() for c in range(3))
    return float(gap), float(shade)


@pytest.mark.parametrize('dug', [False, True])
def test_a_fine_mesh_goes_over_into_a_coarse_one_without_step_or_gap(dug: bool) -> None:
    """On each side that borders on a coarser mesh: heights of its edges to a rounding error, colors to half a step."""
    ground = pieces(ProceduralField(3))
    drawn = ground.show(ground.patches_around(np.array([[2.0, 2.0]])), [(1, 1), (2, 1)])
    if dug:  # a wheel's rut through both tiles, and into a third
        drawn += ground.take(dig(range(40, 110), range(44, 54), -0.5))
    standing = latest(drawn)
    tile = TILE * SPACING
    last = 4 if dug else 3
    for axis, at, name in ((0, tile, '1_1'), (0, last * tile, f'{last - 1}_1'), (1, tile, '2_1'), (1, 2 * tile, '1_1')):
        gap, shade = seam(standing[f'soil/{name}'], standing['near/0_0'], axis, at)
        assert gap < 1e-5 and shade <= 1.0, (axis, at)
    near = sorted(name for name in standing if name.startswith('near/'))
    places = np.array([[int(v) for v in name[5:].split('_')] for name in near])
    low, high = places.min(axis=0), places.max(axis=0) + 1
    for axis in (0, 1):
        for at, k in ((low[axis], low[axis]), (high[axis], high[axis] - 1)):
            for name, place in zip(near, places, strict=True):
                if place[axis] == k:
                    gap, shade = seam(standing[name], standing['site'], axis, at * ground.side)
                    assert gap < 1e-5 and shade <= 1.0, (name, axis, at)


def test_meshes_that_get_neighbors_close_up_with_them() -> None:
    """A tile that is shown later, and a patch: the border between equals is that of the ground, on both sides."""
    field = ProceduralField(3)
    ground = pieces(field)
    drawn = ground.show(ground.patches_around(np.array([[2.0, 2.0]])), [(1, 1)])
    drawn += ground.show(ground.patches_around(np.array([[12.0, 2.0]])), [(2, 1)])
    standing = latest(drawn)
    _, left, colors = line(standing['soil/1_1'], 0, 2 * TILE * SPACING)
    _, right, others = line(standing['soil/2_1'], 0, 2 * TILE * SPACING)
    np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(colors, others)
    truth = field.nodes(2 * TILE, 2 * TILE + 1, TILE, 2 * TILE + 1, SPACING)[0]
    np.testing.assert_allclose(left[8:-8], truth[8:-8], atol=1e-6)
    both = [name for name in standing if name in ('near/1_0', 'near/2_0')]
    _, left, _ = line(standing[both[0]], 0, 2 * ground.side)
    _, right, _ = line(standing[both[1]], 0, 2 * ground.side)
    np.testing.assert_array_equal(left, right)
    # Meshes that were shown in one go look the same as those that came one after another.
    whole = pieces(field)
    whole.show(whole.patches_around(np.array([[2.0, 2.0], [12.0, 2.0]])), [(1, 1), (2, 1)])
    assert all(
        np.array_equal(p.vertices, standing[p.name].vertices) for p in whole.shown() if p.name.startswith('soil')
    )


def test_soil_that_changed_ends_on_no_open_border() -> None:
    """Nodes on the edge of a tile are on that of its neighbors, too, which are shown as well."""
    ground = pieces(FlatField())
    drawn = latest(ground.take(dig(range(64, 70), range(32, 33), -0.03)))
    assert {name for name in drawn if name.startswith('soil')} == {'soil/1_0', 'soil/1_1', 'soil/2_0', 'soil/2_1'}
    for name in ('soil/2_0', 'soil/2_1'):
        along, height, _ = line(drawn[name], 1, TILE * SPACING)
        np.testing.assert_allclose(height[(along > 1.279) & (along < 1.39)], -0.03, atol=1e-6)


def test_linear_colors_are_shown_by_a_gamma_of_22_with_lunar_ground_exposed_for() -> None:
    """255 (2.4 c)^(1/2.2), rounded; light beyond white stays white, and below black black."""
    from regolith_bringup.view.rerun_canvas import path_of, screen

    assert (
        screen([0.0, 0.1, 0.2]).tolist()
        == [0, round(255 * 0.24 ** (1 / 2.2)), round(255 * 0.48 ** (1 / 2.2))]
        == [0, 133, 183]
    )
    assert screen([[-1.0, 1.0 / 2.4, 7.0]]).tolist() == [[0, 255, 255]] and screen([0.5]).dtype == np.uint8
    assert path_of('/a b/', 'c.d/e') == r'a\ b/c.d/e'
