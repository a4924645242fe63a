# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Recorded topics: name, type, quality of service, and number of publishers required before a run may start."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

from regolith_files import as_yaml_text

QOS = ('state', 'latched', 'sensor')
"""``state``: reliable, volatile; ``latched``: reliable, transient local; ``sensor``: best effort, volatile."""

LINE = '/name|package/msg/Type[|qos[|publishers]]'
"""Format of a topic in ``recording.topics``."""

LONGEST_TOPIC = 240
"""Maximum length of a topic name. DDS allows 255 characters, of which ROS 2 uses some itself."""

_BACKGROUND = ('/regolith/status', '/diagnostics', '/regolith/recorder/ack')


def is_topic(name: str) -> bool:
    """Return whether a text is a valid absolute topic name."""
    return len(name) <= LONGEST_TOPIC and re.fullmatch(r'(/[A-Za-z_]\w*)+', name, re.ASCII) is not None


@dataclass(frozen=True)
class RecordedTopic:
    """Topic of a recording."""

    name: str
    """Absolute name."""
    type_name: str
    """Message type, e.g. ``nav_msgs/msg/Odometry``."""
    qos: str = 'state'
    """One of :data:`QOS`."""
    publishers: int = 0
    """Number of publishers before the recorder is ready, 0 for optional topics (``cmd_vel``)."""

    @property
    def role(self) -> str:
        """Use of the content by the recorder: 'clock', 'cycle' or '' for none."""
        return {'/clock': 'clock', '/regolith/cycle': 'cycle'}.get(self.name, '')

    @property
    def keeps_open(self) -> bool:
        """Whether a message of this topic after STOP delays the end of the recording."""
        return self.name not in _BACKGROUND

    def line(self) -> str:
        """Return the entry of the recorder parameter ``topics``: ``name|type|qos|publishers``."""
        return f'{self.name}|{self.type_name}|{self.qos}|{self.publishers}'

    @classmethod
    def parse(cls, line: str) -> RecordedTopic:
        """Return the topic given by a :meth:`line`, where ``qos`` and ``publishers`` are optional.

        Args:
            line: Text of the topic.

        Raises:
            ValueError: If the line has another format.
        """
        parts = line.split('|')
        qos = parts[2] if len(parts) > 2 else 'state'
        count = parts[3] if len(parts) > 3 else '0'
        problem = allowed = ''
        if not (2 <= len(parts) <= 4 and parts[0].startswith('/') and parts[1].count('/') == 2):
            problem, allowed = 'is not a topic to record', f"'{LINE}'"
        elif qos not in QOS or not count.isdigit():
            problem, allowed = 'has unknown options', f'qos one of {", ".join(QOS)}, publishers a number >= 0'
        elif not is_topic(parts[0]):
            problem = 'has no valid name'
            allowed = f'/name/of/topic, letters, digits and underscores, at most {LONGEST_TOPIC} characters'
        if problem:
            raise ValueError(f'topics: {as_yaml_text(line)}: {problem}; allowed: {allowed}')
        return cls(parts[0], parts[1], qos, int(count))


def recorded_topics(
    vehicles: Iterable[str], extra: Iterable[str] = (), unpublished: Container[str] = ()
) -> tuple[RecordedTopic, ...]:
    """Return all topics that a run records, in name order.

    Args:
        vehicles: Names of the vehicles.
        extra: Additional topics as lines, see :meth:`RecordedTopic.parse`.
        unpublished: Topics that vehicles do not publish, '/NAME/TOPIC'.
    """
    names = sorted(vehicles)
    agents = len(names)
    topics = [
        RecordedTopic('/clock', 'rosgraph_msgs/msg/Clock', 'state', 1),
        RecordedTopic('/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray'),
        RecordedTopic('/regolith/cycle', 'regolith_msgs/msg/Cycle', 'state', 1),
        RecordedTopic('/regolith/cycle_result', 'regolith_msgs/msg/CycleResultBatch', 'state', 1),
        RecordedTopic('/regolith/status', 'regolith_msgs/msg/WorldStatus', 'latched', 1),
        RecordedTopic('/regolith/terrain/delta', 'regolith_msgs/msg/TerrainDeltaBatch', 'state', min(1, agents)),
        RecordedTopic('/regolith/terrain/committed', 'regolith_msgs/msg/TerrainCommitted', 'state', 1),
        RecordedTopic('/tf', 'tf2_msgs/msg/TFMessage', 'state', min(1, agents)),
        RecordedTopic('/tf_static', 'tf2_msgs/msg/TFMessage', 'latched'),
    ]
    for name in names:
        topics += [
            RecordedTopic(f'/{name}/ackermann_cmd', 'ackermann_msgs/msg/AckermannDriveStamped'),
            RecordedTopic(f'/{name}/battery_state', 'sensor_msgs/msg/BatteryState'),
            RecordedTopic(f'/{name}/cmd_vel', 'geometry_msgs/msg/Twist'),
            RecordedTopic(f'/{name}/wheeled_description', 'regolith_msgs/msg/WheeledVehicleDescription', 'latched', 1),
            RecordedTopic(f'/{name}/driver_inputs', 'regolith_msgs/msg/DriverInputs'),
            RecordedTopic(f'/{name}/events', 'regolith_msgs/msg/VehicleEvent', 'latched', 1),
            RecordedTopic(f'/{name}/running_gear_state', 'regolith_msgs/msg/RunningGearState'),
            RecordedTopic(f'/{name}/ground_truth/odom', 'nav_msgs/msg/Odometry', 'state', 1),
            RecordedTopic(f'/{name}/joint_states', 'sensor_msgs/msg/JointState', 'state', 1),
            RecordedTopic(f'/{name}/joint_command', 'sensor_msgs/msg/JointState'),
            RecordedTopic(f'/{name}/odom', 'nav_msgs/msg/Odometry', 'state', 1),
            RecordedTopic(f'/{name}/part_poses', 'regolith_msgs/msg/PartPoses', 'state', 1),
            RecordedTopic(f'/{name}/power', 'regolith_msgs/msg/VehiclePower'),
            RecordedTopic(f'/{name}/temperatures', 'regolith_msgs/msg/NodeTemperatures'),
            RecordedTopic(f'/{name}/visual_description', 'regolith_msgs/msg/VisualDescription', 'latched', 1),
            RecordedTopic(f'/{name}/robot_description', 'std_msgs/msg/String', 'latched', 1),
            RecordedTopic(f'/{name}/tracked_description', 'regolith_msgs/msg/TrackedVehicleDescription', 'latched'),
            RecordedTopic(f'/{name}/tracked_state', 'regolith_msgs/msg/TrackedVehicleState'),
            RecordedTopic(f'/{name}/wheeled_state', 'regolith_msgs/msg/WheeledVehicleState', 'state', 1),
            RecordedTopic(f'/{name}/wheel_states', 'regolith_msgs/msg/WheelStates', 'state', 1),
        ]
    known = {t.name for t in topics}
    topics += [t for t in map(RecordedTopic.parse, extra) if t.name not in known]
    return tuple(sorted((t for t in topics if t.name not in unpublished), key=lambda t: t.name))
