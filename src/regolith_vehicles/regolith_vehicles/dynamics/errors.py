# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors for failed cycles of a vehicle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from regolith_vehicles.dynamics import substeps


class VehicleError(RuntimeError):
    """Error of a vehicle whose motion cannot be computed; the message names vehicle and part."""


def check_cycle(status: int, name: str, model: Any, data: Any, parts: Sequence[str], ground: str = '') -> None:
    """Raise an error if a cycle failed in the substeps or in MuJoCo.

    Args:
        status: Result of the loop of :mod:`substeps`.
        name: Name of the vehicle.
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        parts: Names of the parts pressed on soil, in the loop's order, e.g. 'wheel front_left'.
        ground: Failure of moving soil as text; '' if there is none.

    Raises:
        VehicleError: If the cycle failed; names vehicle, part and cause.
    """
    if ground:
        raise VehicleError(f'{name}: {ground}')
    # MuJoCo warns before numbers overflow and continues with invalid values; later checks would only show
    # consequences.
    warned = np.nonzero(data.warning.number)[0]
    if len(warned):
        raise VehicleError(
            f'{name}: the simulation became unstable at body {_first_broken(model, data)}'
            f' ({mujoco.mjtWarning(int(warned[0])).name}); fix: impulses, stiffness and damping that substep_s can'
            ' resolve'
        )
    if status == substeps.OK and np.isfinite(data.qvel).all() and np.isfinite(data.qpos).all():
        return
    if status in (substeps.OK, substeps.NOT_FINITE):
        raise VehicleError(f'{name}: the motion of body {_first_broken(model, data)} is not finite')
    if status == substeps.TOO_FAST:
        raise VehicleError(
            f'{name}: body {_first_broken(model, data)} moves at more than {substeps.TOP_SPEED:g} m/s; its motion'
            ' diverges'
        )
    if status >= substeps.SCRATCH_TOO_SMALL:
        part = parts[status - substeps.SCRATCH_TOO_SMALL]
        raise VehicleError(f'{name}: {part} covers more grid nodes than its work array holds')
    raise VehicleError(
        f'{name}: the simulation became unstable: {parts[status - substeps.LEFT_WINDOW]} is accelerated by more than'
        f' {substeps.WIDER_ACCELERATIONS[-1]:g} m/s^2; fix: a smaller substep_s, lower stiffness or gains, or masses'
        ' that match them'
    )


def _first_broken(model: Any, data: Any) -> str:
    """Return the first body whose motion is not finite, else the fastest body."""
    speed = np.abs(data.qvel)
    dof = int(np.argmax(np.where(np.isfinite(speed), speed, np.inf)))
    return str(model.body(int(model.dof_bodyid[dof])).name)
