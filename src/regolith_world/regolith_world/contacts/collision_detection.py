# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection: intersections of objects in a cycle, and penetrations that require another attempt.

Source of the design: "Simulator Architecture" (2024), chapters Intersection and World Evolution. Only pairs with nearby
boxes are intersected (:mod:`regolith_world.contacts.intersection`). A cycle must be attempted again if a tangible pair
ends in, or passes through, a non-infinitesimal intersection (NII).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_world.contacts.intersection import (
    BROAD_MARGIN,
    NII_DEPTH,
    TOUCH_DISTANCE,
    ShapeQueries,
    close_pairs,
    intersect,
)
from regolith_world.contacts.resting_bodies import RestingBodies
from regolith_world.cycle.records import BodyState, Cycle, Vector
from regolith_world.numerics.portable_math import norm
from regolith_world.objects.bounding_box import ShapeBounds, boxes_of, near_boxes
from regolith_world.objects.object import Intersection, Object, Status, yields
from regolith_world.objects.state_history import interpolate_body

PRESSED_DEPTH = 5e-3
"""Largest penetration of a body that a participant moves into another object without another attempt [m]."""


@dataclass(frozen=True, slots=True)
class PenetrationViolation:
    """The first NII of a pair within a cycle."""

    after_ns: int
    """Time from the start of the cycle [ns]."""
    distance_before: float
    """Distance of the pair at the start of the cycle [m]."""
    distance_after: float
    """Distance of the pair at the violation [m], below -1 mm."""
    pair: tuple[str, str]
    """Names of the two objects."""


class _Separations:
    """Distances of pairs that did not touch. Such a pair is not computed again until it may have come closer.

    A point at distance r from the center of a body moves by at most |x - x0| + 2 r |q - q0| between two poses. The
    distance of a pair shrinks by at most the sum of these ways of both.
    """

    def __init__(self) -> None:
        self._seen: dict[str, BodyState] = {}
        self._way: dict[str, float] = {}
        self._until: dict[tuple[str, str], float] = {}
        """Sum of the ways of both members at which a pair may touch [m]."""

    def follow(self, members: Sequence[Object]) -> None:
        """Add the ways of objects since they were seen last."""
        known = ((o, self._seen.get(o.name)) for o in members)
        moved = [(o, seen) for o, seen in known if seen is not None and seen is not o.body]
        if not moved:
            return
        step = np.array([o.body.position - seen.position for o, seen in moved])
        now, before = (np.array([s.orientation for s in side]) for side in zip(*((o.body, seen) for o, seen in moved)))
        turn = np.minimum(np.square(now - before).sum(axis=1), np.square(now + before).sum(axis=1))
        reach = np.array([o.outline.reach for o, _ in moved])
        ways = np.sqrt(np.square(step).sum(axis=1)) + 2.0 * reach * np.sqrt(turn)
        for (item, _), way in zip(moved, ways.tolist(), strict=True):
            self._seen[item.name] = item.body
            self._way[item.name] += way

    def apart(self, a: Object, b: Object) -> bool:
        """Return whether two objects cannot touch."""
        until = self._until.get((a.name, b.name))
        return until is not None and self._way[a.name] + self._way[b.name] < until

    def store(self, a: Object, b: Object, distance: float) -> None:
        """Store the distance of a pair that does not touch [m]."""
        for item in (a, b):
            self._seen.setdefault(item.name, item.body)
            self._way.setdefault(item.name, 0.0)
        # Rounding of the sums must not hide a contact.
        self._until[a.name, b.name] = self._way[a.name] + self._way[b.name] + 0.999 * (distance - TOUCH_DISTANCE)


class CollisionDetector:
    """Detector of intersections in cycles. Compiled shapes and distances persist, without effect on the results.

    ``judged`` states whether NIIs are violations. If not, vehicles may pass through each other.
    """

    def __init__(self, *, judged: bool) -> None:
        self.judged = judged
        self._roots: list[Object] = []
        self._outlines: dict[str, ShapeBounds] = {}
        self._geometry: ShapeQueries | None = None
        self._separations = _Separations()

    def find(
        self, objects: Mapping[str, Object], cycle: Cycle, resting: RestingBodies | None = None
    ) -> tuple[list[Intersection], PenetrationViolation | None]:
        """Return all close intersections at the end of a cycle, in name order, and the earliest violation in it.

        A pair with a body that a participant moves is left out unless it touches.

        Args:
            objects: Root objects by name, evolved to the end of ``cycle``.
            cycle: The cycle.
            resting: Those of the objects that are at rest, of which no pairs are made; none: they are looked for.
        """
        resting = RestingBodies(objects) if resting is None else resting
        members = [o for root in resting.others for o in root.family() if o.shapes]
        members.sort(key=lambda o: o.name)
        pairs = self._close(members, cycle, resting)
        if not pairs:
            return [], None
        geometry = self._shapes(objects, members)
        self._separations.follow(members)
        hits: list[Intersection] = []
        worst: tuple[float, PenetrationViolation] | None = None
        for a, b in pairs:
            if not (a.tangible or b.tangible):
                continue
            if a.emitted_by(b.root) or b.emitted_by(a.root):
                continue
            if a.moved_by and b.moved_by and a.unmoved and b.unmoved:
                continue  # both are at rest
            if b.root.name == a.root.moved_by or a.root.name == b.root.moved_by or (a.moved_by == b.moved_by != ''):
                continue  # a participant solves the contacts of the bodies that it computes
            if a.tangible and b.tangible and not (a.contact_target.body.mass or b.contact_target.body.mass):
                continue  # static bodies may intersect: no impulse could separate them
            watched = (a.moved_by or b.moved_by) and a.tangible and b.tangible
            if watched and self._separations.apart(a, b):
                continue
            hit = intersect(a, b, geometry)
            if watched and hit.status == Status.NO_INTERSECTION:
                self._separations.store(a, b, hit.distance)
            else:
                hits.append(hit)
            if not self.judged or not (a.tangible and b.tangible) or yields(a, b):
                continue
            bad = _first_violation(hit, cycle, geometry)
            if bad is not None:
                start, end = bad.distance_before, bad.distance_after
                moment = bad.after_ns * (start / (start - end) if start > end else 0.5)
                if worst is None or moment < worst[0]:
                    worst = (moment, bad)
        return hits, worst[1] if worst else None

    def _shapes(self, objects: Mapping[str, Object], members: Sequence[Object]) -> ShapeQueries:
        """Return the compiled shapes of all objects; ``members`` are those that move."""
        roots = list(objects.values())
        known = all(self._outlines.get(o.name) is o.outline for o in members)
        if self._geometry is None or roots != self._roots or not known:
            everything = sorted((o for root in roots for o in root.family() if o.shapes), key=lambda o: o.name)
            self._roots, self._outlines = roots, {o.name: o.outline for o in everything}
            self._geometry, self._separations = ShapeQueries(everything), _Separations()
        return self._geometry

    @staticmethod
    def _close(members: Sequence[Object], cycle: Cycle, resting: RestingBodies) -> list[tuple[Object, Object]]:
        """Return the pairs in name order whose boxes are near.

        Of one family, and with a body that a participant moves, they are the pairs that can touch in the cycle: their
        distances limit no step.
        """
        if len(members) + len(resting.items) < 2:
            return []
        low, high = boxes_of([item.box(item.body) for item in members])
        moved = [k for k, item in enumerate(members) if len(item.states) > 1 and not item.unmoved]
        before = [members[k].box(members[k].states.get_state(cycle.t_ns)) for k in moved]
        low0, high0 = boxes_of(before)
        low[moved], high[moved] = np.minimum(low[moved], low0), np.maximum(high[moved], high0)
        pairs = []
        if found := close_pairs(members, low, high):
            close = np.array(found, dtype=np.intp)
            meet, computed = _meet(low, high, close), np.array([bool(item.moved_by) for item in members])
            wanted = meet | ~computed[close].any(axis=1)
            for (i, j), touch in zip(close[wanted].tolist(), meet[wanted].tolist()):
                a, b = members[i], members[j]
                if a.root is not b.root or (touch and a.root.members_collide(a, b)):
                    pairs.append((a, b))
        if resting.items and members:
            for i, j in near_boxes(low, high, resting.low, resting.high, TOUCH_DISTANCE).tolist():
                a, b = members[i], resting.items[j]
                pairs.append((a, b) if a.name < b.name else (b, a))
            pairs.sort(key=lambda pair: (pair[0].name, pair[1].name))
        return pairs


def _meet(low: Vector, high: Vector, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether the boxes of pairs, shape (k, 2), are at most the touch distance apart, shape (k,).

    A member of a family needs no distance to another one that it cannot touch: most pairs of a rope are near.
    """
    i, j = pairs.T
    touch: NDArray[np.bool_] = (np.maximum(low[i] - high[j], low[j] - high[i]) <= TOUCH_DISTANCE).all(axis=1)
    return touch


def _first_violation(hit: Intersection, cycle: Cycle, geometry: ShapeQueries) -> PenetrationViolation | None:
    """Return the first NII of a tangible pair within the cycle; None if there is none.

    The end is tested exactly. If the pair moves by more than its distance, interpolated poses before it are tested too,
    in steps of at most half the thinner object. So a fast ball cannot pass through a thin wall undetected. The scheme
    is Regolith's own.

    A body that a participant moves may be pressed deeper into another one by the ground or a third body, and a shorter
    cycle would not prevent it. Such a pair may become deeper by NII_DEPTH in a cycle, up to PRESSED_DEPTH.
    """
    a, b, pair = hit.a, hit.b, (hit.a.name, hit.b.name)
    if len(a.states) < 2 or len(b.states) < 2:
        return PenetrationViolation(cycle.dt_ns, 0.0, hit.distance, pair) if hit.distance < -NII_DEPTH else None
    a0, b0 = a.states.get_state(cycle.t_ns), b.states.get_state(cycle.t_ns)
    motion = norm((a.body.position - a0.position) - (b.body.position - b0.position))
    if hit.distance > motion or (motion <= 1e-3 and hit.distance >= -NII_DEPTH):  # one sample, within all limits
        return None
    start, _ = geometry.distance(a0, b0, BROAD_MARGIN)
    limit = -NII_DEPTH
    if a.moved_by or b.moved_by:
        # Beyond that depth, a cycle only has to make it no deeper.
        limit = start - TOUCH_DISTANCE if start < -PRESSED_DEPTH else max(-PRESSED_DEPTH, limit + min(start, 0.0))
    samples = 1
    if motion > max(start, 0.0):
        thinnest = min(float(np.min(h - low)) for low, h in (a.outline.bounds(a0), b.outline.bounds(b0)))
        samples = int(np.ceil(motion / max(0.5 * thinnest, 1e-3)))
    for k in range(1, samples):
        at = [interpolate_body(s0, o.body, k / samples) for s0, o in ((a0, a), (b0, b))]
        d, _ = geometry.distance(at[0], at[1], BROAD_MARGIN)
        if d < limit:
            return PenetrationViolation(cycle.dt_ns * k // samples, start, d, pair)
    return PenetrationViolation(cycle.dt_ns, start, hit.distance, pair) if hit.distance < limit else None


def first_overlap(objects: Sequence[Object]) -> tuple[Object, Object, float] | None:
    """Return the first root that penetrates an earlier one or itself, the member that it penetrates, and the depth [m].

    The result is that of :func:`newcomer_penetration` for each root with all roots before it, but only members with
    close boxes are compared. None: no penetration.

    Args:
        objects: Root objects at their initial states.
    """
    places = {id(item): k for k, root in enumerate(objects) for item in root.family()}
    members = [o for root in objects for o in root.family() if o.tangible and o.shapes]
    if len(members) < 2:
        return None
    low, high = (np.array(side) for side in zip(*(o.outline.bounds(o.body) for o in members)))
    pairs = []
    for i, j in close_pairs(members, low, high):
        one, two = sorted((i, j), key=lambda k: places[id(members[k])])
        pairs.append((places[id(members[two])], places[id(members[one])], two, one))
    # In the order of the result, so that the first penetration ends the search.
    for second, first, j, i in sorted(pairs, key=lambda each: each[:2]):
        earlier, later = members[i], members[j]
        if first == second and not earlier.root.members_collide(earlier, later):
            continue
        if (low[i] > high[j]).any() or (low[j] > high[i]).any() or yields(earlier, later):
            continue
        distance, _ = ShapeQueries((later, earlier)).distance(later.body, earlier.body, BROAD_MARGIN)
        if distance < -NII_DEPTH:
            return objects[second], earlier, -distance
    return None


def newcomer_penetration(newcomer: Object, objects: Mapping[str, Object]) -> tuple[Object, float] | None:
    """Return the first tangible object, in order of roots' names, that a new object penetrates, with the depth [m].

    Children of both are included. No step is short enough to resolve such a penetration. None: no penetration.

    Args:
        newcomer: The new object at its initial state.
        objects: Root objects by name.
    """
    others = [o for name in sorted(objects) for o in objects[name].family() if o.tangible and o.shapes]
    for member in newcomer.family():
        if not (member.tangible and member.shapes):
            continue
        low, high = member.outline.bounds(member.body)
        for other in others:
            other_low, other_high = other.outline.bounds(other.body)
            if (low > other_high).any() or (other_low > high).any() or yields(member, other):
                continue
            distance, _ = ShapeQueries((member, other)).distance(member.body, other.body, BROAD_MARGIN)
            if distance < -NII_DEPTH:
                return other, -distance
    return None
