# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""View layers of packages, and the messages on their topics."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from regolith_bringup.plugin_calls import view_layers
from regolith_bringup.view.message import ViewMessage
from regolith_files import ViewLayer, ViewMarks

_log = logging.getLogger('regolith')


class Layers:
    """Layers of a scenario. A failing layer is reported and left out."""

    def __init__(self, scenario: Any) -> None:
        self.known: dict[str, ViewLayer] = view_layers(scenario)
        """Layers by name."""
        self._last: dict[str, Any] = {}
        self._fresh: set[str] = set(self.known)

    def meet(self, types: Mapping[str, str]) -> list[str]:
        """Return the existing topics that layers draw."""
        return sorted({t for layer in self.known.values() for t, kind in layer.topics.items() if types.get(t) == kind})

    def take(self, message: ViewMessage) -> None:
        """Store a message."""
        self._last[message.topic] = message
        self._fresh |= {name for name, layer in self.known.items() if message.topic in layer.topics}

    def marks(self, t_ns: int) -> dict[str, list[ViewMarks]]:
        """Return the marks of the layers with new messages, by name.

        Args:
            t_ns: Simulated time [ns].
        """
        names, self._fresh = sorted(self._fresh & self.known.keys()), set()
        found = {}
        for name in names:
            layer = self.known[name]
            last = {topic: self._last[topic].content for topic in layer.topics if topic in self._last}
            try:
                found[name] = list(layer.draw(t_ns, last))
            except Exception as error:  # the layer is a plug-in
                _log.warning('layer %s failed: %s: %s', name, type(error).__name__, error, exc_info=True)
                del self.known[name]
        return found
