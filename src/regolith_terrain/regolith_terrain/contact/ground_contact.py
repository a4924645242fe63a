# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground contact of a vehicle: from poses of parts to wrenches, one compiled function per terrain model.

The substeps of a vehicle call it for every part that may touch, in order::

    status = press(arrays, step, part, pose, wrench)

``arrays`` is a named tuple of the contact class with terrain and contact memory. ``step`` is the substep [s], ``part``
the index of the part, ``pose`` a :class:`PartPose`. The function fills ``wrench``, a
:class:`~regolith_terrain.contact.arrays.Wrench`, and returns CONTACT_OK, LEFT_WINDOW or SCRATCH_TOO_SMALL.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact.arrays import Shapes, Wrench
from regolith_terrain.contact.constants import CONTACT_OK as CONTACT_OK
from regolith_terrain.contact.constants import LEFT_WINDOW as LEFT_WINDOW
from regolith_terrain.contact.constants import SCRATCH_TOO_SMALL as SCRATCH_TOO_SMALL
from regolith_terrain.grid.node_records import Floats, NodeRecords
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import HeightField
from regolith_world.cycle import Saved

if TYPE_CHECKING:
    from regolith_terrain.contact.surfels import Surfels


class PartPose(NamedTuple):
    """Pose and twist of a part; the axle of a wheel is the y axis of its shape."""

    center: Floats
    """Origin of the shape in the world [m], shape (3,)."""
    rotation: Floats
    """Axes of the shape in the world as columns, shape (3, 3)."""
    velocity: Floats
    """Velocity of the origin, world axes [m/s], shape (3,)."""
    angular_velocity: Floats
    """Angular velocity, world axes [rad/s], shape (3,)."""


class LooseBodies(NamedTuple):
    """Rigid bodies that a vehicle computes, for terrain that moves past them."""

    names: tuple[str, ...]
    """Names, ascending."""
    rows: NDArray[np.int64]
    """Rows of the bodies in their set, shape (n,)."""
    surfaces: tuple[Floats, ...]
    """Closed surfaces: corners of triangles in the frame of each body [m], shape (k, 3, 3) each."""
    center: Floats
    """Centers of mass in the world [m], shape (n, 3)."""
    rotation: Floats
    """Axes of the bodies as columns, shape (n, 3, 3)."""
    velocity: Floats
    """Velocities of the centers [m/s], shape (n, 3)."""
    spin: Floats
    """Angular velocities, world axes [rad/s], shape (n, 3)."""
    force: Floats
    """Output: force of the terrain on each body [N], shape (n, 3)."""
    torque: Floats
    """Output: its torque about the center of mass [N m], shape (n, 3)."""


Press = Callable[[Any, float, int, PartPose, Wrench], int]
"""Type of the compiled function of a contact: ``press(arrays, step, part, pose, wrench)``, see the module."""


def make_pose() -> PartPose:
    """Return a zero pose of a part as a work array."""
    return PartPose(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))


class StepLimit(NamedTuple):
    """Stability limit of a substep with explicit forces."""

    seconds: float
    """Largest substep for which oscillation on the contact springs does not grow [s]."""
    why: str
    """Values that determine the limit, for error messages."""


def spring_limit(mass: float, area: float, elastic: float, damping: float) -> StepLimit:
    """Return min(2 sqrt(m / (E A)), m / (R A)), the limit of an explicit spring and damper.

    The first is that of semi-implicit Euler on a spring: step times angular frequency below 2.

    Args:
        mass: Supported mass [kg].
        area: Contact area [m^2].
        elastic: Elastic stiffness per area E [Pa/m].
        damping: Damping per area R [Pa s/m].

    Source: hairer2006.
    Checked by: test_scm.py::test_scm_plate_oscillation_grows_only_above_the_step_limit.
    """
    limit = 2.0 * math.sqrt(mass / (elastic * area))
    if damping > 0.0:
        limit = min(limit, mass / (damping * area))
    return StepLimit(limit, f'E = {elastic:.3g} Pa/m, R = {damping:.3g} Pa s/m')


@dataclass(frozen=True, slots=True)
class ContactSetting:
    """Soils, parts and settings from which a ground contact is created."""

    soils: SoilMap
    """Soils of the terrain, with the parameters of the terrain model."""
    shapes: Shapes
    """Shapes of all parts that may touch."""
    reach: Floats
    """Radius about its origin that encloses each part in any orientation [m], shape (n,)."""
    spacing: float
    """Grid node spacing [m]."""
    mode: str = 'regolith'
    """Mode of the terrain model; models without modes ignore it."""
    displacement: Floats | None = None
    """Displacement rules (:meth:`regolith_terrain.config.TerrainConfig.displacement`) of terrain models that move soil
    to other columns; None: soil stays in its column."""
    layer: NDArray[np.int64] | None = None
    """Index of the contact memory of each part, shape (n,). Parts that never touch the same nodes may share one. None:
    each part has one, in their order."""
    field: HeightField | None = None
    """Height field of the undisturbed surface."""
    gravity: Floats = field_of(default_factory=lambda: np.zeros(3))
    """Gravity vector [m/s^2], shape (3,)."""
    tool_surfaces: Mapping[int, Floats] = field_of(default_factory=dict)
    """Closed surfaces of tools by the index of their part: corners of triangles in the frame of the part's shape [m],
    shape (k, 3, 3). Moving soil touches the surface instead of the shape, and soil inside the shape is carried."""


class BodyMemory(Saved, ABC):
    """Contact memory of one rigid body, the same for each participant that computes the body."""

    @abstractmethod
    def reset(self) -> None:
        """Reset the contact."""


class GroundContact(Saved, ABC):
    """Contact of one vehicle's parts with one terrain model, and its memory between cycles.

    :attr:`press` is the compiled function; the other methods run once per cycle.
    """

    press: Press
    margin_cells: float = 0.0
    """Margin of nodes around a part that may be read or moved."""
    feels_above_m: float = 0.0
    """Height above level_initial at which a part is already in contact [m]."""
    has_beds: bool = False
    """Whether rigid bodies can lie in the terrain, see :meth:`make_bed`."""
    max_exposure_s: float = math.inf
    """Longest time for which the results of :attr:`press` are valid; the vehicle calls :meth:`advance` at least as
    often.
    """

    def __init__(self, setting: ContactSetting) -> None:
        self.setting = setting
        self.parts = len(setting.reach)

    @abstractmethod
    def arrays(self, window: SoilWindow, active: int) -> Any:
        """Return the ``arrays`` of :attr:`press` for a cycle in which the first ``active`` parts may touch."""

    def arrays_of(self, window: SoilWindow, members: Sequence[int]) -> Any:
        """Return the ``arrays`` of :attr:`press` for a cycle in which only some bodies may touch.

        Args:
            window: Soil of the cycle.
            members: Indices of the bodies, ascending. A vehicle's contact has the first parts only.
        """
        return self.arrays(window, len(members))

    def still_valid(self, arrays: Any) -> bool:
        """Return whether ``arrays`` of an earlier cycle have the present contact memory, for the same soil window."""
        return False

    def memories(self, part: int) -> list[BodyMemory]:
        """Return the memory of a rigid body, which another contact of the same terrain can load; not of a vehicle."""
        return []

    def make_bed(
        self, window: SoilWindow, part: int, center: Floats, rotation: Floats, planes: Floats, weight: float
    ) -> None:
        """Give the soil the shape of the underside of a body that lies in it and whose weight it carries.

        Args:
            window: Soil, changed in place.
            part: Index of the body.
            center: Center of mass [m], shape (3,).
            rotation: Axes of the body as columns, shape (3, 3).
            planes: Outward unit normals of the facets and their distances from the origin [m], shape (m, 4).
            weight: Weight of the body [N].
        """

    def remember(self, window: SoilWindow, arrays: Any) -> None:
        """Store the contact memory from ``arrays`` after the cycle."""

    def advance(
        self,
        duration: float,
        center: Floats,
        rotation: Floats,
        velocity: Floats,
        spin: Floats,
        bodies: LooseBodies | None = None,
    ) -> None:
        """Advance moving terrain before the substeps of the same time, see :attr:`max_exposure_s`.

        Args:
            duration: Time to advance [s].
            center: Centers of the parts that may touch at the start [m], shape (k, 3).
            rotation: Axes of their shapes as columns, shape (k, 3, 3).
            velocity: Velocities of the centers [m/s], shape (k, 3).
            spin: Angular velocities, world axes [rad/s], shape (k, 3).
            bodies: Loose bodies, to whose wrenches those of the terrain are added; None: there are none.

        Raises:
            FloatingPointError: If the terrain simulation diverges. The message names the cause.
        """

    def take_wrenches(self, bodies: LooseBodies) -> None:
        """Take the wrenches of moving terrain on some bodies for the next substeps, in the contact of these bodies."""

    def warm_up(self) -> None:
        """Compile the kernels of :meth:`advance` without a change of state."""

    def soil_changes(self, fields: tuple[str, ...]) -> list[NodeRecords]:
        """Return the nodes that the terrain model itself changed in a cycle, each in one of the records.

        Args:
            fields: Names of the node fields.

        Raises:
            FloatingPointError: If the terrain simulation diverges. The message names the cause.
        """
        return []

    def tool_loads(self) -> Floats:
        """Return the mass of moving soil carried in each part [kg] and the force of that soil on it [N].

        Returns:
            Masses and magnitudes of forces, shape (n, 2); zero for a terrain model that does not move.
        """
        return np.zeros((self.parts, 2))

    def released_soil(self) -> Floats:
        """Return the moving soil that flew out of its region in the last cycle.

        Returns:
            Mass per area of a grid node [kg/m^2], position [m] and velocity [m/s] of each parcel, shape (n, 7).
        """
        return np.zeros((0, 7))

    def statistics(self) -> dict[str, Any]:
        """Return the statistics of the terrain model for a report."""
        return {}

    def surfels(self) -> Surfels | None:
        """Return the surface of moving terrain; None for a model that does not move."""
        return None

    @abstractmethod
    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the stability limit of a vehicle of ``mass`` [kg] that presses with ``area`` [m^2]."""

    def reset(self) -> None:
        """Reset all contacts."""

    def region_rows(self, window: SoilWindow) -> NDArray[np.uint8]:
        """Return the row of the soil table at each node of a window, shape (ni, nj)."""
        ni, nj = window.shape
        soils = self.setting.soils
        if not soils.regions:
            return np.zeros((ni, nj), dtype=np.uint8)
        return soils.rows(window.i0, window.i0 + ni, window.j0, window.j0 + nj, window.spacing)
