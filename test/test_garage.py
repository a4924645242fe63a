# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One of each vehicle on mixed ground: the same in one process and in many."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import run_scenario


@pytest.mark.slow
def test_one_of_each_drives_the_same_in_one_process_and_in_many(tmp_path: Path) -> None:
    """Soil and a pad, a ramp and a kerb underfoot, wheels, tires and tracks; each gets some meters on."""
    one, many = (
        run_scenario(tmp_path, 'garage', '--duration', 4.0, processes=processes, name=processes, timeout=400.0).summary
        for processes in ('one', 'many')
    )
    assert one['state_hash'] == many['state_hash']
    assert sorted(one['vehicles']) == ['digger', 'mule', 'scout', 'tank', 'truck']
    assert all(vehicle['distance_m'] > 0.5 for vehicle in one['vehicles'].values())
