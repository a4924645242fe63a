# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The view of a world that runs.

It listens with queues of one message where the last one counts, and looks into them ten times a second, so that a view
costs the same however fast the world is; only of the soil it needs every change. What it drew is sent at once or, if a
picture takes its viewer long, together with what came since the last one: a viewer that is sent more than it can draw
falls behind, without end.
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
from regolith_msgs.srv import GetTerrainState
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
from regolith_bringup.view.soil_updates import UPDATES
from regolith_bringup.view.viewer import Viewer, has_graphics_card
from regolith_files.problems import InputError, Problem
from regolith_world.config import load_section
from regolith_world.ros.inbox import Inbox
from regolith_world.ros.naming import named_node
from regolith_world.ros.service_client import call_service
from regolith_world.ros.shutdown import await_stable_graph

PERIOD_S = 0.1
"""Between two looks at what came [wall s]."""
_DRAWN_S, _DRAWN_CORE_S = 5.0, 30.0
"""Between two pictures that are drawn by processor, at least [wall s], and times the number of processors [s]. What is
sent makes Rerun draw some eight times until all has settled, for 0.7 s each: a fifth of what they all can do."""
_EARLY_S = 3.0
"""In which the first pictures come sooner: vehicles tell what they look like when they are asked [wall s]."""
_TICK_S = 0.5
"""Between two looks at whether it is time for ground and layers [wall s], however fast the world is."""
_GRAPH_S = 2.0
"""Between two looks at which topics there are [wall s]."""
_LONG_NS = 10**12
_ANSWER_S = 10.0
_DEEP = 2000
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
    """Show the world that runs until its viewer is closed, Ctrl-C, or the world leaves.

    Args:
        web: in a browser of this machine
        save: in a file
        connect: in a viewer elsewhere; else in a window
        topics: images and clouds to be shown, even if nobody else listens to them
        every_s: between two pictures [wall s]; None: what this machine can draw beside the world

    Raises:
        InputError: if there is no world, or nothing to show it with
    """
    here = save is None and connect is None
    plain = here and not has_graphics_card()
    if every_s is None:
        every_s = max(_DRAWN_S, _DRAWN_CORE_S / (os.cpu_count() or 1)) if plain else PERIOD_S
        if plain:
            why = 'so that the world keeps its speed; --update-period S'
            print(f'no graphics card: something new every {every_s:g} s, {why}', file=sys.stderr)
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
    """Decodes messages by the definitions that are installed; NumPy arrays instead of lists."""

    def __init__(self) -> None:
        self._store = get_typestore(Stores.ROS2_JAZZY)

    def of(self, type_name: str) -> Callable[[bytes], Any]:
        """Return what decodes messages of a type.

        Raises:
            UnknownTypeError: if it is not installed
        """
        if type_name not in self._store.types:
            found = get_types_from_msg(schema_text(type_name), type_name)
            self._store.register({n: fields for n, fields in found.items() if n not in self._store.types})
        return partial(self._decoded, type_name)

    def _decoded(self, type_name: str, data: bytes) -> Any:
        return self._store.deserialize_cdr(data, type_name)


class LiveView(RunningSimulation):
    """A client of the world that draws it.

    Args:
        every_s: between two pictures [wall s]
        plain: whether who draws them takes long
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
        # All that is drawn has to stay cheap for hours.
        self._view = RunView(scenario, self.canvas, ticking=False, plain=self._plain)
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
        self._heard: set[str] = set()
        self._t_ns = int(self.known.t_ns)
        self._seq = self._epoch = -1
        self._in_order = False

    def __exit__(self, *about: Any) -> None:
        """Leave the graph."""
        if hasattr(self, '_listener'):
            await_stable_graph(self._listener)
            self._listener.destroy_node()
        super().__exit__(*about)

    def follow(self, ended: Callable[[], bool]) -> None:
        """Draw until ``ended()``, or the world has left.

        Args:
            ended: asked several times a second
        """
        self._look_round()
        self._view.begin(self._t_ns, self._places)
        self._send_layout()
        started = time.monotonic()
        next_look, next_tick, next_picture, laid_out = started + _GRAPH_S, 0.0, 0.0, 0
        while not ended():
            began = time.monotonic()
            self._inbox.deliver()
            if not self._in_order:
                self._ask_for_ground()
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
                # Plots have names once there is something to plot.
                if self._look_round() or laid_out < 2:
                    laid_out += 1
                    self._send_layout()
            time.sleep(max(0.0, began + PERIOD_S - time.monotonic()))
        self._view.end(self._t_ns)
        self._send_layout()
        self.canvas.recording.flush()
        self.canvas.recording.disconnect()

    def _send_layout(self) -> None:
        self.canvas.recording.send_blueprint(self._view.blueprint(following=True))

    def _scenario(self) -> Any:
        """Return the scenario of the run, which the world names."""
        (value,) = self._ask(GetParameters, 'get_parameters', GetParameters.Request(names=['scenario_file'])).values
        file = Path(value.string_value)
        if not file.is_file():
            problem, allowed = f'its scenario {file} is not on this machine', 'to look from its own, and --connect'
            raise InputError(Problem('view --live', '', problem, allowed))
        return load_section(file, '', Scenario)

    def _look_round(self) -> bool:
        """Listen to topics that are new; return whether there are any."""
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
        """Return whether to listen to a topic: to what is made for listeners alone if there are any, or if asked."""
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
            return  # of a package that is not installed here
        latched = topic.endswith(_LATCHED)
        profile = QoSProfile(
            depth=_DEEP if topic == UPDATES else 100 if latched else 1,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        )
        take = partial(self._on_update if topic == UPDATES else self._on_message, topic, decode)
        self._inbox.subscribe(
            message_type, f'{self.root}{topic}', take, profile, optional=True, every_run=True, raw=True
        )

    def _on_clock(self, clock: Clock) -> None:
        self._t_ns = int(clock.clock.sec) * 10**9 + int(clock.clock.nanosec)

    def _on_message(self, topic: str, decode: Callable[[bytes], Any], data: bytes) -> None:
        self._view.take(ViewMessage(topic, self._t_ns, data, decode))

    def _on_update(self, topic: str, decode: Callable[[bytes], Any], data: bytes) -> None:
        """Take a change of the soil; one that is missing, or a past that is repeated, makes the ground be asked for."""
        update = decode(data)
        seq, epoch = int(update.soil_seq), int(update.key.epoch)
        if epoch < self._epoch or (epoch == self._epoch and seq <= self._known_seq):
            return
        if epoch != self._epoch or seq > self._seq + 1:
            self._in_order = False
        if epoch != self._epoch:
            self._known_seq = -1
        self._epoch, self._seq, self._last_update = epoch, seq, update
        told = ViewMessage(topic, self._t_ns, data, decode)
        told.__dict__['content'] = update
        self._view.take(told)

    _known_seq = -1
    _last_update: Any = None

    def _ask_for_ground(self) -> None:
        """Draw the ground as it is now, and what comes after."""
        client = self.node.create_client(GetTerrainState, f'{self.root}/regolith/terrain/get_state')
        try:
            answer = call_service(self.executor, client, GetTerrainState.Request(), _ANSWER_S)
        except TimeoutError:
            return  # it may be busy; another attempt comes
        finally:
            self.node.destroy_client(client)
        self._view.ground.restart(self._t_ns)
        self._known_seq = int(answer.soil_seq)
        # What came while the response was awaited is delivered after it.
        since = () if self._last_update is None else (self._last_update,)
        self._view.ground.soil.load(answer.nodes, self._known_seq, since)
        self._view.ground.flush(self._t_ns)
        self._seq = max(self._seq, self._known_seq)
        self._in_order = True
