# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A robot drives towards a wall, measures its distance with a beam, and at 10 m throws a ball at it.

The example of "Simulator Architecture" (2024), section 1.1.1, with all parts of the world library on one page: an
object that evolves on committed inputs only, offspring that join the cycle they are born in (a beam each cycle, one
ball), an intangible object that may intersect others, a tangible one whose impact discards the cycle.

    python3 -m regolith_world.examples.ball_throwing_robot
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regolith_world.config import WorldConfig
from regolith_world.objects import (
    Beam,
    FreeBody,
    Immovable,
    Intersection,
    Object,
    Status,
    box_inertia,
    rigid_state,
    sphere_inertia,
)
from regolith_world.records import Cycle, Shape, ShapeKind
from regolith_world.world import World

HALF = np.full(3, 0.2)
"""Half lengths of the robot, a cube [m]."""
THROW_SPEED = 5.0
"""[m/s]."""


class ThrowingRobot(Object):
    """A robot that drives along +x at 1 m/s.

    :param throw_at: range at which it throws [m]
    """

    def __init__(self, throw_at: float) -> None:
        state = rigid_state('robot', np.zeros(3), 50.0, box_inertia(50.0, HALF), linear_velocity=np.array([1.0, 0, 0]))
        super().__init__('robot', state, [Shape(ShapeKind.BOX, HALF)])
        self.throw_at = throw_at
        self.range = np.inf
        """Distance of the wall in the last committed cycle [m]."""
        self.thrown_at_ns: int | None = None
        self._offspring = 0
        self._before: tuple[int, int | None] = (0, None)

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Drive on; emit a beam; throw if the wall was near in the last one."""
        self._before = (self._offspring, self.thrown_at_ns)
        end_ns = cycle.t_ns + cycle.dt_ns
        b = self.body
        x = b.position + b.linear_velocity * cycle.dt_ns * 1e-9
        self.states.new_state(end_ns, rigid_state('robot', x, b.mass, b.inertia, linear_velocity=b.linear_velocity))
        forward = np.array([1.0, 0.0, 0.0])
        born: list[Object] = [Beam(self._name_offspring(), x + 0.25 * forward, forward, 100.0, end_ns, self.name)]
        if self.thrown_at_ns is None and self.range <= self.throw_at:
            self.thrown_at_ns = end_ns
            born.append(self._ball(x + 0.4 * forward, end_ns))
        return born

    def _ball(self, position: np.ndarray, t_ns: int) -> FreeBody:
        radius, mass = 0.05, 0.5
        name = self._name_offspring()
        velocity = np.array([THROW_SPEED, 0.0, 0.0])
        state = rigid_state(name, position, mass, sphere_inertia(mass, radius), linear_velocity=velocity)
        shape = Shape(ShapeKind.SPHERE, np.array([radius, 0.0, 0.0]))
        return FreeBody(name, state, [shape], t_ns=t_ns, restitution=1.0, friction=0.0)

    def _name_offspring(self) -> str:
        self._offspring += 1
        return f'{self.name}/{self._offspring - 1}'

    def discard(self) -> None:
        """Undo the discarded cycle."""
        super().discard()
        self._offspring, self.thrown_at_ns = self._before

    def commit(self, intersections: Sequence[Intersection]) -> None:
        """Take the range from the beam born in this cycle."""
        for hit in intersections:
            beam = next((o for o in (hit.a, hit.b) if isinstance(o, Beam)), None)
            if beam is not None and hit.status == Status.NON_INFINITESIMAL_INTERSECTION:
                self.range = hit.distance


def throw_at_a_wall(seconds: float = 5.0) -> tuple[World, ThrowingRobot]:
    """Return the world and the robot at a simulated time [s]; the wall's face is at x = 12.75 m."""
    wall = Immovable('wall', np.array([13.25, 0, 0]), [Shape(ShapeKind.BOX, np.array([0.5, 2, 2]))], restitution=1.0)
    robot = ThrowingRobot(throw_at=10.0)
    world = World(WorldConfig(gravity_mps2=0.0), [robot, wall])
    while world.t_ns < seconds * 1e9:
        world.step(round(seconds * 1e9))
    return world, robot


def main() -> None:
    """Run the example and print its events."""
    world, robot = throw_at_a_wall()
    assert robot.thrown_at_ns is not None
    print(f'thrown at t = {robot.thrown_at_ns * 1e-9:.2f} s, range {robot.range:.2f} m by now')
    for name, item in sorted(world.objects.items()):
        print(f'{name:>8} at x = {item.body.position[0]:6.3f} m, vx = {item.body.linear_velocity[0]:6.3f} m/s')
    print(f'{world.cycle} cycles, {world.discarded_cycles} discarded, state hash {world.state_hash[:16]}')


if __name__ == '__main__':
    main()
