# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""``./regolith topic``, ``service``, ``action``, ``param``, ``node``: the most used commands of ``ros2``, in its words.

For set-ups without an installed ROS 2, which have no ``ros2``. Imports are inside, as in all commands.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import Annotated, Any

import typer

from regolith_bringup.commands.options import DomainOption

Topic = Annotated[str, typer.Argument(metavar='TOPIC', help='Absolute name, as /amber/odom.')]
Service = Annotated[str, typer.Argument(metavar='SERVICE', help='Absolute name, as /regolith/world/pause.')]
Type = Annotated[str, typer.Argument(metavar='TYPE', help='As std_srvs/srv/SetBool.')]
Values = Annotated[str, typer.Argument(metavar='VALUES', help="YAML, as '{data: true}'; none: defaults.")]
Types = Annotated[bool, typer.Option('--show-types', '-t', help='Show types, too.')]
Node = Annotated[str, typer.Argument(metavar='NODE', help='Full name, as /regolith/world.')]


def _app(name: str, about: str) -> Any:
    return typer.Typer(name=name, help=about, no_args_is_help=True, add_completion=False)


topic, service, action = (
    _app('topic', 'List, show and publish messages.'), _app('service', 'List and call services.'),
    _app('action', 'List actions and send goals.'),
)  # fmt: skip
param, node = _app('param', 'List, get and set parameters of nodes.'), _app('node', 'List nodes.')
APPS = (topic, service, action, param, node)


def _client(domain: str | None) -> Any:
    from regolith_bringup.run.ros_client import RosClient

    return RosClient(domain)


def _show(found: list[tuple[str, list[str]]], types: bool) -> None:
    for name, kinds in found:
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


@topic.command('echo')
def topic_echo(
    name: Topic,
    kind: Annotated[str, typer.Argument(metavar='[TYPE]', help='None: that of the topic.')] = '',
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
    window: Annotated[int, typer.Option('--window', '-w', metavar='N', help='Messages of a mean.', min=2)] = 50,
    domain: DomainOption = None,
) -> None:
    """Print how many messages arrive per wall second, once a second, until Ctrl-C."""
    times: list[float] = []
    told = [time.monotonic()]

    def take(message: Any) -> bool:
        now = time.monotonic()
        times.append(now)
        del times[:-window]
        if now - told[0] >= 1.0 and len(times) > 1:
            told[0] = now
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
    times: Annotated[int, typer.Option('--times', '-t', metavar='N', help='Number; 0: until Ctrl-C.', min=0)] = 0,
    domain: DomainOption = None,
) -> None:
    """Publish a message, again and again until Ctrl-C."""
    with _client(domain) as client, suppress(KeyboardInterrupt):
        client.publish(name, kind, values, rate, 1 if once else times)


@service.command('list')
def service_list(types: Types = False, domain: DomainOption = None) -> None:
    """List the services of the graph."""
    with _client(domain) as client:
        _show(client.services(), types)


@service.command('call')
def service_call(name: Service, kind: Type, values: Values = '', domain: DomainOption = None) -> None:
    """Call a service and print its response as YAML."""
    from regolith_bringup.run.ros_values import as_yaml

    with _client(domain) as client:
        print(as_yaml(client.call(name, kind, values)), end='')


@action.command('list')
def action_list(types: Types = False, domain: DomainOption = None) -> None:
    """List the actions of the graph."""
    with _client(domain) as client:
        _show(client.actions(), types)


@action.command('send_goal')
def action_send_goal(
    name: Annotated[str, typer.Argument(metavar='ACTION', help='Absolute name, as /digger/dig.')],
    kind: Annotated[str, typer.Argument(metavar='TYPE', help='As regolith_msgs/action/Dig.')],
    goal: Annotated[str, typer.Argument(metavar='GOAL', help='YAML.')],
    feedback: Annotated[bool, typer.Option('--feedback', '-f', help='Print feedback, too.')] = False,
    domain: DomainOption = None,
) -> None:
    """Send a goal, wait for its end, and print the result as YAML. Exit code 3 if it is refused or not reached."""
    from regolith_bringup.run.ros_values import as_yaml

    def told(message: Any) -> None:
        if feedback:
            print(f'Feedback:\n{as_yaml(message)}', file=sys.stderr, flush=True)

    with _client(domain) as client:
        accepted, status, result = client.send_goal(name, kind, goal, told)
    if not accepted:
        print('Goal was rejected.', file=sys.stderr)
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


@param.command('get')
def param_get(
    name: Node, parameter: Annotated[str, typer.Argument(metavar='PARAMETER')], domain: DomainOption = None
) -> None:
    """Print the value of a parameter."""
    with _client(domain) as client:
        print(client.parameter(name, parameter))


@param.command('set')
def param_set(
    name: Node, parameter: Annotated[str, typer.Argument(metavar='PARAMETER')],
    value: Annotated[str, typer.Argument(metavar='VALUE', help='YAML.')], domain: DomainOption = None,
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
