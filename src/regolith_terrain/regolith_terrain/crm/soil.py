# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil parameters and discretization of the CRM terrain model (continuum of SPH particles)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from regolith_files import FileKind, FileLibrary, Section, validated
from regolith_terrain.crm.arrays import CAM_CLAY, FRICTIONAL, Material, Scheme
from regolith_terrain.terrain_parameters import SoilParameters

LAWS = {'frictional': FRICTIONAL, 'cam_clay': CAM_CLAY}
PARTICLE_SOILS = FileLibrary(
    'particle soil', Path(__file__).parent.parent / 'data' / 'particle_soils', 'regolith.particle_soils'
)


class ParticleSoil(SoilParameters):
    """Elastic-plastic soil of CRM, with frictional-cohesive or Modified Cam Clay yield."""

    files: ClassVar[FileLibrary] = PARTICLE_SOILS
    law: Literal['frictional', 'cam_clay'] = Field(
        default='frictional', description="Yield criterion: 'frictional' or Modified Cam Clay, 'cam_clay'."
    )
    density_kgpm3: float = Field(gt=0.0, le=1e4, description='Bulk density, constant during a run [kg/m^3].')
    youngs_modulus_pa: float = Field(
        gt=0.0,
        le=1e10,
        description="Young's modulus of the elastic part [Pa]. It determines the sound speed and therefore the step.",
    )
    poisson_ratio: float = Field(default=0.3, ge=0.0, lt=0.5, description="Poisson's ratio of the elastic part [-].")
    friction: float = Field(
        default=0.7,
        ge=0.0,
        le=5.0,
        description='Static friction coefficient mu_s, the tangent of the friction angle [-].',
    )
    limiting_friction: float | None = Field(
        default=None, ge=0.0, le=5.0, description='Friction coefficient mu_2 of fast flow [-]; none: equal to friction.'
    )
    reference_inertial_number: float = Field(
        default=0.03,
        gt=0.0,
        le=10.0,
        description='Reference inertial number I_0, at which friction is halfway from mu_s to mu_2 [-].',
    )
    grain_size_m: float = Field(
        default=0.005, gt=0.0, le=1.0, description='Grain diameter d of the inertial number [m].'
    )
    cohesion_pa: float = Field(default=0.0, ge=0.0, le=1e7, description='Cohesion c of the frictional criterion [Pa].')
    critical_state_ratio: float = Field(
        default=1.2, gt=0.0, le=5.0, description='Cam Clay only: critical state ratio M = q / p [-].'
    )
    swelling_index: float = Field(default=0.02, gt=0.0, le=1.0, description='Cam Clay only: swelling index kappa [-].')
    compression_index: float = Field(
        default=0.1, gt=0.0, le=2.0, description='Cam Clay only: compression index lambda [-].'
    )
    specific_volume: float = Field(
        default=1.8,
        gt=1.0,
        le=10.0,
        description='Cam Clay only: specific volume v_lambda at 1 kPa, total volume over grain volume [-].',
    )
    preconsolidation_pressure_pa: float = Field(
        default=2e4,
        gt=0.0,
        le=1e8,
        description='Cam Clay only: initial preconsolidation pressure, up to which the soil is elastic [Pa].',
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
        """Shear modulus G = E / 2(1 + nu) [Pa]."""
        return self.youngs_modulus_pa / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def bulk_modulus(self) -> float:
        """Bulk modulus K = E / 3(1 - 2 nu) [Pa]."""
        return self.youngs_modulus_pa / (3.0 * (1.0 - 2.0 * self.poisson_ratio))

    @property
    def compression_strength(self) -> tuple[float, float]:
        """Mohr-Coulomb friction angle [rad] and cohesion [Pa] in triaxial compression.

        The limit sqrt(J2) = mu p + c corresponds to sin(phi) = 3 sqrt(3) mu / (6 + sqrt(3) mu).

        Source: drucker1952.
        Checked by: test_crm_plasticity.py::test_compression_strength_matches_mohr_coulomb.
        """
        root = math.sqrt(3.0)
        sine = min(0.999, 3.0 * root * self.friction / (6.0 + root * self.friction))
        return math.asin(sine), self.cohesion_pa * root * (3.0 - sine) / (6.0 * math.sqrt(1.0 - sine * sine))

    @property
    def sound_speed(self) -> float:
        """Sound speed sqrt(K / rho) [m/s]."""
        return math.sqrt(self.bulk_modulus / self.density_kgpm3)

    def parameters(self) -> NDArray[np.float64]:
        """Return the density [kg/m^3], shape (1,): the only value that CRM reads from the table of soils."""
        return np.array([self.density_kgpm3])

    @classmethod
    def absent(cls) -> NDArray[np.float64]:
        """Return the parameters at nodes of other terrain models, shape (1,)."""
        return np.full(1, np.nan)

    def flowing_density(self) -> float:
        """Return the bulk density [kg/m^3]: CRM computes the sliding of particles."""
        return self.density_kgpm3

    def material(self) -> Material:
        """Return the parameters in the form of the kernels."""
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
    """Return a CRM soil by name, from a YAML file or from a mapping of its values.

    Args:
        soil: Name, path (relative to ``base_dir``) or inline mapping.
        base_dir: Folder of the scenario file.

    Raises:
        InputError: If the input is invalid. The message names file, line, key, value and allowed values.
    """
    source = PARTICLE_SOILS.read(soil, base_dir)
    source.data.setdefault('name', 'custom' if isinstance(soil, Mapping) else source.file.stem)
    return validated(ParticleSoil, source.data, source)


def _soil(value: Any) -> Any:
    return value if isinstance(value, ParticleSoil) else load_particle_soil(value)


GivenSoil = Annotated[ParticleSoil, BeforeValidator(_soil)]
"""A CRM soil given by name, file or values."""


VISCOSITY_SLOW = 0.5
"""Artificial viscosity alpha of testbeds with slow, disturbed soil: wheels, plates and a tube that is lifted.
With less viscosity such soil flows on numerical noise and is weaker than its friction (docs/validation/crm.md)."""
SMOOTHING_PRESSED = 1.2
"""Smoothing length over spacing below wheels and plates. With 1.3, soil below a disc weakens as it sinks further,
where the resistance of the soil beside it should increase."""


class Discretization(Section):
    """Spatial discretization and numerical parameters of a CRM soil."""

    spacing_m: float = Field(default=0.01, gt=0.0, le=10.0, description='Particle spacing [m].')
    smoothing_ratio: float = Field(
        default=1.3, ge=1.1, le=1.6, description='Smoothing length over particle spacing [-].'
    )
    artificial_viscosity: float = Field(
        default=0.1, ge=0.0, le=2.0, description='Coefficient alpha of the artificial viscosity [-].'
    )
    xsph_coefficient: float = Field(
        default=0.25, ge=0.0, le=1.0, description='XSPH velocity smoothing coefficient [-].'
    )
    free_surface_threshold: float = Field(
        default=2.0,
        ge=0.0,
        lt=3.0,
        description='Divergence of position below which soil is separated and free of stress [-]; it is 3 inside the'
        ' soil.',
    )
    corrected_gradients: bool = Field(
        default=False, description='Whether velocity gradients are corrected to be exact for linear fields.'
    )
    courant_number: float = Field(
        default=0.3,
        gt=0.0,
        le=0.45,
        description='Courant number: step over the time in which sound crosses a smoothing length [-].',
    )

    def scheme(self, material: Material) -> Scheme:
        """Return the numerical parameters of the kernels for a soil."""
        from regolith_terrain.crm.smoothing import steepness  # a kernel that takes longer to load than the rest

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
        """Return the step limit of the sound speed [s]. Fast or strongly loaded soil may need a smaller step."""
        return (
            self.courant_number
            * self.smoothing_ratio
            * self.spacing_m
            / math.sqrt(material.bulk_modulus / material.density)
        )


FILE_KIND = FileKind('Particle soil', 'A particle soil has the parameters of the CRM.', lambda: {'': ParticleSoil})
"""Particle soil files."""
