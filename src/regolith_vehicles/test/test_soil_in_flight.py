# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of soil in flight."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain.grid.mass_balance import MASS_QUANTUM_KGPM2
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.tools.soil_in_flight import MASS, VX, SoilInFlight, X, spread

MOON = np.array([0.0, 0.0, -1.62])


def test_parcel_moves_on_a_parabola() -> None:
    """In cycles of any length: v t + g t^2 / 2, to rounding; thrown up by 0.5 m/s from 0.4 m it lands after 1.08 s."""
    grid, flight = SoilGrid(FlatField(), 0.02), SoilInFlight()
    flight.drop(1.0, np.array([1.0, 2.0, 0.4]), np.array([0.3, -0.2, 0.5]), np.array([0.0, 1.0]), (0.1, 0.05))
    lands = (0.5 + math.sqrt(0.25 + 2.0 * 1.62 * 0.4)) / 1.62
    t, landed = 0.0, None
    for dt in [0.02] * 20 + [0.005] * 10 + [0.02] * 40:
        landed = flight.fall(dt, MOON, grid)
        t += dt
        if landed is not None:
            break
        place = np.array([1.0 + 0.3 * t, 2.0 - 0.2 * t, 0.4 + 0.5 * t - 0.81 * t * t])
        assert flight.parcels[0, X : X + 3] == pytest.approx(place, abs=1e-12)
        assert flight.parcels[0, VX + 2] == pytest.approx(0.5 - 1.62 * t, abs=1e-12)
    assert landed is not None and t == pytest.approx(lands, abs=0.02) and t >= lands
    middle = np.array([landed.i.mean(), landed.j.mean()]) * 0.02
    assert middle == pytest.approx((1.0 + 0.3 * t, 2.0 - 0.2 * t), abs=0.01)
    assert flight.mass == 0.0 and landed.mass.sum() == 1.0


@pytest.mark.parametrize('angle', [0.0, 0.4, 1.2])
def test_parcel_lands_on_its_rectangle_to_the_quantum(angle: float) -> None:
    """Nodes of 0.7 x 0.2 m, 350 cells except for the rim, in parts equal to a quantum; sums are exact."""
    parcel = np.zeros(11)
    parcel[MASS] = 123_457 * MASS_QUANTUM_KGPM2
    parcel[X : X + 2] = 3.003, -1.007
    parcel[7:9] = math.cos(angle), math.sin(angle)
    parcel[9:] = 0.35, 0.1
    i, j, mass = spread(parcel, 0.02)
    assert len(i) == pytest.approx(350, abs=45) and mass.sum() == parcel[MASS]
    assert np.ptp(mass) <= MASS_QUANTUM_KGPM2
    offset = np.stack((i * 0.02 - 3.003, j * 0.02 + 1.007))
    along, across = parcel[7:9] @ offset, np.array([parcel[8], -parcel[7]]) @ offset
    assert np.abs(along).max() <= 0.35 and np.abs(across).max() <= 0.1


def test_small_parcel_lands_on_the_nearest_node() -> None:
    """A rectangle between nodes lands on the nearest node."""
    parcel = np.zeros(11)
    parcel[MASS], parcel[X], parcel[X + 1], parcel[7] = 5 * MASS_QUANTUM_KGPM2, 0.031, 0.009, 1.0
    i, j, mass = spread(parcel, 0.02)
    assert (i.tolist(), j.tolist(), mass.tolist()) == ([2], [0], [5 * MASS_QUANTUM_KGPM2])


def test_landed_parcels_add_up_and_others_stay_in_flight() -> None:
    """Two land at one place in one cycle, sorted and unique; a third is too high."""
    grid, flight = SoilGrid(FlatField(), 0.02), SoilInFlight()
    for z in (0.001, 0.001, 5.0):
        flight.drop(0.25, np.array([0.0, 0.0, z]), np.zeros(3), np.array([0.0, 1.0]), (0.05, 0.05))
    landed = flight.fall(0.1, MOON, grid)
    assert landed is not None and landed.mass.sum() == 0.5 and flight.mass == 0.25
    key = landed.i.astype(np.int64) * 1000 + landed.j
    assert (np.diff(key) > 0).all()
