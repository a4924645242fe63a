# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of a camera's YAML file: lens, sensor, noise, response, and switches of the stages."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from regolith_files import Section
from regolith_sensors.config.flare import FlareConfig, focal_length
from regolith_sensors.numerics.lens import MODELS, LensError, directions

Color3 = tuple[float, float, float]
Gain = Annotated[float, Field(ge=0.1, le=10.0)]
Gains = tuple[Gain, Gain, Gain]
Efficiency = Annotated[float, Field(ge=0.0, le=1.0)]
Amount = Annotated[float, Field(ge=0.0, le=1e9)]
Amount3 = tuple[Amount, Amount, Amount]


class DistortionConfig(Section):
    """A distortion model of CameraInfo."""

    model: str = Field('plumb_bob', description='Distortion model: plumb_bob, rational_polynomial or equidistant.')
    coefficients: tuple[float, ...] = Field(
        (), description='Distortion coefficients in the order of CameraInfo; empty: no distortion.'
    )

    @model_validator(mode='after')
    def _known(self) -> DistortionConfig:
        if self.model not in MODELS:
            raise ValueError(f'model = {self.model!r}: is unknown; allowed: {", ".join(MODELS)}')
        counts = (0, 3, *MODELS[self.model]) if self.model == 'plumb_bob' else (0, *MODELS[self.model])
        if len(self.coefficients) not in counts:
            allowed = ' or '.join(map(str, counts))
            raise ValueError(
                f'coefficients = {list(self.coefficients)!r}: wrong number for {self.model}; allowed: {allowed} numbers'
            )
        return self


class StagesConfig(Section):
    """Switches of the image stages."""

    distortion: bool = Field(True, description='Whether the lens distorts the image.')
    motion_blur: bool = Field(True, description='Whether motion within the exposure blurs the image.')
    defocus: bool = Field(True, description='Whether points out of focus are blurred.')
    vignetting: bool = Field(True, description='Whether the image darkens toward its corners.')
    noise: bool = Field(True, description='Whether the sensor adds shot, dark-current and read noise.')
    fixed_pattern: bool = Field(True, description='Whether the pixels differ in offset and gain.')
    response: bool = Field(True, description='Whether the response curve maps the signal to digital numbers.')


class NoiseConfig(Section):
    """Noise of a camera, in the unit of the signal: electrons unless aggregator_gain sets another unit."""

    dark_current: Amount3 = Field(
        (0.0, 0.0, 0.0), description='Dark current of red, green and blue pixels [signal unit per second].'
    )
    gain: Amount3 = Field(
        (1.0, 1.0, 1.0),
        description='Shot noise gain Gn of red, green and blue pixels. The variance is Gn^2 times the mean; 1: '
        'electrons.',
    )
    read: Amount3 = Field(
        (0.0, 0.0, 0.0),
        description='Standard deviation of the read noise of red, green and blue pixels [signal unit].',
    )
    dsnu: float = Field(
        0.0,
        ge=0.0,
        le=1e9,
        description='Dark signal non-uniformity: standard deviation of fixed pixel offsets [signal unit].',
    )
    prnu: float = Field(
        0.0,
        ge=0.0,
        lt=0.5,
        description='Photo response non-uniformity: relative standard deviation of fixed pixel gains [-].',
    )
    row: float = Field(
        0.0, ge=0.0, le=1e9, description='Standard deviation of the fixed offsets of rows [signal unit].'
    )
    column: float = Field(
        0.0, ge=0.0, le=1e9, description='Standard deviation of the fixed offsets of columns [signal unit].'
    )
    hot_fraction: float = Field(
        0.0, ge=0.0, le=0.1, description='Fraction of hot pixels, with a hundredfold dark current [-].'
    )
    dead_fraction: float = Field(0.0, ge=0.0, le=0.1, description='Fraction of dead pixels, without a signal [-].')


class ResponseConfig(Section):
    """Response of the sensor from signal to digital number."""

    kind: Literal['linear', 'gamma', 'sigmoid'] = Field(
        'linear',
        description='Response to a signal x. linear: a ISO x + b; gamma: a log2(ISO x)^gamma + b; '
        'sigmoid: 1 / (1 + exp(-a log2(ISO x) - b)).',
    )
    slope: Color3 | None = Field(
        None,
        description='Slope a of the response per channel; null: a linear response that reaches 1 at full_well and ISO '
        '100.',
    )
    offset: Color3 = Field((0.0, 0.0, 0.0), description='Offset b of the response per channel.')
    gamma: float = Field(1.0, gt=0.0, le=10.0, description='Gamma response only: exponent [-].')


BYTES_PER_PIXEL = 300
"""Largest memory of a pixel while a frame is rendered [B], measured: 230 with one ray per pixel, 290 with four."""
FOCAL_TOLERANCE = 0.05
"""Largest relative difference between the focal lengths of a camera and of its lens surfaces."""


class ExposureConfig(Section):
    """Automatic exposure: the exposure time follows from the light of the same frame, or of an earlier one.

    Metering by class is the simulator's own. A real camera masks its horizon and its vehicle to the same effect.
    """

    meter: Literal['frame', 'ground'] = Field(
        'frame',
        description='Metered pixels: the whole frame, or ground and rocks without sky and vehicles. '
        "If 'ground' finds none, all pixels are metered.",
    )
    percentile: float = Field(
        95.0, gt=0.0, le=100.0, description='Percentile of the metered pixels that is set to target_level [%].'
    )
    target_level: float = Field(
        0.6, gt=0.0, le=1.0, description='Level of that percentile, as a fraction of full_well [-].'
    )
    max_full_fraction: float = Field(
        1.0,
        gt=0.0,
        le=1.0,
        description='Maximum fraction of metered pixels at the full well [-]. The exposure is shortened to satisfy it. '
        '1: no limit.',
    )
    lag_frames: int = Field(
        0,
        ge=0,
        le=2,
        description='Number of frames by which the metered light is older than the frame; real cameras have 1 or 2. '
        'Above 0, a small image is rendered for it.',
    )
    min_exposure_s: float = Field(1e-5, ge=1e-7, le=60.0, description='Minimum exposure time [s].')
    max_exposure_s: float = Field(
        0.1, ge=1e-7, le=60.0, description='Maximum exposure time, in a run at most the period of the frames [s].'
    )

    @model_validator(mode='after')
    def _ordered(self) -> ExposureConfig:
        if self.min_exposure_s > self.max_exposure_s:
            raise ValueError(
                f'min_exposure_s = {self.min_exposure_s!r}: is too long; allowed: up to max_exposure_s = '
                f'{self.max_exposure_s}'
            )
        return self


class EffectsConfig(Section):
    """Further faults of real cameras. All are off by default."""

    dust_spots: int = Field(0, ge=0, le=1000, description='Number of dust grains on the front lens.')
    dust_opacity: float = Field(
        0.3, ge=0.0, le=1.0, description='Maximum fraction of the light that a dust grain blocks [-].'
    )
    glare: float = Field(
        0.0, ge=0.0, le=0.5, description='Fraction of the light that is scattered over the whole image [-].'
    )
    jpeg_quality: int | None = Field(
        None, ge=1, le=100, description='JPEG quality whose compression artifacts are added to the image; null: none.'
    )
    flare: FlareConfig | None = Field(
        None, description='Light of sun and lamps that the lens reflects and scatters, also from outside the image.'
    )


class CameraConfig(Section):
    """A camera with a thin lens and square pixels."""

    type: Literal['camera'] = 'camera'
    description: str = Field('', description='One line about the camera.')
    width: int = Field(ge=1, le=16384, description='Image width [px].')
    height: int = Field(ge=1, le=16384, description='Image height [px].')
    pixel_size_m: float = Field(gt=0.0, le=1e-3, description='Pixel pitch [m].')
    focal_length_m: float = Field(gt=0.0, le=10.0, description='Focal length [m].')
    f_number: float = Field(gt=0.0, le=128.0, description='F-number: focal length divided by aperture diameter [-].')
    focus_distance_m: float | None = Field(
        None, gt=0.0, le=1e6, description='Focus distance, at which points are sharp [m]; null: infinity.'
    )
    exposure_s: float = Field(ge=1e-7, le=60.0, description='Exposure time [s].')
    auto_exposure: ExposureConfig | None = None
    iso: float = Field(100.0, gt=0.0, le=1e7, description='ISO sensitivity.')
    rate_hz: float = Field(10.0, ge=1e-3, le=1000.0, description='Frame rate in simulated time [Hz].')
    color: Literal['mono', 'rgb', 'bayer_rggb', 'bayer_bggr', 'bayer_gbrg', 'bayer_grbg'] = Field(
        'rgb',
        description='Channels of the image: one gray, three colors, or a mosaic named by the colors of its first 2 x 2 '
        'pixels.',
    )
    white_balance: Literal['sun', 'none'] | Gains = Field(
        'sun',
        description="Gains of red, green and blue numbers; 'sun': white objects in sunlight are white in the image; "
        "'none': no gains.",
    )
    distortion: DistortionConfig = DistortionConfig()
    defocus_gain: float = Field(1.0, ge=0.0, le=100.0, description='Gain G of the blur spot; 1: ideal lens.')
    defocus_variant: Literal['normalized', 'paper'] = Field(
        'normalized',
        description='Blur at the borders of the image. normalized: uniform light stays uniform; paper: the published '
        'equation, which darkens them.',
    )
    vignetting_gain: float = Field(
        1.0, ge=0.0, le=1.0, description='Gain of vignetting; 1: fourth power of the cosine, 0: none.'
    )
    transmission: float = Field(0.9, gt=0.0, le=1.0, description='Transmission of the lens [-].')
    quantum_efficiency: tuple[Efficiency, Efficiency, Efficiency] = Field(
        (0.5, 0.55, 0.5), description='Electrons per photon in the red, green and blue channels [-].'
    )
    full_well: float = Field(10000.0, gt=0.0, le=1e9, description='Signal at which a pixel is full [signal unit].')
    aggregator_gain: float | None = Field(
        None, gt=0.0, description='Gain G from radiance to signal; null: the physical gain, with a signal in electrons.'
    )
    noise: NoiseConfig = NoiseConfig()
    response: ResponseConfig = ResponseConfig()
    stages: StagesConfig = StagesConfig()
    effects: EffectsConfig = EffectsConfig()
    samples_per_pixel: int = Field(
        1, ge=1, le=64, description='Number of rays per pixel, distributed over its area and the exposure.'
    )
    edge_samples: int = Field(
        3,
        ge=0,
        le=8,
        description='Number of further rays in pixels at edges and shadow borders; with samples_per_pixel: 1 only.',
    )
    sun_samples: int = Field(
        1, ge=1, le=256, description="Number of shadow rays to the sun's disc per ray that hits a surface."
    )
    ground_light_on_vehicles: bool = Field(
        True, description='Whether light from the ground illuminates vehicles; included if bounce_samples is set.'
    )
    bounce_samples: int = Field(
        0, ge=0, le=64, description='Number of rays per hit that gather light from illuminated ground.'
    )
    bounces: int = Field(
        1,
        ge=1,
        le=4,
        description='Largest number of surfaces that this light meets, with bounce_samples only; on soil the second '
        'one adds 2 %.',
    )

    @model_validator(mode='after')
    def _possible_lens(self) -> CameraConfig:
        if self.focus_distance_m is not None and self.focus_distance_m <= self.focal_length_m:
            raise ValueError(
                f'focus_distance_m = {self.focus_distance_m!r}: is inside the focal length; '
                f'allowed: more than focal_length_m = {self.focal_length_m!r}'
            )
        flare = self.effects.flare
        if flare is not None and flare.lens:
            focal, _ = focal_length(flare.lens)
            if abs(focal / self.focal_length_m - 1.0) > FOCAL_TOLERANCE:
                raise ValueError(
                    f'effects.flare.lens: has a focal length of {focal:.4g} m; allowed: focal_length_m = '
                    f'{self.focal_length_m:g} within {100.0 * FOCAL_TOLERANCE:g} %'
                )
        if self.color.startswith('bayer') and (self.width % 2 or self.height % 2):
            raise ValueError(
                f'color = {self.color!r}: needs an even size; allowed: even width and height, or mono, rgb'
            )
        if self.response.kind != 'linear' and self.response.slope is None:
            kind = self.response.kind
            raise ValueError(f'response.slope = None: is not set; allowed: three numbers for a {kind} response')
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
        """Refuse a lens whose distortion folds over within the image, on a coarse grid of image points."""
        u = np.linspace(-0.5, 0.5, 33)[None, :] * self.width / self.focal_length_px
        v = np.linspace(-0.5, 0.5, 33)[:, None] * self.height / self.focal_length_px
        directions(u, v, self.distortion.coefficients, self.distortion.model)

    @property
    def focal_length_px(self) -> float:
        """Focal length [px]."""
        return self.focal_length_m / self.pixel_size_m

    @property
    def frame_s(self) -> dict[str, float]:
        """Time that a frame takes [s], by the key that states it."""
        return {'exposure_s': self.exposure_s}

    @property
    def frame_bytes(self) -> int:
        """Memory that rendering a frame takes [B]."""
        return BYTES_PER_PIXEL * self.width * self.height

    @property
    def focus_distance(self) -> float:
        """Focus distance [m], infinity included."""
        return math.inf if self.focus_distance_m is None else self.focus_distance_m

    @property
    def encoding(self) -> str:
        """Encoding of the image message."""
        return {'mono': 'mono16', 'rgb': 'rgb16'}.get(self.color, f'{self.color}16')
