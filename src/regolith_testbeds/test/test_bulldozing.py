# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of bulldozing: volumes, angle of repose and independence of order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain import contact, scm
from regolith_terrain.config import load_soil
from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.soil_grid import SoilWindow
from regolith_terrain.scm.bulldozing import DOMAIN, erode
from regolith_terrain.scm.constants import DAMPING, DENSITY
from regolith_terrain.scm.settings import BulldozingConfig
from regolith_testbeds.soil_bin import SoilBin

MODES = ('reference', 'regolith')


def rules(**values: float) -> np.ndarray:
    return BulldozingConfig.model_validate({'enabled': True, **values}).parameters()


def quiet() -> np.ndarray:
    parameters = load_soil('chrono_lunar').parameters()
    parameters[DAMPING] = 0.0
    return parameters


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('factor', [0.5, 1.0, 1.2])
def test_bulldozing_raised_volume_equals_the_plastic_volume(mode: str, factor: float) -> None:
    bin_ = SoilBin(quiet(), mode=mode, bounds=(-60, 61, -60, 61), displacement=rules(flow_factor=factor))
    displaced = 0.0
    for k in range(1, 101):
        bin_.plate((0.0, 0.0, -2e-4 * k))
        displaced += bin_.stats[contact.STAT_DISPLACED]
    window = bin_.window
    # Raised soil is in level_initial, the origin of sinkage; erosion only moves it.
    raised = float((window.level_initial - window.base[1:-1, 1:-1]).sum()) * 1e-4
    plastic = float(window.sinkage_plastic.sum()) * 1e-4
    assert displaced == pytest.approx(plastic, rel=1e-9)
    assert plastic == pytest.approx(0.21 * 0.31 * 0.02, rel=0.01)
    assert raised == pytest.approx(factor * plastic, rel=1e-9)


def books(window: SoilWindow) -> np.ndarray:
    """Return the masses of the columns in quanta, checked to be integers."""
    quanta = window.mass_kgpm2 / MASS_QUANTUM_KGPM2
    assert np.array_equal(quanta, np.rint(quanta))
    return quanta.astype(np.int64)


@pytest.mark.parametrize('mode', MODES)
def test_bulldozing_conserves_mass_to_the_quantum(mode: str) -> None:
    """Two soils of different density under one plate: mass is conserved, and each column gives the mass of its
    volume.
    """
    light, dense = quiet(), quiet()
    light[DENSITY], dense[DENSITY] = 1300.0, 1900.0
    soils = np.array([light, dense])
    bin_ = SoilBin(soils, mode=mode, bounds=(-60, 61, -60, 61), displacement=rules(flow_factor=0.7))
    bin_.ground.region[60:] = 1
    for k in range(1, 101):
        bin_.plate((0.0, 0.0, -2e-4 * k))
    quanta, window = books(bin_.window), bin_.window
    assert quanta.sum() == 0
    pressed = window.sinkage_plastic > 0.0
    density = np.where(bin_.ground.region == 1, 1900.0, 1300.0)
    carved = -0.7 * window.sinkage_plastic * density
    # A quantum may be rounded up or down in each of the hundred steps.
    assert np.allclose(window.mass_kgpm2[pressed], carved[pressed], rtol=0.0, atol=100 * MASS_QUANTUM_KGPM2)
    assert quanta[~pressed].min() >= 0 and quanta[~pressed].max() > 0


def test_compaction_without_bulldozing_moves_no_mass() -> None:
    bin_ = SoilBin(quiet())
    bin_.plate((0.0, 0.0, -0.02))
    assert bin_.window.sinkage_plastic.max() > 0.0 and not bin_.window.mass_kgpm2.any()


def test_bulldozing_heaps_soil_beside_the_plate() -> None:
    bin_ = SoilBin(quiet(), bounds=(-60, 61, -60, 61), displacement=rules(flow_factor=1.0))
    for k in range(1, 101):
        bin_.plate((0.0, 0.0, -2e-4 * k))
    level = bin_.window.level
    assert level.max() > 1e-3
    assert np.allclose(level[50:71, 45:76], -0.02)
    assert np.allclose(level, level[::-1]) and np.allclose(level, level[:, ::-1])


def test_bulldozing_is_off_by_default() -> None:
    bin_ = SoilBin(quiet(), mode='regolith')
    bin_.plate((0.0, 0.0, -0.02))
    assert bin_.window.level.max() == 0.0


def cone(side: int, seed: int) -> tuple[SoilBin, np.ndarray]:
    bin_ = SoilBin(quiet(), bounds=(-side, side + 1, -side, side + 1))
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(*(np.arange(-side, side + 1) * 0.01,) * 2, indexing='ij')
    heap = np.maximum(0.0, 0.15 - 1.5 * np.hypot(x, y)) + 0.005 * rng.random(x.shape)
    bin_.window.level[:] = heap
    bin_.window.level_initial[:] = heap
    return bin_, heap


def slump(bin_: SoilBin, sweeps: int, order: np.ndarray | None = None) -> None:
    """Erode all nodes of a window except the border."""
    rows, cols = bin_.window.shape
    inside = np.array([r * cols + c for r in range(1, rows - 1) for c in range(1, cols - 1)], dtype=np.int32)
    marks = np.zeros(rows * cols, dtype=np.int32)
    marks[inside] = DOMAIN
    if order is not None:
        inside = inside[order]
    limit = 0.01 * math.tan(math.radians(35.0))
    flux, mass_flux = np.zeros((2, len(inside)))
    erode(bin_.ground, bin_.soils, inside, len(inside), marks, 0, 0, cols, limit, sweeps, flux, mass_flux)


def test_bulldozing_erosion_conserves_volume() -> None:
    bin_, heap = cone(30, 1)
    slump(bin_, 400)
    window = bin_.window
    assert not np.allclose(window.level, heap)
    assert float(window.level.sum()) == pytest.approx(float(heap.sum()), rel=1e-12)
    assert np.allclose(window.level - heap, window.level_initial - heap, atol=1e-15)
    assert books(window).sum() == 0
    # A height of soil has its mass, to half a quantum for each of four neighbors and 400 sweeps.
    expected = (window.level - heap) * 1500.0
    assert np.allclose(window.mass_kgpm2, expected, rtol=0.0, atol=800 * MASS_QUANTUM_KGPM2)


@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('densities', [(1300.0, 1900.0), (1900.0, 1300.0)])
def test_bulldozing_erosion_keeps_the_density_of_moved_soil(axis: int, densities: tuple[float, float]) -> None:
    """Two soils meet beside the top of a cone: the mass that one column gains another loses, to the quantum.

    Soil slides outward only, so the gain of an outer column from the inner soil has the density of the inner soil.
    """
    bin_, heap = cone(20, 6)
    light, dense = quiet(), quiet()
    light[DENSITY], dense[DENSITY] = densities
    bin_.soils = np.array([light, dense])
    np.moveaxis(bin_.ground.region, axis, 0)[26:] = 1
    slump(bin_, 1)
    window = bin_.window
    assert books(window).sum() == 0
    inner, outer = (np.moveaxis(window.mass_kgpm2, axis, 0)[part].sum() for part in (slice(26), slice(26, None)))
    gained = float(np.moveaxis(window.level - heap, axis, 0)[26:].sum())
    assert gained > 0.005 and outer == -inner
    # Within the outer part, soil moves without a change of the sum; soil across the border is inner soil.
    assert outer == pytest.approx(gained * densities[0], rel=1e-6)


def test_bulldozing_erosion_is_independent_of_node_order() -> None:
    levels = []
    for seed in (None, 5, 6):
        bin_, _ = cone(20, 2)
        count = 39 * 39
        slump(bin_, 50, None if seed is None else np.random.default_rng(seed).permutation(count))
        levels.append(bin_.window.level.tobytes())
    assert levels[0] == levels[1] == levels[2]


def test_bulldozing_heap_reaches_the_angle_of_repose() -> None:
    bin_, _ = cone(30, 3)
    slump(bin_, 6000)
    level = bin_.window.level[1:-1, 1:-1]
    steepest = max(np.abs(np.diff(level, axis=k)).max() for k in (0, 1))
    # Slopes along grid lines approach the angle from above, ever more slowly.
    assert steepest <= 0.01 * math.tan(math.radians(35.0)) * 1.01


def test_bulldozing_erosion_keeps_gentle_slopes() -> None:
    bin_, heap = cone(10, 4)
    heap *= 0.1
    bin_.window.level[:] = heap
    slump(bin_, 20)
    assert np.array_equal(bin_.window.level, heap) and not bin_.window.touched.any()


@pytest.mark.parametrize('mode', MODES)
def test_bulldozing_wheel_leaves_berms_and_sinks_less(mode: str) -> None:
    """Raised soil before the wheel is compacted like undisturbed soil on top of the old surface."""
    from regolith_testbeds.soil_bin import roll

    sinkage = []
    for enabled in (False, True):
        bulldozing = (
            rules(flow_factor=1.0, erosion_iterations=2, erosion_propagations=6) if enabled else scm.NOTHING_MOVES
        )
        bin_ = SoilBin('chrono_lunar', 0.02, mode, (-26, 62, -26, 27), displacement=bulldozing)
        sinkage.append(roll(bin_, 600.0, 0.3).sinkage)
    assert sinkage[1] < 0.9 * sinkage[0]
    behind = bin_.window.level[30:45]
    assert behind[:, 26].max() < -0.003  # the rut with some soil that slid in
    assert behind[:, :22].max() > 0.002 and behind[:, 31:].max() > 0.002  # berms on both sides


def test_bulldozing_small_window_is_reported() -> None:
    bin_ = SoilBin(quiet(), bounds=(-20, 21, -25, 26), displacement=rules())
    assert bin_.plate((0.0, 0.0, -0.01)) == contact.LEFT_WINDOW
