# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of the YAML file of an event camera."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from pydantic import Field, model_validator

from regolith_files import Section
from regolith_sensors.config.camera import CameraConfig, DistortionConfig, StagesConfig
from regolith_sensors.light import SUN_BANDS

MOST_PIXELS = 4_000_000
"""Largest number of pixels."""
MOST_SPREAD = 0.5
"""Largest standard deviation of the thresholds in units of their mean: 2 % of the pixels are below 0 there."""
EDGE_SAMPLES = 3
"""Number of further rays in pixels at edges."""
_F_NUMBER, _EXPOSURE_S = 8.0, 1e-3


class EventCameraConfig(Section):
    """An event camera: each pixel reports when the logarithm of its brightness has changed by a threshold."""

    type: Literal['event_camera'] = 'event_camera'
    description: str = Field('', description='One line about the camera.')
    width: int = Field(ge=1, le=4096, description='Image width [px].')
    height: int = Field(ge=1, le=4096, description='Image height [px].')
    pixel_size_m: float = Field(gt=0.0, le=1e-3, description='Pixel pitch [m].')
    focal_length_m: float = Field(gt=0.0, le=10.0, description='Focal length [m].')
    distortion: DistortionConfig = DistortionConfig()
    rate_hz: float = Field(
        100.0, ge=1e-3, le=1000.0, description='Rate of the messages; each has all events of its period [Hz].'
    )
    max_image_rate_hz: float = Field(
        500.0,
        ge=1.0,
        le=10_000.0,
        description='Largest rate of the images from which events are computed [Hz]. Fewer are rendered where no pixel '
        'changes by half of a threshold.',
    )
    samples_per_pixel: int = Field(
        1,
        ge=1,
        le=64,
        description='Number of rays per pixel and image; 1: further ones at edges only. Few rays make false events of '
        'texture finer than a pixel.',
    )
    threshold_on: float = Field(0.2, ge=0.01, le=5.0, description='Mean threshold of rising brightness [-].')
    threshold_off: float = Field(0.2, ge=0.01, le=5.0, description='Mean threshold of falling brightness [-].')
    threshold_stddev: float = Field(
        0.03,
        ge=0.0,
        le=1.0,
        description='Standard deviation of the thresholds among pixels, up to half of a threshold [-].',
    )
    full_scale: float = Field(
        0.2,
        gt=0.0,
        le=100.0,
        description='Brightness 1, as a share of the radiance of a white Lambert surface in vertical sunlight [-].',
    )
    dark_level: float = Field(
        0.02, ge=1e-6, le=1.0, description='Brightness that is added before the logarithm is taken [-].'
    )
    cutoff_hz: float | None = Field(
        300.0,
        gt=0.0,
        le=1e6,
        description='Cut-off frequency of a pixel at full scale; it falls with the brightness [Hz]. null: no low-pass '
        'filter.',
    )
    refractory_s: float = Field(1e-4, ge=0.0, le=1.0, description='Time after an event without events [s].')
    leak_rate_hz: float = Field(0.01, ge=0.0, le=1000.0, description='Rate of ON events by leakage, per pixel [Hz].')
    shot_rate_hz: float = Field(
        0.001,
        ge=0.0,
        le=1000.0,
        description='Rate of ON and OFF events by shot noise of a dark pixel; a quarter at full scale [Hz].',
    )

    @model_validator(mode='after')
    def _possible(self) -> EventCameraConfig:
        if self.width * self.height > MOST_PIXELS:
            raise ValueError(
                f'width = {self.width!r}: {self.width} x {self.height} are {self.width * self.height} pixels; '
                f'allowed: {MOST_PIXELS}'
            )
        if self.max_image_rate_hz < self.rate_hz:
            raise ValueError(
                f'max_image_rate_hz = {self.max_image_rate_hz!r}: is below rate_hz; allowed: at least {self.rate_hz:g}'
            )
        least = min(self.threshold_on, self.threshold_off)
        if self.threshold_stddev > MOST_SPREAD * least:
            raise ValueError(
                f'threshold_stddev = {self.threshold_stddev!r}: leaves pixels without a threshold; allowed: up to '
                f'{MOST_SPREAD * least:g}, half of the smaller threshold'
            )
        _ = self.optics  # refuses a lens that folds the image
        return self

    @cached_property
    def optics(self) -> CameraConfig:
        """The camera that renders the brightness, without further stages."""
        return CameraConfig(
            width=self.width,
            height=self.height,
            pixel_size_m=self.pixel_size_m,
            focal_length_m=self.focal_length_m,
            distortion=self.distortion,
            f_number=_F_NUMBER,
            exposure_s=_EXPOSURE_S,
            color='mono',
            samples_per_pixel=self.samples_per_pixel,
            edge_samples=EDGE_SAMPLES,
            ground_light_on_vehicles=False,
            stages=StagesConfig(motion_blur=False),
        )

    @property
    def frame_bytes(self) -> int:
        """Memory that rendering an image takes [B]."""
        return self.optics.frame_bytes

    @property
    def full_scale_radiance(self) -> float:
        """Mean radiance of the bands at brightness 1 [W/m^2/sr]."""
        return self.full_scale * sum(SUN_BANDS) / len(SUN_BANDS) / math.pi
