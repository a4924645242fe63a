# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Policy for restarts of failed nodes."""

from __future__ import annotations

RESTARTS = 3
"""Maximum number of restarts of a node before the run ends."""
REASONED = 3
"""Exit code of a node that has reported why it cannot continue."""


def should_restart(code: int, restarts: int) -> bool:
    """Return whether a failed node is restarted: not if it reported why it cannot continue, and not too often."""
    return code != REASONED and restarts < RESTARTS
