# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the geometry of ellipsoids."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.geodesy import curvature_radii

A, F = 6378137.0, 1.0 / 298.257223563


def surface(latitude: float, longitude: float) -> np.ndarray:
    """Return a point on the ellipsoid from geodetic latitude and longitude [rad], Earth-centered [m]."""
    e2 = F * (2.0 - F)
    n = A / math.sqrt(1.0 - e2 * math.sin(latitude) ** 2)
    around = n * math.cos(latitude)
    return np.array([around * math.cos(longitude), around * math.sin(longitude), n * (1 - e2) * math.sin(latitude)])


@pytest.mark.parametrize('degrees', [-84.0, -30.0, 0.0, 45.0, 70.0])
def test_radii_of_curvature_are_those_of_arcs_on_the_ellipsoid(degrees: float) -> None:
    latitude, step = math.radians(degrees), 1e-5
    meridian, parallel = curvature_radii(A, F, latitude)
    north = np.linalg.norm(surface(latitude + step, 0.0) - surface(latitude - step, 0.0)) / (2.0 * step)
    east = np.linalg.norm(surface(latitude, step) - surface(latitude, -step)) / (2.0 * step)
    # Chords instead of arcs: step^2 / 6; rounding of 1e-9 m over 130 m.
    assert meridian == pytest.approx(north, rel=1e-9) and parallel * math.cos(latitude) == pytest.approx(east, rel=1e-9)


def test_curvature_radii_of_a_sphere_equal_its_radius() -> None:
    assert curvature_radii(1737400.0, 0.0, 1.2) == (1737400.0, 1737400.0)
