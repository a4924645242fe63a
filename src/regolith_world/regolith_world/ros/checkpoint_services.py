# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Services for checkpoints, snapshots and rewinds of a world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from regolith_msgs.srv import ListSnapshots, Rewind
from regolith_msgs.srv import SaveCheckpoint as CheckpointService
from regolith_msgs.srv import SaveSnapshot as SnapshotService

from regolith_world.checkpoint import files
from regolith_world.names import path_within, valid_file_name
from regolith_world.ros.runner import Runner
from regolith_world.ros.service_server import create_service
from regolith_world.timeline import BEGINNING, RESTORED, Snapshot
from regolith_world.world import ProtocolError, World

_TAKEN = BEGINNING, RESTORED
NO_HASH = 'no state hash: the first cycle makes the first one'


def explain_hash(response: Any) -> None:
    """Add to the message of a successful response why it has no state hash, if it has none."""
    if response.success and not response.state_hash:
        response.message = '; '.join(part for part in (response.message, NO_HASH) if part)


class CheckpointServices:
    """``~/save_checkpoint``, ``~/restore_checkpoint``, ``~/save_snapshot``, ``~/list_snapshots``, ``~/rewind``.

    Args:
        node: Node ``world``.
        runner: Runner of the world.
        world: The world.
    """

    def __init__(self, node: Node, runner: Runner, world: World) -> None:
        self._runner, self._world = runner, world
        together = ReentrantCallbackGroup()  # a waiting service does not block others
        for kind, name, callback in (
            (CheckpointService, 'save_checkpoint', self._checkpoint),
            (CheckpointService, 'restore_checkpoint', self._restore),
            (SnapshotService, 'save_snapshot', self._snapshot),
            (ListSnapshots, 'list_snapshots', self._list),
            (Rewind, 'rewind', self._rewind),
        ):
            create_service(node, kind, f'~/{name}', callback, together)

    async def _standing(self, response: Any, action: Callable[[], Any]) -> Any:
        """Return the result of an action between two cycles, None if it failed; set success and message."""
        try:
            outcome = await self._runner.standing(action)
            response.success = True
            return outcome
        except (ValueError, OSError, ProtocolError) as error:
            response.success, response.message = False, str(error)
            return None

    async def _checkpoint(self, request: Any, response: Any) -> Any:
        def save() -> Snapshot:
            folder = path_within(self._runner.run_dir, request.path) if request.path else None
            return self._runner.timeline.save(folder=folder, kept=folder is not None)

        saved = await self._standing(response, save)
        if saved is not None:
            self._tell(saved, response)
            response.message = 'written' if saved.folder is not None else 'kept in memory: this run has no folder'
        explain_hash(response)
        return response

    @staticmethod
    def _tell(saved: Snapshot, response: Any) -> None:
        response.path = '' if saved.folder is None else str(saved.folder)
        response.t_ns, response.state_hash = int(saved.t_ns), saved.state_hash

    async def _restore(self, request: Any, response: Any) -> Any:
        def restore() -> None:
            # Absolute, or relative as for ~/save_checkpoint.
            folder = (self._runner.run_dir or Path()) / request.path
            response.path = str(folder)
            self._runner.go_to(files.read_checkpoint(folder))
            self._report_now(response)

        self._report_now(response)
        await self._standing(response, restore)
        if response.success:
            response.message = 'restored'
        explain_hash(response)
        return response

    def _report_now(self, response: Any) -> None:
        """Set the present state of the world in a response at once, before it may change."""
        response.t_ns, response.state_hash = int(self._world.t_ns), self._world.state_hash

    async def _snapshot(self, request: Any, response: Any) -> Any:
        def save() -> Snapshot:
            if request.name:
                valid_file_name(request.name, _TAKEN)
            if files.TIMED.fullmatch(request.name):
                raise ValueError(f'{request.name!r} is taken; allowed: a name that is not the time of a checkpoint')
            return self._runner.timeline.save(request.name, kept=True)

        saved = await self._standing(response, save)
        if saved is not None:
            self._tell(saved, response)
            response.name, response.size_bytes = saved.name, saved.size
        explain_hash(response)
        return response

    def _list(self, request: Any, response: Any) -> Any:
        timeline = self._runner.timeline
        for each in timeline.snapshots:
            response.names.append(each.name)
            response.paths.append('' if each.folder is None else str(each.folder))
            response.t_ns.append(int(each.t_ns))
            response.state_hashes.append(each.state_hash)
        if timeline.snapshots:
            response.first_ns, response.last_ns = map(int, timeline.span_ns)
        return response

    async def _rewind(self, request: Any, response: Any) -> Any:
        if request.inputs not in (Rewind.Request.REPLAY, Rewind.Request.LIVE):
            response.message = f'inputs {request.inputs}; allowed: 0 (replay), 1 (live)'
            return response

        def report() -> None:
            response.cycle, response.branch = int(self._world.cycle), self._runner.timeline.branch
            self._report_now(response)

        def rewind() -> None:
            to = self._runner.timeline.find(request.snapshot) if request.snapshot else request.t_ns
            self._runner.rewind(to, request.inputs == Rewind.Request.LIVE)
            report()

        report()
        await self._standing(response, rewind)
        explain_hash(response)
        return response
