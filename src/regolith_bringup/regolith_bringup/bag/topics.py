# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""What is recorded: topic, type, quality of service and how many publishers it must have before a run may start."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from regolith_files.problems import shown

QOS = ('state', 'latched', 'sensor')
"""``state``: reliable, volatile; ``latched``: reliable, transient local; ``sensor``: best effort, volatile."""

LONGEST_TOPIC = 240
"""Characters of a name; DDS has 255 for it, of which ROS 2 takes some for itself."""

_BACKGROUND = ('/regolith/status', '/diagnostics', '/regolith/recorder/ack')


def is_topic(name: str) -> bool:
    """Return whether a text can be the absolute name of a topic."""
    return len(name) <= LONGEST_TOPIC and re.fullmatch(r'(/[A-Za-z_]\w*)+', name, re.ASCII) is not None


@dataclass(frozen=True)
class RecordedTopic:
    """One topic of a recording."""

    name: str
    """Absolute."""
    type_name: str
    """E.g. ``nav_msgs/msg/Odometry``."""
    qos: str = 'state'
    """One of :data:`QOS`."""
    publishers: int = 0
    """The recorder is ready once it has matched so many; 0 where none need exist (``cmd_vel``)."""

    @property
    def role(self) -> str:
        """What the recorder must read of it: 'clock', 'cycle' or '' for nothing."""
        return {'/clock': 'clock', '/regolith/cycle': 'cycle'}.get(self.name, '')

    @property
    def keeps_open(self) -> bool:
        """Whether a message of it after STOP means that there may be more to come."""
        return self.name not in _BACKGROUND

    def line(self) -> str:
        """Return the form it has in the recorder's ``topics`` parameter: ``name|type|qos|publishers``."""
        return f'{self.name}|{self.type_name}|{self.qos}|{self.publishers}'

    @classmethod
    def parse(cls, line: str) -> RecordedTopic:
        """Read what :meth:`line` wrote; ``qos`` and ``publishers`` may be left out.

        :raises ValueError: if the line has another form
        """
        parts = line.split('|')
        qos = parts[2] if len(parts) > 2 else 'state'
        count = parts[3] if len(parts) > 3 else '0'
        problem = allowed = ''
        if not (2 <= len(parts) <= 4 and parts[0].startswith('/') and parts[1].count('/') == 2):
            problem, allowed = 'is no topic to record', "'/name|package/msg/Type[|qos[|publishers]]'"
        elif qos not in QOS or not count.isdigit():
            problem, allowed = 'has unknown options', f'qos one of {", ".join(QOS)}, publishers a number >= 0'
        elif not is_topic(parts[0]):
            problem = 'has no valid name'
            allowed = f'/name/of/topic, letters, digits and underscores, at most {LONGEST_TOPIC} characters'
        if problem:
            raise ValueError(f'topics: {shown(line)}: {problem}; allowed: {allowed}')
        return cls(parts[0], parts[1], qos, int(count))


def recorded_topics(vehicles: Iterable[str], extra: Iterable[str] = ()) -> tuple[RecordedTopic, ...]:
    """Return everything a run records, in name order.

    :param vehicles: names of the (wheeled) vehicles
    :param extra: further topics as lines, see :meth:`RecordedTopic.parse`
    """
    names = sorted(vehicles)
    agents = len(names)
    topics = [
        RecordedTopic('/clock', 'rosgraph_msgs/msg/Clock', 'state', 1),
        RecordedTopic('/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray'),
        RecordedTopic('/regolith/cycle', 'regolith_msgs/msg/Cycle', 'state', 1),
        RecordedTopic('/regolith/evolved', 'regolith_msgs/msg/Evolved', 'state', 1),
        RecordedTopic('/regolith/status', 'regolith_msgs/msg/WorldStatus', 'latched', 1),
        RecordedTopic('/regolith/terrain/delta', 'regolith_msgs/msg/TerrainDelta', 'state', min(1, agents)),
        RecordedTopic('/regolith/terrain/update', 'regolith_msgs/msg/TerrainUpdate', 'state', 1),
        RecordedTopic('/tf', 'tf2_msgs/msg/TFMessage', 'state', min(1, agents)),
        RecordedTopic('/tf_static', 'tf2_msgs/msg/TFMessage', 'latched'),
    ]
    for name in names:
        topics += [
            RecordedTopic(f'/{name}/cmd_vel', 'geometry_msgs/msg/Twist'),
            RecordedTopic(f'/{name}/description', 'regolith_msgs/msg/WheeledVehicleDescription', 'latched', 1),
            RecordedTopic(f'/{name}/events', 'regolith_msgs/msg/VehicleEvent', 'latched', 1),
            RecordedTopic(f'/{name}/ground_truth/odom', 'nav_msgs/msg/Odometry', 'state', 1),
            RecordedTopic(f'/{name}/joint_states', 'sensor_msgs/msg/JointState', 'state', 1),
            RecordedTopic(f'/{name}/odom', 'nav_msgs/msg/Odometry', 'state', 1),
            RecordedTopic(f'/{name}/robot_description', 'std_msgs/msg/String', 'latched', 1),
            RecordedTopic(f'/{name}/vehicle_state', 'regolith_msgs/msg/WheeledVehicleState', 'state', 1),
            RecordedTopic(f'/{name}/wheel_states', 'regolith_msgs/msg/WheelStates', 'state', 1),
        ]
    known = {t.name for t in topics}
    topics += [t for t in map(RecordedTopic.parse, extra) if t.name not in known]
    return tuple(sorted(topics, key=lambda t: t.name))
