# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Failures of a vehicle's cycle, as errors in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from regolith_vehicles.dynamics import substeps


class VehicleError(RuntimeError):
    """A vehicle's motion cannot be computed any further; the message names vehicle and part."""


def check_cycle(status: int, name: str, model: Any, data: Any, parts: Sequence[str], ground: str = '') -> None:
    """Refuse a cycle that failed in the substeps or in MuJoCo.

    Args:
        status: Outcome of the loop of :mod:`substeps`.
        name: Of the vehicle.
        model: Mujoco.MjModel.
        data: Mujoco.MjData.
        parts: Names of the parts pressed on soil, in the loop's order, e.g. 'wheel front_left'.
        ground: What broke down in ground that moves, in words; '' if nothing did.

    Raises:
        VehicleError: Naming vehicle, part and cause.
    """
    if ground:
        raise VehicleError(f'{name}: {ground}')
    # MuJoCo warns well before numbers overflow, and then computes on; everything else follows from that.
    warned = np.nonzero(data.warning.number)[0]
    if len(warned):
        raise VehicleError(
            f'{name}: the simulation became unstable at body {_first_broken(model, data)}'
            f' ({mujoco.mjtWarning(int(warned[0])).name}); allowed: blows, stiffnesses and dampings that substep_s can'
            ' resolve'
        )
    if status == substeps.OK and np.isfinite(data.qvel).all() and np.isfinite(data.qpos).all():
        return
    if status in (substeps.OK, substeps.NOT_FINITE):
        raise VehicleError(f'{name}: the motion of body {_first_broken(model, data)} is not finite')
    if status == substeps.TOO_FAST:
        raise VehicleError(
            f'{name}: body {_first_broken(model, data)} moves at more than {substeps.TOP_SPEED:g} m/s; the vehicle has'
            ' blown up'
        )
    if status >= substeps.SCRATCH_TOO_SMALL:
        part = parts[status - substeps.SCRATCH_TOO_SMALL]
        raise VehicleError(f'{name}: {part} covers more soil nodes than its scratch holds')
    raise VehicleError(
        f'{name}: the simulation became unstable: {parts[status - substeps.LEFT_WINDOW]} is accelerated by more than'
        f' {substeps.WIDER_ACCELERATIONS[-1]:g} m/s^2; fix: a smaller substep_s, lower stiffness or gains, or masses'
        ' that fit them'
    )


def _first_broken(model: Any, data: Any) -> str:
    """Return the first body whose motion is not finite, or else the one that moves fastest."""
    speed = np.abs(data.qvel)
    dof = int(np.argmax(np.where(np.isfinite(speed), speed, np.inf)))
    return str(model.body(int(model.dof_bodyid[dof])).name)
