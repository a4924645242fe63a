# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil bin: one wheel or plate on a bed of SCM soil, as in terramechanics laboratories."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regolith_terrain import FlatField, HeightField, load_soil
from regolith_terrain.contact import CONTACT_OK, Shapes, box, cylinder, make_wrench, reach
from regolith_terrain.grid import Floats, SoilGrid
from regolith_terrain.scm import MODES, NOTHING_MOVES, body_wrench, constants, make_scratch, scm_ground

_GRAVITY = 9.81


class Pressed(NamedTuple):
    """One sample of :func:`press`."""

    time: float
    """End of the step [s]."""
    force: float
    """Upward force of the soil at the start of the step [N]."""
    depth: float
    """Depth of the lowest point below z = 0 at the end of the step [m]."""


class Rolled(NamedTuple):
    """Means over the second half of a :func:`roll`."""

    drawbar_pull: float
    """Force of the soil along the direction of travel [N]."""
    normal_force: float
    """Upward force of the soil [N]."""
    driving_torque: float
    """Torque about the axle, positive when driving [N m]."""
    sinkage: float
    """Depth of the wheel's lowest point below z = 0 [m]."""


class SoilBin:
    """A window of soil with the data of the kernels, for one body at a time."""

    def __init__(
        self,
        soil: str | Floats = 'lunar_nominal',
        spacing: float = 0.01,
        mode: str = 'regolith',
        bounds: tuple[int, int, int, int] = (-45, 60, -35, 36),
        field: HeightField | None = None,
        displacement: Floats = NOTHING_MOVES,
    ) -> None:
        """Create the bed.

        Args:
            soil: Name or file of a soil, or parameters of one, shape (9,), or several soils, shape (n, 9). The first
                soil fills the bin; ``ground.region`` places the others.
            spacing: Grid node spacing [m].
            mode: Contact formulation, 'regolith' or 'reference'.
            bounds: Node indices i0, i1, j0, j1 of the bed, i0 <= i < i1.
            field: Surface of the bed; none: level at z = 0.
            displacement: Displacement rules, shape (RULES,).
        """
        given = load_soil(soil).parameters() if isinstance(soil, str) else soil
        self.soils = np.atleast_2d(given)
        self.parameters = self.soils[0]
        self.spacing = spacing
        self.mode = MODES[mode]
        self.displacement = displacement
        self.window = SoilGrid(field if field is not None else FlatField(), spacing).window(*bounds)
        self.ground = scm_ground(self.window)
        self.shear = np.zeros((*self.window.shape, 2))
        self._spread = float(displacement[constants.SPREAD])
        self.scratch = make_scratch(0.5, spacing, self._spread)
        self._wrench = make_wrench()
        self.force, self.torque, self.stats = self._wrench
        self._shapes: dict[tuple[object, ...], Shapes] = {}

    def body(
        self,
        shape: Shapes,
        center: ArrayLike,
        rotation: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
        dt: float = 1e-3,
    ) -> int:
        """Press a body in for one step; the attributes then hold force, torque and statistics.

        Arguments and returned status are those of :func:`regolith_terrain.scm.body_wrench`.
        """
        place, turn, speed, whirl = (np.array(v, dtype=np.float64) for v in (center, rotation, velocity, spin))
        status: int = body_wrench(
            self.ground,
            self.soils,
            self.displacement,
            self.mode,
            dt,
            shape,
            0,
            place,
            turn,
            speed,
            whirl,
            self.shear,
            self.scratch,
            self._wrench,
        )
        return status

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
        """Press a cylinder with a given axis in for one step."""
        key = ('wheel', radius, width)
        if key not in self._shapes:
            self._shapes[key] = self.containing(cylinder(radius, width))
        return self.body(self._shapes[key], center, _with_axle(axis), velocity, spin, dt)

    def plate(
        self,
        center: Sequence[float],
        length: float = 0.21,
        width: float = 0.31,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
        dt: float = 1e-3,
    ) -> int:
        """Press a level plate in for one step; ``center`` is that of its lower face, sides are along x and y.

        The torque is about the center of the plate, 5 cm above.
        """
        key = ('plate', length, width)
        if key not in self._shapes:
            self._shapes[key] = self.containing(box(length, width, 0.1))
        return self.body(self._shapes[key], (center[0], center[1], center[2] + 0.05), velocity=velocity, dt=dt)

    def containing(self, shape: Shapes) -> Shapes:
        """Return the shape after scratch arrays of sufficient size are allocated."""
        needed = make_scratch(reach(shape), self.spacing, self._spread)
        if needed.ints.shape[0] > self.scratch.ints.shape[0]:
            self.scratch = needed
        return shape


def _with_axle(axis: Sequence[float]) -> Floats:
    """Return a rotation whose y axis is the given unit vector."""
    y = np.array(axis, dtype=np.float64)
    other = np.eye(3)[2] if abs(y[2]) < 0.9 else np.eye(3)[0]
    x = np.cross(y, other)
    x /= np.linalg.norm(x)
    return np.ascontiguousarray(np.stack((x, y, np.cross(x, y)), axis=1))


def press(
    soil_bin: SoilBin,
    step: Callable[[float, float], int],
    load: Callable[[float], float],
    end: float,
    dt: float = 1e-3,
    mass: float = 10.0,
) -> list[Pressed]:
    """Press a vertically guided, weightless body with a force that varies in time; semi-implicit Euler.

    Args:
        soil_bin: Bed of soil.
        step: Function of (height of the lowest point [m], vertical speed [m/s]) that runs the kernel.
        load: Function of the time [s] that returns the downward force [N].
        end: End time [s].
        dt: Step size [s].
        mass: Mass of the body [kg].

    Returns:
        Samples, one every 50 steps.

    Raises:
        RuntimeError: If the body leaves the bed.
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
    shape: Shapes | None = None,
) -> Rolled:
    """Run a wheel at prescribed slip, vertically free, on a level bed; semi-implicit Euler.

    Gravity rises over 0.5 s, both speeds rise from 1 s to 1.5 s. The wheel then continues for 0.75 m, for at least 4 s,
    to 30 s at most. It starts above the origin, touching z = 0.

    Args:
        soil_bin: Bed of soil.
        load: Weight on the wheel [N].
        slip: Slip ratio 1 - v / (omega radius), below 1 [-].
        omega: Wheel speed [rad/s].
        radius: Radius of the wheel [m].
        width: Width of the wheel [m].
        dt: Step size [s].
        shape: Shape of the wheel; none: a cylinder.

    Raises:
        RuntimeError: If the wheel leaves the bed.
        ValueError: If the soil cannot support the load.
    """
    speed = omega * radius * (1.0 - slip)
    end = rolling_time(speed)
    mass = load / _GRAVITY
    x, z, vz, angle = 0.0, radius, 0.0, 0.0
    wheel = soil_bin.containing(cylinder(radius, width) if shape is None else shape)
    rotation = np.eye(3)
    total = np.zeros(4)
    count = 0
    for k in range(round(end / dt)):
        t = k * dt
        ramp = min(1.0, max(0.0, (t - 1.0) / 0.5))
        if shape is not None:  # the rotation of a cylinder has no effect
            rotation[0, 0] = rotation[2, 2] = math.cos(angle)
            rotation[0, 2] = math.sin(angle)
            rotation[2, 0] = -rotation[0, 2]
        _check(soil_bin.body(wheel, (x, 0.0, z), rotation, (speed * ramp, 0.0, vz), (0.0, omega * ramp, 0.0), dt))
        vz += dt * (soil_bin.force[2] / mass - _GRAVITY * min(1.0, t / 0.5))
        z += dt * vz
        if z < 0.0:
            raise ValueError(
                f'load {load!r} N sinks the axle of a wheel of {radius!r} m below the surface; allowed: a smaller load'
            )
        ramp = min(1.0, max(0.0, (t + dt - 1.0) / 0.5))
        x += dt * speed * ramp
        angle += dt * omega * ramp
        if t + dt > 1.5 + 0.5 * (end - 1.5):
            total += (soil_bin.force[0], soil_bin.force[2], -soil_bin.torque[1], radius - z)
            count += 1
    return Rolled(*(total / count).tolist())


def rolling_time(speed: float) -> float:
    """Return the end time [s] of a :func:`roll` at a forward speed [m/s]."""
    return min(30.0, 1.5 + max(0.75 / speed, 4.0))


def rolling_bounds(spacing: float, speed: float, radius: float, width: float) -> tuple[int, int, int, int]:
    """Return the bounds of a bed that is sufficient for a :func:`roll`."""
    way = speed * (rolling_time(speed) - 1.25)
    behind = int(math.ceil(constants.BEHIND * radius / spacing))
    side = int(math.ceil(0.5 * width / spacing)) + behind + 4
    back = int(math.ceil(radius / spacing)) + behind + 4
    return -back, back + int(math.ceil(way / spacing)) + 1, -side, side + 1


def _check(status: int) -> None:
    if status != CONTACT_OK:
        raise RuntimeError(f'the body left the bed of soil (status {status}); fix: use wider bounds')
