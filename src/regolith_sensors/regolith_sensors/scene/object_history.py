# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Visible objects of the world, and entities of participants, at committed times."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.scene.pose_track import PoseTrack
from regolith_world.cycle import Anchor, ObjectVisual, Shape, ShapeKind, plain
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

COLUMNS = 8
"""Columns of a pose: position [m], quaternion (x, y, z, w), length of a line [m] (1 for others)."""
_LEVEL = (0.0, 0.0, 0.0, 1.0)


class VisibleEntity(NamedTuple):
    """One visible entity, from its first commit to its removal."""

    visual: ObjectVisual
    since_ns: int
    """Simulated time of the commit with which observers learned of it [ns]; -1: it is of the scenario."""


class ObjectHistory:
    """Poses of visible entities at committed times. Each has one row as long as its visual remains equal.

    Checked by: test_objects_seen.py.
    """

    def __init__(self, visuals: Mapping[str, ObjectVisual] | None = None, kept_ns: int = 2_000_000_000) -> None:
        """Create a history without states.

        Args:
            visuals: Visuals of the scenario's objects by name. They have the first rows, in name order.
            kept_ns: Age to which states are kept [ns].
        """
        known = sorted((visuals or {}).items())
        self.entities = [VisibleEntity(visual, -1) for _, visual in known]
        """What was ever visible, by row."""
        self.count_of_scenario = len(known)
        """Number of rows of the scenario's objects."""
        self._row_of = {name: row for row, (name, _) in enumerate(known)}
        self._keys = [visual_key(visual) for _, visual in known]
        self._track = PoseTrack((), kept_ns)
        self._epoch: int | None = None

    @property
    def last_ns(self) -> int:
        """Return the time of the newest state [ns]; -1 without states."""
        return self._track.last_ns

    def add(self, cycle: Any) -> None:
        """Append the state of a commit; after a rewind, the abandoned future is discarded.

        Args:
            cycle: Message regolith_msgs/Cycle.
        """
        bodies = {body.name: _numbers(body.pose) for body in cycle.bodies}
        self.take(int(cycle.t_ns), int(cycle.key.epoch), [visual_from_message(m) for m in cycle.visuals], bodies)

    def take(self, t_ns: int, epoch: int, visuals: Iterable[ObjectVisual], bodies: Mapping[str, Floats]) -> None:
        """Append the state of a commit; after a rewind, the abandoned future is discarded.

        Args:
            t_ns: Simulated time [ns].
            epoch: Epoch of the simulation.
            visuals: New and changed visuals; all of them at the first commit of an epoch.
            bodies: Poses of all bodies by name: position [m] and quaternion (x, y, z, w), shape (7,).
        """
        if epoch != self._epoch:
            self._epoch, self._row_of = epoch, {}
            self._drop_after(t_ns)
        for visual in visuals:
            self._learn(visual, t_ns)
        poses = np.full((len(self.entities), COLUMNS), np.nan)
        for row in self._row_of.values():
            visual = self.entities[row].visual
            if t_ns < visual.until_ns and (pose := _pose_of(visual, bodies)) is not None:
                poses[row] = pose
        self._track.add(t_ns, poses)

    def _learn(self, visual: ObjectVisual, t_ns: int) -> None:
        self._row_of.pop(visual.name, None)
        if not visual.visible:
            return
        key = visual_key(visual)
        if key not in self._keys:
            self.entities.append(VisibleEntity(visual, t_ns))
            self._keys.append(key)
        self._row_of[visual.name] = self._keys.index(key)

    def _drop_after(self, t_ns: int) -> None:
        """Drop the rows of entities that the world learned of after a time, so that a run repeats its numbers."""
        count = sum(entity.since_ns <= t_ns for entity in self.entities)
        del self.entities[count:], self._keys[count:]
        self._row_of = {name: row for name, row in self._row_of.items() if row < count}

    def discard_after(self, t_ns: int) -> None:
        """Discard the states after a time [ns], which belong to an abandoned future."""
        self._track.discard_after(t_ns)
        self._drop_after(t_ns)

    def all_at(self, t_ns: int) -> Floats:
        """Return the pose of each row at a time [ns], shape (rows, 8); NaN for what is not there.

        Raises:
            LookupError: If there is no state.
        """
        found = self._track.all_at(t_ns)
        absent = np.full((len(self.entities) - len(found), COLUMNS), np.nan)
        return np.concatenate((found, absent)) if len(absent) else found


def visual_key(visual: ObjectVisual) -> str:
    """Return a text that is equal for equal visuals."""
    return json.dumps(plain(visual))


def visual_from_message(message: Any) -> ObjectVisual:
    """Return the visual of a regolith_msgs/ObjectVisual, as a ROS message or from a bag."""
    m = message
    return ObjectVisual(
        str(m.name),
        Anchor(int(m.anchor)),
        np.array(m.position, dtype=np.float64),
        tuple(_shape(each) for each in m.shapes),
        str(m.material),
        str(m.mesh),
        float(m.mesh_scale),
        np.array(m.color, dtype=np.float64),
        tuple(str(name) for name in m.between),
        np.array(m.near, dtype=np.float64),
        np.array(m.far, dtype=np.float64),
        int(m.until_ns),
    )


def _shape(message: Any) -> Shape:
    pose = _numbers(message.pose)
    vertices = np.array(message.vertices, dtype=np.float64).reshape(-1, 3)
    return Shape(ShapeKind(int(message.kind)), np.array(message.size, dtype=np.float64), pose[:3], pose[3:], vertices)


def _numbers(pose: Any) -> Floats:
    p, q = pose.position, pose.orientation
    return np.array((p.x, p.y, p.z, q.x, q.y, q.z, q.w), dtype=np.float64)


def _pose_of(visual: ObjectVisual, bodies: Mapping[str, Floats]) -> Iterable[float] | None:
    """Return the pose of a visual among the bodies of a commit, shape (8,); None if it is not there."""
    if visual.anchor in (Anchor.WORLD, Anchor.GROUND):
        return (*visual.position, *_LEVEL, 1.0)
    if visual.anchor == Anchor.BODY:
        pose = bodies.get(visual.name)
        return None if pose is None else (*pose, 1.0)
    if not all(name in bodies for name in visual.between):
        return None
    ends = []
    for name, point in zip(visual.between, (visual.near, visual.far), strict=True):
        body = bodies[name]
        ends.append(body[:3] + rotation.matrix(body[3:]) @ point)
    return line_pose(*ends)


def line_pose(near: Floats, far: Floats) -> Iterable[float] | None:
    """Return the pose whose z axis leads from one point to another, and their distance; None if they are equal.

    Args:
        near: First point [m], shape (3,).
        far: Second point [m], shape (3,).
    """
    way = far - near
    length = float(np.linalg.norm(way))
    if length < 1e-9:
        return None
    x, y, z = way / length
    # The shortest rotation from the z axis; about x where the line leads straight down.
    turn = np.array((-y, x, 0.0, 1.0 + z)) if z > -1.0 + 1e-12 else np.array((1.0, 0.0, 0.0, 0.0))
    return (*(0.5 * (near + far)), *(turn / np.linalg.norm(turn)), length)
