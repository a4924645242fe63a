# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A bed whose other half is its mirror image: half the particles, for what is driven straight on.

Soil, markers and their bodies are those at y > 0. What lies within the kernel's reach of the plane y = 0 has an image
at -y, a row like any other that others read and nobody moves: it follows what it is the image of. So soil neither
crosses the plane nor rubs on it, and sums are those of the whole bed, but for rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from regolith_terrain.crm import boundary_markers
from regolith_terrain.crm.arrays import COLUMNS, MARKER, XY, YZ, Floats, Rows, V, Y
from regolith_terrain.crm.device_selection import Device, bed_class
from regolith_terrain.crm.particle_bed import ParticleBed
from regolith_terrain.crm.soil import Discretization, ParticleSoil

TURNED = np.ones(COLUMNS)
"""What an image has instead of a particle's numbers, as factors."""
TURNED[[Y, V, XY, YZ]] = -1.0


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def reflect(particles: Floats, image: Rows, source: Rows, turned: Floats) -> None:
    """Write rows that are images of others.

    Args:
        image: Rows to write, shape (k,).
        source: What they are images of, shape (k,).
        turned: Factor of each number of a particle, shape (12,).
    """
    for k in range(image.shape[0]):
        for column in range(turned.shape[0]):
            particles[image[k], column] = turned[column] * particles[source[k], column]


class MirroredBed(ParticleBed):
    """The half of a bed at y > 0; forces on bodies, whose centres lie on y = 0, are those of the whole one."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """Make a bed at rest; arguments are those of :class:`regolith_terrain.crm.particle_bed.ParticleBed`, of what
        lies at y > 0.
        """
        super().__init__(*arguments, **more)
        self._images: dict[bool, tuple[Rows, Rows]] = {}
        """Rows of images of soil (False) and markers (True) that move, and of what they are images of."""

    def sort(self) -> None:
        """Sort particles and their images by cell, and list the neighbours of particles."""
        super().sort()
        own, image = self.label >= 0, np.flatnonzero(self.label < 0)
        name = np.where(own, self.label, -1 - self.label) + np.where(self.kind == MARKER, self.soil_count, 0)
        row = np.empty(np.count_nonzero(own), np.int32)
        row[name[own]] = np.flatnonzero(own)
        source = row[name[image]]
        moves = np.zeros(len(own), np.bool_)
        moves[self._listed] = True
        for marks in (False, True):
            some = moves[source] & ((self.kind[source] == MARKER) == marks)
            self._images[marks] = image[some].astype(np.int32), source[some]

    def _complete(self) -> None:
        """Make anew the images of all that lies near the plane, in the order of their names."""
        own = np.flatnonzero(self.label >= 0)
        y = self.particles[own, Y]
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
    """Return a bed with a body, all of it alike at y and -y: half of it, but the whole one on a graphics card.

    Args:
        filled: Places of the soil [m], shape (n, 3), none on y = 0.
        walls: Markers [m], shape (k, 3), none on y = 0.
        body: Markers in its own frame [m], shape (l, 3), none on y = 0.

    Raises:
        ValueError: If the device is not available. The message names the missing requirement.
    """
    kind = bed_class(device)
    if kind is ParticleBed:
        kind = MirroredBed
        filled, walls, body = (part[part[:, 1] > 0.0] for part in (filled, walls, body))
    return kind(soil, settings, gravity, filled, *boundary_markers.together(walls, body), workers=workers)
