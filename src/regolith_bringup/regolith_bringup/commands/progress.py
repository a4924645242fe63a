# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def tile_progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar within the block, from the first work on.

    :param what: name of the work
    :param quiet: whether to show nothing
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn('{task.description}'), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task(what, total=None, visible=False)
        yield lambda done, of: bar.update(task, completed=done, total=of, visible=True)
