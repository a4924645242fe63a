# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Embree ray back end: one structure per tile and per mesh, and one of all their instances."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.embree.bindings import Geometry, InstanceScene, Traced, shared_device
from regolith_sensors.rays.embree.casting import cast
from regolith_sensors.rays.embree.irradiance_cache import surface_light
from regolith_sensors.rays.embree.render import render, render_more, trace_only
from regolith_sensors.rays.image import DARK, RenderedImage, SampleStreams
from regolith_sensors.surfaces.scene_arrays import SceneParts
from regolith_sensors.surfaces.table_columns import DISC_BEND, DISC_NORMAL
from regolith_sensors.surfaces.terrain_tiles import SIDE, TerrainTile

Singles = NDArray[np.float32]


class EmbreeRays(RayBackend):
    """Ray back end that traces a scene with Embree."""

    shows_discs = True

    def __init__(self) -> None:
        self._device = shared_device(os.getpid())
        self._instances = InstanceScene(self._device)
        self._meshes: list[Geometry] = []
        self._tiles: dict[TerrainTile, tuple[int, Geometry]] = {}
        """Built revision and geometry by visible tile."""
        self._traced: Traced | None = None

    @property
    def traced(self) -> Traced:
        """Return the scene for the kernels."""
        assert self._traced is not None, 'nothing was built yet'
        return self._traced

    def build(self, parts: SceneParts) -> None:
        """Build a scene; geometries of earlier tiles and meshes are kept."""
        for mesh in parts.meshes[len(self._meshes) :]:
            self._meshes.append(Geometry.triangles(self._device, mesh.vertices.astype(np.float32), mesh.triangles))
        tiles = [self._tile(tile) for tile in parts.tiles]
        meshes = [self._meshes[mesh] for mesh in parts.placed]
        self._instances.set([*tiles, *meshes, *self._discs(parts.arrays.discs)], parts.arrays.transforms)
        # From here on nothing refers to tiles that are no longer visible.
        shown = set(parts.tiles)
        self._tiles = {tile: built for tile, built in self._tiles.items() if tile in shown}
        self._traced = Traced(int(self._instances.handle), parts.arrays)

    def update(self, parts: SceneParts, instances: Sequence[int]) -> None:
        """Update changed instances."""
        for number in instances:
            if number < len(parts.tiles):
                self._tile(parts.tiles[number])
            elif number == len(parts.tiles) + len(parts.placed):
                (discs,) = self._discs(parts.arrays.discs)
                self._instances.replace(number, discs)
            self._instances.place(number, parts.arrays.transforms[number])
        self._instances.commit()
        self._traced = Traced(int(self._instances.handle), parts.arrays)

    def _discs(self, discs: Singles) -> list[Geometry]:
        """Return the geometry of the discs as a list, empty without discs."""
        places, normals = discs[:, :DISC_NORMAL], discs[:, DISC_NORMAL:DISC_BEND]
        return [Geometry.discs(self._device, places, normals)] if len(discs) else []

    def _tile(self, tile: TerrainTile) -> Geometry:
        """Return the geometry of a tile in its current shape."""
        revision, geometry = self._tiles.get(tile, (-1, None))
        if geometry is None:
            geometry = Geometry.grid(self._device, tile.vertices, SIDE)
        elif revision != tile.revision:
            geometry.rebuild()
        self._tiles[tile] = (tile.revision, geometry)
        return geometry

    def render(
        self,
        camera: CameraRays,
        light: Lights,
        random: SampleStreams,
        out: RenderedImage | None = None,
        held: Singles = DARK,
    ) -> RenderedImage:
        """Return the image of a camera."""
        return render(self.traced, camera, light, random, out, held)

    def render_more(
        self,
        camera: CameraRays,
        light: Lights,
        random: SampleStreams,
        pixels: NDArray[np.int32],
        rays: Singles,
        frame: RenderedImage,
        held: Singles = DARK,
    ) -> None:
        """Add the radiance of further rays in some pixels."""
        render_more(self.traced, camera, light, random, pixels, rays, frame, held)

    def vehicle_indirect_light(self, light: Lights, view: CameraRays) -> Singles:
        """Return the indirect light of sunlit ground on hulls in view."""
        return surface_light(self.traced, light, view)

    def cast(
        self,
        directions: Singles,
        groups: NDArray[np.int32],
        positions: Singles,
        rotations: Singles,
        reach: float,
        spread: float,
    ) -> tuple[Singles, Singles, NDArray[np.uint16]]:
        """Return (range, backscatter, object) of rays."""
        return cast(self.traced, directions, groups, positions, rotations, reach, spread)

    def trace_only(self, camera: CameraRays, light: Lights) -> int:
        """Trace the rays of an image without shading; return the number of pixels in the sun."""
        return trace_only(self.traced, camera, light)
