# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the merge of soil changes and of soil copies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.updates.merge import SoilUpdate, merge
from regolith_terrain.updates.soil_copy import SoilCopy
from regolith_world.cycle.records import CycleKey


def node(i: int, j: int, level_initial: float, level: float, plastic: float, sigma: float, rest: float = 0.0):
    return i, j, (level_initial, level, plastic, sigma, rest)


def records(*nodes) -> NodeRecords:
    nodes = sorted(nodes)
    return NodeRecords.from_values(
        np.array([n[0] for n in nodes], np.int32),
        np.array([n[1] for n in nodes], np.int32),
        np.ascontiguousarray(np.array([n[2] for n in nodes], dtype=float).T.reshape(5, -1)),
    )


def test_merge_of_disjoint_nodes_is_bit_identical() -> None:
    grid = SoilGrid(PlaneField(0.1), 0.1)
    a = records(node(0, 0, 0.1, 0.1 - 1e-17, 1 / 3, 7.7), node(5, -3, 0.2, 0.1, 0.1, 1.0))
    b = records(node(0, 1, 0.3, 0.2, 0.1, 2.0))
    merged = merge(grid, {'b': b, 'a': a})
    assert merged.records.equals(records(*zip_nodes(a), *zip_nodes(b)))
    assert merged.owner.tolist() == [0, 1, 0] and merged.conflicts == 0
    assert merge(grid, {'a': a}).records.equals(a)
    assert len(merge(grid, {'a': NodeRecords.empty(), 'b': NodeRecords.empty()}).records) == 0


def zip_nodes(r: NodeRecords) -> list:
    return [(int(i), int(j), tuple(v)) for i, j, v in zip(r.i, r.j, r.values().T, strict=True)]


def test_merge_keeps_the_deepest_rut_in_any_order() -> None:
    grid = SoilGrid(FlatField(), 0.1)
    deltas = {
        'amber': records(node(1, 1, 0.0, -0.010, 0.0099, 5e3), node(2, 2, 0.0, -0.01, 0.01, 1.0)),
        'beryl': records(node(1, 1, 0.0, -0.030, 0.0299, 2e4)),
        'coral': records(node(1, 1, 0.0, -0.020, 0.0199, 9e4), node(7, 7, 0.0, -0.02, 0.02, 3.0)),
    }
    results = [merge(grid, dict(order)) for order in itertools.permutations(deltas.items())]
    for merged in results:
        assert merged.records.equals(results[0].records)
        assert merged.owner.tolist() == [1, 0, 2] and merged.conflicts == 1
    assert results[0].records.level.tolist() == [-0.030, -0.01, -0.02]
    assert results[0].records.sigma_yield[0] == 2e4


def test_merge_tie_is_decided_by_yield_pressure_then_name() -> None:
    grid = SoilGrid(FlatField(), 0.1)
    a = records(node(0, 0, 0.0, -0.1, 0.1, 1.0), node(0, 1, 0.0, -0.1, 0.1, 2.0))
    b = records(node(0, 0, 0.0, -0.1, 0.1, 3.0), node(0, 1, 0.0, -0.1, 0.1, 2.0))
    assert merge(grid, {'a': a, 'b': b}).owner.tolist() == [1, 0]


def test_merge_adds_raises_and_conserves_mass() -> None:
    grid = SoilGrid(FlatField(), 0.1)
    grid.apply(records(node(0, 0, 0.25, 0.125, 0.125, 1.0, 0.5)))
    # Binary fractions, so that the sums are exact.
    a = records(node(0, 0, 0.5, 0.25, 0.25, 4.0, 0.75))
    b = records(node(0, 0, 0.375, 0.25, 0.125, 2.0, 0.625))
    merged = merge(grid, {'a': a, 'b': b}).records
    assert merged.level_initial[0] == 0.25 + 0.25 + 0.125
    assert merged.mass_kgpm2[0] == 0.5 + 0.25 + 0.125
    assert merged.level[0] == merged.level_initial[0] - 0.25  # as deep below as in the delta of agent a
    assert (merged.sinkage_plastic[0], merged.sigma_yield[0]) == (0.25, 4.0)


def test_soil_grid_fields_of_another_model_are_rejected() -> None:
    """Records without a field of the terrain model cannot be stored; saved soil of another model cannot be loaded."""
    grid, rigid = SoilGrid(FlatField(), 0.1), SoilGrid(FlatField(), 0.1, RIGID_TERRAIN_MODEL)
    assert rigid.window(0, 2, 0, 2).fields == ('level_initial', 'level', 'mass_kgpm2')
    with pytest.raises(ValueError, match=r'sinkage_plastic.*allowed here: level_initial, level, mass_kgpm2'):
        rigid.apply(records(node(0, 0, 0.0, -0.1, 0.1, 1.0)))
    with pytest.raises(ValueError, match=r'saved state of soil .*fields .*sigma_yield.*of this grid'):
        rigid.load(grid.save())


def test_merge_without_own_rule_keeps_the_deeper_rut() -> None:
    grid = SoilGrid(FlatField(), 0.1, RIGID_TERRAIN_MODEL)
    i, j = np.zeros(1, np.int32), np.zeros(1, np.int32)
    deltas = {
        name: NodeRecords.from_values(i, j, np.array([[0.0], [level], [mass]]), RIGID_TERRAIN_MODEL.names)
        for name, level, mass in (('a', -0.125, 0.5), ('b', -0.25, 0.25), ('c', -0.25, 0.125))
    }
    merged = merge(grid, deltas)
    assert merged.owner.tolist() == [1] and merged.records.table[:, 0].tolist() == [0.0, -0.25, 0.875]


def test_merge_unsorted_delta_names_its_participant() -> None:
    bad = NodeRecords.from_values(np.array([1, 1], np.int32), np.array([0, 0], np.int32), np.zeros((5, 2)))
    with pytest.raises(ValueError, match='amber'):
        merge(SoilGrid(FlatField(), 0.1), {'amber': bad})


def make_update(grid: SoilGrid, deltas: dict[str, NodeRecords], key: CycleKey, seq: int) -> SoilUpdate:
    merged = merge(grid, deltas)
    return SoilUpdate(key, *merged[:2], tuple(sorted(deltas)), merged.conflicts, seq, grid.hash_with(merged.records))


def test_soil_copy_applies_commits_and_drops_discards() -> None:
    truth = SoilGrid(FlatField(), 0.1)
    copy = SoilCopy(SoilGrid(FlatField(), 0.1), 'amber')
    keys = [CycleKey(0, 0, 0), CycleKey(0, 0, 1), CycleKey(0, 1, 2)]
    first = make_update(truth, {'amber': records(node(0, 0, 0.0, -0.1, 0.1, 5.0))}, keys[0], 1)
    copy.receive(first)
    copy.receive(first)
    copy.drop(keys[0])
    assert copy.grid.modified_count == 0
    with pytest.raises(LookupError, match='amber'):
        copy.commit(keys[0])
    with pytest.raises(LookupError, match='amber'):
        copy.commit(keys[1])
    for key, level in ((keys[1], -0.2), (keys[2], -0.3)):
        update = make_update(truth, {'beryl': records(node(0, 0, 0.0, level, -level, 6.0))}, key, key.attempt)
        copy.receive(update)
        truth.apply(update.records)
        copy.commit(key)
        assert copy.soil_hash() == truth.soil_hash() and copy.soil_seq == key.attempt


def test_soil_copy_with_a_wrong_hash_raises() -> None:
    copy = SoilCopy(SoilGrid(FlatField(), 0.1), 'amber')
    copy.grid.apply(records(node(9, 9, 0.0, -1.0, 1.0, 1.0)))
    update = make_update(SoilGrid(FlatField(), 0.1), {'beryl': records(node(0, 0, 0, -1, 1, 1))}, CycleKey(0, 0, 0), 1)
    copy.receive(update)
    with pytest.raises(RuntimeError, match='amber'):
        copy.commit(update.key)


def test_soil_copy_without_compaction_transfer_has_undisturbed_ruts() -> None:
    truth = SoilGrid(FlatField(), 0.1)
    copy = SoilCopy(SoilGrid(FlatField(), 0.1), 'amber', merge_compaction=False)
    mine, other = node(0, 0, 0.0, -0.1, 0.1, 5.0), node(0, 1, 0.0, -0.2, 0.2, 6.0)
    update = make_update(truth, {'amber': records(mine), 'beryl': records(other)}, CycleKey(0, 0, 0), 1)
    truth.apply(update.records)
    copy.receive(update)
    copy.commit(update.key)
    assert copy.grid.all_records().equals(records(mine, node(0, 1, -0.2, -0.2, 0.0, 0.0)))
    assert copy.soil_hash() == truth.soil_hash()  # hash of the committed state, not of the copy
    copy.load(1, truth.save(), 1)
    assert copy.grid.all_records().equals(truth.all_records()) and copy.soil_hash() == truth.soil_hash()
