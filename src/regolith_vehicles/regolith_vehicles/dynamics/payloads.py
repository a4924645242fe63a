# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Payloads of a vehicle: additional mass and inertia of its bodies, as part of its state."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.payload_config import PayloadConfig
from regolith_vehicles.dynamics.multibody import Multibody

Vector = NDArray[np.float64]


class Payloads:
    """Payloads of a vehicle's file, in order of their names; none for most vehicles.

    A payload is at the center of mass of its body and rotates with it: masses and moments of inertia add up.
    """

    def __init__(self, config: VehicleModelConfig, body: Multibody) -> None:
        self._config = config.payloads
        self.names = tuple(sorted(config.payloads))
        """Names of the payloads."""
        self._model = body.model
        self._bodies = body.payload_body
        self._mass = self._model.body_mass[self._bodies].copy()
        self._inertia = self._model.body_inertia[self._bodies].copy()
        self._scratch = mujoco.MjData(self._model) if self.names else None
        self.table = np.zeros((len(self.names), 4))
        """Mass [kg] and moments of inertia [kg m^2] of each payload, shape (k, 4)."""
        self.reset()

    def reset(self) -> None:
        """Reset the payloads to the values in the vehicle's file."""
        given = [self._config[name] for name in self.names]
        self.take(np.array([(p.mass_kg, *p.inertia_kgm2) for p in given], dtype=np.float64))

    def load(self, name: str, mass: float, inertia: ArrayLike) -> None:
        """Replace a payload.

        Args:
            name: Name of the payload.
            mass: Mass of the payload [kg].
            inertia: Moments of inertia about its center of mass, along its body's principal axes [kg m^2], shape (3,).

        Raises:
            ValueError: If the payload does not exist, or the values are not those of a body within the capacity.
        """
        if name not in self.names:
            raise ValueError(f'no payload {name!r}; allowed: {", ".join(self.names) or "none, its file has none"}')
        moments = tuple(float(value) for value in np.asarray(inertia, dtype=np.float64).reshape(3))
        old = self._config[name].model_dump()
        PayloadConfig.model_validate({**old, 'mass_kg': float(mass), 'inertia_kgm2': moments})
        table = self.table.copy()
        table[self.names.index(name)] = (float(mass), *moments)
        self.take(table)

    def take(self, values: Vector) -> None:
        """Set all payloads; the model's masses depend only on these values, not on earlier payloads.

        Args:
            values: Values as in :attr:`table`, in any shape of that size.
        """
        self.table = values.reshape(-1, 4).copy()
        if not self.names:
            return
        self._model.body_mass[self._bodies] = self._mass + self.table[:, 0]
        self._model.body_inertia[self._bodies] = self._inertia + self.table[:, 1:]
        # Masses of subtrees, and the weights that regularize constraints.
        mujoco.mj_setConst(self._model, self._scratch)
