# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Topics of every radio, the link table, and related services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Point
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from regolith_msgs import msg as m
from regolith_msgs import srv
from std_msgs.msg import Header

from regolith_comms.addresses import DEFAULT_PORT
from regolith_comms.broker import Datagram, Delivery
from regolith_comms.comms_participant import CommsParticipant
from regolith_comms.radio import success_probability
from regolith_comms.radio_config import MAX_PAYLOAD
from regolith_comms.ros.throttled_log import ThrottledLog
from regolith_world.cycle import Command, Cycle
from regolith_world.ros import Inbox, byte_array, create_service, qos, root_namespace, stamp


class RadioTopics:
    """ROS interface: ``/NAME/comms/{tx,rx,neighbors}`` of each radio, ``comms/links``, and services.

    Args:
        node: Node ``comms`` in the world's namespace.
        inbox: Inbox for the robots' datagrams.
        authority: Participant with the broker.
        later: Function that defers a publication until the cycle is finished.
    """

    def __init__(
        self, node: Node, inbox: Inbox, authority: CommsParticipant, later: Callable[[Callable[[], None]], None]
    ) -> None:
        self._node, self._inbox, self._authority = node, inbox, authority
        self._root = root_namespace(node)
        self._received: dict[str, Any] = {}
        self._neighbors: dict[str, Any] = {}
        self.open_all()
        self._links = node.create_publisher(m.RadioLinks, 'comms/links', qos.LATCHED)
        self._links_period_ns = round(authority.config.links_period_s * 1e9)
        self._links_shown: tuple[int, tuple[str, ...]] | None = None
        self._links_message: Any = None
        node.create_timer(1.0, self._repeat_links, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._complaints = ThrottledLog(node.get_logger().warning)
        self._later = later
        authority.on_arrival = lambda deliveries: later(lambda: self.publish(deliveries))
        authority.on_committed = self._on_committed
        authority.on_restored = self.open_all
        create_service(node, srv.RegisterRadio, 'comms/register_radio', self._on_register)
        create_service(node, srv.BindPort, 'comms/bind_port', self._on_bind)
        create_service(node, srv.DeployBreadcrumb, 'comms/deploy_breadcrumb', self._on_deploy)
        create_service(node, srv.RemoveBreadcrumb, 'comms/remove_breadcrumb', self._on_remove)

    def open_all(self) -> None:
        """Create the topics of registered radios that have none yet."""
        for radio in self._authority.broker.radios:
            self._open(radio)

    def _open(self, radio: str) -> None:
        if radio in self._received:
            return
        # A busy subscriber still receives all datagrams.
        self._received[radio] = self._publisher(m.DatagramArray, f'{self._root}/{radio}/comms/rx', qos.HISTORY)
        self._neighbors[radio] = self._publisher(m.Neighbors, f'{self._root}/{radio}/comms/neighbors', qos.STATE)
        tx = f'{self._root}/{radio}/comms/tx'
        self._inbox.subscribe(m.Datagram, tx, self._taker(radio), qos.DATAGRAMS, optional=True)

    def _publisher(self, message_type: Any, topic: str, profile: QoSProfile) -> Any:
        return self._node.create_publisher(message_type, topic, profile, qos_overriding_options=qos.OVERRIDABLE)

    # -- output -----------------------------------------------------------------------------------------------------

    def publish(self, deliveries: list[Delivery]) -> None:
        """Publish the deliveries of a committed cycle in order, one message per radio."""
        by_radio: dict[str, list[Delivery]] = {}
        for item in deliveries:
            by_radio.setdefault(item.to, []).append(item)
        known: dict[int, m.Datagram] = {}
        for radio, items in sorted(by_radio.items()):
            if self._received[radio].get_subscription_count():
                self._publish_batch(radio, items, known)
            self._publish_neighbors(radio, items[0].t_ns)

    def _publish_batch(self, radio: str, items: list[Delivery], known: dict[int, m.Datagram]) -> None:
        """Publish the deliveries to one radio.

        Args:
            radio: Name of the radio.
            items: Deliveries to the radio.
            known: Messages of datagrams that other radios received in the same cycle, for reuse: only the reception
                differs, and publishers keep no messages.
        """
        batch = m.DatagramArray()
        batch.header.stamp = stamp(items[0].t_ns)
        for item in items:
            message = known.get(id(item.datagram))
            if message is None:
                message = known[id(item.datagram)] = _datagram(item.datagram, batch.header)
            message.header, message.rssi, message.num_hops = batch.header, item.rssi_dbm, item.hops
            batch.datagrams.append(message)
        self._received[radio].publish(batch)

    def _publish_neighbors(self, radio: str, t_ns: int) -> None:
        publisher = self._neighbors[radio]
        if not publisher.get_subscription_count():
            return
        heard = sorted(self._authority.broker.neighbors.get(radio, {}).items())
        message = m.Neighbors(names=[name for name, _ in heard])
        message.header.stamp = stamp(t_ns)
        message.last_heard = [stamp(when) for _, (when, _) in heard]
        message.rssi = [rssi for _, (_, rssi) in heard]
        publisher.publish(message)

    def _on_committed(self, cycle: Cycle) -> None:
        # Cleared in any case; during a replay they were logged before.
        complaints, self._authority.complaints = self._authority.complaints, []
        self._later(lambda: self._after_commit(cycle, complaints))

    def _after_commit(self, cycle: Cycle, complaints: list[str]) -> None:
        """Log the warnings, and publish the link table if it is due or the breadcrumbs have changed."""
        self._complaints.add(*complaints)
        if cycle.command == Command.STOP:
            self._complaints.flush()
        self._publish_links(cycle.t_ns)

    def _publish_links(self, t_ns: int) -> None:
        broker = self._authority.broker
        crumbs = broker.model.breadcrumbs
        state = (t_ns // self._links_period_ns, tuple(name for name, _, _ in crumbs))
        if state == self._links_shown or not self._authority.positions:
            return
        self._links_shown = state
        table = self._authority.links()
        links = table.links
        arrives = success_probability(links.mean_dbm, links.variance_db2, MAX_PAYLOAD, broker.model.radio)
        message = m.RadioLinks(breadcrumbs=[name for name, _, _ in crumbs])
        message.header.stamp, message.header.frame_id = stamp(table.t_ns), 'world'
        message.breadcrumb_positions = [Point(x=float(p[0]), y=float(p[1]), z=float(p[2])) for _, p, _ in crumbs]
        message.links = [
            m.RadioLink(
                src=src,
                dst=dst,
                cost=float(links.cost[k]),
                range=float(links.range_m[k]),
                num_hops=int(links.hops[k]),
                mean_rssi=float(links.mean_dbm[k]),
                packet_error=float(1.0 - arrives[k]),
            )
            for k, (src, dst) in enumerate(table.names)
        ]
        self._links_message = message
        self._links.publish(message)

    def _repeat_links(self) -> None:
        """Repeat the link table once per second of wall time, also while the simulation is paused."""
        if self._links_message is not None:
            self._links.publish(self._links_message)

    # -- input ------------------------------------------------------------------------------------------------------

    def _taker(self, radio: str) -> Callable[[m.Datagram], None]:
        def take(message: m.Datagram) -> None:
            datagram = Datagram(radio, message.dst, message.port or DEFAULT_PORT, bytes(message.data))
            try:
                self._authority.send(datagram)
            except ValueError as error:
                self._complaints.add(str(error))

        return take

    def _on_register(
        self, request: srv.RegisterRadio.Request, response: srv.RegisterRadio.Response
    ) -> srv.RegisterRadio.Response:
        def register() -> None:
            self._authority.register(request.name, request.unregister)
            if not request.unregister:
                self._open(request.name)

        return self._do(response, register)

    def _on_bind(self, request: srv.BindPort.Request, response: srv.BindPort.Response) -> srv.BindPort.Response:
        return self._do(response, lambda: self._authority.bind(request.name, request.port, request.multicast))

    def _on_deploy(
        self, request: srv.DeployBreadcrumb.Request, response: srv.DeployBreadcrumb.Response
    ) -> srv.DeployBreadcrumb.Response:
        def deploy() -> None:
            response.breadcrumb = self._authority.deploy(request.vehicle)

        return self._do(response, deploy)

    def _on_remove(
        self, request: srv.RemoveBreadcrumb.Request, response: srv.RemoveBreadcrumb.Response
    ) -> srv.RemoveBreadcrumb.Response:
        return self._do(response, lambda: self._authority.remove(request.breadcrumb))

    def _do(self, response: Any, action: Callable[[], None]) -> Any:
        try:
            action()
        except ValueError as error:
            response.success, response.message = False, str(error)
        else:
            response.success, response.message = True, 'takes effect with the next cycle'
        return response


def _datagram(datagram: Datagram, header: Header) -> m.Datagram:
    message = m.Datagram(header=header, src=datagram.src, dst=datagram.dst, port=datagram.port)
    message.data = byte_array(datagram.data)
    return message
