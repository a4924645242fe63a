# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The view in a real browser without a screen."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from viewed_run import make_viewed_run

pytest.importorskip('rerun', reason='Rerun is not installed')

from regolith_bringup.cli import main
from regolith_bringup.view.headless_browser import find_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason='no Chromium here (apt install chromium)'),
]


def test_screenshot_shows_terrain_vehicle_and_plots(tmp_path: Path) -> None:
    run = make_viewed_run(tmp_path / 'run_001')
    file = tmp_path / 'seen.png'
    with pytest.raises(SystemExit) as left:
        main(['view', str(run), '--screenshot', str(file), '--size', '1000x700'])
    assert not left.value.code
    seen = cv2.imread(str(file)).astype(int)
    assert seen.shape == (700, 1000, 3)
    world, side = seen[60:-60, :560], seen[60:-60, 640:]
    # Most of the left is terrain: gray with a slight brown tone, lit, so neither black nor white.
    blue, green, red = (world[..., k] for k in range(3))
    ground = (np.abs(red - green) < 30) & (red >= blue) & (red > 50) & (red < 230)
    assert ground.mean() > 0.3
    # The path and the lines of the plots are in the vehicle's color.
    amber = (np.abs(seen - (46, 176, 255)) < 40).all(axis=2)
    assert amber[60:-60, :560].sum() > 20 and amber[60:-60, 640:].sum() > 20
    assert side.std() > 5.0
