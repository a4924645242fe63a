# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of pressure-sinkage tests: a plate, disc or fixed wheel pressed into SCM or CRM soil."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from regolith_terrain import contact
from regolith_terrain.crm import refuse_too_many, resolved_device
from regolith_terrain.scm import constants
from regolith_testbeds.crm.bench_settings import OF_CRM, OF_SCM, PlateBenchSettings
from regolith_testbeds.crm.plate_press import Plate, Press
from regolith_testbeds.resumable_runs import sweep
from regolith_testbeds.settings import SweptNumbers, Tick, new_file, number_within, reference_rows
from regolith_testbeds.soil_bin import Pressed, SoilBin, press
from regolith_testbeds.soil_fit import write_pressed

_MASS = 10.0
"""Mass of the press in the reference [kg]."""
_PATCH = 4.0
"""Side length of the soil patch in the reference [m]."""
_LOADED_S, _UNDER_LOAD_S, _UNLOADED_S, _RELOADED_S = 10.0, 11.0, 13.0, 16.0
"""Ends of the stages of a loading cycle [s]."""
_OF_GROUND = {'scm': (*OF_SCM, 'damping'), 'crm': (*OF_CRM, 'max_depth_m', 'side_m', 'depth_m')}
"""Settings that apply to one terrain model only."""


class Settings(PlateBenchSettings):
    """Settings of the press; defaults are those of the reference tables."""

    shape: Literal['plate', 'wheel', 'disc'] = Field(
        default='plate', description='Shape of the pressed body; scm: plate, wheel; crm: plate, disc.'
    )
    load_n: SweptNumbers = Field(default=(2000.0,), description='Load on the body [N]; several: a sweep.')
    a_m: float = Field(default=0.21, ge=0.01, le=2.0, description='Length of a plate, radius of a wheel or disc [m].')
    b_m: float = Field(default=0.31, ge=0.01, le=2.0, description='Width of a plate or wheel [m].')
    damping: float | None = Field(
        default=3e3,
        ge=0.0,
        le=1e7,
        description='SCM only: damping per area [Pa s/m], low for quasi-static loading; none: that of the soil.',
    )
    max_depth_m: float = Field(
        default=0.03,
        gt=0.0,
        le=1.0,
        description='CRM only: largest depth of the plate, where it stops below any load [m].',
    )
    side_m: float | None = Field(
        default=None,
        gt=0.0,
        le=50.0,
        description='CRM only: side length of the square bed [m]; none: five times the longer side of the plate.',
    )
    depth_m: float | None = Field(
        default=None,
        gt=0.0,
        le=50.0,
        description='CRM only: depth of the bed [m]; none: twice the longer side of the plate.',
    )
    curves: str | None = Field(
        default=None,
        description='File to write with points of the first loading by the largest load (.csv), for soil-fit; plate, '
        'disc; none: no file.',
    )

    @field_validator('curves')
    @classmethod
    def _writable(cls, value: str | None) -> str | None:
        return new_file(value, '.csv')

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('load_n', self.load_n, 0.0, 1e7)
        if self.curves is not None and self.shape == 'wheel':
            raise ValueError(f'curves = {self.curves!r}: does not apply to a wheel; allowed: with shape plate or disc')
        self.refuse_other_model(_OF_GROUND)
        if self.shape == ('disc' if self.terrain_model == 'scm' else 'wheel'):
            allowed = 'plate, wheel' if self.terrain_model == 'scm' else 'plate, disc'
            raise ValueError(f'shape = {self.shape!r}: is not supported by {self.terrain_model}; allowed: {allowed}')
        if self.terrain_model == 'crm':
            plate = self.plate(1.0)
            self.refuse_coarse(min(plate.length, plate.width), 'plate')
            for key, value, least in (
                ('side_m', plate.side, 2.0 * max(plate.length, plate.width)),
                ('depth_m', plate.depth, 2.0 * plate.most),
            ):
                if value < least:
                    allowed = f'at least {least:.4g}, twice the plate or its way'
                    raise ValueError(f'{key} = {value!r}: is too small; allowed: {allowed}')
            seconds = 3.0 * plate.most / plate.speed  # loading, unloading, reloading
            refuse_too_many(plate.side**2 * plate.depth, seconds, self.particle_soil, self.discretization())
        return self

    def plate(self, load: float) -> Plate:
        """Return the plate and the bed of a CRM test."""
        disc = self.shape == 'disc'
        length, width = (2.0 * self.a_m, 2.0 * self.a_m) if disc else (self.a_m, self.b_m)
        longer = max(length, width)
        side = self.side_m if self.side_m is not None else 5.0 * longer
        depth = self.depth_m if self.depth_m is not None else 2.0 * longer
        return Plate(length, width, disc, load, self.speed_mps, self.max_depth_m, side, depth)

    def spacing(self) -> float:
        """Return the grid node spacing in use [m]; reference mode fits it to a patch of 4 m, as Chrono does."""
        if self.scm_mode == 'regolith':
            return self.grid_spacing_m
        return _PATCH / (2.0 * math.ceil(0.5 * _PATCH / self.grid_spacing_m - 1e-9))


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per load: sinkage under load, after unloading to a tenth, and after reloading."""
    if settings.terrain_model == 'crm':
        return _on_particles(settings, tick)
    rows = []
    for done, load in enumerate(settings.load_n):
        tick(done, len(settings.load_n))
        samples = loading_cycle(settings, load)
        if settings.curves is not None and load == max(settings.load_n):
            rising = np.array([(p.depth, p.force) for p in samples if p.time <= _LOADED_S])
            a, b = settings.a_m, settings.b_m
            write_pressed(settings.curves, a * b / (a + b), a * b, *rising.T)
        held, eased, again = (_at(samples, t) for t in (_UNDER_LOAD_S, _UNLOADED_S, _RELOADED_S))
        rows.append(
            {
                'soil': settings.soil.name,
                'scm_mode': settings.scm_mode,
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


def _on_particles(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per load on a fresh bed, with bearing capacity from theory and from the knee."""
    s, discretization = settings, settings.discretization()

    def begin(number: int) -> Press:
        return Press(s.plate(s.load_n[number]), s.gravity_mps2, s.particle_soil, discretization, s.threads, s.device)

    plate = s.plate(1.0)
    soil = s.particle_soil
    weight = soil.density_kgpm3 * s.gravity_mps2
    angle, cohesion = soil.compression_strength
    capacity = bearing_capacity(min(plate.length, plate.width), cohesion, angle, weight, plate.disc)
    what = {
        'terrain_model': s.terrain_model,
        'device': resolved_device(s.device),
        'soil': soil.name,
        'gravity_mps2': s.gravity_mps2,
        'area_m2': plate.area,
    }
    rows = sweep(s, begin, len(s.load_n), tick)
    if s.curves is not None and len(rows) == len(s.load_n) and not rows[-1]['incomplete']:
        curve = np.array(rows[s.load_n.index(max(s.load_n))]['curve'])
        # 2 area / perimeter of a disc, its radius, is that of a square around it.
        b = plate.length * plate.width / (plate.length + plate.width)
        write_pressed(s.curves, b, plate.area, *curve.T)
    return [{**what, 'load_n': load, 'terzaghi_pa': capacity, **row} for load, row in zip(s.load_n, rows, strict=False)]


def bearing_capacity(width: float, cohesion: float, friction_angle: float, weight: float, disc: bool) -> float:
    """Return the bearing capacity under a rough plate on the surface: s_c c N_c + s_g gamma B N_gamma [Pa].

    N_c = (N_q - 1) cot phi, N_q = e^(pi tan phi) tan^2(45 + phi / 2), N_gamma = 2 (N_q + 1) tan phi. s_c = 1.3. s_g =
    0.3 for a disc and 0.4 for a square, which is also used for longer plates.

    Args:
        width: B, diameter of a disc or shorter side of a plate [m].
        cohesion: Cohesion c [Pa].
        friction_angle: Friction angle phi [rad].
        weight: Unit weight gamma = rho g [N/m^3].
        disc: Whether the plate is a disc.

    Source: terzaghi1943; vesic1973.
    Checked by: test_pressed_particles.py::test_bearing_capacity_matches_hand_calculation.
    """
    if friction_angle == 0.0:
        return 1.3 * cohesion * (2.0 + math.pi)
    slope = math.tan(friction_angle)
    n_q = math.exp(math.pi * slope) * math.tan(0.25 * math.pi + 0.5 * friction_angle) ** 2
    share = 0.3 if disc else 0.4
    return 1.3 * cohesion * (n_q - 1.0) / slope + share * weight * width * 2.0 * (n_q + 1.0) * slope


def _at(samples: list[Pressed], time: float) -> Pressed:
    """Return the sample nearest to a time [s]."""
    return min(samples, key=lambda sample: abs(sample.time - time))


def loading_cycle(settings: Settings, load: float) -> list[Pressed]:
    """Return samples of a loading cycle with loading, unloading and reloading.

    The load rises for 10 s, is constant to 11 s, falls to 10 % by 13 s, and is back by 15 s.

    Args:
        settings: Settings of the press.
        load: Largest force [N].
    """
    s = settings
    reach = int(math.ceil(max(s.a_m, s.b_m) / s.spacing())) + 4
    parameters = s.soil.parameters()
    if s.damping is not None:
        parameters[constants.DAMPING] = s.damping
    bed = SoilBin(parameters, s.spacing(), s.scm_mode, (-reach, reach + 1, -reach, reach + 1))
    shape = bed.containing(contact.box(s.a_m, s.b_m, 0.1) if s.shape == 'plate' else contact.cylinder(s.a_m, s.b_m))
    rise = 0.05 if s.shape == 'plate' else s.a_m

    def step(z: float, v: float) -> int:
        return bed.body(shape, (0.0, 0.0, z + rise), velocity=(0.0, 0.0, v), dt=s.dt_s)

    def force(t: float) -> float:
        times = [0.0, _LOADED_S, _UNDER_LOAD_S, _UNLOADED_S, 15.0, _RELOADED_S]
        return load * float(np.interp(t, times, [0.0, 1.0, 1.0, 0.1, 1.0, 1.0]))

    # Use the 10 kg of the reference, or the mass that keeps the explicit step stable (m > E A dt^2 / 4). Loading is
    # quasi-static in both cases.
    area = s.a_m * s.b_m * (1.0 if s.shape == 'plate' else 2.0)
    return press(bed, step, force, _RELOADED_S, s.dt_s, max(_MASS, 0.35 * s.soil.elastic_stiffness * area * s.dt_s**2))


def bekker_sinkage(settings: Settings, load: float) -> float | None:
    """Return the sinkage [m] of a plate under a load [N], with 1 / b = perimeter / (2 area); None for a wheel.

    Source: bekker1969.
    Checked by: test_experiments.py::test_plate_sinkage_matches_bekker.
    """
    s = settings
    if s.shape == 'wheel':
        return None
    soil = s.soil
    # The reference spans the patch between node centers: one cell smaller in each direction.
    a, b = (s.a_m - s.spacing(), s.b_m - s.spacing()) if s.scm_mode == 'reference' else (s.a_m, s.b_m)
    stiffness = soil.k_phi + soil.k_c * (a + b) / (a * b)
    return float((load / (s.a_m * s.b_m) / stiffness) ** (1.0 / soil.exponent))


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the loading cycle of the largest load, Bekker's curve and Chrono's points if present."""
    s = settings
    if s.terrain_model == 'crm':
        _draw_particles(s, rows, axes)
        return
    peak = max(s.load_n)
    samples = loading_cycle(s, peak)
    axes.plot([p.depth * 1e3 for p in samples], [p.force for p in samples], label=f'{s.scm_mode} mode')
    axes.plot([r['sinkage_m'] * 1e3 for r in rows], [r['load_n'] for r in rows], 'o', label='under load')
    if s.shape == 'plate':
        loads = np.linspace(0.0, peak, 101)[1:]
        axes.plot([1e3 * (bekker_sinkage(s, p) or 0.0) for p in loads], loads, '--', color='0.4', label='Bekker')
    case = f'{s.soil.name.removeprefix("chrono_")}_{s.shape}_{s.a_m:g}x{s.b_m:g}_d{s.grid_spacing_m:g}'
    for geometry, mark in (('exact', 'kx'), ('bullet', 'r+')):
        points = reference_rows('scm_static', case=case, geometry=geometry)
        if points and s.soil.name.startswith('chrono_'):
            at = [1e3 * float(p['sinkage_m']) for p in points], [float(p['soil_Fz_N']) for p in points]
            axes.plot(*at, mark, markersize=9, label=f'Project Chrono, {geometry} rays')
    axes.set_xlabel('sinkage [mm]')
    axes.set_ylabel('force of the soil [N]')
    axes.set_title(f'{s.shape} {s.a_m:g} m x {s.b_m:g} m, {s.soil.name}')


def _draw_particles(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the loading curve of the largest load, its knee and the theoretical bearing capacity."""
    row = max((r for r in rows if r.get('curve')), key=lambda r: r['load_n'], default=None)
    if row is not None:
        depth, force = np.array(row['curve']).T
        axes.plot(1e3 * depth, 1e-3 * force / row['area_m2'], label=settings.terrain_model)
        if row['knee_pa'] is not None:
            axes.axhline(1e-3 * row['knee_pa'], ls=':', color='C0', label='knee')
        axes.axhline(1e-3 * row['terzaghi_pa'], ls='--', color='0.4', label='Terzaghi')
    axes.set_xlabel('sinkage [mm]')
    axes.set_ylabel('pressure [kPa]')
    axes.set_title(f'{settings.shape}, {settings.particle_soil.name}, {settings.gravity_mps2:g} m/s²')
