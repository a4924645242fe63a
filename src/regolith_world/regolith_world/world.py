# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The world: the evolution cycle that proposes a step, evolves, intersects, and commits or discards.

Source of the design: "Simulator Architecture" (2024), chapter World Evolution, and Rule 1 (reproducibility): from any
committed state the same sequence of states follows. The world is a plain library. It computes objects itself and
reaches agents through a :class:`~regolith_world.cycle.transport.Transport`. Both run the same code on the same frozen
inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from regolith_world.checkpoint.input_log import InputLog, ReplayDiverged
from regolith_world.checkpoint.world_edits import Act
from regolith_world.checkpoint.world_state import StepReport, WorldState
from regolith_world.config import WorldConfig
from regolith_world.contacts.body_assignment import BodyAssignments, mover_of
from regolith_world.contacts.collision_detection import (
    CollisionDetector,
    PenetrationViolation,
)
from regolith_world.contacts.contact_solver import contact_accelerations, solve_contacts
from regolith_world.contacts.newcomers import (
    admission_problem,
    joined_bodies,
    spawned_body,
    spawned_inside_others,
)
from regolith_world.contacts.resting_bodies import RestingBodies
from regolith_world.contacts.time_of_impact import limited_step_ns
from regolith_world.cycle import codec
from regolith_world.cycle.handshake import PROTOCOL, ParameterAgreement
from regolith_world.cycle.records import (
    BodyState,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    Impulse,
    IntersectionRecord,
    JoinRequest,
    Roles,
    Verdict,
)
from regolith_world.cycle.stall import Discards
from regolith_world.cycle.state_hash import cycle_hash
from regolith_world.cycle.step_control import StepControl
from regolith_world.cycle.transport import ParticipantTimeout, Transport
from regolith_world.objects.constraint_checks import impossible_constraint
from regolith_world.objects.constraints import constrained_names, solve_constraints
from regolith_world.objects.force_field import ForceField
from regolith_world.objects.object import Intersection, Object, Status, yields
from regolith_world.objects.object_types import restored
from regolith_world.objects.remote_body import RemoteAgent, RemoteBody
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.state_history import rigidly_attached
from regolith_world.objects.visual_register import VisualRegister

GROUND = 'ground'
"""Name of the ground in :meth:`World.state` and :meth:`World.state_hashes`, if a participant computes it."""
Choice = Literal['stop', 'drop', 'wait']


class ProtocolError(RuntimeError):
    """Participants disagree about a shared state or parameter."""


class AdmissionError(ValueError):
    """A participant may not join. The message states the reason."""


class _Dropped(Exception):
    pass


class World:
    """The world: simulated time, objects and participants, and the cycle that advances them.

    Args:
        config: Section ``world`` of the scenario.
        objects: Root objects that the world computes, at time 0.
        bus: Transport to the participants; None: no participants.
        on_timeout: Function that returns the reaction to unresponsive participants; None: ``config.on_failure``.
    """

    def __init__(
        self,
        config: WorldConfig,
        objects: Sequence[Object] = (),
        bus: Transport | None = None,
        on_timeout: Callable[[ParticipantTimeout], Choice] | None = None,
    ) -> None:
        self.config = config
        self.t_ns = 0
        self.cycle = 0
        self.epoch = 0
        self.discarded_cycles = 0
        self.forced_cycles = 0
        self.shared_contacts = 0
        """Number of contacts, summed over cycles, of vehicles with bodies that another vehicle computes."""
        self.soil_hash = ''
        self.state_hash = ''
        self.objects: dict[str, Object] = {}
        self.participants: dict[str, Roles] = {}
        """Roles of the participants, in name order."""
        self.control = StepControl(round(config.max_step_s * 1e9), round(config.min_step_s * 1e9))
        self.last_results: dict[str, CycleResult] = {}
        self.log: InputLog[Act] = InputLog()
        """All external inputs and world edits since the beginning."""
        self.acts = 0
        """Number of world edits in :attr:`log` that were applied."""
        self.silent = False
        """Whether the past is resimulated, see :attr:`Cycle.resimulating`."""
        self.clock_offset_ns = 0
        """See :attr:`Cycle.clock_offset_ns`."""
        self.published_ns = -1
        """Time of the newest state that the world let participants publish [ns]; -1: none."""
        self._requests: dict[str, JoinRequest] = {}
        """Join requests of all participants that joined and can join again after a rewind."""
        self._bus = bus
        self._on_timeout = on_timeout or (lambda timeout: config.on_failure)
        self._agreement = ParameterAgreement()
        self._agreement.adopt('world', {'protocol': PROTOCOL, 'world.gravity_mps2': repr(config.gravity_mps2)})
        self._attempt = 0
        self._verdict = Verdict.NONE
        self._intersections: tuple[Intersection, ...] = ()
        self._records: tuple[IntersectionRecord, ...] = ()
        self._impulses: tuple[Impulse, ...] = ()
        self._separation: dict[tuple[str, str], float] = {}
        self._newcomers: set[str] = set()
        self._births: tuple[str, ...] = ()
        self._refused: tuple[str, ...] = ()
        self._deaths: tuple[str, ...] = ()
        self.visuals = VisualRegister()
        """What observers see of objects and participants."""
        self._encounters = CollisionDetector(judged=config.contact != 'none')
        self._bodies = BodyAssignments()
        self._mover = ''
        """Participant that computes the bodies that no vehicle computes; '': there is none."""
        self._joined: dict[str, str] = {}
        """Participant without own bodies that joined with each rigid body, by the name of the body."""
        self._resting = RestingBodies({})
        self.discards = Discards(config.discards_per_s)
        self._gravity = np.array([0.0, 0.0, -config.gravity_mps2])
        for item in objects:
            self.add(item)

    # -- participants and objects -------------------------------------------------------------------------------

    def add(self, item: Object) -> None:
        """Add a root object, between cycles only.

        Args:
            item: The object.

        Raises:
            ValueError: If its name is taken, or if it has a parent, which alone evolves it.
        """
        self._insert(item)
        self.visuals.show_object(item)

    def _insert(self, item: Object) -> None:
        if item.parent is not None:
            raise ValueError(f'object {item.name!r} is a child of {item.parent.name!r}; allowed: root objects')
        if taken := self._names() & {o.name for o in item.family()}:
            raise ValueError(f'object name {min(taken)!r} is taken; names in use: {sorted(self._names())}')
        self.objects[item.name] = item

    def admit(self, request: JoinRequest) -> None:
        """Admit a participant, at HOLD only; during a run, hold once more before the next step.

        The state of a vehicle is that of its result of its first HOLD, when it has the present terrain.

        Args:
            request: Join request of the participant.

        Raises:
            AdmissionError: If its parameters differ from those of others, a name is taken, its bodies are invalid, or
                it would intersect another object.
        """
        brought = {} if request.roles.has_bodies else joined_bodies(request, self.objects, self._gravity, self.t_ns)
        lent = set() if request.roles.has_bodies else {body.name for body in request.bodies} - brought.keys()
        given = {request.name, *(body.name for body in request.bodies), *([GROUND] if request.roles.owns_soil else [])}
        if taken := self._names() & given - lent:
            raise AdmissionError(f'name {min(taken)!r} is taken; names in use: {sorted(self._names())}')
        if problem := request.problem():
            raise AdmissionError(f'{request.name!r} has an invalid join request: {problem}')
        if missing := sorted(name for name in lent if not isinstance(self.objects.get(name), RigidBody)):
            raise AdmissionError(f'{request.name!r} would move {missing[0]!r}; allowed: rigid bodies of the scenario')
        self.agree(request)
        self.objects |= brought
        if request.roles.has_bodies:
            agent = RemoteAgent(request, self.t_ns)
            self.find_room(agent)
            self.objects[request.name] = agent
            if self.cycle:
                self._newcomers.add(request.name)
        elif request.roles.owns_soil:
            self.soil_hash = request.soil_hash
        self._agreement.adopt(request.name, request.parameters)
        self.participants = dict(sorted({**self.participants, request.name: request.roles}.items()))
        self._requests[request.name] = request
        self._find_movers()
        self._bodies.mark(self.objects, self._movers)
        self.visuals.show(request.visuals)

    @property
    def _movers(self) -> dict[str, str]:
        """Participant without own bodies that moves each rigid body, by the name of the body."""
        if not self._bodies.handed_over:
            return self._joined
        return self._joined | dict.fromkeys(self._bodies.handed_over & self.objects.keys(), self._mover)

    def _find_movers(self) -> None:
        """Find the participants that move bodies, among those that are present."""
        requests = [self._requests[name] for name in self.participants]
        self._mover = mover_of(requests)
        self._joined = {body.name: r.name for r in requests if not r.roles.has_bodies for body in r.bodies}

    def find_room(self, newcomer: Object) -> None:
        """Check that a new object intersects no other object and that all entities that it attaches to exist.

        Args:
            newcomer: The new object. Its own entry in :attr:`objects` is ignored.

        Raises:
            AdmissionError: With both names, positions and the depth.
        """
        if problem := admission_problem(newcomer, self.objects, self._encounters.judged):
            raise AdmissionError(problem)

    def readmit(self, name: str) -> None:
        """Admit a removed vehicle again. :meth:`hold` sets its state."""
        self.admit(self._requests[name])
        self._newcomers.add(name)

    def await_state(self, name: str) -> None:
        """Take the state of a vehicle from its result of the next HOLD."""
        self._newcomers.add(name)

    def place(self, name: str, body: BodyState) -> None:
        """Set pose and velocity of an object, between cycles only; for a vehicle, only check that it would be free.

        Args:
            name: Name of the object.
            body: Its new state.

        Raises:
            ValueError: If there is no such object, it cannot be moved this way, or it would intersect another object.
        """
        found = next((o for root in self.objects.values() for o in root.family() if o.name == name), None)
        if found is None:
            raise ValueError(f'no object {name!r}; allowed: {", ".join(sorted(self.objects))}')
        family, before = found.family(), [item.body for item in found.family()]
        for item, own in zip(family, before):
            item.place(self.t_ns, body if item is found else rigidly_attached(own, before[0], body))
        try:
            self.find_room(found)
        except AdmissionError:
            for item, own in zip(family, before):
                item.place(self.t_ns, own)
            raise
        self._part({item.name for item in family})

    def body_mover(self, item: Object) -> str:
        """Return the participant that computes an object away from vehicles; '': it is no rigid body on the ground."""
        if not (isinstance(item, RigidBody) and (item.moved_by or item.rests_on_ground)):
            return ''
        return self._mover

    @property
    def names_in_use(self) -> frozenset[str]:
        """All names that a new entity cannot have, including those of removed participants."""
        return frozenset(self._names() | self._requests.keys() | self._movers.keys())

    def _names(self) -> set[str]:
        """Return all names of present participants and objects."""
        ground = {GROUND} if self._has_ground else set()
        return {*self.participants, *(o.name for root in self.objects.values() for o in root.family())} | ground

    @property
    def _has_ground(self) -> bool:
        """Whether a participant computes the ground."""
        return any(roles.owns_soil for roles in self.participants.values())

    @property
    def removed_participants(self) -> frozenset[str]:
        """Names of the participants that were removed and can return."""
        return frozenset(self._requests.keys() - self.participants.keys())

    def release_name(self, name: str) -> None:
        """Discard the join request of a removed participant, which frees its name."""
        del self._requests[name]

    def agree(self, request: JoinRequest) -> None:
        """Check the parameters of a participant against those of all others.

        Args:
            request: Join request of the participant.

        Raises:
            AdmissionError: If they differ.
        """
        differences = self._agreement.differences(request.name, request.parameters)
        if differences is not None:
            raise AdmissionError(differences)

    def remove(self, name: str, lost: bool = False) -> None:
        """Remove a participant or object, between cycles only.

        Args:
            name: Name of the participant or object.
            lost: Whether a participant can never return.
        """
        self.participants.pop(name, None)
        self._find_movers()
        self._bodies.release(name, self._movers)
        self._bodies.mark(self.objects, self._movers)
        if lost:
            self._requests.pop(name, None)
        gone = self.objects.pop(name, None)
        names = {name} if gone is None else {o.name for o in gone.family()}
        self._part(names)
        self.visuals.remove(names)
        self._newcomers.discard(name)

    def _part(self, names: set[str]) -> None:
        """Discard the contacts of the last commit that involve these objects, because they have moved."""
        self._impulses = tuple(i for i in self._impulses if names.isdisjoint((i.a, i.b)))
        self._records = tuple(r for r in self._records if names.isdisjoint((r.a, r.b)))
        self._separation = {p: v for p, v in self._separation.items() if names.isdisjoint(p)}

    # -- the cycle ----------------------------------------------------------------------------------------------

    def step(self, end_ns: int | None = None) -> StepReport:
        """Evolve the world by one cycle, not beyond ``end_ns``, and commit it.

        Args:
            end_ns: Latest end of the step [ns]; None: no limit.

        Raises:
            ParticipantTimeout: If participants do not respond and the policy is ``stop``.
            ProtocolError: If participants disagree about the terrain, or a resimulation diverges from the logged run.
            regolith_world.cycle.stall.Stalled: If too many attempts are discarded.
        """
        self._resting.update(self.objects)
        wish = min((o.next_dt_ns() for o in self._resting.others), default=self.control.max_step_ns)
        wish = min([wish, *(a.next_dt_ns for n, a in self.last_results.items() if n not in self.objects)])
        if end_ns is not None:
            wish = min(wish, end_ns - self.t_ns)
        if not self.cycle:
            self._look()
        if self._encounters.judged:
            wish = limited_step_ns(
                self.objects,
                self._records,
                self._impulses,
                min(wish, self.control.max_step_ns),
                self.control.min_step_ns,
            )
        attempts = 0
        while True:
            attempts += 1
            dt_ns = self.control.propose(wish)
            if end_ns is not None:
                dt_ns = min(dt_ns, end_ns - self.t_ns)
            cycle = self._record(Command.EVOLVE, dt_ns)
            before = dict(self.objects)
            try:
                offspring = self._evolve(cycle)
            except _Dropped:
                self._verdict = Verdict.DISCARD
                continue
            if refused := self._without_room(offspring):
                self._discard(before)
                self._refused = tuple(sorted({*self._refused, *refused}))
                continue
            worst = self.handle_intersection_pairs(cycle)
            forced = worst is not None and self.control.at_min_step(dt_ns)
            if worst is None or forced:
                break
            self._discard(before)
            self.discarded_cycles += 1
            self.discards.add(self.t_ns, worst.pair)
            self.control.reject(worst.after_ns, worst.distance_before, worst.distance_after)
        self._commit(cycle, offspring, forced)
        return StepReport(self.t_ns, dt_ns, attempts, forced, list(self._intersections), self._impulses)

    @property
    def bodies_over_limit(self) -> int:
        """Number of bodies, summed over cycles, that a vehicle left to others because it computes as many as it may."""
        return self._bodies.over_limit

    @property
    def intersection_pairs(self) -> tuple[Intersection, ...]:
        """Intersections of all close pairs in the last cycle, sorted by names; the objects in them move on.

        Pairs with a body that a participant moves are those that touch.
        """
        return self._intersections

    def handle_intersection_pairs(self, cycle: Cycle) -> PenetrationViolation | None:
        """Compute :attr:`intersection_pairs` at the end of an attempt; return its first NII, None without one.

        Args:
            cycle: The attempt; the objects have evolved to its end.
        """
        self._resting.update(self.objects)
        hits, worst = self._encounters.find(self.objects, cycle, self._resting)
        self._intersections = tuple(hits)
        return worst

    def state(self, t_ns: int) -> dict[str, BodyState]:
        """Return the states of all objects at a time, children included, by name.

        The terrain is the object ``ground``, which never moves as a whole. Contact with it follows the soil's law.

        Args:
            t_ns: Simulated time [ns].

        Raises:
            LookupError: If a present object has no state at that time.
        """
        members = (o for root in self.objects.values() for o in root.family())
        found = {o.name: o.states.get_state(t_ns) for o in members}
        if self._has_ground:
            still = np.zeros(3)
            found[GROUND] = BodyState(GROUND, still, np.array([0.0, 0.0, 0.0, 1.0]), still, still)
        return dict(sorted(found.items()))

    def state_hashes(self) -> dict[str, str]:
        """Return the hash of the committed state of each root object and participant, by name.

        The hash of ``ground`` is that of the soil: levels and memory of all grid nodes.
        """
        self._resting.update(self.objects)
        return dict(sorted((self._hashes() | ({GROUND: self.soil_hash} if self._has_ground else {})).items()))

    def hold(self) -> dict[str, CycleResult]:
        """Have all participants apply the last verdict without evolving; return their results."""
        return self._idle(Command.HOLD)

    def stop(self) -> dict[str, CycleResult]:
        """End the run: participants apply the last verdict and end. Return their results, which carry reports."""
        return self._idle(Command.STOP)

    def _idle(self, command: Command) -> dict[str, CycleResult]:
        while True:
            try:
                results = self._exchange(self._record(command, 0))
            except _Dropped:
                continue
            self._verdict = Verdict.NONE
            self.last_results = results
            for name in sorted(self._newcomers & set(results)):
                agent, result = self.objects[name], results[name]
                assert isinstance(agent, RemoteAgent)
                agent.rewind(self.t_ns, result.bodies, result.next_dt_ns, result.state_hash)
            self._newcomers.clear()
            return results

    def _record(self, command: Command, dt_ns: int) -> Cycle:
        names = tuple(self.participants)
        if not self.silent:
            self.published_ns = self.t_ns
        self._resting.update(self.objects)
        handed_over = self._bodies.hand_over(self._resting.others, self._mover) if command == Command.EVOLVE else ()
        moving = (o for root in self._resting.others for o in root.family())
        shown = (o for o in moving if (o.tangible and o.shapes) or isinstance(o, RemoteBody))
        states = (*(o.states.get_state(self.t_ns) for o in shown), *self._resting.states)
        bodies = tuple(sorted(states, key=lambda b: b.name))
        cycle = Cycle(
            CycleKey(self.epoch, self.cycle, self._attempt),
            self.t_ns,
            dt_ns,
            self._verdict,
            command,
            names,
            tuple(self.participants.values()),
            bodies,
            self._records,
            self._impulses,
            self._births,
            self._deaths,
            self.silent,
            self.clock_offset_ns,
            tuple(n for n in constrained_names(self.objects) if n in names),
            self._bodies.assigned,
            handed_over,
            self.visuals.changes,
            fields=tuple(o.field_record() for o in self._resting.others if isinstance(o, ForceField)),
            refused=self._refused,
        )
        self._attempt += 1
        return cycle

    def _exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        if self._bus is None or not cycle.participants:
            return {}
        while True:
            try:
                return self._bus.exchange(cycle)
            except ParticipantTimeout as timeout:
                choice = self._on_timeout(timeout)
                if choice == 'wait':
                    continue
                vehicles = all(self.participants[n].has_bodies for n in timeout.names)
                if choice == 'stop' or not vehicles:
                    raise
                for name in timeout.names:
                    self.remove(name, lost=True)
                self.log.cut(self.cycle, self.acts)
                raise _Dropped from None

    def _look(self) -> None:
        """Report intersections of the first state to objects; later cycles do so at their ends."""
        key = CycleKey(self.epoch, self.cycle, self._attempt)
        self.handle_intersection_pairs(Cycle(key, self.t_ns, 0, Verdict.NONE, Command.HOLD))
        hits = self._intersections
        for item in (o for name in sorted(self.objects) for o in self.objects[name].family()):
            item.on_intersections([h for h in hits if h.involves(item)])
        self._records = tuple(h.record() for h in hits)
        if problem := impossible_constraint(self.objects):
            raise ProtocolError(str(problem))
        solve_constraints(self.objects, self.t_ns, ())

    def _evolve(self, cycle: Cycle) -> list[Object]:
        end_ns = cycle.t_ns + cycle.dt_ns
        # Remote agents first: they compute in their own processes while the world waits for none of them.
        results = self._exchange(cycle)
        offspring: list[Object] = []
        for item in self._resting.others:
            offspring += item.evolve(cycle)
        if self._mover or self._joined:
            self._bodies.take(self.objects, results, cycle, self._resting)
        for name, result in results.items():
            offspring += [spawned_body(spawned, self._gravity, end_ns) for spawned in result.spawned]
            if self.participants[name].has_bodies:
                if result.soil_hash and self.soil_hash and result.soil_hash != self.soil_hash:
                    raise ProtocolError(
                        f'{name} has the soil state {result.soil_hash[:16]} where terrain committed '
                        f'{self.soil_hash[:16]} '
                        f'(cycle {cycle.key.cycle})'
                    )
                agent = self.objects[name]
                assert isinstance(agent, RemoteAgent)
                agent.take(result, end_ns)
        self.last_results = results
        for item in offspring:
            self._insert(item)
        return offspring

    def _without_room(self, offspring: Sequence[Object]) -> list[str]:
        """Return the names of objects that participants spawned inside other tangible objects.

        Raises:
            ProtocolError: If a participant spawns one that was refused in this cycle.
        """
        if self.config.contact == 'none' or not offspring:
            return []
        found = spawned_inside_others(offspring, self.objects, self.last_results)
        for name in sorted(found.keys() & set(self._refused)):
            raise ProtocolError(f'{found[name]} spawns {name} again, whose place is taken')
        return list(found)

    def _discard(self, before: dict[str, Object]) -> None:
        self.objects = before
        for item in before.values():
            if not item.at_rest:
                item.discard()
        self._verdict = Verdict.DISCARD

    def _commit(self, cycle: Cycle, offspring: list[Object], forced: bool) -> None:
        self.t_ns = cycle.t_ns + cycle.dt_ns
        self.cycle += 1
        self._attempt = 0
        self._verdict, self._refused = Verdict.COMMIT, ()
        self.forced_cycles += forced
        self.control.accept()
        for name, result in self.last_results.items():
            if self.participants[name].owns_soil:
                self.soil_hash = result.soil_hash
        hits = self._intersections
        emitted = [h for h in hits if h.a.emitter or h.b.emitter]
        of_root: dict[str, list[Intersection]] = {}
        for hit in hits:
            for root in {hit.a.root.name, hit.b.root.name}:
                of_root.setdefault(root, []).append(hit)
        for item in self._resting.others:
            item.commit([h for h in hits if h.involves(item)] if emitted else of_root.get(item.name, []))
            if isinstance(item, RigidBody) and item.moved_by:
                item.settle()
        self._push_apart(hits, cycle.dt_ns)
        self._impulses += solve_constraints(self.objects, self.t_ns, self._impulses)
        self._records = tuple(h.record() for h in hits)
        self._births = tuple(sorted(o.name for o in offspring))
        self.visuals.next_commit()
        for item in offspring:
            self.visuals.show_object(item)
        for _, result in sorted(self.last_results.items()):
            self.visuals.show(result.visuals)
        gone: list[str] = []
        for item in self._resting.others:
            gone += item.remove_dead() if item.alive else [o.name for o in self.objects.pop(item.name).family()]
        self._deaths = tuple(sorted(gone))
        self._resting.update(self.objects)
        if cycle.handed_over:
            self._bodies.handed_over |= {body.name for body in cycle.handed_over} & self.objects.keys()
        movers, step_s = self._movers, self.config.max_step_s
        self._bodies.commit(self.objects, movers, self._requests, self.last_results, step_s, self._resting)
        self.visuals.remove(self._deaths)
        self.state_hash = cycle_hash(self.t_ns, self._hashes(), self.soil_hash, self.control.save())
        latched = {n: result.live_inputs for n, result in self.last_results.items() if self.participants[n].inputs}
        try:
            self.log.commit(self.t_ns, self.state_hash, latched, self.cycle)
        except ReplayDiverged as error:
            raise ProtocolError(str(error)) from error

    def _push_apart(self, hits: Sequence[Intersection], dt_ns: int) -> None:
        """Compute the impulses of all contacts of a cycle of duration ``dt_ns`` [ns]."""
        self._impulses = ()
        if not hits:
            self._separation = {}
            return
        touching = [h for h in hits if h.a.tangible and h.b.tangible and h.status != Status.NO_INTERSECTION]
        touching = [h for h in touching if not yields(h.a, h.b)]
        self.shared_contacts += sum(
            isinstance(b.root, RemoteAgent) and a.moved_by in self.objects
            for hit in touching
            for a, b in ((hit.a, hit.b), (hit.b, hit.a))
        )
        if self.config.contact == 'impulse':
            pressing = contact_accelerations(touching, self._separation, dt_ns * 1e-9)
            impulses, self._separation = solve_contacts(touching, self.config.max_step_s, pressing)
            self._impulses = tuple(impulses)

    def _hashes(self) -> dict[str, str]:
        """Return the state hashes of all root objects and participants, without that of the soil."""
        hashes = {o.name: o.state_hash() for o in self._resting.others} | self._resting.hashes
        for name, result in self.last_results.items():
            roles = self.participants[name]
            # A participant without bodies is not an object, but its state is part of the world. Terrain has the soil
            # hash; one with more state than the grid, such as loose soil, sends a separate hash of it.
            if not roles.has_bodies and not (roles.owns_soil and result.state_hash == result.soil_hash):
                hashes[name] = result.state_hash
        if assigned := self._bodies.state_hash():
            hashes['/assigned'] = assigned
        return hashes

    # -- checkpoints --------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Return the world's part of a checkpoint, after :meth:`hold`.

        Raises:
            ProtocolError: If there are objects of a kind that cannot be restored.
        """
        present = [o for _, o in sorted(self.objects.items())]
        for item in present:
            if item.at_rest:
                item.states.resume(self.t_ns)
        agents = [o for o in present if isinstance(o, RemoteAgent)]
        own = [o for o in present if not isinstance(o, RemoteAgent)]
        foreign = [o.name for o in own if not o.kind or (o.children and not o.keeps_children)]
        if foreign:
            raise ProtocolError(f'objects {foreign} cannot be saved in a checkpoint')
        names = tuple(self.participants)
        return codec.encode_record(
            WorldState(
                self.epoch,
                self.cycle,
                self.t_ns,
                self.soil_hash,
                self.state_hash,
                self.discarded_cycles,
                self.forced_cycles,
                self.control.save(),
                names,
                tuple(self.participants.values()),
                tuple(body for o in agents for body in o.bodies()),
                tuple(o.next_dt_ns() for o in agents),
                tuple(o.state_hash() for o in agents),
                self._records,
                self._impulses,
                tuple((a, b, v) for (a, b), v in sorted(self._separation.items())),
                tuple(o.save() for o in own),
                self.acts,
                self._bodies.assigned,
                tuple(sorted(self._bodies.memories.items())),
                tuple(sorted(self._bodies.handed_over)),
                self._bodies.over_limit,
                self.shared_contacts,
                self.visuals.all,
            )
        )

    def load(self, blob: bytes) -> None:
        """Restore the state of :meth:`save` in a new epoch, with the participants of that state.

        The log is kept if it contains the state; otherwise it begins again there.

        Args:
            blob: Bytes of :meth:`save`.

        Raises:
            ProtocolError: If a participant of the state never joined in this process.
        """
        state = codec.decode_record(WorldState, blob)
        if absent := sorted(set(state.names) - set(self._requests)):
            raise ProtocolError(f'checkpoint has the participants {list(state.names)}; missing here: {absent}')
        bodies = {b.name: b for b in state.bodies}
        agents = [n for n, roles in zip(state.names, state.roles) if roles.has_bodies]
        objects: dict[str, Object] = {}
        for name, next_dt, digest in zip(agents, state.next_dt_ns, state.hashes):
            agent = RemoteAgent(self._requests[name], state.t_ns)
            if missing := [body.name for body in agent.bodies() if body.name not in bodies]:
                raise ProtocolError(f'checkpoint has the bodies {sorted(bodies)}; missing: {missing}')
            agent.rewind(state.t_ns, [bodies[body.name] for body in agent.bodies()], next_dt, digest)
            objects[name] = agent
        self.epoch = max(self.epoch, state.epoch) + 1
        self.cycle, self.t_ns = state.cycle, state.t_ns
        self.soil_hash, self.state_hash = state.soil_hash, state.state_hash
        self.discarded_cycles, self.forced_cycles = state.discarded_cycles, state.forced_cycles
        self.control.load(state.control)
        self._attempt, self._verdict = 0, Verdict.NONE
        self._records, self._impulses = state.intersections, state.impulses
        self._separation = {(a, b): v for a, b, v in state.separation}
        self._births = self._deaths = self._refused = ()
        self._newcomers.clear()
        self.last_results = {}
        self.participants = dict(zip(state.names, state.roles))
        self.objects = objects
        for kept in state.objects:
            self.add(restored(kept))
        self._bodies.assigned, self._bodies.memories = state.assigned, dict(state.memories)
        self._bodies.handed_over = set(state.handed_over)
        self._bodies.over_limit, self.shared_contacts = state.bodies_over_limit, state.shared_contacts
        self._find_movers()
        self._bodies.mark(self.objects, self._movers)
        self.visuals.load(state.visuals)
        if self.log.has(self.cycle, self.t_ns, self.state_hash) and state.acts <= len(self.log.acts):
            self.acts = state.acts
        else:
            self.log, self.acts = InputLog(self.cycle, self.t_ns, self.state_hash), 0
