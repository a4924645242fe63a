# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials of DEM grains and bodies, their contact laws and step limits."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from regolith_files import Section
from regolith_terrain.grid import Floats
from regolith_testbeds.dem.contact import HERTZ, LAW_COLUMNS, USER

RAYLEIGH_PART = 0.2
"""Maximum step as a fraction of the Rayleigh time."""
USER_PART = 0.1
"""Maximum step of contacts of given stiffness as a fraction of sqrt(m* / kn)."""


class UserStiffness(Section):
    """Contact stiffness and damping as given values, not from elasticity.

    Fn = sqrt(delta / 2 R*) (k_n delta - gamma_n m* v_n), and the same in the tangential direction.
    """

    normal_npm: float = Field(gt=0.0, le=1e12, description='Normal stiffness k_n [N/m].')
    tangential_npm: float = Field(gt=0.0, le=1e12, description='Tangential stiffness k_t [N/m].')
    normal_damping_ps: float = Field(default=0.0, ge=0.0, le=1e9, description='Normal damping gamma_n [1/s].')
    tangential_damping_ps: float = Field(default=0.0, ge=0.0, le=1e9, description='Tangential damping gamma_t [1/s].')


class GrainMaterial(Section):
    """Elastic material with friction. Contact values of a body's material apply between the body and grains."""

    youngs_modulus_pa: float = Field(
        gt=0.0, le=1e13, description="Young's modulus E [Pa], usually reduced to allow larger steps."
    )
    poisson_ratio: float = Field(default=0.3, ge=0.0, lt=0.5, description="Poisson's ratio [-].")
    restitution: float = Field(
        default=0.5, gt=0.0, le=1.0, description='Coefficient of restitution of a head-on impact [-].'
    )
    friction: float = Field(default=0.4, ge=0.0, le=10.0, description='Coulomb friction coefficient [-].')
    rolling_resistance: float = Field(
        default=0.0, ge=0.0, le=1.0, description='Rolling resistance: torque over radius and normal force [-].'
    )
    cohesion: float = Field(
        default=0.0,
        ge=0.0,
        le=1e3,
        description='Cohesion: largest tensile contact force over the weight of a grain [-].',
    )
    density_kgpm3: float = Field(default=2650.0, gt=0.0, le=3e4, description='Density of the solid material [kg/m^3].')

    @property
    def shear_modulus_pa(self) -> float:
        """Shear modulus G [Pa]."""
        return self.youngs_modulus_pa / (2.0 * (1.0 + self.poisson_ratio))


def contact_law(grains: GrainMaterial, body: GrainMaterial, gravity: float) -> Floats:
    """Return the parameters of contacts between grains, or of grains with a body, shape (8,).

    Args:
        grains: Material of the grains.
        body: Material of the body; that of the grains for contacts between grains. Its friction, restitution, rolling
            resistance and cohesion apply.
        gravity: Gravity, which converts cohesion to a force [m/s^2].

    Source: tsuji1992; antypov2011, the damping that gives the restitution.
    Checked by: test_grain_contacts.py::test_grain_impact_has_the_given_restitution,
    test_grain_contacts.py::test_grain_at_rest_has_hertz_overlap.
    """
    e_star = 1.0 / sum((1.0 - m.poisson_ratio**2) / m.youngs_modulus_pa for m in (grains, body))
    g_star = 1.0 / sum((2.0 - m.poisson_ratio) / m.shear_modulus_pa for m in (grains, body))
    log_e = math.log(body.restitution)
    beta = -log_e / math.hypot(log_e, math.pi)
    law = np.zeros(LAW_COLUMNS)
    law[:] = (
        4.0 / 3.0 * e_star,
        8.0 * g_star,
        2.0 * math.sqrt(5.0 / 6.0) * beta * math.sqrt(2.0 * e_star),
        math.sqrt(8.0 * g_star / (2.0 * e_star)),
        body.friction,
        body.rolling_resistance,
        body.cohesion * gravity,
        HERTZ,
    )
    return law


def user_law(stiffness: UserStiffness, material: GrainMaterial, gravity: float) -> Floats:
    """Return the parameters of contacts of given stiffness, shape (8,), with friction, rolling and cohesion of a
    material.
    """
    damping = stiffness.normal_damping_ps
    ratio = stiffness.tangential_damping_ps / damping if damping > 0.0 else 0.0
    return np.array(
        [
            stiffness.normal_npm,
            stiffness.tangential_npm,
            damping,
            ratio,
            material.friction,
            material.rolling_resistance,
            material.cohesion * gravity,
            USER,
        ]
    )


def rayleigh_time(material: GrainMaterial, radius: float) -> float:
    """Return the time in which a Rayleigh wave travels half the circumference of a grain [s].

    Args:
        material: Material of the grain.
        radius: Radius of the grain [m].

    Source: li2005.
    Checked by: test_grain_contacts.py::test_dem_step_above_the_limit_is_rejected.
    """
    nu = material.poisson_ratio
    speed = (0.1631 * nu + 0.8766) * math.sqrt(material.shear_modulus_pa / material.density_kgpm3)
    return math.pi * radius / speed


def longest_step(material: GrainMaterial, radius: float, user: UserStiffness | None = None) -> float:
    """Return the maximum allowed step [s].

    Args:
        material: Material of the grains.
        radius: Radius of the smallest ball [m].
        user: Given contact stiffness; none: Hertz contacts.
    """
    if user is None:
        return RAYLEIGH_PART * rayleigh_time(material, radius)
    mass = material.density_kgpm3 * 4.0 / 3.0 * math.pi * radius**3
    return USER_PART * math.sqrt(0.5 * mass / max(user.normal_npm, user.tangential_npm))
