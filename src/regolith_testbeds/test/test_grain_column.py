# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of collapsing grain columns in DEM with few grains."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_testbeds.dem.beds import Grains
from regolith_testbeds.dem.column_collapse import DemCollapse
from regolith_testbeds.dem.packing import settle, smooth, stiffen
from regolith_testbeds.heap_measurement import SoilColumn

GRAINS = Grains(radius_m=0.008, radius_spread=0.1, youngs_modulus_pa=2e6, friction=0.5, density_kgpm3=2000.0)
COUNT = 60


def column(lift: float | None) -> DemCollapse:
    return DemCollapse(SoilColumn(0.03, 0.06, 1.62, lift, 0.9), GRAINS, COUNT, 3, 1)


def go(made: DemCollapse, count: int) -> None:
    for _ in range(count):
        made.advance(lambda part: None)


@pytest.mark.parametrize('lift', [None, 0.2])
def test_dem_collapse_settles_and_releases_the_column(lift: float | None) -> None:
    """Covers an instant release and a lifted tube; nothing is computed before the first step."""
    made = column(lift)
    assert made.part == 0.0 and made.save() == b''
    go(made, 1)
    place = made.assembly.grains.place
    assert np.hypot(place[:, 0], place[:, 1]).max() < 0.03 and place[:, 2].min() > 0.0
    top, begun, tube = 2.0 * float(place[:, 2].mean()), made.assembly.time, made.assembly.bodies.place[1].copy()
    assert made.part == pytest.approx(0.35)
    go(made, 4)
    heap, mass = made.heap(), made.assembly.grains.mass
    assert heap.column_m == pytest.approx(top) and heap.volume.sum() == pytest.approx(math.pi * 0.03**2 * top)
    assert heap.volume / heap.volume.sum() == pytest.approx(mass / mass.sum())
    assert heap.element_m == 0.016 and 0.0 < heap.settled_s <= made.assembly.time - begun + 1e-12
    moved = made.assembly.bodies.place[1] - tube
    if lift is None:
        assert tube[2] > 50.0 * 0.06 and not moved.any()
    else:
        assert moved == pytest.approx([0.0, 0.0, lift * (made.assembly.time - begun)], abs=1e-9)
    # Six fall times from its height, plus the time to lift the tube.
    seconds = 6.0 * math.sqrt(top / 1.62) + (top / lift if lift else 0.0)
    step = (made.assembly.time - begun) / 4
    assert made.part == pytest.approx(0.35 + 0.65 * 4 / math.ceil(seconds / step))


def test_dem_collapse_continues_bit_identically_from_saved_state() -> None:
    made, other = column(None), column(None)
    go(made, 3)
    other.load(made.save())
    go(made, 2)
    go(other, 2)
    assert other.save() == made.save() and other.part == made.part
    one, two = made.heap(), other.heap()
    assert one.place.tobytes() == two.place.tobytes() and one.settled_s == two.settled_s


def test_stiffen_reaches_the_material_of_the_grains() -> None:
    """Stiffness grows by factors of 1.5 with equal durations; settling ends early if grains are slow enough."""
    a = column(None).assembly
    soft = smooth(a.material).model_copy(update={'youngs_modulus_pa': 0.5e6})
    a.soften(soft)
    coarse, begun = a.dt, a.time
    stiffen(a, GRAINS.material(), 0.004)
    assert a.material == GRAINS.material() and a.dt == pytest.approx(0.5 * coarse, rel=1e-6)
    # 0.75, 1.125, 1.6875 and 2 MPa.
    assert a.time - begun == pytest.approx(4 * 0.004, abs=4 * coarse)
    begun = a.time
    assert settle(a, 0.02, fast=1e9, every=5) > 0.0
    assert 0.002 < a.time - begun < 0.02
    begun = a.time
    settle(a, 0.02, every=7)
    assert a.time - begun == pytest.approx(0.02, abs=a.dt)
