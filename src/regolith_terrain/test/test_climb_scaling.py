# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scaling of a wheel's climb with gravity."""

from __future__ import annotations

import pytest

from regolith_terrain.testbeds import wheel_rig


@pytest.mark.slow
def test_slip_is_the_same_on_the_moon_where_rates_scale() -> None:
    """Without cohesion slip depends on omega^2 R / g alone (specification: within 0.03 on Earth and Moon).

    Soil is as stiff on the Moon as on Earth, so softer for its weight here: that is all there is between them.
    """
    rows = []
    for gravity, omega in ((9.81, 0.8), (1.62, 0.3251)):
        values = {
            'terrain_model': 'crm',
            'device': 'cpu',
            'slope_deg': 10.0,
            'spacing_m': 0.03,
            'gravity_mps2': gravity,
            'omega_radps': omega,
        }
        rows += wheel_rig.run(wheel_rig.Settings.model_validate(values), lambda *tick: None)
    earth, moon = rows
    assert 0.05 < earth['slip'] < 0.6
    assert moon['slip'] == pytest.approx(earth['slip'], abs=0.03)
    assert moon['simulated_s'] == pytest.approx(2.461 * earth['simulated_s'], rel=1e-3)
