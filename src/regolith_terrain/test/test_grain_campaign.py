# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One case of each kind of the campaign on grains, run again and held against its row."""

from __future__ import annotations

import pytest
from campaigns import row

from regolith_terrain.dem.climb import climb
from regolith_terrain.testbeds import angle_of_repose
from regolith_terrain.testbeds.slope_climb import WheelRig


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_wheel_climbs_as_in_the_table() -> None:
    expected = row('dem.csv', 'wheel_10')
    rig = WheelRig(
        settle_s=0.0, spin_up_s=0.0, drive_s=3.6, averaging_fraction=2.6 / 3.6
    )  # as tools/validate_dem.py has it
    found = climb(rig, 10.0, lambda done, total: None)
    # The same bits on the same processor; the rounding of another one makes another bed of the same kind, so that only
    # the bounds of the campaign itself, 0.12 of slip, are asked for.
    assert found.slip == pytest.approx(float(expected['slip']), abs=0.12)
    assert found.sinkage_m == pytest.approx(float(expected['sinkage_m']), abs=0.01)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_heap_is_that_of_the_table() -> None:
    found = angle_of_repose.run(angle_of_repose.Settings(), lambda done, total: None)[0]
    assert found['slope_deg'] == pytest.approx(float(row('dem.csv', 'heap_0.4')['angle_deg']), abs=2.0)
    assert found['run_out'] == pytest.approx(float(row('dem.csv', 'heap_0.4')['run_out']), rel=0.1)
