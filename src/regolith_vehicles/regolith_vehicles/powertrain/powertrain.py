# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Powertrain: throttle to torque on the driveshaft.

Three kinds share a gearbox that shifts without delay:

* Engine maps: two curves of torque over speed, blended by the throttle. The engine speed is the driveshaft speed over
  the gear ratio.
* Shafts: engine and turbine are free, with a converter or a clutch between them
  (:mod:`regolith_vehicles.powertrain.shafts`).
* Electric: as engine maps, with a motor on a battery (:mod:`regolith_vehicles.powertrain.electric`).

An engine brakes by its losses, which vanish at standstill: without throttle a stopped vehicle does not start to move.

Source: blundell2014, section 6.11.
Checked by: test_powertrain.py::test_gearbox_shifts_by_engine_speed,
test_powertrain.py::test_engine_without_throttle_does_not_move_the_vehicle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.curves import interpolated
from regolith_vehicles.powertrain.battery import Battery, make_battery
from regolith_vehicles.powertrain.columns import ENGINE_SPEED, ENGINE_TORQUE, GEAR, SINCE_SHIFT, TURBINE_SPEED
from regolith_vehicles.powertrain.config import (
    RPM,
    BatteryConfig,
    Clutch,
    Converter,
    ElectricMotor,
    EngineMap,
    PowertrainConfig,
    ShaftEngine,
)
from regolith_vehicles.powertrain.electric import Motor, available_torque
from regolith_vehicles.powertrain.shafts import TorqueCoupling, step_shafts
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]

MAPPED, SHAFTS, ELECTRIC = range(3)
"""Kinds of powertrains."""
SLOW = 1.0
"""Engine speed below which the losses decrease to zero [rad/s]."""


class Powertrain(NamedTuple):
    """Parameters of engine or motor, coupling and gearbox; the battery's charge is in/out."""

    kind: int
    idle: Floats
    """Speed [rad/s] and torque [N m] at zero throttle, or losses of a shaft engine, shape (k, 2)."""
    full: Floats
    """Speed [rad/s] and torque [N m] at full throttle, shape (k, 2)."""
    ratio: Floats
    """Driveshaft speed divided by gearbox input speed [-], shape (gears,)."""
    reverse: float
    """Ratio of the reverse gear [-], negative."""
    up: Floats
    """Input speeds above which each gear shifts up [rad/s], the last infinite, shape (gears,)."""
    down: float
    """Input speed below which a gear shifts down [rad/s]."""
    latency: float
    """Minimum time between two gear changes [s]."""
    coupling: TorqueCoupling
    motor: Motor
    battery: Battery
    charge: Floats
    """State of the battery, shape (CHARGE_STATES,)."""


_NO_BATTERY = BatteryConfig(energy_wh=1.0, voltage_v=(1.0, 1.0), resistance_ohm=0.1)


def make_powertrain(
    config: PowertrainConfig, battery: BatteryConfig | None, charge: Floats, shaft_inertia: float
) -> Powertrain:
    """Return a powertrain of a vehicle's file.

    Args:
        config: Configuration of the powertrain.
        battery: Battery of an electric motor; None: the vehicle has no battery.
        charge: State of the battery, which the powertrain changes.
        shaft_inertia: Moment of inertia of the driveshaft for a sudden torque, with free wheels [kg m^2].

    Raises:
        ValueError: If an electric motor has no battery.
    """
    engine, gearbox = config.engine, config.gearbox
    if isinstance(engine, ElectricMotor) and battery is None:
        raise ValueError('an electric motor requires a battery; allowed: only with key battery of the vehicle')
    kind = MAPPED if isinstance(engine, EngineMap) else ELECTRIC if isinstance(engine, ElectricMotor) else SHAFTS
    idle = engine.losses if isinstance(engine, ShaftEngine) else engine.zero_throttle
    return Powertrain(
        kind,
        np.array(idle),
        np.array(engine.full_throttle),
        np.array(gearbox.gears),
        gearbox.reverse,
        np.array([*(RPM * rpm for rpm in gearbox.upshift_rpm), np.inf]),
        RPM * gearbox.downshift_rpm,
        gearbox.shift_latency_s,
        _coupling(config, shaft_inertia),
        _motor(engine),
        make_battery(battery or _NO_BATTERY),
        charge,
    )


def _coupling(config: PowertrainConfig, shaft_inertia: float) -> TorqueCoupling:
    nothing = np.zeros((0, 2))
    engine, coupling, turbine = config.engine, config.coupling, config.gearbox.inertia_kgm2
    if not isinstance(engine, ShaftEngine):
        return TorqueCoupling(1.0, 1.0, 1.0, 0.0, nothing, nothing, np.zeros(3))
    shafts = engine.inertia_kgm2, turbine, shaft_inertia, engine.idle_radps
    if isinstance(coupling, Converter):
        return TorqueCoupling(*shafts, np.array(coupling.capacity_factor), np.array(coupling.torque_ratio), np.zeros(3))
    assert isinstance(coupling, Clutch)
    return TorqueCoupling(*shafts, nothing, nothing, np.array([coupling.torque_nm, *coupling.engagement_speeds_radps]))


def _motor(engine: EngineMap | ShaftEngine | ElectricMotor) -> Motor:
    if not isinstance(engine, ElectricMotor):
        return Motor(1.0, 0.0, 1.0)
    return Motor(engine.torque_constant_nmpa, engine.resistance_ohm, engine.converter_efficiency)


@kernel(views_only=True)
def driveshaft_torque(
    train: Powertrain, state: Floats, throttle: float, backwards: bool, shaft_speed: float, step: float
) -> float:
    """Return the torque on the driveshaft [N m]; shift gears, and advance shafts and battery by a step.

    Args:
        train: Parameters of the powertrain.
        state: In/out: state of the powertrain, shape (STATES,).
        throttle: Throttle, 0 to 1.
        backwards: Whether the reverse gear is selected.
        shaft_speed: Speed of the driveshaft [rad/s].
        step: Step size [s].

    Source: blundell2014, section 6.11.
    Checked by: test_powertrain.py::test_gearbox_shifts_by_engine_speed.
    """
    before = state[TURBINE_SPEED] if train.kind == SHAFTS else state[ENGINE_SPEED]
    gear = max(0, int(state[GEAR]))
    state[SINCE_SHIFT] += step
    if state[SINCE_SHIFT] >= train.latency:
        if before > train.up[gear]:
            gear += 1
            state[SINCE_SHIFT] = 0.0
        elif before < train.down and gear > 0:
            gear -= 1
            state[SINCE_SHIFT] = 0.0
    ratio = train.ratio[gear]
    if backwards:
        gear, ratio = -1, train.reverse
    state[GEAR] = gear
    if train.kind == SHAFTS:
        held: float = step_shafts(train.coupling, train.full, train.idle, state, throttle, ratio, shaft_speed, step)
        return held
    turning = shaft_speed / ratio
    speed = min(abs(turning), train.full[-1, 0])
    idle = interpolated(train.idle[:, 0], train.idle[:, 1], speed)
    if idle < 0.0:
        idle *= min(max(turning / SLOW, -1.0), 1.0)
    full = interpolated(train.full[:, 0], train.full[:, 1], speed)
    engine = idle + (full - idle) * throttle
    if train.kind == ELECTRIC:
        engine = available_torque(train.motor, train.battery, train.charge, engine, turning, step)
    state[ENGINE_SPEED], state[ENGINE_TORQUE] = speed, engine
    out: float = engine / ratio
    return out
