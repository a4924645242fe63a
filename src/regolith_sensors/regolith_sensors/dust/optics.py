# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust in images and lidar echoes: extinction and single scattering by the grains of the ground.

Radiance along a ray is L = sum T (1 - exp(-tau_k)) w p(g) / (4 pi) E T_light over the cells that it crosses, with the
transmission T up to the cell, and the radiance behind the dust times the transmission of all of it. T_light is the
transmission toward the sun or a lamp times its visibility, at nodes four cells apart.

Simplifications: light is scattered once, which is enough for optical depths below one half. The sun is a point. Dust
takes light from the ground, but gives none to it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from regolith_sensors.arrays import Floats, Ints, Single, Singles
from regolith_sensors.brdf import HapkeParameters
from regolith_sensors.dust.density import BITS, BLOCK, CELL_M, DensityGrid, clipped, cross, most_cells
from regolith_sensors.light import LAMP_AXIS, LAMP_INNER, LAMP_INTENSITY, LAMP_OUTER, LAMP_PLACE, LUNAR_TINT
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.embree.lighting import above_far_terrain
from regolith_sensors.rays.image import RenderedImage, SampleStreams
from regolith_world.numerics import kernel
from regolith_world.random import mix_bits

_NODE = 4
"""Cells between the nodes of light."""
_NODES = BLOCK // _NODE + 1
_CLEARANCE_M = 0.01
"""Lowest height of a node above the ground [m]."""
_ROWS, _BEAMS, _POINTS = 8, 256, 1024
_FAR_M = 1e4
_OPAQUE = np.float32(1e-3)
_LATTICE = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703, 0.8191725133961645)


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
    """Return visibility times transmission of sun and lamps in each cell, shape (1 + lamps, blocks, 512).

    Args:
        dust: Dust of the frame.
        scene: Committed scene, whose ground and objects cast shadows.
        light: Sun and lamps.

    Tests: test_dust_optics.py.
    """
    grid = dust.grid
    numbers = np.argwhere(grid.lookup >= 0)
    blocks = np.empty((len(grid.extinction), 3))
    blocks[grid.lookup[tuple(numbers.T)]] = numbers
    steps = np.stack(np.meshgrid(*[np.arange(_NODES)] * 3, indexing='ij'), axis=-1).reshape(-1, 3)
    nodes = grid.corner + (blocks[:, None] * BLOCK + steps * _NODE) * CELL_M
    nodes = _above_ground(scene, nodes.reshape(-1, 3))
    through = np.zeros((1 + len(light.lamps), len(nodes)), dtype=np.float32)
    if light.irradiance[1] > 0.0:
        toward = np.tile(light.direction.astype(np.float64), (len(nodes), 1))
        through[0] = _reaching(dust, scene, nodes, toward, np.full(len(nodes), _FAR_M))
        if len(light.far):
            _shade_far(light.far, nodes, through[0])
    for k, lamp in enumerate(light.lamps):
        way = lamp[LAMP_PLACE:LAMP_AXIS].astype(np.float64) - nodes
        distance = np.maximum(np.sqrt((way * way).sum(axis=1)), 1e-3)
        through[1 + k] = _reaching(dust, scene, nodes, way / distance[:, None], distance)
    lit = np.zeros((len(through), *grid.extinction.shape), dtype=np.float32)
    tables = through.reshape(len(through), -1, _NODES, _NODES, _NODES)
    run_in_ranges(_spread_light, len(grid.extinction), 8, grid.extinction, tables, lit)
    return lit


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
        _FAR_M,
        1e-3,
    )
    return hit


def _reaching(dust: DustOptics, scene: RayBackend, nodes: Floats, toward: Floats, distance: Floats) -> Singles:
    """Return the transmission from nodes to a light times its visibility, shape (n,)."""
    count = len(nodes)
    found = np.zeros(count, np.float32)
    seen = _ranges(scene, nodes, toward) >= np.minimum(distance - 0.02, _FAR_M)
    run_in_ranges(_transmit, count, _POINTS, *dust.grid, most_cells(dust.grid), nodes, toward, distance, seen, found)
    return found


@kernel
def _transmit(
    first: int,
    last: int,
    corner: Floats,
    lookup: Ints,
    extinction: Singles,
    most: int,
    place: Floats,
    toward: Floats,
    distance: Floats,
    seen: Any,
    through: Singles,
) -> None:
    starts, depths, cells = np.empty(most, np.float32), np.empty(most, np.float32), np.empty(most, np.int64)
    for n in range(first, last):
        if not seen[n]:
            continue
        x, y, z = place[n, 0], place[n, 1], place[n, 2]
        dx, dy, dz = toward[n, 0], toward[n, 1], toward[n, 2]
        depth = np.float32(0.0)
        for k in range(cross(corner, lookup, extinction, x, y, z, dx, dy, dz, 0.0, distance[n], starts, depths, cells)):
            depth += depths[k]
        through[n] = math.exp(-depth)


@kernel(views_only=True)
def _shade_far(far: Singles, nodes: Floats, through: Singles) -> None:
    for n in range(through.shape[0]):
        through[n] *= above_far_terrain(far, np.float32(nodes[n, 0]), np.float32(nodes[n, 1]))


@kernel(views_only=True)
def _spread_light(first: int, last: int, extinction: Singles, tables: Singles, lit: Singles) -> None:
    """Interpolate the light of the nodes at the centers of cells with dust."""
    for block in range(first, last):
        for cell in range(extinction.shape[1]):
            if not extinction[block, cell] > 0.0:
                continue
            u = ((cell >> 2 * BITS) + 0.5) / _NODE
            v, w = ((cell >> BITS & BLOCK - 1) + 0.5) / _NODE, ((cell & BLOCK - 1) + 0.5) / _NODE
            i, j, k = int(u), int(v), int(w)
            u, v, w = u - i, v - j, w - k
            for light in range(tables.shape[0]):
                total = 0.0
                for corner in range(8):
                    a, b, c = corner & 1, corner >> 1 & 1, corner >> 2
                    weight = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
                    total += weight * tables[light, block, i + a, j + b, k + c]
                lit[light, block, cell] = total


# -- cameras ----------------------------------------------------------------------------------------------------


def add_dust(
    dust: DustOptics, scene: RayBackend, view: CameraRays, light: Lights, frame: RenderedImage, random: SampleStreams
) -> None:
    """Add dust to the radiance of an image: scattered light, extinction, and its shadow on surfaces.

    Args:
        dust: Dust of the frame.
        scene: Committed scene.
        view: View of the camera.
        light: Sun and lamps.
        frame: Image without dust, whose radiance changes.
        random: Random stream, which shifts the cells by up to half their size in each pixel, to hide their edges.

    Source: hapke2012; amanatides1987.
    Checked by: test_dust_optics.py::test_slab_has_its_transmission,
    test_dust_optics.py::test_thin_slab_has_the_radiance_of_single_scattering.
    """
    if dust.grid.is_empty:
        return
    lit = light_in_dust(dust, scene, light)
    images = frame.radiance, frame.range, frame.sun_part
    arguments = *dust.grid, most_cells(dust.grid), dust.grains, dust.tint, lit
    lights = light.direction, light.irradiance, light.lamps
    shift = float(mix_bits(np.uint64(random.key) ^ np.uint64(random.frame)) >> np.uint64(40)) * 2.0**-24
    run_in_ranges(_add_rows, len(frame.range), _ROWS, *arguments, *lights, *view[:3], *images, shift)


@kernel
def _add_rows(
    first: int,
    last: int,
    corner: Floats,
    lookup: Ints,
    extinction: Singles,
    most: int,
    grains: Singles,
    tint: Singles,
    lit: Singles,
    sun: Singles,
    irradiance: Singles,
    lamps: Singles,
    rays: Singles,
    r: Singles,
    origin: Singles,
    radiance: Singles,
    distance: Singles,
    sun_part: Singles,
    shift: float,
) -> None:
    starts, depths, cells = np.empty(most, np.float32), np.empty(most, np.float32), np.empty(most, np.int64)
    flat = lit.reshape(lit.shape[0], -1)
    added, factor = np.empty(3, np.float32), np.empty(3, np.float32)
    x, y, z = float(origin[0]), float(origin[1]), float(origin[2])
    sx, sy, sz = float(sun[0]), float(sun[1]), float(sun[2])
    for row in range(first, last):
        for column in range(rays.shape[1]):
            a, b, c = rays[row, column, 0], rays[row, column, 1], rays[row, column, 2]
            dx = float(r[0, 0] * a + r[0, 1] * b + r[0, 2] * c)
            dy = float(r[1, 0] * a + r[1, 1] * b + r[1, 2] * c)
            dz = float(r[2, 0] * a + r[2, 1] * b + r[2, 2] * c)
            far = min(float(distance[row, column]), _FAR_M)
            green = radiance[row, column, 1]
            if sun_part[row, column] > 0.0 and green > 0.0:
                # The shadow of the dust on the surface.
                px, py, pz = x + far * dx, y + far * dy, z + far * dz
                near, leave = clipped(corner, lookup, px, py, pz, sx, sy, sz, 0.0, _FAR_M)
                if near < leave:
                    depth = np.float32(0.0)
                    for k in range(
                        cross(corner, lookup, extinction, px, py, pz, sx, sy, sz, 0.0, _FAR_M, starts, depths, cells)
                    ):
                        depth += depths[k]
                    kept = 1.0 - min(sun_part[row, column] / green, 1.0) * (1.0 - math.exp(-depth))
                    for band in range(3):
                        radiance[row, column, band] *= kept
            near, leave = clipped(corner, lookup, x, y, z, dx, dy, dz, 0.0, far)
            if not near < leave:
                continue
            # A lattice over the image, so that neighbors sample the cells evenly.
            jx = x + CELL_M * _shift(shift, row, column, 0)
            jy = y + CELL_M * _shift(shift, row, column, 1)
            jz = z + CELL_M * _shift(shift, row, column, 2)
            count = cross(corner, lookup, extinction, jx, jy, jz, dx, dy, dz, 0.0, far, starts, depths, cells)
            if count == 0:
                continue
            added[:] = 0.0
            sunward = scattering(grains, np.float32(-(dx * sx + dy * sy + dz * sz)))
            for band in range(3):
                factor[band] = sunward * irradiance[band] * tint[band]
            through = np.float32(1.0)
            for k in range(count):
                passed = _transmission(depths[k])
                scattered = through * (np.float32(1.0) - passed)
                weight = scattered * flat[0, cells[k]]
                for band in range(3):
                    added[band] += weight * factor[band]
                for lamp in range(lamps.shape[0]):
                    reaching = flat[1 + lamp, cells[k]]
                    if reaching > 0.0:
                        t = float(starts[k])
                        px, py, pz = x + t * dx, y + t * dy, z + t * dz
                        per_band = scattered * reaching * _of_lamp(lamps, lamp, grains, px, py, pz, dx, dy, dz)
                        for band in range(3):
                            added[band] += per_band * lamps[lamp, LAMP_INTENSITY + band] * tint[band]
                through *= passed
                if through < _OPAQUE:
                    break
            for band in range(3):
                radiance[row, column, band] = added[band] + through * radiance[row, column, band]


@kernel(views_only=True, forceinline=True)
def _transmission(depth: Single) -> Single:
    """Return exp(-depth), of small depths by a series that is exact to 3e-7."""
    if depth < np.float32(0.05):
        return np.float32(1.0) - depth * (np.float32(1.0) - depth * (np.float32(0.5) - depth * np.float32(1.0 / 6.0)))
    return np.float32(math.exp(-depth))


@kernel(views_only=True, forceinline=True)
def _shift(start: float, row: int, column: int, axis: int) -> float:
    """Return a number from -1/2 to 1/2 of the lattice of Roberts (2018) over rows and columns."""
    place = start + row * _LATTICE[axis] + column * _LATTICE[axis + 1]
    return place - math.floor(place) - 0.5


@kernel(views_only=True, forceinline=True)
def _of_lamp(
    lamps: Singles, lamp: int, grains: Singles, x: float, y: float, z: float, dx: float, dy: float, dz: float
) -> Any:
    """Return w p(g) / (4 pi) times the irradiance of a lamp per intensity at a point [1/m^2/sr]."""
    wx, wy, wz = lamps[lamp, LAMP_PLACE] - x, lamps[lamp, LAMP_PLACE + 1] - y, lamps[lamp, LAMP_PLACE + 2] - z
    distance2 = max(wx * wx + wy * wy + wz * wz, 1e-4)
    scale = 1.0 / math.sqrt(distance2)
    wx, wy, wz = wx * scale, wy * scale, wz * scale
    cosine = -(wx * lamps[lamp, LAMP_AXIS] + wy * lamps[lamp, LAMP_AXIS + 1] + wz * lamps[lamp, LAMP_AXIS + 2])
    step = (cosine - lamps[lamp, LAMP_OUTER]) / max(lamps[lamp, LAMP_INNER] - lamps[lamp, LAMP_OUTER], 1e-6)
    step = min(max(step, 0.0), 1.0)
    fade = step * step * (3.0 - 2.0 * step)
    return fade * fade / distance2 * scattering(grains, np.float32(-(dx * wx + dy * wy + dz * wz)))


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
    low = dust.grid.corner
    high = low + np.array(dust.grid.lookup.shape) * (BLOCK * CELL_M)
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
    run_in_ranges(_echo, beams, _BEAMS, *dust.grid, most_cells(dust.grid), *rays, *numbers, *found[:4])
    return found


@kernel
def _echo(
    first: int,
    last: int,
    corner: Floats,
    lookup: Ints,
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
    starts, depths, cells = np.empty(most, np.float32), np.empty(most, np.float32), np.empty(most, np.int64)
    row, flat = np.zeros(bins, np.float32), extinction.reshape(-1)
    for n in range(first * rays, last * rays):
        g = groups[n]
        a, b, c = directions[n, 0], directions[n, 1], directions[n, 2]
        dx = float(rotations[g, 0, 0] * a + rotations[g, 0, 1] * b + rotations[g, 0, 2] * c)
        dy = float(rotations[g, 1, 0] * a + rotations[g, 1, 1] * b + rotations[g, 1, 2] * c)
        dz = float(rotations[g, 2, 0] * a + rotations[g, 2, 1] * b + rotations[g, 2, 2] * c)
        x, y, z = float(positions[g, 0]), float(positions[g, 1]), float(positions[g, 2])
        far = min(float(distance[n]), _FAR_M)
        left = 1.0
        count = cross(corner, lookup, extinction, x, y, z, dx, dy, dz, 0.0, far, starts, depths, cells)
        for k in range(count):
            after = left * math.exp(-2.0 * depths[k])
            middle = starts[k] + 0.5 * depths[k] / flat[cells[k]]
            slot = int(math.floor((middle - near) / width))
            if 0 <= slot < bins:
                fall = (reference / max(middle, 0.1)) ** 2 if reference > 0.0 else 1.0
                row[slot] += back * 0.5 * (left - after) * fall
            left = after
        through[n] = left
        if count == 0:
            continue
        begin = max(int(math.floor((starts[0] - near) / width)), 0)
        for slot in range(begin, min(int(math.floor((starts[count - 1] - near) / width)) + 2, bins)):
            if row[slot] > intensity[n]:
                intensity[n], reach[n] = row[slot], near + (slot + 0.5) * width
            if of_beams.shape[0] > 0:
                of_beams[n // rays, slot] += row[slot]
            row[slot] = 0.0
