# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of an MJCF file: whether it compiles, has the elements that a vehicle's file names, and is stable."""

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

Vector = NDArray[np.float64]

FREE = int(mujoco.mjtJoint.mjJNT_FREE)
HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_KINDS = {'body': 'body', 'joint': 'joint', 'actuator': 'actuator', 'equality': 'equality constraint'}
_JOINT = int(mujoco.mjtTrn.mjTRN_JOINT)
_NOT_XML = re.compile(r'XML_ERROR.*Line number=(\d+)')
MOST_EXTENT_M = 100.0
"""Maximum distance from a vehicle's base to any body along any axis [m]."""


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


@dataclass(frozen=True, slots=True)
class ModelFile:
    """Compiled MJCF file, and the vehicle's file that refers to its elements; errors name both."""

    model: Any
    """MuJoCo model (mujoco.MjModel)."""
    file: str
    """Name of the MJCF file."""
    where: str | Path
    """Vehicle's file."""

    def find(self, kind: str, key: str, name: str) -> int:
        """Return the index of an element, as :func:`index_of` does."""
        return index_of(self.model, kind, name, self.file, self.where, key)

    def error(self, key: str, value: object, allowed: str, problem: str) -> VehicleModelError:
        """Return the error for a value of the vehicle's file."""
        return VehicleModelError(self.where, key, value, allowed, problem)

    def base(self, chassis: str) -> int:
        """Return the body of the base frame, whose free joint must be the first joint.

        Raises:
            VehicleModelError: If it is no such body.
        """
        model, base = self.model, self.find('body', 'chassis', chassis)
        if model.body_jntnum[base] != 1 or int(model.jnt_type[model.body_jntadr[base]]) != FREE:
            free = [
                model.body(int(model.jnt_bodyid[k])).name for k in range(model.njnt) if int(model.jnt_type[k]) == FREE
            ]
            allowed = ', '.join(filter(None, free)) or 'a body with <freejoint/>, which no body of this file has'
            raise self.error('chassis', chassis, allowed, f'has no free joint in {self.file}')
        if model.body_jntadr[base] != 0:
            first = model.body(int(model.jnt_bodyid[0])).name
            raise self.error('chassis', chassis, first, f'is not the first body with a joint in {self.file}')
        for k in range(1, model.njnt):
            carried = int(model.body_rootid[int(model.jnt_bodyid[k])]) == int(model.body_rootid[base])
            if carried and int(model.jnt_type[k]) not in (HINGE, SLIDE):
                name = model.joint(k).name or f'of body {model.body(int(model.jnt_bodyid[k])).name}'
                problem = f'has the joint {name}, which neither turns about nor slides along an axis'
                raise self.error('mjcf', self.file, 'hinges and slides; three hinges act as a ball joint', problem)
        return base

    def check_bodies(self, config: VehicleModelConfig, base: int) -> None:
        """Refuse bodies that do not exist or, for those that are objects of the world, are not below the base.

        Raises:
            VehicleModelError: If there is such a body.
        """
        root = self.model.body_rootid
        for k, name in enumerate(config.attachment_bodies):
            self.find('body', f'attachment_bodies.{k}', name)
        for k, shape in enumerate(config.collision.shapes):
            if shape.body is not None:
                self.find('body', f'collision.shapes.{k}.body', shape.body)
        for name in config.parts:
            if root[self.find('body', 'attachment_bodies', name)] != root[base]:
                key = 'attachment_bodies' if name in config.attachment_bodies else 'collision.shapes'
                carried = np.flatnonzero(root == root[base])
                allowed = ', '.join(filter(None, (self.model.body(int(b)).name for b in carried)))
                raise self.error(key, name, allowed, f'is not below {config.chassis} in {self.file}')

    def check_motor(self, joint: int, motor: int, key: str) -> None:
        """Refuse an actuator that does not move a joint.

        Raises:
            VehicleModelError: If it does not.
        """
        model = self.model
        if (int(model.actuator_trntype[motor]), int(model.actuator_trnid[motor, 0])) != (_JOINT, joint):
            named = model.joint(joint).name
            allowed, problem = f'an actuator on joint {named}', f'is not on joint {named} in {self.file}'
            raise self.error(key, model.actuator(motor).name, allowed, problem)

    def check_wheel(self, key: str, joint: int, motor: int) -> None:
        """Refuse a joint of a wheel that is not a hinge, and an actuator that does not move it; -1: none.

        Args:
            key: Beginning of the keys in the vehicle's file.
            joint: Index of the joint.
            motor: Index of the actuator.

        Raises:
            VehicleModelError: If there is such an element.
        """
        if joint >= 0 and int(self.model.jnt_type[joint]) != HINGE:
            name = self.model.joint(joint).name
            raise self.error(f'{key}joint', name, 'a hinge', f'is not a hinge in {self.file}')
        if motor >= 0:
            self.check_motor(joint, motor, f'{key}actuator')

    def servos(self, config: VehicleModelConfig, of_wheels: set[int]) -> list[int]:
        """Return the actuators of the commanded joints, in order of the joints' names.

        Args:
            config: Vehicle model.
            of_wheels: Actuators of the wheels.

        Raises:
            VehicleModelError: If a joint has no such actuator.
        """
        found = []
        for name, given in sorted(config.joints.items()):
            k = self.find('joint', f'joints.{name}', name)
            if int(self.model.jnt_type[k]) not in (HINGE, SLIDE):
                problem = f'is neither a hinge nor a slide in {self.file}'
                raise self.error(f'joints.{name}', name, 'a hinge or slide', problem)
            key = f'joints.{name}.actuator'
            found.append(self.find('actuator', key, given.actuator))
            self.check_motor(k, found[-1], key)
            if found[-1] in of_wheels:
                allowed, problem = 'an actuator that is not of a wheel', 'is an actuator of a wheel'
                raise self.error(key, given.actuator, allowed, problem)
        return found

    def check_drives(self, config: VehicleModelConfig, bodies: list[int], motors: list[int]) -> None:
        """Refuse motors of wheels without gain, and wheels that share a body.

        Raises:
            VehicleModelError: If there is such a wheel.
        """
        for w, motor in zip(config.wheels, motors, strict=True):
            if not self.model.actuator_gainprm[motor, 0] > 0.0:
                allowed, problem = 'a velocity servo (kv > 0)', f'has no gain in {self.file}'
                raise self.error(f'wheels.{w.name}.actuator', w.actuator, allowed, problem)
        if len(set(bodies)) < len(bodies):
            names = ', '.join(w.body for w in config.wheels)
            problem = f'use the same body of {self.file}: {names}'
            raise self.error('wheels', None, 'a separate body for each wheel', problem)

    def check_axles(self, config: VehicleModelConfig, joints: list[int], axes: Vector) -> None:
        """Refuse wheels that do not drive forward at positive speeds.

        Args:
            config: Vehicle model.
            joints: Joints of the wheels.
            axes: Axes of all joints in the base frame, shape (njnt, 3).

        Raises:
            VehicleModelError: If there is such a wheel.
        """
        for w, k in zip(config.wheels, joints, strict=True):
            if not axes[k, 1] > 0.5:
                axis = ' '.join(f'{x:g}' for x in axes[k])
                allowed = 'an axle to the left (0 1 0), so positive rotation drives forward'
                raise self.error(f'wheels.{w.name}.joint', w.joint, allowed, f'has axis {axis} in {self.file}')


def load_model(mjcf_path: str | Path, gravity: ArrayLike, mass_scale: float) -> Any:
    """Return the compiled model of an MJCF file (mujoco.MjModel).

    Args:
        mjcf_path: Path of the MJCF file.
        gravity: Gravitational acceleration in the world frame [m/s^2], shape (3,).
        mass_scale: Factor on all masses and inertias [-].

    Raises:
        VehicleModelError: If the file does not compile, or has values that are not finite.
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
    return model


def check_integrator(model: Any, mjcf_path: str | Path) -> None:
    """Refuse an integrator with several stages, which mj_step1 and mj_step2 would change into Euler without an error.

    Raises:
        VehicleModelError: If the model has such an integrator.
    """
    if int(model.opt.integrator) == int(mujoco.mjtIntegrator.mjINT_RK4):
        allowed = 'implicitfast, implicit, Euler'
        raise VehicleModelError(
            mjcf_path, 'option integrator', 'RK4', allowed, 'needs four stages, but a substep has one'
        )


def check_extent(model: Any, places: Vector, mjcf_path: str | Path) -> None:
    """Refuse a model with a body far from the base.

    Args:
        model: MuJoCo model (mujoco.MjModel).
        places: Positions of all bodies relative to the base [m], shape (nbody, 3).
        mjcf_path: Path of the MJCF file.

    Raises:
        VehicleModelError: If a body is farther than MOST_EXTENT_M along an axis.
    """
    far = int(np.argmax(np.abs(places).max(axis=1)))
    if not np.abs(places[far]).max() <= MOST_EXTENT_M:
        at = ' '.join(f'{x:g}' for x in places[far])
        allowed = f'bodies within {MOST_EXTENT_M:g} m of the base'
        raise VehicleModelError(mjcf_path, f'body {model.body(far).name}', at, allowed, 'is too far from the base')


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
    if joint >= 0 and (int(model.jnt_type[joint]) != HINGE or int(model.jnt_bodyid[joint]) != body):
        allowed = f'a hinge of {model.body(body).name}'
        raise VehicleModelError(where, key, name, allowed, f'is not a hinge of that body in {file}')


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
        if int(model.actuator_trntype[k]) != _JOINT or int(model.jnt_type[joint]) not in (HINGE, SLIDE):
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
