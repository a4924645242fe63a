# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Testbed bevameter: soil parameters from pressed and sheared plates.

Two square plates give p = (k_c / b + k_phi) z^n, fitted as in Wong (1980): logarithmic, with weight p^2. Soil sheared
at several pressures gives Janosi and Hanamoto's K and, from the limits, cohesion and friction angle. In SCM a plate
shears the soil along a line. In CRM a ring rotates, as in the real instrument, and sinks under its load.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, field_validator, model_validator

from regolith_files import write_atomically
from regolith_terrain.crm import refuse_too_many, resolved_device
from regolith_terrain.grid import Floats
from regolith_terrain.scm import constants
from regolith_testbeds.crm.bench_settings import OF_CRM, OF_SCM, PlateBenchSettings
from regolith_testbeds.crm.plate_press import Plate, Press
from regolith_testbeds.crm.sheared_ring import Ring, ShearedRing, sheared_points
from regolith_testbeds.resumable_runs import sweep
from regolith_testbeds.settings import SeveralNumbers, Tick, new_file, number_within
from regolith_testbeds.soil_bin import SoilBin
from regolith_testbeds.soil_fit import Points, curves_text, pressed_points

_SHEAR_STEPS = 300
_SHEARED_POINTS = 25
"""Number of points of a sheared curve in a file of curves, on CRM."""
_OF_GROUND = {'scm': OF_SCM, 'crm': (*OF_CRM, 'ring_outer_m', 'ring_inner_m', 'shear_m')}
"""Settings that apply to one terrain model only."""
_BED = 3.0
"""Side length of a bed of CRM over that of its plate."""


class Settings(PlateBenchSettings):
    """Settings of the bevameter."""

    plates_m: SeveralNumbers = Field(
        default=(0.08, 0.16), description='Side lengths of the square plates [m], at least two.'
    )
    depth_m: float = Field(default=0.03, gt=0.0, le=0.5, description='Depth to which the plates are pressed [m].')
    pressures_pa: SeveralNumbers = Field(
        default=(2e3, 4e3, 8e3), description='Pressures at which soil is sheared [Pa], at least two.'
    )
    spacing_m: float = Field(default=0.0125, gt=0.0, le=1.0, description='CRM only: particle spacing [m].')
    ring_outer_m: float = Field(default=0.1, gt=0.0, le=2.0, description='CRM only: outer radius of the ring [m].')
    ring_inner_m: float = Field(default=0.06, ge=0.0, le=2.0, description='CRM only: inner radius of the ring [m].')
    shear_m: float = Field(
        default=0.04, gt=0.0, le=1.0, description='CRM only: shear displacement at the mean radius of the ring [m].'
    )
    curves: str | None = Field(
        default=None, description='File to write with the points of the curves (.csv), for soil-fit; none: no file.'
    )

    @field_validator('curves')
    @classmethod
    def _writable(cls, value: str | None) -> str | None:
        return new_file(value, '.csv')

    @model_validator(mode='after')
    def _possible(self) -> Settings:
        number_within('plates_m', self.plates_m, 0.0, 2.0)
        number_within('pressures_pa', self.pressures_pa, 0.0, 1e7)
        for name in ('plates_m', 'pressures_pa'):
            if len(set(getattr(self, name))) < 2:
                raise ValueError(
                    f'{name} = {getattr(self, name)!r}: has too few values; allowed: at least two different numbers'
                )
        self.refuse_other_model(_OF_GROUND)
        if self.terrain_model == 'crm':
            width = self.ring_outer_m - self.ring_inner_m
            if width <= 0.0:
                raise ValueError(
                    f'ring_inner_m = {self.ring_inner_m!r}: is too large; allowed: below ring_outer_m, '
                    f'{self.ring_outer_m!r}'
                )
            self.refuse_coarse(min(self.plates_m), 'smallest plate')
            self.refuse_coarse(width, 'ring')
            for volume, seconds in (
                *((p.side**2 * p.depth, p.most / p.speed) for p in map(self.plate, self.plates_m)),
                *((r.side**2 * r.depth, r.seconds(self.gravity_mps2)) for r in map(self.ring, self.pressures_pa)),
            ):
                refuse_too_many(volume, seconds, self.particle_soil, self.discretization())
        return self

    def plate(self, side: float) -> Plate:
        """Return a plate that is pressed into CRM soil to the depth of the test, without a limit of its load."""
        depth = 2.0 * max(side, self.depth_m)
        return Plate(side, side, False, math.inf, self.speed_mps, self.depth_m, _BED * side, depth)

    def ring(self, pressure: float) -> Ring:
        """Return a ring that shears CRM soil at a pressure [Pa]."""
        return Ring(self.ring_outer_m, self.ring_inner_m, pressure, self.speed_mps, self.shear_m)


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row with the measured and the true soil parameters; on CRM also the curves.

    Source: wong1980; janosi1961.
    Checked by: test_experiments.py::test_bevameter_recovers_the_soil_parameters,
    test_crm_bevameter.py::test_crm_bevameter_writes_curves_of_plausible_soil.
    """
    measure = _on_grid if settings.terrain_model == 'scm' else _on_particles
    found = measure(settings, tick)
    return [found]


def _on_particles(settings: Settings, tick: Tick) -> dict[str, Any]:
    """Return the row of tests of CRM soil, a fresh bed for each plate and each pressure."""
    s, soil, discretization = settings, settings.particle_soil, settings.discretization()
    plates, rings = [s.plate(side) for side in s.plates_m], [s.ring(pressure) for pressure in s.pressures_pa]

    def begin(number: int) -> Press | ShearedRing:
        rest = (s.gravity_mps2, soil, discretization, s.threads, s.device)
        if number < len(plates):
            return Press(plates[number], *rest)
        return ShearedRing(rings[number - len(plates)], *rest)

    rows = sweep(s, begin, len(plates) + len(rings), tick)
    row: dict[str, Any] = {
        'terrain_model': s.terrain_model,
        'device': resolved_device(s.device),
        'soil': soil.name,
        'gravity_mps2': s.gravity_mps2,
    }
    cut = next((r for r in rows if r['incomplete']), None)
    if cut is not None:
        return {**row, **{key: cut[key] for key in ('incomplete', 'checkpoint', 'problem') if key in cut}}
    curves = [np.array(r['curve']) for r in rows]
    pressed = [pressed_points(0.5 * p.length, p.area, *c.T) for p, c in zip(plates, curves[: len(plates)], strict=True)]
    sheared = [
        Points(np.full(_SHEARED_POINTS, r.pressure), *sheared_points(c, _SHEARED_POINTS).T)
        for r, c in zip(rings, curves[len(plates) :], strict=True)
    ]
    depths = np.linspace(0.1, 1.0, 20) * s.depth_m
    table = np.array([np.interp(depths, p.displacement, p.stress) for p in pressed])
    return {
        **row,
        **_measured(s, [p.length for p in plates], depths, table, pressed, sheared),
        'incomplete': False,
        'true': soil.model_dump(mode='json'),
        'elements': sum(r['elements'] for r in rows),
        'steps': sum(r['steps'] for r in rows),
        'wall_s': sum(r['wall_s'] for r in rows),
    }


def _on_grid(settings: Settings, tick: Tick) -> dict[str, Any]:
    """Return the row of tests of SCM soil."""
    total = len(settings.plates_m) + len(settings.pressures_pa)
    depths = np.linspace(0.1, 1.0, 20) * settings.depth_m
    curves, sides = [], []
    for done, asked in enumerate(settings.plates_m):
        tick(done, total)
        side = _whole(settings, asked)
        sides.append(side)
        curves.append(pressure_curve(settings, side, depths))
    sheared = []
    for done, pressure in enumerate(settings.pressures_pa, start=len(sides)):
        tick(done, total)
        held, slid, stress = shear_curve(settings, _whole(settings, max(settings.plates_m)), pressure)
        sheared.append(Points(np.full(len(slid), held), slid, stress))
    # 1 / b = perimeter / (2 area) = 2 / side.
    pressed = [Points(np.full(len(depths), 0.5 * b), depths, curve) for b, curve in zip(sides, curves, strict=True)]
    tick(total, total)
    return {
        'soil': settings.soil.name,
        'scm_mode': settings.scm_mode,
        **_measured(settings, sides, depths, np.array(curves), pressed, sheared),
        'true': settings.soil.model_dump(mode='json'),
    }


def _measured(
    settings: Settings,
    sides: list[float],
    depths: Floats,
    pressures: Floats,
    pressed: list[Points],
    sheared: list[Points],
) -> dict[str, Any]:
    """Return the soil parameters of curves, and write the file of curves.

    Args:
        settings: Settings of the bevameter.
        sides: Side lengths of the plates [m].
        depths: Depths [m], shape (k,).
        pressures: Pressures of the plates at these depths [Pa], shape (plates, k).
        pressed: Points of the plates for the file.
        sheared: Points of the sheared soil.
    """
    if settings.curves is not None:
        write_atomically(Path(settings.curves), curves_text(pressed, sheared))
    k_c, k_phi, exponent = fit_bekker(np.array(sides), depths, pressures)
    limit, modulus = zip(*(fit_janosi(points.displacement, points.stress) for points in sheared), strict=True)
    slope, cohesion = np.polyfit([points.of[0] for points in sheared], limit, 1)
    return {
        'k_c': k_c,
        'k_phi': k_phi,
        'exponent': exponent,
        'cohesion_pa': float(cohesion),
        'friction_angle_deg': math.degrees(math.atan(slope)),
        'janosi_shear_m': float(np.mean(modulus)),
        'pressed': [
            {'side_m': side, 'sinkage_m': points.displacement.tolist(), 'pressure_pa': points.stress.tolist()}
            for side, points in zip(sides, pressed, strict=True)
        ],
    }


def _whole(settings: Settings, side: float) -> float:
    """Return the nearest side length that covers an odd number of whole cells [m]."""
    return settings.grid_spacing_m * (2 * max(1, round((side / settings.grid_spacing_m - 1.0) / 2.0)) + 1)


def _bed(settings: Settings, side: float, way: float = 0.0) -> SoilBin:
    """Return a fresh bed without damping that contains a plate of a side [m] and its travel along x [m]."""
    parameters = settings.soil.parameters()
    parameters[constants.DAMPING] = 0.0
    reach = int(math.ceil(0.5 * side / settings.grid_spacing_m)) + 3
    end = reach + int(math.ceil(way / settings.grid_spacing_m))
    return SoilBin(parameters, settings.grid_spacing_m, settings.scm_mode, (-reach, end + 1, -reach, reach + 1))


def pressure_curve(settings: Settings, side: float, depths: Floats) -> Floats:
    """Return the mean pressure [Pa] under a square plate at each depth [m]."""
    bed = _bed(settings, side)
    pressures = []
    for depth in depths:
        bed.plate((0.0, 0.0, -float(depth)), side, side)
        pressures.append(bed.force[2] / side**2)
    return np.array(pressures)


def fit_bekker(sides: Floats, depths: Floats, pressures: Floats) -> tuple[float, float, float]:
    """Fit k_c, k_phi and n of p = (k_c / b + k_phi) z^n, 1 / b = perimeter / (2 area) = 2 / side.

    Args:
        sides: Side lengths of the square plates [m], shape (m,).
        depths: Depths [m], shape (k,).
        pressures: Pressures [Pa], shape (m, k).

    Source: wong1980; bekker1969.
    Checked by: test_experiments.py::test_bevameter_recovers_the_soil_parameters.
    """
    plates, count = pressures.shape
    matrix = np.zeros((plates * count, plates + 1))
    for k in range(plates):
        matrix[k * count : (k + 1) * count, k] = 1.0
        matrix[k * count : (k + 1) * count, -1] = np.log(depths)
    weight = pressures.reshape(-1)
    found = np.linalg.lstsq(matrix * weight[:, None], np.log(pressures.reshape(-1)) * weight, rcond=None)[0]
    k_c, k_phi = np.polyfit(2.0 / sides, np.exp(found[:-1]), 1)
    return float(k_c), float(k_phi), float(found[-1])


def shear_curve(settings: Settings, side: float, pressure: float) -> tuple[float, Floats, Floats]:
    """Return pressure [Pa], shear displacements [m] and shear stresses [Pa] of a plate dragged along x."""
    soil = settings.soil
    step = 8.0 * soil.janosi_shear_m / _SHEAR_STEPS
    bed = _bed(settings, side)
    depth = _depth_for(settings, side, pressure)
    speed = step / settings.dt_s
    stress = []
    for _ in range(_SHEAR_STEPS):
        # The soil under an endless ring does not change: the plate's material moves, its position does not.
        bed.plate((0.0, 0.0, -depth), side, side, (speed, 0.0, 0.0), settings.dt_s)
        stress.append(-bed.force[0] / side**2)
    slid: Floats = step * np.arange(1.0, _SHEAR_STEPS + 1.0)
    return float(bed.force[2] / side**2), slid, np.array(stress)


def _depth_for(settings: Settings, side: float, pressure: float) -> float:
    """Return the depth at which a fresh bed supports a pressure [m], by bisection; only forces are read."""
    low, high = 0.0, 1e-4

    def borne(depth: float) -> float:
        bed = _bed(settings, side)
        bed.plate((0.0, 0.0, -depth), side, side)
        return float(bed.force[2] / side**2)

    while borne(high) < pressure:
        low, high = high, 2.0 * high
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if borne(middle) < pressure else (low, middle)
    return high


def fit_janosi(slid: Floats, stress: Floats) -> tuple[float, float]:
    """Fit limit [Pa] and K [m] of stress = limit (1 - exp(-j / K)) by least squares.

    Args:
        slid: Shear displacements j [m], shape (n,).
        stress: Shear stresses [Pa], shape (n,).

    Source: janosi1961.
    Checked by: test_experiments.py::test_bevameter_recovers_the_soil_parameters.
    """
    from scipy.optimize import curve_fit

    def law(j: Floats, limit: float, k: float) -> Floats:
        curve: Floats = limit * -np.expm1(-j / k)
        return curve

    found, _ = curve_fit(law, slid, stress, p0=(stress[-1], 0.2 * slid[-1]))
    return float(found[0]), float(found[1])


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the pressure-sinkage curves and their fits."""
    depths = np.linspace(0.0, 1.0, 60) * settings.depth_m
    row = rows[0]
    axes.set_xlabel('sinkage [mm]')
    axes.set_ylabel('pressure [kPa]')
    if row.get('incomplete'):
        return
    for plate in row['pressed']:
        side, measured = plate['side_m'], np.array((plate['sinkage_m'], plate['pressure_pa']))
        (line,) = axes.plot(measured[0] * 1e3, measured[1] * 1e-3, 'o', label=f'{side:g} m plate')
        fitted = (row['k_c'] * 2.0 / side + row['k_phi']) * depths ** row['exponent']
        axes.plot(depths * 1e3, fitted * 1e-3, '-', color=line.get_color())
    bearing = f'k_c {row["k_c"]:.4g}, k_phi {row["k_phi"]:.4g}, n {row["exponent"]:.3g}'
    strength = f'c {row["cohesion_pa"]:.4g} Pa, phi {row["friction_angle_deg"]:.3g} deg'
    axes.set_title(f'{row["soil"]}: {bearing}\n{strength}, K {row["janosi_shear_m"] * 1e3:.3g} mm')
