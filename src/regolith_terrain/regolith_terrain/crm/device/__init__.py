# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""CRM on a GPU by Warp, which is optional: import this package only where it is needed.

Equations and order of sums are those of the compiled loops on the CPU. Particles are sorted by cell, and each checks
the rows of the 27 surrounding cells, where the loops on the CPU keep lists: a GPU has more arithmetic than memory. All
sums are in the order of rows, so one GPU gives bit-identical results each time.
"""

import warp

# Its greeting would be part of machine-readable command output.
warp.config.log_level = warp.LOG_WARNING


def card() -> bool:
    """Return whether Warp finds a GPU."""
    return bool(warp.is_cuda_available())
