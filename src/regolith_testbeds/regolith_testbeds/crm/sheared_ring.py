# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ring that shears CRM soil under a constant load: the shear head of a bevameter.

The ring is as rough as the strength of the soil. It sinks under its load, then rotates at one speed. Unlike a plate
that is dragged, it pushes no soil ahead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import Device, Discretization, ParticleSoil, bed_class, boundary_markers
from regolith_terrain.grid import Floats
from regolith_testbeds.crm.driven_body import DrivenBody, filled_trough

_BLOCK = 10
"""Number of steps of one advance, whose means are a sample."""
_LOADING = 2.0
"""Time in which the load rises, in times sqrt(d / g) of the depth d of the bed; the ring then rests as long."""
_GENTLE = 0.05
"""Fraction of the shear displacement in which the ring reaches its speed."""


class Ring(NamedTuple):
    """A rough ring and the load on it."""

    outer: float
    """Outer radius [m]."""
    inner: float
    """Inner radius [m]."""
    pressure: float
    """Load over area [Pa]."""
    speed: float
    """Speed at the mean radius [m/s]."""
    most: float
    """Shear displacement at the mean radius, at which the test ends [m]."""

    @property
    def mean(self) -> float:
        """Mean radius [m]."""
        return 0.5 * (self.outer + self.inner)

    @property
    def area(self) -> float:
        """Area [m^2]."""
        return math.pi * (self.outer**2 - self.inner**2)

    @property
    def lever(self) -> float:
        """Torque over a uniform shear stress, the integral of the radius over the area [m^3]."""
        return 2.0 / 3.0 * math.pi * (self.outer**3 - self.inner**3)

    @property
    def side(self) -> float:
        """Side length of the square bed [m]."""
        return 2.0 * self.outer + 4.0 * (self.outer - self.inner)

    @property
    def depth(self) -> float:
        """Depth of the bed [m]."""
        return 3.0 * (self.outer - self.inner)

    def seconds(self, gravity: float) -> float:
        """Return the duration of the test [s]."""
        return self.rest(gravity) + (1.0 + 0.5 * _GENTLE) * self.most / self.speed

    def rest(self, gravity: float) -> float:
        """Return the time before the ring rotates [s]."""
        return 2.0 * _LOADING * math.sqrt(self.depth / gravity)


class ShearedRing(DrivenBody):
    """A ring with the mass of its load, free to sink, whose rotation is prescribed."""

    def __init__(
        self,
        ring: Ring,
        gravity: float,
        soil: ParticleSoil,
        settings: Discretization,
        workers: int = 1,
        device: Device = 'cpu',
    ) -> None:
        """Create the bed at rest under its own weight, and place the ring on it.

        Args:
            ring: Ring and its load.
            gravity: Gravity [m/s^2].
            soil: Soil of the bed.
            settings: Discretization of the soil.
            workers: Number of threads; it does not change the result.
            device: Device of the computation, see :func:`regolith_terrain.crm.device_selection.bed_class`.
        """
        spacing, half = settings.spacing_m, 0.5 * ring.side
        filled, walls = filled_trough((-half, half), ring.side, ring.depth, spacing)
        markers = boundary_markers.disc(ring.outer, spacing)
        markers = markers[np.hypot(markers[:, 0], markers[:, 1]) > ring.inner]
        local, body = boundary_markers.together(walls, markers)
        super().__init__(bed_class(device)(soil, settings, (0.0, 0.0, -gravity), filled, local, body, workers=workers))
        self.bed.lay_at_rest(0.0)
        self.ring, self._gravity = ring, gravity
        self.dt = settings.step(self.bed.material)
        self._spun = ring.rest(gravity)
        self._depth = self._speed = self._angle = 0.0
        self.curve: list[tuple[float, float, float, float]] = []
        """Shear displacements [m], shear stresses [Pa], normal pressures [Pa] and depths [m]."""

    @property
    def part(self) -> float:
        """Completed fraction."""
        over = self._slid >= self.ring.most
        return 1.0 if over else min(0.99, self.bed.t / self.ring.seconds(self._gravity))

    @property
    def _slid(self) -> float:
        """Shear displacement at the mean radius [m]."""
        return self._angle * self.ring.mean

    @property
    def _rate(self) -> float:
        """Angular velocity [rad/s]."""
        begun = (self.bed.t - self._spun) * self.ring.speed / (_GENTLE * self.ring.most)
        return self.ring.speed / self.ring.mean * min(1.0, max(0.0, begun))

    def _block(self) -> None:
        """Advance by some steps, and note a sample if the ring rotates."""
        total, ring, begin = np.zeros(2), self.ring, self._slid
        mass = ring.pressure * ring.area / self._gravity
        for _ in range(_BLOCK):
            self._place()
            self.bed.step(self.dt)
            borne = float(self.bed.force[1, 2])
            loaded = min(1.0, self.bed.t / (0.5 * self._spun))
            self._speed += self.dt * (loaded * self._gravity - borne / mass)
            self._depth += self.dt * self._speed
            self._angle += self.dt * self._rate
            total += -self.bed.torque[1, 2], borne
            self.steps += 1
        if self._slid > 0.0:
            stress, pressure = total / _BLOCK / (ring.lever, ring.area)
            self.curve.append((0.5 * (begin + self._slid), float(stress), float(pressure), self._depth))

    def _place(self) -> None:
        bodies, c, s = self.bed.bodies, math.cos(self._angle), math.sin(self._angle)
        bodies.center[1] = 0.0, 0.0, -self._depth
        bodies.velocity[1] = 0.0, 0.0, -self._speed
        bodies.rotation[1] = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        bodies.spin[1] = 0.0, 0.0, self._rate

    def row(self) -> dict[str, Any]:
        """Return the results so far."""
        return {
            'normal_pa': self.ring.pressure,
            'curve': [[round(v, 7) for v in each] for each in self.curve],
            'step_s': self.dt,
            **self._cost(),
        }

    def _state(self) -> Mapping[str, Any]:
        return {
            'ring': [self._depth, self._speed, self._angle],
            'curve': np.array(self.curve).reshape(-1, 4),
        }

    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        self._depth, self._speed, self._angle = (float(v) for v in found['ring'])
        self.curve = [tuple(row) for row in found['curve'].tolist()]


def sheared_points(curve: Floats, count: int) -> Floats:
    """Return means of a curve over equal ranges of the shear displacement: displacement [m], stress [Pa].

    Args:
        curve: Samples of :attr:`ShearedRing.curve`, shape (n, 4).
        count: Number of ranges, at most n.

    Returns:
        Means, shape (count, 2).
    """
    parts = np.array_split(curve[:, :2], count)
    return np.array([part.mean(axis=0) for part in parts])
