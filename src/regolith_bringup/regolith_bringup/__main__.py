# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line's start: during imports Ctrl-C ends it silently, without a stack."""

from __future__ import annotations

import signal


def main() -> None:
    """Run ``./regolith``."""
    from regolith_files.streams import open_streams
    from regolith_world.node_main import disable_mujoco_graphics

    open_streams()
    disable_mujoco_graphics()
    # Who started it may have it ignore the signal.
    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listens:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from regolith_bringup.cli import main as command_line

    if listens:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line()


if __name__ == '__main__':
    main()
