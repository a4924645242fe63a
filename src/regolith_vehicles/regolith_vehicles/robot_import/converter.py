# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a robot file to the files of a vehicle: in memory, to a folder, or to the user's cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from regolith_files import InputError, Problem, allowed_names, usable_file
from regolith_vehicles.robot_import.mjcf_writer import MESHES, Coupling, MjcfWriter
from regolith_vehicles.robot_import.motors import find_motors, steered_alone
from regolith_vehicles.robot_import.options import ImportOptions
from regolith_vehicles.robot_import.page import import_page
from regolith_vehicles.robot_import.robot import Robot
from regolith_vehicles.robot_import.robot_files import FORMATS, FileFinder, read_robot_file
from regolith_vehicles.robot_import.sdf_reader import read_sdf
from regolith_vehicles.robot_import.tree import SMALLEST_MASS_KG, check_axes, check_masses, root_at_chassis, total_mass
from regolith_vehicles.robot_import.urdf_reader import read_urdf
from regolith_vehicles.robot_import.vehicle_writer import ground_shapes, sensor_entries, substep, vehicle_file
from regolith_vehicles.robot_import.wheels import Wheel, find_wheels
from regolith_world.numerics import portable_math

ALLOWED = 'the path of a URDF, xacro or SDF file'
_KEPT = 64
"""Number of converted robots in the cache; the newest are kept."""


@dataclass(frozen=True)
class ImportedVehicle:
    """Files of a vehicle, converted from a robot file."""

    name: str
    """Name of the vehicle; its file is NAME.yaml."""
    files: dict[str, bytes]
    """Content by path relative to the vehicle's folder."""
    wheels: tuple[str, ...]
    """Joints of the driven wheels."""
    notes: tuple[str, ...]
    """What was ignored or replaced, one line each."""


def read_robot(path: Path, options: ImportOptions) -> Robot:
    """Return the robot of a URDF, xacro or SDF file, with its chassis; masses are checked.

    Args:
        path: Path of the file.
        options: Options of the user.

    Raises:
        InputError: If the file is invalid; names file, line, element and value.
    """
    for name, folder in options.packages.items():
        if not folder.is_dir():
            raise InputError(Problem('--package', name, 'is not a folder', 'NAME=FOLDER', repr(str(folder))))
    root = read_robot_file(path, options.packages, options.arguments)
    packages = {name: folder.resolve() for name, folder in options.packages.items()}
    finder = FileFinder(path.parent, packages, options.skip_missing_meshes)
    robot = (read_sdf if root.tag == 'sdf' else read_urdf)(root, path, finder)
    root_at_chassis(robot)
    check_masses(robot, options.inertia_from_geometry)
    check_axes(robot)
    return robot


def convert(file: str | Path, options: ImportOptions | None = None) -> ImportedVehicle:
    """Return the files of the vehicle that a URDF, xacro or SDF file describes; nothing is written.

    Args:
        file: Path of the robot file.
        options: Options of the user.

    Raises:
        InputError: If the file is invalid, or does not state what a vehicle needs.
    """
    options = options or ImportOptions()
    path = usable_file(file, ALLOWED)
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            Problem(str(file), '', f'has the extension {path.suffix!r}', f'{ALLOWED}: {", ".join(FORMATS)}')
        )
    robot = read_robot(path, options)
    for link in options.ball_casters:
        _let_roll(robot, link)
    wheels = find_wheels(robot, options.wheels)
    wheels = _alone(robot, wheels)
    motors, passive = find_motors(robot, wheels, options)
    couplings = _couplings(robot, wheels, options)
    parts, hulls = ground_shapes(robot, wheels)
    mass, center = total_mass(robot)
    step = substep(mass, wheels, parts)
    writer = MjcfWriter(robot, wheels, step)
    model = writer.write(motors, couplings)
    name = re.sub(r'\W+', '_', robot.name.lower(), flags=re.ASCII).strip('_') or 'robot'
    content = vehicle_file(robot, wheels, motors, writer, f'{name}.xml', step, parts)
    sensors = sensor_entries(robot)
    page = import_page(robot, name, wheels, motors, passive, couplings, model.armatures, content, (mass, center))
    files = {
        f'{name}.xml': model.text,
        f'{name}.yaml': _yaml(content),
        f'{name}.md': page.encode(),
        **{f'{MESHES}/{mesh}': data for mesh, data in sorted({**model.meshes, **hulls}.items())},
    }
    if sensors:
        files['sensors.yaml'] = _yaml({'sensors': sensors})
    driven = tuple(wheel.joint.name for wheel in wheels if wheel.driven)
    return ImportedVehicle(name, files, driven, tuple(robot.notes))


def _let_roll(robot: Robot, name: str) -> None:
    """Let a ball that is fixed in the file roll: simulators without rolling balls give it no friction instead."""
    joint = robot.parent_joint(name)
    if name not in robot.links or joint is None:
        allowed = allowed_names((j.child for j in robot.joints.values() if not j.moves), name)
        raise InputError(Problem('--ball-casters', '', 'is no link that another one carries', allowed, repr(name)))
    link = robot.links[name]
    shapes = link.collisions or link.visuals
    off = max((portable_math.norm(shape.pose.position) for shape in shapes), default=1.0)
    heavy = link.inertial is not None and link.inertial.mass > SMALLEST_MASS_KG
    if joint.moves or off > 1e-3 or not heavy or {shape.kind for shape in shapes} != {'sphere'}:
        problem = 'is no ball that can roll'
        raise link.at.error('', problem, 'a link with mass on a fixed joint, with a sphere about its origin')
    joint.kind = 'ball'
    robot.notes.append(f'{joint.at.where}: {joint.at.title}: is a ball joint, so that {name} rolls')


def _yaml(content: Any) -> bytes:
    """Return YAML text; numbers have 12 digits, so computed ones have no rounding error in the last ones."""
    return bytes(yaml.safe_dump(_rounded(content), sort_keys=False, default_flow_style=None, width=120), 'utf-8')


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return float(f'{value:.12g}') if isinstance(value, float) else value


def _alone(robot: Robot, wheels: list[Wheel]) -> list[Wheel]:
    """Return the wheels; those that share a steering joint are not steered by it, as an axle turns as a whole."""
    shared = {name for name, count in steered_alone(wheels).items() if count > 1}
    for name in sorted(shared):
        at = robot.joints[name].at
        robot.notes.append(
            f'{at.where}: {at.title}: carries several wheels and is a commanded joint, not their steering'
        )
    return [
        Wheel(w.joint, w.link, w.tread, w.place, w.sign, None, w.driven)
        if w.steer is not None and w.steer.name in shared
        else w
        for w in wheels
    ]


def _couplings(robot: Robot, wheels: list[Wheel], options: ImportOptions) -> list[Coupling]:
    """Return the relations between joints: ``mimic`` of the file, and the differential of the user.

    A wheel or a steering joint that mimics another one gets a motor instead, which follows the vehicle's kinematics.
    """
    own = {w.joint.name for w in wheels if w.driven} | {w.steer.name for w in wheels if w.steer is not None}
    found = []
    for joint in robot.joints.values():
        if joint.mimic is None:
            continue
        other = robot.joints[joint.mimic.joint]
        if not joint.moves:
            robot.notes.append(f'{joint.at.where}: {joint.at.title} mimic: is ignored, as the joint is fixed')
            continue
        for coupled in (joint, other):
            if coupled.kind not in ('continuous', 'revolute', 'prismatic'):
                problem = f'couples the {coupled.kind} joint {coupled.name}'
                raise joint.at.error('mimic', problem, 'continuous, revolute and prismatic joints')
        if joint.name in own:
            robot.notes.append(f'{joint.at.where}: {joint.at.title} mimic: is replaced by a motor of the joint')
            continue
        found.append(Coupling(joint.name, other.name, joint.mimic.multiplier, joint.mimic.offset))
    if options.differential is not None:
        sides = []
        for name in options.differential:
            if name not in robot.joints or robot.joints[name].kind not in ('continuous', 'revolute'):
                allowed = 'LEFT,RIGHT of ' + allowed_names((n for n, j in robot.joints.items() if j.moves), name)
                raise InputError(Problem('--differential', '', 'is no joint that turns', allowed, repr(name)))
            sides.append(robot.joints[name])
        left, right = (robot.rest_pose(joint.child).direction(joint.axis) for joint in sides)
        sense = -1.0 if portable_math.dot(left, right) > 0.0 else 1.0
        found.append(Coupling(sides[1].name, sides[0].name, sense))
    return found


def write_folder(vehicle: ImportedVehicle, folder: Path) -> Path:
    """Write the files of a vehicle into a new folder, completely or not at all; return the vehicle file.

    Args:
        vehicle: Files of the vehicle.
        folder: Folder that does not exist yet, or is empty.

    Raises:
        InputError: If the folder exists and is not empty, or cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(Problem('--out', '', 'exists and is not empty', 'a new folder', repr(str(folder))))
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f'.{folder.name}-', dir=folder.parent))
        try:
            for name, content in vehicle.files.items():
                path = temporary / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
            temporary.chmod(0o755)
            temporary.rename(folder)
        except OSError:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as error:
        problem = f'cannot be written: {error.strerror}'
        raise InputError(Problem('--out', '', problem, 'a folder that can be written', repr(str(folder)))) from None
    return folder / f'{vehicle.name}.yaml'


def cache_home() -> Path:
    """Return the user's cache folder: ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    return Path(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'))


def vehicle_file_of(path: Path) -> Path:
    """Return the vehicle file of a robot file, converted with the default options.

    The files are in the user's cache folder (``$XDG_CACHE_HOME`` or ``~/.cache``, ``regolith/robots``), in a folder
    named by their content, where all processes of a run and the viewer find them. Target of the entry points
    ``regolith.vehicle_formats``.

    Raises:
        InputError: If the robot file is invalid, or the cache cannot be written.
    """
    about = path.stat()
    made = _cached(path, about.st_mtime_ns, about.st_size)
    if not made.is_file():  # the cache was emptied in between
        _cached.cache_clear()
        made = _cached(path, about.st_mtime_ns, about.st_size)
    return made


@lru_cache(maxsize=_KEPT)
def _cached(path: Path, *_: int) -> Path:
    vehicle = convert(path)
    digest = hashlib.sha256()
    for name, content in vehicle.files.items():
        digest.update(f'{name} {len(content)} '.encode() + content)
    robots = cache_home() / 'regolith' / 'robots'
    folder = robots / digest.hexdigest()[:32]
    made = folder / f'{vehicle.name}.yaml'
    if made.is_file():
        with suppress(OSError):
            os.utime(folder)
        return made
    try:
        write_folder(vehicle, folder)
    except InputError:
        if not made.is_file():  # another process may have written it
            raise
    _keep_newest(robots)
    return made


def _keep_newest(robots: Path) -> None:
    found = sorted(
        (path for path in robots.iterdir() if not path.name.startswith('.')), key=lambda p: p.stat().st_mtime
    )
    for path in found[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


def parse_pairs(option: str, given: list[str] | None) -> Mapping[str, str]:
    """Return the values of an option ``NAME=VALUE`` that may be repeated.

    Raises:
        InputError: If a value has no name.
    """
    pairs = {}
    for text in given or ():
        name, found, value = text.partition('=')
        if not (name and found):
            raise InputError(Problem(option, '', 'has no name', 'NAME=VALUE', repr(text)))
        pairs[name] = value
    return pairs
