# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Road vehicles: wheels on tires, powertrain, brakes and steering linkage."""

from regolith_vehicles.car.running_gear import Car as Car
