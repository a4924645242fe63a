# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust in images: light that it scatters toward the camera, what it hides, and its shadow on surfaces.

Rays through the dust are traced for every second pixel of every second row. Between them, light and transmission are
bilinear, unless they end at different surfaces within the dust. So are the optical depths toward the sun from the
surfaces behind: dust is smooth over two pixels, but surfaces are not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from regolith_sensors.arrays import Bools, Floats, Ints, Single, Singles
from regolith_sensors.dust.optics import FAR_M, DustOptics, light_in_dust, light_of, scattering
from regolith_sensors.dust.ray_steps import DEPTH, LENGTH, START, STEP_COLUMNS, cross_all, depth_along, most_steps
from regolith_sensors.light import LAMP_AXIS, LAMP_INNER, LAMP_INTENSITY, LAMP_OUTER, LAMP_PLACE
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.image import RenderedImage
from regolith_world.numerics import kernel

_ROWS = 8
_OPAQUE = np.float32(1e-3)
_SMOOTH = 0.1
"""Relative error up to which inverse ranges, which are linear over a plane, are those of one surface."""
_THROUGH, _END, _FAR, _SHADOW, _NODE_COLUMNS = 3, 4, 5, 6, 7
"""Columns of traced pixels after the scattered light: transmission, end of the dust and of the ray [m], optical depth
toward the sun from the surface (-1: not sunlit)."""


def add_dust(dust: DustOptics, scene: RayBackend, view: CameraRays, light: Lights, frame: RenderedImage) -> None:
    """Add dust to the radiance of an image: scattered light, extinction, and its shadow on surfaces.

    Args:
        dust: Dust of the frame.
        scene: Committed scene.
        view: View of the camera.
        light: Sun and lamps.
        frame: Image without dust, whose radiance changes.

    Source: hapke2012; amanatides1987.
    Checked by: test_dust_optics.py::test_slab_has_its_transmission,
    test_dust_optics.py::test_thin_slab_has_the_radiance_of_single_scattering,
    test_dust_optics.py::test_pixels_between_traced_ones_are_those_of_rays.
    """
    if dust.grid.is_empty:
        return
    height, width = frame.range.shape
    traced = np.zeros((height // 2 + 1, width // 2 + 1, _NODE_COLUMNS), np.float32)
    arguments = *dust.grid, most_steps(dust.grid), dust.grains, dust.tint, light_in_dust(dust, scene, light)
    rays = light.direction, light.irradiance, light.lamps, *view[:3], frame.range, frame.sun_part, traced
    run_in_ranges(_trace_rows, len(traced), _ROWS, *arguments, *rays)
    run_in_ranges(_fill_rows, height, _ROWS, *arguments, *rays, frame.radiance)


@kernel(views_only=True, forceinline=True)
def _seen(
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    grains: Singles,
    tint: Singles,
    lit: Singles,
    sun: Singles,
    irradiance: Singles,
    lamps: Singles,
    origin: Singles,
    direction: Floats,
    far: float,
    steps: Singles,
    out: Singles,
) -> None:
    """Write the scattered light, the transmission, and the end of the dust along a ray."""
    x, y, z = float(origin[0]), float(origin[1]), float(origin[2])
    dx, dy, dz = direction[0], direction[1], direction[2]
    for band in range(3):
        out[band] = 0.0
    through, end = np.float32(1.0), np.float32(0.0)
    count = cross_all(levels, lookup, filled, extinction, x, y, z, dx, dy, dz, far, steps)
    if count > 0:
        sunward = scattering(grains, np.float32(-(dx * sun[0] + dy * sun[1] + dz * sun[2])))
        of_sun = np.float32(0.0)
        for k in range(count):
            passed = _transmission(steps[k, DEPTH])
            scattered = through * (np.float32(1.0) - passed)
            of_sun += scattered * light_of(levels, lit, 0, steps, k)
            for lamp in range(lamps.shape[0]):
                reaching = light_of(levels, lit, 1 + lamp, steps, k)
                if reaching > 0.0:
                    t = float(steps[k, START] + 0.5 * steps[k, LENGTH])
                    px, py, pz = x + t * dx, y + t * dy, z + t * dz
                    per_band = scattered * reaching * _of_lamp(lamps, lamp, grains, px, py, pz, dx, dy, dz)
                    for band in range(3):
                        out[band] += per_band * lamps[lamp, LAMP_INTENSITY + band] * tint[band]
            end = max(end, steps[k, START] + steps[k, LENGTH])
            through *= passed
            if through < _OPAQUE:
                break
        for band in range(3):
            out[band] += of_sun * sunward * irradiance[band] * tint[band]
    out[_THROUGH], out[_END], out[_FAR] = through, end, far


@kernel(views_only=True, forceinline=True)
def _direct(rays: Singles, r: Singles, row: int, column: int, direction: Floats) -> None:
    """Write the direction of a pixel's ray in the frame of the scene."""
    a, b, c = rays[row, column, 0], rays[row, column, 1], rays[row, column, 2]
    for axis in range(3):
        direction[axis] = r[axis, 0] * a + r[axis, 1] * b + r[axis, 2] * c


@kernel(views_only=True, forceinline=True)
def _shaded(
    levels: Floats,
    lookup: Ints,
    filled: Bools,
    extinction: Singles,
    sun: Singles,
    origin: Singles,
    direction: Floats,
    far: float,
) -> Single:
    """Return the optical depth toward the sun from the end of a ray."""
    x, y, z = origin[0] + far * direction[0], origin[1] + far * direction[1], origin[2] + far * direction[2]
    sx, sy, sz = float(sun[0]), float(sun[1]), float(sun[2])
    return depth_along(levels, lookup, filled, extinction, x, y, z, sx, sy, sz, FAR_M)


@kernel
def _trace_rows(
    first: int,
    last: int,
    levels: Floats,
    lookup: Ints,
    filled: Bools,
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
    distance: Singles,
    sun_part: Singles,
    traced: Singles,
) -> None:
    steps, direction = np.empty((most, STEP_COLUMNS), np.float32), np.empty(3)
    grid = levels, lookup, filled, extinction
    for i in range(first, last):
        row = min(2 * i, rays.shape[0] - 1)
        for j in range(traced.shape[1]):
            column = min(2 * j, rays.shape[1] - 1)
            _direct(rays, r, row, column, direction)
            far = min(float(distance[row, column]), FAR_M)
            out = traced[i, j]
            _seen(*grid, grains, tint, lit, sun, irradiance, lamps, origin, direction, far, steps, out)
            out[_SHADOW] = -1.0
            if sun_part[row, column] > 0.0:
                out[_SHADOW] = _shaded(*grid, sun, origin, direction, far)


@kernel
def _fill_rows(
    first: int,
    last: int,
    levels: Floats,
    lookup: Ints,
    filled: Bools,
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
    distance: Singles,
    sun_part: Singles,
    traced: Singles,
    radiance: Singles,
) -> None:
    steps, direction = np.empty((most, STEP_COLUMNS), np.float32), np.empty(3)
    grid = levels, lookup, filled, extinction
    values, one = np.empty(_NODE_COLUMNS, np.float32), np.float32(1.0)
    height, width = rays.shape[0], rays.shape[1]
    for row in range(first, last):
        i = row >> 1
        below = min(i + 1, traced.shape[0] - 1)
        v = np.float32(0.5) if row & 1 and row < height - 1 else np.float32(row & 1)
        for column in range(width):
            j = column >> 1
            right = min(j + 1, traced.shape[1] - 1)
            u = np.float32(0.5) if column & 1 and column < width - 1 else np.float32(column & 1)
            a, b, c, d = traced[i, j], traced[i, right], traced[below, j], traced[below, right]
            end = max(max(a[_END], b[_END]), max(c[_END], d[_END]))
            shadow = max(max(a[_SHADOW], b[_SHADOW]), max(c[_SHADOW], d[_SHADOW]))
            if end == 0.0 and (shadow == 0.0 or sun_part[row, column] <= 0.0):
                continue
            far = np.float32(min(float(distance[row, column]), FAR_M))
            weights = (one - u) * (one - v), u * (one - v), (one - u) * v, u * v
            plane = weights[0] / a[_FAR] + weights[1] / b[_FAR] + weights[2] / c[_FAR] + weights[3] / d[_FAR]
            smooth = abs(plane * far - one) < _SMOOTH
            nearest = min(min(min(a[_FAR], b[_FAR]), min(c[_FAR], d[_FAR])), far)
            for k in range(_SHADOW):
                values[k] = weights[0] * a[k] + weights[1] * b[k] + weights[2] * c[k] + weights[3] * d[k]
            _direct(rays, r, row, column, direction)
            green = radiance[row, column, 1]
            if sun_part[row, column] > 0.0 and green > 0.0 and shadow != 0.0:
                depth, known = np.float32(0.0), np.float32(0.0)
                for n in range(4):
                    node = traced[below if n >> 1 else i, right if n & 1 else j, _SHADOW]
                    if node >= 0.0:
                        depth, known = depth + weights[n] * node, known + weights[n]
                if known > 0.0 and smooth:
                    depth /= known
                else:
                    depth = _shaded(*grid, sun, origin, direction, far)
                kept = 1.0 - min(sun_part[row, column] / green, 1.0) * (1.0 - math.exp(-depth))
                for band in range(3):
                    radiance[row, column, band] *= kept
            if end > nearest and not smooth:
                _seen(*grid, grains, tint, lit, sun, irradiance, lamps, origin, direction, far, steps, values)
            for band in range(3):
                radiance[row, column, band] = values[band] + values[_THROUGH] * radiance[row, column, band]


@kernel(views_only=True, forceinline=True)
def _transmission(depth: Single) -> Single:
    """Return exp(-depth), of small depths by a series that is exact to 3e-7."""
    if depth < np.float32(0.05):
        return np.float32(1.0) - depth * (np.float32(1.0) - depth * (np.float32(0.5) - depth * np.float32(1.0 / 6.0)))
    return np.float32(math.exp(-depth))


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
