# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of the ROS interfaces of sensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.serialization import serialize_message

from regolith_sensors.arrays import Floats
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.config.sensor_types import Output
from regolith_sensors.config.sensors import ResolvedSensor
from regolith_sensors.heat.ground import GroundTemperatures
from regolith_sensors.latency import DelayedPublisher, DeliveryQueue, DeliveryTimes
from regolith_sensors.lidar.beams import Poses
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.scene.world_view import WorldView
from regolith_world.numerics import rotation
from regolith_world.ros import Inbox, qos


@dataclass(frozen=True)
class SensorContext:
    """Objects of the process and settings that a sensor interface can use."""

    node: Node
    """Node of the sensor, ``/VEHICLE/SENSOR``; topics are relative to its name, see :meth:`SensorTopics.publisher`."""
    inbox: Inbox
    """Inbox for the sensor's subscriptions; its callbacks run between frames."""
    seed: int
    """Seed of the scenario."""
    gravity_mps2: float
    light: LightConfig
    lamps: dict[str, dict[str, Any]]
    """Spotlights by vehicle and name, each a :class:`regolith_sensors.config.lighting.SpotlightConfig`."""
    wheeled: frozenset[str] = frozenset()
    """Names of the vehicles that publish the states of their wheels."""
    duration_s: float = 0.0
    """Duration of the run [s]; 0: unknown."""
    in_epoch: Callable[[int, Callable[[], None]], None] = lambda epoch, take: take()
    """Function that runs a handler when the epoch of its message has begun, and ignores messages of past epochs."""
    ground: Callable[[], GroundTemperatures] | None = None
    """Function that returns the temperatures of the ground; None: no sensor of the process needs them."""
    part_emissivity: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Emissivities of the parts with poses, by vehicle with thermal nodes."""
    far_sun_at: Callable[[int], Sun | None] | None = None
    """Function that returns the sun at a simulated time [ns] with the shadow of far terrain; None: there is none."""

    def sun_at(self, t_ns: int) -> Sun | None:
        """Return the sun at a simulated time [ns]; None: night."""
        return self.light.sun_at(t_ns) if self.far_sun_at is None else self.far_sun_at(t_ns)


class SensorTopics(ABC):
    """ROS interface of one sensor; :meth:`publish` is called for one frame after another, sorted by end time."""

    span_ns: tuple[int, int] = (0, 0)
    """Times before and after a frame's time for which it needs states [ns]: exposure or sweep."""
    sees = True
    """Whether the sensor needs the rendered scene."""

    def __init__(self, sensor: ResolvedSensor, context: SensorContext) -> None:
        """Create the publishers of the sensor's outputs and of its permanent topics."""
        self.sensor = sensor
        self.context = context
        self.frame_id = sensor.frame_id
        self.publishers: dict[str, Any] = {}
        self._blank = 0
        """Number of blank frames."""
        self._delivery: DeliveryTimes | None = None
        """Delivery times; None: messages are published at once."""
        outputs = [o for name in sensor.outputs for o in sensor.kind.outputs[name]]
        for output in (*outputs, *sensor.kind.always):
            self.publishers[output.topic] = self.publisher(output)

    def delay(self, queue: DeliveryQueue) -> None:
        """Publish messages through a queue from now on, if the sensor has a latency."""
        sensor = self.sensor
        if sensor.latency.is_zero:
            return

        def end_ns(n: int) -> int:
            return sensor.frame_ns(n) + self.span_ns[1]

        self._delivery = DeliveryTimes(sensor.latency, self.context.seed, sensor.full_name, end_ns)
        self.publishers = {
            topic: DelayedPublisher(publisher, queue, serialize_message) for topic, publisher in self.publishers.items()
        }

    def begin(self, n: int, t_ns: int) -> bool:
        """Prepare the publication of frame n at a time [ns]; return whether it is published: a full queue drops it."""
        if self._delivery is None:
            return True
        time_ns = self._delivery.time_ns(n)
        if time_ns is None:
            _warn(self, self._delivery.dropped, t_ns, 'a frame is dropped, because the latency queue is full')
            return False
        for publisher in self.publishers.values():
            publisher.time_ns = time_ns
        return True

    def warn_of_blank(self, t_ns: int, what: str) -> None:
        """Count a blank frame; warn for the first, the tenth, the hundredth and so on.

        Args:
            t_ns: Time of the frame [ns].
            what: Description of the problem, e.g. 'cloud has no points'.
        """
        self._blank += 1
        _warn(self, self._blank, t_ns, what)

    def publisher(self, output: Output) -> Any:
        """Create and return the publisher of one output."""
        return self.context.node.create_publisher(
            self.message_type(output),
            f'~/{output.topic}',
            qos.sensor(self.sensor.config.rate_hz),
            qos_overriding_options=qos.OVERRIDABLE,
        )

    def message_type(self, output: Output) -> Any:
        """Return the class of an output's messages."""
        package, _, name = output.message.split('/')
        return getattr(import_module(f'{package}.msg'), name)

    def listened(self, topic: str) -> bool:
        """Return whether a topic has subscribers."""
        publisher = self.publishers.get(topic)
        return publisher is not None and publisher.get_subscription_count() > 0

    @property
    def wanted(self) -> bool:
        """Whether any topic has subscribers; without subscribers, frames are skipped."""
        return any(publisher.get_subscription_count() > 0 for publisher in self.publishers.values())

    def ready(self, t_ns: int) -> bool:
        """Return whether the sensor's own subscriptions have received the data for the frame at this time [ns]."""
        return True

    def discard_after(self, t_ns: int) -> None:  # noqa: B027  few have anything
        """Discard data of the sensor's own subscriptions after a time [ns], to which the world has rewound."""

    @abstractmethod
    def publish(self, n: int, t_ns: int, view: WorldView) -> None:
        """Compute and publish frame n at a simulated time [ns]."""


def _warn(topics: SensorTopics, number: int, t_ns: int, what: str) -> None:
    """Warn of the first, the tenth, the hundredth problem of a kind and so on."""
    if 10 ** (len(str(number)) - 1) == number:
        count = f' ({number} so far)' if number > 1 else ''
        problem, fix = what.partition('; fix: ')[::2]
        text = f'{topics.sensor.full_name}: {problem} at {t_ns * 1e-9:.3f} s{count}'
        topics.context.node.get_logger().warning(f'{text}; fix: {fix}' if fix else text)


def frame_poses(sensor: ResolvedSensor, view: WorldView, t_ns: int, duration_ns: int) -> Poses:
    """Return the poses of a sensor during a frame that begins at a time [ns], by fractions of its duration [ns]."""
    mount = sensor.mount

    def poses(fractions: Floats) -> tuple[Floats, Floats]:
        places, turns = view.base_pose(sensor.vehicle, t_ns + np.rint(fractions * duration_ns).astype(np.int64))
        base = rotation.matrices(turns)
        return places + base @ mount.position, base @ rotation.matrix(mount.orientation)

    return poses


def vehicle_lamps(context: SensorContext, view: WorldView, t_ns: int) -> list[Spotlight]:
    """Return the lamps of all vehicles at a time [ns]."""
    found = []
    for vehicle, entries in sorted(context.lamps.items()):
        for _, lamp in sorted(entries.items()):
            place, turn = view.base_pose(vehicle, t_ns)
            found.append(lamp.spotlight(place[0], turn[0]))
    return found
