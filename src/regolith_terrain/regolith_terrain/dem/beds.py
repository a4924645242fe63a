# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beds of grains for benches: what they consist of, and a level one in a bin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from regolith_files.section import Section
from regolith_terrain.dem.assembly import Assembly
from regolith_terrain.dem.bodies import Body, plane
from regolith_terrain.dem.clumps import SHAPES, Clump
from regolith_terrain.dem.materials import GrainMaterial, longest_step
from regolith_terrain.dem.packing import attitudes, lattice, settle, sizes, smooth, stiffen
from regolith_terrain.grid.node_records import Floats

BYTES_PER_BALL = 900.0
"""Memory of a ball and its pairs in a dense bed [bytes]."""
STEPS_PER_SECOND = 2e6
"""Steps of one ball per second on one core, about."""
MOST_BALLS = 2_000_000
_DENSE = 0.64
"""Part of a bed's volume that is solid in random close packing of spheres; clumps come close."""
_SOFT = 0.02
"""Of Young's modulus: that of grains while they fall into place."""
_SOFTEST_PA = 5e6
"""At least: the weight of a decimetre of grains presses them together by 2 % [Pa]."""


class Grains(Section):
    """Grains of one kind. Defaults stand in for GRC-1: friction and density as in published DEM of wheels on it.

    Resistance to rolling, which spheres need in place of corners, is that with which a heap (experiment ``repose``)
    stands at 33 deg, the friction angle of GRC-1 (33.4 deg).
    """

    shape: Literal['sphere', 'clump3', 'clump6'] = Field(default='sphere', description='One sphere, or several in one.')
    radius_m: float = Field(
        default=0.008, gt=1e-4, le=0.1, description='Mean radius of the sphere of equal volume [m].'
    )
    radius_spread: float = Field(
        default=0.15, ge=0.0, le=0.5, description='Largest deviation of it, evenly distributed [-].'
    )
    youngs_modulus_pa: float = Field(default=4e8, ge=1e5, le=1e12, description='Softened [Pa].')
    poisson_ratio: float = Field(default=0.3, ge=0.0, lt=0.5, description='[-].')
    restitution: float = Field(default=0.5, gt=0.0, le=1.0, description='[-].')
    friction: float = Field(default=0.4, ge=0.0, le=10.0, description='Between grains [-].')
    rolling_resistance: float = Field(default=0.3, ge=0.0, le=1.0, description='Resistance to rolling [-].')
    cohesion: float = Field(
        default=0.0, ge=0.0, le=1e3, description='Pull of a contact over the weight of a grain [-].'
    )
    density_kgpm3: float = Field(default=2600.0, gt=0.0, le=3e4, description='Of the solid [kg/m^3].')

    def material(self) -> GrainMaterial:
        """Return what grains are made of."""
        return GrainMaterial(
            youngs_modulus_pa=self.youngs_modulus_pa,
            poisson_ratio=self.poisson_ratio,
            restitution=self.restitution,
            friction=self.friction,
            rolling_resistance=self.rolling_resistance,
            cohesion=self.cohesion,
            density_kgpm3=self.density_kgpm3,
        )

    def clump(self) -> Clump:
        """Return their shape."""
        return SHAPES[self.shape]()

    def scales(self, seed: int, name: str, count: int) -> Floats:
        """Return sizes of so many, shape (count,)."""
        return sizes(seed, name, count, self.radius_m / self.clump().equivalent_radius, self.radius_spread)

    @property
    def step_s(self) -> float:
        """Return the longest step that the smallest grain allows [s]."""
        clump = self.clump()
        smallest = self.radius_m * (1.0 - self.radius_spread) / clump.equivalent_radius * float(clump.radius.min())
        return longest_step(self.material(), smallest)

    def affordable(self, count: float, seconds: float) -> None:
        """Refuse what neither memory nor patience would bear.

        Args:
            count: Of grains.
            seconds: Simulated [s].

        Raises:
            ValueError: Saying what it would need.
        """
        balls = count * len(self.clump().radius)
        if balls > MOST_BALLS:
            memory = balls * BYTES_PER_BALL * 1e-9
            hours = balls * seconds / self.step_s / STEPS_PER_SECOND / 3600.0
            raise ValueError(
                f'{count:.3g} grains would need {memory:.3g} GB and {hours:.3g} hours on one core; '
                f'allowed: larger grains or a smaller bed, of at most {MOST_BALLS} balls'
            )


class Bin(Section):
    """A box of grains, filled to a level surface at z = 0."""

    length_m: float = Field(default=1.3, gt=0.0, le=20.0, description='Along x [m].')
    width_m: float = Field(default=0.4, gt=0.0, le=20.0, description='Along y [m].')
    depth_m: float = Field(default=0.12, gt=0.0, le=5.0, description='[m].')
    packing: Literal['loose', 'dense'] = Field(
        default='loose', description='How grains fell into place: with their friction, or without any.'
    )
    wall_friction: float = Field(default=0.9, ge=0.0, le=10.0, description='Of walls and floor [-].')
    seed: int = Field(default=1, ge=0, le=2**31, description='Of sizes, places and attitudes.')

    @model_validator(mode='after')
    def _possible(self) -> Bin:
        least = min(self.length_m, self.width_m, self.depth_m)
        for key in ('length_m', 'width_m'):
            if getattr(self, key) > 100.0 * least:
                raise ValueError(f'{key}: more than 100 times the shortest side; allowed: at most {100.0 * least:g}')
        return self

    def count(self, grains: Grains) -> int:
        """Return how many grains fill it, with a tenth over."""
        volume = self.length_m * self.width_m * self.depth_m
        return math.ceil(1.1 * _DENSE * volume / (4.0 / 3.0 * math.pi * grains.radius_m**3))

    def walls(self, grains: Grains) -> Body:
        """Return floor and walls; x runs from 0, y is 0 in the middle."""
        material = grains.material().model_copy(update={'friction': self.wall_friction})
        half = 0.5 * self.width_m
        return Body(
            (
                plane((0.0, 0.0, 1.0), (0.0, 0.0, -self.depth_m)),
                plane((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
                plane((-1.0, 0.0, 0.0), (self.length_m, 0.0, 0.0)),
                plane((0.0, 1.0, 0.0), (0.0, -half, 0.0)),
                plane((0.0, -1.0, 0.0), (0.0, half, 0.0)),
            ),
            material,
        )


class Filled(NamedTuple):
    """Grains at rest in a bin."""

    place: Floats
    """Centres of mass [m], shape (n, 3)."""
    scale: Floats
    """Sizes, shape (n,)."""
    turn: Floats
    """Attitudes, shape (n, 4)."""
    bulk_density: float
    """Of the lower three quarters of the bed [kg/m^3]."""


def fill_bin(
    bed: Bin, grains: Grains, gravity: float, threads: int = 1, tick: Callable[[float], None] = lambda part: None
) -> Filled:
    """Return grains that fell into a bin and were cut off level at the top.

    Args:
        gravity: [m/s^2].
        tick: Called with the part that is done.
    """
    count = bed.count(grains)
    scale = grains.scales(bed.seed, 'grain', count)
    rim = float(scale.max())
    half = 0.5 * np.array([bed.length_m, bed.width_m]) - 1.05 * rim
    middle = np.array([0.5 * bed.length_m, 0.0])

    def inside(places: Floats) -> Floats:
        return np.asarray((np.abs(places) <= half).all(axis=1))

    place = lattice(bed.seed, 'grain', count, rim, inside, -bed.depth_m, float(half.max()))
    place[:, :2] += middle
    turn = attitudes(bed.seed, 'grain', count)
    material = grains.material()
    modulus = material.youngs_modulus_pa
    falling = smooth(material) if bed.packing == 'dense' else material.model_copy(update={'restitution': 0.1})
    soft = falling.model_copy(update={'youngs_modulus_pa': min(max(_SOFT * modulus, _SOFTEST_PA), modulus)})
    fall = 2.5 * math.sqrt(2.0 * float(np.ptp(place[:, 2])) / gravity)
    a = Assembly(
        place,
        scale,
        soft,
        bodies=[bed.walls(grains)],
        gravity=(0.0, 0.0, -gravity),
        shape=grains.clump(),
        turn=turn,
        threads=threads,
    )
    settle(a, fall, lambda part: tick(0.7 * part), fast=0.02 * math.sqrt(gravity * grains.radius_m))
    # Cut: what sticks out above the surface is taken away.
    kept = a.grains.place[:, 2] + 0.8 * grains.radius_m < 0.0
    a = Assembly(
        a.grains.place[kept],
        scale[kept],
        soft,
        bodies=[bed.walls(grains)],
        gravity=(0.0, 0.0, -gravity),
        shape=grains.clump(),
        turn=a.grains.turn[kept],
        threads=threads,
    )
    stiffen(a, material, 0.15 * math.sqrt(grains.radius_m / gravity))
    tick(0.9)
    settle(a, 2.0 * math.sqrt(grains.radius_m / gravity))
    tick(1.0)
    deep = (a.grains.place[:, 2] > -bed.depth_m) & (a.grains.place[:, 2] < -0.25 * bed.depth_m)
    density = float(a.grains.mass[deep].sum()) / (0.75 * bed.depth_m * bed.length_m * bed.width_m)
    return Filled(a.grains.place.copy(), scale[kept], a.grains.turn.copy(), density)
