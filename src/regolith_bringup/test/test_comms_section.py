# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The comms section: every error names file, key, value and what is allowed; what is resolved stands by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup.run.node_plan import node_specs
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_bringup.scenario.participant_sections import participant_context, prepared
from regolith_bringup.scenario.schema import Scenario
from regolith_comms.links.tile_graph_builder import build_from_config, height_map, write_graph_files
from regolith_files.problems import InputError
from regolith_world.config import load_section

ROVER = {'position': [0.0, 0.0], 'driver': {'type': 'path', 'speed_mps': 0.2, 'waypoints': [[0.0, 0.0], [40.0, 10.0]]}}


def written(folder: Path, **comms: Any) -> Path:
    path = folder / 'radios.yaml'
    section = {'margin_m': 20.0, 'stations': {'lander': [-10.0, 0.0]}, **comms}
    content = {'terrain': {'source': 'flat'}, 'vehicles': {'amber': ROVER}, 'comms': section}
    path.write_text(yaml.safe_dump(content))
    return path


@pytest.mark.parametrize(
    ('comms', 'key', 'words'),
    [
        ({'radio': 'lunar_vhf'}, 'comms.radio', 'did you mean lunar_uhf'),
        ({'radoi': 'lunar_uhf'}, 'comms.radoi', 'unknown key'),
        ({'stations': {'amber': [0.0, 1.0]}}, 'comms.stations.amber', 'is taken'),
        ({'stations': {'broadcast': [0.0, 1.0]}}, 'comms.stations.broadcast', 'is taken'),
        ({'stations': {'a b': [0.0, 1.0]}}, 'comms.stations.a b', 'cannot be a ROS 2 name'),
        ({'stations': {'world': [0.0, 1.0]}}, 'comms.stations.world', 'is taken; allowed: any name but'),
        ({'stations': {'lander': [0.0]}}, 'comms.stations.lander', '2'),
        ({'traffic': [{'src': 'amber', 'dst': 'lendar'}]}, 'comms.traffic.0.dst', 'did you mean lander'),
        ({'traffic': [{'src': 'amber', 'dst': 'amber'}]}, 'comms.traffic.0.dst', 'is not another radio'),
        ({'traffic': [{'src': 'basalt', 'dst': 'lander'}]}, 'comms.traffic.0.src', 'no such radio'),
        (
            {'traffic': [{'src': 'amber', 'dst': 'lander', 'size_bytes': 1501}]},
            'comms.traffic.0.size_bytes',
            'less than or equal to 1500',
        ),
        (
            {'traffic': [{'src': 'amber', 'dst': 'lander', 'start_s': 5.0, 'end_s': 4.0}]},
            'comms.traffic.0.end_s',
            'is not after start_s',
        ),
        (
            {'breadcrumb_drops': [{'vehicle': 'lander', 'time_s': 1.0}]},
            'comms.breadcrumb_drops.0.vehicle',
            'no such vehicle; allowed: amber',
        ),
        (
            {'breadcrumb_drops': [{'vehicle': 'amber', 'time_s': 1.0}], 'breadcrumbs_per_vehicle': 0},
            'comms.breadcrumbs_per_vehicle',
            '>= 1',
        ),
        ({'graph': 'a.dot'}, 'comms.graph', 'no such file'),
        ({'tile_size_m': 2.0, 'margin_m': 300.0}, 'comms.tile_size_m', 'at most 1500'),
        ({'tile_size_m': 200.0, 'margin_m': 900.0}, 'comms.tile_size_m', 'at most 2000000 m2'),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, comms: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        load_scenario(written(tmp_path, **comms))
    text = str(error.value)
    assert text.startswith(str(tmp_path / 'radios.yaml')) and f': {key}' in text and words in text, text


def test_file_error_names_line_or_byte(tmp_path: Path) -> None:
    scenario = load_scenario(written(tmp_path)).scenario
    dot, dat = write_graph_files(*build_from_config(scenario.comms, participant_context(scenario)), tmp_path, 'made')
    file = written(tmp_path, graph='made.dot', grid='made.dat')
    assert load_scenario(file).scenario.comms is not None
    with pytest.raises(InputError, match=r'comms\.graph = .*is given without grid; allowed: both'):
        load_scenario(written(tmp_path, graph='made.dot'))
    file = written(tmp_path, graph='made.dot', grid='made.dat')
    lines = dot.read_text().splitlines()
    dot.write_text('\n'.join([*lines[:4], lines[4].replace('];', ''), *lines[5:]]))
    with pytest.raises(InputError, match=r'radios\.yaml:\d+: comms\.graph = .*made\.dot.: line 5: '):
        load_scenario(file)
    dot.write_text('\n'.join(lines))
    dat.write_bytes(dat.read_bytes()[:-3])
    with pytest.raises(InputError, match=r'made\.dat: '):
        load_scenario(file)


TILES = """name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad
staging_area,subt_tunnel_staging_area,0,0,0,0,0,0
tile_1,Tunnel Tile 5,20,0,0,0,0,1.570796
"""


def test_graph_is_made_of_a_tile_list(tmp_path: Path) -> None:
    (tmp_path / 'world.tiles.csv').write_text(TILES)
    file = written(tmp_path, tiles='world.tiles.csv', radio='subt_competition')
    scenario = load_scenario(file).scenario
    assert scenario.comms.tiles == str(tmp_path / 'world.tiles.csv')
    graph, grid = build_from_config(scenario.comms, participant_context(scenario))
    assert graph.costs.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert grid.tile_at([[0.0, 0.0, 1.0], [25.0, 0.0, 1.0], [25.0, 5.0, 1.0]]).tolist() == [0, 1, -1]
    with pytest.raises(InputError, match=r'comms\.tiles = .*is given with graph and grid; allowed: either tiles'):
        load_scenario(written(tmp_path, tiles='world.tiles.csv', graph='world.tiles.csv', grid='world.tiles.csv'))
    with pytest.raises(InputError, match=r'radios\.yaml:\d+: comms\.tiles = .absent\.csv.: no such file'):
        load_scenario(written(tmp_path, tiles='absent.csv'))
    (tmp_path / 'world.tiles.csv').write_text(TILES.replace('20,', '200,'))
    with pytest.raises(InputError, match=r'world\.tiles\.csv:3: tile_1 pose = .*: meets no tile; allowed: a pose'):
        load_scenario(written(tmp_path, tiles='world.tiles.csv'))


def test_a_broken_radio_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / 'mine.yaml').write_text('fading_exponent: -1\n')
    with pytest.raises(InputError, match=r'mine\.yaml:1: fading_exponent = -1: '):
        load_scenario(written(tmp_path, radio='mine.yaml'))
    (tmp_path / 'mine.yaml').write_text('fading_exponent: 1.7\n')
    comms = load_scenario(written(tmp_path, radio='mine.yaml')).scenario.comms
    assert comms is not None and comms.radio == str(tmp_path / 'mine.yaml')


def test_resolved_it_stands_by_itself(tmp_path: Path) -> None:
    """Heights of stations stand in it, files absolute; nodes and a second run read the same."""
    raised = {'source': 'procedural'}
    path = written(tmp_path)
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), 'terrain': raised}))
    scenario = load_scenario(path).scenario
    assert scenario.comms is not None
    x, y, z = scenario.comms.stations['lander']
    from regolith_terrain.height_field_builder import build_height_field

    assert (x, y, z) == (-10.0, 0.0, pytest.approx(float(build_height_field(scenario.terrain, 0).heights(x, y))))
    named = prepared(scenario, tmp_path / 'run')
    write_resolved(named, tmp_path / 'resolved.yaml')
    assert load_section(tmp_path / 'resolved.yaml', '', Scenario) == named
    assert load_scenario(tmp_path / 'resolved.yaml').scenario.comms == named.comms


def test_the_plan_has_a_node_and_topics_for_radios_only_where_there_are_any(tmp_path: Path) -> None:
    scenario = load_scenario(written(tmp_path)).scenario
    nodes = {spec.executable: spec for spec in node_specs(scenario, 's.yaml', tmp_path)}
    assert nodes['comms_node'].label == 'regolith/comms'
    topics = nodes['recorder_node'].parameters['topics']
    assert '/lander/comms/rx|regolith_msgs/msg/DatagramArray|state|1' in topics
    silent = scenario.model_copy(update={'comms': None})
    assert 'comms_node' not in {spec.executable for spec in node_specs(silent, 's.yaml', tmp_path)}
    assert 'comms_node' not in {spec.executable for spec in node_specs(scenario, 's.yaml', tmp_path, 'one')}
    assert not any('comms' in t for t in node_specs(silent, 's.yaml', tmp_path)[0].parameters['topics'])


def test_the_graph_covers_vehicles_way_points_and_stations(tmp_path: Path) -> None:
    flat = load_scenario(written(tmp_path)).scenario
    ground = height_map(flat.comms, participant_context(flat))
    assert (ground.west, ground.south) == (-30.0, -20.0)
    assert ground.size == (90.0, 50.0) and ground.spacing == 2.0
