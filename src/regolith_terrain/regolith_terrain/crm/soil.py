# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a soil as a continuum of particles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from regolith_files.file_library import FileLibrary
from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_terrain.crm.arrays import CAM_CLAY, FRICTIONAL, Material, Scheme
from regolith_terrain.terrain_parameters import SoilParameters

LAWS = {'frictional': FRICTIONAL, 'cam_clay': CAM_CLAY}
PARTICLE_SOILS = FileLibrary(
    'particle soil', Path(__file__).parent.parent / 'data' / 'particle_soils', 'regolith.particle_soils'
)


class ParticleSoil(SoilParameters):
    """An elastic soil that yields by friction and cohesion, or as Modified Cam Clay says."""

    files: ClassVar[FileLibrary] = PARTICLE_SOILS
    law: Literal['frictional', 'cam_clay'] = Field(default='frictional', description='what the soil can bear')
    density_kgpm3: float = Field(gt=0.0, le=1e4, description='bulk density, which stays as it is [kg/m^3]')
    youngs_modulus_pa: float = Field(
        gt=0.0, le=1e10, description='stiffness of the elastic part; sound, and so the step, follows from it [Pa]'
    )
    poisson_ratio: float = Field(default=0.3, ge=0.0, lt=0.5, description='[-]; at 0.5 nothing could be compressed')
    friction: float = Field(default=0.7, ge=0.0, le=5.0, description='mu_s, tangent of the angle of friction [-]')
    limiting_friction: float | None = Field(
        default=None, ge=0.0, le=5.0, description='mu_2, in fast flow [-]; none: as at rest'
    )
    reference_inertial_number: float = Field(
        default=0.03, gt=0.0, le=10.0, description='I_0, inertial number half way from mu_s to mu_2 [-]'
    )
    grain_size_m: float = Field(default=0.005, gt=0.0, le=1.0, description='d of the inertial number [m]')
    cohesion_pa: float = Field(default=0.0, ge=0.0, le=1e7, description='c [Pa]')
    critical_state_ratio: float = Field(
        default=1.2, gt=0.0, le=5.0, description='M of Cam Clay: q / p in the critical state [-]'
    )
    swelling_index: float = Field(default=0.02, gt=0.0, le=1.0, description='kappa of Cam Clay [-]')
    compression_index: float = Field(default=0.1, gt=0.0, le=2.0, description='lambda of Cam Clay [-]')
    specific_volume: float = Field(
        default=1.8, gt=1.0, le=10.0, description='v_lambda of Cam Clay, volume over that of the grains at 1 kPa [-]'
    )
    preconsolidation_pressure_pa: float = Field(
        default=2e4, gt=0.0, le=1e8, description='pressure that Cam Clay has borne before: up to it, it is elastic [Pa]'
    )

    @model_validator(mode='after')
    def _possible(self) -> ParticleSoil:
        if self.limiting_friction is not None and self.limiting_friction < self.friction:
            raise ValueError(
                f'limiting_friction = {self.limiting_friction!r}: is below friction; allowed: at least '
                f'{self.friction!r}'
            )
        if self.law == 'cam_clay' and self.swelling_index >= self.compression_index:
            raise ValueError(
                f'swelling_index = {self.swelling_index!r}: is too large; '
                f'allowed: less than compression_index, {self.compression_index!r}'
            )
        return self

    @property
    def shear_modulus(self) -> float:
        """Return G = E / 2(1 + nu) [Pa]."""
        return self.youngs_modulus_pa / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def bulk_modulus(self) -> float:
        """Return K = E / 3(1 - 2 nu) [Pa]."""
        return self.youngs_modulus_pa / (3.0 * (1.0 - 2.0 * self.poisson_ratio))

    @property
    def compression_strength(self) -> tuple[float, float]:
        """Return the angle of friction [rad] and the cohesion [Pa] of Mohr and Coulomb in triaxial compression.

        There the bound sqrt(J2) = mu p + c is reached at sin(phi) = 3 sqrt(3) mu / (6 + sqrt(3) mu).

        Source: drucker1952.
        Checked by: test_crm_plasticity.py::test_strength_in_triaxial_compression_is_mohrs_and_coulombs.
        """
        root = math.sqrt(3.0)
        sine = min(0.999, 3.0 * root * self.friction / (6.0 + root * self.friction))
        return math.asin(sine), self.cohesion_pa * root * (3.0 - sine) / (6.0 * math.sqrt(1.0 - sine * sine))

    @property
    def sound_speed(self) -> float:
        """Return sqrt(K / rho) [m/s]."""
        return math.sqrt(self.bulk_modulus / self.density_kgpm3)

    def parameters(self) -> NDArray[np.float64]:
        """Return the density [kg/m^3], shape (1,): of the table of soils particles need to know only where they lie."""
        return np.array([self.density_kgpm3])

    def material(self) -> Material:
        """Return the numbers the kernels take."""
        clay = self.law == 'cam_clay'
        return Material(
            LAWS[self.law],
            self.density_kgpm3,
            self.shear_modulus,
            self.bulk_modulus,
            self.critical_state_ratio if clay else self.friction,
            self.friction if self.limiting_friction is None else self.limiting_friction,
            self.reference_inertial_number / (self.grain_size_m * math.sqrt(self.density_kgpm3)),
            self.cohesion_pa,
            self.swelling_index,
            self.compression_index,
        )


def load_particle_soil(soil: str | Path | Mapping[str, Any], base_dir: str | Path = '.') -> ParticleSoil:
    """Return a soil by name, from a YAML file or from a mapping of its values.

    Raises:
        InputError: naming file, line, key, value and what is allowed
    """
    source = PARTICLE_SOILS.read(soil, base_dir)
    source.data.setdefault('name', 'custom' if isinstance(soil, Mapping) else source.file.stem)
    return validated(ParticleSoil, source.data, source)


def _soil(value: Any) -> Any:
    return value if isinstance(value, ParticleSoil) else load_particle_soil(value)


GivenSoil = Annotated[ParticleSoil, BeforeValidator(_soil)]
"""A soil given by name, file or values."""


VISCOSITY_SLOW = 0.5
"""Artificial, alpha, of benches where soil hardly moves but is disturbed, by wheels, plates and a tube that is drawn
up: with little of it such soil flows on from its noise, weaker than its friction says (docs/validation/crm.md)."""
SMOOTHING_PRESSED = 1.2
"""Smoothing length over spacing below wheels and plates: with 1.3 soil below a disc weakens as it goes on sinking,
where the ground beside it ought to press back the more."""


class Discretization(Section):
    """How finely, and how, a soil is reckoned."""

    spacing_m: float = Field(default=0.01, gt=0.0, le=10.0, description='distance of particles [m]')
    smoothing_ratio: float = Field(default=1.3, ge=1.1, le=1.6, description='smoothing length over spacing [-]')
    artificial_viscosity: float = Field(
        default=0.1, ge=0.0, le=2.0, description='alpha of the artificial viscosity [-]'
    )
    xsph_coefficient: float = Field(default=0.25, ge=0.0, le=1.0, description='of XSPH [-]')
    free_surface_threshold: float = Field(
        default=2.0,
        ge=0.0,
        lt=3.0,
        description='divergence of position, 3 inside, below which soil has come apart and bears nothing [-]',
    )
    corrected_gradients: bool = Field(
        default=False, description='whether velocity gradients are exact for linear fields'
    )
    courant_number: float = Field(
        default=0.3, gt=0.0, le=0.45, description='step over the time that sound takes through a smoothing length [-]'
    )

    def scheme(self, material: Material) -> Scheme:
        """Return the numbers the kernels take, for a soil."""
        from regolith_terrain.crm.smoothing import steepness  # a kernel, which takes longer to load than all of a file

        length = self.smoothing_ratio * self.spacing_m
        return Scheme(
            self.spacing_m,
            length,
            steepness(self.spacing_m, length),
            self.spacing_m**3,
            self.artificial_viscosity,
            math.sqrt(material.bulk_modulus / material.density),
            self.xsph_coefficient,
            self.free_surface_threshold,
            self.corrected_gradients,
        )

    def step(self, material: Material) -> float:
        """Return the step that sound allows [s]; what moves fast or hard may ask for less."""
        return (
            self.courant_number
            * self.smoothing_ratio
            * self.spacing_m
            / math.sqrt(material.bulk_modulus / material.density)
        )
