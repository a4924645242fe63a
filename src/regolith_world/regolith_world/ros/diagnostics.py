# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The world on ``/diagnostics``: once a second how it and everybody it waits for are, and at once who failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from regolith_world.ros import qos
from regolith_world.ros.naming import root_of


class Diagnostics:
    """Publishes for one world; who failed stays in error until :meth:`recovered`.

    :param node: of the world
    """

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(DiagnosticArray, f'{root_of(node)}/diagnostics', qos.DIAGNOSTICS)
        self._failed: dict[str, tuple[str, dict[str, str]]] = {}

    def failed(self, names: Sequence[str], text: str, values: Mapping[str, object]) -> None:
        """Remember who failed, and what else there is to know about it."""
        for name in names:
            self._failed[name] = text, {key: str(value) for key, value in values.items()}

    def recovered(self) -> None:
        """Forget who failed: everybody has answered again."""
        self._failed.clear()

    def publish(self, t_ns: int, state: str, values: Mapping[str, object], members: Sequence[str]) -> None:
        """Say how everybody is.

        :param t_ns: of the clock [ns]
        :param state: the world's, in a word
        :param values: its figures
        :param members: whom it waits for: participants, recorder, sensors
        """
        message = DiagnosticArray()
        message.header.stamp.sec, message.header.stamp.nanosec = int(t_ns // 10**9), int(t_ns % 10**9)
        message.status = [_status('world', DiagnosticStatus.OK, state, values)]
        for name in sorted({*members, *self._failed}):
            if name in self._failed:
                text, details = self._failed[name]
                message.status.append(_status(name, DiagnosticStatus.ERROR, text, details))
            else:
                message.status.append(_status(name, DiagnosticStatus.OK, 'takes part', {}))
        self._publisher.publish(message)


def _status(name: str, level: bytes, text: str, values: Mapping[str, object]) -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(level=level, name=f'regolith: {name}', hardware_id=name, message=text, values=pairs)
