# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Platforms, and the base class of objects with a fixed state period.

Source of the design: "Simulator Architecture" (2024), chapter State management: objects need not have states at the
same times, and the state of an object is interpolated between its own states. Rule 1 (reproducibility) then requires
two conditions. A checkpoint stores both states around its time, because the object would continue differently from the
interpolated state. Nothing that happens between two states may act on the object, because the next state is computed in
advance. So an object with mass, which could collide, is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_world.cycle.codec import StateField, StateLayout
from regolith_world.cycle.records import BodyState, Cycle, Shape, Vector
from regolith_world.numerics.rotation import from_rpy_deg
from regolith_world.objects.object import Object, SavedObject
from regolith_world.objects.object_types import Degrees, ObjectType, Place, ShapeConfig

_TimedState = tuple[int, BodyState]


class SampledObject(Object, ABC):
    """An object whose states are ``pace_ns`` apart for any step size. It is interpolated between them.

    Args:
        name: Name of the object.
        initial: State at ``t_ns``.
        shapes: Collision shapes.
        pace_ns: Time between its own states [ns]; 0: one state at the end of every cycle.
        tangible: Whether it collides.
        restitution: Coefficient of restitution [-].
        friction: Coulomb friction coefficient [-].
        t_ns: Time of the initial state [ns].

    Raises:
        ValueError: If it has a mass, so that impulses could act on it between its states.
    """

    STATE = StateLayout('a sampled object', StateField('pace_ns', 'q'), StateField('around', tuple[_TimedState, ...]))

    def __init__(
        self,
        name: str,
        initial: BodyState,
        shapes: Sequence[Shape] = (),
        *,
        pace_ns: int,
        tangible: bool = True,
        restitution: float = 0.0,
        friction: float = 0.5,
        t_ns: int = 0,
    ) -> None:
        if pace_ns and initial.mass > 0.0:
            raise ValueError(
                f'{name}: cannot have a mass of {initial.mass:g} kg and states {pace_ns} ns apart, between which it '
                f'could '
                'collide; allowed: mass 0, or a state in every cycle (0)'
            )
        super().__init__(
            name, initial, shapes, tangible=tangible, restitution=restitution, friction=friction, t_ns=t_ns
        )
        self.pace_ns = pace_ns
        self._now_ns = [t_ns]
        """Committed time and, within a cycle, the tentative time."""
        self._made = 0
        """Number of own states that the present attempt has added."""

    @abstractmethod
    def moved(self, state: BodyState, t_ns: int, dt_ns: int) -> BodyState:
        """Return its state at a time after another of its own states, as a function of the arguments only."""

    def delay(self, by_ns: int) -> None:
        """Move the start to a later time.

        Args:
            by_ns: Delay [ns].
        """
        super().delay(by_ns)
        self._now_ns = [t_ns + by_ns for t_ns in self._now_ns]

    def place(self, t_ns: int, body: BodyState) -> None:
        """Refuse a pose: it is a function of time.

        Args:
            t_ns: Unused.
            body: Unused.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f'{self.name!r} follows a given motion; allowed: rigid bodies and static bodies')

    @property
    def body(self) -> BodyState:
        """The present state: one of its own, or interpolated between two of them."""
        return self.states.get_state(self._now_ns[-1])

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Add the states that are needed up to the end of the cycle."""
        end_ns, self._made = cycle.t_ns + cycle.dt_ns, 0
        while (last := self.states.newest_time_ns) < end_ns:
            step = self.pace_ns or end_ns - last
            self.states.new_state(last + step, self.moved(self.states.newest, last, step))
            self._made += 1
        self._now_ns.append(end_ns)
        return self.evolve_children(cycle)

    def commit(self, intersections: Sequence[object]) -> None:
        """Make the tentative time the committed one."""
        super().commit(intersections)  # type: ignore[arg-type]
        del self._now_ns[:-1]
        self._made = 0

    def discard(self) -> None:
        """Return to the committed time, and delete the states that the attempt added."""
        for _ in range(self._made):
            self.states.delete_state(0)
        self._made = 0
        del self._now_ns[-1]
        for child in self.children:
            child.discard()

    def canonical_state(self) -> bytes:
        """Return the time and the own states around it as canonical little-endian bytes, for the state hash."""
        around = self.states.around(self._now_ns[-1])
        flat = [np.concatenate([b.position, b.orientation, b.linear_velocity, b.angular_velocity]) for _, b in around]
        times = np.array([self._now_ns[-1], *(t_ns for t_ns, _ in around)])
        return times.astype('<i8').tobytes() + np.concatenate(flat).astype('<f8').tobytes()

    @property
    def time_ns(self) -> int:
        """The present time [ns]."""
        return self._now_ns[-1]

    @property
    def around(self) -> tuple[_TimedState, ...]:
        """Its own states around the present time."""
        return tuple(self.states.around(self._now_ns[-1]))

    @around.setter
    def around(self, around: tuple[_TimedState, ...]) -> None:
        self.states.clear()
        for t_ns, state in around:
            self.states.new_state(t_ns, state)


@dataclass(frozen=True, slots=True)
class PlatformMotion:
    """Motion between two positions: s = 3 u^2 - 2 u^3 after the fraction u of the time, at rest at both ends."""

    start: Vector
    """Start position [m], shape (3,)."""
    end: Vector
    """End position [m], shape (3,)."""
    leg_ns: int
    """Time from one end to the other [ns]."""
    returns: bool
    """Whether it moves back and forth; otherwise it remains at the end."""

    def at(self, t_ns: int) -> tuple[Vector, Vector, Vector]:
        """Return position [m], velocity [m/s] and acceleration [m/s^2] at a time from the start [ns], each shape (3,).

        Source: goldstein2002.
        Checked by: test_platform.py::test_platform_moves_back_and_forth_with_the_derivative_as_velocity.
        """
        leg, into = divmod(max(0, t_ns), self.leg_ns)
        if leg and not self.returns:
            leg, into = 0, self.leg_ns
        u, rate = into / self.leg_ns, 1e9 / self.leg_ns
        if leg % 2:
            u, rate = 1.0 - u, -rate
        way = self.end - self.start
        acceleration = 6.0 * (1.0 - 2.0 * u) * rate * rate if self.returns or into < self.leg_ns else 0.0
        return self.start + u * u * (3.0 - 2.0 * u) * way, 6.0 * u * (1.0 - u) * rate * way, acceleration * way


class Platform(SampledObject):
    """A platform: a body of infinite mass that follows a given motion without rotation and carries what is on it."""

    kind = 'platform'
    STATE = StateLayout(
        'a platform',
        *SampledObject.STATE.fields,
        StateField('way', PlatformMotion),
        StateField('_since_ns', 'q'),
    )

    def __init__(
        self,
        name: str,
        way: PlatformMotion,
        shapes: Sequence[Shape],
        *,
        pace_ns: int = 0,
        restitution: float = 0.0,
        friction: float = 0.5,
        orientation: Vector | None = None,
        t_ns: int = 0,
    ) -> None:
        turn = np.array([0.0, 0.0, 0.0, 1.0]) if orientation is None else np.asarray(orientation, dtype=float)
        position, velocity, _ = way.at(0)
        state = BodyState(name, position, turn, velocity, np.zeros(3))
        super().__init__(name, state, shapes, pace_ns=pace_ns, restitution=restitution, friction=friction, t_ns=t_ns)
        self.way, self._since_ns = way, t_ns

    def moved(self, state: BodyState, t_ns: int, dt_ns: int) -> BodyState:
        """Return the state of the given motion at the end of the step."""
        position, velocity, _ = self.way.at(t_ns + dt_ns - self._since_ns)
        return BodyState(self.name, position, state.orientation, velocity, state.angular_velocity)

    def delay(self, by_ns: int) -> None:
        """Move the start to a later time.

        Args:
            by_ns: Delay [ns].
        """
        super().delay(by_ns)
        self._since_ns += by_ns

    def free_acceleration(self) -> Vector:
        """Return its acceleration [m/s^2], shape (3,)."""
        return self.way.at(self._now_ns[-1] - self._since_ns)[2]

    @classmethod
    def restored(cls, kept: SavedObject) -> Platform:
        """Return the object of :meth:`save`."""
        found = cls.STATE.values(kept.more)
        made = cls(
            kept.name,
            found.way,
            kept.shapes,
            pace_ns=found.pace_ns,
            restitution=kept.restitution,
            friction=kept.friction,
            orientation=kept.body.orientation,
            t_ns=found._since_ns,
        )
        made.around, made._now_ns = found.around, [kept.t_ns]
        return made


class PlatformConfig(Section):
    """A platform, such as a lift or a ferry, that moves between two positions and carries what is on it."""

    type: Literal['platform'] = 'platform'
    position: Place = Field(description='Start position in the world frame [m].')
    end_position: Place = Field(description='End position in the world frame [m].')
    travel_time_s: float = Field(ge=0.01, le=1e6, description='Time from one end to the other [s].')
    round_trip: bool = Field(True, description='Whether it moves back and forth; otherwise it remains at the end.')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field((0.0, 0.0, 0.0), description='Roll, pitch and yaw [deg].')
    shapes: tuple[ShapeConfig, ...] = Field(
        min_length=1, max_length=200, description='Collision shapes that make up the platform.'
    )
    restitution: float = Field(
        0.0, ge=0.0, le=1.0, description='Coefficient of restitution [-]; 0: plastic, 1: elastic.'
    )
    friction: float = Field(0.5, ge=0.0, le=10.0, description='Coulomb friction coefficient [-].')
    state_period_s: float = Field(
        0.0,
        ge=0.0,
        le=1e3,
        description='Time between states, with interpolation between them [s]; 0: one state per cycle.',
    )

    @model_validator(mode='after')
    def _slow(self) -> PlatformConfig:
        if 0.0 < self.state_period_s < 1e-6 or self.state_period_s > 0.1 * self.travel_time_s:
            raise ValueError(
                f'state_period_s = {self.state_period_s!r}: does not fit a travel time of {self.travel_time_s!r} s; '
                f'allowed: 0, or 1e-6 to {0.1 * self.travel_time_s:g}, '
                'a tenth of the travel time'
            )
        return self


class _Platforms(ObjectType[PlatformConfig]):
    section = PlatformConfig

    def make(self, name: str, section: PlatformConfig, gravity: Vector) -> Object:
        s = section
        way = PlatformMotion(np.array(s.position), np.array(s.end_position), round(s.travel_time_s * 1e9), s.round_trip)
        return Platform(
            name,
            way,
            [c.shape() for c in s.shapes],
            pace_ns=round(s.state_period_s * 1e9),
            restitution=s.restitution,
            friction=s.friction,
            orientation=from_rpy_deg(s.rpy_deg),
        )

    def restored(self, kept: SavedObject) -> Object:
        return Platform.restored(kept)


PLATFORM = _Platforms()
