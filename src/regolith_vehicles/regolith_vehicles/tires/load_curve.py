# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Load capacity of a tire: a curve over its penetration, and a damper.

Source: rill2020.
Checked by: test_tires.py::test_load_curves_agree_with_the_reference.
"""

from __future__ import annotations

import math
from typing import Any

from regolith_vehicles.curves import interpolated
from regolith_vehicles.tires.constants import PACEJKA_02, TMEASY
from regolith_world.numerics import kernel


@kernel(views_only=True)
def static_load(p: Any, depth: float) -> float:
    """Return the load [N] of a tire at a penetration, linear between the points of its load curve.

    Args:
        p: Parameters of the tire, a record of TIRE_RECORD.
        depth: Penetration [m].

    Source: rill2020, section 3.2.2.
    Checked by: test_tires.py::test_load_curves_agree_with_the_reference.
    """
    if depth <= 0.0:
        return 0.0
    last = p.knots - 1
    if depth >= p.depth[last]:
        beyond: float = p.load[last] + p.slope_beyond * (depth - p.depth[last])
        return beyond
    load: float = interpolated(p.depth[: p.knots], p.load[: p.knots], depth)
    return load


@kernel(views_only=True)
def static_depth(p: Any, load: float) -> float:
    """Return the penetration [m] at which a tire supports a load [N], NaN if none does."""
    if load <= 0.0:
        return 0.0
    last = p.knots - 1
    if load > p.load[last]:
        return p.depth[last] + (load - p.load[last]) / p.slope_beyond if p.slope_beyond > 0.0 else math.nan
    depth: float = interpolated(p.load[: p.knots], p.depth[: p.knots], load)
    return depth


@kernel(views_only=True)
def vertical_load(p: Any, depth: float, leaving: float) -> float:
    """Return the load [N] at a penetration [m] and a speed away from the ground [m/s], never below zero."""
    if depth <= 0.0:
        return 0.0
    load: float = static_load(p, depth) - p.vertical_damping * leaving
    return max(0.0, load)


@kernel(views_only=True)
def rolling_radius(p: Any, depth: float) -> float:
    """Return the effective radius [m]: speed divided by angular speed of a free-rolling tire.

    Models with a belt of constant length (TMeasy, Pacejka 2002) reduce the radius by a third of the penetration, the
    other models by all of it.

    Source: rill2020, section 3.1.4; pacejka2012, section 1.2.2.
    Checked by: test_tires.py::test_free_rolling_tire_has_no_slip.
    """
    share = 1.0 / 3.0 if p.model == TMEASY or p.model == PACEJKA_02 else 1.0
    radius: float = p.radius - share * depth
    return radius
