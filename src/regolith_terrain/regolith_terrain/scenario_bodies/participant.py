# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participant of the rigid bodies of a scenario: it moves them on the ground and sends one soil delta per attempt.

The bodies are objects of the world, which solves their contacts with vehicles and other objects as impulses. At the
start of a cycle the participant takes the impulses and the states that the world has committed. So a body that a user
has moved, or that the world has removed, is moved or removed here, too. A vehicle near a body computes it in its own
substeps (:mod:`regolith_world.contacts.body_assignment`); the body then has the state of the world here.

A body at rest sleeps: it is not computed, until an impulse acts on it, its state is changed, or the soil below it moves
by more than 0.1 mm (:mod:`regolith_terrain.bodies.sleep`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from regolith_terrain.bodies.body_set import RigidBodies
from regolith_terrain.bodies.config import BodiesConfig
from regolith_terrain.bodies.description import restored_description
from regolith_terrain.bodies.ground import BodyGround
from regolith_terrain.bodies.lift import lift_bodies
from regolith_terrain.bodies.sleep import rest, wake_disturbed
from regolith_terrain.bodies.steps import BodySteps
from regolith_terrain.config import TerrainConfig
from regolith_terrain.grid.owned_region import records_outside
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.scenario_bodies.descriptions import (
    body_configs,
    compile_bodies,
    description_of,
    make_bodies,
    placement_problem,
)
from regolith_terrain.scenario_bodies.rock_bodies import RESTITUTION, movable_rocks
from regolith_terrain.solids.solids import Solids
from regolith_terrain.terrain_participant import handshake_parameters
from regolith_terrain.updates.merge import SoilDelta
from regolith_world import ParticipantContext
from regolith_world.cycle import (
    BodyState,
    Command,
    Cycle,
    CycleResult,
    JoinRequest,
    Participant,
    ParticipantFailed,
    Roles,
    SpawnedObject,
    StateField,
    StateLayout,
)
from regolith_world.objects import hull_shape

NO_STEP_LIMIT_NS = 2**62
"""Bodies never limit the step."""


@dataclass(frozen=True, slots=True)
class GroundAccess:
    """The ground in the process of a participant that writes soil."""

    terrain: TerrainConfig
    """Section ``terrain`` of the scenario."""
    grid: SoilGrid
    """Committed soil. It is only read."""
    soil_hash: Callable[[], str]
    """Returns the hash of terrain's committed soil."""
    gravity_mps2: float
    """Gravity along -z [m/s^2]."""
    solids: Solids | None
    """Rocks and obstacles; none: no solids."""
    send_delta: Callable[[SoilDelta], None]
    """Sends soil changes to terrain."""


class BodiesParticipant(Participant):
    """Participant of all rigid bodies of a scenario.

    Args:
        name: Name of the participant.
        section: Section ``bodies`` of the scenario.
        site: Context of the participant, with the section ``objects``.
        access: The ground.
        send_result: Sends results to the world.
    """

    STATE = StateLayout(
        'bodies',
        StateField('spawned', dict[str, bytes]),
        StateField('count', 'q'),
        StateField('present', '|b1', ('count',)),
        StateField('state_of_bodies', bytes),
        tag=b'REGBOD02',
    )

    def __init__(
        self,
        name: str,
        section: BodiesConfig,
        site: ParticipantContext,
        access: GroundAccess,
        send_result: Callable[[CycleResult], None],
    ) -> None:
        super().__init__(name, send_result)
        self._section, self._access = section, access
        self._configs = body_configs(site.sections['objects'])
        gravity = np.array([0.0, 0.0, -access.gravity_mps2])
        terrain = access.terrain
        self._ground = ground = BodyGround(access.grid, terrain.soil_map(), gravity, access.solids, terrain.scm_mode)
        self._owned = terrain.owned_regions()
        """Regions of vehicles, where bodies lie without changing the soil."""
        self._rocks = rocks = movable_rocks(terrain, site.seed, section.movable_rocks)
        self.bodies = make_bodies(section, self._configs, ground, rocks)
        """The bodies."""
        self._steps = BodySteps(self.bodies)
        """Their substeps."""
        self._first = self.bodies.bodies
        """Bodies with which the participant joins; the others were spawned."""
        self._spawned: dict[str, bytes] = {}
        self._own = set(self.bodies.names)
        """Bodies that no vehicle computes."""
        self._rows: list[int] = []
        """Bodies that it computes in the cycle."""
        self._awake: list[int] = []
        """Those of them that are awake."""
        self._reported: list[int] = []
        """Bodies whose memory the result contains."""
        count = len(self.bodies)
        self.present = np.ones(count, dtype=bool)
        """Whether each body is in the world, shape (n,)."""
        # Packing and hashing 215 bodies takes 0.25 ms, a tenth of a cycle with one VIPER.
        self._packed_of: tuple[RigidBodies, int, bytes, dict[str, bytes]] | None = None
        self._last_packed = b''
        self._hash_of = b'', ''
        self._kept = self._packed()
        self._tentative: bytes | None = None
        self._delta: SoilDelta | None = None

    @property
    def spawned(self) -> dict[str, bytes]:
        """Descriptions of the bodies that were spawned, by name."""
        return self._spawned

    @spawned.setter
    def spawned(self, spawned: dict[str, bytes]) -> None:
        """Replace the spawned bodies; the states of the others stay."""
        if spawned == self._spawned:
            return
        old, self._spawned = self.bodies, dict(spawned)
        more = (restored_description(name, about) for name, about in spawned.items())
        self.bodies = b = RigidBodies([*self._first, *more], self._ground, self._section)
        b.take(old)
        self._steps = BodySteps(b)
        kept = dict(zip(old.names, self.present.tolist(), strict=True))
        self.present = np.array([kept.get(name, True) for name in b.names], dtype=bool)

    @property
    def state_of_bodies(self) -> bytes:
        """State of all bodies."""
        return self.bodies.save()

    @state_of_bodies.setter
    def state_of_bodies(self, blob: bytes) -> None:
        self.bodies.load(blob)

    def warm_up(self) -> None:
        """Compile the kernels without a change of state."""
        b = self.bodies
        if not len(b):
            compile_bodies()
            return
        levels = self._access.grid.levels(b.position[:, 0], b.position[:, 1])
        for n, level in enumerate(levels.tolist()):  # in contact with the ground
            b.place(n, np.array([*b.position[n, :2].tolist(), level + 0.5 * b.bodies[n].shape.half_width]))
        self._steps.advance(self._section.substep_s, range(len(b)))
        self.STATE.unpack(self, self._kept)

    def check_place(self, body: SpawnedObject) -> None:
        """Check that a body can begin at a state; a body that stays at its pose can.

        Args:
            body: The body at this state.

        Raises:
            ValueError: If it would begin in the ground or in a solid; with the depth and what is allowed.
        """
        n, state = self.bodies.index.get(body.name, -1), body.state
        pose = np.concatenate((state.position, state.orientation))
        if n >= 0 and (np.concatenate((self.bodies.position[n], self.bodies.orientation[n])) == pose).all():
            return
        alone = RigidBodies([description_of(body, self._section)], self._ground, self._section)
        alone.move(0, state)
        if (found := placement_problem(alone, 0)) is not None:
            problem, allowed = found
            raise ValueError(f'{body.name}: {problem}; allowed: {allowed}')

    def soil_hash(self) -> str:
        """Return the hash of terrain's committed soil."""
        return self._access.soil_hash()

    def join_request(self) -> JoinRequest:
        """Return the request to move the rigid bodies of the scenario and the movable rocks, which it brings."""
        parameters = handshake_parameters(self._access.terrain, self._access.grid.height_field)
        return JoinRequest(
            self.name,
            Roles(writes_soil=True, phase=1),
            tuple(hull_shape(rock.description.shape.points.place) for rock in self._rocks),
            self._states(),
            NO_STEP_LIMIT_NS,
            self._hash(),
            self.soil_hash(),
            {**parameters, 'world.gravity_mps2': repr(self._access.gravity_mps2), **self._section.parameters()},
            restitution=RESTITUTION,
            friction=self._access.terrain.rock_friction,
            shape_bodies=tuple(range(len(self._configs), len(self.bodies))),
            visuals=tuple(rock.visual for rock in self._rocks),
        )

    def _hash(self) -> str:
        state = self._kept if self._tentative is None else self._tentative
        if self._hash_of[0] is not state:
            self._hash_of = state, hashlib.sha256(state).hexdigest()
        return self._hash_of[1]

    def _packed(self) -> bytes:
        """Return the state as bytes; those of the last call if nothing has changed since."""
        now = self.bodies, self.bodies.revision, self.present.tobytes(), self._spawned
        if self._packed_of != now:
            self._packed_of, self._last_packed = now, self.STATE.pack(self)
        return self._last_packed

    def _states(self) -> tuple[BodyState, ...]:
        return self.bodies.body_states(range(len(self.bodies)))

    def _prepare(self, cycle: Cycle) -> Callable[[], None] | None:
        self._follow(cycle)
        wake_disturbed(self.bodies, self._rows)
        lift_bodies(self.bodies, self._rows)
        rows = np.array(self._rows, dtype=np.int64)
        awake = self.bodies.awake[rows]
        self._awake, asleep = rows[awake].tolist(), rows[~awake].tolist()
        with _reported_loss(self.name, cycle):
            self._steps.plan(cycle.dt_ns * 1e-9, self._awake, asleep)
        return self._steps.run if self._steps.planned else None

    def _evolve(self, cycle: Cycle) -> CycleResult:
        with _reported_loss(self.name, cycle):
            records = records_outside(self._steps.finish(), self._owned, self._access.grid.spacing)
        rest(self.bodies, sorted({*self._awake, *self._steps.members}), cycle.dt_ns)
        self._tentative = self._packed()
        self._delta = SoilDelta(cycle.key, self.name, records)
        self._access.send_delta(self._delta)
        return self._answer(cycle)

    def _follow(self, cycle: Cycle) -> None:
        """Take what the world has committed, and find the bodies to compute."""
        if cycle.handed_over:
            taken = {body.name: description_of(body, self._section).save() for body in cycle.handed_over}
            self.spawned = {**self._spawned, **taken}
        b = self.bodies
        for spawned in cycle.handed_over:
            b.move(b.index[spawned.name], spawned.state)
        away = {each.name for each in cycle.assigned if each.participant != self.name}
        self._own = b.index.keys() - away
        self._reported = [b.index[each.name] for each in cycle.assigned if each.name in self._own]
        returned = {each.name: each.memory for each in cycle.assigned if each.memory and each.name in self._own}
        states = {body.name: body for body in cycle.bodies if body.name in returned}
        for name, memory in returned.items():
            b.load_memory(b.index[name], memory)
            b.move(b.index[name], states[name])
        present, before = b.follow(cycle, self._own), self.present.copy()
        self.present[:] = False
        self.present[present] = True
        for n in np.flatnonzero(before & ~self.present).tolist():
            b.wake_around(n)
        lent = {b.index[name] for name in away if name in b.index}
        self._rows = [n for n in present if n not in lent]

    def _answer(self, cycle: Cycle, report: str = '') -> CycleResult:
        b, apart = self.bodies, set(self._reported)
        moved = [n for n in b.moved(self._rows) if n not in apart]
        return CycleResult(
            cycle.key,
            self.name,
            NO_STEP_LIMIT_NS,
            b.body_states(moved),
            state_hash=self._hash(),
            soil_hash=self.soil_hash(),
            summary_json=report,
            computed=b.computed(n for n in self._reported if self.present[n]),
        )

    def _idle_result(self, cycle: Cycle) -> CycleResult:
        self._delta = None
        return self._answer(cycle, json.dumps(self.summary()) if cycle.command == Command.STOP else '')

    def summary(self) -> dict[str, int]:
        """Return the numbers of bodies and of those that sleep."""
        return {'count': int(self.present.sum()), 'asleep': int((self.present & ~self.bodies.awake).sum())}

    def _commit(self, cycle: Cycle) -> None:
        if self._tentative is not None:
            self._kept, self._tentative = self._tentative, None

    def _discard(self) -> None:
        if self._tentative is not None:
            self._tentative = None
            self.STATE.unpack(self, self._kept)

    def _resend(self) -> None:
        if self._delta is not None:
            self._access.send_delta(self._delta)

    def save(self) -> bytes:
        """Return the committed state."""
        return self._kept

    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore the state of :meth:`save`.

        Raises:
            ValueError: If it is not the state of these bodies.
        """
        self.STATE.unpack(self, blob)
        self._kept, self._tentative = blob, None
        self.set_epoch(epoch)


@contextmanager
def _reported_loss(name: str, cycle: Cycle) -> Iterator[None]:
    """Add participant and time to the error of a body that is lost."""
    try:
        yield
    except FloatingPointError as error:
        raise ParticipantFailed(f'{name}: {error} (t = {cycle.t_ns * 1e-9:.3f} s)') from error
