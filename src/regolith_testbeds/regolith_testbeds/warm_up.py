# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of the kernels of testbeds at installation."""

from __future__ import annotations

from regolith_testbeds.dem.beds import GrainBin, Grains, fill_bin
from regolith_testbeds.proving_ground.drive import make_proving_vehicle
from regolith_testbeds.proving_ground.settings import Settings


def settle_vehicles() -> None:
    """Drop a truck and a tank onto rigid terrain."""
    for vehicle in ('hmmwv', 'm113'):
        make_proving_vehicle(Settings(vehicle=vehicle, maneuver='settle'))


def fill_grain_bin() -> None:
    """Fill a small bin with grains."""
    grains = Grains(radius_m=0.01, youngs_modulus_pa=5e6)
    fill_bin(GrainBin(length_m=0.1, width_m=0.06, depth_m=0.03), grains, 9.81)
