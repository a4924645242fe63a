# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Markers are what the middleware reads them as; the configurations of RViz and Foxglove name only topics that exist."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

pytest.importorskip('visualization_msgs.msg', reason='needs the interfaces')

from rclpy.serialization import deserialize_message
from visualization_msgs.msg import Marker, MarkerArray

from regolith_bringup.bag.topics import RecordedTopic
from regolith_bringup.markers_node import MarkersNode, publish_world_to_odom
from regolith_bringup.run.node_plan import node_specs
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.view.markers import GROUND_TOPIC, LAYERS_TOPIC, TYPE, Markers
from regolith_bringup.view.terrain_mesh import MeshPiece
from regolith_files.extension_points import ViewMarks
from regolith_world.numerics.rotation import from_rpy_deg, matrix

CONFIG = Path(__file__).resolve().parents[1] / 'config'
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)


def square(name: str, z: float = 0.0) -> MeshPiece:
    corners = np.array([[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]], np.float32)
    return MeshPiece(
        name, corners, np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [51, 51, 51]], np.uint8), TRIANGLES
    )


def read(markers: Markers) -> list[Any]:
    return list(deserialize_message(markers.serialized(), MarkerArray).markers)


def test_a_piece_of_ground_is_a_list_of_triangles() -> None:
    markers = Markers(1_250_000_000)
    markers.mesh(square('soil/0_0', 0.5), TRIANGLES)
    markers.mesh(square('soil/0_1'), TRIANGLES)
    one, other = read(markers)
    assert (one.header.frame_id, one.header.stamp.sec, one.header.stamp.nanosec) == ('world', 1, 250_000_000)
    assert (one.type, one.action, one.ns) == (Marker.TRIANGLE_LIST, Marker.ADD, 'ground') and one.id != other.id
    assert [(p.x, p.y, p.z) for p in one.points] == [
        (0.0, 0.0, 0.5),
        (1.0, 0.0, 0.5),
        (1.0, 1.0, 0.5),
        (0.0, 0.0, 0.5),
        (1.0, 1.0, 0.5),
        (0.0, 1.0, 0.5),
    ]
    assert [(c.r, c.g, c.b, c.a) for c in one.colors][:2] == [(1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)]
    assert one.colors[-1].r == pytest.approx(0.2)
    assert one.pose.orientation.w == one.scale.x == one.color.a == 1.0
    # The same piece replaces itself later on.
    again = Markers(0)
    again.mesh(square('soil/0_0'), TRIANGLES)
    assert read(again)[0].id == one.id


def test_marks_are_points_lines_and_texts() -> None:
    markers = Markers(0, clear=True)
    marks = [
        ViewMarks([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], '#ff8000', 2.0, joined=True, label='-60 dBm'),
        ViewMarks([[0.0, 0.0, 1.0]]),
        ViewMarks(np.zeros((0, 3))),
        ViewMarks([[0.0, 0.0, 0.0]], joined=True),
    ]
    markers.marks('radio', marks)
    clear, line, text, points = read(markers)
    assert clear.action == Marker.DELETEALL and (line.type, line.ns) == (Marker.LINE_STRIP, 'radio')
    assert [(p.x, p.y, p.z) for p in line.points] == [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)] and line.scale.x > 0.0
    assert (line.color.r, round(line.color.g, 2), line.color.b) == (1.0, 0.5, 0.0)
    assert (text.type, text.text) == (Marker.TEXT_VIEW_FACING, '-60 dBm') and text.scale.z > 0.0
    assert (text.pose.position.x, text.pose.position.y) == (4.0, 5.0) and text.pose.position.z > 6.0
    assert points.type == Marker.SPHERE_LIST and len({m.id for m in (line, text, points)}) == 3


def test_every_field_of_marks_is_as_requested() -> None:
    """Two marks of one layer, unequal along all axes: sizes in pixels of 4 cm, lines half as wide, text 35 cm above the end."""
    markers = Markers(3_500_000_007)
    markers.marks(
        'a',
        [
            ViewMarks([[0.0, 0.0, 9.0]], '#0000ff', 1.0),
            ViewMarks([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], '#336699', 3.0, label='end'),
        ],
    )
    markers.marks('b', [ViewMarks([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], '#336699', 3.0, joined=True)])
    first, points, text, line = read(markers)
    blue, color = (0.0, 0.0, 1.0, 1.0), (0.2, 0.4, 0.6, 1.0)
    expected = {
        'first': (first, 'a', 0, Marker.SPHERE_LIST, [0.04] * 3, [(0.0, 0.0, 9.0)], blue, ''),
        'points': (points, 'a', 2, Marker.SPHERE_LIST, [0.12] * 3, [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)], color, ''),
        'text': (text, 'a', 3, Marker.TEXT_VIEW_FACING, [0.0, 0.0, 0.35], [], color, 'end'),
        'line': (line, 'b', 0, Marker.LINE_STRIP, [0.06] * 3, [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)], color, ''),
    }
    for name, (marker, space, number, kind, scale, places, rgba, words) in expected.items():
        assert (marker.ns, marker.id, marker.type, marker.action, marker.text) == (
            space,
            number,
            kind,
            Marker.ADD,
            words,
        ), name
        assert (marker.header.frame_id, marker.header.stamp.sec, marker.header.stamp.nanosec) == (
            'world',
            3,
            500_000_007,
        )
        assert [marker.scale.x, marker.scale.y, marker.scale.z] == pytest.approx(scale), name
        assert [(p.x, p.y, p.z) for p in marker.points] == places, name
        assert (marker.color.r, marker.color.g, marker.color.b, marker.color.a) == pytest.approx(rgba), name
        assert [(c.r, c.g, c.b, c.a) for c in marker.colors] == [pytest.approx(rgba)] * len(places), name
        assert (
            marker.lifetime.sec,
            marker.lifetime.nanosec,
            marker.frame_locked,
            marker.mesh_use_embedded_materials,
        ) == (0, 0, False, False)
        assert (marker.texture_resource, marker.mesh_resource, marker.mesh_file.filename) == ('', '', '')
        assert (
            marker.pose.orientation.x,
            marker.pose.orientation.y,
            marker.pose.orientation.z,
            marker.pose.orientation.w,
        ) == (0, 0, 0, 1)
    at = text.pose.position
    assert (at.x, at.y, at.z) == (
        4.0,
        5.0,
        pytest.approx(6.35),
    ) and points.pose.position.x == line.pose.position.x == 0.0


def test_world_is_where_it_has_to_be_above_odom() -> None:
    true = (np.array([3.0, -1.0, 0.4]), from_rpy_deg((2.0, -4.0, 60.0)))
    reckoned = (np.array([3.3, 0.2, 0.0]), from_rpy_deg((0.0, 0.0, 50.0)))
    place, turn = publish_world_to_odom(true, reckoned)
    np.testing.assert_allclose(matrix(turn) @ reckoned[0] + place, true[0], atol=1e-12)
    np.testing.assert_allclose(matrix(turn) @ matrix(reckoned[1]), matrix(true[1]), atol=1e-12)


class Shower:
    """The part of the markers' node that shows the ground, without a node: pieces are names."""

    def __init__(self) -> None:
        self.count, self.sent, self.changes = 0, [], []  # type: ignore[var-annotated]
        self._listeners = 0
        self.complete = False
        self._soil = SimpleNamespace(soil=SimpleNamespace(changes=self._take))
        self._pieces = SimpleNamespace(take=lambda changes: changes, shown=lambda: ['all'], restart=lambda: ['plain'])
        self._ground = SimpleNamespace(get_subscription_count=lambda: self.count, publish=self.sent.append)

    def _in_bytes(self, pieces: list[str]) -> str:
        return ' '.join(pieces)

    def _take(self) -> tuple[bool, list[str]]:
        complete, changes = self.complete, [*self.changes]
        self.complete, _ = False, self.changes.clear()
        return complete, changes

    def look(self, count: int, *changes: str) -> list[str]:
        """Return what is published in a poll with so many subscribers and such changes of the soil."""
        self.count = count
        self.changes.extend(changes)
        self.sent.clear()
        MarkersNode._show_ground(self)  # type: ignore[arg-type]
        return list(self.sent)


def test_ground_goes_whole_to_every_subscriber_that_comes() -> None:
    """To the first, to a second, and after one has left; else only what changed, and nothing without subscribers."""
    shower = Shower()
    polls = [
        (0, '', []),
        (0, 'a', []),
        (1, '', ['all']),
        (1, '', []),
        (1, 'b', ['b']),
        (2, 'c', ['all']),
        (2, 'd', ['d']),
        (5, '', ['all']),
        (3, 'e', ['e']),
        (4, '', ['all']),
        (0, 'f', []),
        (1, '', ['all']),
    ]
    for number, (count, change, expected) in enumerate(polls):
        assert shower.look(count, *change) == expected, f'poll {number}'


def test_ground_goes_whole_to_subscribers_after_a_complete_state() -> None:
    shower = Shower()
    assert shower.look(1, 'a') == ['all'] and shower.look(1, 'b') == ['b']
    shower.complete = True
    assert shower.look(1, 'c') == ['all'] and shower.look(1, 'd') == ['d']


# -- configurations -----------------------------------------------------------------------------------------------


def named_by_rviz() -> Iterator[tuple[str, str]]:
    """Yield topics with the class that shows them."""
    config = yaml.safe_load((CONFIG / 'rviz' / 'regolith.rviz').read_text())
    for display in config['Visualization Manager']['Displays']:
        for key in ('Topic', 'Description Topic'):
            if key in display:
                yield display[key]['Value'], display['Class']


def named_by_foxglove() -> Iterator[tuple[str, str]]:
    """Yield topics with the kind of panel that shows them."""
    config = json.loads((CONFIG / 'foxglove' / 'regolith.json').read_text())
    for panel, settings in config['configById'].items():
        kind = panel.partition('!')[0]
        for topic in settings.get('topics', {}):
            yield topic, kind
        for layer in settings.get('layers', {}).values():
            yield layer['topic'], layer['layerId']
        for path in settings.get('paths', ()):
            yield path['value'].partition('.')[0], kind
        for key in ('topicPath', 'topicToRender'):
            if settings.get(key):
                yield settings[key].partition('.')[0], kind


def planned_topics(name: str) -> dict[str, str]:
    """Return all topics that the nodes of a scenario publish with markers, with their types."""
    scenario = load_scenario(name, ['view.markers=true']).scenario
    nodes = node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1')
    (recorder,) = (node for node in nodes if node.executable == 'recorder_node')
    lines = recorder.parameters['topics']
    assert isinstance(lines, list)
    found = {topic.name: topic.type_name for topic in map(RecordedTopic.parse, lines)}
    (markers,) = (node for node in nodes if node.executable == 'markers_node')
    return found | {f'/{markers.namespace}/{topic}': TYPE for topic in (GROUND_TOPIC, LAYERS_TOPIC)}


@pytest.mark.parametrize('scenario', ['two_rovers', 'comms_ridge'])
@pytest.mark.parametrize('named', [named_by_rviz, named_by_foxglove])
def test_configurations_name_only_topics_that_exist(scenario: str, named: Any) -> None:
    there, wanted = planned_topics(scenario), list(named())
    assert len({topic for topic, _ in wanted}) >= 6
    assert {topic for topic, _ in wanted} <= there.keys()
    types = {
        'MarkerArray': TYPE,
        'RobotModel': 'std_msgs/msg/String',
        'Odometry': 'nav_msgs/msg/Odometry',
        'Urdf': 'std_msgs/msg/String',
    }
    for topic, kind in wanted:
        expected = types.get(kind.replace('foxglove.', '').rpartition('/')[2])
        assert expected in (None, there[topic]), topic


def test_plots_of_foxglove_name_fields_that_exist() -> None:
    config = json.loads((CONFIG / 'foxglove' / 'regolith.json').read_text())
    from nav_msgs.msg import Odometry
    from regolith_msgs.msg import WheelStates

    kinds = {'/wheel_states': WheelStates, '/ground_truth/odom': Odometry}
    paths = [p['value'] for panel in config['configById'].values() for p in panel.get('paths', ())]
    assert len(paths) == 6
    for path in paths:
        topic, _, fields = path.partition('.')
        (kind,) = (kind for end, kind in kinds.items() if topic.endswith(end))
        present: Any = kind
        for field in fields.split('.'):
            types = present.get_fields_and_field_types()
            assert field.partition('[')[0] in types, path
            package, _, name = types[field.partition('[')[0]].removeprefix('sequence<').removesuffix('>').partition('/')
            present = getattr(__import__(f'{package}.msg', fromlist=[name]), name) if name else None


def test_markers_node_runs_only_on_request() -> None:
    scenario = load_scenario('two_rovers').scenario
    assert not any(
        node.executable == 'markers_node' for node in node_specs(scenario, '/runs/1/scenario.yaml', '/runs/1')
    )
    assert math.isclose(scenario.view.rate_hz, 2.0)
