# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios whose terrain is a list of tiles: what is refused, and what every process reads of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario, write_resolved
from regolith_files.problems import InputError
from regolith_terrain.config import TerrainConfig
from regolith_world.config import load_section

HEAD = 'name,tile_type,x_m,y_m,z_m,roll_rad,pitch_rad,yaw_rad\n'
TUNNEL = (
    HEAD
    + """staging_area,subt_tunnel_staging_area,0,0,0,0,0,0
tile_1,Tunnel Tile 5,20,0,0,0,0,1.570796
"""
)


def written(folder: Path, tiles: str = TUNNEL, position: tuple[float, float] = (15.0, 0.0), **sections: object) -> Path:
    (folder / 'mine.tiles.csv').write_text(tiles)
    path = folder / 'mine.yaml'
    rover = {'position': list(position), 'driver': {'type': 'constant', 'speed_mps': 0.3}}
    content = {'terrain': {'source': 'mine.tiles.csv', 'spacing_m': 0.1}, 'vehicles': {'amber': rover}, **sections}
    path.write_text(yaml.safe_dump(content))
    return path


@pytest.mark.parametrize(
    ('tiles', 'message'),
    [
        ('', 'mine.tiles.csv: is empty'),
        (
            TUNNEL.replace('Tunnel Tile 5', 'Tunnel Tile 55'),
            "mine.tiles.csv:3: tile_type = 'Tunnel Tile 55': is not a tile",
        ),
        (
            TUNNEL.replace('Tunnel Tile 5', 'Cave Cap'),
            "mine.tiles.csv:3: tile_type = 'Cave Cap': has no shape for driving",
        ),
        (TUNNEL.replace('1.570796', '0.7'), 'mine.tiles.csv:3: yaw_rad = 0.7: turns a tile'),
    ],
)
def test_errors_of_the_list_name_its_line(tmp_path: Path, tiles: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_scenario(written(tmp_path, tiles))
    assert message in str(caught.value) and 'allowed: ' in str(caught.value)


def test_keys_of_elevation_models_are_refused(tmp_path: Path) -> None:
    for setting in ('terrain.window={low: [0.0, 0.0], high: [1.0, 1.0]}', 'terrain.preset=mare', 'terrain.nodata=-1.0'):
        with pytest.raises(InputError, match=r'applies only to'):
            load_scenario(written(tmp_path), [setting])


def test_vehicle_in_a_wall_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'vehicles\.amber\.position = \[15\.0, 2\.7\]: penetrates an obstacle by'):
        load_scenario(written(tmp_path, position=(15.0, 2.7)))


def test_resolved_scenario_is_the_same_run(tmp_path: Path) -> None:
    """The tile list is terrain and, without a key, tile graph of the radios."""
    loaded = load_scenario(written(tmp_path, comms={'beacon_period_s': 0.2})).scenario
    assert loaded.comms.tiles == loaded.terrain.source == str(tmp_path / 'mine.tiles.csv')
    write_resolved(loaded, tmp_path / 'resolved.yaml')
    assert load_section(tmp_path / 'resolved.yaml', 'terrain', TerrainConfig) == loaded.terrain
    whole = Simulation(loaded)
    assert whole.run(0.4) == Simulation(load_scenario(tmp_path / 'resolved.yaml').scenario).run(0.4)
    assert whole.agents['amber'].vehicle.body_state().position[2] == pytest.approx(0.22, abs=0.05)
