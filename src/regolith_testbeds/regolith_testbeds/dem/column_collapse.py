# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Column of grains in a tube that is lifted or removed: the testbed of the angle of repose."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.beds import Grains
from regolith_testbeds.dem.bodies import Body, plane, tube
from regolith_testbeds.dem.packing import attitudes, lattice, settle
from regolith_testbeds.heap_measurement import Heap, SoilColumn
from regolith_testbeds.resumable_runs import Part, packed, unpacked

_TUBE_FRICTION = 0.1
"""Friction coefficient of a smooth tube, which lifts few grains."""
_AT_REST = 1e-3
"""Fraction of the largest kinetic energy below which the heap is at rest."""
_FILLED, _BLOCK_S = 0.35, 0.01


class DemCollapse:
    """A column of grains that collapses to a heap; filling the tube is its first advance.

    It is a :class:`regolith_testbeds.resumable_runs.ResumableRun`.
    """

    def __init__(self, column: SoilColumn, grains: Grains, count: int, seed: int, threads: int) -> None:
        """Place the grains above one another."""
        self._column, self._grains = column, grains
        scale = grains.scales(seed, 'grain', count)
        rim = float(scale.max())

        def inside(places: Floats) -> Floats:
            return np.asarray(np.hypot(places[:, 0], places[:, 1]) < column.radius - 1.05 * rim)

        place = lattice(seed, 'grain', count, rim, inside, 0.0, column.radius)
        material = grains.material()
        self._tall = float(np.ptp(place[:, 2])) + 2.0 * rim
        # A rough floor also resists rolling, like a layer of glued grains.
        rough = material.model_copy(
            update={'friction': column.floor_friction, 'rolling_resistance': column.floor_friction}
        )
        floor = Body((plane((0.0, 0.0, 1.0)),), rough)
        sleek = material.model_copy(update={'friction': _TUBE_FRICTION, 'rolling_resistance': 0.0})
        container = Body((tube(column.radius, self._tall),), sleek, place=(0.0, 0.0, 0.5 * self._tall))
        self.assembly = Assembly(
            place,
            scale,
            material,
            bodies=[floor, container],
            gravity=(0.0, 0.0, -column.gravity),
            shape=grains.clump(),
            turn=attitudes(seed, 'grain', count),
            threads=threads,
        )
        self._steps = max(1, round(_BLOCK_S * math.sqrt(9.81 / column.gravity) / self.assembly.dt))
        self._top: float | None = None
        self._begin = 0.0
        self._energies: list[tuple[float, float]] = []

    @property
    def part(self) -> float:
        """Completed fraction."""
        if self._top is None:
            return 0.0
        return _FILLED + (1.0 - _FILLED) * len(self._energies) / self._blocks

    @property
    def _blocks(self) -> int:
        """Number of samples of the fall."""
        assert self._top is not None
        column = self._column
        up = self._top / column.lift if column.lift is not None else 0.0
        seconds = up + 6.0 * math.sqrt(self._top / column.gravity)
        return math.ceil(seconds / (self._steps * self.assembly.dt))

    def advance(self, tick: Part) -> None:
        """Let the grains settle in the tube and release them, or advance by one sample."""
        a, column = self.assembly, self._column
        if self._top is not None:
            a.advance(self._steps)
            self._energies.append((a.time - self._begin, a.kinetic_energy))
            return
        fall = math.sqrt(2.0 * column.height / column.gravity)
        slow = 0.02 * math.sqrt(column.gravity * self._grains.radius_m)
        settle(a, 4.0 * fall, lambda part: tick(_FILLED * part), fast=slow)
        self._top, self._begin = _column_height(a.grains.place), a.time
        a.reset_overlap()
        if column.lift is not None:
            a.bodies.velocity[1, 2] = column.lift
        else:
            a.put_body(1, (0.0, 0.0, 100.0 * self._tall))

    def heap(self) -> Heap:
        """Return the heap."""
        a, grains = self.assembly, self._grains
        assert self._top is not None
        moving = np.array(self._energies)
        fast = np.flatnonzero(moving[:, 1] > _AT_REST * moving[:, 1].max())
        solid = a.grains.mass / grains.density_kgpm3
        bulk = math.pi * self._column.radius**2 * self._top / solid.sum()
        return Heap(
            place=a.grains.place.copy(),
            volume=solid * bulk,
            element_m=2.0 * grains.radius_m,
            column_m=self._top,
            settled_s=float(moving[fast[-1], 0]),
            largest_overlap=a.largest_overlap,
            step_s=a.dt,
        )

    def save(self) -> bytes:
        """Return the complete state; before the grains have settled nothing is needed."""
        if self._top is None:
            return b''
        energies = np.array(self._energies).reshape(-1, 2)
        return packed(top=self._top, begin=self._begin, energies=energies, assembly=self.assembly.save())

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save`.

        Raises:
            ValueError: If the state is of another column.
        """
        found = unpacked(saved)
        self._top, self._begin = float(found['top']), float(found['begin'])
        self._energies = [(float(t), float(e)) for t, e in found['energies']]
        self.assembly.load(found['assembly'].tobytes())


def _column_height(place: Floats) -> float:
    """Return the height of a uniform column from the mean height of its elements [m]."""
    return 2.0 * float(place[:, 2].mean())
