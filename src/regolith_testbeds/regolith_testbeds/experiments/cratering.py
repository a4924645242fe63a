# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed of low-speed cratering: penetration depth of a ball dropped into CRM soil."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import Field, model_validator

from regolith_terrain.crm import (
    Discretization,
    GivenDevice,
    GivenSoil,
    load_particle_soil,
    refuse_too_many,
    resolved_device,
)
from regolith_testbeds.crm.impact import Drop, Impact
from regolith_testbeds.resumable_runs import Resumable, sweep
from regolith_testbeds.settings import SweptNumbers, Tick, number_within


class Settings(Resumable):
    """Settings of the ball, its drop and the bed."""

    terrain_model: Literal['crm'] = Field(default='crm', description='Terrain model: crm, a continuum of particles.')
    particle_soil: GivenSoil = Field(
        default_factory=lambda: load_particle_soil('glass_beads'), description='Name or file of the soil.'
    )
    radius_m: float = Field(default=0.0125, ge=0.001, le=1.0, description='Radius of the ball [m].')
    ball_density_kgpm3: float = Field(default=2200.0, gt=0.0, le=3e4, description='Density of the ball [kg/m^3].')
    drop_height_m: SweptNumbers = Field(
        default=(0.1,), description='Drop height above the surface [m]; several: a sweep.'
    )
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=100.0, description='Gravity [m/s^2].')
    side_m: float = Field(default=0.1, gt=0.0, le=10.0, description='Side length of the square bed [m].')
    depth_m: float = Field(default=0.07, gt=0.0, le=10.0, description='Depth of the bed [m].')
    spacing_m: float = Field(default=0.0025, gt=0.0, le=1.0, description='Particle spacing [m].')
    artificial_viscosity: float = Field(default=0.05, ge=0.0, le=2.0, description='Artificial viscosity alpha [-].')
    xsph_coefficient: float = Field(
        default=0.25, ge=0.0, le=1.0, description='XSPH velocity smoothing coefficient [-].'
    )
    free_surface_threshold: float = Field(
        default=2.0, ge=0.0, lt=3.0, description='Divergence of position below which soil is free of stress [-].'
    )
    threads: int = Field(default=2, ge=1, le=2, description='Number of threads; it does not change the result.')
    device: GivenDevice = 'auto'

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('drop_height_m', self.drop_height_m, 0.0, 10.0)
        if self.spacing_m > 0.5 * self.radius_m:
            most = 0.5 * self.radius_m
            raise ValueError(
                f'spacing_m = {self.spacing_m!r}: is too coarse; allowed: at most {most!r}, half of radius_m'
            )
        for key in ('side_m', 'depth_m'):
            if getattr(self, key) < 4.0 * self.radius_m:
                raise ValueError(
                    f'{key} = {getattr(self, key)!r}: is too small; '
                    f'allowed: at least four times radius_m, {4.0 * self.radius_m!r}'
                )
        # One second is enough for a ball to come to rest.
        refuse_too_many(self.side_m**2 * self.depth_m, 1.0, self.particle_soil, self.discretization())
        return self

    def discretization(self) -> Discretization:
        """Return the discretization of the soil."""
        return Discretization(
            spacing_m=self.spacing_m,
            artificial_viscosity=self.artificial_viscosity,
            xsph_coefficient=self.xsph_coefficient,
            free_surface_threshold=self.free_surface_threshold,
        )


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per drop: final depth of the lowest point of the ball, and the depth measured in beads."""
    s, discretization = settings, settings.discretization()

    def begin(number: int) -> Impact:
        drop = Drop(s.radius_m, s.ball_density_kgpm3, s.drop_height_m[number], s.gravity_mps2, s.side_m, s.depth_m)
        return Impact(drop, s.particle_soil, discretization, s.threads, s.device)

    rows, device = [], resolved_device(s.device)
    for height, row in zip(s.drop_height_m, sweep(s, begin, len(s.drop_height_m), tick), strict=False):
        measured = uehara_depth(
            s.radius_m, s.ball_density_kgpm3 / s.particle_soil.density_kgpm3, height, s.particle_soil.friction
        )
        rows.append(
            {
                'terrain_model': s.terrain_model,
                'device': device,
                'soil': s.particle_soil.name,
                'gravity_mps2': s.gravity_mps2,
                'drop_height_m': height,
                'ball_density_kgpm3': s.ball_density_kgpm3,
                'uehara_depth_m': measured,
                **row,
            }
        )
    return rows


def uehara_depth(radius: float, density_ratio: float, drop: float, friction: float) -> float:
    """Return the penetration depth measured in beads: 0.14 / mu (rho_s / rho_g)^1/2 (2 R)^2/3 H^1/3 [m].

    H is the total drop including the depth itself. Gravity has no influence.

    Args:
        radius: Radius of the ball, R [m].
        density_ratio: Density of the ball over bulk density of the bed, rho_s / rho_g [-].
        drop: Drop height above the surface [m].
        friction: Tangent of the angle of repose, mu [-].

    Source: uehara2003.
    Checked by: test_cratering.py::test_uehara_depth_matches_hand_calculation.
    """
    scale = 0.14 / friction * math.sqrt(density_ratio) * (2.0 * radius) ** (2.0 / 3.0)
    depth = 0.0
    for _ in range(100):
        depth = scale * (drop + depth) ** (1.0 / 3.0)
    return depth


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw depth over drop height, and the measured law."""
    done = [row for row in rows if not row['incomplete']]
    axes.loglog(
        [r['drop_height_m'] for r in done], [1e3 * r['depth_m'] for r in done], 'o-', label=settings.terrain_model
    )
    axes.loglog(
        [r['drop_height_m'] for r in rows], [1e3 * r['uehara_depth_m'] for r in rows], 'k--', label='Uehara et al.'
    )
    axes.set_xlabel('drop [m]')
    axes.set_ylabel('depth [mm]')
    axes.set_title(f'ball of {settings.ball_density_kgpm3:g} kg/m³ into {settings.particle_soil.name}')
