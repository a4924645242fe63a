# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shaded relief of terrain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def hillshade_image(
    z: NDArray[np.float64], spacing: float, sun_azimuth_deg: float = 315.0, sun_elevation_deg: float = 30.0
) -> NDArray[np.float64]:
    """Return the cosine of the angle between sun and surface normal, 0 to 1, shaped as ``z``.

    The terrain casts no shadows.

    Args:
        z: Heights [m] at x = i spacing, y = j spacing, shape (ni, nj), both at least 2.
        spacing: Node spacing [m].
        sun_azimuth_deg: Azimuth of the sun, clockwise from north (+y) [deg].
        sun_elevation_deg: Elevation of the sun above the horizon [deg].

    Source: horn1981.
    Checked by: test_procedural.py::test_hillshade_matches_the_angle_of_incidence.
    """
    gx, gy = np.gradient(np.asarray(z, dtype=np.float64), spacing)
    azimuth, elevation = np.deg2rad(sun_azimuth_deg), np.deg2rad(sun_elevation_deg)
    east, north, up = np.sin(azimuth) * np.cos(elevation), np.cos(azimuth) * np.cos(elevation), np.sin(elevation)
    shade = (up - gx * east - gy * north) / np.sqrt(gx * gx + gy * gy + 1.0)
    out: NDArray[np.float64] = np.clip(shade, 0.0, 1.0)
    return out
