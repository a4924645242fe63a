# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``obstacles`` section of a scenario: static solid bodies on the terrain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regolith_files import Section

Size = Annotated[float, Field(ge=0.03, le=1e4)]
"""A length [m]. The discs of a wheel are 25 mm apart and must not miss an obstacle."""
Place = Annotated[float, Field(ge=-1e6, le=1e6)]
NUMBERS = {'ramp': 3, 'wall': 3, 'step': 3, 'box': 3, 'mesh': 0}
"""Number of size values per obstacle type."""
KINDS = tuple(NUMBERS)


class ObstacleConfig(Section):
    """A static solid obstacle for vehicles and rays.

    ``box`` and ``wall`` are centered at ``position``. ``step`` and ``ramp`` begin at ``position``, the middle of their
    front edge, and extend along ``heading_deg``. A step has its full height at once. A ramp rises linearly over its
    length and ends with a drop. All four extend 0.5 m below the surface on uneven terrain. The origin of a ``mesh`` is
    at ``position``. Wheels collide with the convex hull of each of its connected pieces, rays hit the mesh itself.
    """

    type: Literal['ramp', 'wall', 'step', 'box', 'mesh'] = Field(
        description='Shape of the obstacle: ramp, wall, step, box or mesh.'
    )
    position: tuple[Place, Place] | tuple[Place, Place, Place] = Field(
        description='Position of the obstacle, x, y [m]. A third number is its height above the surface [m]; the'
        ' obstacle then does not extend below it.'
    )
    heading_deg: float = Field(
        default=0.0, ge=-360.0, le=360.0, description='Heading of the obstacle, from east (+x) to north (+y) [deg].'
    )
    size: tuple[Size, Size, Size] | None = Field(
        default=None, description='Length along the heading, width and height [m]; all types except mesh.'
    )
    path: str | None = Field(
        default=None, min_length=1, description='Mesh only: OBJ, STL or MSH file, relative to the scenario file.'
    )
    scale: float = Field(default=1.0, gt=0.0, le=1e4, description='Mesh only: length of one unit of the mesh file [m].')
    friction: float = Field(
        default=0.8,
        ge=0.0,
        le=10.0,
        description='Coulomb friction coefficient of the obstacle in contact with any body [-].',
    )
    material: Literal['rock', 'concrete', 'metal', 'wood'] = Field(
        default='rock', description='Material of the surface for rendering: rock, concrete, metal or wood.'
    )

    @model_validator(mode='after')
    def _has_one_shape(self) -> ObstacleConfig:
        needed, other = ('path', 'size') if self.type == 'mesh' else ('size', 'path')
        if getattr(self, needed) is None:
            raise ValueError(f'{needed} = None: is missing for type {self.type}; allowed: {needed} without {other}')
        if getattr(self, other) is not None:
            raise ValueError(f'{other}: is not valid for type {self.type}; allowed: {needed} without {other}')
        if self.type != 'mesh' and self.scale != 1.0:
            raise ValueError(f'scale = {self.scale!r}: applies only to type mesh; allowed: no value with size')
        return self
