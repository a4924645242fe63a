# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the soil laws that ship: the keys of a ``soil:`` section of a scenario under each of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files.file_library import FileLibrary
from regolith_files.section import Section

SOILS = FileLibrary('soil', Path(__file__).parent / 'data' / 'soils', 'regolith.soils')
"""Sets of soil parameters."""


class SoilParameters(Section):
    """Base of the parameters of every law: each key with unit and limits, and a name for reports."""

    files: ClassVar[FileLibrary] = SOILS
    """Sets of such parameters by name."""
    name: str = Field(description='name of the set in reports')

    @abstractmethod
    def parameters(self) -> NDArray[np.float64]:
        """Return the numbers the law's kernels take, shape (n,)."""


class ScmSoilConfig(SoilParameters):
    """Soil contact parameters of one homogeneous soil: pressure, shear, unloading.

    Source: bekker1969; janosi1961; krenn2009; carrier1991, the density.
    Checked by: test_terrain_config.py::test_shipped_sets_are_those_of_the_reference,
    test_soils.py::test_soils_are_the_published_ones_in_si, test_bulldozing.py::test_erosion_conserves_volume.
    """

    k_phi: float = Field(gt=0.0, le=1e9, description='frictional modulus [N/m^(n+2)]')
    k_c: float = Field(ge=0.0, le=1e8, description='cohesive modulus [N/m^(n+1)]')
    exponent: float = Field(gt=0.0, le=3.0, description='exponent n of sinkage [-]')
    cohesion_pa: float = Field(ge=0.0, le=1e6, description='Mohr-Coulomb cohesion [Pa]')
    friction_angle_deg: float = Field(ge=0.0, lt=90.0, description='Mohr-Coulomb friction angle [deg]')
    janosi_shear_m: float = Field(gt=0.0, le=1.0, description='Janosi-Hanamoto shear displacement K [m]')
    elastic_stiffness: float = Field(gt=0.0, le=1e11, description='unloading stiffness per area [Pa/m]')
    damping: float = Field(ge=0.0, le=1e7, description='damping per area [Pa s/m]')
    bulk_density_kgpm3: float = Field(
        default=1500.0,
        gt=0.0,
        le=1e4,
        description='of loose soil, which turns displaced volume into mass [kg/m^3]; the default is that of the'
        ' uppermost 15 cm of the Moon (Carrier, Olhoeft & Mendell 1991, Lunar Sourcebook table 9.5)',
    )

    @model_validator(mode='after')
    def _elastic_is_stiffer(self) -> ScmSoilConfig:
        # Krenn's unloading spring must be at least as stiff as virgin loading, or the plastic set would shrink.
        if self.elastic_stiffness < self.k_phi:
            raise ValueError(
                f'elastic_stiffness = {self.elastic_stiffness!r}: is below k_phi; '
                f'allowed: at least k_phi, {self.k_phi!r} Pa/m'
            )
        return self

    def parameters(self) -> NDArray[np.float64]:
        """Return the array the kernels take, shape (9,): k_phi, k_c, n, c, tan(phi), K, E, R, bulk density (SI)."""
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
    """Ground that does not yield: a stiff spring with damping under each point of contact, and Coulomb friction."""

    name: str = Field(default='rigid', description='name of the set in reports')
    friction: float = Field(default=0.8, ge=0.0, le=10.0, description='Coulomb coefficient [-]')
    stiffness_npm: float = Field(
        default=2e5, gt=0.0, le=1e9, description='of the spring under one point of contact [N/m]'
    )
    damping_nspm: float = Field(default=1e3, ge=0.0, le=1e7, description='of the same point, against sinking [N s/m]')
    friction_displacement_m: float = Field(
        default=1e-3, gt=0.0, le=0.1, description='sliding over which friction builds up to 1 - 1/e of its limit [m]'
    )
    viscous_friction_nspm: float = Field(
        default=0.0,
        ge=0.0,
        le=1e7,
        description='above 0: friction of a point without memory, this times its speed up to the limit, so that'
        ' nothing sticks; as in programs without a memory of contacts [N s/m]',
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return friction, stiffness, damping, stick, creep, shape (5,)."""
        return np.array(
            [
                self.friction,
                self.stiffness_npm,
                self.damping_nspm,
                self.friction_displacement_m,
                self.viscous_friction_nspm,
            ]
        )
