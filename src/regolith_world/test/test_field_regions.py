# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the regions of force fields."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_world.cycle.records import FieldRecord, Shape, ShapeKind
from regolith_world.numerics.rotation import from_yaw
from regolith_world.objects.field_regions import (
    depth_in_field,
    depth_in_shape,
    inside_fields,
    make_field_regions,
)


def test_depth_of_points_in_shapes() -> None:
    """Depth and shortest way out, inside and outside, of all four shapes."""
    out = np.zeros(3)
    for kind, size, point, depth, way in (
        (ShapeKind.SPHERE, (2.0, 0.0, 0.0), (0.0, 1.5, 0.0), 0.5, (0.0, 1.0, 0.0)),
        (ShapeKind.SPHERE, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), 2.0, (0.0, 0.0, 0.0)),
        (ShapeKind.BOX, (1.0, 2.0, 3.0), (-0.7, 0.0, 0.0), 0.3, (-1.0, 0.0, 0.0)),
        (ShapeKind.BOX, (1.0, 2.0, 3.0), (0.0, 0.0, 3.5), -0.5, (0.0, 0.0, 1.0)),
        (ShapeKind.CAPSULE, (0.5, 1.0, 0.0), (0.0, 0.3, 0.5), 0.2, (0.0, 1.0, 0.0)),
        (ShapeKind.CAPSULE, (0.5, 1.0, 0.0), (0.0, 0.0, 1.4), 0.1, (0.0, 0.0, 1.0)),
        (ShapeKind.CYLINDER, (0.5, 1.0, 0.0), (0.0, 0.0, -0.9), 0.1, (0.0, 0.0, -1.0)),
        (ShapeKind.CYLINDER, (0.5, 1.0, 0.0), (0.4, 0.0, 0.0), 0.1, (1.0, 0.0, 0.0)),
    ):
        assert depth_in_shape(int(kind), np.array(size), np.array(point), out) == pytest.approx(depth, abs=1e-12)
        assert out == pytest.approx(way, abs=1e-12)


def test_the_deepest_shape_of_a_field_gives_the_way_out_in_the_world() -> None:
    """Two boxes of 2 m in a field turned by 90 degrees: the second is 4 m along its x axis, the world's y axis."""
    boxes = [Shape(ShapeKind.BOX, np.ones(3), np.array(at)) for at in ((0.0, 0.0, 0.0), (4.0, 0.0, 0.0))]
    origin = np.array([10.0, 0.0, 0.0])
    record = FieldRecord('f', origin, from_yaw(0.5 * np.pi), np.zeros(3), 0.0, 1.0, tuple(boxes))
    regions = make_field_regions([record, record])
    assert depth_in_field(regions, 1, np.array([10.0, 4.8, 0.1])) == pytest.approx(0.2, abs=1e-12)
    assert regions.work[2] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert depth_in_field(regions, 0, np.array([10.0, 2.0, 0.0])) == 0.0
    places = np.array([[10.0, 2.0, 0.0], [50.0, 50.0, 0.0], [10.0, 4.8, 0.1]])
    assert inside_fields(regions, places, np.array([2, 1])).tolist() == [True, False]
    assert not inside_fields(make_field_regions(()), places, np.arange(3)).any()
