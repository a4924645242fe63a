# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beds of particles on a graphics card, by Warp, which is optional: import this only where it is wanted.

Equations and order of sums are those of the compiled loops beside it. Particles are sorted by cell, and each looks
through the rows of the 27 cells round it, where the loops on a processor keep lists: a card has more arithmetic than
memory. Whatever sums, sums in the order of rows, so that one card gives the same bits each time.
"""

import warp

# Its greeting would stand in what a command prints for programs.
warp.config.log_level = warp.LOG_WARNING


def card() -> bool:
    """Return whether Warp finds a graphics card."""
    return bool(warp.is_cuda_available())
