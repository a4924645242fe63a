# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What seeing costs: a camera's frame and a lidar's sweep."""

from __future__ import annotations

from typing import Any


def camera() -> dict[str, Any]:
    """Measure a 640 x 480 camera; see :func:`regolith_sensors.bench.camera`."""
    from regolith_sensors.bench import camera as measure

    return measure()


def lidar() -> dict[str, Any]:
    """Measure a VLP-16-like lidar; see :func:`regolith_sensors.bench.lidar`."""
    from regolith_sensors.bench import lidar as measure

    return measure()
