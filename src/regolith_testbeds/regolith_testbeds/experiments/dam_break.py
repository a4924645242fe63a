# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of a fluid in CRM's particles: a column that collapses when its dam is removed, or rests behind it.

The front x is compared with the measurements of Martin and Moyce (1952) for columns twice as high as wide, at the times
t sqrt(2 g / a) for the width a. The pressure of a column at rest is compared with rho g depth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from regolith_terrain.crm import Discretization, Fluid, refuse_too_many
from regolith_testbeds.crm.fluid_column import Column, FluidColumn
from regolith_testbeds.resumable_runs import Resumable, sweep
from regolith_testbeds.settings import Tick

MEASURED = ((1.19, 1.44), (1.83, 2.11), (2.51, 3.00), (3.33, 4.11))
"""Times t sqrt(2 g / a) and fronts x / a of Martin and Moyce (1952), columns of n^2 = 2, from secondary sources."""
_MEASURED_HEIGHT = 2.0
"""Height of those columns over their width."""
_REST_S = 10.0
"""Duration of a column at rest, in times sqrt(height / gravity)."""


class Settings(Resumable):
    """Settings of the column."""

    width_m: float = Field(default=0.5, gt=0.0, le=100.0, description='Width a of the column [m].')
    height_m: float | None = Field(
        default=None, gt=0.0, le=100.0, description='Height of the column [m]; none: twice its width.'
    )
    at_rest: bool = Field(default=False, description='Whether the dam holds, so the fluid stays at rest.')
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=100.0, description='Gravity [m/s^2].')
    density_kgpm3: float = Field(default=1000.0, gt=0.0, le=1e5, description='Density of the fluid [kg/m^3].')
    viscosity_pas: float = Field(default=1e-3, ge=0.0, le=1e4, description='Dynamic viscosity of the fluid [Pa s].')
    count_across: int = Field(default=16, ge=6, le=200, description='Number of particles across the width.')
    reach: float = Field(
        default=4.2, gt=1.0, le=20.0, description='Front at which the collapse ends, over the width of the column.'
    )
    duration_s: float | None = Field(
        default=None,
        gt=0.0,
        le=3600.0,
        description='Longest duration [s]; none: ten times sqrt(height / gravity).',
    )
    threads: int = Field(default=2, ge=1, le=2, description='Number of threads; it does not change the result.')

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        if self.at_rest and 'reach' in self.model_fields_set:
            raise ValueError(f'reach = {self.reach!r}: does not apply to a column at rest; allowed: without at_rest')
        fluid, column = self.fluid(), self.column()
        spacing = self.width_m / self.count_across
        volume = 9.0 * spacing * column.width * column.height
        refuse_too_many(volume, column.longest, fluid, Discretization(spacing_m=spacing), finer_along=2)
        return self

    def fluid(self) -> Fluid:
        """Return the fluid, with a sound speed for its depth."""
        return Fluid.falling(
            self.gravity_mps2,
            self.column().height,
            density_kgpm3=self.density_kgpm3,
            viscosity_pas=self.viscosity_pas,
        )

    def column(self) -> Column:
        """Return the column and its release."""
        height = self.height_m if self.height_m is not None else 2.0 * self.width_m
        longest = self.duration_s if self.duration_s is not None else _REST_S * math.sqrt(height / self.gravity_mps2)
        return Column(self.width_m, height, self.at_rest, self.reach, self.gravity_mps2, longest)


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row: front over time and its ratios to the measurement, or layers and their largest pressure error.

    Source: martin1952; monaghan1994.
    Checked by: test_crm_fluid.py::test_front_of_a_dam_break_matches_the_measurement,
    test_crm_fluid.py::test_fluid_at_rest_has_hydrostatic_pressure.
    """
    column = settings.column()

    def begin(number: int) -> FluidColumn:
        return FluidColumn(column, settings.count_across, settings.fluid(), settings.threads)

    (row,) = sweep(settings, begin, 1, tick)
    row['front_over_measured'] = row['pressure_error'] = None
    if settings.at_rest:
        _, pressure, hydrostatic = np.array(row['layers']).T
        row['pressure_error'] = float(np.abs(pressure - hydrostatic).max() / hydrostatic.max())
    elif abs(column.height / column.width - _MEASURED_HEIGHT) < 1e-9:
        times, fronts = _scaled(settings, row)
        row['front_over_measured'] = {
            f'{time:g}': float(np.interp(time, times, fronts)) / front for time, front in MEASURED if time <= times[-1]
        }
    return [row]


def _scaled(settings: Settings, row: dict[str, Any]) -> np.ndarray:
    """Return times t sqrt(2 g / a) and fronts x / a of a row, shape (2, n)."""
    a = settings.width_m
    found: np.ndarray = np.array([[0.0, a], *row['front']]).T
    return found * [[math.sqrt(2.0 * settings.gravity_mps2 / a)], [1.0 / a]]


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the front over time and the measurements, or the pressure over the depth."""
    row = rows[0]
    if settings.at_rest:
        depth, pressure, hydrostatic = np.array(row['layers']).T
        axes.plot(depth, pressure * 1e-3, 'o', label='particles')
        axes.plot(depth, hydrostatic * 1e-3, '-', label='rho g depth')
        axes.set_xlabel('depth [m]')
        axes.set_ylabel('pressure [kPa]')
        axes.set_title(f'Fluid at rest, {row["elements"]} particles')
        return
    axes.plot(*_scaled(settings, row), '-', label='particles')
    if settings.column().height == _MEASURED_HEIGHT * settings.width_m:
        axes.plot(*np.array(MEASURED).T, 'ks', label='Martin & Moyce 1952')
    axes.set_xlabel('time t sqrt(2 g / a)')
    axes.set_ylabel('front x / a')
    axes.set_title(f'Dam break, {row["elements"]} particles')
