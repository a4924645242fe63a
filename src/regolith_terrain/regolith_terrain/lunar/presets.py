# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of lunar ground: ``data/terrain/NAME.yaml``, each figure with its source."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from pydantic import Field, model_validator

from regolith_files.file_library import FileLibrary
from regolith_files.section import Section


class CraterStatistics(Section):
    """Numbers and ages of craters; see :mod:`regolith_terrain.lunar.statistics`."""

    equilibrium_density: float = Field(
        ge=0.0, le=0.3, description='Visible craters wider than 1 m in equilibrium [1/m^2].'
    )
    equilibrium_exponent: float = Field(ge=1.5, le=3.0, description='Cumulative, of their diameters [-].')
    age_gyr: float = Field(gt=0.0, le=4.3, description='Of the surface [Gyr].')
    min_diameter_m: float = Field(gt=0.01, le=100.0, description='Smallest diameter [m].')
    max_diameter_m: float = Field(gt=1.0, le=5000.0, description='Largest diameter [m]; still a simple bowl.')
    min_visible_depth_ratio: float = Field(
        gt=0.01, lt=1.0, description='Share of its depth at which a crater is last seen [-].'
    )

    @model_validator(mode='after')
    def _ordered(self) -> CraterStatistics:
        if self.max_diameter_m < 2.0 * self.min_diameter_m:
            least = 2.0 * self.min_diameter_m
            raise ValueError(
                f'max_diameter_m = {self.max_diameter_m!r}: is below twice min_diameter_m; allowed: at least {least!r}'
            )
        return self


class Relief(Section):
    """A fractal part; see :func:`regolith_terrain.lunar.relief.octaves`."""

    outer_scale_m: float = Field(gt=0.0, le=1e5, description='Longest wavelength [m].')
    inner_scale_m: float = Field(ge=0.01, le=1e3, description='Shortest wavelength [m].')
    hurst: float = Field(gt=0.0, le=1.0, description='Hurst exponent [-].')
    rms_deviation_m: float = Field(ge=0.0, le=1e3, description='Rms difference of heights a lag apart [m].')
    lag_m: float = Field(gt=0.0, le=1e4, description='That lag [m].')

    @model_validator(mode='after')
    def _ordered(self) -> Relief:
        if self.inner_scale_m > self.outer_scale_m:
            raise ValueError(
                f'inner_scale_m = {self.inner_scale_m!r}: exceeds outer_scale_m; allowed: up to {self.outer_scale_m!r}'
            )
        return self


class RockStatistics(Section):
    """Numbers of rocks; see :mod:`regolith_terrain.lunar.rocks`."""

    abundance: float = Field(ge=0.0, le=0.3, description='Share of the ground that rocks cover, far from craters [-].')
    min_diameter_m: float = Field(ge=0.02, le=10.0, description='Smallest diameter [m].')
    max_diameter_m: float = Field(gt=0.02, le=50.0, description='Largest diameter [m].')
    block_crater_min_diameter_m: float = Field(
        gt=0.0, le=5000.0, description='Craters wider than this dig up blocks [m].'
    )

    @model_validator(mode='after')
    def _ordered(self) -> RockStatistics:
        if self.min_diameter_m >= self.max_diameter_m:
            raise ValueError(
                f'min_diameter_m = {self.min_diameter_m!r}: is not below max_diameter_m; allowed: below '
                f'{self.max_diameter_m!r}'
            )
        return self


class LunarPreset(Section):
    """One kind of lunar ground."""

    description: str
    craters: CraterStatistics
    relief: Relief
    texture: Relief
    rocks: RockStatistics


PRESETS = FileLibrary('preset', Path(str(resources.files('regolith_terrain'))) / 'data' / 'terrain', 'regolith.presets')
"""Kinds of lunar ground."""


def preset_names() -> tuple[str, ...]:
    """Return the names of the presets that ship or are installed, sorted."""
    return PRESETS.names()


@lru_cache
def load_preset(name: str) -> LunarPreset:
    """Return a preset by name or from a YAML file.

    Raises:
        InputError: If the input is invalid. The message names file, line, key, value and allowed values.
    """
    return PRESETS.load(name, LunarPreset)
