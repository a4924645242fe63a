# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The user interface: scenario files, the command line, supervisor, recorder, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regolith_bringup.run.simulation import Simulation

__all__ = ['Simulation']


def __getattr__(name: str) -> Any:
    """Return :class:`regolith_bringup.run.simulation.Simulation`, imported on first use with all its kernels."""
    if name != 'Simulation':
        raise AttributeError(name)
    from regolith_world.numerics import kernel_cache

    kernel_cache.configure()
    from regolith_bringup.run.simulation import Simulation

    return Simulation
