# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Mobilization of shear and friction in a contact that slides."""

from __future__ import annotations

import math

from regolith_terrain.contact.constants import CREEP_SPEED, SHEAR_RELAXATION_S
from regolith_world.numerics import kernel


@kernel(views_only=True)
def _decay(x: float) -> float:
    """Return (1 - exp(-x)) / x for x >= 0; the series below 0.1 is exact to rounding and several times faster."""
    if x > 0.1:
        return -math.expm1(-x) / x
    t = 1.0 / 5040.0 - x / 40320.0
    t = -1.0 / 720.0 + x * t
    t = 1.0 / 120.0 + x * t
    t = -1.0 / 24.0 + x * t
    t = 1.0 / 6.0 + x * t
    return 1.0 + x * (-0.5 + x * t)


@kernel(views_only=True)
def mobilize(
    mx: float, my: float, vx: float, vy: float, speed: float, dt: float, janosi: float
) -> tuple[float, float, float, float]:
    """Return the mobilized shear m and the direction of the stress (ux, uy) after sliding for a step.

    dm = (d - m) |v| dt / K with the unit vector d against sliding, integrated exactly: 1 - exp(-j / K) for steady
    sliding. Near rest, a stress proportional to the rate of m damps it, like the internal friction of LuGre.

    Args:
        mx: Mobilized shear before the step, x component [-].
        my: Mobilized shear before the step, y component [-].
        vx: Sliding velocity along x [m/s].
        vy: Sliding velocity along y [m/s].
        speed: Sliding speed [m/s].
        dt: Step [s].
        janosi: Shear displacement K [m].

    Source: janosi1961; dahl1968; canudas1995, the stress in the rate.
    Checked by: test_scm.py::test_scm_steady_sliding_matches_janosi_hanamoto,
    test_scm.py::test_scm_shear_reverses_and_stays_at_rest,
    test_scm.py::test_internal_friction_depends_on_the_shear_rate.
    """
    rate = dt / janosi
    gain = rate * _decay(speed * rate)
    fade = 1.0 - speed * gain
    nx = mx * fade - vx * gain
    ny = my * fade - vy * gain
    ux, uy = nx, ny
    if speed < CREEP_SPEED:
        rate = SHEAR_RELAXATION_S / dt * (1.0 - speed / CREEP_SPEED)
        ux += rate * (nx - mx)
        uy += rate * (ny - my)
        excess = ux * ux + uy * uy
        if excess > 1.0:
            excess = 1.0 / math.sqrt(excess)
            ux *= excess
            uy *= excess
    return nx, ny, ux, uy
