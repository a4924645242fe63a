# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The contact of a vehicle with the ground: from poses of parts to wrenches, one compiled function per law.

The substeps of a vehicle call it with every part that may touch, in their order::

    status = press(arrays, step, part, pose, wrench)

``arrays`` is a named tuple of the contact's own making, the ground and its memory in it; ``step`` the length of the
substep [s]; ``part`` the index of the part; ``pose`` a :class:`PartPose`; ``wrench`` a
:class:`~regolith_terrain.scm.arrays.Wrench`, which it fills. It returns OK, LEFT_WINDOW or SCRATCH_TOO_SMALL.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.records import Floats
from regolith_terrain.scm.arrays import Shapes
from regolith_terrain.scm.constants import LEFT_WINDOW as LEFT_WINDOW
from regolith_terrain.scm.constants import NO_BULLDOZING
from regolith_terrain.scm.constants import OK as OK
from regolith_terrain.scm.constants import SCRATCH_TOO_SMALL as SCRATCH_TOO_SMALL
from regolith_terrain.soil_grid import SoilWindow
from regolith_terrain.soil_map import SoilMap


class PartPose(NamedTuple):
    """Where a part is and how it moves; its shape's frame has a wheel's axle along y."""

    center: Floats
    """Origin of the shape in the world [m], shape (3,)."""
    rotation: Floats
    """Columns: axes of the shape in the world, shape (3, 3)."""
    velocity: Floats
    """Of the origin, world axes [m/s], shape (3,)."""
    angular_velocity: Floats
    """World axes [rad/s], shape (3,)."""


class StepLimit(NamedTuple):
    """How long a substep of explicit forces may be."""

    seconds: float
    """Beyond it the vehicle would shake itself to pieces on the ground's springs [s]."""
    why: str
    """What it follows from, for an error."""


def spring_limit(mass: float, area: float, elastic: float, damping: float) -> StepLimit:
    """Return min(2 sqrt(m / (E A)), m / (R A)), the limit of an explicit spring and damper.

    :param mass: that rests on it [kg]; area: that it presses with [m^2]
    :param elastic: E [Pa/m]; damping: R [Pa s/m]
    """
    limit = 2.0 * math.sqrt(mass / (elastic * area))
    if damping > 0.0:
        limit = min(limit, mass / (damping * area))
    return StepLimit(limit, f'E = {elastic:.3g} Pa/m, R = {damping:.3g} Pa s/m')


@dataclass(frozen=True, slots=True)
class ContactSetting:
    """What a ground contact is made for."""

    soils: SoilMap
    shapes: Shapes
    reach: Floats
    """Radius about its origin that holds each part in any orientation [m], shape (n,)."""
    spacing: float
    """Of the nodes [m]."""
    mode: str = 'regolith'
    """Of the scenario's terrain section, as what follows; a law reads what it has a use for."""
    bulldozing: Floats = field(default_factory=NO_BULLDOZING.copy)
    """Rules of displaced soil, shape (5,)."""


class GroundContact(ABC):
    """The contact of one vehicle's parts with ground of one law, and what it remembers from cycle to cycle.

    :attr:`press` is the compiled function; the rest runs once per cycle.
    """

    press: Callable[..., int]
    margin_cells: float = 0.0
    """Nodes beyond a part that may be looked at or moved."""
    feels_above_m: float = 0.0
    """How far above level_initial a part is felt already."""

    def __init__(self, setting: ContactSetting) -> None:
        self.setting = setting
        self.parts = len(setting.reach)

    @abstractmethod
    def arrays(self, window: SoilWindow, active: int) -> Any:
        """Return what :attr:`press` takes for a cycle, in which the first ``active`` parts may touch."""

    def remember(self, window: SoilWindow, arrays: Any) -> None:  # noqa: B027  not every ground leaves a memory
        """Take the memory back out of what :meth:`arrays` gave, after the cycle."""

    @abstractmethod
    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the stability limit of a vehicle of ``mass`` [kg] that presses with ``area`` [m^2]."""

    def reset(self) -> None:  # noqa: B027
        """Forget all contacts."""

    def save(self) -> bytes:
        """Return the exact memory: equal memories, equal bytes."""
        return b''

    def load(self, blob: bytes) -> None:
        """Become what :meth:`save` described.

        :raises ValueError: if the length does not fit
        """
        if blob:
            raise ValueError(f'saved contact of {len(blob)} bytes; allowed: none, this ground has no memory')

    def region_rows(self, window: SoilWindow) -> NDArray[np.uint8]:
        """Return the row of the soil table that holds at each node of a window, shape (ni, nj)."""
        ni, nj = window.shape
        soils = self.setting.soils
        if not soils.regions:
            return np.zeros((ni, nj), dtype=np.uint8)
        return soils.rows(window.i0, window.i0 + ni, window.j0, window.j0 + nj, window.spacing)
