# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads of small bodies on SCM soil in closed form.

A contact point has the load of a sphere, a cylinder or a flat face at its depth z:

    sphere:                W(z) = 2 pi k z^(n+1) / (n + 1) (R - z / (n + 2)),  k = k_phi + k_c / a,  a^2 = 2 R z - z^2
    cylinder on its side:  W(z) = L k sqrt(2 pi R) gamma(n + 1) / gamma(n + 3/2) z^(n + 1/2)
    flat face:             W(z) = A k z^n

These follow from the pressure k z^n on the projected area.
"""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.bodies.contact_points import BodySetting
from regolith_terrain.bodies.shapes import ContactPoints
from regolith_terrain.contact.arrays import Shapes
from regolith_terrain.contact.constants import SHAPE_BOX, SHAPE_CYLINDER
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.scm.constants import EXPONENT, K_C, K_PHI
from regolith_world.numerics import kernel


@kernel(views_only=True)
def ball_load(radius: float, stiffness: float, exponent: float, z: float) -> float:
    """Return the load of a sphere on soil of pressure k z^n at a depth [N].

    Args:
        radius: Radius R [m].
        stiffness: k [N/m^(n+2)].
        exponent: n [-].
        z: Depth of the lowest point, at most R [m].

    Source: bekker1969.
    Checked by: test_bodies_scm.py::test_row_1_sphere_laid_slowly_on_scm_has_the_load_of_the_closed_form.
    """
    load: float = 2.0 * math.pi * stiffness * z ** (exponent + 1.0) / (exponent + 1.0)
    return load * (radius - z / (exponent + 2.0))


@kernel(views_only=True)
def rolling_resistance(stiffness: float, elastic: float, exponent: float, depth: float) -> float:
    """Return the resistance of a rolling sphere over its load, f [-].

    Args:
        stiffness: k [N/m^(n+2)].
        elastic: E [Pa/m].
        exponent: n [-].
        depth: Depth over radius, z / R [-].

    Source: bekker1969.
    Checked by: test_bodies_scm.py::test_row_3_ball_on_a_slope_has_the_acceleration_of_the_formula.
    """
    share = math.gamma(exponent + 2.0) / math.gamma(exponent + 2.5)
    return math.sqrt(2.0 / math.pi * depth) * share * max(0.0, 1.0 - math.sqrt(stiffness / elastic))


@kernel(views_only=True)
def point_load(
    shapes: Shapes, points: ContactPoints, b: int, k: int, rotation: Floats, footprint: float, soil: Floats, z: float
) -> tuple[float, float]:
    """Return load [N] and loaded area [m^2] of a contact point at a depth, on virgin soil.

    Args:
        shapes: Shapes of the bodies.
        points: Contact points of the bodies.
        b: Index of the body.
        k: Index of the point.
        rotation: Rotation of the contact shape, shape (3, 3).
        footprint: Half of the smaller side of the face on which the body rests [m].
        soil: Parameters of the soil.
        z: Depth [m].

    Source: bekker1969.
    Checked by: test_bodies_scm.py::test_row_1_sphere_laid_slowly_on_scm_has_the_load_of_the_closed_form,
    test_bodies_scm.py::test_small_box_and_cylinder_rest_at_the_depth_of_a_plate.
    """
    n, kind, size = soil[EXPONENT], shapes.kind[b], shapes.size[b]
    radius, flat, length = points.radius[k], points.area[k], points.length[k]
    if kind == SHAPE_BOX:  # a quarter of its shadow
        flat = (
            size[0] * size[1] * abs(rotation[2, 2])
            + size[1] * size[2] * abs(rotation[2, 0])
            + size[0] * size[2] * abs(rotation[2, 1])
        )
    elif kind == SHAPE_CYLINDER:
        radius, tilt = size[0], rotation[2, 1]
        flat *= tilt * tilt
        length = size[1] * (1.0 - tilt * tilt)
    z = min(z, radius) if radius > 0.0 else z
    square = max(2.0 * radius * z - z * z, 0.0)
    half = math.sqrt(square) if radius > 0.0 and flat == 0.0 else footprint
    stiffness = soil[K_PHI] + soil[K_C] / max(half, 1e-9)
    load = flat * stiffness * z**n
    area = flat + 2.0 * length * math.sqrt(square) + points.ball[k] * math.pi * square
    if length > 0.0:
        curve = math.sqrt(2.0 * math.pi * radius) * math.gamma(n + 1.0) / math.gamma(n + 1.5)
        load += length * stiffness * curve * z ** (n + 0.5)
    if points.ball[k] > 0.0:
        load += points.ball[k] * ball_load(radius, stiffness, n, z)
    return load, area


def resting_contact(setting: BodySetting, b: int, soil: Floats, gravity: float) -> tuple[float, float]:
    """Return depth and radius of the contact of a body at rest on level soil [m].

    A body without round points rests on a face.

    Args:
        setting: Setting of the contact of bodies.
        b: Index of the body.
        soil: Parameters of the soil.
        gravity: Gravity [m/s^2].
    """
    points, weight, footprint = setting.points, float(setting.mass[b]) * gravity, float(setting.footprint[b])
    rows = range(int(points.first[b]), int(points.first[b + 1]))
    radius = float(points.radius[rows.start : rows.stop].max())
    if radius == 0.0:
        return 0.0, footprint
    low, high = 0.0, radius
    for _ in range(60):
        z = 0.5 * (low + high)
        flat = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
        if sum(point_load(setting.shapes, points, b, k, flat, footprint, soil, z)[0] for k in rows) < weight:
            low = z
        else:
            high = z
    return high, math.sqrt(max(2.0 * radius * high - high * high, 0.0))
