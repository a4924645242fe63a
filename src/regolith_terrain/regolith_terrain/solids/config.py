# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``obstacles`` section of a scenario: solid things that stand fast on the ground."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from regolith_files.section import Section

Size = Annotated[float, Field(ge=0.03, le=1e4)]
"""A length [m]; discs of a wheel, 25 mm apart, must not miss a thing."""
Place = Annotated[float, Field(ge=-1e6, le=1e6)]
NUMBERS = {'ramp': 3, 'wall': 3, 'step': 3, 'box': 3, 'mesh': 0}
"""How many numbers each kind's size has."""
KINDS = tuple(NUMBERS)


class ObstacleConfig(Section):
    """A solid thing that stands fast: vehicles are stopped by it or climb it, rays meet it.

    ``box`` and ``wall`` stand with their middles at ``position``. ``step`` and ``ramp`` begin there, at the middle of
    their front edge, and extend along ``heading_deg``: a step is as high at once, a ramp rises evenly over its length
    and ends with a drop. All four reach half a metre into uneven ground. A ``mesh`` has its own origin at ``position``;
    wheels feel the convex hull of each of its connected pieces, rays the mesh itself.
    """

    type: Literal['ramp', 'wall', 'step', 'box', 'mesh'] = Field(description='ramp, wall, step, box or mesh')
    position: tuple[Place, Place] | tuple[Place, Place, Place] = Field(
        description='x, y [m]; a third number lifts it above the ground there [m], and then it does not reach in'
    )
    heading_deg: float = Field(default=0.0, ge=-360.0, le=360.0, description='from east (+x) to north (+y) [deg]')
    size: tuple[Size, Size, Size] | None = Field(
        default=None, description='along the heading, across it, and height [m]; of all but meshes'
    )
    path: str | None = Field(
        default=None, min_length=1, description='of a mesh: OBJ, STL or MSH file, relative to the scenario file'
    )
    scale: float = Field(default=1.0, gt=0.0, le=1e4, description="of the mesh file's unit [m]")
    friction: float = Field(default=0.8, ge=0.0, le=10.0, description='Coulomb coefficient against anything [-]')
    material: Literal['rock', 'concrete', 'metal', 'wood'] = Field(
        default='rock', description='how it looks: rock, concrete, metal or wood'
    )

    @model_validator(mode='after')
    def _has_one_shape(self) -> ObstacleConfig:
        if self.type == 'mesh':
            if self.path is None or self.size is not None:
                key = 'size' if self.path is not None else 'path = null'
                raise ValueError(f'{key}: a mesh is its file; allowed: path, and no size')
        elif self.size is None or self.path is not None:
            key = 'path' if self.size is not None else 'size = null'
            raise ValueError(f'{key}: a {self.type} is as large as its size; allowed: size, and no path')
        elif self.scale != 1.0:
            raise ValueError(f'scale = {self.scale!r}: is of mesh files; allowed: none beside size')
        return self
