# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Geometry of the reference sphere or ellipsoid of a body."""

from __future__ import annotations

import math

MOON_RADIUS_M = 1737400.0
"""Radius of the sphere to which lunar maps and heights refer [m] (IAU)."""


def curvature_radii(semi_major: float, flattening: float, latitude: float) -> tuple[float, float]:
    """Return the radii of curvature [m] of an ellipsoid along meridian and parallel (prime vertical).

    Args:
        semi_major: Semi-major axis [m].
        flattening: Flattening [-], 0 for a sphere.
        latitude: Geodetic latitude [rad].

    Source: snyder1987, eqs. 4-18 and 4-20.
    Checked by: test_geodesy.py::test_radii_of_curvature_are_those_of_arcs_on_the_ellipsoid.
    """
    if flattening == 0.0:
        return semi_major, semi_major
    e2 = flattening * (2.0 - flattening)
    w = 1.0 - e2 * math.sin(latitude) ** 2
    return semi_major * (1.0 - e2) / w**1.5, semi_major / math.sqrt(w)
