# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of edits of the surface: heights, stamps, order of arrival, mass, replay."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from test_terrain_participant import Stage, rut

from regolith_terrain.config import TerrainConfig
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.excavation.exchange import SoilDeposit, ToolExchange
from regolith_terrain.excavation.loose_soil import LooseSoil
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.merge import SoilDelta
from regolith_terrain.updates.surface_edit import (
    MOST_NODES,
    Rows,
    Stamp,
    apply_edit,
    check_edit,
    combined,
    heights_edit,
    stamp_edit,
    without_loose_soil,
)
from regolith_world.cycle.records import CycleResult, Verdict

SPACING = TerrainConfig().spacing_m
NOBODY = np.zeros(0, np.int16)


def edit(i: list[int], values: list[float], *, relative: bool = False) -> Rows:
    at = np.array(i) * SPACING
    return heights_edit(at, np.zeros(len(i)), np.array(values), SPACING, relative=relative)


def soil(**settings: Any) -> DiggableSoil:
    return DiggableSoil(TerrainConfig.model_validate({'source': 'flat', **settings}), 1.62)


def grid() -> SoilGrid:
    return SoilGrid(FlatField(), SPACING)


def test_a_set_node_is_undisturbed_soil_at_its_height_and_its_mass_is_counted() -> None:
    found = apply_edit(edit([2, 0], [0.3, -0.1]), grid(), NodeRecords.empty(), NOBODY, soil())
    density = soil().cut[0, 0]
    assert found.records.i.tolist() == [0, 2] and found.owner.tolist() == [-1, -1]
    assert found.records.level.tolist() == found.records.level_initial.tolist() == [-0.1, 0.3]
    assert found.records.sinkage_plastic.tolist() == [0.0, 0.0]
    # A quantum is a microgram per square meter.
    assert found.records.mass_kgpm2 == pytest.approx([-0.1 * density, 0.3 * density], abs=MASS_QUANTUM_KGPM2)
    assert found.quanta * MASS_QUANTUM_KGPM2 == found.records.mass_kgpm2.sum()


def test_an_edit_is_applied_to_the_merged_changes_of_vehicles_and_keeps_the_others() -> None:
    merged = rut(1, 0.1).joined([rut(5, 0.2)])
    found = apply_edit(edit([1, 3], [0.02, 0.02], relative=True), grid(), merged, np.array([0, 1], np.int16), soil())
    assert found.records.i.tolist() == [1, 3, 5] and found.owner.tolist() == [-1, -1, 1]
    assert found.records.level == pytest.approx([-0.08, 0.02, -0.2], abs=1e-15)
    assert found.records.sinkage_plastic.tolist() == [0.0, 0.0, 0.2]


def test_edits_of_a_cycle_give_the_same_result_in_any_order() -> None:
    edits = [
        edit([0, 1, 2], [0.1, 0.2, 0.3]),
        edit([1, 2, 3], [0.25, 0.1, -0.4]),
        edit([2, 4], [0.1 / 3.0, 0.7], relative=True),
        stamp_edit(Stamp('mound', 0.03, 0.0, 0.2, 0.1 / 7.0), SPACING),
        stamp_edit(Stamp('crater', 0.05, 0.01, 0.1, 0.1 / 11.0), SPACING),
    ]
    results = {combined(order).tobytes() for order in permutations(edits)}
    assert len(results) == 1
    rows = combined(edits[:3])
    assert rows['i'].tolist() == [0, 1, 2, 3, 4]
    # The larger height of node 1 and 2 is kept; the rise is added to it.
    np.testing.assert_array_equal(rows['height'], [0.1, 0.25, 0.3, -0.4, math.nan])
    assert rows['rise'].tolist() == [0.0, 0.0, 0.1 / 3.0, 0.0, 0.7]


def test_mound_and_trench_have_their_volumes() -> None:
    spacing = 0.01
    mound = stamp_edit(Stamp('mound', 0.003, -0.4, 1.0, 0.2), spacing)
    # A paraboloid has half the volume of its cylinder; 7900 nodes sample it to 0.1 %.
    assert mound['rise'].sum() * spacing**2 == pytest.approx(0.5 * math.pi * 0.25 * 0.2, rel=1e-3)
    trench = stamp_edit(Stamp('trench', 0.0, 0.0, 2.0, 0.3, width=0.5, yaw=0.7), spacing)
    # Nodes at the edge count whole or not at all: at most half a spacing along the circumference of 5 m.
    assert -trench['rise'].sum() * spacing**2 == pytest.approx(2.0 * 0.5 * 0.3, abs=0.3 * 5.0 * 0.5 * spacing)
    x, y = trench['i'] * spacing, trench['j'] * spacing
    along = math.cos(0.7) * x + math.sin(0.7) * y
    assert np.abs(along).max() <= 1.0 and np.abs(along).max() > 0.99


def test_crater_has_the_profile_of_a_fresh_crater() -> None:
    spacing = 0.05
    rows = stamp_edit(Stamp('crater', 0.0, 0.0, 4.0, 0.8), spacing)
    axis = rows[rows['j'] == 0]
    rise = dict(zip(axis['i'].tolist(), axis['rise'].tolist()))
    # Pike (1977): the rim is at 0.2 of the depth above the surroundings. McGetchin (1973): ejecta fall as r^-3.
    assert rise[0] == pytest.approx(-0.8 * 0.8) and rise[40] == pytest.approx(0.2 * 0.8)
    assert rise[80] == pytest.approx(0.2 * 0.8 / 8.0) and max(np.abs(axis['i'])) * spacing == pytest.approx(
        8.0, abs=0.06
    )


def test_a_dense_edit_and_its_opposite_leave_no_mass() -> None:
    terrain = grid()
    ground = soil()
    up = stamp_edit(Stamp('mound', 0.0, 0.0, 1.0, 0.123), SPACING)
    there = apply_edit(up, terrain, NodeRecords.empty(), NOBODY, ground)
    terrain.apply(there.records)
    down = up.copy()
    down['rise'] = -up['rise']
    back = apply_edit(down, terrain, NodeRecords.empty(), NOBODY, ground)
    terrain.apply(back.records)
    # Levels return up to rounding, masses in whole quanta up to one per node.
    assert abs(there.quanta + back.quanta) <= len(up)
    assert terrain.moved_mass(there.quanta + back.quanta) == 0.0
    assert there.quanta > 10**9


def test_moved_mass_without_edits_is_exact_beyond_the_range_of_a_double() -> None:
    terrain = grid()
    records = apply_edit(edit([0], [90.0]), terrain, NodeRecords.empty(), NOBODY, soil())
    terrain.apply(records.records)
    assert terrain.moved_mass(records.quanta) == 0.0
    assert terrain.moved_mass(records.quanta + 2**54 + 1) == -(2**54 + 1) * MASS_QUANTUM_KGPM2


def test_edited_nodes_have_no_loose_soil() -> None:
    """Else soil that is no longer there could slide."""

    def loose(*nodes: int) -> LooseSoil:
        i = np.array(nodes, np.int32)
        return LooseSoil(i, np.zeros_like(i), np.full(len(i), 2.0), np.ones(len(i), np.int8))

    changes = without_loose_soil(edit([1, 3, 9], [0.0, 0.0, 0.0]), loose(1, 2), loose(2, 3, 4))
    assert changes.i.tolist() == [1, 2, 3, 4] and changes.mass.tolist() == [0.0, 2.0, 0.0, 2.0]
    assert loose(1, 2).changed(changes).i.tolist() == [2, 4]
    same = loose(5)
    assert without_loose_soil(edit([1], [0.0]), LooseSoil(), same) is same


def test_terrain_discards_loose_soil_of_edited_nodes() -> None:
    """Poured soil in one cycle, an edit to the undisturbed height in the next."""
    stage = Stage()
    key = stage.cycle(0, 0)
    node = np.array([1], np.int32), np.array([0], np.int32)
    poured = ToolExchange((), SoilDeposit(*node, np.array([2.0])))
    stage.terrain.on_delta(SoilDelta(key, 'amber', NodeRecords.empty(), poured))
    stage.delta(key, 'beryl', NodeRecords.empty())
    key = stage.cycle(1, 1, Verdict.COMMIT)
    assert 1 in stage.terrain.loose.i
    stage.terrain.edit(edit([1], [0.0]))
    for agent in stage.agents:
        stage.delta(key, agent, NodeRecords.empty())
    stage.cycle(2, 2, Verdict.COMMIT)
    assert 1 not in stage.terrain.loose.i and stage.terrain.grid.levels(SPACING, 0.0) == 0.0
    assert stage.terrain.summary()['mass_balance']['edited_kg'] < 0.0


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda: edit([0], [math.nan]), r'height\[0\] = nan; allowed: finite numbers'),
        (lambda: edit([], []), '0 points; allowed: 1 to 1000000'),
        (lambda: edit([3, 1, 3], [0.0, 0.0, 1.0]), r'points 0 and 2 have the same grid node \(3, 0\)'),
        (lambda: heights_edit(np.zeros(2), np.zeros(1), np.zeros(2), SPACING), '2 values of x, 1 value of y'),
        (lambda: heights_edit(*[np.zeros(MOST_NODES + 1)] * 3, SPACING), '1000001 points; allowed'),
        (
            lambda: stamp_edit(Stamp('hole', 0.0, 0.0, 1.0, 1.0), SPACING),
            "stamp = 'hole'; allowed: crater, trench, mound",
        ),
        (lambda: stamp_edit(Stamp('crater', 0.0, 0.0, 0.0, 1.0), SPACING), 'length = 0; allowed: at least two grid'),
        (
            lambda: stamp_edit(Stamp('crater', 0.0, 0.0, 1e6, 1.0), SPACING),
            'reaches 2e\\+06 m; allowed: at most 1000000',
        ),
        (lambda: stamp_edit(Stamp('mound', 0.0, 0.0, 1.0, math.nan), SPACING), 'depth = nan; allowed'),
        (lambda: stamp_edit(Stamp('trench', 0.0, 0.0, 1.0, 1.0), SPACING), 'width = 0; allowed'),
        (lambda: stamp_edit(Stamp('mound', math.inf, 0.0, 1.0, 1.0), SPACING), 'x, y, yaw = inf'),
    ],
)
def test_bad_edits_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


class Edge(FlatField):
    """Flat ground that ends at x = 1 m."""

    def inside(self, x: Any, y: Any) -> Any:
        return np.asarray(x) <= 1.0


def test_edits_that_do_not_fit_the_terrain_are_refused() -> None:
    with pytest.raises(ValueError, match=r'node \(60, 0\) is not on the elevation model; allowed: nodes on it'):
        check_edit(edit([0, 60], [0.0, 0.0]), SoilGrid(Edge(), SPACING), soil())
    with pytest.raises(ValueError, match=r'node \(1, 0\) is too far .* \(2 nodes are so\); allowed: within 100 m'):
        check_edit(edit([0, 1, 2], [0.0, 101.0, -1e9]), grid(), soil())
    with pytest.raises(ValueError, match=r'node \(1, 0\) is below bedrock'):
        check_edit(edit([0, 1], [-0.4, -0.6]), grid(), soil(bedrock_depth_m=0.5))
    with pytest.raises(ValueError, match=r'squares of .* m; allowed: at most 2048'):
        many = np.arange(2049.0) * 64 * SPACING
        check_edit(heights_edit(many, np.zeros(2049), np.zeros(2049), SPACING), grid(), soil())
    stage = Stage()
    with pytest.raises(ValueError, match='too far'):
        stage.terrain.edit(edit([0], [200.0]))
    key = stage.cycle(0, 0)
    for agent in stage.agents:
        stage.delta(key, agent, NodeRecords.empty())
    assert stage.results[-1].live_inputs == b''  # a refused edit has no effect


def played(
    *attempts: tuple[int, int, Verdict], edits: dict[int, list[Rows]], inputs: dict[int, bytes] | None = None
) -> Stage:
    """Play attempts (cycle, attempt, verdict on the one before); give edits before the n-th."""
    stage = Stage()
    stage.terrain.replay_inputs = inputs or {}
    for n, attempt in enumerate(attempts):
        for rows in edits.get(n, []):
            stage.terrain.edit(rows)
        key = stage.cycle(*attempt)
        stage.delta(key, 'amber', rut(1, 0.1) if key.cycle == 0 else NodeRecords.empty())
        stage.delta(key, 'beryl', NodeRecords.empty())
    return stage


ATTEMPTS = (0, 0, Verdict.NONE), (0, 1, Verdict.DISCARD), (1, 2, Verdict.COMMIT), (2, 3, Verdict.COMMIT)


def test_an_edit_belongs_to_all_attempts_of_its_cycle_and_is_fed_back() -> None:
    a, b = edit([1, 2], [0.3, 0.2]), edit([2], [0.1], relative=True)
    stage = played(*ATTEMPTS, edits={0: [a, b], 1: [edit([7], [1.0])]})
    live = [result.live_inputs for result in stage.results]
    # The one that came between two attempts waits for the next cycle.
    assert live[0] == live[1] == combined([b, a]).tobytes() and live[2] == edit([7], [1.0]).tobytes() and live[3] == b''
    terrain = stage.terrain
    assert terrain.grid.levels(np.arange(3.0) * SPACING, 0.0) == pytest.approx([0.0, 0.3, 0.3])
    balance = terrain.summary()['mass_balance']
    # Node 1 was pressed 0.1 m deep before it was raised to 0.3 m.
    assert balance['edited_kg'] == pytest.approx((0.4 + 0.3 + 1.0) * soil().cut[0, 0] * SPACING**2, rel=1e-6)
    assert balance['error_kg'] == 0.0
    again = played(*ATTEMPTS, edits={}, inputs={0: live[0], 1: live[2]})
    assert again.terrain.grid.soil_hash() == terrain.grid.soil_hash() and again.terrain.edited == terrain.edited
    assert [result.live_inputs for result in again.results] == live


def test_saved_terrain_keeps_the_edited_mass_and_a_restored_one_drops_waiting_edits() -> None:
    stage = played(*ATTEMPTS, edits={0: [edit([1], [0.3])], 3: [edit([4], [0.5])]})
    stage.terrain.edit(edit([5], [0.5]))
    other = Stage().terrain
    other.restore(stage.terrain.save(), 1)
    assert other.edited == stage.terrain.edited != 0
    stage.terrain.restore(stage.terrain.save(), 1)
    results: list[CycleResult] = []
    stage.terrain._send_result = results.append
    key = stage.cycle(0, 0, epoch=1)
    for agent in stage.agents:
        stage.delta(key, agent, NodeRecords.empty())
    assert results[-1].live_inputs == b''


def test_a_restarted_terrain_counts_the_edited_mass_of_updates_that_it_replays() -> None:
    stage = played(*ATTEMPTS[:1], edits={0: [edit([1], [0.3])]})
    fresh = Stage()
    assert isinstance(fresh.terrain, TerrainParticipant)
    fresh.terrain.replay_inputs = {0: stage.results[0].live_inputs}
    fresh.terrain.replay_update(stage.updates[0])
    fresh.cycle(0, 0)
    assert fresh.results[0].live_inputs == stage.results[0].live_inputs
    fresh.cycle(1, 1, Verdict.COMMIT)
    stage.cycle(1, 1, Verdict.COMMIT)
    assert fresh.terrain.edited == stage.terrain.edited == stage.updates[0].edited > 0
