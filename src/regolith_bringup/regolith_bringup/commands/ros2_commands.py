# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith topic``, ``service``, ``action``, ``param``, ``node``: the most used commands of ``ros2``, same syntax.

Not included: ``service echo`` and ``info``, ``param delete``, and options of ``ros2`` that ``--help`` does not list.

They are for systems without an installed ROS 2 command line. Imports are inside functions, as in all commands.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import Annotated, Any

import typer

from regolith_bringup.commands.options import DomainOption

Topic = Annotated[str, typer.Argument(metavar='TOPIC', help='Absolute name, e.g. /amber/odom.')]
Service = Annotated[str, typer.Argument(metavar='SERVICE', help='Absolute name, e.g. /regolith/world/pause.')]
Type = Annotated[str, typer.Argument(metavar='TYPE', help='Type, e.g. std_srvs/srv/SetBool.')]
Values = Annotated[str, typer.Argument(metavar='VALUES', help="YAML, e.g. '{data: true}'. Default: default values.")]
Action = Annotated[str, typer.Argument(metavar='ACTION', help='Absolute name, e.g. /digger/dig.')]
Parameter = Annotated[str, typer.Argument(metavar='PARAMETER', help='Name.')]
Types = Annotated[bool, typer.Option('--show-types', '-t', help='Also show types.')]
Node = Annotated[str, typer.Argument(metavar='NODE', help='Full name, e.g. /regolith/world.')]


def _app(name: str, about: str) -> Any:
    return typer.Typer(name=name, help=about, no_args_is_help=True, add_completion=False)


topic, service, action = (
    _app('topic', 'List, show and publish messages.'),
    _app('service', 'List and call services.'),
    _app('action', 'List and show actions, and send goals.'),
)
param, node = _app('param', 'List, get, set, save and load parameters of nodes.'), _app('node', 'List and show nodes.')
APPS = (topic, service, action, param, node)


def _client(domain: str | None) -> Any:
    from regolith_bringup.run.ros_client import RosClient

    return RosClient(domain)


def _show(found: list[tuple[str, list[str]]], types: bool) -> None:
    for name, kinds in found:
        if '/_' in name:  # parts of actions, which ros2 also hides
            continue
        print(f'{name} [{", ".join(kinds)}]' if types else name)


@topic.command('list')
def topic_list(types: Types = False, domain: DomainOption = None) -> None:
    """List the topics of the graph."""
    with _client(domain) as client:
        _show(client.topics(), types)


@topic.command('type')
def topic_type(name: Topic, domain: DomainOption = None) -> None:
    """Print the type of a topic."""
    with _client(domain) as client:
        print(client.type_of(name, 'topic type'))


@topic.command('find')
def topic_find(
    kind: Annotated[str, typer.Argument(metavar='TYPE', help='Type, e.g. nav_msgs/msg/Odometry.')],
    domain: DomainOption = None,
) -> None:
    """List the topics of a type."""
    with _client(domain) as client:
        _show([(name, kinds) for name, kinds in client.topics() if kind in kinds], False)


@topic.command('info')
def topic_info(
    name: Topic,
    verbose: Annotated[bool, typer.Option('--verbose', '-v', help='Also print nodes and quality of service.')] = False,
    domain: DomainOption = None,
) -> None:
    """Print the type of a topic and the numbers of its publishers and subscriptions."""
    with _client(domain) as client:
        print(f'Type: {client.type_of(name, "topic info")}')
        for what, ends in zip(('Publisher', 'Subscription'), client.topic_ends(name), strict=True):
            print(f'{what} count: {len(ends)}')
            for end in ends if verbose else ():
                profile = end.qos_profile
                quality = f'{profile.reliability.name}, {profile.durability.name}'
                print(f'  {end.node_namespace.rstrip("/")}/{end.node_name}: {end.topic_type}, {quality}')


@topic.command('bw')
def topic_bw(
    name: Topic,
    window: Annotated[int, typer.Option('--window', '-w', metavar='N', help='Messages per mean value.', min=2)] = 100,
    domain: DomainOption = None,
) -> None:
    """Print the received bytes per wall second, once per second, until Ctrl-C."""
    arrived: list[tuple[float, int]] = []
    printed_at = [time.monotonic()]

    def take(message: bytes) -> bool:
        now = time.monotonic()
        arrived.append((now, len(message)))
        del arrived[:-window]
        if now - printed_at[0] >= 1.0 and len(arrived) > 1:
            printed_at[0] = now
            sizes = [size for _, size in arrived]
            rate = sum(sizes[1:]) / (now - arrived[0][0])
            print(f'{rate:.0f} B/s from {len(sizes)} messages, mean {sum(sizes) / len(sizes):.0f} B', flush=True)
        return True

    with _client(domain) as client, suppress(KeyboardInterrupt):
        client.echo(name, '', 'topic bw', take, raw=True)


@topic.command('delay')
def topic_delay(name: Topic, domain: DomainOption = None) -> None:
    """Print the delay of message stamps behind /clock [simulated s], once per wall second, until Ctrl-C."""
    from rclpy.time import Time

    from regolith_bringup.run.ros_values import stamp_ns

    now_ns: list[int] = []
    printed_at = [time.monotonic()]

    def tick(message: Any) -> None:
        now_ns[:] = [Time.from_msg(message.clock).nanoseconds]

    def take(message: Any) -> bool:
        stamped = stamp_ns(message, name)
        if now_ns and time.monotonic() - printed_at[0] >= 1.0:
            printed_at[0] = time.monotonic()
            print(f'delay: {(now_ns[0] - stamped) * 1e-9:.6f}', flush=True)
        return True

    with _client(domain) as client, suppress(KeyboardInterrupt):
        client.follow_clock(tick)
        client.echo(name, '', 'topic delay', take)


@topic.command('echo')
def topic_echo(
    name: Topic,
    kind: Annotated[str, typer.Argument(metavar='[TYPE]', help='Type. Default: the type of the topic.')] = '',
    once: Annotated[bool, typer.Option('--once', help='Stop after the first message.')] = False,
    domain: DomainOption = None,
) -> None:
    """Print the messages of a topic as YAML, until Ctrl-C."""
    from regolith_bringup.run.ros_values import as_yaml

    def take(message: Any) -> bool:
        print(f'{as_yaml(message)}---', flush=True)
        return not once

    with _client(domain) as client, suppress(KeyboardInterrupt):
        client.echo(name, kind, 'topic echo', take)


@topic.command('hz')
def topic_hz(
    name: Topic,
    window: Annotated[int, typer.Option('--window', '-w', metavar='N', help='Messages per mean value.', min=2)] = 50,
    domain: DomainOption = None,
) -> None:
    """Print the received messages per wall second, once per second, until Ctrl-C."""
    times: list[float] = []
    printed_at = [time.monotonic()]

    def take(message: Any) -> bool:
        now = time.monotonic()
        times.append(now)
        del times[:-window]
        if now - printed_at[0] >= 1.0 and len(times) > 1:
            printed_at[0] = now
            print(f'average rate: {(len(times) - 1) / (now - times[0]):.3f}', flush=True)
        return True

    with _client(domain) as client, suppress(KeyboardInterrupt):
        client.echo(name, '', 'topic hz', take)


@topic.command('pub')
def topic_pub(
    name: Topic,
    kind: Type,
    values: Values = '',
    once: Annotated[bool, typer.Option('--once', '-1', help='Publish one message.')] = False,
    rate: Annotated[
        float, typer.Option('--rate', '-r', metavar='HZ', help='Messages per wall second.', min=0.01, max=1e3)
    ] = 1.0,
    times: Annotated[
        int, typer.Option('--times', '-t', metavar='N', help='Number of messages; 0: until Ctrl-C.', min=0)
    ] = 0,
    domain: DomainOption = None,
) -> None:
    """Publish a message repeatedly until Ctrl-C."""
    with _client(domain) as client, suppress(KeyboardInterrupt):
        client.publish(name, kind, values, rate, 1 if once else times)


@service.command('list')
def service_list(types: Types = False, domain: DomainOption = None) -> None:
    """List the services of the graph."""
    with _client(domain) as client:
        _show(client.services(), types)


@service.command('type')
def service_type(name: Service, domain: DomainOption = None) -> None:
    """Print the type of a service."""
    with _client(domain) as client:
        print(client.type_of(name, 'service type'))


@service.command('find')
def service_find(kind: Type, domain: DomainOption = None) -> None:
    """List the services of a type."""
    with _client(domain) as client:
        _show([(name, kinds) for name, kinds in client.services() if kind in kinds], False)


@service.command('call')
def service_call(name: Service, kind: Type, values: Values = '', domain: DomainOption = None) -> None:
    """Call a service and print its response as YAML. The exit code is 0 for any response."""
    from regolith_bringup.run.ros_values import as_yaml

    with _client(domain) as client:
        print(as_yaml(client.call(name, kind, values)), end='')


@action.command('list')
def action_list(types: Types = False, domain: DomainOption = None) -> None:
    """List the actions of the graph."""
    with _client(domain) as client:
        _show(client.actions(), types)


@action.command('type')
def action_type(name: Action, domain: DomainOption = None) -> None:
    """Print the type of an action."""
    with _client(domain) as client:
        print(client.type_of(name, 'action type'))


@action.command('info')
def action_info(name: Action, domain: DomainOption = None) -> None:
    """Print the nodes that are clients and servers of an action."""
    with _client(domain) as client:
        print(f'Action: {name} [{client.type_of(name, "action info")}]')
        for what, nodes in zip(('Action clients', 'Action servers'), client.action_ends(name), strict=True):
            print(f'{what}: {len(nodes)}')
            for each in nodes:
                print(f'    {each}')


@action.command('send_goal')
def action_send_goal(
    name: Action,
    kind: Annotated[str, typer.Argument(metavar='TYPE', help='Type, e.g. regolith_msgs/action/Dig.')],
    goal: Annotated[str, typer.Argument(metavar='GOAL', help='YAML.')],
    feedback: Annotated[bool, typer.Option('--feedback', '-f', help='Also print feedback.')] = False,
    domain: DomainOption = None,
) -> None:
    """Send a goal, wait for its end, and print the result as YAML. The exit code is 3 if it is refused or not
    reached."""
    from regolith_bringup.run.ros_values import as_yaml

    def on_feedback(message: Any) -> None:
        if feedback:
            print(f'Feedback:\n{as_yaml(message)}', file=sys.stderr, flush=True)

    with _client(domain) as client:
        accepted, status, result = client.send_goal(name, kind, goal, on_feedback)
    if not accepted:
        # ROS 2 actions have no text in the response to a goal.
        print(f'Goal was rejected; the reason is in {result} (of a run: console.log in its folder).', file=sys.stderr)
        raise typer.Exit(3)
    print(as_yaml(result), end='')
    succeeded = 4  # action_msgs/GoalStatus
    if status != succeeded:
        print(f'Goal finished with status {status}.', file=sys.stderr)
        raise typer.Exit(3)


@param.command('list')
def param_list(name: Node, domain: DomainOption = None) -> None:
    """List the parameters of a node."""
    with _client(domain) as client:
        for each in client.parameters(name):
            print(each)


@param.command('describe')
def param_describe(name: Node, parameter: Parameter, domain: DomainOption = None) -> None:
    """Print the type, the description and the limits of a parameter as YAML."""
    from regolith_bringup.run.ros_values import as_yaml

    with _client(domain) as client:
        print(as_yaml(client.describe(name, parameter)), end='')


@param.command('dump')
def param_dump(name: Node, domain: DomainOption = None) -> None:
    """Print all parameters of a node as YAML, for ``param load``."""
    from regolith_bringup.run.ros_values import parameters_yaml

    with _client(domain) as client:
        values = {each: client.parameter(name, each) for each in client.parameters(name)}
    print(parameters_yaml(name, values), end='')


@param.command('load')
def param_load(
    name: Node,
    file: Annotated[str, typer.Argument(metavar='FILE', help='YAML file as written by param dump.')],
    domain: DomainOption = None,
) -> None:
    """Set the parameters of a node from a file and print each outcome. The exit code is 3 if a parameter is refused."""
    with _client(domain) as client:
        refused = client.load_parameters(name, file)
    for each, reason in refused.items():
        print(f'Set parameter {each} {f"failed: {reason}" if reason else "successful"}')
    if any(refused.values()):
        raise typer.Exit(3)


@param.command('get')
def param_get(name: Node, parameter: Parameter, domain: DomainOption = None) -> None:
    """Print the value of a parameter."""
    with _client(domain) as client:
        print(client.parameter(name, parameter))


@param.command('set')
def param_set(
    name: Node,
    parameter: Parameter,
    value: Annotated[str, typer.Argument(metavar='VALUE', help='YAML.')],
    domain: DomainOption = None,
) -> None:
    """Set a parameter of a node."""
    with _client(domain) as client:
        client.set_parameter(name, parameter, value)


@node.command('list')
def node_list(domain: DomainOption = None) -> None:
    """List the nodes of the graph."""
    with _client(domain) as client:
        for each in client.nodes():
            print(each)


@node.command('info')
def node_info(name: Node, domain: DomainOption = None) -> None:
    """Print the topics, services and actions of a node."""
    with _client(domain) as client:
        print(name)
        for heading, names in client.ends_of_node(name).items():
            print(f'  {heading}:')
            for each, kinds in names:
                print(f'    {each}: {", ".join(kinds)}')
