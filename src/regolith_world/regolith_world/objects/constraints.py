# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints and cables between objects that evolve apart: vehicles behind a bus, free bodies, links of ropes, platforms.

Seed of the design: "Simulator Architecture" (2024), chapter Constraints. A linkage solves its joints in substeps of its
own; that needs one parent, which two vehicles in two processes do not have. So the world does here what it does with
contacts: at each commit it finds the impulses that bring the velocities of both sides back to what the joint allows,
and both take them at the start of the next cycle. Between commits each side moves as if it were free, so errors of
position grow with the square of the cycle, and a taut coupling asks for short ones.

What an impulse makes of a velocity is told by each side (:meth:`regolith_world.objects.object.Object.inverse_inertia`):
of a vehicle, the inverse operational inertia of its base, since it stands on springs. That couplings on two bodies of
one vehicle or of one rope feel each other within a cycle is left out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_world.checkpoint import codec
from regolith_world.cycle.records import BodyState, Impulse, Vector
from regolith_world.numerics.portable_math import cross, dot, norm, solved, times
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.object import NEVER_NS, Object, SavedObject

STEPS = 2.0
"""Time over which an error of position is taken out, in steps."""
REDUNDANCY = 1e-9
"""Share by which each row's own mobility is raised, so that rows which say the same twice share the load."""
NEAR_M = 1e-3
"""Slack at which a cable counts as taut [m]."""
_MOST_CHANGES = 1000
_ROUNDING = 1e-12
"""Rate beyond what a cable allows that is none [m/s]."""
_BALL = ((0, 0), (0, 1), (0, 2))
_ALONG = ((1, 0), (1, 1))
ROWS: dict[str, tuple[tuple[int, int], ...]] = {
    'ball': _BALL,
    'hinge': _BALL + _ALONG,
    'slider': ((0, 0), (0, 1), *_ALONG, (2, 1)),
    'fixed': (*_BALL, *_ALONG, (2, 1)),
}
"""Rows of joints that hold points together: number of the point (at the joint, ahead of it along z, aside along x) and
the axis of the joint's frame along which it is held. Held so, z stays along z and x does not turn about it."""


@dataclass(frozen=True, slots=True)
class DistanceElement:
    """What holds two points at a distance, or pulls them."""

    length_m: float | None
    """None: as far apart as they are at first."""
    one_way: bool
    """Whether it can only pull, as a cable."""
    stiffness_npm: float = 0.0
    """[N/m]; 0: it does not give."""
    damping: float = 0.0
    """[N s/m], of one that gives."""


class Constraint(Object):
    """A joint or a cable between two objects. Where it gets hold of the second is where that is at first.

    Its own pose is that of its end on the first object.

    Args:
        between: names of the objects
        near: points in the frame of the first [m], shape (n, 3)
        far: of a line, its end in the frame of the second [m], shape (1, 3); None: found at first
        rows: point and axis of each thing that is held; empty: a line
        axes: columns: x, y, z of the joint in the frame of the first, shape (3, 3)
        step_ns: longest cycle while it holds [ns]
        until_ns: when it lets go
    """

    kind = 'joint'

    def __init__(
        self,
        name: str,
        between: tuple[str, str],
        near: Vector,
        far: Vector | None,
        rows: Sequence[tuple[int, int]],
        axes: Vector,
        line: DistanceElement | None,
        *,
        step_ns: int,
        until_ns: int = NEVER_NS,
        t_ns: int = 0,
    ) -> None:
        zero = np.zeros(3)
        super().__init__(
            name, BodyState(name, zero, np.array([0.0, 0.0, 0.0, 1.0]), zero, zero), tangible=False, t_ns=t_ns
        )
        self.between, self.near, self.far, self.line = between, near, far, line
        self.rows, self.axes = tuple(rows), axes
        self.step_ns, self.until_ns = step_ns, until_ns
        self.wish_ns = step_ns
        """Longest next cycle, of the last commit [ns]."""
        self.given: Vector = np.zeros(max(1, len(self.rows)))
        """Impulses of the last commit, by row [N s]: on the second object along the row."""
        self.opening: float | None = None
        """Of a line that gave at the last commit: the rate at which it opened after that [m/s]."""

    def needs(self) -> tuple[str, ...]:
        """Return the names of the two objects."""
        return self.between

    def next_dt_ns(self) -> int:
        """Return the step while it holds, less time to where it becomes taut or lets go [ns]."""
        return min(self.wish_ns, max(1, self.until_ns - self.states.newest_time_ns))

    def delay(self, by_ns: int) -> None:
        """Begin, and let go, so much later."""
        super().delay(by_ns)
        self.until_ns += by_ns

    def place(self, t_ns: int, body: BodyState) -> None:
        """Refuse: it is where what it holds is.

        Raises:
            ValueError: always
        """
        raise ValueError(f'{self.name!r} is where {" and ".join(self.between)} are; allowed: objects with bodies')

    def tell(self, t_ns: int, position: Vector, velocity: Vector) -> None:
        """Replace its newest state: where its end on the first object is [m], and moves [m/s]."""
        turn = self.body.orientation
        self.states.delete_state(0)
        self.states.new_state(t_ns, BodyState(self.name, position, turn, velocity, np.zeros(3)))

    def canonical_state(self) -> bytes:
        """Return what its future depends on as canonical little-endian bytes, for the state hash."""
        far = np.zeros(0) if self.far is None else self.far.ravel()
        length = -1.0 if self.line is None or self.line.length_m is None else self.line.length_m
        opening = () if self.opening is None else (self.opening,)
        flat = np.concatenate((far, self.given, (length,), opening)).astype('<f8').tobytes()
        return struct.pack('<qqq', self.states.newest_time_ns, self.wish_ns, self.until_ns) + flat

    def extra_state(self) -> bytes:
        """Return all of it, as bytes."""
        return codec.encode(
            _Kept(
                self.between,
                self.near,
                self.far,
                tuple(self.rows),
                self.axes,
                self.line,
                self.step_ns,
                self.until_ns,
                self.wish_ns,
                self.given,
                self.opening,
            )
        )

    @classmethod
    def restored(cls, kept: SavedObject) -> Constraint:
        """Return the object of :meth:`save`."""
        k = codec.decode(_Kept, kept.more)
        made = cls(
            kept.name,
            k.between,
            k.near,
            k.far,
            k.rows,
            k.axes,
            k.line,
            step_ns=k.step_ns,
            until_ns=k.until_ns,
            t_ns=kept.t_ns,
        )
        made.tell(kept.t_ns, kept.body.position, kept.body.linear_velocity)
        made.wish_ns, made.given, made.opening = k.wish_ns, k.given, k.opening
        return made


@dataclass(frozen=True, slots=True)
class _Kept:
    between: tuple[str, str]
    near: Vector
    far: Vector | None
    rows: tuple[tuple[int, int], ...]
    axes: Vector
    line: DistanceElement | None
    step_ns: int
    until_ns: int
    wish_ns: int
    given: Vector
    opening: float | None


class _Side:
    """An object that something holds: how it moves after the blows of a commit, and what an impulse makes of that."""

    def __init__(self, item: Object, number: int, blows: Iterable[Impulse]) -> None:
        body = item.body
        self.number = number
        self.position, self.turn = body.position, matrix(body.orientation)
        self.centre = body.center_of_mass if body.mass > 0.0 else body.position
        self.mobility = _mobility(item)
        velocity = body.linear_velocity + cross(body.angular_velocity, self.centre - body.position)
        self.twist = np.concatenate((velocity, body.angular_velocity))
        own = {part.name for part in item.family() if part.contact_target is item}
        for blow in blows:
            for name, sign in ((blow.a, 1.0), (blow.b, -1.0)):
                if name in own:
                    self.twist = self.twist + times(self.mobility, self.wrench(blow.point, sign * blow.impulse))

    def wrench(self, point: Vector, impulse: Vector) -> Vector:
        """Return an impulse and its moment about the centre, shape (6,)."""
        return np.concatenate((impulse, cross(point - self.centre, impulse)))

    def velocity(self, point: Vector) -> Vector:
        """Return how its material moves at a point [m/s], shape (3,)."""
        at: Vector = self.twist[:3] + cross(self.twist[3:], point - self.centre)
        return at

    def place(self, local: Vector) -> Vector:
        """Return where a point of its frame is in the world [m], shape (3,)."""
        return self.position + times(self.turn, local)


def _mobility(item: Object) -> Vector:
    """Return what velocities an impulse and its moment about the centre give an object, shape (6, 6)."""
    own, body = item.inverse_inertia(), item.body
    if own is not None:
        return own
    out = np.zeros((6, 6))
    if body.mass > 0.0:
        out[:3, :3] = np.eye(3) / body.mass
        out[3:, 3:] = solved(body.inertia, np.eye(3))
    return out


@dataclass(slots=True)
class _Row:
    """One thing that is held: the rate at which the second object leaves the first along a direction, at a point."""

    coupling: Constraint
    number: int
    sides: tuple[_Side, _Side]
    point: Vector
    direction: Vector
    target: float
    """Of that rate after the impulse [m/s]; of a cable, at most."""
    softness: float = 0.0
    """Of one that gives: rate per impulse [1/kg]."""
    one_way: bool = False

    def rate(self) -> float:
        """Return the rate before the impulse [m/s]."""
        near, far = self.sides
        return dot(far.velocity(self.point) - near.velocity(self.point), self.direction)


def attachable_bodies(objects: Mapping[str, Object]) -> dict[str, Object]:
    """Return what couplings can hold, by name: whatever moves as a body of its own, or never."""
    members = (item for _, root in sorted(objects.items()) for item in root.family())
    return {item.name: item for item in members if item.tangible and item.contact_target is item}


def constrained_names(objects: Mapping[str, Object]) -> tuple[str, ...]:
    """Return the names of all that couplings hold, sorted."""
    return tuple(sorted({n for o in objects.values() if isinstance(o, Constraint) for n in o.between}))


def solve_constraints(objects: Mapping[str, Object], t_ns: int, blows: tuple[Impulse, ...]) -> tuple[Impulse, ...]:
    """Return the impulses by which all couplings hold at a commit; one whose objects are gone, or whose time is, dies.

    The rates r of all rows after impulses l are r + A l, A = J W J^T, with the mobilities W. A rigid row shall have
    r + A l = -C / (2 h) with its error C and the step h. One that gives follows its law implicitly, r + (A + g) l =
    -k C / (h k + c) - a h / 2 with g = 1 / (h (h k + c)) and the acceleration a of the last cycle. A cable only pulls,
    and leaves alone what will not be taut by the end of a step. Solved directly, with cables let go and taken again by
    their numbers until all signs are right.

    Args:
        objects: roots by name, at their committed states
        blows: impulses of contacts at this commit, which act first

    Source: catto2005; catto2011; murty1974; featherstone2008.
    Checked by: test_constraints.py::test_a_rod_keeps_two_balls_at_a_distance_and_their_momentum,
    test_constraints.py::test_a_cable_pulls_and_never_pushes,
    test_constraints.py::test_a_spring_swings_with_its_period,
    test_constraints.py::test_a_train_of_sledges_has_the_tensions_of_newton.
    """
    couplings = [o for _, o in sorted(objects.items()) if isinstance(o, Constraint)]
    if not couplings:
        return ()
    present, sides, rows = attachable_bodies(objects), dict[str, _Side](), list[_Row]()
    for coupling in couplings:
        coupling.alive = t_ns < coupling.until_ns and all(name in present for name in coupling.between)
        if not coupling.alive:
            continue
        for name in coupling.between:
            if name not in sides:
                sides[name] = _Side(present[name], len(sides), blows)
        rows += _rows(coupling, (sides[coupling.between[0]], sides[coupling.between[1]]), t_ns)
    given, rates = _impulses(rows, len(sides))
    found = []
    for coupling in couplings:
        coupling.given, coupling.opening = np.zeros_like(coupling.given), None
    for row, size, rate in zip(rows, given.tolist(), rates.tolist()):
        row.coupling.given[row.number] = size
        if row.softness:
            row.coupling.opening = rate
        if size:
            found.append(Impulse(*row.coupling.between, row.point, -size * row.direction))
    return tuple(found)


def _rows(coupling: Constraint, sides: tuple[_Side, _Side], t_ns: int) -> list[_Row]:
    """Return what a coupling holds now, and have it tell where it is and how long the next cycle may be."""
    near, far = sides
    if coupling.far is None:
        coupling.far = np.array([times(far.turn.T, near.place(point) - far.position) for point in coupling.near])
    begins = [near.place(point) for point in coupling.near]
    ends = [far.place(point) for point in coupling.far]
    last = coupling.states.last_step_ns
    coupling.tell(t_ns, begins[0], near.velocity(begins[0]))
    if coupling.line is not None:
        return _line(coupling, coupling.line, sides, begins[0], ends[0], last)
    coupling.wish_ns = coupling.step_ns
    time, turn = STEPS * 1e-9 * coupling.step_ns, times(near.turn, coupling.axes)
    found = []
    for number, (point, axis) in enumerate(coupling.rows):
        error = dot(ends[point] - begins[point], turn[:, axis])
        found.append(_Row(coupling, number, sides, ends[point], turn[:, axis], -error / time))
    return found


def _line(
    coupling: Constraint, line: DistanceElement, sides: tuple[_Side, _Side], begin: Vector, end: Vector, last_ns: int
) -> list[_Row]:
    apart = norm(end - begin)
    if line.length_m is None:
        line = coupling.line = DistanceElement(apart, line.one_way, line.stiffness_npm, line.damping)
    assert line.length_m is not None
    error, step = apart - line.length_m, 1e-9 * coupling.step_ns
    if apart < 1e-9:
        coupling.wish_ns = coupling.step_ns
        return []  # no direction to pull in
    row = _Row(coupling, 0, sides, end, (end - begin) / apart, -error / (STEPS * step), one_way=line.one_way)
    slack = line.one_way and error < -NEAR_M
    coupling.wish_ns = coupling.step_ns
    if slack:
        opening = row.rate()
        # Half the time in which it would become taut at this rate.
        wait = -0.5e9 * error / opening if opening > 1e-9 else float(NEVER_NS)
        coupling.wish_ns = max(coupling.step_ns, round(min(wait, float(NEVER_NS))))
    if line.stiffness_npm:
        if slack:
            return []
        # The next cycle is taken to be as long as the last. Where it is not, the next impulse makes up for it: over any
        # time, impulses add up to force times time but for one cycle.
        span = min(step, 1e-9 * last_ns) if last_ns else step
        brake = span * line.stiffness_npm + line.damping
        row.softness, row.target = 1.0 / (span * brake), -line.stiffness_npm * error / brake
        if coupling.opening is not None and last_ns:
            # What else opened it will do so again: half of it on the mean of a cycle.
            row.target -= 0.5 * span * (row.rate() - coupling.opening) / (1e-9 * last_ns)
    elif line.one_way and error < 0.0:
        row.target = -error / step
    return [row]


def _impulses(rows: Sequence[_Row], count: int) -> tuple[Vector, Vector]:
    """Return the impulse of each row [N s], shape (n,), and its rate after all of them [m/s], shape (n,).

    Args:
        count: number of sides
    """
    n = len(rows)
    if not n:
        return np.zeros(0), np.zeros(0)
    jacobian = np.zeros((n, 6 * count))
    answers = np.zeros((n, 6 * count))
    for k, row in enumerate(rows):
        for side, sign in zip(row.sides, (-1.0, 1.0)):
            wrench = side.wrench(row.point, sign * row.direction)
            span = slice(6 * side.number, 6 * side.number + 6)
            jacobian[k, span] += wrench
            answers[k, span] += times(side.mobility, wrench)
    matrix_ = times(jacobian, answers.T)
    stiffer = matrix_.copy()
    softness = np.array([row.softness for row in rows])
    np.fill_diagonal(stiffer, np.diagonal(matrix_) * (1.0 + REDUNDANCY) + softness)
    rates = np.array([row.rate() for row in rows])
    given = _pulls(stiffer, np.array([row.target for row in rows]) - rates, np.array([row.one_way for row in rows]))
    return given, rates + times(matrix_, given)


def _pulls(matrix_: Vector, wanted: Vector, one_way: NDArray[np.bool_]) -> Vector:
    """Return x of ``matrix x = wanted``, where one-way rows have x <= 0 and may fall short: ``matrix x <= wanted``.

    One row at a time changes sides, that of the least number, which ends for positive definite matrices (Murty 1974).
    """
    n = len(wanted)
    # A row that nothing can move, as between two walls, holds nothing.
    taken = np.diagonal(matrix_) > 0.0
    can = taken.copy()
    for _ in range(_MOST_CHANGES):
        x = np.zeros(n)
        chosen = np.flatnonzero(taken)
        if len(chosen):
            x[chosen] = solved(matrix_[np.ix_(chosen, chosen)], wanted[chosen])
        wrong = one_way & can & np.where(taken, x > 0.0, times(matrix_, x) - wanted > _ROUNDING)
        if not wrong.any():
            break
        first = int(np.flatnonzero(wrong)[0])
        taken[first] = not taken[first]
    return np.where(one_way, np.minimum(x, 0.0), x)
