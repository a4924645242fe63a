# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Interface of ray back ends, which are built from a scene's parts and return images and lidar echoes.

All random numbers of a frame come from its :class:`regolith_sensors.rays.image.SampleStreams`, so that a frame is a
function of its number. Equal scenes give equal images, independent of earlier scenes.
:mod:`regolith_sensors.rays.registry` finds the installed back ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.rays.camera_rays import CameraRays, Lights
from regolith_sensors.rays.image import DARK, RenderedImage, SampleStreams
from regolith_sensors.surfaces.scene_arrays import SceneParts

Singles = NDArray[np.float32]


class RayBackend(ABC):
    """Base class of ray back ends; an instance traces rays through one scene."""

    shows_discs = False
    """Whether the back end shows :attr:`.SceneArrays.discs`; otherwise scenes with moving soil are rejected."""

    @abstractmethod
    def build(self, parts: SceneParts) -> None:
        """Build a scene with new tiles or objects.

        Meshes of an earlier call come first, unchanged. A tile with an unchanged ``revision`` is also unchanged.

        Args:
            parts: Parts of the scene.
        """

    @abstractmethod
    def update(self, parts: SceneParts, instances: Sequence[int]) -> None:
        """Update instances of the last scene: poses of objects, shapes of tiles, and discs.

        There are discs both before and after the update.

        Args:
            parts: Parts of the scene.
            instances: Numbers of the changed instances.
        """

    @abstractmethod
    def render(
        self,
        camera: CameraRays,
        light: Lights,
        random: SampleStreams,
        out: RenderedImage | None = None,
        held: Singles = DARK,
    ) -> RenderedImage:
        """Return the image of a camera with one ray per pixel.

        Args:
            camera: View of the camera.
            light: Sun and lamps.
            random: Random stream and numbers of samples.
            out: Frame of the view's size for the result; None: a new one.
            held: Result of :meth:`vehicle_indirect_light`.
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
        """Return (range [m], exact backscatter r [1/sr], object) of rays; the range is +inf without a hit.

        The reflectance is the mean of the three bands at phase angle 0.

        Args:
            directions: Unit vectors in the sensor frame, shape (n, 3).
            groups: Index of each ray's pose, shape (n,).
            positions: Positions of the poses relative to the scene origin [m], shape (m, 3).
            rotations: Rotations of the poses from sensor to world frame, shape (m, 3, 3).
            reach: Maximum range [m].
            spread: Width of a ray [rad], over which finer detail is averaged.
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
        """Add the radiance of further rays in some pixels to that of a frame.

        This default renders whole images; back ends may override it with a faster method.

        Args:
            camera: View of the first ray.
            light: Sun and lamps.
            random: Random stream and numbers of samples.
            pixels: Row times width plus column of each pixel, shape (n,).
            rays: Directions as in the view, one table per further ray, shape (k, height, width, 3).
            frame: Frame of the first rays, whose radiance changes.
            held: Result of :meth:`vehicle_indirect_light`.
        """
        flat = frame.radiance.reshape(-1, 3)
        for table in rays:
            more = self.render(camera._replace(rays=table), light, random, None, held)
            flat[pixels] += more.radiance.reshape(-1, 3)[pixels]

    def vehicle_indirect_light(self, light: Lights, view: CameraRays) -> Singles:
        """Return the indirect light of sunlit ground on hulls in view, as input of :meth:`render`; none by default."""
        return DARK
