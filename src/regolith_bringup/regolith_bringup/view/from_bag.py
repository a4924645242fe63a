# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""View of a recorded run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from regolith_bringup.bag.reading import Bag, RawMessage
from regolith_bringup.view.draw_objects import CYCLE
from regolith_bringup.view.draw_sensors import STATIC
from regolith_bringup.view.draw_vehicles import LOOKS, POSES
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas
from regolith_bringup.view.run_view import RunView
from regolith_bringup.view.terrain_mesh import tiles_of
from regolith_terrain.grid import NodeRecords
from regolith_terrain.updates import COMMITTED_TOPIC, CommittedSoil, SoilCommit
from regolith_vehicles.visuals import state_poses

_SOME = 25
"""Decimation of vehicle states in the search for vehicle positions."""


def draw_run(
    scenario: Any, bags: list[Bag], canvas: Canvas, to_ns: int, on_progress: Callable[[int], None] = lambda t_ns: None
) -> RunView:
    """Draw a recorded run and return its view.

    Args:
        scenario: Resolved scenario.
        bags: Bags of the branches before the shown one, then its own bag.
        canvas: Canvas to draw on.
        to_ns: Simulated time of the last drawn message [ns].
        on_progress: Callback with the simulated time reached [ns].
    """
    bag = bags[-1]
    survey = _Survey(scenario, bag, to_ns)
    first_ns = survey.first_ns
    view = RunView(scenario, canvas, survey.last_ns - first_ns)
    topics = view.meet({t.name: t.type_name for t in bag.topics.values() if t.messages})
    view.begin(first_ns, np.array(survey.places), survey.tiles)
    view.terrain.dig(first_ns, _soil_before(bags))
    # Descriptions and frames are valid from the start, independent of their time in the bag.
    early = [name for name in topics if name.endswith(f'/{LOOKS}') or name == STATIC]
    for message in bag.raw(*early) if early else ():
        view.take(_told(bag, message, first_ns))
    reached = first_ns
    rest = [name for name in topics if name not in early]
    for message in bag.raw(*rest) if rest else ():
        if message.log_time_ns > to_ns:
            continue  # topics may be slightly out of order
        if message.log_time_ns > reached:
            reached = message.log_time_ns
            on_progress(reached)
        view.take(_told(bag, message, message.log_time_ns))
    view.end(reached)
    return view


def _told(bag: Bag, message: RawMessage, t_ns: int) -> ViewMessage:
    return ViewMessage(message.topic, t_ns, message.data, lambda raw: bag.decoded(message))


class _Survey:
    """Properties of a bag that are needed before drawing, collected in one pass.

    Args:
        scenario: Resolved scenario.
        bag: Bag to read.
        to_ns: Simulated time of the last relevant message [ns].
    """

    def __init__(self, scenario: Any, bag: Bag, to_ns: int) -> None:
        self.places = [list(entry.position[:2]) for _, entry in sorted(scenario.vehicles.items())] or [[0.0, 0.0]]
        """Positions of vehicles [m]."""
        self.tiles: set[tuple[int, int]] = set()
        """Terrain tiles that change."""
        times = []
        topics = [
            n for n, t in bag.topics.items() if t.messages and n.endswith((COMMITTED_TOPIC, '/clock', f'/{POSES}'))
        ]
        states: Counter[str] = Counter()
        for message in bag.raw(*topics) if topics else ():
            if message.log_time_ns > to_ns:
                continue
            if message.topic == COMMITTED_TOPIC:
                nodes = bag.decoded(message).nodes
                self.tiles.update(tiles_of(np.asarray(nodes.x, np.int64), np.asarray(nodes.y, np.int64)))
            elif message.topic == '/clock':
                times.append(message.log_time_ns)
            else:
                # Counted per vehicle, because the order of messages of several vehicles differs between runs.
                if states[message.topic] % _SOME == 0:
                    self.places.append(state_poses(message.data)[2][0, :2].tolist())
                states[message.topic] += 1
        self.first_ns, self.last_ns = min(times, default=0), max(times, default=0)
        """Simulated times of the first and last message [ns]."""


def _soil_before(bags: list[Bag]) -> list[NodeRecords]:
    """Return the soil changes before the last bag (a branch) begins, selected by cycle numbers."""
    firsts = [next(iter(bag.messages(CYCLE)), None) for bag in bags]
    begins = [int(first.content.key.cycle) if first is not None else 0 for first in firsts]
    soil, found = CommittedSoil(recorded=True), []
    for k, bag in enumerate(bags[:-1]):
        for message in bag.messages(COMMITTED_TOPIC):
            if message.content.key.cycle < min(begins[k + 1 :]):
                soil.take(SoilCommit.of(message.content))
        found += soil.changes().records
    return found
