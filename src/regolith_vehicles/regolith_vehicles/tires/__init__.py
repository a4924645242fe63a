# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tyres: the force of firm ground on a wheel that deforms."""

from regolith_vehicles.tires.tire import RollingTire as RollingTire
from regolith_vehicles.tires.tire import Tire as Tire
from regolith_vehicles.tires.tire import load_tire as load_tire
