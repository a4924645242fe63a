# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Entry point of the command line, which exits on Ctrl-C without a stack trace during imports."""

from __future__ import annotations

import signal


def main() -> None:
    """Run ``./regolith``."""
    from regolith_files import open_streams
    from regolith_world import disable_mujoco_graphics

    open_streams()
    disable_mujoco_graphics()
    # The parent process may have set SIGINT to be ignored.
    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listens:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from regolith_bringup.cli import main as command_line

    if listens:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command_line()


if __name__ == '__main__':
    main()
