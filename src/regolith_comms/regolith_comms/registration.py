# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radios as a participant type of scenarios.

Kernels are imported on use, since this takes longer than the validation of a scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regolith_comms.config import CommsConfig
from regolith_files import YamlSource
from regolith_world import ParticipantContext
from regolith_world.cycle import CycleResult, ParticipantType, ProgressCallback, SpawnPlace

if TYPE_CHECKING:
    from regolith_comms.comms_participant import CommsParticipant


class CommsType(ParticipantType[CommsConfig, 'CommsParticipant']):
    """Participant type of radios: section, node, topics and participant."""

    section = CommsConfig
    node = ('regolith_comms', 'comms_node')
    topics = 'regolith_comms.ros.radio_topics:RadioTopics'

    def resolved(self, section: CommsConfig, site: ParticipantContext, source: YamlSource) -> CommsConfig:
        """Return the section with absolute file paths, and stations with heights."""
        from regolith_comms.section import resolved_comms

        return resolved_comms(section, site, source)

    def prepared(
        self, section: CommsConfig, site: ParticipantContext, folder: Path, progress: ProgressCallback
    ) -> CommsConfig:
        """Return the section with a tile graph, built from the terrain if no file is given."""
        from regolith_comms.links.tile_graph_builder import with_graph_files

        return with_graph_files(section, site, folder, progress)

    def recorded(self, section: CommsConfig, site: ParticipantContext) -> tuple[str, ...]:
        """Return the recorded topics: received and sent datagrams of every radio, and the link table."""
        lines = ['/regolith/comms/links|regolith_msgs/msg/RadioLinks|latched|1']
        for radio in sorted({*site.vehicles, *section.stations}):
            lines += [
                f'/{radio}/comms/rx|regolith_msgs/msg/DatagramArray|state|1',
                f'/{radio}/comms/tx|regolith_msgs/msg/Datagram|state|0',
            ]
        return tuple(lines)

    def spawn_places(self, section: CommsConfig, site: ParticipantContext) -> tuple[SpawnPlace, ...]:
        """Return where breadcrumbs drop, in a scenario in which they are rigid bodies."""
        from regolith_comms.radio_visuals import BODIES, breadcrumb_shape

        if BODIES not in site.sections or not section.breadcrumbs_per_vehicle:
            return ()
        at = np.array([-section.drop_offset_m, 0.0, 0.0])
        key = ('comms', 'drop_offset_m')
        return tuple(
            SpawnPlace(key, section.drop_offset_m, vehicle, breadcrumb_shape(), at) for vehicle in sorted(site.vehicles)
        )

    def warm_up(self) -> None:
        """Compile the kernels with one link of a small graph."""
        from regolith_comms.flat_context import flat_context

        config = CommsConfig.model_validate({'margin_m': 30.0})
        self.participant('comms', config, flat_context(), lambda result: None).warm_up()

    def participant(
        self, name: str, section: CommsConfig, site: ParticipantContext, send_result: Callable[[CycleResult], None]
    ) -> CommsParticipant:
        """Return the participant that owns the broker."""
        from regolith_comms.comms_participant import CommsParticipant
        from regolith_comms.links.tile_graph_builder import link_model

        model = link_model(section, site)
        return CommsParticipant(section, model, site.seed, tuple(site.vehicles), send_result, {}, name=name)


COMMS = CommsType()
