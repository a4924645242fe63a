# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Assignment of rigid bodies to the participants that compute them in a cycle.

A wheel that stands on a rock needs the contact force in each substep, but messages are exchanged once per cycle. So a
body that a vehicle may touch is computed by that vehicle, together with its wheels. All other bodies are computed by
the participant that joined with them. Each body has one participant in each cycle. The world decides at the commit,
from committed states only, so the result does not depend on processes or time.

A body whose bounding box is within ASSIGN_M of that of a vehicle is a candidate. Bodies within ISLAND_M of each other
are assigned together. The vehicle of the last cycle keeps a body as long as the body is a candidate. Otherwise the
nearest vehicle gets it, by distance and then by name. A vehicle computes at most MOST_ASSIGNED bodies: the nearest
ones. Contacts of a body with vehicles that do not compute it are impulses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_world.contacts.resting_bodies import RestingBodies
from regolith_world.cycle.records import AssignedBody, Cycle, CycleResult, JoinRequest, SpawnedObject, Vector
from regolith_world.numerics import kernel
from regolith_world.numerics.portable_math import norm
from regolith_world.objects.bounding_box import boxes_of
from regolith_world.objects.object import Object
from regolith_world.objects.remote_body import RemoteAgent
from regolith_world.objects.rigid_body import RigidBody

COMPUTES_BODIES = 'bodies.substep_s'
"""Parameter of the handshake of all participants that can compute rigid bodies."""
ASSIGN_M = 0.5
"""Gap between a vehicle and a body below which the vehicle computes it [m]. Its wheels may extend beyond its shapes."""
REPORT_M = 1.0
"""Gap below which the participant of a body sends its memory in case the body is assigned next [m]."""
MOST_ASSIGNED = 64
"""Largest number of bodies that a vehicle computes."""
ISLAND_M = 0.02
"""Gap between bodies below which they are assigned together [m]."""


class BodyAssignments:
    """The assignment of bodies, with what participants need to take over a body."""

    def __init__(self) -> None:
        self.assigned: tuple[AssignedBody, ...] = ()
        """See :attr:`regolith_world.cycle.records.Cycle.assigned`."""
        self.memories: dict[str, bytes] = {}
        """Memory of bodies near vehicles at the last commit."""
        self.over_limit = 0
        """Number of bodies, summed over cycles, that a vehicle did not get because of MOST_ASSIGNED."""
        self.handed_over: set[str] = set()
        """Names of spawned bodies that the participant of rigid bodies computes."""

    def hand_over(self, objects: Iterable[Object], mover: str) -> tuple[SpawnedObject, ...]:
        """Return the spawned bodies for :attr:`Cycle.handed_over`, and mark their participant.

        They are rigid bodies of one shape about their center of mass, on which gravity acts. The world computes others.

        Args:
            objects: Root objects at committed states, by name, except those that a participant moves.
            mover: Participant that computes the bodies that no vehicle computes; '': there is none.
        """
        if not mover:
            return ()
        found = []
        for item in objects:
            if isinstance(item, RigidBody) and not item.moved_by and item.rests_on_ground:
                item.moved_by = mover
                found.append(SpawnedObject(item.name, item.shapes, item.body, item.restitution, item.friction))
        return tuple(found)

    def mark(self, objects: Mapping[str, Object], movers: Mapping[str, str]) -> None:
        """Write the participant of each body to the objects."""
        _mark(objects, {**movers, **{each.name: each.participant for each in self.assigned if each.name in movers}})

    def take(
        self, objects: Mapping[str, Object], results: Mapping[str, CycleResult], cycle: Cycle, resting: RestingBodies
    ) -> None:
        """Set the tentative states of the bodies that participants have computed.

        A body that the result of its participant leaves out has not moved.
        """
        for name, result in results.items():
            for computed in (*(body.state for body in result.computed), *(() if name in objects else result.bodies)):
                item = objects.get(computed.name)
                if isinstance(item, RigidBody) and item.moved_by == name:
                    item.take(cycle, computed)
        for item in resting.others:
            if isinstance(item, RigidBody) and item.moved_by and item.time_ns == cycle.t_ns:
                item.take(cycle, item.body)

    def commit(
        self,
        objects: Mapping[str, Object],
        movers: Mapping[str, str],
        requests: Mapping[str, JoinRequest],
        results: Mapping[str, CycleResult],
        step_s: float,
        resting: RestingBodies,
    ) -> None:
        """Assign all bodies for the next cycle, and write the participants to the objects.

        Args:
            objects: Root objects at the states of the commit.
            movers: Participant that joined with each body.
            requests: Join requests of the participants.
            results: Results of the cycle.
            step_s: Longest duration of the next cycle [s].
            resting: Those of the objects that are at rest.
        """
        if not movers:
            return
        before = {each.name: each.participant for each in self.assigned}
        self.memories = {
            body.state.name: body.memory for _, result in sorted(results.items()) for body in result.computed
        }
        able = [
            item
            for item in resting.others
            if isinstance(item, RemoteAgent) and COMPUTES_BODIES in requests[item.name].parameters
        ]
        moving = [item for item in resting.others if item.moved_by and item.name in movers]
        bodies = [*moving, *resting.items]
        low, high = _boxes([[item] for item in moving], step_s)
        low, high = np.concatenate((low, resting.low)), np.concatenate((high, resting.high))
        gaps = _gaps(low, high, able, step_s) if able else np.full((len(bodies), 1), np.inf)
        groups = _islands(low, high, gaps)
        own, gaps = gaps, gaps.copy()
        for number in {groups[k] for k in np.flatnonzero(groups != np.arange(len(groups))).tolist()}:
            island = groups == number
            gaps[island] = own[island].min(axis=0)
        away = {name for name, participant in before.items() if movers.get(name, participant) != participant}
        near = [
            (bodies[k].name, k)
            for k in np.flatnonzero(gaps.min(axis=1) < REPORT_M).tolist()
            if bodies[k].name in movers
        ]
        if absent := away.difference(name for name, _ in near):
            near += [(item.name, k) for k, item in enumerate(bodies) if item.name in absent]
        near.sort()
        assigned = [self._next(bodies[k], able, gaps[k], before, movers) for _, k in near]
        for column, vehicle in enumerate(able):
            mine = [(own[k, column], n) for n, (_, k) in enumerate(near) if assigned[n].participant == vehicle.name]
            for _, n in sorted(mine)[MOST_ASSIGNED:]:
                assigned[n] = self._returned(assigned[n].name, before, movers)
                self.over_limit += assigned[n].participant != vehicle.name
        self.assigned = tuple(assigned)
        home = {name: movers[name] for name in before if name in movers}
        _mark(objects, {**home, **{each.name: each.participant for each in self.assigned}})

    def _next(
        self,
        item: Object,
        vehicles: Sequence[RemoteAgent],
        gaps: Vector,
        before: Mapping[str, str],
        movers: Mapping[str, str],
    ) -> AssignedBody:
        """Return the assignment of one body; ``gaps`` are those of its island from each vehicle."""
        name = item.name
        now = before.get(name, movers[name])
        candidates = {v.name: v for v, gap in zip(vehicles, gaps.tolist(), strict=False) if gap < ASSIGN_M}
        if now in candidates:
            chosen = now
        else:
            place = item.body.position
            ranked = sorted((norm(v.body.position - place), name) for name, v in candidates.items())
            chosen = ranked[0][1] if ranked else movers[name]
        memory = self.memories.get(name)
        if chosen != now and memory is None:  # its participant sends it in the next cycle
            chosen = now
        return AssignedBody(name, chosen, memory if memory is not None and chosen != now else b'')

    def _returned(self, name: str, before: Mapping[str, str], movers: Mapping[str, str]) -> AssignedBody:
        """Return the assignment of a body to the participant that joined with it."""
        now, memory = before.get(name, movers[name]), self.memories.get(name)
        if now == movers[name]:
            return AssignedBody(name, now, b'')
        return AssignedBody(name, now if memory is None else movers[name], memory or b'')

    def release(self, participant: str, movers: Mapping[str, str]) -> None:
        """Return the bodies of a participant that left to those that joined with them, at their committed states."""
        self.assigned = tuple(
            AssignedBody(each.name, movers.get(each.name, ''), self.memories.get(each.name, b''))
            if each.participant == participant
            else each
            for each in self.assigned
        )

    def state_hash(self) -> str:
        """Return the hash of the assignment; '': all bodies are with the participants that joined with them."""
        if not self.assigned:
            return ''
        digest = hashlib.sha256()
        for each in self.assigned:
            digest.update(f'{each.name}\0{each.participant}\0'.encode())
            digest.update(hashlib.sha256(each.memory).digest())
        return digest.hexdigest()


def _mark(objects: Mapping[str, Object], movers: Mapping[str, str]) -> None:
    for name, mover in movers.items():
        item = objects.get(name)
        if isinstance(item, RigidBody):
            item.moved_by = mover


def mover_of(requests: Iterable[JoinRequest]) -> str:
    """Return the participant that computes the bodies that no vehicle computes; '': there is none."""
    return next((r.name for r in requests if not r.roles.has_bodies and COMPUTES_BODIES in r.parameters), '')


def _gaps(low: Vector, high: Vector, vehicles: Sequence[RemoteAgent], step_s: float) -> Vector:
    """Return a lower bound of the gap between boxes of bodies and vehicles during a cycle [m], shape (n, m)."""
    own_low, own_high = _boxes([[o for o in item.family() if o.shapes] or [item] for item in vehicles], step_s)
    apart = np.maximum(low[:, None] - own_high[None], own_low[None] - high[:, None])
    gaps: Vector = np.sqrt(np.sum(np.square(np.maximum(apart, 0.0)), axis=2))
    return gaps


def _boxes(groups: Sequence[Sequence[Object]], step_s: float) -> tuple[Vector, Vector]:
    """Return the boxes around groups of objects, grown by their motion in a cycle [m], shape (n, 3) each."""
    if not groups:
        return np.zeros((0, 3)), np.zeros((0, 3))
    members = [item for group in groups for item in group]
    states = [item.body for item in members]
    low, high = boxes_of([o.box(b) if o.shapes else (b.position, b.position) for o, b in zip(members, states)])
    speed, spin = (_lengths([getattr(b, name) for b in states]) for name in ('linear_velocity', 'angular_velocity'))
    way = step_s * (speed + spin * np.array([item.outline.reach for item in members]))
    first = np.cumsum([0, *(len(group) for group in groups[:-1])])
    low, high = low - way[:, None], high + way[:, None]
    return np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)


def _lengths(vectors: Sequence[Vector]) -> Vector:
    """Return the lengths of vectors, shape (n,)."""
    x, y, z = np.concatenate(vectors).reshape(-1, 3).T
    lengths: Vector = np.sqrt(x * x + y * y + z * z)
    return lengths


def _islands(low: Vector, high: Vector, gaps: Vector) -> NDArray[np.int64]:
    """Return the number of the island of each body, that of its first member, shape (n,).

    Only bodies within REPORT_M of a vehicle, and those that they touch, are compared.
    """
    island = np.arange(len(low), dtype=np.int64)
    _join_islands(low, high, gaps.min(axis=1) < REPORT_M, island)
    return island


@kernel
def _join_islands(low: Vector, high: Vector, seen: NDArray[np.bool_], island: NDArray[np.int64]) -> None:
    """Give bodies that touch the same island, starting with those that are marked.

    Args:
        low: Minima of the boxes [m], shape (n, 3).
        high: Maxima [m], shape (n, 3).
        seen: In/out: bodies to begin with, shape (n,); then all that were compared.
        island: In/out: number of the island of each body, shape (n,).
    """
    todo = np.flatnonzero(seen)
    while todo.shape[0] > 0:
        reached = np.zeros(seen.shape[0], dtype=np.bool_)
        for k in todo:
            for j in range(low.shape[0]):
                apart = False
                for axis in range(3):
                    if not max(low[j, axis] - high[k, axis], low[k, axis] - high[j, axis]) < ISLAND_M:
                        apart = True
                        break
                if apart or j == k:
                    continue
                reached[j] = True
                a, b = min(island[k], island[j]), max(island[k], island[j])
                if a != b:
                    for n in range(island.shape[0]):
                        if island[n] == b:
                            island[n] = a
        for j in range(seen.shape[0]):
            if seen[j]:
                reached[j] = False
            elif reached[j]:
                seen[j] = True
        todo = np.flatnonzero(reached)
