# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests of single steps of a paused world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class StepRequest:
    """A request of single steps of a paused world."""

    count: int
    told: Callable[[int], bool]
    """Called after each step with the number of steps done; returns whether to continue."""
    done: Callable[[], None]
    """Called when the steps are done or canceled."""
    each_shown: bool = True
    """Whether the world commits and publishes every step; otherwise only the last one."""
    gone: int = 0
