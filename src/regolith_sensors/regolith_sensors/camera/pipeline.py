# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Camera pipeline: digital numbers of a scene from a pose, with their ground truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_sensors.camera import effects, stages
from regolith_sensors.camera.adaptive_sampling import average_pixels, edge_marks, edge_pixels
from regolith_sensors.camera.flare import bright_sources, ghost_irradiance, spot_irradiance, veil
from regolith_sensors.camera.info import CameraInfo, camera_info
from regolith_sensors.camera.penumbra import smooth_penumbrae
from regolith_sensors.camera.readout import ImageSensor, NoiseStreams, signals
from regolith_sensors.config.camera import CameraConfig, ExposureConfig
from regolith_sensors.config.flare import FlareConfig
from regolith_sensors.dust.dusty_image import add_dust
from regolith_sensors.dust.optics import DustOptics
from regolith_sensors.light import BAND_WAVELENGTHS, SUN_BANDS, SkyLight, Spotlight, Sun
from regolith_sensors.numerics.lens import camera_matrix, pixel_rays, project
from regolith_sensors.rays.backend import RayBackend
from regolith_sensors.rays.camera_rays import CameraRays, Lights, lights, view
from regolith_sensors.rays.image import DARK, RenderedImage, SampleStreams, empty_frame, sample_streams
from regolith_sensors.scene.scene import Semantic
from regolith_world.numerics import rotation
from regolith_world.random import stream_key

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

OPTICAL_FROM_BODY = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
"""Rotation from a camera's body frame (x ahead, y left, z up) to its optical frame (REP 103)."""
_GOLDEN = 0.6180339887498949
"""Reciprocal of the golden ratio."""
_PLASTIC = 0.7548776662466927
"""Reciprocal of the plastic number, the root of x^3 = x + 1."""
_BASE_ISO = 100.0
"""Sensitivity at which a linear response reaches 1 at the full well."""
_EDGE_RADIUS, _EDGE_TURN = 0.38, 0.27
METER_WIDTH = 80
"""Largest width of the image of :meth:`Camera.meter` [px]."""
_METERED_PIXELS = 4
"""Distance of metered pixels: a sixteenth of the pixels gives the same percentile."""
_METERED = (Semantic.GROUND, Semantic.ROCK)
"""Classes that an exposure of the ground meters."""


@dataclass(frozen=True)
class CameraPose:
    """Pose of the camera's body frame (x ahead, y left, z up) in the world frame."""

    position: Floats
    """Position [m], shape (3,)."""
    orientation: Floats
    """Orientation, quaternion (x, y, z, w)."""


@dataclass(frozen=True)
class CameraImage:
    """One frame of a camera."""

    image: NDArray[np.uint16]
    """Digital numbers, shape (height, width), or (height, width, 3) of red, green and blue."""
    encoding: str
    """Encoding of the image message."""
    exposure_s: float
    """Exposure time of the frame, automatic or not [s]."""
    gain: float
    """Gain between signal and number [-]: ISO / 100; 1: a full pixel has the largest number of a linear response."""
    frame: RenderedImage
    """Ground truth at the middle of the exposure, and the radiance at the lens. Valid until the camera's next frame."""


class Camera:
    """A camera. Its fixed pattern, dust and ray tables are made once."""

    def __init__(self, config: CameraConfig, seed: int, name: str) -> None:
        """Make the camera.

        Args:
            config: Model of the camera.
            seed: Seed of the scenario.
            name: Name of the sensor, such as ``amber/navcam_left``.
        """
        self.config = config
        self.seed = seed
        self.name = name
        shape = (config.height, config.width, 1 if config.color == 'mono' else 3)
        self._shape = shape
        self._pattern = effects.fixed_pattern(shape, config.noise, seed, name)
        self._dust: Singles | None = None
        if config.effects.dust_spots:
            self._dust = effects.dust_transmission(config.height, config.width, config.effects, seed, name)
        self._dirt: Singles | None = None
        self._rate, self._fall = self._signal_rate(), self._vignetting()
        self._balance = self._white_balance()
        self._sensor = self._read_out()
        self._streams = stream_key(seed, name, 'shot'), stream_key(seed, name, 'read')
        self._edge_rays: Singles | None = None
        self._rays: dict[tuple[float, float], Singles] = {}
        self._frame, self._extra = empty_frame(*shape[:2]), empty_frame(1, 1)

    def info(self, baseline: float = 0.0) -> CameraInfo:
        """Return the contents of CameraInfo."""
        return camera_info(self.config, baseline)

    def offset(self, sample: int) -> tuple[float, float]:
        """Return the offset (right, down) of a sample from the center of its pixel [px]: a lattice that begins there.

        Source: roberts2018.
        Checked by: test_camera.py::test_pixel_samples_are_evenly_distributed.
        """
        return (0.5 + sample * _PLASTIC) % 1.0 - 0.5, (0.5 + sample * _PLASTIC * _PLASTIC) % 1.0 - 0.5

    def edge_offset(self, sample: int) -> tuple[float, float]:
        """Return the offset (right, down) of a further ray in an edge pixel from its center [px].

        The offsets are evenly spaced on a circle, rotated such that an edge across the pixel crosses the rays one by
        one.
        """
        turn = _EDGE_TURN + 2.0 * math.pi * sample / self.config.edge_samples
        return _EDGE_RADIUS * math.cos(turn), _EDGE_RADIUS * math.sin(turn)

    def sample_time(self, sample: int) -> float:
        """Return the time of a sample within the exposure, 0 to 1. The first sample is in the middle."""
        return (0.5 + sample * _GOLDEN) % 1.0 if self.config.stages.motion_blur else 0.5

    def view(self, origin: Floats, pose: CameraPose, offset: tuple[float, float] = (0.0, 0.0)) -> CameraRays:
        """Return the rays of all pixels from a pose.

        Args:
            origin: Origin of the scene's coordinates in the world frame [m], shape (3,).
            pose: Pose of the camera's body.
            offset: Offset from the pixel centers (right, down) [px].
        """
        world_from_optical = rotation.matrix(np.asarray(pose.orientation)) @ OPTICAL_FROM_BODY.T
        if offset not in self._rays:
            self._rays[offset] = self._ray_table(offset)
        return view(origin, self._rays[offset], world_from_optical, pose.position, self.config.focal_length_px)

    def expose(
        self,
        scene: RayBackend,
        origin: Floats,
        pose: Callable[[float], CameraPose],
        sun: Sun | None,
        lamps: Sequence[Spotlight] = (),
        frame: int = 0,
        dust: DustOptics | None = None,
    ) -> RenderedImage:
        """Return radiance and ground truth of a frame. During the exposure the scene is fixed and the camera moves.

        Args:
            scene: Committed scene, see :meth:`regolith_sensors.scene.scene.Scene.commit`.
            origin: Origin of its coordinates in the world frame [m], shape (3,).
            pose: Function that returns the camera pose at a fraction (0 to 1) of the exposure.
            sun: The sun; None at night.
            lamps: Lamps that are on.
            frame: Index of the frame.
            dust: Dust in the air; None: there is none.
        """
        config = self.config
        sky = None if sun is None else sun.sky
        light = lights(origin, sun, lamps if sky is None else [*lamps, *sky.lamps(pose(0.5).position)])
        eyes = self.view(origin, pose(self.sample_time(0)))
        held = (
            scene.vehicle_indirect_light(light, eyes)
            if config.ground_light_on_vehicles and not config.bounce_samples
            else DARK
        )
        rays = config.bounce_samples, config.bounces
        first = sample_streams(self.seed, f'{self.name}/0', frame, config.sun_samples, *rays)
        for sample in range(config.samples_per_pixel):
            camera = self.view(origin, pose(self.sample_time(sample)), self.offset(sample))
            if sample == 0:
                scene.render(camera, light, first, self._frame, held)
                self._add_sky(self._frame, sky, camera, (0.0, 0.0))
                continue
            stream = f'{self.name}/{sample}'
            random = sample_streams(self.seed, stream, frame, config.sun_samples, *rays)
            if self._extra.depth.shape != self._frame.depth.shape:
                self._extra = empty_frame(config.height, config.width)
            scene.render(camera, light, random, self._extra, held)
            self._add_sky(self._extra, sky, camera, self.offset(sample))
            self._frame.radiance += self._extra.radiance
        if config.samples_per_pixel > 1:
            self._frame.radiance *= np.float32(1.0 / config.samples_per_pixel)
        elif config.edge_samples:
            self._refine(scene, eyes, light, first, held)
        if dust is not None:
            add_dust(dust, scene, eyes, light, self._frame)
        if config.effects.flare is not None:
            self._add_flare(config.effects.flare, scene, origin, pose(0.5), sun, lamps)
        return self._frame

    def _add_flare(
        self,
        flare: FlareConfig,
        scene: RayBackend,
        origin: Floats,
        pose: CameraPose,
        sun: Sun | None,
        lamps: Sequence[Spotlight],
    ) -> None:
        """Add the light of bright sources that the lens reflects and scatters."""
        c = self.config
        turn = rotation.matrix(np.asarray(pose.orientation)) @ OPTICAL_FROM_BODY.T
        sources = bright_sources(scene, origin, np.asarray(pose.position), turn, sun, lamps, flare.hood_deg)
        if not sources:
            return
        added = veil(flare, sources, self.view(origin, pose).rays)
        x, y = (
            np.asarray((np.arange(size) - 0.5 * (size - 1)) * c.pixel_size_m, dtype=np.float64)
            for size in (c.width, c.height)
        )
        spots = spot_irradiance(flare, sources, x, y, c.focal_length_m, c.f_number)
        if flare.lens:
            spots += ghost_irradiance(flare, sources, x, y, c.f_number, c.transmission)
        # The radiance of a scene that gives the sensor this irradiance.
        added += spots * (4.0 * c.f_number**2 / (math.pi * c.transmission)) / np.maximum(self._fall, 0.01)[:, :, None]
        self._frame.radiance += added.astype(np.float32)

    def _add_sky(
        self, frame: RenderedImage, sky: SkyLight | None, camera: CameraRays, offset: tuple[float, float]
    ) -> None:
        """Add Earth and stars to a rendered sample."""
        if sky is None:
            return
        c = self.config
        k = camera_matrix(c.width, c.height, c.focal_length_px)
        coefficients = c.distortion.coefficients if c.stages.distortion else ()
        sky.add_to(
            frame.radiance,
            frame.depth,
            camera,
            lambda ways: project(ways, k, coefficients, c.distortion.model) - offset,
        )

    def _refine(self, scene: RayBackend, eyes: CameraRays, light: Lights, random: SampleStreams, held: Singles) -> None:
        """Add rays in pixels where one ray is not sufficient."""
        if self._edge_rays is None:
            offsets = [self.edge_offset(k + 1) for k in range(self.config.edge_samples)]
            self._edge_rays = np.stack([self._ray_table(offset) for offset in offsets])
        frame = self._frame
        marks, facing = edge_marks(frame), frame.sunlit[:, :, 1] > 0.0
        pixels = edge_pixels(marks)
        scene.render_more(eyes, light, random, pixels, self._edge_rays, frame, held)
        average_pixels(frame, pixels, 1 + len(self._edge_rays))
        if self.config.sun_samples == 1:
            smooth_penumbrae(frame, marks, facing, eyes, light)

    def meter(
        self,
        scene: RayBackend,
        origin: Floats,
        pose: CameraPose,
        sun: Sun | None,
        lamps: Sequence[Spotlight] = (),
        frame: int = 0,
    ) -> float:
        """Return the exposure time [s] that automatic exposure chooses from an image of few pixels.

        A later frame can then be exposed as a real camera does, whose light meter lags. The result does not depend on
        the frames that were rendered. Defocus, glare and light from the ground on vehicles are left out. The arguments
        are those of :meth:`expose`.
        """
        assert self.config.auto_exposure is not None
        sky = None if sun is None else sun.sky
        light = lights(origin, sun, lamps if sky is None else [*lamps, *sky.lamps(pose.position)])
        eyes = self.view(origin, pose)
        every = max(1, math.ceil(self.config.width / METER_WIDTH))
        few = eyes._replace(rays=np.ascontiguousarray(eyes.rays[::every, ::every]))
        streams = sample_streams(self.seed, f'{self.name}/meter', frame)
        seen = scene.render(few, light, streams, empty_frame(*few.rays.shape[:2]))
        radiance = self._channels(seen.radiance)
        if self._dust is not None:
            radiance = radiance * self._dust[::every, ::every, None]
        rate = self._metered(radiance, seen.semantic, self.config.auto_exposure, every)
        return effects.metered_exposure(rate, self.config.full_well, self.config.auto_exposure)

    def process(
        self, seen: RenderedImage, frame: int = 0, exposure_s: float | None = None, through: float = 1.0
    ) -> CameraImage:
        """Return the image of a frame after all stages.

        Args:
            seen: Rendered image of :meth:`expose`.
            frame: Index of the frame, which selects its noise.
            exposure_s: Exposure time, for example from :meth:`meter` [s]; None: automatic from this frame, or fixed.
            through: Transmission of the dust that has fallen on the lens, the geometric mean over the image.
        """
        config = self.config
        light = self._exposed(seen, through)
        exposure = config.exposure_s if exposure_s is None else exposure_s
        if config.auto_exposure is not None and exposure_s is None:
            few = np.s_[::_METERED_PIXELS, ::_METERED_PIXELS]
            rate = self._metered(light[few], seen.semantic[few], config.auto_exposure, _METERED_PIXELS)
            exposure = effects.metered_exposure(rate, config.full_well, config.auto_exposure)
        noise = NoiseStreams(*self._streams, frame) if config.stages.noise else None
        linear = not config.stages.response or config.response.kind == 'linear'
        numbers = signals(light, self._fall, self._sensor, exposure, noise, linear)
        if not linear:
            response = config.response
            slope, offset = self._per_channel(response.slope or ()), self._per_channel(response.offset)
            level = stages.respond(numbers, response.kind, slope, offset, config.iso, response.gamma) * self._balance
            numbers = stages.quantize(level)
        numbers = numbers[:, :, 0] if self._shape[2] == 1 else numbers
        if config.effects.jpeg_quality is not None:
            numbers = effects.jpeg_artifacts(numbers, config.effects.jpeg_quality)
        if config.color.startswith('bayer'):
            numbers = effects.mosaic(numbers, config.color.removeprefix('bayer_'))
        return CameraImage(numbers, config.encoding, exposure, self._sensor.iso / _BASE_ISO, seen)

    def _metered(self, light: Singles, semantic: NDArray[np.uint8], exposure: ExposureConfig, every: int) -> Singles:
        """Return the signal per second of the metered pixels.

        Args:
            light: Light on the sensor of every n-th pixel along rows and columns, shape (h, w, channels).
            semantic: Classes of these pixels, shape (h, w).
            exposure: Settings of the automatic exposure.
            every: Distance n of these pixels.
        """
        fall = self._fall if self._fall.size == 1 else self._fall[::every, ::every]
        rate: Singles = light * fall[:, :, None] * self._rate
        if exposure.meter == 'ground':
            ground = np.isin(semantic, _METERED)
            rate = rate[ground] if ground.any() else rate
        return rate

    def _ray_table(self, offset: tuple[float, float]) -> Singles:
        c = self.config
        k = c.distortion.coefficients if c.stages.distortion else ()
        rays = pixel_rays(c.width, c.height, c.focal_length_px, k, c.distortion.model, offset)
        return rays.astype(np.float32)

    def _channels(self, radiance: Singles) -> Singles:
        """Return radiance in the channels of the camera, shape (h, w, channels)."""
        if self._shape[2] != 1:
            return radiance
        # The sum of radiance.mean(axis=2), which takes ten times as long.
        return ((radiance[:, :, 0] + radiance[:, :, 1] + radiance[:, :, 2]) / np.float32(3.0))[:, :, None]

    def _exposed(self, seen: RenderedImage, through: float) -> Singles:
        """Return the light on the sensor after dust, defocus and glare."""
        config = self.config
        image = self._channels(seen.radiance)
        if self._dust is not None:
            image = image * self._dust[:, :, None]
        if through < 1.0:
            if self._dirt is None:
                self._dirt = effects.dirt_pattern(config.height, config.width, self.seed, self.name)
            image = image * np.exp(np.float32(math.log(max(through, 1e-6))) * self._dirt)[:, :, None]
        if config.stages.defocus:
            spot = stages.defocus_diameter(
                np.maximum(seen.depth, 1e-3),
                config.focal_length_m,
                config.f_number,
                config.pixel_size_m,
                config.focus_distance,
                config.defocus_gain,
            )
            image = stages.defocus(image, spot, config.defocus_variant)
        if config.effects.glare > 0.0:
            image = effects.glare(image, config.effects.glare)
        return image

    def _per_channel(self, values: Sequence[float]) -> Floats:
        return np.array(values if self._shape[2] == 3 else values[1:2])

    def _read_out(self) -> ImageSensor:
        """Return the properties of the sensor's pixels."""
        config, pattern = self.config, self._pattern
        fixed = config.stages.fixed_pattern
        row = self._shape[1:]

        def across(values: ArrayLike) -> Singles:
            return np.ascontiguousarray(np.broadcast_to(np.asarray(values, np.float32), row)).reshape(1, -1)

        def rows(table: Singles) -> Singles:
            return table.reshape(self._shape[0], -1)

        response = config.response
        full = 1.0 / (_BASE_ISO * config.full_well)
        plain = not config.stages.response
        slope = full if plain or response.slope is None else self._per_channel(response.slope)
        return ImageSensor(
            rate=across(self._rate),
            gain=rows(pattern.gain) if fixed else across(1.0),
            offset=rows(pattern.offset) if fixed else across(0.0),
            dark=rows(pattern.dark) if fixed else across(self._per_channel(config.noise.dark_current)),
            shot=across(self._per_channel(config.noise.gain)),
            read=across(self._per_channel(config.noise.read)),
            full_well=config.full_well,
            poisson_below=stages.POISSON_BELOW if config.aggregator_gain is None else 0.0,
            slope=across(slope * self._balance),
            offset_of_response=across(0.0 if plain else self._per_channel(response.offset)),
            iso=_BASE_ISO if plain else config.iso,
        )

    def _signal_rate(self) -> Singles:
        """Return the signal per second for unit radiance, shape (channels,)."""
        config = self.config
        gain: Any = config.aggregator_gain
        if gain is None:
            bands = [stages.physical_gain(config.transmission, wavelength) for wavelength in BAND_WAVELENGTHS]
            gain = self._per_channel(bands)
        efficiency = self._per_channel(config.quantum_efficiency)
        one = np.ones((1, 1, self._shape[2]), np.float32)
        rate: Singles = stages.aggregate(one, gain, config.pixel_size_m, config.f_number, 1.0, efficiency)[0, 0]
        return rate

    def _white_balance(self) -> Singles:
        """Return the gain of each channel's numbers, shape (channels,)."""
        wanted = self.config.white_balance
        if self._shape[2] == 1 or wanted == 'none':
            return np.ones(self._shape[2], np.float32)
        if wanted != 'sun':
            return np.array(wanted, dtype=np.float32)
        white = self._rate * np.array(SUN_BANDS)
        # No gain is below 1: where a channel is full, the image is full, too.
        balance: Singles = (white.max() / np.maximum(white, 1e-30)).astype(np.float32)
        return balance

    def _vignetting(self) -> Singles:
        config = self.config
        if not config.stages.vignetting:
            return np.ones((1, 1), np.float32)
        size = config.focal_length_m, config.pixel_size_m
        return stages.vignetting(config.height, config.width, *size, config.vignetting_gain).astype(np.float32)
