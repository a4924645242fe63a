# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What nodes print: on the terminal behind their names, and in a file of the run's folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.markup import escape

_COLORS = ('cyan', 'magenta', 'green', 'yellow', 'blue', 'red')


class ConsoleOutput:
    """Terminal and ``console.log``.

    Args:
        labels: of all nodes
        folder: of the run
        quiet: whether the terminal gets errors alone
    """

    def __init__(self, labels: Sequence[str], folder: Path, *, quiet: bool) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._quiet = quiet
        self._colors = {label: _COLORS[k % len(_COLORS)] for k, label in enumerate(labels)}
        self._width = max(map(len, labels))
        self._log = open(folder / 'console.log', 'w', encoding='utf-8')  # noqa: SIM115 - lives as long as the run

    def say(self, label: str, line: str) -> None:
        """Pass on a line of a node, or about it."""
        with suppress(OSError):  # the disk is full; the terminal has it all the same
            self._log.write(f'{label}: {line}\n')
            self._log.flush()
        if not self._quiet or 'ERROR' in line or 'Error' in line:
            self.tell(f'[{self._colors[label]}]{label:>{self._width}}[/] {escape(line)}')

    def tell(self, line: str) -> None:
        """Print a line for people, in rich's markup; where nobody can take it (terminal gone, disk full) it is lost."""
        with suppress(OSError):
            self.console.print(line, soft_wrap=True)

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._log.close()
