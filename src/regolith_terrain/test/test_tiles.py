# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tiled worlds as terrain: floors, walls, roofs, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from regolith_files import InputError
from regolith_terrain.solids import Solid, Solids
from regolith_terrain.tiles import TileFloor, Tunnels, read_tunnels, tile_obstacles

SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).parents[3].parent / 'shared'))
WORLDS = SHARED / 'subt_worlds'
needs_worlds = pytest.mark.skipif(not WORLDS.is_dir(), reason=f'no SubT worlds at {WORLDS} (REGOLITH_SHARED)')
HEAD = 'name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad\n'
RIGHT = 1.570796


def world(tmp_path: Path, *rows: str) -> Tunnels:
    file = tmp_path / 'world.tiles.csv'
    file.write_text(HEAD + '\n'.join(rows) + '\n')
    return read_tunnels(file)


def inside(tunnels: Tunnels, points: np.ndarray) -> np.ndarray:
    """Return in how many solids each point lies."""
    count = np.zeros(len(points), dtype=int)
    for obstacle in tile_obstacles(tunnels):
        local = (points - obstacle.middle) @ obstacle.turn
        for hull in obstacle.hulls:
            away = np.einsum('fj,fj->f', hull.normals, hull.vertices[hull.triangles[:, 0]])
            count += (local @ hull.normals.T < away - 1e-9).all(axis=1)
    return count


def test_straight_tunnel_is_closed_around_its_passage(tmp_path: Path) -> None:
    """A tile along x from 10 to 30 m: free to 3 m beside its axis and above its floor, half a meter of wall around."""
    tunnels = world(tmp_path, 's,subt_tunnel_staging_area,0,0,0,0,0,0', f'tile_1,Tunnel Tile 5,20,0,0,0,0,{RIGHT}')
    y, z = np.meshgrid(np.arange(-3.75, 3.8, 0.5), np.arange(0.25, 4.0, 0.5))
    section = np.column_stack([np.full(y.size, 20.0), y.ravel(), z.ravel()])
    wall = (
        (np.abs(section[:, 1]) < 3.5) & (section[:, 2] < 3.5) & ~((np.abs(section[:, 1]) < 3.0) & (section[:, 2] < 3.0))
    )
    assert np.array_equal(inside(tunnels, section), wall.astype(int))
    # The end toward the staging area is open. The other one leads nowhere and has a wall.
    along = np.column_stack([np.arange(10.1, 30.0, 0.2), np.zeros(100), np.ones(100)])
    assert np.array_equal(inside(tunnels, along) > 0, along[:, 0] > 29.5)


def test_corners_and_crossings_are_open_toward_their_passages_only(tmp_path: Path) -> None:
    tunnels = world(
        tmp_path,
        'tile_1,Tunnel Tile 1,0,0,0,0,0,0',
        'tile_2,Tunnel Tile 2,0,20,0,0,0,0',  # leads east and south
        'tile_3,Tunnel Tile 5,20,0,0,0,0,1.570796',
        'tile_4,Tunnel Tile 5,-20,0,0,0,0,1.570796',
        'tile_5,Tunnel Tile 5,0,-20,0,0,0,0',
        'tile_6,Tunnel Tile 5,20,20,0,0,0,1.570796',
    )
    x, y = np.meshgrid(np.arange(-9.95, 10.0, 0.1), np.arange(-9.95, 30.0, 0.1), indexing='ij')
    plan = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 1.0)])
    count = inside(tunnels, plan).reshape(x.shape)
    assert count.max() == 1  # no solid is in another one
    cross = (np.abs(x) < 3.0) | (np.abs(y) < 3.0)
    bend = ((np.abs(x) < 3.0) & (y < 23.0)) | ((x > -3.0) & (np.abs(y - 20.0) < 3.0))
    free = np.where(y < 10.0, cross, bend)
    assert not count[free].any()
    # Wherever free space ends there is a wall: half a meter around all of it, but outside the walls nothing.
    near = np.where(
        y < 10.0,
        (np.abs(x) < 3.5) | (np.abs(y) < 3.5),
        ((np.abs(x) < 3.5) & (y < 23.5)) | ((x > -3.5) & (np.abs(y - 20.0) < 3.5)),
    )
    assert np.array_equal(count > 0, near & ~free)
    roof = inside(tunnels, plan + [0.0, 0.0, 2.25]).reshape(x.shape)
    assert np.array_equal(roof, near.astype(int))


def test_ramp_rises_between_its_ends_with_walls_and_roof(tmp_path: Path) -> None:
    """Tunnel Tile 6 rises 5 m over 20 m along its y axis."""
    tunnels = world(
        tmp_path,
        'tile_1,Tunnel Tile 6,0,0,-5,0,0,0',
        'tile_2,Tunnel Tile 5,0,20,0,0,0,0',
        'a,Tunnel Tile 5,0,-20,-5,0,0,0',
    )
    field = TileFloor(tunnels)
    y = np.linspace(-15.0, 15.0, 61)
    level = np.clip(0.25 * (y - 10.0), -5.0, 0.0)
    assert np.abs(field.heights(1.0, y) - level).max() < 1e-12
    for height, solid in ((2.9, 0), (3.1, 1), (3.4, 1), (3.6, 0)):
        assert (inside(tunnels, np.column_stack([0 * y, y + 1e-3, level + height])) == solid).all(), height
    assert (inside(tunnels, np.column_stack([0 * y + 3.2, y + 1e-3, level + 1.0])) == 1).all()


@needs_worlds
def test_upper_tile_has_a_floor_above_the_lower_one() -> None:
    """In simple_tunnel_03 tile 10, at z = 0, crosses tile 9, at z = -5."""
    tunnels = read_tunnels(WORLDS / 'simple_tunnel_03.tiles.csv')
    assert [piece.tile.name for piece in tunnels.pieces if piece.raised] == ['tile_10']
    field = TileFloor(tunnels)
    assert field.heights([40.0, 60.0, 80.0, 80.0, 120.0], [0.0, 0.0, 0.0, -20.0, -40.0]).tolist() == [
        0.0,
        -2.5,
        -5.0,
        0.0,
        -5.0,
    ]
    across = np.array([[80.0, 0.0, z] for z in (-4.9, -2.1, -1.7, -1.2, -0.2, 0.2, 2.9, 3.2)])
    assert inside(tunnels, across).tolist() == [0, 0, 1, 0, 1, 0, 0, 1]
    obstacles = tile_obstacles(tunnels)
    shapes = [hull for obstacle in obstacles for hull in obstacle.hulls]
    overhead = [number in obstacle.overhead for obstacle in obstacles for number in range(len(obstacle.hulls))]
    owner = [obstacle for obstacle in obstacles for _ in obstacle.hulls]
    placed = [
        Solid(k, obstacle.middle, obstacle.turn, 0.8, above)
        for k, (obstacle, above) in enumerate(zip(owner, overhead, strict=True))
    ]
    solids = Solids(shapes, placed)
    # Vehicles are placed on floors, not on roofs; where floors are above each other, on the highest.
    x, y = np.array([40.0, 80.0, 100.0, 20.0]), np.array([0.0, 0.0, 0.0, 3.2])
    assert np.allclose(solids.tops(x, y, field.heights(x, y)), [0.0, 0.0, -5.0, 3.0], atol=1e-9)


@needs_worlds
@pytest.mark.parametrize('name', ['simple_tunnel_02', 'simple_tunnel_03'])
def test_every_tile_of_the_given_worlds_has_a_shape(name: str) -> None:
    tunnels = read_tunnels(WORLDS / f'{name}.tiles.csv')
    assert len(tile_obstacles(tunnels)) == len(tunnels.tiles.tiles) - 1  # all but the staging area
    # From the base station to each tile, no connection is closed: the middle of every edge is free.
    ends = {tuple(np.round(p, 3)) for piece in tunnels.pieces for p in piece.tile.in_world(piece.tile.type.points)}
    closed = [
        p
        for p in ends
        if inside(tunnels, np.array([p]) + [[x, y, 1.0] for x in (-0.1, 0.1) for y in (-0.1, 0.1)]).any()
    ]
    # The only one is the end before which the original has a blocker.
    assert [tuple(map(float, p)) for p in closed] == [
        {'simple_tunnel_02': (90.0, 0.0, 0.0), 'simple_tunnel_03': (90.0, -40.0, 0.0)}[name]
    ]


def test_fingerprint_covers_what_does_not_change_the_floor(tmp_path: Path) -> None:
    """A tile beyond the end opens a wall, though the floor between is the same."""
    first = 'tile_1,Tunnel Tile 5,0,0,0,0,0,0'
    prints = {
        TileFloor(world(tmp_path, first, f'tile_2,Tunnel Tile 5,0,{y},0,0,0,0')).fingerprint() for y in (20, 22, 21)
    }
    assert len(prints) == 3


@pytest.mark.parametrize(
    ('row', 'message'),
    [
        (
            'tile_2,Cave Straight 01 Type B,0,20,0,0,0,0',
            "tile_type = 'Cave Straight 01 Type B': has no shape for driving",
        ),
        ('tile_2,Tunnel Tile 5,0,20,0,0,0,0.1', 'yaw_rad = 0.1: turns a tile for driving; allowed: a multiple'),
        ('tile_2,Tunnel Tile 5,0,20,0,0,0.1,0', 'pitch_rad = 0.1: inclines a tile for driving; allowed: 0'),
    ],
)
def test_tiles_without_a_shape_are_refused(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        world(tmp_path, 'tile_1,Tunnel Tile 5,0,0,0,0,0,0', row)
    assert 'world.tiles.csv:3: ' + message in str(caught.value)


def test_floors_are_selected_for_any_set_of_positions(tmp_path: Path) -> None:
    """Heights of single positions, of which few floors are near, equal those of all positions together."""
    rows = [f'tile_{k},Tunnel Tile {(5, 6, 2)[k % 3]},{20 * (k % 5)},{25 * (k // 5)},{k % 4},0,0,0' for k in range(20)]
    field = TileFloor(world(tmp_path, *rows))
    x, y = np.random.default_rng(3).uniform(-60.0, 160.0, (2, 300))
    assert field.heights(x, y).tolist() == [float(field.heights(px, py)) for px, py in zip(x, y, strict=True)]
    assert field.heights(np.zeros((0, 3)), 0.0).shape == (0, 3)
