# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Multibody model of a vehicle: the MuJoCo model, and indices for the names in the YAML file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.contact import StepLimit
from regolith_vehicles.description.mesh_files import check_assets, check_mesh_sizes
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.kinematics import WheelLayout
from regolith_world.numerics import kernel, portable_math

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_KINDS = {'body': 'body', 'joint': 'joint', 'actuator': 'actuator', 'equality': 'equality constraint'}
_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)
_NOT_XML = re.compile(r'XML_ERROR.*Line number=(\d+)')
MOST_EXTENT_M = 100.0
"""Maximum distance from a vehicle's base to any body along any axis [m]."""


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


def index_of(model: Any, kind: str, name: str, file: str, where: str | Path, key: str) -> int:
    """Return the index of a body, joint, actuator or equality constraint of a model.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        kind: Type of the element: 'body', 'joint', 'actuator' or 'equality'.
        name: Name of the element.
        file: Name of the MJCF file.
        where: File that refers to the element.
        key: Key of the reference in that file.

    Raises:
        VehicleModelError: If the model has no element of this name.
    """
    index = mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f'mjOBJ_{kind.upper()}'), name)
    if index < 0:
        count = {'body': model.nbody, 'joint': model.njnt, 'actuator': model.nu, 'equality': model.neq}[kind]
        first = 1 if kind == 'body' else 0  # MuJoCo's world body is not part of the vehicle
        known = [getattr(model, kind)(k).name for k in range(first, count)]
        names = ', '.join(filter(None, known)) or '(none exist)'
        raise VehicleModelError(where, key, name, names, f'no such {_KINDS[kind]} in {file}')
    return int(index)


def check_hinge(model: Any, joint: int, body: int, file: str, where: str | Path, key: str, name: str | None) -> None:
    """Check that a joint is a hinge of a body; a negative index means no joint and is valid.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        joint: Index of the joint.
        body: Index of the body.
        file: Name of the MJCF file.
        where: File that refers to the joint.
        key: Key of the reference in that file.
        name: Name of the joint.

    Raises:
        VehicleModelError: If it is not a hinge of the body; names the key.
    """
    if joint >= 0 and (int(model.jnt_type[joint]) != _HINGE or int(model.jnt_bodyid[joint]) != body):
        allowed = f'a hinge of {model.body(body).name}'
        raise VehicleModelError(where, key, name, allowed, f'is not a hinge of that body in {file}')


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


def check_servos(model: Any, substep_s: float, mjcf_path: str | Path) -> None:
    """Refuse servos whose velocity feedback overshoots in each substep: their effort would alternate between limits.

    MuJoCo's Euler integrator computes an actuator's force from the speed at the start of a substep. A feedback -d v on
    an inertia I results in v' = (1 - d dt / I) v, which grows with alternating sign for d dt > 2 I. The implicit
    integrators have no such limit.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        substep_s: Maximum substep [s].
        mjcf_path: Path of the MJCF file.

    Raises:
        VehicleModelError: If a servo is too stiff; names the actuator, the limit and remedies.

    Source: hairer2006, the explicit Euler method on a linear decay.
    Checked by: test_config.py::test_speed_servo_too_stiff_for_the_euler_integrator_is_refused.
    """
    if int(model.opt.integrator) != int(mujoco.mjtIntegrator.mjINT_EULER):
        return
    for k in range(model.nu):
        joint = int(model.actuator_trnid[k, 0])
        if int(model.actuator_trntype[k]) != _JOINT or int(model.jnt_type[joint]) not in (_HINGE, _SLIDE):
            continue
        square = float(model.actuator_gear[k, 0]) ** 2
        feedback = -float(model.actuator_biasprm[k, 2]) * square
        inertia = 1.0 / float(model.dof_invweight0[model.jnt_dofadr[joint]])
        if feedback * substep_s > 2.0 * inertia:
            most = 2.0 * inertia / substep_s / square
            raise VehicleModelError(
                mjcf_path,
                f'actuator {model.actuator(k).name} kv',
                f'{feedback / square:g}',
                f'at most {most:.3g}, 2 I / dt of {inertia:.3g} kg m^2 on joint {model.joint(joint).name} and a'
                f' substep_s of {substep_s:g}; or <option integrator="implicitfast"/>, armature, a shorter substep_s',
                'is unstable with the Euler integrator: its effort alternates between its limits',
            )


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
    check_assets(mjcf_path)
    try:
        model = mujoco.MjModel.from_xml_path(str(mjcf_path))
    except ValueError as error:
        raise _not_compiled(mjcf_path, ' '.join(str(error).split())) from error
    if mass_scale != 1.0:
        model.body_mass[:] *= mass_scale
        model.body_inertia[:] *= mass_scale
        mujoco.mj_setConst(model, mujoco.MjData(model))
    model.opt.gravity[:] = np.asarray(gravity, dtype=np.float64)
    _refuse_not_finite(model, mjcf_path)
    check_mesh_sizes(model, mjcf_path)
    # A diverged simulation must stop the run; MuJoCo would reset it to the initial pose without an error.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)

    file, where = Path(mjcf_path).name, config.file or mjcf_path

    def find(kind: str, key: str, name: str) -> int:
        return index_of(model, kind, name, file, where, key)

    base = find('body', 'chassis', config.chassis)
    if model.body_jntnum[base] != 1 or int(model.jnt_type[model.body_jntadr[base]]) != _FREE:
        free = [model.body(int(model.jnt_bodyid[k])).name for k in range(model.njnt) if int(model.jnt_type[k]) == _FREE]
        allowed = ', '.join(filter(None, free)) or 'a body with <freejoint/>, which no body of this file has'
        raise VehicleModelError(where, 'chassis', config.chassis, allowed, f'has no free joint in {file}')
    if model.body_jntadr[base] != 0:
        first = model.body(int(model.jnt_bodyid[0])).name
        raise VehicleModelError(
            where, 'chassis', config.chassis, first, f'is not the first body with a joint in {file}'
        )
    # mj_step1 and mj_step2 compute one stage; they would change RK4 into Euler without an error.
    if int(model.opt.integrator) == int(mujoco.mjtIntegrator.mjINT_RK4):
        allowed = 'implicitfast, implicit, Euler'
        raise VehicleModelError(
            mjcf_path, 'option integrator', 'RK4', allowed, 'needs four stages, but a substep has one'
        )
    check_servos(model, config.substep_s, mjcf_path)

    for k, name in enumerate(config.attachment_bodies):
        find('body', f'attachment_bodies.{k}', name)
    for k, shape in enumerate(config.collision.shapes):
        if shape.body is not None:
            find('body', f'collision.shapes.{k}.body', shape.body)
    for name in config.parts:
        if model.body_rootid[find('body', 'attachment_bodies', name)] != model.body_rootid[base]:
            key = 'attachment_bodies' if name in config.attachment_bodies else 'collision.shapes'
            carried = np.flatnonzero(model.body_rootid == model.body_rootid[base])
            allowed = ', '.join(filter(None, (model.body(int(b)).name for b in carried)))
            raise VehicleModelError(where, key, name, allowed, f'is not below {config.chassis} in {file}')

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

    def check_motor(k: int, motor: int, key: str) -> None:
        if (int(model.actuator_trntype[motor]), int(model.actuator_trnid[motor, 0])) != (_JOINT, k):
            named = model.joint(k).name
            allowed = f'an actuator on joint {named}'
            raise VehicleModelError(
                where, key, model.actuator(motor).name, allowed, f'is not on joint {named} in {file}'
            )

    for w, *pair in zip(wheels, zip(joint, drive, strict=True), zip(steer, servo, strict=True), strict=True):
        for part, (k, motor) in zip(('', 'steer_'), pair, strict=True):
            key = f'wheels.{w.name}.{part}'
            if k >= 0 and int(model.jnt_type[k]) != _HINGE:
                raise VehicleModelError(
                    where, f'{key}joint', model.joint(k).name, 'a hinge', f'is not a hinge in {file}'
                )
            if motor >= 0:
                check_motor(k, motor, f'{key}actuator')
    servos = []
    for name, given in sorted(config.joints.items()):
        k = find('joint', f'joints.{name}', name)
        if int(model.jnt_type[k]) not in (_HINGE, _SLIDE):
            allowed, problem = 'a hinge or slide', f'is neither a hinge nor a slide in {file}'
            raise VehicleModelError(where, f'joints.{name}', name, allowed, problem)
        servos.append(find('actuator', f'joints.{name}.actuator', given.actuator))
        check_motor(k, servos[-1], f'joints.{name}.actuator')
        if servos[-1] in drive or servos[-1] in servo:
            allowed, key = 'an actuator that is not of a wheel', f'joints.{name}.actuator'
            raise VehicleModelError(where, key, given.actuator, allowed, 'is an actuator of a wheel')
    carriers = [find('body', f'payloads.{name}.body', p.body) for name, p in sorted(config.payloads.items())]
    limits = [
        float(model.actuator_forcerange[k, 1]) / float(model.actuator_gainprm[k, 0])
        if model.actuator_forcelimited[k] and model.actuator_gainprm[k, 0] > 0.0
        else math.inf
        for k in drive
    ]
    for w, motor in zip(wheels, drive, strict=True):
        if not model.actuator_gainprm[motor, 0] > 0.0:
            allowed = 'a velocity servo (kv > 0)'
            raise VehicleModelError(where, f'wheels.{w.name}.actuator', w.actuator, allowed, f'has no gain in {file}')
    if len(set(body)) < len(body):
        names = ', '.join(w.body for w in wheels)
        raise VehicleModelError(
            where, 'wheels', None, 'a separate body for each wheel', f'use the same body of {file}: {names}'
        )
    single = [k for k in range(model.njnt) if int(model.jnt_type[k]) in (_HINGE, _SLIDE)]

    data = at_origin(model)
    far = int(np.argmax(np.abs(data.xpos).max(axis=1)))
    if not np.abs(data.xpos[far]).max() <= MOST_EXTENT_M:
        at = ' '.join(f'{x:g}' for x in data.xpos[far])
        allowed = f'bodies within {MOST_EXTENT_M:g} m of the base'
        raise VehicleModelError(mjcf_path, f'body {model.body(far).name}', at, allowed, 'is too far from the base')
    for w, k in zip(wheels, joint, strict=True):
        if not data.xaxis[k, 1] > 0.5:
            axis = ' '.join(f'{x:g}' for x in data.xaxis[k])
            allowed = 'an axle to the left (0 1 0), so positive rotation drives forward'
            raise VehicleModelError(where, f'wheels.{w.name}.joint', w.joint, allowed, f'has axis {axis} in {file}')
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


_COMPILER = (
    ('larger than mjMINVAL', 'a mass and moments of inertia above zero'),
    ('A + B >= C', 'moments of inertia of a body: none above the sum of the other two'),
    ('Error opening file', 'files by their paths relative to this one (meshdir)'),
)
"""Fragments of messages of MuJoCo's compiler, and the allowed values to show for them."""


def _not_compiled(mjcf_path: str | Path, told: str) -> VehicleModelError:
    """Return the error for a message of MuJoCo's compiler; the key is the element that it names, if any."""
    allowed = next((right for words, right in _COMPILER if words in told), 'an MJCF file that MuJoCo compiles')
    what, _, element = told.removeprefix('Error: ').partition(' Element ')
    key = element.removeprefix('name ').split(',')[0].strip("'")
    line = element.rpartition('line ')[2]
    if (xml := _NOT_XML.search(told)) is not None:
        what, line = 'is not valid XML', xml[1]
    where = f'{mjcf_path}:{line}' if line.isdigit() else mjcf_path
    return VehicleModelError(where, key, None, allowed, what)


def _refuse_not_finite(model: Any, mjcf_path: str | Path) -> None:
    """Refuse a model with NaN or infinity, for which MuJoCo only warns."""
    for field in ('body_mass', 'body_inertia', *sorted(name for name in dir(model) if not name.startswith('_'))):
        values = getattr(model, field, None)
        if not isinstance(values, np.ndarray) or values.dtype.kind != 'f' or np.isfinite(values).all():
            continue
        first = np.argwhere(~np.isfinite(values))[0]
        kind = field.partition('_')[0].replace('jnt', 'joint')
        owner = ''
        if kind in ('body', 'joint', 'geom', 'actuator', 'site', 'mesh', 'tendon'):
            owner = f'{kind} {getattr(model, kind)(int(first[0])).name or int(first[0])}: '
        key, value = f'{owner}{field}', float(values[tuple(first)])
        raise VehicleModelError(mjcf_path, key, value, 'finite numbers', 'is not a finite number')


def quaternion_to_ros(wxyz: Vector) -> Vector:
    """Return a MuJoCo quaternion (w, x, y, z) as (x, y, z, w)."""
    return np.array([wxyz[1], wxyz[2], wxyz[3], wxyz[0]])


def check_substep(
    config: VehicleModelConfig,
    mass: float,
    limit_of: Callable[[float, float], StepLimit],
    gear_area: float,
    where: str | Path = 'vehicle',
    hull_area: float = 0.0,
) -> float:
    """Return the stability limit of the explicit ground force; refuse a substep above half of it.

    The limit follows from the mass of the whole vehicle and the area that can press: of the running gear, or of the
    hull. Each area counts separately, since a vehicle on its hull does not rest on its wheels.

    Args:
        config: Vehicle model.
        mass: Mass of the vehicle [kg].
        limit_of: Step limit of the contact (:meth:`regolith_terrain.contact.ground_contact.GroundContact.step_limit`).
        gear_area: Contact area of the running gear [m^2].
        where: File of the vehicle.
        hull_area: Area of the largest face of any ground shape [m^2].

    Returns:
        Limit of the substep [s].

    Raises:
        VehicleModelError: If the substep is too long; names all these values.
    """
    lowest = math.inf
    for area, part in ((gear_area, 'wheels' if config.wheels else 'running gear'), (hull_area, 'ground_shapes')):
        if area <= 0.0:
            continue
        limit, why = limit_of(mass, area)
        if config.substep_s > 0.5 * limit:
            raise VehicleModelError(
                where,
                'substep_s',
                config.substep_s,
                f'at most {0.5 * limit:.3g} s, half the stability limit of {mass:.4g} kg on {area:.3g} m^2 of soil'
                f' ({part}) with {why}',
                'is too long for the soil: forces would diverge',
            )
        lowest = min(lowest, limit)
    return lowest


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


def impulse_response(model: Any, data: Any, body: int, point: ArrayLike, impulse: ArrayLike) -> Vector:
    """Return the change of all joint velocities by an impulse, M^-1 J^T p, shape (nv,).

    Args:
        model: MuJoCo model (mujoco.MjModel).
        data: MuJoCo state (mujoco.MjData).
        body: Body that is hit.
        point: Point of the impulse in the world frame [m], shape (3,).
        impulse: Impulse in the world frame [N s], shape (3,).

    Source: featherstone2008.
    Checked by: test_multibody.py::test_impulse_changes_momentum_by_the_impulse,
    test_multibody.py::test_impulse_agrees_with_the_state_it_reports.
    """
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, np.asarray(point, dtype=float), body)
    mujoco.mj_makeM(model, data)
    mujoco.mj_factorM(model, data)
    change = np.zeros((1, model.nv))
    mujoco.mj_solveM(model, data, change, portable_math.times(impulse, jacobian)[None, :])
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
