# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of flexible tires with SCM soil.

In each substep the belt (:mod:`regolith_vehicles.tires.ring`) is brought to balance with the pressure that the soil
would have below it. Then the soil is pressed by the deflected rim, with the contact of all other wheels. Balance is
found by Newton's method: the stiffness of the soil at a point is in the matrix of the belt, so the step has no limit of
its own.

Where nodes are farther apart than points, the deflection that the soil touches is the mean over a spacing, and a node
acts on all points within a spacing. Otherwise points between two nodes would have no load.

Limits: shear and damping of the soil do not deflect the belt. The belt does not move along the rim: the soil shears by
more than a tire. Slip-sinkage transports soil as below a round wheel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import RING_START, ContactSetting, GroundContact, PartPose, StepLimit, Wrench
from regolith_terrain.grid import Floats, SoilWindow
from regolith_terrain.scm import NODE_ROWS, ScmArrays, ScmContact, nodes_below, place_nodes, ring_load
from regolith_terrain.scm import press as press_soil
from regolith_vehicles.tires.constants import Records
from regolith_vehicles.tires.ring import WORK_ROWS, arc_length, solve_belt
from regolith_vehicles.tires.ring_contact import RingSet
from regolith_vehicles.tires.tire import Tire
from regolith_world.cycle import Saved, StateField, StateLayout
from regolith_world.numerics import kernel

_LOAD, _STIFFNESS, _SUM, _RIM, _NEW, ROWS = range(6)
"""Rows of the work array: load, stiffness, their means, deflections that the soil touches, new deflections."""
ITERATIONS = 20
"""Maximum number of iterations of the balance."""
_SETTLED = 2e-6
"""Change of all deflections at which the iteration ends [m]."""
_PLACED = 3e-3
"""Sum of the changes in a step after which nodes are placed on the rim again [m]; up to it, the rim rises linearly."""


class SoilRingArrays(NamedTuple):
    """Arguments of :func:`press`."""

    scm: ScmArrays
    """Arguments of the contact with soil."""
    rings: Records
    """Parameters of the rings, records of RING_RECORD, shape (n,)."""
    which: NDArray[np.int64]
    """Row of ``rings`` for each part, -1: none."""
    deflection: Floats
    """In/out: deflections of each ring [m], shape (n, points)."""
    work: Floats
    """Work array, shape (ROWS + WORK_ROWS, points)."""
    nodes: Floats
    """Work array for nodes, shape (NODE_ROWS, cells)."""


@kernel(views_only=True)
def press(arrays: SoilRingArrays, step: float, part: int, pose: PartPose, wrench: Wrench) -> int:
    """Press a part into the soil for one substep; see :mod:`regolith_terrain.contact.ground_contact`.

    Source: gipser2005.
    Checked by: test_ring_soil.py::test_bekker_table_of_flexible_wheels,
    test_ring_soil.py::test_stiff_ring_presses_as_a_cylinder.
    """
    ring = arrays.which[part]
    if ring >= 0:
        _balance(arrays, step, part, arrays.rings[ring], arrays.deflection[ring], pose)
    status: int = press_soil(arrays.scm, step, part, pose, wrench)
    return status


@kernel(views_only=True)
def _mean(values: Floats, points: int, spread: float, out: Floats) -> None:
    """Write the mean over ``spread`` distances of points around each point."""
    half = 0.5 * (spread - 1.0)
    whole = int(half)
    share, inverse = half - whole, 1.0 / spread
    first, last = points - whole - 1, whole + 1  # beside the points that count whole
    total = 0.0
    for k in range(-whole, whole + 1):
        total += values[k if k >= 0 else k + points]
    for k in range(points):
        out[k] = (total + share * (values[first] + values[last])) * inverse
        leaving = first + 1 if first + 1 < points else 0
        total += values[last] - values[leaving]
        first = leaving
        last = last + 1 if last + 1 < points else 0


@kernel(views_only=True)
def _balance(arrays: SoilRingArrays, step: float, part: int, p: Any, deflection: Floats, pose: PartPose) -> None:
    """Advance the deflections of a ring by a step, and write them and their rates to the profile of its shape.

    Args:
        arrays: Arguments of the contact.
        step: Step [s].
        part: Index of the part.
        p: Parameters of the ring, a record of RING_RECORD.
        deflection: In/out: deflections [m], shape (points,).
        pose: Pose of the part.
    """
    scm, work, nodes = arrays.scm, arrays.work, arrays.nodes
    size, spacing, n = scm.shapes.size[part], scm.ground.spacing, p.points
    start = int(size[RING_START])
    profile = scm.shapes.profile
    count = nodes_below(scm.ground, scm.soils, size, pose.center, pose.rotation, nodes)
    bent = False
    for k in range(n):
        bent = bent or deflection[k] != 0.0
        work[_NEW, k] = deflection[k]
    if count == 0 and not bent:
        for k in range(start, start + n):
            profile[0, k] = profile[1, k] = 0.0
        return
    arc = arc_length(p)
    spread = 2.0 * max(1.0, spacing / arc)
    pressing, moved = count, math.inf
    for _ in range(ITERATIONS):
        _mean(work[_NEW], n, spread, work[_RIM])
        if moved > _PLACED:
            place_nodes(size, work[_RIM], pose.rotation, nodes, count)
            moved = 0.0
        for k in range(n):
            work[_LOAD, k] = work[_STIFFNESS, k] = 0.0
        length = max(pressing, 1) * spacing * spacing / p.width
        pressing, changed = ring_load(
            scm.soils,
            spacing,
            work[_RIM],
            nodes,
            count,
            1.0 / length + 1.0 / p.width,
            work[_LOAD],
            work[_STIFFNESS],
        )
        _mean(work[_LOAD], n, spread, work[_SUM])
        _mean(work[_STIFFNESS], n, spread, work[_LOAD])
        for k in range(n):
            w, hard = work[_NEW, k], work[_LOAD, k] / arc
            work[_STIFFNESS, k] = hard
            work[_LOAD, k] = work[_SUM, k] / arc + hard * w
            if w > p.rim_depth:  # the rim is below the belt
                work[_STIFFNESS, k] += p.tread
                work[_LOAD, k] += p.tread * p.rim_depth
            work[_SUM, k] = w
        solve_belt(p, step, work[_LOAD], work[_STIFFNESS], deflection, work[ROWS:], work[_NEW])
        change = 0.0
        for k in range(n):
            change = max(change, abs(work[_NEW, k] - work[_SUM, k]))
        moved += change
        if change < _SETTLED and changed == 0:
            break
    _mean(work[_NEW], n, spread, work[_RIM])
    for k in range(n):
        work[_SUM, k] = (work[_NEW, k] - deflection[k]) / step
        deflection[k] = work[_NEW, k] if abs(work[_NEW, k]) > 1e-12 else 0.0
        profile[0, start + k] = work[_RIM, k]
    _mean(work[_SUM], n, spread, work[_RIM])
    for k in range(n):
        profile[1, start + k] = work[_RIM, k]


class SoilRingContact(GroundContact):
    """Contact of rings and rigid parts with SCM soil; it contains the memory of both."""

    STATE = StateLayout('soil rings', StateField('_deflection', '<f8', shared=True), StateField('_scm', Saved))
    press = staticmethod(press)

    def __init__(self, setting: ContactSetting, tires: Mapping[int, Tire]) -> None:
        """Make the contact.

        Args:
            setting: Settings of the ground contact; the shapes of rings are flexible cylinders.
            tires: Tires by the index of their part, at least one of type ring.

        Raises:
            ValueError: If the soil is in reference mode.
        """
        super().__init__(setting)
        self._scm = ScmContact(setting)
        if setting.mode != 'regolith':
            raise ValueError("tire of type ring in soil mode 'reference'; allowed: regolith")
        self.margin_cells, self.feels_above_m = self._scm.margin_cells, self._scm.feels_above_m
        self._rings = RingSet(self.parts, tires)
        self._deflection = np.zeros((len(self._rings.configs), self._rings.points))
        self._work = np.zeros((ROWS + WORK_ROWS, self._rings.points))
        side = 2 * int(np.ceil(float(setting.reach.max()) / setting.spacing)) + 2
        self._nodes = np.zeros((NODE_ROWS, side * side))

    def arrays(self, window: SoilWindow, active: int) -> SoilRingArrays:
        """Return the arguments of :func:`press`; they hold the shear of the cycle until :meth:`remember`."""
        self._rings.clear_idle(self._deflection, active)
        scm = self._scm.arrays(window, active)
        return SoilRingArrays(scm, self._rings.records, self._rings.which, self._deflection, self._work, self._nodes)

    def remember(self, window: SoilWindow, arrays: SoilRingArrays) -> None:
        """Store the shear memory from the arrays."""
        self._scm.remember(window, arrays.scm)

    def step_limit(self, mass: float, area: float) -> StepLimit:
        """Return the step limit of the soil [s]; rings only reduce the stiffness."""
        return self._scm.step_limit(mass, area)

    def reset(self) -> None:
        """Reset all shear and deflections."""
        self._scm.reset()
        self._deflection[:] = 0.0
