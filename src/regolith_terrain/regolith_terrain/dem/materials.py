# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What grains and the bodies in contact with them are made of, and how long a step they allow."""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from regolith_files.section import Section
from regolith_terrain.dem.contact import HERTZ, LAW_COLUMNS, USER
from regolith_terrain.grid.node_records import Floats

RAYLEIGH_PART = 0.2
"""Longest step, in parts of the Rayleigh time."""
USER_PART = 0.1
"""Longest step of contacts of given stiffness, in parts of sqrt(m* / kn)."""


class UserStiffness(Section):
    """Stiffness and damping of a contact as given numbers, not from elasticity.

    Fn = sqrt(delta / 2 R*) (k_n delta - gamma_n m* v_n), and the same along the tangent.
    """

    normal_npm: float = Field(gt=0.0, le=1e12, description='k_n [N/m]')
    tangential_npm: float = Field(gt=0.0, le=1e12, description='k_t [N/m]')
    normal_damping_ps: float = Field(default=0.0, ge=0.0, le=1e9, description='gamma_n [1/s]')
    tangential_damping_ps: float = Field(default=0.0, ge=0.0, le=1e9, description='gamma_t [1/s]')


class GrainMaterial(Section):
    """An elastic solid with friction. Of a body, friction and the rest are those between it and grains."""

    youngs_modulus_pa: float = Field(gt=0.0, le=1e13, description="Young's modulus E, as a rule softened [Pa]")
    poisson_ratio: float = Field(default=0.3, ge=0.0, lt=0.5, description="Poisson's ratio [-]")
    restitution: float = Field(default=0.5, gt=0.0, le=1.0, description='speed after over before a head-on impact [-]')
    friction: float = Field(default=0.4, ge=0.0, le=10.0, description='Coulomb coefficient [-]')
    rolling_resistance: float = Field(
        default=0.0, ge=0.0, le=1.0, description='torque against rolling over radius and normal force [-]'
    )
    cohesion: float = Field(default=0.0, ge=0.0, le=1e3, description='pull of a contact over the weight of a grain [-]')
    density_kgpm3: float = Field(default=2650.0, gt=0.0, le=3e4, description='of the solid [kg/m^3]')

    @property
    def shear_modulus_pa(self) -> float:
        """Return G [Pa]."""
        return self.youngs_modulus_pa / (2.0 * (1.0 + self.poisson_ratio))


def contact_law(grains: GrainMaterial, body: GrainMaterial, gravity: float) -> Floats:
    """Return what kernels know about contacts between grains, or of grains with a body, shape (8,).

    Args:
        body: the grains' own material for contacts between grains; its friction, restitution, rolling resistance and
            cohesion count
        gravity: [m/s^2], for the weight that cohesion is measured in

    Source: tsuji1992; antypov2011, the damping that gives the restitution.
    Checked by: test_grain_contacts.py::test_a_head_on_impact_has_the_restitution_asked_for,
    test_grain_contacts.py::test_a_resting_sphere_sinks_in_as_hertz_says.
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
    """Return a contact law of given stiffness, shape (8,); friction, rolling and cohesion are the material's."""
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
    """Return the time a Rayleigh wave takes round half a grain [s].

    Args:
        radius: [m]

    Source: li2005.
    Checked by: test_grain_contacts.py::test_steps_above_the_limit_are_refused.
    """
    nu = material.poisson_ratio
    speed = (0.1631 * nu + 0.8766) * math.sqrt(material.shear_modulus_pa / material.density_kgpm3)
    return math.pi * radius / speed


def longest_step(material: GrainMaterial, radius: float, user: UserStiffness | None = None) -> float:
    """Return the longest step that is allowed [s].

    Args:
        radius: of the smallest ball [m]
        user: stiffness of contacts if it is given
    """
    if user is None:
        return RAYLEIGH_PART * rayleigh_time(material, radius)
    mass = material.density_kgpm3 * 4.0 / 3.0 * math.pi * radius**3
    return USER_PART * math.sqrt(0.5 * mass / max(user.normal_npm, user.tangential_npm))
