# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the soil grid: windows, hash, storage and shear memory."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_terrain.contact.shear_memory import ShearMemory
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.tile_kernels import TILE
from regolith_terrain.height_field import FlatField, PlaneField
from regolith_terrain.procedural import ProceduralField


def some_records(seed: int = 0, count: int = 500, span: int = 150) -> NodeRecords:
    rng = np.random.default_rng(seed)
    flat = np.unique(rng.integers(0, (2 * span) ** 2, count))
    i = (flat // (2 * span) - span).astype(np.int32)
    j = (flat % (2 * span) - span).astype(np.int32)
    return NodeRecords.from_values(i, j, rng.normal(size=(5, len(i))))


def part(records: NodeRecords, where: np.ndarray) -> NodeRecords:
    return NodeRecords.from_values(records.i[where], records.j[where], np.ascontiguousarray(records.values()[:, where]))


def test_soil_window_has_terrain_and_records_across_tiles() -> None:
    field = PlaneField(0.3, -0.2, 1.0)
    grid = SoilGrid(field, 0.05)
    records = some_records()
    grid.apply(records)
    window = grid.window(-130, 70, -65, 129)
    assert np.array_equal(window.base, field.nodes(-131, 71, -66, 130, 0.05))
    expected = np.stack([window.base[1:-1, 1:-1]] * 2 + [np.zeros(window.shape)] * 3)
    for n in range(len(records)):
        r, c = records.i[n] + 130, records.j[n] + 65
        if 0 <= r < 200 and 0 <= c < 194:
            expected[:, r, c] = records.values()[:, n]
    names = ('level_initial', 'level', 'sinkage_plastic', 'sigma_yield', 'mass_kgpm2')
    for k, name in enumerate(names):
        array = getattr(window, name)
        assert array.flags.c_contiguous and np.array_equal(array, expected[k]), name
    assert not window.touched.any()


def test_boxes_around_nodes_of_the_last_write_may_have_changed() -> None:
    grid = SoilGrid(FlatField(), 0.05)
    low = np.array([[0.1, 0.1], [-0.2, -0.2], [40.0, 40.0]])
    mark = grid.writes
    assert grid.written_since(mark, low, low + 0.1).tolist() == [False, False, False]
    i, j = np.array([-70, 3], dtype=np.int32), np.array([200, 3], dtype=np.int32)  # (-3.5, 10) m and (0.15, 0.15) m
    grid.apply(NodeRecords.from_values(i, j, np.ones((5, 2))))
    assert grid.written_since(mark, low, low + 0.1).tolist() == [True, False, False]
    assert grid.written_since(mark, low, low + 0.36).tolist() == [True, True, False]
    # A box within a spacing of a node counts; x and y are not confused; boxes beside all nodes do not count.
    at = np.array([[-3.48, 9.97], [10.0, -3.5], [-3.4, 9.8], [-3.5, 0.15]])
    assert grid.written_since(mark, at, at + 0.04).tolist() == [True, False, False, False]
    grid.apply(NodeRecords.empty(grid.law.names))
    assert grid.written_since(mark + 1, low, low + 0.1).tolist() == [False, False, False]
    assert grid.written_since(mark, low, low + 0.1).tolist() == [True, True, True]
    saved = grid.save()
    mark = grid.writes
    grid.load(saved)
    assert grid.written_since(mark, low, low + 0.1).all(), 'a restored soil may differ everywhere'


def test_kept_window_shows_the_present_soil_after_a_write_of_its_changes() -> None:
    grid = SoilGrid(PlaneField(0.1, 0.2, 0.0), 0.05)
    window = grid.window(-70, 10, -70, 10)
    assert grid.refresh(window), 'nothing has changed'
    window.level[[3, 60], [4, 65]] += 0.1
    window.touched[[3, 60], [4, 65]] = True
    mine = window.changed()
    elsewhere = grid.records_at(np.array([-71, 9, 10], np.int32), np.array([0, 9, 0], np.int32))
    elsewhere.table[:] += 0.5
    grid.apply(mine.joined([elsewhere]))
    assert grid.refresh(window) and not window.touched.any()
    assert np.array_equal(window.values, grid.window(-70, 10, -70, 10).values)
    window.touched[5, 5] = True
    assert not grid.refresh(window), 'a change without a write'
    window = grid.window(-70, 10, -70, 10)
    window.touched[5, 5] = True
    grid.apply(elsewhere)
    assert not grid.refresh(window), 'a change that the write does not have'
    window = grid.window(-70, 10, -70, 10)
    grid.apply(elsewhere)
    grid.apply(elsewhere)
    assert not grid.refresh(window), 'a write before the last one'
    window = grid.window(-70, 10, -70, 10)
    grid.load(grid.save())
    assert not grid.refresh(window), 'other soil'


def test_soil_window_is_a_copy_that_lists_touched_nodes() -> None:
    grid = SoilGrid(FlatField(), 0.02)
    window = grid.window(-3, 4, 60, 70)
    window.level[2, 5] = -0.5
    window.touched[2, 5] = True
    window.touched[0, 9] = True
    changed = window.changed()
    assert changed.i.tolist() == [-3, -1] and changed.j.tolist() == [69, 65] and changed.is_sorted()
    assert changed.level.tolist() == [0.0, -0.5]
    assert grid.modified_count == 0 and grid.window(-3, 4, 60, 70).level.max() == 0.0
    with pytest.raises(ValueError, match='empty'):
        grid.window(3, 3, 0, 5)


def test_soil_hash_is_independent_of_order() -> None:
    records = some_records()
    whole, pieces, detour = (SoilGrid(FlatField(), 0.05) for _ in range(3))
    whole.apply(records)
    choice = np.random.default_rng(1).integers(0, 3, len(records))
    for k in (2, 0, 1):
        pieces.apply(part(records, choice == k))
    detour.apply(NodeRecords.from_values(records.i, records.j, records.values() + 1.0))
    detour.apply(records)
    for grid in (whole, pieces, detour):
        assert grid.soil_hash() == grid.recomputed_hash() == whole.soil_hash()
        assert grid.save() == whole.save()
        assert grid.modified_count == len(records)
    assert whole.soil_hash() != SoilGrid(FlatField(), 0.05).soil_hash()


@pytest.mark.parametrize('field', range(5))
def test_soil_hash_changes_with_one_ulp(field: int) -> None:
    records = some_records()
    values = records.values()
    values[field, 77] = np.nextafter(values[field, 77], np.inf)
    one, other = SoilGrid(FlatField(), 0.05), SoilGrid(FlatField(), 0.05)
    one.apply(records)
    other.apply(NodeRecords.from_values(records.i, records.j, values))
    assert one.soil_hash() != other.soil_hash()


def test_soil_hash_changes_with_swapped_nodes() -> None:
    records = some_records(count=2)
    values = np.ascontiguousarray(records.values()[:, ::-1])
    one, other = SoilGrid(FlatField(), 0.05), SoilGrid(FlatField(), 0.05)
    one.apply(records)
    other.apply(NodeRecords.from_values(records.i, records.j, values))
    assert one.soil_hash() != other.soil_hash()


def test_tentative_soil_hash_does_not_change_the_grid() -> None:
    grid = SoilGrid(FlatField(), 0.05)
    grid.apply(some_records(1))
    before, blob = grid.soil_hash(), grid.save()
    tentative = grid.hash_with(some_records(2))
    assert grid.soil_hash() == before and grid.save() == blob and grid.recomputed_hash() == before
    grid.apply(some_records(2))
    assert grid.soil_hash() == tentative == grid.recomputed_hash()


def test_save_and_load() -> None:
    grid = SoilGrid(PlaneField(0.1), 0.05)
    grid.apply(some_records())
    other = SoilGrid(PlaneField(0.1), 0.05)
    other.apply(some_records(5))
    other.load(grid.save())
    assert other.save() == grid.save() and other.soil_hash() == grid.soil_hash() == other.recomputed_hash()
    assert other.all_records().equals(some_records())
    with pytest.raises(ValueError, match='truncated'):
        other.load(grid.save()[:-1])
    with pytest.raises(ValueError, match='spacing'):
        SoilGrid(FlatField(), 0.1).load(grid.save())
    with pytest.raises(ValueError, match='not the saved state of soil of this version'):
        other.load(b'another format, and long enough')


def test_soil_grid_unsorted_records_are_rejected() -> None:
    records = some_records()
    with pytest.raises(ValueError, match='sorted'):
        SoilGrid(FlatField(), 0.05).apply(part(records, np.arange(len(records))[::-1]))


def test_levels_and_records_at() -> None:
    grid = SoilGrid(PlaneField(0.5), 0.1)
    records = NodeRecords.from_values(
        np.array([-65], np.int32), np.array([3], np.int32), np.array([[0.0], [-9.0], [0.0], [0.0], [0.0]])
    )
    grid.apply(records)
    levels = grid.levels(np.array([-6.54, -6.46, -6.44]), 0.3)
    assert levels == pytest.approx([-9.0, -9.0, 0.5 * -6.4])
    assert float(grid.levels(-6.5, 0.26)) == -9.0
    at = grid.records_at(np.array([5, -65], np.int32), np.array([0, 3], np.int32))
    assert at.level.tolist() == [0.25, -9.0] and at.level_initial.tolist() == [0.25, 0.0]
    assert grid.max_rut_depth() == pytest.approx(9.0 - 3.25)


def test_soil_grid_levels_are_bit_identical_to_a_window() -> None:
    grid = SoilGrid(ProceduralField(3), 0.02)
    window = grid.window(100, 140, -30, 10)
    x, y = np.arange(100, 140) * 0.02, np.arange(-30, 10) * 0.02
    assert grid.levels(x[:, None], y[None, :]).tobytes() == window.level.tobytes()


def test_shear_memory_keeps_values_outside_the_window() -> None:
    dense = np.zeros((2, 10, 10, 2))
    dense[0, 3, 4] = (0.5, 0.0)
    dense[1, 9, 9] = (0.0, -0.25)
    memory = ShearMemory.empty(2).gather(-5, 100, dense, dense.any(axis=(0, 3)))
    assert len(memory) == 2 and memory.i.tolist() == [-2, 4] and memory.j.tolist() == [104, 109]
    assert memory.scatter(-5, 5, 100, 110).tobytes() == dense.tobytes()
    shifted = memory.scatter(0, 10, 100, 110)
    assert shifted[1, 4, 9].tolist() == [0.0, -0.25] and np.count_nonzero(shifted) == 1
    shifted[1, 4, 9] = 0.0
    shifted[0, 0, 0] = (1e-300, 0.0)
    touched = np.zeros((10, 10), dtype=np.bool_)
    touched[0, 0] = True
    after = memory.gather(0, 100, shifted, touched)
    assert list(zip(after.layer.tolist(), after.i.tolist(), after.j.tolist(), strict=True)) == [
        (0, -2, 104),
        (0, 0, 100),
    ]
    again = ShearMemory.empty(1)
    again.load(after.save())
    assert again.save() == after.save() and again.layers == 2
    with pytest.raises(ValueError, match='truncated'):
        again.load(after.save()[:-1])


@pytest.mark.parametrize('first', [TILE - 2, TILE - 1, TILE, TILE + 1])
def test_soil_window_has_a_border_at_any_position(first: int) -> None:
    """Along both axes, with records of tiles of which it has one row; the border is undisturbed terrain."""
    grid = SoilGrid(PlaneField(0.3, -0.2, 1.0), 0.1)
    i, j = np.meshgrid(
        np.arange(first - 2, first + 6, dtype=np.int32),
        np.arange(-first - 3, -first + 5, dtype=np.int32),
        indexing='ij',
    )
    records = grid.records_at(i.ravel(), j.ravel())
    records.table[1] -= 0.01 * np.arange(len(records))
    grid.apply(records)
    window = grid.window(first, first + 3, -first, -first + 4)
    x, y = 0.1 * np.arange(first - 1, first + 4), 0.1 * np.arange(-first - 1, -first + 5)
    assert window.base == pytest.approx(1.0 + 0.3 * x[:, None] - 0.2 * y[None, :])
    sunk = 0.01 * np.arange(64).reshape(8, 8)[2:5, 3:7]
    assert window.level == pytest.approx(window.base[1:-1, 1:-1] - sunk)
