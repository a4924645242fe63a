# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Light in dust: extinction and single scattering by the grains of the ground, and echoes of lidars.

Radiance along a ray is L = sum T (1 - exp(-tau_k)) w p(g) / (4 pi) E T_light over the cells that it crosses, with the
transmission T up to the cell, and the radiance behind the dust times the transmission of all of it. T_light is the
transmission toward the sun or a lamp times its visibility, at nodes 0.2 m apart, or 0.3 m and the
side of a cell in thin dust.

Simplifications: light is scattered once, which is enough for optical depths below one half. The sun is a point. Dust
takes light from the ground, but gives none to it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from regolith_sensors.arrays import Bools, Floats, Ints, Single, Singles
from regolith_sensors.brdf import HapkeParameters
from regolith_sensors.dust.density import BLOCK, CELL, FIRST_NODE, HIGH, LOW, NODES, DensityGrid
from regolith_sensors.dust.ray_steps import (
    DEPTH,
    LENGTH,
    LEVEL,
    NUMBER,
    PLACE,
    START,
    STEP_COLUMNS,
    cross_all,
    depth_along,
    most_steps,
    trilinear,
)
from regolith_sensors.light import LAMP_AXIS, LAMP_PLACE, LUNAR_TINT
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import Lights
from regolith_sensors.rays.embree.lighting import above_far_terrain
from regolith_world.numerics import kernel

_CLEARANCE_M = 0.01
"""Lowest height of a node above the ground [m]."""
_BEAMS, _POINTS = 256, 1024
FAR_M = 1e4
"""Length of rays that meet nothing [m]."""


class DustOptics(NamedTuple):
    """Dust that sensors see at one time."""

    grid: DensityGrid
    """Extinction, relative to the scene origin."""
    grains: Singles
    """Constants of the phase function, see :func:`grain_constants`, shape (5,)."""
    tint: Singles
    """Albedo of the bands relative to the mean one, shape (3,)."""


def dust_optics(grid: DensityGrid, parameters: HapkeParameters) -> DustOptics:
    """Return dust of the grains of a ground."""
    return DustOptics(grid, grain_constants(parameters), np.array(LUNAR_TINT, dtype=np.float32))


def grain_constants(parameters: HapkeParameters) -> Singles:
    """Return w / (4 pi) and the constants of the two lobes of the phase function, shape (5,)."""
    p, top = parameters, 0.5 * (1.0 - parameters.b**2)
    lobes = [1.0 + p.b**2, 2.0 * p.b, top * (1.0 + p.c), top * (1.0 - p.c)]
    return np.array([p.w / (4.0 * math.pi), *lobes], dtype=np.float32)


@kernel(views_only=True, forceinline=True)
def scattering(grains: Singles, cosine: Single) -> Single:
    """Return w p(g) / (4 pi) [1/sr] for the cosine of the phase angle.

    Source: hapke2012.
    Checked by: test_dust_optics.py::test_backscatter_to_forward_ratio.
    """
    back, forth = grains[1] - grains[2] * cosine, grains[1] + grains[2] * cosine
    return grains[0] * (grains[3] / (back * math.sqrt(back)) + grains[4] / (forth * math.sqrt(forth)))


# -- light in the dust ------------------------------------------------------------------------------------------


def light_in_dust(dust: DustOptics, scene: RayBackend, light: Lights) -> Singles:
    """Return visibility times transmission of sun and lamps at the nodes of each block, shape (1 + lamps, nodes).

    Args:
        dust: Dust of the frame.
        scene: Committed scene, whose ground and objects cast shadows.
        light: Sun and lamps.

    Tests: test_dust_optics.py.
    """
    tables = [_light_at(dust, scene, light, _above_ground(scene, nodes)) for nodes in nodes_of_light(dust.grid)]
    return np.concatenate(tables, axis=1)


def nodes_of_light(grid: DensityGrid) -> list[Floats]:
    """Return the positions of the nodes of the blocks of each level relative to the scene origin [m], shape (n, 3)."""
    found = []
    for level, row in enumerate(grid.levels):
        steps = np.linspace(0.0, BLOCK, int(row[NODES]))
        inside = np.stack(np.meshgrid(*[steps] * 3, indexing='ij'), axis=-1).reshape(-1, 3)
        found.append((row[:CELL] + (grid.blocks(level)[:, None] * BLOCK + inside) * row[CELL]).reshape(-1, 3))
    return found


def _light_at(dust: DustOptics, scene: RayBackend, light: Lights, nodes: Floats) -> Singles:
    """Return visibility times transmission of sun and lamps at nodes, shape (1 + lamps, n)."""
    through = np.zeros((1 + len(light.lamps), len(nodes)), dtype=np.float32)
    if light.irradiance[1] > 0.0:
        toward = np.tile(light.direction.astype(np.float64), (len(nodes), 1))
        through[0] = _reaching(dust, scene, nodes, toward, np.full(len(nodes), FAR_M))
        if len(light.far):
            _shade_far(light.far, nodes, through[0])
    for k, lamp in enumerate(light.lamps):
        way = lamp[LAMP_PLACE:LAMP_AXIS].astype(np.float64) - nodes
        distance = np.maximum(np.sqrt((way * way).sum(axis=1)), 1e-3)
        through[1 + k] = _reaching(dust, scene, nodes, way / distance[:, None], distance)
    return through


def _above_ground(scene: RayBackend, nodes: Floats) -> Floats:
    """Return nodes of which those on and below the ground are 1 cm above it: dust between nodes is above the ground."""
    down = np.tile([0.0, 0.0, -1.0], (len(nodes), 1))
    height = _ranges(scene, nodes, down)
    below = np.isinf(height)
    height[below] = -_ranges(scene, nodes[below], -down[below])
    lifted = nodes.copy()
    lifted[:, 2] += np.where(np.isinf(height), 0.0, np.maximum(_CLEARANCE_M - height, 0.0))
    return lifted


def _ranges(scene: RayBackend, nodes: Floats, toward: Floats) -> Singles:
    """Return the ranges of rays from nodes to surfaces [m], shape (n,)."""
    count = len(nodes)
    hit, _, _ = scene.cast(
        toward.astype(np.float32),
        np.arange(count, dtype=np.int32),
        nodes.astype(np.float32),
        np.ascontiguousarray(np.broadcast_to(np.eye(3, dtype=np.float32), (count, 3, 3))),
        FAR_M,
        1e-3,
    )
    return hit


def _reaching(dust: DustOptics, scene: RayBackend, nodes: Floats, toward: Floats, distance: Floats) -> Singles:
    """Return the transmission from nodes to a light times its visibility, shape (n,)."""
    count = len(nodes)
    found = np.zeros(count, np.float32)
    seen = _ranges(scene, nodes, toward) >= np.minimum(distance - 0.02, FAR_M)
    run_in_ranges(_transmit, count, _POINTS, *dust.grid, nodes, toward, distance, seen, found)
    return found


@kernel(views_only=True)
def _transmit(
    first: int,
    last: int,
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    place: Floats,
    toward: Floats,
    distance: Floats,
    seen: Any,
    through: Singles,
) -> None:
    for n in range(first, last):
        if not seen[n]:
            continue
        x, y, z = place[n, 0], place[n, 1], place[n, 2]
        dx, dy, dz = toward[n, 0], toward[n, 1], toward[n, 2]
        through[n] = math.exp(-depth_along(levels, lookup, filled, extinction, x, y, z, dx, dy, dz, distance[n]))


@kernel(views_only=True)
def _shade_far(far: Singles, nodes: Floats, through: Singles) -> None:
    for n in range(through.shape[0]):
        through[n] *= above_far_terrain(far, np.float32(nodes[n, 0]), np.float32(nodes[n, 1]))


@kernel(views_only=True, forceinline=True)
def light_of(levels: Floats, tables: Singles, light: int, steps: Singles, n: int) -> Any:
    """Return the transmission toward a light in the middle of a step of a ray, from its values at the nodes."""
    level = int(steps[n, LEVEL])
    side = int(levels[level, NODES])
    first = int(levels[level, FIRST_NODE]) + int(steps[n, NUMBER]) * side * side * side
    scale = (side - 1) / BLOCK
    u, v, w = steps[n, PLACE] * scale, steps[n, PLACE + 1] * scale, steps[n, PLACE + 2] * scale
    i, j, k = min(int(u), side - 2), min(int(v), side - 2), min(int(w), side - 2)
    return trilinear(tables[light], side, first + (i * side + j) * side + k, u - i, v - j, w - k)


# -- lidars -----------------------------------------------------------------------------------------------------


class DustEchoes(NamedTuple):
    """Echoes of dust for each ray of a lidar. Intensity 1: a white target, at the reference range if there is one."""

    transmission: Singles
    """Two-way transmission up to the target, shape (n,)."""
    range: Singles
    """Range of the strongest bin [m], +inf without dust, shape (n,)."""
    intensity: Singles
    """Intensity of the strongest bin, shape (n,)."""
    of_beams: Singles
    """Sum over the rays of each beam, by range bin, shape (beams, bins), or (0, bins) if not wanted."""
    near_m: float
    """Range of the start of the first bin [m]."""

    def ranges(self, bin_m: float) -> Floats:
        """Return the ranges of the middles of the bins [m], shape (bins,)."""
        return np.asarray(self.near_m + (np.arange(self.of_beams.shape[1]) + 0.5) * bin_m, dtype=np.float64)


class LidarRays(NamedTuple):
    """Rays of a lidar, the rays of a beam one after another."""

    directions: Singles
    """Unit vectors in the sensor frame, shape (n, 3)."""
    groups: Ints
    """Index of each ray's pose, shape (n,)."""
    positions: Singles
    """Positions of the poses relative to the scene origin [m], shape (m, 3)."""
    rotations: Singles
    """Rotations of the poses from sensor to world frame, shape (m, 3, 3)."""
    distance: Singles
    """Ranges of the targets [m], +inf for none, shape (n,)."""
    rays_per_beam: int


def dust_echoes(
    dust: DustOptics,
    rays: LidarRays,
    range_m: tuple[float, float],
    bin_m: float,
    reference_m: float = 0.0,
    by_beam: bool = False,
) -> DustEchoes:
    """Return the echoes of dust in exact backscatter: a layer ds reflects pi w p(0) / (4 pi) beta exp(-2 tau) ds.

    Args:
        dust: Dust of the frame.
        rays: Rays and ranges of their targets.
        range_m: Smallest and largest range of the sensor [m].
        bin_m: Width of the range bins [m].
        reference_m: Range of the white target, to which the echoes are scaled by 1 / R^2 [m]; 0: not at all.
        by_beam: Whether the bins of the beams are wanted.

    Source: wagner2010; hapke2012.
    Checked by: test_dust_optics.py::test_lidar_sees_targets_through_dust_and_the_dust_itself.
    """
    count = len(rays.directions)
    beams = count // rays.rays_per_beam
    nothing = np.full(count, np.inf, np.float32), np.zeros(count, np.float32)
    if dust.grid.is_empty:
        return DustEchoes(np.ones(count, np.float32), *nothing, np.zeros((beams if by_beam else 0, 0), np.float32), 0.0)
    low, high = dust.grid.levels[:, LOW:HIGH].min(axis=0), dust.grid.levels[:, HIGH:].max(axis=0)
    places = rays.positions.astype(np.float64)
    gap = np.maximum(np.maximum(low - places, places - high), 0.0)
    most = np.maximum(np.abs(low - places), np.abs(high - places))
    near = max(float(np.sqrt((gap**2).sum(axis=1)).min()), range_m[0])
    far = min(float(np.sqrt((most**2).sum(axis=1)).max()), range_m[1])
    bins = max(math.ceil((far - near) / bin_m), 0)
    table = np.zeros((beams if by_beam else 0, bins), np.float32)
    found = DustEchoes(np.empty(count, np.float32), *nothing, table, near)
    back = float(math.pi * scattering(dust.grains, np.float32(1.0)))
    numbers = back, near, bin_m, bins, reference_m
    run_in_ranges(_echo, beams, _BEAMS, *dust.grid, most_steps(dust.grid), *rays, *numbers, *found[:4])
    return found


@kernel
def _echo(
    first: int,
    last: int,
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    most: int,
    directions: Singles,
    groups: Ints,
    positions: Singles,
    rotations: Singles,
    distance: Singles,
    rays: int,
    back: float,
    near: float,
    width: float,
    bins: int,
    reference: float,
    through: Singles,
    reach: Singles,
    intensity: Singles,
    of_beams: Singles,
) -> None:
    steps = np.empty((most, STEP_COLUMNS), np.float32)
    row = np.zeros(bins, np.float32)
    for n in range(first * rays, last * rays):
        g = groups[n]
        a, b, c = directions[n, 0], directions[n, 1], directions[n, 2]
        dx = float(rotations[g, 0, 0] * a + rotations[g, 0, 1] * b + rotations[g, 0, 2] * c)
        dy = float(rotations[g, 1, 0] * a + rotations[g, 1, 1] * b + rotations[g, 1, 2] * c)
        dz = float(rotations[g, 2, 0] * a + rotations[g, 2, 1] * b + rotations[g, 2, 2] * c)
        x, y, z = float(positions[g, 0]), float(positions[g, 1]), float(positions[g, 2])
        far = min(float(distance[n]), FAR_M)
        left = 1.0
        count = cross_all(levels, lookup, filled, extinction, x, y, z, dx, dy, dz, far, steps)
        last_bin = -1
        for k in range(count):
            # Evenly over the bins that the cell covers.
            after = left * math.exp(-2.0 * steps[k, DEPTH])
            start, length = steps[k, START], steps[k, LENGTH]
            slot = max(int(math.floor((start - near) / width)), 0)
            end = min(int(math.floor((start + length - near) / width)), bins - 1)
            last_bin = max(last_bin, end)
            for each in range(slot, end + 1):
                low, high = max(near + each * width, start), min(near + (each + 1) * width, start + length)
                fall = (reference / max(0.5 * (low + high), 0.1)) ** 2 if reference > 0.0 else 1.0
                row[each] += back * 0.5 * (left - after) * fall * max(high - low, 0.0) / length
            left = after
        through[n] = left
        if count == 0:
            continue
        for slot in range(max(int(math.floor((steps[0, START] - near) / width)), 0), last_bin + 1):
            if row[slot] > intensity[n]:
                intensity[n], reach[n] = row[slot], near + (slot + 0.5) * width
            if of_beams.shape[0] > 0:
                of_beams[n // rays, slot] += row[slot]
            row[slot] = 0.0
