# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A short soak; ``soak.py`` runs long ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import last_committed
from soak import WARM_UP, growth, soak

from regolith_bringup.bag.reading import Bag

pytestmark = [pytest.mark.ros, pytest.mark.slow]

DURATION_S = 120.0
MB_PER_MINUTE = 8.0
"""Largest growth of what a process holds at most, after its warm-up. In the first minutes the middleware's pools and the
allocator still settle, by up to 4 MB a minute; what a frame works on (160 x 120 pixels, some ten numbers each, 1.5 MB) would be
45 MB a minute if it stayed. What grows slower shows in hours."""


@pytest.mark.timeout(900)
def test_two_minutes_with_cameras_and_radios_leave_no_trace(tmp_path: Path) -> None:
    done = soak(tmp_path, DURATION_S, period_s=1.0)
    assert last_committed(done.result.run_dir)[0] == last_committed(done.result.run_dir)[1]
    assert done.result.summary['bag']['lost'] == 0 and done.result.summary['bag']['complete']
    topics = Bag(done.result.run_dir).topics
    # Half-open intervals: a frame at 0 s, none at the end.
    for rover in ('amber', 'basalt'):
        assert topics[f'/{rover}/eye/image_raw'].messages == DURATION_S * 0.5
        assert topics[f'/{rover}/imu/data_raw'].messages == DURATION_S * 5
    assert done.result.summary['comms']['sent'] > DURATION_S * 5
    minutes = 0.5 * (1.0 - WARM_UP) * DURATION_S / 60.0
    for label, samples in done.samples.items():
        found = growth(samples, DURATION_S)
        assert found.last_mb - found.first_mb < MB_PER_MINUTE * minutes, (label, found)
        assert found.files[1] <= found.files[0], (label, found)
    # What lies in shared memory is on its way: other runs on this machine have theirs there, too.
    shared = [mb for t_s, mb in done.shared_mb if t_s > WARM_UP * DURATION_S]
    assert np.median(shared[-5:]) < np.median(shared[:5]) + 100.0
