# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tree of a robot: its chassis, and whether all moving parts have a mass and an inertia."""

from __future__ import annotations

import re

import numpy as np

from regolith_files import counted_noun
from regolith_vehicles.robot_import.robot import Inertial, Joint, Link, Pose, Robot
from regolith_vehicles.robot_import.shapes import hull_inertia

_INERTIA_FIX = '--inertia-from-geometry computes it from the shapes'
SMALLEST_MASS_KG = 1e-9
"""Smallest mass that a moving part may have [kg]; MuJoCo refuses 1e-15."""
BASE_LINK = 'base_link'
"""Name of the base frame in REP 105."""
_TRIANGLE_TOLERANCE = 1e-6
"""Fraction by which a moment of inertia may exceed the sum of the other two: rounding in files of six digits."""


def root_at_chassis(robot: Robot) -> None:
    """Find the chassis, the root without frames above it such as ``base_footprint``, which are dropped.

    A frame is a link without mass and shapes that carries one link by a fixed joint. ``base_link`` is never dropped
    (REP 105): its mass may be in a link fixed to it.

    Args:
        robot: Robot; its field ``chassis`` is set.

    Raises:
        InputError: If the links are not one tree, or no link at its root has a mass.
    """
    places = {link.name: link.at for link in robot.links.values()} | {j.name: j.at for j in robot.joints.values()}
    for name, at in places.items():
        if not re.fullmatch(r'\w([\w./-]*\w)?', name, re.ASCII):
            raise at.error('name', 'is not the id of a frame', 'letters, digits and _, with / . - between them', name)
    children = {joint.child for joint in robot.joints.values()}
    roots = [name for name in robot.links if name not in children]
    if len(roots) != 1:
        if not roots:
            raise next(iter(robot.links.values())).at.error('', 'is below itself', 'a tree of links with one root')
        extra = robot.links[roots[1]].at
        raise extra.error('', f'has no joint to {roots[0]}', 'one root: every other link is the child of a joint')
    robot.chassis = roots[0]
    while (only := _only_child(robot, robot.chassis)) is not None:
        _drop(robot, only)
        robot.chassis = only.child
    link = robot.links[robot.chassis]
    if not any(_mass(inner) > SMALLEST_MASS_KG for inner, _ in robot.rigid_group(link.name)):
        raise link.at.error('', 'has no mass, nor has a link fixed to it', '<inertial> with a mass for the chassis')
    for name in _unreached(robot):
        raise robot.links[name].at.error('', 'is below itself', 'a tree of links with one root')


def _unreached(robot: Robot) -> list[str]:
    reached = {link.name for link in robot.below(robot.chassis)}
    return [name for name in robot.links if name not in reached]


def _mass(link: Link) -> float:
    return 0.0 if link.inertial is None else link.inertial.mass


def _only_child(robot: Robot, name: str) -> Joint | None:
    """Return the fixed joint below a link that is only a frame, such as ``base_footprint``; None for other links."""
    link, children = robot.links[name], robot.children(name)
    if name == BASE_LINK or _mass(link) > 0.0 or link.visuals or link.collisions or len(children) != 1:
        return None
    return children[0] if not children[0].moves else None


def _drop(robot: Robot, joint: Joint) -> None:
    """Drop the root with its only joint."""
    link = robot.links[joint.parent]
    robot.notes.append(f'{link.at.where}: {link.at.title}: is only a frame and is dropped; {joint.child} is below it')
    del robot.joints[joint.name], robot.links[link.name]


def check_masses(robot: Robot, from_geometry: bool) -> None:
    """Check the mass and the inertia of all moving parts, each a link with the links fixed to it.

    Args:
        robot: Robot with its chassis.
        from_geometry: Whether an inertia that is missing or impossible is computed from the shapes.

    Raises:
        InputError: If a moving part has no mass, or an inertia is missing or impossible.
    """
    movers = [robot.chassis, *(joint.child for joint in robot.joints.values() if joint.moves)]
    for name in movers:
        group = [link for link, _ in robot.rigid_group(name)]
        heavy = [link for link in group if _mass(link) > SMALLEST_MASS_KG]
        if not heavy:
            problem = 'moves, but neither it nor a link fixed to it has a mass'
            raise robot.links[name].at.error('', problem, '<inertial> with <mass value="…"/> above 0 and <inertia …/>')
        for link in heavy:
            problem = _inertia_problem(link)
            if problem and from_geometry:
                _replace_inertia(robot, link, problem)
            elif problem:
                assert link.inertial is not None
                allowed = 'positive moments, none above the sum of the other two'
                given = [f'{x:g}' for x in np.diagonal(link.inertial.inertia)]
                at = link.inertial.at
                raise at.error(f'of {link.name}: inertia', problem, f'{allowed}; fix: {_INERTIA_FIX}', ' '.join(given))


def _inertia_problem(link: Link) -> str:
    """Return what is wrong with the inertia of a link with mass; '' if nothing is."""
    assert link.inertial is not None
    if not link.inertial.inertia.any():
        return 'is missing or zero'
    a, b, c = sorted(np.linalg.eigvalsh(link.inertial.inertia).tolist())
    if a <= 0.0:
        return 'is not positive definite'
    return (
        'belongs to no body: a principal moment exceeds the sum of the others'
        if c > (a + b) * (1 + _TRIANGLE_TOLERANCE)
        else ''
    )


def _replace_inertia(robot: Robot, link: Link, problem: str) -> None:
    assert link.inertial is not None
    shapes = link.collisions or link.visuals
    if not shapes:
        raise link.inertial.at.error(f'of {link.name}: inertia', problem, 'an inertia, or shapes from which it follows')
    inertia = hull_inertia(shapes, link.inertial.mass)
    link.inertial = Inertial(link.inertial.mass, Pose(link.inertial.pose.position), inertia, link.inertial.at)
    moments = ' '.join(f'{x:.3g}' for x in np.diagonal(inertia))
    count = counted_noun(len(shapes), 'shape')
    robot.notes.append(
        f'{link.inertial.at.where}: inertia of {link.name} {problem}: {moments} kg m^2 from the hull of {count}'
    )


def check_axes(robot: Robot) -> None:
    """Note a chassis whose frame is probably not x ahead, z up (REP 103): its wheels' axles are not along y."""
    axes = [
        robot.rest_pose(joint.child).direction(joint.axis)
        for joint in robot.joints.values()
        if joint.kind == 'continuous'
    ]
    if axes and not any(abs(float(axis[1])) > 0.98 for axis in axes):
        axis = ' '.join(f'{x:.2g}' for x in axes[0])
        robot.notes.append(
            f'{robot.links[robot.chassis].at.where}: link {robot.chassis}: no continuous joint has an axis along y'
            f' ({axis}); the frame of the chassis is expected with x ahead and z up (REP 103)'
        )


def total_mass(robot: Robot) -> tuple[float, np.ndarray]:
    """Return the total mass [kg], and the center of mass in the chassis with all joints at zero [m]."""
    total, first = 0.0, np.zeros(3)
    for link in robot.below(robot.chassis):
        if link.inertial is not None:
            place = robot.rest_pose(link.name).point(link.inertial.pose.position)
            total += link.inertial.mass
            first = first + link.inertial.mass * place
    return total, first / total
