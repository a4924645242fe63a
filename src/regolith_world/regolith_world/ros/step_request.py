# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Orders of single steps for a world that is paused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class StepRequest:
    """An order of single steps for a paused world."""

    count: int
    told: Callable[[int], bool]
    """Called with the number of steps done after each; returns whether to go on."""
    done: Callable[[], None]
    """Called when they are done, or called off."""
    each_shown: bool = True
    """Whether the world commits and shows every step; else the last one alone."""
    gone: int = 0
