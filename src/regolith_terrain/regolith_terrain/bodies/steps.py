# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The substeps of rigid bodies in a cycle: their soil, the solids near them, and the arrays of the compiled loops.

Bodies that may reach the same grid nodes, or each other, share a window and take their substeps together, in the order
of the list. They press each other as they press rocks (:mod:`regolith_terrain.solids.contact`).

A window and its arrays are kept as long as the same bodies need it; the last write to the soil is copied into it. Its
size has no effect on the results, so it is larger than needed: a body can move by WINDOW_CELLS nodes before it needs a
new one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.bodies.reach import (
    MARGIN_ACCELERATION,
    largest_ways,
    neighbors,
    soil_margins,
    solids_near,
)
from regolith_terrain.bodies.soil_windows import joint_windows
from regolith_terrain.bodies.substep import NO_GEOMETRY, STATUSES, BodyGeometry, BodyStep, fly, with_bodies
from regolith_terrain.contact.constants import CONTACT_OK
from regolith_terrain.grid.node_records import Floats, NodeRecords
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.solids.friction_memory import NO_SOLIDS
from regolith_terrain.solids.moving_solids import MovingSolids
from regolith_terrain.solids.solids import NearbySolids
from regolith_world.numerics import portable_math, rotation

Indices = NDArray[np.int64]

WINDOW_CELLS = 3
"""Nodes by which a window extends beyond those that its bodies need."""
NOT_BODIES = np.zeros(0, dtype=bool)
"""See :attr:`MovingSolids.done`: parts of a vehicle."""


@dataclass(slots=True)
class WindowSteps:
    """The substeps of the bodies of one window of soil."""

    members: list[int]
    """Indices of the bodies, ascending."""
    window: SoilWindow
    """The soil."""
    solids: Indices | None
    """Numbers of the static solids nearby, ascending; none: the bodies can touch neither solids nor one another."""
    arrays: BodyStep
    """Arguments of the substep."""
    step: float
    """Duration of a substep [s]."""
    count: int
    """Number of substeps."""
    status: int = CONTACT_OK
    """Result, see STATUSES."""


class BodySteps:
    """The substeps of bodies in the present cycle: :meth:`plan`, :meth:`run` and :meth:`finish`.

    Args:
        bodies: The bodies.
    """

    def __init__(self, bodies: RigidBodies) -> None:
        self._bodies = bodies
        self._steps: list[WindowSteps] = []
        self._kept: dict[tuple[int, ...], WindowSteps] = {}
        """Those of the last cycle by the indices of the bodies."""
        self._window: dict[int, SoilWindow] = {}
        """Window of the present soil of each body that has one from the last cycle."""

    @property
    def planned(self) -> bool:
        """Whether any body takes substeps."""
        return bool(self._steps)

    @property
    def members(self) -> list[int]:
        """Indices of the bodies that take substeps."""
        return [n for each in self._steps for n in each.members]

    def plan(self, duration: float, awake: Sequence[int], asleep: Sequence[int] = ()) -> None:
        """Plan the substeps of bodies near the ground, a solid or another body; advance the other bodies.

        Args:
            duration: Time to advance [s].
            awake: Indices of the bodies, ascending.
            asleep: Indices of sleeping bodies, which wake if another body touches them.

        Raises:
            FloatingPointError: If a body is too fast.
        """
        b = self._bodies
        self._keep()
        self._steps = []
        if not len(awake):
            return
        rows = np.array(awake, dtype=np.int64)
        ways = largest_ways(b, rows, duration)
        reached = neighbors(b, rows, ways, np.array(asleep, dtype=np.int64), duration)
        if woken := sorted({*reached.tolist()}.difference(awake)):
            rows = np.sort(np.concatenate((rows, woken)))
            ways = largest_ways(b, rows, duration)
        _, near = solids_near(b, rows, ways)
        meets = near | np.isin(rows, reached, assume_unique=True)
        grounded = meets.copy()
        for k in np.flatnonzero(~grounded).tolist():
            grounded[k] = self._may_touch(int(rows[k]), float(ways[k]))
        if not grounded.all():
            self._fly(rows[~grounded].tolist(), duration)
            rows, ways, meets = rows[grounded], ways[grounded], meets[grounded]
        way_of = dict(zip(rows[meets].tolist(), ways[meets].tolist(), strict=True))
        prepare_cycle(b, rows)
        for box, members in joint_windows(rows, b.position, soil_margins(b, rows, ways), b.ground.grid.spacing):
            solids, meeting = None, [n for n in members if n in way_of]
            if meeting:
                solids, _ = solids_near(b, meeting, np.array([way_of[n] for n in meeting]))
            count = max(1, math.ceil(duration / float(b.substep[members].min()) - 1e-9))
            self._steps.append(self._window_steps(box, members, solids, duration / count, count))

    def _keep(self) -> None:
        """Find the windows of the last cycle that show the present soil."""
        b, last = self._bodies, self._steps
        self._kept = {tuple(each.members): each for each in last if b.ground.grid.refresh(each.window)}
        self._window = {n: each.window for each in self._kept.values() for n in each.members}

    def _may_touch(self, n: int, way: float) -> bool:
        """Return whether a body may touch the ground."""
        b = self._bodies
        reach, window = float(b.reach[n]), self._window.get(n)
        x, y, z = b.position[n].tolist()
        if window is not None and not _contains(window, _box(x, y, reach + way, window.spacing)):
            window = None
        return b.ground.grid.rises_above((x, y, reach, reach, z - reach, 0.0, 0.0), way, window)

    def _fly(self, rows: list[int], duration: float) -> None:
        """Advance bodies without contact."""
        b = self._bodies
        count = max(1, math.ceil(duration / b.section.substep_s - 1e-9))
        for n in rows:
            b.release(n)  # also discards what is kept of its state
            b.start[n, :3], b.start[n, 3:] = b.position[n], b.orientation[n]
            fly(b.arrays, n, duration / count, count, b.force_fields, b.wrench)

    def _window_steps(
        self, box: tuple[int, int, int, int], members: list[int], solids: Indices | None, step: float, count: int
    ) -> WindowSteps:
        """Return the substeps of some bodies, with the window and the arrays of the last cycle if they are valid."""
        b, kept = self._bodies, self._kept.get(tuple(members))
        if kept is None or not _contains(kept.window, box):
            i0, i1, j0, j1 = box
            more = WINDOW_CELLS
            window, kept = b.ground.grid.window(i0 - more, i1 + more, j0 - more, j1 + more), None
        else:
            window = kept.window
        make_beds(b, window, members)
        if kept is None or not _same(solids, kept.solids) or not b.contact.still_valid(kept.arrays.ground):
            return WindowSteps(members, window, solids, step_arrays(b, window, members, solids, count), step, count)
        if kept.count != count or kept.arrays.fields is not b.force_fields:
            kept.arrays = kept.arrays._replace(share=1.0 / count, fields=b.force_fields)
        if kept.arrays.first_own < 0:
            b.solid_contact.release(members)
        kept.step, kept.count, kept.status = step, count, CONTACT_OK
        return kept

    def run(self) -> None:
        """Take the substeps; another thread may do it."""
        run = self._bodies.loop
        for each in self._steps:
            each.status = run(each.arrays, each.step, each.count)

    def finish(self) -> NodeRecords:
        """Store the memory of the contacts after :meth:`run`; return the nodes of the soil that the bodies changed.

        Raises:
            FloatingPointError: If a body left the terrain.
        """
        b = self._bodies
        if not (np.isfinite(b.position[self.members]).all() and all(s.status == CONTACT_OK for s in self._steps)):
            for each in self._steps:
                check_bodies(b, each.status, each.members)
        for each in self._steps:
            b.contact.remember(each.window, each.arrays.ground)
        return NodeRecords.empty(b.ground.grid.law.names).joined([each.window.changed() for each in self._steps])

    def advance(self, duration: float, awake: Sequence[int]) -> NodeRecords:
        """Advance bodies; return the nodes of the soil that they changed.

        It is :meth:`plan`, :meth:`run` and :meth:`finish`.

        Args:
            duration: Time to advance [s].
            awake: Indices of the bodies, ascending.

        Raises:
            FloatingPointError: If a body is too fast or leaves the terrain.
        """
        self.plan(duration, awake)
        self.run()
        return self.finish()


def _same(a: Indices | None, b: Indices | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _box(x: float, y: float, reach: float, spacing: float) -> tuple[int, int, int, int]:
    """Return first row, end row, first column and end column of the nodes within reach of a position."""
    i0, j0 = math.floor((x - reach) / spacing), math.floor((y - reach) / spacing)
    return i0, math.ceil((x + reach) / spacing) + 1, j0, math.ceil((y + reach) / spacing) + 1


def _contains(window: SoilWindow, box: tuple[int, int, int, int]) -> bool:
    """Return whether a window contains the nodes of a box."""
    (ni, nj), (i0, i1, j0, j1) = window.shape, box
    return window.i0 <= i0 and i1 <= window.i0 + ni and window.j0 <= j0 and j1 <= window.j0 + nj


def prepare_cycle(bodies: RigidBodies, members: Sequence[int] | Indices) -> None:
    """Store the poses of bodies at the start of a cycle, and discard what is known of the last one."""
    rows = np.array(members, dtype=np.int64)
    awake = rows[bodies.awake[rows]]
    bodies.changed(awake.tolist())
    bodies.contact_force[awake] = 0.0
    bodies.arrays.touching[rows] = 0
    bodies.start[rows, :3], bodies.start[rows, 3:] = bodies.position[rows], bodies.orientation[rows]


def make_beds(bodies: RigidBodies, window: SoilWindow, members: Sequence[int]) -> None:
    """Give the soil the shape of the undersides of rocks that lie in it, before they move for the first time.

    The soil below carries the weight of the rock. Its surface is the underside, so a rock that is pushed away leaves
    its hole. No mass moves.
    """
    for n in members:
        if not bodies.in_bed[n]:
            continue
        bodies.changed([n])
        turn, position, geometry = rotation.matrix(bodies.orientation[n]), bodies.position[n], bodies.geometry
        first, end = geometry.first_triangle[n], geometry.first_triangle[n + 1]
        planes = geometry.planes[first:end].copy()
        planes[:, :3] = portable_math.times(planes[:, :3], turn.T)
        planes[:, 3] += portable_math.times(planes[:, :3], position)
        bodies.contact.make_bed(window, n, position, turn, planes, float(bodies.weight[n]))
        # The change of the soil must not wake the rock.
        bodies.in_bed[n], bodies.footprint[n] = False, np.nan


def step_arrays(
    bodies: RigidBodies,
    window: SoilWindow,
    members: Sequence[int],
    numbers: Indices | None,
    count: int,
    first_solid: int = -1,
    geometry: BodyGeometry = NO_GEOMETRY,
) -> BodyStep:
    """Return the arguments of the substep of bodies (:mod:`regolith_terrain.bodies.substep`) for a cycle.

    Args:
        bodies: The bodies.
        window: Soil of the cycle.
        members: Indices of the bodies, ascending.
        numbers: Numbers of the static solids nearby, ascending; none: the bodies can touch neither solids nor one
            another.
        count: Number of substeps.
        first_solid: Index of the first member among the solids near a vehicle; -1: no vehicle.
        geometry: Polyhedra of the bodies for a vehicle.
    """
    solids, first_own = NO_SOLIDS, -1
    if numbers is not None and (len(members) > 1 or len(numbers)):
        first_own, geometry = len(numbers), bodies.geometry
        own = partial(as_solids, bodies, members)
        solids = bodies.solid_contact.arrays(numbers, bodies.arrays.mobility, own)
        solids = solids._replace(moving=solids.moving._replace(done=bodies.arrays.done))
    else:
        bodies.solid_contact.release(members)
    return BodyStep(
        bodies.arrays,
        np.array(members, dtype=np.int64),
        1.0 / count,
        first_solid,
        first_own,
        geometry,
        bodies.contact.arrays_of(window, members),
        solids,
        bodies.force_fields,
        bodies.pose,
        bodies.wrench,
    )


def as_solids(bodies: RigidBodies, members: Sequence[int], near: NearbySolids) -> tuple[NearbySolids, MovingSolids]:
    """Return static solids with bodies behind them."""
    rows, static = list(members), np.full(len(near.number), -1, dtype=np.int64)
    moving = bodies.moving._replace(row=np.concatenate((static, np.array(rows, dtype=np.int64))), done=NOT_BODIES)
    return with_bodies(near, bodies.geometry, rows, bodies.numbers[rows].tolist(), bodies.friction[rows]), moving


def check_bodies(bodies: RigidBodies, status: int, members: Sequence[int]) -> None:
    """Check the result of the substeps of some bodies.

    Raises:
        FloatingPointError: If the status is that of a body that left its soil window, or a position is not finite.
    """
    position: Floats = bodies.position[list(members)]
    lost = ~np.isfinite(position).all(axis=1)
    if status != CONTACT_OK or lost.any():
        n = members[int(np.argmax(lost))] if lost.any() else status // STATUSES
        raise FloatingPointError(
            f'{bodies.names[n]} at {bodies.position[n].tolist()} m leaves its soil window '
            f'(status {status % STATUSES}); allowed: on the terrain, and accelerations up to '
            f'{MARGIN_ACCELERATION:g} m/s^2'
        )
