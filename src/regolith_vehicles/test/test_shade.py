# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of shade toward the sun against geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.solids import Solid, Solids, convex_hull
from regolith_vehicles.description.energy_config import PanelConfig
from regolith_vehicles.energy import shade
from regolith_vehicles.energy.panels import SIDE, Panel
from regolith_vehicles.energy.shade import ConvexBodies, box_planes, cylinder_planes, ellipsoid_planes, sunlit
from regolith_vehicles.visuals import Visual


def toward(azimuth_deg: float, elevation_deg: float) -> np.ndarray:
    """Return the unit vector toward a sun at an azimuth from x toward y."""
    a, e = math.radians(azimuth_deg), math.radians(elevation_deg)
    return np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])


def test_box_casts_the_shadow_of_geometry() -> None:
    """A wall 1 m high at x = 0 and a sun at 45 deg along x: points up to 1 m behind it are dark."""
    wall = ConvexBodies.of([box_planes((0.05, 5.0, 0.5), (0.05, 0.0, 0.5))])
    x = -np.linspace(0.005, 1.995, 200)
    points = np.stack([x, np.zeros(200), np.zeros(200)], axis=1)
    assert np.array_equal(sunlit(points, toward(0.0, 45.0), wall) == 0.0, x > -1.0)
    assert np.all(sunlit(points, toward(180.0, 45.0), wall) == 1.0)


def test_hull_shades_half_of_a_panel() -> None:
    """A hull 0.5 m above the panel's edge, sun at 45 deg: the shadow covers 0.5 m of 1 m."""
    values = {'size_m': [1.0, 1.0], 'cells': [8, 8], 'position': [0.5, 0.0, 0.0], 'bypass_every': 4}
    panel = Panel(PanelConfig.model_validate(values))
    hull = ConvexBodies.of([box_planes((0.5, 1.0, 0.25), (-0.5, 0.0, 0.25))])
    lit = sunlit(panel.points, toward(180.0, 45.0), hull)
    assert lit.mean() == pytest.approx(0.5)
    assert np.all(lit.reshape(SIDE, SIDE)[SIDE // 2 :] == 1.0)
    # One of two groups of each string: half of the voltage less a diode.
    expected = 0.295 * 1361.0 * (4.0 * 2.4 - 0.5) / (8.0 * 2.4)
    assert panel.power(lit, 1361.0, 0.0, 301.15) == pytest.approx(expected)


def test_body_around_a_point_does_not_shade_it() -> None:
    inside = ConvexBodies.of([box_planes((1.0, 1.0, 1.0))])
    assert sunlit(np.zeros((1, 3)), toward(0.0, 30.0), inside)[0] == 1.0
    assert sunlit(np.array([[0.0, 0.0, 1.0 + 1e-9]]), toward(0.0, 30.0), inside)[0] == 1.0


def test_round_shapes_have_their_size() -> None:
    """Shadow of a sphere and a cylinder of radius 1 from straight below: between the shape and 4 % more."""
    x = np.linspace(0.0, 1.2, 241)
    points = np.stack([x, np.zeros(241), np.full(241, -5.0)], axis=1)
    for planes in (ellipsoid_planes((1.0, 1.0, 1.0)), cylinder_planes(1.0, 0.5)):
        dark = x[sunlit(points, toward(0.0, 90.0), ConvexBodies.of([planes])) == 0.0]
        assert 1.0 - 0.005 <= dark.max() <= 1.04


def test_visuals_move_with_their_parts() -> None:
    visual = Visual('box', (0.1, 0.2, 0.3), position=np.array([1.0, 0.0, 0.0]))
    planes = shade.moved(shade.visual_planes(visual), np.array([0.0, 0.0, 2.0]), np.eye(3))
    above = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert sunlit(above, toward(0.0, 90.0), ConvexBodies.of([planes])).tolist() == [0.0, 1.0]


def test_rocks_toward_the_sun_are_found() -> None:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    solids = Solids(
        [convex_hull(corners)],
        [Solid(0, np.array([x, 0.0, 0.0]), np.eye(3), 0.5) for x in (-20.0, 20.0, 200.0)],
    )
    near = shade.rocks_toward(solids, np.zeros(3), toward(0.0, 2.0), 1.0)
    assert len(near) == 1
    bodies = ConvexBodies.of(near)
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert sunlit(points, toward(0.0, 2.0), bodies).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(('x', 'part'), [(-0.9, 0.01869), (-0.5, 0.1955), (0.0, 0.5), (0.5, 0.8045), (0.9, 0.98131)])
def test_disc_over_a_horizon(x: float, part: float) -> None:
    """Section 6."""
    assert shade.disc_part(x) == pytest.approx(part, abs=5e-5)
    assert (shade.disc_part(-1.1), shade.disc_part(1.1)) == (0.0, 1.0)


def test_ridge_hides_a_part_of_the_disc() -> None:
    """A ridge of 10 m at 100 m stands at atan(0.1) less the curvature of the Moon; samples are 6 % apart."""

    def levels(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(x > 100.0, 10.0, 0.0)

    radius = math.radians(0.266)
    for above, expected in ((-4.0, 0.0), (2.0, 1.0)):
        sun = toward(0.0, math.degrees(math.atan(0.1)) + above * 0.266)
        assert shade.terrain_part(np.zeros(3), sun, radius, 500.0, levels) == expected
    first = 0.25 * 1.06 ** math.ceil(math.log(400.0) / math.log(1.06))
    rise = 10.0 / first - first / (2.0 * 1737400.0)
    sun = toward(0.0, math.degrees(math.atan(rise)))
    assert shade.terrain_part(np.zeros(3), sun, radius, 500.0, levels) == pytest.approx(0.5, abs=1e-6)
    assert shade.terrain_part(np.zeros(3), toward(180.0, 1.0), radius, 500.0, levels) == 1.0
