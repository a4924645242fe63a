# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

import signal

from regolith_world.ros.garbage import freeze_garbage_collector


def pytest_configure() -> None:
    """Take SIGINT again where the shell ignores it, as it does for what it starts in the background.

    Processes inherit that a signal is ignored, so the nodes that tests interrupt would never stop.

    Garbage is collected seldom, as in the nodes: compilation of kernels makes many objects, of which few are garbage.
    """
    freeze_garbage_collector()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
