# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of a single wheel at prescribed slip (drawbar pull, torque, sinkage) or on slopes (slip)."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field, model_validator

from regolith_terrain import contact
from regolith_terrain.scm import constants
from regolith_testbeds.settings import SweptNumbers, Tick, number_within, reference_rows
from regolith_testbeds.slope_settings import SlopeSettings, climb_slopes, plot_slopes
from regolith_testbeds.soil_bin import SoilBin, roll, rolling_bounds
from regolith_testbeds.wong_reece import drawbar_curve

_OF_SLIP = (
    'load_n',
    'radius_m',
    'width_m',
    'grousers',
    'grouser_height_m',
    'grouser_thickness_m',
    'individual_contact',
)


class Settings(SlopeSettings):
    """Settings of the rig, at a slip or in slope climbs. Defaults are those of the reference tables."""

    load_n: float = Field(default=200.0, gt=0.0, le=1e6, description='Slip runs only: weight on the wheel [N].')
    slip: SweptNumbers = Field(
        default=(0.2,),
        description='Slip runs only: prescribed slip ratio 1 - v / (omega R), below 1 [-]; several: a sweep.',
    )
    radius_m: float = Field(default=0.25, ge=0.02, le=5.0, description='Slip runs only: radius of the wheel [m].')
    width_m: float = Field(default=0.21, ge=0.01, le=5.0, description='Slip runs only: width of the wheel [m].')
    grousers: int = Field(
        default=24, ge=0, le=360, description='Slip runs only: number of grousers, inside radius_m; 0: a smooth rim.'
    )
    grouser_height_m: float = Field(
        default=0.012, gt=0.0, le=1.0, description='Slip runs only: height of the grousers [m].'
    )
    grouser_thickness_m: float = Field(
        default=0.006, gt=0.0, le=1.0, description='Slip runs only: thickness of the grousers [m].'
    )
    individual_contact: bool = Field(
        default=False,
        description='Slip runs only: whether each grouser has separate contact with the soil. False: drum and'
        ' grousers share the load of a cylinder around the tips and carry soil by slip; without'
        " slip_sinkage and in mode 'reference' this cylinder is smooth.",
    )

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        if self.slope_deg is not None:
            if 'slip' in self.model_fields_set:
                slopes, slips = (','.join(map(str, values)) for values in (self.slope_deg, self.slip))
                raise ValueError(f'slope_deg = {slopes}: cannot be combined with slip {slips}; allowed: one of the two')
            for key in _OF_SLIP:
                if key in self.model_fields_set:
                    raise ValueError(
                        f'{key} = {getattr(self, key)!r}: does not apply to slope_deg; allowed: with slip, or in rig'
                    )
            return self
        number_within('slip', self.slip, -10.0, 1.0)
        self.shape()
        return self

    @property
    def smooth(self) -> bool:
        """Whether the contact shape is a smooth cylinder."""
        return self.grousers == 0 or not (self.individual_contact or self.displacement()[constants.CARRIES])

    def shape(self) -> contact.Shapes | None:
        """Return the grousered wheel, None for a smooth one."""
        if self.grousers == 0:
            return None
        make = contact.grousered_wheel if self.individual_contact else contact.cylinder
        return make(self.radius_m, self.width_m, self.grousers, self.grouser_height_m, self.grouser_thickness_m)


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per slip with means over the second half of each run, or one row per slope."""
    s = settings
    if s.slope_deg is not None:
        return climb_slopes(s, tick)
    rows = []
    for done, slip in enumerate(s.slip):
        tick(done, len(s.slip))
        speed = s.omega_radps * s.radius_m * (1.0 - slip)
        bounds = rolling_bounds(s.grid_spacing_m, speed, s.radius_m, s.width_m)
        soil_bin = SoilBin(s.soil.parameters(), s.grid_spacing_m, s.scm_mode, bounds, displacement=s.displacement())
        mean = roll(soil_bin, s.load_n, slip, s.omega_radps, s.radius_m, s.width_m, s.dt_s, s.shape())
        rows.append(
            {
                'soil': s.soil.name,
                'scm_mode': s.scm_mode,
                'load_n': s.load_n,
                'slip': slip,
                'normal_load_n': mean.normal_force,
                'drawbar_pull_n': mean.drawbar_pull,
                'torque_nm': mean.driving_torque,
                'sinkage_m': mean.sinkage,
            }
        )
    tick(len(s.slip), len(s.slip))
    return rows


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw drawbar pull over slip with Wong and Reece's integrals and Chrono's points, or slip over slope."""
    s = settings
    if s.slope_deg is not None:
        return plot_slopes(s, rows, axes)
    axes.plot([r['slip'] for r in rows], [r['drawbar_pull_n'] for r in rows], 'o-', label=f'{s.scm_mode} mode')
    if s.smooth:
        slips = np.linspace(0.0, 0.9, 46)
        curve = drawbar_curve(s.soil.parameters(), s.load_n, slips, s.radius_m, s.width_m)
        axes.plot(slips, curve, '--', color='0.4', label='Wong & Reece 1967, integrated')
    same_rig = s.smooth and (s.radius_m, s.width_m, s.omega_radps) == (0.25, 0.21, 0.8)
    soil = s.soil.name.removeprefix('chrono_')
    for geometry, mark in (('exact', 'kx'), ('bullet', 'r+')) if same_rig else ():
        points = reference_rows('scm_slip', soil=soil, load_N=f'{s.load_n:g}', geometry=geometry)
        if points and s.soil.name.startswith('chrono_'):
            at = [float(p['slip']) for p in points], [float(p['drawbar_pull_N']) for p in points]
            axes.plot(*at, mark, markersize=9, label=f'Project Chrono, {geometry} rays')
    axes.set_xlabel('slip 1 - v / (ωR) [-]')
    axes.set_ylabel('drawbar pull [N]')
    axes.set_title(f'Wheel {s.radius_m:g} m x {s.width_m:g} m, {s.load_n:g} N, {s.soil.name}')
