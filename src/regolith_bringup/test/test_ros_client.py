# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands that replace ros2 query the graph and print its responses; test/test_ros_commands.py has a running world."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

pytest.importorskip('rclpy', reason='ROS 2 is not in this environment')

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterDescriptor, ParameterType, ParameterValue, SetParametersResult
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from std_srvs.srv import SetBool

from regolith_bringup.run.ros_client import RosClient
from regolith_bringup.run.ros_values import parameters_yaml, stamp_ns
from regolith_files.problems import InputError

pytestmark = pytest.mark.ros


class Graph:
    """Stands for a node: topics, services and nodes of its own; the client's waits take no time."""

    def __init__(self) -> None:
        self.client = RosClient.__new__(RosClient)
        self.client.node, self.client.root = self, ''
        self.waits: list[float] = []
        self.client.wait = self._wait  # type: ignore[method-assign]
        self.client.executor = SimpleNamespace(spin_once=lambda timeout_sec: self.arrive())
        self.topics: dict[str, list[str]] = {'/b/odom': ['nav_msgs/msg/Odometry'], '/a': ['p/msg/A', 'p/msg/B']}
        self.services: dict[str, list[str]] = {
            '/x/_action/send_goal': ['p/action/X_SendGoal'],
            '/s': ['std_srvs/srv/SetBool'],
            '/x/_action/cancel_goal': ['p/srv/C'],
        }
        self.offered: list[Any] = []
        self.sent: list[Any] = []
        self.asked: list[tuple[str, Any]] = []
        self.responses: dict[str, Any] = {}
        self.starting: set[str] = set()
        self.arriving: list[Any] = []

    def _wait(self, done: Any, timeout_s: float) -> bool:
        self.waits.append(timeout_s)
        return bool(done())

    def arrive(self) -> None:
        self.received(self.arriving.pop(0))

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return list(self.topics.items())

    def get_service_names_and_types(self) -> list[tuple[str, list[str]]]:
        return list(self.services.items())

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        return [('world', '/regolith'), ('client_1', '/regolith'), ('top', '/')]

    def get_name(self) -> str:
        return 'client_1'

    def get_publishers_info_by_topic(self, topic: str) -> list[Any]:
        return self.offered

    def count_publishers(self, topic: str) -> int:
        return 1

    def get_subscriptions_info_by_topic(self, topic: str) -> list[Any]:
        return []

    def create_subscription(self, kind: Any, topic: str, received: Any, profile: Any, **options: Any) -> None:
        self.subscribed, self.received, self.options = (kind.__name__, topic, profile), received, options

    def create_publisher(self, kind: Any, topic: str, depth: int) -> Any:
        self.published = kind.__name__, topic
        return SimpleNamespace(publish=self.sent.append, get_subscription_count=lambda: 1)

    def create_client(self, kind: Any, service: str) -> Any:
        def call_async(request: Any) -> Any:
            self.asked.append((service, request))
            response = self.responses.get(service)
            return SimpleNamespace(done=lambda: response is not None, result=lambda: response)

        known = service not in self.starting and (service in self.services or service in self.responses)
        return SimpleNamespace(service_is_ready=lambda: known, call_async=call_async)


def test_names_are_sorted_with_their_types_and_without_its_own() -> None:
    graph = Graph()
    assert graph.client.topics() == [('/a', ['p/msg/A', 'p/msg/B']), ('/b/odom', ['nav_msgs/msg/Odometry'])]
    assert [name for name, _ in graph.client.services()] == ['/s', '/x/_action/cancel_goal', '/x/_action/send_goal']
    assert graph.client.actions() == [('/x', ['p/action/X'])]
    assert graph.client.nodes() == ['/regolith/world', '/top']
    assert graph.client.type_of('/a', 'topic type') == 'p/msg/A'
    with pytest.raises(
        InputError,
        match=r"topic type: topic = '/b/odm': is not in the graph; allowed: /a, /b/odom \(did you mean /b/odom\?\)",
    ):
        graph.client.type_of('/b/odm', 'topic type')


@pytest.mark.parametrize(
    ('offered', 'reliability', 'durability'),
    [
        ([], 'RELIABLE', 'VOLATILE'),
        (['RT'], 'RELIABLE', 'TRANSIENT_LOCAL'),
        (['RT', 'RV'], 'RELIABLE', 'VOLATILE'),
        (['RV', 'BV'], 'BEST_EFFORT', 'VOLATILE'),
        (['BT'], 'BEST_EFFORT', 'TRANSIENT_LOCAL'),
    ],
)
def test_an_echo_fits_all_publishers(offered: list[str], reliability: str, durability: str) -> None:
    """The first letters: reliable or best effort, transient local or volatile."""
    graph = Graph()
    words = {
        'R': ReliabilityPolicy.RELIABLE,
        'B': ReliabilityPolicy.BEST_EFFORT,
        'T': DurabilityPolicy.TRANSIENT_LOCAL,
        'V': DurabilityPolicy.VOLATILE,
    }
    graph.offered = [
        SimpleNamespace(qos_profile=SimpleNamespace(reliability=words[r], durability=words[d])) for r, d in offered
    ]
    graph.arriving, taken = [1, 2, 3], list[int]()
    graph.client.echo('/b/odom', '', 'topic echo', lambda message: taken.append(message) or message < 2)
    kind, topic, profile = graph.subscribed
    assert (kind, topic, taken) == ('Odometry', '/b/odom', [1, 2])
    assert (profile.reliability.name, profile.durability.name, profile.depth) == (reliability, durability, 100)


def test_messages_are_published_as_often_and_as_fast_as_requested() -> None:
    graph = Graph()
    assert graph.client.publish('/c', 'geometry_msgs/msg/Twist', '{linear: {x: 2}}', 4.0, 3) == 3
    assert graph.published == ('Twist', '/c') and graph.sent == [graph.sent[0]] * 3 and isinstance(graph.sent[0], Twist)
    assert graph.sent[0].linear.x == 2.0 and graph.waits == [5.0, 0.3, 0.25, 0.25, 0.25]


def test_a_service_gets_the_values_and_a_timeout_is_printed() -> None:
    graph = Graph()
    graph.responses['/s'] = SetBool.Response(success=True)
    assert graph.client.call('/s', 'std_srvs/srv/SetBool', '{data: true}').success
    assert graph.asked == [('/s', SetBool.Request(data=True))] and graph.waits == [5.0, 0.3, 60.0]
    graph.responses.clear()
    with pytest.raises(
        InputError, match="service call: service = '/s': no response within 60 s; allowed: a service that responds"
    ):
        graph.client.call('/s', 'std_srvs/srv/SetBool', '')
    with pytest.raises(InputError, match="service = '/t': is not in the graph; allowed: /s, "):
        graph.client.call('/t', 'std_srvs/srv/SetBool', '')
    graph.services['/late'] = ['std_srvs/srv/SetBool']
    graph.starting.add('/late')
    with pytest.raises(
        InputError, match="service = '/late': is not ready within 5 s; allowed: a node that has started"
    ):
        graph.client.call('/late', 'std_srvs/srv/SetBool', '')


def test_parameters_are_listed_read_and_set() -> None:
    """A whole number for one that is a real number; what the node says to it."""
    graph = Graph()
    listed = ListParameters.Response()
    listed.result.names = ['speed', 'duration_s']
    graph.responses['/n/list_parameters'] = listed
    graph.responses['/n/get_parameters'] = GetParameters.Response(
        values=[ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=2.5)]
    )
    graph.responses['/n/set_parameters'] = SetParameters.Response(results=[SetParametersResult(successful=True)])
    assert graph.client.parameters('/n') == ['duration_s', 'speed'] and graph.client.parameter('/n', 'speed') == 2.5
    for text, kind, field, value in (
        ('3', ParameterType.PARAMETER_DOUBLE, 'double_value', 3.0),
        ('true', ParameterType.PARAMETER_BOOL, 'bool_value', True),
        ('x', ParameterType.PARAMETER_STRING, 'string_value', 'x'),
        ('-0.5', ParameterType.PARAMETER_DOUBLE, 'double_value', -0.5),
    ):
        graph.client.set_parameter('/n', 'speed', text)
        (sent,) = graph.asked[-1][1].parameters
        assert (graph.asked[-1][0], sent.name, sent.value.type, getattr(sent.value, field)) == (
            '/n/set_parameters',
            'speed',
            kind,
            value,
        )
    graph.responses['/n/get_parameters'] = GetParameters.Response(
        values=[ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=4)]
    )
    graph.client.set_parameter('/n', 'count', '3')
    assert graph.asked[-1][1].parameters[0].value.integer_value == 3
    graph.responses['/n/set_parameters'] = SetParameters.Response(results=[SetParametersResult(reason='is read only')])
    with pytest.raises(InputError, match='param set: speed = 1: is read only; allowed: a value that the node accepts'):
        graph.client.set_parameter('/n', 'speed', '1')
    for values in ([], [ParameterValue()]):
        graph.responses['/n/get_parameters'] = GetParameters.Response(values=values)
        with pytest.raises(
            InputError,
            match=r"param get: parameter = 'sped': is not one of /n; allowed: duration_s, speed \(did you mean speed\?\)",
        ):
            graph.client.parameter('/n', 'sped')


def test_types_of_services_and_actions() -> None:
    graph = Graph()
    assert graph.client.type_of('/s', 'service type') == 'std_srvs/srv/SetBool'
    assert graph.client.type_of('/x', 'action type') == 'p/action/X'
    with pytest.raises(InputError, match=r"service type: service = '/t': is not in the graph; allowed: /s, "):
        graph.client.type_of('/t', 'service type')
    with pytest.raises(InputError, match=r"action type: action = '/s': is not in the graph; allowed: /x"):
        graph.client.type_of('/s', 'action type')


def test_ends_of_topics_and_nodes() -> None:
    """Publishers in the order of their nodes; parts of actions are left out."""
    graph = Graph()
    graph.offered = [
        SimpleNamespace(node_namespace=space, node_name=name) for space, name in (('/', 'z'), ('/b', 'a'), ('/', 'c'))
    ]
    published, subscribed = graph.client.topic_ends('/b/odom')
    assert [(end.node_namespace, end.node_name) for end in published] == [
        ('/b', 'a'),
        ('/', 'c'),
        ('/', 'z'),
    ] and subscribed == []
    read: list[tuple[str, str]] = []

    def names(*at: str) -> list[tuple[str, list[str]]]:
        read.append(at)  # type: ignore[arg-type]
        return [('/y', ['p/msg/Y']), ('/x/_action/status', ['p/msg/S']), ('/b', ['p/msg/B'])]

    for what in ('subscriber', 'publisher', 'service', 'client'):
        setattr(graph, f'get_{what}_names_and_types_by_node', names)
    with pytest.MonkeyPatch.context() as patch:
        from regolith_bringup.run import ros_client

        patch.setattr(
            ros_client, 'get_action_server_names_and_types_by_node', lambda node, *at: [('/dig', ['p/action/Dig'])]
        )
        patch.setattr(ros_client, 'get_action_client_names_and_types_by_node', lambda node, *at: [])
        ends = graph.client.ends_of_node('/regolith/world')
        assert graph.client.action_ends('/dig') == ([], ['/regolith/world', '/top'])
    assert ends['Publishers'] == [('/b', ['p/msg/B']), ('/y', ['p/msg/Y'])] and set(read) == {
        ('world', '/regolith'),
        ('top', '/'),
    }
    with pytest.raises(
        InputError, match=r"node = '/regolith/wrld': is not in the graph; allowed: /regolith/world, /top \(did you mean"
    ):
        graph.client.ends_of_node('/regolith/wrld')


def test_serialized_messages_are_received_for_their_size() -> None:
    graph, taken = Graph(), list[bytes]()
    graph.arriving = [b'abc']
    graph.client.echo('/b/odom', '', 'topic bw', lambda message: bool(taken.append(message)), raw=True)
    assert taken == [b'abc'] and graph.options == {'raw': True}


def test_parameters_are_loaded_from_what_dump_prints(tmp_path: Path) -> None:
    graph, file = Graph(), tmp_path / 'dump.yaml'
    file.write_text(parameters_yaml('/n', {'speed': 2.0, 'name': 'x', 'list': ['a']}))
    assert yaml.safe_load(file.read_text()) == {'/n': {'ros__parameters': {'speed': 2.0, 'name': 'x', 'list': ['a']}}}
    graph.responses['/n/set_parameters'] = SetParameters.Response(results=[SetParametersResult(successful=True)])
    assert graph.client.load_parameters('/n', str(file)) == {'speed': '', 'name': '', 'list': ''}
    sent = [request.parameters[0] for _, request in graph.asked]
    assert [each.name for each in sent] == ['speed', 'name', 'list'] and sent[0].value.double_value == 2.0
    graph.responses['/n/set_parameters'] = SetParameters.Response(results=[SetParametersResult(reason='is read only')])
    assert graph.client.load_parameters('/n', str(file)) == dict.fromkeys(('speed', 'name', 'list'), 'is read only')
    with pytest.raises(InputError, match=r'dump\.yaml: /m: has no ros__parameters; allowed: /m: \{ros__parameters'):
        graph.client.load_parameters('/m', str(file))


def test_parameter_is_described_by_its_node() -> None:
    graph = Graph()
    listed = ListParameters.Response()
    listed.result.names = ['speed']
    graph.responses['/n/list_parameters'] = listed
    described = DescribeParameters.Response(descriptors=[ParameterDescriptor(name='speed', description='cap')])
    graph.responses['/n/describe_parameters'] = described
    assert graph.client.describe('/n', 'speed').description == 'cap'
    with pytest.raises(
        InputError, match=r"param describe: parameter = 'sped': is not one of /n; allowed: speed \(did you mean speed"
    ):
        graph.client.describe('/n', 'sped')


def test_stamps_are_read_and_other_topics_refused() -> None:
    odometry = Odometry()
    odometry.header.stamp.sec, odometry.header.stamp.nanosec = 2, 5
    assert stamp_ns(odometry, '/b/odom') == 2_000_000_005
    with pytest.raises(
        InputError, match=r"topic = '/c': has messages without a header; allowed: a topic of stamped messages"
    ):
        stamp_ns(Twist(), '/c')


class World(Graph):
    """Stands for a node beside a running world: it responds to requests at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **responses: Any) -> None:
        from regolith_bringup.run import running_simulation

        super().__init__()
        self.world = running_simulation.RunningSimulation.__new__(running_simulation.RunningSimulation)
        self.world.node, self.world.root, self.world.executor = self, '/east', None  # type: ignore[assignment]
        self.world.wait = self._wait  # type: ignore[method-assign]
        self.responses = {f'/east/regolith/world/{service}': response for service, response in responses.items()}

        def ask(executor: Any, client: Any, request: Any, timeout_s: float) -> Any:
            return client.call_async(request).result()

        monkeypatch.setattr(running_simulation, 'call_service', ask)


def test_a_running_world_receives_the_fields_of_its_services(monkeypatch: pytest.MonkeyPatch) -> None:
    from regolith_msgs.msg import WorldStatus
    from regolith_msgs.srv import Rewind, SaveSnapshot, Step
    from simulation_interfaces.msg import Result
    from simulation_interfaces.srv import ResetSimulation

    reset = ResetSimulation.Response(result=Result(result=Result.RESULT_OK))
    world = World(
        monkeypatch,
        pause=SetBool.Response(success=True),
        step=Step.Response(success=True, t_ns=5),
        save_snapshot=SaveSnapshot.Response(success=True),
        rewind=Rewind.Response(success=True, cycle=3),
        reset_simulation=reset,
        set_parameters=SetParameters.Response(results=[SetParametersResult(successful=True)]),
    )
    client = world.world
    client.status = WorldStatus(state=WorldStatus.PAUSED)
    assert client.pause(True) is client.status and client.pause(False) is client.status
    assert (
        client.step(7).t_ns == 5 and client.rewind(1_500, False).cycle == 3 and client.rewind('noon', True).cycle == 3
    )
    client.save_snapshot('dusk')
    client.reset()
    client.set_real_time_factor(2)
    names = [name.removeprefix('/east/regolith/world/') for name, _ in world.asked]
    assert names == [
        'pause',
        'pause',
        'step',
        'rewind',
        'rewind',
        'save_snapshot',
        'reset_simulation',
        'set_parameters',
    ]
    sent = [request for _, request in world.asked]
    assert [sent[0].data, sent[1].data, sent[2].steps, sent[5].name] == [True, False, 7, 'dusk']
    assert (sent[3].t_ns, sent[3].snapshot, sent[3].inputs) == (1_500, '', Rewind.Request.REPLAY)
    assert (sent[4].t_ns, sent[4].snapshot, sent[4].inputs) == (0, 'noon', Rewind.Request.LIVE)
    (speed,) = sent[7].parameters
    assert (speed.name, speed.value.type, speed.value.double_value) == (
        'real_time_factor',
        ParameterType.PARAMETER_DOUBLE,
        2.0,
    )


def test_refusal_of_a_running_world_states_allowed_values(monkeypatch: pytest.MonkeyPatch) -> None:
    from regolith_msgs.srv import Rewind, SaveSnapshot, Step
    from simulation_interfaces.msg import Result
    from simulation_interfaces.srv import ResetSimulation

    failed = ResetSimulation.Response(result=Result(result=Result.RESULT_OPERATION_FAILED, error_message='it cannot'))
    world = World(
        monkeypatch,
        step=Step.Response(message='it is not paused; call pause'),
        save_snapshot=SaveSnapshot.Response(message='is taken'),
        rewind=Rewind.Response(message='is too early; allowed: from 1 s'),
        reset_simulation=failed,
        set_parameters=SetParameters.Response(results=[SetParametersResult(reason='too fast')]),
    )
    client = world.world
    for call, said in (
        (lambda: client.step(1), 'step: it is not paused; allowed: ./regolith pause first'),
        (lambda: client.save_snapshot('a'), 'snapshot save: is taken; allowed: another name'),
        (lambda: client.rewind(1, False), 'rewind: is too early; allowed: from 1 s'),
        (lambda: client.reset(), 'reset: it cannot; allowed: a world that can be reset'),
        (lambda: client.set_real_time_factor(2.0), 'real_time_factor: 2: too fast; allowed: a number above 0, or max'),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == said
    world.responses['/east/regolith/world/step'] = Step.Response(message='takes steps already')
    with pytest.raises(InputError, match='step: takes steps already; allowed: a world that is not executing steps'):
        client.step(1)
