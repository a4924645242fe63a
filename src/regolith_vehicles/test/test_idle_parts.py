# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the contact state of parts that are out of reach of the ground for a cycle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from regolith_terrain import contact as terrain_contact
from regolith_terrain.contact.ground_contact import CONTACT_OK, ContactSetting, GroundContact, PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.contact import RigidContact
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.tires import load_tire
from regolith_vehicles.tires.contact import TireContact

STEP = 1e-3


def tires(setting: ContactSetting) -> GroundContact:
    return TireContact(setting, {k: load_tire('hmmwv_tmeasy') for k in range(len(setting.reach))})


@pytest.mark.parametrize('law', [tires, RigidContact])
@pytest.mark.parametrize('idle', [0, 1])
def test_parts_out_of_reach_are_reset_and_the_others_are_not(
    law: Callable[[ContactSetting], GroundContact], idle: int
) -> None:
    """Two wheels skid; each ``active`` part of the cycle keeps its contact state, all others are reset."""
    wheel = terrain_contact.cylinder(0.4699, 0.3175)
    soils, reach = SoilMap(RigidTerrainConfig().parameters()), np.full(2, terrain_contact.reach(wheel))
    contact = law(ContactSetting(soils, terrain_contact.join_shapes([wheel, wheel]), reach, 0.05))
    window = SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL).window(-40, 41, -40, 41)
    skid = PartPose(np.array([0.0, 0.0, 0.45]), np.eye(3), np.array([3.0, 1.5, 0.0]), np.array([0.0, 2.0, 0.0]))
    new = contact.save()
    remembered = []
    for part in (0, 1):
        contact.load(new)
        for _ in range(20):
            assert (
                contact.press(contact.arrays(window, 2), STEP, part, skid, terrain_contact.make_wrench()) == CONTACT_OK
            )
        remembered.append(contact.save())
    for part, saved in enumerate(remembered):
        assert saved != new
        contact.load(saved)
        contact.arrays(window, idle)
        assert contact.save() == (saved if part < idle else new)
