# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of constraints at their start. A first impulse that is too large would throw the connected bodies."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from regolith_world.cycle.records import Vector
from regolith_world.numerics.portable_math import norm, times
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.constraints import STEPS, Constraint, attachable_bodies
from regolith_world.objects.entities import bounds
from regolith_world.objects.object import Object

CORRECTION_MPS = 1.0
"""Maximum speed at which a constraint may correct its initial error [m/s]; equals a fall from 0.3 m on the Moon."""
FAR_M = 1.0
"""Maximum distance of a cable or rod end from the shapes of its body [m]; the size of the body if that is larger."""
JOINT_FAR = 10.0
"""Factor on this distance for joints. Hinges of gates and pendulums are outside the bodies that they hold."""


class Problem(NamedTuple):
    """Reason why a constraint is refused."""

    name: str
    """Name of the constraint."""
    key: tuple[str | int, ...]
    """Key in its entry."""
    value: object
    problem: str
    allowed: str

    def __str__(self) -> str:
        """Return the problem in one line."""
        key = '.'.join(map(str, (self.name, *self.key)))
        value = f'{self.value:g}' if isinstance(self.value, float) else self.value
        return f'{key} = {value}: {self.problem}; allowed: {self.allowed}'


def impossible_constraint(objects: Mapping[str, Object], names: Collection[str] | None = None) -> Problem | None:
    """Return the problem of the first constraint that cannot hold; None if all can.

    A rigid line corrects an error C within :data:`regolith_world.objects.constraints.STEPS` steps h, at the speed C /
    (2 h). An elastic line gives its ends the speed k C h / m in one step, with their reduced mass m. Both speeds may
    reach :data:`CORRECTION_MPS`. Joints, and lines without a length, begin without an error.

    Args:
        objects: Root objects by name, at the start of the constraints.
        names: Names of the constraints to check; None: all.
    """
    present = attachable_bodies(objects)
    for name, item in sorted(objects.items()):
        wanted = isinstance(item, Constraint) and (names is None or name in names)
        if wanted and all(each in present for each in item.between):  # type: ignore[attr-defined]
            assert isinstance(item, Constraint)
            near, far = (present[each] for each in item.between)
            problem = _far(item, near, far) or _torn(item, near, far)
            if problem is not None:
                return problem
    return None


def _far(coupling: Constraint, near: Object, far: Object) -> Problem | None:
    """Return the problem of a point far outside the body that it is fixed to; None: no problem."""
    line = coupling.line is not None
    local = coupling.near[0]
    there = coupling.far[0] if coupling.far is not None else _seen(far, _placed(near, local))
    for number, (body, point) in enumerate(((near, local), (far, there))):
        box = bounds(body)
        if box is None:
            continue
        outside = norm(np.maximum(0.0, np.maximum(box.low - point, point - box.high)))
        most = max(FAR_M, norm(box.high - box.low)) * (1.0 if line else JOINT_FAR)
        if not outside <= most:
            key: tuple[str | int, ...] = ('ends', number) if line else ('at',)
            value = [float(x) for x in (point if line else local)]
            problem = f'is {outside:.4g} m outside the shapes of {body.name}'
            return Problem(coupling.name, key, value, problem, f'within {most:.3g} m of them')
    return None


def _torn(coupling: Constraint, near: Object, far: Object) -> Problem | None:
    """Return the problem of a line that is shorter than the distance of its ends, or too tense; None: no problem."""
    line = coupling.line
    if line is None or line.length_m is None or coupling.far is None:
        return None
    apart = norm(_placed(far, coupling.far[0]) - _placed(near, coupling.near[0]))
    error, step = apart - line.length_m, 1e-9 * coupling.step_ns
    if error <= 0.0 and line.one_way:
        return None
    most = CORRECTION_MPS * STEPS * step
    if line.stiffness_npm:
        lightness = sum(1.0 / body.body.mass for body in (near, far) if body.body.mass > 0.0)
        most = max(most, CORRECTION_MPS / (line.stiffness_npm * step * lightness) if lightness else math.inf)
    if abs(error) <= most:
        return None
    key = 'length_m' if line.one_way else 'rest_length_m'
    problem = (
        f'ends are {apart:.6g} m apart, an error of {abs(error):.4g} m where a step may correct {most:.3g} m '
        f'(at {CORRECTION_MPS:g} m/s)'
    )
    allowed = f'at least {apart - most:.6g}' if error > 0.0 else f'at most {apart + most:.6g}'
    return Problem(coupling.name, (key,), line.length_m, problem, allowed)


def _placed(item: Object, local: Vector) -> Vector:
    """Return a point of an object's frame in the world frame [m], shape (3,)."""
    return item.body.position + times(matrix(item.body.orientation), local)


def _seen(item: Object, point: Vector) -> Vector:
    """Return a point of the world frame in an object's frame [m], shape (3,)."""
    return times(matrix(item.body.orientation).T, point - item.body.position)
