# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A back end for rays in closed form: the ground is a level plane, every part of an object a ball, all Lambertian.

What one may leave out (several rays at edges, light on hulls) it leaves to the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.image import DARK, RenderedImage, SampleStreams, empty_frame
from regolith_sensors.scene.scene_arrays import SceneParts
from regolith_sensors.scene.table_columns import FACT_OBJECT, FACT_SEMANTIC

ALBEDO = 0.2
_AWAY = 1e-3


def ball_of(vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Return centre and radius [m] of what stands for a mesh: half the least side of the box around it."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return 0.5 * (low + high), 0.5 * float((high - low).min())


class PlaneAndSpheres(RayBackend):
    """Rays through balls over a plane."""

    def build(self, parts: SceneParts) -> None:
        """Take in a scene."""
        arrays, first = parts.arrays, len(parts.tiles)
        self._facts = arrays.facts
        # Tiles count their heights from where their ground was when nobody had driven on it.
        self._height = float(arrays.frames[0, 2])
        self._tiles = range(first)
        self._balls = [ball_of(parts.meshes[mesh].vertices) for mesh in parts.placed]
        self._radii = np.zeros(len(self._balls))
        self._centres = np.zeros((len(self._balls), 3))
        self.update(parts, range(first, first + len(self._balls)))

    def update(self, parts: SceneParts, instances: Sequence[int]) -> None:
        """Move balls; tiles stay what they were."""
        first = len(parts.tiles)
        for number in instances:
            if number >= first:
                matrix = parts.arrays.transforms[number].astype(np.float64)
                centre, radius = self._balls[number - first]
                self._centres[number - first] = matrix[:, :3] @ centre + matrix[:, 3]
                self._radii[number - first] = radius * np.cbrt(abs(np.linalg.det(matrix[:, :3])))

    def _hits(self, origin: np.ndarray, toward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (distance, instance) of each ray's first hit, +inf and -1 without one; shapes (n, 3)."""
        with np.errstate(divide='ignore', invalid='ignore'):
            nearest = (self._height - origin[:, 2]) / toward[:, 2]
        nearest = np.where(nearest > 0.0, nearest, np.inf)
        instance = np.where(np.isfinite(nearest), 0, -1)
        for number, (centre, radius) in enumerate(zip(self._centres, self._radii)):
            off = origin - centre
            b, c = (off * toward).sum(axis=1), (off * off).sum(axis=1) - radius * radius
            root = np.sqrt(np.maximum(b * b - c, 0.0))
            t = np.where((b * b > c) & (-b - root > 0.0), -b - root, np.inf)
            instance = np.where(t < nearest, len(self._tiles) + number, instance)
            nearest = np.minimum(t, nearest)
        return nearest, instance

    def _normals(self, at: np.ndarray, instance: np.ndarray) -> np.ndarray:
        out = np.tile(np.array([0.0, 0.0, 1.0]), (len(at), 1))
        ball = instance - len(self._tiles)
        on = ball >= 0
        out[on] = (at[on] - self._centres[ball[on]]) / self._radii[ball[on], None]
        return out

    def render(
        self,
        camera: CameraRays,
        light: Lights,
        random: SampleStreams,
        out: RenderedImage | None = None,
        held: Any = DARK,
    ) -> RenderedImage:
        """Return what a camera sees: Lambert's law in a sun without extent."""
        shape = camera.rays.shape[:2]
        frame = out if out is not None else empty_frame(*shape)
        optical = camera.rays.reshape(-1, 3).astype(np.float64)
        turn = camera.rotation.astype(np.float64)
        toward, origin = optical @ turn.T, np.tile(camera.position.astype(np.float64), (optical.shape[0], 1))
        distance, instance = self._hits(origin, toward)
        there = instance >= 0
        at = origin + np.where(there, distance, 0.0)[:, None] * toward
        normal = np.where(there[:, None], self._normals(at, instance), 0.0)
        sun = light.direction.astype(np.float64)
        cosine = np.where(there, np.maximum(normal @ sun, 0.0), 0.0)
        shadow, _ = self._hits(at + _AWAY * normal, np.tile(sun, (len(at), 1)))
        seen = (cosine > 0.0) & np.isinf(shadow)
        reflected = ALBEDO / np.pi * np.where(seen, cosine, 0.0)
        frame.radiance[...] = (reflected[:, None] * light.irradiance).reshape(*shape, 3)
        frame.range[...] = distance.reshape(shape)
        frame.depth[...] = np.where(there, distance * optical[:, 2], np.inf).reshape(shape)
        facts = self._facts[np.maximum(instance, 0)]
        frame.object_id[...] = np.where(there, facts[:, FACT_OBJECT], 0).reshape(shape)
        frame.semantic[...] = np.where(there, facts[:, FACT_SEMANTIC], 0).reshape(shape)
        frame.normal[...] = (normal @ turn).reshape(*shape, 3)
        frame.instance[...] = np.where(there, 2 * instance + seen, -1).reshape(shape)
        return frame

    def cast(
        self, directions: Any, groups: Any, positions: Any, rotations: Any, reach: float, spread: float
    ) -> tuple[Any, Any, Any]:
        """Return (range, backscatter, object) of rays."""
        toward = np.einsum('nij,nj->ni', rotations[groups].astype(np.float64), directions.astype(np.float64))
        origin = positions[groups].astype(np.float64)
        distance, instance = self._hits(origin, toward)
        there = (instance >= 0) & (distance <= reach)
        at = origin + np.where(there, distance, 0.0)[:, None] * toward
        cosine = np.abs((self._normals(at, np.maximum(instance, 0)) * toward).sum(axis=1))
        found = self._facts[np.maximum(instance, 0), FACT_OBJECT]
        return (
            np.where(there, distance, np.inf).astype(np.float32),
            np.where(there, ALBEDO / np.pi * cosine, 0.0).astype(np.float32),
            np.where(there, found, 0).astype(np.uint16),
        )
