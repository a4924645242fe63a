# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Output of nodes: on the terminal with the node name, and in ``console.log`` of the run folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.markup import escape

_COLORS = ('cyan', 'magenta', 'green', 'yellow', 'blue', 'red')


class ConsoleOutput:
    """Terminal output and ``console.log`` of a run.

    Args:
        labels: Labels of all nodes.
        folder: Run folder.
        quiet: Whether the terminal shows errors only.
    """

    def __init__(self, labels: Sequence[str], folder: Path, *, quiet: bool) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._quiet = quiet
        self._colors = {label: _COLORS[k % len(_COLORS)] for k, label in enumerate(labels)}
        self._width = max(map(len, labels))
        self._log = open(folder / 'console.log', 'w', encoding='utf-8')  # noqa: SIM115 - lives as long as the run

    def say(self, label: str, line: str) -> None:
        """Print and log a line printed by a node, or a message about it."""
        with suppress(OSError):  # the disk is full; the terminal still shows the line
            self._log.write(f'{label}: {line}\n')
            self._log.flush()
        if not self._quiet or 'ERROR' in line or 'Error' in line:
            self.print_line(f'[{self._colors[label]}]{label:>{self._width}}[/] {escape(line)}')

    def print_line(self, line: str) -> None:
        """Print a line in rich markup. Errors are ignored (closed terminal, full disk)."""
        with suppress(OSError):
            self.console.print(line, soft_wrap=True)

    def close(self) -> None:
        """Close the log file."""
        with suppress(OSError):
            self._log.close()
