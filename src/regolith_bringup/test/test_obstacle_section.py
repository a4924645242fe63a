# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``obstacles`` section: what is refused, and what every process reads of it."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path

import numpy as np
import pytest

from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_bringup.scenario.participant_sections import participant_context
from regolith_comms.links.link import Links
from regolith_comms.links.terrain_graph import WAVELENGTH_M, knife_edge_loss
from regolith_comms.links.tile_graph_builder import link_model
from regolith_comms.radio import success_probability
from regolith_comms.radio_config import load_radio
from regolith_files.problems import InputError
from regolith_terrain.config import TerrainConfig
from regolith_terrain.height_field import FlatField
from regolith_terrain.height_field_builder import build_height_field, build_rocks
from regolith_vehicles.contact.static_obstacles import build_obstacle_map, build_solids
from regolith_world.config import load_section

TETRAHEDRON = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'


def written(folder: Path, obstacles: str) -> Path:
    path = folder / 'yard.yaml'
    path.write_text(
        f'terrain: {{source: flat}}\nvehicles: {{amber: {{position: [0.0, 0.0]}}}}\nobstacles:\n{obstacles}',
        encoding='utf-8',
    )
    return path


@pytest.mark.parametrize(
    ('entry', 'told'),
    [
        ('{type: rmp, position: [1, 0], size: [1, 1, 1]}', ('obstacles.a.type', "'rmp'", 'ramp')),
        ('{type: box, position: [1, 0], size: [1, -1, 1]}', ('obstacles.a.size.1', '-1', '0.03')),
        ('{type: box, position: [1, 0]}', ('obstacles.a', 'allowed: size')),
        ('{type: mesh, position: [1, 0]}', ('obstacles.a', 'allowed: path')),
        ('{type: mesh, position: [1, 0], path: gone.obj}', ('obstacles.a.path', 'no such file', 'OBJ')),
        ('{type: mesh, position: [1, 0], path: flat.obj}', ('obstacles.a.path', 'allowed: ')),
        ('{type: box, position: [1, 0], size: [1, 1, 1], scale: 2.0}', ('obstacles.a.scale', '2.0', 'allowed: ')),
        ('{type: box, position: [1, 0], size: [1, 1, 1], material: cheese}', ('obstacles.a.material', 'concrete')),
    ],
)
def test_mistakes_are_named_with_key_value_and_what_is_allowed(
    tmp_path: Path, entry: str, told: tuple[str, ...]
) -> None:
    """Before anything starts."""
    flat = TETRAHEDRON.replace('v 0 0 1', 'v 1 1 0')
    (tmp_path / 'flat.obj').write_text(flat, encoding='utf-8')
    with pytest.raises(InputError) as caught:
        load_scenario(written(tmp_path, f'  a: {entry.replace("1, 0]", "1.0, 0.0]")}\n'))
    text = str(caught.value)
    assert 'yard.yaml' in text and all(part in text for part in told), text


@pytest.mark.seconds
@pytest.mark.parametrize(
    ('visual', 'told'),
    [
        ('mesh: gone.obj', ('objects.a.visual.mesh', 'no such file', 'gone.obj', 'OBJ')),
        ('mesh: yard.yaml', ('objects.a.visual.mesh', 'name extension', 'OBJ')),
        ('mesh: flat.obj', ('objects.a.visual.mesh', 'allowed: ')),
        ('mesh: torn.stl', ('objects.a.visual.mesh', 'torn.stl', 'STL')),
        ('mesh: torn.glb', ('objects.a.visual.mesh', 'torn.glb', 'is not a glTF file', 'GLB')),
        ('mesh: large.obj', ('objects.a.visual.mesh', '300 m wide', 'objects.a.visual.mesh_scale', '0.001')),
        ('mesh: heap.obj, mesh_scale: 0', ('objects.a.visual.mesh_scale', '0')),
        ('mesh: heap.obj, color: [1.0, 0.5]', ('objects.a.visual.color', 'allowed')),
        ('mesh: heap.obj, color: [1.0, 0.5, 2.0]', ('objects.a.visual.color.2', '2.0', '1')),
        ('mush: heap.obj', ('objects.a.visual.mush', 'mesh')),
    ],
)
def test_mistakes_of_an_object_mesh_are_named_with_key_value_and_what_is_allowed(
    tmp_path: Path, visual: str, told: tuple[str, ...]
) -> None:
    """A missing file, one that is no mesh, no solid or incomplete, one in millimeters, a wrong unit or color."""
    files = {'flat.obj': TETRAHEDRON.replace('v 0 0 1', 'v 1 1 0'), 'torn.stl': 'x' * 90, 'heap.obj': TETRAHEDRON}
    files['torn.glb'] = '{'
    files['large.obj'] = TETRAHEDRON.replace('1 0 0', '300 0 0')
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding='utf-8')
    with pytest.raises(InputError) as caught:
        load_scenario(thing(tmp_path, visual))
    text = str(caught.value)
    assert 'yard.yaml' in text and all(part in text for part in told), text


def thing(folder: Path, visual: str) -> Path:
    """Write a scenario with an object with a visual."""
    shape = 'shape: {kind: sphere, size_m: [0.1]}, mass_kg: 1.0, position: [3.0, 0.0, 1.0]'
    path = written(folder, '  b: {type: box, position: [9.0, 0.0], size: [1.0, 1.0, 1.0]}\n')
    path.write_text(f'{path.read_text()}objects:\n  a: {{type: rigid_body, {shape}, visual: {{{visual}}}}}\n')
    return path


def test_mesh_of_an_object_reaches_every_process_with_an_absolute_path(tmp_path: Path) -> None:
    (tmp_path / 'heap.obj').write_text(TETRAHEDRON, encoding='utf-8')
    found = load_scenario(thing(tmp_path, 'mesh: heap.obj, mesh_scale: 0.5')).scenario.objects['a']['visual']
    assert found == {'mesh': str(tmp_path / 'heap.obj'), 'mesh_scale': 0.5, 'color': None}


def test_what_images_do_not_show_of_a_gltf_file_is_one_note(tmp_path: Path) -> None:
    corners = base64.b64encode(np.eye(3, dtype='<f4').tobytes()).decode()
    data = {
        'asset': {'version': '2.0'},
        'buffers': [{'byteLength': 36, 'uri': f'data:;base64,{corners}'}],
        'bufferViews': [{'buffer': 0, 'byteLength': 36}],
        'accessors': [{'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3'}],
        'materials': [{'emissiveFactor': [1.0, 1.0, 1.0], 'alphaMode': 'BLEND'}],
        'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'material': 0}]}],
        'nodes': [{'mesh': 0}],
    }
    (tmp_path / 'lamp.gltf').write_text(json.dumps(data), encoding='utf-8')
    notes = [note for note in load_scenario(thing(tmp_path, 'mesh: lamp.gltf')).notices if 'visual' in note]
    assert len(notes) == 1 and 'images do not show emissive light, transparency' in notes[0]


def test_a_vehicle_within_an_obstacle_is_refused(tmp_path: Path) -> None:
    """It would be thrown; on a box it stands, beside a wall it does, too."""
    wall = '  a: {type: wall, position: [0.0, PLACE], size: [4.0, 0.3, 1.0]}\n'
    with pytest.raises(
        InputError, match=r'vehicles\.amber\.position = .*penetrates an obstacle by 0\.\d+ m; allowed: '
    ):
        load_scenario(written(tmp_path, wall.replace('PLACE', '0.0')))
    load_scenario(written(tmp_path, wall.replace('PLACE', '2.0')))
    load_scenario(written(tmp_path, '  a: {type: box, position: [0.0, 0.0], size: [4.0, 4.0, 1.0]}\n'))


def test_obstacles_reach_every_process_with_the_terrain(tmp_path: Path) -> None:
    """A resolved scenario's terrain section has them, with the paths of meshes absolute."""
    (tmp_path / 'heap.obj').write_text(TETRAHEDRON, encoding='utf-8')
    entries = (
        '  heap: {type: mesh, path: heap.obj, scale: 0.5, position: [4.0, 0.0]}\n'
        '  kerb: {type: step, position: [1.0, 0.0], heading_deg: 90.0, size: [1.0, 2.0, 0.1]}\n'
    )
    scenario = load_scenario(written(tmp_path, entries)).scenario
    write_resolved(scenario, tmp_path / 'resolved.yaml')
    terrain = load_section(tmp_path / 'resolved.yaml', 'terrain', TerrainConfig)
    assert terrain.obstacles == scenario.obstacles
    assert terrain.obstacles['heap'].path == str((tmp_path / 'heap.obj').resolve())
    solids = build_solids(terrain, 1, FlatField())
    assert solids is not None
    heap, kerb = solids.placed.box
    assert heap.tolist() == pytest.approx([4.0, 0.0, 0.0, 4.5, 0.5, 0.5])
    assert kerb.tolist() == pytest.approx([0.0, 0.0, -0.5, 2.0, 1.0, 0.1])
    again = load_scenario(tmp_path / 'resolved.yaml').scenario
    assert again.terrain == scenario.terrain


RADIOS = (
    'comms: {radio: subt_cloud_tunnel, tile_size_m: 6.0, margin_m: 20.0, stations: {lander: [40.0, 0.0]}}\nseed: 3\n'
)
WALL = '{type: wall, position: [0.0, 0.0], size: [0.4, 24.0, 3.0], material: rock}'


def links(folder: Path, obstacles: str, breadcrumbs: tuple[tuple[float, float], ...] = ()) -> Links:
    """Return the link between radios 80 m apart on level ground, the origin halfway."""
    path = folder / 'radios.yaml'
    text = (
        f'terrain: {{source: flat}}\nvehicles: {{amber: {{position: [-40.0, 0.0]}}}}\n{RADIOS}obstacles: {obstacles}\n'
    )
    path.write_text(text, encoding='utf-8')
    scenario = load_scenario(path).scenario
    model = link_model(scenario.model_extra['comms'], participant_context(scenario))
    model.place_breadcrumbs([(f'crumb_{k}', (x, y, 0.1)) for k, (x, y) in enumerate(breadcrumbs)])
    return model.between([[-40.0, 0.0, 1.0]], [[40.0, 0.0, 1.0]])


def test_a_wall_of_rock_loses_a_link_and_a_breadcrumb_past_its_end_restores_it(tmp_path: Path) -> None:
    """3 m high, halfway: a knife edge (ITU-R P.526, eq. 31) 2 m above the line instead of 1 m below it.

    Half of the packets of 100 bytes arrive at -84.4 dBm.
    """
    radio = load_radio('subt_cloud_tunnel')
    clear, walled = links(tmp_path, '{}'), links(tmp_path, f'{{wall: {WALL}}}')
    over, under = (knife_edge_loss(h * math.sqrt(2.0 * 80.0 / (WAVELENGTH_M * 40.0**2))) for h in (2.0, -1.0))
    # Tiles are 6 m wide: their middles are not 80 m apart.
    assert clear.mean_dbm[0] - walled.mean_dbm[0] == pytest.approx(over - under, abs=0.6)
    chance = [float(success_probability(each.mean_dbm, each.variance_db2, 100, radio)[0]) for each in (clear, walled)]
    assert chance[0] > 0.7 and chance[1] < 0.05
    restored = links(tmp_path, f'{{wall: {WALL}}}', ((0.0, 18.0),))
    assert restored.hops[0] == 1 and restored.mean_dbm[0] > clear.mean_dbm[0]


def test_what_is_underfoot_only_does_not_count_for_radios_and_makes_no_other_graph(tmp_path: Path) -> None:
    """A crate of 60 cm, a post of 40 cm width. The hash that ties a graph to its terrain distinguishes walls."""
    small = (
        '{crate: {type: box, position: [0.0, 0.0], size: [3.0, 3.0, 0.6]},'
        ' post: {type: box, position: [2.0, 0.0], size: [0.4, 0.4, 5.0]}}'
    )
    assert (
        links(tmp_path, small).cost[0] == links(tmp_path, '{}').cost[0] < links(tmp_path, f'{{wall: {WALL}}}').cost[0]
    )
    prints = set()
    for obstacles in ('{}', small, f'{{wall: {WALL}}}', f'{{wall: {WALL.replace("3.0]", "3.5]")}}}'):
        links(tmp_path, obstacles)
        prints.add(participant_context(load_scenario(tmp_path / 'radios.yaml').scenario).fingerprint())
    assert len(prints) == 3


def test_boulders_stand_in_the_way_of_radios_by_their_size(tmp_path: Path) -> None:
    """Rocks of a mare from 1.5 m width and 0.75 m height count, with and without vehicle contact."""
    rough = {'source': 'procedural', 'preset': 'mare', 'map_size_m': 600.0}
    section = TerrainConfig.model_validate(rough)
    field = build_height_field(section, 5)
    rocks = build_rocks(section, 5).rocks_in(-300.0, 300.0, -300.0, 300.0, 1.0)
    large = (rocks.diameter >= 1.5) & (rocks.height >= 0.75)
    assert 0 < large.sum() < len(rocks)
    skyline = build_obstacle_map(section, 5, field)
    tops = skyline.facets[:, :, 2].max(axis=1)
    for k in np.flatnonzero(large):
        near = np.hypot(*(skyline.facets[:, :, :2].mean(axis=1) - (rocks.x[k], rocks.y[k])).T) < rocks.diameter[k]
        assert tops[near].max() == pytest.approx(rocks.z[k] + rocks.height[k])
    deaf = TerrainConfig.model_validate({**rough, 'rock_collision': False})
    assert build_obstacle_map(deaf, 5, field).fingerprint() == skyline.fingerprint()
    assert build_obstacle_map(TerrainConfig.model_validate({'source': 'flat'}), 5, FlatField()) is None
