# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a vehicle in a cycle, from its committed state."""

from __future__ import annotations

import numpy as np

from regolith_vehicles.agent.events import GROUND_TRUTH, Event
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.contact.wheel_state import SLIP
from regolith_vehicles.powertrain.battery import state_of_charge


def use_faults(vehicle: Vehicle, t_ns: int) -> tuple[Event, ...]:
    """Begin and end the faults of a vehicle at the start of a cycle, and return their events.

    Args:
        vehicle: The vehicle in its committed state. The change is tentative like all motion.
        t_ns: Simulated time [ns].
    """
    if (faults := vehicle.gear.faults) is None:
        return ()
    slips = vehicle.gear.table[:, SLIP] if vehicle.config.wheels else np.zeros(0)
    battery = vehicle.config.battery
    charge = 1.0 if battery is None else state_of_charge(battery, vehicle.gear.charge)
    told = faults.update(t_ns, slips, vehicle.statistics.distance, charge)
    return tuple(Event(t_ns, kind, GROUND_TRUTH, text) for kind, text in told)
