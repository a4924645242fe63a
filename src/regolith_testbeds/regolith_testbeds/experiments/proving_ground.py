# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Experiment ``proving-ground``: motion of a vehicle over time, and results of the maneuver."""

from __future__ import annotations

from typing import Any

import numpy as np

from regolith_testbeds.proving_ground.drive import drive
from regolith_testbeds.proving_ground.results import results
from regolith_testbeds.proving_ground.settings import Settings as Settings
from regolith_testbeds.settings import Tick
from regolith_vehicles.dynamics import VehicleError


def run(settings: Settings, tick: Tick) -> dict[str, Any]:
    """Run a maneuver and return ``columns``, ``rows`` and ``summary``.

    Raises:
        ValueError: If the vehicle's motion diverges, for example with a too large step.
    """
    try:
        done = drive(settings, tick)
    except VehicleError as error:
        raise ValueError(str(error)) from error
    return {'columns': list(done.columns), 'rows': done.rows.tolist(), 'summary': results(settings, done)}


def draw(settings: Settings, result: dict[str, Any], axes: Any) -> None:
    """Draw forward speed and the quantity of interest of the maneuver over time."""
    table = dict(zip(result['columns'], np.array(result['rows']).T, strict=True))
    axes.plot(table['t_s'], table['vx_mps'], label='forward speed [m/s]')
    turning = settings.maneuver in ('step_steer', 'circle', 'turn', 'pivot')
    other, label = ('yaw_rate_radps', 'yaw rate [rad/s]') if turning else ('ax_mps2', 'acceleration [m/s²]')
    if settings.family != 'car' and not turning:
        other, label = 'pitch_deg', 'pitch [°], nose down'
    beside = axes.twinx()
    beside.plot(table['t_s'], table[other], 'C1')
    axes.plot([], [], 'C1', label=label)  # one legend for both axes
    beside.set_ylabel(label)
    axes.set_xlabel('time [s]')
    axes.set_ylabel('forward speed [m/s]')
    axes.set_title(f'{settings.vehicle}, {settings.case or settings.maneuver}')
