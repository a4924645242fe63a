# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle's tools within its substeps: they sweep soil, and their bodies bear its resistance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regolith_terrain.digging.sweep import DRUM, Tools, sweep_drum, sweep_edge
from regolith_terrain.ground_contact import PartPose
from regolith_vehicles.substeps import Bodies, ToolHooks, Touching, add_wrench, on_body

Vector = NDArray[np.float64]


class Digging(NamedTuple):
    """The tools of a vehicle that are near the ground in a cycle."""

    tools: Tools
    parts: Touching
    """Bodies and places of the tools, in their order."""
    dof: NDArray[np.int64]
    """Address in qvel of the joint a drum turns about, else -1, shape (n,)."""
    near: NDArray[np.bool_]
    """Tools that may reach the ground in this cycle, shape (n,)."""
    force: Vector
    """Out: force on each tool in the last substep, world axes [N], shape (n, 3)."""
    torque: Vector
    """Out: torque about its origin [N m], shape (n, 3)."""


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def clear_tools(digging: Digging, bodies: Bodies) -> None:
    """Take all forces off the tools' bodies."""
    for k in range(digging.parts.body.shape[0]):
        for a in range(6):
            bodies.xfrc_applied[digging.parts.body[k], a] = 0.0


@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)
def work_tools(digging: Digging, step: float, bodies: Bodies, pose: PartPose) -> None:
    """Let tools sweep for a substep, and their bodies bear the forces.

    :param pose: room for the pose of one tool
    """
    tools = digging.tools
    for k in range(digging.parts.body.shape[0]):
        force, torque = digging.force[k], digging.torque[k]
        if not digging.near[k]:
            continue
        on_body(None, k, digging.parts, bodies, pose)
        if tools.kind[k] == DRUM:
            sweep_drum(tools, k, step, pose, bodies.qvel[digging.dof[k]], force, torque)
        else:
            sweep_edge(tools, k, step, pose, force, torque)
        center = pose.center
        add_wrench(
            bodies, digging.parts.body[k], center[0], center[1], center[2], force[0], force[1], force[2], torque[0],
            torque[1], torque[2],
        )


TOOL_HOOKS = ToolHooks(clear_tools, work_tools)
