# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Bucket drum that digs a trench at a given rate, and its results for all terrain models.

The trench runs along x, and all is uniform across it: values are per meter of width. The axle moves forward at a height
that keeps the circle of the lips at a constant depth. At the front the lips move down into the soil, below the axle
they move backward.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from regolith_terrain.grid import Floats

START_S = 0.2
"""Time in which axle and drum reach full speed [s]."""
FIRST_TURN = 0.5
"""Revolution at which averaging begins: by then each lip follows one that has cut equally deep."""
_SHOWN = 100
"""Number of points of a curve in a row."""


class Drum(NamedTuple):
    """Parameters of the drum, its motion and the soil."""

    radius: float
    """Radius of the circle of the lips [m]."""
    lips: int
    """Number of lips around the drum."""
    lip: float
    """Height of the lips above the shell [m]."""
    rake: float
    """Rake angle between the face of a lip and the path behind it [rad]."""
    depth: float
    """Depth of the circle of the lips below the level surface [m]."""
    advance: float
    """Forward speed of the axle [m/s]."""
    rate: float
    """Rotation rate about +y [rad/s]."""
    turns: float
    """Number of revolutions of the run."""
    gravity: float
    """Gravity [m/s^2]."""
    density: float
    """Bulk density of the soil [kg/m^3]."""
    cohesion: float
    """Cohesion of the soil [Pa]."""
    friction: float
    """Friction angle of the soil in plane strain [rad]."""

    @property
    def end(self) -> float:
        """End time of the run [s]."""
        return 2.0 * math.pi * self.turns / self.rate + 0.5 * START_S

    @property
    def chip(self) -> float:
        """Advance from one lip to the next [m]."""
        return 2.0 * math.pi * self.advance / (self.rate * self.lips)

    @property
    def reach(self) -> float:
        """Distance ahead of the axle at which the circle of the lips leaves the soil [m]."""
        return math.sqrt(self.radius**2 - (self.radius - self.depth) ** 2)

    def gone(self, t: float) -> float:
        """Return the time at full speed that gives the same travel [s]."""
        return 0.5 * t * t / START_S if t < START_S else t - 0.5 * START_S

    def share(self, t: float) -> float:
        """Return the speed as a fraction of full speed."""
        return min(1.0, t / START_S)


Samples = list[tuple[float, float, float, float, float, float]]
"""Time [s], torque against the rotation [N m/m], torque of the lips alone [N m/m], force against the advance and upward
force [N/m], soil inside the drum [kg/m]."""


def drum_results(drum: Drum, samples: Samples) -> dict[str, Any]:
    """Return the results of a drum so far, means from FIRST_TURN on; None before that."""
    keys = ('torque_nm_per_m', 'lips_torque_nm_per_m', 'draft_n_per_m', 'lift_n_per_m', 'power_w_per_m')
    found: dict[str, Any] = {**dict.fromkeys(keys), 'gathered_kg_per_m': None, 'swept_kg_per_m': None}
    table: Floats = np.array(samples, dtype=np.float64).reshape(-1, 6)
    turn = np.array([drum.gone(t) for t in table[:, 0].tolist()]) * drum.rate / (2.0 * math.pi)
    if len(table):
        found['gathered_kg_per_m'] = float(table[-1, 5])
        found['swept_kg_per_m'] = drum.density * drum.depth * drum.advance * drum.gone(float(table[-1, 0]))
    late = turn >= FIRST_TURN
    if late.any():
        torque, cutting, draft, lift = (float(table[late, k].mean()) for k in (1, 2, 3, 4))
        power = torque * drum.rate + draft * drum.advance
        found.update(zip(keys, (torque, cutting, draft, lift, power), strict=True))
    each = -(-len(table) // _SHOWN) or 1
    curve = np.stack((turn, table[:, 1]), axis=1)[::each].round(5).tolist()
    return {**found, 'chip_m': drum.chip, 'curve': curve}
