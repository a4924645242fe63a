# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings of actuators whose force alternates between its limits: servos that the step size cannot resolve.

Such a servo overshoots in each substep. The joint gets full force forward and backward alternately, with a mean near
zero, so a wheel does not hold its speed. Models for which this is certain are refused when they are read
(:func:`regolith_vehicles.dynamics.model_checks.check_servos`). Couplings between joints, stiff contacts and joint
limits show it only during a run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

MEAN_S = 0.5
"""Time constant of the mean over cycles [s]; longer than a gear shift or an impact."""
ALTERNATES, CALM = 0.5, 0.1
"""Mean fraction of substeps with a change of limit at which a warning starts, and below which it ends."""


class TorqueWatch:
    """Monitor of one vehicle's actuators, by its committed cycles."""

    def __init__(self, name: str, model: Any) -> None:
        """Create a monitor.

        Args:
            name: Name of the vehicle.
            model: MuJoCo model (mujoco.MjModel) of the vehicle.
        """
        self._name = name
        self._model = model
        self._mean = np.zeros(model.nu)
        self._warned = np.zeros(model.nu, dtype=bool)

    def notice(self, t_ns: int, cycle_ns: int, alternation: NDArray[np.float64] | None) -> list[str]:
        """Return a warning for each actuator whose force began to alternate.

        Args:
            t_ns: Simulated time at the end of the cycle [ns].
            cycle_ns: Duration of the cycle [ns].
            alternation: Fraction of substeps in which each actuator switched between its limits [-], shape (nu,);
                None: no cycle.
        """
        if alternation is None:
            return []
        self._mean += (1.0 - math.exp(-cycle_ns * 1e-9 / MEAN_S)) * (alternation - self._mean)
        self._warned &= self._mean >= CALM
        found = np.flatnonzero((self._mean > ALTERNATES) & ~self._warned)
        self._warned[found] = True
        return [self._text(int(k), t_ns) for k in found]

    def _text(self, k: int, t_ns: int) -> str:
        actuator = self._model.actuator(k).name
        on = f'joint {self._model.joint(int(self._model.actuator_trnid[k, 0])).name}'
        return (
            f'{self._name}: {on}: the torque of actuator {actuator} alternates between its limits in'
            f' {100.0 * self._mean[k]:.0f} % of the substeps at {t_ns * 1e-9:.2f} s; fix: a lower kv (or kp),'
            ' <option integrator="implicitfast"/>, or a shorter substep_s'
        )
