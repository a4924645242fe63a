# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Forces on a car within a substep: springs and dampers by their tables, powertrain and brakes.

Source: blundell2014, chapter 6.
Checked by: test_car.py::test_springs_follow_their_table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.curves import interpolated
from regolith_vehicles.dynamics.substeps import BodyArrays
from regolith_vehicles.powertrain.brake import brake
from regolith_vehicles.powertrain.columns import BRAKING, DIRECTION, THROTTLE
from regolith_vehicles.powertrain.powertrain import Powertrain, driveshaft_torque
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Struts(NamedTuple):
    """Springs and dampers of a car."""

    spring: Indices
    """Actuators of the springs, shape (n,)."""
    knots: Floats
    """Length [m] and push [N] of each spring, the last point repeated, shape (n, k, 2)."""
    damper: Indices
    """Actuators of the dampers, shape (m,)."""
    damping: Floats
    """Range [m], compression and rebound coefficients within it and outside [N s/m], shape (m, 6)."""


class CarArrays(NamedTuple):
    """Arguments of :func:`drive`."""

    struts: Struts
    train: Powertrain
    driveshaft: int
    """Actuator of the driveshaft."""
    begin: Floats
    """Command at the start of the cycle, shape (4,)."""
    end: Floats
    """Command at the end of the cycle, shape (4,)."""
    brake_dof: Indices
    """Degrees of freedom of the wheels, shape (w,)."""
    brake_torque: Floats
    """Torque of each wheel's brake at full braking [N m], shape (w,)."""
    drive_ratio: Floats
    """Torque of each wheel divided by the driveshaft's torque [-], shape (w,)."""
    uprights: Indices
    """Body that supports each wheel driven by a half shaft, -1: none; shape (w,)."""
    base: int
    """Body of the chassis."""
    mounted: bool
    """Whether the engine's reaction torque acts on the chassis."""
    state: Floats
    """In/out: state of the powertrain, shape (STATES,)."""
    wound_up: Floats
    """In/out: elastic rotation of each brake [rad], shape (w,)."""


@kernel(views_only=True)
def drive(arrays: CarArrays, step: float, share: float, bodies: BodyArrays) -> None:
    """Set the forces of struts, engine and brakes; see :func:`regolith_vehicles.dynamics.substeps.substep_loop`."""
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
    backwards = arrays.end[DIRECTION] < 0.0
    speed = bodies.actuator_velocity[arrays.driveshaft]
    shaft = driveshaft_torque(arrays.train, arrays.state, throttle, backwards, speed, step)
    bodies.ctrl[arrays.driveshaft] = shaft
    _react(arrays, shaft, bodies)
    for w in range(arrays.brake_dof.shape[0]):
        dof = arrays.brake_dof[w]
        full = arrays.brake_torque[w]
        arrays.wound_up[w], bodies.qfrc_applied[dof] = brake(
            arrays.wound_up[w], bodies.qvel[dof], full, braking * full, step
        )


@kernel(views_only=True)
def _react(arrays: CarArrays, shaft: float, bodies: BodyArrays) -> None:
    """Apply the reactions of half shafts to the chassis, which MuJoCo's joints apply to the uprights.

    The torque by the shafts' own inertia is neglected.

    Args:
        arrays: Arguments of :func:`drive`.
        shaft: Torque on the driveshaft [N m].
        bodies: MuJoCo's structures.
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
    if not arrays.mounted:  # the differentials' housings turn the chassis, without the counter torque of an engine
        for a in range(3):
            applied[base, 3 + a] -= shaft * xmat[base, 3 * a]
