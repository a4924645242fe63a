# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dispensers of a vehicle, which release objects from its payloads into the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.payload_config import DispenserConfig
from regolith_vehicles.dynamics.model_checks import index_of
from regolith_vehicles.dynamics.multibody import Multibody, impulse_response, momentum, quaternion_to_ros
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_world.cycle import BodyState, Shape, ShapeKind, SpawnedObject
from regolith_world.numerics import portable_math
from regolith_world.objects import inertia_of

Vector = NDArray[np.float64]


class Dispensers:
    """Dispensers of a vehicle's file, in order of their names; none for most vehicles."""

    def __init__(self, config: VehicleModelConfig, body: Multibody, mjcf: str, payloads: Payloads) -> None:
        """Find the bodies of the dispensers.

        Args:
            config: Vehicle model.
            body: Multibody model.
            mjcf: Name of the MJCF file.
            payloads: Payloads of the vehicle.

        Raises:
            VehicleModelError: If a body does not exist.
        """
        self._config, self._payloads, self._model = config.dispensers, payloads, body.model
        self.names = tuple(sorted(config.dispensers))
        """Names of the dispensers."""
        self._bodies = [
            index_of(body.model, 'body', self._config[name].body, mjcf, config.file or mjcf, f'dispensers.{name}.body')
            for name in self.names
        ]
        self.released = np.zeros(len(self.names))
        """Number of objects that each dispenser has released, shape (n,)."""

    def reset(self) -> None:
        """Fill all dispensers again."""
        self.released = np.zeros(len(self.names))

    def next_object(self, name: str, pending: int = 0) -> str:
        """Return DISPENSER_K, the name of the next object without that of the vehicle; '': the dispenser is empty.

        Args:
            name: Name of the dispenser.
            pending: Number of objects to be released before it.
        """
        number = int(self.released[self.names.index(name)]) + pending + 1
        return f'{name}_{number}' if number <= self._config[name].count else ''

    def release(self, name: str, vehicle: str, data: Any, refresh: Callable[[], None]) -> SpawnedObject:
        """Release the next object of a dispenser at the present state; the velocities of the vehicle change.

        The object leaves the dispenser with the velocity of its point, plus the speed of release. Its mass leaves the
        payload. An impulse and a moment on the body of the dispenser balance momentum and angular momentum.

        Args:
            name: Name of the dispenser, which is not empty.
            vehicle: Name of the vehicle.
            data: MuJoCo state (mujoco.MjData).
            refresh: Function that updates poses and velocities of all bodies from qpos and qvel.

        Source: goldstein2002.
        Checked by: test_dispensers.py::test_a_release_keeps_mass_momentum_and_angular_momentum.
        """
        k, given, model = self.names.index(name), self._config[name], self._model
        body, object_name = self._bodies[k], self.next_object(name)
        turn = data.xmat[body].reshape(3, 3)
        place = data.xpos[body] + portable_math.times(turn, given.position)
        direction = np.array(given.direction) / portable_math.norm(np.array(given.direction))
        spin = data.cvel[body, :3].copy()
        arm = place - data.subtree_com[model.body_rootid[body]]
        velocity = data.cvel[body, 3:] + portable_math.cross(spin, arm)
        velocity = velocity + given.speed_mps * portable_math.times(turn, direction)
        shape = object_shape(given)
        inertia = portable_math.times(portable_math.times(turn, inertia_of(shape, given.mass_kg)), turn.T)
        before = momentum(model, data, place)
        self.released = self.released.copy()
        self.released[k] += 1.0
        self._lighten(given.payload, given.mass_kg)
        refresh()
        after = momentum(model, data, place)
        impulse = before[0] - after[0] - given.mass_kg * velocity
        moment = before[1] - after[1] - portable_math.times(inertia, spin)
        data.qvel[:] += impulse_response(model, data, body, place, impulse, moment)
        refresh()
        state = BodyState(
            f'{vehicle}/{object_name}',
            place,
            quaternion_to_ros(data.xquat[body]),
            velocity,
            spin,
            given.mass_kg,
            place.copy(),
            inertia,
        )
        return SpawnedObject(state.name, (shape,), state, given.restitution, given.friction)

    def _lighten(self, payload: str, mass: float) -> None:
        """Remove a mass [kg] from a payload, whose moments of inertia shrink in proportion."""
        table = self._payloads.table.copy()
        row = table[self._payloads.names.index(payload)]
        left = row[0] - mass
        row[:] = row * (left / row[0]) if left > 1e-9 * mass else 0.0
        if left > 1e-9 * mass:
            row[0] = left
        self._payloads.take(table)


def object_shape(given: DispenserConfig) -> Shape:
    """Return the collision shape of an object."""
    size = np.zeros(3)
    size[: len(given.shape.size_m)] = given.shape.size_m
    return Shape(ShapeKind[given.shape.kind.upper()], size)
