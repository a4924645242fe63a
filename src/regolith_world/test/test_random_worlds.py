# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of random worlds of balls, boxes, walls and beams: no penetration, growing time, Rule 1, energy.

Every run tests a few examples, thousands of them with ``slow``, always the same ones (``conftest.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regolith_world.config import WorldConfig
from regolith_world.contacts.intersection import NII_DEPTH
from regolith_world.cycle.records import Cycle, Shape, ShapeKind
from regolith_world.numerics.rotation import from_rotation_vector
from regolith_world.objects.beam import Beam
from regolith_world.objects.object import Intersection, Object, Status
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import box_inertia, make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody
from regolith_world.world import World

GRAVITY = 1.62
ROOM = 1.5
"""Half length of the chamber [m]."""
CYCLES = 30


class Eye(Object):
    """A sensor that looks along +x from a corner: a beam in every cycle, with the result as its state."""

    def __init__(self, t_ns: int = 0) -> None:
        super().__init__('eye', make_rigid_state('eye', [-1.4, 0.0, 0.0], 1.0, np.eye(3)), tangible=False, t_ns=t_ns)
        self.ranges: list[float] = []
        self.beams = 0

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Spawn a beam."""
        super().evolve(cycle)
        self.beams += 1
        at, end_ns = self.body.position, cycle.t_ns + cycle.dt_ns
        return [Beam(f'eye/{self.beams - 1}', at, np.array([1.0, 0.0, 0.0]), 5.0, end_ns, 'eye')]

    def discard(self) -> None:
        """Discard the beam."""
        super().discard()
        self.beams -= 1

    def on_intersections(self, intersections: Sequence[Intersection]) -> None:
        """Store the distance of the nearest object."""
        seen = [h.distance for h in intersections if h.status == Status.NON_INFINITESIMAL_INTERSECTION]
        self.ranges.append(min(seen, default=np.inf))


def walls(restitution: float) -> list[Object]:
    """Return the six walls of a chamber, which intersect at the edges."""
    made: list[Object] = []
    for axis in range(3):
        half = np.full(3, ROOM + 0.2)
        half[axis] = 0.1
        for side in (-1.0, 1.0):
            at = np.zeros(3)
            at[axis] = side * (ROOM + 0.1)
            name = f'wall_{"xyz"[axis]}{"+" if side > 0 else "-"}'
            made.append(StaticBody(name, at, [Shape(ShapeKind.BOX, half)], restitution=restitution, friction=0.3))
    return made


UNIT = st.floats(-1.0, 1.0, allow_subnormal=False)
TRIPLE = st.tuples(UNIT, UNIT, UNIT).map(np.array)


@dataclass
class Body:
    """Random values of a ball or box."""

    box: bool
    size: float
    velocity: np.ndarray
    spin: np.ndarray
    turn: np.ndarray
    restitution: float
    friction: float


BODIES = st.builds(
    Body,
    st.booleans(),
    st.floats(0.06, 0.25),
    TRIPLE.map(lambda v: 3.0 * v),
    TRIPLE.map(lambda v: 4.0 * v),
    TRIPLE.map(lambda v: 2.0 * v),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    st.sampled_from([0.0, 0.4, 1.0]),
)
CELLS = [np.array([x, y, z]) for x in (-0.75, 0.75) for y in (-0.75, 0.75) for z in (-0.75, 0.75)]
"""Centers of the eighths of the chamber, one body in each, so that none overlap initially."""


def made(number: int, body: Body, gravity: float) -> RigidBody:
    """Return the body of an eighth of the chamber."""
    name, mass = f'body_{number}', 10.0 * body.size**2
    half = body.size * np.array([1.0, 0.8, 0.6])
    inertia = box_inertia(mass, half) if body.box else sphere_inertia(mass, body.size)
    shape = Shape(ShapeKind.BOX, half) if body.box else Shape(ShapeKind.SPHERE, np.array([body.size, 0.0, 0.0]))
    state = make_rigid_state(
        name,
        CELLS[number],
        mass,
        inertia,
        orientation=from_rotation_vector(body.turn),
        linear_velocity=body.velocity,
        angular_velocity=body.spin,
    )
    return RigidBody(
        name,
        state,
        [shape],
        gravity=np.array([0.0, 0.0, -gravity]),
        restitution=body.restitution,
        friction=body.friction,
    )


def energy(world: World, gravity: float = GRAVITY) -> float:
    """Return kinetic and potential energy of all bodies, each after its impulses have acted [J]."""
    total = 0.0
    for item in world.objects.values():
        if isinstance(item, RigidBody):
            velocity, spin = item.after(world._impulses)
            b = item.body
            total += (
                0.5 * b.mass * velocity @ velocity + 0.5 * spin @ item.rate(spin) + b.mass * gravity * b.position[2]
            )
    return float(total)


def tumbling(world: World) -> float:
    """Return what the midpoint rule may add to the spin of boxes in the next step [J]: locally of third order."""
    total = 0.0
    for item in world.objects.values():
        if isinstance(item, RigidBody) and item.shapes[0].kind == ShapeKind.BOX:
            _, spin = item.after(world._impulses)
            rate = item.rate(spin)
            total += (0.02 * float(np.linalg.norm(rate))) ** 3 * float(spin @ rate)
    return total


def deepest(hits: Sequence[Intersection]) -> float:
    """Return the largest penetration of a tangible pair [m]."""
    return max((-h.distance for h in hits if h.a.tangible and h.b.tangible), default=0.0)


def holds(bodies: Sequence[Body], restitution: float, cycles: int) -> None:
    """Let a world evolve: no penetration above the tolerance, no forced step, growing time, no growing energy."""
    world = World(WorldConfig(), [*walls(restitution), Eye(), *(made(k, b, GRAVITY) for k, b in enumerate(bodies))])
    before, t_ns = energy(world), 0
    weights = {f'body_{k}': made(k, b, 0.0).body.mass * GRAVITY for k, b in enumerate(bodies)}
    for _ in range(cycles):
        slack = 1e-9 + tumbling(world)
        report = world.step()
        assert not report.forced and world.t_ns == t_ns + report.dt_ns > t_ns
        assert report.dt_ns <= world.control.max_step_ns
        t_ns = world.t_ns
        assert deepest(report.intersections) <= NII_DEPTH
        now = energy(world)
        touched = [
            h for h in report.intersections if h.a.tangible and h.b.tangible and h.status != Status.NO_INTERSECTION
        ]
        # Each contact may remove a millimeter of penetration, that is, lift the body by it.
        allowed = sum(
            1e-3 * max(weights.get(h.a.name, 0.0), weights.get(h.b.name, 0.0)) * max(1, len(h.points)) for h in touched
        )
        assert now <= before + allowed + slack, (now - before, allowed, slack)
        before = now
    assert world.forced_cycles == 0


@settings(max_examples=4)
@given(st.lists(BODIES, min_size=1, max_size=8), st.sampled_from([0.0, 0.6, 1.0]))
def test_random_worlds_keep_their_invariants(bodies: list[Body], restitution: float) -> None:
    holds(bodies, restitution, CYCLES)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=1500)
@given(st.lists(BODIES, min_size=1, max_size=8), st.sampled_from([0.0, 0.6, 1.0]))
def test_thousands_of_random_worlds_keep_their_invariants(bodies: list[Body], restitution: float) -> None:
    holds(bodies, restitution, 60)


def repeats(bodies: Sequence[Body], restitution: float, cycles: int) -> None:
    """Save a world at every commit. From each, the hashes of the following cycles equal those of the first run."""
    things = [*walls(restitution), *(made(k, b, GRAVITY) for k, b in enumerate(bodies))]
    world, saved, hashes = World(WorldConfig(), things), [], []
    for _ in range(cycles):
        saved.append(world.save())
        world.step()
        hashes.append(world.state_hash)
    again = World(WorldConfig())
    for k, blob in enumerate(saved):
        again.load(blob)
        for expected in hashes[k : k + 3]:
            again.step()
            assert again.state_hash == expected, k


@settings(max_examples=3)
@given(st.lists(BODIES, min_size=2, max_size=6), st.sampled_from([0.0, 1.0]))
def test_rule_1_holds_from_every_stored_state(bodies: list[Body], restitution: float) -> None:
    repeats(bodies, restitution, 15)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=100)
@given(st.lists(BODIES, min_size=2, max_size=8), st.sampled_from([0.0, 1.0]))
def test_rule_1_holds_from_every_stored_state_of_hundreds(bodies: list[Body], restitution: float) -> None:
    repeats(bodies, restitution, 40)


def drift_of_energy(blows: int) -> tuple[float, float]:
    """Return the largest relative change of energy at isolated impacts, summed, and the largest of a single one.

    Two elastic balls in a chamber, without gravity and friction, at 2 to 8 m/s. For two impacts on a ball in one cycle,
    Newton's restitution does not determine the energy: such impacts do not count as isolated.
    """

    def ball(name: str, x: Sequence[float], v: Sequence[float], radius: float, mass: float) -> RigidBody:
        state = make_rigid_state(name, x, mass, sphere_inertia(mass, radius), linear_velocity=np.array(v))
        shape = Shape(ShapeKind.SPHERE, np.array([radius, 0.0, 0.0]))
        return RigidBody(name, state, [shape], restitution=1.0, friction=0.0)

    bodies = [
        ball('a', [-0.5, 0.1, 0.2], [3.0, 1.4, -1.1], 0.3, 1.0),
        ball('b', [0.6, -0.1, 0.1], [-2.3, 0.7, 1.8], 0.5, 2.5),
    ]
    world = World(WorldConfig(gravity_mps2=0.0), [*walls(1.0), *bodies])
    before, found, summed, worst = energy(world, 0.0), 0, 0.0, 0.0
    while found < blows:
        report = world.step()
        now = energy(world, 0.0)
        change = now / before - 1.0
        if len(report.impulses) > 1:
            worst = max(worst, change)
        else:
            found += len(report.impulses)
            summed += change
        before = now
    assert world.forced_cycles == 0
    return abs(summed), worst


def test_isolated_impacts_conserve_energy() -> None:
    summed, worst = drift_of_energy(60)
    assert summed < 1e-6 and worst < 1e-6


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_ten_thousand_isolated_impacts_conserve_energy() -> None:
    summed, worst = drift_of_energy(10_000)
    assert summed < 1e-6 and worst < 1e-6
