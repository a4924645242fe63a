# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tools of a vehicle within its substeps: they sweep soil, and their bodies transmit the excavation resistance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import PartPose
from regolith_terrain.excavation import ToolArrays, sweep, sweep_drum, sweep_edge
from regolith_vehicles.dynamics.substeps import BodyArrays, ContactParts, ToolHooks, add_wrench, body_fixed_pose
from regolith_world.numerics import kernel

Vector = NDArray[np.float64]


class ToolStepArrays(NamedTuple):
    """Arguments for the tools near the ground in a cycle."""

    tools: ToolArrays
    parts: ContactParts
    """Bodies and positions of the tools, in their order."""
    dof: NDArray[np.int64]
    """Address in qvel of the joint of a drum's rotation, else -1, shape (n,)."""
    near: NDArray[np.bool_]
    """Whether each tool can reach the ground in this cycle, shape (n,)."""
    force: Vector
    """Out: force on each tool in the last substep, world axes [N], shape (n, 3)."""
    torque: Vector
    """Out: torque on each tool about its origin, world axes [N m], shape (n, 3)."""


@kernel(views_only=True)
def clear_tools(digging: ToolStepArrays, bodies: BodyArrays) -> None:
    """Remove all forces from the tools' bodies."""
    for k in range(digging.parts.body.shape[0]):
        for a in range(6):
            bodies.xfrc_applied[digging.parts.body[k], a] = 0.0


@kernel(views_only=True)
def step_tools(digging: ToolStepArrays, step: float, bodies: BodyArrays, pose: PartPose) -> None:
    """Sweep the tools for a substep, and apply the forces to their bodies.

    Args:
        digging: Arguments of the tools.
        step: Substep [s].
        bodies: MuJoCo's structures.
        pose: Work array for the pose of one tool.
    """
    tools = digging.tools
    for k in range(digging.parts.body.shape[0]):
        force, torque = digging.force[k], digging.torque[k]
        if not digging.near[k]:
            continue
        body_fixed_pose(None, k, digging.parts, bodies, pose)
        if tools.kind[k] == sweep.DRUM:
            sweep_drum(tools, k, step, pose, bodies.qvel[digging.dof[k]], force, torque)
        else:
            sweep_edge(tools, k, step, pose, force, torque)
        center = pose.center
        add_wrench(
            bodies,
            digging.parts.body[k],
            center[0],
            center[1],
            center[2],
            force[0],
            force[1],
            force[2],
            torque[0],
            torque[1],
            torque[2],
        )


TOOL_HOOKS = ToolHooks(clear_tools, step_tools)
