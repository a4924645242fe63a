# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A bucket drum that digs a trench at a given rate, and what is measured, whatever the ground is.

The trench runs along x, and everything is the same across it: figures are per metre of width. The axle goes ahead at a
height that keeps the lips' circle at the same depth; at the front lips go down into the soil, below the axle they go
back.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from regolith_terrain.grid.node_records import Floats

START_S = 0.2
"""In which axle and drum come up to speed [s]."""
FIRST_TURN = 0.5
"""Turn from which on figures are means: by then each lip follows one that has cut as deep."""
_SHOWN = 100
"""Points of a curve in a row."""


class Drum(NamedTuple):
    """The drum, how it moves, and the soil."""

    radius: float
    """Of the circle of the lips [m]."""
    lips: int
    """All round."""
    lip: float
    """How far lips stand out from the shell [m]."""
    rake: float
    """Of their faces, from the path behind them [rad]."""
    depth: float
    """Of the lips' circle below level ground [m]."""
    advance: float
    """Of the axle [m/s]."""
    rate: float
    """About +y [rad/s]."""
    turns: float
    """After which it ends."""
    gravity: float
    """[m/s^2]."""
    density: float
    """Of the soil [kg/m^3]."""
    cohesion: float
    """[Pa]."""
    friction: float
    """Angle of friction, in plane strain [rad]."""

    @property
    def end(self) -> float:
        """Return when it ends [s]."""
        return 2.0 * math.pi * self.turns / self.rate + 0.5 * START_S

    @property
    def chip(self) -> float:
        """Return the advance from one lip to the next [m]."""
        return 2.0 * math.pi * self.advance / (self.rate * self.lips)

    @property
    def reach(self) -> float:
        """Return how far ahead of the axle the lips' circle comes out of the ground [m]."""
        return math.sqrt(self.radius**2 - (self.radius - self.depth) ** 2)

    def gone(self, t: float) -> float:
        """Return the time at full speed that would bring it as far [s]."""
        return 0.5 * t * t / START_S if t < START_S else t - 0.5 * START_S

    def share(self, t: float) -> float:
        """Return the speed over the full one."""
        return min(1.0, t / START_S)


Samples = list[tuple[float, float, float, float, float, float]]
"""Time [s], torque against the rate [N m/m], that of the lips alone, force against the advance and upwards [N/m], soil
inside [kg/m]."""


def drum_results(drum: Drum, samples: Samples) -> dict[str, Any]:
    """Return the figures of a drum so far, means from FIRST_TURN on; None before that."""
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
