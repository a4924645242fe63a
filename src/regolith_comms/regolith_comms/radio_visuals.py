# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What observers see of radios: the masts of stations, and breadcrumbs, which may also be rigid bodies."""

from __future__ import annotations

import numpy as np

from regolith_comms.radio import Floats
from regolith_world.cycle import Anchor, BodyState, ObjectVisual, Shape, ShapeKind, SpawnedObject
from regolith_world.numerics import portable_math
from regolith_world.objects import cylinder_inertia, make_rigid_state

BODIES = 'bodies'
"""Participant that moves rigid bodies on the ground. In its presence breadcrumbs are bodies of the world."""
BREADCRUMB_RADIUS_M, BREADCRUMB_HEIGHT_M, BREADCRUMB_KG = 0.05, 0.04, 0.1
"""Radius, height and mass of a breadcrumb, an upright cylinder. These are assumptions."""
_BOX_M, _MAST_RADIUS_M, _HEAD_RADIUS_M = 0.4, 0.03, 0.08
"""Side of a station's box, which is half as high, and radii of its mast and of the ball at its antenna."""
_FRICTION = 0.5


def breadcrumb_shape() -> Shape:
    """Return the shape of a breadcrumb."""
    return Shape(ShapeKind.CYLINDER, np.array([BREADCRUMB_RADIUS_M, 0.5 * BREADCRUMB_HEIGHT_M, 0.0]))


def breadcrumb_visual(name: str, place: Floats) -> ObjectVisual:
    """Return the visual of a breadcrumb that lies on the ground below a place [m], shape (3,)."""
    on_ground = np.array([place[0], place[1], 0.5 * BREADCRUMB_HEIGHT_M])
    return ObjectVisual(name, Anchor.GROUND, on_ground, (breadcrumb_shape(),))


def breadcrumb_body(name: str, place: Floats, vehicle: BodyState, dt_s: float) -> SpawnedObject:
    """Return the body of a breadcrumb at the end of the cycle in which a vehicle drops it.

    It leaves the vehicle at the start of the cycle with the velocity of the vehicle's point there, and without spin.
    Its axis is parallel to the vehicle's z axis. The velocity of the vehicle does not change, as nothing pushes it.

    The vehicle keeps its mass, so each drop adds BREADCRUMB_KG to the world: 0.02 % of a VIPER. An object of a
    vehicle's dispenser takes its mass from a payload. A breadcrumb does not, because the comms participant spawns it,
    not the vehicle.

    Args:
        name: Name of the body.
        place: Place of the drop in the world frame [m], shape (3,).
        vehicle: State of the vehicle's base at the start of the cycle.
        dt_s: Length of the cycle [s].
    """
    velocity = vehicle.linear_velocity + portable_math.cross(vehicle.angular_velocity, place - vehicle.position)
    inertia = cylinder_inertia(BREADCRUMB_KG, BREADCRUMB_RADIUS_M, 0.5 * BREADCRUMB_HEIGHT_M)
    state = make_rigid_state(
        name,
        place + dt_s * velocity,
        BREADCRUMB_KG,
        inertia,
        orientation=vehicle.orientation,
        linear_velocity=velocity,
    )
    return SpawnedObject(name, (breadcrumb_shape(),), state, friction=_FRICTION)


def station_visual(name: str, place: Floats, antenna_height_m: float) -> ObjectVisual:
    """Return the visual of a station: a box with a mast, which ends at the antenna.

    Args:
        name: Name of the station.
        place: Position of the station in the world frame [m], shape (3,).
        antenna_height_m: Height of its antenna above it [m].
    """
    up, half = np.array([0.0, 0.0, 1.0]), 0.5 * _BOX_M
    shapes = [Shape(ShapeKind.BOX, np.array([half, half, 0.5 * half]), 0.5 * half * up)]
    if antenna_height_m > half:
        size = np.array([_MAST_RADIUS_M, 0.5 * antenna_height_m, 0.0])
        shapes.append(Shape(ShapeKind.CYLINDER, size, 0.5 * antenna_height_m * up))
        shapes.append(Shape(ShapeKind.SPHERE, np.array([_HEAD_RADIUS_M, 0.0, 0.0]), antenna_height_m * up))
    return ObjectVisual(name, Anchor.WORLD, place.copy(), tuple(shapes))
