# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A soil bin: one wheel or plate on a bed of soil, as terramechanics laboratories have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from regolith_terrain.config import load_soil
from regolith_terrain.records import Floats
from regolith_terrain.scm import MODES, OK, STAT_COUNT, cylinder_wrench, make_scratch, plate_wrench
from regolith_terrain.soil_grid import SoilGrid
from regolith_terrain.surface import FlatField, HeightField

_GRAVITY = 9.81


class Pressed(NamedTuple):
    """One sample of :func:`press`."""

    time: float
    """At the end of the step [s]."""
    force: float
    """Of the soil, upwards, at the start of the step [N]."""
    depth: float
    """Of the lowest point below z = 0, at the end of the step [m]."""


class Rolled(NamedTuple):
    """Means over the second half of a :func:`roll`."""

    drawbar_pull: float
    """Force of the soil along the direction of travel [N]."""
    normal_force: float
    """[N]"""
    driving_torque: float
    """About the axle, positive when driving [N m]."""
    sinkage: float
    """Of the wheel's lowest point below z = 0 [m]."""


class SoilBin:
    """A window of soil with everything the kernels need, for one body at a time."""

    def __init__(
        self,
        soil: str | Floats = 'lunar_nominal',
        spacing: float = 0.01,
        mode: str = 'regolith',
        bounds: tuple[int, int, int, int] = (-45, 60, -35, 36),
        field: HeightField | None = None,
    ) -> None:
        """Fill the bin.

        :param soil: name or file of a soil, or its parameters, shape (8,)
        :param spacing: of the nodes [m]
        :param mode: 'regolith' or 'reference'
        :param bounds: node indices i0, i1, j0, j1 of the bed, i0 <= i < i1
        :param field: surface of the bed; none: level, at z = 0
        """
        self.parameters = load_soil(soil).parameters() if isinstance(soil, str) else soil
        self.spacing = spacing
        self.mode = MODES[mode]
        self.window = SoilGrid(field if field is not None else FlatField(), spacing).window(*bounds)
        self.shear = np.zeros((*self.window.shape, 2))
        self.scratch = make_scratch(0.5, spacing)
        self.force, self.torque, self.stats = np.zeros(3), np.zeros(3), np.zeros(STAT_COUNT)

    def wheel(
        self,
        center: Sequence[float],
        axis: Sequence[float] = (0.0, 1.0, 0.0),
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        spin: Sequence[float] = (0.0, 0.0, 0.0),
        radius: float = 0.25,
        width: float = 0.21,
        dt: float = 1e-3,
    ) -> int:
        """Press a cylinder in for one step; force, torque and stats are then in the attributes.

        The arguments and the status returned are those of :func:`regolith_terrain.scm.cylinder_wrench`.
        """
        w = self.window
        place, along, speed, turn = (np.array(v, dtype=np.float64) for v in (center, axis, velocity, spin))
        status: int = cylinder_wrench(
            w.base, w.normal, w.level_initial, w.level, w.sinkage_plastic, w.sigma_yield, w.touched, w.i0, w.j0,
            self.spacing, self.parameters, radius, 0.5 * width, place, along, speed, turn, dt, self.mode,
            self.shear, self.scratch.floats, self.scratch.ints, self.force, self.torque, self.stats,
        )  # fmt: skip
        return status

    def plate(
        self,
        center: Sequence[float],
        length: float = 0.21,
        width: float = 0.31,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        dt: float = 1e-3,
    ) -> int:
        """Press a level plate in for one step; ``center`` is that of its lower face, the sides are along x and y."""
        w = self.window
        place, speed = np.array(center, dtype=np.float64), np.array(velocity, dtype=np.float64)
        status: int = plate_wrench(
            w.base, w.normal, w.level_initial, w.level, w.sinkage_plastic, w.sigma_yield, w.touched, w.i0, w.j0,
            self.spacing, self.parameters, 0.5 * length, 0.5 * width, place, speed, np.zeros(3), dt, self.mode,
            self.shear, self.scratch.floats, self.scratch.ints, self.force, self.torque, self.stats,
        )  # fmt: skip
        return status


def press(
    soil_bin: SoilBin,
    step: Callable[[float, float], int],
    load: Callable[[float], float],
    end: float,
    dt: float = 1e-3,
    mass: float = 10.0,
) -> list[Pressed]:
    """Push a vertically guided, weightless body down with a force that varies in time; semi-implicit Euler.

    :param step: takes (height of the lowest point [m], vertical speed [m/s]) and runs the kernel
    :param load: takes the time [s], gives the downward force [N]
    :param end: [s]
    :param mass: [kg]
    :return: a sample every 50 steps
    :raises RuntimeError: if the body leaves the bed
    """
    z = v = 0.0
    samples = []
    for k in range(1, round(end / dt) + 1):
        _check(step(z, v))
        force = float(soil_bin.force[2])
        v += dt * (force - load((k - 1) * dt)) / mass
        z += dt * v
        if k % 50 == 0:
            samples.append(Pressed(k * dt, force, -z))
    return samples


def roll(
    soil_bin: SoilBin,
    load: float,
    slip: float,
    omega: float = 0.8,
    radius: float = 0.25,
    width: float = 0.21,
    dt: float = 1e-3,
) -> Rolled:
    """Run a wheel at prescribed slip, free vertically, on a level bed; semi-implicit Euler.

    The load comes on over 0.5 s, both speeds rise from 1 s to 1.5 s; then the wheel rolls on for three radii, at least
    for 4 s, at most until 30 s.

    :param load: weight on the wheel [N]
    :param slip: 1 - v / (omega radius)
    :param omega: wheel speed [rad/s]
    :raises RuntimeError: if the wheel leaves the bed
    """
    speed = omega * radius * (1.0 - slip)
    end = min(30.0, 1.5 + max(3.0 * radius / speed, 4.0))
    mass = load / _GRAVITY
    x, z, vz = 0.0, radius, 0.0
    total = np.zeros(4)
    count = 0
    for k in range(round(end / dt)):
        t = k * dt
        ramp = min(1.0, max(0.0, (t - 1.0) / 0.5))
        _check(
            soil_bin.wheel(
                (x, 0.0, z),
                velocity=(speed * ramp, 0.0, vz),
                spin=(0.0, omega * ramp, 0.0),
                radius=radius,
                width=width,
                dt=dt,
            )
        )
        vz += dt * (soil_bin.force[2] / mass - _GRAVITY * min(1.0, t / 0.5))
        z += dt * vz
        x += dt * speed * min(1.0, max(0.0, (t + dt - 1.0) / 0.5))
        if t + dt > 1.5 + 0.5 * (end - 1.5):
            total += (soil_bin.force[0], soil_bin.force[2], -soil_bin.torque[1], radius - z)
            count += 1
    return Rolled(*(total / count).tolist())


def _check(status: int) -> None:
    if status != OK:
        raise RuntimeError(f'the body left the bed of soil (status {status}); make the bounds wider')
