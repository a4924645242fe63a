# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps Python's cycle collector from walking over half a million objects of imported libraries every few cycles."""

from __future__ import annotations

import gc


def settle() -> None:
    """Call it once everything is set up: what is there now is never looked at again, and the rest seldom.

    Two rovers in one process ran 2 to 6 % faster with what is there frozen, and 10 % with no collections at all.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1000)
