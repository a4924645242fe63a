# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Constraints: joints and cables between entities that are computed separately, such as vehicles, bodies and platforms.

Source of the design: "Simulator Architecture" (2024), chapter Constraints. A linkage solves its joints in its own
substeps. This needs one parent, which two vehicles in two processes do not have. So the world treats constraints like
contacts. At each commit it finds the impulses that restore the allowed relative velocities, and both sides apply them
at the start of the next cycle. Between commits each side moves unconstrained. Position errors grow with the square of
the step size, so an active constraint requires short steps.

Each side supplies the velocity change per impulse (:meth:`regolith_world.objects.object.Object.inverse_inertia`). For a
vehicle it is the inverse operational inertia of its base on its springs. The interaction within one cycle of
constraints on two bodies of one vehicle or rope is neglected.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_world.cycle.codec import StateField, StateLayout, state_fields
from regolith_world.cycle.records import Anchor, BodyState, Impulse, ObjectVisual, Shape, ShapeKind, Vector
from regolith_world.numerics.portable_math import cross, dot, norm, solved, times
from regolith_world.numerics.rotation import matrix
from regolith_world.objects.object import NEVER_NS, Object, SavedObject

STEPS = 2.0
"""Time constant of the position correction, in steps."""
REDUNDANCY = 1e-9
"""Relative increase of each row's own compliance, so that redundant rows share the load."""
NEAR_M = 1e-3
"""Slack below which a cable counts as taut [m]."""
CABLE_RADIUS_M = 0.01
"""Visible radius of a cable or a spring [m]."""
ROD_RADIUS_M = 0.02
"""Visible radius of a rod [m]."""
_MOST_CHANGES = 1000
_ROUNDING = 1e-12
"""Tolerance on the rate that a cable allows [m/s]."""
_BALL = ((0, 0), (0, 1), (0, 2))
_ALONG = ((1, 0), (1, 1))
ROWS: dict[str, tuple[tuple[int, int], ...]] = {
    'ball': _BALL,
    'hinge': _BALL + _ALONG,
    'slider': ((0, 0), (0, 1), *_ALONG, (2, 1)),
    'fixed': (*_BALL, *_ALONG, (2, 1)),
}
"""Rows of joints: number of the point (0 at the joint, 1 ahead of it along z, 2 aside along x) and axis of the joint's
frame along which it is held. With these rows z remains parallel to z, and x does not rotate about it."""


@dataclass(frozen=True, slots=True)
class DistanceElement:
    """Distance element: a rod, cable or spring between two points."""

    length_m: float | None
    """Length or rest length [m]; None: initial distance of the ends."""
    one_way: bool
    """Whether it transmits tension only, as a cable."""
    stiffness_npm: float = 0.0
    """Stiffness [N/m]; 0: rigid."""
    damping: float = 0.0
    """Damping coefficient of an elastic element [N s/m]."""


class Constraint(Object):
    """A joint or a cable between two entities. Its attachment to the second one follows from the initial poses.

    The pose of the constraint is that of its end on the first entity.

    Args:
        name: Name of the constraint.
        between: Names of the two entities.
        near: Points in the frame of the first entity [m], shape (n, 3).
        far: End of a line in the frame of the second entity [m], shape (1, 3); None: found from the initial poses.
        rows: Point and axis of each constrained direction; empty: a line.
        axes: x, y, z of the joint in the frame of the first entity as columns, shape (3, 3).
        line: Distance element of a line; None: a joint.
        step_ns: Maximum step size while it is active [ns].
        until_ns: Time of release [ns].
        t_ns: Time of the initial state [ns].
    """

    kind = 'joint'
    STATE = StateLayout(
        'a constraint',
        StateField('between', tuple[str, str]),
        StateField('near', Vector),
        StateField('far', Vector | None),
        StateField('rows', tuple[tuple[int, int], ...]),
        StateField('axes', Vector),
        StateField('line', DistanceElement | None),
        *state_fields('q', 'step_ns', 'until_ns', 'wish_ns'),
        StateField('given', Vector),
        StateField('opening', float | None),
    )

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
        """Maximum size of the next step, from the last commit [ns]."""
        self.given: Vector = np.zeros(max(1, len(self.rows)))
        """Impulses of the last commit by row [N s], on the second entity along the row."""
        self.opening: float | None = None
        """Rate at which an elastic line opened after the last commit [m/s]; None: not active."""

    def needs(self) -> tuple[str, ...]:
        """Return the names of the two entities."""
        return self.between

    def next_dt_ns(self) -> int:
        """Return the maximum step size while active, else the time until it may become taut or is released [ns]."""
        return min(self.wish_ns, max(1, self.until_ns - self.states.newest_time_ns))

    def delay(self, by_ns: int) -> None:
        """Move start and release to a later time.

        Args:
            by_ns: Delay [ns].
        """
        super().delay(by_ns)
        self.until_ns += by_ns

    def place(self, t_ns: int, body: BodyState) -> None:
        """Refuse a pose: it follows from the connected entities.

        Args:
            t_ns: Unused.
            body: Unused.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f'{self.name!r} has the pose of {" and ".join(self.between)}; allowed: objects with bodies')

    def visual(self) -> ObjectVisual | None:
        """Return the line of a cable, a spring or a rod; None for other joints."""
        if self.line is None or self.far is None:
            return None
        is_rod = not self.line.one_way and self.line.stiffness_npm == 0.0
        radius = ROD_RADIUS_M if is_rod else CABLE_RADIUS_M
        return ObjectVisual(
            self.name,
            Anchor.LINE,
            shapes=(Shape(ShapeKind.CAPSULE, np.array([radius, 0.0, 0.0])),),
            material=self.appearance.material,
            between=self.between,
            near=self.near[0],
            far=self.far[0],
            until_ns=self.until_ns,
        )

    def replace_newest_state(self, t_ns: int, position: Vector, velocity: Vector) -> None:
        """Replace its newest state by position [m] and velocity [m/s] of its end on the first entity."""
        turn = self.body.orientation
        self.states.delete_state(0)
        self.states.new_state(t_ns, BodyState(self.name, position, turn, velocity, np.zeros(3)))

    def canonical_state(self) -> bytes:
        """Return the values on which its future depends as canonical little-endian bytes, for the state hash."""
        far = np.zeros(0) if self.far is None else self.far.ravel()
        length = -1.0 if self.line is None or self.line.length_m is None else self.line.length_m
        opening = () if self.opening is None else (self.opening,)
        flat = np.concatenate((far, self.given, (length,), opening)).astype('<f8').tobytes()
        return struct.pack('<qqq', self.states.newest_time_ns, self.wish_ns, self.until_ns) + flat

    @classmethod
    def restored(cls, kept: SavedObject) -> Constraint:
        """Return the object of :meth:`save`."""
        k = cls.STATE.values(kept.more)
        made = cls(kept.name, k.between, k.near, k.far, k.rows, k.axes, k.line, step_ns=k.step_ns, t_ns=kept.t_ns)
        cls.STATE.unpack(made, kept.more)
        made.replace_newest_state(kept.t_ns, kept.body.position, kept.body.linear_velocity)
        return made


class _Side:
    """An entity at a constraint: its motion after the contact impulses of a commit, and its response to an impulse."""

    def __init__(self, item: Object, number: int, blows: Iterable[Impulse]) -> None:
        body = item.body
        self.number = number
        self.position, self.turn = body.position, matrix(body.orientation)
        self.center = body.center_of_mass if body.mass > 0.0 else body.position
        self.mobility = _mobility(item)
        velocity = body.linear_velocity + cross(body.angular_velocity, self.center - body.position)
        self.twist = np.concatenate((velocity, body.angular_velocity))
        own = {part.name for part in item.family() if part.contact_target is item}
        coupled = item.root.self_contact and item is not item.root
        others = {part.name: part for part in item.root.family()} if coupled else {}
        for blow in blows:
            for name, sign in ((blow.a, 1.0), (blow.b, -1.0)):
                if name in own:
                    self.twist = self.twist + times(self.mobility, self.wrench(blow.point, sign * blow.impulse))
                elif name in others:  # the joints transmit it
                    other = others[name]
                    response = item.root.inverse_inertia_of((item, other))[:6, 6:]
                    arm = blow.point - other.body.position
                    wrench = np.concatenate((blow.impulse, cross(arm, blow.impulse)))
                    self.twist = self.twist + sign * times(response, wrench)

    def wrench(self, point: Vector, impulse: Vector) -> Vector:
        """Return an impulse and its moment about the center of mass, shape (6,)."""
        return np.concatenate((impulse, cross(point - self.center, impulse)))

    def velocity(self, point: Vector) -> Vector:
        """Return the velocity of its material at a point [m/s], shape (3,)."""
        at: Vector = self.twist[:3] + cross(self.twist[3:], point - self.center)
        return at

    def place(self, local: Vector) -> Vector:
        """Return a point of its frame in the world frame [m], shape (3,)."""
        return self.position + times(self.turn, local)


def _mobility(item: Object) -> Vector:
    """Return the velocity change per impulse and moment about the center of mass, shape (6, 6)."""
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
    """One constrained direction: the rate at which the second entity leaves the first along it, at a point."""

    coupling: Constraint
    number: int
    sides: tuple[_Side, _Side]
    point: Vector
    direction: Vector
    target: float
    """Rate after the impulse [m/s]; of a cable, the maximum."""
    softness: float = 0.0
    """Rate per impulse of an elastic line [1/kg]."""
    one_way: bool = False

    def rate(self) -> float:
        """Return the rate before the impulse [m/s]."""
        near, far = self.sides
        return dot(far.velocity(self.point) - near.velocity(self.point), self.direction)


def attachable_bodies(objects: Mapping[str, Object]) -> dict[str, Object]:
    """Return the objects that constraints can hold, by name: all that move as separate bodies, or never move."""
    members = (item for _, root in sorted(objects.items()) for item in root.family())
    return {item.name: item for item in members if item.tangible and item.contact_target is item}


def constrained_names(objects: Mapping[str, Object]) -> tuple[str, ...]:
    """Return the sorted names of all entities that constraints hold."""
    return tuple(sorted({n for o in objects.values() if isinstance(o, Constraint) for n in o.between}))


def solve_constraints(objects: Mapping[str, Object], t_ns: int, blows: tuple[Impulse, ...]) -> tuple[Impulse, ...]:
    """Return the impulses of all constraints at a commit, and end constraints that are released or lack an entity.

    The rates r of all rows after impulses l are r + A l with A = J W J^T and the compliances W. A rigid row requires
    r + A l = -C / (2 h) with its error C and the step size h. An elastic line follows its law implicitly, r + (A + g) l
    = -k C / (h k + c) - a h / 2 with g = 1 / (h (h k + c)) and the acceleration a of the last cycle. A cable transmits
    tension only and is ignored if it will not be taut by the end of a step. The system is solved directly. Cables are
    removed and added in the order of their numbers until all signs are right. The contact impulses of this commit
    (``blows``) act first. ``objects`` are the root objects at their committed states.

    Source: catto2005; catto2011; murty1974; featherstone2008.
    Checked by: test_constraints.py::test_a_rod_keeps_two_balls_at_a_distance_and_their_momentum,
    test_constraints.py::test_a_cable_pulls_and_never_pushes,
    test_constraints.py::test_a_spring_swings_with_its_period,
    test_constraints.py::test_a_train_of_sledges_has_the_tensions_of_newton.
    """
    couplings = sorted((o for o in objects.values() if isinstance(o, Constraint)), key=lambda o: o.name)
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
    """Return the rows of an active constraint; also set its state and the maximum size of the next step."""
    near, far = sides
    if coupling.far is None:
        coupling.far = np.array([times(far.turn.T, near.place(point) - far.position) for point in coupling.near])
    begins = [near.place(point) for point in coupling.near]
    ends = [far.place(point) for point in coupling.far]
    last = coupling.states.last_step_ns
    coupling.replace_newest_state(t_ns, begins[0], near.velocity(begins[0]))
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
        return []  # no direction of tension
    row = _Row(coupling, 0, sides, end, (end - begin) / apart, -error / (STEPS * step), one_way=line.one_way)
    slack = line.one_way and error < -NEAR_M
    coupling.wish_ns = coupling.step_ns
    if slack:
        opening = row.rate()
        # Half the time after which it would become taut at this rate.
        wait = -0.5e9 * error / opening if opening > 1e-9 else float(NEVER_NS)
        coupling.wish_ns = max(coupling.step_ns, round(min(wait, float(NEVER_NS))))
    if line.stiffness_npm:
        if slack:
            return []
        # The next cycle is assumed to be as long as the last. If it is not, the next impulse compensates: over any
        # time, the impulses add up to force times time, except for one cycle.
        span = min(step, 1e-9 * last_ns) if last_ns else step
        brake = span * line.stiffness_npm + line.damping
        row.softness, row.target = 1.0 / (span * brake), -line.stiffness_npm * error / brake
        if coupling.opening is not None and last_ns:
            # The other causes of opening are assumed to continue: half of it applies on average over a cycle.
            row.target -= 0.5 * span * (row.rate() - coupling.opening) / (1e-9 * last_ns)
    elif line.one_way and error < 0.0:
        row.target = -error / step
    return [row]


def _impulses(rows: Sequence[_Row], count: int) -> tuple[Vector, Vector]:
    """Return the impulse of each row [N s], shape (n,), and its rate after all of them [m/s], shape (n,).

    Args:
        rows: Rows of all active constraints.
        count: Number of sides.
    """
    n = len(rows)
    if not n:
        return np.zeros(0), np.zeros(0)
    jacobian = np.zeros((n, 6 * count))
    results = np.zeros((n, 6 * count))
    for k, row in enumerate(rows):
        for side, sign in zip(row.sides, (-1.0, 1.0)):
            wrench = side.wrench(row.point, sign * row.direction)
            span = slice(6 * side.number, 6 * side.number + 6)
            jacobian[k, span] += wrench
            results[k, span] += times(side.mobility, wrench)
    matrix_ = times(jacobian, results.T)
    stiffer = matrix_.copy()
    softness = np.array([row.softness for row in rows])
    np.fill_diagonal(stiffer, np.diagonal(matrix_) * (1.0 + REDUNDANCY) + softness)
    rates = np.array([row.rate() for row in rows])
    given = _pulls(stiffer, np.array([row.target for row in rows]) - rates, np.array([row.one_way for row in rows]))
    return given, rates + times(matrix_, given)


def _pulls(matrix_: Vector, wanted: Vector, one_way: NDArray[np.bool_]) -> Vector:
    """Return x of ``matrix x = wanted``. One-way rows have x <= 0 and may have ``matrix x <= wanted`` instead.

    One row at a time changes its state, the one of the lowest number. This terminates for positive definite matrices
    (Murty 1974).
    """
    n = len(wanted)
    # A row that no impulse can change, as between two walls, is ignored.
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
