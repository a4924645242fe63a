# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

import gc
import signal


def pytest_configure() -> None:
    """Take SIGINT again where the shell ignores it, as it does for what it starts in the background.

    Processes inherit that a signal is ignored, so the nodes that tests interrupt would never stop.

    Garbage is collected seldom: compilation makes many objects and hardly any cycle. It takes a seventh less time so.
    """
    gc.set_threshold(100_000, 20, 20)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
