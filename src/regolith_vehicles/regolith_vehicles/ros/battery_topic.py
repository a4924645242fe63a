# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Battery state of a vehicle as sensor_msgs/BatteryState, once per simulated second."""

from __future__ import annotations

from rclpy.node import Node
from sensor_msgs.msg import BatteryState

from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.powertrain.battery import CURRENT, VOLTAGE, state_of_charge
from regolith_vehicles.powertrain.config import BatteryConfig
from regolith_world.ros import qos, stamp

TOPIC = 'battery_state'
_PERIOD_NS = 1_000_000_000

_FULL, _IDLE_PER_H = 0.999, 0.01
"""State of charge of a full battery, and its largest current, per capacity [1/h]."""


def supply_status(percentage: float, current: float, capacity: float) -> int:
    """Return the ``power_supply_status`` of BatteryState.

    Args:
        percentage: State of charge, 0 to 1.
        current: Current into the battery [A].
        capacity: Capacity [A h].
    """
    if percentage >= _FULL and abs(current) <= _IDLE_PER_H * capacity:
        return int(BatteryState.POWER_SUPPLY_STATUS_FULL)
    if current < 0.0:
        return int(BatteryState.POWER_SUPPLY_STATUS_DISCHARGING)
    if current > 0.0:
        return int(BatteryState.POWER_SUPPLY_STATUS_CHARGING)
    return int(BatteryState.POWER_SUPPLY_STATUS_NOT_CHARGING)


class BatteryTopic:
    """Publisher of ``battery_state``; vehicles without a battery have no topic.

    The capacity in ampere-hours refers to the mean of the voltages without load.

    Args:
        node: Node in the vehicle's namespace.
        config: Configuration of the battery; None: no battery.
    """

    def __init__(self, node: Node, config: BatteryConfig | None) -> None:
        self._config, self._last_slot = config, -1
        if config is None:
            return
        capacity = config.energy_wh / (0.5 * sum(config.voltage_v))
        self._message = BatteryState(
            present=True,
            capacity=capacity,
            design_capacity=capacity,
            temperature=float('nan'),
            power_supply_technology=BatteryState.POWER_SUPPLY_TECHNOLOGY_UNKNOWN,
        )
        self._publisher = node.create_publisher(BatteryState, TOPIC, qos.STATE, qos_overriding_options=qos.OVERRIDABLE)

    def publish(self, snapshot: VehicleState) -> None:
        """Publish a committed state, once per second."""
        slot = snapshot.t_ns // _PERIOD_NS
        if self._config is None or slot == self._last_slot or not self._publisher.get_subscription_count():
            return
        self._last_slot = slot
        message, charge = self._message, snapshot.charge
        message.header.stamp = stamp(snapshot.t_ns)
        message.percentage = state_of_charge(self._config, charge)
        message.charge = message.percentage * message.capacity
        message.voltage, message.current = float(charge[VOLTAGE]), -float(charge[CURRENT])
        message.power_supply_status = supply_status(message.percentage, message.current, message.capacity)
        self._publisher.publish(message)
