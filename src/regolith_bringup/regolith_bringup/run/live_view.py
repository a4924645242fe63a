# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Live view of a running simulation.

Subscriptions have queues of one message where only the last one matters, and are read ten times per second. The cost is
therefore independent of the speed of the simulation. Only soil changes need every message. Drawn data is sent at once,
or collected until the next update if the viewer needs long for one image. A viewer that receives more than it can draw
would lag further and further behind.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from rcl_interfaces.srv import GetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosgraph_msgs.msg import Clock

from regolith_bringup.bag.message_definitions import UnknownTypeError, schema_text
from regolith_bringup.run.process_priority import lower_priority_in_new_session
from regolith_bringup.run.running_simulation import RunningSimulation
from regolith_bringup.scenario.schema import Scenario
from regolith_bringup.view.draw_sensors import LARGE, PACKED
from regolith_bringup.view.message import ViewMessage
from regolith_bringup.view.rerun_canvas import Canvas
from regolith_bringup.view.run_view import RunView
from regolith_bringup.view.viewer import Viewer, has_graphics_card
from regolith_files import InputError, Problem
from regolith_terrain.ros import SoilFollower
from regolith_terrain.updates import COMMITTED_TOPIC, CommittedSoil
from regolith_world import load_section
from regolith_world.ros import Inbox, await_stable_graph, named_node, qos

PERIOD_S = 0.1
"""Period of reading received messages [wall s]."""
_DRAWN_S, _DRAWN_CORE_S = 5.0, 30.0
"""Minimum period between images drawn by the processor [wall s], and the same multiplied by the number of cores [s].

Each update makes Rerun draw about eight times until the image is stable, 0.7 s each. This uses a fifth of all cores.
"""
_EARLY_S = 3.0
"""Time in which the first images are more frequent, because vehicle descriptions arrive on request [wall s]."""
_TICK_S = 0.5
"""Period of checking whether terrain and layers are due [wall s], independent of the real-time factor."""
_GRAPH_S = 2.0
"""Period of looking for new topics [wall s]."""
_ANSWER_S = 1.0
"""Maximum wait for the complete soil [wall s]. The terrain may be busy; the wait is repeated."""
_LATCHED = ('/visual_description', '/tf_static', '/events', '/links')


def show_live(
    domain: str | None,
    namespace: str,
    *,
    web: bool = False,
    save: Path | None = None,
    connect: str | None = None,
    topics: tuple[str, ...] = (),
    every_s: float | None = None,
) -> None:
    """Show the running simulation until the viewer is closed, Ctrl-C is pressed, or the simulation ends.

    Args:
        domain: ROS domain as text, None for that of the environment.
        namespace: Namespace of the run.
        web: Whether to show it in a browser of this machine.
        save: File to write to, None for none.
        connect: Address of a viewer to send to, None for a window.
        topics: Images and point clouds to show even without other subscribers.
        every_s: Period between updates [wall s], None for what this machine can draw in addition to the simulation.

    Raises:
        InputError: If there is no running simulation, or no viewer.
    """
    here = save is None and connect is None
    plain = here and not has_graphics_card()
    if every_s is None:
        every_s = max(_DRAWN_S, _DRAWN_CORE_S / (os.cpu_count() or 1)) if plain else PERIOD_S
        if plain:
            why = 'to keep the real-time factor; set --update-period S to change it'
            print(f'no graphics card: updating every {every_s:g} s {why}', file=sys.stderr)
    with LiveView(domain, namespace, topics, every_s, plain=plain) as live:
        lower_priority_in_new_session()
        if save is not None:
            live.canvas.recording.save(save)
            live.follow(lambda: False)
        elif connect is not None:
            live.canvas.recording.connect_grpc(connect)
            live.follow(lambda: False)
        else:
            with Viewer(web=web) as viewer:
                live.canvas.recording.connect_grpc(viewer.address)
                if web:
                    print(viewer.page, flush=True)
                live.follow(lambda: viewer.ended(0.0))


class MessageDecoder:
    """Decoder of messages by the installed definitions. Lists become NumPy arrays."""

    def __init__(self) -> None:
        self._store = get_typestore(Stores.ROS2_JAZZY)

    def of(self, type_name: str) -> Callable[[bytes], Any]:
        """Return the decoder of a message type.

        Args:
            type_name: Message type.

        Raises:
            UnknownTypeError: If the type is not installed.
        """
        if type_name not in self._store.types:
            found = get_types_from_msg(schema_text(type_name), type_name)
            self._store.register({n: fields for n, fields in found.items() if n not in self._store.types})
        return partial(self._decoded, type_name)

    def _decoded(self, type_name: str, data: bytes) -> Any:
        return self._store.deserialize_cdr(data, type_name)


class LiveView(RunningSimulation):
    """Client of a running simulation that draws it.

    Args:
        domain: ROS domain as text, None for that of the environment.
        namespace: Namespace of the run.
        topics: Images and point clouds to show even without other subscribers.
        every_s: Period between updates [wall s].
        plain: Whether the viewer is slow to draw.
    """

    def __init__(
        self,
        domain: str | None,
        namespace: str,
        topics: tuple[str, ...] = (),
        every_s: float = PERIOD_S,
        *,
        plain: bool = False,
    ) -> None:
        super().__init__(domain, namespace)
        self._asked, self._every_s, self._plain = topics, every_s, plain

    def entered(self) -> None:
        """Find the world and its scenario."""
        super().entered()
        scenario = self._scenario()
        self.canvas = Canvas(f'{scenario.name} live', held=True)
        # All drawing must stay cheap for hours.
        soil = CommittedSoil()
        self._view = RunView(scenario, self.canvas, ticking=False, plain=self._plain, soil=soil)
        self._places = np.array([v.position[:2] for _, v in sorted(scenario.vehicles.items())] or [(0.0, 0.0)], float)
        self._listener = named_node(
            f'view_{os.getpid()}',
            f'{self.root}/regolith',
            context=self._context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._decoder = MessageDecoder()
        self._inbox = Inbox(self._listener)
        self._inbox.subscribe(Clock, f'{self.root}/clock', self._on_clock, QoSProfile(depth=1))
        self._soil = SoilFollower(self.node, self._inbox, soil, root=self.root)
        self._heard = {COMMITTED_TOPIC}
        self._t_ns = int(self.known.t_ns)

    def __exit__(self, *about: Any) -> None:
        """Leave the graph."""
        if hasattr(self, '_listener'):
            await_stable_graph(self._listener)
            self._listener.destroy_node()
        super().__exit__(*about)

    def follow(self, ended: Callable[[], bool]) -> None:
        """Draw until ``ended()`` is true or the world has ended.

        Args:
            ended: Function that is called several times per second.
        """
        self._look_round()
        self._view.begin(self._t_ns, self._places)
        self._send_layout()
        started = time.monotonic()
        next_look, next_tick, next_picture, laid_out = started + _GRAPH_S, 0.0, 0.0, 0
        while not ended():
            began = time.monotonic()
            self._inbox.deliver()
            if self._soil.soil.lost and self.wait(self._soil.poll, _ANSWER_S):
                self._view.terrain.flush(self._t_ns)
            if began > next_picture:
                next_picture = began + (self._every_s if began > started + _EARLY_S else min(self._every_s, 1.0))
                if began > next_tick:
                    next_tick = began + _TICK_S
                    self._view.tick(self._t_ns)
                self.canvas.send()
            if began > next_look:
                next_look = began + _GRAPH_S
                if self.node.count_publishers(f'{self.root}/regolith/status') == 0:
                    break
                # Plots get their names when they have data.
                if self._look_round() or laid_out < 2:
                    laid_out += 1
                    self._send_layout()
            time.sleep(max(0.0, began + PERIOD_S - time.monotonic()))
        self._inbox.deliver()
        self._view.end(self._t_ns)
        self._send_layout()
        self.canvas.recording.flush()
        self.canvas.recording.disconnect()

    def _send_layout(self) -> None:
        self.canvas.recording.send_blueprint(self._view.blueprint(following=True))

    def _scenario(self) -> Any:
        """Return the scenario of the run, whose file the world publishes."""
        (value,) = self._ask(GetParameters, 'get_parameters', GetParameters.Request(names=['scenario_file'])).values
        file = Path(value.string_value)
        if not file.is_file():
            problem, allowed = (
                f'its scenario {file} is not on this machine',
                'on the machine of the run, with --connect',
            )
            raise InputError(Problem('view --live', '', problem, allowed))
        return load_section(file, '', Scenario)

    def _look_round(self) -> bool:
        """Subscribe to new topics and return whether there are any."""
        names = dict(self._listener.get_topic_names_and_types())
        types = {
            name.removeprefix(self.root): kinds[0]
            for name, kinds in names.items()
            if name.startswith(f'{self.root}/') and len(kinds) == 1 and self._shown(name, kinds[0])
        }
        wanted = self._view.meet(types)
        new = [topic for topic in wanted if topic not in self._heard]
        for topic in new:
            self._heard.add(topic)
            self._listen(topic, types[topic], every=wanted[topic] == 0)
        return bool(new)

    def _shown(self, name: str, kind: str) -> bool:
        """Return whether to subscribe to a topic. On-demand topics need another subscriber or a request."""
        if self._listener.count_publishers(name) == 0:
            return False
        topic = name.removeprefix(self.root)
        if topic in self._heard or kind not in (*LARGE, PACKED) or topic in self._asked:
            return True
        return bool(self._listener.count_subscribers(name))

    def _listen(self, topic: str, kind: str, *, every: bool) -> None:
        package, _, name = kind.partition('/msg/')
        try:
            message_type, decode = getattr(import_module(f'{package}.msg'), name), self._decoder.of(kind)
        except (ImportError, AttributeError, UnknownTypeError):
            return  # the type is not installed
        latched = topic.endswith(_LATCHED)
        profile = QoSProfile(
            depth=qos.HISTORY.depth if every else 100 if latched else 1,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )
        take = partial(self._on_message, topic, decode)
        self._inbox.subscribe(
            message_type, f'{self.root}{topic}', take, profile, optional=True, every_run=True, raw=True
        )

    def _on_clock(self, clock: Clock) -> None:
        self._t_ns = int(clock.clock.sec) * 10**9 + int(clock.clock.nanosec)

    def _on_message(self, topic: str, decode: Callable[[bytes], Any], data: bytes) -> None:
        self._view.take(ViewMessage(topic, self._t_ns, data, decode))
