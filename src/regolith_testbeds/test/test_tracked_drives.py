# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tracked vehicles on the proving ground."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_testbeds.proving_ground.drive import drive
from regolith_testbeds.proving_ground.settings import Settings


@pytest.mark.slow
@pytest.mark.parametrize('left', [2.0, 0.0])
def test_tracked_vehicle_drives_over_a_step_of_30_cm(left: float) -> None:
    """With both tracks and with the right one only: up, on top and down; shoes react as their own mass does."""
    given = {
        'vehicle': 'm113',
        'maneuver': 'box',
        'throttle': 0.8,
        'duration_s': 9.0,
        'box_height_m': 0.3,
        'box_left_m': left,
    }
    done = drive(Settings.model_validate(given), lambda done, total: None)
    on = (done['x_m'] > 4.0) & (done['x_m'] < 5.5)  # The sprockets are past the box, the road wheels on it.
    assert done['z_m'][on].max() > 0.59 + (0.4 if left > 0.0 else 0.25)
    assert np.abs(done['roll_deg'][on]).max() > 3.0 if left == 0.0 else np.abs(done['roll_deg']).max() < 1.0
    assert done['x_m'][-1] > 15.0 and done['z_m'][-50:].mean() == pytest.approx(0.6, abs=0.03)
