# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Thermal nodes of a vehicle: C dT/dt = absorbed light and infrared - e s A T^4 + heat + exchange with other nodes.

Each face sees the ground in the fraction (1 - n_z) / 2 of its surroundings and the cold sky in the rest. It absorbs the
light that level ground scatters, and its infrared radiation, in that fraction. Left out: shadows of the vehicle on its
own faces, which absorb by their inclination alone, and heat through wheels into the ground.

Source: gilmore2002, chapter 2.
Checked by: test_thermal_nodes.py::test_flat_plates_reach_their_equilibrium.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regolith_vehicles.description.energy_config import ThermalConfig
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.energy.environment import Radiation
from regolith_world.numerics import kernel

Vector = NDArray[np.float64]

STEFAN_BOLTZMANN = 5.670374419e-8
"""Stefan-Boltzmann constant [W/m^2/K^4]."""
_BARE = 0.9
"""Emissivity of nodes without faces in thermal images."""


class ThermalNodes:
    """Constant parameters of a vehicle's thermal nodes, in the order of its file."""

    def __init__(self, config: ThermalConfig) -> None:
        """Make the arrays of the kernels."""
        self.config = config
        self.names = tuple(config.nodes)
        count = len(self.names)
        self.start = np.array([node.initial_k for node in config.nodes.values()])
        """Initial temperatures [K], shape (n,)."""
        self.capacity = np.array([node.capacity_jpk for node in config.nodes.values()])
        self.heat = np.array([node.heat_w for node in config.nodes.values()])
        """Constant heat of each node [W], shape (n,)."""
        self.conductance, self.exchange = np.zeros((count, count)), np.zeros((count, count))
        for link in config.links:
            a, b = (self.names.index(name) for name in link.nodes)
            for table, value in ((self.conductance, link.conductance_wpk), (self.exchange, link.exchange_m2)):
                table[a, b] += value
                table[b, a] += value
        self.radiating = np.zeros(count)
        """Area times emissivity of each node [m^2], shape (n,)."""
        for k, node in enumerate(config.nodes.values()):
            self.radiating[k] = sum(face.area_m2 * face.emissivity for face in node.faces.values())

    def absorbed(self, node: int, turn: Vector, around: Radiation, lit: float, level_sun: float) -> float:
        """Return the light and infrared radiation that a node absorbs [W].

        Args:
            node: Number of the node.
            turn: Rotation from the frame of its normals to the world, shape (3, 3).
            around: Radiation at the vehicle.
            lit: Visible fraction of the sun at the vehicle, 0 to 1.
            level_sun: Irradiance of the sun on level ground [W/m^2].
        """
        total, sun = 0.0, around.sun
        infrared = around.ground_emissivity * STEFAN_BOLTZMANN * around.ground_k**4
        for face in self.config.nodes[self.names[node]].faces.values():
            x, y, z = face.normal
            length = (x * x + y * y + z * z) ** 0.5
            world = [(turn[k, 0] * x + turn[k, 1] * y + turn[k, 2] * z) / length for k in range(3)]
            facing = max(0.0, world[0] * sun[0] + world[1] * sun[1] + world[2] * sun[2])
            below = 0.5 * (1.0 - world[2])
            light = facing * around.irradiance * lit + below * around.ground_albedo * level_sun
            total += face.area_m2 * (face.absorptivity * light + face.emissivity * below * infrared)
        return float(total)

    def step(self, temperature: Vector, power: Vector, duration: float) -> None:
        """Advance the temperatures by an implicit step.

        Args:
            temperature: In/out: temperatures [K], shape (n,).
            power: Absorbed radiation and heat of each node [W], shape (n,).
            duration: Duration [s].
        """
        count = len(temperature)
        _step(
            temperature,
            temperature.copy(),
            power,
            duration,
            self.capacity,
            self.radiating,
            self.conductance,
            self.exchange,
            np.empty((count, count + 1)),
        )


def part_nodes(config: VehicleModelConfig, parts: Sequence[str]) -> tuple[list[int], list[float]]:
    """Return the thermal node of each drawn part, and its emissivity.

    Args:
        config: Vehicle model with thermal nodes.
        parts: Names of the parts in the visual description, the base first; those of no node belong to the first one.
    """
    assert config.thermal is not None
    bodies = {wheel.name: wheel.body for wheel in config.wheels}
    owners = {body: k for k, node in enumerate(config.thermal.nodes.values()) for body in node.bodies}
    emissivity = []
    for node in config.thermal.nodes.values():
        area = sum(face.area_m2 for face in node.faces.values())
        radiating = sum(face.area_m2 * face.emissivity for face in node.faces.values())
        emissivity.append(radiating / area if area > 0.0 else _BARE)
    names = [config.chassis, *(bodies.get(name, name) for name in parts[1:])]
    found = [owners.get(name, 0) for name in names]
    return found, [emissivity[k] for k in found]


@kernel(views_only=True)
def _step(
    temperature: Vector,
    old: Vector,
    power: Vector,
    duration: float,
    capacity: Vector,
    radiating: Vector,
    conductance: Vector,
    exchange: Vector,
    table: Vector,
) -> None:
    """Advance temperatures by backward Euler, with Newton's method and Gaussian elimination.

    The matrix is diagonally dominant, so it needs no pivots.

    Args:
        temperature: In/out: temperatures [K], shape (n,).
        old: Temperatures before the step [K], shape (n,).
        power: Absorbed radiation and heat [W], shape (n,).
        duration: Duration [s].
        capacity: Heat capacities [J/K], shape (n,).
        radiating: Areas times emissivities [m^2], shape (n,).
        conductance: Conductances between nodes [W/K], shape (n, n).
        exchange: Exchange areas between nodes [m^2], shape (n, n).
        table: Work array, shape (n, n + 1).

    Source: gilmore2002, chapter 2.
    Checked by: test_thermal_nodes.py::test_flat_plates_reach_their_equilibrium,
    test_thermal_nodes.py::test_linked_nodes_keep_their_energy.
    """
    n = temperature.shape[0]
    for _ in range(50):
        for i in range(n):
            t = temperature[i]
            cube = STEFAN_BOLTZMANN * t * t * t
            excess = capacity[i] * (t - old[i]) / duration - power[i] + radiating[i] * cube * t
            diagonal = capacity[i] / duration + 4.0 * radiating[i] * cube
            for j in range(n):
                other = temperature[j]
                other_cube = STEFAN_BOLTZMANN * other * other * other
                excess += conductance[i, j] * (t - other) + exchange[i, j] * (cube * t - other_cube * other)
                diagonal += conductance[i, j] + 4.0 * exchange[i, j] * cube
                table[i, j] = -conductance[i, j] - 4.0 * exchange[i, j] * other_cube
            table[i, i], table[i, n] = diagonal, -excess
        _solve(table)
        largest = 0.0
        for i in range(n):
            change = table[i, n]
            temperature[i] = max(temperature[i] + change, 0.5 * temperature[i])
            largest = max(largest, abs(change) / temperature[i])
        if largest < 1e-12:
            break


@kernel(views_only=True)
def _solve(table: Vector) -> None:
    """Replace the last column of a system, shape (n, n + 1), by its solution."""
    n = table.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            factor = table[i, k] / table[k, k]
            for j in range(k + 1, n + 1):
                table[i, j] -= factor * table[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            table[k, n] -= table[k, j] * table[j, n]
        table[k, n] /= table[k, k]
