# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Looking on costs little: a view gives way to what it looks at."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_NICE = 5
"""A third of the weight of others: what needs little gets it even beside a world that takes all cores; at 19 it would
stand still."""


def give_way() -> None:
    """Let others on this machine go first; for a process that leads a session of its own.

    Linux shares its cores among sessions first, and only within one by the niceness of processes.
    """
    with suppress(OSError):
        os.nice(_NICE)
    with suppress(OSError):
        Path('/proc/self/autogroup').write_text(str(_NICE))


def give_way_alone() -> None:
    """Do so in a new session, if this process may have one, so that a shell it was started from keeps its share."""
    try:
        os.setsid()
    except OSError:
        # It leads a group already, as whatever a shell starts: only its own threads give way.
        with suppress(OSError):
            os.nice(_NICE)
        return
    give_way()
