# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the dynamics of linkages: closed forms, equations of motion, conserved quantities."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from regolith_world.cycle.records import Command, Cycle, CycleKey, Vector, Verdict
from regolith_world.numerics.rotation import from_rotation_vector, matrices, product
from regolith_world.objects.linkages.dynamics import (
    OK,
    TORN,
    ConstraintSystem,
    LinkageState,
    LinkMasses,
    _equations,
    advance,
    inverse_inertia,
    inverses,
    project_velocities,
    system,
)
from regolith_world.objects.linkages.envelope_solver import envelope
from regolith_world.objects.linkages.joints import WORLD, LinkageJoint, frames, rows
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state

G = np.array([0.0, 0.0, -9.81])
NONE = np.zeros(3)
Y = np.array([0.0, 1.0, 0.0])


class Bodies:
    """Bodies with joints, moved by the test."""

    def __init__(
        self,
        joints: Sequence[LinkageJoint],
        position: Sequence[Sequence[float]],
        mass: float,
        inertia: Vector,
        orientation: Vector | None = None,
    ) -> None:
        count = len(position)
        self.mass, self.inertia = mass, inertia
        whole = np.array([inertia] * count)
        compliance = np.empty_like(whole)
        inverses(whole, compliance)
        self.masses = LinkMasses(np.full(count, 1.0 / mass), whole, compliance)
        turn = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)) if orientation is None else orientation
        self.motion = LinkageState(np.array(position, float), turn.copy(), np.zeros((count, 3)), np.zeros((count, 3)))
        held, equations = frames(joints, self.motion.position, matrices(turn)), rows(joints)
        self.system: ConstraintSystem = system(held, equations, *envelope(equations, held.body))
        self.room = LinkageState(*(np.empty_like(part) for part in self.motion))

    def go(self, seconds: float, h: float, gravity: Vector = G) -> None:
        status = advance(self.system, self.masses, self.motion, self.room, gravity, h, round(seconds / h))
        assert status == OK

    def settle(self) -> None:
        project_velocities(self.system, self.masses, self.motion)

    def energy(self, gravity: Vector = G) -> float:
        m = self.motion
        turn = matrices(m.orientation)
        spin = np.einsum('nji,nj->ni', turn, m.spin)
        turning = 0.5 * np.einsum('ni,nij,nj->', spin, self.masses.compliance, spin)
        return float(0.5 * self.mass * (m.velocity**2).sum() + turning - self.mass * (m.position @ gravity).sum())

    def apart(self) -> float:
        """Return the largest error of the joints [m]."""
        return float(_equations(self.system, self.motion, False))


def rod(mass: float, length: float) -> Vector:
    """Return the inertia of a thin rod along x."""
    return np.diag([1e-6, mass * length**2 / 12.0, mass * length**2 / 12.0])


def pendulum(damping: float = 0.0) -> Bodies:
    """Return a rod of 1 m and 2 kg, level, on a hinge at its end."""
    joint = LinkageJoint('hinge', (WORLD, 0), (NONE, NONE), Y, damping)
    return Bodies([joint], [[0.5, 0.0, 0.0]], 2.0, rod(2.0, 1.0))


def four_bar() -> Bodies:
    """Return a loop of three rods of 1 m on four hinges, with three redundant equations in space."""
    c, s = math.cos(math.radians(60.0)), math.sin(math.radians(60.0))
    nodes = [np.array(p) for p in ([0.0, 0.0, 0.0], [c, 0.0, s], [c + 1.0, 0.0, s], [2.0 * c + 1.0, 0.0, 0.0])]
    joints = [
        LinkageJoint('hinge', (a, b), (node, node), Y)
        for (a, b), node in zip(((WORLD, 0), (0, 1), (1, 2), (2, WORLD)), nodes)
    ]
    middle = [0.5 * (a + b) for a, b in itertools.pairwise(nodes)]
    turns = np.array([from_rotation_vector(np.array([0.0, -math.radians(d), 0.0])) for d in (60.0, 0.0, -60.0)])
    return Bodies(joints, [p.tolist() for p in middle], 1.0, rod(1.0, 1.0), turns)


def test_inverses_are_inverses() -> None:
    a = np.random.default_rng(3).normal(size=(5, 3, 3))
    whole = np.einsum('nij,nkj->nik', a, a)
    found = np.empty_like(whole)
    inverses(whole, found)
    assert np.einsum('nij,njk->nik', whole, found) == pytest.approx(np.tile(np.eye(3), (5, 1, 1)), abs=1e-9)


def test_pendulum_period_is_the_elliptic_integral() -> None:
    """From level to hanging in a quarter of 4 K(sin 45 deg) sqrt(2 L / 3 g); errors are of second order."""
    quarter = ellipk(0.5) * math.sqrt(2.0 / 3.0 / 9.81)
    errors = []
    for h in (2e-3, 1e-3):
        made = pendulum()
        made.go(0.4, h)
        t, x = 0.4, 1.0
        while x > 0.0:
            before = x = float(made.motion.position[0, 0])
            made.go(h, h)
            t, x = t + h, float(made.motion.position[0, 0])
        errors.append((t - h + h * before / (before - x)) / quarter - 1.0)
    assert abs(errors[1]) < 2e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize(
    ('make', 'seconds'),
    [(four_bar, 5), *(pytest.param(each, 60, marks=pytest.mark.slow) for each in (pendulum, four_bar))],
)
def test_energy_and_joints_are_kept_for_a_minute(make: type[Bodies], seconds: int) -> None:
    """Joints to 1e-9 m; energy, of which about 10 J are exchanged, to the error of a step of second order."""
    made = make()
    before, worst = made.energy(), 0.0
    for _ in range(seconds):
        made.go(1.0, 1e-3)
        assert made.apart() < 1e-9
        worst = max(worst, abs(made.energy() - before))
    assert worst < 1e-3
    assert np.abs(made.motion.position[:, 1]).max() < 1e-9, 'the plane of the hinges'


def test_double_pendulum_follows_its_equations_of_motion() -> None:
    """Two rods on end, by Lagrange's equations in two angles, integrated independently to 1e-10."""
    m, length = 2.0, 1.0
    joints = [
        LinkageJoint('hinge', (WORLD, 0), (NONE, NONE), Y),
        LinkageJoint('ball', (0, 1), (np.array([1.0, 0, 0]),) * 2),
    ]
    made = Bodies(joints, [[0.5, 0, 0], [1.5, 0, 0]], m, rod(m, length))

    def derived(t: float, y: Vector) -> list[float]:
        # Angles from level downwards; inertia of the first about its pin, of the second about its end.
        a, b, va, vb = y
        end, pin, mixed = m * length**2 / 3.0, m * length**2 / 3.0 + m * length**2, 0.5 * m * length**2
        c, s = math.cos(a - b), math.sin(a - b)
        left = np.array([[pin, mixed * c], [mixed * c, end]])
        right = [
            -mixed * s * vb**2 + 1.5 * m * 9.81 * length * math.cos(a),
            mixed * s * va**2 + 0.5 * m * 9.81 * length * math.cos(b),
        ]
        return [va, vb, *np.linalg.solve(left, right)]

    known = solve_ivp(derived, (0.0, 1.5), [0.0, 0.0, 0.0, 0.0], rtol=1e-10, atol=1e-10).y[:, -1]
    made.go(1.5, 2.5e-4)
    first = made.motion.position[0]
    assert math.atan2(-first[2], first[0]) == pytest.approx(known[0], abs=2e-5)
    second = made.motion.position[1] - 2.0 * first
    assert math.atan2(-second[2], second[0]) == pytest.approx(math.remainder(known[1], math.tau), abs=2e-5)


def test_bodies_without_joints_move_as_rigid_bodies() -> None:
    """A tumbling box, against a rigid body whose rotations are exact about the middle of a step."""
    inertia = np.diag([1.0, 2.0, 3.0])
    spin = np.array([0.3, 2.0, 0.2])
    made = Bodies([], [[0.0, 0.0, 5.0]], 2.0, inertia)
    made.motion.spin[0], made.motion.velocity[0] = inertia @ spin, (1.0, 2.0, 3.0)
    alone = RigidBody(
        'box',
        make_rigid_state(
            'box',
            np.array([0.0, 0.0, 5.0]),
            2.0,
            inertia,
            linear_velocity=np.array([1.0, 2.0, 3.0]),
            angular_velocity=spin,
        ),
        (),
        gravity=G,
    )
    made.go(2.0, 5e-4)
    for k in range(4000):
        alone.evolve(Cycle(CycleKey(0, k, 0), k * 500_000, 500_000, Verdict.COMMIT, Command.EVOLVE))
    assert made.motion.position[0] == pytest.approx(alone.body.position, abs=1e-9)
    assert made.motion.orientation[0] == pytest.approx(alone.body.orientation, abs=2e-6)


def test_a_chain_in_flight_keeps_its_momenta() -> None:
    joints = [LinkageJoint('ball', (k, k + 1), (np.array([k + 0.5, 0, 0]),) * 2, damping=0.2) for k in range(4)]
    made = Bodies(joints, [[float(k), 0, 0] for k in range(5)], 1.0, rod(1.0, 1.0))
    made.motion.velocity[:] = np.random.default_rng(5).normal(size=(5, 3))
    made.settle()

    def momenta() -> Vector:
        m = made.motion
        return np.concatenate((m.velocity.sum(axis=0), (np.cross(m.position, m.velocity) + m.spin).sum(axis=0)))

    before, energy = momenta(), made.energy(NONE)
    made.go(5.0, 1e-3, NONE)
    assert momenta() == pytest.approx(before, abs=1e-7)
    assert made.energy(NONE) < 0.9 * energy, 'damping does not act'


def test_a_slider_slides_and_a_weld_holds() -> None:
    """Down a plane of 30 degrees by g sin(30) t^2 / 2, without rotation, although pushed off its center."""
    axis = np.array([math.cos(math.radians(30.0)), 0.0, -0.5])
    joints = [
        LinkageJoint('slider', (WORLD, 0), (NONE, NONE), axis),
        LinkageJoint('fixed', (0, 1), (np.array([0.0, 0.5, 0.3]),) * 2),
    ]
    made = Bodies(joints, [[0.0, 0.0, 0.0], [0.0, 1.0, 0.3]], 3.0, np.diag([0.1, 0.2, 0.3]))
    made.go(2.0, 1e-3)
    assert made.motion.position[0] == pytest.approx(axis * 9.81, abs=1e-8)
    assert made.motion.position[1] - made.motion.position[0] == pytest.approx([0.0, 1.0, 0.3], abs=1e-8)
    assert made.motion.orientation == pytest.approx(np.tile([0, 0, 0, 1.0], (2, 1)), abs=1e-9)


def test_damper_reduces_speed_exponentially() -> None:
    """exp(-c t / I) about a hinge, by implicit Euler, with an error of c h / 2 I per time constant."""
    made = pendulum(damping=0.5)
    inertia = 2.0 / 3.0
    made.motion.spin[0] = [0.0, made.inertia[1, 1] * 3.0, 0.0]
    made.motion.velocity[0] = [0.0, 0.0, -1.5]
    made.go(2.0, 1e-3, NONE)
    rate = made.motion.spin[0, 1] / made.inertia[1, 1]
    assert rate == pytest.approx(3.0 * math.exp(-0.5 * 2.0 / inertia), rel=2e-3)
    # Any damping stops the motion without divergence.
    stiff = pendulum(damping=1e6)
    stiff.go(1.0, 1e-3)
    assert abs(stiff.motion.position[0, 2]) < 2e-5


def test_spring_and_damper_swing_as_the_closed_form() -> None:
    """A weight that slides on a spring: x = A e^(-d t) cos(w t) about its rest, to the error of a step of 0.5 ms."""
    mass, stiffness, damping = 2.0, 200.0, 1.2
    joints = [
        LinkageJoint('slider', (WORLD, 0), (NONE, NONE)),
        LinkageJoint(
            'spring', (WORLD, 0), (np.array([0.0, 0.0, 1.0]), NONE), damping=damping, stiffness=stiffness, rest_m=1.0
        ),
    ]
    made = Bodies(joints, [[0.0, 0.0, 0.0]], mass, np.eye(3))
    made.go(1.5, 5e-4)
    sag, decay = mass * 9.81 / stiffness, damping / (2.0 * mass)
    rate = math.sqrt(stiffness / mass - decay**2)
    swing = math.exp(-decay * 1.5) * (math.cos(rate * 1.5) + decay / rate * math.sin(rate * 1.5))
    assert made.motion.position[0, 2] == pytest.approx(-sag * (1.0 - swing), abs=5e-4 * sag)


def test_a_point_stays_on_a_line_in_a_plane_and_at_a_distance() -> None:
    """Each joint leaves the other directions free: these fall, the constrained ones do not."""
    origin, x = np.zeros(3), np.array([1.0, 0.0, 0.0])
    for kind, points, axis, held, free in (
        ('line', (origin, origin), x, [1, 2], 0),
        ('plane', (origin, origin), x, [0], 2),
        ('cylinder', (origin, origin), x, [1, 2], 0),
    ):
        made = Bodies([LinkageJoint(kind, (WORLD, 0), points, axis)], [[0.0, 0.0, 0.0]], 1.0, np.eye(3))
        made.motion.velocity[0] = (1.0, 0.2, 0.3)
        made.motion.spin[0] = (0.5, 0.0, 0.0)
        made.settle()
        made.go(1.0, 1e-3)
        assert np.abs(made.motion.position[0, held]).max() < 1e-9
        assert abs(made.motion.position[0, free]) > 0.5
        assert made.motion.spin[0, 0] == pytest.approx(0.5), 'turning about the axis is free'
    made = Bodies([LinkageJoint('distance', (WORLD, 0), (origin, x))], [[1.0, 0.0, 0.0]], 1.0, np.eye(3))
    energy = made.energy()
    made.go(3.0, 1e-3)
    assert math.hypot(*made.motion.position[0]) == pytest.approx(1.0, abs=1e-9)
    assert made.energy() == pytest.approx(energy, abs=1e-3)


@pytest.mark.parametrize('kind', ['ball', 'hinge', 'slider', 'cylinder', 'fixed', 'line', 'plane', 'distance'])
def test_derivatives_are_those_of_small_motions(kind: str) -> None:
    """By differences, for satisfied joints of two rotated bodies, with extended sliders."""
    axis = np.array([0.6, 0.0, 0.8])
    at = np.array([0.3, 0.4, 0.5])
    far = at + 0.7 * (np.array([0.5, 0.5, 0.1]) if kind == 'distance' else axis)
    points = (at, far) if kind in ('distance', 'slider', 'cylinder', 'line') else (at, at)
    turn = np.array([from_rotation_vector(np.array(v)) for v in ([0.4, -1.0, 0.3], [2.0, 0.1, -0.7])])
    joint = LinkageJoint(kind, (0, 1), points, axis, 0.1 if kind == 'ball' else 0.0)
    made = Bodies([joint], [[0.1, -0.2, 0.3], [0.7, 0.2, -0.1]], 1.0, np.eye(3), turn)
    assert made.apart() < 1e-12
    _equations(made.system, made.motion, True)
    jacobian, holds = made.system.jacobian.copy(), made.system.rows.damping == 0.0
    step = 1e-6
    for body in range(2):
        for i in range(6):
            found = []
            for sign in (1.0, -1.0):
                moved = LinkageState(*(part.copy() for part in made.motion))
                if i < 3:
                    moved.position[body, i] += sign * step
                else:
                    moved.orientation[body] = product(
                        from_rotation_vector(sign * step * np.eye(3)[i - 3]), moved.orientation[body]
                    )
                _equations(made.system, moved, False)
                found.append(made.system.apart.copy())
            difference = (found[0] - found[1]) / (2.0 * step)
            assert difference[holds] == pytest.approx(jacobian[holds, body, i], abs=1e-8), (body, i)


def test_impulse_on_one_rod_moves_the_whole_pendulum() -> None:
    """An impulse J at the end of a rod on a pin gives it the rate J L / (m L^2 / 3)."""
    made = pendulum()
    made.motion.velocity[0] += (0.0, 0.0, 0.5 / 2.0)
    made.motion.spin[0] += np.cross([0.5, 0.0, 0.0], [0.0, 0.0, 0.5])
    made.settle()
    assert made.motion.spin[0, 1] / made.inertia[1, 1] == pytest.approx(-0.5 / (2.0 / 3.0))


def test_inverse_inertia_is_the_response_to_an_impulse() -> None:
    """For a rod on a pin: rotation about the pin only, 1 / (m L^2 / 3). In a chain: the projected response to an impulse."""
    made, found = pendulum(), np.empty((6, 6))
    inverse_inertia(made.system, made.masses, made.motion, np.array([0]), found)
    # About the pin, an impulse at the center along z has the moment -L / 2 about y.
    arm = np.array([0.0, 0.0, -0.5, 0.0, 1.0, 0.0])
    assert found == pytest.approx(np.outer(arm, arm) / (2.0 / 3.0), abs=1e-9)
    made = four_bar()
    blow = np.array([0.3, 0.0, 1.0, 0.0, 0.2, 0.0])
    inverse_inertia(made.system, made.masses, made.motion, np.array([1]), found)
    made.motion.velocity[1], made.motion.spin[1] = blow[:3] / made.mass, blow[3:]
    made.settle()
    turn = matrices(made.motion.orientation)[1]
    omega = turn @ made.masses.compliance[1] @ turn.T @ made.motion.spin[1]
    assert found @ blow == pytest.approx(np.concatenate((made.motion.velocity[1], omega)), abs=1e-9)
    assert found == pytest.approx(found.T, abs=1e-9) and np.linalg.eigvalsh(found).min() > -1e-9


def test_linkage_that_moves_too_fast_returns_torn() -> None:
    made = pendulum()
    made.motion.velocity[0], made.motion.spin[0] = (0.0, 0.0, 5e3), (0.0, -1e4 * made.inertia[1, 1], 0.0)
    room = LinkageState(*(np.empty_like(part) for part in made.motion))
    assert advance(made.system, made.masses, made.motion, room, G, 1e-2, 10) == TORN
