# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Terrain participant of a simulation: owns the soil state and merges the changes of all agents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.ejected_soil import compile_disturbed, disturbed
from regolith_terrain.excavation.exchange import SoilGrant, compile_exchange, exchange
from regolith_terrain.excavation.loose_soil import NO_LOOSE_SOIL, ROW, LooseSoil
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2, soil_mass_balance
from regolith_terrain.grid.node_records import Indices
from regolith_terrain.grid.owned_region import ForeignSoilError
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import HeightField
from regolith_terrain.height_profiles import profiles
from regolith_terrain.updates.committed_soil import SoilCommit
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate, compile_merge, merge
from regolith_terrain.updates.surface_edit import ROW as EDIT_ROW
from regolith_terrain.updates.surface_edit import (
    Rows,
    apply_edit,
    check_edit,
    combined,
    raised_nodes,
    without_loose_soil,
)
from regolith_world.cycle import (
    TERRAIN_ROLES,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    JoinRequest,
    Participant,
    StateField,
    StateLayout,
    state_fields,
)

NO_STEP_LIMIT_NS = 2**62
"""Terrain never limits the step."""

MOON_MPS2 = 1.62
"""Default gravity [m/s^2]."""


def handshake_parameters(config: TerrainConfig, field: HeightField) -> dict[str, str]:
    """Return the terrain properties on which terrain and all agents must agree, as name -> text."""
    parameters = {
        'terrain.fingerprint': field.fingerprint(),
        'terrain.spacing_m': repr(config.spacing_m),
        'terrain.model': config.model,
        'terrain.fields': ' '.join(config.law.names),
        **config.agreed_settings(),
        'terrain.merge_compaction': str(config.merge_compaction).lower(),
        'terrain.rocks': json.dumps(
            [config.has_rocks, *(free.model_dump(mode='json') for free in config.rock_free_zones)]
        ),
        'terrain.rock_collision': json.dumps([config.rock_collision, config.rock_friction]),
        'terrain.obstacles': json.dumps({name: o.model_dump(mode='json') for name, o in config.obstacles.items()}),
        'terrain.regions': json.dumps([region.model_dump(mode='json') for region in config.regions]),
        'terrain.bedrock_depth_m': repr(config.bedrock_depth_m),
    }
    for name in type(config.soil).model_fields:
        if name != 'name':
            parameters[f'soil.{name}'] = repr(getattr(config.soil, name))
    return dict(sorted(parameters.items()))


class TerrainParticipant(Participant):
    """Participant that owns the committed soil.

    On EVOLVE it waits for exactly one delta of every participating agent, merges them, sends the update and then
    responds. The soil changes only on the world's COMMIT.
    """

    STATE = StateLayout(
        'terrain',
        *state_fields('q', 'soil_seq', 'conflicts', 'edited'),
        StateField('_soil', bytes),
        StateField('_loose_rows', ROW, ('rows',)),
        tag=b'REGTER03',
    )

    def __init__(
        self,
        config: TerrainConfig,
        height_field: HeightField,
        send_result: Callable[[CycleResult], None],
        send_update: Callable[[SoilUpdate], None],
        name: str = 'terrain',
        grid: SoilGrid | None = None,
        epoch: int = 0,
        gravity_mps2: float = MOON_MPS2,
    ) -> None:
        """Create the terrain of a scenario.

        Args:
            config: Terrain section of the scenario.
            height_field: Undisturbed surface.
            send_result: Function that sends results to the world.
            send_update: Function that sends merged changes to all participants.
            name: Name of the participant.
            grid: Committed soil, if it is shared within the process; none: a new one.
            epoch: Epoch of the first record.
            gravity_mps2: Gravity, which determines the stability of loose soil [m/s^2].
        """
        super().__init__(name, send_result, epoch)
        self.config = config
        self.height_field = height_field
        self.grid = grid if grid is not None else SoilGrid(height_field, config.spacing_m, config.law)
        self.loose = LooseSoil()
        """Committed loose soil."""
        self.soil_seq = 0
        self.t_ns = -1
        """Simulated time of the last commit [ns]; -1: no commit in this epoch."""
        self.conflicts = 0
        self.edited = 0
        """Mass that edits of the surface added, in quanta of mass per area summed over nodes."""
        self.on_shown: Callable[[Cycle], None] = lambda cycle: None
        """Callback for every record that commits an attempt, after the soil has changed; not called during replay."""
        self.on_committed: Callable[[SoilCommit], None] = lambda commit: None
        """Callback for the soil changes of every commit, and again for a repeated record."""
        self._send_update = send_update
        self._diggable = DiggableSoil(config, gravity_mps2)
        self._owned = config.owned_regions()
        self._deltas: dict[CycleKey, dict[str, SoilDelta]] = {}
        self._waiting: list[Rows] = []
        self._latched: tuple[int, bytes] = (-1, b'')
        self._awaited: tuple[str, ...] | None = None
        self._update: SoilUpdate | None = None
        self._committed: SoilUpdate | None = None
        self._replayed: dict[CycleKey, SoilUpdate] = {}

    def soil_hash(self) -> str:
        """Return the hash of the committed soil."""
        return self.grid.soil_hash()

    def join_request(self) -> JoinRequest:
        """Return the join request of terrain, after compilation of the merge kernels."""
        compile_merge(self.config.law)
        compile_exchange(self.config.law, self._diggable)
        compile_disturbed(self.config.law, self._diggable)
        soil_hash = self.grid.soil_hash()
        return JoinRequest(
            name=self.name,
            roles=TERRAIN_ROLES,
            shapes=(),
            bodies=(),
            next_dt_ns=NO_STEP_LIMIT_NS,
            state_hash=soil_hash,
            soil_hash=soil_hash,
            parameters=handshake_parameters(self.config, self.height_field),
        )

    def on_delta(self, delta: SoilDelta) -> None:
        """Process an agent's changes, which may arrive before their cycle's record, twice, or too late."""
        if delta.key.epoch < self.epoch or (self._last_key is not None and delta.key < self._last_key):
            return
        self._deltas.setdefault(delta.key, {}).setdefault(delta.agent, delta)
        awaited = self._awaited
        if awaited is not None and delta.key == self._last_key and len(self._deltas[delta.key]) >= len(awaited):
            try:
                result = self._try_merge(delta.key)
            except ForeignSoilError as error:
                self._send_result(CycleResult(delta.key, self.name, 0, failure=str(error)))
                raise
            if result is not None:
                self._reply(result)

    def edit(self, rows: Rows) -> int:
        """Change the surface at the end of the next cycle, and return the number of changed nodes.

        It is a live input: it takes effect for all attempts of that cycle, is recorded, and is fed back by a replay.

        Args:
            rows: Edit of :func:`regolith_terrain.heights_edit` or :func:`regolith_terrain.stamp_edit`.

        Raises:
            ValueError: As :func:`regolith_terrain.updates.surface_edit.check_edit`.
        """
        check_edit(rows, self.grid, self._diggable, self._owned)
        self._waiting.append(rows)
        return len(rows)

    def _live_input(self, cycle: int) -> bytes:
        """Return the edits of a cycle as bytes."""
        if self._latched[0] != cycle:
            waiting, self._waiting = self._waiting, []
            live = self.replay_inputs.get(cycle)
            if live is None:
                live = combined(waiting).tobytes() if waiting else b''
            self._latched = cycle, live
        return self._latched[1]

    def missing(self) -> tuple[str, ...]:
        """Return the agents whose delta the present attempt is waiting for."""
        if self._awaited is None or self._last_key is None:
            return ()
        here = self._deltas.get(self._last_key, {})
        return tuple(agent for agent in self._awaited if agent not in here)

    def _evolve(self, cycle: Cycle) -> CycleResult | None:
        self._discard_before(cycle.key)
        if (update := self._replayed.pop(cycle.key, None)) is not None:
            self._update = update
            self._live_input(cycle.key.cycle)
            self._send_update(update)
            return self._answer_with(update.key, update.soil_hash, self._state_hash(update))
        self._awaited = tuple(
            sorted(agent for agent, roles in zip(cycle.participants, cycle.roles, strict=True) if roles.writes_soil)
        )
        return self._try_merge(cycle.key)

    def _try_merge(self, key: CycleKey) -> CycleResult | None:
        if self._awaited is None or self.missing():
            return None
        here = self._deltas.pop(key, {})
        agents = self._awaited
        self._awaited = None
        for agent in agents if self._owned else ():
            work = here[agent].work
            for part in (here[agent].records, *work.requests, *((work.landed,) if work.landed is not None else ())):
                self._refuse_foreign(agent, part.i, part.j)
        # Deltas of agents that no longer participate are ignored.
        records, owner, conflicts = merge(self.grid, {agent: here[agent].records for agent in agents})
        grants: tuple[SoilGrant, ...] = ()
        loose = NO_LOOSE_SOIL
        works = {agent: here[agent].work for agent in agents if not here[agent].work.is_done}
        thrown = disturbed(self.grid, records, owner, self.loose, self._diggable)
        if works or len(thrown[0]) or (len(self.loose) and self.loose.mark.any()):
            records, owner, grants, loose = exchange(
                self.grid, records, owner, works, self.loose, self._diggable, thrown
            )
            self._refuse_foreign('loose soil', records.i[owner < 0], records.j[owner < 0])
        edited = 0
        if live := self._live_input(key.cycle):
            rows = np.frombuffer(live, EDIT_ROW)
            records, owner, edited = apply_edit(rows, self.grid, records, owner, self._diggable)
            loose = without_loose_soil(rows, self.loose, loose)
        soil_hash = self.grid.hash_with(records)
        self._update = SoilUpdate(
            key, records, owner, agents, conflicts, self.soil_seq + 1, soil_hash, grants, loose, edited
        )
        self._send_update(self._update)
        return self._answer_with(key, soil_hash, self._state_hash(self._update))

    def _refuse_foreign(self, agent: str, i: Indices, j: Indices) -> None:
        """Reject changes of nodes in a region of another vehicle.

        Args:
            agent: Name of the agent that changed the nodes.
            i: Node indices along x, shape (n,).
            j: Node indices along y, shape (n,).

        Raises:
            ForeignSoilError: If a node is in such a region. The message names both vehicles, the region and the node.
        """
        for region in self._owned:
            if region.vehicle != agent:
                within = np.flatnonzero(region.owned(i, j, self.grid.spacing))
                if len(within):
                    node = int(i[within[0]]), int(j[within[0]])
                    raise ForeignSoilError(
                        f'{agent}: changes node {node} of CRM region {region.name!r} of'
                        f' {region.vehicle}; allowed: changes by {region.vehicle} only'
                    )

    def _state_hash(self, update: SoilUpdate) -> str:
        """Return the hash of the terrain state after an update; without loose soil it is the soil hash."""
        loose = self.loose.changed(update.loose)
        if not len(loose) and not update.grants:
            return update.soil_hash
        digest = hashlib.sha256(update.soil_hash.encode() + loose.rows.tobytes())
        for grant in update.grants:
            digest.update(f'{grant.agent} {grant.tool} {grant.granted!r}'.encode())
        return digest.hexdigest()

    def _answer_with(self, key: CycleKey, soil_hash: str, state_hash: str, report: str = '') -> CycleResult:
        live = self._latched[1] if self._latched[0] == key.cycle else b''
        return CycleResult(
            key,
            self.name,
            NO_STEP_LIMIT_NS,
            state_hash=state_hash,
            soil_hash=soil_hash,
            live_inputs=live,
            summary_json=report,
        )

    def _idle_result(self, cycle: Cycle) -> CycleResult:
        self._discard_before(cycle.key)
        report = json.dumps(self.summary()) if cycle.command == Command.STOP else ''
        soil_hash = self.grid.soil_hash()
        return self._answer_with(cycle.key, soil_hash, soil_hash, report)

    def summary(self) -> dict[str, Any]:
        """Return the terrain part of the summary.

        Its keys are ``modified_nodes``, ``max_rut_depth_m``, ``conflicts``, ``mass_balance`` and, if configured,
        ``profiles``.
        """
        return {
            'modified_nodes': self.grid.modified_count,
            'max_rut_depth_m': self.grid.max_rut_depth(),
            'conflicts': self.conflicts,
            'mass_balance': soil_mass_balance(
                self.grid.moved_mass(self.edited),
                cell := self.grid.spacing**2,
                edited_kg=self.edited * MASS_QUANTUM_KGPM2 * cell,
            ),
            **({'profiles': profiles(self.grid, self.config.profiles)} if self.config.profiles else {}),
        }

    def _commit(self, cycle: Cycle) -> None:
        if self._update is not None:
            self._committed, self.t_ns = self._update, cycle.t_ns
            self._tell_committed()
            raised = raised_nodes(self.grid, self._update.records, self._update.owner)
            self.grid.apply(self._update.records, raised)
            self.loose = self.loose.changed(self._update.loose)
            self.soil_seq = self._update.soil_seq
            self.conflicts += self._update.conflicts
            self.edited += self._update.edited
        self._drop_attempt()
        if not cycle.resimulating:
            self.on_shown(cycle)

    def _tell_committed(self) -> None:
        update = self._committed
        if update is not None:
            self.on_committed(SoilCommit(update.key, self.t_ns, update.soil_seq, update.records, update.soil_hash))

    def _discard(self) -> None:
        self._drop_attempt()

    def _drop_attempt(self) -> None:
        self._update = None
        self._awaited = None

    def replay_update(self, update: SoilUpdate) -> None:
        """Use an update that was sent before a restart as the result of its attempt, instead of a merge of deltas."""
        self._replayed[update.key] = update

    def _resend(self) -> None:
        # An agent may also have lost the last update, and waits for it with the record that commits it.
        for update in (self._committed, self._update):
            if update is not None:
                self._send_update(update)
        self._tell_committed()

    def _discard_before(self, key: CycleKey) -> None:
        self._deltas = {other: parts for other, parts in self._deltas.items() if other >= key}

    def save(self) -> bytes:
        """Return soil_seq, number of conflicts, edited mass, loose soil and soil grid as bytes (little-endian)."""
        return self.STATE.pack(self)

    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore the result of :meth:`save`.

        Args:
            blob: Saved state.
            epoch: New epoch of records.

        Raises:
            ValueError: If the saved state does not match this terrain.
        """
        self.STATE.unpack(self, blob)
        self.set_epoch(epoch)

    @classmethod
    def unpack(cls, blob: bytes) -> tuple[int, bytes]:
        """Return soil_seq and the soil grid (for ``SoilGrid.load``) from the bytes of :meth:`save`."""
        found = cls.STATE.values(blob)
        return found.soil_seq, found._soil

    @property
    def _loose_rows(self) -> NDArray[Any]:
        """Loose soil as an array."""
        return self.loose.rows

    @_loose_rows.setter
    def _loose_rows(self, rows: NDArray[Any]) -> None:
        self.loose = LooseSoil.of(rows)

    @property
    def _soil(self) -> bytes:
        """Soil grid as bytes."""
        return self.grid.save()

    @_soil.setter
    def _soil(self, blob: bytes) -> None:
        self.grid.load(blob)

    def set_epoch(self, epoch: int) -> None:
        """Start a new epoch: drop results of earlier records, keep received deltas of the new epoch."""
        super().set_epoch(epoch)
        self._drop_attempt()
        self._committed, self.t_ns = None, -1
        self._waiting, self._latched = [], (-1, b'')
        self._replayed.clear()
        self._deltas = {key: parts for key, parts in self._deltas.items() if key.epoch >= epoch}
