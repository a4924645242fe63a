# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Solar panels with partial shade.

Cells in series carry one current. A group of cells behind a bypass diode carries at most the current of its darkest
cell. A string at a current has the voltages of the groups that carry it, less the drop of a diode for each other group,
and the tracker finds its best current. This is a model of two levels: it has no shape of the curve of current over
voltage. Strings are independent, each with its own tracker.

Source: quaschning1996; ashrae1977.
Checked by: test_panels.py::test_dark_group_is_bypassed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.energy_config import PanelConfig
from regolith_world.numerics import kernel, portable_math, rotation

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

RATED_WPM2 = 1361.0
"""Irradiance at which the efficiency holds [W/m^2]."""
RATED_K = 301.15
"""Temperature at which the efficiency holds [K]."""
DIODE_V = 0.5
"""Voltage drop of a bypass diode [V]."""
SIDE = 8
"""Number of points along a side of a panel at which shade is computed."""
_IAM = 0.05
"""Coefficient of the losses by reflection."""


class Panel:
    """A solar panel of a vehicle."""

    def __init__(self, config: PanelConfig) -> None:
        """Arrange the cells and the points at which shade is computed."""
        self.config = config
        self.frame = rotation.matrix(rotation.from_rpy_deg(config.rpy_deg))
        """Rotation from the panel's frame to the body frame, shape (3, 3)."""
        middle = (np.arange(SIDE) + 0.5) / SIDE
        u, v = np.meshgrid(middle, middle, indexing='ij')
        flat = np.stack([u.ravel() - 0.5, v.ravel() - 0.5, np.zeros(SIDE * SIDE)], axis=1)
        self.points = portable_math.times(flat * (*config.size_m, 0.0), self.frame.T) + np.array(config.position)
        """Points in the body frame [m], shape (SIDE * SIDE, 3)."""
        series, strings = config.cells
        members, first = [], [0]
        for string in range(strings):
            for cell in range(series):
                inside = _within(u, cell, series) & _within(v, string, strings)
                if not inside.any():
                    near = (u - (cell + 0.5) / series) ** 2 + (v - (string + 0.5) / strings) ** 2
                    inside = near == near.min()
                members.append(np.flatnonzero(inside.ravel()))
                first.append(first[-1] + len(members[-1]))
        self._members, self._first = np.concatenate(members).astype(np.int64), np.array(first, dtype=np.int64)
        area = config.size_m[0] * config.size_m[1] / (series * strings)
        self._current = config.efficiency * area * RATED_WPM2 / config.cell_voltage_v

    def power(self, lit: Vector, direct: float, diffuse: float, temperature: float) -> float:
        """Return the power at the maximum power points of the strings [W].

        Args:
            lit: Visible fraction of the sun at the points, shape (SIDE * SIDE,).
            direct: Irradiance of a visible sun on the cells, from :func:`incident` [W/m^2].
            diffuse: Irradiance of the ground on the cells [W/m^2].
            temperature: Temperature of the cells [K].
        """
        config = self.config
        warm = max(0.0, 1.0 + config.temperature_coefficient_per_k * (temperature - RATED_K))
        scale = config.transmission / RATED_WPM2
        place = self._first, self._members, config.cells[0], config.bypass_every
        found: float = _strings_power(
            lit, direct * scale, diffuse * scale, *place, self._current, config.cell_voltage_v * warm
        )
        return found


def incident(irradiance: float, cosine: float) -> float:
    """Return the irradiance that enters cells [W/m^2]: E cos i (1 - 0.05 (1 / cos i - 1)), at least 0.

    Args:
        irradiance: Irradiance normal to the rays [W/m^2].
        cosine: Cosine of the incidence.

    Source: ashrae1977.
    Checked by: test_panels.py::test_power_follows_the_cosine_and_the_reflection.
    """
    if cosine <= 0.0:
        return 0.0
    return irradiance * cosine * max(0.0, 1.0 - _IAM * (1.0 / cosine - 1.0))


def _within(values: Vector, number: int, count: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.minimum((values * count).astype(np.int64), count - 1) == number
    return found


@kernel(views_only=True)
def _group_current(
    lit: Vector, direct: float, diffuse: float, first: Indices, members: Indices, low: int, high: int
) -> float:
    """Return the current of the darkest of some cells, 1: the rated one."""
    least = math.inf
    for cell in range(low, high):
        total = 0.0
        for k in range(first[cell], first[cell + 1]):
            total += lit[members[k]]
        own = direct * total / (first[cell + 1] - first[cell]) + diffuse
        least = min(least, own)
    return least


@kernel(views_only=True)
def _strings_power(
    lit: Vector,
    direct: float,
    diffuse: float,
    first: Indices,
    members: Indices,
    series: int,
    every: int,
    current: float,
    voltage: float,
) -> float:
    """Return the power of all strings [W], see :meth:`Panel.power`.

    Source: quaschning1996.
    Checked by: test_panels.py::test_dark_group_is_bypassed,
    test_panels.py::test_dark_cell_in_every_group_stops_a_string.
    """
    power = 0.0
    for start in range(0, first.shape[0] - 1, series):
        best = 0.0
        for tried in range(start, start + series, every):
            chosen = _group_current(lit, direct, diffuse, first, members, tried, min(tried + every, start + series))
            volts = 0.0
            for low in range(start, start + series, every):
                high = min(low + every, start + series)
                if _group_current(lit, direct, diffuse, first, members, low, high) >= chosen:
                    volts += voltage * (high - low)
                else:
                    volts -= DIODE_V
            best = max(best, chosen * current * volts)
        power += best
    return power
