# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of radiance and ground truth, traced in packets of 4 x 4 pixels that are shaded as they return.

Simplifications: shadows are those of the sun's disc (true penumbrae), but reflection is that of its center. Light from
the ground is followed for one to four bounces, if enabled. All objects are opaque.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.arrays import Bools, Ints, Longs, Singles, Words
from regolith_sensors.numerics.parallel import run_in_ranges
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.embree.bindings import (
    DIR_X,
    DIR_Y,
    DIR_Z,
    ORG_X,
    ORG_Y,
    ORG_Z,
    T_FAR,
    Traced,
    intersect16,
    occluded16,
    workspace,
)
from regolith_sensors.rays.embree.indirect_light import IndirectMemory, gather_indirect, indirect_memory
from regolith_sensors.rays.embree.irradiance_cache import add_surface_light
from regolith_sensors.rays.embree.lighting import (
    AMOUNT,
    BEGIN,
    DUST,
    GEOMETRY_ROWS,
    MEAN,
    NORMAL,
    PLACE,
    TOWARD,
    WIDTH,
    direct,
    open_lane,
)
from regolith_sensors.rays.embree.surface import hit_something, surface_at
from regolith_sensors.rays.image import DARK, RenderedImage, SampleStreams, empty_frame, sample_streams
from regolith_sensors.surfaces.scene_arrays import SceneArrays
from regolith_sensors.surfaces.shading import haversine
from regolith_sensors.surfaces.table_columns import FACT_OBJECT, FACT_SEMANTIC
from regolith_world.numerics import kernel
from regolith_world.random import mix_bits

_BLOCK = 4
_BAND = 1024
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_INF = np.float32(np.inf)
_ALL, _NO_RAYS = np.zeros(0, np.int32), np.zeros((0, 1, 1, 3), np.float32)
_PI = np.float32(math.pi)


def render(
    traced: Traced,
    camera: CameraRays,
    light: Lights,
    random: SampleStreams,
    out: RenderedImage | None = None,
    held: Singles = DARK,
) -> RenderedImage:
    """Return the image of a camera, one ray per pixel.

    Args:
        traced: Scene of the image.
        camera: View of the camera.
        light: Sun and lamps.
        random: Random stream and numbers of samples.
        out: Frame of the view's size for the result; allocating an image takes as long as tracing it.
        held: Light on hulls from :func:`regolith_sensors.rays.embree.irradiance_cache.surface_light`; bounced rays
            replace it.
    """
    height, width = camera.rays.shape[:2]
    frame = out if out is not None else empty_frame(height, width)
    blocks = -(-height // _BLOCK) * -(-width // _BLOCK)
    run_in_ranges(_render_band, blocks, _BAND, *traced, camera, light, random, held, _NO_RAYS, _ALL, _images(frame))
    return frame


def render_more(
    traced: Traced,
    camera: CameraRays,
    light: Lights,
    random: SampleStreams,
    pixels: NDArray[np.int32],
    rays: Singles,
    frame: RenderedImage,
    held: Singles = DARK,
) -> None:
    """Add the radiance of further rays in some pixels to that of a frame.

    Args:
        traced: Scene of the image.
        camera: View of the first ray.
        light: Sun and lamps.
        random: Samples of the first ray.
        pixels: Row times width plus column of each pixel, in the order of
            :func:`regolith_sensors.camera.adaptive_sampling.edge_pixels`.
        rays: Directions as in the view, one table per further ray, shape (1 to 16, height, width, 3).
        frame: Frame of the first rays, whose radiance changes.
        held: Light on hulls, as for :func:`render`.
    """
    blocks = -(-len(pixels) // (16 // len(rays)))
    run_in_ranges(_render_band, blocks, _BAND // 8, *traced, camera, light, random, held, rays, pixels, _images(frame))


def _images(frame: RenderedImage) -> tuple[NDArray[Any], ...]:
    f = frame
    return (
        f.radiance,
        f.depth,
        f.range,
        f.object_id,
        f.semantic,
        f.normal,
        f.instance,
        f.sunlit,
        f.sun_part,
        f.blocker,
    )


def trace_only(traced: Traced, camera: CameraRays, light: Lights) -> int:
    """Return the number of sunlit pixels, from the rays of :func:`render` without shading.

    There is one ray per pixel, and one to the sun's center from each hit: the bare ray casting that benchmarks use for
    comparison.
    """
    height, width = camera.rays.shape[:2]
    blocks = -(-height // _BLOCK) * -(-width // _BLOCK)
    lit = np.zeros(blocks, dtype=np.int64)
    run_in_ranges(_trace_band, blocks, _BAND, *traced, camera, light, lit)
    return int(lit.sum())


def _render_band(first: int, last: int, *arguments: Any) -> None:
    with workspace() as w:
        _render(first, last, w.packet, w.words, w.valid, w.arguments, *arguments)


def _trace_band(first: int, last: int, *arguments: Any) -> None:
    with workspace() as w:
        _trace(first, last, w.packet, w.words, w.valid, w.arguments, *arguments)


@kernel(views_only=True, forceinline=True)
def _aim(
    rays: Singles,
    r: Singles,
    origin: Singles,
    block: int,
    more: Singles,
    chosen: Ints,
    rows: Longs,
    columns: Longs,
    extra: Longs,
    packet: Singles,
    words: Words,
    valid: Ints,
) -> None:
    """Fill a packet with the rays of a block; write their rows, columns and numbers in the pixel.

    A block is 4 x 4 pixels, or as many of the selected pixels as fit with all their further rays.
    """
    count = max(more.shape[0], 1)
    many = 16 // count
    height, width = rays.shape[0], rays.shape[1]
    across = (width + _BLOCK - 1) // _BLOCK
    top, left = block // across * _BLOCK, block % across * _BLOCK
    for lane in range(16):
        extra[lane] = 0
        if more.shape[0] == 0:
            row, column = top + lane // _BLOCK, left + lane % _BLOCK
            valid[lane] = -1 if row < height and column < width else 0
            row, column = min(row, height - 1), min(column, width - 1)
        else:
            at = many * block + lane // count
            valid[lane] = -1 if lane < many * count and at < chosen.shape[0] else 0
            pixel = chosen[min(at, chosen.shape[0] - 1)]
            row, column, extra[lane] = pixel // width, pixel % width, 1 + lane % count
        rows[lane], columns[lane] = row, column
        if extra[lane] == 0:
            x, y, z = rays[row, column, 0], rays[row, column, 1], rays[row, column, 2]
        else:
            k = extra[lane] - 1
            x, y, z = more[k, row, column, 0], more[k, row, column, 1], more[k, row, column, 2]
        packet[DIR_X, lane] = r[0, 0] * x + r[0, 1] * y + r[0, 2] * z
        packet[DIR_Y, lane] = r[1, 0] * x + r[1, 1] * y + r[1, 2] * z
        packet[DIR_Z, lane] = r[2, 0] * x + r[2, 1] * y + r[2, 2] * z
        packet[ORG_X, lane], packet[ORG_Y, lane], packet[ORG_Z, lane] = origin[0], origin[1], origin[2]
        open_lane(packet, words, lane)


class _Lanes(NamedTuple):
    """Values of a packet's lanes, shape (16,) unless stated otherwise."""

    rows: Longs
    """Rows of their pixels."""
    columns: Longs
    """Columns of their pixels."""
    extra: Longs
    """Numbers of their rays among those of their pixels."""
    pixels: Longs
    """Numbers of their pixels."""
    places: Longs
    """Rows of their pixels times 2^16 plus their columns."""
    hit: Bools
    """Whether their rays hit a surface."""
    material: Longs
    """Materials of the surfaces."""
    instance: Longs
    """Instances of the surfaces."""
    geometry: Singles
    """Hit points, see :mod:`regolith_sensors.rays.embree.lighting`, shape (GEOMETRY_ROWS, 16)."""
    bright: Singles
    """Relative brightness of the surfaces."""
    seen: Singles
    """Visible part of the sun."""
    whole: Singles
    """Reflected light of a fully visible sun [W/m^2/sr], shape (3, 16); (3, 0): not wanted."""
    blocked: Singles
    """Distance of the nearest object between surface and sun [m]; shape (0,): not wanted."""
    out: Singles
    """Radiance [W/m^2/sr], shape (3, 16)."""


@kernel
def _render(
    first: int,
    last: int,
    packet: Singles,
    words: Words,
    valid: Ints,
    arguments: Ints,
    handle: int,
    scene: SceneArrays,
    camera: CameraRays,
    light: Lights,
    random: SampleStreams,
    held: Singles,
    more: Singles,
    chosen: Ints,
    images: tuple[NDArray[Any], ...],
) -> None:
    """Render blocks of pixels; with ``more`` rays, add their radiance in the selected pixels to the images."""
    # References are counted here and not for each hit.
    one = random.sun_samples == 1
    lanes = _Lanes(
        np.empty(16, np.int64),
        np.empty(16, np.int64),
        np.empty(16, np.int64),
        np.empty(16, np.int64),
        np.empty(16, np.int64),
        np.zeros(16, np.bool_),
        np.zeros(16, np.int64),
        np.zeros(16, np.int64),
        np.zeros((GEOMETRY_ROWS, 16), np.float32),
        np.empty(16, np.float32),
        np.zeros(16, np.float32),
        np.zeros((3, 16 if one else 0), np.float32),
        np.zeros(16 if more.shape[0] > 0 else 0, np.float32),
        np.empty((3, 16), np.float32),
    )
    # Radiance above that of white paper in the sun is a caustic, which so few rays would render as bright spots only.
    most = np.full(3, np.inf, np.float32)
    if light.irradiance[1] > _ZERO:
        most = light.irradiance / _PI
    memory = indirect_memory(most)
    _render_blocks(
        first,
        last,
        packet,
        words,
        valid,
        arguments,
        handle,
        scene,
        camera,
        light,
        random,
        held,
        more,
        chosen,
        images,
        lanes,
        memory,
    )


@kernel(views_only=True)
def _render_blocks(
    first: int,
    last: int,
    packet: Singles,
    words: Words,
    valid: Ints,
    arguments: Ints,
    handle: int,
    scene: SceneArrays,
    camera: CameraRays,
    light: Lights,
    random: SampleStreams,
    held: Singles,
    more: Singles,
    chosen: Ints,
    images: tuple[NDArray[Any], ...],
    lanes: _Lanes,
    memory: IndirectMemory,
) -> None:
    """Render blocks with the given memory."""
    radiance, depth, distance, object_id, semantic, normals, instances, sunlit, sun_part, blocker = images
    # Separate arguments: a tuple of arrays would be copied at every call.
    facts, frames, nodes = scene.facts, scene.frames, scene.nodes
    mesh_material, mesh_corners, materials = scene.mesh_material, scene.mesh_corners, scene.materials
    texels, layers, lattice, discs = scene.texels, scene.layers, scene.lattice, scene.discs
    horizons, relief = scene.horizons, scene.relief
    rays, r, origin, pixel_angle = camera.rays, camera.rotation, camera.position, np.float32(camera.pixel_angle)
    sun, across, irradiance, lamps = light.direction, light.across, light.irradiance, light.lamps
    disc, darkening = np.float32(light.disc), np.float32(light.darkening)
    stream = mix_bits(mix_bits(np.uint64(random.key)) + np.uint64(random.frame))
    samples, bounces, most_bounces = random.sun_samples, random.bounce_samples, random.bounces
    primary, primary_words, primary_valid, coherent = packet[0], words[0], valid[0], arguments[0]
    shadow, shadow_words, shadow_valid = packet[1], words[1], valid[1]
    width = rays.shape[1]
    adding = more.shape[0] > 0
    rows, columns, extra, pixels, places = lanes.rows, lanes.columns, lanes.extra, lanes.pixels, lanes.places
    hit, material, met, g, bright = lanes.hit, lanes.material, lanes.instance, lanes.geometry, lanes.bright
    seen, whole, blocked, out = lanes.seen, lanes.whole, lanes.blocked, lanes.out
    solid_angle = _PI * disc * disc
    near_sun = disc / math.sqrt(_ONE + disc * disc)
    for block in range(first, last):
        _aim(rays, r, origin, block, more, chosen, rows, columns, extra, primary, primary_words, primary_valid)
        intersect16(primary_valid.ctypes.data, handle, primary.ctypes.data, coherent.ctypes.data)
        for lane in range(16):
            row, column = rows[lane], columns[lane]
            inside = primary_valid[lane] != 0
            pixels[lane] = row * width + column
            places[lane] = (row << 16) + column
            hit[lane] = inside and hit_something(primary_words, lane)
            if not inside:
                continue
            x, y, z = primary[DIR_X, lane], primary[DIR_Y, lane], primary[DIR_Z, lane]
            if not hit[lane]:
                # The sun itself, if it is in the image.
                apart = haversine(x, y, z, sun[0], sun[1], sun[2])
                shines = irradiance[1] > _ZERO and apart < 0.25 * near_sun * near_sun
                if adding:
                    for c in range(3):
                        radiance[row, column, c] += irradiance[c] / solid_angle if shines else _ZERO
                    continue
                depth[row, column] = distance[row, column] = _INF
                object_id[row, column], semantic[row, column] = 0, 0
                instances[row, column] = -1
                sun_part[row, column] = blocker[row, column] = _ZERO
                for c in range(3):
                    normals[row, column, c] = sunlit[row, column, c] = _ZERO
                    radiance[row, column, c] = irradiance[c] / solid_angle if shines else _ZERO
                continue
            (
                instance,
                material[lane],
                bright[lane],
                px,
                py,
                pz,
                nx,
                ny,
                nz,
                sx,
                sy,
                sz,
                mx,
                my,
                mz,
                g[AMOUNT, lane],
                g[WIDTH, lane],
                g[DUST, lane],
            ) = surface_at(
                facts,
                frames,
                nodes,
                mesh_material,
                mesh_corners,
                materials,
                texels,
                layers,
                discs,
                primary,
                primary_words,
                lane,
                pixel_angle,
                True,
            )
            met[lane] = instance
            g[PLACE, lane], g[PLACE + 1, lane], g[PLACE + 2, lane] = px, py, pz
            g[NORMAL, lane], g[NORMAL + 1, lane], g[NORMAL + 2, lane] = nx, ny, nz
            g[TOWARD, lane], g[TOWARD + 1, lane], g[TOWARD + 2, lane] = -x, -y, -z
            g[BEGIN, lane], g[BEGIN + 1, lane], g[BEGIN + 2, lane] = sx, sy, sz
            g[MEAN, lane], g[MEAN + 1, lane], g[MEAN + 2, lane] = mx, my, mz
            if adding:
                continue
            distance[row, column] = primary[T_FAR, lane]
            depth[row, column] = primary[T_FAR, lane] * rays[row, column, 2]
            object_id[row, column], semantic[row, column] = facts[instance, FACT_OBJECT], facts[instance, FACT_SEMANTIC]
            instances[row, column] = 2 * instance
            for c in range(3):
                normals[row, column, c] = r[0, c] * nx + r[1, c] * ny + r[2, c] * nz
        direct(
            handle,
            materials,
            layers,
            horizons,
            relief,
            sun,
            across,
            irradiance,
            lamps,
            light.far,
            disc,
            darkening,
            stream,
            samples,
            extra,
            pixels,
            places,
            hit,
            material,
            g,
            shadow,
            shadow_words,
            shadow_valid,
            coherent,
            seen,
            whole,
            blocked,
            out,
        )
        if bounces > 0:
            gather_indirect(
                handle,
                facts,
                frames,
                nodes,
                mesh_material,
                mesh_corners,
                materials,
                texels,
                layers,
                horizons,
                relief,
                discs,
                sun,
                across,
                irradiance,
                lamps,
                light.far,
                disc,
                darkening,
                stream,
                samples,
                bounces,
                most_bounces,
                pixels,
                places,
                hit,
                material,
                g,
                packet,
                words,
                valid,
                arguments,
                memory,
                out,
            )
        elif held.shape[0] > 0:
            for lane in range(16):
                if hit[lane]:
                    add_surface_light(
                        facts,
                        lattice,
                        materials,
                        held,
                        met[lane],
                        material[lane],
                        g[DUST, lane],
                        primary,
                        primary_words,
                        lane,
                        out,
                    )
        for lane in range(16):
            if hit[lane]:
                row, column = rows[lane], columns[lane]
                if adding:
                    near = blocker[row, column]
                    if blocked[lane] > _ZERO and (near == _ZERO or blocked[lane] < near):
                        blocker[row, column] = blocked[lane]
                    for c in range(3):
                        radiance[row, column, c] += out[c, lane] * bright[lane]
                    if samples == 1:
                        sun_part[row, column] += seen[lane] * whole[1, lane] * bright[lane]
                        for c in range(3):
                            sunlit[row, column, c] += whole[c, lane] * bright[lane]
                    continue
                if seen[lane] > _ZERO:
                    instances[row, column] += 1
                blocker[row, column] = _ZERO
                sun_part[row, column] = seen[lane] * whole[1, lane] * bright[lane] if samples == 1 else _ZERO
                for c in range(3):
                    radiance[row, column, c] = out[c, lane] * bright[lane]
                    sunlit[row, column, c] = whole[c, lane] * bright[lane] if samples == 1 else _ZERO


@kernel
def _trace(
    first: int,
    last: int,
    packet: Singles,
    words: Words,
    valid: Ints,
    arguments: Ints,
    handle: int,
    scene: SceneArrays,
    camera: CameraRays,
    light: Lights,
    lit: Longs,
) -> None:
    rays, r, origin, sun = camera.rays, camera.rotation, camera.position, light.direction
    primary, shadow, primary_words, shadow_words = packet[0], packet[1], words[0], words[1]
    primary_valid, shadow_valid, coherent = valid[0], valid[1], arguments[0]
    every, more = np.zeros(0, np.int32), np.zeros((0, 1, 1, 3), np.float32)
    rows, columns, extra = np.empty(16, np.int64), np.empty(16, np.int64), np.empty(16, np.int64)
    for block in range(first, last):
        _aim(rays, r, origin, block, more, every, rows, columns, extra, primary, primary_words, primary_valid)
        intersect16(primary_valid.ctypes.data, handle, primary.ctypes.data, coherent.ctypes.data)
        for lane in range(16):
            hit = primary_valid[lane] != 0 and hit_something(primary_words, lane)
            shadow_valid[lane] = -1 if hit else 0
            t = primary[T_FAR, lane] * np.float32(0.9999)
            for k in range(3):
                shadow[ORG_X + k, lane] = primary[ORG_X + k, lane] + t * primary[DIR_X + k, lane] if hit else _ZERO
                shadow[DIR_X + k, lane] = sun[k]
            open_lane(shadow, shadow_words, lane)
        occluded16(shadow_valid.ctypes.data, handle, shadow.ctypes.data, coherent.ctypes.data)
        for lane in range(16):
            if shadow_valid[lane] != 0 and shadow[T_FAR, lane] > _ZERO:
                lit[block] += 1


__all__ = [
    'DARK',
    'SampleStreams',
    'RenderedImage',
    'empty_frame',
    'render',
    'render_more',
    'sample_streams',
    'trace_only',
]
