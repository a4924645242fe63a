# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Solar power, loads and temperatures in recorded runs: messages, state hash, refusals of bad values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from harness import run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError
from regolith_sensors.heat.environment import LunarEnvironment
from regolith_vehicles import known_vehicles

SOLAR = Path(str(known_vehicles()['viper_solar']))
LIGHT = {'sun': {'azimuth_deg': 0.0, 'elevation_deg': 10.0}, 'view_range_m': 100.0}


def model(folder: Path, **changed: Any) -> str:
    """Write the rover viper_solar with changed sections, and return its path."""
    values = yaml.safe_load(SOLAR.read_text(encoding='utf-8'))
    values['mjcf'] = str(SOLAR.parent / values['mjcf'])
    path = folder / 'solar.yaml'
    path.write_text(yaml.safe_dump({**values, **changed}, sort_keys=False), encoding='utf-8')
    return str(path)


@pytest.mark.ros
@pytest.mark.seconds
def test_power_is_recorded_and_the_same_in_one_and_many_processes(tmp_path: Path) -> None:
    """A small battery in the evening: loads are shed, and both runs have the same hash, a thermal camera or not."""
    weak = {'energy_wh': 2.0, 'voltage_v': [24.0, 33.6], 'resistance_ohm': 0.04, 'initial_state_of_charge': 0.11}
    path = model(tmp_path, battery=weak)
    amber = {**vehicle(0.0, 0.0, type='constant', speed_mps=0.2), 'model': path}
    beryl = {**vehicle(4.0, 0.0, type='constant', speed_mps=0.0), 'model': path}
    eye = {'model': 'microbolometer', 'rate_hz': 1.0, 'mount': {'xyz': [0.6, 0.0, 2.1], 'rpy_deg': [0.0, 20.0, 0.0]}}
    night = {**LIGHT, 'sun': {'azimuth_deg': 0.0, 'elevation_deg': -5.0}}
    runs = []
    for name, processes, sensors in (('one', 'one', {}), ('many', 'many', {}), ('seen', 'one', {'eye': eye})):
        folder = tmp_path / name
        folder.mkdir()
        entries = {'amber': {**amber, 'sensors': sensors}, 'beryl': beryl}
        scenario = write_scenario(folder, entries, duration_s=3.0, light=night)
        runs.append(run_scenario(folder, scenario, processes=processes))
    assert runs[0].summary['state_hash'] == runs[1].summary['state_hash'] == runs[2].summary['state_hash']
    found: dict[str, list[Any]] = {}
    for message in Bag(runs[0].run_dir).messages():
        found.setdefault(message.topic, []).append(message.content)
    power, heat = found['/amber/power'], found['/amber/temperatures']
    assert len(power) == len(heat) == 4
    assert power[-1].panels == ['left', 'right', 'rear'] and not any(power[-1].panel_power)
    assert power[0].shed == [] and 'instruments' in power[-1].shed
    assert power[-1].load_power == pytest.approx(sum(power[-1].powers)) and power[-1].load_power > 100.0
    assert heat[-1].names == ['box', 'left', 'right', 'rear', 'wheels']
    assert all(100.0 < each < 300.0 for each in heat[-1].temperatures)
    kinds = [event.kind for event in found['/amber/events']]
    assert 'loads_shed' in kinds
    energy = runs[0].summary['vehicles']['amber']['energy']
    assert energy['loads_wh'] > 0.1 and energy['panels_wh'] == 0.0 and energy['shed'] == list(power[-1].shed)
    poses = found['/amber/part_poses'][-1]
    assert len(poses.temperatures) == len(poses.poses)


@pytest.mark.parametrize(
    ('changed', 'message'),
    [
        ({'panels': {'top': {'size_m': [31623.0, 31623.0], 'cells': [8, 8]}}}, 'panels.top.size_m.0 = 31623.0'),
        ({'panels': {'top': {'size_m': [1.0, 1.0], 'cells': [8, 8], 'efficiency': -1.0}}}, 'efficiency = -1.0'),
        ({'loads': {'radio': {'power_w': 1e9}}}, 'loads.radio.power_w = 1000000000.0'),
        ({'thermal': {'nodes': {'box': {'capacity_jpk': 10.0, 'initial_k': -3.0}}}}, 'initial_k = -3.0'),
        ({'panels': {'top': {'size_m': [1.0, 1.0], 'cells': [8, 8], 'node': 'sky'}}}, "'sky': is unknown"),
        ({'battery': None}, 'battery = null: is needed for '),
        (
            {'panels': {'top': {'size_m': [1.0, 1.0], 'cells': [8, 8], 'bypass_every': 9}}},
            'panels.top.bypass_every = 9',
        ),
        (
            {'panels': {'top': {'size_m': [0.2, 0.2], 'cells': [8, 8], 'position': [0.0, 0.0, 0.6]}}},
            'panels.top.position = ',
        ),
        (
            {'panels': {'top': {'size_m': [100.0, 100.0], 'cells': [8, 8], 'position': [0.0, 0.0, 3.0]}}},
            'top.size_m = ',
        ),
    ],
)
def test_hostile_values_are_refused_by_check(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    """The message has file, line, key, value and what is allowed."""
    path = model(tmp_path, **changed)
    scenario = write_scenario(tmp_path, {'amber': {**vehicle(0.0, 0.0), 'model': path}}, light=LIGHT)
    with pytest.raises(InputError) as refused:
        load_scenario(scenario)
    assert message in str(refused.value) and 'solar.yaml:' in str(refused.value) and 'allowed' in str(refused.value)


def test_sun_of_polar_day_sets_behind_the_massif() -> None:
    """Full sun at first, half of the disc in between, none after two hours; amber's left panel has 0.295 of it."""
    scenario = load_scenario('polar_day').scenario
    around = LunarEnvironment(scenario.model_dump(mode='json'))
    parts = [around.at(round(hours * 3.6e12), 0.0, 0.0).irradiance / 1361.0 * 0.9877**2 for hours in (0.0, 1.0, 2.0)]
    assert parts[0] == pytest.approx(1.0, abs=0.01) and 0.1 < parts[1] < 0.9 and parts[2] == 0.0
    seen: dict[str, Any] = {}
    simulation = Simulation(scenario, publish=seen.__setitem__)
    simulation.run(0.4)
    amber, basalt = seen['amber'].energy, seen['basalt'].energy
    assert amber.panel_lit[0] == 1.0 and not amber.panel_lit[1:].any()
    assert amber.panel_power[0] == pytest.approx(0.295 * 1361.0 / 0.9877**2 * 0.77, rel=0.05)
    assert 0.0 < basalt.panel_power[0] < 0.4 * amber.panel_power[0]
