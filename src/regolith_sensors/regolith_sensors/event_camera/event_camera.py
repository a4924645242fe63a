# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Event camera: images at times that follow the change of brightness, and the events between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regolith_sensors.arrays import Floats
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.event_camera import EventCameraConfig
from regolith_sensors.dust.optics import DustOptics
from regolith_sensors.event_camera.event_pixels import EventPixels, Events, in_order
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.rays.backend import RayBackend

Look = Callable[[int], Floats]
"""Function that returns the brightness at a simulated time [ns], shape (height, width)."""
_LARGEST_CHANGE = 0.5
"""Largest change of a pixel between images, in thresholds."""


class EventCamera:
    """An event camera.

    Its pixels keep a reference level from message to message. They start again, without events, with the first image,
    and where messages are missing: without subscribers, or after a rewind. So the events after a rewind are those of a
    camera that is switched on there.

    Tests: test_event_camera.py.
    """

    def __init__(self, config: EventCameraConfig, seed: int, name: str) -> None:
        """Make the camera.

        Args:
            config: Model of the camera.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config = config
        self.camera = Camera(config.optics, seed, name)
        self.pixels = EventPixels(config, seed, name)
        self._shortest_ns = max(1, round(1e9 / config.max_image_rate_hz))
        self._step_ns = self._shortest_ns
        self.images = 0
        """Number of images so far."""

    def brightness(
        self,
        scene: RayBackend,
        origin: Floats,
        pose: CameraPose,
        sun: Sun | None,
        lamps: tuple[Spotlight, ...] = (),
        dust: DustOptics | None = None,
    ) -> Floats:
        """Return the brightness of all pixels, 1 at full scale [-], shape (height, width).

        All images use the same random numbers for the disc of the sun, so an image of a scene at rest does not change.

        Args:
            scene: Committed scene.
            origin: Origin of its coordinates in the world frame [m], shape (3,).
            pose: Pose of the camera's body.
            sun: The sun; None at night.
            lamps: Lamps that are on.
            dust: Dust in the air; None: there is none.
        """
        seen = self.camera.expose(scene, origin, lambda _: pose, sun, lamps, dust=dust)
        found: Floats = seen.radiance.mean(axis=2, dtype=np.float64) / self.config.full_scale_radiance
        return found

    def events(self, n: int, start_ns: int, end_ns: int, look: Look) -> Events:
        """Return the events of message n, after ``start_ns`` up to ``end_ns``.

        Images are rendered such that no pixel changes by more than half a threshold between two of them, but at most at
        ``max_image_rate_hz``.

        Args:
            n: Number of the message.
            start_ns: Start of its period [ns].
            end_ns: End of its period [ns].
            look: Function that renders the brightness.

        Source: rebecq2018, adaptive sampling.
        Checked by: test_event_camera.py::test_images_are_rendered_where_brightness_changes.
        """
        pixels, shortest = self.pixels, self._shortest_ns
        if pixels.t_ns != start_ns:
            pixels.reset(start_ns, self._image(look, start_ns))
            self._step_ns = shortest
        noise = pixels.noise(n, start_ns, end_ns)
        found: list[Events] = []
        ahead: list[tuple[int, Floats]] = []
        while pixels.t_ns < end_ns:
            if not ahead:
                left = end_ns - pixels.t_ns
                t_ns = end_ns if left < self._step_ns + shortest else pixels.t_ns + self._step_ns
                ahead.append((t_ns, self._image(look, t_ns)))
            t_ns, image = ahead[-1]
            duration, change = t_ns - pixels.t_ns, pixels.change(image)
            if change > _LARGEST_CHANGE and duration >= 2 * shortest:
                middle = pixels.t_ns + duration // 2
                ahead.append((middle, self._image(look, middle)))
                continue
            ahead.pop()
            found.append(pixels.advance(t_ns, image, noise))
            wanted = end_ns - start_ns if change <= 0.0 else int(duration * min(_LARGEST_CHANGE / change, 2.0))
            self._step_ns = max(wanted, shortest)
        return in_order(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def _image(self, look: Look, t_ns: int) -> Floats:
        self.images += 1
        return look(t_ns)
