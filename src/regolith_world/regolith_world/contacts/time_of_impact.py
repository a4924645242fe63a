# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Time of impact, predicted at a commit so that a step ends at the impact without a discarded attempt.

The method is conservative advancement. The gap of two convex bodies along the normal of their closest points closes no
faster than the bodies move along it and rotate into it. Only bodies in free motion are predicted, whose acceleration
until the next impact is known. Drivers, motors and joints are not predictable. Without a prediction, or with a wrong
one, the attempt is discarded and repeated (:mod:`regolith_world.cycle.step_control`). Where no attempt would be
discarded, the prediction does not shorten steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from regolith_world.contacts.intersection import NII_DEPTH
from regolith_world.cycle.records import Impulse, IntersectionRecord, Vector
from regolith_world.cycle.step_control import TARGET_DEPTH
from regolith_world.objects.object import Object, Status, yields
from regolith_world.objects.rigid_body import RigidBody

LITTLE = 0.1
"""Maximum fraction that rotation may add to the closing speed. After each step at most twice this of a gap is left."""


def limited_step_ns(
    objects: Mapping[str, Object],
    records: Sequence[IntersectionRecord],
    impulses: Sequence[Impulse],
    wish_ns: int,
    min_step_ns: int,
) -> int:
    """Return the longest next step, at most ``wish_ns``, at whose end no pair in free motion is too deep [ns].

    Args:
        objects: Root objects by name, at committed states.
        records: All close pairs.
        impulses: Impulses that act at the start of the cycle.
        wish_ns: Requested step size [ns].
        min_step_ns: Minimum step size [ns].

    Source: mirtich1996.
    Checked by: test_time_of_impact.py::test_impact_time_of_two_balls_is_gap_over_speed,
    test_time_of_impact.py::test_a_falling_ball_meets_the_floor_by_the_parabola,
    test_time_of_impact.py::test_penetration_of_boxes_never_exceeds_the_prediction.
    """
    shortest = wish_ns
    for record in records:
        if record.status != Status.NO_INTERSECTION:
            continue
        a, b = objects.get(record.a), objects.get(record.b)
        # Children are not among the roots. A body that is moved by a parent is not in free motion.
        if a is None or b is None or not (a.tangible and b.tangible) or yields(a, b):
            continue
        pull_a, pull_b = a.free_acceleration(), b.free_acceleration()
        if pull_a is None or pull_b is None:
            continue
        (along_a, turn_a), (along_b, turn_b) = (closing_speeds(o, record.normal, impulses) for o in (a, b))
        closing, turning = along_a - along_b, turn_a + turn_b
        if turning > LITTLE * max(0.0, closing):
            continue  # the bound is weak: a discarded attempt costs less than many short steps
        if turning > 0.0 and (closing + turning) * min_step_ns * 1e-9 > NII_DEPTH:
            continue  # a body that stops before another may be nearer to it than the minimum step resolves
        bound, acceleration = closing + turning, _along(record.normal, pull_a) - _along(record.normal, pull_b)
        until = time_of_impact(record.distance, bound, acceleration, shortest * 1e-9)
        shortest = min(shortest, int(until * 1e9) if until < math.inf else shortest)
    return max(shortest, min(wish_ns, min_step_ns))


def time_of_impact(gap: float, closing: float, acceleration: float, within: float) -> float:
    """Return the time until a gap has closed and the penetration is at the target depth of step control [s].

    Args:
        gap: Gap [m].
        closing: Closing speed [m/s].
        acceleration: Acceleration of closing [m/s^2].
        within: Time considered [s]. If the bodies are never too deep within it, inf is returned.
    """
    latest = within
    if acceleration < 0.0 < closing:
        latest = min(latest, -closing / acceleration)
    if (closing + 0.5 * acceleration * latest) * latest <= gap + NII_DEPTH:
        return math.inf
    way = gap + TARGET_DEPTH
    root = math.sqrt(max(0.0, closing * closing + 2.0 * acceleration * way))
    return 2.0 * way / (closing + root) if closing >= 0.0 else (root - closing) / acceleration


def closing_speeds(item: Object, normal: Vector, impulses: Sequence[Impulse]) -> tuple[float, float]:
    """Return the speed of a body along a normal after impulses, and the maximum speed of rotation into it [m/s]."""
    body = item.body
    if not isinstance(item, RigidBody):
        return _along(normal, body.linear_velocity), item.outline.turning(body, body.angular_velocity, normal)
    velocity, spin = item.after(impulses)
    return _along(normal, velocity), item.outline.turning(body, item.rate(spin), normal)


def _along(normal: Vector, vector: Vector) -> float:
    return float(np.sum(normal * vector))
