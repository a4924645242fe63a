# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil parameters of the shipped terrain models: the keys of a ``soil:`` section of a scenario."""

from __future__ import annotations

import math
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files import FileKind, FileLibrary, Section

SOILS = FileLibrary('soil', Path(__file__).parent / 'data' / 'soils', 'regolith.soils')
"""Library of soil parameter files."""


class SoilParameters(Section):
    """Base of the soil parameters of all terrain models: a name for reports, and keys with unit and limits."""

    files: ClassVar[FileLibrary] = SOILS
    """Library of parameter files by name."""
    name: str = Field(description='Name of the soil in reports.')

    @abstractmethod
    def parameters(self) -> NDArray[np.float64]:
        """Return the parameters in the form of the kernels, shape (n,)."""


class ScmSoilConfig(SoilParameters):
    """SCM parameters of one homogeneous soil: pressure-sinkage, shear, unloading.

    Source: bekker1969; janosi1961; krenn2009; carrier1991, the density.
    Checked by: test_terrain_config.py::test_chrono_soils_match_the_reference_runs,
    test_soils.py::test_soils_match_published_values_in_si,
    test_bulldozing.py::test_bulldozing_erosion_conserves_volume.
    """

    k_phi: float = Field(gt=0.0, le=1e9, description='Bekker frictional modulus k_phi [N/m^(n+2)].')
    k_c: float = Field(ge=0.0, le=1e8, description='Bekker cohesive modulus k_c [N/m^(n+1)].')
    exponent: float = Field(gt=0.0, le=3.0, description='Bekker sinkage exponent n [-].')
    cohesion_pa: float = Field(ge=0.0, le=1e6, description='Mohr-Coulomb cohesion c [Pa].')
    friction_angle_deg: float = Field(ge=0.0, lt=90.0, description='Mohr-Coulomb friction angle phi [deg].')
    janosi_shear_m: float = Field(gt=0.0, le=1.0, description='Janosi-Hanamoto shear displacement K [m].')
    elastic_stiffness: float = Field(
        gt=0.0, le=1e11, description='Stiffness of unloading and reloading per area [Pa/m].'
    )
    damping: float = Field(ge=0.0, le=1e7, description='Damping coefficient per area [Pa s/m].')
    bulk_density_kgpm3: float = Field(
        default=1500.0,
        gt=0.0,
        le=1e4,
        description='Bulk density of loose soil, which converts displaced volume to mass [kg/m^3]. The default is'
        ' that of the uppermost 15 cm of lunar soil (Carrier, Olhoeft & Mendell 1991, Lunar Sourcebook'
        ' table 9.5).',
    )

    @model_validator(mode='after')
    def _elastic_is_stiffer(self) -> ScmSoilConfig:
        # Krenn's unloading spring must be at least as stiff as virgin loading, or the plastic sinkage would decrease.
        if self.elastic_stiffness < self.k_phi:
            raise ValueError(
                f'elastic_stiffness = {self.elastic_stiffness!r}: is below k_phi; '
                f'allowed: at least k_phi, {self.k_phi!r} Pa/m'
            )
        return self

    def parameters(self) -> NDArray[np.float64]:
        """Return the array of the kernels, shape (9,): k_phi, k_c, n, c, tan(phi), K, E, R, bulk density (SI)."""
        return np.array(
            [
                self.k_phi,
                self.k_c,
                self.exponent,
                self.cohesion_pa,
                math.tan(math.radians(self.friction_angle_deg)),
                self.janosi_shear_m,
                self.elastic_stiffness,
                self.damping,
                self.bulk_density_kgpm3,
            ]
        )


class RigidTerrainConfig(SoilParameters):
    """Parameters of rigid terrain: a stiff spring and damper per contact point, and Coulomb friction."""

    name: str = Field(default='rigid', description='Name of the parameter set in reports.')
    friction: float = Field(
        default=0.8, ge=0.0, le=10.0, description='Coulomb friction coefficient of the terrain [-].'
    )
    stiffness_npm: float = Field(
        default=2e5, gt=0.0, le=1e9, description='Normal stiffness of one contact point [N/m].'
    )
    damping_nspm: float = Field(
        default=1e3, ge=0.0, le=1e7, description='Normal damping of one contact point during approach [N s/m].'
    )
    friction_displacement_m: float = Field(
        default=1e-3,
        gt=0.0,
        le=0.1,
        description='Sliding distance over which friction reaches 1 - 1/e of its limit [m].',
    )
    viscous_friction_nspm: float = Field(
        default=0.0,
        ge=0.0,
        le=1e7,
        description='Viscous friction coefficient of one contact point [N s/m]. Above 0: friction is the coefficient'
        ' times the sliding speed, up to the Coulomb limit. Contacts then have no memory and cannot stick, as'
        ' in simulators without contact memory.',
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return friction, stiffness, damping, friction displacement and viscous friction, shape (5,)."""
        return np.array(
            [
                self.friction,
                self.stiffness_npm,
                self.damping_nspm,
                self.friction_displacement_m,
                self.viscous_friction_nspm,
            ]
        )


FILE_KIND = FileKind(
    'Soil',
    'A soil file has the parameters of a terrain model: SCM or rigid.',
    lambda: {'scm': ScmSoilConfig, 'rigid': RigidTerrainConfig},
)
"""Soil files."""
