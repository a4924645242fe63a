# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Multibody model of a vehicle: the MuJoCo model, and indices for the names in the YAML file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics.inner_contacts import enable_inner_contacts
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_vehicles.dynamics.model_checks import (
    HINGE,
    SLIDE,
    ModelFile,
    check_extent,
    check_integrator,
    check_servos,
    load_model,
)
from regolith_world.numerics import kernel, portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Multibody:
    """Multibody model of one vehicle; arrays over wheels have shape (n,), in the order of the YAML file."""

    model: Any
    """MuJoCo model (mujoco.MjModel)."""
    base: int
    """Body of the base frame; its free joint is the first joint."""
    wheel_body: Indices
    """Bodies of the wheels."""
    wheel_joint: Indices
    """Joints of the wheels."""
    wheel_qpos: Indices
    """Addresses of the wheel angles in qpos."""
    wheel_dof: Indices
    """Addresses of the wheel speeds in qvel."""
    steer_qpos: Indices
    """Addresses of the steering angles in qpos; -1: not steered."""
    wheel_actuator: Indices
    """Actuators of the wheels."""
    steer_actuator: Indices
    """Actuators of the steering; -1: not steered."""
    radius: Vector
    """Radii of the wheels [m]."""
    half_width: Vector
    """Half widths of the wheels [m]."""
    bias_limit: Vector
    """Speed error at which a wheel's servo reaches its force limit [rad/s]; inf without a limit."""
    parts: Indices
    """Bodies of :attr:`VehicleModelConfig.parts`, in that order."""
    joints: tuple[str, ...]
    """Names of all joints with one degree of freedom."""
    joint_qpos: Indices
    """Addresses of these joints' positions in qpos."""
    joint_dof: Indices
    """Addresses of these joints' velocities in qvel."""
    layout: WheelLayout
    """Positions and limits of the wheels."""
    joint_actuator: Indices
    """Actuators of :attr:`VehicleModelConfig.joints`, in order of the joints' names."""
    payload_body: Indices
    """Bodies of :attr:`VehicleModelConfig.payloads`, in order of the payloads' names."""

    @property
    def mass(self) -> float:
        """Present mass of the whole vehicle with its payloads [kg]."""
        return float(self.model.body_mass.sum())


def at_origin(model: Any) -> Any:
    """Return a mujoco.MjData with initial joints and the base frame at the world's origin, with updated poses."""
    data = mujoco.MjData(model)
    data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    mujoco.mj_kinematics(model, data)
    return data


def refresh(model: Any, data: Any) -> None:
    """Update poses and velocities of all bodies from qpos and qvel."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)


def compile_vehicle(
    config: VehicleModelConfig, mjcf_path: str | Path, gravity: ArrayLike, mass_scale: float = 1.0
) -> Multibody:
    """Return the model of an MJCF file, with the indices of all elements that the YAML file names.

    Args:
        config: Vehicle model.
        mjcf_path: Path of the MJCF file.
        gravity: Gravitational acceleration in the world frame [m/s^2], shape (3,).
        mass_scale: Factor on all masses and inertias [-].

    Raises:
        VehicleModelError: If the file does not compile or an element does not exist.
    """
    model = load_model(mjcf_path, gravity, mass_scale)
    files = ModelFile(model, Path(mjcf_path).name, config.file or mjcf_path)
    find = files.find
    base = files.base(config.chassis)
    check_integrator(model, mjcf_path)
    check_servos(model, config.substep_s, mjcf_path)
    files.check_bodies(config, base)
    enable_inner_contacts(config, files)

    wheels = config.wheels
    body = [find('body', f'wheels.{w.name}.body', w.body) for w in wheels]
    joint = [find('joint', f'wheels.{w.name}.joint', w.joint) for w in wheels]
    drive = [find('actuator', f'wheels.{w.name}.actuator', w.actuator) for w in wheels]
    steer = [
        -1 if w.steer_joint is None else find('joint', f'wheels.{w.name}.steer_joint', w.steer_joint) for w in wheels
    ]
    servo = [
        -1 if w.steer_actuator is None else find('actuator', f'wheels.{w.name}.steer_actuator', w.steer_actuator)
        for w in wheels
    ]
    for k, w in enumerate(wheels):
        files.check_wheel(f'wheels.{w.name}.', joint[k], drive[k])
        files.check_wheel(f'wheels.{w.name}.steer_', steer[k], servo[k])
    servos = files.servos(config, {*drive, *servo})
    carriers = [find('body', f'payloads.{name}.body', p.body) for name, p in sorted(config.payloads.items())]
    limits = [
        float(model.actuator_forcerange[k, 1]) / float(model.actuator_gainprm[k, 0])
        if model.actuator_forcelimited[k] and model.actuator_gainprm[k, 0] > 0.0
        else math.inf
        for k in drive
    ]
    files.check_drives(config, body, drive)
    single = [k for k in range(model.njnt) if int(model.jnt_type[k]) in (HINGE, SLIDE)]

    data = at_origin(model)
    check_extent(model, data.xpos, mjcf_path)
    files.check_axles(config, joint, data.xaxis)
    radius = np.array([w.radius_m for w in wheels])
    layout = WheelLayout(
        x=data.xpos[body, 0].copy(),
        y=data.xpos[body, 1].copy(),
        radius=radius,
        steered=np.array([k >= 0 for k in steer]),
        max_steer=math.radians(config.steering.max_angle_deg),
        max_speed=config.drive.max_wheel_speed_radps if config.drive is not None else 0.0,
    )
    return Multibody(
        model=model,
        base=base,
        wheel_body=np.array(body, dtype=np.int64),
        wheel_joint=np.array(joint, dtype=np.int64),
        wheel_qpos=np.array([model.jnt_qposadr[k] for k in joint], dtype=np.int64),
        wheel_dof=np.array([model.jnt_dofadr[k] for k in joint], dtype=np.int64),
        steer_qpos=np.array([-1 if k < 0 else model.jnt_qposadr[k] for k in steer], dtype=np.int64),
        wheel_actuator=np.array(drive, dtype=np.int64),
        steer_actuator=np.array(servo, dtype=np.int64),
        radius=radius,
        half_width=np.array([0.5 * w.width_m for w in wheels]),
        bias_limit=np.array(limits),
        parts=np.array([find('body', 'attachment_bodies', name) for name in config.parts], dtype=np.int64),
        joints=tuple(model.joint(k).name for k in single),
        joint_qpos=np.array([model.jnt_qposadr[k] for k in single], dtype=np.int64),
        joint_dof=np.array([model.jnt_dofadr[k] for k in single], dtype=np.int64),
        layout=layout,
        joint_actuator=np.array(servos, dtype=np.int64),
        payload_body=np.array(carriers, dtype=np.int64),
    )


def quaternion_to_ros(wxyz: Vector) -> Vector:
    """Return a MuJoCo quaternion (w, x, y, z) as (x, y, z, w)."""
    return np.array([wxyz[1], wxyz[2], wxyz[3], wxyz[0]])


@kernel
def composite_inertia(
    mass: Vector, principal: Vector, place: Vector, frame: Vector, center: Vector, inertia: Vector
) -> float:
    """Return the total mass [kg] of bodies as one rigid body; fill its center of mass and inertia.

    Args:
        mass: Masses [kg], shape (n,).
        principal: Principal moments of inertia [kg m^2], shape (n, 3).
        place: Centers of mass in the world frame [m], shape (n, 3).
        frame: Rotations of the principal axes as rows of 9, shape (n, 9).
        center: Out: center of mass in the world frame [m], shape (3,).
        inertia: Out: inertia about the center of mass, world axes [kg m^2], shape (3, 3).

    Source: goldstein2002, the parallel-axis theorem.
    Checked by: test_kernels.py::test_inertia_of_several_bodies_follows_the_parallel_axis_theorem.
    """
    total = 0.0
    center[:] = 0.0
    inertia[:] = 0.0
    for b in range(mass.shape[0]):
        total += mass[b]
        for a in range(3):
            center[a] += mass[b] * place[b, a]
    for a in range(3):
        center[a] /= total
    for b in range(mass.shape[0]):
        if mass[b] == 0.0:
            continue
        square = 0.0
        for a in range(3):
            square += (place[b, a] - center[a]) ** 2
        for row in range(3):
            for col in range(3):
                turned = 0.0
                for k in range(3):
                    turned += frame[b, 3 * row + k] * principal[b, k] * frame[b, 3 * col + k]
                steiner = -(place[b, row] - center[row]) * (place[b, col] - center[col])
                if row == col:
                    steiner += square
                inertia[row, col] += turned + mass[b] * steiner
    return total


@kernel
def point_velocities(cvel: Vector, points: Vector, com: Vector, bodies: Indices) -> Vector:
    """Return the velocities of points of bodies in world axes [m/s], shape (k, 3): v + omega x r.

    Args:
        cvel: MuJoCo's cvel: angular velocity, then velocity of the point at ``com``, shape (nbody, 6).
        points: Points in the world frame [m], shape (k, 3).
        com: Center of mass of the whole vehicle [m], shape (3,).
        bodies: Bodies of the points, shape (n,) with n >= k.

    Source: goldstein2002; todorov2012.
    Checked by: test_kernels.py::test_point_velocity_of_rotating_body_is_v_plus_w_cross_r.
    """
    out = np.empty(points.shape)
    for k in range(points.shape[0]):
        b = bodies[k]
        for a in range(3):
            m, n = (a + 1) % 3, (a + 2) % 3
            out[k, a] = cvel[b, 3 + a] + (cvel[b, m] * (points[k, n] - com[n]) - cvel[b, n] * (points[k, m] - com[m]))
    return out


def momentum(model: Any, data: Any, point: Vector) -> tuple[Vector, Vector]:
    """Return momentum [N s] and angular momentum about a fixed point [N m s] of all bodies, shape (3,) each.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData), with current poses and velocities.
        point: Point in the world frame [m], shape (3,).

    Source: goldstein2002.
    Checked by: test_dispensers.py::test_momentum_is_that_of_mujoco.
    """
    omega, frame = data.cvel[:, :3], data.ximat.reshape(-1, 3, 3)
    velocity = data.cvel[:, 3:] + np.cross(omega, data.xipos - data.subtree_com[model.body_rootid])
    push = model.body_mass[:, None] * velocity
    local = model.body_inertia * (frame * omega[:, :, None]).sum(axis=1)
    spin = (frame * local[:, None, :]).sum(axis=2)
    return push.sum(axis=0), (np.cross(data.xipos - point, push) + spin).sum(axis=0)


def impulse_response(
    model: Any, data: Any, body: int, point: ArrayLike, impulse: ArrayLike, moment: ArrayLike | None = None
) -> Vector:
    """Return the change of all joint velocities by an impulse, M^-1 J^T p, shape (nv,).

    Args:
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        body: Body that is hit.
        point: Point of the impulse in the world frame [m], shape (3,).
        impulse: Impulse in the world frame [N s], shape (3,).
        moment: Angular impulse in addition [N m s], shape (3,); None: none.

    Source: featherstone2008.
    Checked by: test_multibody.py::test_impulse_changes_momentum_by_the_impulse,
    test_multibody.py::test_impulse_agrees_with_the_state_it_reports.
    """
    jacobian, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, turning, np.asarray(point, dtype=float), body)
    mujoco.mj_makeM(model, data)
    mujoco.mj_factorM(model, data)
    change = np.zeros((1, model.nv))
    force = portable_math.times(impulse, jacobian)
    if moment is not None:
        force = force + portable_math.times(moment, turning)
    mujoco.mj_solveM(model, data, change, force[None, :])
    return np.asarray(change[0])


def inverse_inertia(model: Any, data: Any, body: int, point: ArrayLike) -> Vector:
    """Return the inverse operational inertia of a body at a point, J M^-1 J^T, shape (6, 6).

    It maps an impulse and an angular impulse at the point to changes of linear and angular velocity, in world axes.
    The joints yield, so a chassis on springs has less inertia than the vehicle.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        body: Index of the body.
        point: Point in the world frame [m], shape (3,); it moves with the body.

    Source: featherstone2008; khatib1987.
    Checked by: test_multibody.py::test_inverse_inertia_matches_impulse_response,
    test_multibody.py::test_inverse_inertia_of_single_body_is_exact.
    """
    jacobian = np.zeros((6, model.nv))
    mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], np.asarray(point, dtype=float), body)
    mujoco.mj_makeM(model, data)
    mujoco.mj_factorM(model, data)
    result = np.zeros((6, model.nv))
    mujoco.mj_solveM(model, data, result, jacobian)
    return portable_math.times(jacobian, result.T)
