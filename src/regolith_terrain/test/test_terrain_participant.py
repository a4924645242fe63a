# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the terrain participant: cycle protocol, rewind and handshake."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.exchange import SoilDeposit, SoilRequest, ToolExchange
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.owned_region import ForeignSoilError
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.scm.law import SCM
from regolith_terrain.terrain_participant import TerrainParticipant, handshake_parameters
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate, resolver
from regolith_world.cycle.records import (
    TERRAIN_ROLES,
    VEHICLE_ROLES,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    Roles,
    Verdict,
)


def rut(i: int, depth: float) -> NodeRecords:
    values = np.array([[0.0], [-depth], [depth], [1e3 * depth], [0.0]])
    return NodeRecords.from_values(np.array([i], np.int32), np.array([0], np.int32), values)


class Stage:
    """Terrain participant with recorded outputs, and the world side of the protocol."""

    def __init__(self, agents: tuple[str, ...] = ('amber', 'beryl'), regions: tuple[dict, ...] = ()) -> None:
        self.results: list[CycleResult] = []
        self.updates: list[SoilUpdate] = []
        self.agents = agents
        config = TerrainConfig.model_validate({'source': 'flat', 'regions': regions})
        self.terrain = TerrainParticipant(config, FlatField(), self.results.append, self.updates.append)

    def cycle(
        self,
        cycle: int,
        attempt: int,
        verdict: Verdict = Verdict.NONE,
        command: Command = Command.EVOLVE,
        epoch: int = 0,
    ) -> CycleKey:
        names = (*self.agents, 'comms', 'terrain')
        roles = (*[VEHICLE_ROLES] * len(self.agents), Roles(), TERRAIN_ROLES)
        key = CycleKey(epoch, cycle, attempt)
        self.terrain.on_cycle(Cycle(key, 0, 20_000_000, verdict, command, names, roles))
        return key

    def delta(self, key: CycleKey, agent: str, records: NodeRecords) -> None:
        self.terrain.on_delta(SoilDelta(key, agent, records))


def test_terrain_responds_when_all_deltas_have_arrived() -> None:
    stage = Stage()
    key = stage.cycle(0, 0)
    assert stage.terrain.missing() == ('amber', 'beryl')
    stage.delta(key, 'amber', rut(1, 0.1))
    assert not stage.results and stage.terrain.missing() == ('beryl',)
    stage.delta(key, 'beryl', NodeRecords.empty())
    (result,), (update,) = stage.results, stage.updates
    assert update.key == result.key == key and update.soil_seq == 1 and update.agents == ('amber', 'beryl')
    assert result.soil_hash == result.state_hash == update.soil_hash
    assert stage.terrain.grid.modified_count == 0  # no change before the verdict
    stage.cycle(1, 1, Verdict.COMMIT)
    assert stage.terrain.grid.modified_count == 1 and stage.terrain.soil_seq == 1
    assert stage.terrain.grid.soil_hash() == update.soil_hash


def test_terrain_compiles_the_merge_before_it_joins() -> None:
    law = replace(SCM, default_soil={'name': 'clay'})  # a model whose merge has not been called before
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TerrainConfig, 'law', law)
        stage = Stage()
        stage.terrain.join_request()
    assert resolver(law).signatures


def test_terrain_early_duplicate_and_foreign_deltas_are_handled() -> None:
    stage = Stage()
    key = CycleKey(0, 0, 0)
    stage.delta(key, 'beryl', rut(2, 0.2))
    stage.delta(key, 'beryl', rut(2, 0.3))  # a repeat never replaces the first one
    stage.delta(key, 'ghost', rut(9, 0.9))
    stage.delta(key, 'amber', rut(1, 0.1))
    assert not stage.results
    stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(1, 0.1))
    assert len(stage.results) == len(stage.updates) == 1
    assert stage.updates[0].records.level.tolist() == [-0.1, -0.2]


def test_terrain_repeated_record_gives_the_same_update_and_result() -> None:
    stage = Stage(('amber',))
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(1, 0.1))
    stage.cycle(0, 0)
    assert stage.results[0] is stage.results[1] and stage.updates[0] is stage.updates[1]


def test_terrain_repeated_commit_record_resends_its_update() -> None:
    """An update may be lost on an interrupted link, and the participant waits for it."""
    stage = Stage(('amber',))
    first = stage.cycle(0, 0)
    stage.delta(first, 'amber', rut(1, 0.1))
    second = stage.cycle(1, 0, Verdict.COMMIT)
    del stage.updates[:]
    stage.cycle(1, 0, Verdict.COMMIT)  # amber lacks the first update and has sent no result
    assert [update.key for update in stage.updates] == [first]
    stage.delta(second, 'amber', rut(2, 0.1))
    del stage.updates[:]
    stage.cycle(1, 0, Verdict.COMMIT)
    assert [update.key for update in stage.updates] == [first, second]
    assert stage.terrain.grid.modified_count == 1  # applied once


@pytest.mark.parametrize('restored', [False, True])
@pytest.mark.parametrize('attempted', [False, True])
def test_terrain_resends_nothing_from_before_a_rewind(restored: bool, attempted: bool) -> None:
    """Neither the committed update nor one without a verdict is sent again if the record of the new epoch is
    repeated.
    """
    stage = Stage(('amber',))
    saved = stage.terrain.save()
    stage.delta(stage.cycle(0, 0), 'amber', rut(1, 0.1))
    second = stage.cycle(1, 0, Verdict.COMMIT)
    if attempted:
        stage.delta(second, 'amber', rut(2, 0.1))
    assert len(stage.updates) == 1 + attempted
    if restored:
        stage.terrain.restore(saved, 1)
    else:
        stage.terrain.set_epoch(1)
    del stage.updates[:], stage.results[:]
    for _ in range(2):
        key = stage.cycle(0, 1, epoch=1)
    assert not stage.updates and not stage.results and stage.terrain.missing() == ('amber',)
    stage.delta(key, 'amber', rut(3, 0.2))
    assert [update.key for update in stage.updates] == [key]


def test_terrain_discarded_attempt_has_no_effect() -> None:
    stage, straight = Stage(('amber',)), Stage(('amber',))
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(1, 0.5))
    retry = stage.cycle(0, 1, Verdict.DISCARD)
    stage.delta(key, 'amber', rut(1, 0.5))  # late
    assert len(stage.results) == 1
    stage.delta(retry, 'amber', rut(1, 0.1))
    stage.cycle(1, 2, Verdict.COMMIT, Command.HOLD)
    stage.delta(straight.cycle(0, 0), 'amber', rut(1, 0.1))
    straight.delta(CycleKey(0, 0, 0), 'amber', rut(1, 0.1))
    straight.cycle(1, 1, Verdict.COMMIT, Command.HOLD)
    assert stage.terrain.grid.save() == straight.terrain.grid.save()
    assert stage.results[-1].soil_hash == straight.results[-1].soil_hash
    assert stage.terrain.soil_seq == straight.terrain.soil_seq == 1


def test_terrain_does_not_wait_for_a_dropped_participant() -> None:
    stage = Stage()
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(1, 0.1))
    stage.agents = ('amber',)
    retry = stage.cycle(0, 1, Verdict.DISCARD)
    stage.delta(retry, 'beryl', rut(2, 0.7))
    stage.delta(retry, 'amber', rut(1, 0.1))
    assert stage.updates[-1].records.i.tolist() == [1]


def test_terrain_without_vehicles_responds() -> None:
    stage = Stage(())
    stage.cycle(0, 0)
    assert len(stage.results) == 1 and len(stage.updates[0].records) == 0


def test_terrain_stop_reports_ruts_and_conflicts() -> None:
    stage = Stage()
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(1, 0.1))
    stage.delta(key, 'beryl', rut(1, 0.2))
    stage.cycle(1, 1, Verdict.COMMIT, Command.STOP)
    report = json.loads(stage.results[-1].summary_json)
    assert set(report.pop('mass_balance').values()) == {0.0}
    assert report == {'modified_nodes': 1, 'max_rut_depth_m': 0.2, 'conflicts': 1}
    assert stage.updates[0].conflicts == 1 and stage.updates[0].owner.tolist() == [1]


def test_mass_balance_shows_soil_without_origin() -> None:
    """The sum of moved soil is exactly zero; soil that a participant adds without removing it is an error [kg]."""
    stage = Stage(('amber',))
    moved = rut(1, 0.1)
    moved.mass_kgpm2[:] = 0.75
    stage.delta(stage.cycle(0, 0), 'amber', moved)
    stage.cycle(1, 1, Verdict.COMMIT, Command.STOP)
    book = json.loads(stage.results[-1].summary_json)['mass_balance']
    assert book == {
        'ground_kg': 0.75 * 0.02**2,
        'carried_kg': 0.0,
        'in_flight_kg': 0.0,
        'in_transit_kg': 0.0,
        'error_kg': 0.75 * 0.02**2,
        'edited_kg': 0.0,
    }


def test_terrain_restore_rewinds_and_adopts_the_new_epoch() -> None:
    stage = Stage(('amber',))
    stage.delta(stage.cycle(0, 0), 'amber', rut(1, 0.1))
    stage.cycle(1, 1, Verdict.COMMIT, Command.HOLD)
    blob, saved = stage.terrain.save(), stage.results[-1].soil_hash
    stage.delta(stage.cycle(1, 2), 'amber', rut(2, 0.3))
    stage.cycle(2, 3, Verdict.COMMIT, Command.HOLD)
    assert stage.results[-1].soil_hash != saved
    early = CycleKey(1, 1, 0)
    stage.delta(early, 'amber', rut(2, 0.3))  # of the new epoch already
    stage.terrain.restore(blob, 1)
    assert stage.terrain.grid.soil_hash() == saved and stage.terrain.soil_seq == 1 and stage.terrain.save() == blob
    stage.cycle(1, 4, Verdict.COMMIT)  # of the old epoch: ignored
    assert stage.terrain.grid.soil_hash() == saved
    stage.cycle(1, 0, epoch=1)
    assert stage.results[-1].key == early and stage.updates[-1].soil_seq == 2
    with pytest.raises(ValueError, match='terrain: not the saved state of terrain of this version: 1 bytes'):
        stage.terrain.restore(b'x', 2)


def test_handshake_parameters_show_every_difference() -> None:
    soft = TerrainConfig(source='flat')
    hard = TerrainConfig.model_validate({'source': 'flat', 'soil': 'chrono_lete'})
    a = handshake_parameters(soft, FlatField())
    assert a == handshake_parameters(soft, FlatField()) and all(isinstance(v, str) for v in a.values())
    b = handshake_parameters(hard, PlaneField(0.1))
    different = {key for key in a if a[key] != b[key]}
    assert {'terrain.fingerprint', 'soil.cohesion_pa', 'soil.k_phi'} <= different
    assert 'terrain.spacing_m' not in different and float(b['soil.k_phi']) == 5301e3
    stage = Stage()
    request = stage.terrain.join_request()
    assert request.roles == TERRAIN_ROLES and request.parameters == a
    assert request.soil_hash == SoilGrid(FlatField(), 0.02).soil_hash()


def test_terrain_adopts_an_update_from_before_a_restart() -> None:
    first, again = Stage(('amber',)), Stage(('amber',))
    first.delta(first.cycle(0, 0), 'amber', rut(1, 0.1))
    again.terrain.replay_update(first.updates[0])
    again.cycle(0, 0)
    assert again.results[0].soil_hash == first.results[0].soil_hash and again.terrain.missing() == ()
    again.cycle(1, 1, Verdict.COMMIT)
    assert again.terrain.grid.soil_hash() == first.updates[0].soil_hash and again.terrain.soil_seq == 1


STRIP = {
    'model': 'crm',
    'rectangle': {'low': [0.0, 0.0], 'high': [0.4, 0.4]},
    'name': 'strip',
    'vehicle': 'amber',
    'spacing_m': 0.1,
    'depth_m': 0.2,
}


@pytest.mark.parametrize(
    'delta',
    [
        lambda key: SoilDelta(key, 'beryl', rut(3, 0.1)),
        lambda key: SoilDelta(
            key, 'beryl', NodeRecords.empty(), ToolExchange(landed=SoilDeposit(*node(3), np.array([1.0])))
        ),
        lambda key: SoilDelta(
            key,
            'beryl',
            NodeRecords.empty(),
            ToolExchange((SoilRequest('drum', *node(3), np.array([1.0]), np.array([-0.1])),)),
        ),
    ],
)
def test_particle_region_change_by_another_vehicle_is_rejected(delta: Callable[[CycleKey], SoilDelta]) -> None:
    """This covers ruts and dumped or requested soil of others; the world receives the failure before the node ends."""
    stage = Stage(regions=(STRIP,))
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(3, 0.1))
    words = r"beryl: changes node \(3, 0\) of CRM region 'strip' of amber; allowed: changes by amber only"
    with pytest.raises(ForeignSoilError, match=words):
        stage.terrain.on_delta(delta(key))
    assert stage.results[-1].failure.startswith('beryl: changes node') and not stage.updates


def test_other_vehicles_can_change_nodes_outside_a_particle_region() -> None:
    stage = Stage(regions=(STRIP,))
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(3, 0.1))
    stage.delta(key, 'beryl', rut(-1, 0.1))
    assert stage.results and len(stage.updates[0].records) == 2


def node(i: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array([i], np.int32), np.array([0], np.int32)


def test_terrain_finally_discarded_attempt_waits_for_no_participant() -> None:
    """The world may stop after it, for example before a rewind: a late delta then has no effect."""
    stage = Stage()
    key = stage.cycle(0, 0)
    stage.delta(key, 'amber', rut(1, 0.5))
    assert stage.terrain.missing() == ('beryl',)
    stage.cycle(0, 1, Verdict.DISCARD, Command.HOLD)
    assert stage.terrain.missing() == () and len(stage.results) == 1
    for agent in stage.agents:
        stage.delta(CycleKey(0, 0, 1), agent, rut(1, 0.5))
    assert len(stage.results) == 1 and not stage.updates
