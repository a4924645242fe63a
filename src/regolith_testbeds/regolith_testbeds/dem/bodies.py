# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies in contact with grains: walls, plates, drums, wheels with grousers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from regolith_terrain.grid import Floats
from regolith_testbeds.dem.materials import GrainMaterial
from regolith_testbeds.dem.parts import BOX, CYLINDER, PLANE, TUBE
from regolith_testbeds.dem.state import BodyArrays

_UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class BodyPrimitive:
    """A primitive shape in the axes of its body."""

    kind: int
    size: Vector
    """Half lengths of a box; radius, half length and 0 of a cylinder or tube about its z axis [m]."""
    place: Vector = (0.0, 0.0, 0.0)
    """Position in the body's axes [m]."""
    axes: Sequence[Sequence[float]] = _UPRIGHT
    """Rotation to the body's axes, shape (3, 3)."""

    def reach(self) -> float:
        """Return the radius about the body's origin that encloses the part [m]; 0 for a plane."""
        if self.kind == PLANE:
            return 0.0
        half = math.hypot(*self.size) if self.kind == BOX else math.hypot(self.size[0], self.size[1])
        return half + math.hypot(*self.place)


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body with given spin and velocity; along free axes, forces determine the velocity."""

    parts: Sequence[BodyPrimitive]
    material: GrainMaterial
    place: Vector = (0.0, 0.0, 0.0)
    """Position [m]."""
    velocity: Vector = (0.0, 0.0, 0.0)
    """Velocity [m/s]."""
    spin: Vector = (0.0, 0.0, 0.0)
    """Angular velocity [rad/s]."""
    mass: float = math.inf
    """Mass [kg]."""
    free: tuple[bool, bool, bool] = field(default=(False, False, False))
    """World axes along which the body moves freely."""


def plane(normal: Vector, through: Vector = (0.0, 0.0, 0.0)) -> BodyPrimitive:
    """Return the half space behind a plane whose normal points to the grains."""
    z = np.array(normal) / np.linalg.norm(normal)
    x = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    return BodyPrimitive(PLANE, (0.0, 0.0, 0.0), through, np.stack((x, np.cross(z, x), z), axis=1).tolist())


def box(sides: Vector, place: Vector = (0.0, 0.0, 0.0)) -> BodyPrimitive:
    """Return a box with given side lengths [m], centered at its position."""
    return BodyPrimitive(BOX, (0.5 * sides[0], 0.5 * sides[1], 0.5 * sides[2]), place)


def cylinder(radius: float, length: float) -> BodyPrimitive:
    """Return a solid cylinder about z [m]."""
    return BodyPrimitive(CYLINDER, (radius, 0.5 * length, 0.0))


def tube(radius: float, length: float) -> BodyPrimitive:
    """Return a thin tube about z, open at both ends [m]."""
    return BodyPrimitive(TUBE, (radius, 0.5 * length, 0.0))


def wheel(radius: float, width: float, grousers: int, height: float, thickness: float) -> tuple[BodyPrimitive, ...]:
    """Return a drum about y with straight grousers [m]; the first one is at the lowest point."""
    about_y = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    parts = [BodyPrimitive(CYLINDER, (radius, 0.5 * width, 0.0), axes=about_y)]
    for k in range(grousers):
        angle = 2.0 * math.pi * k / grousers
        c, s = math.cos(angle), math.sin(angle)
        middle = radius + 0.5 * height
        axes = ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
        half = (0.5 * thickness, 0.5 * width, 0.5 * height)
        parts.append(BodyPrimitive(BOX, half, (-middle * s, 0.0, -middle * c), axes))
    return tuple(parts)


def body_arrays(bodies: Sequence[Body]) -> BodyArrays:
    """Return the arrays of bodies, in their order."""
    parts = [(b, part) for b, body in enumerate(bodies) for part in body.parts]

    def rows(values: list[Floats], width: int) -> Floats:
        return np.array(values, dtype=np.float64).reshape(len(values), width)

    mobility = [[1.0 / body.mass if free else 0.0 for free in body.free] for body in bodies]
    return BodyArrays(
        place=rows([np.array(b.place) for b in bodies], 3),
        axes=rows([np.eye(3).reshape(9) for _ in bodies], 9),
        velocity=rows([np.array(b.velocity) for b in bodies], 3),
        spin=rows([np.array(b.spin) for b in bodies], 3),
        mobility=np.array(mobility).reshape(len(bodies), 3),
        reach=np.array([max((p.reach() for p in body.parts), default=0.0) for body in bodies]),
        wrench=np.zeros((len(bodies), 6)),
        impulse=np.zeros((len(bodies), 6)),
        part_body=np.array([b for b, _ in parts], dtype=np.int64),
        part_kind=np.array([p.kind for _, p in parts], dtype=np.int64),
        part_size=rows([np.array(p.size) for _, p in parts], 3),
        part_place=rows([np.array(p.place) for _, p in parts], 3),
        part_axes=rows([np.array(p.axes).reshape(9) for _, p in parts], 9),
        world_place=np.zeros((len(parts), 3)),
        world_axes=np.zeros((len(parts), 9)),
    )
