# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies on the ground as a participant type of scenarios; they share the solids of vehicles.

Kernels are imported on use, since this takes longer than the validation of a scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from regolith_files import YamlSource
from regolith_terrain.bodies import BodiesConfig
from regolith_world import ParticipantContext
from regolith_world.cycle import CycleResult, ParticipantType

if TYPE_CHECKING:
    from regolith_terrain import HeightField
    from regolith_terrain.scenario_bodies import BodiesParticipant
    from regolith_terrain.solids import Solids


class BodiesType(ParticipantType[BodiesConfig, 'BodiesParticipant']):
    """Participant type of the section ``bodies``."""

    section = BodiesConfig
    node = ('regolith_vehicles', 'bodies_node')

    def resolved(self, section: BodiesConfig, site: ParticipantContext, source: YamlSource) -> BodiesConfig:
        """Return the section after the checks of all bodies."""
        from regolith_terrain.scenario_bodies import check_bodies
        from regolith_vehicles.contact import build_solids

        sections, ground = site.sections, cast('HeightField', site.ground())
        terrain, gravity = sections['terrain'], sections['world'].gravity_mps2

        def solids() -> Solids | None:
            return build_solids(terrain, site.seed, ground)  # with the movable rocks, which may not overlap bodies

        check_bodies(section, sections['objects'], terrain, gravity, ground, site.seed, source, solids)
        return section

    def warm_up(self) -> None:
        """Compile the kernels."""
        from regolith_terrain.scenario_bodies import compile_bodies

        compile_bodies()

    def participant(
        self, name: str, section: BodiesConfig, site: ParticipantContext, send_result: Callable[[CycleResult], None]
    ) -> BodiesParticipant:
        """Return the participant of all bodies."""
        from regolith_terrain.scenario_bodies import BodiesParticipant

        return BodiesParticipant(name, section, site, site.soil(), send_result)


BODIES = BodiesType()
