# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys ``light.soil`` and ``light.rocks``: reflectance models of ground and rocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from regolith_files import Section, YamlSource
from regolith_sensors.light import LUNAR_TINT
from regolith_sensors.principled_brdf import BASE_LIMIT, DisneyParameters

if TYPE_CHECKING:
    from regolith_sensors.surfaces.materials import HapkeSoil, Material

BRIGHT_BASE = 0.6
"""Base color of Burley's function above which ``check`` warns: further bounces add energy."""


def _reflectances(color: tuple[float, float, float]) -> tuple[float, float, float]:
    if not all(0.0 <= part <= 1.0 for part in color):
        raise ValueError('is no reflectance; allowed: red, green and blue from 0 to 1')
    return color


Reflectances = Annotated[tuple[float, float, float], AfterValidator(_reflectances)]


def _soil_gray() -> tuple[float, float, float]:
    red, green, blue = (0.12 * part for part in LUNAR_TINT)
    return round(red, 4), round(green, 4), round(blue, 4)


def _share(default: float, description: str) -> Any:
    return Field(default, ge=0.0, le=1.0, description=f'{description}, 0 to 1 [-]')


class HapkeSurfaceConfig(Section):
    """Hapke's reflectance with the parameters of ``light.reflectance``."""

    type: Literal['hapke'] = 'hapke'


class LambertConfig(Section):
    """Ideally diffuse surface."""

    type: Literal['lambert']
    albedo: Reflectances = Field(default_factory=_soil_gray, description='red, green, blue [-]')


class PrincipledConfig(Section):
    """Diffuse base under a rough reflecting coat, or rough metal; it conserves energy."""

    type: Literal['principled']
    base_color: Reflectances = Field(default_factory=_soil_gray, description='red, green, blue [-]')
    roughness: float = Field(0.9, ge=0.05, le=1.0, description='square root of the width of the reflection [-]')
    metallic: float = _share(0.0, 'fraction of metal')
    specular: float = _share(0.04, 'reflectance of the coat at normal incidence')


class DisneyConfig(Section):
    """Burley's function of 2012. It does not conserve energy, therefore bright bases are refused."""

    type: Literal['disney']
    base_color: Reflectances = Field(
        default_factory=_soil_gray, description=f'red, green, blue [-], up to {BASE_LIMIT}'
    )
    subsurface: float = _share(0.0, 'fraction of light that is scattered below the surface')
    metallic: float = _share(0.0, 'fraction of metal')
    specular: float = _share(0.5, 'reflectance at normal incidence, in units of 8 %')
    specular_tint: float = _share(0.0, 'fraction of the color of the base in the reflection')
    roughness: float = _share(0.5, 'roughness')
    sheen: float = _share(0.0, 'brightness at grazing angles')
    sheen_tint: float = _share(0.5, 'fraction of the color of the base in it')
    clearcoat: float = _share(0.0, 'strength of a clear coat')
    clearcoat_gloss: float = _share(1.0, 'gloss of the clear coat')
    g_remap: bool = Field(False, description='whether masking uses the roughness 0.5 + r / 2 of the course notes')

    def model_post_init(self, _: Any) -> None:
        """Refuse bases that reflect more than they receive.

        Raises:
            ValueError: If the base is too bright.
        """
        if max(self.base_color) > BASE_LIMIT:
            raise ValueError(
                f'base_color = {list(self.base_color)!r}: returns more light than it receives; allowed: <= {BASE_LIMIT}'
            )


class ChronoConfig(Section):
    """Default surface of Chrono's cameras. The default values are those of POLAR-Sim for ground and rocks."""

    type: Literal['chrono']
    color: Reflectances = Field((0.7, 0.7, 0.7), description='red, green, blue [-]')
    roughness: float = Field(0.8, ge=0.01, le=1.0, description='width of the reflection, not squared [-]')
    specular: float = _share(1.0, 'reflectance at normal incidence, in units of 8 %')


def _type_of(value: Any) -> Any:
    return value.get('type', 'hapke') if isinstance(value, dict) else getattr(value, 'type', None)


SurfaceConfig = Annotated[
    Annotated[HapkeSurfaceConfig, Tag('hapke')]
    | Annotated[LambertConfig, Tag('lambert')]
    | Annotated[PrincipledConfig, Tag('principled')]
    | Annotated[DisneyConfig, Tag('disney')]
    | Annotated[ChronoConfig, Tag('chrono')],
    Discriminator(_type_of),
]


def material_of(config: Any, hapke: HapkeSoil, micro_relief: float) -> Material:
    """Return the material of a section.

    Args:
        config: One of the sections of this module.
        hapke: Soil for the type ``hapke``.
        micro_relief: Strength of the micro-relief on the surface, 0 to 1.
    """
    # Its module loads the compiler, for which checks of files need not wait.
    from regolith_sensors.surfaces.materials import ChronoSurface, Disney, Lambert, Principled

    if isinstance(config, LambertConfig):
        return Lambert(config.albedo, micro_relief)
    if isinstance(config, PrincipledConfig):
        return Principled(config.base_color, config.roughness, config.metallic, config.specular, micro_relief)
    if isinstance(config, DisneyConfig):
        values = config.model_dump(exclude={'type', 'base_color', 'g_remap'})
        return Disney(DisneyParameters(base=config.base_color, remap=config.g_remap, **values), micro_relief)
    if isinstance(config, ChronoConfig):
        return ChronoSurface(config.color, config.roughness, config.specular, micro_relief)
    return hapke


def warn_of_bright_bases(light: Any, source: YamlSource) -> None:
    """Warn of bases of Burley's function to which further bounces add energy.

    Args:
        light: Section ``light``.
        source: File of the scenario.
    """
    for key, surface in (('soil', light.soil), ('rocks', light.rocks)):
        if isinstance(surface, DisneyConfig) and max(surface.base_color) > BRIGHT_BASE:
            at = ('light', key, 'base_color')
            problem = 'adds energy with each bounce at grazing angles'
            source.warn(at, problem, f'up to {BRIGHT_BASE}, or type: principled', list(surface.base_color))
