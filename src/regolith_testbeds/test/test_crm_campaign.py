# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of single CRM validation cases, run again, against their stored rows and measurements."""

from __future__ import annotations

from typing import Any

import pytest
from campaigns import row

from regolith_testbeds.experiments import angle_of_repose, bucket_drum, cratering, plate_sinkage, wheel_rig

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]
SCATTER = 0.03
"""Relative tolerance of results [-].

Results are bit-identical on one kind of processor for any number of threads. Different rounding, which flow amplifies,
stays below this value.
"""


def again(case: str, experiment: Any, /, **values: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the row of a case, computed again, and the row of the table."""
    settings = experiment.Settings.model_validate({'terrain_model': 'crm', 'device': 'cpu', **values})
    return experiment.run(settings, lambda done, total: None)[0], row('crm.csv', case)


def test_crm_collapse_run_out_matches_measurement_and_stored_row() -> None:
    found, known = again(
        'column_0.5',
        angle_of_repose,
        release='collapse',
        radius_m=0.1,
        height_m=0.05,
        friction=0.58,
        element_count=5300,
    )
    assert found['run_out'] == pytest.approx(float(known['run_out']), rel=SCATTER)
    assert found['peak_over_radius'] == pytest.approx(float(known['peak_over_radius']), rel=SCATTER)
    # Lube et al. (2004): 1.24 a and min(a, 0.88 a^(1/6)); the scatter of the measurements is about 15 and 20 %.
    assert found['run_out'] == pytest.approx(0.62, rel=0.15)
    assert found['peak_over_radius'] == pytest.approx(0.5, rel=0.2)


def test_crm_heap_angle_matches_friction_and_stored_row() -> None:
    found, known = again('heap_0.38', angle_of_repose, radius_m=0.15, height_m=0.3, friction=0.3819, element_count=8000)
    assert found['slope_deg'] == pytest.approx(float(known['flank_deg']), abs=1.0)
    assert 15.0 <= found['slope_deg'] <= 21.0  # mu is the tangent of 20.9 degrees


def test_crm_cratering_depth_matches_measurement_and_stored_row() -> None:
    found, known = again('ball_700_0.05', cratering, ball_density_kgpm3=700.0, drop_height_m=0.05)
    assert found['depth_m'] == pytest.approx(float(known['depth_m']), rel=SCATTER)
    assert found['depth_m'] == pytest.approx(found['uehara_depth_m'], rel=0.2)  # Uehara et al. (2003)


def test_crm_disc_bearing_capacity_matches_terzaghi_and_stored_row() -> None:
    found, known = again(
        'plate_0.10',
        plate_sinkage,
        shape='disc',
        a_m=0.05,
        load_n=1e6,
        particle_soil='grc1_bevameter',
        spacing_m=0.014286,
        max_depth_m=0.005,
        speed_mps=0.01,
    )
    assert found['knee_pa'] == pytest.approx(float(known['knee_pa']), rel=0.1)
    assert 0.5 < found['knee_pa'] / found['terzaghi_pa'] < 2.0


def test_crm_climb_slip_matches_measurement_and_stored_row() -> None:
    """Takes a quarter of an hour on two cores."""
    found, known = again('wheel_15', wheel_rig, slope_deg=15.0)
    assert found['slip'] == pytest.approx(float(known['slip']), abs=0.03)
    assert found['slip'] == pytest.approx(0.434, abs=0.12)  # MGRU3 in GRC-1, Hu et al. (2024)


def test_crm_drum_torque_matches_scm_and_stored_row() -> None:
    found, known = again('drum_170', bucket_drum, cohesion_pa=170.0)
    assert found['lips_torque_nm_per_m'] == pytest.approx(float(known['lips_torque_nm_per_m']), rel=0.1)
    # On the grid, with scoops as rough as the soil, like those of particles.
    grid = bucket_drum.Settings.model_validate({'cohesion_pa': 170.0, 'soil_tool_friction_deg': 35.0})
    (cheap,) = bucket_drum.run(grid, lambda done, total: None)
    assert 0.5 < found['lips_torque_nm_per_m'] / cheap['lips_torque_nm_per_m'] < 2.0
