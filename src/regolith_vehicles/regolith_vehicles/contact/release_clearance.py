# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Clearance of objects that a vehicle releases: they begin outside of its collision shapes and its running gear."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from regolith_vehicles.contact.collision_shapes import collision_shapes, shape_bodies
from regolith_vehicles.contact.contact_parts import PartSet
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.dispensers import object_shape
from regolith_vehicles.dynamics.model_checks import index_of
from regolith_vehicles.dynamics.multibody import Multibody, at_origin, quaternion_to_ros
from regolith_vehicles.running_gear import RunningGear
from regolith_world.contacts import first_overlap
from regolith_world.numerics import portable_math, rotation
from regolith_world.objects import StaticBody, hull_shape

STEP_M, FARTHEST_M = 0.05, 20.0
"""Step and limit of the search for a place outside of the vehicle along the direction of release [m]."""


def check_release(config: VehicleModelConfig, body: Multibody, mjcf: str, gear: RunningGear, parts: PartSet) -> None:
    """Check that the objects of all dispensers begin outside of all collision shapes of their vehicle.

    The vehicle is in its initial pose. Collision shapes are those of the hull, and the wheels, shoes or feet, which
    press rigid bodies on the ground. A wheel is a cylinder, any other part of a running gear is its box.

    Args:
        config: Vehicle model.
        body: Multibody model.
        mjcf: Name of the MJCF file.
        gear: Running gear of the vehicle.
        parts: Parts that can touch the ground.

    Raises:
        VehicleModelError: If a body does not exist, or with the body and the depth, and a position that is free.
    """
    if not config.dispensers:
        return
    data = at_origin(body.model)
    shapes, owners = collision_shapes(config), shape_bodies(config)
    hull = [
        StaticBody(
            f'body {(config.chassis, *config.parts)[k]}',
            data.xpos[part],
            [shape for shape, owner in zip(shapes, owners, strict=True) if owner == k],
            orientation=quaternion_to_ros(data.xquat[part]),
        )
        for k, part in enumerate((body.base, *body.parts.tolist()))
        if k in owners
    ]
    solids = itertools.islice(parts.solids(data, gear.whereabouts(data)), parts.gear)
    for part, (solid, place, axes) in zip(parts.names, solids, strict=False):
        hull.append(StaticBody(part, place, [hull_shape(solid.vertices)], orientation=rotation.from_matrix(axes)))
    for name, given in sorted(config.dispensers.items()):
        key = f'dispensers.{name}.body'
        number = index_of(body.model, 'body', given.body, mjcf, config.file or mjcf, key)
        _check_place(name, number, config, data, mjcf, hull)


def _check_place(
    name: str, number: int, config: VehicleModelConfig, data: Any, mjcf: str, hull: list[StaticBody]
) -> None:
    """Check one dispenser.

    Args:
        name: Name of the dispenser.
        number: MuJoCo body of the dispenser.
        config: Vehicle model.
        data: MuJoCo state (mujoco.MjData) of the initial pose.
        mjcf: Name of the MJCF file.
        hull: Collision shapes of the vehicle.

    Raises:
        VehicleModelError: See :func:`check_release`.
    """
    given = config.dispensers[name]
    turn = data.xmat[number].reshape(3, 3)
    way = np.array(given.direction) / portable_math.norm(np.array(given.direction))

    def overlap(farther: float) -> tuple[str, float] | None:
        """Return body and depth [m] of an overlap at a distance along the direction of release."""
        place = data.xpos[number] + portable_math.times(turn, np.array(given.position) + farther * way)
        thing = StaticBody('object', place, [object_shape(given)], orientation=quaternion_to_ros(data.xquat[number]))
        hits = [first_overlap([part, thing]) for part in hull]
        deepest = max((hit for hit in hits if hit is not None), key=lambda hit: hit[2], default=None)
        return None if deepest is None else (deepest[1].name, deepest[2])

    found = overlap(0.0)
    if found is None:
        return
    problem = f'an object begins {found[1]:.3g} m inside the collision shape of {found[0]}'
    free = next((x for x in np.arange(STEP_M, FARTHEST_M, STEP_M).tolist() if overlap(x) is None), None)
    allowed = 'a position outside of all collision shapes of the vehicle'
    if free is not None:
        place = ', '.join(f'{x:.3f}' for x in (np.array(given.position) + free * way).tolist())
        allowed += f', such as [{place}]'
    raise VehicleModelError(config.file or mjcf, f'dispensers.{name}.position', list(given.position), allowed, problem)
