# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``comms build-graph``, ``comms coverage`` and ``experiment radio-link`` as a person calls them."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from regolith_bringup.cli import app
from regolith_bringup.commands.command_context import CliCommandContext
from regolith_bringup.commands.plugins import flag_settings
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.participant_sections import participant_context
from regolith_comms.commands import _with_radios
from regolith_comms.config import CommsConfig
from regolith_comms.coverage import coverage_map
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import WorldGrid
from regolith_files.problems import InputError

SHARED = Path(os.environ.get('REGOLITH_SHARED', Path(__file__).resolve().parents[4] / 'shared'))


def called(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False, obj=CliCommandContext(print))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.seconds
def test_build_graph_writes_a_pair_of_files_and_an_image(tmp_path: Path) -> None:
    printed = called('comms', 'build-graph', 'comms_ridge', '--out', tmp_path, '--set', 'comms.tile_size_m=20').split()
    assert [Path(p).name for p in printed] == ['comms_ridge.dot', 'comms_ridge.dat', 'comms_ridge_graph.png']
    graph, grid = TileGraph.from_dot(tmp_path / 'comms_ridge.dot'), WorldGrid.from_dat(tmp_path / 'comms_ridge.dat')
    assert graph.comment.startswith('regolith terrain graph') and set(grid.records['id']) == set(graph.ids)
    west, crest, east = grid.tile_at([[-60.0, 0.0, -4.0], [1.0, 0.0, 0.0], [35.0, 4.0, -3.0]])
    costs = graph.costs[np.ix_(*[graph.rows([west, crest, east])] * 2)]
    # Over the ridge costs what a way over its crest costs; that is more than to the crest alone.
    assert costs[0, 2] > 1.25 * costs[0, 1] and costs[0, 2] > 6.0
    assert (tmp_path / 'comms_ridge_graph.png').read_bytes().startswith(b'\x89PNG')


TILES = """name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad
staging_area,subt_tunnel_staging_area,0,0,0,0,0,0
barrier_1,Jersey Barrier,8,-11,0,0,0,0
tile_1,Tunnel Tile 1,20,0,0,0,0,0
tile_2,Tunnel Tile 1,40,0,0,0,0,0
tile_3,Cave Cap,200,0,0,0,0,0
"""


def test_import_tiles_writes_graph_and_grid(tmp_path: Path) -> None:
    (tmp_path / 'mine.tiles.csv').write_text(TILES)
    file, out = tmp_path / 'mine.tiles.csv', tmp_path / 'worlds'
    with pytest.raises(InputError, match=r'mine\.tiles\.csv:6: tile_3 pose = .* meets no tile; allowed: a pose'):
        called('comms', 'import-tiles', file, '--out', out)
    assert not out.exists()
    for options, costs in (([], [0.0, 3.0, 9.0]), (['--finals'], [0.0, 2.0, 5.0])):
        printed = called('comms', 'import-tiles', file, '--out', out, '--leave-out', 'Cave Cap*', *options).splitlines()
        assert printed == [str(out / 'mine.dot'), str(out / 'mine.dat')]
        assert TileGraph.from_dot(out / 'mine.dot').costs[0].tolist() == costs
    assert WorldGrid.from_dat(out / 'mine.dat').tile_at([[20.0, 0.0, 1.0], [20.0, 0.0, 9.0]]).tolist() == [1, -1]
    called('comms', 'import-tiles', file, '--out', out, '--allow-unconnected')
    assert np.isinf(TileGraph.from_dot(out / 'mine.dot').costs[0]).tolist() == [False, False, False, True]
    with pytest.raises(InputError, match='is not a folder'):
        called('comms', 'import-tiles', file, '--out', file, '--allow-unconnected')
    with pytest.raises(InputError, match=r'terrain\.source = .*tunnel\.tiles\.csv.: is a tile list; .*import-tiles'):
        called('comms', 'build-graph', 'tunnel', '--out', out)


@pytest.mark.seconds
@pytest.mark.slow
def test_coverage_ends_at_the_ridge_and_continues_from_a_breadcrumb(tmp_path: Path) -> None:
    """The radio shadow of the ridge and its end: probabilities at one place behind it, and the image."""
    scenario = load_scenario('comms_ridge').scenario
    shadow, relayed = (
        coverage_map(scenario.comms, participant_context(scenario), 'lander', crumbs, 100)
        for crumbs in ([], [(1.4, 0.0)])
    )
    i, j = np.abs(shadow.x - 30.0).argmin(), np.abs(shadow.y - 3.0).argmin()
    assert shadow.probability[i, j] < 0.05 and relayed.probability[i, j] > 0.6
    near = np.abs(shadow.x + 40.0).argmin()
    assert shadow.probability[near, j] > 0.95
    assert (relayed.probability >= shadow.probability - 0.25).all()
    printed = called(
        'comms', 'coverage', 'comms_ridge', '--transmitter', 'lander', '--breadcrumb', '-1.4,0', '--out', tmp_path
    )
    assert printed.strip() == str(tmp_path / 'comms_ridge_lander_coverage.png')
    assert Path(printed.strip()).read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('comms_ridge', '--transmitter', 'ambre'), 'did you mean amber'),
        (('comms_ridge', '--transmitter', 'amber', '--breadcrumb', '3'), 'is not a position'),
        (('comms_ridge', '--transmitter', 'amber', '--out', __file__), 'is not a folder'),
    ],
)
def test_coverage_says_what_is_wrong(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        called('comms', 'coverage', *arguments)


@pytest.mark.slow
@pytest.mark.seconds
def test_a_scenario_without_radios_is_seen_as_if_all_had_the_default_one(tmp_path: Path) -> None:
    """The graph is small, as the terrain has no edge: 40 m around the vehicles, where all is in range."""
    small = ('--set', 'comms.margin_m=40', '--set', 'comms.tile_size_m=10')
    called('comms', 'coverage', 'two_rovers', '--transmitter', 'amber', '--out', tmp_path, *small)
    called('comms', 'build-graph', 'two_rovers', '--out', tmp_path, *small)
    graph = TileGraph.from_dot(tmp_path / 'two_rovers.dot')
    assert len(graph) > 50 and np.isfinite(graph.costs).all()
    # Without any setting, too.
    assert (
        _with_radios(CliCommandContext(print), 'two_rovers', [], None)[0].beacon_period_s
        == CommsConfig().beacon_period_s
    )


def test_flags_are_settings() -> None:
    """``--key value`` as well as ``--key=value``; what is said again is a list; values may begin with a minus."""
    given = flag_settings(['--tx', '-1,2,3', '--bytes=20', '--crumb', '1', '--crumb', '-2', '--some-thing', 'x'])
    assert given == {'tx': '-1,2,3', 'bytes': 20, 'crumb': [1, -2], 'some_thing': 'x'}
    for arguments, words in ((['x'], 'is not a setting'), (['--x'], 'has no value')):
        with pytest.raises(InputError, match=words):
            flag_settings(arguments)


def _rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding='utf-8') as stream:
        return list(csv.DictReader(stream))


def test_experiment_link_gives_the_reference_values() -> None:
    """Some rows of the table, links and none, with breadcrumbs and without, as the command prints them."""
    worlds, table = SHARED / 'subt_worlds', SHARED / 'reference' / 'comms' / 'rx_power_world.csv'
    if not table.is_file():
        pytest.skip('needs the shared documents; set REGOLITH_SHARED')
    rows = [r for r in _rows(table) if r['config_name'] == 'competition' and r['route_status'] == 'unique']
    rows = [r for r in rows if r['world'] == 'simple_tunnel_02']
    refused = [r for r in rows if r['mean_dbm'] == '-inf'][:2]
    crumbs = 'breadcrumbs_xyz_in_deploy_order'
    heard = [r for r in rows if r['mean_dbm'] not in ('-inf', 'inf')]
    direct = [r for r in heard if not r[crumbs]][:2]
    grid = WorldGrid.from_dat(worlds / 'simple_tunnel_02.dat')

    def several_and_none_at_the_receiver(row: dict[str, str]) -> bool:
        # A breadcrumb in the receiver's own tile stands for the last leg in the old code only.
        places = [[float(v) for v in place.split()] for place in row[crumbs].split('|')]
        return len(places) > 1 and int(row['rx_tile']) not in grid.tile_at(places)

    relayed = [r for r in heard if r['num_hops'] != '0' and several_and_none_at_the_receiver(r)][:2]
    assert refused and direct and relayed
    for row in [*refused, *direct, *relayed]:
        world = worlds / row['world']
        places = [p for p in row[crumbs].split('|') if p.strip()]
        flags = [f for p in places for f in ('--breadcrumb', ','.join(p.split()))]
        said = json.loads(
            called(
                'experiment',
                'radio-link',
                '--graph',
                f'{world}.dot',
                '--grid',
                f'{world}.dat',
                '--bytes',
                100,
                '--tx',
                ','.join(row['tx_xyz'].split()),
                '--rx',
                ','.join(row['rx_xyz'].split()),
                '--radio',
                'subt_competition',
                '--json',
                *flags,
            )
        )
        assert float(said['cost']) == float(row['visibility_cost']) and said['hops'] == int(row['num_hops'])
        assert float(said['rx_power_dbm']) == pytest.approx(float(row['mean_dbm']), rel=1e-9)
        assert said['success_probability'] == pytest.approx(float(row['p_ideal_100B']), abs=1e-9)
        assert said['rx_power_dbm'] == '-inf' if row['mean_dbm'] == '-inf' else said['range_m'] > 0.0


def test_experiment_link_says_what_is_wrong(tmp_path: Path) -> None:
    common = ['experiment', 'radio-link', '--grid', 'x.dat', '--rx', '1,2,3']
    with pytest.raises(InputError, match=r"'1,2' is not a position; allowed: x,y,z"):
        called(*common, '--graph', 'x.dot', '--tx', '1,2')
    with pytest.raises(InputError, match=r'nowhere\.dot: No such file or directory; allowed: a readable file'):
        called(*common, '--graph', tmp_path / 'nowhere.dot', '--tx', '1,2,3')
    with pytest.raises(InputError, match=r"radio = 'nope'.*allowed: .*lunar_uhf, subt_cloud_cave, .*subt_competition"):
        called(*common, '--graph', 'x.dot', '--tx', '1,2,3', '--radio', 'nope')
    with pytest.raises(InputError, match=r'tx: is missing; allowed: a value \(tx: Position x,y,z of the transmitter'):
        called(*common, '--graph', 'x.dot')
    broken = tmp_path / 'broken.dot'
    broken.write_text('graph {\n  0 [label="0::tile::a"];\n  0 -- 7 [label=1];\n}\n')
    with pytest.raises(
        InputError, match=r'broken\.dot:3: edge refers to vertex 7; allowed: a vertex of an earlier line$'
    ):
        called(*common, '--graph', broken, '--tx', '1,2,3')
