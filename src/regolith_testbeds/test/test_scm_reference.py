# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the reference mode of SCM against Project Chrono; see the README.md of the tables."""

from __future__ import annotations

from typing import Any

import pytest

from regolith_testbeds.experiments.plate_sinkage import Settings, loading_cycle
from regolith_testbeds.settings import reference_rows
from regolith_testbeds.soil_bin import SoilBin, roll, rolling_bounds


def thinned(rows: list[Any], of: int = 3) -> list[Any]:
    """Return all rows of a table, with all but every n-th marked as slow. Rows of each soil remain."""
    return [pytest.param(row, marks=[pytest.mark.slow] if k % of else []) for k, row in enumerate(rows)]


@pytest.mark.parametrize(
    'row',
    thinned(reference_rows('scm_slip', geometry='exact'), of=5),
    ids=lambda r: f'{r["soil"]}-{r["load_N"]}N-{r["slip"]}',
)
def test_scm_wheel_at_prescribed_slip_matches_chrono(row: dict[str, str]) -> None:
    load, slip = float(row['load_N']), float(row['slip'])
    soil_bin = SoilBin(f'chrono_{row["soil"]}', 0.01, 'reference', rolling_bounds(0.01, 0.2 * (1.0 - slip), 0.25, 0.21))
    drawbar, fz, torque, sinkage = roll(soil_bin, load, slip)
    # The reference has 5 or 6 digits; the remaining differences come from the order of summation.
    assert drawbar == pytest.approx(float(row['drawbar_pull_N']), abs=1e-4 * load)
    assert fz == pytest.approx(float(row['soil_Fz_N']), abs=1e-4 * load)
    assert torque == pytest.approx(float(row['driving_torque_Nm']), abs=1e-4 * load * 0.25)
    assert sinkage == pytest.approx(float(row['axle_sinkage_m']), abs=2e-6)


@pytest.mark.parametrize(
    'case', thinned(sorted({row['case'] for row in reference_rows('scm_static', geometry='exact')}))
)
def test_scm_loading_and_unloading_match_chrono(case: str) -> None:
    soil, shape, size, spacing = case.split('_')
    a, b = (float(v) for v in size.split('x'))
    table = reference_rows('scm_static', case=case, geometry='exact')
    peak = max(float(row['load_N']) for row in table)
    settings = Settings.model_validate(
        {
            'soil': f'chrono_{soil}',
            'shape': shape,
            'a_m': a,
            'b_m': b,
            'grid_spacing_m': float(spacing[1:]),
            'scm_mode': 'reference',
            'load_n': peak,
        }
    )
    run = {round(p.time, 3): p for p in loading_cycle(settings, peak)}
    for row in table:
        done = run[float(row['t_s'])]
        # Last printed digits of the table; both sides integrate the same equations with the same steps.
        assert done.force == pytest.approx(float(row['soil_Fz_N']), abs=1e-4 * peak), row
        assert done.depth == pytest.approx(float(row['sinkage_m']), abs=2e-8), row
