# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Experiment ``vehicle-slope``: slip and speed of a rover on a slope."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from regolith_terrain import FlatField
from regolith_terrain.grid import SoilGrid
from regolith_testbeds.settings import SweptNumbers, Tick, WheelBenchSettings, known_name, number_within
from regolith_vehicles import load_vehicle_model
from regolith_vehicles.agent import Vehicle
from regolith_vehicles.dynamics import VehicleError, wheel_commands

_CYCLE_NS = 20_000_000


class Settings(WheelBenchSettings):
    """Settings of the slope: flat ground under tilted gravity, so x points uphill."""

    model: Annotated[str, known_name(load_vehicle_model)] = Field(
        default='viper', min_length=1, description='Name of a known vehicle, or path of a vehicle YAML file.'
    )
    slope_deg: SweptNumbers = Field(
        default=(10.0,), description='Slope angles [deg], positive uphill; several values make a sweep.'
    )
    heading_deg: float = Field(
        default=0.0, ge=-360.0, le=360.0, description='Heading from straight uphill, positive to the left [deg].'
    )
    commanded_speed_mps: float = Field(default=0.2, ge=-10.0, le=10.0, description='Commanded speed [m/s].')
    gravity_mps2: float = Field(default=1.62, gt=0.0, le=30.0, description='Gravitational acceleration [m/s^2].')
    duration_s: float = Field(
        default=20.0,
        ge=4.0,
        le=1000.0,
        description='Duration of each run [s]; the results are means over its second half.',
    )
    grid_spacing_m: float = Field(default=0.02, ge=0.002, le=0.2, description='Grid spacing of the soil [m].')

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('slope_deg', self.slope_deg, -60.0, 60.0)
        if self.commanded_speed_mps == 0.0:
            raise ValueError('commanded_speed_mps = 0: is out of range; allowed: not 0')
        return self


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Drive a rover on each slope and return one row per slope.

    ``slip`` is the mean of 1 - v / (omega R) over the wheels, where v is the vehicle's speed along its initial
    heading. ``speed_mps`` is that speed, ``side_speed_mps`` the drift to its left.

    Raises:
        ValueError: If the rover's motion diverges on a slope.

    Source: wong2008, eq. 2.5.
    Checked by: test_vehicle_slope.py::test_slip_grows_with_the_slope,
    test_vehicle_slope.py::test_rover_across_slope_drifts_downhill.
    """
    s = settings
    rows = []
    for done, slope in enumerate(s.slope_deg):
        tick(done, len(s.slope_deg))
        try:
            climbed = _climb(s, slope)
        except VehicleError as error:
            raise ValueError(f'at {slope:g} deg: {error}') from error
        rows.append({'soil': s.soil.name, 'scm_mode': s.scm_mode, 'model': s.model, 'slope_deg': slope, **climbed})
    tick(len(s.slope_deg), len(s.slope_deg))
    return rows


def _climb(s: Settings, slope: float) -> dict[str, float]:
    """Return the results of one slope [deg]."""
    config, mjcf = load_vehicle_model(s.model)
    tilt, heading = math.radians(slope), math.radians(s.heading_deg)
    gravity = s.gravity_mps2 * np.array([-math.sin(tilt), 0.0, -math.cos(tilt)])
    grid = SoilGrid(FlatField(), s.grid_spacing_m)
    vehicle = Vehicle('rover', config, mjcf, grid, s.soil, gravity, s.scm_mode, displacement=s.displacement())
    vehicle.place(0.0, 0.0, heading)
    speeds, angles = wheel_commands(vehicle.body.layout, s.commanded_speed_mps, 0.0)
    cycles = round(s.duration_s * 1e9 / _CYCLE_NS)
    forward = np.array([math.cos(heading), math.sin(heading)])
    start = np.zeros(2)
    turned = 0.0
    sinkage = []
    for k in range(cycles):
        if k == cycles // 2:
            start = vehicle.body_state().position[:2].copy()
        grid.apply(vehicle.evolve(_CYCLE_NS, speeds, angles))
        vehicle.commit()
        if k >= cycles // 2:
            states = vehicle.wheel_states()
            turned += float(np.mean([w.angular_speed * c.radius_m for w, c in zip(states, config.wheels)]))
            sinkage.append(float(np.mean([w.sinkage_total for w in states])))
    way = vehicle.body_state().position[:2] - start
    counted = cycles - cycles // 2
    time = counted * _CYCLE_NS * 1e-9
    speed = float(way @ forward) / time
    rim = turned / counted
    return {
        'slip': 1.0 - speed / rim if rim != 0.0 else 0.0,
        'speed_mps': speed,
        'side_speed_mps': float(forward[0] * way[1] - forward[1] * way[0]) / time,
        'sinkage_m': float(np.mean(sinkage)),
    }


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw slip over slope."""
    axes.plot([r['slope_deg'] for r in rows], [r['slip'] for r in rows], 'o-', label=f'{settings.scm_mode} mode')
    axes.set_xlabel('slope [deg]')
    axes.set_ylabel('slip [-]')
    axes.set_title(f'{settings.model} at {settings.commanded_speed_mps:g} m/s, {settings.soil.name}')
