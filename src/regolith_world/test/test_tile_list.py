# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of lists of tiles: what is read, and the errors of what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regolith_files import InputError
from regolith_world.tiles import TileList, known_tile_types, read_tile_list

HEAD = 'name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad\n'
GOOD = HEAD + (
    'staging_area,subt_tunnel_staging_area,0,0,0,0,0,0\n'
    'barrier_1,Jersey Barrier,8,-11,0,0,0,0\n'
    'tile_6,Tunnel Tile 5,20,0,0,0,0,-1.570796\n'
    'tile_10,Tunnel Tile Blocker,86,0,0,0,0,0\n'
)


def listed(tmp_path: Path, text: str, *leave_out: str) -> TileList:
    file = tmp_path / 'world.tiles.csv'
    file.write_text(text)
    return read_tile_list(file, leave_out)


def test_tiles_and_other_models_are_distinguished(tmp_path: Path) -> None:
    tiles = listed(tmp_path, GOOD)
    assert [(tile.id, tile.name, tile.type.name, tile.line) for tile in tiles.tiles] == [
        (0, 'staging_area', 'subt_tunnel_staging_area', 2),
        (6, 'tile_6', 'Tunnel Tile 5', 4),
    ]
    assert tiles.other == {'Jersey Barrier': 1, 'Tunnel Tile Blocker': 1}
    # Turned by -90 degrees, the point (0, -10, 0) of the tile is at x - 10.
    assert np.abs(tiles.tiles[1].in_world(tiles.tiles[1].type.points) - [[10, 0, 0], [30, 0, 0]]).max() < 1e-5


def test_types_of_another_case_count_as_straight(tmp_path: Path) -> None:
    """As in SubT, whose table of connection points ignores case and whose table of classes does not."""
    tiles = listed(tmp_path, HEAD + 'a_1,tunnel tile 2,0,0,0,0,0,0\n')
    assert known_tile_types()['Tunnel Tile 2'].turn and not tiles.tiles[0].type.turn
    assert len(tiles.notes) == 1 and 'Tunnel Tile 2' in tiles.notes[0]


def test_types_may_have_the_names_of_their_meshes(tmp_path: Path) -> None:
    """As in the graph files of SubT."""
    tiles = listed(tmp_path, HEAD + 'a_1,tunnel_tile_2,0,0,0,0,0,0\nb_2,constrained_tunnel_tile_tall,0,9,0,0,0,0\n')
    assert [tile.type.name for tile in tiles.tiles] == ['Tunnel Tile 2', 'Constrained Tunnel Tile Tall']
    assert tiles.tiles[0].type.turn and not tiles.notes


def test_types_are_left_out_by_pattern(tmp_path: Path) -> None:
    text = GOOD + 'tile_7,Cave Cap Type B,30,0,0,0,0,0\ntile_8,Nameless,30,0,0,0,0,0\n'
    assert [tile.id for tile in listed(tmp_path, text, 'Cave Cap*', 'Nameless').tiles] == [0, 6]


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', 'is empty'),
        (HEAD, 'has no tiles'),
        (HEAD + 'barrier_1,Jersey Barrier,8,-11,0,0,0,0\n', 'has no tiles'),
        (GOOD + 'tile_7,Tunnel Tile 55,0,0,0,0,0,0\n', ":6: tile_type = 'Tunnel Tile 55': is not a tile type"),
        (GOOD + 'tile_7,Granite Hall,0,0,0,0,0,0\n', ":6: tile_type = 'Granite Hall': is not a tile type"),
        (GOOD + 'a,Tunel Straight,0,0,0,0,0,0\n', 'did you mean Tunnel Straight?'),
        (
            GOOD + 'tile_6,Tunnel Tile 5,0,0,0,0,0,0\n',
            ":6: name = 'tile_6': is repeated; allowed: a name of its own; line 4",
        ),
        (GOOD + 'cave_6,Tunnel Tile 5,0,0,0,0,0,0\n', ":6: name = 'cave_6': has the id 6 of another tile"),
        (GOOD + ',Tunnel Tile 5,0,0,0,0,0,0\n', ":6: name = '': is not a name"),
        (GOOD + '"tile\n_7",Tunnel Tile 5,0,0,0,0,0,0\n', 'is not a name'),
        (GOOD + 'tile::_7,Tunnel Tile 5,0,0,0,0,0,0\n', ":6: name = 'tile::_7': is not a name"),
        (HEAD + ''.join(f't_{k},Tunnel Tile 5,0,0,0,0,0,0\n' for k in range(2001)), ':2002: is one tile too many'),
        (GOOD + 'a"b_7,Tunnel Tile 5,0,0,0,0,0,0\n', 'is not a'),
        (
            GOOD + 'tile_7,Tunnel Tile 5,zero,0,0,0,0,0\n',
            ":6: x_m = 'zero': is not usable; allowed: a number from -1e+06",
        ),
        (GOOD + 'tile_7,Tunnel Tile 5,0,nan,0,0,0,0\n', ":6: y_m = 'nan': is not usable"),
        (GOOD + 'tile_7,Tunnel Tile 5,0,0,1e9,0,0,0\n', ":6: z_m = '1e9': is not usable"),
        (GOOD + 'tile_7,Tunnel Tile 5,0,0,0,0,0,inf\n', ":6: yaw_rad = 'inf': is not usable"),
        (GOOD + 'tile_7,Tunnel Tile 5,0,0,0,0,0\n', ':6: has 7 values; allowed: 8'),
        (GOOD + f'tile_{2**64},Tunnel Tile 5,0,0,0,0,0,0\n', 'ends with too large a number'),
        (GOOD + '"tile_7,Tunnel Tile 5,0\n', 'is not a line of a CSV file'),
        (
            GOOD.replace('yaw_rad', 'heading'),
            ":1: name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,heading: has no column 'yaw_rad'",
        ),
    ],
)
def test_errors_name_file_line_key_and_value(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        listed(tmp_path, text)
    found = str(caught.value)
    assert message in found.replace("'name,tile", 'name,tile').replace("heading'", 'heading')
    assert found.startswith(str(tmp_path / 'world.tiles.csv')) and 'allowed: ' in found


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / 'world.csv'
    file.write_bytes(b'\xff\xfe\x00')
    with pytest.raises(InputError, match='is not UTF-8'):
        read_tile_list(file)
    file.write_bytes(b'a,' * 3_000_000)
    with pytest.raises(InputError, match='too large'):
        read_tile_list(file)
    with pytest.raises(InputError, match='no such file'):
        read_tile_list(tmp_path / 'absent.csv')


def test_every_type_has_a_box_around_its_connection_points() -> None:
    for kind in known_tile_types().values():
        low, high = kind.box()
        assert (low <= kind.points).all() and (kind.points <= high).all(), kind.name
        assert (high - low > 1.0).all(), kind.name
