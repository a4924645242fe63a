# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of a ``terrain`` section that belong to SCM."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from regolith_files import Section


class BulldozingConfig(Section):
    """Settings of bulldozing, displaced soil that heaps up; see :mod:`regolith_terrain.scm.bulldozing`."""

    enabled: bool = Field(default=False, description='Whether displaced soil heaps up beside wheels.')
    erosion_angle_deg: float = Field(
        default=35.0, gt=0.0, lt=90.0, description='Steepest slope of heaped loose soil [deg].'
    )
    flow_factor: float = Field(
        default=1.0, ge=0.0, le=2.0, description='Heaped volume over the volume of plastic sinkage [-].'
    )
    erosion_iterations: int = Field(default=3, ge=0, le=100, description='Number of erosion passes per substep.')
    erosion_propagations: int = Field(
        default=10, ge=0, le=50, description='Number of cells that erosion extends beyond a contact patch.'
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return the bulldozing columns of the displacement rules, zeros in the rest, shape (7,)."""
        slope = math.tan(math.radians(self.erosion_angle_deg))
        own = [float(self.enabled), slope, self.flow_factor, self.erosion_iterations, self.erosion_propagations]
        return np.array([*own, 0.0, 0.0])


class SlipSinkageConfig(Section):
    """Settings of slip-sinkage: soil carried backward by a slipping wheel, see
    :mod:`regolith_terrain.scm.slip_sinkage`.

    Source: muhlhaus1987; carrier1991, the grain size.
    Checked by: test_slip_sinkage.py::test_shear_band_is_eight_median_grains.
    """

    enabled: bool | None = Field(
        default=None, description="Whether slip increases the sinkage of wheels; none: yes in mode 'regolith'."
    )
    shear_layer_m: float = Field(
        default=5.6e-4,
        gt=0.0,
        le=0.05,
        description='Thickness of the soil layer that moves at the full speed of a smooth rim, or of the grouser tips'
        ' [m]. The default is half of a shear band of 16 median grains (Muhlhaus & Vardoulakis 1987) of 70 um'
        ' (Carrier, Olhoeft & Mendell 1991), across which the speed falls to zero.',
    )

    def parameters(self) -> NDArray[np.float64]:
        """Return the slip-sinkage columns of the displacement rules, zeros in the rest, shape (7,)."""
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, self.shear_layer_m])


class ScmSettings(Section):
    """Keys of a ``terrain`` section for SCM: contact formulation and displacement of soil."""

    scm_mode: Literal['regolith', 'reference'] = Field(
        default='regolith',
        description="SCM contact formulation: 'regolith' with the extensions of this project, or 'reference' as in"
        ' Project Chrono.',
    )
    bulldozing: BulldozingConfig = BulldozingConfig()
    slip_sinkage: SlipSinkageConfig = SlipSinkageConfig()

    @model_validator(mode='after')
    def _slips_in_its_mode(self) -> ScmSettings:
        if self.slip_sinkage.enabled and self.scm_mode == 'reference':
            raise ValueError(
                "slip_sinkage.enabled = true: is not supported in mode 'reference'; allowed: mode 'regolith'"
            )
        return self

    def displacement(self) -> NDArray[np.float64]:
        """Return the displacement rules in the form of the kernels, shape (7,)."""
        rules = self.bulldozing.parameters()
        return rules + self.slip_sinkage.parameters() if self.digs_in else rules

    @property
    def digs_in(self) -> bool:
        """Whether slip-sinkage is active."""
        return self.scm_mode == 'regolith' and self.slip_sinkage.enabled is not False

    def agreed_settings(self) -> dict[str, str]:
        """Return the settings on which terrain and all agents must agree, as name -> text."""
        return {
            'terrain.scm_mode': self.scm_mode,
            'terrain.bulldozing': self.bulldozing.model_dump_json(),
            'terrain.slip_sinkage': self.slip_sinkage.model_dump_json(),
        }
