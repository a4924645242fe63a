# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a camera's YAML file: lens, sensor, noise, response, and which stages are on."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_files.section import Section
from regolith_sensors.camera.lens import MODELS, LensError, directions

Color3 = tuple[float, float, float]
Gain = Annotated[float, Field(ge=0.1, le=10.0)]
Gains = tuple[Gain, Gain, Gain]
Efficiency = Annotated[float, Field(ge=0.0, le=1.0)]
Amount = Annotated[float, Field(ge=0.0)]
Amount3 = tuple[Amount, Amount, Amount]


class DistortionConfig(Section):
    """A distortion model of CameraInfo."""

    model: str = Field('plumb_bob', description='plumb_bob, rational_polynomial or equidistant')
    coefficients: tuple[float, ...] = Field((), description='in the order of CameraInfo; empty: none')

    @model_validator(mode='after')
    def _known(self) -> DistortionConfig:
        if self.model not in MODELS:
            raise ValueError(f'model = {self.model!r}: unknown; allowed: {", ".join(MODELS)}')
        counts = (0, 3, *MODELS[self.model]) if self.model == 'plumb_bob' else (0, *MODELS[self.model])
        if len(self.coefficients) not in counts:
            allowed = ' or '.join(map(str, counts))
            raise ValueError(
                f'coefficients = {list(self.coefficients)!r}: wrong number for {self.model}; allowed: {allowed} numbers'
            )
        return self


class StagesConfig(Section):
    """Switches of the stages."""

    distortion: bool = True
    motion_blur: bool = True
    defocus: bool = True
    vignetting: bool = True
    noise: bool = True
    fixed_pattern: bool = True
    response: bool = True


class NoiseConfig(Section):
    """Noise, in the unit of the signal: electrons unless the aggregator's gain makes another."""

    dark_current: Amount3 = Field((0.0, 0.0, 0.0), description='per second, of red, green and blue pixels')
    gain: Amount3 = Field((1.0, 1.0, 1.0), description='Gn: shot noise has the variance Gn^2 mean; 1: electrons')
    read: Amount3 = Field((0.0, 0.0, 0.0), description='standard deviation of the read noise')
    dsnu: float = Field(0.0, ge=0.0, description='standard deviation of the fixed offsets of pixels')
    prnu: float = Field(0.0, ge=0.0, lt=0.5, description='relative standard deviation of the fixed gains of pixels')
    row: float = Field(0.0, ge=0.0, description='standard deviation of the fixed offsets of rows')
    column: float = Field(0.0, ge=0.0, description='standard deviation of the fixed offsets of columns')
    hot_fraction: float = Field(0.0, ge=0.0, le=0.1, description='share of pixels with a hundredfold dark current')
    dead_fraction: float = Field(0.0, ge=0.0, le=0.1, description='share of pixels that see nothing')


class ResponseConfig(Section):
    """Response from signal to digital number."""

    kind: Literal['linear', 'gamma', 'sigmoid'] = 'linear'
    slope: Color3 | None = Field(None, description='a; absent: linear response that reaches 1 at full_well and ISO 100')
    offset: Color3 = Field((0.0, 0.0, 0.0), description='b')
    gamma: float = Field(1.0, gt=0.0, le=10.0, description='exponent of the gamma response')


class ExposureConfig(Section):
    """Automatic exposure: the frame's own light sets its time. Real cameras lag by a frame or two.

    Metering by class is the simulator's own: a real camera masks its horizon and its hull to the same effect.
    """

    meter: Literal['frame', 'ground'] = Field(
        'frame',
        description='Metered pixels: all of the frame, or those of ground and rocks, without the sky and vehicles. '
        "Where 'ground' finds none, all are metered.",
    )
    percentile: float = Field(95.0, gt=0.0, le=100.0, description='of the pixels that is set [%]')
    target_level: float = Field(0.6, gt=0.0, le=1.0, description='part of full_well it is set to')
    max_full_fraction: float = Field(
        1.0,
        gt=0.0,
        le=1.0,
        description='Largest fraction of metered pixels that may be full [-]. The exposure is shortened to keep to it. '
        '1: no limit.',
    )
    min_exposure_s: float = Field(1e-5, ge=1e-7, le=60.0, description='[s]')
    max_exposure_s: float = Field(0.1, ge=1e-7, le=60.0, description='[s]')

    @model_validator(mode='after')
    def _ordered(self) -> ExposureConfig:
        if self.min_exposure_s > self.max_exposure_s:
            raise ValueError(
                f'min_exposure_s = {self.min_exposure_s!r}: too long; allowed: up to max_exposure_s = '
                f'{self.max_exposure_s}'
            )
        return self


class EffectsConfig(Section):
    """Further faults of real cameras; all off by default."""

    dust_spots: int = Field(0, ge=0, le=1000, description='grains on the front lens')
    dust_opacity: float = Field(0.3, ge=0.0, le=1.0, description='light a grain takes at most')
    glare: float = Field(0.0, ge=0.0, le=0.5, description='part of the light that is scattered over the whole image')
    jpeg_quality: int | None = Field(None, ge=1, le=100, description='artefacts of JPEG at this quality')


class CameraConfig(Section):
    """A camera: a thin lens before a sensor of square pixels."""

    type: Literal['camera'] = 'camera'
    description: str = ''
    width: int = Field(ge=1, le=16384, description='pixels across')
    height: int = Field(ge=1, le=16384, description='pixels down')
    pixel_size_m: float = Field(gt=0.0, le=1e-3, description='pitch of the pixels [m]')
    focal_length_m: float = Field(gt=0.0, le=10.0, description='[m]')
    f_number: float = Field(gt=0.0, le=128.0, description='focal length over aperture')
    focus_distance_m: float | None = Field(None, gt=0.0, description='of sharp points [m]; absent: infinity')
    exposure_s: float = Field(ge=1e-7, le=60.0, description='[s]')
    auto_exposure: ExposureConfig | None = None
    iso: float = Field(100.0, gt=0.0, description='sensitivity')
    rate_hz: float = Field(10.0, ge=1e-3, le=1000.0, description='frames per second of simulated time')
    color: Literal['mono', 'rgb', 'bayer_rggb', 'bayer_bggr', 'bayer_gbrg', 'bayer_grbg'] = 'rgb'
    white_balance: Literal['sun', 'none'] | Gains = Field(
        'sun', description="gains of red, green and blue numbers; 'sun': what is white in sunlight is so in the image"
    )
    distortion: DistortionConfig = DistortionConfig()
    defocus_gain: float = Field(1.0, ge=0.0, le=100.0, description='G of the blur spot; 1: ideal lens')
    defocus_variant: Literal['normalized', 'paper'] = 'normalized'
    vignetting_gain: float = Field(1.0, ge=0.0, le=1.0, description='1: the full fourth power of the cosine')
    transmission: float = Field(0.9, gt=0.0, le=1.0, description='of the lens')
    quantum_efficiency: tuple[Efficiency, Efficiency, Efficiency] = (0.5, 0.55, 0.5)
    full_well: float = Field(10000.0, gt=0.0, description='signal at which a pixel is full')
    aggregator_gain: float | None = Field(None, gt=0.0, description='G of the aggregator; absent: electrons')
    noise: NoiseConfig = NoiseConfig()
    response: ResponseConfig = ResponseConfig()
    stages: StagesConfig = StagesConfig()
    effects: EffectsConfig = EffectsConfig()
    samples_per_pixel: int = Field(1, ge=1, le=64, description='rays per pixel, spread over its area and the exposure')
    edge_samples: int = Field(
        3,
        ge=0,
        le=8,
        description='further rays in pixels at edges and borders of shadows; with samples_per_pixel: 1 only',
    )
    sun_samples: int = Field(1, ge=1, le=256, description='rays to the disc of the sun per ray')
    ground_light_on_vehicles: bool = Field(
        True, description='whether the ground lights vehicles; bounce_samples do it as well'
    )
    bounce_samples: int = Field(0, ge=0, le=64, description='rays that gather light from lit ground per ray')

    @model_validator(mode='after')
    def _possible_lens(self) -> CameraConfig:
        if self.focus_distance_m is not None and self.focus_distance_m <= self.focal_length_m:
            raise ValueError(
                f'focus_distance_m = {self.focus_distance_m!r}: inside the focal length; '
                f'allowed: more than focal_length_m = {self.focal_length_m!r}'
            )
        if self.color.startswith('bayer') and (self.width % 2 or self.height % 2):
            raise ValueError(f'color = {self.color!r}: odd size; allowed: even width and height, or mono, rgb')
        if self.response.kind != 'linear' and self.response.slope is None:
            kind = self.response.kind
            raise ValueError(f'response.slope = None: not given; allowed: three numbers for a {kind} response')
        if self.stages.distortion:
            try:
                self._reach()
            except LensError as error:
                raise ValueError(
                    f'distortion.coefficients = {list(self.distortion.coefficients)!r}: {error}; '
                    'allowed: coefficients of a lens that sees the whole image'
                ) from None
        return self

    def _reach(self) -> None:
        """Refuse a lens that folds over within the image, on a coarse grid of its points."""
        u = np.linspace(-0.5, 0.5, 33)[None, :] * self.width / self.focal_length_px
        v = np.linspace(-0.5, 0.5, 33)[:, None] * self.height / self.focal_length_px
        directions(u, v, self.distortion.coefficients, self.distortion.model)

    @property
    def focal_length_px(self) -> float:
        """Return the focal length in pixels."""
        return self.focal_length_m / self.pixel_size_m

    @property
    def focus_distance(self) -> float:
        """Return the distance of sharp points [m], infinity included."""
        return math.inf if self.focus_distance_m is None else self.focus_distance_m

    @property
    def encoding(self) -> str:
        """Return the encoding of the image message."""
        return {'mono': 'mono16', 'rgb': 'rgb16'}.get(self.color, f'{self.color}16')
