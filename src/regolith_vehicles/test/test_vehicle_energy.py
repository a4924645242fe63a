# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a vehicle's solar power, loads and temperatures over time: light_and_heat, section 8."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent import startup_check
from regolith_vehicles.agent.fault_use import use_faults
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.energy.environment import Radiation, RadiativeEnvironment
from regolith_vehicles.energy.vehicle_energy import Surroundings
from regolith_vehicles.faults import FaultConfig
from regolith_vehicles.powertrain.battery import DRAWN, RETURNED, STORED, draw, make_battery, state_of_charge
from regolith_vehicles.visuals.visual_description import visuals_of
from regolith_world.cycle import BodyState, Shape, ShapeKind

SECOND = 1_000_000_000
BATTERY = {'energy_wh': 100.0, 'voltage_v': [24.0, 28.0], 'resistance_ohm': 0.1, 'initial_state_of_charge': 0.5}
# Above the mast's head, so that nothing of the vehicle shades it.
TOP = {'position': [0.0, 0.0, 2.2], 'size_m': [1.0, 1.0], 'cells': [24, 2], 'bypass_every': 12}


class Day(RadiativeEnvironment):
    """Sun at an azimuth from x toward y and an elevation, until a time."""

    range_m = 50.0

    def __init__(self, elevation_deg: float = 90.0, until_s: float = math.inf, ground_k: float = 0.0) -> None:
        e = math.radians(elevation_deg)
        self._sun = Radiation(np.array([math.cos(e), 0.0, math.sin(e)]), 1361.0, ground_k=ground_k, ground_albedo=0.0)
        self._until = until_s

    def at(self, t_ns: int, x: float, y: float) -> Radiation:
        return self._sun if t_ns <= self._until * SECOND else replace(self._sun, irradiance=0.0)


def rover(environment: RadiativeEnvironment, faults: list[dict[str, Any]] | None = None, **sections: Any) -> Vehicle:
    """Return a rover at rest with a battery and some sections of energy."""
    config, mjcf = load_vehicle_model('viper')
    values = {**config.model_dump(mode='json'), 'battery': BATTERY, **sections}
    config = VehicleModelConfig.model_validate(values)
    grid = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL)
    given = [FaultConfig.model_validate(each) for each in faults or ()]
    made = Vehicle('amber', config, mjcf, grid, RigidTerrainConfig(friction=0.8), 1.62, faults=given)
    made.place(0.0, 0.0, 0.0)
    if made.energy is not None:
        made.energy.show(visuals_of(config, made.body, made.gear))
        made.energy.surroundings = Surroundings(environment)
    return made


def wait(made: Vehicle, seconds: int, start: int = 0, bodies: Any = (), driving: bool = False) -> list[str]:
    """Let the energy of a parked vehicle advance by cycles of 0.5 s; return the names of loads switched off."""
    shed: list[str] = []
    looks = visuals_of(made.config, made.body, made.gear)
    poses = made.drawn_poses(looks.bodies)
    assert made.energy is not None
    for n in range(2 * start, 2 * (start + seconds)):
        shed += made.energy.advance((n + 1) * SECOND // 2, SECOND // 2, made, poses, driving, bodies)
    return shed


def test_charge_is_the_integral_of_the_net_power() -> None:
    """At the terminals of the battery, to rounding: P(panel) - P(loads) / efficiency, over time."""
    made = rover(Day(), panels={'top': TOP}, loads={'computer': {'power_w': 30.0}})
    wait(made, 600)
    charge, energy = made.gear.charge, made.energy.summary()
    tilt = made.data.xmat[made.body.base].reshape(3, 3)[2, 2]
    assert energy['panels_wh'] == pytest.approx(0.295 * 1361.0 * tilt * 600.0 / 3600.0, rel=1e-3)
    assert energy['loads_wh'] == pytest.approx(30.0 * 600.0 / 3600.0, rel=1e-3)
    net = charge[RETURNED] - charge[DRAWN]
    # The charge is limited to 50 W: half of the battery's energy in an hour.
    assert net == pytest.approx(50.0 * 600.0, rel=1e-12)
    weak = rover(Day(), panels={'top': {**TOP, 'size_m': [0.2, 1.0]}}, loads={'computer': {'power_w': 30.0}})
    wait(weak, 600)
    charge, energy = weak.gear.charge, weak.energy.summary()
    expected = 3600.0 * (energy['panels_wh'] - energy['loads_wh'] / 0.95)
    assert charge[RETURNED] - charge[DRAWN] == pytest.approx(expected, rel=1e-12)
    assert 0.0 < expected < 50.0 * 600.0


def test_8_faults_darken_panels_and_switch_loads() -> None:
    faults = [
        {'of': 'panel/top', 'kind': 'dark', 'value': 0.25, 'time_s': 0.0},
        {'of': 'load/lamp', 'kind': 'on', 'time_s': 0.0},
        {'of': 'load/computer', 'kind': 'off', 'time_s': 0.0},
    ]
    loads = {'lamp': {'power_w': 30.0, 'on': False}, 'computer': {'power_w': 20.0}}
    healthy, faulty = (rover(Day(), given, panels={'top': TOP}, loads=loads) for given in (None, faults))
    assert len(use_faults(faulty, 0)) == 3
    for made in (healthy, faulty):
        wait(made, 60)
    seen, hurt = healthy.energy.observed(), faulty.energy.observed()
    assert hurt.panel_power[0] == pytest.approx(0.75 * seen.panel_power[0], rel=1e-12)
    assert seen.load_power.tolist() == [0.0, 20.0] and hurt.load_power.tolist() == [30.0, 0.0]


def test_full_battery_takes_what_motors_draw_alone() -> None:
    """Motors of 20 W on a full battery in the sun: it stays full; 1 % for the losses in its resistance."""
    full = {**BATTERY, 'initial_state_of_charge': 1.0}
    made = rover(Day(), panels={'top': TOP}, loads={'computer': {'power_w': 30.0}}, battery=full)
    charge, battery = made.gear.charge, make_battery(made.config.battery)
    for k in range(60):
        draw(battery, charge, 20.0, 1.0)
        wait(made, 1, k)
    assert state_of_charge(made.config.battery, charge) == pytest.approx(1.0, abs=1e-3)
    assert charge[DRAWN] == pytest.approx(20.0 * 60.0) and charge[RETURNED] == pytest.approx(charge[DRAWN], rel=0.01)


def test_rover_in_the_dark_runs_down_and_sheds_by_priority() -> None:
    """2 W h at 100 W / 0.95: priority 5 is off at 10 %, 1 at 2 %, 0 never; then the battery is empty."""
    loads = {
        'camera': {'power_w': 40.0, 'priority': 5},
        'arm': {'power_w': 30.0, 'priority': 1},
        'computer': {'power_w': 30.0, 'priority': 0},
    }
    made = rover(Day(until_s=-1.0), loads=loads, battery={**BATTERY, 'energy_wh': 4.0})
    capacity = 4.0 * 3600.0
    assert wait(made, 48) == []
    assert wait(made, 10, 48) == ['camera']
    assert made.gear.charge[STORED] / capacity == pytest.approx(0.1, abs=0.03)
    assert wait(made, 18, 58) == ['arm']
    assert not made.gear.is_empty
    wait(made, 100, 76)
    assert made.gear.is_empty and made.gear.charge[STORED] == 0.0
    assert made.energy.observed().load_power.tolist() == [0.0, 0.0, 0.0]
    assert made.energy.observed().shed == ('camera', 'arm')


def test_empty_battery_is_locked_until_the_sun_has_charged_it() -> None:
    """2 % of 4 W h: 288 J at 2 W."""
    made = rover(Day(), panels={'top': TOP}, battery={**BATTERY, 'energy_wh': 4.0})
    made.gear.charge[STORED] = 0.0
    made.energy.surroundings = Surroundings(Day(until_s=-1.0))
    wait(made, 2)
    assert made.gear.is_empty
    made.energy.surroundings = Surroundings(Day())
    wait(made, 100, 2)
    assert made.gear.charge[STORED] > 0.0 and made.gear.is_empty
    wait(made, 60, 102)
    assert not made.gear.is_empty


def test_mast_and_other_vehicles_shade_a_panel() -> None:
    """A low sun from ahead behind a wall of another vehicle: nothing; a deck behind the mast: a strip in the dark."""
    made = rover(Day(20.0), panels={'top': TOP})
    wait(made, 1)
    assert made.energy.observed().panel_lit[0] == 1.0
    other = BodyState('beryl', np.array([3.0, 0.0, 2.0]), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
    wall = Shape(ShapeKind.BOX, np.array([0.1, 2.0, 2.0]))
    made.energy.surroundings = Surroundings(Day(20.0), {'beryl': [wall]})
    wait(made, 1, 1, [other])
    assert made.energy.observed().panel_lit[0] == 0.0 and made.energy.observed().panel_power[0] == 0.0
    deck = rover(Day(40.0), panels={'deck': {**TOP, 'position': [-0.2, 0.0, 1.12], 'size_m': [0.8, 0.8]}})
    wait(deck, 1)
    assert 0.5 < deck.energy.observed().panel_lit[0] < 1.0


def test_panel_above_the_shadow_of_the_hull_warms_its_node() -> None:
    """A wall shades the hull and not the panel on top: its node keeps the balance of light, power and radiation."""
    face = {'normal': [0.0, 0.0, 1.0], 'area_m2': 1.0, 'absorptivity': 0.9, 'emissivity': 0.85}
    node = {'capacity_jpk': 1000.0, 'initial_k': 300.0, 'faces': {'cells': face}}
    made = rover(Day(20.0), panels={'top': {**TOP, 'node': 'cells'}}, thermal={'nodes': {'cells': node, 'hull': node}})
    other = BodyState('beryl', np.array([3.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
    wall = Shape(ShapeKind.BOX, np.array([0.1, 2.0, 1.0]))
    made.energy.surroundings = Surroundings(Day(20.0), {'beryl': [wall]})
    wait(made, 1800, 0, [other])
    found = made.energy.observed()
    assert found.panel_lit[0] == 1.0
    light = 0.9 * 1361.0 * math.sin(math.radians(20.0))
    balance = (light - found.panel_power[0]) / (0.85 * 5.670374e-8)
    assert found.temperatures[0] == pytest.approx(balance**0.25, abs=1.0)
    assert found.temperatures[1] < 200.0


def test_heater_holds_a_temperature() -> None:
    """A box that radiates at 250 K; its power is between those of 249 and 251 K."""
    box = {
        'capacity_jpk': 500.0,
        'initial_k': 260.0,
        'faces': {'all': {'normal': [0.0, 0.0, 1.0], 'area_m2': 0.5, 'absorptivity': 0.2, 'emissivity': 0.5}},
    }
    heater = {'power_w': 100.0, 'when': 'heater', 'node': 'box', 'below_k': 250.0}
    made = rover(Day(until_s=-1.0), loads={'heater': heater}, thermal={'nodes': {'box': box}})
    wait(made, 600)
    before = made.energy.summary()['loads_wh']
    wait(made, 600, 600)
    assert made.energy.summary()['temperatures_k']['box'] == pytest.approx(250.0, abs=0.3)
    mean = (made.energy.summary()['loads_wh'] - before) * 6.0
    assert mean == pytest.approx(0.25 * 5.670374e-8 * 250.0**4, rel=0.02)


def test_loads_follow_their_conditions() -> None:
    loads = {
        'motors': {'power_w': 1.0, 'when': 'driving'},
        'eye': {'power_w': 2.0, 'duty': 0.5},
        'off': {'power_w': 8.0, 'on': False},
    }
    made = rover(Day(), loads=loads)
    wait(made, 1)
    assert made.energy.observed().load_power.tolist() == [0.0, 1.0, 0.0]
    wait(made, 1, 1, driving=True)
    assert made.energy.observed().load_power.tolist() == [1.0, 1.0, 0.0]


def test_state_of_the_energy_is_in_the_state_of_the_vehicle() -> None:
    """A vehicle that is restored continues bit for bit; one without energy has the state that it had before."""
    plain = rover(Day())
    assert plain.energy is None
    face = {'normal': [0.0, 0.0, 1.0], 'area_m2': 0.5, 'absorptivity': 0.2, 'emissivity': 0.8}
    box = {'capacity_jpk': 500.0, 'initial_k': 250.0, 'heat_w': 20.0, 'faces': {'top': face}}
    thermal = {'nodes': {'box': box}}
    made = rover(Day(), panels={'top': {**TOP, 'node': 'box'}}, thermal=thermal)
    assert len(made.state()) == len(plain.state()) + 8 * len(made.energy.values)
    wait(made, 5)
    half = made.state()
    wait(made, 5, 5)
    end = made.state()
    made.restore(half)
    wait(made, 5, 5)
    assert made.state() == end and half != end


@pytest.mark.parametrize(
    ('sections', 'key'),
    [
        ({'panels': {'top': {**TOP, 'body': 'roof'}}}, 'panels.top.body'),
        ({'thermal': {'nodes': {'box': {'capacity_jpk': 1.0, 'bodies': ['roof']}}}}, 'thermal.nodes.box.bodies.0'),
    ],
)
def test_unknown_bodies_are_refused(sections: dict[str, Any], key: str) -> None:
    with pytest.raises(VehicleModelError, match=f'{key} = .roof.: no such body'):
        rover(Day(), **sections)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        (
            {'position': [0.0, 0.0, 0.6]},
            'position = .*: puts 100 % of the panel inside shapes of the vehicle; allowed: ',
        ),
        ({'size_m': [100.0, 100.0]}, 'size_m = .*: puts cells .* m from all shapes of the vehicle; allowed: .* 10 m'),
        ({'position': [0.0, 0.0, 80.0]}, 'position = .*: puts cells 6.* m from all shapes of the vehicle'),
    ],
)
def test_useless_panels_are_refused(change: dict[str, Any], message: str) -> None:
    """Cells inside the hull are dark, and those far from the vehicle have a wrong unit."""
    good = rover(Day(), panels={'top': {**TOP, 'size_m': [0.2, 0.2]}})
    startup_check.test_drive(good, 0.0, 0.0)
    with pytest.raises(VehicleModelError, match=rf'panels\.top\.{message}'):
        startup_check.test_drive(rover(Day(), panels={'top': {**TOP, 'size_m': [0.2, 0.2], **change}}), 0.0, 0.0)
