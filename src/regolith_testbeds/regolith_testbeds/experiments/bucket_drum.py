# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of a bucket drum that digs a trench: torque, draft and power per width, and gathered soil."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from pydantic import Field, model_validator

from regolith_terrain.crm import GivenDevice, resolved_device
from regolith_testbeds import drum_trench_scm
from regolith_testbeds.crm import drum as soil_drum
from regolith_testbeds.drum_trench import FIRST_TURN, Drum
from regolith_testbeds.resumable_runs import Resumable, ResumableRun, sweep
from regolith_testbeds.settings import SweptNumbers, Tick, number_within

_OF_GROUND = {'scm': ('grid_spacing_m', 'dt_s', 'soil_tool_friction_deg'), 'crm': ('spacing_m', 'threads', 'device')}
"""Settings that apply to one terrain model only."""


class Settings(Resumable):
    """Settings of drum, trench and soil. Default sizes are those of RASSOR."""

    terrain_model: Literal['scm', 'crm'] = Field(
        default='scm', description='Terrain model: scm, soil columns with the earthmoving equation; crm, particles.'
    )
    radius_m: float = Field(default=0.2, ge=0.02, le=5.0, description='Radius of the circle of the lips [m].')
    scoops: int = Field(
        default=4,
        ge=1,
        le=24,
        description='Number of scoops around the drum, each with an opening in front of its lip.',
    )
    scoop_height_m: float = Field(default=0.06, gt=0.0, le=1.0, description='Height of the lips above the shell [m].')
    rake_angle_deg: float = Field(
        default=50.0,
        ge=20.0,
        le=90.0,
        description='Rake angle of a lip, between its face and the path behind its edge [deg].',
    )
    depth_m: SweptNumbers = Field(default=(0.1,), description='Depth of the trench [m]; several: a sweep.')
    advance_mps: float = Field(default=0.05, gt=0.0, le=5.0, description='Forward speed of the axle [m/s].')
    rate_radps: float = Field(default=2.0, gt=0.0, le=100.0, description='Rotation rate of the drum [rad/s].')
    revolutions: float = Field(
        default=1.5, gt=FIRST_TURN, le=100.0, description='Number of revolutions of the run; mean values begin at 0.5.'
    )
    gravity_mps2: float = Field(default=1.62, gt=0.0, le=100.0, description='Gravity [m/s^2].')
    density_kgpm3: float = Field(default=1500.0, gt=0.0, le=1e4, description='Bulk density of the soil [kg/m^3].')
    cohesion_pa: float = Field(default=170.0, ge=0.0, le=1e6, description='Cohesion of the soil [Pa].')
    friction_angle_deg: float = Field(
        default=35.0, gt=0.1, lt=60.0, description='Friction angle of the soil in plane strain [deg].'
    )
    soil_tool_friction_deg: float | None = Field(
        default=None,
        ge=0.0,
        lt=60.0,
        description='SCM only: friction angle between soil and lips [deg]; none: two thirds of that of the soil.',
    )
    grid_spacing_m: float = Field(default=0.01, ge=0.001, le=0.2, description='SCM only: grid node spacing [m].')
    dt_s: float = Field(default=1e-3, ge=1e-5, le=1e-2, description='SCM only: step size [s].')
    spacing_m: float = Field(default=0.006, gt=0.0, le=1.0, description='CRM only: particle spacing [m].')
    threads: int = Field(
        default=2, ge=1, le=2, description='CRM only: number of threads; it does not change the result.'
    )
    device: GivenDevice = 'auto'

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        for ground, keys in _OF_GROUND.items():
            for key in keys:
                if ground != self.terrain_model and key in self.model_fields_set:
                    raise ValueError(
                        f'{key} = {getattr(self, key)!r}: does not apply to {self.terrain_model}; '
                        f'allowed: with terrain_model {ground}'
                    )
        number_within('depth_m', self.depth_m, 0.0, self.radius_m)
        for depth in self.depth_m:
            drum = self.drum(depth)
            if drum.chip > self.scoop_height_m:
                raise ValueError(
                    f'advance_mps = {self.advance_mps!r}: {drum.chip:.3g} m between successive cuts is too much; '
                    f'allowed: at most scoop_height_m, {self.scoop_height_m!r}'
                )
            if self.terrain_model == 'crm' and self.spacing_m > 0.25 * drum.chip:
                raise ValueError(
                    f'spacing_m = {self.spacing_m!r}: is too coarse; '
                    f'allowed: at most a quarter of the advance from lip to lip, {0.25 * drum.chip:.3g} m'
                )
            if self.terrain_model == 'crm':
                soil_drum.refuse(drum, self.spacing_m)
        most = 0.5 * self.radius_m
        if self.scoop_height_m > most:
            raise ValueError(
                f'scoop_height_m = {self.scoop_height_m!r}: is too long; allowed: at most half of radius_m, {most!r}'
            )
        most = 2.0 * math.pi * (self.radius_m - self.scoop_height_m) / (2.0 * soil_drum.OPENING * self.scoop_height_m)
        if self.scoops > most:
            raise ValueError(
                f'scoops = {self.scoops!r}: is too large; allowed: at most {math.floor(most)}, for half a shell'
            )
        return self

    def drum(self, depth: float) -> Drum:
        """Return the drum at a depth [m]."""
        return Drum(
            self.radius_m,
            self.scoops,
            self.scoop_height_m,
            math.radians(self.rake_angle_deg),
            depth,
            self.advance_mps,
            self.rate_radps,
            self.revolutions,
            self.gravity_mps2,
            self.density_kgpm3,
            self.cohesion_pa,
            math.radians(self.friction_angle_deg),
        )


def _on_grid(settings: Settings, drum: Drum) -> ResumableRun:
    angle = settings.soil_tool_friction_deg
    soil_tool = -1.0 if angle is None else math.radians(angle)
    return drum_trench_scm.ScmTrench(drum, soil_tool, settings.grid_spacing_m, settings.dt_s)


def _on_particles(settings: Settings, drum: Drum) -> ResumableRun:
    return soil_drum.CrmTrench(drum, settings.spacing_m, settings.threads, settings.device)


GROUNDS: dict[str, Callable[[Settings, Drum], ResumableRun]] = {'scm': _on_grid, 'crm': _on_particles}
"""Terrain models by name."""


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per depth, with the same columns for both terrain models."""
    s = settings
    device = resolved_device(s.device) if s.terrain_model == 'crm' else 'cpu'
    rows = sweep(s, lambda number: GROUNDS[s.terrain_model](s, s.drum(s.depth_m[number])), len(s.depth_m), tick)
    return [
        {'terrain_model': s.terrain_model, 'device': device, 'gravity_mps2': s.gravity_mps2, 'depth_m': depth, **row}
        for depth, row in zip(s.depth_m, rows, strict=False)
    ]


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw torque over revolutions."""
    shown = [row for row in rows if row.get('curve')]
    for row in shown:
        axes.plot(*zip(*row['curve'], strict=True), label=f'{settings.terrain_model}, {1e3 * row["depth_m"]:g} mm deep')
    if shown:
        axes.axvline(FIRST_TURN, ls=':', color='0.5')
    axes.set_xlabel('revolutions')
    axes.set_ylabel('torque per width [N m/m]')
    axes.set_title(
        f'drum {settings.radius_m:g} m, {settings.scoops} lips, {settings.cohesion_pa:g} Pa, '
        f'{settings.friction_angle_deg:g}°, {settings.gravity_mps2:g} m/s²'
    )
