# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the locked rover against Chrono's VIPER with exact cylinders (data/viper_chrono_lunar_slope*.csv).

Made with Chrono 10.0.0+dev (commit 7689fbc0): lunar soil, 1.62 m/s^2, grid 0.02 m, 1 ms, wheels ramped to 0.8 rad/s
in 1 s, dropped 10 mm, gravity tilted for the slope. The tables have one row per 0.1 s.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regolith_vehicles.agent.vehicle import Vehicle


def _table(slope: int) -> dict[str, np.ndarray]:
    path = Path(__file__).parent / 'data' / f'viper_chrono_lunar_slope{slope}.csv'
    rows = np.genfromtxt(path, delimiter=',', names=True)
    return {name: rows[name] for name in rows.dtype.names}


@pytest.mark.seconds
@pytest.mark.parametrize('slope', [pytest.param(0, marks=pytest.mark.slow), 10])
def test_viper_matches_chrono(make_vehicle: Callable[..., Vehicle], slope: int) -> None:
    """Position within 2 % of the distance, slip within 0.02, sinkage within 5 %, over 20 s and into its own ruts.

    It is not exact: the speed motors of Chrono ripple by 1 %, and its wheels are part of a redundantly constrained
    tree.
    """
    reference = _table(slope)
    tilt = np.radians(slope)
    gravity = 1.62 * np.array([-np.sin(tilt), 0.0, -np.cos(tilt)])
    vehicle = make_vehicle('viper_locked', gravity=gravity, mode='reference')
    vehicle.place_at((-4.0, 0.0, 0.26), (0.0, 0.0, 0.0, 1.0))
    x, spin, sinkage, load = [], [], [], []
    for k in range(1, 1001):
        speeds = np.full(4, 0.8 * min(k * 0.02, 1.0))
        vehicle.grid.apply(vehicle.evolve(20_000_000, speeds, np.zeros(4)))
        vehicle.commit()
        if k % 5 == 0:
            states = vehicle.wheel_states()
            x.append(float(vehicle.body_state().position[0]))
            spin.append(np.mean([s.angular_speed for s in states]))
            sinkage.append([s.sinkage_total for s in states])
            load.append([s.normal_load for s in states])
    way = reference['x_m'] - reference['x_m'][0]
    assert np.abs(np.array(x) - reference['x_m']).max() < 0.02 * way[-1]
    late = reference['t_s'] > 1.5
    for window in (slice(20, 60), slice(100, 140), slice(160, 200)):
        ours = 1.0 - (x[window.stop - 1] - x[window.start]) / (0.25 * 0.1 * sum(spin[window][1:]))
        theirs_way = reference['x_m'][window][-1] - reference['x_m'][window][0]
        theirs = 1.0 - theirs_way / (0.25 * 0.1 * reference['omega_radps'][window][1:].sum())
        assert ours == pytest.approx(theirs, abs=0.02)
    for column, wheel in enumerate(('LF', 'RF', 'LB', 'RB')):
        theirs = reference[f'sink_{wheel}_m'][late]
        ours = np.array(sinkage)[late, column]
        assert np.abs(ours / theirs - 1.0).max() < 0.05, wheel
        # Loads ripple with the grid at 10 Hz; their means do not.
        assert np.array(load)[late, column].mean() == pytest.approx(reference[f'Fz_{wheel}_N'][late].mean(), rel=0.02)
