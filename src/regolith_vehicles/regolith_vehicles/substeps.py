# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""All substeps of one cycle in a single compiled loop: MuJoCo for the bodies, SCM for wheels and hull.

The order mj_step1, read poses, write forces, mj_step2 is what makes a replay exact: mj_step1 recomputes everything
that depends on positions and velocities from the saved state (``force; mj_step`` would read what lags a step behind).
MuJoCo is called as a C library on the addresses of its structures, so the loop is cached on disk and runs without the
global interpreter lock.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from llvmlite import binding
from numba import njit, types

import regolith_terrain
from regolith_terrain.scm import Wrench, body_wrench

OK = 0
NOT_FINITE = -1
TOO_FAST = -2
"""A part is faster than TOP_SPEED, or further away than nodes can be counted."""
TOP_SPEED = 1000.0
"""Nothing that touches ground is as fast [m/s]; a soil window for it would fill the memory."""
LEFT_WINDOW = 1000
"""Plus the part's index."""
SCRATCH_TOO_SMALL = 2000
"""Plus the part's index."""
MARGIN_ACCELERATION = 100.0
"""A part may gain speed in a cycle; the soil window allows for this much (a hard landing, not driving) [m/s^2]."""
SAMPLE_COLUMNS = 13
"""Of the samples of the motion: qpos (7) and qvel (6) of the free joint."""


def _load_mujoco() -> None:
    """Make MuJoCo's C functions known to the compiler; also needed before a cached loop is loaded."""
    folder = Path(mujoco.__file__).parent
    libraries = sorted(p for pattern in ('libmujoco*', 'mujoco.dll') for p in folder.glob(pattern))
    if not libraries:
        raise ImportError(f'no libmujoco in {folder}; allowed: MuJoCo as installed by pip')
    binding.load_library_permanently(str(libraries[0]))
    # Else MuJoCo appends its warnings to a MUJOCO_LOG.TXT in whatever folder the process runs in.
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(logging.getLogger('mujoco').warning)


_load_mujoco()
_pair = types.void(types.intp, types.intp)
mj_step1 = types.ExternalFunction('mj_step1', _pair)
mj_step2 = types.ExternalFunction('mj_step2', _pair)


def _kernels_digest() -> int:
    """Return a number that changes with the source of the package whose kernels are compiled into the loop.

    Numba's cache looks at the file of the outer function only; a constant in its closure is part of the cache key.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(regolith_terrain.__file__).parent.rglob('*.py')):
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest()[:4], 'little')


def _compile(kernels: int) -> Callable[..., int]:
    @njit(cache=True, nogil=True, error_model='numpy')
    def run_substeps(  # type: ignore[no-untyped-def]
        model,
        data,
        count,
        step,
        qpos,
        qvel,
        xpos,
        xmat,
        cvel,
        subtree_com,
        xipos,
        xfrc_applied,
        ctrl,
        root,
        actuators,
        ctrl_begin,
        ctrl_end,
        part_body,
        offset,
        frame,
        parts,
        shapes,
        ground,
        soils,
        bulldozing,
        mode,
        shear,
        scratch,
        force,
        torque,
        stats,
        fade,
        untouched,
        samples,
    ):
        if kernels < 0:  # never; keeps the digest in the closure and so in the cache key
            return kernels
        center = np.empty(3)
        velocity = np.empty(3)
        rotation = np.empty((3, 3))
        for k in range(count):
            part = (k + 1) / count
            for a in range(actuators.shape[0]):
                ctrl[actuators[a]] = ctrl_begin[a] + (ctrl_end[a] - ctrl_begin[a]) * part
            mj_step1(model, data)
            for w in range(part_body.shape[0]):
                for a in range(6):
                    xfrc_applied[part_body[w], a] = 0.0
            for w in range(parts):
                b = part_body[w]
                for a in range(3):
                    center[a] = xpos[b, a] + (
                        xmat[b, 3 * a] * offset[w, 0]
                        + xmat[b, 3 * a + 1] * offset[w, 1]
                        + xmat[b, 3 * a + 2] * offset[w, 2]
                    )
                # cvel: angular velocity, then that of the body's point at the centre of mass of the whole vehicle.
                wx, wy, wz = cvel[b, 0], cvel[b, 1], cvel[b, 2]
                rx = center[0] - subtree_com[root, 0]
                ry = center[1] - subtree_com[root, 1]
                rz = center[2] - subtree_com[root, 2]
                velocity[0] = cvel[b, 3] + (wy * rz - wz * ry)
                velocity[1] = cvel[b, 4] + (wz * rx - wx * rz)
                velocity[2] = cvel[b, 5] + (wx * ry - wy * rx)
                if not np.isfinite(center[0] + center[1] + center[2] + velocity[0] + velocity[1] + velocity[2]):
                    return NOT_FINITE
                for row in range(3):
                    for col in range(3):
                        rotation[row, col] = (
                            xmat[b, 3 * row] * frame[w, 0, col]
                            + xmat[b, 3 * row + 1] * frame[w, 1, col]
                            + xmat[b, 3 * row + 2] * frame[w, 2, col]
                        )
                status = body_wrench(
                    ground, soils, bulldozing, mode, step, shapes, w, center, rotation, velocity, cvel[b, :3],
                    shear[w if shear.shape[0] > 1 else 0], scratch, Wrench(force[w], torque[w], stats[w]),
                )  # fmt: skip
                if status != 0:
                    return (LEFT_WINDOW if status == 1 else SCRATCH_TOO_SMALL) + w
                # MuJoCo takes the torque about the body's centre of mass.
                ax = center[0] - xipos[b, 0]
                ay = center[1] - xipos[b, 1]
                az = center[2] - xipos[b, 2]
                fx, fy, fz = force[w, 0], force[w, 1], force[w, 2]
                xfrc_applied[b, 0] += fx
                xfrc_applied[b, 1] += fy
                xfrc_applied[b, 2] += fz
                xfrc_applied[b, 3] += torque[w, 0] + (ay * fz - az * fy)
                xfrc_applied[b, 4] += torque[w, 1] + (az * fx - ax * fz)
                xfrc_applied[b, 5] += torque[w, 2] + (ax * fy - ay * fx)
            mj_step2(model, data)
            if fade < 1.0:
                for v in range(qvel.shape[0]):
                    qvel[v] *= fade
                for r in range(ground.touched.shape[0]):
                    for c in range(ground.touched.shape[1]):
                        if ground.touched[r, c]:
                            ground.level_initial[r, c] = untouched[0, r, c]
                            ground.level[r, c] = untouched[1, r, c]
                            ground.sinkage_plastic[r, c] = untouched[2, r, c]
                            ground.sigma_yield[r, c] = untouched[3, r, c]
            samples[k, :7] = qpos[:7]
            samples[k, 7:] = qvel[:6]
        return OK

    compiled: Callable[..., int] = run_substeps
    return compiled


run_substeps: Callable[..., Any] = _compile(_kernels_digest())
"""Advance a vehicle by ``count`` substeps; returns OK or what went wrong.

Arguments: addresses of mjModel and mjData; number and length [s] of the substeps (opt.timestep must be set to it);
views of mjData's qpos, qvel, xpos, xmat, cvel, subtree_com, xipos, xfrc_applied and ctrl; root body; actuators and
their controls at the start and at the end of the cycle (linear between); body of each part, place and rotation of its
shape in that body's frame, shape (n, 3) and (n, 3, 3), and how many of them (the first) take part; shapes, ground,
soils, bulldozing rules, mode, shear (layers, ni, nj, 2; one layer: shared by all parts) and scratch as
:func:`regolith_terrain.scm.body_wrench` takes them; out: soil force [N] and torque about the shape's origin [N m] of
the last substep in world axes, shape (n, 3), and stats; factor on all speeds after each substep, and where it is below
1 what the soil then is again (level_initial, level, sinkage_plastic, sigma_yield, shape (4, ni, nj)); out: the base's
motion after every substep, shape (count, SAMPLE_COLUMNS).
"""
