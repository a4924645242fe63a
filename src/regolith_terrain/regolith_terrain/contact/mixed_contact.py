# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain of several terrain models, such as a rigid landing pad in regolith.

Each model presses on every part with its own nodes, and the wrenches are added. Nodes of other models have NaN rows in
the table of soils of a model (:class:`~regolith_terrain.grid.soil_map.SoilMap`), and its kernel skips them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from regolith_terrain.contact.arrays import Wrench, make_wrench
from regolith_terrain.contact.constants import STAT_COUNT, STAT_INVERSE_WIDTH, STAT_MAX_SINKAGE, STAT_MEAN_PRESSURE
from regolith_terrain.contact.ground_contact import (
    CONTACT_OK,
    BodyMemory,
    ContactSetting,
    GroundContact,
    LooseBodies,
    PartPose,
    Press,
    StepLimit,
)
from regolith_terrain.contact.kernel_binding import bind_kernels, unbound
from regolith_terrain.contact.surfels import Surfels, joined_surfels
from regolith_terrain.grid.node_records import Floats, NodeRecords
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.terrain_model import TerrainModel, find_terrain_model
from regolith_world.cycle import Part, StateField, StateLayout


class MixedArrays(NamedTuple):
    """Arguments of both kernels, and a work array for the second wrench."""

    first: Any
    """Arguments of the first kernel."""
    second: Any
    """Arguments of the second kernel."""
    wrench: Wrench
    """Work array for the wrench of the second kernel."""


first: Press = unbound
"""Contact of the first model, bound by :func:`_pressing`."""
second: Press = unbound
"""Contact of the second model."""


def _press_both(arrays: MixedArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a part on terrain of both models; see :mod:`regolith_terrain.contact.ground_contact`."""
    status: int = first(arrays.first, step, part, pose, wrench)
    if status != CONTACT_OK:
        return status
    more = arrays.wrench
    status = second(arrays.second, step, part, pose, more)
    if status != CONTACT_OK:
        return status
    for k in range(3):
        wrench.force[k] += more.force[k]
        wrench.torque[k] += more.torque[k]
    for k in range(STAT_COUNT):
        if k in (STAT_MAX_SINKAGE, STAT_MEAN_PRESSURE, STAT_INVERSE_WIDTH):
            wrench.stats[k] = max(wrench.stats[k], more.stats[k])
        else:
            wrench.stats[k] += more.stats[k]
    return status


@cache
def _pressing(first: Press, second: Press) -> Press:
    """Return the compiled :func:`_press_both` of two contact functions, the same object for the same two."""
    return bind_kernels(_press_both, views_only=True, first=first, second=second)


class MixedContact(GroundContact):
    """Combination of two contacts; for more models the second one is again a combination."""

    STATE = StateLayout('contacts', StateField('first', Part(1)), StateField('second', Part()))

    def __init__(self, setting: ContactSetting, first: GroundContact, second: GroundContact) -> None:
        super().__init__(setting)
        self.first, self.second = self.both = first, second
        self.press = _pressing(first.press, second.press)
        self.margin_cells = max(contact.margin_cells for contact in self.both)
        self.feels_above_m = max(contact.feels_above_m for contact in self.both)
        self.max_exposure_s = min(contact.max_exposure_s for contact in self.both)
        self._wrench = make_wrench()

    def advance(
        self,
        duration: float,
        center: Floats,
        rotation: Floats,
        velocity: Floats,
        spin: Floats,
        bodies: LooseBodies | None = None,
    ) -> None:
        """Advance both."""
        for contact in self.both:
            contact.advance(duration, center, rotation, velocity, spin, bodies)

    def take_wrenches(self, bodies: LooseBodies) -> None:
        """Pass the wrenches to both."""
        for contact in self.both:
            contact.take_wrenches(bodies)

    def warm_up(self) -> None:
        """Compile the kernels of both."""
        for contact in self.both:
            contact.warm_up()

    def soil_changes(self, fields: tuple[str, ...]) -> list[NodeRecords]:
        """Return the changes of both."""
        return [records for contact in self.both for records in contact.soil_changes(fields)]

    def tool_loads(self) -> Floats:
        """Return the sums of both."""
        loads: Floats = self.both[0].tool_loads() + self.both[1].tool_loads()
        return loads

    def released_soil(self) -> Floats:
        """Return the soil of both."""
        return np.concatenate([contact.released_soil() for contact in self.both])

    def statistics(self) -> dict[str, Any]:
        """Return the statistics of both."""
        return {name: value for contact in self.both for name, value in contact.statistics().items()}

    def surfels(self) -> Surfels | None:
        """Return the moving surfaces of both."""
        told = [discs for discs in (contact.surfels() for contact in self.both) if discs is not None]
        return joined_surfels(told) if told else None

    def arrays(self, window: SoilWindow, active: int) -> MixedArrays:
        """Return the arguments of :attr:`press`."""
        first, second = self.both
        return MixedArrays(first.arrays(window, active), second.arrays(window, active), self._wrench)

    def arrays_of(self, window: SoilWindow, members: Sequence[int]) -> MixedArrays:
        """Return the arguments of :attr:`press` for some bodies."""
        first, second = self.both
        return MixedArrays(first.arrays_of(window, members), second.arrays_of(window, members), self._wrench)

    def still_valid(self, arrays: MixedArrays) -> bool:
        """Return whether the arrays have the present memories of both."""
        return self.both[0].still_valid(arrays.first) and self.both[1].still_valid(arrays.second)

    def memories(self, part: int) -> list[BodyMemory]:
        """Return the memories of both."""
        return [memory for contact in self.both for memory in contact.memories(part)]

    def make_bed(
        self, window: SoilWindow, part: int, center: Floats, rotation: Floats, planes: Floats, weight: float
    ) -> None:
        """Give the soil of both the shape of the underside of a body."""
        for contact in self.both:
            contact.make_bed(window, part, center, rotation, planes, weight)

    def remember(self, window: SoilWindow, arrays: MixedArrays) -> None:
        """Store both memories from the arrays."""
        self.both[0].remember(window, arrays.first)
        self.both[1].remember(window, arrays.second)

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the smaller limit."""
        return min(contact.step_limit(mass, area) for contact in self.both)

    def reset(self) -> None:
        """Reset all contacts."""
        for contact in self.both:
            contact.reset()


def make_contact(
    law: TerrainModel,
    setting: ContactSetting,
    special: Callable[[TerrainModel, ContactSetting], GroundContact | None] | None = None,
    of_bodies: bool = False,
) -> GroundContact:
    """Return the contact of terrain of one model, or of all models that are combined.

    Args:
        law: Terrain model of the node fields, valid wherever ``setting.soils`` names no other.
        setting: Soils, parts and settings.
        special: Factory of the vehicle's separate contact with terrain of a model; it returns None for models without
            one. None: contact of the terrain model.
        of_bodies: Whether the contact is that of a rigid body; the setting is then a
            :class:`regolith_terrain.bodies.BodySetting`.

    Raises:
        ValueError: If a terrain model rejects the setting.
    """

    def made(law: TerrainModel, setting: ContactSetting) -> GroundContact:
        own = law.contact_class(of_bodies)
        contact: GroundContact | None = None if special is None else special(law, setting)
        return own(setting) if contact is None else contact

    others = (
        made(find_terrain_model(name), replace(setting, soils=setting.soils.of(name))) for name in setting.soils.others
    )
    return _joined(setting, [made(law, setting), *others])


def _joined(setting: ContactSetting, contacts: Sequence[GroundContact]) -> GroundContact:
    """Return one contact for several."""
    first, *others = contacts
    return MixedContact(setting, first, _joined(setting, others)) if others else first
