# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tire on a virtual test rig: steady forces, load curve, response to a prescribed motion."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_files import FileLibrary, InputError, Problem, YamlSource, allowed_names
from regolith_vehicles.tires.config import RingConfig, TireConfig, read_tire
from regolith_vehicles.tires.constants import DEEPEST, TIRE_RECORD
from regolith_vehicles.tires.force import MEMORY, Contact, tire_force
from regolith_vehicles.tires.load_curve import rolling_radius, static_depth, vertical_load
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

TIRES = FileLibrary('tire', Path(__file__).parent / 'data', 'regolith.tires')
BEHAVIORS = ('regolith', 'reference')
NAMES = ('Fx', 'Fy', 'Mx', 'My', 'Mz')
_LIMITS = {
    'friction': (0.0, 10.0, 'above 0, below 10'),
    'dt': (-1e-300, math.inf, 'at least 0'),
    'slip_angle': (-0.5 * math.pi, 0.5 * math.pi, 'less than a right angle in both directions'),
    'camber': (-0.5 * math.pi, 0.5 * math.pi, 'less than a right angle in both directions'),
}
"""Limits of arguments: both excluded, and their description."""


def _sensible(**given: Floats) -> None:
    """Refuse values that are out of range.

    Args:
        **given: Values by the name of the argument.

    Raises:
        ValueError: If a value is out of range; names the argument, its value and the allowed range.
    """
    for name, values in given.items():
        low, high, allowed = _LIMITS.get(name, (-math.inf, math.inf, 'finite numbers'))
        good = np.isfinite(values) & (values > low) & (values < high)
        if not good.all():
            raise ValueError(f'{name} is {values[~good].ravel()[0]:g}; allowed: {allowed}')


class Tire:
    """One tire.

    Contact frame (ISO): x forward, y left, z up; forces act on the wheel, moments about the contact.
    """

    def __init__(self, config: TireConfig, behavior: str = 'regolith') -> None:
        """Make a tire.

        Args:
            config: Configuration of the tire.
            behavior: 'regolith', or 'reference': Chrono's tires, including their errors.

        Raises:
            InputError: If the mode is unknown.
        """
        if behavior not in BEHAVIORS:
            raise InputError(
                Problem('tire', 'behavior', 'is unknown', allowed_names(BEHAVIORS, behavior), str(behavior))
            )
        self.config = config
        self.record = np.zeros(1, TIRE_RECORD)
        self.record[0] = config.record()
        self.record['reference'] = behavior == 'reference'

    def depth(self, load: ArrayLike) -> Floats:
        """Return the penetration [m] at which the tire supports a load at rest [N], NaN if none does."""
        loads = np.asarray(load, dtype=np.float64)
        return np.array([static_depth(self.record[0], value) for value in loads.flat]).reshape(loads.shape)

    def vertical(self, *, height: ArrayLike, speed_z: ArrayLike = 0.0, camber: ArrayLike = 0.0) -> dict[str, Floats]:
        """Return ``Fz`` [N] and ``depth`` [m] on level ground; the arguments broadcast.

        Args:
            height: Height of the wheel center above the ground [m].
            speed_z: Vertical speed of the wheel center, upward [m/s].
            camber: Camber [rad].
        """
        heights, speeds, cambers = np.broadcast_arrays(*(np.asarray(v, float) for v in (height, speed_z, camber)))
        _sensible(height=heights, speed_z=speeds, camber=cambers)
        out = np.array(
            [_vertical(self.record[0], *given) for given in zip(heights.flat, speeds.flat, cambers.flat, strict=True)]
        ).reshape(-1, 2)
        return {'Fz': out[:, 0].reshape(heights.shape), 'depth': out[:, 1].reshape(heights.shape)}

    def steady_state(
        self,
        *,
        load: ArrayLike,
        slip: ArrayLike = 0.0,
        slip_angle: ArrayLike = 0.0,
        camber: ArrayLike = 0.0,
        speed: ArrayLike = 10.0,
        friction: ArrayLike = 0.8,
    ) -> dict[str, Floats]:
        """Return ``Fx``, ``Fy`` [N], ``Mx``, ``My``, ``Mz`` [N m] in steady state; the arguments broadcast.

        The wheel turns at (1 + slip) speed over the rolling radius and moves sideways at speed times tan(slip_angle).

        Args:
            load: Load [N].
            slip: Slip ratio [-], positive for driving.
            slip_angle: Slip angle [rad], positive if the wheel moves to the left.
            camber: Camber [rad], positive if the top leans to the right.
            speed: Forward speed of the wheel center [m/s].
            friction: Friction coefficient of the ground [-].

        Raises:
            ValueError: If the tire supports a load at no penetration.
        """
        given = np.broadcast_arrays(*(np.asarray(v, float) for v in (load, slip, slip_angle, camber, speed, friction)))
        names = ('load', 'slip', 'slip_angle', 'camber', 'speed', 'friction')
        _sensible(**dict(zip(names, given, strict=True)))
        self._carries(given[0])
        shape = given[0].shape
        table = np.stack([value.ravel() for value in given], axis=1)
        out = np.zeros((len(table), len(NAMES)))
        _steady(self.record, table, out)
        return {name: out[:, k].reshape(shape) for k, name in enumerate(NAMES)}

    def _carries(self, loads: Floats) -> None:
        """Refuse tires without curves of slip, and loads that the tire does not support.

        Args:
            loads: Loads [N].

        Raises:
            ValueError: If the tire is a ring, or a load is too large; names the load and the maximum.
        """
        if isinstance(self.config, RingConfig):
            raise ValueError('tire of type ring has no curves of slip; allowed: the other types')
        most = float(self.record[0]['radius']) * DEEPEST
        if len(loads.ravel()) and not float(self.depth(loads.max())) <= most:
            carried = vertical_load(self.record[0], most, 0.0)
            last = self.config.load_curve[-1][1]
            if last < carried and not math.isfinite(float(self.depth(carried))):
                carried = last
            raise ValueError(
                f'load of {float(loads.max()):g} N exceeds the load capacity; allowed: up to {carried:g} N'
            )

    def start(self, *, load: float, camber: float = 0.0, friction: float = 0.8) -> RollingTire:
        """Return the undeflected tire under a constant load [N].

        Args:
            load: Load [N].
            camber: Camber [rad].
            friction: Friction coefficient of the ground [-].

        Raises:
            ValueError: If the tire does not support the load, or a value is out of range.
        """
        _sensible(load=np.array([load]), camber=np.array([camber]), friction=np.array([friction]))
        self._carries(np.array([load]))
        return RollingTire(self, float(load), float(camber), float(friction))


class RollingTire:
    """Tire under a constant load, with a memory of its deflections."""

    def __init__(self, tire: Tire, load: float, camber: float, friction: float) -> None:
        self.tire = tire
        self.load, self.camber, self.friction = load, camber, friction
        self.depth = float(static_depth(tire.record[0], load))
        self.rolling_radius = float(rolling_radius(tire.record[0], self.depth))
        self.memory = np.zeros(MEMORY)

    def step(self, dt: float, vx: float, vy: float, omega: float) -> dict[str, float]:
        """Return force and moments of a motion, and advance the tire by a step.

        Args:
            dt: Step size [s]; 0: steady-state force without lag.
            vx: Forward velocity of the wheel center [m/s].
            vy: Velocity of the wheel center to the left [m/s].
            omega: Angular speed of the wheel [rad/s], positive for forward rolling.
        """
        if not (dt >= 0.0 and math.isfinite(dt + vx + vy + omega)):
            _sensible(dt=np.array([dt]), vx=np.array([vx]), vy=np.array([vy]), omega=np.array([omega]))
        out = np.zeros(len(NAMES))
        contact = Contact(self.load, self.depth, float(vx), float(vy), float(omega), self.camber, self.friction)
        tire_force(self.tire.record[0], contact, float(dt), self.memory, out)
        return dict(zip(NAMES, out.tolist(), strict=True))


def load_tire(name_or_path: str | Path, behaviour: str = 'regolith', *, base_dir: str | Path = '.') -> Tire:
    """Return a tire by its name or the path of its YAML file.

    Args:
        name_or_path: Name of a known tire, or path of a YAML file.
        behaviour: Mode of the tire; see :class:`Tire`.
        base_dir: Folder to which a relative path refers.

    Raises:
        InputError: If the file is invalid; names file, key, value and allowed values.
    """
    return Tire(read_tire(YamlSource(TIRES.find(name_or_path, base_dir), what='a tire')), behaviour)


@kernel
def penetration(p: Any, height: float, camber: float) -> float:
    """Return the penetration [m] of a tire whose center is at ``height`` [m] above the ground, in the wheel's plane.

    The reference neglects R (1 - cos) of it for a leaning wheel.

    Source: pacejka2012, section 4.3.1.
    Checked by: test_tires.py::test_load_curves_agree_with_the_reference,
    test_tires.py::test_leaning_tire_penetration_is_in_its_plane.
    """
    c, s = math.cos(camber), math.sin(camber)
    depth: float
    if p.reference:
        depth = p.radius * c - height * c - p.radius * s * s
    else:
        depth = p.radius - height / c
    return depth


@kernel
def _vertical(p: Any, height: float, speed_z: float, camber: float) -> tuple[float, float]:
    """Return load [N] and penetration [m]."""
    depth = max(0.0, penetration(p, height, camber))
    return vertical_load(p, depth, speed_z * (math.cos(camber) if p.reference else 1.0)), depth


@kernel
def _steady(record: Any, given: Floats, out: Floats) -> bool:
    """Write the forces for each row of load, slip, slip angle, camber, speed and friction; return whether all exist."""
    p = record[0]
    memory = np.zeros(MEMORY)
    for n in range(given.shape[0]):
        load, slip, alpha, camber, speed, friction = given[n]
        depth = static_depth(p, load)
        if math.isnan(depth):
            return False
        spin = (1.0 + slip) * speed / rolling_radius(p, depth)
        tire_force(p, Contact(load, depth, speed, speed * math.tan(alpha), spin, camber, friction), 0.0, memory, out[n])
    return True
