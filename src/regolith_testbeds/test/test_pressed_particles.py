# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the plate sinkage testbed with CRM."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from regolith_testbeds.crm.plate_press import knee
from regolith_testbeds.experiments import plate_sinkage

COARSE = {
    'terrain_model': 'crm',
    'shape': 'disc',
    'a_m': 0.1,
    'spacing_m': 0.05,
    'smoothing_ratio': 1.3,
    'side_m': 0.6,
    'depth_m': 0.3,
    'threads': 1,
}


def nothing(done: int, total: int) -> None:
    assert 0 <= done <= total


@pytest.mark.parametrize(
    ('width', 'cohesion', 'degrees', 'weight', 'kpa'),
    [
        (0.19, 0.0, 33.4, 1670 * 9.81, 34.9),
        (0.19, 0.0, 33.4, 1670 * 1.62, 5.8),
        (0.102, 0.0, 33.4, 1670 * 9.81, 18.8),
        (0.3, 1000.0, 40.0, 1600 * 9.81, 252.0),
        (0.3, 1000.0, 40.0, 1600 * 1.62, 123.0),
    ],
)
def test_bearing_capacity_matches_hand_calculation(
    width: float, cohesion: float, degrees: float, weight: float, kpa: float
) -> None:
    """Values calculated by hand, to the given digits."""
    found = plate_sinkage.bearing_capacity(width, cohesion, math.radians(degrees), weight, disc=True)
    assert 1e-3 * found == pytest.approx(kpa, rel=0.01)


def test_bearing_capacity_without_friction_matches_prandtl() -> None:
    """N_c tends to 2 + pi."""
    found = [plate_sinkage.bearing_capacity(0.3, 1e3, phi, 0.0, disc=True) for phi in (0.0, 1e-6)]
    assert found[0] == pytest.approx(1.3e3 * 5.14159, rel=1e-5)
    assert found[1] == pytest.approx(found[0], rel=1e-4)


def test_knee_is_where_the_slope_has_dropped() -> None:
    """The knee of two lines is at their corner, to half of the tenth of the path used for slopes.

    For p = q tanh(z / h) + r z, it is where a twentieth of the first slope is left: tanh^2 = 0.95, z = 2.18 h.
    """
    depth = np.linspace(0.0, 0.03, 200)
    at, force = knee(np.stack((depth, np.minimum(1e5 * depth, 600.0 + 4e3 * (depth - 0.006))), axis=1))
    assert at == pytest.approx(0.006, abs=0.0015) and force == pytest.approx(600.0, rel=0.03)
    scale = 0.008
    at, force = knee(np.stack((depth, 800.0 * np.tanh(depth / scale) + 3e3 * depth), axis=1))
    # Over a tenth of the path, the first slope is some percent less than at the surface.
    assert at == pytest.approx(math.atanh(math.sqrt(0.95)) * scale, rel=0.05)


@pytest.mark.seconds
def test_crm_plate_sinkage_loads_unloads_and_reloads() -> None:
    rows = plate_sinkage.run(
        plate_sinkage.Settings.model_validate({**COARSE, 'load_n': '100,200', 'speed_mps': 0.03}), nothing
    )
    for row in rows:
        assert 0.0 < row['sinkage_unloaded_m'] < row['sinkage_m'] <= row['sinkage_reloaded_m'] * 1.05
    assert rows[0]['sinkage_m'] < rows[1]['sinkage_m']
    # The elastic start, p = 2 E w / (pi a (1 - nu^2)) on a half-space, is stiffer than soil that also yields. It is softer
    # than a plate of four particles on a bed of one and a half diameters.
    soft = 1e2 * (1.0 - 0.3**2) / (2.0 * 1e6 * 0.1)
    assert 0.3 * soft < rows[0]['sinkage_m'] < 6.0 * soft


@pytest.mark.seconds
def test_crm_plate_load_beyond_capacity_has_no_sinkage() -> None:
    settings = plate_sinkage.Settings.model_validate({**COARSE, 'load_n': 1e6, 'speed_mps': 0.5, 'max_depth_m': 0.02})
    row = plate_sinkage.run(settings, nothing)[0]
    assert row['sinkage_m'] is None and row['sinkage_unloaded_m'] is None
    assert row['curve'][-1][0] == pytest.approx(0.02, rel=0.1)


@pytest.mark.parametrize(
    ('values', 'said'),
    [
        (
            {'terrain_model': 'crm', 'scm_mode': 'reference'},
            "scm_mode = 'reference': does not apply to crm; allowed: with terrain_model scm",
        ),
        ({'spacing_m': 0.01}, 'spacing_m = 0.01: does not apply to scm; allowed: with terrain_model crm'),
        ({'shape': 'disc'}, "shape = 'disc': is not supported by scm; allowed: plate, wheel"),
        ({'terrain_model': 'crm', 'shape': 'wheel'}, "shape = 'wheel': is not supported by crm; allowed: plate, disc"),
        (
            {'terrain_model': 'crm', 'spacing_m': 0.2},
            'spacing_m = 0.2: is too coarse; allowed: at most a third of the plate',
        ),
        ({'terrain_model': 'crm', 'side_m': 0.4}, 'side_m = 0.4: is too small; allowed: at least'),
        ({'terrain_model': 'crm', 'max_depth_m': 0.5}, 'depth_m = 0.62: is too small; allowed: at least 1'),
    ],
)
def test_crm_plate_sinkage_invalid_setting_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as error:
        plate_sinkage.Settings.model_validate(values)
    assert said in str(error.value)
