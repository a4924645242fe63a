# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Timeout policy: the reaction to unresponsive nodes by ``world.on_failure``, and its messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regolith_msgs.msg import WorldStatus

from regolith_world.checkpoint import files
from regolith_world.cycle.transport import ParticipantTimeout
from regolith_world.ros.shutdown import ShutdownRequest
from regolith_world.ros.status_publisher import StatusPublisher
from regolith_world.world import Choice, World

_MEANING = {'stop': 'stops', 'drop': 'continues without it', 'wait': 'waits for it to return'}


class TimeoutPolicy:
    """Reaction to unresponsive nodes.

    Args:
        world: The world.
        display: Publisher of the status.
        logger: Logger of the world's node.
        run_dir: Folder of the run; None: none.
        leaving: Request to end this process.
    """

    def __init__(
        self, world: World, display: StatusPublisher, logger: Any, run_dir: Path | None, leaving: ShutdownRequest
    ) -> None:
        self._world, self._display, self._logger, self._leaving = world, display, logger, leaving
        self._run_dir = run_dir
        self.without: dict[str, str] = {}
        """Nodes without which the run continued, and the reasons."""

    def of_participants(self, timeout: ParticipantTimeout) -> Choice:
        """Return the reaction to participants without a response, and report it."""
        choice: Choice = self._world.config.on_failure
        if choice == 'drop' and not all(self._world.participants[n].has_bodies for n in timeout.names):
            choice = 'stop'
        if self._leaving.requested:
            choice = 'stop'
        return self.follow(timeout.names, f'no response within {self._world.config.participant_timeout_s:g} s', choice)

    def follow(self, names: Sequence[str], owed: str, choice: Choice) -> Choice:
        """Report unresponsive nodes on ``/diagnostics``, in the status and in the log; return the choice.

        Args:
            names: Names of the nodes.
            owed: What they owe, and since when.
            choice: The reaction.
        """
        t_s = self._world.t_ns * 1e-9
        details = {'cycle': self._world.cycle, 't_s': f'{t_s:.3f}', 'on_failure': _MEANING[choice]}
        self._display.diagnostics.failed(names, f'{owed}; the world {_MEANING[choice]}', details)
        self._display.pulse(WorldStatus.STALLED)
        text = f'no response from {", ".join(names)}: the world {_MEANING[choice]} ({owed}, at {t_s:.3f} s)'
        if choice == 'stop':
            if self._world.config.on_failure != 'wait':
                text += '; with world.on_failure: wait a node is restarted and restored'
            text += self.resume_hint()
        elif choice == 'wait':
            text += '; it is restarted once its process has ended; fix: end a process that hangs'
        else:
            self.without |= dict.fromkeys(names, f'{owed}, at {t_s:.3f} s')
        self._display.status(WorldStatus.STALLED, text, force=True)
        self._logger.error(text)
        return choice

    def resume_hint(self) -> str:
        """Return a text on how to continue a run from its last checkpoint, if it has one."""
        return files.resume_hint(self._run_dir) if self._run_dir is not None else ''
