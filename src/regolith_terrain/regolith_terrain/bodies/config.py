# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``bodies`` section of a scenario: rigid bodies that rest on the ground."""

from __future__ import annotations

from pydantic import Field

from regolith_files import Section


class MovableRocksConfig(Section):
    """Rocks of the terrain that move when a vehicle or a body touches them.

    They sleep until then, with their lower part in the soil. A rock that overlaps another rock or an obstacle stands
    fast, as do smaller and larger rocks. Only for soil of the terrain model ``scm``.
    """

    least_m: float = Field(default=0.10, ge=0.05, le=10.0, description='Width of the smallest movable rocks [m].')
    most_m: float = Field(default=1.5, gt=0.05, le=20.0, description='Width of the largest movable rocks [m].')
    density_kgpm3: float = Field(default=2900.0, ge=500.0, le=8000.0, description='Density of the rocks [kg/m^3].')
    half_side_m: float = Field(
        default=50.0,
        gt=0.0,
        le=1000.0,
        description='Half side of the square about the origin in which rocks are movable [m].',
    )


class BodiesConfig(Section):
    """Rigid bodies on the ground.

    With this section, the objects of type ``rigid_body`` touch the soil, rigid terrain, rocks and obstacles. Without
    it, they fall through the ground.
    """

    substep_s: float = Field(default=1e-3, ge=1e-5, le=5e-3, description='Maximum substep of the motion [s].')
    plough: bool = Field(
        default=True,
        description='Whether soil resists the advancing face of boxes that have sunk in (passive earth pressure).',
    )
    sleep_after_s: float = Field(
        default=0.5,
        ge=0.02,
        le=1e6,
        description='Simulated time at rest after which a body sleeps: it is not computed until its state or the soil'
        ' below it changes [s].',
    )
    sleep_speed_mps: float = Field(
        default=2e-3,
        ge=0.0,
        le=1.0,
        description='Speed of every point of a body below which it is at rest [m/s]; 0: bodies never sleep.',
    )

    movable_rocks: MovableRocksConfig | None = Field(
        default=None, description='Rocks of the terrain that can be moved; null: all rocks stand fast.'
    )

    def parameters(self) -> dict[str, str]:
        """Return the values on which all participants that compute bodies must agree, as text."""
        return {f'bodies.{name}': repr(value) for name, value in self.model_dump().items()}
