# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bed with mirror symmetry: half of the particles, for bodies driven straight ahead.

Soil, markers and their bodies are those at y > 0. Rows within the kernel's reach of the plane y = 0 have an image at
-y. Images are read like other rows but do not move by themselves: they follow their sources. So soil neither crosses
the plane nor has friction on it, and sums are those of the whole bed, except for rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regolith_terrain.crm import Device, Discretization, ParticleBed, ParticleSoil, arrays, bed_class, boundary_markers
from regolith_terrain.grid import Floats
from regolith_world.numerics import kernel

TURNED = np.ones(arrays.COLUMNS)
"""Factors from the values of a particle to those of its image."""
TURNED[[arrays.Y, arrays.V, arrays.XY, arrays.YZ]] = -1.0


@kernel(views_only=True)
def reflect(particles: Floats, image: arrays.Rows, source: arrays.Rows, turned: arrays.Floats) -> None:
    """Write rows that are images of others.

    Args:
        particles: Input and output: particles, shape (n, 12).
        image: Rows to write, shape (k,).
        source: Rows of which they are images, shape (k,).
        turned: Factor of each value of a particle, shape (12,).
    """
    for k in range(image.shape[0]):
        for column in range(turned.shape[0]):
            particles[image[k], column] = turned[column] * particles[source[k], column]


class MirroredBed(ParticleBed):
    """Half of a bed at y > 0; forces on bodies centered on y = 0 are those of the whole bed."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Create a bed at rest from the soil and markers at y > 0.

        Arguments are those of :class:`regolith_terrain.crm.particle_bed.ParticleBed`.
        """
        super().__init__(*arguments, **more)
        self._images: dict[bool, tuple[arrays.Rows, arrays.Rows]] = {}
        """Rows of images of soil (False) and markers (True) that move, and the rows of their sources."""

    def sort(self) -> None:
        """Sort particles and their images by cell, and list the neighbors of particles."""
        super().sort()
        own, image = self.label >= 0, np.flatnonzero(self.label < 0)
        name = np.where(own, self.label, -1 - self.label) + np.where(self.kind == arrays.MARKER, self.soil_count, 0)
        row = np.empty(np.count_nonzero(own), np.int32)
        row[name[own]] = np.flatnonzero(own)
        source = row[name[image]]
        moves = np.zeros(len(own), np.bool_)
        moves[self._listed] = True
        for marks in (False, True):
            some = moves[source] & ((self.kind[source] == arrays.MARKER) == marks)
            self._images[marks] = image[some].astype(np.int32), source[some]

    def _complete(self) -> None:
        """Create the images of all rows near the plane again, in the order of their labels."""
        own = np.flatnonzero(self.label >= 0)
        y = self.particles[own, arrays.Y]
        near = own[y < self.reach - min(0.0, float(y.min()))]
        near = near[np.lexsort((self.label[near], self.kind[near]))]
        rows = np.concatenate((own, near))
        self.particles = self.particles[rows]
        self.particles[len(own) :] *= TURNED
        self._twin = np.empty_like(self.particles)
        if len(self.memory):
            self.memory = self.memory[rows]
        self.kind = self.kind[rows]
        self.label = np.concatenate((self.label[own], -1 - self.label[near]))

    def _markers_at(self, particles: Floats, ahead: float) -> None:
        reflect(particles, *self._images[False], TURNED)
        super()._markers_at(particles, ahead)
        reflect(particles, *self._images[True], TURNED)

    def _forces(self, particles: Floats) -> None:
        super()._forces(particles)
        self.force *= (2.0, 0.0, 2.0)
        self.torque *= (0.0, 2.0, 0.0)


def symmetric_bed(
    device: Device,
    soil: ParticleSoil,
    settings: Discretization,
    gravity: tuple[float, float, float],
    filled: Floats,
    walls: Floats,
    body: Floats,
    workers: int,
) -> ParticleBed:
    """Return a bed with a body, symmetric about y = 0: half of it on the CPU, all of it on a GPU.

    Args:
        device: Device of the computation.
        soil: Soil of the bed.
        settings: Discretization of the soil.
        gravity: Gravity [m/s^2].
        filled: Positions of the soil [m], shape (n, 3), none on y = 0.
        walls: Markers of the walls [m], shape (k, 3), none on y = 0.
        body: Markers of the body in its frame [m], shape (l, 3), none on y = 0.
        workers: Number of threads.

    Raises:
        ValueError: If the device is not available. The message names the missing requirement.
    """
    kind = bed_class(device)
    if kind is ParticleBed:
        kind = MirroredBed
        filled, walls, body = (part[part[:, 1] > 0.0] for part in (filled, walls, body))
    return kind(soil, settings, gravity, filled, *boundary_markers.together(walls, body), workers=workers)
