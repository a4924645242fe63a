# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radios as a participant of scenarios.

Kernels are imported on use: that takes longer than the check of a scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from regolith_comms.config import CommsConfig
from regolith_files.yaml_source import YamlSource
from regolith_world.participants import ParticipantType, Progress
from regolith_world.records import Evolved
from regolith_world.site import Site

if TYPE_CHECKING:
    from regolith_comms.authority import CommsAuthority


class CommsType(ParticipantType[CommsConfig, 'CommsAuthority']):
    """Radios: section, node, topics and participant."""

    section = CommsConfig
    node = ('regolith_comms', 'comms_node')
    topics = 'regolith_comms.ros.radio_topics:RadioTopics'

    def resolved(self, section: CommsConfig, site: Site, source: YamlSource) -> CommsConfig:
        """Return the section with absolute files, and stations with heights."""
        from regolith_comms.section import resolved_comms

        return resolved_comms(section, site, source)

    def prepared(self, section: CommsConfig, site: Site, folder: Path, progress: Progress) -> CommsConfig:
        """Return the section with a tile graph, made of the ground where none is named."""
        from regolith_comms.site_graph import with_pair

        return with_pair(section, site, folder, progress)

    def recorded(self, section: CommsConfig, site: Site) -> tuple[str, ...]:
        """Return the recorded topics: received and sent datagrams of every radio, and the table of links."""
        lines = ['/regolith/comms/links|regolith_msgs/msg/RadioLinks|latched|1']
        for radio in sorted({*site.vehicles, *section.stations}):
            lines += [
                f'/{radio}/comms/rx|regolith_msgs/msg/Datagrams|state|1',
                f'/{radio}/comms/tx|regolith_msgs/msg/Datagram|state|0',
            ]
        return tuple(lines)

    def warm_up(self) -> None:
        """Compile the kernels, by one link of a small graph."""
        from regolith_comms.level_site import level_site

        config = CommsConfig.model_validate({'margin_m': 30.0})
        self.participant('comms', config, level_site(), lambda answer: None).warm_up()

    def participant(
        self, name: str, section: CommsConfig, site: Site, send_evolved: Callable[[Evolved], None]
    ) -> CommsAuthority:
        """Return the owner of the broker."""
        from regolith_comms.authority import CommsAuthority
        from regolith_comms.site_graph import link_model

        model = link_model(section, site)
        return CommsAuthority(section, model, site.seed, tuple(site.vehicles), send_evolved, {}, name=name)


COMMS = CommsType()
