# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Presets of lunar terrain: ``data/terrain/NAME.yaml``, each value with its source."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from pydantic import Field, model_validator

from regolith_files import FileKind, FileLibrary, Section


class CraterStatistics(Section):
    """Number and age of craters; see :mod:`regolith_terrain.lunar.statistics`."""

    equilibrium_density: float = Field(
        ge=0.0, le=0.3, description='Number of visible craters wider than 1 m per area in equilibrium [1/m^2].'
    )
    equilibrium_exponent: float = Field(
        ge=1.5, le=3.0, description='Exponent of the cumulative crater size distribution in equilibrium [-].'
    )
    age_gyr: float = Field(gt=0.0, le=4.3, description='Age of the surface [Gyr].')
    min_diameter_m: float = Field(gt=0.01, le=100.0, description='Smallest crater diameter [m].')
    max_diameter_m: float = Field(
        gt=1.0, le=5000.0, description='Largest crater diameter [m], within the range of simple bowls.'
    )
    min_visible_depth_ratio: float = Field(
        gt=0.01, lt=1.0, description='Fraction of its fresh depth at which a crater is just visible [-].'
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
    """A fractal relief; see :func:`regolith_terrain.lunar.relief.octaves`."""

    outer_scale_m: float = Field(gt=0.0, le=1e5, description='Longest wavelength [m].')
    inner_scale_m: float = Field(ge=0.01, le=1e3, description='Shortest wavelength [m].')
    hurst: float = Field(gt=0.0, le=1.0, description='Hurst exponent [-].')
    rms_deviation_m: float = Field(ge=0.0, le=1e3, description='Rms difference of heights at the distance lag_m [m].')
    lag_m: float = Field(gt=0.0, le=1e4, description='Distance of the heights of rms_deviation_m [m].')

    @model_validator(mode='after')
    def _ordered(self) -> Relief:
        if self.inner_scale_m > self.outer_scale_m:
            raise ValueError(
                f'inner_scale_m = {self.inner_scale_m!r}: exceeds outer_scale_m; allowed: up to {self.outer_scale_m!r}'
            )
        return self


class RockStatistics(Section):
    """Number and size of rocks; see :mod:`regolith_terrain.lunar.rocks`."""

    abundance: float = Field(
        ge=0.0, le=0.3, description='Fraction of the surface covered by rocks far from craters [-].'
    )
    min_diameter_m: float = Field(ge=0.02, le=10.0, description='Smallest rock diameter [m].')
    max_diameter_m: float = Field(gt=0.02, le=50.0, description='Largest rock diameter [m].')
    block_crater_min_diameter_m: float = Field(
        gt=0.0, le=5000.0, description='Smallest diameter of craters that excavate blocks [m].'
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
    """A preset of lunar terrain."""

    description: str = Field(description='One line about the terrain.')
    craters: CraterStatistics
    relief: Relief
    texture: Relief
    rocks: RockStatistics


PRESET_LIBRARY = FileLibrary(
    'preset', Path(str(resources.files('regolith_terrain'))) / 'data' / 'terrain', 'regolith.terrain_presets'
)
"""Library of presets of lunar terrain."""


def preset_names() -> tuple[str, ...]:
    """Return the names of the shipped and installed presets, sorted."""
    return PRESET_LIBRARY.names()


@lru_cache
def load_preset(name: str) -> LunarPreset:
    """Return a preset by name or from a YAML file.

    Args:
        name: Name or path of the preset.

    Raises:
        InputError: If the input is invalid. The message names file, line, key, value and allowed values.
    """
    return PRESET_LIBRARY.load(name, LunarPreset)


FILE_KIND = FileKind(
    'Terrain preset', 'A terrain preset has the statistics of lunar terrain.', lambda: {'': LunarPreset}
)
"""Terrain preset files."""
