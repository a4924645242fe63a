# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of tires for each terrain model, and their shapes."""

from __future__ import annotations

from collections.abc import Mapping

from regolith_terrain import TerrainModel
from regolith_terrain.contact import ContactSetting, GroundContact, Shapes, flexible_cylinder
from regolith_terrain.scm import ScmContact
from regolith_vehicles.tires.config import RingConfig
from regolith_vehicles.tires.contact import TireContact
from regolith_vehicles.tires.ring_contact import RingContact
from regolith_vehicles.tires.ring_soil import SoilRingContact
from regolith_vehicles.tires.tire import Tire


def tire_contact(tires: Mapping[int, Tire], law: TerrainModel, setting: ContactSetting) -> GroundContact | None:
    """Return the contact of a vehicle's tires with terrain of a model; None: wheels are rigid on it.

    Args:
        tires: Tires by the index of their part.
        law: Terrain model.
        setting: Settings of the ground contact.

    Raises:
        ValueError: If a tire is flexible and the terrain model has no contact for it.
    """
    flexible = any(isinstance(tire.config, RingConfig) for tire in tires.values())
    if law.is_rigid:
        return RingContact(setting, tires) if flexible else TireContact(setting, tires)
    if flexible:
        if issubclass(law.contact_class(), ScmContact):
            return SoilRingContact(setting, tires)
        raise ValueError(
            'tire of type ring has no contact with this terrain model; allowed: rigid terrain, the default soil'
        )
    return None


def flexible_shape(tire: Tire | None) -> Shapes | None:
    """Return the shape of a flexible tire; None for other tires and for wheels without a tire."""
    if tire is None or not isinstance(tire.config, RingConfig):
        return None
    return flexible_cylinder(tire.config.radius_m, tire.config.width_m, tire.config.points)
