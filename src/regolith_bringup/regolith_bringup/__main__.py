# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line's first steps: until it is imported Ctrl-C ends it without a word, not with an import's stack."""

from __future__ import annotations

import signal


def main() -> None:
    """Be ``./regolith``."""
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
