# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions whose message type follows the publishers, and a check for topics with mismatched types.

The middleware delivers nothing if publisher and subscription differ in type, and reports no error. One process can have
a topic with one type only, so it cannot subscribe to several types.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile

ALIKE = ({'geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped'},)
"""Sets of types. Where one type of a set is accepted, the others are, too."""


def type_name(message_type: Any) -> str:
    """Return the name ``package/msg/Type`` of a message class."""
    return f'{message_type.__module__.partition(".")[0]}/msg/{message_type.__name__}'


def message_class(name: str) -> Any:
    """Return the message class of ``package/msg/Type``."""
    package, _, message = name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), message)


def accepted_types(name: str) -> tuple[str, ...]:
    """Return a type and those accepted in its place, the type first."""
    others = sorted(other for kinds in ALIKE if name in kinds for other in kinds if other != name)
    return (name, *others)


class PublishedType:
    """A subscription with the type of the publishers, among the types that can be read.

    Args:
        node: Node of the subscription.
        topic: Name of the topic.
        readers: Callback by type. The first type is used while there are no publishers.
        profile: QoS profile.
        handler: Function from a callback to the one passed to rclpy. The owner takes the messages itself.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        readers: Mapping[Any, Callable[[Any], None]],
        profile: QoSProfile,
        handler: Callable[[Callable[[Any], None]], Callable[[Any], None]],
    ) -> None:
        self.node, self._readers, self._profile, self._handler = node, dict(readers), profile, handler
        self.kind: Any = next(iter(readers))
        self.subscription: Any = self._made(topic)
        self._topic = self.subscription.topic_name

    @property
    def callback(self) -> Callable[[Any], None]:
        """Callback of the present type."""
        reader: Callable[[Any], None] = self._readers[self.kind]
        return reader

    def _made(self, topic: str) -> Any:
        return self.node.create_subscription(self.kind, topic, self._handler(self.callback), self._profile)

    def look(self) -> bool:
        """Compare with the published types; return whether the subscription was replaced."""
        published = {info.topic_type for info in self.node.get_publishers_info_by_topic(self._topic)}
        if self.subscription is not None and (type_name(self.kind) in published or not published):
            return False
        wanted = next((kind for kind in self._readers if type_name(kind) in published), self.kind)
        if self.subscription is not None and wanted is self.kind:
            return False
        if self.subscription is not None:
            self.node.destroy_subscription(self.subscription)
        self.kind, self.subscription = wanted, None
        with suppress(
            RuntimeError
        ):  # another subscription of this process has the former type; not so at the next look
            self.subscription = self._made(self._topic)
        return True


class TypeWatch:
    """Topics of a run that are published with a type that none of its nodes receives.

    Args:
        node: Node of the run.
        namespaces: Function that returns the absolute namespaces of the nodes of the run.
    """

    def __init__(self, node: Node, namespaces: Callable[[], Collection[str]]) -> None:
        self._node, self._namespaces = node, namespaces
        self.mismatches: dict[str, str] = {}
        """Text with both types and the publishing node, by topic."""

    def look(self) -> list[str]:
        """Find mismatches; return the texts of new ones."""
        before, self.mismatches = self.mismatches, {}
        ours = set(self._namespaces())
        for topic, types in self._node.get_topic_names_and_types():
            if len(types) < 2:
                continue
            taken = {info.topic_type for info in _of(self._node.get_subscriptions_info_by_topic(topic), ours)}
            allowed = sorted({other for name in taken for other in accepted_types(name)})
            for info in self._node.get_publishers_info_by_topic(topic):
                if taken and info.topic_type not in allowed:
                    self.mismatches[topic] = mismatch(topic, info, allowed)
        return [text for topic, text in sorted(self.mismatches.items()) if before.get(topic) != text]


def mismatch(topic: str, publisher: Any, allowed: Iterable[str]) -> str:
    """Return the text on a publisher whose messages are not received."""
    name = f'{publisher.node_namespace.rstrip("/")}/{publisher.node_name}'
    return f'{topic}: {name} publishes {publisher.topic_type}, which is not received; allowed: {" or ".join(allowed)}'


def _of(infos: Iterable[Any], namespaces: Collection[str]) -> list[Any]:
    return [info for info in infos if info.node_namespace in namespaces]
