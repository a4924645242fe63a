# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of collapsing soil columns in CRM."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_testbeds.crm.column_collapse import CrmCollapse
from regolith_testbeds.experiments import angle_of_repose
from regolith_testbeds.heap_measurement import SoilColumn, measured


def _collapse(ratio: float, gravity: float, count: int) -> dict[str, float]:
    column = CrmCollapse(SoilColumn(0.1, 0.1 * ratio, gravity, None, 0.0), 0.58, count, 1)
    while column.part < 1.0:
        column.advance(lambda part: None)
    heap = column.heap()
    return {**measured(heap, 0.1), 'settled': heap.settled_s}


@pytest.mark.slow
@pytest.mark.seconds
def test_crm_collapse_gravity_scales_only_the_time() -> None:
    """Without cohesion and with equal stiffness relative to weight, gravity scales only the time, by sqrt(9.81 /
    1.62).
    """
    earth, moon = (_collapse(1.0, g, 250) for g in (9.81, 1.62))
    assert moon['run_out'] == pytest.approx(earth['run_out'], rel=1e-6)
    assert moon['settled'] / earth['settled'] == pytest.approx(math.sqrt(9.81 / 1.62), rel=1e-6)


@pytest.mark.slow
def test_angle_of_repose_with_crm_grows_with_friction() -> None:
    settings = angle_of_repose.Settings.model_validate(
        {
            'terrain_model': 'crm',
            'release': 'collapse',
            'radius_m': 0.15,
            'height_m': 0.15,
            'element_count': 500,
            'friction': '0.3,0.7',
        }
    )
    done: list[tuple[int, int]] = []
    rows = angle_of_repose.run(settings, lambda *tick: done.append(tick))
    assert [row['friction'] for row in rows] == [0.3, 0.7] and done[-1][0] == done[-1][1]
    assert rows[0]['slope_deg'] < rows[1]['slope_deg'] < math.degrees(math.atan(0.7)) + 3.0
    assert np.array(rows[0]['profile_m']).shape[1] == 2
    assert rows[0]['largest_overlap'] is None


def test_crm_collapse_lifts_the_tube_and_continues_from_saved_state() -> None:
    made, other = (CrmCollapse(SoilColumn(0.1, 0.1, 1.62, 0.3, 0.0), 0.58, 60, 1) for _ in range(2))
    tube = made.bed.bodies.center[1:].copy()
    made.advance(lambda part: None)
    assert made.bed.bodies.center[1:] - tube == pytest.approx(np.array([[0.0, 0.0, 0.3 * made.bed.t]]))
    assert made.part == pytest.approx(made.bed.t / (made._up + 12.0 * made._fall)) and made._up == pytest.approx(
        made._tall / 0.3
    )
    other.load(made.save())
    for each in (made, other):
        each.advance(lambda part: None)
    assert other.save() == made.save()
