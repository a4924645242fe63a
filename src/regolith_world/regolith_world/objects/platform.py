# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects with a pace of their own, and platforms, which have one.

Seed of the design: "Simulator Architecture" (2024), chapter State management: objects need not have states at the same
instants, and between its own an object's state is interpolated. Rule 1 (reproducibility) then holds on two conditions,
both kept here. A checkpoint has both states around its time, and not the one between them, from which the object would
go another way. And nothing that happens between two states of its own can act on the object, whose next one is made
beforehand: what has a mass, and so can be struck, is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_files.section import Section
from regolith_world.checkpoint import codec
from regolith_world.cycle.records import BodyState, Cycle, Shape, Vector
from regolith_world.numerics.rotation import from_rpy_deg
from regolith_world.objects.object import Object, SavedObject
from regolith_world.objects.object_types import Degrees, ObjectType, Place, ShapeConfig


@dataclass(frozen=True, slots=True)
class _Pace:
    """What a checkpoint has of an object with a pace of its own, besides what the world sees of it."""

    pace_ns: int
    times_ns: tuple[int, ...]
    states: tuple[BodyState, ...]
    more: bytes


class SampledObject(Object, ABC):
    """An object whose states lie ``pace_ns`` apart, whatever the length of cycles; between them it is interpolated.

    Args:
        pace_ns: time between its own states [ns]; 0: one at the end of every cycle

    Raises:
        ValueError: if it has a mass, so that blows could act on it between its states
    """

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
                f'{name}: a body of {initial.mass:g} kg with states {pace_ns} ns apart, between which it can be '
                'struck; allowed: mass 0, or a state in every cycle (0)'
            )
        super().__init__(
            name, initial, shapes, tangible=tangible, restitution=restitution, friction=friction, t_ns=t_ns
        )
        self.pace_ns = pace_ns
        self._now_ns = [t_ns]
        """Committed time and, in a cycle, the tentative one."""
        self._made = 0
        """Number of own states the present attempt has made."""

    @abstractmethod
    def moved(self, state: BodyState, t_ns: int, dt_ns: int) -> BodyState:
        """Return its state a time after another state of its own; of nothing but its arguments."""

    def delay(self, by_ns: int) -> None:
        """Begin so much later [ns]."""
        super().delay(by_ns)
        self._now_ns = [t_ns + by_ns for t_ns in self._now_ns]

    def place(self, t_ns: int, body: BodyState) -> None:
        """Refuse: where it is follows from the time.

        Raises:
            ValueError: always
        """
        raise ValueError(f'{self.name!r} moves as it was told; allowed: objects that are free, or never move')

    @property
    def body(self) -> BodyState:
        """The state now: its own, or between two of its own."""
        return self.states.get_state(self._now_ns[-1])

    def evolve(self, cycle: Cycle) -> list[Object]:
        """Make the states it needs to be known until the end of the cycle."""
        end_ns, self._made = cycle.t_ns + cycle.dt_ns, 0
        while (last := self.states.newest_time_ns) < end_ns:
            step = self.pace_ns or end_ns - last
            self.states.new_state(last + step, self.moved(self.states.newest, last, step))
            self._made += 1
        self._now_ns.append(end_ns)
        return self.evolve_children(cycle)

    def commit(self, intersections: Sequence[object]) -> None:
        """Make the time final."""
        super().commit(intersections)  # type: ignore[arg-type]
        del self._now_ns[:-1]
        self._made = 0

    def discard(self) -> None:
        """Return to the committed time, and drop the states that it did not need."""
        for _ in range(self._made):
            self.states.delete_state(0)
        self._made = 0
        del self._now_ns[-1]
        for child in self.children:
            child.discard()

    def canonical_state(self) -> bytes:
        """Return the time, and the own states around it, as canonical little-endian bytes, for the state hash."""
        around = self.states.around(self._now_ns[-1])
        flat = [np.concatenate([b.position, b.orientation, b.linear_velocity, b.angular_velocity]) for _, b in around]
        times = np.array([self._now_ns[-1], *(t_ns for t_ns, _ in around)])
        return times.astype('<i8').tobytes() + np.concatenate(flat).astype('<f8').tobytes()

    def save(self) -> SavedObject:
        """Return the committed object, with the own states around now."""
        times, states = zip(*self.states.around(self._now_ns[-1]))
        more = codec.encode(_Pace(self.pace_ns, tuple(times), tuple(states), self.extra_state()))
        return SavedObject(
            self.name, self.kind, self._now_ns[-1], self.body, self.shapes, self.restitution, self.friction, more
        )

    def _recall(self, kept: SavedObject, pace: _Pace) -> None:
        """Have the states of :meth:`save` again."""
        self.pace_ns = pace.pace_ns
        self.states.clear()
        for t_ns, state in zip(pace.times_ns, pace.states):
            self.states.new_state(t_ns, state)
        self._now_ns = [kept.t_ns]


@dataclass(frozen=True, slots=True)
class PlatformMotion:
    """To and fro between two places: s = 3 u^2 - 2 u^3 of the way after a share u of the time, at rest at both ends."""

    start: Vector
    """[m], shape (3,)."""
    end: Vector
    """[m], shape (3,)."""
    leg_ns: int
    """Time from one end to the other [ns]."""
    returns: bool
    """Whether it goes back, and so on; else it stays at the end."""

    def at(self, t_ns: int) -> tuple[Vector, Vector, Vector]:
        """Return position [m], velocity [m/s] and acceleration [m/s^2] at a time from the start [ns], each shape (3,).

        Source: goldstein2002.
        Checked by: test_platform.py::test_a_platform_goes_to_and_fro_and_its_velocity_is_the_slope.
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


@dataclass(frozen=True, slots=True)
class _WayKept:
    way: PlatformMotion
    since_ns: int


class Platform(SampledObject):
    """A tangible thing of infinite mass that goes its way whatever stands on it, without turning."""

    kind = 'platform'

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
        """Return the state on its way."""
        position, velocity, _ = self.way.at(t_ns + dt_ns - self._since_ns)
        return BodyState(self.name, position, state.orientation, velocity, state.angular_velocity)

    def delay(self, by_ns: int) -> None:
        """Set out so much later [ns]."""
        super().delay(by_ns)
        self._since_ns += by_ns

    def free_acceleration(self) -> Vector:
        """Return its acceleration."""
        return self.way.at(self._now_ns[-1] - self._since_ns)[2]

    def extra_state(self) -> bytes:
        """Return its way, as bytes."""
        return codec.encode(_WayKept(self.way, self._since_ns))

    @classmethod
    def restored(cls, kept: SavedObject) -> Platform:
        """Return the object of :meth:`save`."""
        pace = codec.decode(_Pace, kept.more)
        own = codec.decode(_WayKept, pace.more)
        made = cls(
            kept.name,
            own.way,
            kept.shapes,
            pace_ns=pace.pace_ns,
            restitution=kept.restitution,
            friction=kept.friction,
            orientation=kept.body.orientation,
            t_ns=own.since_ns,
        )
        made._recall(kept, pace)
        return made


class PlatformConfig(Section):
    """A lift, a door, a ferry: it moves between two places and takes along what stands on it."""

    type: Literal['platform'] = 'platform'
    position: Place = Field(description='where it starts, in the world [m]')
    end_position: Place = Field(description='where it goes, in the world [m]')
    travel_time_s: float = Field(ge=0.01, le=1e6, description='time from one end to the other [s]')
    round_trip: bool = Field(True, description='whether it moves back and forth; else it stays at the end')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field((0.0, 0.0, 0.0), description='roll, pitch, yaw [deg]')
    shapes: tuple[ShapeConfig, ...] = Field(min_length=1, max_length=200, description='that it is made of')
    restitution: float = Field(0.0, ge=0.0, le=1.0, description='of impacts, 0 plastic to 1 elastic')
    friction: float = Field(0.5, ge=0.0, le=10.0, description='Coulomb coefficient')
    state_period_s: float = Field(
        0.0, ge=0.0, le=1e3, description='time between states of its own, interpolated between [s]; 0: one a cycle'
    )

    @model_validator(mode='after')
    def _slow(self) -> PlatformConfig:
        if 0.0 < self.state_period_s < 1e-6 or self.state_period_s > 0.1 * self.travel_time_s:
            raise ValueError(
                f'state_period_s = {self.state_period_s!r}: of a leg of {self.travel_time_s!r} s; allowed: 0, or '
                f'1e-6 to {0.1 * self.travel_time_s:g}, '
                'a tenth of the leg'
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
