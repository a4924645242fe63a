# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tires: forces of rigid terrain on a wheel that deforms."""

from regolith_vehicles.tires.tire import RollingTire as RollingTire
from regolith_vehicles.tires.tire import Tire as Tire
from regolith_vehicles.tires.tire import load_tire as load_tire
