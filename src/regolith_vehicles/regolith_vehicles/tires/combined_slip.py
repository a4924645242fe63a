# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Combined longitudinal and lateral slip from curves of pure slip.

Source: bakker1989.
Checked by: test_tires.py::test_tire_force_is_within_friction.
"""

from __future__ import annotations

import math

from regolith_world.numerics import kernel


@kernel(views_only=True)
def shares(slip_x: float, slip_y: float, peak_x: float, peak_y: float) -> tuple[float, float, float, float]:
    """Return the factors of the pure longitudinal and lateral force, and the pure slips at which to evaluate these.

    Both slips are divided by those of their peaks. The length of the resulting vector is the slip in both curves. Its
    direction is that of the force up to the peak; beyond, the force turns toward the direction opposite to sliding. If
    one slip is zero, the other is unchanged.
    """
    x, y = slip_x / peak_x, slip_y / peak_y
    length = math.hypot(x, y)
    if length == 0.0:
        return 1.0, 1.0, slip_x, slip_y
    turned = max(0.0, 1.0 - 1.0 / length)
    slip = math.hypot(slip_x, slip_y)
    nx = (1.0 - turned) * abs(x) / length + turned * abs(slip_x) / slip
    ny = (1.0 - turned) * abs(y) / length + turned * abs(slip_y) / slip
    norm = math.hypot(nx, ny)
    return nx / norm, ny / norm, math.copysign(length * peak_x, slip_x), math.copysign(length * peak_y, slip_y)
