# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Context object (``context.obj``) of all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from regolith_bringup.run.progress import progress
from regolith_files import Run


class CliCommandContext:
    """The :class:`regolith_files.extension_points.CommandContext` of this command line.

    Args:
        print_json: Function that prints a value as JSON.
    """

    def __init__(self, print_json: Callable[[Any], None]) -> None:
        self.print_json = print_json

    def run(self, folder: Path) -> Run:
        """Return an opened run folder."""
        from regolith_bringup.report.summary import FinishedRun

        return FinishedRun(folder)

    def runs(self, folder: Path) -> list[Run]:
        """Return the recorded runs of a campaign in order, or the run of a run folder."""
        from regolith_bringup.campaign.campaign import recorded_runs

        return [self.run(each) for each in recorded_runs(folder)] or [self.run(folder)]

    def scenario(self, path_or_name: str, settings: Iterable[str] = (), seed: int | None = None) -> Any:
        """Return a checked and resolved scenario."""
        from regolith_bringup.scenario.loading import load_scenario

        return load_scenario(path_or_name, settings, seed=seed).scenario

    def participant_context(self, scenario: Any) -> Any:
        """Return the :class:`regolith_world.participant_context.ParticipantContext` of a scenario."""
        from regolith_bringup.scenario.participant_sections import participant_context

        return participant_context(scenario)

    def progress(self, what: str) -> AbstractContextManager[Callable[[int, int], None]]:
        """Show progress on stderr."""
        return progress(what)
