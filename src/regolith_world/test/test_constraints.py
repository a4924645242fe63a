# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of constraints: joints and cables between separately computed objects."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from toy_worlds import Nobody, run, world

from regolith_world.checkpoint.world_edits import SpawnEdit
from regolith_world.cycle.records import BodyState, Vector
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.constraint_types import CABLE, JOINT
from regolith_world.objects.constraints import Constraint, _pulls
from regolith_world.objects.object_types import make_objects
from regolith_world.timeline import Timeline
from regolith_world.world import AdmissionError, World

G = 1.62


def ball(*position: float, mass: float = 1.0, **more: Any) -> dict[str, Any]:
    shape = {'kind': 'sphere', 'size_m': [0.1]}
    return {'type': 'rigid_body', 'position': list(position), 'mass_kg': mass, 'shape': shape, **more}


def brick(*position: float, mass: float = 2.0, **more: Any) -> dict[str, Any]:
    return {**ball(*position, mass=mass, **more), 'shape': {'kind': 'box', 'size_m': [0.3, 0.1, 0.05]}}


def cable(a: str, b: str, **more: Any) -> dict[str, Any]:
    return {'type': 'cable', 'between': [a, b], 'ends': [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], **more}


def joint(kind: str, a: str, b: str, **more: Any) -> dict[str, Any]:
    return {'type': 'joint', 'kind': kind, 'between': [a, b], **more}


HOOK = {'type': 'static_body', 'position': [0.0, 0.0, 5.0], 'shapes': [{'kind': 'sphere', 'size_m': [0.05]}]}
ROD = {'ends': [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}


def body(w: World, name: str) -> BodyState:
    return w.objects[name].body


def point(w: World, name: str, local: tuple[float, float, float]) -> Vector:
    at = body(w, name)
    return at.position + matrix(at.orientation) @ np.array(local)


def energy(w: World, names: tuple[str, ...], gravity: float = 0.0) -> float:
    total = 0.0
    for b in (body(w, name) for name in names):
        total += 0.5 * b.mass * float(b.linear_velocity @ b.linear_velocity) + b.mass * gravity * float(b.position[2])
        total += 0.5 * float(b.angular_velocity @ b.inertia @ b.angular_velocity)
    return total


def test_a_rod_keeps_two_balls_at_a_distance_and_their_momentum() -> None:
    """They rotate about each other; momentum and angular momentum about the origin are conserved to rounding."""
    two = {
        'a': ball(0, 0, 0, weightless=True, velocity_mps=[0.1, 0.5, 0.0]),
        'b': ball(1, 0, 0, mass=3.0, weightless=True, velocity_mps=[0.1, -0.5, 0.2]),
    }
    w = world(**two, rod=joint('distance', 'a', 'b', **ROD))

    def momenta() -> Vector:
        bodies = body(w, 'a'), body(w, 'b')
        linear = sum(b.mass * b.linear_velocity for b in bodies)
        spin = sum(b.mass * np.cross(b.position, b.linear_velocity) + b.inertia @ b.angular_velocity for b in bodies)
        return np.concatenate((linear, spin))

    before, turned = momenta(), 0.0
    for _ in range(1000):
        was = body(w, 'b').position - body(w, 'a').position
        w.step()
        now = body(w, 'b').position - body(w, 'a').position
        turned += math.atan2(np.linalg.norm(np.cross(was, now)), was @ now)
        # Between commits they move straight: v^2 h^2 / 2 d = 12 um at 1 m/s, and what two steps do not correct.
        assert np.linalg.norm(now) == pytest.approx(1.0, abs=5e-5)
    assert momenta() == pytest.approx(before, abs=1e-12)
    assert turned == pytest.approx(math.hypot(1.0, 0.2) * 5.0, rel=0.01)


@pytest.mark.parametrize('kind', ['cable', pytest.param('distance', marks=pytest.mark.slow)])
def test_a_pendulum_has_its_period_and_gains_no_energy(kind: str) -> None:
    """2 pi sqrt(l / g) to 0.5 % at 0.1 rad (0.06 % more by its amplitude)."""
    link = cable('hook', 'bob') if kind == 'cable' else joint('distance', 'hook', 'bob', **ROD)
    angle, length = 0.1, 0.5
    w = world(hook=HOOK, bob=ball(length * math.sin(angle), 0, 5.0 - length * math.cos(angle)), link=link)
    most, crossings = energy(w, ('bob',), G), []
    for _ in range(1500):
        was, before = body(w, 'bob').position[0], w.t_ns
        w.step()
        now = body(w, 'bob').position[0]
        if was > 0.0 >= now:
            crossings.append(1e-9 * (before + (w.t_ns - before) * was / (was - now)))
        assert np.linalg.norm(body(w, 'bob').position - body(w, 'hook').position) == pytest.approx(length, abs=1e-4)
        # It falls freely for 5 ms between two impulses, 20 um or 33 uJ.
        assert energy(w, ('bob',), G) < most + 5e-5
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(2.0 * math.pi * math.sqrt(length / G), rel=5e-3)


def test_a_cable_pulls_and_never_pushes() -> None:
    """Slack, it has no effect. Taut, a plastic impact keeps only the velocity of the center of mass along it."""
    w = world(
        a=ball(0, 0, 0, weightless=True),
        b=ball(1, 0, 0, mass=3.0, weightless=True, velocity_mps=[0.5, 0.2, 0.0]),
        tow=cable('a', 'b', length_m=2.0),
    )
    run(w, 1.5)
    assert body(w, 'a').linear_velocity == pytest.approx(np.zeros(3)), 'slack'
    for _ in range(400):
        w.step()
        assert np.linalg.norm(body(w, 'b').position - body(w, 'a').position) < 2.0 + 1e-4
        assert w.objects['tow'].given[0] <= 0.0  # type: ignore[attr-defined]
    total = body(w, 'a').linear_velocity + 3.0 * body(w, 'b').linear_velocity
    assert total == pytest.approx([1.5, 0.6, 0.0], abs=1e-12)


def test_a_train_of_sledges_has_the_tensions_of_newton() -> None:
    """Weights that hang from one another: each cable carries what hangs below it, in the same commit."""
    hung = {f'w{k}': ball(0, 0, 4.0 - k, mass=m) for k, m in enumerate((1.0, 2.0, 5.0))}
    w = world(
        hook=HOOK,
        **hung,
        c0=cable('hook', 'w0'),
        c1=cable('w0', 'w1'),
        c2=cable('w1', 'w2'),
    )
    run(w, 1.0)
    totals, start = np.zeros(3), w.t_ns
    while w.t_ns < 2_000_000_000:
        totals -= [w.objects[f'c{k}'].given[0] for k in range(3)]  # type: ignore[attr-defined]
        w.step(2_000_000_000)
    assert totals / (1e-9 * (w.t_ns - start)) == pytest.approx([8.0 * G, 7.0 * G, 5.0 * G], rel=1e-3)
    # Each end falls for a step of 5 ms and is corrected over two: g h^2 = 40 um per cable.
    assert body(w, 'w2').position[2] == pytest.approx(2.0, abs=2e-4)


def test_a_spring_swings_with_its_period() -> None:
    """Two free balls: 2 pi sqrt(m / k) with the reduced mass, to 1 %; implicit steps of 5 ms only remove energy."""
    w = world(
        a=ball(0, 0, 0, weightless=True),
        b=ball(1.1, 0, 0, mass=3.0, weightless=True),
        coil=joint('spring', 'a', 'b', **ROD, stiffness_npm=30.0, rest_length_m=1.0),
    )
    crossings = []
    for _ in range(1200):
        was, before = body(w, 'b').position[0] - body(w, 'a').position[0] - 1.0, w.t_ns
        w.step()
        now = body(w, 'b').position[0] - body(w, 'a').position[0] - 1.0
        assert abs(now) < 0.101
        if was > 0.0 >= now:
            crossings.append(1e-9 * (before + (w.t_ns - before) * was / (was - now)))
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    assert period == pytest.approx(2.0 * math.pi * math.sqrt(0.75 / 30.0), rel=0.01)


@pytest.mark.parametrize('step_s', [pytest.param(0.005, marks=pytest.mark.slow), 0.02])
def test_a_weight_stretches_an_elastic_cable_by_its_law(step_s: float) -> None:
    """m g / k for any step size, also where another object requests shorter steps."""
    for more in (
        {},
        {
            'lift': {
                'type': 'joint',
                'kind': 'distance',
                'between': ['hook', 'bird'],
                'ends': [[0, 0, 0], [0, 0, 0]],
                'max_step_s': 0.002,
            },
            'bird': ball(3.0, 0, 5.0, weightless=True),
        },
    ):
        w = world(
            hook=HOOK,
            bob=ball(0, 0, 4.0, mass=4.0),
            **more,
            cord=cable('hook', 'bob', length_m=1.0, stiffness_npm=200.0, damping=60.0, max_step_s=step_s),
        )
        run(w, 3.0)
        assert 4.0 - body(w, 'bob').position[2] == pytest.approx(4.0 * G / 200.0, rel=0.01)


def test_slack_cable_and_its_release_time_are_restored() -> None:
    """A slack cable requests steps longer than its step. The request and its release time are part of its state."""

    def made(until_s: float = 0.0) -> World:
        w = world(
            hook=HOOK,
            bob=ball(0, 0, 4.9, weightless=True, velocity_mps=[0.1, 0.0, 0.0]),
            tether=cable('hook', 'bob', length_m=2.0, **({'release_s': until_s} if until_s else {})),
        )
        w.step()
        w.hold()
        return w

    w = made()
    tether = w.objects['tether']
    assert isinstance(tether, Constraint) and tether.wish_ns > 10 * tether.step_ns
    again = World(w.config)
    again.load(w.save())
    copy = again.objects['tether']
    assert (copy.canonical_state(), copy.next_dt_ns()) == (tether.canonical_state(), tether.next_dt_ns())
    for _ in range(30):
        w.step()
        again.step()
        assert (again.t_ns, again.state_hash) == (w.t_ns, w.state_hash)
    assert len({made(until_s).state_hash for until_s in (0.0, 50.0, 60.0)}) == 3


def test_elastic_cable_stretch_is_independent_of_step_sizes() -> None:
    """m g / k, also when every other step is cut to a tenth.

    The stretch at a commit is within half of what the ball falls in a step, g h^2 / 2, of its mean: 1 % here.
    """
    w = world(
        hook=HOOK,
        bob=ball(0, 0, 4.0, mass=4.0),
        cord=cable('hook', 'bob', length_m=1.0, stiffness_npm=200.0, damping=60.0, max_step_s=0.02),
    )
    for k in range(300):
        w.step(w.t_ns + (2_000_000 if k % 2 else 20_000_000))
        if k > 200:
            assert 4.0 - body(w, 'bob').position[2] == pytest.approx(4.0 * G / 200.0, rel=0.01)


HELD = {
    'ball': ([], 0.0),
    'hinge': ([(0.0, 0.0, 1.0)], 0.0),
    'slider': ([(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)], None),
    'fixed': ([(0.0, 0.0, 1.0), (1.0, 0.0, 0.0)], 0.0),
}


@pytest.mark.parametrize('kind', HELD)
def test_joints_constrain_exactly_their_degrees_of_freedom(kind: str) -> None:
    """Two bricks that tumble, 4 s: points together, axes parallel, momenta conserved; free directions move."""
    w = world(
        a=brick(0, 0, 0, weightless=True, angular_velocity_radps=[0.1, 0.2, 0.6], velocity_mps=[0.0, 0.0, 0.05]),
        b=brick(0.8, 0, 0, mass=1.0, weightless=True, angular_velocity_radps=[-0.2, 0.1, -0.4]),
        pin=joint(kind, 'a', 'b', at=[0.4, 0.0, 0.0]),
    )
    axes, near = HELD[kind]
    before = energy(w, ('a', 'b'))
    run(w, 4.0)
    apart = point(w, 'a', (0.4, 0.0, 0.0)) - point(w, 'b', (-0.4, 0.0, 0.0))
    turns = [matrix(body(w, name).orientation) for name in ('a', 'b')]
    along = turns[0] @ np.array([0.0, 0.0, 1.0])
    assert np.linalg.norm(apart if near == 0.0 else apart - (apart @ along) * along) < 1e-4
    for axis in axes:
        assert np.linalg.norm(turns[0] @ np.array(axis) - turns[1] @ np.array(axis)) < 2e-4
    total = 2.0 * body(w, 'a').linear_velocity + body(w, 'b').linear_velocity
    assert total == pytest.approx([0.0, 0.0, 0.1], abs=1e-12)
    assert energy(w, ('a', 'b')) <= before
    if kind in ('ball', 'hinge'):
        assert np.linalg.norm(turns[0] @ [1.0, 0.0, 0.0] - turns[1] @ [1.0, 0.0, 0.0]) > 0.1
    if kind == 'slider':
        assert abs(apart @ along) > 0.05


def test_a_bar_on_a_platform_is_carried_with_its_weight_and_the_acceleration() -> None:
    """m (g + a) at any time of a smooth lift, to 2 %."""
    lift = {
        'type': 'platform',
        'position': [0.0, 0.0, 0.0],
        'end_position': [0.0, 0.0, 2.0],
        'travel_time_s': 4.0,
        'round_trip': False,
        'shapes': [{'kind': 'box', 'size_m': [0.2, 0.2, 0.02]}],
    }
    w = world(lift=lift, bar=brick(0.5, 0, 1.0), clamp=joint('fixed', 'lift', 'bar', at=[0.3, 0.0, 1.0]))
    run(w, 0.1)
    while w.t_ns < 3_900_000_000:
        report = w.step()
        force = sum(i.impulse for i in report.impulses if i.a == 'lift')[2] / (1e-9 * report.dt_ns)
        asked = 2.0 * (G + w.objects['lift'].free_acceleration()[2])  # type: ignore[index]
        assert -force == pytest.approx(asked, rel=0.02)
    assert body(w, 'bar').position[2] - body(w, 'lift').position[2] == pytest.approx(1.0, abs=1e-4)


def test_constraint_is_released_at_its_time_to_the_nanosecond() -> None:
    w = world(hook=HOOK, bob=ball(0, 0, 4.0), tether=cable('hook', 'bob', release_s=0.5))
    while 'tether' in w.objects:
        w.step()
    assert w.t_ns == 500_000_000 and w.cycle
    run(w, 1.5)
    # Held, it falls and is pulled up alternately for 5 ms, at up to 4 mm/s.
    assert body(w, 'bob').position[2] == pytest.approx(4.0 - 0.5 * G, abs=5e-3)


def test_constraint_is_removed_with_its_entity() -> None:
    w = world(hook=HOOK, bob=ball(0, 0, 4.0, lifetime_s=0.5), tether=cable('hook', 'bob'))
    run(w, 0.7)
    assert set(w.objects) == {'hook'}


@pytest.mark.slow
def test_rule_1_holds_for_worlds_with_constraints() -> None:
    """Saved at any commit, a world continues with the same states: a spring, a joint and a cable that becomes taut."""
    things = {
        'hook': HOOK,
        'bob': ball(0.5, 0, 4.2, mass=2.0),
        'tail': brick(0.5, 0.0, 3.4),
        'tether': cable('hook', 'bob', length_m=1.0),
        'pin': joint('ball', 'bob', 'tail', at=[0.0, 0.0, -0.4]),
        'far': ball(2.0, 0, 3.0, velocity_mps=[0.2, 0.0, 0.3]),
        'cord': cable('tail', 'far', length_m=1.2, stiffness_npm=40.0, damping=1.0, max_step_s=0.01),
    }
    w = world(**things)
    marks, saved = [], []
    for k in range(300):
        w.step()
        marks.append(w.state_hash)
        if k in (0, 40, 41, 150):
            w.hold()
            saved.append((k, w.save()))
    for k, blob in saved:
        again = World(w.config)
        again.load(blob)
        for n in range(k + 1, 300):
            again.step()
            assert again.state_hash == marks[n], (k, n)


def test_constraint_spawned_during_a_run_is_released_when_deleted() -> None:
    """The entities that it connects must exist."""
    w = world(hook=HOOK, bob=ball(0, 0, 4.0, weightless=True))
    timeline = Timeline(w, Nobody())  # type: ignore[arg-type]
    w.hold()
    timeline.begin()
    run(w, 0.5)

    def made(**entry: Any) -> Any:
        return make_objects({'tether': {**cable('hook', 'bob'), **entry}}, G)[0]

    with pytest.raises(AdmissionError, match=r"'tether' needs 'nobody'; allowed: bob, hook"):  # term: a name
        timeline.apply_edit(SpawnEdit('tether', made(between=['hook', 'nobody']).save()))
    timeline.apply_edit(SpawnEdit('tether', made(release_s=0.3).save()))
    w.step()
    assert isinstance(w.objects['tether'], Constraint) and w.objects['tether'].body.position[2] == pytest.approx(5.0)
    run(w, 0.9)
    assert 'tether' not in w.objects, '0.3 s from its coming'


@pytest.mark.parametrize('seed', range(20))
def test_cables_under_compression_transmit_no_force(seed: int) -> None:
    """For any positive definite system: x <= 0, one-way rows are short of the target or active, not both; others exact."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    half = random.normal(size=(n, n))
    system, wanted, one_way = half @ half.T + 0.1 * np.eye(n), random.normal(size=n), random.random(n) < 0.7
    x = _pulls(system, wanted, one_way)
    rest = system @ x - wanted
    assert np.abs(rest[~one_way]).max(initial=0.0) < 1e-9
    assert (x[one_way] <= 0.0).all() and (rest[one_way] < 1e-9).all()
    assert np.abs(x * rest)[one_way].max(initial=0.0) < 1e-9


@pytest.mark.parametrize(
    ('kind', 'changes', 'why'),
    [
        ('cable', {'between': ['a', 'a']}, r"between = \['a', 'a'\]: names are equal; allowed: two different names"),
        ('cable', {'length_m': 0.0}, 'greater than 0'),
        ('cable', {'damping': 3.0}, 'damping = 3.0: applies only with stiffness_npm; allowed: 0'),
        ('cable', {'max_step_s': 0.5}, 'less than or equal to 0.1'),
        ('joint', {}, 'at = null: is required for a fixed; allowed: a value'),
        ('joint', {'at': [0, 0, 0], 'axis': [0, 0, 1]}, r'axis = .* does not apply to a fixed; allowed: left out'),
        ('joint', {'kind': 'hinge', 'at': [0, 0, 0], 'axis': [0, 0, 0]}, 'has no direction; allowed: a nonzero vector'),
        ('joint', {'kind': 'spring', **ROD}, 'stiffness_npm = null: is required for a spring; allowed: a value'),
        (
            'joint',
            {'kind': 'distance', **ROD, 'rest_length_m': 1.0},
            'rest_length_m = 1.0: does not apply to a distance; allowed: left out',
        ),
        ('joint', {'kind': 'knot'}, 'Input should be'),
    ],
)
def test_constraint_with_invalid_keys_is_refused(kind: str, changes: dict[str, Any], why: str) -> None:
    entry = cable('a', 'b') if kind == 'cable' else joint('fixed', 'a', 'b')
    with pytest.raises(ValidationError, match=why):
        (CABLE if kind == 'cable' else JOINT).section.model_validate({**entry, **changes})
