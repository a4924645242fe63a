# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes that fall silent: what the scenario's ``world.on_failure`` makes of it, and what people are told."""

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

_MEANING = {'stop': 'stops', 'drop': 'goes on without it', 'wait': 'waits for it to come back'}


class TimeoutPolicy:
    """The reaction to silent nodes.

    Args:
        logger: of the world's node
        run_dir: folder of the run; None: none
    """

    def __init__(
        self, world: World, display: StatusPublisher, logger: Any, run_dir: Path | None, leaving: ShutdownRequest
    ) -> None:
        self._world, self._display, self._logger, self._leaving = world, display, logger, leaving
        self._run_dir = run_dir
        self.without: dict[str, str] = {}
        """Nodes that the run went on without, and what became of them."""

    def of_participants(self, silence: ParticipantTimeout) -> Choice:
        """Return what follows from participants without an answer, and tell people."""
        choice: Choice = self._world.config.on_failure
        if choice == 'drop' and not all(self._world.participants[n].has_bodies for n in silence.names):
            choice = 'stop'
        if self._leaving.asked:
            choice = 'stop'
        return self.follow(silence.names, f'no response within {self._world.config.participant_timeout_s:g} s', choice)

    def follow(self, names: Sequence[str], owed: str, choice: Choice) -> Choice:
        """Report silent nodes on ``/diagnostics``, in the status and to people; return the choice.

        Args:
            owed: what they owe, and for how long
        """
        t_s = self._world.t_ns * 1e-9
        details = {'cycle': self._world.cycle, 't_s': f'{t_s:.3f}', 'on_failure': _MEANING[choice]}
        self._display.diagnostics.failed(names, f'{owed}; the world {_MEANING[choice]}', details)
        self._display.pulse(WorldStatus.STALLED)
        text = f'no response from {", ".join(names)}: the world {_MEANING[choice]} ({owed}, at {t_s:.3f} s)'
        if choice == 'stop':
            if self._world.config.on_failure != 'wait':
                text += '; with world.on_failure: wait a node is started again and comes back where it was'
            text += self.resume_hint()
        elif choice == 'wait':
            text += '; it is started again once its process has ended, so end one that hangs'
        else:
            self.without |= dict.fromkeys(names, f'{owed}, at {t_s:.3f} s')
        self._display.status(WorldStatus.STALLED, text, force=True)
        self._logger.error(text)
        return choice

    def resume_hint(self) -> str:
        """Return how to continue a run from its last checkpoint, if it has one."""
        return files.resume_hint(self._run_dir) if self._run_dir is not None else ''
