# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Beds of grains for testbeds: grain settings and a level bed in a bin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from regolith_files import Section, rounded_text
from regolith_terrain.grid import Floats
from regolith_testbeds.dem.assembly import Assembly
from regolith_testbeds.dem.bodies import Body, plane
from regolith_testbeds.dem.clumps import SHAPES, Clump
from regolith_testbeds.dem.materials import GrainMaterial, longest_step
from regolith_testbeds.dem.packing import attitudes, lattice, settle, sizes, smooth, stiffen

BYTES_PER_BALL = 900.0
"""Memory of a ball and its pairs in a dense bed [B]."""
STEPS_PER_SECOND = 2e6
"""Approximate steps of one ball per second on one core."""
MOST_BALLS = 2_000_000
_DENSE = 0.64
"""Solid fraction of a bed in random close packing of spheres; clumps are close to it."""
_SOFT = 0.02
"""Young's modulus during filling as a fraction of its final value."""
_SOFTEST_PA = 5e6
"""Smallest Young's modulus during filling [Pa]: the weight of 0.1 m of grains compresses them by 2 %."""


class Grains(Section):
    """Grains of one kind; defaults are a substitute for GRC-1.

    Friction and density are those of published DEM of wheels on GRC-1. Rolling resistance, which spheres need in place
    of corners, gives a heap (experiment ``repose``) of 33 deg, the friction angle of GRC-1 (33.4 deg).
    """

    shape: Literal['sphere', 'clump3', 'clump6'] = Field(
        default='sphere', description='Shape of the grains: a sphere, or a clump of 3 or 6 spheres.'
    )
    radius_m: float = Field(
        default=0.008, gt=1e-4, le=0.1, description='Mean radius of the sphere of equal volume [m].'
    )
    radius_spread: float = Field(
        default=0.15, ge=0.0, le=0.5, description='Largest relative deviation of the radius, uniformly distributed [-].'
    )
    youngs_modulus_pa: float = Field(default=4e8, ge=1e5, le=1e12, description="Reduced Young's modulus [Pa].")
    poisson_ratio: float = Field(default=0.3, ge=0.0, lt=0.5, description="Poisson's ratio [-].")
    restitution: float = Field(default=0.5, gt=0.0, le=1.0, description='Coefficient of restitution [-].')
    friction: float = Field(default=0.4, ge=0.0, le=10.0, description='Friction coefficient between grains [-].')
    rolling_resistance: float = Field(
        default=0.3, ge=0.0, le=1.0, description='Rolling resistance: torque over radius and normal force [-].'
    )
    cohesion: float = Field(
        default=0.0,
        ge=0.0,
        le=1e3,
        description='Cohesion: largest tensile contact force over the weight of a grain [-].',
    )
    density_kgpm3: float = Field(default=2600.0, gt=0.0, le=3e4, description='Density of the solid material [kg/m^3].')

    def material(self) -> GrainMaterial:
        """Return the material of the grains."""
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
        """Return the shape of the grains."""
        return SHAPES[self.shape]()

    def scales(self, seed: int, name: str, count: int) -> Floats:
        """Return random sizes of grains, shape (count,)."""
        return sizes(seed, name, count, self.radius_m / self.clump().equivalent_radius, self.radius_spread)

    @property
    def step_s(self) -> float:
        """Largest step allowed by the smallest grain [s]."""
        clump = self.clump()
        smallest = self.radius_m * (1.0 - self.radius_spread) / clump.equivalent_radius * float(clump.radius.min())
        return longest_step(self.material(), smallest)

    def affordable(self, count: float, seconds: float) -> None:
        """Reject a number of grains that needs too much memory or time.

        Args:
            count: Number of grains.
            seconds: Simulated time [s].

        Raises:
            ValueError: If there are too many grains. The message states memory and time.
        """
        balls = count * len(self.clump().radius)
        if balls > MOST_BALLS:
            memory = balls * BYTES_PER_BALL * 1e-9
            hours = balls * seconds / self.step_s / STEPS_PER_SECOND / 3600.0
            grains, size, time = (rounded_text(value, 3) for value in (count, memory, hours))
            raise ValueError(
                f'{grains} grains would need {size} GB and {time} hours on one core; '
                f'allowed: larger grains or a smaller bed, of at most {MOST_BALLS} balls'
            )


class GrainBin(Section):
    """A box of grains, filled to a level surface at z = 0."""

    length_m: float = Field(default=1.3, gt=0.0, le=20.0, description='Length of the bin along x [m].')
    width_m: float = Field(default=0.4, gt=0.0, le=20.0, description='Width of the bin along y [m].')
    depth_m: float = Field(default=0.12, gt=0.0, le=5.0, description='Depth of the bin [m].')
    packing: Literal['loose', 'dense'] = Field(
        default='loose',
        description='Packing of the bed: loose, filled with friction, or dense, filled without friction.',
    )
    wall_friction: float = Field(
        default=0.9, ge=0.0, le=10.0, description='Friction coefficient of walls and floor [-].'
    )
    seed: int = Field(default=1, ge=0, le=2**31, description='Seed of sizes, positions and orientations.')

    @model_validator(mode='after')
    def _possible(self) -> GrainBin:
        least = min(self.length_m, self.width_m, self.depth_m)
        for key in ('length_m', 'width_m'):
            if getattr(self, key) > 100.0 * least:
                raise ValueError(f'{key}: is more than 100 times the shortest side; allowed: at most {100.0 * least:g}')
        return self

    def count(self, grains: Grains) -> int:
        """Return the number of grains that fill the bin, with a margin of a tenth."""
        volume = self.length_m * self.width_m * self.depth_m
        return math.ceil(1.1 * _DENSE * volume / (4.0 / 3.0 * math.pi * grains.radius_m**3))

    def walls(self, grains: Grains) -> Body:
        """Return floor and walls; x begins at 0, y is 0 in the middle."""
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
    """Centers of mass [m], shape (n, 3)."""
    scale: Floats
    """Sizes [m], shape (n,)."""
    turn: Floats
    """Orientations as quaternions (x, y, z, w), shape (n, 4)."""
    bulk_density: float
    """Bulk density of the lower three quarters of the bed [kg/m^3]."""


def fill_bin(
    bed: GrainBin, grains: Grains, gravity: float, threads: int = 1, tick: Callable[[float], None] = lambda part: None
) -> Filled:
    """Return grains that have fallen into a bin and are cut level at the top.

    Args:
        bed: Bin to fill.
        grains: Kind of grains.
        gravity: Gravity [m/s^2].
        threads: Number of threads.
        tick: Progress callback with the completed fraction.
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
    # Remove grains that extend above the surface.
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
