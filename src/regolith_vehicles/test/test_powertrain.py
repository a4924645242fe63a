# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of powertrains: gears, converter, clutch and electric motor, against their curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.powertrain.battery import DRAWN, RETURNED, full_charge
from regolith_vehicles.powertrain.columns import (
    ENGINE_SPEED,
    ENGINE_TORQUE,
    GEAR,
    SINCE_SHIFT,
    STATES,
    TURBINE_SPEED,
)
from regolith_vehicles.powertrain.config import BatteryConfig, PowertrainConfig
from regolith_vehicles.powertrain.powertrain import Powertrain, driveshaft_torque, make_powertrain
from regolith_vehicles.powertrain.shafts import converted

STEP = 1e-3
FLAT = [[0.0, 100.0], [300.0, 100.0]]
NONE = [[0.0, 0.0], [300.0, 0.0]]
ONE_GEAR = {'gears': [0.2], 'reverse': -0.2, 'upshift_rpm': [], 'downshift_rpm': 1.0}
BATTERY = BatteryConfig(energy_wh=100.0, voltage_v=(300.0, 300.0), resistance_ohm=0.5)


def made(
    engine: dict[str, Any], gearbox: dict[str, Any] = ONE_GEAR, shaft_inertia: float = 10.0, **more: Any
) -> Powertrain:
    config = PowertrainConfig.model_validate({'engine': engine, 'gearbox': gearbox, **more})
    return make_powertrain(config, BATTERY, full_charge(BATTERY), shaft_inertia)


def shafts(coupling: dict[str, Any], shaft_inertia: float = 10.0, **engine: Any) -> Powertrain:
    """Return an engine of 100 N m and 2 kg m^2, and two gears on a shaft of 0.5 kg m^2."""
    of = {'type': 'shaft', 'inertia_kgm2': 2.0, 'full_throttle': FLAT, 'losses': NONE, **engine}
    gearbox = {'gears': [0.2, 0.4], 'reverse': -0.2, 'upshift_rpm': [1000.0], 'downshift_rpm': 1.0, 'inertia_kgm2': 0.5}
    return made(of, gearbox, shaft_inertia, coupling=coupling)


CONVERTER = {
    'type': 'converter',
    'capacity_factor': [[0, 10], [0.8, 12], [1, 30]],
    'torque_ratio': [[0, 2.0], [0.8, 1.0], [1, 1.0]],
}


def test_gearbox_shifts_by_engine_speed() -> None:
    rpm = 30.0 / np.pi
    gearbox = {
        'gears': [0.2, 0.4, 0.8],
        'reverse': -0.2,
        'upshift_rpm': [200.0 * rpm, 210.0 * rpm],
        'downshift_rpm': 90.0 * rpm,
    }
    train = made({'type': 'map', 'zero_throttle': NONE, 'full_throttle': FLAT}, gearbox)
    state = np.zeros(STATES)
    gears, torques = [], []
    for shaft in np.linspace(0.0, 160.0, 321):
        torques.append(driveshaft_torque(train, state, 0.5, False, shaft, STEP))
        gears.append(int(state[GEAR]))
    # Up at 200 rad/s in the first gear, 40 on the shaft, and at 210 in the second, 84; one substep late.
    changes = [0.5 * k for k in range(1, 321) if gears[k] != gears[k - 1]]
    assert changes == [41.0, 85.0] and gears[-1] == 2
    assert torques[0] == pytest.approx(50.0 / 0.2) and torques[-1] == pytest.approx(50.0 / 0.8)
    for shaft in np.linspace(160.0, 0.0, 321):
        driveshaft_torque(train, state, 0.0, False, shaft, STEP)
        gears.append(int(state[GEAR]))
    assert gears[-1] == 0 and state[ENGINE_SPEED] == 0.0
    assert driveshaft_torque(train, state, 0.0, False, 100.0, STEP) == 0.0
    assert (
        driveshaft_torque(train, state, 1.0, True, -10.0, STEP) == pytest.approx(-100.0 / 0.2) and state[GEAR] == -1.0
    )


def test_upshift_waits_for_the_latency() -> None:
    gearbox = {
        'gears': [0.2, 0.4],
        'reverse': -0.2,
        'upshift_rpm': [100.0],
        'downshift_rpm': 50.0,
        'shift_latency_s': 0.5,
    }
    train, state = made({'type': 'map', 'zero_throttle': NONE, 'full_throttle': FLAT}, gearbox), np.zeros(STATES)
    changes, gear = [], 0.0
    for k in range(2000):
        # Fast for a time, then slow: 200 rad/s of the engine in first gear, 5 in second.
        driveshaft_torque(train, state, 0.5, False, 40.0 if k < 100 or k > 700 else 2.0, STEP)
        if state[GEAR] != gear:
            changes.append(k)
            gear = state[GEAR]
    # The first shift is 0.5 s after the start at the earliest, by the engine speed at that time.
    assert changes == [702]
    assert state[SINCE_SHIFT] == pytest.approx(2.0 - 0.703, abs=2e-3)


@pytest.mark.parametrize('vehicle', ['hmmwv', 'm113'])
def test_engine_without_throttle_does_not_move_the_vehicle(vehicle: str) -> None:
    """The table of Chrono's engine gives -2.2 N m at rest, so that its parked car moves backward (V3)."""
    config, _ = load_vehicle_model(vehicle)
    assert config.running_gear is not None
    for given in config.running_gear.parameters['powertrains'].values():
        train = make_powertrain(PowertrainConfig.model_validate(given), None, np.zeros(0), 1.0)
        for backwards in (False, True):
            assert driveshaft_torque(train, np.zeros(STATES), 0.0, backwards, 0.0, STEP) == 0.0
        if train.idle[:, 1].min() < 0.0 and train.kind == 0:
            # Rotation is braked in both directions.
            for speed in (5.0, -5.0):
                assert driveshaft_torque(train, np.zeros(STATES), 0.0, False, speed, STEP) * speed < 0.0


def test_converter_multiplies_torque_at_stall_and_couples_at_speed() -> None:
    coupling = shafts(CONVERTER).coupling
    assert converted(coupling, 100.0, 0.0) == pytest.approx((100.0, 200.0))  # (100 / 10)^2, twice at the turbine.
    assert converted(coupling, 100.0, 80.0) == pytest.approx(((100.0 / 12.0) ** 2,) * 2)
    taken, given = converted(coupling, 100.0, 150.0)  # The turbine drives the engine.
    assert taken == given == pytest.approx(-((100.0 / (10.0 + 2.0 * 0.5 / 0.8)) ** 2))
    assert converted(coupling, 100.0, 100.0) == pytest.approx((0.0, 0.0)) and converted(coupling, 0.0, 9.0) == (
        0.0,
        0.0,
    )
    # Input power minus output power is heat.
    for turbine in np.linspace(0.0, 190.0, 39):
        taken, given = converted(coupling, 100.0, turbine)
        assert taken * 100.0 - given * turbine >= -1e-9

    # Held by its brakes, the engine reaches the speed at which the converter takes all its torque: K sqrt(T).
    train, state = shafts(CONVERTER), np.zeros(STATES)
    for _ in range(20_000):
        pull = driveshaft_torque(train, state, 1.0, False, 0.0, STEP)
    assert state[ENGINE_SPEED] == pytest.approx(10.0 * np.sqrt(100.0), rel=2e-3)
    assert pull == pytest.approx(2.0 * 100.0 / 0.2, rel=0.01) and abs(state[TURBINE_SPEED]) < 1.0


def turned(
    train: Powertrain, state: np.ndarray, throttle: float, steps: int, inertia: float, speed: float = 0.0
) -> float:
    """Return the speed of a driveshaft of given inertia that only the powertrain accelerates."""
    for _ in range(steps):
        speed += STEP * driveshaft_torque(train, state, throttle, False, speed, STEP) / inertia
    return speed


def test_gear_change_conserves_momentum() -> None:
    """Turbine and driveshaft turn alike, except for one step; a change of gears is an impact between them."""
    for felt in (10.0, 4.0):  # Of 10 kg m^2, a sudden torque accelerates all or a part.
        train, state = shafts(CONVERTER, felt), np.zeros(STATES)
        speed = turned(train, state, 1.0, 300, 10.0)
        assert state[GEAR] == 0.0 and state[TURBINE_SPEED] == pytest.approx(speed / 0.2, rel=0.02)
        # Into second gear without the engine: 0.5 w_t + L / 0.4 is conserved, 10 w_s of it at the driveshaft.
        state[GEAR], state[ENGINE_SPEED], state[SINCE_SHIFT] = 1.0, 0.0, 0.0
        before = 0.5 * state[TURBINE_SPEED] + 0.4 * 10.0 * speed
        after = turned(train, state, 0.0, 40, 10.0, speed)
        assert state[TURBINE_SPEED] == pytest.approx(after / 0.4, rel=1e-3)
        assert 0.5 * state[TURBINE_SPEED] + 0.4 * 10.0 * after == pytest.approx(before, rel=1e-9)


def test_engine_work_goes_into_its_shafts() -> None:
    """Without ground, engine work minus converter heat is the energy of engine, turbine and shaft."""
    train, state = shafts(CONVERTER), np.zeros(STATES)
    speed, work, heat = 0.0, 0.0, 0.0
    for _ in range(6000):
        before = state.copy()
        taken, given = converted(train.coupling, before[ENGINE_SPEED], before[TURBINE_SPEED])
        speed += STEP * driveshaft_torque(train, state, 1.0, False, speed, STEP) / 10.0
        engine, turbine = 0.5 * (before + state)[[ENGINE_SPEED, TURBINE_SPEED]]
        work += STEP * state[ENGINE_TORQUE] * engine
        heat += STEP * (taken * engine - given * turbine)
    stored = 0.5 * (2.0 * state[ENGINE_SPEED] ** 2 + 0.5 * state[TURBINE_SPEED] ** 2 + 10.0 * speed**2)
    assert state[GEAR] == 1.0 and heat > 0.05 * work
    # The change of gears is an impact, which loses energy; nothing else does.
    lost = work - heat - stored
    assert 0.0 < lost < 0.1 * work


def test_clutch_slips_up_to_its_torque() -> None:
    clutch = {'type': 'clutch', 'torque_nm': 20.0, 'engagement_speeds_radps': [0, 0]}
    train, state = shafts(clutch), np.zeros(STATES)
    # 100 N m, of which it passes 20 while it slips: 80 accelerate the engine of 2 kg m^2.
    speed = turned(train, state, 1.0, 500, 10.0)
    assert state[ENGINE_SPEED] == pytest.approx(0.5 * 80.0 / 2.0, rel=1e-6)
    assert speed == pytest.approx(0.5 * (20.0 / 0.2) / (10.0 + 0.5 / 0.2**2), rel=0.01)
    # A stronger clutch couples the shaft behind it rigidly.
    train, state = shafts({**clutch, 'torque_nm': 500.0}), np.zeros(STATES)
    speed = turned(train, state, 1.0, 500, 10.0)
    assert state[ENGINE_SPEED] == pytest.approx(speed / 0.2, rel=0.01)
    assert speed == pytest.approx(0.5 * (100.0 / 0.2) / (10.0 + 2.5 / 0.2**2), rel=0.01)
    # Open below 50 rad/s: the engine idles, and nothing moves.
    train, state = shafts({**clutch, 'engagement_speeds_radps': [50.0, 80.0]}, idle_radps=40.0), np.zeros(STATES)
    assert turned(train, state, 0.0, 3000, 10.0) == 0.0
    assert 35.0 < state[ENGINE_SPEED] < 50.0


def test_motor_draws_work_and_losses_from_the_battery() -> None:
    motor = {
        'type': 'electric',
        'full_throttle': FLAT,
        'zero_throttle': [[0.0, -20.0], [300.0, -20.0]],
        'torque_constant_nmpa': 0.5,
        'resistance_ohm': 0.05,
        'converter_efficiency': 0.9,
    }
    train, state = made(motor), np.zeros(STATES)
    # 100 N m at 40 rad/s: 4 kW of work, 200 A that heat by 2 kW, 90 % of what the battery supplies.
    assert driveshaft_torque(train, state, 1.0, False, 8.0, 1.0) == pytest.approx(100.0 / 0.2)
    assert train.charge[DRAWN] == pytest.approx(6000.0 / 0.9, rel=1e-9)
    # Without throttle it takes 20 N m: 800 W less 80 W of heat, 90 % of which is recovered.
    assert driveshaft_torque(train, state, 0.0, False, 8.0, 1.0) == pytest.approx(-20.0 / 0.2)
    assert train.charge[RETURNED] == pytest.approx(0.9 * (800.0 - 80.0), rel=1e-9)
    assert driveshaft_torque(train, state, 1.0, True, 8.0, 1.0) == pytest.approx(-500.0)
    # At 300 rad/s it would take 36 kW; the battery has 300^2 / (4 x 0.5) = 45 kW, at 100 V half of that and less.
    assert driveshaft_torque(train, state, 1.0, False, 60.0, STEP) == pytest.approx(500.0)
    weak = BatteryConfig(energy_wh=100.0, voltage_v=(100.0, 100.0), resistance_ohm=0.5)
    train = train._replace(
        battery=train.battery._replace(empty_voltage=100.0, full_voltage=100.0), charge=full_charge(weak)
    )
    held = driveshaft_torque(train, state, 1.0, False, 60.0, STEP) * 0.2
    assert 10.0 < held < 16.0
    assert train.charge[DRAWN] == pytest.approx(STEP * (held * 300.0 + 0.05 * (held / 0.5) ** 2) / 0.9, rel=1e-9)
    # An empty battery supplies nothing.
    train.charge[:] = 0.0
    assert driveshaft_torque(train, state, 1.0, False, 8.0, STEP) == 0.0


def test_downshift_waits_for_the_latency() -> None:
    """Braked suddenly from the highest gear: one gear for each latency of 0.5 s, as for upshifts."""
    gearbox = {
        'gears': [0.2, 0.4, 0.8],
        'reverse': -0.2,
        'upshift_rpm': [2000.0, 2000.0],
        'downshift_rpm': 500.0,
        'shift_latency_s': 0.5,
    }
    train, state = made({'type': 'map', 'zero_throttle': NONE, 'full_throttle': FLAT}, gearbox), np.zeros(STATES)
    state[GEAR], state[SINCE_SHIFT] = 2, 1.0
    changes, gear = [], 2.0
    for k in range(1500):
        driveshaft_torque(train, state, 0.0, False, 1.0, STEP)
        if state[GEAR] != gear:
            changes.append((k, gear - state[GEAR]))
            gear = state[GEAR]
    # The engine speed is that of the substep before; 500 substeps of 1 ms lie between.
    assert changes == [(0, 1.0), (500, 1.0)] or changes == [(1, 1.0), (501, 1.0)]
    assert state[SINCE_SHIFT] == pytest.approx(1.5 - changes[1][0] * STEP, abs=2e-3)
