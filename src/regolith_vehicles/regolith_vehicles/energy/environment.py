# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radiative environment of a vehicle: the extension point for sun, ground temperature and albedo.

An entry point of group ``regolith.radiative_environments`` is a function that takes the root keys of a resolved
scenario and returns a :class:`RadiativeEnvironment`. The first one in name order is used. It is part of the state's
evolution: it must be a function of the scenario alone, equal in all processes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import load_plugins

Vector = NDArray[np.float64]
GROUP = 'regolith.radiative_environments'


@dataclass(frozen=True)
class Radiation:
    """Light and heat at a place and time."""

    sun: Vector = field(default_factory=lambda: np.array([0.0, 0.0, -1.0]))
    """Unit vector toward the sun in the world frame, shape (3,)."""
    irradiance: float = 0.0
    """Total irradiance of the sun normal to its rays, reduced by far terrain [W/m^2]."""
    sun_radius: float = 4.6505e-3
    """Angular radius of the sun [rad]."""
    ground_k: float = 0.0
    """Temperature of level ground [K]."""
    ground_emissivity: float = 0.95
    ground_albedo: float = 0.12


class RadiativeEnvironment(ABC):
    """Sun and ground around the vehicles of a scenario."""

    range_m: float = 500.0
    """Distance within which vehicles compute shadows of terrain; :meth:`at` contains those of terrain beyond [m]."""

    @abstractmethod
    def at(self, t_ns: int, x: float, y: float) -> Radiation:
        """Return light and heat at a simulated time [ns] and a place [m]."""


class ColdDarkness(RadiativeEnvironment):
    """Environment without light and heat, where no other is known."""

    def at(self, t_ns: int, x: float, y: float) -> Radiation:
        """Return no light and no heat."""
        return Radiation()


def scenario_environment(scenario: Callable[[], Mapping[str, Any]]) -> RadiativeEnvironment:
    """Return the radiative environment of a resolved scenario.

    Args:
        scenario: Function that returns its root keys.

    Raises:
        ValueError: If no installed package provides one.
    """
    found = load_plugins(GROUP)
    if not found:
        raise ValueError(
            f'panels, loads and thermal nodes need an entry point of {GROUP}; fix: install regolith_sensors'
        )
    made: RadiativeEnvironment = found[min(found)](scenario())
    return made
