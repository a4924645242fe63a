# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Example: a robot drives towards a wall, measures its distance with a lidar, and throws a ball at it at 10 m.

The example is that of "Simulator Architecture" (2024), section 1.1.1. It shows all parts of the world library: an
object that evolves on committed inputs only; a child, the lidar, which evolves with the robot; spawned objects, which
join in the cycle that spawns them (a beam in each cycle, one ball); an intangible object that may intersect others; a
tangible object that bounces; and an object type for scenarios and checkpoints (``./regolith run ball_throwing_robot``).

    python3 -m regolith_world.examples.ball_throwing_robot
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from regolith_files import Section
from regolith_world.config import WorldConfig
from regolith_world.cycle import codec
from regolith_world.cycle.records import BodyState, Cycle, Shape, ShapeKind, Vector
from regolith_world.objects.beam import Beam
from regolith_world.objects.object import Intersection, Object, SavedObject, Status
from regolith_world.objects.object_types import Meters, ObjectType, Place
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody
from regolith_world.world import World

HALF = np.full(3, 0.2)
"""Half lengths of the robot, a cube [m]."""
FORWARD = np.array([1.0, 0.0, 0.0])
LIDAR_AT = 0.25 * FORWARD
"""Position of the lidar from the robot's center [m]."""
BALL_AT = 0.4 * FORWARD
"""Position from which a ball is thrown, from the robot's center [m]."""
RADIUS, MASS = 0.05, 0.5
"""Radius [m] and mass [kg] of a ball."""
REACH = 100.0
"""Length of a beam [m]."""
LEVEL = np.array([0.0, 0.0, 0.0, 1.0])


def _moved(name: str, position: Vector, velocity: Vector) -> BodyState:
    return BodyState(name, position, LEVEL, velocity, np.zeros(3))


@dataclass(slots=True)
class RobotMemory:
    """Memory of the robot between commits."""

    throw_at: float
    velocity: Vector
    gravity: Vector
    range_m: float | None = None
    beams: int = 0
    thrown_at_ns: int = -1


class Lidar(Object):
    """A lidar, a child of the robot, that measures the distance ahead by a beam in every cycle."""

    def __init__(self, parent: Object, t_ns: int = 0) -> None:
        state = _moved(f'{parent.name}/lidar', parent.body.position + LIDAR_AT, parent.body.linear_velocity)
        super().__init__(state.name, state, tangible=False, parent=parent, t_ns=t_ns)
        self.range = np.inf
        """Distance in the last committed cycle [m]."""
        self.beams = 0

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Follow the robot, and spawn a beam."""
        assert self.parent is not None
        end_ns, carrier = cycle.t_ns + cycle.dt_ns, self.parent.body
        at = carrier.position + LIDAR_AT
        self.states.new_state(end_ns, _moved(self.name, at, carrier.linear_velocity))
        self.beams += 1
        return [Beam(f'{self.name}/{self.beams - 1}', at, FORWARD, REACH, end_ns, self.name)]

    def discard(self) -> None:
        """Discard the beam."""
        super().discard()
        self.beams -= 1

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Set the range from the beam of this cycle: the nearest object along it."""
        seen = [hit.distance for hit in intersections if hit.status == Status.NON_INFINITESIMAL_INTERSECTION]
        self.range = min(seen, default=np.inf)


class ThrowingRobot(Object):
    """A robot that drives along +x, unaffected by impulses, and throws one ball.

    Args:
        name: Name of the robot.
        position: Initial center in the world frame [m], shape (3,).
        speed: Speed [m/s].
        throw_at: Range at which it throws [m].
        throw: Velocity of the ball in the world frame [m/s], shape (3,).
        gravity: Gravity on the ball [m/s^2], shape (3,).
        t_ns: Time of the initial state [ns].
    """

    kind = 'throwing_robot'
    STATE = codec.StateLayout('a throwing robot', codec.StateField('memory', RobotMemory))
    keeps_children = True

    def __init__(
        self,
        name: str,
        position: Vector,
        *,
        speed: float,
        throw_at: float,
        throw: Vector,
        gravity: Vector,
        t_ns: int = 0,
    ) -> None:
        state = _moved(name, np.asarray(position, dtype=float), speed * FORWARD)
        super().__init__(name, state, [Shape(ShapeKind.BOX, HALF)], t_ns=t_ns)
        self.throw_at, self.throw, self.gravity = throw_at, np.asarray(throw, float), np.asarray(gravity, float)
        self.thrown_at_ns: int | None = None
        self._before: int | None = None
        self.lidar = Lidar(self, t_ns)

    def free_acceleration(self) -> Vector:
        """Return zeros, because its velocity is constant."""
        return np.zeros(3)

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Drive, evolve the lidar, and throw if the wall was near in the last cycle."""
        self._before = self.thrown_at_ns
        end_ns, b = cycle.t_ns + cycle.dt_ns, self.body
        at = b.position + b.linear_velocity * (cycle.dt_ns * 1e-9)
        # The range is that of the last commit. The new beam is measured when the world commits this cycle.
        near = self.lidar.range <= self.throw_at
        self.states.new_state(end_ns, _moved(self.name, at, b.linear_velocity))
        born = self.evolve_children(cycle)
        if self.thrown_at_ns is None and near:
            self.thrown_at_ns = end_ns
            born.append(self._ball(at + BALL_AT, end_ns))
        return born

    def _ball(self, position: Vector, t_ns: int) -> RigidBody:
        name = f'{self.name}/0'
        state = make_rigid_state(name, position, MASS, sphere_inertia(MASS, RADIUS), linear_velocity=self.throw)
        shape = Shape(ShapeKind.SPHERE, np.array([RADIUS, 0.0, 0.0]))
        return RigidBody(name, state, [shape], gravity=self.gravity, t_ns=t_ns, restitution=0.0, friction=0.0)

    def discard(self) -> None:
        """Undo the discarded cycle."""
        super().discard()
        self.thrown_at_ns = self._before

    def canonical_state(self) -> bytes:
        """Return state and memory, for the state hash."""
        return super().canonical_state() + codec.encode_record(self.memory)

    @property
    def memory(self) -> RobotMemory:
        """Memory and lidar state."""
        lidar = self.lidar
        seen = None if np.isinf(lidar.range) else lidar.range
        thrown = -1 if self.thrown_at_ns is None else self.thrown_at_ns
        return RobotMemory(self.throw_at, self.throw, self.gravity, seen, lidar.beams, thrown)

    @classmethod
    def restored(cls, kept: SavedObject) -> ThrowingRobot:
        """Return the object of :meth:`save`, with its lidar."""
        memory = cls.STATE.values(kept.more).memory
        made = cls(
            kept.name,
            kept.body.position,
            speed=float(kept.body.linear_velocity[0]),
            throw_at=memory.throw_at,
            throw=memory.velocity,
            gravity=memory.gravity,
            t_ns=kept.t_ns,
        )
        made.thrown_at_ns = None if memory.thrown_at_ns < 0 else memory.thrown_at_ns
        made.lidar.range = np.inf if memory.range_m is None else memory.range_m
        made.lidar.beams = memory.beams
        return made


class RobotConfig(Section):
    """A robot that drives along +x, and throws a ball when an object is near ahead."""

    type: Literal['throwing_robot'] = 'throwing_robot'
    position: Place = Field(description='Initial center of the robot in the world frame [m].')
    speed_mps: float = Field(1.0, ge=0.0, le=100.0, description='Speed of the robot [m/s].')
    throw_at_m: float = Field(10.0, ge=0.5, le=REACH, description='Range at which the ball is thrown [m].')
    throw_mps: tuple[Meters, Meters, Meters] = Field(
        (5.0, 0.0, 0.0), description='Velocity of the ball in the world frame [m/s].'
    )


class _Robots(ObjectType[RobotConfig]):
    section = RobotConfig

    def make(self, name: str, section: RobotConfig, gravity: Vector) -> Object:
        s = section
        return ThrowingRobot(
            name,
            np.array(s.position),
            speed=s.speed_mps,
            throw_at=s.throw_at_m,
            throw=np.array(s.throw_mps),
            gravity=gravity,
        )

    def restored(self, kept: SavedObject) -> Object:
        return ThrowingRobot.restored(kept)


THROWING_ROBOT = _Robots()


def throw_at_a_wall(seconds: float = 5.0) -> tuple[World, ThrowingRobot]:
    """Return the world and the robot at a simulated time [s]. The face of the wall is at x = 12.75 m."""
    wall = StaticBody('wall', np.array([13.25, 0, 0]), [Shape(ShapeKind.BOX, np.array([0.5, 2, 2]))], restitution=1.0)
    still = np.zeros(3)
    robot = ThrowingRobot('robot', still, speed=1.0, throw_at=10.0, throw=5.0 * FORWARD, gravity=still)
    world = World(WorldConfig(gravity_mps2=0.0), [robot, wall])
    while world.t_ns < seconds * 1e9:
        world.step(round(seconds * 1e9))
    return world, robot


def main() -> None:
    """Run the example and print its events."""
    world, robot = throw_at_a_wall()
    assert robot.thrown_at_ns is not None
    print(f'thrown at t = {robot.thrown_at_ns * 1e-9:.2f} s, present range {robot.lidar.range:.2f} m')
    for name, item in sorted(world.objects.items()):
        print(f'{name:>8} at x = {item.body.position[0]:6.3f} m, vx = {item.body.linear_velocity[0]:6.3f} m/s')
    print(f'{world.cycle} cycles, {world.discarded_cycles} discarded, state hash {world.state_hash[:16]}')


if __name__ == '__main__':
    main()
