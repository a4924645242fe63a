# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the world on ``/diagnostics``: its state and its participants once per second, failures at once."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from regolith_world.ros import qos
from regolith_world.ros.naming import root_namespace


class Diagnostics:
    """Publisher of the diagnostics of one world. Failed nodes remain in error until :meth:`recovered`.

    Args:
        node: Node of the world.
    """

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(DiagnosticArray, f'{root_namespace(node)}/diagnostics', qos.DIAGNOSTICS)
        self._failed: dict[str, tuple[str, dict[str, str]]] = {}

    def failed(self, names: Sequence[str], text: str, values: Mapping[str, object]) -> None:
        """Record failed nodes, with a text and details."""
        for name in names:
            self._failed[name] = text, {key: str(value) for key, value in values.items()}

    def recovered(self, lost: Container[str] = ()) -> None:
        """Clear the failures because all nodes have responded again, except those that are lost."""
        self._failed = {name: why for name, why in self._failed.items() if name in lost}

    def publish(
        self,
        t_ns: int,
        state: str,
        values: Mapping[str, object],
        members: Sequence[str],
        mismatches: Mapping[str, str] | None = None,
    ) -> None:
        """Publish the state of the world and its nodes.

        Args:
            t_ns: Clock time [ns].
            state: State of the world in one word.
            values: Statistics of the world by name.
            members: Nodes for which the world waits: participants, recorder, sensors.
            mismatches: Text on publishers of a type that no node receives, by topic.
        """
        message = DiagnosticArray()
        message.header.stamp.sec, message.header.stamp.nanosec = int(t_ns // 10**9), int(t_ns % 10**9)
        message.status = [_status('world', DiagnosticStatus.OK, state, values)]
        for name in sorted({*members, *self._failed}):
            if name in self._failed:
                text, details = self._failed[name]
                message.status.append(_status(name, DiagnosticStatus.ERROR, text, details))
            else:
                message.status.append(_status(name, DiagnosticStatus.OK, 'part of the run', {}))
        for topic, text in sorted((mismatches or {}).items()):
            message.status.append(_status(topic, DiagnosticStatus.WARN, text, {}))
        self._publisher.publish(message)


def _status(name: str, level: bytes, text: str, values: Mapping[str, object]) -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(level=level, name=f'regolith: {name}', hardware_id=name, message=text, values=pairs)
