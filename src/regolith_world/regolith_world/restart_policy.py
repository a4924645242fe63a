# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""When a node that failed is started again."""

from __future__ import annotations

RESTARTS = 3
"""Largest number of restarts of a node before the run is given up."""
REASONED = 3
"""Exit code of a node that has told why it cannot go on."""


def should_restart(code: int, restarts: int) -> bool:
    """Return whether a node that failed is to be started again: not if it told why it cannot go on, nor too often."""
    return code != REASONED and restarts < RESTARTS
