# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the contact normal at the terrain point nearest to a wheel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike

from regolith_terrain import contact as terrain_contact
from regolith_terrain.contact.ground_contact import ContactSetting
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import HeightField, Heights
from regolith_terrain.rigid.contact import RigidContact
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.rigid.surface import RigidArrays, find_foot, foot_normal
from regolith_terrain.terrain_parameters import RigidTerrainConfig

SLOPE = 0.3
"""Slope along the edge [-]."""


class Step(HeightField):
    """Terrain that rises along an edge and drops by 1 m behind it, over one cell of 0.05 m.

    Args:
        axis: Axis across the edge, 0: the drop is in x direction, 1: in y direction.
        side: Sign of the direction of the drop, 1 or -1.
    """

    def __init__(self, axis: int, side: float) -> None:
        self.axis, self.side = axis, side

    def heights(self, x: ArrayLike, y: ArrayLike) -> Heights:
        places = [np.asarray(each, float) for each in (x, y)]
        across, along = self.side * places[self.axis], places[1 - self.axis]
        return SLOPE * along - np.clip(across / 0.05, 0.0, 1.0)

    def fingerprint(self) -> str:
        return f'step {self.axis} {self.side}'


def ground_of(field: HeightField) -> RigidArrays:
    soils, shape = SoilMap(RigidTerrainConfig().parameters()), terrain_contact.cylinder(0.25, 0.2)
    contact = RigidContact(ContactSetting(soils, shape, np.array([terrain_contact.reach(shape)]), 0.05))
    return contact.arrays(SoilGrid(field, 0.05, RIGID_TERRAIN_MODEL).window(-30, 31, -30, 31), 1)


@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('side', [1.0, -1.0])
@pytest.mark.parametrize('oblique', [0.0, 0.5, -0.5])
def test_foot_normal_at_an_edge_is_perpendicular_to_it(axis: int, side: float, oblique: float) -> None:
    """The normal is perpendicular to the edge; within the wheel plane it points to the axle."""
    ground, foot = ground_of(Step(axis, side)), np.zeros(3)
    ahead = np.zeros(3)
    ahead[axis], ahead[1 - axis] = side * math.cos(oblique), math.sin(oblique)
    center = np.zeros(3)
    center[axis], center[1 - axis] = side * 0.1, 0.07
    center[2] = SLOPE * 0.07 + 0.2
    assert find_foot(ground, *center, ahead[0], ahead[1], 0.25, foot) and foot[2] == axis
    point = center + foot[0] * ahead
    point[2] = foot[1]
    assert point[axis] == pytest.approx(0.0, abs=1e-9)
    normal = np.array(foot_normal(ground, *center, ahead[0], ahead[1], foot))
    edge = np.array([0.0, 0.0, SLOPE])
    edge[1 - axis] = 1.0
    assert np.linalg.norm(normal) == pytest.approx(1.0, rel=1e-12) and normal @ edge == pytest.approx(0.0, abs=1e-9)
    up = np.array([0.0, 0.0, 1.0])
    to_axle = center - point
    # In the wheel plane, the normal is parallel to the direction to the axle.
    assert (normal @ ahead) * (to_axle @ up) == pytest.approx((normal @ up) * (to_axle @ ahead), abs=1e-9)
    assert normal[2] > 0.0
