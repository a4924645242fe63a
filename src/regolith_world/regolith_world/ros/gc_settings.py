# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of Python's garbage collector, which would otherwise visit 500 000 library objects every few cycles."""

from __future__ import annotations

import gc


def freeze_garbage_collector() -> None:
    """Exclude all present objects from later collections, and collect rarely. Call it after setup.

    Two rovers in one process ran 2 to 6 % faster with it, and 10 % faster without any collection.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 1000)
