# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bed of soil particles on a device of Warp."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from regolith_terrain.crm.arrays import COLUMNS, MARKER, MEMORY, SOIL, BoundaryBodies, Floats, Rows
from regolith_terrain.crm.boundary_step import sum_forces
from regolith_terrain.crm.device import cells, step, structs
from regolith_terrain.crm.fluid import Fluid
from regolith_terrain.crm.neighbor_search import MOST
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization, ParticleSoil
from regolith_terrain.crm.soil_step import BAND, LIMITS

_SHARED = ('particles', 'memory', 'kind', 'label')


class _Shared:
    """An array of a bed that is on the device during steps, and copied to the host on access."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, bed: DeviceBed | None, owner: type) -> Any:
        if bed is None:
            return self
        bed.to_host()
        return bed.host[self._name]

    def __set__(self, bed: DeviceBed, value: Any) -> None:
        bed.to_host()
        bed.host[self._name] = value


class DeviceBed(ParticleBed):
    """Bed of particles on a device.

    Particles, their memory, kinds and labels are copied to the host on access, and back before the next step with their
    changes. So access them between steps, and again after each step. All computation is on the device, including
    sorting, except the sum of forces on bodies, which is that of the host. One device gives bit-identical results each
    time. Another device, or the host, gives others: a step differs by rounding.
    """

    particles = _Shared()  # type: ignore[assignment]
    memory = _Shared()  # type: ignore[assignment]
    kind = _Shared()  # type: ignore[assignment]
    label = _Shared()  # type: ignore[assignment]

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
        device: str = 'cuda',
    ) -> None:
        """Create a bed at rest; other arguments are those of :class:`regolith_terrain.crm.particle_bed.ParticleBed`.

        Args:
            soil: Soil of the bed.
            settings: Discretization of the soil.
            gravity: Gravity [m/s^2].
            places: Positions of the soil particles [m], shape (n, 3).
            local: Positions of markers in their bodies' frames [m], shape (m, 3).
            body: Body of each marker, shape (m,).
            bodies: Poses and twists of the bodies.
            workers: Ignored.
            period: Periods along x and y [m].
            device: Name of the device in Warp: 'cuda', 'cuda:1', or 'cpu' for tests.

        Raises:
            ValueError: If the bed is of a fluid.
        """
        if isinstance(soil, Fluid):
            raise ValueError("a fluid is not supported on a device; allowed: device 'cpu'")
        self.host: dict[str, Any] = {}
        self._ahead = False
        """Whether the device has newer data than the host."""
        self._behind = True
        """Whether the host may have newer data than the device."""
        super().__init__(soil, settings, gravity, places, local, body, bodies, workers, period)
        self.device = wp.get_device(device)
        n, m, kept = len(self.particles), len(self.local), len(self.memory)
        self._twin, self._twin_memory = np.empty((0, COLUMNS)), np.empty((0, MEMORY))

        def made(*shape: int, dtype: Any = wp.float64) -> Any:
            return wp.zeros(shape, dtype=dtype, device=self.device)

        self._on = {'particles': made(n, COLUMNS), 'memory': made(kept, MEMORY)}
        self._on |= {'kind': made(n, dtype=wp.uint8), 'label': made(n, dtype=wp.int32)}
        self._aside = {name: wp.empty_like(array) for name, array in self._on.items()}
        # Radix sort needs twice the space.
        self._cell, self._order = made(2 * n, dtype=wp.int32), made(2 * n, dtype=wp.int32)
        self._first = made(1, dtype=wp.int32)
        self._flag, self._place = made(n, dtype=wp.int32), made(n, dtype=wp.int32)
        self._soil_rows, self._marker_rows = made(n, dtype=wp.int32), made(m, dtype=wp.int32)
        self._counts = (0, 0)
        self._forces_there, self._limits_there = made(m, 3), made(len(self._limits), LIMITS)
        self._local_there, self._body_there = made(m, 3), made(m, dtype=wp.int32)
        self._grid = structs.Grid()

    def to_host(self) -> None:
        """Copy newer data of the device to the host."""
        if self._ahead:
            for name in _SHARED:
                self.host[name] = np.array(self._on[name].numpy())
            self._ahead = False
        self._behind = True

    def _to_device(self) -> None:
        if self._behind:
            for name in _SHARED:
                self._on[name].assign(self.host[name])
            self._behind = False

    def on_host(self) -> ParticleBed:
        """Return a sorted bed in the same state that is computed on the host."""
        bodies = BoundaryBodies(*(part.copy() for part in self.bodies))
        places = np.zeros((self.soil_count, 3))
        bed = ParticleBed(
            self.soil,
            self.settings,
            (0.0, 0.0, 0.0),
            places,
            self.local,
            self.body,
            bodies,
            self.workers,
        )
        bed.gravity, bed.period, bed.boxes, bed.still = self.gravity, self.period, self.boxes, self.still
        bed.material, bed.scheme = self.material, self.scheme
        bed.load(self.save())
        return bed

    @property
    def moving_count(self) -> int:
        """Number of moving soil particles."""
        return self._counts[0]

    def moving_places(self) -> Floats:
        """Return the positions of the moving soil [m], shape (n, 3)."""
        places: Floats = self.particles[self._soil_rows.numpy()[: self._counts[0]], :3]
        return places

    @property
    def mean_neighbors(self) -> float:
        """Mean length of the lists that the host would have; a device has none."""
        return self.on_host().mean_neighbors

    @property
    def nbytes(self) -> int:
        """Size of all arrays on host and device [B]."""
        there = [*self._on.values(), *self._aside.values(), self._cell, self._order, self._first, self._flag]
        there += [self._place, self._soil_rows, self._marker_rows, self._forces_there, self._limits_there]
        there += [self._local_there, self._body_there]
        here = [self.local, self.body, *(self.host[name] for name in _SHARED)]
        size: int = sum(array.size * wp.types.type_size_in_bytes(array.dtype) for array in there)
        size += sum(array.nbytes for array in here)
        return size

    def sort(self) -> None:
        """Sort particles by cell, with a stable radix sort, and select the rows that participate in steps."""
        self._to_device()
        self.rebuilds += 1
        self._local_there.assign(self.local)
        self._body_there.assign(self.body)
        n = len(self.host['label'])
        particles, kind = self._on['particles'], self._on['kind']
        self._launch(cells.find_kind, n, kind, MARKER, self._flag)
        self._place_markers(particles, self._marker_rows, self._listed_rows(self._marker_rows), 0.0)
        bands = -(-n // cells.BAND)
        extents = wp.empty((bands, 6), dtype=wp.float64, device=self.device)
        self._launch(cells.find_extents, bands, particles, extents)
        found = extents.numpy()
        low, edges, size = self._cells(found[:, :3].min(axis=0), found[:, 3:].max(axis=0))
        self._grid.nx, self._grid.ny, self._grid.nz = (int(v) for v in size)
        self._grid.period_x, self._grid.period_y = (float(v) for v in self.period)
        self._launch(
            cells.find_cells, n, particles, wp.vec3d(*low), wp.vec3d(*edges), self._grid, self._cell, self._order
        )
        count = int(np.prod(size))
        wp.utils.radix_sort_pairs(self._cell, self._order, n, 0, count.bit_length())
        if self._first.shape[0] < count + 1:
            self._first = wp.empty(count + 1, dtype=wp.int32, device=self.device)
        self._launch(cells.find_first, count + 1, self._cell, n, self._first)
        for name in ('particles', 'memory'):
            rows, columns = self._on[name].shape
            if rows:
                self._launch(cells.take_rows, (rows, columns), self._order, self._on[name], self._aside[name])
        aside = self._aside
        self._launch(cells.take_names, n, self._order, kind, self._on['label'], aside['kind'], aside['label'])
        self._on, self._aside = self._aside, self._on
        self._ahead = True
        self._choose(count)
        for name in ('particles', 'memory'):
            wp.copy(self._aside[name], self._on[name])
        self._moved = 0.0

    def _choose(self, count: int) -> None:
        """List moving soil and nearby markers, freeze the rest."""
        particles, kind, n = self._on['particles'], self._on['kind'], len(self.host['label'])
        everything = self.boxes is None
        boxes = wp.array(
            np.zeros((0, 6)) if self.boxes is None else np.ascontiguousarray(self.boxes, np.float64),
            dtype=wp.float64,
            ndim=2,
            device=self.device,
        )
        busy = wp.zeros(1 if everything else count, dtype=wp.uint8, device=self.device)
        if everything:
            self._launch(cells.find_kind, n, kind, SOIL, self._flag)
        else:
            self._launch(cells.find_moving_soil, n, particles, kind, self._cell, boxes, self.still, self._flag, busy)
        soil = self._listed_rows(self._soil_rows)
        if everything:
            self._launch(cells.find_kind, n, kind, MARKER, self._flag)
        else:
            self._launch(cells.find_moving_markers, n, kind, self._cell, self._grid, busy, self._flag)
        self._counts = soil, self._listed_rows(self._marker_rows)
        longest = wp.zeros(1, dtype=wp.int32, device=self.device)
        for rows, some in zip((self._soil_rows, self._marker_rows), self._counts, strict=True):
            self._launch(cells.find_longest, some, rows, self._cell, self._first, self._grid, longest)
        if int(longest.numpy()[0]) > MOST:
            raise FloatingPointError('soil is packed too densely')

    def _listed_rows(self, rows: Any) -> int:
        """Write the flagged rows and return their number."""
        n = len(self.host['label'])
        wp.utils.array_scan(self._flag, self._place, inclusive=True)
        self._launch(cells.write_rows, n, self._flag, self._place, rows)
        count: int = self._place[n - 1 : n].numpy()[0].item()
        return count

    def _launch(self, kernel: Any, count: int | tuple[int, int], *arguments: Any) -> None:
        if count:
            wp.launch(kernel, dim=count, inputs=arguments, device=self.device)

    def _place_markers(self, particles: Any, rows: Any, count: int, ahead: float) -> Any:
        """Place markers at the poses of bodies; return the bodies in the form of the kernels."""
        b = self.bodies
        table = np.concatenate((b.center, b.rotation.reshape(-1, 9), b.velocity, b.spin, b.acceleration), axis=1)
        bodies = wp.array(table, dtype=wp.float64, ndim=2, device=self.device)
        self._launch(
            step.place_markers,
            count,
            particles,
            rows,
            self._on['label'],
            self._body_there,
            self._local_there,
            bodies,
            ahead,
        )
        return bodies

    def _evaluate(self, dt: float) -> None:
        """Compute both halves of a step."""
        self._to_device()
        soil, count = self._counts
        material, scheme = structs.filled(structs.Material, self.material), structs.filled(structs.Scheme, self.scheme)
        gravity = wp.vec3d(*self.gravity)
        here, twin = self._on['particles'], self._aside['particles']
        memory, twin_memory = self._on['memory'], self._aside['memory']
        kind, label = self._on['kind'], self._on['label']
        near = (kind, self._cell, self._first, self._grid)
        bands = -(-soil // BAND)
        for now, new, after, ahead, part in (
            (here, twin, twin_memory, 0.0, 0.5 * dt),
            (twin, here, memory, 0.5 * dt, dt),
        ):
            bodies = self._place_markers(now, self._marker_rows, count, ahead)
            self._launch(
                step.carry_on,
                count,
                now,
                *near,
                self._marker_rows,
                label,
                self._body_there,
                bodies,
                gravity,
                material,
                scheme,
            )
            if now is twin:
                self._launch(
                    step.forces_on_markers,
                    count,
                    now,
                    *near,
                    self._marker_rows,
                    label,
                    material,
                    scheme,
                    self._forces_there,
                )
            self._limits_there.zero_()
            self._launch(
                step.advance_soil,
                soil,
                here,
                now,
                new,
                memory,
                after,
                *near,
                self._soil_rows,
                part,
                gravity,
                material,
                scheme,
                self._limits_there,
            )
        self._ahead = True
        self._limits[:bands] = self._limits_there.numpy()[:bands]
        sum_forces(self._forces_there.numpy(), self.body, self.local, self.bodies, self.force, self.torque)
