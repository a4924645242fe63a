# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the relaxation of loose soil: heaps, faces and undisturbed terrain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.excavation.relaxation import LOOK, RESTING, critical_height, face_height, relax
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2

SPACING, DENSITY, REPOSE = 0.02, 1500.0, math.radians(35.0)


class Plot:
    """Window of level terrain with loose soil."""

    def __init__(self, side: int = 81, critical: float = 0.0) -> None:
        self.values = np.zeros((5, side, side))
        self.loose = np.zeros((side, side))
        self.marks = np.zeros((side, side), np.int8)
        self.touched, self.changed = (np.zeros((side, side), np.bool_) for _ in range(2))
        self.soils = np.array([[DENSITY, critical, math.tan(REPOSE)]])

    def pour(self, rows: slice, columns: slice, height: float) -> None:
        """Add soil to columns."""
        mass = round(height * DENSITY / MASS_QUANTUM_KGPM2) * MASS_QUANTUM_KGPM2
        self.values[:2, rows, columns] += mass / DENSITY
        self.values[4, rows, columns] += mass
        self.loose[rows, columns] += mass
        self.marks[rows, columns] = LOOK

    def settle(self, sweeps: int, budget: int = 10**9) -> int:
        """Relax until no column is marked; return the number of sweeps."""
        for n in range(sweeps):
            region = np.zeros(self.marks.shape, np.uint8)
            args = (self.values, self.loose, self.marks, self.touched, self.changed, region)
            relax(*args, self.soils, SPACING, budget)
            if not self.marks.any():
                return n + 1
        return sweeps

    def steepest(self) -> float:
        """Return the steepest slope between neighbors."""
        level = self.values[1]
        steps = [np.abs(np.diff(level, axis=a)).max() / SPACING for a in (0, 1)]
        across = level[1:, 1:] - level[:-1, :-1], level[1:, :-1] - level[:-1, 1:]
        steps += [np.abs(other).max() / (SPACING * math.sqrt(2.0)) for other in across]
        return float(max(steps))


def test_relaxation_heap_ends_at_the_angle_of_repose() -> None:
    """A pillar 0.3 m wide and 0.5 m high becomes a cone of its volume.

    No slope is above the angle of repose by more than the tolerance of 0.001. The height is (3 V tan^2 / pi)^(1/3) to 8
    %, because the corners of eight directions remain.
    """
    plot = Plot()
    plot.pour(slice(33, 48), slice(33, 48), 0.5)
    volume = plot.values[1].sum() * SPACING**2
    assert plot.settle(4000) < 4000
    assert plot.steepest() <= math.tan(REPOSE) + 2e-3
    cone = (3.0 * volume * math.tan(REPOSE) ** 2 / math.pi) ** (1.0 / 3.0)
    assert plot.values[1].max() == pytest.approx(cone, rel=0.08)
    assert plot.values[1].sum() * SPACING**2 == pytest.approx(volume, rel=1e-12)
    assert not plot.values[1][0].any() and not plot.values[1][:, 0].any()


def test_relaxation_conserves_mass_and_resets_history() -> None:
    """Mass is conserved to the quantum, all of it loose; columns that received or lost soil have no history."""
    plot = Plot(41)
    plot.values[2], plot.values[3] = 0.01, 2e4  # plastic sinkage and yield pressure of a driven place
    plot.pour(slice(15, 26), slice(15, 26), 0.2)
    mass = plot.values[4].sum()
    assert plot.settle(2000) < 2000
    assert plot.values[4].sum() == mass == plot.loose.sum() and np.array_equal(plot.values[4], plot.loose)
    assert not np.fmod(plot.loose, MASS_QUANTUM_KGPM2).any()
    moved = plot.touched
    assert moved.any() and not plot.values[2:4, moved].any() and (plot.values[2, ~moved] == 0.01).all()
    assert np.array_equal(plot.values[0][moved], plot.values[1][moved])


def test_relaxation_face_stands_up_to_the_critical_height() -> None:
    """0.24 m on the Moon for 170 Pa, 35 deg and the bulk density of loose soil; a higher face slides to repose."""
    highest = critical_height(170.0, REPOSE, 1500.0, 1.62)
    assert highest == pytest.approx(2 * 170.0 * math.tan(math.radians(62.5)) / (1500.0 * 1.62))
    assert critical_height(170.0, REPOSE, 1700.0, 1.62) == pytest.approx(0.24, abs=0.005)
    assert critical_height(170.0, REPOSE, 1500.0, 0.0) == math.inf
    low, high = Plot(critical=highest), Plot(critical=highest)
    low.pour(slice(30, 50), slice(30, 50), 0.99 * highest)
    high.pour(slice(30, 50), slice(30, 50), 1.01 * highest)
    before = low.values.copy()
    low.settle(50)
    assert np.array_equal(low.values, before) and not low.touched.any()
    high.settle(4000)
    assert high.steepest() <= math.tan(REPOSE) + 2e-3


def test_face_height_sums_consecutive_steps() -> None:
    """Three steps of 5 cm, each steeper than repose, form a face of 15 cm, seen from top, middle and foot."""
    level = np.zeros((20, 20))
    for n in range(3):
        level[8 - n] = 0.05 * (n + 1)
    level[:6] = 0.15
    step = SPACING * math.tan(REPOSE)
    assert [round(face_height(level, r, 10, step), 9) for r in (6, 7, 8)] == [0.15, 0.15, 0.15]
    assert face_height(level, 12, 10, step) == face_height(level, 2, 10, step) == 0.0


def test_relaxation_does_not_change_undisturbed_cliffs() -> None:
    """Loose soil at the edge of an undisturbed cliff slides over it; the cliff and all terrain below stay unchanged."""
    plot = Plot()
    plot.values[:2, :40] = 1.0  # a cliff of 1 m of undisturbed terrain
    plot.pour(slice(36, 40), slice(30, 50), 0.1)
    ground = np.zeros((81, 81))
    ground[:40] = 1.0
    assert plot.settle(6000) < 6000
    assert (plot.values[1] >= ground - 1e-12).all()
    assert np.abs(plot.values[1] - ground - plot.loose / DENSITY).max() < 1e-9
    assert plot.loose[40:].sum() > 0.5 * plot.loose.sum()


def test_relaxation_budget_limits_a_cycle_and_continues_in_the_next() -> None:
    """With ten checks per sweep, at most that many columns change their mark, no mass is lost, and all comes to
    rest.
    """
    plot = Plot(31)
    plot.pour(slice(12, 18), slice(12, 18), 0.1)
    mass = plot.values[4].sum()
    plot.settle(1, budget=10)
    assert np.count_nonzero(plot.marks) >= 26
    assert plot.settle(100_000, budget=10) < 100_000
    assert plot.values[4].sum() == mass and (plot.marks == RESTING).all()
    assert plot.steepest() <= math.tan(REPOSE) + 2e-3
