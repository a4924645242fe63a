# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tyres: the force of firm ground on a wheel that deforms."""

from regolith_vehicles.tyres.tyre import RollingTyre as RollingTyre
from regolith_vehicles.tyres.tyre import Tyre as Tyre
from regolith_vehicles.tyres.tyre import load_tyre as load_tyre
