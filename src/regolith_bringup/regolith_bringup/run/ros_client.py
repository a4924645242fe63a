# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Access to topics, services, actions, parameters and nodes of a ROS graph, for the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.action import ActionClient
from rclpy.action.graph import get_action_client_names_and_types_by_node, get_action_server_names_and_types_by_node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from regolith_bringup.run.graph_client import GraphClient
from regolith_bringup.run.ros_values import filled, interface
from regolith_files import InputError, Problem, YamlSource, allowed_names, as_yaml_text, parse_yaml_value

RESPONSE_S = 60.0
"""Timeout of a response [wall s]. Spawning a vehicle takes seconds."""
SETTLED_S = 0.3
"""Time for connections to settle after a client finds its server [wall s]."""


class RosClient(GraphClient):
    """Node that lists, reads and calls the interfaces of the graph, for use in a ``with`` statement."""

    def listed(self, of: Callable[[], list[Any]]) -> list[Any]:
        """Return a list of graph entries after the discovery time."""
        self.wait(lambda: False, 1.5)
        return sorted(of())

    def topics(self) -> list[tuple[str, list[str]]]:
        """Return all topics with their types."""
        return self.listed(self.node.get_topic_names_and_types)

    def services(self) -> list[tuple[str, list[str]]]:
        """Return all services with their types."""
        return self.listed(self.node.get_service_names_and_types)

    def actions(self) -> list[tuple[str, list[str]]]:
        """Return all actions with their types."""
        return self._actions(self.services())

    @staticmethod
    def _actions(services: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
        end = '/_action/send_goal'
        return [
            (name.removesuffix(end), [kind.removesuffix('_SendGoal') for kind in kinds])
            for name, kinds in services
            if name.endswith(end)
        ]

    def nodes(self) -> list[str]:
        """Return the full names of all nodes except this one."""
        found = self.listed(self.node.get_node_names_and_namespaces)
        own = self.node.get_name()
        return sorted(f'{space.rstrip("/")}/{name}' for name, space in found if name != own)

    def type_of(self, name: str, command: str) -> str:
        """Return the type of a topic, service or action.

        Args:
            name: Full name.
            command: Name of the command. Its first word selects topic, service or action.

        Raises:
            InputError: If the name is not in the graph.
        """
        what = command.partition(' ')[0]
        read: dict[str, Callable[[], list[tuple[str, list[str]]]]] = {
            'topic': self.node.get_topic_names_and_types,
            'service': self.node.get_service_names_and_types,
            'action': lambda: self._actions(self.node.get_service_names_and_types()),
        }
        found: dict[str, list[str]] = {}

        def known() -> bool:
            found.update(read[what]())
            return name in found

        if not self.wait(known, self.DISCOVERY_TIMEOUT_S):
            allowed = allowed_names(sorted(found), name)
            raise InputError(Problem(command, what, 'is not in the graph', allowed, as_yaml_text(name)))
        return found[name][0]

    def topic_ends(self, topic: str) -> tuple[list[Any], list[Any]]:
        """Return the publishers and the subscriptions of a topic, each with node, type and quality of service."""
        self.listed(lambda: [])
        find = self.node.get_publishers_info_by_topic, self.node.get_subscriptions_info_by_topic
        published, subscribed = (sorted(each(topic), key=_node_of) for each in find)
        return published, subscribed

    def ends_of_node(self, node: str) -> dict[str, list[tuple[str, list[str]]]]:
        """Return topics, services and actions of a node with their types, by heading, without hidden ones.

        Args:
            node: Full node name.

        Raises:
            InputError: If the node is not in the graph.
        """
        known = self.nodes()
        if node not in known:
            raise InputError(
                Problem('node info', 'node', 'is not in the graph', allowed_names(known, node), as_yaml_text(node))
            )
        return self._ends_of_node(node)

    def _ends_of_node(self, node: str) -> dict[str, list[tuple[str, list[str]]]]:
        space, _, name = node.rpartition('/')
        at = name, space or '/'
        found = {
            'Subscribers': self.node.get_subscriber_names_and_types_by_node(*at),
            'Publishers': self.node.get_publisher_names_and_types_by_node(*at),
            'Service Servers': self.node.get_service_names_and_types_by_node(*at),
            'Service Clients': self.node.get_client_names_and_types_by_node(*at),
            'Action Servers': get_action_server_names_and_types_by_node(self.node, *at),
            'Action Clients': get_action_client_names_and_types_by_node(self.node, *at),
        }
        return {heading: sorted(each for each in names if '/_' not in each[0]) for heading, names in found.items()}

    def action_ends(self, action: str) -> tuple[list[str], list[str]]:
        """Return the client nodes and the server nodes of an action."""
        clients, servers = [], []
        for node in self.nodes():
            ends = self._ends_of_node(node)
            clients += [node for name, _ in ends['Action Clients'] if name == action]
            servers += [node for name, _ in ends['Action Servers'] if name == action]
        return clients, servers

    def echo(self, topic: str, kind: str, command: str, take: Callable[[Any], bool], raw: bool = False) -> None:
        """Receive messages until ``take`` returns False, or Ctrl-C.

        Args:
            topic: Full topic name.
            kind: Message type, '' for the type of the topic.
            command: Name of the command, for error messages.
            take: Callback for each message.
            raw: Whether ``take`` receives the serialized message as bytes.
        """
        message_type = interface(kind or self.type_of(topic, command), 'msg', command)
        goes_on = [True]

        def received(message: Any) -> None:
            goes_on[0] = goes_on[0] and take(message)

        self.wait(lambda: self.node.count_publishers(topic) > 0, 1.0)
        options = {'raw': True} if raw else {}
        self.node.create_subscription(message_type, topic, received, self._profile(topic), **options)
        while goes_on[0]:
            self.executor.spin_once(timeout_sec=0.1)

    def follow_clock(self, take: Callable[[Any], None]) -> None:
        """Receive /clock in addition to another topic."""
        from rosgraph_msgs.msg import Clock

        self.node.create_subscription(Clock, '/clock', take, 10)

    def _profile(self, topic: str) -> QoSProfile:
        """Return a QoS profile compatible with all publishers of a topic, latched if all of them are."""
        profile, offered = QoSProfile(depth=100), self.node.get_publishers_info_by_topic(topic)
        if any(each.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT for each in offered):
            profile.reliability = ReliabilityPolicy.BEST_EFFORT
        if offered and all(each.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for each in offered):
            profile.durability = DurabilityPolicy.TRANSIENT_LOCAL
        return profile

    def publish(self, topic: str, kind: str, values: str, rate_hz: float, times: int) -> int:
        """Publish a message repeatedly.

        Args:
            topic: Full topic name.
            kind: Message type.
            values: Field values in YAML.
            rate_hz: Messages per wall second.
            times: Number of messages, 0 for no limit until Ctrl-C.

        Returns:
            Number of published messages.
        """
        command = 'topic pub'
        message = filled(interface(kind, 'msg', command)(), values, command)
        publisher = self.node.create_publisher(type(message), topic, 10)
        if times:
            self.wait(lambda: publisher.get_subscription_count() > 0, self.DISCOVERY_TIMEOUT_S)
            self.wait(lambda: False, SETTLED_S)
        count = 0
        while not times or count < times:
            publisher.publish(message)
            count += 1
            self.wait(lambda: False, 1.0 / rate_hz)
        return count

    def call(self, service: str, kind: str, values: str, command: str = 'service call') -> Any:
        """Return the response of a service.

        Args:
            service: Full service name.
            kind: Service type.
            values: Field values of the request in YAML.
            command: Name of the command, for error messages.

        Raises:
            InputError: If there is no response.
        """
        service_type = interface(kind, 'srv', command)
        return self.response(service, service_type, filled(service_type.Request(), values, command), command)

    def response(self, service: str, service_type: Any, request: Any, command: str) -> Any:
        """Return the response to a request."""
        client = self.node.create_client(service_type, service)
        if not self.wait(client.service_is_ready, self.DISCOVERY_TIMEOUT_S):
            names = sorted(name for name, _ in self.node.get_service_names_and_types())
            if service in names:
                problem = f'is not ready within {self.DISCOVERY_TIMEOUT_S:g} s'
                raise InputError(Problem(command, 'service', problem, 'a node that has started', as_yaml_text(service)))
            allowed = allowed_names(names, service) if names else 'the domain of a running simulation'
            raise InputError(Problem(command, 'service', 'is not in the graph', allowed, as_yaml_text(service)))
        self.wait(lambda: False, SETTLED_S)
        future = client.call_async(request)
        if not self.wait(future.done, RESPONSE_S):
            problem = f'no response within {RESPONSE_S:g} s'
            raise InputError(Problem(command, 'service', problem, 'a service that responds', as_yaml_text(service)))
        return future.result()

    def send_goal(self, action: str, kind: str, values: str, feedback: Callable[[Any], None]) -> tuple[bool, int, Any]:
        """Send a goal and return whether it was accepted, its status and its result, or where a rejection is logged."""
        command = 'action send_goal'
        action_type = interface(kind, 'action', command)
        goal = filled(action_type.Goal(), values, command)
        client = ActionClient(self.node, action_type, action)
        if not self.wait(client.server_is_ready, self.DISCOVERY_TIMEOUT_S):
            problem = 'is not in the graph'
            raise InputError(
                Problem(command, 'action', problem, 'the action of a running simulation', as_yaml_text(action))
            )
        self.wait(lambda: False, SETTLED_S)
        sent = client.send_goal_async(goal, feedback_callback=lambda message: feedback(message.feedback))
        while not sent.done():
            self.executor.spin_once(timeout_sec=0.1)
        handle = sent.result()
        if not handle.accepted:
            _, servers = self.action_ends(action)
            return False, 0, f'the output of {", ".join(servers) or "the node of the action"}'
        ended = handle.get_result_async()
        while not ended.done():
            self.executor.spin_once(timeout_sec=0.1)
        return True, int(ended.result().status), ended.result().result

    def parameters(self, node: str) -> list[str]:
        """Return the parameter names of a node."""
        request = ListParameters.Request()
        response = self.response(f'{node}/list_parameters', ListParameters, request, 'param list')
        return sorted(response.result.names)

    def parameter(self, node: str, name: str) -> Any:
        """Return the value of a parameter.

        Args:
            node: Full node name.
            name: Parameter name.

        Raises:
            InputError: If the node has no such parameter.
        """
        request = GetParameters.Request(names=[name])
        values = self.response(f'{node}/get_parameters', GetParameters, request, 'param get').values
        # For an unknown name, a node returns no value or an unset value.
        if not values or values[0].type == ParameterType.PARAMETER_NOT_SET:
            allowed = allowed_names(self.parameters(node), name)
            raise InputError(Problem('param get', 'parameter', f'is not one of {node}', allowed, as_yaml_text(name)))
        return Parameter.from_parameter_msg(_named(name, values[0])).value

    def describe(self, node: str, name: str) -> Any:
        """Return the descriptor of a parameter, a ``rcl_interfaces/msg/ParameterDescriptor``.

        Args:
            node: Full node name.
            name: Parameter name.

        Raises:
            InputError: If the node has no such parameter.
        """
        if name not in (known := self.parameters(node)):
            problem = f'is not one of {node}'
            raise InputError(
                Problem('param describe', 'parameter', problem, allowed_names(known, name), as_yaml_text(name))
            )
        request = DescribeParameters.Request(names=[name])
        response = self.response(f'{node}/describe_parameters', DescribeParameters, request, 'param describe')
        return response.descriptors[0]

    def set_parameter(self, node: str, name: str, text: str) -> None:
        """Set a parameter to a value given in YAML.

        Args:
            node: Full node name.
            name: Parameter name.
            text: Value in YAML.

        Raises:
            InputError: If the node refuses the value.
        """
        self.set_value(node, name, parse_yaml_value(text, 'param set', name))

    def load_parameters(self, node: str, file: str) -> dict[str, str]:
        """Set the parameters of a node from a file written by ``param dump``.

        Args:
            node: Full node name.
            file: YAML file.

        Returns:
            Reason of refusal by parameter name, '' if it was set.

        Raises:
            InputError: If the file has no parameters of this node.
        """
        source = YamlSource(file, what='parameters')
        for key in (node, node.removeprefix('/'), '/**'):
            values = source.data.get(key)
            if isinstance(values, dict) and isinstance(values.get('ros__parameters'), dict):
                return {name: self._refusal(node, name, value) for name, value in values['ros__parameters'].items()}
        raise source.error((node,), 'has no ros__parameters', f'{node}: {{ros__parameters: {{name: value}}}}')

    def set_value(self, node: str, name: str, value: Any) -> None:
        """Set a parameter.

        Args:
            node: Full node name.
            name: Parameter name.
            value: New value.

        Raises:
            InputError: If the node refuses the value.
        """
        if reason := self._refusal(node, name, value):
            raise InputError(Problem('param set', name, reason, 'a value that the node accepts', as_yaml_text(value)))

    def _refusal(self, node: str, name: str, value: Any) -> str:
        """Set a parameter and return the reason of refusal, '' if it was set."""
        if isinstance(value, int) and not isinstance(value, bool) and isinstance(self.parameter(node, name), float):
            value = float(value)
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        (result,) = self.response(f'{node}/set_parameters', SetParameters, request, 'param set').results
        return '' if result.successful else str(result.reason or 'no reason given')


def _node_of(end: Any) -> str:
    """Return the full name of the node of a publisher or subscription."""
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'


def _named(name: str, value: Any) -> Any:
    from rcl_interfaces.msg import Parameter as Message

    return Message(name=name, value=value)
