# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies on level ground, for the tests of their contact."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from regolith_terrain import FlatField, SoilGrid, SoilMap, load_soil
from regolith_terrain.bodies import BodyDescription, BodyGround, BodyShape, BodySteps, RigidBodies
from regolith_terrain.solids import Solids
from regolith_terrain.solids.polyhedron import convex_hull
from regolith_terrain.solids.solids import Solid
from regolith_terrain.terrain_model import find_terrain_model

MOON, EARTH = 1.62, 9.81
DENSITY = 2900.0
"""Density of basalt [kg/m^3]."""
CYCLE_S = 0.02


def scm_parameters(**changed: float) -> np.ndarray:
    """Return the parameters of lunar_nominal with changes."""
    return load_soil('lunar_nominal').model_copy(update=changed).parameters()


def rigid_parameters(**changed: float) -> np.ndarray:
    """Return the parameters of rigid terrain with changes."""
    return find_terrain_model('rigid').config(**changed).parameters()


def tilted(angle_deg: float, gravity: float = MOON) -> np.ndarray:
    """Return gravity on level ground that represents a slope falling along x."""
    angle = math.radians(angle_deg)
    return np.array([gravity * math.sin(angle), 0.0, -gravity * math.cos(angle)])


def one_body(
    shape: BodyShape,
    mass: float,
    soil: np.ndarray,
    gravity: Any = MOON,
    spacing: float = 0.01,
    solids: Solids | None = None,
    **more: Any,
) -> RigidBodies:
    """Return one body on level ground of the terrain model to which the soil parameters belong."""
    law = find_terrain_model('scm' if len(soil) == 9 else 'rigid')
    pull = np.array([0.0, 0.0, -gravity]) if np.isscalar(gravity) else gravity
    ground = BodyGround(SoilGrid(FlatField(), spacing, law), SoilMap(soil), pull, solids)
    return RigidBodies([BodyDescription('body', shape, mass, **more)], ground)


def bodies_in_flight(*each: tuple[BodyShape, float, float]) -> RigidBodies:
    """Return bodies of these shapes, masses [kg] and coefficients of restitution above rigid terrain, without gravity."""
    law = find_terrain_model('rigid')
    ground = BodyGround(SoilGrid(FlatField(), 0.05, law), SoilMap(rigid_parameters()), np.zeros(3), None)
    made = [BodyDescription(f'body{n}', *one[:2], one[2]) for n, one in enumerate(each)]
    return RigidBodies(made, ground)


def block(low: tuple[float, float, float], high: tuple[float, float, float], turn: np.ndarray | None = None) -> Solids:
    """Return one box between two corners [m], turned about the origin."""
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    return Solids([convex_hull(corners)], [Solid(0, np.zeros(3), np.eye(3) if turn is None else turn, 0.5)])


def run(bodies: RigidBodies, seconds: float) -> np.ndarray:
    """Advance bodies by cycles, commit the soil, and return position and velocity of the first after each cycle."""
    track, steps = [], BodySteps(bodies)
    for _ in range(round(seconds / CYCLE_S)):
        bodies.ground.grid.apply(steps.advance(CYCLE_S, range(len(bodies))))
        track.append(np.concatenate((bodies.position[0], bodies.velocity[0])))
    return np.array(track)


def ball_depth(radius: float, stiffness: float, weight: float, exponent: float = 1.0) -> float:
    """Return the depth of a sphere at rest on SCM soil of pressure k z^n, from its closed form [m]."""
    low, high = 0.0, radius
    for _ in range(80):
        z = 0.5 * (low + high)
        load = 2.0 * math.pi * stiffness * z ** (exponent + 1.0) / (exponent + 1.0) * (radius - z / (exponent + 2.0))
        low, high = (z, high) if load < weight else (low, z)
    return high
