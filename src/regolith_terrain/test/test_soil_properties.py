# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil grid and merge with random changes by several vehicles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regolith_terrain.contact.shear_memory import ShearMemory
from regolith_terrain.grid.node_records import FIELDS, NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.updates.merge import merge

SEVERAL = settings(derandomize=True, max_examples=30, deadline=None)
AT = {name: k for k, name in enumerate(FIELDS)}
NAMES = ('amber', 'beryl', 'coral')
# Multiples of 2^-10 m below 8 m: sums of a few of them are exact, so that the order has no effect on rounding.
LENGTH = st.integers(-(2**13), 2**13).map(lambda n: n / 1024.0)
DEPTH = st.integers(0, 2**12).map(lambda n: n / 1024.0)
PLACE = st.tuples(st.integers(-2, 2), st.integers(62, 65))


@st.composite
def changes(draw: st.DrawFn, kinds: st.SearchStrategy = LENGTH) -> NodeRecords:
    """Return records of some of few nodes, so that the changes of vehicles overlap."""
    places = sorted(draw(st.sets(PLACE, max_size=6)))
    values = np.array([[draw(DEPTH if name.startswith('si') else kinds) for _ in places] for name in FIELDS])
    i, j = (np.array([p[k] for p in places], np.int32) for k in (0, 1))
    return NodeRecords.from_values(i, j, values.reshape(len(FIELDS), len(places)))


def ground(first: NodeRecords) -> SoilGrid:
    grid = SoilGrid(PlaneField(0.5, 0.25), 0.125)
    grid.apply(first)
    return grid


def by_node(records: NodeRecords) -> dict[tuple[int, int], np.ndarray]:
    return {(int(i), int(j)): v for i, j, v in zip(records.i, records.j, records.values().T)}


@SEVERAL
@given(changes(), st.tuples(changes(), changes(), changes()))
def test_merge_is_independent_of_order_for_random_changes(first: NodeRecords, deltas: tuple[NodeRecords, ...]) -> None:
    grid = ground(first)
    results = [merge(grid, dict(order)) for order in itertools.permutations(zip(NAMES, deltas))]
    for merged in results[1:]:
        assert merged.records.equals(results[0].records) and merged.conflicts == results[0].conflicts
        assert np.array_equal(merged.owner, results[0].owner)


@SEVERAL
@given(changes(), st.tuples(changes(), changes(), changes()))
def test_merge_adds_raises_and_keeps_the_deepest_rut(first: NodeRecords, deltas: tuple[NodeRecords, ...]) -> None:
    """Raises add up, so soil is conserved; compaction is that of the deepest plastic sinkage; the level depends on
    both.
    """
    grid = ground(first)
    merged = merge(grid, dict(zip(NAMES, deltas)))
    parts = [by_node(d) for d in deltas]
    out = by_node(merged.records)
    assert set(out) == set().union(*parts) and merged.records.is_sorted()
    assert merged.conflicts == sum(sum(place in part for part in parts) > 1 for place in out)
    for at, (place, value) in enumerate(out.items()):
        mine = {k: part[place] for k, part in enumerate(parts) if place in part}
        owner = int(merged.owner[at])
        # Largest plastic sinkage, then largest yield pressure, then first name.
        best = min(mine, key=lambda k: (-mine[k][AT['sinkage_plastic']], -mine[k][AT['sigma_yield']], k))
        assert owner == best
        if len(mine) == 1:
            assert value.tobytes() == mine[owner].tobytes()
            continue
        before = grid.records_at(*(np.array([p], np.int32) for p in place)).values()[:, 0]
        for name in ('level_initial', 'mass_kgpm2'):
            brought = sum(v[AT[name]] - before[AT[name]] for v in mine.values())
            assert value[AT[name]] == before[AT[name]] + brought, name
        for name in ('sinkage_plastic', 'sigma_yield'):
            assert value[AT[name]] == mine[owner][AT[name]]
        below = mine[owner][AT['level_initial']] - mine[owner][AT['level']]
        assert value[AT['level_initial']] - value[AT['level']] == below


@SEVERAL
@given(changes(), changes(), changes())
def test_soil_grid_hash_depends_only_on_the_last_values(a: NodeRecords, b: NodeRecords, c: NodeRecords) -> None:
    grid, other = ground(a), ground(c)
    expected = grid.hash_with(b)
    grid.apply(b)
    assert grid.soil_hash() == expected == grid.recomputed_hash()
    known = by_node(grid.all_records())
    assert set(known) == {*by_node(a), *by_node(b)} and grid.modified_count == len(known)
    for place, value in {**by_node(a), **by_node(b)}.items():
        assert known[place].tobytes() == value.tobytes()
    other.load(grid.save())
    assert other.all_records().equals(grid.all_records()) and other.soil_hash() == expected
    assert other.save() == grid.save() and other.modified_count == grid.modified_count


@pytest.mark.parametrize(('stride', 'i', 'j'), [(1, -3, 60), (4, -70, 61), (5, 3, -66), (8, -64, -64)])
def test_mean_rise_is_the_mean_of_the_square_around_a_node(stride: int, i: int, j: int) -> None:
    """Reference: a sum over all nodes of the square, also across tile borders and on slopes."""
    grid = SoilGrid(PlaneField(0.3, -0.1), 0.1)
    rng = np.random.default_rng(2)
    flat = np.unique(rng.integers(0, 200 * 200, 3000))
    at = (flat // 200 - 100).astype(np.int32), (flat % 200 - 100).astype(np.int32)
    grid.apply(NodeRecords.from_values(*at, rng.normal(size=(len(FIELDS), len(flat)))))
    count = 6
    low_i, low_j = i - stride // 2, j - stride // 2
    window = grid.window(low_i, low_i + count * stride, low_j, low_j + count * stride)
    rise = (window.level - window.base[1:-1, 1:-1]).reshape(count, stride, count, stride).mean(axis=(1, 3))
    assert np.abs(rise).max() > 0.01
    np.testing.assert_allclose(grid.mean_rise(i, j, stride, count), rise, atol=1e-12)
    assert SoilGrid(FlatField(), 0.1).mean_rise(i, j, stride, count) is None


@SEVERAL
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 2), st.integers(-9, 9), st.integers(90, 109)),
        st.tuples(*[st.floats(-1.0, 1.0).filter(lambda x: x != 0.0)] * 2),
        max_size=12,
    ),
    st.integers(-12, 3),
    st.integers(85, 103),
)
def test_shear_memory_survives_windows_and_storage(memory: dict, i0: int, j0: int) -> None:
    """Values that a window returns unchanged are bit-identical, as are values outside the window."""
    whole = np.zeros((3, 20, 20, 2))
    for (layer, i, j), value in memory.items():
        whole[layer, i + 10, j - 90] = value
    first = ShearMemory.empty(3).gather(-10, 90, whole, whole.any(axis=(0, 3)))
    assert len(first) == len(memory)
    dense = np.zeros((3, 8, 8, 2))
    first.scatter_into(i0, j0, dense)
    assert dense.tobytes() == first.scatter(i0, i0 + 8, j0, j0 + 8).tobytes()
    for (layer, i, j), value in memory.items():
        if 0 <= i - i0 < 8 and 0 <= j - j0 < 8:
            assert tuple(dense[layer, i - i0, j - j0]) == value
    assert np.count_nonzero(dense.any(axis=3)) == sum(0 <= i - i0 < 8 and 0 <= j - j0 < 8 for _, i, j in memory)
    again = first.gather(i0, j0, dense, dense.any(axis=(0, 3)))
    assert again.save() == first.save()
    restored = ShearMemory.empty(3)
    restored.load(again.save())
    assert restored.save() == first.save()
    assert again.scatter(-10, 10, 90, 110).tobytes() == whole.tobytes()
    first.clear(i0, j0, dense)
    assert not dense.any()
