# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Road vehicles: wheels on tyres, driven through a gearbox by an engine, braked, steered by a linkage."""

from regolith_vehicles.car.running_gear import Car as Car
