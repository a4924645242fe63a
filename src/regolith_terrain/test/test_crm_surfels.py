# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of surfels of CRM particles against known surfaces."""

from __future__ import annotations

import numpy as np
from particles import soil

from regolith_terrain.contact.surfels import Surfels, joined_surfels
from regolith_terrain.crm.arrays import COLUMNS
from regolith_terrain.crm.initialization import initial_particles
from regolith_terrain.crm.region import ParticleRegion
from regolith_terrain.crm.surface import Columns, sort_columns
from regolith_terrain.crm.surfels import surface_surfels
from regolith_terrain.grid.node_records import Floats
from regolith_terrain.height_field import PlaneField

D = 0.05
H = 1.3 * D


def columns_of(places: Floats, low: Floats, high: Floats) -> Columns:
    particles = np.zeros((len(places), COLUMNS))
    particles[:, :3] = places
    return sort_columns(particles, np.ones(len(places), np.uint8), low[:2], high[:2], H, D)


def inclination(normals: Floats, expected: Floats) -> Floats:
    """Return the angles between unit vectors [deg]."""
    return np.rad2deg(np.arccos(np.clip(np.einsum('ij,ij->i', normals, expected), -1.0, 1.0)))


def test_surfels_of_a_tilted_plane_have_one_disc_per_column() -> None:
    """There is one disc per column of the top layer, in the plane to 3 % of a spacing and along its normal to 0.5 deg.

    Discs leave no gap. The deviations come from the lattice, which is sheared along the slope.
    """
    field = PlaneField(0.25, -0.15, 1.0)
    region = ParticleRegion('strip', 'rover', (0.0, 0.0), (1.0, 0.8), 0.3, True, D, soil())
    laid = initial_particles(region, field)
    every = np.concatenate((laid.soil, laid.trough[laid.ground]))
    found = surface_surfels(columns_of(every, every.min(axis=0), every.max(axis=0)), laid.soil)
    normal = np.array([-0.25, 0.15, 1.0]) / np.linalg.norm([-0.25, 0.15, 1.0])
    # Beyond the walls there are no particles within the kernel radius.
    inner = ((found.place[:, :2] > 0.15) & (found.place[:, :2] < (0.85, 0.65))).all(axis=1)
    off = (found.place - (0.0, 0.0, 1.0)) @ normal
    assert np.abs(off[inner]).max() < 0.03 * D
    assert inclination(found.normal[inner], np.broadcast_to(normal, (inner.sum(), 3))).max() < 0.5
    # Discs are offset along the normals, so the disc of a column can be beside it.
    assert abs(int(inner.sum()) - 14 * 10) <= 24 and len(found.place) == 20 * 16
    assert (found.radius == found.radius[0]).all()
    x, y = np.meshgrid(np.linspace(0.25, 0.75, 40), np.linspace(0.25, 0.55, 40))
    apart = np.hypot(x.reshape(-1, 1) - found.place[:, 0], y.reshape(-1, 1) - found.place[:, 1]).min(axis=1)
    assert apart.max() < found.radius[0]


def matrices(bend: Floats) -> Floats:
    """Return the symmetric matrices, shape (n, 3, 3)."""
    xx, yy, zz, xy, yz, zx = bend.T
    return np.stack((xx, xy, zx, xy, yy, yz, zx, yz, zz), axis=1).reshape(-1, 3, 3)


def half_ball(radius: float) -> Floats:
    """Return particles in shells one spacing apart, the outermost half a spacing below the surface.

    A lattice would have steps.
    """
    shells = []
    for r in np.arange(radius - 0.5 * D, 0.0, -D):
        n = round(4.0 * np.pi * r * r / D**2)
        z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
        turn = np.pi * (1.0 + 5.0**0.5) * np.arange(n)
        flat = np.sqrt(1.0 - z * z)
        shells.append(r * np.stack((flat * np.cos(turn), flat * np.sin(turn), z), axis=1)[z > 0.0])
    return np.concatenate(shells)


def test_surfels_of_a_half_ball_have_radial_normals() -> None:
    """Normals of a half ball with a radius of eight spacings on a floor are within 5 degrees of the radius, 2 on
    average.

    Discs are on the surface to a tenth of a spacing, including the curvature. There are as many discs as particles in
    the outermost shell.
    """
    radius = 8.0 * D
    axis = D * (np.arange(-14, 14) + 0.5)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing='ij'), axis=-1).reshape(-1, 3)
    ball, floor = half_ball(radius), grid[(grid[:, 2] < 0.0) & (grid[:, 2] > -6.0 * D)]
    every = np.concatenate((ball, floor))
    found = surface_surfels(columns_of(every, every.min(axis=0), every.max(axis=0)), ball)
    # Not at the floor, where the surface has another normal.
    high = found.place[:, 2] > 3.0 * H
    away = np.linalg.norm(found.place[high], axis=1)
    angle = inclination(found.normal[high], found.place[high] / away[:, None])
    assert angle.max() < 5.0 and angle.mean() < 2.0
    assert np.abs(away - radius).max() < 0.1 * D
    # Half a spacing below its disc.
    least = 3.0 * H * (radius - 0.5 * D) / radius
    # At the rims, 5 degrees away, the shading deviates by a tenth of that; the matrix is that of a ball.
    normal, bend = found.normal[high], matrices(found.bend[high])
    side = np.cross(normal, [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side, axis=1)[:, None]
    rim = found.place[high] + found.radius[high, None] * side
    shaded = normal + np.einsum('nij,nj->ni', bend, rim - found.place[high])
    shaded /= np.linalg.norm(shaded, axis=1)[:, None]
    true = rim / np.linalg.norm(rim, axis=1)[:, None]
    assert inclination(normal, true).mean() > 4.5 and inclination(shaded, true).mean() < 0.5
    curved = 0.5 * radius * np.trace(bend, axis1=1, axis2=2)
    assert np.abs(curved.mean() - 1.0) < 0.02 and np.abs(np.einsum('nij,nj->ni', bend, normal)).max() < 0.05 / radius
    outermost = ball[(np.linalg.norm(ball, axis=1) > radius - D) & (ball[:, 2] > least)]
    assert abs(high.sum() - len(outermost)) < 0.05 * len(outermost)


def test_surfels_of_separate_particles_are_at_the_particles() -> None:
    """A single particle gets a disc that faces up; none is lost; there is no surface inside a block."""
    axis = D * (np.arange(12) + 0.5)
    block = np.stack(np.meshgrid(axis, axis, axis, indexing='ij'), axis=-1).reshape(-1, 3)
    grain = np.array([[0.3, 0.3, 1.5]])
    every = np.concatenate((block, grain))
    columns = columns_of(every, every.min(axis=0), every.max(axis=0))
    lonely = surface_surfels(columns, grain)
    assert np.array_equal(lonely.place, grain) and np.array_equal(lonely.normal, [[0.0, 0.0, 1.0]])
    assert not lonely.bend.any()
    inside = block[(np.abs(block - 0.3) < 0.3 - 1.6 * D).all(axis=1)]
    assert len(inside) == 8**3 and len(surface_surfels(columns, inside).place) == 0
    both = joined_surfels([lonely, Surfels.none(), lonely])
    assert len(both.place) == len(both.normal) == len(both.radius) == 2


def test_surfel_shading_normals_of_neighbors_agree() -> None:
    """On level soil with random offsets of a fifth of a spacing, normals between two discs differ by half as much as
    flat discs.

    The normals of the discs themselves deviate by about 6 degrees.
    """
    axis = D * (np.arange(20) + 0.5)
    grid = np.stack(np.meshgrid(axis, axis, axis[:8], indexing='ij'), axis=-1).reshape(-1, 3)
    every = grid + np.random.default_rng(0).uniform(-0.2, 0.2, grid.shape) * D
    columns = columns_of(every, every.min(axis=0), every.max(axis=0))
    found = surface_surfels(columns, every[(np.abs(every[:, :2] - 0.5) < 0.3).all(axis=1) & (every[:, 2] > 0.25)])
    up = np.broadcast_to([0.0, 0.0, 1.0], found.normal.shape)
    assert inclination(found.normal, up).mean() < 3.5
    a, b = np.nonzero(np.linalg.norm(found.place[:, None] - found.place, axis=2) < 1.2 * D)
    a, b = a[a < b], b[a < b]
    middle = 0.5 * (found.place[a] + found.place[b])
    bend = matrices(found.bend)
    there = [found.normal[k] + np.einsum('nij,nj->ni', bend[k], middle - found.place[k]) for k in (a, b)]
    apart = inclination(*(n / np.linalg.norm(n, axis=1)[:, None] for n in there)).mean()
    assert len(a) > 200 and apart < 0.5 * inclination(found.normal[a], found.normal[b]).mean()
