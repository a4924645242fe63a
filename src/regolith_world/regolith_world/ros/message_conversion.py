# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of records to messages of regolith_msgs and back, bit for bit."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from regolith_msgs import msg as m
from regolith_msgs import srv

from regolith_world.cycle import records as r


def vector3_message(v: r.Vector) -> Vector3:
    """Return a Vector3 of the components of ``v``."""
    return Vector3(x=float(v[0]), y=float(v[1]), z=float(v[2]))


def point_message(v: r.Vector) -> Point:
    """Return a Point of the components of ``v``."""
    return Point(x=float(v[0]), y=float(v[1]), z=float(v[2]))


def quaternion_message(q: r.Vector) -> Quaternion:
    """Return a Quaternion of (x, y, z, w)."""
    return Quaternion(x=float(q[0]), y=float(q[1]), z=float(q[2]), w=float(q[3]))


def pose_message(position: r.Vector, orientation: r.Vector) -> Pose:
    """Return a Pose of a position [m], shape (3,), and a quaternion (x, y, z, w), shape (4,)."""
    return Pose(position=point_message(position), orientation=quaternion_message(orientation))


def _xyz(v: Any) -> r.Vector:
    return np.array([v.x, v.y, v.z])


def _xyzw(q: Any) -> r.Vector:
    return np.array([q.x, q.y, q.z, q.w])


def byte_array(data: bytes) -> array.array[int]:
    """Return ``data`` as the array type that a uint8[] field accepts without copying element by element."""
    return array.array('B', data)


def key_message(key: r.CycleKey) -> m.CycleKey:
    """Return the message of a key."""
    return m.CycleKey(epoch=int(key.epoch), cycle=int(key.cycle), attempt=int(key.attempt))


def key_record(message: m.CycleKey) -> r.CycleKey:
    """Return the record of a key."""
    return r.CycleKey(message.epoch, message.cycle, message.attempt)


def shape_message(s: r.Shape) -> m.Shape:
    """Return the message of a shape."""
    return m.Shape(kind=int(s.kind), size=[float(x) for x in s.size], pose=pose_message(s.position, s.orientation))


def shape_record(s: m.Shape) -> r.Shape:
    """Return the record of a shape."""
    return r.Shape(r.ShapeKind(s.kind), np.array(s.size), _xyz(s.pose.position), _xyzw(s.pose.orientation))


_bodies: dict[str, tuple[r.BodyState, m.BodyState]] = {}


def body_message(b: r.BodyState) -> m.BodyState:
    """Return the message of a body state; the same message for the same record, because records never change.

    An agent's result and the next cycle contain the same record, and both are sent.
    """
    known = _bodies.get(b.name)
    if known is None or known[0] is not b:
        known = _bodies[b.name] = (b, _new_body_message(b))
    return known[1]


def _new_body_message(b: r.BodyState) -> m.BodyState:
    return m.BodyState(
        name=b.name,
        pose=pose_message(b.position, b.orientation),
        linear_velocity=vector3_message(b.linear_velocity),
        angular_velocity=vector3_message(b.angular_velocity),
        mass=float(b.mass),
        center_of_mass=point_message(b.center_of_mass),
        inertia=np.ascontiguousarray(b.inertia, dtype=np.float64).reshape(9),
    )


def body_record(b: m.BodyState) -> r.BodyState:
    """Return the record of a body state."""
    return r.BodyState(
        b.name,
        _xyz(b.pose.position),
        _xyzw(b.pose.orientation),
        _xyz(b.linear_velocity),
        _xyz(b.angular_velocity),
        b.mass,
        _xyz(b.center_of_mass),
        np.array(b.inertia).reshape(3, 3),
    )


def intersection_message(i: r.IntersectionRecord) -> m.Intersection:
    """Return the message of an intersection."""
    return m.Intersection(
        a=i.a,
        b=i.b,
        status=int(i.status),
        distance=float(i.distance),
        point=point_message(i.point),
        normal=vector3_message(i.normal),
    )


def intersection_record(i: m.Intersection) -> r.IntersectionRecord:
    """Return the record of an intersection."""
    return r.IntersectionRecord(i.a, i.b, i.status, i.distance, _xyz(i.point), _xyz(i.normal))


def cycle_message(c: r.Cycle) -> m.Cycle:
    """Return the message of a cycle."""
    return m.Cycle(
        key=key_message(c.key),
        t_ns=int(c.t_ns),
        dt_ns=int(c.dt_ns),
        verdict=int(c.verdict),
        command=int(c.command),
        participants=list(c.participants),
        roles=byte_array(bytes(roles.code() for roles in c.roles)),
        bodies=[body_message(b) for b in c.bodies],
        intersections=[intersection_message(i) for i in c.intersections],
        impulses=[
            m.Impulse(a=i.a, b=i.b, point=point_message(i.point), impulse=vector3_message(i.impulse))
            for i in c.impulses
        ],
        spawned=list(c.spawned),
        removed=list(c.removed),
        resimulating=c.resimulating,
        clock_offset_ns=int(c.clock_offset_ns),
        constrained=list(c.constrained),
    )


def cycle_record(c: m.Cycle) -> r.Cycle:
    """Return the record of a cycle."""
    return r.Cycle(
        key_record(c.key),
        c.t_ns,
        c.dt_ns,
        r.Verdict(c.verdict),
        r.Command(c.command),
        tuple(c.participants),
        tuple(map(r.Roles.of_code, c.roles)),
        tuple(body_record(b) for b in c.bodies),
        tuple(intersection_record(i) for i in c.intersections),
        tuple(r.Impulse(i.a, i.b, _xyz(i.point), _xyz(i.impulse)) for i in c.impulses),
        tuple(c.spawned),
        tuple(c.removed),
        c.resimulating,
        c.clock_offset_ns,
        tuple(c.constrained),
    )


def cycle_result_message(e: r.CycleResult) -> m.CycleResult:
    """Return the message of a cycle result."""
    return m.CycleResult(
        key=key_message(e.key),
        name=e.name,
        next_dt_ns=int(e.next_dt_ns),
        bodies=[body_message(b) for b in e.bodies],
        swept_min=[float(x) for x in e.swept_min],
        swept_max=[float(x) for x in e.swept_max],
        spawned=[
            m.SpawnedObject(
                name=b.name,
                shapes=[shape_message(s) for s in b.shapes],
                state=body_message(b.state),
                restitution=float(b.restitution),
                friction=float(b.friction),
            )
            for b in e.spawned
        ],
        live_inputs=byte_array(e.live_inputs),
        state_hash=e.state_hash,
        soil_hash=e.soil_hash,
        summary_json=e.summary_json,
        failure=e.failure,
        inverse_inertia=e.inverse_inertia.ravel().tolist(),
    )


def cycle_result_record(e: m.CycleResult) -> r.CycleResult:
    """Return the record of a cycle result."""
    return r.CycleResult(
        key_record(e.key),
        e.name,
        e.next_dt_ns,
        tuple(body_record(b) for b in e.bodies),
        np.array(e.swept_min),
        np.array(e.swept_max),
        tuple(
            r.SpawnedObject(
                b.name, tuple(shape_record(s) for s in b.shapes), body_record(b.state), b.restitution, b.friction
            )
            for b in e.spawned
        ),
        bytes(e.live_inputs),
        e.state_hash,
        e.soil_hash,
        e.summary_json,
        e.failure,
        np.array(e.inverse_inertia, dtype=float).reshape(-1, 6),
    )


def join_message(j: r.JoinRequest) -> srv.Join.Request:
    """Return the request of the Join service."""
    return srv.Join.Request(
        name=j.name,
        roles=j.roles.code(),
        shapes=[shape_message(s) for s in j.shapes],
        bodies=[body_message(b) for b in j.bodies],
        next_dt_ns=int(j.next_dt_ns),
        state_hash=j.state_hash,
        soil_hash=j.soil_hash,
        parameter_names=sorted(j.parameters),
        parameter_values=[j.parameters[k] for k in sorted(j.parameters)],
        restitution=float(j.restitution),
        friction=float(j.friction),
        shape_bodies=list(j.shape_bodies),
    )


def join_record(j: srv.Join.Request) -> r.JoinRequest:
    """Return the record of a Join request."""
    return r.JoinRequest(
        j.name,
        r.Roles.of_code(j.roles),
        tuple(shape_record(s) for s in j.shapes),
        tuple(body_record(b) for b in j.bodies),
        j.next_dt_ns,
        j.state_hash,
        j.soil_hash,
        dict(zip(j.parameter_names, j.parameter_values)),
        j.restitution,
        j.friction,
        tuple(j.shape_bodies),
    )
