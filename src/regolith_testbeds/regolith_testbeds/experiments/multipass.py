# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of multipass: sinkage and drawbar pull of wheels that follow one another in a rut."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from regolith_terrain import BulldozingConfig
from regolith_testbeds.settings import BenchSettings, SweptNumbers, Tick, number_within
from regolith_testbeds.soil_bin import SoilBin, roll, rolling_bounds


class Settings(BenchSettings):
    """Settings of the wheel and its passes."""

    load_n: float = Field(default=200.0, gt=0.0, le=1e6, description='Weight on the wheel [N].')
    slip: SweptNumbers = Field(
        default=(0.2,), description='Slip ratio 1 - v / (omega R), below 1; several: one value per pass.'
    )
    passes: int = Field(default=3, ge=1, le=100, description='Number of passes, if slip is one number.')
    radius_m: float = Field(default=0.25, ge=0.02, le=5.0, description='Radius of the wheel [m].')
    width_m: float = Field(default=0.21, ge=0.01, le=5.0, description='Width of the wheel [m].')
    omega_radps: float = Field(default=0.8, gt=0.0, le=100.0, description='Wheel speed [rad/s].')
    bulldozing: bool = Field(default=False, description='Whether displaced soil heaps up beside the wheel.')
    erosion_angle_deg: float = Field(default=35.0, gt=0.0, lt=90.0, description='Steepest slope of heaped soil [deg].')

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('slip', self.slip, -10.0, 1.0)
        return self


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per pass; sinkage_m is relative to the undisturbed surface, added_m to the previous pass."""
    s = settings
    slips = s.slip * s.passes if len(s.slip) == 1 else s.slip
    # The bed is long enough for the fastest pass.
    speed = s.omega_radps * s.radius_m * (1.0 - min(slips))
    bounds = rolling_bounds(s.grid_spacing_m, speed, s.radius_m, s.width_m)
    rules = BulldozingConfig(enabled=s.bulldozing, erosion_angle_deg=s.erosion_angle_deg).parameters()
    wide = 14 if s.bulldozing else 0
    i0, i1, j0, j1 = bounds
    bed = SoilBin(
        s.soil.parameters(), s.grid_spacing_m, s.scm_mode, (i0 - wide, i1 + wide, j0 - wide, j1 + wide), None, rules
    )
    rows: list[dict[str, Any]] = []
    for number, slip in enumerate(slips, start=1):
        tick(number - 1, len(slips))
        if s.scm_mode == 'regolith':  # each pass is another wheel; in reference mode the soil keeps the shear state
            bed.shear[:] = 0.0
        mean = roll(bed, s.load_n, slip, s.omega_radps, s.radius_m, s.width_m, s.dt_s)
        rows.append(
            {
                'soil': s.soil.name,
                'scm_mode': s.scm_mode,
                'pass': number,
                'slip': slip,
                'normal_load_n': mean.normal_force,
                'drawbar_pull_n': mean.drawbar_pull,
                'torque_nm': mean.driving_torque,
                'sinkage_m': mean.sinkage,
                'added_m': mean.sinkage - (rows[-1]['sinkage_m'] if rows else 0.0),
            }
        )
    tick(len(slips), len(slips))
    return rows


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw sinkage and drawbar pull over the pass number."""
    numbers = [r['pass'] for r in rows]
    axes.plot(numbers, [r['sinkage_m'] * 1e3 for r in rows], 'o-', label='sinkage')
    axes.plot([], [], 's--', color='C1', label='drawbar pull (right)')
    other = axes.twinx()
    other.plot(numbers, [r['drawbar_pull_n'] for r in rows], 's--', color='C1')
    other.set_ylabel('drawbar pull [N]')
    axes.set_xticks(numbers)
    axes.set_xlabel('pass')
    axes.set_ylabel('sinkage [mm]')
    axes.set_title(f'{settings.load_n:g} N, slip {", ".join(f"{v:g}" for v in settings.slip)}, {settings.soil.name}')
