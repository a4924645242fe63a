# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Node of the radios."""

from __future__ import annotations

from functools import partial

from regolith_world import ParticipantNode
from regolith_world.ros import run_participant


def main() -> None:
    """Run the comms node."""
    run_participant(partial(ParticipantNode, 'comms'))


if __name__ == '__main__':
    main()
