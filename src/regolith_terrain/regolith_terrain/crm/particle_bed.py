# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bed of soil particles between walls and bodies, and its steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm.arrays import (
    COLUMNS,
    FLUID,
    MARKER,
    MEMORY,
    PRECONSOLIDATION,
    SOIL,
    SPECIFIC,
    XX,
    YY,
    YZ,
    ZX,
    ZZ,
    BoundaryBodies,
    Bytes,
    Floats,
    Material,
    Neighbors,
    Rows,
    Scheme,
    X,
    Y,
    Z,
    make_bodies,
)
from regolith_terrain.crm.boundary_step import extrapolate_to_markers, forces_on_markers, place_markers, sum_forces
from regolith_terrain.crm.fluid import Fluid
from regolith_terrain.crm.fluid_step import diffuse_pressure
from regolith_terrain.crm.neighbor_search import (
    NO_ROOM,
    TOO_DENSE,
    columns_around,
    find_cells,
    list_neighbors,
    sorted_rows,
)
from regolith_terrain.crm.soil import Discretization, ParticleSoil
from regolith_terrain.crm.soil_step import ACCELERATION, APPROACH, BAND, LIMITS, ROOM, SPEED, advance_soil
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields
from regolith_world.numerics import parallel_ranges, portable_math

SKIN = 0.1
"""Fraction by which neighbor lists extend beyond the kernel's reach, so they last for some steps."""


class EvolvingParticles(NamedTuple):
    """Rows of the particles of a bed."""

    particles: Floats
    """Position, velocity and stress, shape (n, COLUMNS)."""
    memory: Floats
    """Memory of the soil, shape (n, MEMORY), or (0, MEMORY)."""
    kind: Bytes
    """SOIL or MARKER, shape (n,)."""
    label: Rows
    """Numbers of the particles, shape (n,)."""


class ParticleBed(Saved):
    """Soil in a box of walls, with bodies in it.

    A step is one of the midpoint rule. Bodies have the poses of :attr:`bodies` at its start and move with their twists.
    The forces of soil on them during the step are then in :attr:`force` and :attr:`torque`.
    """

    STATE = StateLayout(
        'a bed',
        StateField('sizes', '<i8', same=True),
        *state_fields('d', 't', '_top'),
        StateField('_limits', '<f8', shared=True),
        *state_fields('<f8', 'evolving.particles', 'evolving.memory', shared=True),
        StateField('evolving.kind', '|u1', shared=True),
        StateField('evolving.label', '<i4', shared=True),
    )

    def __init__(
        self,
        soil: ParticleSoil | Fluid,
        settings: Discretization,
        gravity: tuple[float, float, float],
        places: Floats,
        local: Floats,
        body: Rows,
        bodies: BoundaryBodies | None = None,
        workers: int = 1,
        period: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Create a bed at rest.

        Args:
            soil: Soil of the bed, or a fluid.
            settings: Discretization of the soil.
            gravity: Gravity [m/s^2].
            places: Positions of the soil particles [m], shape (n, 3).
            local: Positions of markers in their bodies' frames [m], shape (m, 3).
            body: Body of each marker, 0 is the world, shape (m,).
            bodies: Poses and twists of the bodies; none: at rest at the origin.
            workers: Number of threads.
            period: Periods along x and y from 0 on [m], 0 without periodicity.
        """
        n, m = len(places), len(local)
        self._count = n + m
        self.soil, self.settings, self.workers = soil, settings, workers
        self.material: Material = soil.material()
        self.scheme: Scheme = settings.scheme(self.material)
        self.gravity, self.period = np.array(gravity, dtype=np.float64), np.array(period, dtype=np.float64)
        self.local, self.body = np.ascontiguousarray(local, dtype=np.float64), body.astype(np.int32)
        self.bodies = bodies if bodies is not None else make_bodies(int(body.max(initial=0)) + 1)
        self.particles = np.zeros((n + m, COLUMNS))
        self.particles[:n, :3] = places
        self.kind: Bytes = np.zeros(n + m, np.uint8)
        self.kind[n:] = MARKER
        self.label: Rows = np.concatenate((np.arange(n), np.arange(m))).astype(np.int32)
        self._twin = np.empty_like(self.particles)
        self.memory = np.zeros((n + m if soil.law == 'cam_clay' else 0, MEMORY))
        self._twin_memory = np.empty_like(self.memory)
        count = len(self.bodies.center)
        far = np.linalg.norm(self.local, axis=1)
        self._radius = np.array([float(far[self.body == k].max(initial=0.0)) for k in range(count)])
        self.force, self.torque = np.zeros((count, 3)), np.zeros((count, 3))
        self._on_markers = np.zeros((m, 3))
        bands = -(-(n + m) // BAND)
        self._limits, self._rooms = np.zeros((bands, LIMITS)), np.empty((bands, ROOM))
        self.boxes: Floats | None = None
        """Boxes of moving soil, lower and upper corner [m], shape (k, 6); soil that still flows outside them also
        moves. None: all soil moves."""
        self._near: Neighbors | None = None
        self._room = 128  # bytes of a list: number of neighbors with a margin
        self._moved = math.inf  # no lists yet
        self._top = 0.0
        self.rebuilds = 0
        self.still = 1e-2
        """Speed below which soil outside the boxes freezes [m/s]."""
        self.t = 0.0

    @property
    def reach(self) -> float:
        """Distance to which neighbors are listed [m]."""
        return 2.0 * self.scheme.length * (1.0 + SKIN)

    @property
    def soil_count(self) -> int:
        """Number of soil particles."""
        return int(np.count_nonzero(self._are(SOIL)))

    @property
    def mean_neighbors(self) -> float:
        """Mean length of the lists of moving soil; they extend slightly beyond the kernel's reach."""
        assert self._near is not None
        place, count = self._near.begin[self._soil], 0.0
        for _ in range(9):
            found = self._near.offsets[place].astype(np.int64)
            count += float(found.mean())
            place = place + 1 + found
        return count

    @property
    def nbytes(self) -> int:
        """Size of all arrays [B]."""
        arrays: list[NDArray[Any]] = [self.particles, self._twin, self.memory, self._twin_memory, self.kind, self.label]
        arrays += [self.local, self.body, self._rooms]
        if self._near is not None:
            arrays += [self._soil, self._markers, self._listed]
            arrays += [part for part in self._near if isinstance(part, np.ndarray)]
        return sum(array.nbytes for array in arrays)

    def _are(self, kind: int) -> NDArray[np.bool_]:
        """Return which rows are of a kind; images, with labels below 0, are of none."""
        found: NDArray[np.bool_] = (self.kind == kind) & (self.label >= 0)
        return found

    def soil_rows(self) -> NDArray[np.int64]:
        """Return the rows of soil in the order of their labels."""
        rows = np.nonzero(self._are(SOIL))[0]
        return rows[np.argsort(self.label[rows])]

    @property
    def moving_count(self) -> int:
        """Number of moving soil particles."""
        return len(self._soil)

    def moving_places(self) -> Floats:
        """Return the positions of the moving soil [m], shape (n, 3)."""
        return self.particles[self._soil, :3]

    def moving_rows(self) -> Rows:
        """Return the rows of the moving soil, shape (n,)."""
        return self._soil

    def moving_labels(self) -> Rows:
        """Return the labels of the moving soil particles, their initial order, shape (n,)."""
        return self.label[self._soil]

    def take_soil(self, other: ParticleBed) -> None:
        """Continue with the soil of another bed of the same size, among other bodies; call before the first sort."""
        rows = other.soil_rows()
        self.particles[: len(rows)] = other.particles[rows]
        if len(self.memory):
            self.memory[: len(rows)] = other.memory[rows]
        self.t, self._top = other.t, other._top
        self._limits[0] = other._limits.max(axis=0)

    def reset_limits(self) -> None:
        """Reset the step limits of bands whose soil no longer moves; later steps may use fewer bands."""
        self._limits[0] = self._limits.max(axis=0)
        self._limits[1:] = 0.0

    def lay_at_rest(self, top: float | Floats) -> None:
        """Set the stress of soil at rest under its own weight, as an elastic layer with a free surface at z = top.

        Before any motion ``top`` may be the surface height above each particle [m], shape (n,).

        Vertical stress is the weight above. Lateral stress is nu / (1 - nu) of it, all of it in a fluid. Shear balances
        gravity along the layer. The preconsolidation pressure of Cam Clay is that of the soil, at least the present
        pressure.
        """
        rows = self._are(SOIL)
        weight = self.material.density * (top - self.particles[rows, Z])
        k, g = self.material.bulk_modulus, self.material.shear_modulus
        lateral = (3.0 * k - 2.0 * g) / (3.0 * k + 4.0 * g)  # nu / (1 - nu)
        self.particles[rows, ZZ] = self.gravity[2] * weight
        self.particles[rows, XX] = self.particles[rows, YY] = lateral * self.gravity[2] * weight
        self.particles[rows, YZ] = self.gravity[1] * weight
        self.particles[rows, ZX] = self.gravity[0] * weight
        if len(self.memory) and not isinstance(self.soil, Fluid):
            pressure = np.maximum(-self.particles[rows, XX : ZZ + 1].sum(axis=1) / 3.0, 1.0)
            borne = np.maximum(self.soil.preconsolidation_pressure_pa, 1.5 * pressure)
            self.memory[rows, PRECONSOLIDATION] = borne
            self.memory[rows, SPECIFIC] = (
                self.soil.specific_volume
                - self.soil.compression_index * portable_math.each(math.log, borne / 1e3)
                + self.soil.swelling_index * portable_math.each(math.log, borne / pressure)
            )

    def sort(self) -> None:
        """Sort particles by cell and list their neighbors."""
        self.rebuilds += 1
        markers = np.nonzero(self._are(MARKER))[0].astype(np.int32)
        place_markers(0, len(markers), self.particles, markers, self.label, self.body, self.local, self.bodies, 0.0)
        self._complete()
        along = [self.particles[:, axis] for axis in (X, Y, Z)]  # one by one: NumPy is slow across columns
        low, edges, size = self._cells(np.array([x.min() for x in along]), np.array([x.max() for x in along]))
        for axis in np.nonzero(self.period)[0]:
            self.particles[:, axis] %= self.period[axis]
        n = len(self.particles)
        cell = np.empty(n, np.int64)
        find_cells(self.particles, low, edges, size, cell)
        first = np.zeros(int(np.prod(size)) + 1, np.int32)
        order = np.empty(n, np.int32)
        sorted_rows(cell, first, order)
        np.take(self.particles, order, axis=0, out=self._twin)
        self.particles, self._twin = self._twin, self.particles
        if len(self.memory):
            self.memory = self.memory[order]
            self._twin_memory = self.memory.copy()
        self.kind, self.label, cell = self.kind[order], self.label[order], cell[order]
        moves = self._moving(cell, size)
        self._soil = np.nonzero(moves & self._are(SOIL))[0].astype(np.int32)
        self._markers = np.nonzero(moves & self._are(MARKER))[0].astype(np.int32)
        rows = self._listed = np.nonzero(moves)[0].astype(np.int32)
        around, shift = columns_around(size, self.period)
        near = Neighbors(np.zeros(1, np.uint8), np.zeros(n, np.int64), cell, first, around, shift, int(size[2]))
        while True:
            near = near._replace(offsets=np.empty(max(1, self._room * len(rows)), np.uint8))
            found = self._banded(
                list_neighbors, len(rows), self.particles, self.kind, near, rows, self.reach, self._room
            )
            if TOO_DENSE in found:
                raise FloatingPointError('soil is packed too densely')
            if NO_ROOM not in found:
                break
            self._room += self._room // 2
        self._near = near
        self._twin[:] = self.particles
        self._moved = 0.0

    def _complete(self) -> None:
        """Append rows that are only read by others; none here."""

    def _cells(self, low: Floats, high: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Return lower corner of the cells for a range of positions, edges of a cell [m], and numbers of cells.

        Args:
            low: Smallest coordinates [m], shape (3,).
            high: Largest coordinates [m], shape (3,).

        Raises:
            FloatingPointError: If there are more cells than a coherent soil can have.
        """
        edge = self.reach
        low = low - edge
        size = np.floor((high - low) / edge) + 2.0
        edges = np.full(3, edge)
        for axis in np.nonzero(self.period)[0]:
            low[axis], size[axis] = 0.0, int(self.period[axis] / edge)
            edges[axis] = self.period[axis] / size[axis]
        if not (np.isfinite(high - low).all() and np.prod(size) <= 1e9):
            raise FloatingPointError('soil particles are scattered too far: the simulation diverges')
        return low, edges, size.astype(np.int64)

    def _moving(self, cell: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the rows that participate in steps, moving soil and markers in the cells around it; freeze the
        rest.
        """
        if self.boxes is None:
            return self.label >= 0
        place, soil = self.particles[:, :3], self._are(SOIL)
        inside = np.zeros(len(cell), np.bool_)
        for box in self.boxes:
            inside |= ((place >= box[:3]) & (place <= box[3:])).all(axis=1)
        velocity = self.particles[:, 3:6]
        inside |= np.einsum('ij,ij->i', velocity, velocity) > self.still**2
        inside &= soil
        velocity[soil & ~inside] = 0.0
        busy = np.zeros(tuple(int(v) for v in size), np.bool_)
        busy.reshape(-1)[cell[inside]] = True
        for axis in range(3):
            busy = busy | np.roll(busy, 1, axis) | np.roll(busy, -1, axis)
        moving: NDArray[np.bool_] = inside | (self._are(MARKER) & busy.reshape(-1)[cell])
        return moving

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of particles, and of those with a memory of their soil, shape (2,)."""
        return np.array([self._count, min(self._count, len(self.memory))])

    @property
    def evolving(self) -> EvolvingParticles:
        """Particles without images, which follow from other rows; written to after :meth:`load` has dropped these."""
        n = self._count
        own = self.label >= 0 if (self.label[n:] >= 0).any() else slice(n)
        memory = self.memory[own] if len(self.memory) else self.memory
        return EvolvingParticles(self.particles[own], memory, self.kind[own], self.label[own])

    def save(self) -> bytes:
        """Return the complete state of the soil, without the poses of bodies.

        A restored bed continues bit-identically to one that was saved right after :meth:`sort`.
        """
        return super().save()

    def load(self, blob: bytes) -> None:
        """Restore the result of :meth:`save`.

        Raises:
            ValueError: If the state is of another bed.
        """
        self.label[: self._count], self.label[self._count :] = 0, -1  # images are created again
        super().load(blob)
        self.sort()

    def largest_step(self) -> float:
        """Return the largest step allowed by the speeds and accelerations of the last one [s].

        Source: monaghan1992.
        Checked by: test_crm_flow.py::test_crm_step_size_decreases_with_speed_and_acceleration.
        """
        h = self.scheme.length
        approach = float(self._limits[:, APPROACH].max(initial=0.0))
        acceleration = float(self._limits[:, ACCELERATION].max(initial=0.0))
        dt = h / (self.scheme.sound_speed + approach)
        if acceleration > 0.0:
            dt = min(dt, math.sqrt(h / acceleration))
        return self.settings.courant_number * dt

    def step(self, dt: float) -> None:
        """Advance the bed by a step [s]."""
        if 2.0 * (self._moved + self._top * dt) > SKIN * 2.0 * self.scheme.length:
            self.sort()
        self._evaluate(dt)
        speed = float(self._limits[:, SPEED].max(initial=0.0))
        if not math.isfinite(speed):
            raise FloatingPointError(f'soil diverges at {self.t} s')
        fastest = max(speed, self._marker_speed())
        self._top = 1.2 * fastest
        self._moved += fastest * dt
        self.t += dt

    def _evaluate(self, dt: float) -> None:
        """Compute both halves of a step."""
        for old, now, new, after, ahead, part in (
            (self.particles, self.particles, self._twin, self._twin_memory, 0.0, 0.5 * dt),
            (self.particles, self._twin, self.particles, self.memory, 0.5 * dt, dt),
        ):
            self._markers_at(now, ahead)
            if now is self._twin:
                self._forces(now)
            self._banded(
                advance_soil,
                len(self._soil),
                old,
                now,
                new,
                self.memory,
                after,
                self.kind,
                self._near,
                self._soil,
                part,
                self.gravity,
                self.material,
                self.scheme,
                self._limits,
                self._rooms,
            )
            if self.material.law == FLUID:
                self._banded(
                    diffuse_pressure,
                    len(self._soil),
                    now,
                    new,
                    self._near,
                    self._soil,
                    part,
                    self.gravity,
                    self.material,
                    self.scheme,
                )

    def _marker_speed(self) -> float:
        """Return an upper bound of the speed of markers [m/s]."""
        b = self.bodies
        return float((np.linalg.norm(b.velocity, axis=1) + self._radius * np.linalg.norm(b.spin, axis=1)).max())

    def _banded(self, kernel: Callable[..., Any], count: int, *arguments: Any) -> list[Any]:
        """Return the results of a kernel for bands of rows."""
        return parallel_ranges.run_in_ranges(self.workers, kernel, count, BAND, *arguments)

    def _markers_at(self, particles: Floats, ahead: float) -> None:
        n = len(self._markers)
        place_markers(0, n, particles, self._markers, self.label, self.body, self.local, self.bodies, ahead)
        self._banded(
            extrapolate_to_markers,
            n,
            particles,
            self._near,
            self._markers,
            self.label,
            self.body,
            self.bodies,
            self.gravity,
            self.material,
            self.scheme,
        )

    def _forces(self, particles: Floats) -> None:
        self._banded(
            forces_on_markers,
            len(self._markers),
            particles,
            self._near,
            self._markers,
            self.label,
            self.material,
            self.scheme,
            self._on_markers,
        )
        sum_forces(self._on_markers, self.body, self.local, self.bodies, self.force, self.torque)
