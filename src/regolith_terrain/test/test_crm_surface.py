# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the initial particles of a region, and of the surface and mass they give at grid nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from particles import soil

from regolith_terrain.crm.arrays import COLUMNS, ZZ
from regolith_terrain.crm.initialization import InitialParticles, initial_particles
from regolith_terrain.crm.region import ParticleRegion
from regolith_terrain.crm.surface import Columns, free_surface, sort_columns, weigh
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.height_field import FlatField, PlaneField

REGION = ParticleRegion('strip', 'rover', (0.0, 0.0), (0.6, 0.48), 0.3, True, 0.06, soil())
H = 1.3 * 0.06


def columns(laid: InitialParticles, lift: float = 0.0) -> Columns:
    """Return the columns of a region with the stress of their weight, with the soil lifted."""
    n, ground = len(laid.soil), laid.trough[laid.ground]
    particles = np.zeros((n + len(ground), COLUMNS))
    particles[:n, :3], particles[n:, :3] = laid.soil, ground
    particles[:n, ZZ] = 1700.0 * 1.62 * (laid.soil[:, 2] - laid.top)
    particles[:n, 2] += lift
    kind = np.repeat(np.array([1, 0], np.uint8), (n, len(ground)))
    return sort_columns(particles, kind, laid.trough.min(axis=0)[:2], laid.trough.max(axis=0)[:2], H, 0.06)


def surface(of: Columns, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    level, pressure = np.empty(len(x)), np.empty(len(x))
    free_surface(of, x, y, level, pressure)
    return level, pressure


def test_initial_particles_fill_columns_of_equal_depth() -> None:
    """On a slope of 20 %, each of 10 x 8 columns contains five particles below the surface; walls extend above it."""
    field = PlaneField(0.2, -0.1, 3.0)
    laid = initial_particles(REGION, field)
    assert len(laid.soil) == REGION.soil_count == 10 * 8 * 5 and len(laid.trough) == REGION.marker_count
    depth = laid.top - laid.soil[:, 2]
    assert np.allclose(laid.top, field.heights(laid.soil[:, 0], laid.soil[:, 1]))
    assert np.allclose(np.unique(depth.round(9)), 0.06 * (np.arange(5) + 0.5))
    below = field.heights(laid.trough[:, 0], laid.trough[:, 1]) - laid.trough[:, 2]
    assert (below[laid.ground] > 0.0).all() and (below[~laid.ground] < 0.0).all()


def test_crm_surface_of_a_layer_is_at_its_top() -> None:
    """The surface is where half of the space is filled, to 2 % of the spacing, and it rises with the soil."""
    laid = initial_particles(REGION, FlatField(1.0))
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0.0, 0.6, 50), rng.uniform(0.0, 0.48, 50)
    level, _ = surface(columns(laid), x, y)
    assert np.abs(level - 1.0).max() < 0.02 * 0.06
    inner = (np.abs(x - 0.3) < 0.3 - 2.0 * H) & (np.abs(y - 0.24) < 0.24 - 2.0 * H)
    assert inner.any()
    # At 2 h from the fixed walls, the surface of a lifted layer is higher by exactly the lift.
    risen, _ = surface(columns(laid, 0.02), x[inner], y[inner])
    assert np.abs(risen - level[inner] - 0.02).max() < 1e-4 * 0.06


def test_crm_surface_pressure_is_the_weight_of_soil_above() -> None:
    """The pressure is the weight of one smoothing length; the mean over the cut-off kernel is up to a fifth deeper."""
    _, pressure = surface(columns(initial_particles(REGION, FlatField())), np.array([0.3]), np.array([0.24]))
    assert 1.0 < pressure[0] / (1700.0 * 1.62 * H) < 1.2


@pytest.mark.parametrize('spacing', [0.02, 0.05])
def test_crm_mass_on_nodes_is_exactly_conserved(spacing: float) -> None:
    """Also for particles beyond the rim. A particle on a node gives all mass to it; one between two nodes gives half to
    each.
    """
    rng = np.random.default_rng(2)
    particles = np.zeros((300, COLUMNS))
    particles[:, :2] = rng.uniform(-0.1, 0.6, (300, 2))
    i0, i1, j0, j1 = REGION.nodes(spacing)
    mass = np.zeros((i1 - i0, j1 - j0), np.int64)
    quanta = 123_456_789_013
    weigh(particles, np.arange(300), quanta, i0, j0, spacing, mass)
    assert int(mass.sum()) == 300 * quanta
    mass[:] = 0
    particles[0, :2], particles[1, :2] = (3 * spacing, 4 * spacing), (3.5 * spacing, 2 * spacing)
    weigh(particles, np.arange(2), quanta, i0, j0, spacing, mass)
    # To within the rounding of a position over the spacing.
    assert abs(mass[3 - i0, 4 - j0] - quanta) < 1e-11 * quanta and int(mass.sum()) == 2 * quanta
    assert np.abs(mass[[3 - i0, 4 - i0], 2 - j0] - quanta / 2).max() < 1.0 + 1e-11 * quanta


def test_particle_region_nodes_match_the_soil_map() -> None:
    """The nodes are half-open along both axes, like the polygon of the same corners."""
    from regolith_terrain.grid.soil_map import Region, SoilMap

    (x0, y0), (x1, y1) = (0.1, -0.3), (0.7, 0.3)
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    rows = SoilMap(np.zeros((2, 1)), [Region(corners, 0.0)]).rows(-50, 50, -50, 50, 0.02)
    i, j = np.nonzero(rows)
    region = ParticleRegion('a', 'b', (x0, y0), (x1, y1), 0.3, True, 0.06, soil())
    assert region.nodes(0.02) == (i.min() - 50, i.max() - 49, j.min() - 50, j.max() - 49)
    assert math.prod((i.max() - i.min() + 1, j.max() - j.min() + 1)) == len(i)
