# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of testbeds that press plates into SCM or CRM soil."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from regolith_terrain.crm import (
    GivenDevice,
    GivenSoil,
    load_particle_soil,
)
from regolith_testbeds.crm.discretization_settings import DiscretizationSettings
from regolith_testbeds.resumable_runs import Resumable
from regolith_testbeds.settings import BenchSettings

OF_SCM = ('soil', 'scm_mode', 'grid_spacing_m', 'dt_s')
"""Settings of :class:`PlateBenchSettings` that apply to SCM only."""
OF_CRM = (
    'particle_soil',
    'gravity_mps2',
    'spacing_m',
    'artificial_viscosity',
    'smoothing_ratio',
    'xsph_coefficient',
    'free_surface_threshold',
    'speed_mps',
    'threads',
    'device',
    'resume',
    'checkpoint',
)
"""Settings of :class:`PlateBenchSettings` that apply to CRM only."""


class PlateBenchSettings(BenchSettings, DiscretizationSettings, Resumable):
    """Terrain model of a testbed of plates, and its CRM soil."""

    terrain_model: Literal['scm', 'crm'] = Field(
        default='scm', description='Terrain model: scm, the soil grid; crm, a continuum of particles.'
    )
    particle_soil: GivenSoil = Field(
        default_factory=lambda: load_particle_soil('lunar_regolith'), description='CRM only: name or file of the soil.'
    )
    gravity_mps2: float = Field(default=9.81, gt=0.0, le=100.0, description='CRM only: gravity [m/s^2].')
    speed_mps: float = Field(default=0.05, gt=0.0, le=10.0, description='CRM only: speed of the plate [m/s].')
    threads: int = Field(
        default=2, ge=1, le=2, description='CRM only: number of threads; it does not change the result.'
    )
    device: GivenDevice = 'auto'

    def refuse_other_model(self, of_model: Mapping[str, Sequence[str]]) -> None:
        """Reject given settings that apply to the other terrain model only.

        Args:
            of_model: Settings that apply to one terrain model only, by its name.

        Raises:
            ValueError: If there is one. The message names it and the terrain model to which it applies.
        """
        for model, keys in of_model.items():
            for key in keys:
                value = getattr(self, key)
                if model != self.terrain_model and key in self.model_fields_set and value is not None:
                    what = f'{key} = {getattr(value, "name", value)!r}: does not apply to {self.terrain_model}'
                    raise ValueError(f'{what}; allowed: with terrain_model {model}')

    def refuse_coarse(self, width: float, what: str) -> None:
        """Reject particles larger than a third of a body.

        Args:
            width: Smallest width of the body [m].
            what: The body, in the message.

        Raises:
            ValueError: If they are larger. The message names the allowed spacing.
        """
        if self.spacing_m > width / 3.0:
            raise ValueError(
                f'spacing_m = {self.spacing_m!r}: is too coarse; allowed: at most a third of the {what}, '
                f'{width / 3.0:.4g}'
            )
