# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Plate pressed into CRM soil, unloaded and reloaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm import Device, Discretization, ParticleSoil, boundary_markers
from regolith_terrain.grid import Floats
from regolith_testbeds.crm.driven_body import DrivenBody, filled_trough
from regolith_testbeds.crm.mirror_symmetry import symmetric_bed

_BLOCK = 10
"""Number of steps of one advance, whose mean force is a sample."""
_GENTLE = 0.1
"""Fraction of the travel in which the plate reaches its speed; an abrupt start would press with rho c v of sound."""
EASED = 0.1
"""Fraction of the load after unloading."""
DOWN, EASING, AGAIN, DONE = range(4)


class Plate(NamedTuple):
    """A rough plate and the bed into which it is pressed."""

    length: float
    """Length along x or diameter of a disc [m]."""
    width: float
    """Width along y [m]."""
    disc: bool
    load: float
    """Force at which the plate reverses [N]."""
    speed: float
    """Speed of the plate [m/s]."""
    most: float
    """Depth at which the plate stops below the load [m]."""
    side: float
    """Side length of the square bed [m]."""
    depth: float
    """Depth of the bed [m]."""

    @property
    def area(self) -> float:
        """Area of the plate [m^2]."""
        return (0.25 * math.pi if self.disc else 1.0) * self.length * self.width


class Press(DrivenBody):
    """A plate that moves straight down and up at one speed."""

    def __init__(
        self,
        plate: Plate,
        gravity: float,
        soil: ParticleSoil,
        settings: Discretization,
        workers: int = 1,
        device: Device = 'cpu',
    ) -> None:
        """Create the bed at rest under its own weight, and place the plate on it.

        Args:
            plate: Plate and bed.
            gravity: Gravity [m/s^2].
            soil: Soil of the bed.
            settings: Discretization of the soil.
            workers: Number of threads; it does not change the result.
            device: Device of the computation, see :func:`regolith_terrain.crm.device_selection.bed_class`.
        """
        spacing, half = settings.spacing_m, 0.5 * plate.side
        filled, walls = filled_trough((-half, half), plate.side, plate.depth, spacing)
        shape = (
            boundary_markers.disc(0.5 * plate.length, spacing)
            if plate.disc
            else boundary_markers.slab(plate.length, plate.width, spacing)
        )
        self.plate = plate
        pull = (0.0, 0.0, -gravity)
        super().__init__(symmetric_bed(device, soil, settings, pull, filled, walls, shape, workers))
        self.bed.lay_at_rest(0.0)
        self.dt = settings.step(self.bed.material)
        self.curve: list[tuple[float, float]] = []
        """Depths [m] and forces [N] of the first loading."""
        self._found: list[float] = []
        self._depth, self._stage = 0.0, DOWN

    @property
    def part(self) -> float:
        """Completed fraction."""
        if self._stage == DONE:
            return 1.0
        force = self.curve[-1][1] / self.plate.load if self.curve and self._stage == DOWN else 1.0
        return min(0.99, 0.8 * max(self._depth / self.plate.most, min(1.0, force)) + 0.05 * self._stage)

    def _block(self) -> None:
        """Advance by some steps, then check the force."""
        total = 0.0
        for _ in range(_BLOCK):
            self._place()
            self.bed.step(self.dt)
            total += float(self.bed.force[1, 2])
            self._depth += self.dt * self._rate
            self.steps += 1
        self._turn(total / _BLOCK)

    def _turn(self, force: float) -> None:
        """Check whether a stage is complete."""
        load = self.plate.load
        middle = self._depth - 0.5 * _BLOCK * self.dt * self._rate
        if self._stage == DOWN:
            self.curve.append((middle, force))
        over = force <= EASED * load if self._stage == EASING else force >= load
        if over:
            self._found.append(middle)
            self._stage += 1
        elif self._depth >= self.plate.most or (self._stage == EASING and self._depth <= 0.0):
            self._stage = DONE

    @property
    def _rate(self) -> float:
        """Downward speed [m/s]."""
        begun = self.steps * self.dt * self.plate.speed / (_GENTLE * self.plate.most)
        return (-1.0 if self._stage == EASING else 1.0) * self.plate.speed * min(1.0, begun)

    def _place(self) -> None:
        self.bed.bodies.center[1] = 0.0, 0.0, -self._depth
        self.bed.bodies.velocity[1] = 0.0, 0.0, -self._rate

    def row(self) -> dict[str, Any]:
        """Return the results so far: sinkage at each reversal, None before it; the curve and its knee."""
        turns = [*self._found, None, None, None]
        over = self._stage == DONE
        return {
            'sinkage_m': turns[0],
            'sinkage_unloaded_m': turns[1],
            'sinkage_reloaded_m': turns[2],
            'knee_pa': knee(np.array(self.curve))[1] / self.plate.area if over and len(self.curve) > _FEWEST else None,
            'curve': [[round(depth, 7), round(force, 4)] for depth, force in self.curve],
            'step_s': self.dt,
            **self._cost(),
        }

    def _state(self) -> Mapping[str, Any]:
        return {
            'stage': [self._depth, self._stage],
            'found': np.array(self._found),
            'curve': np.array(self.curve).reshape(-1, 2),
        }

    def _restore(self, found: Mapping[str, NDArray[Any]]) -> None:
        self._depth, self._stage = float(found['stage'][0]), int(found['stage'][1])
        self._found = [float(v) for v in found['found']]
        self.curve = [(float(depth), float(force)) for depth, force in found['curve']]


_FEWEST = 8
"""Number of points that a curve with a knee exceeds."""
_SAMPLES = 401


def knee(curve: Floats) -> tuple[float, float]:
    """Return depth [m] and force [N] of bearing failure, where the slope first reaches its final minimum.

    Pressure may rise gradually and continue to rise with depth, so the curve has no corner. The slope is that over a
    tenth of the travel. It is minimal within a twentieth of its largest value.

    Args:
        curve: Depths [m] and forces [N], shape (n, 2).

    Source: vesic1973.
    Checked by: test_pressed_particles.py::test_knee_is_where_the_slope_has_dropped.
    """
    depth = np.linspace(curve[0, 0], curve[-1, 0], _SAMPLES)
    force = np.interp(depth, *curve.T)
    span = _SAMPLES // 10
    slope = (force[span:] - force[:-span]) / (depth[span:] - depth[:-span])
    least = max(0.0, float(slope.min()))
    first = int(np.argmax(slope <= least + 0.05 * (slope.max() - least)))
    middle = 0.5 * (depth[first] + depth[first + span])
    return float(middle), float(np.interp(middle, *curve.T))
