# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of ray back ends: they are built from a scene's parts and give images and lidar echoes.

All random numbers of a frame come from its :class:`regolith_sensors.rays.image.SampleStreams`, so that a frame is a
function of its number; equal scenes give equal images, whatever they were before. :mod:`regolith_sensors.rays.registry`
finds the installed ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.image import DARK, RenderedImage, SampleStreams
from regolith_sensors.scene.scene_arrays import SceneParts

Singles = NDArray[np.float32]


class RayBackend(ABC):
    """Rays through one scene."""

    shows_discs = False
    """Whether it shows :attr:`.SceneArrays.discs`, soil in motion; one that does not is refused where there is such."""

    @abstractmethod
    def build(self, parts: SceneParts) -> None:
        """Build a scene with new tiles or objects.

        Meshes of an earlier call come first, unchanged; a tile with an unchanged ``revision`` is the same, too.
        """

    @abstractmethod
    def update(self, parts: SceneParts, instances: Sequence[int]) -> None:
        """Update instances of the last scene: places of objects, shapes of tiles, discs, of which there are some before
        and after."""

    @abstractmethod
    def render(
        self,
        camera: CameraRays,
        light: Lights,
        random: SampleStreams,
        out: RenderedImage | None = None,
        held: Singles = DARK,
    ) -> RenderedImage:
        """Return what a camera sees, one ray per pixel.

        Args:
            light: sun and lamps
            random: random stream and numbers of samples
            out: frame of the view's size for the result; None: a new one
            held: result of :meth:`ground_light_on_vehicles`
        """

    @abstractmethod
    def cast(
        self,
        directions: Singles,
        groups: NDArray[np.int32],
        positions: Singles,
        rotations: Singles,
        reach: float,
        spread: float,
    ) -> tuple[Singles, Singles, NDArray[np.uint16]]:
        """Return (range [m], exact backscatter r [1/sr], object) of rays; range +inf for rays that meet nothing.

        The reflectance is the mean of the three bands at phase angle 0.

        Args:
            directions: unit vectors in the sensor's frame, shape (n, 3)
            groups: index of each ray's pose, shape (n,)
            positions: of the poses, from the scene's origin [m], shape (m, 3)
            rotations: of the poses, sensor to world, shape (m, 3, 3)
            reach: longest range [m]
            spread: width of a ray [rad], over which finer detail is averaged
        """

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
        """Add the radiance of further rays in some pixels to a frame's.

        This default renders whole images; back ends may replace it by a cheaper one.

        Args:
            camera: view of the first ray
            pixels: row times width plus column of each
            rays: directions as in the view, one table per further ray, shape (k, height, width, 3)
        """
        flat = frame.radiance.reshape(-1, 3)
        for table in rays:
            more = self.render(camera._replace(rays=table), light, random, None, held)
            flat[pixels] += more.radiance.reshape(-1, 3)[pixels]

    def vehicle_indirect_light(self, light: Lights, view: CameraRays) -> Singles:
        """Return the light of lit ground on hulls in view, in the form that :meth:`render` takes; by default none."""
        return DARK
