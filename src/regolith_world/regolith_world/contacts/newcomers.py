# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that join or are spawned during a run: how they are made, and whether their places are free."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from regolith_world.contacts.collision_detection import newcomer_penetration
from regolith_world.cycle.records import BodyState, CycleResult, JoinRequest, Shape, SpawnedObject, Vector
from regolith_world.objects.constraint_checks import impossible_constraint
from regolith_world.objects.constraints import attachable_bodies
from regolith_world.objects.object import Object
from regolith_world.objects.rigid_body import RigidBody


def spawned_body(spawned: SpawnedObject, gravity: Vector, t_ns: int) -> RigidBody:
    """Return the rigid body that a participant spawns.

    Args:
        spawned: Part of the participant's result.
        gravity: Gravity in the world frame [m/s^2], shape (3,).
        t_ns: End of the cycle [ns].
    """
    return _body(spawned.name, spawned, spawned.state, spawned.shapes, gravity, t_ns)


def joined_bodies(request: JoinRequest, present: Container[str], gravity: Vector, t_ns: int) -> dict[str, RigidBody]:
    """Return the bodies with shapes that a participant joins with, such as movable rocks, as new objects, by name.

    Args:
        request: Join request of the participant.
        present: Names of present objects, which are not made again.
        gravity: Gravity in the world frame [m/s^2], shape (3,).
        t_ns: Simulated time [ns].
    """
    made: dict[str, RigidBody] = {}
    for k in sorted(set(request.shape_bodies)):
        body = request.bodies[k]
        shapes = [shape for shape, owner in zip(request.shapes, request.shape_bodies) if owner == k]
        if body.name not in present:
            made[body.name] = _body(body.name, request, body, shapes, gravity, t_ns)
    return made


def _body(
    name: str,
    source: SpawnedObject | JoinRequest,
    state: BodyState,
    shapes: Sequence[Shape],
    gravity: Vector,
    t_ns: int,
) -> RigidBody:
    return RigidBody(
        name,
        state,
        shapes,
        gravity=gravity,
        restitution=source.restitution,
        friction=source.friction,
        t_ns=t_ns,
    )


def admission_problem(newcomer: Object, objects: Mapping[str, Object], collisions: bool) -> str | None:
    """Return why a new object cannot be added: what it attaches to is missing, or it would penetrate another object.

    Args:
        newcomer: The new object. Its own entry in ``objects`` is ignored.
        objects: Root objects by name.
        collisions: Whether penetrations are checked.
    """
    there = attachable_bodies(objects)
    if missing := [name for name in newcomer.needs() if name not in there]:
        return f'{newcomer.name!r} needs {missing[0]!r}; allowed: {", ".join(sorted(there)) or "nothing"}'
    if problem := impossible_constraint({**objects, newcomer.name: newcomer}, (newcomer.name,)):
        return str(problem)
    others = {name: item for name, item in objects.items() if name != newcomer.name}
    if collisions and newcomer.root.tangible and (found := newcomer_penetration(newcomer, others)):
        other, depth = found
        return (
            f'{newcomer.name!r} at ({_place(newcomer)}) would penetrate {other.name!r} at ({_place(other)}) by '
            f'{depth:.3f} m; fix: choose a free position'
        )
    return None


def spawned_inside_others(
    spawned: Sequence[Object], objects: Mapping[str, Object], results: Mapping[str, CycleResult]
) -> dict[str, str]:
    """Return the participant of each object that a participant spawned inside another tangible object, by its name.

    Args:
        spawned: New objects of the cycle.
        objects: Root objects by name, with the new ones.
        results: Results of the participants.
    """
    theirs = {each.name: name for name, result in results.items() for each in result.spawned}
    if not theirs:
        return {}
    others = {name: other for name, other in objects.items() if name not in theirs}
    found = {}
    for item in (o for o in spawned if o.name in theirs):
        if newcomer_penetration(item, others) is None:
            others[item.name] = item
        else:
            found[item.name] = theirs[item.name]
    return found


def _place(item: Object) -> str:
    return ', '.join(f'{x:z.2f}' for x in item.body.position)
