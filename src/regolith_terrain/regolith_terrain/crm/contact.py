# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM as the ground contact of a vehicle; its memory is the state of the particles.

Soil cannot advance within one compiled loop, as springs can. The vehicle advances it between runs of its substeps
(:meth:`~regolith_terrain.contact.ground_contact.GroundContact.advance`), with poses and twists at their start. The loop
then applies the mean forces of that time, so forces act in the time to which they belong.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from regolith_terrain.contact.arrays import Wrench
from regolith_terrain.contact.constants import STAT_LOADED_NODES
from regolith_terrain.contact.ground_contact import (
    CONTACT_OK,
    ContactSetting,
    GroundContact,
    LooseBodies,
    PartPose,
    StepLimit,
)
from regolith_terrain.contact.surfels import Surfels, joined_surfels
from regolith_terrain.crm.arrays import Floats
from regolith_terrain.crm.boundary_markers import lattice
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.region import ParticleRegion
from regolith_terrain.crm.region_simulation import RegionSimulation
from regolith_terrain.crm.surface import sort_columns
from regolith_terrain.crm.surfels import surface_surfels
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_world.cycle import Part, StateField, StateLayout
from regolith_world.numerics import kernel, portable_math


class ParticleArrays(NamedTuple):
    """Wrenches of all regions on each part."""

    force: Floats
    """Force on each part [N], shape (n, 3)."""
    torque: Floats
    """Torque about the shape's origin [N m], shape (n, 3)."""


@kernel(views_only=True)
def press(arrays: ParticleArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Apply the wrench of particles to a part for one substep.

    See :mod:`regolith_terrain.contact.ground_contact`.
    """
    touches = False
    for k in range(3):
        wrench.force[k] = arrays.force[part, k]
        wrench.torque[k] = arrays.torque[part, k]
        touches = touches or arrays.force[part, k] != 0.0
    wrench.stats[:] = 0.0
    wrench.stats[STAT_LOADED_NODES] = 1.0 if touches else 0.0
    return CONTACT_OK


class ParticleContact(GroundContact):
    """Contact with the vehicle's CRM regions, including their state."""

    STATE = StateLayout('particles', StateField('domains', Part(1)))
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting) -> None:
        super().__init__(setting)
        if setting.field is None:
            raise ValueError(
                'a ContactSetting without field is not valid for CRM; allowed: a ContactSetting with field'
            )
        self.domains = [
            RegionSimulation(
                region,
                setting.field,
                setting.gravity,
                setting.shapes,
                setting.reach,
                setting.spacing,
                setting.tool_surfaces,
            )
            for region in setting.soils.owned
            if isinstance(region, ParticleRegion)
        ]
        self.max_exposure_s = min((domain.region.step for domain in self.domains), default=math.inf)
        if self.domains and setting.tool_surfaces:
            self.feels_above_m = math.inf  # a lifted tool still carries soil
        self._arrays = ParticleArrays(np.zeros((self.parts, 3)), np.zeros((self.parts, 3)))
        self._touched = False

    def arrays(self, window: SoilWindow, active: int) -> ParticleArrays:
        """Return the arguments of :func:`press`."""
        self._arrays.force[:] = self._arrays.torque[:] = 0.0
        return self._arrays

    def advance(
        self,
        duration: float,
        center: Floats,
        rotation: Floats,
        velocity: Floats,
        spin: Floats,
        bodies: LooseBodies | None = None,
    ) -> None:
        """Advance the soil of all regions; see the base class."""
        self._touched = True
        force, torque = self._arrays
        force[:] = torque[:] = 0.0
        for domain in self.domains:
            domain.advance(duration, center, rotation, velocity, spin, bodies)
            force += domain.force
            torque += domain.torque

    def warm_up(self) -> None:
        """Compile the kernels of a step, with a few particles of one of the soils."""
        for domain in self.domains[:1]:
            d = domain.region.spacing
            soil, under = lattice((0.0, 0.0, 0.0), (2.0 * d, d, d), d), lattice((0.0, 0.0, -d), (d, d, 0.0), d)
            own = np.zeros(len(under), np.int32)
            bed = ParticleBed(domain.region.soil, domain.region.settings, (0.0, 0.0, -1.0), soil, under, own)
            bed.step(1e-6)
            flat = np.zeros(2)
            surface_surfels(sort_columns(bed.particles, bed.kind, flat - d, flat + 3.0 * d, bed.scheme.length, d), soil)

    def soil_changes(self, fields: tuple[str, ...]) -> list[NodeRecords]:
        """Return the nodes changed by the soil in the cycle, region by region."""
        return [domain.settle(fields) for domain in self.domains]

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return no limit: soil has separate steps."""
        return StepLimit(math.inf, 'particles')

    def tool_loads(self) -> Floats:
        """Return the soil in the tools; see the base class."""
        loads, total = np.zeros((self.parts, 2)), np.zeros((self.parts, 3))
        for domain in self.domains:
            loads[:, 0] += domain.carried_mass()
            total += domain.force
        loads[:, 1] = [portable_math.norm(force) for force in total]
        return loads

    def released_soil(self) -> Floats:
        """Return the soil that left the regions; see the base class."""
        return np.concatenate([np.zeros((0, 7)), *(domain.released_parcels() for domain in self.domains)])

    def statistics(self) -> dict[str, dict[str, float]]:
        """Return the statistics of each region by name."""
        return {domain.region.name: domain.statistics() for domain in self.domains}

    def surfels(self) -> Surfels:
        """Return the surface of the moving soil in all regions."""
        return joined_surfels([domain.discs() for domain in self.domains])

    def reset(self) -> None:
        """Reset all particles to their initial positions."""
        if self._touched:
            for domain in self.domains:
                domain.reset()
        self._touched = False

    def load(self, blob: bytes) -> None:
        """Restore the state of all regions."""
        super().load(blob)
        self._touched = True
