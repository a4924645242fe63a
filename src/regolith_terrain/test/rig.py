# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A soil bin: one wheel or plate on one window of soil."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from regolith_terrain.config import load_soil
from regolith_terrain.scm import MODES, OK, STAT_COUNT, cylinder_wrench, make_scratch, plate_wrench
from regolith_terrain.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.surface import FlatField, HeightField


class Bin:
    """A window of soil with the arrays the kernels need."""

    def __init__(
        self,
        soil: str | np.ndarray = 'chrono_lunar',
        spacing: float = 0.01,
        mode: str = 'regolith',
        bounds: tuple[int, int, int, int] = (-45, 60, -35, 36),
        field: HeightField | None = None,
        window: SoilWindow | None = None,
    ) -> None:
        self.parameters = load_soil(soil).parameters() if isinstance(soil, str) else soil
        self.spacing = spacing
        self.mode = MODES[mode]
        grid = SoilGrid(field if field is not None else FlatField(), spacing)
        self.window = window if window is not None else grid.window(*bounds)
        self.shear = np.zeros((*self.window.shape, 2))
        self.scratch = make_scratch(0.5, spacing)
        self.force, self.torque, self.stats = np.zeros(3), np.zeros(3), np.zeros(STAT_COUNT)

    def _soil(self) -> tuple:
        w = self.window
        return (
            w.base, w.level_initial, w.level, w.sinkage_plastic, w.sigma_yield, w.touched, w.i0, w.j0, self.spacing,
            self.parameters,
        )  # fmt: skip

    def wheel(
        self, center, axis=(0.0, 1.0, 0.0), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), radius=0.25, width=0.21,
        dt=1e-3,
    ) -> int:  # fmt: skip
        """Press a cylinder in for one step; force, torque and stats are then in the attributes."""
        vectors = (np.array(v, dtype=float) for v in (center, axis, velocity, spin))
        return cylinder_wrench(
            *self._soil(), radius, 0.5 * width, *vectors, dt, self.mode, self.shear, *self.scratch, self.force,
            self.torque, self.stats,
        )  # fmt: skip

    def plate(self, center, length=0.21, width=0.31, velocity=(0.0, 0.0, 0.0), dt=1e-3) -> int:
        """Press a level plate in for one step; ``center`` is that of its lower face."""
        return plate_wrench(
            *self._soil(), 0.5 * length, 0.5 * width, np.array(center, dtype=float), np.array(velocity, dtype=float),
            np.zeros(3), dt, self.mode, self.shear, *self.scratch, self.force, self.torque, self.stats,
        )  # fmt: skip


def guided_press(
    bin_: Bin, press: Callable[[float, float], int], load: Callable[[float], float], end: float, dt: float = 1e-3
) -> list[tuple[float, float, float]]:
    """Push a vertically guided 10 kg body down with load(t); semi-implicit Euler.

    :param press: takes (height of the lowest point, vertical speed) and runs the kernel
    :return: (time at the end of the step, soil force, depth of the lowest point) every 0.05 s
    """
    z = v = 0.0
    rows = []
    for k in range(1, round(end / dt) + 1):
        assert press(z, v) == OK
        force = bin_.force[2]
        v += dt * (force - load((k - 1) * dt)) / 10.0
        z += dt * v
        if k % 50 == 0:
            rows.append((k * dt, force, -z))
    return rows


def slip_run(bin_: Bin, load: float, slip: float, omega: float = 0.8, dt: float = 1e-3) -> np.ndarray:
    """Drag a guided wheel at a prescribed slip; means over the second half: drawbar, Fz, driving torque, sinkage."""
    speed = 0.2 * (1.0 - slip)
    end = min(30.0, 1.5 + max(0.75 / speed, 4.0))
    mass = load / 9.81
    x, z, vz = 0.0, 0.25, 0.0
    total = np.zeros(4)
    count = 0
    for k in range(round(end / dt)):
        t = k * dt
        ramp = min(1.0, max(0.0, (t - 1.0) / 0.5))
        status = bin_.wheel((x, 0.0, z), velocity=(speed * ramp, 0.0, vz), spin=(0.0, omega * ramp, 0.0))
        assert status == OK
        vz += dt * (bin_.force[2] / mass - 9.81 * min(1.0, t / 0.5))
        z += dt * vz
        x += dt * speed * min(1.0, max(0.0, (t + dt - 1.0) / 0.5))
        if t + dt > 1.5 + 0.5 * (end - 1.5):
            total += (bin_.force[0], bin_.force[2], -bin_.torque[1], 0.25 - z)
            count += 1
    return total / count
