# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of the angle of repose: a cylinder of soil is released and the flank of the heap is measured.

All terrain models return the heap as points with volumes (:class:`Heap`), and it is measured the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np
from pydantic import Field, model_validator

from regolith_terrain.crm import GivenDevice, resolved_device
from regolith_testbeds.crm import column_collapse as soil_column
from regolith_testbeds.dem import column_collapse as grain_column
from regolith_testbeds.dem.beds import Grains
from regolith_testbeds.heap_measurement import Heap, SoilColumn, measured, profile
from regolith_testbeds.resumable_runs import Part, Resumable, sweep
from regolith_testbeds.settings import SweptNumbers, Tick, number_within

_FIGURES = (
    'slope_deg',
    'height_m',
    'radius_m',
    'height_over_radius',
    'peak_over_radius',
    'run_out',
    'column_m',
    'settled_s',
    'elements',
    'step_s',
    'largest_overlap',
    'profile_m',
)
_SOLID = 0.6
"""Approximate solid fraction of a column of grains."""


class Settings(Resumable):
    """Settings of the testbed; a setting of one terrain model only states so."""

    terrain_model: Literal['crm', 'dem'] = Field(
        default='dem', description='Terrain model: crm, a continuum of particles; dem, grains.'
    )
    release: Literal['lift', 'collapse'] = Field(
        default='lift', description='Release of the soil: the cylinder is lifted, or removed at once (collapse).'
    )
    radius_m: float = Field(default=0.15, ge=0.01, le=10.0, description='Radius of the cylinder [m].')
    height_m: float = Field(
        default=0.3, ge=0.01, le=20.0, description='Approximate height of the soil in the cylinder [m].'
    )
    lift_mps: float = Field(default=0.3, gt=0.0, le=10.0, description='Lifting speed of the cylinder [m/s].')
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=100.0, description='Gravity [m/s^2].')
    friction: SweptNumbers = Field(
        default=(0.4,), description='Friction coefficient between elements of the soil [-]; several: a sweep.'
    )
    element_count: int = Field(default=5000, ge=100, le=2_000_000, description='Number of elements of the soil.')
    artificial_viscosity: float | None = Field(
        default=None,
        ge=0.0,
        le=2.0,
        description='CRM only: artificial viscosity alpha [-]; none: 0.5 for release lift, 0.05 for collapse.',
    )
    rolling_resistance: float = Field(
        default=0.3, ge=0.0, le=1.0, description='DEM only: coefficient of rolling resistance [-].'
    )
    shape: Literal['sphere', 'clump3', 'clump6'] = Field(default='sphere', description='DEM only: shape of the grains.')
    youngs_modulus_pa: float = Field(
        default=2e9, ge=1e5, le=1e12, description="DEM only: reduced Young's modulus of the grains [Pa]."
    )
    floor_friction: float = Field(
        default=0.9, ge=0.0, le=10.0, description='DEM only: friction coefficient of the rough floor [-].'
    )
    seed: int = Field(default=1, ge=0, le=2**31, description='Seed of element positions and sizes.')
    threads: int = Field(default=2, ge=1, le=2, description='Number of threads; it does not change the result.')
    device: GivenDevice = 'auto'

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('friction', self.friction, 0.0, 10.0)
        if self.radius_m < 3.0 * (math.pi * self.radius_m**2 * self.height_m / self.element_count) ** (1.0 / 3.0):
            raise ValueError(
                f'element_count = {self.element_count!r}: too few; allowed: enough elements for three across the radius'
            )
        if self.terrain_model == 'dem':
            self.grains(self.friction[0]).affordable(self.element_count, 3.0)
        return self

    def column(self) -> SoilColumn:
        """Return the column and its release."""
        lift = self.lift_mps if self.release == 'lift' else None
        return SoilColumn(self.radius_m, self.height_m, self.gravity_mps2, lift, self.floor_friction)

    def grains(self, friction: float) -> Grains:
        """Return grains of the size at which ``element_count`` of them fill the column."""
        volume = _SOLID * math.pi * self.radius_m**2 * self.height_m / self.element_count
        return Grains(
            shape=self.shape,
            radius_m=(0.75 * volume / math.pi) ** (1.0 / 3.0),
            radius_spread=0.1,
            friction=friction,
            rolling_resistance=self.rolling_resistance,
            youngs_modulus_pa=self.youngs_modulus_pa,
        )


class ReposeCollapse(Protocol):
    """A column that collapses to a heap; see :class:`regolith_testbeds.resumable_runs.ResumableRun`."""

    @property
    def part(self) -> float:
        """Completed fraction."""

    def advance(self, tick: Part) -> None:
        """Advance the simulation."""

    def heap(self) -> Heap:
        """Return the heap."""

    def save(self) -> bytes:
        """Return the complete state."""

    def load(self, saved: bytes) -> None:
        """Restore the state."""


def _grains(settings: Settings, friction: float) -> ReposeCollapse:
    grains = settings.grains(friction)
    return grain_column.DemCollapse(settings.column(), grains, settings.element_count, settings.seed, settings.threads)


def _continuum(settings: Settings, friction: float) -> ReposeCollapse:
    s = settings
    return soil_column.CrmCollapse(s.column(), friction, s.element_count, s.threads, s.artificial_viscosity, s.device)


GROUNDS: dict[str, Callable[[Settings, float], ReposeCollapse]] = {'crm': _continuum, 'dem': _grains}
"""Terrain models by name."""


class ReposeCase:
    """A case of the testbed, see :class:`regolith_testbeds.resumable_runs.ResumableRun`."""

    def __init__(self, settings: Settings, friction: float) -> None:
        """Create the column with the terrain model of the settings."""
        self._radius = settings.radius_m
        self._collapse = GROUNDS[settings.terrain_model](settings, friction)
        self.advance, self.save, self.load = self._collapse.advance, self._collapse.save, self._collapse.load

    @property
    def part(self) -> float:
        """Completed fraction."""
        return self._collapse.part

    def row(self) -> dict[str, Any]:
        """Return flank slope between 20 and 80 % of the height, height and run-out; None before the end."""
        if self.part < 1.0:
            return dict.fromkeys(_FIGURES)
        heap = self._collapse.heap()
        return {
            **measured(heap, self._radius),
            'column_m': heap.column_m,
            'settled_s': heap.settled_s,
            'elements': len(heap.place),
            'step_s': heap.step_s,
            'largest_overlap': heap.largest_overlap,
            'profile_m': [[round(float(r), 6), round(float(h), 6)] for r, h in zip(*profile(heap))],
        }


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per friction coefficient."""
    frictions = settings.friction
    device = resolved_device(settings.device) if settings.terrain_model == 'crm' else 'cpu'
    what = {'terrain_model': settings.terrain_model, 'release': settings.release, 'device': device}
    rows = sweep(settings, lambda number: ReposeCase(settings, frictions[number]), len(frictions), tick)
    return [
        {**what, 'friction': friction, 'gravity_mps2': settings.gravity_mps2, **row}
        for friction, row in zip(frictions, rows, strict=False)
    ]


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the profile of each heap and of the initial column."""
    axes.set_xlabel('distance from the axis [mm]')
    axes.set_ylabel('height [mm]')
    rows = [row for row in rows if not row['incomplete']]
    elements = rows[0]['elements'] if rows else settings.element_count
    axes.set_title(f'{elements} elements, {settings.terrain_model}, {settings.release}')
    for row in rows:
        at, height = np.array(row['profile_m']).T
        axes.plot(1e3 * at, 1e3 * height, 'o-', label=f'friction {row["friction"]:g}: {row["slope_deg"]:.1f}°')
    if not rows:
        return
    column = rows[0]['column_m']
    axes.plot(1e3 * settings.radius_m * np.array([0, 1, 1]), 1e3 * column * np.array([1, 1, 0]), '--', color='0.5')
    axes.set_aspect('equal')
