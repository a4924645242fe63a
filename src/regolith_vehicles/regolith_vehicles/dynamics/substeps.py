# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled loop over all substeps of a cycle: MuJoCo for the bodies, a contact model for parts that touch the ground.

The order mj_step1, read poses, write forces, mj_step2 makes a replay exact. mj_step1 recomputes everything that
depends on positions and velocities from the saved state; ``force; mj_step`` would read values that lag by one step.
MuJoCo is called as a C library on the addresses of its structures. The loop can therefore be cached on disk and runs
without the global interpreter lock.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
from llvmlite import binding
from numba import types
from numpy.typing import NDArray

from regolith_terrain.bodies import no_bodies, place_bodies
from regolith_terrain.contact import PartPose, Press, Wrench, bind_kernels, unbound
from regolith_terrain.solids import SolidContactArrays, add_solid_wrench
from regolith_vehicles.dynamics.field_forces import FieldArrays, act_on_bodies, field_arrays
from regolith_world.numerics import kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

OK = 0
NOT_FINITE = -1
TOO_FAST = -2
"""A part is faster than TOP_SPEED, or too far away for grid indices."""
TOP_SPEED = 1000.0
"""Speed that no part on ground reaches [m/s]; a soil window for a higher speed would exceed the memory."""
LEFT_WINDOW = 1000
"""Base value; the part's index is added."""
SCRATCH_TOO_SMALL = 2000
"""Base value; the part's index is added."""
LOST_BODY = 4000
"""Base value; the status of the substep of assigned bodies is added."""
MARGIN_ACCELERATION = 100.0
"""Acceleration within a cycle for which the soil window is selected [m/s^2]: a hard landing, not driving."""
WIDER_ACCELERATIONS = (1e3, 1e4)
"""Accelerations for which the soil window is selected when the cycle is repeated because a part left it [m/s^2].

No model is stable beyond them: a wheel of 50 kg would need 500 kN, which no tire or strut transmits.
"""
_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)
SAMPLE_COLUMNS = 13
"""Columns of the motion samples: qpos (7) and qvel (6) of the free joint."""


class Limits(NamedTuple):
    """Actuator forces and their limits, to count switches from limit to limit between substeps."""

    force: Floats
    """Force of each actuator in the last substep [N or N m], shape (nu,)."""
    low: Floats
    """Lower limits of the actuators or their joints, -inf: none; shape (nu,)."""
    high: Floats
    """Upper limits of the actuators or their joints, inf: none; shape (nu,)."""
    flips: Indices
    """In/out: substeps in which each actuator was at the limit opposite to that of the previous substep, shape (nu,).
    """
    side: Indices
    """Limit in the last substep: 1 upper, -1 lower, 0 none; shape (nu,)."""


class BodyArrays(NamedTuple):
    """Addresses of MuJoCo's structures, and views of the mjData arrays that the loop reads and writes."""

    model: int
    data: int
    qpos: Floats
    qvel: Floats
    xpos: Floats
    xmat: Floats
    cvel: Floats
    subtree_com: Floats
    xipos: Floats
    xfrc_applied: Floats
    qfrc_applied: Floats
    ctrl: Floats
    actuator_length: Floats
    """Lengths of the actuators' transmissions [m or rad], shape (nu,)."""
    actuator_velocity: Floats
    """Rates of the actuators' transmissions [m/s or rad/s], shape (nu,)."""
    root: int
    """Root body of the vehicle's subtree."""
    limits: Limits
    """Limits of the actuators; not part of the vehicle's state."""
    fields: FieldArrays
    """Force fields of the cycle; not part of the vehicle's state."""


def bodies(model: Any, data: Any, base: int) -> BodyArrays:
    """Return MuJoCo's structures for the loop; the views stay valid as long as ``data`` exists.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        base: Index of the base frame's body.
    """
    return BodyArrays(
        model._address,
        data._address,
        data.qpos,
        data.qvel,
        data.xpos,
        data.xmat,
        data.cvel,
        data.subtree_com,
        data.xipos,
        data.xfrc_applied,
        data.qfrc_applied,
        data.ctrl,
        data.actuator_length,
        data.actuator_velocity,
        int(model.body_rootid[base]),
        actuator_limits(model, data),
        field_arrays((), model, data),
    )


def actuator_limits(model: Any, data: Any) -> Limits:
    """Return the limits of all actuators: their own force range, or the range that their joint allows."""
    low, high = np.full((2, model.nu), math.inf)
    low[:] = -math.inf
    for k in range(model.nu):
        if model.actuator_forcelimited[k]:
            low[k], high[k] = model.actuator_forcerange[k]
        joint, gear = int(model.actuator_trnid[k, 0]), float(model.actuator_gear[k, 0])
        if int(model.actuator_trntype[k]) == _JOINT and model.jnt_actfrclimited[joint] and gear != 0.0:
            ends = sorted(float(end) / gear for end in model.jnt_actfrcrange[joint])
            low[k], high[k] = max(low[k], ends[0]), min(high[k], ends[1])
    return Limits(data.actuator_force, low, high, np.zeros(model.nu, np.int64), np.zeros(model.nu, np.int64))


class Controls(NamedTuple):
    """Controls of actuators, linear from the start of a cycle to its end."""

    actuators: Indices
    """Indices in ``ctrl``, shape (n,)."""
    begin: Floats
    """Controls at the start, shape (n,)."""
    end: Floats
    """Controls at the end, shape (n,)."""


class ContactParts(NamedTuple):
    """Parts that can touch the ground."""

    body: Indices
    """Body of each shape, shape (n,)."""
    offset: Floats
    """Origin of each shape in its body frame [m], shape (n, 3)."""
    frame: Floats
    """Rotation of each shape in its body frame, shape (n, 3, 3)."""
    active: int
    """Number of active parts in this cycle, the first ones."""


class Wrenches(NamedTuple):
    """Out: wrenches of the ground on each part in the last substep."""

    force: Floats
    """Forces, world axes [N], shape (n, 3)."""
    torque: Floats
    """Torques about the shapes' origins, world axes [N m], shape (n, 3)."""
    stats: Floats
    """Contact statistics by the STAT columns, shape (n, STAT_COUNT)."""
    pose: PartPose
    """Work array for the pose of one part."""


class PlacementDamping(NamedTuple):
    """Damping during placement: speeds fade, and the soil is reset after each substep."""

    factor: float
    """Factor on all speeds after each substep; 1: no damping, and the soil keeps its changes."""
    values: Floats
    """Fields of the soil window, shape (fields, ni, nj)."""
    untouched: Floats
    """Values to which the fields return after each substep, same shape."""
    touched: NDArray[np.bool_]
    """Grid nodes changed by the kernels, shape (ni, nj)."""


NOT_FADING = PlacementDamping(1.0, np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), np.zeros((0, 0), dtype=np.bool_))


def _load_mujoco() -> None:
    """Register MuJoCo's C functions with the compiler; also required before a cached loop is loaded."""
    folder = Path(mujoco.__file__).parent
    libraries = sorted(p for pattern in ('libmujoco*', 'mujoco.dll') for p in folder.glob(pattern))
    if not libraries:
        raise ImportError(f'no libmujoco in {folder}; fix: install MuJoCo with pip')
    binding.load_library_permanently(str(libraries[0]))
    # Otherwise MuJoCo appends warnings to MUJOCO_LOG.TXT in the working directory.
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(logging.getLogger('mujoco').warning)


_load_mujoco()
_pair = types.void(types.intp, types.intp)
mj_step1 = types.ExternalFunction('mj_step1', _pair)
mj_step2 = types.ExternalFunction('mj_step2', _pair)


@kernel(views_only=True)
def no_drive(arrays: Any, step: float, share: float, bodies: BodyArrays) -> None:
    """Leave the controls unchanged."""


@kernel(views_only=True)
def body_fixed_pose(arrays: Any, w: int, parts: ContactParts, bodies: BodyArrays, pose: PartPose) -> bool:
    """Write pose and twist of a part fixed to a body; return whether it can touch the ground."""
    xmat, cvel, offset, frame, root = bodies.xmat, bodies.cvel, parts.offset, parts.frame, bodies.root
    center, velocity, rotation = pose.center, pose.velocity, pose.rotation
    b = parts.body[w]
    for a in range(3):
        center[a] = bodies.xpos[b, a] + (
            xmat[b, 3 * a] * offset[w, 0] + xmat[b, 3 * a + 1] * offset[w, 1] + xmat[b, 3 * a + 2] * offset[w, 2]
        )
    # cvel: angular velocity, then the velocity of the body's point at the vehicle's center of mass.
    wx, wy, wz = cvel[b, 0], cvel[b, 1], cvel[b, 2]
    rx = center[0] - bodies.subtree_com[root, 0]
    ry = center[1] - bodies.subtree_com[root, 1]
    rz = center[2] - bodies.subtree_com[root, 2]
    velocity[0] = cvel[b, 3] + (wy * rz - wz * ry)
    velocity[1] = cvel[b, 4] + (wz * rx - wx * rz)
    velocity[2] = cvel[b, 5] + (wx * ry - wy * rx)
    for row in range(3):
        pose.angular_velocity[row] = cvel[b, row]
        for col in range(3):
            rotation[row, col] = (
                xmat[b, 3 * row] * frame[w, 0, col]
                + xmat[b, 3 * row + 1] * frame[w, 1, col]
                + xmat[b, 3 * row + 2] * frame[w, 2, col]
            )
    return True


@kernel(views_only=True)
def add_wrench(
    bodies: BodyArrays,
    b: int,
    px: float,
    py: float,
    pz: float,
    fx: float,
    fy: float,
    fz: float,
    tx: float,
    ty: float,
    tz: float,
) -> None:
    """Add a force [N] at a point [m] and a torque [N m], in world axes, to the applied wrench of a body."""
    # MuJoCo defines the torque about the body's center of mass.
    applied, xipos = bodies.xfrc_applied, bodies.xipos
    ax, ay, az = px - xipos[b, 0], py - xipos[b, 1], pz - xipos[b, 2]
    applied[b, 0] += fx
    applied[b, 1] += fy
    applied[b, 2] += fz
    applied[b, 3] += tx + (ay * fz - az * fy)
    applied[b, 4] += ty + (az * fx - ax * fz)
    applied[b, 5] += tz + (ax * fy - ay * fx)


@kernel(views_only=True)
def apply_to_body(arrays: Any, w: int, parts: ContactParts, bodies: BodyArrays, pose: PartPose, wrench: Wrench) -> None:
    """Apply the wrench of the ground on a part to its body."""
    center, force, torque = pose.center, wrench.force, wrench.torque
    add_wrench(
        bodies,
        parts.body[w],
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


@kernel(views_only=True)
def no_settle(arrays: Any, step: float, bodies: BodyArrays, wrenches: Wrenches) -> None:
    """Leave the state unchanged."""


class RunningGearHooks(NamedTuple):
    """Compiled functions of a running gear in each substep; their first argument is its arrays, or None."""

    drive: Callable[[Any, float, float, BodyArrays], None] = no_drive
    """``(arrays, step, share, bodies)``: sets controls and adds to ``xfrc_applied``, as engine and springs do.

    It is called after positions and velocities are computed and before forces are, if there are arrays. ``share`` is
    the completed fraction of the cycle.
    """
    place: Callable[[Any, int, ContactParts, BodyArrays, PartPose], bool] = body_fixed_pose
    """``(arrays, part, parts, bodies, pose)``: fills the pose of a part; returns whether it can touch the ground."""
    bear: Callable[[Any, int, ContactParts, BodyArrays, PartPose, Wrench], None] = apply_to_body
    """``(arrays, part, parts, bodies, pose, wrench)``: applies the wrench on a part to the bodies."""
    settle: Callable[[Any, float, BodyArrays, Wrenches], None] = no_settle
    """``(arrays, step, bodies, wrenches)``: advances the running gear's own state after all parts were pressed."""


class ToolHooks(NamedTuple):
    """Compiled functions of tools in each substep (:mod:`regolith_vehicles.tools.tool_substep`).

    They are not called while no tool is active. Every loop has them, so vehicles with and without tools share one.
    """

    clear: Callable[[Any, BodyArrays], None]
    """``(digging, bodies)``: removes all forces from the tools' bodies."""
    work: Callable[[Any, float, BodyArrays, PartPose], None]
    """``(digging, step, bodies, pose)``: lets tools sweep soil after all parts were pressed."""


@kernel(views_only=True)
def count_flips(limits: Limits) -> None:
    """Count the actuators that switched from one limit to the other in a substep, and store their limits."""
    for a in range(limits.side.shape[0]):
        side = 1 if limits.force[a] >= limits.high[a] else -1 if limits.force[a] <= limits.low[a] else 0
        if side * limits.side[a] < 0:
            limits.flips[a] += 1
        limits.side[a] = side


@kernel(views_only=True)
def fade(fading: PlacementDamping, qvel: Floats) -> None:
    """Let speeds fade and reset the soil after a substep of a placement."""
    for v in range(qvel.shape[0]):
        qvel[v] *= fading.factor
    for r in range(fading.touched.shape[0]):
        for c in range(fading.touched.shape[1]):
            if fading.touched[r, c]:
                for n in range(fading.values.shape[0]):
                    fading.values[n, r, c] = fading.untouched[n, r, c]


@cache
def substep_loop(
    press: Press,
    hooks: RunningGearHooks,
    tools: ToolHooks,
    step_bodies: Callable[[Any, float], int] = no_bodies,
) -> Callable[..., int]:
    """Return the compiled substep loop for a ground contact.

    The loop is ``run(count, step, bodies, controls, parts, contact, solids, driving, wrenches, fading, samples,
    digging, assigned)``. It returns OK, or a failure as a status of this module. ``count`` and ``step`` [s] are
    number and length of the substeps (opt.timestep must equal ``step``). ``contact`` is the first argument of
    ``press``, ``solids`` are the obstacles near the parts. ``samples`` receives the base's motion after every
    substep, shape (count, SAMPLE_COLUMNS). ``digging`` are the vehicle's tools
    (:class:`regolith_vehicles.tools.tool_substep.ToolStepArrays`), or None. ``assigned`` are rigid bodies that the
    vehicle computes (:class:`regolith_terrain.bodies.BodyStep`), or None. Forces are constant over a substep:
    MuJoCo's semi-implicit Euler method, of first order.

    Args:
        press: Compiled function of the contact (:mod:`regolith_terrain.contact.ground_contact`).
        hooks: Functions of the running gear; ``driving`` is their first argument.
        tools: Functions of the tools; ``digging`` is their first argument.
        step_bodies: Substep of assigned bodies (:func:`regolith_terrain.bodies.step_function`).

    Source: todorov2012; hairer2006.
    Checked by: test_convergence_order.py::test_free_fall_is_of_first_order,
    test_vehicle.py::test_compiled_loop_equals_python_loop.
    """
    more = {**tools._asdict(), **hooks._asdict()}
    return bind_kernels(_run_substeps, views_only=True, press=press, step_bodies=step_bodies, **more)


press: Press = unbound
"""Contact of the terrain model, bound by :func:`substep_loop` like the following ones."""
drive, place, bear, settle = RunningGearHooks()
clear: Callable[[Any, BodyArrays], None] = unbound
work: Callable[[Any, float, BodyArrays, PartPose], None] = unbound
step_bodies: Callable[[Any, float], int] = unbound


def _run_substeps(
    count: int,
    step: float,
    bodies: BodyArrays,
    controls: Controls,
    parts: ContactParts,
    contact: Any,
    solids: SolidContactArrays,
    driving: Any,
    wrenches: Wrenches,
    fading: PlacementDamping,
    samples: Floats,
    digging: Any,
    assigned: Any,
) -> int:
    """Return OK or the failure of a cycle's substeps; plain Python until :func:`substep_loop` binds functions to it."""
    xfrc_applied, qvel = bodies.xfrc_applied, bodies.qvel
    pose = wrenches.pose
    center, velocity = pose.center, pose.velocity
    bodies.limits.side[:] = 0
    for k in range(count):
        part = (k + 1) / count
        for a in range(controls.actuators.shape[0]):
            bodies.ctrl[controls.actuators[a]] = controls.begin[a] + (controls.end[a] - controls.begin[a]) * part
        mj_step1(bodies.model, bodies.data)
        if driving is None:  # known at compile time, so a running gear without a drive costs nothing
            for w in range(parts.body.shape[0]):
                for a in range(6):
                    xfrc_applied[parts.body[w], a] = 0.0
            if digging is not None:
                clear(digging, bodies)
        else:
            for b in range(xfrc_applied.shape[0]):
                for a in range(6):
                    xfrc_applied[b, a] = 0.0
            drive(driving, step, part, bodies)
        if assigned is not None:
            place_bodies(assigned, solids.near)
        if bodies.fields.regions.drag.shape[0] > 0:
            center_of_mass = bodies.subtree_com[bodies.root]
            act_on_bodies(bodies.fields, step, bodies.xipos, bodies.cvel, center_of_mass, xfrc_applied)
        for w in range(parts.active):
            wrench = Wrench(wrenches.force[w], wrenches.torque[w], wrenches.stats[w])
            if not place(driving, w, parts, bodies, pose):
                wrench.force[:] = 0.0
                wrench.torque[:] = 0.0
                wrench.stats[:] = 0.0
                continue
            if not np.isfinite(center[0] + center[1] + center[2] + velocity[0] + velocity[1] + velocity[2]):
                return NOT_FINITE
            status = press(contact, step, w, pose, wrench)
            if status != 0:
                return (LEFT_WINDOW if status == 1 else SCRATCH_TOO_SMALL) + w
            if solids.near.number.shape[0] > 0:
                add_solid_wrench(solids, step, w, pose, wrench)
            bear(driving, w, parts, bodies, pose, wrench)
        if digging is not None:
            work(digging, step, bodies, pose)
        settle(driving, step, bodies, wrenches)
        if assigned is not None:
            status = step_bodies(assigned, step)
            if status != 0:
                return LOST_BODY + status
        mj_step2(bodies.model, bodies.data)
        count_flips(bodies.limits)
        if fading.factor < 1.0:
            fade(fading, qvel)
        for a in range(7):
            samples[k, a] = bodies.qpos[a]
        for a in range(6):
            samples[k, 7 + a] = qvel[a]
    return OK
