# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of a section of ``regions`` that belong to CRM."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from regolith_terrain.region_config import OutlineConfig
from regolith_world import valid_file_name


class ParticleRegionSettings(OutlineConfig):
    """A region of the terrain, with the keys of a region with ``model: crm``. That is a rectangle for one vehicle."""

    name: Annotated[str, AfterValidator(valid_file_name)] | None = Field(
        default=None, description='CRM only: name of the region in reports and file names.'
    )
    spacing_m: float | None = Field(default=None, gt=0.0, le=1.0, description='CRM only: particle spacing [m].')
    depth_m: float | None = Field(
        default=None,
        gt=0.0,
        le=100.0,
        description='CRM only: depth of the particle bed below the undisturbed surface, down to a rough floor [m].',
    )
    vehicle: str | None = Field(
        default=None,
        min_length=1,
        description='CRM only: name of the only vehicle that may enter the region; its process moves the particles.',
    )
    other_vehicles: Literal['stop', 'scm'] = Field(
        default='stop',
        description="CRM only: behavior of other vehicles at the edge of the region: 'stop' halts them, 'scm' lets them"
        ' drive on the surrounding terrain model without leaving ruts.',
    )

    threads: int = Field(
        default=1,
        ge=1,
        le=64,
        description='CRM only: number of threads that move the particles. The result does not depend on it.',
    )

    @model_validator(mode='after')
    def _particles_are_whole(self) -> ParticleRegionSettings:
        given = {key: getattr(self, key) for key in ('rectangle', 'name', 'spacing_m', 'depth_m', 'vehicle')}
        if self.model != 'crm':
            extra = [key for key, value in given.items() if value is not None and key != 'rectangle']
            if extra:
                problem = 'applies only to model crm; allowed: no value, or model: crm'
                raise ValueError(f'{extra[0]} = {given[extra[0]]!r}: {problem}')
            return self
        missing = [key for key, value in given.items() if value is None]
        if missing:
            raise ValueError(f'model = crm: {missing[0]} is missing; allowed: all of {", ".join(given)}')
        assert self.rectangle is not None and self.spacing_m is not None
        (x0, y0), (x1, y1) = self.rectangle.low, self.rectangle.high
        for key, side in (('rectangle', x1 - x0), ('rectangle', y1 - y0), ('depth_m', self.depth_m)):
            assert side is not None
            count = round(side / self.spacing_m)
            if count < 2 or abs(count * self.spacing_m - side) > 1e-6:
                value = [[x0, y0], [x1, y1]] if key == 'rectangle' else side
                allowed = f'a multiple of spacing_m {self.spacing_m!r}, at least two'
                raise ValueError(f'{key} = {value}: is {side:.6g} m; allowed: {allowed}')
        return self
