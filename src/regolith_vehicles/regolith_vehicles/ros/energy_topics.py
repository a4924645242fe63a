# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Power and temperatures of a vehicle, once per simulated second."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs import msg as m

from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_world.ros import qos, stamp

_PERIOD_NS = 1_000_000_000


class EnergyTopics:
    """Publishers of ``power``, for vehicles with panels or loads, and of ``temperatures``, for those with nodes.

    Args:
        node: Node in the vehicle's namespace.
        config: Vehicle model.
    """

    def __init__(self, node: Node, config: VehicleModelConfig) -> None:
        self._config, self._last_slot = config, -1
        self._power = self._temperatures = None
        if config.panels or config.loads:
            self._power = node.create_publisher(
                m.VehiclePower, 'power', qos.STATE, qos_overriding_options=qos.OVERRIDABLE
            )
        if config.thermal is not None:
            self._temperatures = node.create_publisher(
                m.NodeTemperatures, 'temperatures', qos.STATE, qos_overriding_options=qos.OVERRIDABLE
            )

    def publish(self, snapshot: VehicleState) -> None:
        """Publish a committed state, once per second."""
        slot, values = snapshot.t_ns // _PERIOD_NS, snapshot.energy
        if values is None or slot == self._last_slot:
            return
        self._last_slot = slot
        if self._power is not None and self._power.get_subscription_count():
            message = m.VehiclePower(
                state_of_charge=values.state_of_charge,
                solar_power=float(values.panel_power.sum()),
                load_power=float(values.load_power.sum()),
                panels=list(self._config.panels),
                panel_power=values.panel_power.tolist(),
                panel_sunlit=values.panel_lit.tolist(),
                loads=list(self._config.loads),
                powers=values.load_power.tolist(),
                shed=list(values.shed),
            )
            message.header.stamp = stamp(snapshot.t_ns)
            self._power.publish(message)
        if self._temperatures is not None and self._temperatures.get_subscription_count():
            assert self._config.thermal is not None
            warm = m.NodeTemperatures(names=list(self._config.thermal.nodes), temperatures=values.temperatures.tolist())
            warm.header.stamp = stamp(snapshot.t_ns)
            self._temperatures.publish(warm)
