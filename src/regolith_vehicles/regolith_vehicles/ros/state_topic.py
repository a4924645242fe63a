# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Publisher of a state whose messages differ only in their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile

from regolith_world.cycle import Vector
from regolith_world.ros import MessageTemplate, TemplateField, qos


class StateTopic:
    """Publisher that fills the numbers of a message template."""

    def __init__(
        self,
        node: Node,
        topic: str,
        message: Any,
        numbers: list[TemplateField],
        counts: Sequence[TemplateField] = (),
        stamps: Sequence[Any] | None = None,
        profile: QoSProfile = qos.STATE,
    ) -> None:
        stamps = [message.header.stamp] if stamps is None else stamps
        self._template = MessageTemplate(message, numbers, stamps, counts)
        self.publisher = node.create_publisher(type(message), topic, profile, qos_overriding_options=qos.OVERRIDABLE)

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return bool(self.publisher.get_subscription_count())

    def publish(self, t_ns: int, values: Vector | Sequence[float], counts: Sequence[int] = ()) -> None:
        """Publish the message with these numbers."""
        self.publisher.publish(self._template.fill(t_ns, values, counts))
