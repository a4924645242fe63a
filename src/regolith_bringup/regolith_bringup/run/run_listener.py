# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Announcements of a run on another machine."""

from __future__ import annotations

import os

from regolith_msgs.msg import WorldAnnouncement, WorldStatus

from regolith_bringup.run.status_listener import StatusListener
from regolith_world.ros import qos


class RunListener(StatusListener):
    """Status subscription that also receives the announcement and the participants of a run."""

    def __init__(self, root: str = '') -> None:
        """Create subscriptions for the run in a namespace, '' or ``/moon``."""
        super().__init__(root, f'join_{os.getpid()}')
        self.root = root
        self._worlds: dict[int, WorldAnnouncement] = {}

    def __enter__(self) -> RunListener:
        """Subscribe."""
        super().__enter__()
        topic = f'{self.root}/regolith/world_announcements'
        self._inbox.subscribe(WorldAnnouncement, topic, self._on_world, qos.LATCHED_MANY, every_run=True)
        return self

    def _on_world(self, world: WorldAnnouncement) -> None:
        self._worlds[world.run_id] = world

    def run(self) -> WorldAnnouncement | None:
        """Return the announcement of the newest world, or None."""
        self._inbox.deliver()
        return max(
            self._worlds.values(), key=lambda w: (w.start_time.sec, w.start_time.nanosec, w.run_id), default=None
        )

    def heard(self) -> bool:
        """Return whether the middleware sees a world."""
        return bool(self._node.count_publishers(f'{self.root}/regolith/world_announcements'))

    def present(self) -> set[str]:
        """Return the public names of connected participants
        (:attr:`regolith_bringup.run.node_plan.NodeSpec.public_name`).
        """
        nodes = self._node.get_node_names_and_namespaces()
        agents = {space.rpartition('/')[2] for name, space in nodes if name == 'agent'}
        return agents | {name for name, space in nodes if space == f'{self.root}/regolith'}

    def over(self) -> str | None:
        """Return '' after a successful end, the problem after a failure, None while the run continues."""
        status = self.latest()
        return status.message if status is not None and status.state == WorldStatus.STOPPED else None
