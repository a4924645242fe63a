# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A plate (or a wheel that does not turn) pressed into soil: the pressure-sinkage test."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_terrain import scm
from regolith_terrain.experiments.settings import BenchSettings, Numbers, Tick, reference_rows, within
from regolith_terrain.scm.constants import DAMPING
from regolith_terrain.soil_bin import Pressed, SoilBin, press

_MASS = 10.0
"""Of the press in the reference [kg]."""
_PATCH = 4.0
"""Side of the reference's patch of soil [m]."""
_UNDER_LOAD_S, _UNLOADED_S, _RELOADED_S = 11.0, 13.0, 16.0
"""Ends of the stages of a loading cycle [s]."""


class Settings(BenchSettings):
    """The press; its defaults are those of the reference tables."""

    shape: Literal['plate', 'wheel'] = Field(default='plate', description='body that is pressed in')
    load_n: Numbers = Field(default=(2000.0,), description='[N]; several: a sweep')
    a_m: float = Field(default=0.21, ge=0.01, le=2.0, description='length of the plate, radius of the wheel [m]')
    b_m: float = Field(default=0.31, ge=0.01, le=2.0, description='width [m]')
    damping: float | None = Field(
        default=3e3, ge=0.0, le=1e7, description="[Pa s/m], low, so that loading is quasi-static; none: the soil's"
    )

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        within('load_n', self.load_n, 0.0, 1e7)
        return self

    def spacing(self) -> float:
        """Return the spacing used [m], which reference mode fits to a patch of 4 m, as Chrono does."""
        if self.mode == 'regolith':
            return self.grid_m
        return _PATCH / (2.0 * math.ceil(0.5 * _PATCH / self.grid_m - 1e-9))


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return a row per load: sinkage under it, after unloading to a tenth, and when loaded again."""
    rows = []
    for done, load in enumerate(settings.load_n):
        tick(done, len(settings.load_n))
        samples = loading_cycle(settings, load)
        held, eased, again = (_at(samples, t) for t in (_UNDER_LOAD_S, _UNLOADED_S, _RELOADED_S))
        rows.append(
            {
                'soil': settings.soil.name,
                'mode': settings.mode,
                'load_n': load,
                'sinkage_m': held.depth,
                'soil_force_n': held.force,
                'sinkage_unloaded_m': eased.depth,
                'sinkage_reloaded_m': again.depth,
                'bekker_sinkage_m': bekker_sinkage(settings, load),
            }
        )
    tick(len(settings.load_n), len(settings.load_n))
    return rows


def _at(samples: list[Pressed], time: float) -> Pressed:
    """Return the sample nearest to a time [s]."""
    return min(samples, key=lambda sample: abs(sample.time - time))


def loading_cycle(settings: Settings, load: float) -> list[Pressed]:
    """Return samples of a press whose force rises for 10 s, stays to 11 s, falls to a tenth by 13 s, is back by 15 s.

    :param load: largest force [N]
    """
    s = settings
    reach = int(math.ceil(max(s.a_m, s.b_m) / s.spacing())) + 4
    parameters = s.soil.parameters()
    if s.damping is not None:
        parameters[DAMPING] = s.damping
    bed = SoilBin(parameters, s.spacing(), s.mode, (-reach, reach + 1, -reach, reach + 1))
    shape = bed.fitting(scm.box(s.a_m, s.b_m, 0.1) if s.shape == 'plate' else scm.cylinder(s.a_m, s.b_m))
    rise = 0.05 if s.shape == 'plate' else s.a_m

    def step(z: float, v: float) -> int:
        return bed.body(shape, (0.0, 0.0, z + rise), velocity=(0.0, 0.0, v), dt=s.dt_s)

    def force(t: float) -> float:
        times = [0.0, 10.0, _UNDER_LOAD_S, _UNLOADED_S, 15.0, _RELOADED_S]
        return load * float(np.interp(t, times, [0.0, 1.0, 1.0, 0.1, 1.0, 1.0]))

    # The reference's 10 kg, or what keeps the explicit step stable (m > E A dt^2 / 4): loading is quasi-static anyway.
    area = s.a_m * s.b_m * (1.0 if s.shape == 'plate' else 2.0)
    return press(bed, step, force, _RELOADED_S, s.dt_s, max(_MASS, 0.35 * s.soil.elastic_stiffness * area * s.dt_s**2))


def bekker_sinkage(settings: Settings, load: float) -> float | None:
    """Return the sinkage [m] of a plate under a load [N], with 1 / b = perimeter / (2 area); None for a wheel.

    Source: bekker1969.
    Checked by: test_experiments.py::test_plate_sinkage_is_bekkers.
    """
    s = settings
    if s.shape == 'wheel':
        return None
    soil = s.soil
    # The reference draws the patch through node centres: one cell smaller each way.
    a, b = (s.a_m - s.spacing(), s.b_m - s.spacing()) if s.mode == 'reference' else (s.a_m, s.b_m)
    stiffness = soil.k_phi + soil.k_c * (a + b) / (a * b)
    return float((load / (s.a_m * s.b_m) / stiffness) ** (1.0 / soil.exponent))


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the whole loading cycle of the largest load, Bekker's curve, and Chrono's points where there are any."""
    s = settings
    peak = max(s.load_n)
    samples = loading_cycle(s, peak)
    axes.plot([p.depth * 1e3 for p in samples], [p.force for p in samples], label=f'{s.mode} mode')
    axes.plot([r['sinkage_m'] * 1e3 for r in rows], [r['load_n'] for r in rows], 'o', label='under load')
    if s.shape == 'plate':
        loads = np.linspace(0.0, peak, 101)[1:]
        axes.plot([1e3 * (bekker_sinkage(s, p) or 0.0) for p in loads], loads, '--', color='0.4', label='Bekker')
    case = f'{s.soil.name.removeprefix("chrono_")}_{s.shape}_{s.a_m:g}x{s.b_m:g}_d{s.grid_m:g}'
    for geometry, mark in (('exact', 'kx'), ('bullet', 'r+')):
        points = reference_rows('scm_static', case=case, geometry=geometry)
        if points and s.soil.name.startswith('chrono_'):
            at = [1e3 * float(p['sinkage_m']) for p in points], [float(p['soil_Fz_N']) for p in points]
            axes.plot(*at, mark, markersize=9, label=f'Project Chrono, {geometry} rays')
    axes.set_xlabel('sinkage [mm]')
    axes.set_ylabel('force of the soil [N]')
    axes.set_title(f'{s.shape} {s.a_m:g} m x {s.b_m:g} m, {s.soil.name}')
