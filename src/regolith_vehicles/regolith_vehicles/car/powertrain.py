# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What moves a car within a substep: springs and dampers by their tables, engine, gearbox and brakes.

The engine's torque comes from two maps over its speed, blended by the throttle; its speed is the driveshaft's over the
ratio of the gear. Gears change at once, by the engine's speed of the substep before. A brake is an elastic that winds
up until it bears the brake's torque, and then slides: so it holds a car that stands, without creep.

Source: blundell2014, chapter 6.
Checked by: test_car.py::test_a_gearbox_changes_by_the_speed_of_its_engine,
test_car.py::test_springs_push_by_their_table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_vehicles.car.config import RPM, EngineMap, Gearbox
from regolith_vehicles.curves import interpolated
from regolith_vehicles.substeps import Bodies

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

STEERING, THROTTLE, BRAKING, DIRECTION = range(4)
"""Columns of a car's command: -1 (right) to 1, 0 to 1, 0 to 1; forward gears from 0 on, else the reverse gear."""
WIND_UP = 0.01
"""Turn of a wheel against its fully pressed brake before this slides [rad]."""
DAMPING_TIME = 0.005
"""Damping of that elastic over its stiffness [s]."""
GEAR, ENGINE_SPEED, ENGINE_TORQUE = range(3)
"""Columns of the powertrain's state: gear from 0 on, speed [rad/s], torque [N m]."""


class Struts(NamedTuple):
    """Springs and dampers."""

    spring: Indices
    """Actuators of the springs, shape (n,)."""
    knots: Floats
    """Length [m] and push [N] of each, the last repeated, shape (n, k, 2)."""
    damper: Indices
    """Actuators of the dampers, shape (m,)."""
    damping: Floats
    """Range [m], compression and rebound within it and outside [N s/m], shape (m, 6)."""


class Powertrain(NamedTuple):
    """Engine and gearbox."""

    idle: Floats
    """Speed [rad/s] and torque [N m] without throttle, shape (k, 2)."""
    full: Floats
    """The same at full throttle."""
    ratio: Floats
    """Driveshaft's speed over the engine's, shape (gears,)."""
    reverse: float
    """The same of the reverse gear, negative."""
    up: Floats
    """Engine speeds above which a gear goes up [rad/s], the last infinite, shape (gears,)."""
    down: float
    """Below which it goes down [rad/s]."""
    driveshaft: int
    """Actuator of the driveshaft."""


def make_powertrain(engine: EngineMap, gearbox: Gearbox, driveshaft: int = -1) -> Powertrain:
    """Return the powertrain of a vehicle's file.

    :param driveshaft: its actuator; -1: it has none, and whoever drives takes the torque himself
    """
    return Powertrain(
        np.array(engine.idle), np.array(engine.full), np.array(gearbox.gears), gearbox.reverse,
        np.array([*(RPM * rpm for rpm in gearbox.up_rpm), np.inf]), RPM * gearbox.down_rpm, driveshaft,
    )


class CarArrays(NamedTuple):
    """Arguments of :func:`drive`."""

    struts: Struts
    train: Powertrain
    begin: Floats
    """Command at the start of the cycle, shape (4,)."""
    end: Floats
    """Command at its end."""
    brake_dof: Indices
    """Degrees of freedom of the wheels, shape (w,)."""
    brake_torque: Floats
    """Of each at full braking [N m]."""
    drive_ratio: Floats
    """Torque of each wheel over the driveshaft's, shape (w,)."""
    uprights: Indices
    """Body that bears each wheel driven by a half shaft, -1: none."""
    base: int
    """Body of the chassis."""
    mounted: bool
    """Whether the chassis bears the engine's reaction."""
    state: Floats
    """In/out, shape (3,)."""
    wound_up: Floats
    """In/out: elastic part of each brake's turn [rad], shape (w,)."""


@njit(cache=True, nogil=True, error_model='numpy')
def drive(arrays: CarArrays, step: float, share: float, bodies: Bodies) -> None:
    """Set the forces of struts, engine and brakes; see :func:`regolith_vehicles.substeps.substep_loop`."""
    struts = arrays.struts
    for n in range(struts.spring.shape[0]):
        a = struts.spring[n]
        bodies.ctrl[a] = interpolated(struts.knots[n, :, 0], struts.knots[n, :, 1], bodies.actuator_length[a])
    for n in range(struts.damper.shape[0]):
        a = struts.damper[n]
        row = struts.damping[n]
        inside = row[0] <= bodies.actuator_length[a] <= row[1]
        rate = bodies.actuator_velocity[a]
        column = (2 if inside else 4) + (0 if rate < 0.0 else 1)
        bodies.ctrl[a] = -row[column] * rate
    throttle = arrays.begin[THROTTLE] + (arrays.end[THROTTLE] - arrays.begin[THROTTLE]) * share
    braking = arrays.begin[BRAKING] + (arrays.end[BRAKING] - arrays.begin[BRAKING]) * share
    train, state = arrays.train, arrays.state
    backwards = arrays.end[DIRECTION] < 0.0
    shaft = torque(train, state, throttle, backwards, bodies.actuator_velocity[train.driveshaft])
    bodies.ctrl[train.driveshaft] = shaft
    _react(arrays, shaft, bodies)
    for w in range(arrays.brake_dof.shape[0]):
        dof = arrays.brake_dof[w]
        full = arrays.brake_torque[w]
        limit, speed = braking * full, bodies.qvel[dof]
        arrays.wound_up[w], bodies.qfrc_applied[dof] = brake(arrays.wound_up[w], speed, full, limit, step)


@njit(cache=True, nogil=True, error_model='numpy')
def brake(wound_up: float, speed: float, full: float, limit: float, step: float) -> tuple[float, float]:
    """Return the elastic part of a brake's turn after a step [rad], and its torque [N m].

    :param wound_up: before the step [rad]
    :param speed: of the wheel [rad/s]
    :param full: torque at full braking [N m]; ``limit``: as braked now

    Source: dahl1968; dupont2002.
    Checked by: test_car.py::test_a_brake_holds_up_to_its_torque.
    """
    if limit <= 0.0:
        return 0.0, 0.0
    stiffness = full / WIND_UP
    most = limit / stiffness
    wound_up = min(max(wound_up + step * speed, -most), most)
    against = stiffness * (wound_up + DAMPING_TIME * speed)
    return wound_up, -min(max(against, -limit), limit)


@njit(cache=True, nogil=True, error_model='numpy')
def _react(arrays: CarArrays, shaft: float, bodies: Bodies) -> None:
    """Let the chassis bear what half shafts do to the wheels, which MuJoCo's joints leave to the uprights.

    The torque that shafts lose or gain on their own inertia is left out.

    :param shaft: torque on the driveshaft [N m]
    """
    applied, xmat, base = bodies.xfrc_applied, bodies.xmat, arrays.base
    for w in range(arrays.uprights.shape[0]):
        b = arrays.uprights[w]
        if b < 0:
            continue
        turn = shaft * arrays.drive_ratio[w]
        for a in range(3):
            applied[b, 3 + a] += turn * xmat[b, 3 * a + 1]
            applied[base, 3 + a] -= turn * xmat[base, 3 * a + 1]
    if not arrays.mounted:  # the differentials' boxes turn the chassis, and no engine turns it back
        for a in range(3):
            applied[base, 3 + a] -= shaft * xmat[base, 3 * a]


@njit(cache=True, nogil=True, error_model='numpy')
def torque(train: Powertrain, state: Floats, throttle: float, backwards: bool, shaft_speed: float) -> float:
    """Return the torque on the driveshaft [N m], and change gears.

    :param state: in/out, shape (3,); the gear is -1 in reverse
    :param shaft_speed: of the driveshaft [rad/s]

    Source: blundell2014, section 6.11.
    Checked by: test_car.py::test_a_gearbox_changes_by_the_speed_of_its_engine.
    """
    gear = max(0, int(state[GEAR]))
    if state[ENGINE_SPEED] > train.up[gear]:
        gear += 1
    elif state[ENGINE_SPEED] < train.down and gear > 0:
        gear -= 1
    ratio = train.ratio[gear]
    if backwards:
        gear, ratio = -1, train.reverse
    speed = min(abs(shaft_speed / ratio), train.full[-1, 0])
    idle = interpolated(train.idle[:, 0], train.idle[:, 1], speed)
    full = interpolated(train.full[:, 0], train.full[:, 1], speed)
    engine = idle + (full - idle) * throttle
    state[GEAR], state[ENGINE_SPEED], state[ENGINE_TORQUE] = gear, speed, engine
    out: float = engine / ratio
    return out
