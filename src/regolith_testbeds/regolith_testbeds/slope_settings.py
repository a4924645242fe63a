# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings and runs of the slope climbs of ``wheel-rig``, for SCM, CRM and DEM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field, model_validator

from regolith_terrain import load_soil
from regolith_terrain.crm import (
    Discretization,
    GivenDevice,
    GivenSoil,
    ParticleSoil,
    load_particle_soil,
    resolved_device,
)
from regolith_testbeds import scm_climb
from regolith_testbeds.crm import climb as crm_climb
from regolith_testbeds.crm.discretization_settings import DiscretizationSettings
from regolith_testbeds.dem import climb as grain_climb
from regolith_testbeds.dem.beds import GrainBin, Grains
from regolith_testbeds.resumable_runs import Resumable, ResumableRun, sweep
from regolith_testbeds.settings import SweptNumbers, Tick, WheelBenchSettings
from regolith_testbeds.slope_climb import GivenRig, WheelRig, check, check_slope, load_wheel_rig

DEFAULT_RIG = 'grc1_mgru3'
OF_GROUND = {
    'scm': ('soil', 'scm_mode', 'grid_spacing_m', 'dt_s'),
    'crm': (
        'spacing_m',
        'artificial_viscosity',
        'smoothing_ratio',
        'xsph_coefficient',
        'free_surface_threshold',
        'particle_soil',
        'device',
    ),
    'dem': ('grains', 'packing', 'seed'),
}
"""Settings of climbs that apply to one terrain model only."""
OF_CLIMBS = (
    'rig',
    'mass_kg',
    'gravity_mps2',
    'duration_s',
    *OF_GROUND['crm'],
    *OF_GROUND['dem'],
    'threads',
    'resume',
    'checkpoint',
)
"""Settings that apply to climbs only."""


class SlopeSettings(WheelBenchSettings, DiscretizationSettings, Resumable):
    """Settings of slope climbs; a setting of one terrain model only states so."""

    terrain_model: Literal['scm', 'crm', 'dem'] = Field(
        default='scm', description='Terrain model: scm, the soil grid; crm, a continuum of particles; dem, grains.'
    )
    slope_deg: SweptNumbers | None = Field(
        default=None,
        description='Slope that the wheel climbs at the resulting slip, -45 to 45 [deg]; several: a sweep; none:'
        ' no climb.',
    )
    rig: GivenRig | None = Field(
        default=None, description=f'Climbs only: name or file of the rig; none: {DEFAULT_RIG}.'
    )
    omega_radps: float = Field(
        default=0.8, gt=0.0, le=100.0, description='Wheel speed [rad/s]; climbs: default is that of the rig.'
    )
    mass_kg: float | None = Field(
        default=None, gt=0.0, le=1e5, description='Climbs only: mass on the wheel [kg]; none: that of the rig.'
    )
    gravity_mps2: float | None = Field(
        default=None,
        gt=0.0,
        le=100.0,
        description='Climbs only: gravity [m/s^2], times of the rig are scaled with it; none: gravity of the rig.',
    )
    duration_s: float | None = Field(
        default=None,
        gt=0.1,
        le=600.0,
        description='Climbs only: duration of the drive from its start [s]; none: that of the rig.',
    )
    spacing_m: float = Field(default=0.009, gt=0.0, le=10.0, description='CRM only: particle spacing [m].')
    particle_soil: GivenSoil | None = Field(
        default=None, description='CRM only: name or file of the soil; none: that of the rig.'
    )
    device: GivenDevice = 'auto'
    grains: Grains = Field(default_factory=Grains, description='DEM only: grains of the bed, a mapping.')
    packing: Literal['loose', 'dense'] = Field(
        default='loose', description='DEM only: packing of the bed, loose or dense.'
    )
    seed: int = Field(
        default=1, ge=0, le=2**31, description='DEM only: seed of grain sizes, positions and orientations.'
    )
    threads: int = Field(
        default=2, ge=1, le=2, description='CRM and DEM only: number of threads; it does not change the result.'
    )

    @model_validator(mode='after')
    def _a_climb(self) -> SlopeSettings:
        if self.slope_deg is None:
            odd = [key for key in OF_CLIMBS if key in self.model_fields_set]
            if self.terrain_model != 'scm':
                odd.insert(0, 'terrain_model')
            if odd:
                value = getattr(self, odd[0])
                what = f'{odd[0]} = {getattr(value, "name", value)!r}: applies only when slope_deg is set'
                raise ValueError(f'{what}; allowed: with slope_deg')
            return self
        for ground in OF_GROUND:
            for key in OF_GROUND[ground]:
                if ground != self.terrain_model and key in self.model_fields_set:
                    raise ValueError(
                        f'{key}: does not apply to terrain_model {self.terrain_model!r}; allowed: with '
                        f'terrain_model {ground!r}'
                    )
        rig = self.climbing_rig()
        for slope in self.slope_deg:
            GROUNDS[self.terrain_model][0](self, rig, slope)
        return self

    def climbing_rig(self) -> WheelRig:
        """Return the rig, modified by the settings."""
        rig = self.rig if self.rig is not None else load_wheel_rig(DEFAULT_RIG)
        if self.gravity_mps2 is not None:
            rig = rig.under(self.gravity_mps2)
        if self.terrain_model == 'scm':
            rig = rig.on_grid()
        given = {'omega_radps': self.omega_radps} if 'omega_radps' in self.model_fields_set else {}
        given |= {'mass_kg': self.mass_kg} if self.mass_kg is not None else {}
        given |= {'drive_s': self.duration_s} if self.duration_s is not None else {}
        return rig.model_copy(update=given)


def _check_scm(settings: SlopeSettings, rig: WheelRig, slope: float) -> None:
    check_slope(slope)
    load_soil(rig.scm_soil)


def _on_scm(settings: SlopeSettings, rig: WheelRig, slope: float) -> ResumableRun:
    soil = settings.soil if 'soil' in settings.model_fields_set else load_soil(rig.scm_soil)
    return scm_climb.ScmClimb(
        rig,
        slope,
        soil.parameters(),
        settings.grid_spacing_m,
        settings.dt_s,
        settings.scm_mode,
        settings.displacement(),
    )


def _discretization(settings: SlopeSettings) -> Discretization:
    return settings.discretization().model_copy(update={'courant_number': crm_climb.COURANT})


def _particle_soil(settings: SlopeSettings, rig: WheelRig) -> ParticleSoil:
    return settings.particle_soil or load_particle_soil(rig.particle_soil)


def _check_crm(settings: SlopeSettings, rig: WheelRig, slope: float) -> None:
    check(rig, slope)
    load_particle_soil(rig.particle_soil)  # a rig without a known soil is invalid, even if settings replace the soil
    crm_climb.refuse(rig, _particle_soil(settings, rig), _discretization(settings))


def _on_crm(settings: SlopeSettings, rig: WheelRig, slope: float) -> ResumableRun:
    soil = _particle_soil(settings, rig)
    return crm_climb.CrmClimb(rig, slope, soil, _discretization(settings), settings.threads, settings.device)


def _grain_bed(settings: SlopeSettings, rig: WheelRig) -> grain_climb.ClimbBed:
    trough = rig.trough
    filled = GrainBin(
        length_m=trough.length_m,
        width_m=trough.width_m,
        depth_m=trough.depth_m,
        packing=settings.packing,
        seed=settings.seed,
    )
    return grain_climb.ClimbBed(grains=settings.grains, bin=filled, threads=settings.threads)


def _check_dem(settings: SlopeSettings, rig: WheelRig, slope: float) -> None:
    grain_climb.check(rig, slope, _grain_bed(settings, rig))


def _on_dem(settings: SlopeSettings, rig: WheelRig, slope: float) -> ResumableRun:
    return grain_climb.DemClimb(rig, slope, _grain_bed(settings, rig))


Check = Callable[[SlopeSettings, WheelRig, float], None]
Begin = Callable[[SlopeSettings, WheelRig, float], ResumableRun]
GROUNDS: dict[str, tuple[Check, Begin]] = {
    'scm': (_check_scm, _on_scm),
    'crm': (_check_crm, _on_crm),
    'dem': (_check_dem, _on_dem),
}
"""Terrain models by name: function that rejects a climb (settings, rig, slope), and function that starts one."""


def climb_slopes(settings: SlopeSettings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per slope, with the same columns for all terrain models."""
    rig, slopes = settings.climbing_rig(), settings.slope_deg
    assert slopes is not None

    def begin(number: int) -> ResumableRun:
        return GROUNDS[settings.terrain_model][1](settings, rig, slopes[number])

    what = {
        'terrain_model': settings.terrain_model,
        'rig': rig.name,
        'gravity_mps2': rig.gravity_mps2,
        'omega_radps': rig.omega_radps,
        'device': resolved_device(settings.device) if settings.terrain_model == 'crm' else 'cpu',
    }
    rows = sweep(settings, begin, len(slopes), tick)
    return [{**what, 'slope_deg': slope, **row} for slope, row in zip(slopes, rows, strict=False)]


def plot_slopes(settings: SlopeSettings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw slip over slope; hollow markers are unsteady or incomplete climbs."""
    done = sorted((row for row in rows if row.get('slip') is not None), key=lambda row: row['slope_deg'])
    axes.plot([r['slope_deg'] for r in done], [r['slip'] for r in done], '-', color='C0')
    steady = [row for row in done if row['steady'] and not row['incomplete']]
    moving = [row for row in done if not row['steady'] and not row['incomplete']]
    cut = [row for row in done if row['incomplete']]
    for label, mark, face, some in (
        (settings.terrain_model, 'o', 'C0', steady),
        ('not steady', 'o', 'white', moving),
        ('incomplete', 's', 'white', cut),
    ):
        if some:
            places = [r['slope_deg'] for r in some], [r['slip'] for r in some]
            axes.plot(*places, mark, color='C0', markerfacecolor=face, label=label)
    axes.set_xlabel('slope [deg]')
    axes.set_ylabel('slip 1 - v / (ωR), R over the grousers [-]')
    axes.set_title(f'{settings.climbing_rig().name} on {settings.terrain_model}, {_fineness(settings)}')


def _fineness(settings: SlopeSettings) -> str:
    """Return the resolution of the terrain as text."""
    size, what = {
        'scm': (settings.grid_spacing_m, 'nodes every {} mm'),
        'crm': (settings.spacing_m, 'particles every {} mm'),
        'dem': (settings.grains.radius_m, 'grains of radius {} mm'),
    }[settings.terrain_model]
    return what.format(f'{1e3 * size:.3g}')
