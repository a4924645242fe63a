# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of a proving ground run by the names used in reference tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from regolith_testbeds.proving_ground.drive import Drive
from regolith_testbeds.proving_ground.settings import Settings

Floats = NDArray[np.float64]

GRAVITY = 9.81
_WHEELBASE = 3.302
"""Wheelbase in the names of the reference's understeer gradients [m]."""


def results(s: Settings, drive: Drive) -> dict[str, float]:
    """Return the results of a maneuver by name. Results that it did not reach are omitted.

    Source: blundell2014, chapter 7.
    Checked by: test_proving_ground.py::test_results_match_a_synthetic_drive.
    """
    if s.family == 'tracks':
        return _tracked(s, drive)
    of: dict[str, Callable[[Settings, Drive], dict[str, float]]] = {
        'settle': _settled,
        'straight': _settled,
        'step_steer': _stepped,
        'circle': _circled,
        'brake': _braked,
        'accelerate': _accelerated,
        'box': _crossed,
        'pivot': _turned,
    }
    return {name: value for name, value in of[s.maneuver](s, drive).items() if math.isfinite(value)}


_TRACKED = {
    'vx': 'vx_mps',
    'yaw rate': 'yaw_rate_radps',
    'sprocket speed L': 'spk_omega_L',
    'sprocket speed R': 'spk_omega_R',
    'sprocket torque L': 'spk_torque_L_Nm',
    'sprocket torque R': 'spk_torque_R_Nm',
    'pin force L': 'tension_mean_L_N',
    'pin force R': 'tension_mean_R_N',
    'pitch': 'pitch_deg',
    'ground Fx': 'ground_Fx_N',
}


def _tracked(s: Settings, drive: Drive) -> dict[str, float]:
    """Return means over each second; for maneuver settle, means over all but the first second."""
    end = float(drive['t_s'][-1])
    if s.maneuver == 'settle':
        names = (
            'z_m',
            'pitch_deg',
            'roll_deg',
            'ground_Fz_N',
            'tension_mean_L_N',
            'tension_mean_R_N',
            'tensioner_len_L_m',
            'tensioner_len_R_m',
            'tensioner_F_L_N',
            'tensioner_F_R_N',
        )
        arms = (name for name in drive.columns if name.startswith(('arm', 'wheelFz')))
        return {f'{name} mean 1-{end:g} s': _mean(drive, name, 1.0, end) for name in (*names, *arms)}
    return {
        f'mean over {t}..{t + 1} s: {name}': _mean(drive, column, t, t + 1)
        for t in range(1, int(end + 1e-9))
        for name, column in _TRACKED.items()
    }


def _crossed(s: Settings, drive: Drive) -> dict[str, float]:
    return {
        'x_m, last': float(drive['x_m'][-1]),
        'z_m, highest': float(drive['z_m'].max()),
        'pitch_deg, least': float(drive['pitch_deg'].min()),
        'pitch_deg, greatest': float(drive['pitch_deg'].max()),
        'roll_deg, greatest': float(np.abs(drive['roll_deg']).max()),
        'yaw_deg, last': float(drive['yaw_deg'][-1]),
    }


def _turned(s: Settings, drive: Drive) -> dict[str, float]:
    """Return yaw rate, speed and radius of the second half."""
    end = float(drive['t_s'][-1])
    rate, speed = (_mean(drive, name, 0.5 * end, end) for name in ('yaw_rate_radps', 'vx_mps'))
    label = f'mean {0.5 * end:g}-{end:g} s'
    way = math.hypot(float(drive['x_m'][-1]), float(drive['y_m'][-1]))
    found = {f'yaw rate, {label}': rate, f'speed, {label}': speed, 'distance from the start': way}
    return {**found, f'radius, {label}': abs(speed / rate) if rate else math.nan}


def _mean(drive: Drive, name: str, start: float, end: float) -> float:
    at = (drive['t_s'] >= start - 1e-9) & (drive['t_s'] <= end + 1e-9)
    return float(drive[name][at].mean()) if at.any() else math.nan


def _time_at(times: Floats, values: Floats, level: float) -> float:
    """Return the time at which values first rise to a level, linear between rows; NaN if never."""
    over = np.nonzero(values >= level)[0]
    if not len(over):
        return math.nan
    k = int(over[0])
    if k == 0:
        return float(times[0])
    part = (level - values[k - 1]) / (values[k] - values[k - 1])
    return float(times[k - 1] + part * (times[k] - times[k - 1]))


def _settled(s: Settings, drive: Drive) -> dict[str, float]:
    end = float(drive['t_s'][-1])
    start = 0.5 * end
    names = ['z_m', 'pitch_deg', *(n for n in drive.columns if n.startswith(('Fz_', 'spring_', 'toe_F', 'camber_F')))]
    found = {f'{name} mean {start:g}-{end:g} s': _mean(drive, name, start, end) for name in names}
    way = np.hypot(drive['x_m'] - drive['x_m'][0], drive['y_m'] - drive['y_m'][0])
    late = drive['t_s'] >= 0.4 * end - 1e-9
    slowing = -float(np.polyfit(drive['t_s'][late], drive['vx_mps'][late], 1)[0]) if late.sum() > 2 else math.nan
    found[f'backward acceleration, {0.4 * end:g}-{end:g} s'] = slowing
    return {**found, 'way': float(way[-1]), 'vx_mps, last': float(drive['vx_mps'][-1])}


def _stepped(s: Settings, drive: Drive) -> dict[str, float]:
    times, end = drive['t_s'], s.duration_s
    start = end - 1.0
    if start < s.steer_start_s + s.steer_ramp_s:  # not settled
        return {}
    half = s.steer_start_s + 0.5 * s.steer_ramp_s
    side = 1.0 if s.steering >= 0.0 else -1.0
    turned, pulled = side * drive['yaw_rate_radps'], side * drive['ay_mps2']
    rate, pull = (_mean(drive, name, start, end) for name in ('yaw_rate_radps', 'ay_mps2'))
    late = times >= s.steer_start_s
    peak = int(np.argmax(turned))
    slip = np.degrees(np.arctan2(drive['vy_mps'], drive['vx_mps']))
    last = f'mean {start:g}-{end:g} s'
    onset = f't={s.steer_start_s:g}'
    middle = f't={half:g}'
    return {
        f'speed at steer onset ({onset})': float(np.interp(s.steer_start_s, times, drive['vx_mps'])),
        f'speed, {last}': _mean(drive, 'vx_mps', start, end),
        f'yaw rate, {last}': rate,
        f'lateral acceleration, {last}': pull,
        f'side slip vy/vx at ref, {last}': float(slip[times >= start - 1e-9].mean()),
        f'roll, {last}': _mean(drive, 'roll_deg', start, end),
        f'yaw rate response time: 50 % steer ({middle}) to 90 % of mean': _time_at(
            times[late], turned[late], 0.9 * side * rate
        )
        - half,
        'lateral acc. response time, 50 % steer to 90 %': _time_at(times[late], pulled[late], 0.9 * side * pull) - half,
        f'yaw rate peak / {last}': float(turned[peak]) / (side * rate) if rate else math.nan,
        f'time of yaw rate peak after {middle}': float(times[peak]) - half,
    }


def _circled(s: Settings, drive: Drive) -> dict[str, float]:
    if s.by_twist:
        return _turned(s, drive)
    times = drive['t_s']
    going = times > max(s.speed_rate_start_s, s.steer_start_s + s.steer_ramp_s)
    speed, rate, pull = (drive[name][going] for name in ('vx_mps', 'yaw_rate_radps', 'ay_mps2'))
    angle = 0.5 * (drive['toe_FL_deg'] + drive['toe_FR_deg'])[going]
    found = {}
    for low, high in ((0.3, 2.0), (2.0, 4.0)):
        at = (np.abs(pull) > low) & (np.abs(pull) < high)
        if at.sum() > 2:
            rest = angle[at] - np.degrees(_WHEELBASE * rate[at] / speed[at])
            slope = float(np.polyfit(pull[at] / GRAVITY, rest, 1)[0])
            what = f'(road-wheel angle = mean of the two toe columns, L={_WHEELBASE})'
            found[f'understeer gradient d(delta - L/R)/d(ay), ay {low:g}..{high:g} m/s2 {what}'] = slope
    for wanted in range(6, 20, 2):
        if speed.min() < wanted < speed.max():
            for name, values in (('yaw rate', rate), ('lateral acceleration', pull), ('mean road-wheel angle', angle)):
                found[f'{name} at vx={wanted}'] = float(np.interp(wanted, speed, values))
    return found


def _braked(s: Settings, drive: Drive) -> dict[str, float]:
    times, start = drive['t_s'], s.brake_start_s
    late = times >= start - 1e-9
    way, slowing = drive['x_m'][late], -drive['vx_mps'][late]
    found = {f'speed at brake onset (t={start:g})': float(-slowing[0])}
    for speed in (15, 10, 5, 1):
        when = _time_at(times[late], slowing, -speed)
        found[f'time from onset to {speed} m/s'] = when - start
        found[f'distance from onset to {speed} m/s'] = float(np.interp(when, times[late], way) - way[0])
    fast, slow = (found[f'time from onset to {speed} m/s'] for speed in (15, 5))
    found['mean deceleration 15 -> 5 m/s'] = 10.0 / (slow - fast)
    at = late & (drive['vx_mps'] < 12.0) & (drive['vx_mps'] > 8.0)
    if at.any():
        found['pitch minus pitch before, mean while 12..8 m/s'] = float(drive['pitch_deg'][at].mean()) - _mean(
            drive, 'pitch_deg', start - 1.0, start
        )
    return found


def _accelerated(s: Settings, drive: Drive) -> dict[str, float]:
    times, start = drive['t_s'], s.throttle_start_s
    late = times >= start
    found = {
        f'time from throttle (t={start:g}) to {speed} m/s': _time_at(times[late], drive['vx_mps'][late], speed) - start
        for speed in range(5, 35, 5)
    }
    return {**found, f'speed at t={times[-1]:g}': float(drive['vx_mps'][-1])}
