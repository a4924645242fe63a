# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Forces of the world's force fields on the bodies of a vehicle, in each substep.

See :mod:`regolith_world.objects.field_regions` for what a field does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_world.cycle import FieldRecord
from regolith_world.numerics import kernel
from regolith_world.objects import FieldRegions, depth_in_field, make_field_regions

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class FieldArrays(NamedTuple):
    """Force fields for the loop, with views of the masses of MuJoCo's bodies."""

    regions: FieldRegions
    mass: Floats
    """Masses of the bodies [kg], shape (nbody,)."""
    inertia: Floats
    """Principal moments of inertia of the bodies [kg m^2], shape (nbody, 3)."""
    axes: Floats
    """Principal axes of the bodies as rows of 9, shape (nbody, 9)."""
    unset: Indices
    """Bodies whose applied wrench the loop does not reset in each substep, shape (k,)."""


def field_arrays(fields: Sequence[FieldRecord], model: Any, data: Any, unset: ArrayLike = ()) -> FieldArrays:
    """Return force fields as arrays.

    Args:
        fields: Fields of the world.
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        unset: Bodies whose applied wrench the loop does not reset.
    """
    return FieldArrays(
        make_field_regions(fields),
        model.body_mass,
        model.body_inertia,
        data.ximat,
        np.asarray(unset, dtype=np.int64),
    )


@kernel(views_only=True)
def act_on_bodies(
    fields: FieldArrays,
    step: float,
    places: Floats,
    cvel: Floats,
    center: Floats,
    applied: Floats,
) -> None:
    """Add the forces of fields to the applied wrenches of bodies.

    Drag is the mean over the substep (trapezoidal rule), so it never reverses a velocity below a rate of 2 / step.

    Args:
        fields: The fields.
        step: Substep [s].
        places: Centers of mass of the bodies [m], shape (nbody, 3).
        cvel: MuJoCo's cvel: angular velocity, then velocity of the point at ``center``, shape (nbody, 6).
        center: Center of mass of the vehicle [m], shape (3,).
        applied: In/out: force [N] and torque [N m] on each body, shape (nbody, 6).

    Source: goldstein2002; hairer2006.
    Checked by: test_field_forces.py::test_a_field_against_gravity_lets_a_rover_float,
    test_field_forces.py::test_drag_slows_a_rover_as_the_exponential,
    test_field_forces.py::test_a_rover_in_a_repulsive_region_swings_as_a_spring_does.
    """
    for k in range(fields.unset.shape[0]):
        for a in range(6):
            applied[fields.unset[k], a] = 0.0
    regions = fields.regions
    way = regions.work[2]
    for b in range(1, places.shape[0]):
        mass = fields.mass[b]
        if mass == 0.0:
            continue
        for n in range(regions.drag.shape[0]):
            deepest = depth_in_field(regions, n, places[b])
            if deepest == 0.0:
                continue
            drag = regions.drag[n] / (1.0 + 0.5 * step * regions.drag[n])
            for a in range(3):
                m, r = (a + 1) % 3, (a + 2) % 3
                speed = cvel[b, 3 + a]
                speed += cvel[b, m] * (places[b, r] - center[r]) - cvel[b, r] * (places[b, m] - center[m])
                push = regions.repulsion[n] * deepest * way[a]
                applied[b, a] += mass * (regions.acceleration[n, a] - drag * speed + push)
            if drag > 0.0:
                for i in range(3):
                    spin = 0.0
                    for a in range(3):
                        spin += fields.axes[b, 3 * a + i] * cvel[b, a]
                    for a in range(3):
                        applied[b, 3 + a] -= drag * fields.axes[b, 3 * a + i] * fields.inertia[b, i] * spin
