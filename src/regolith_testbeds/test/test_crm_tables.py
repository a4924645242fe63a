# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the stored rows of the CRM validation against the bounds from measurements.

No case is run here; the slow tests run one of each kind.
"""

from __future__ import annotations

import math

import pytest
from campaigns import row


def figure(case: str, key: str) -> float:
    return float(row('crm.csv', case)[key])


@pytest.mark.parametrize('ratio', [0.5, 1.0, 2.0, 3.0])
def test_crm_table_run_out_matches_measurements(ratio: float) -> None:
    """Lube et al. (2004): 1.24 a below 1.7 radii, 1.6 sqrt(a) above, to 15 %; min(a, 0.88 a^(1/6)) high, to 20 %."""
    case = f'column_{ratio:g}'
    out = 1.24 * ratio if ratio < 1.7 else 1.6 * math.sqrt(ratio)
    assert figure(case, 'run_out') == pytest.approx(out, rel=0.15)
    assert figure(case, 'peak_over_radius') == pytest.approx(min(ratio, 0.88 * ratio ** (1.0 / 6.0)), rel=0.2)


def test_crm_table_heap_angle_grows_with_friction() -> None:
    """A friction coefficient of 0.38 is the tangent of 20.9 degrees; the requirement is 15 to 21 degrees."""
    assert 15.0 <= figure('heap_0.38', 'flank_deg') <= 21.0 < figure('heap_0.6', 'flank_deg')


def test_crm_table_lunar_gravity_changes_only_the_time() -> None:
    """Run-out to 5 %, angle to 2 degrees, and the time longer by sqrt(9.81/1.62) = 2.46, to 5 %."""
    for case, key in (('column_1', 'run_out'), ('heap_0.38', 'run_out')):
        assert figure(f'{case}_moon', key) == pytest.approx(figure(case, key), rel=0.05)
        slower = figure(f'{case}_moon', 'settled_s') / figure(case, 'settled_s')
        assert slower == pytest.approx(math.sqrt(9.81 / 1.62), rel=0.05)
    assert figure('heap_0.38_moon', 'flank_deg') == pytest.approx(figure('heap_0.38', 'flank_deg'), abs=2.0)


@pytest.mark.parametrize('disc', ['0.10', '0.19', '0.10_moon', '0.19_moon'])
def test_crm_table_bearing_capacity_matches_terzaghi(disc: str) -> None:
    """Ratio of the knee of the curve to the bearing capacity of a rough circular footing."""
    case = f'plate_{disc}'
    assert 0.5 < figure(case, 'knee_pa') / figure(case, 'terzaghi_pa') < 2.0


@pytest.mark.parametrize('disc', ['0.10', '0.19'])
def test_crm_table_bearing_capacity_is_proportional_to_gravity(disc: str) -> None:
    """Without cohesion, the bearing capacity is proportional to gravity, to 15 %."""
    ratio = figure(f'plate_{disc}', 'knee_pa') / figure(f'plate_{disc}_moon', 'knee_pa')
    assert ratio == pytest.approx(9.81 / 1.62, rel=0.15)


@pytest.mark.parametrize('place', ['', '_moon'])
def test_crm_table_bearing_capacity_is_proportional_to_diameter(place: str) -> None:
    """Without cohesion and surcharge, the bearing capacity is proportional to the diameter, to 20 %."""
    ratio = figure(f'plate_0.19{place}', 'knee_pa') / figure(f'plate_0.10{place}', 'knee_pa')
    assert ratio == pytest.approx(1.9, rel=0.2)


@pytest.mark.parametrize('density', [700, 2200])
def test_crm_table_cratering_depth_matches_measurements(density: int) -> None:
    """Uehara et al. (2003), to 20 %; the exponent of the fall height is 1/3, to 0.07."""
    drops = (0.05, 0.1, 0.2)
    depths = [figure(f'ball_{density}_{drop:g}', 'depth_m') for drop in drops]
    for drop, depth in zip(drops, depths):
        assert depth == pytest.approx(figure(f'ball_{density}_{drop:g}', 'uehara_depth_m'), rel=0.2)
    falls = [drop + depth for drop, depth in zip(drops, depths)]
    exponent = math.log(depths[-1] / depths[0]) / math.log(falls[-1] / falls[0])
    assert exponent == pytest.approx(1.0 / 3.0, abs=0.07)


def test_crm_table_climb_slip_matches_measurements() -> None:
    """MGRU3 in GRC-1 (Hu et al. 2024): within 0.12 up to 15 degrees and 0.20 beyond; slip grows with slope."""
    measured = {5: 0.052, 10: 0.135, 15: 0.434, 20: 0.756, 25: 0.885}
    slips = {slope: figure(f'wheel_{slope}', 'slip') for slope in measured}
    assert list(slips.values()) == sorted(slips.values())
    for slope, slip in measured.items():
        assert slips[slope] == pytest.approx(slip, abs=0.12 if slope <= 15 else 0.2), slope


def test_crm_table_drum_torque_matches_scm_within_a_factor_of_two() -> None:
    """Reference: the earthmoving equation, with scoops as rough as the soil."""
    from regolith_testbeds.experiments import bucket_drum

    settings = bucket_drum.Settings.model_validate({'cohesion_pa': 170.0, 'soil_tool_friction_deg': 35.0})
    (cheap,) = bucket_drum.run(settings, lambda done, total: None)
    assert 0.5 < figure('drum_170', 'lips_torque_nm_per_m') / cheap['lips_torque_nm_per_m'] < 2.0
