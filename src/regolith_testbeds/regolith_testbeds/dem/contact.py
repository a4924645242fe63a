# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Force of one DEM contact: Hertz-Mindlin with Coulomb limit, rolling resistance and cohesion."""

from __future__ import annotations

import numpy as np

from regolith_terrain.grid import Floats
from regolith_world.numerics import kernel

LAW_COLUMNS = 8
NORMAL, TANGENTIAL, DAMPING, DAMPING_RATIO, FRICTION, ROLLING, PULL, FORM = range(LAW_COLUMNS)
"""Columns of a contact law. Fn = NORMAL s delta - gn v_n with s = sqrt(R* delta), gn = DAMPING sqrt(s m*). For given
stiffness s = sqrt(delta / 2 R*), gn = DAMPING s m*. Tangential stiffness is TANGENTIAL s, damping DAMPING_RATIO gn."""
HERTZ, USER = 0.0, 1.0
MEMORY = 6
"""Number of columns of a contact memory: sliding [m], rolling [rad]."""
_ROLLING_DAMPING = 0.1
"""Damping of rolling oscillations of a contact as a fraction of critical damping."""

Six = tuple[float, float, float, float, float, float]


@kernel(views_only=True)
def contact_force(
    law: Floats,
    r_star: float,
    m_star: float,
    arm: float,
    weight_mass: float,
    overlap: float,
    nx: float,
    ny: float,
    nz: float,
    vx: float,
    vy: float,
    vz: float,
    wx: float,
    wy: float,
    wz: float,
    slip: Floats,
    at: int,
    dt: float,
) -> Six:
    """Return the force on the first of two bodies in contact, and the couple of rolling resistance on it.

    Args:
        law: Parameters of :func:`regolith_testbeds.dem.materials.contact_law`, shape (8,).
        r_star: R1 R2 / (R1 + R2) [m]; the radius in contact with a flat body.
        m_star: M1 M2 / (M1 + M2) [kg]; the mass in contact with a body.
        arm: Lever arm of rolling resistance, the smaller radius [m].
        weight_mass: Smaller mass [kg], by whose weight cohesion is scaled.
        overlap: Overlap, > 0 [m].
        nx: Unit normal from the second to the first, x component.
        ny: Unit normal from the second to the first, y component.
        nz: Unit normal from the second to the first, z component.
        vx: Velocity of the first relative to the second at the contact, x component [m/s].
        vy: Velocity of the first relative to the second at the contact, y component [m/s].
        vz: Velocity of the first relative to the second at the contact, z component [m/s].
        wx: Spin of the first relative to the second, x component [rad/s].
        wy: Spin of the first relative to the second, y component [rad/s].
        wz: Spin of the first relative to the second, z component [rad/s].
        slip: Memories of sliding [m] and rolling [rad], shape (n, 6); row ``at`` is updated.
        at: Row of the contact.
        dt: Step [s].

    Returns:
        Force [N] and couple [N m].

    The rolling couple is at most ROLLING x radius x |Fn|. Up to there it is a spring with memory and little damping, as
    stiff as the tangential spring at that radius. It is not that of Schwartz, which has no stiffness at low rates:
    grains at rest would creep under load, and heaps would sag.

    Source: tsuji1992; mindlin1953, no slip; schwartz2012, the limit of rolling; ai2011, model C, its spring; fang2021.
    Checked by: test_grain_contacts.py::test_grain_impact_has_the_given_restitution,
    test_grain_contacts.py::test_sliding_grain_changes_to_rolling,
    test_grain_contacts.py::test_rolling_resistance_holds_a_grain_below_its_limit.
    """
    if law[FORM] == HERTZ:
        s = np.sqrt(r_star * overlap)
        gn = law[DAMPING] * np.sqrt(s * m_star)
    else:
        s = np.sqrt(overlap / (2.0 * r_star))
        gn = law[DAMPING] * s * m_star
    vn = vx * nx + vy * ny + vz * nz
    pressed = law[NORMAL] * s * overlap - gn * vn
    normal = pressed - law[PULL] * weight_mass

    tx, ty, tz = vx - vn * nx, vy - vn * ny, vz - vn * nz
    ux, uy, uz = slip[at, 0] + tx * dt, slip[at, 1] + ty * dt, slip[at, 2] + tz * dt
    along = ux * nx + uy * ny + uz * nz
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    kt, gt = law[TANGENTIAL] * s, law[DAMPING_RATIO] * gn
    fx, fy, fz = -kt * ux - gt * tx, -kt * uy - gt * ty, -kt * uz - gt * tz
    limit = law[FRICTION] * abs(pressed)
    square = fx * fx + fy * fy + fz * fz
    if square > limit * limit:
        cut = limit / np.sqrt(square)
        fx, fy, fz = fx * cut, fy * cut, fz * cut
        ux, uy, uz = -(fx + gt * tx) / kt, -(fy + gt * ty) / kt, -(fz + gt * tz) / kt
    slip[at, 0] = ux
    slip[at, 1] = uy
    slip[at, 2] = uz

    cx = cy = cz = 0.0
    if law[ROLLING] > 0.0:
        twist = wx * nx + wy * ny + wz * nz
        wx, wy, wz = wx - twist * nx, wy - twist * ny, wz - twist * nz
        ux, uy, uz = slip[at, 3] + wx * dt, slip[at, 4] + wy * dt, slip[at, 5] + wz * dt
        along = ux * nx + uy * ny + uz * nz
        ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
        kr = kt * arm * arm
        gr = 2.0 * _ROLLING_DAMPING * arm * np.sqrt(1.4 * m_star * kr)
        cx, cy, cz = -kr * ux - gr * wx, -kr * uy - gr * wy, -kr * uz - gr * wz
        limit = law[ROLLING] * arm * abs(pressed)
        square = cx * cx + cy * cy + cz * cz
        if square > limit * limit:
            cut = limit / np.sqrt(square)
            cx, cy, cz = cx * cut, cy * cut, cz * cut
            ux, uy, uz = -(cx + gr * wx) / kr, -(cy + gr * wy) / kr, -(cz + gr * wz) / kr
        slip[at, 3] = ux
        slip[at, 4] = uy
        slip[at, 5] = uz
    return normal * nx + fx, normal * ny + fy, normal * nz + fz, cx, cy, cz
