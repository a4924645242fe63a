# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Who traces rays: a back end, which builds what it needs from a scene's parts and answers images and casts.

Whatever one draws at random it draws by :class:`regolith_sensors.rays.frame.Draws`, so that a frame is a function of
its number; equal scenes give equal images, whatever they were before. Which there are:
:mod:`regolith_sensors.rays.choice`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.rays.frame import DARK, Draws, Frame
from regolith_sensors.rays.view import Lights, View
from regolith_sensors.scene.parts import SceneParts

Singles = NDArray[np.float32]


class RayBackend(ABC):
    """Rays through one scene."""

    @abstractmethod
    def build(self, parts: SceneParts) -> None:
        """Take in a scene whose tiles or objects are others than before.

        Meshes that were there before come first and are the same; a tile whose ``revision`` is as before, too.
        """

    @abstractmethod
    def update(self, parts: SceneParts, instances: Sequence[int]) -> None:
        """Take in that instances of the scene last built have other places, or as tiles another shape."""

    @abstractmethod
    def render(
        self, camera: View, light: Lights, random: Draws, out: Frame | None = None, held: Singles = DARK
    ) -> Frame:
        """Return what a camera sees, one ray per pixel.

        :param light: that shines
        :param random: numbers to draw
        :param out: frame of the view's size to write into
        :param held: what :meth:`hull_light` returned
        """

    @abstractmethod
    def cast(
        self, directions: Singles, groups: NDArray[np.int32], positions: Singles, rotations: Singles, reach: float,
        spread: float,
    ) -> tuple[Singles, Singles, NDArray[np.uint16]]:
        """Return (range [m], exact backscatter r [1/sr], object) of rays; range +inf where nothing was met.

        The reflectance is the mean of the three bands in the direction the ray came from: phase angle 0.

        :param directions: unit vectors in the sensor's frame, shape (n, 3)
        :param groups: which pose each ray is cast from, shape (n,)
        :param positions: of the poses, from the scene's origin [m], shape (m, 3)
        :param rotations: of the poses, sensor to world, shape (m, 3, 3)
        :param reach: of the rays [m]
        :param spread: angle a ray stands for [rad]: what is finer is averaged
        """

    def render_more(
        self, camera: View, light: Lights, random: Draws, pixels: NDArray[np.int32], rays: Singles, frame: Frame,
        held: Singles = DARK,
    ) -> None:
        """Add the radiance of further rays in some pixels to a frame's.

        Here whole images are rendered for it; whoever can do with less replaces this.

        :param camera: as of the ray before
        :param pixels: row times width plus column of each
        :param rays: as in the view, each table looking elsewhere in the pixels, shape (k, height, width, 3)
        """
        flat = frame.radiance.reshape(-1, 3)
        for table in rays:
            more = self.render(camera._replace(rays=table), light, random, None, held)
            flat[pixels] += more.radiance.reshape(-1, 3)[pixels]

    def hull_light(self, light: Lights, view: View) -> Singles:
        """Return the light of lit ground on hulls in view, in whatever form :meth:`render` wants it; here none."""
        return DARK
