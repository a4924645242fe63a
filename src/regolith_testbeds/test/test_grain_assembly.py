# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of many DEM grains: bit-identical results and equilibrium."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.bodies import Body, plane, wheel
from regolith_testbeds.dem.clumps import SHAPES
from regolith_testbeds.dem.materials import GrainMaterial
from regolith_testbeds.dem.neighbor_search import find_pairs
from regolith_testbeds.dem.packing import attitudes, lattice, sizes
from regolith_testbeds.dem.state import empty_pairs

MATERIAL = GrainMaterial(
    youngs_modulus_pa=1e7, friction=0.4, rolling_resistance=0.05, restitution=0.3, density_kgpm3=2600.0
)
SIDE = 0.1


def assembly(threads: int = 1, shape: str = 'sphere', count: int = 200) -> Assembly:
    """Return grains that fall into a box, onto a wheel that rotates and moves freely up and down."""
    scales = sizes(5, 'grain', count, 0.007, 0.15)

    def inside(places: np.ndarray) -> np.ndarray:
        return np.asarray((np.abs(places) < 0.5 * SIDE - 0.009).all(axis=1))

    places = lattice(5, 'grain', count, float(scales.max()), inside, 0.05, 0.5 * SIDE)
    half = 0.5 * SIDE
    walls = Body(
        (
            plane((0, 0, 1)),
            plane((1, 0, 0), (-half, 0, 0)),
            plane((-1, 0, 0), (half, 0, 0)),
            plane((0, 1, 0), (0, -half, 0)),
            plane((0, -1, 0), (0, half, 0)),
        ),
        MATERIAL,
    )
    rotor = Body(
        wheel(0.02, 0.04, 6, 0.006, 0.004),
        MATERIAL,
        place=(0.0, 0.0, 0.03),
        spin=(0.0, 20.0, 0.0),
        mass=1.0,
        free=(False, False, True),
    )
    made = Assembly(
        places,
        scales,
        MATERIAL,
        bodies=[walls, rotor],
        shape=SHAPES[shape](),
        turn=attitudes(5, 'grain', count),
        threads=threads,
    )
    made.grains.motion[:, 2] = -1.0
    return made


@pytest.mark.parametrize('shape', [pytest.param('sphere', marks=pytest.mark.slow), 'clump3'])
def test_dem_assembly_is_bit_identical_for_threads_and_loaded_state(shape: str) -> None:
    one, two = assembly(1, shape), assembly(2, shape)
    one.advance(800)
    two.advance(800)
    assert one.touching > 40 and one.rebuilt > 5
    assert one.digest() == two.digest()
    middle = one.save()
    one.advance(150)
    other = assembly(2, shape)
    other.load(middle)
    assert other.save() == middle
    other.skin *= 0.5  # results must not depend on the time of neighbor searches
    other.advance(150)
    assert other.digest() == one.digest() != two.digest()


def test_find_pairs_matches_an_exhaustive_search() -> None:
    a = assembly()
    a.grains.ball[:, :3] = np.random.default_rng(2).random((200, 3)) * 0.08
    skin = 1e-3
    pairs = find_pairs(a.grains, empty_pairs(200, 0), skin)
    far = np.linalg.norm(a.grains.ball[:, None, :3] - a.grains.ball[None, :, :3], axis=2)
    near = far < a.grains.ball[:, None, 3] + a.grains.ball[None, :, 3] + skin
    first, second = np.nonzero(np.triu(near, 1))
    assert len(first) > 300
    assert np.array_equal(np.repeat(np.arange(200), np.diff(pairs.start)), first)
    assert np.array_equal(pairs.other, second)
    for j in range(200):
        rows = pairs.back[pairs.back_start[j] : pairs.back_start[j + 1]]
        assert np.array_equal(rows, np.flatnonzero(second == j))


def test_dem_box_walls_carry_the_weight_of_the_grains() -> None:
    a = assembly(count=100)
    a.bodies.spin[:] = 0.0
    a.bodies.mobility[:] = 0.0
    a.advance(math.ceil(0.5 / a.dt))
    a.bodies.impulse[:] = 0.0
    steps = math.ceil(0.1 / a.dt)
    a.advance(steps)
    weight = 9.81 * float(a.grains.mass.sum())
    # Grains still settle a little; walls and wheel together support their weight.
    assert a.bodies.impulse[:, 2].sum() / (steps * a.dt) == pytest.approx(-weight, rel=0.01)


def test_frozen_grains_stay_fixed_and_support_others() -> None:
    a = assembly(count=100)
    a.bodies.spin[:] = 0.0
    a.bodies.mobility[:] = 0.0
    a.advance(math.ceil(0.4 / a.dt))
    a.freeze_outside((0.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    frozen = a.grains.active == 0
    before = a.grains.place.copy()
    a.advance(500)
    assert 20 < frozen.sum() < 80
    assert np.array_equal(a.grains.place[frozen], before[frozen])
    way = np.linalg.norm(a.grains.place - before, axis=1)
    assert 0.0 < np.median(way[~frozen]) < 1e-3


@pytest.mark.parametrize(('places', 'scales'), [([[0, 0]], [1.0]), ([[0, 0, math.nan]], [1.0]), ([[0, 0, 0]], [0.0])])
def test_dem_assembly_invalid_grains_are_rejected(places: list[list[float]], scales: list[float]) -> None:
    with pytest.raises(ValueError, match='allowed: '):
        Assembly(places, scales, MATERIAL)
    with pytest.raises(ValueError, match='allowed: 1 to 2'):
        Assembly([[0, 0, 0]], [0.01], MATERIAL, threads=3)
