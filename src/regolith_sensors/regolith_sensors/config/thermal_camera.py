# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Schema of the YAML file of a thermal camera."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from regolith_files import Section

Emissivity = Annotated[float, Field(ge=0.01, le=1.0)]


class ThermalCameraConfig(Section):
    """A thermal camera: infrared light of 8 to 14 micrometers, as apparent temperatures in steps of 10 mK."""

    type: Literal['thermal_camera'] = 'thermal_camera'
    description: str = Field('', max_length=200, description='One line about the sensor.')
    rate_hz: float = Field(9.0, ge=1e-3, le=1000.0, description='Rate of the frames [Hz].')
    width: int = Field(160, ge=8, le=2048, description='Image width [px].')
    height: int = Field(120, ge=8, le=2048, description='Image height [px].')
    horizontal_fov_deg: float = Field(
        57.0, ge=1.0, le=150.0, description='Horizontal field of view between the outer edges of the image [deg].'
    )
    netd_k: float = Field(
        0.05,
        ge=0.0,
        le=10.0,
        description='Noise-equivalent temperature difference at 300 K; the noise is the same radiance at any '
        'temperature [K].',
    )
    fixed_pattern_k: float = Field(
        0.3, ge=0.0, le=20.0, description='Standard deviation of fixed offsets of the pixels at 300 K [K].'
    )
    time_constant_s: float = Field(
        0.01, ge=0.0, le=1.0, description='Time constant of the detector, a first-order lag [s].'
    )
    lag_samples: int = Field(
        2, ge=1, le=32, description='Number of times within the lag at which the scene is rendered.'
    )
    soil_emissivity: Emissivity = Field(0.95, description='Emissivity of ground, rocks and objects of the world.')
    vehicle_emissivity: Emissivity = Field(0.9, description='Emissivity of vehicles without thermal nodes.')
    vehicle_k: float = Field(280.0, ge=20.0, le=600.0, description='Temperature of vehicles without thermal nodes [K].')
    vehicle_shadow_s: float = Field(
        600.0,
        ge=0.0,
        le=1e6,
        description='Time for which ground is assumed to be in the shadow of vehicles, which are not followed [s].',
    )

    @property
    def focal_length_px(self) -> float:
        """Return the focal length [px]."""
        return 0.5 * self.width / math.tan(0.5 * math.radians(self.horizontal_fov_deg))
