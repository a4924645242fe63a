# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of solar panels with partial shade: light_and_heat, section 8."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_vehicles.description.energy_config import EnergySections, LoadConfig, PanelConfig
from regolith_vehicles.energy.panels import DIODE_V, RATED_K, RATED_WPM2, SIDE, Panel, incident

WHOLE = np.ones(SIDE * SIDE)


def panel(**values: Any) -> Panel:
    return Panel(PanelConfig.model_validate({'size_m': [1.0, 1.0], 'cells': [8, 1], 'bypass_every': 2, **values}))


def power(made: Panel, lit: np.ndarray = WHOLE, temperature: float = RATED_K, cosine: float = 1.0) -> float:
    return made.power(lit, incident(RATED_WPM2, cosine), 0.0, temperature)


def test_sun_at_normal_incidence_gives_the_rated_power() -> None:
    """0.295 x 1361 = 401.5 W/m2."""
    assert power(panel()) == pytest.approx(401.495, abs=1e-9)
    assert power(panel(size_m=[2.0, 0.5], cells=[24, 2], bypass_every=12)) == pytest.approx(401.495)
    assert power(panel(transmission=0.8)) == pytest.approx(0.8 * 401.495)


@pytest.mark.parametrize('degrees', [0.0, 30.0, 60.0, 80.0])
def test_power_follows_the_cosine_and_the_reflection(degrees: float) -> None:
    cosine = math.cos(math.radians(degrees))
    expected = 401.495 * cosine * (1.0 - 0.05 * (1.0 / cosine - 1.0))
    assert power(panel(), cosine=cosine) == pytest.approx(expected)
    assert power(panel(), cosine=-cosine) == 0.0


def shaded(*columns: int) -> np.ndarray:
    """Return the lit points with columns along x in the dark, one for each of 8 cells in series."""
    lit = np.ones((SIDE, SIDE))
    lit[list(columns)] = 0.0
    return lit.ravel()


def test_dark_group_is_bypassed() -> None:
    """One of four groups in the dark: 3/4 of the power, less the drop of a diode at the current of the string."""
    made = panel()
    current = 401.495 / (8 * 2.4)
    for dark in ((0, 1), (2,), (7,)):
        assert power(made, shaded(*dark)) == pytest.approx(0.75 * 401.495 - DIODE_V * current)


def test_dark_cell_in_every_group_stops_a_string() -> None:
    """A twelfth of the area is dark, and no power is left."""
    made = panel(cells=[24, 1], bypass_every=12, size_m=[2.4, 0.1])
    lit = np.ones((SIDE, SIDE))
    lit[0], lit[4] = 0.0, 0.0  # points of cells 0 to 2 and 12 to 14
    assert power(made, lit.ravel()) == 0.0
    assert power(panel(), shaded(0, 2, 4, 6)) == 0.0


def test_dim_group_limits_the_current_only_if_that_is_better() -> None:
    """A group at 90 % of the light: all groups at 90 % of the current; at 50 % it is better to bypass it."""
    made, current = panel(), 401.495 / (8 * 2.4)
    lit = np.ones((SIDE, SIDE))
    lit[0] = 0.9
    assert power(made, lit.ravel()) == pytest.approx(0.9 * 401.495)
    lit[0] = 0.5
    assert power(made, lit.ravel()) == pytest.approx(0.75 * 401.495 - DIODE_V * current)


def test_strings_in_parallel_are_independent() -> None:
    """Half of the panel across the strings in the dark: half of the power."""
    lit = np.ones((SIDE, SIDE))
    lit[:, : SIDE // 2] = 0.0
    assert power(panel(cells=[8, 2]), lit.ravel()) == pytest.approx(0.5 * 401.495)
    assert power(panel(cells=[8, 1]), lit.ravel()) == pytest.approx(0.5 * 401.495)  # all cells at half the light


def test_hot_cells_lose_voltage() -> None:
    """At 385 K cells give 21 % less."""
    assert power(panel(), temperature=385.0) / 401.495 - 1.0 == pytest.approx(-0.21, abs=5e-4)


@pytest.mark.parametrize(
    ('changed', 'key'),
    [
        ({'size_m': [31622.8, 31622.8]}, 'size_m'),
        ({'size_m': [-1.0, 1.0]}, 'size_m'),
        ({'size_m': [math.nan, 1.0]}, 'size_m'),
        ({'efficiency': 2.0}, 'efficiency'),
        ({'cells': [0, 1]}, 'cells'),
        ({'cells': [1, 1_000_000]}, 'cells'),
        ({'transmission': 1.5}, 'transmission'),
        ({'temperature_coefficient_per_k': 0.1}, 'temperature_coefficient_per_k'),
        ({'area_m2': 1.0}, 'area_m2'),
        ({'bypass_every': 9}, 'bypass_every = 9: is more than the cells in series; allowed: up to 8'),
    ],
)
def test_hostile_panels_are_refused(changed: dict[str, Any], key: str) -> None:
    with pytest.raises(ValidationError, match=key):
        PanelConfig.model_validate({'size_m': [1.0, 1.0], 'cells': [8, 1], **changed})


def test_default_of_the_diodes_suits_short_strings() -> None:
    """A string shorter than the default has one diode."""
    assert PanelConfig.model_validate({'size_m': [1.0, 1.0], 'cells': [8, 1]}).bypass_every == 12
    assert PanelConfig.model_validate({'size_m': [1.0, 1.0], 'cells': [8, 1], 'bypass_every': 8}).bypass_every == 8


@pytest.mark.parametrize(
    ('values', 'message'),
    [
        ({'when': 'heater', 'node': 'box'}, 'below_k = None: a heater needs it; allowed: the temperature'),
        ({'when': 'heater', 'below_k': 200.0}, 'node = None: a heater needs it; allowed: the thermal node'),
        (
            {'when': 'driving', 'below_k': 200.0},
            'below_k = 200.0: has no effect with when: driving; allowed: with when',
        ),
    ],
)
def test_message_of_a_wrong_heater_names_its_key(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        LoadConfig.model_validate({'power_w': 1.0, **values})


@pytest.mark.parametrize(
    'values',
    [
        {'power_w': -1.0},
        {'power_w': math.inf},
        {'power_w': 1.0, 'duty': 2.0},
        {'power_w': 1.0, 'when': 'heater'},
        {'power_w': 1.0, 'when': 'heater', 'node': 'box', 'below_k': -5.0},
        {'power_w': 1.0, 'below_k': 200.0},
        {'power_w': 1.0, 'priority': 6},
        {'power_w': 1.0, 'when': 'sometimes'},
    ],
)
def test_hostile_loads_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LoadConfig.model_validate(values)


@pytest.mark.parametrize('changed', [{}, {'heat_w': 5.0}])
def test_heated_node_without_exchange_is_refused(changed: dict[str, Any]) -> None:
    """Its temperature would rise without limit; unheated ones keep theirs."""
    alone = {'capacity_jpk': 10.0}
    face = {'normal': [0.0, 0.0, 1.0], 'area_m2': 1.0, 'absorptivity': 0.5, 'emissivity': 0.5}
    loads = {} if changed else {'radio': {'power_w': 5.0, 'node': 'box'}}
    nodes = {'box': {**alone, **changed}, 'shell': {**alone, 'faces': {'top': face}}}
    with pytest.raises(ValidationError, match=r'thermal\.nodes\.box: is heated and loses no heat; allowed: with faces'):
        EnergySections.model_validate({'loads': loads, 'thermal': {'nodes': nodes}})
    EnergySections.model_validate({'thermal': {'nodes': {'box': alone}}})
    link = {'nodes': ['box', 'shell'], 'conductance_wpk': 1.0}
    EnergySections.model_validate({'loads': loads, 'thermal': {'nodes': nodes, 'links': [link]}})


def test_unknown_node_is_refused() -> None:
    with pytest.raises(ValidationError, match="'hull': is unknown; allowed: none without section"):
        EnergySections.model_validate({'loads': {'radio': {'power_w': 5.0, 'node': 'hull'}}})
