# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ball that falls into a bed of CRM soil."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from regolith_terrain.crm import Device, Discretization, ParticleSoil, bed_class, boundary_markers
from regolith_testbeds.crm.driven_body import DrivenBody, filled_trough

_BLOCK = 20
"""Number of steps of one advance."""
_STILL = 0.01
"""Fraction of the impact speed below which the ball is at rest, after it has penetrated."""
_REST = 0.2
"""Time at rest until the end, in units of 2 R / v."""
_LONGEST = 20.0
"""Longest simulated time, in the same units."""


class Drop(NamedTuple):
    """A ball and the bed into which it falls."""

    radius: float
    """Radius of the ball [m]."""
    density: float
    """Density of the ball [kg/m^3]."""
    height: float
    """Height of its lowest point above the soil at the release [m]."""
    gravity: float
    """Gravity [m/s^2]."""
    side: float
    """Side length of the square bed [m]."""
    depth: float
    """Depth of the bed [m]."""


class Impact(DrivenBody):
    """Impact of a ball on soil.

    The ball moves vertically and does not rotate: a square bed around it has no lateral effect.
    """

    def __init__(
        self, drop: Drop, soil: ParticleSoil, settings: Discretization, workers: int = 1, device: Device = 'cpu'
    ) -> None:
        """Create the bed, and place the ball on it with its impact speed.

        Args:
            drop: Ball and bed.
            soil: Soil of the bed.
            settings: Discretization of the soil.
            workers: Number of threads; it does not change the result.
            device: Device of the computation, see :func:`regolith_terrain.crm.device_selection.bed_class`.
        """
        spacing, half = settings.spacing_m, 0.5 * drop.side
        filled, walls = filled_trough((-half, half), drop.side, drop.depth, spacing)
        ball = boundary_markers.ball(drop.radius, spacing)
        local, body = boundary_markers.together(walls, ball)
        self.drop = drop
        super().__init__(
            bed_class(device)(soil, settings, (0.0, 0.0, -drop.gravity), filled, local, body, workers=workers)
        )
        self.bed.lay_at_rest(0.0)
        self._longest = settings.step(self.bed.material)
        self._mass = 4.0 / 3.0 * math.pi * drop.radius**3 * drop.density
        self.speed = math.sqrt(2.0 * drop.gravity * drop.height)
        self._z, self._v, self._lowest, self._resting = drop.radius, -self.speed, 0.0, 0.0

    @property
    def _unit(self) -> float:
        return 2.0 * self.drop.radius / max(self.speed, math.sqrt(self.drop.gravity * self.drop.radius))

    @property
    def part(self) -> float:
        """Completed fraction."""
        at_rest, at_last = self._resting / (_REST * self._unit), self.bed.t / (_LONGEST * self._unit)
        slowed = 1.0 - max(0.0, -self._v) / max(self.speed, 1e-9)
        return 1.0 if max(at_rest, at_last) >= 1.0 else min(0.99, max(at_last, 0.9 * slowed))

    def _block(self) -> None:
        for _ in range(_BLOCK):
            dt = min(self._longest, self.bed.largest_step()) if self.steps else 0.2 * self._longest
            self._place()
            self.bed.step(dt)
            self._v += dt * (self.bed.force[1, 2] / self._mass - self.drop.gravity)
            self._z += dt * self._v
            self.steps += 1
            self._lowest = min(self._lowest, self._z - self.drop.radius)
            still = self._lowest < 0.0 and abs(self._v) < _STILL * max(self.speed, 1e-9)
            self._resting = self._resting + dt if still else 0.0

    def _place(self) -> None:
        self.bed.bodies.center[1] = 0.0, 0.0, self._z
        self.bed.bodies.velocity[1] = 0.0, 0.0, self._v

    def row(self) -> dict[str, Any]:
        """Return the results so far."""
        return {
            'impact_speed_mps': self.speed,
            'depth_m': self.drop.radius - self._z,
            'deepest_m': -self._lowest,
            'step_s': self._longest,
            **self._cost(),
        }

    def _state(self) -> Mapping[str, Any]:
        return {'ball': [self._z, self._v, self._lowest, self._resting]}

    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        self._z, self._v, self._lowest, self._resting = (float(v) for v in found['ball'])
