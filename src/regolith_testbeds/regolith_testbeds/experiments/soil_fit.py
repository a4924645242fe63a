# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Experiment ``soil-fit``: SCM parameters from measured curves of plates, with credible intervals, and a soil file.

The file of curves is a CSV with the columns kind, b_m, normal_pa, displacement_m, stress_pa. Points of kind pressure
have the size b = 2 area / perimeter of the plate (a square: half its side, a disc: its radius), sinkage and pressure.
Points of kind shear have the normal pressure, shear displacement and shear stress. Experiments bevameter and
plate-sinkage write such files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, field_validator

from regolith_files import Section, write_atomically
from regolith_terrain import load_soil
from regolith_testbeds.settings import Names, Soil, Tick, new_file
from regolith_testbeds.soil_fit import Fit, Points, fit, fitted_soil, pressure, read_curves, shear_stress, soil_text


class Settings(Section):
    """Settings of the fit."""

    curves: Names = Field(description='File of measured points (.csv), or several separated by commas.')
    soil: Soil = Field(
        default_factory=lambda: load_soil('lunar_nominal'),
        description='Name or file of the soil that gives the parameters that the curves do not determine.',
    )
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description='Seed of the chains.')
    out: str | None = Field(default=None, description='Soil file to write (.yaml); none: no file.')

    @field_validator('out')
    @classmethod
    def _writable(cls, value: str | None) -> str | None:
        return new_file(value, '.yaml')


def run(settings: Settings, tick: Tick) -> list[dict[str, Any]]:
    """Return one row per parameter: median, credible interval, agreement of the chains, error of the points.

    Raises:
        InputError: If the file of curves is invalid.
    """
    curves = read_curves(*settings.curves)
    fits: list[Fit] = []
    for done, (kind, points) in enumerate(curves.items()):
        tick(done, len(curves))
        fits.append(fit(kind, points, settings.seed))
    tick(len(curves), len(curves))
    name, files = Path(settings.out or settings.curves[0]).stem, ', '.join(Path(each).name for each in settings.curves)
    soil = fitted_soil(name, fits, settings.soil)
    if settings.out is not None:
        write_atomically(Path(settings.out), soil_text(soil, fits, files, settings.soil.name))
    return [
        {
            'parameter': key,
            'median': median,
            'low': low,
            'high': high,
            'r_hat': each.r_hat,
            'relative_error': each.error,
        }
        for each in fits
        for key, median, low, high in zip(
            each.keys, each.median.tolist(), each.low.tolist(), each.high.tolist(), strict=True
        )
    ]


def draw(settings: Settings, rows: list[dict[str, Any]], axes: Any) -> None:
    """Draw the points of pressed plates, or of sheared ones, and the curves of the medians."""
    curves, found = read_curves(*settings.curves), {row['parameter']: row for row in rows}
    if 'pressure' in curves:
        _draw_pressed(curves['pressure'], settings, axes)
    else:
        _draw_sheared(curves['shear'], settings, axes)
    parts = [f'{key} {row["median"]:.4g} ({row["low"]:.4g} to {row["high"]:.4g})' for key, row in found.items()]
    axes.set_title('\n'.join(', '.join(parts[k : k + 2]) for k in range(0, len(parts), 2)), fontsize=8)


def _draw_sheared(points: Points, settings: Settings, axes: Any) -> None:
    """Draw the points of sheared plates, and the band of the curves of the posterior distribution."""
    samples = fit('shear', points, settings.seed).samples
    slope = np.tan(np.radians(samples[:, 1:2]))
    for normal in np.unique(points.of):
        own = points.of == normal
        slid = np.linspace(0.0, 1.0, 60) * points.displacement[own].max()
        every = shear_stress(samples[:, :1], slope, samples[:, 2:], np.full(1, normal), slid)
        low, high = np.quantile(every, (0.005, 0.995), axis=0)
        label = f'{normal * 1e-3:g} kPa'
        (line,) = axes.plot(points.displacement[own] * 1e3, points.stress[own] * 1e-3, '.', label=label)
        axes.fill_between(slid * 1e3, low * 1e-3, high * 1e-3, color=line.get_color(), alpha=0.3, lw=0)
    axes.set_xlabel('shear displacement [mm]')
    axes.set_ylabel('shear stress [kPa]')


def _draw_pressed(points: Points, settings: Settings, axes: Any) -> None:
    """Draw the points of pressed plates, and the band of the curves of the posterior distribution."""
    samples = fit('pressure', points, settings.seed).samples
    for b in np.unique(points.of):
        own = points.of == b
        sinkage = np.linspace(0.02, 1.0, 60) * points.displacement[own].max()
        every = pressure(samples[:, :1], samples[:, 1:2], samples[:, 2:], np.full(1, b), sinkage)
        low, high = np.quantile(every, (0.005, 0.995), axis=0)
        (line,) = axes.plot(points.displacement[own] * 1e3, points.stress[own] * 1e-3, '.', label=f'b {b:g} m')
        axes.fill_between(sinkage * 1e3, low * 1e-3, high * 1e-3, color=line.get_color(), alpha=0.3, lw=0)
    axes.set_xlabel('sinkage [mm]')
    axes.set_ylabel('pressure [kPa]')
