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
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.node_records import Floats, NodeRecords
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import HeightField
from regolith_terrain.scm.arrays import Shapes
from regolith_terrain.scm.constants import LEFT_WINDOW as LEFT_WINDOW
from regolith_terrain.scm.constants import NOTHING_MOVES
from regolith_terrain.scm.constants import OK as OK
from regolith_terrain.scm.constants import SCRATCH_TOO_SMALL as SCRATCH_TOO_SMALL

if TYPE_CHECKING:
    from regolith_terrain.crm.surfels import Surfels


class PartPose(NamedTuple):
    """Pose and twist of a part; its shape's frame has a wheel's axle along y."""

    center: Floats
    """Origin of the shape in the world [m], shape (3,)."""
    rotation: Floats
    """Axes of the shape in the world as columns, shape (3, 3)."""
    velocity: Floats
    """Velocity of the origin, world axes [m/s], shape (3,)."""
    angular_velocity: Floats
    """Angular velocity, world axes [rad/s], shape (3,)."""


def make_pose() -> PartPose:
    """Return room for the pose of a part."""
    return PartPose(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))


class StepLimit(NamedTuple):
    """Stability limit of a substep with explicit forces."""

    seconds: float
    """Length beyond which oscillation on the ground's springs grows [s]."""
    why: str
    """The values it follows from, for an error."""


def spring_limit(mass: float, area: float, elastic: float, damping: float) -> StepLimit:
    """Return min(2 sqrt(m / (E A)), m / (R A)), the limit of an explicit spring and damper.

    The first is that of semi-implicit Euler on a spring, step times angular frequency below 2.

    Args:
        mass: That rests on it [kg].
        area: That it presses with [m^2].
        elastic: E [Pa/m].
        damping: R [Pa s/m].

    Source: hairer2006.
    Checked by: test_scm.py::test_a_plate_bounces_on_above_the_step_limit_only.
    """
    limit = 2.0 * math.sqrt(mass / (elastic * area))
    if damping > 0.0:
        limit = min(limit, mass / (damping * area))
    return StepLimit(limit, f'E = {elastic:.3g} Pa/m, R = {damping:.3g} Pa s/m')


@dataclass(frozen=True, slots=True)
class ContactSetting:
    """Soils, parts and settings that a ground contact is made for."""

    soils: SoilMap
    """Soils of the ground, parameters as the law has them."""
    shapes: Shapes
    """Shapes of all parts that may touch."""
    reach: Floats
    """Radius about its origin that holds each part in any orientation [m], shape (n,)."""
    spacing: float
    """Distance of the nodes [m]."""
    mode: str = 'regolith'
    """``mode`` of the scenario's terrain section; laws without modes ignore it."""
    displacement: Floats = field_of(default_factory=NOTHING_MOVES.copy)
    """Rules of displaced soil (:meth:`regolith_terrain.config.TerrainConfig.displacement`), shape (RULES,)."""
    layer: NDArray[np.int64] | None = None
    """For each part, which memory of the ground under it is its own; parts that never touch the same nodes may share
    one. None: each has one, in their order. Shape (n,)."""
    field: HeightField | None = None
    """The undisturbed ground."""
    gravity: Floats = field_of(default_factory=lambda: np.zeros(3))
    """[m/s^2], shape (3,)."""


class GroundContact(ABC):
    """The contact of one vehicle's parts with ground of one law, and its memory from cycle to cycle.

    :attr:`press` is the compiled function; the rest runs once per cycle.
    """

    press: Callable[..., int]
    margin_cells: float = 0.0
    """Margin of nodes round a part that may be read or moved."""
    feels_above_m: float = 0.0
    """Height above level_initial at which a part is felt already [m]."""
    max_exposure_s: float = math.inf
    """Longest time for which what :attr:`press` finds holds: at least as often the vehicle calls :meth:`advance`."""

    def __init__(self, setting: ContactSetting) -> None:
        self.setting = setting
        self.parts = len(setting.reach)

    @abstractmethod
    def arrays(self, window: SoilWindow, active: int) -> Any:
        """Return the ``arrays`` of :attr:`press` for a cycle, in which the first ``active`` parts may touch."""

    def remember(self, window: SoilWindow, arrays: Any) -> None:  # noqa: B027  not every ground leaves a memory
        """Take the memory out of ``arrays`` after the cycle."""

    def advance(  # noqa: B027  most ground does nothing by itself
        self, duration: float, center: Floats, rotation: Floats, velocity: Floats, spin: Floats
    ) -> None:
        """Move the ground itself on, if :attr:`max_exposure_s` says that it moves, before the substeps of that time.

        Args:
            duration: [s].
            center: Of the parts that may touch, at its start [m], shape (k, 3).
            rotation: Axes of their shapes as columns, shape (k, 3, 3).
            velocity: Of the centres [m/s], shape (k, 3).
            spin: World axes [rad/s].

        Raises:
            FloatingPointError: Saying what broke down.
        """

    def warm_up(self) -> None:  # noqa: B027
        """Compile what :meth:`advance` will need; changes nothing."""

    def soil_changes(self, fields: tuple[str, ...]) -> list[NodeRecords]:
        """Return nodes that the ground itself changed in a cycle, each in one of the records.

        Args:
            fields: Names of a node's fields.

        Raises:
            FloatingPointError: Saying what broke down.
        """
        return []

    def statistics(self) -> dict[str, Any]:
        """Return what a report says of the ground itself."""
        return {}

    def surfels(self) -> Surfels | None:
        """Return the surface of ground that moves by itself; None: it never does."""
        return None

    @abstractmethod
    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the stability limit of a vehicle of ``mass`` [kg] that presses with ``area`` [m^2]."""

    def reset(self) -> None:  # noqa: B027
        """Forget all contacts."""

    def save(self) -> bytes:
        """Return the exact memory: equal memories, equal bytes."""
        return b''

    def load(self, blob: bytes) -> None:
        """Restore what :meth:`save` returned.

        Raises:
            ValueError: If the length does not fit.
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
