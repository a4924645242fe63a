# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Column of CRM soil in a tube that is lifted or removed: the testbed of the angle of repose."""

from __future__ import annotations

import math

import numpy as np

from regolith_terrain.crm import VISCOSITY_SLOW, Device, Discretization, ParticleSoil, bed_class, boundary_markers
from regolith_terrain.grid import Floats
from regolith_testbeds.heap_measurement import Heap, SoilColumn
from regolith_testbeds.resumable_runs import Part, packed, unpacked

STIFFNESS = 150.0
"""Young's modulus over the pressure under the column. The column is compressed by half a percent, falls similarly under
any gravity, and stays at a tenth of the sound speed."""
SHIFTING = 0.5
"""XSPH coefficient: with a quarter, a heap has a fifth more stress noise and is lower by a hundredth."""
SURFACE = 0.0
"""No soil is treated as separated. With separation at the surface, a heap creeps for twice as long."""
VISCOSITY_LOOSE = 0.05
"""Artificial viscosity alpha. A falling column is fast, and viscosity, which is proportional to the sound speed, brakes
it: with 0.2, in soil three times as stiff, it runs out by 0.9 of its radius instead of 1.3. A column whose tube is
lifted has the value of slow soil: with 0.05 its flank would have 8 degrees instead of 19 at mu = 0.38."""
_DENSITY = 1500.0
_AT_REST = 1e-3
"""Fraction of the largest kinetic energy below which the heap is at rest."""
_CHECKED = 40
"""Number of steps between two checks of the energy. Neighbor lists are rebuilt each time, so a saved column continues
bit-identically."""


def soil_of(column: SoilColumn, friction: float) -> ParticleSoil:
    """Return the soil of a column: without cohesion, 1500 kg/m^3, with a stiffness for its height and gravity."""
    stiffness = STIFFNESS * _DENSITY * column.gravity * column.height
    return ParticleSoil(name='column', density_kgpm3=_DENSITY, youngs_modulus_pa=stiffness, friction=friction)


class CrmCollapse:
    """A column of CRM soil that collapses to a heap.

    It is a :class:`regolith_testbeds.resumable_runs.ResumableRun`. Floor and tube are as rough as the strength
    of the soil.
    """

    def __init__(
        self,
        column: SoilColumn,
        friction: float,
        count: int,
        workers: int,
        viscosity: float | None = None,
        device: Device = 'cpu',
    ) -> None:
        """Fill the tube.

        Args:
            column: Column and its release.
            friction: Friction coefficient of the soil [-].
            count: Approximate number of particles.
            workers: Number of threads; it does not change the result.
            viscosity: Artificial viscosity alpha [-]; None: depends on the release.
            device: Device of the computation, see :func:`regolith_terrain.crm.device_selection.bed_class`.
        """
        spacing = (math.pi * column.radius**2 * column.height / count) ** (1.0 / 3.0)
        side = 2.0 * math.ceil(column.radius / spacing) * spacing
        filled = boundary_markers.lattice(
            (-0.5 * side, -0.5 * side, 0.0), (0.5 * side, 0.5 * side, column.height), spacing
        )
        filled = filled[np.hypot(filled[:, 0], filled[:, 1]) < column.radius]
        tall = float(filled[:, 2].max()) + 0.5 * spacing
        # Further than the run-out of columns in Lube et al. (2004).
        far = column.radius * (1.0 + 2.5 * max(1.0, tall / column.radius)) + 4.0 * spacing
        half = math.ceil(far / spacing) * spacing
        floor = boundary_markers.floor((-half, -half, 0.0), (half, half, 0.0), spacing)
        floor = floor[np.hypot(floor[:, 0], floor[:, 1]) < far]
        lifted = column.lift is not None
        tube = _tube(column.radius, tall + 2.0 * spacing, spacing) if lifted else np.zeros((0, 3))
        if viscosity is None:
            viscosity = VISCOSITY_SLOW if lifted else VISCOSITY_LOOSE
        settings = Discretization(
            spacing_m=spacing, artificial_viscosity=viscosity, xsph_coefficient=SHIFTING, free_surface_threshold=SURFACE
        )
        soil = soil_of(column, friction)
        self.bed = bed_class(device)(
            soil,
            settings,
            (0.0, 0.0, -column.gravity),
            filled,
            *boundary_markers.together(floor, tube),
            workers=workers,
        )
        self.bed.lay_at_rest(tall)
        self._tall, self._longest = tall, settings.step(self.bed.material)
        self._fall = math.sqrt(tall / column.gravity)
        self._up = 0.0
        if column.lift is not None:
            self._up = tall / column.lift
            self.bed.bodies.velocity[1, 2] = column.lift
        self._steps, self._most, self._still = 0, 0.0, False

    @property
    def part(self) -> float:
        """Completed fraction."""
        return 1.0 if self._still else self.bed.t / (self._up + 12.0 * self._fall)

    def advance(self, tick: Part) -> None:
        """Advance by some steps, then check whether the heap is at rest."""
        bed = self.bed
        bed.sort()
        for _ in range(_CHECKED):
            dt = min(self._longest, bed.largest_step()) if self._steps else 0.2 * self._longest
            bed.step(dt)
            bed.bodies.center[1:, 2] += dt * bed.bodies.velocity[1:, 2]
            self._steps += 1
        moving = bed.particles[bed.soil_rows(), 3:6]
        energy = float(np.einsum('ij,ij->', moving, moving))
        self._most = max(self._most, energy)
        self._still = bed.t > self._up + self._fall and energy < _AT_REST * self._most

    def heap(self) -> Heap:
        """Return the heap."""
        bed = self.bed
        place = bed.particles[bed.soil_rows(), :3].copy()
        volume = np.full(len(place), bed.scheme.volume)
        return Heap(place, volume, bed.scheme.spacing, self._tall, bed.t, None, self._longest)

    def save(self) -> bytes:
        """Return the complete state."""
        return packed(bed=self.bed.save(), center=self.bed.bodies.center, steps=self._steps, most=self._most)

    def load(self, saved: bytes) -> None:
        """Restore the result of :meth:`save`.

        Raises:
            ValueError: If the state is of another column.
        """
        found = unpacked(saved)
        self.bed.bodies.center[:] = found['center']
        self._steps, self._most = int(found['steps']), float(found['most'])
        self.bed.load(found['bed'].tobytes())


def _tube(radius: float, height: float, spacing: float) -> Floats:
    """Return markers of a tube about z, from the floor up [m], shape (n, 3)."""
    z = (np.arange(round(height / spacing)) + 0.5) * spacing
    rings = []
    for layer in range(boundary_markers.LAYERS):
        r = radius + (layer + 0.5) * spacing
        count = round(2.0 * math.pi * r / spacing)
        turn = 2.0 * math.pi * np.arange(count) / count
        ring = np.stack((r * np.cos(turn), r * np.sin(turn), np.zeros(count)), axis=1)
        rings.append((ring[:, None, :] + z[None, :, None] * np.array([0.0, 0.0, 1.0])).reshape(-1, 3))
    return np.concatenate(rings)
