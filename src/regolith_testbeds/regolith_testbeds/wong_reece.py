# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid wheel at steady slip in closed form, as a reference for the simulated wheel.

Wong & Reece (1967, part I) with Bekker's pressure as the radial stress: sigma(theta) = (k_c / b + k_phi) z^n at depth z
= r (cos theta - cos theta_1), and no contact behind the axle.

Their shear displacement is that of a point of the rim since its entry into the soil, j = r [(theta_1 - theta) - (1 - s)
(sin theta_1 - sin theta)]. A model that stores shear in the soil, as SCM does, integrates the same sliding speed, r
omega [1 - (1 - s) cos theta], over the time a point of the *soil* has been under the wheel: j = r [(sin theta_1 - sin
theta) / (1 - s) - (theta_1 - theta) / 2 - (sin 2 theta_1 - sin 2 theta) / 4]. For short contacts the two are s x and s
x / (1 - s) at distance x behind the entry. They are equal at small slip, where shear matters most.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq

from regolith_terrain.grid import Floats
from regolith_terrain.scm import constants


class RigidWheel(NamedTuple):
    """Forces on a rigid wheel and its sinkage.

    Source: wong1967.
    Checked by: test_wong_reece.py::test_wong_reece_without_friction_equals_bekker.
    """

    drawbar_pull: float
    """Drawbar pull [N]."""
    driving_torque: float
    """Driving torque [N m]."""
    sinkage: float
    """Sinkage [m]."""
    resistance: float
    """Compaction resistance [N]: drawbar pull lost to the radial stress."""


def rigid_wheel(
    soil: Floats, load: float, slip: float, radius: float, width: float, follow: Literal['rim', 'soil'] = 'rim'
) -> RigidWheel:
    """Return forces and sinkage of a driven rigid wheel.

    The closed form omits rebound behind the wheel and damping of the soil. b = P / (2 A) is that of the rectangle under
    the contact.

    Args:
        soil: Parameters of :meth:`regolith_terrain.scm.soil.ScmSoilConfig.parameters`, shape (9,);
            elasticity, damping and density are not used.
        load: Load on the wheel [N].
        slip: Slip ratio 1 - v / (omega r), 0 <= slip < 1 [-].
        radius: Radius of the wheel [m].
        width: Width of the wheel [m].
        follow: Displacement that mobilizes shear: of points of the rim (Wong & Reece) or of the soil.

    Raises:
        ValueError: If the soil cannot support the load before the axle is below the surface.

    Source: wong1967; bekker1969; janosi1961.
    Checked by: test_wong_reece.py::test_wong_reece_without_friction_equals_bekker,
    test_wong_reece.py::test_steady_wheel_matches_wong_reece.
    """
    k_phi, k_c, n, cohesion, tan_phi, janosi = (
        float(soil[column])
        for column in (
            constants.K_PHI,
            constants.K_C,
            constants.EXPONENT,
            constants.COHESION,
            constants.TAN_PHI,
            constants.JANOSI,
        )
    )

    nodes, weights = np.polynomial.legendre.leggauss(400)

    def _integrals(entry: float) -> tuple[float, float, float, float]:
        """Return supported weight [N], thrust [N], resistance [N] and torque [N m] for an angle of entry."""
        chord = radius * math.sin(entry)
        stiffness = k_phi + k_c * (chord + width) / (chord * width)
        theta = 0.5 * entry * (nodes + 1.0)
        area = 0.5 * entry * weights * width * radius
        sigma = stiffness * (radius * (np.cos(theta) - math.cos(entry))) ** n
        behind = math.sin(entry) - np.sin(theta)
        if follow == 'rim':
            slid = radius * ((entry - theta) - (1.0 - slip) * behind)
        else:
            squares = 0.5 * (entry - theta) + 0.25 * (math.sin(2.0 * entry) - np.sin(2.0 * theta))
            slid = radius * (behind / (1.0 - slip) - squares)
        tau = (cohesion + sigma * tan_phi) * -np.expm1(-slid / janosi)
        borne = area @ (sigma * np.cos(theta) + tau * np.sin(theta))
        forces = borne, area @ (tau * np.cos(theta)), area @ (sigma * np.sin(theta)), radius * (area @ tau)
        return tuple(float(f) for f in forces)  # type: ignore[return-value]

    if _integrals(0.5 * math.pi)[0] < load:
        raise ValueError(
            f'load {load!r} N sinks a wheel of {radius!r} m x {width!r} m below its axle; allowed: a smaller load'
        )
    entry = float(brentq(lambda angle: _integrals(angle)[0] - load, 1e-6, 0.5 * math.pi, xtol=1e-12))
    _, thrust, resistance, torque = _integrals(entry)
    return RigidWheel(thrust - resistance, torque, radius * (1.0 - math.cos(entry)), resistance)


def drawbar_curve(soil: Floats, load: float, slips: Floats, radius: float, width: float) -> Floats:
    """Return the drawbar pull [N] at each slip >= 0, shaped as ``slips``.

    Other arguments are those of :func:`rigid_wheel`.

    Source: wong1967; bekker1969; janosi1961.
    Checked by: test_wong_reece.py::test_wong_reece_without_friction_equals_bekker.
    """
    return np.array([rigid_wheel(soil, load, float(s), radius, width).drawbar_pull for s in slips])
