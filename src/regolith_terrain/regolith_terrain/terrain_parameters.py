# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Soil parameters: the base of all terrain models, and those of rigid terrain (a ``soil:`` section of a scenario)."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regolith_files import FileLibrary, Section

SOILS = FileLibrary('soil', Path(__file__).parent / 'data' / 'soils', 'regolith.soils')
"""Library of soil parameter files."""


class SoilStrength(NamedTuple):
    """Strength of loose soil."""

    density: float
    """Bulk density [kg/m^3]."""
    cohesion: float
    """Cohesion [Pa]."""
    friction_angle: float
    """Friction angle [deg]."""


class SoilParameters(Section):
    """Base of the soil parameters of all terrain models: a name for reports, and keys with unit and limits."""

    files: ClassVar[FileLibrary] = SOILS
    """Library of parameter files by name."""
    name: str = Field(description='Name of the soil in reports.')

    @abstractmethod
    def parameters(self) -> NDArray[np.float64]:
        """Return the parameters in the form of the kernels, shape (n,)."""

    @classmethod
    def absent(cls) -> NDArray[np.float64] | None:
        """Return the parameters at nodes of other terrain models, which the kernel skips: NaN, shape (n,).

        None: the kernel skips no nodes, so the model cannot be combined with others.
        """
        return None

    def strength(self) -> SoilStrength | None:
        """Return the strength of soil that tools cut; None: no tool cuts it."""
        return None

    def flowing_density(self) -> float | None:
        """Return the density of soil whose sliding the model computes itself [kg/m^3]; None: relaxation slides it."""
        return None


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

    @classmethod
    def absent(cls) -> NDArray[np.float64]:
        """Return the parameters at nodes of other terrain models, shape (5,)."""
        return np.full(5, np.nan)
