# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of single DEM validation cases against their stored rows."""

from __future__ import annotations

import pytest
from campaigns import row

from regolith_testbeds.dem.climb import climb
from regolith_testbeds.experiments import angle_of_repose
from regolith_testbeds.slope_climb import WheelRig


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_dem_climb_slip_and_sinkage_match_the_stored_row() -> None:
    expected = row('dem.csv', 'wheel_10')
    rig = WheelRig(
        settle_s=0.0, spin_up_s=0.0, drive_s=3.6, averaging_fraction=2.6 / 3.6
    )  # as in tools/validate_dem.py
    found = climb(rig, 10.0, lambda done, total: None)
    # Equal bits only on the same processor. Rounding on another one gives a different bed of the same kind. The test
    # therefore uses the bound of the campaign, a slip of 0.12.
    assert found.slip == pytest.approx(float(expected['slip']), abs=0.12)
    assert found.sinkage_m == pytest.approx(float(expected['sinkage_m']), abs=0.01)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_dem_repose_angle_matches_the_stored_row() -> None:
    found = angle_of_repose.run(angle_of_repose.Settings(), lambda done, total: None)[0]
    assert found['slope_deg'] == pytest.approx(float(row('dem.csv', 'heap_0.4')['angle_deg']), abs=2.0)
    assert found['run_out'] == pytest.approx(float(row('dem.csv', 'heap_0.4')['run_out']), rel=0.1)
