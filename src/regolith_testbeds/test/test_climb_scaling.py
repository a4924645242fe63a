# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the scaling of a wheel climb with gravity."""

from __future__ import annotations

import pytest

from regolith_testbeds.experiments import wheel_rig


@pytest.mark.slow
def test_crm_climb_slip_is_invariant_under_gravity_scaling() -> None:
    """Without cohesion, slip depends on omega^2 R / g alone (specification: within 0.03 on Earth and Moon).

    The stiffness of the soil is the same on both bodies, so the soil is softer relative to its weight on Earth. This is
    the only difference. On 5 degrees the slip is steady after one revolution. On 10 degrees the wheel still digs in.
    """
    rows = []
    for gravity, omega in ((9.81, 0.8), (1.62, 0.3251)):
        values = {
            'terrain_model': 'crm',
            'device': 'cpu',
            'slope_deg': 5.0,
            'spacing_m': 0.03,
            'gravity_mps2': gravity,
            'omega_radps': omega,
        }
        rows += wheel_rig.run(wheel_rig.Settings.model_validate(values), lambda *tick: None)
    earth, moon = rows
    assert earth['steady'] and moon['steady'] and 0.05 < earth['slip'] < 0.6
    assert moon['slip'] == pytest.approx(earth['slip'], abs=0.03)
    assert moon['simulated_s'] == pytest.approx(2.461 * earth['simulated_s'], rel=1e-3)
