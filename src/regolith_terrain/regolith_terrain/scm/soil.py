# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil parameters of SCM."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_terrain.terrain_parameters import SoilParameters, SoilStrength


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

    @classmethod
    def absent(cls) -> NDArray[np.float64]:
        """Return the parameters at nodes of other terrain models, shape (9,)."""
        return np.full(9, np.nan)

    def strength(self) -> SoilStrength:
        """Return the strength of the soil."""
        return SoilStrength(self.bulk_density_kgpm3, self.cohesion_pa, self.friction_angle_deg)
