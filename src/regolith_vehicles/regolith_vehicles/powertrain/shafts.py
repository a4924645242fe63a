# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Engine and turbine on separate shafts, with a torque converter or a clutch between them.

The gear connects the turbine to the driveshaft. The torque through it would make both speeds equal by the end of a
step if the wheels turned freely and no other torque acted on the driveshaft. Since the wheels are coupled to the
ground, this takes some steps. Gear changes, which are sudden, are thus impacts that conserve momentum.

Source: blundell2014, section 6.11; rajamani2012, section 5.2.
Checked by: test_powertrain.py::test_converter_multiplies_torque_at_stall_and_couples_at_speed,
test_powertrain.py::test_gear_change_conserves_momentum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.curves import interpolated
from regolith_vehicles.powertrain.columns import ENGINE_SPEED, ENGINE_TORQUE, TURBINE_SPEED
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

COUPLED = 0.01
"""Slip of a converter within which its torque decreases to zero [-]."""
GOVERNOR = 0.1
"""Relative speed below idle at which the governor applies full throttle [-]."""


class TorqueCoupling(NamedTuple):
    """Parameters of engine, coupling and turbine."""

    engine_inertia: float
    """Moment of inertia of the engine [kg m^2]."""
    turbine_inertia: float
    """Moment of inertia of the turbine [kg m^2]."""
    shaft_inertia: float
    """Moment of inertia of the driveshaft for a sudden torque [kg m^2]."""
    idle_speed: float
    """Idle speed of the engine [rad/s]."""
    capacity: Floats
    """Speed ratio and capacity factor of a converter; for a clutch shape (0, 2)."""
    torque_ratio: Floats
    """Speed ratio and torque ratio of a converter."""
    clutch: Floats
    """Torque of a clutch [N m], and engine speeds at which it starts to close and is closed [rad/s], shape (3,)."""


@kernel(views_only=True)
def converted(coupling: TorqueCoupling, engine_speed: float, turbine_speed: float) -> tuple[float, float]:
    """Return the torques that a converter takes from the engine and applies to the turbine [N m].

    T = (w / K)^2 at the engine, with K by the speed ratio, and T times the torque ratio at the turbine. If the turbine
    is faster, the converter brakes: the curves are mirrored at a ratio of 1, and both torques are equal.

    Source: blundell2014, section 6.11.
    Checked by: test_powertrain.py::test_converter_multiplies_torque_at_stall_and_couples_at_speed.
    """
    if engine_speed <= 0.0:
        return 0.0, 0.0
    ratio = max(turbine_speed / engine_speed, 0.0)
    mirrored = max(2.0 - ratio, 0.0) if ratio > 1.0 else ratio
    factor = interpolated(coupling.capacity[:, 0], coupling.capacity[:, 1], mirrored)
    taken = (engine_speed / factor) ** 2 * min(max((1.0 - ratio) / COUPLED, -1.0), 1.0)
    if ratio > 1.0:
        return taken, taken
    return taken, taken * interpolated(coupling.torque_ratio[:, 0], coupling.torque_ratio[:, 1], ratio)


@kernel(views_only=True)
def step_shafts(
    coupling: TorqueCoupling,
    full: Floats,
    losses: Floats,
    state: Floats,
    throttle: float,
    ratio: float,
    shaft_speed: float,
    step: float,
) -> float:
    """Return the torque on the driveshaft [N m], and advance engine and turbine by a step.

    Args:
        coupling: Parameters of engine, coupling and turbine.
        full: Speed [rad/s] and torque [N m] of the engine at full throttle, shape (k, 2).
        losses: Speed [rad/s] and torque [N m] of the engine's losses, shape (k, 2).
        state: In/out: state of the powertrain, shape (STATES,).
        throttle: Throttle, 0 to 1.
        ratio: Driveshaft speed divided by turbine speed [-].
        shaft_speed: Speed of the driveshaft [rad/s].
        step: Step size [s].

    Source: blundell2014, section 6.11.
    Checked by: test_powertrain.py::test_gear_change_conserves_momentum,
    test_powertrain.py::test_clutch_slips_up_to_its_torque.
    """
    engine, turbine = state[ENGINE_SPEED], state[TURBINE_SPEED]
    if coupling.idle_speed > 0.0:
        lacking = (coupling.idle_speed - engine) / (GOVERNOR * coupling.idle_speed)
        throttle = max(throttle, min(max(lacking, 0.0), 1.0))
    made = throttle * interpolated(full[:, 0], full[:, 1], engine) + interpolated(losses[:, 0], losses[:, 1], engine)
    tied = 1.0 / coupling.turbine_inertia + 1.0 / (ratio * ratio * coupling.shaft_inertia)
    if coupling.capacity.shape[0] > 0:
        taken, given = converted(coupling, engine, turbine)
    else:
        begins, ends = coupling.clutch[1], coupling.clutch[2]
        closed = 1.0 if ends <= 0.0 else min(max((engine - begins) / (ends - begins), 0.0), 1.0)
        most = closed * coupling.clutch[0]
        heavy = coupling.turbine_inertia + ratio * ratio * coupling.shaft_inertia
        slip = engine + step * made / coupling.engine_inertia - turbine
        wanted = slip / (step * (1.0 / coupling.engine_inertia + 1.0 / heavy))
        taken = min(max(wanted, -most), most)
        given = taken
    passed = (turbine + step * given / coupling.turbine_inertia - shaft_speed / ratio) / (step * tied)
    state[ENGINE_SPEED] = max(0.0, engine + step * (made - taken) / coupling.engine_inertia)
    state[TURBINE_SPEED] = turbine + step * (given - passed) / coupling.turbine_inertia
    state[ENGINE_TORQUE] = made
    out: float = passed / ratio
    return out
