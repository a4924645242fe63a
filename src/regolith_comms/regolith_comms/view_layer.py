# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Radio layer of the view: links, breadcrumbs, stations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from regolith_files import ViewLayer, ViewMarks

LINKS = '/regolith/comms/links'
_GOOD, _POOR, _LOST = (78, 214, 143), (245, 190, 60), (226, 84, 66)
_BREADCRUMB, _STATION = '#4fc3f7', '#e8e8f0'
_SILENT = 0.995
"""Packet error above which there is no link [-]."""


def layer(scenario: Any) -> ViewLayer | None:
    """Return the view layer of a scenario's radios; None without radios."""
    config = getattr(scenario, 'comms', None)
    if config is None:
        return None
    vehicles = sorted(scenario.vehicles)
    places = {name: np.array(place, dtype=np.float64) for name, place in sorted(config.stations.items())}
    height = np.array([0.0, 0.0, config.antenna_height_m])
    topics = {LINKS: 'regolith_msgs/msg/RadioLinks'}
    topics |= {f'/{name}/ground_truth/odom': 'nav_msgs/msg/Odometry' for name in vehicles}

    def draw(t_ns: int, last: Mapping[str, Any]) -> list[ViewMarks]:
        known = {name: place + height for name, place in places.items()}
        for name in vehicles:
            odom = last.get(f'/{name}/ground_truth/odom')
            if odom is not None:
                p = odom.pose.pose.position
                known[name] = np.array([p.x, p.y, p.z]) + height
        marks = [ViewMarks([place + height], _STATION, 9.0, label=name) for name, place in places.items()]
        links = last.get(LINKS)
        if links is None:
            return marks
        relays = [np.array([p.x, p.y, p.z]) for p in links.breadcrumb_positions]
        marks += [ViewMarks([p], _BREADCRUMB, 8.0, label=n) for n, p in zip(links.breadcrumbs, relays, strict=True)]
        for link in _worse_of_each_pair(links.links):
            if link.src in known and link.dst in known:
                points = _way(known[link.src], known[link.dst], relays if link.num_hops else [])
                marks.append(ViewMarks(points, _color(link.packet_error), 2.0, True, f'{link.mean_rssi:.0f} dBm'))
        return marks

    return ViewLayer('Radio links', draw, topics)


def _worse_of_each_pair(links: Any) -> list[Any]:
    """Return for each pair of radios with a link the direction with the larger loss."""
    found: dict[tuple[str, str], Any] = {}
    for link in links:
        pair = (min(link.src, link.dst), max(link.src, link.dst))
        if pair not in found or link.packet_error > found[pair].packet_error:
            found[pair] = link
    return [link for _, link in sorted(found.items()) if math.isfinite(link.mean_rssi) and link.packet_error < _SILENT]


def _way(start: Any, end: Any, relays: list[Any]) -> Any:
    """Return the points of a link: a straight line, or via the breadcrumb with the shortest longer leg."""
    if not relays:
        return np.array([start, end])
    legs = [max(float(np.linalg.norm(start - r)), float(np.linalg.norm(end - r))) for r in relays]
    return np.array([start, relays[int(np.argmin(legs))], end])


def _color(packet_error: float) -> str:
    """Return a color from green for no loss to red for total loss."""
    share = min(max(packet_error, 0.0), 1.0)
    one, other, part = (_GOOD, _POOR, 2.0 * share) if share < 0.5 else (_POOR, _LOST, 2.0 * share - 1.0)
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(one, other, strict=True))
    return f'#{red:02x}{green:02x}{blue:02x}'
