# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Thermal cameras: infrared radiance of a scene in the band of 8 to 14 micrometers, and what a detector makes of it.

A surface of emissivity e and temperature T sends e L(T), and the reflected part 1 - e of its surroundings: level ground
below its horizon, the sun in its direction, and nothing from the sky. Emission is the same in all directions. The
temperature of ground depends on slope and aspect, and on the time since the sun left or reached it, which rays toward
earlier positions of the sun show: far hills and vehicles are not in these. Left out: heat that vehicles give to the
ground, lens and housing, and relief below the grid, whose sunlit sides send more toward the sun.

Checked by: test_thermal_camera.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.config.thermal_camera import ThermalCameraConfig
from regolith_sensors.heat.band import SUN_IN_BAND, apparent_temperature, band_radiance
from regolith_sensors.heat.ground import GroundState, GroundTemperatures
from regolith_sensors.heat.sun_path import STEP_S, far_part
from regolith_sensors.light import Sun
from regolith_sensors.numerics.lens import pixel_rays
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, lights, view
from regolith_sensors.rays.image import RenderedImage, sample_streams
from regolith_world.random import generator

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

EARLIER_STEPS = (1, 2, 4, 8, 16, 48, 144, 432)
"""Steps of the sun's path to its earlier positions, from half an hour to nine days."""
KELVIN_PER_COUNT = 0.01
"""Unit of the image [K]."""


@dataclass(frozen=True)
class ThermalScene:
    """Surroundings of a camera at one time."""

    rays: Callable[[bool], RayBackend]
    """Function that returns the committed scene, with or without vehicles."""
    origin: Floats
    """Origin of its coordinates in the world [m], shape (3,)."""
    sun: Sun | None
    """The sun; None: night."""
    ground: GroundTemperatures
    t_s: float
    """Simulated time [s]."""
    part_k: Floats
    """Temperature of each instance of the scene [K], NaN for ground, rocks and objects, shape (n,)."""
    part_emissivity: Floats
    """Emissivity of each instance that has a temperature, shape (n,)."""


Pose = tuple[Floats, Floats]
"""Position [m], shape (3,), and rotation from the optical frame to the world, shape (3, 3)."""


class ThermalCamera:
    """A thermal camera; noise is a function of seed, name and frame."""

    def __init__(self, config: ThermalCameraConfig, seed: int, name: str) -> None:
        """Make the camera.

        Args:
            config: Model of the camera.
            seed: Seed of the scenario.
            name: Name of the sensor.
        """
        self.config, self.seed, self.name = config, seed, name
        self._rays = pixel_rays(config.width, config.height, config.focal_length_px, (), 'plumb_bob')
        slope = float(band_radiance(300.5) - band_radiance(299.5))
        self.noise = config.netd_k * slope
        """Standard deviation of the noise, a radiance [W/m^2/sr]."""
        shape = config.height, config.width
        self._pattern = config.fixed_pattern_k * slope * generator(seed, name, 'pattern', 0).standard_normal(shape)

    def lags(self) -> Floats:
        """Return the times before a frame at which the scene is rendered, of equal weight [s], shape (lag_samples,).

        They are the middles of equal parts of the exponential response of a first-order lag.
        """
        count = self.config.lag_samples if self.config.time_constant_s > 0.0 else 1
        return -self.config.time_constant_s * np.log(1.0 - (np.arange(count) + 0.5) / count)

    def radiance(self, scene: ThermalScene, pose: Pose) -> Floats:
        """Return the radiance of a scene in the band [W/m^2/sr], shape (height, width).

        Source: vollmer2017.
        Checked by: test_thermal_camera.py::test_camera_sees_level_ground_at_its_temperature,
        test_thermal_camera.py::test_apparent_temperatures_of_emissivity.
        """
        config, state = self.config, scene.ground.at(scene.t_s)
        eyes = view(scene.origin, self._rays, pose[1], pose[0], config.focal_length_px)
        image = self._render(scene, scene.sun, eyes, vehicles=True)
        seen = image.instance >= 0
        index = image.instance[seen] >> 1
        normal = image.normal[seen].astype(np.float64) @ pose[1].T
        part = scene.part_k[index]
        on_part = np.isfinite(part)
        temperature = np.where(on_part, part, 0.0)
        emissivity = np.where(on_part, scene.part_emissivity[index], config.soil_emissivity)
        facing = np.zeros(len(normal)) if scene.sun is None else np.maximum(normal @ scene.sun.direction, 0.0)
        sunlit = (image.instance[seen] & 1).astype(bool) & (facing > 0.0)
        temperature[~on_part] = self._ground(scene, state, eyes, seen, normal, facing, sunlit)[~on_part]
        below = 0.5 * (1.0 - normal[:, 2]) * config.soil_emissivity * band_radiance(state.level)
        sun = self._sun_share(scene) * SUN_IN_BAND * facing * sunlit / math.pi
        found = np.zeros(image.instance.shape)
        found[seen] = emissivity * band_radiance(temperature) + (1.0 - emissivity) * (below + sun)
        return found

    def _sun_share(self, scene: ThermalScene) -> float:
        """Return the sun's irradiance at the camera divided by that of an unhidden sun at 1 au."""
        if scene.sun is None:
            return 0.0
        far = 1.0 if scene.sun.far is None else far_part(scene.sun.far, *scene.origin[:2].tolist())
        return far / scene.sun.distance_au**2

    def _render(self, scene: ThermalScene, sun: Sun | None, eyes: CameraRays, *, vehicles: bool) -> RenderedImage:
        near = None if sun is None else replace(sun, far=None)
        return scene.rays(vehicles).render(eyes, lights(scene.origin, near), sample_streams(self.seed, self.name, 0))

    def _ground(
        self,
        scene: ThermalScene,
        state: GroundState,
        eyes: CameraRays,
        seen: Flags,
        normal: Floats,
        facing: Floats,
        sunlit: Flags,
    ) -> Floats:
        """Return the temperature of seen surfaces as ground [K], shape (n,)."""
        # Surfaces that the sun does not face, and all at night, have the light of their class.
        settled = facing <= 0.0
        age = np.full(len(normal), np.inf)
        if scene.sun is None or settled.all():
            return state.surface(normal, np.ones(len(normal), dtype=bool), age)
        n, path = scene.ground.entry(scene.t_s), scene.ground.path
        without = self._sunlit(scene, scene.sun, eyes, seen)
        changed = without & ~sunlit  # in the shadow of a vehicle
        age[changed] = self.config.vehicle_shadow_s
        open_pixels = ~changed & ~settled
        last = 0.0
        for steps in EARLIER_STEPS:
            direction = path.before(n, steps)
            if direction[2] <= 0.0 or not open_pixels.any():
                break
            earlier = Sun(math.atan2(direction[0], direction[1]), math.asin(direction[2]))
            began = open_pixels & (self._sunlit(scene, earlier, eyes, seen) != without)
            age[began] = 0.5 * (last + steps * STEP_S)
            open_pixels &= ~began
            last = steps * STEP_S
        dark = ~sunlit & ~settled
        age[dark & open_pixels] = last if last > 0.0 else STEP_S
        return state.surface(normal, ~dark, age)

    def _sunlit(self, scene: ThermalScene, sun: Sun, eyes: CameraRays, seen: Flags) -> Flags:
        """Return whether a sun reaches the seen surfaces in a scene without vehicles, shape (n,)."""
        return (self._render(scene, sun, eyes, vehicles=False).instance[seen] & 1).astype(bool)

    def lagged(self, scenes: Iterable[tuple[ThermalScene, Pose]]) -> Floats:
        """Return the radiance that the detector holds, the mean over its lag [W/m^2/sr], shape (height, width).

        Args:
            scenes: Surroundings and pose of the camera at each of :meth:`lags`, one after another.
        """
        found: Floats = np.mean([self.radiance(scene, pose) for scene, pose in scenes], axis=0)
        return found

    def measured(self, radiance: Floats, number: int) -> NDArray[np.uint16]:
        """Return the image for a radiance: noisy apparent temperatures in steps of 10 mK, shape (height, width).

        Args:
            radiance: Radiance in the band [W/m^2/sr], shape (height, width).
            number: Number of the frame, which selects its noise.

        Source: vollmer2017.
        Checked by: test_thermal_camera.py::test_noise_is_a_radiance.
        """
        random = generator(self.seed, self.name, 'netd', number)
        noisy = radiance + self._pattern + self.noise * random.standard_normal(radiance.shape)
        return np.rint(apparent_temperature(noisy) / KELVIN_PER_COUNT).astype(np.uint16)
