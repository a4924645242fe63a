# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Clearance of objects that a vehicle releases: they begin outside of its collision shapes."""

from __future__ import annotations

import numpy as np

from regolith_vehicles.contact.collision_shapes import collision_shapes, shape_bodies
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError
from regolith_vehicles.dynamics.dispensers import object_shape
from regolith_vehicles.dynamics.model_checks import index_of
from regolith_vehicles.dynamics.multibody import Multibody, at_origin, quaternion_to_ros
from regolith_world.contacts import first_overlap
from regolith_world.numerics import portable_math
from regolith_world.objects import StaticBody

STEP_M, FARTHEST_M = 0.05, 20.0
"""Step and limit of the search for a place outside of the vehicle along the direction of release [m]."""


def check_release(config: VehicleModelConfig, body: Multibody, mjcf: str) -> None:
    """Check that the objects of all dispensers begin outside of all collision shapes of their vehicle.

    The vehicle is in its initial pose. Wheels and tracks do not count.

    Args:
        config: Vehicle model.
        body: Multibody model.
        mjcf: Name of the MJCF file.

    Raises:
        VehicleModelError: If a body does not exist, or with the body and the depth, and a position that is free.
    """
    for name, given in sorted(config.dispensers.items()):
        key = f'dispensers.{name}.body'
        _check_place(name, index_of(body.model, 'body', given.body, mjcf, config.file or mjcf, key), config, body, mjcf)


def _check_place(name: str, number: int, config: VehicleModelConfig, body: Multibody, mjcf: str) -> None:
    """Check one dispenser.

    Args:
        name: Name of the dispenser.
        number: MuJoCo body of the dispenser.
        config: Vehicle model.
        body: Multibody model.
        mjcf: Name of the MJCF file.

    Raises:
        VehicleModelError: See :func:`check_release`.
    """
    given, data = config.dispensers[name], at_origin(body.model)
    shapes, owners = collision_shapes(config), shape_bodies(config)
    hull = [
        StaticBody(
            (config.chassis, *config.parts)[k],
            data.xpos[part],
            [shape for shape, owner in zip(shapes, owners, strict=True) if owner == k],
            orientation=quaternion_to_ros(data.xquat[part]),
        )
        for k, part in enumerate((body.base, *body.parts.tolist()))
        if k in owners
    ]
    turn = data.xmat[number].reshape(3, 3)
    way = np.array(given.direction) / portable_math.norm(np.array(given.direction))

    def overlap(farther: float) -> tuple[str, float] | None:
        """Return body and depth [m] of an overlap at a distance along the direction of release."""
        place = data.xpos[number] + portable_math.times(turn, np.array(given.position) + farther * way)
        thing = StaticBody('object', place, [object_shape(given)], orientation=quaternion_to_ros(data.xquat[number]))
        hit = first_overlap([*hull, thing])
        return None if hit is None else (hit[1].name, hit[2])

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
