# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a vehicle's thermal nodes: light_and_heat, section 10."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_vehicles.description.energy_config import ThermalConfig
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.energy.environment import Radiation
from regolith_vehicles.energy.nodes import STEFAN_BOLTZMANN, ThermalNodes, part_nodes

SUN = Radiation(np.array([0.0, 0.0, 1.0]), 1361.0, ground_albedo=0.0)


def nodes(links: Any = (), **faces: Any) -> ThermalNodes:
    made = {name: {'capacity_jpk': 1000.0, 'initial_k': 300.0, **values} for name, values in faces.items()}
    return ThermalNodes(ThermalConfig.model_validate({'nodes': made, 'links': list(links)}))


def settled(made: ThermalNodes, around: Radiation, lit: float = 1.0) -> np.ndarray:
    """Return the temperatures after long steps."""
    temperature, level = made.start.copy(), around.irradiance * max(0.0, float(around.sun[2]))
    for _ in range(100):
        absorbed = [made.absorbed(k, np.eye(3), around, lit, level) for k in range(len(temperature))]
        made.step(temperature, np.array(absorbed) + made.heat, 1e5)
    return temperature


@pytest.mark.parametrize(
    ('absorptivity', 'emissivity', 'free', 'insulated'),
    [
        (0.2, 0.9, 227.2, 270.2),  # white paint
        (0.95, 0.87, 338.3, 402.4),  # black
        (0.35, 0.6, 289.3, 344.0),  # kapton on gold
        (0.56, 0.85, 298.2, 354.6),  # cells
    ],
)
def test_flat_plates_reach_their_equilibrium(
    absorptivity: float, emissivity: float, free: float, insulated: float
) -> None:
    """A plate that faces the sun, radiating from both sides or from one; a tenth of a kelvin, as in the table."""
    side = {'area_m2': 1.0, 'absorptivity': absorptivity, 'emissivity': emissivity}
    front, back = {**side, 'normal': [0.0, 0.0, 1.0]}, {**side, 'normal': [0.0, 0.0, -1.0]}
    made = nodes(both={'faces': {'front': front, 'back': back}}, one={'faces': {'front': front}})
    assert settled(made, SUN) == pytest.approx([free, insulated], abs=0.06)


def test_faces_absorb_by_their_inclination_and_see_the_ground() -> None:
    face = {'area_m2': 2.0, 'absorptivity': 0.5, 'emissivity': 0.8}
    made = nodes(
        tilted={'faces': {'a': {**face, 'normal': [0.0, 0.6, 0.8]}}},
        side={'faces': {'a': {**face, 'normal': [1.0, 0.0, 0.0]}}},
    )
    assert made.absorbed(0, np.eye(3), SUN, 1.0, 1361.0) == pytest.approx(2.0 * 0.5 * 1361.0 * 0.8)
    assert made.absorbed(0, np.eye(3), SUN, 0.25, 1361.0) == pytest.approx(0.25 * 2.0 * 0.5 * 1361.0 * 0.8)
    warm = Radiation(np.array([0.0, 0.0, 1.0]), 1361.0, ground_k=300.0, ground_emissivity=0.95, ground_albedo=0.12)
    infrared = 0.95 * STEFAN_BOLTZMANN * 300.0**4
    expected = 2.0 * 0.5 * (0.5 * 0.12 * 1361.0 + 0.0) + 2.0 * 0.8 * 0.5 * infrared
    assert made.absorbed(1, np.eye(3), warm, 1.0, 1361.0) == pytest.approx(expected)


def test_free_cooling_follows_the_closed_form() -> None:
    """C dT/dt = - e s A T^4: 1 / T^3 grows by 3 e s A t / C; steps of 1 s err by their order."""
    made = nodes(
        one={'faces': {'a': {'normal': [0.0, 0.0, 1.0], 'area_m2': 1.0, 'absorptivity': 0.0, 'emissivity': 0.9}}}
    )
    temperature = made.start.copy()
    for _ in range(3600):
        made.step(temperature, np.zeros(1), 1.0)
    exact = (300.0**-3 + 3.0 * 0.9 * STEFAN_BOLTZMANN * 3600.0 / 1000.0) ** (-1.0 / 3.0)
    assert temperature[0] == pytest.approx(exact, abs=0.05)


def test_linked_nodes_keep_their_energy() -> None:
    """Without faces the mean stays and the difference decays as exp(-2 G t / C) by backward Euler."""
    made = nodes([{'nodes': ['a', 'b'], 'conductance_wpk': 2.0}], a={'initial_k': 400.0}, b={'initial_k': 200.0})
    temperature = made.start.copy()
    for _ in range(100):
        made.step(temperature, np.zeros(2), 1.0)
    assert temperature.sum() == pytest.approx(600.0, abs=1e-9)
    assert temperature[0] - temperature[1] == pytest.approx(200.0 * (1.0 + 4.0 / 1000.0) ** -100, rel=1e-9)


def test_radiative_link_balances() -> None:
    """A node heated by 50 W toward a large one at 200 K: s A (T^4 - 200^4) = 50."""
    made = nodes(
        [{'nodes': ['hot', 'cold'], 'exchange_m2': 0.3}],
        hot={'heat_w': 50.0},
        cold={'capacity_jpk': 1e9, 'initial_k': 200.0},
    )
    temperature = made.start.copy()
    for _ in range(60):
        made.step(temperature, made.heat, 600.0)
    assert temperature[0] == pytest.approx((50.0 / (0.3 * STEFAN_BOLTZMANN) + 200.0**4) ** 0.25, rel=1e-4)


def test_bodies_of_no_node_belong_to_the_first() -> None:
    face = {'normal': [0.0, 0.0, 1.0], 'area_m2': 1.0, 'absorptivity': 0.5, 'emissivity': 0.7}
    made = nodes(box={}, wheels={'bodies': ['wheel'], 'faces': {'a': face, 'b': {**face, 'emissivity': 0.5}}})
    config, _ = load_vehicle_model('viper')
    thermal = made.config.model_dump(mode='json')
    thermal['nodes']['wheels']['bodies'] = ['wheel_front_left']
    config = VehicleModelConfig.model_validate({**config.model_dump(mode='json'), 'thermal': thermal})
    owners, emissivity = part_nodes(config, ('base_link', 'front_left', 'front_right'))
    assert owners == [0, 1, 0]
    assert emissivity == pytest.approx([0.9, 0.6, 0.9])


@pytest.mark.parametrize(
    'changed',
    [
        {'capacity_jpk': 0.0},
        {'capacity_jpk': math.nan},
        {'initial_k': -10.0},
        {'heat_w': -1.0},
        {'faces': {'a': {'normal': [0.0, 0.0, 0.0], 'area_m2': 1.0, 'absorptivity': 0.5, 'emissivity': 0.5}}},
        {'faces': {'a': {'normal': [0.0, 0.0, 1.0], 'area_m2': 1e9, 'absorptivity': 0.5, 'emissivity': 0.5}}},
        {'faces': {'a': {'normal': [0.0, 0.0, 1.0], 'area_m2': 1.0, 'absorptivity': 0.5, 'emissivity': 0.0}}},
        {'faces': {'a': {'normal': [0.0, 0.0, 1.0], 'area_m2': 1.0, 'absorptivity': 2.0, 'emissivity': 0.5}}},
    ],
)
def test_hostile_nodes_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ThermalConfig.model_validate({'nodes': {'a': {'capacity_jpk': 1.0, **changed}}})


def test_link_to_an_unknown_node_is_refused() -> None:
    node, link = {'capacity_jpk': 1.0}, {'nodes': ['a', 'b'], 'conductance_wpk': 1.0}
    with pytest.raises(ValidationError, match='joins no two nodes; allowed: two of a'):
        ThermalConfig.model_validate({'nodes': {'a': node}, 'links': [link]})


def test_link_without_exchange_is_refused() -> None:
    node, link = {'capacity_jpk': 1.0}, {'nodes': ['a', 'b'], 'conductance_wpk': 0.0}
    with pytest.raises(ValidationError, match='exchange no heat; allowed: conductance_wpk or exchange_m2 above 0'):
        ThermalConfig.model_validate({'nodes': {'a': node, 'b': node}, 'links': [link]})
