# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Section ``vehicles.NAME.sensors`` of a scenario: mounted sensors, with their resolved models."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_files import KeyPath, YamlSource, allowed_names, rounded_text, validated
from regolith_sensors.config.latency import LatencyConfig
from regolith_sensors.config.sensor_types import (
    MOTION,
    OPTICAL,
    PARTICLES,
    WHEELS,
    Mount,
    Output,
    SensorEntry,
    SensorFrame,
    SensorType,
    all_sensor_types,
)
from regolith_sensors.config.stereo import baseline
from regolith_sensors.sensor_models import SENSORS, kind_of, load_sensor
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ResolvedSensor:
    """Sensor of a resolved scenario."""

    vehicle: str
    name: str
    kind: SensorType
    config: Any
    """Model of the sensor, with the rate of the scenario if it has one."""
    mount: Mount
    outputs: tuple[str, ...]
    baseline_m: float = 0.0
    """Baseline of a stereo pair, for the right camera [m]."""
    frame_prefix: str = ''
    """Prefix of the frame ids of its vehicle."""
    latency: LatencyConfig = field(default_factory=LatencyConfig)
    """Time from the end of a frame until its messages are published."""

    @property
    def full_name(self) -> str:
        """Return ``VEHICLE/SENSOR``, the key of its noise."""
        return f'{self.vehicle}/{self.name}'

    @property
    def topics(self) -> tuple[tuple[str, Output], ...]:
        """Return absolute name and output of all its topics."""
        outputs = [o for name in self.outputs for o in self.kind.outputs[name]] + list(self.kind.always)
        return tuple((f'/{self.full_name}/{o.topic}', o) for o in outputs)

    @property
    def needs(self) -> frozenset[str]:
        """Return the required streams."""
        return self.kind.needs.union(*(output.needs for _, output in self.topics))

    @property
    def frames(self) -> tuple[SensorFrame, ...]:
        """Return its frames, parents first."""
        return self.kind.frames(self.mount)

    @property
    def frame_id(self) -> str:
        """Return the id of the frame of its messages."""
        return self.frame(self.frames[-1].suffix)

    def frame(self, suffix: str) -> str:
        """Return the id of one of its frames."""
        return f'{self.frame_prefix}{self.name}_{suffix}'

    @property
    def optical(self) -> bool:
        """Return whether its messages are in an optical frame, as those of cameras are."""
        return self.frames[-1].suffix == OPTICAL.suffix

    @property
    def pose(self) -> tuple[Floats, Floats]:
        """Return position [m] and quaternion (x, y, z, w) of the frame of its messages in base_link."""
        places = {'': (np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))}
        for frame in self.frames:
            place, turn = places[frame.parent]
            shift = rotation.matrix(turn) @ np.array(frame.position)
            places[frame.suffix] = place + shift, rotation.product(turn, np.array(frame.orientation))
        return places[self.frames[-1].suffix]

    def frame_ns(self, n: int) -> int:
        """Return the time of frame n [ns]."""
        return round(n * 1e9 / float(self.config.rate_hz))

    def make_topics(self, *arguments: Any) -> Any:
        """Return its :class:`regolith_sensors.ros.sensor_topics.SensorTopics`; imports ROS."""
        module, _, factory = self.kind.topics.partition(':')
        return getattr(import_module(module), factory)(self, *arguments)


def resolved_sensor_entry(entry: SensorEntry, source: YamlSource, at: KeyPath) -> SensorEntry:
    """Return the entry of a resolved scenario: its model written out, with the entry's rate.

    Args:
        entry: Entry in the scenario.
        source: File of the scenario.
        at: Key of the entry in that file.

    Raises:
        InputError: Names file, key, value and the allowed values.
    """
    kinds = all_sensor_types()
    key: KeyPath = (*at, 'model')
    model, inside, values = source, key, entry.model
    if isinstance(values, str):
        model, inside = YamlSource(SENSORS.find_for_key(key, values, source), what='a sensor'), ()
        values = model.data
    kind = kind_of(values, model, inside)
    if kind not in kinds:
        raise model.error((*inside, 'type'), 'unknown type of sensor', allowed_names(kinds, kind), kind)
    config = validated(kinds[kind].config, values, model, inside)
    if entry.rate_hz is not None:
        faster = {**config.model_dump(mode='json'), 'rate_hz': entry.rate_hz}
        config = validated(kinds[kind].config, faster, source, at)
    config = _within_period(config, model, inside)
    known = kinds[kind].outputs
    outputs = entry.outputs if entry.outputs is not None else kinds[kind].default
    if not outputs and kinds[kind].default:
        raise source.error((*at, 'outputs'), 'is empty', f'one or more of {", ".join(known)}', [])
    for number, name in enumerate(outputs):
        if name not in known:
            raise source.error((*at, 'outputs', number), f'no output of a {kind}', allowed_names(known, name), name)
    if entry.stereo_with is not None and not kinds[kind].pairs:
        paired = ', '.join(name for name, known in kinds.items() if known.pairs)
        key = (*at, 'stereo_with')
        raise source.error(key, f'a {kind} has no stereo pair', f'for {paired} only', entry.stereo_with)
    changed = {'model': config.model_dump(mode='json'), 'rate_hz': None, 'outputs': tuple(outputs)}
    return entry.model_copy(update=changed)


def _within_period(config: Any, source: YamlSource, at: KeyPath) -> Any:
    """Return a model whose automatic exposures end within the period of its frames.

    Raises:
        InputError: If a frame takes longer.
    """
    rate = float(config.rate_hz)
    for key, seconds in getattr(config, 'frame_s', {}).items():
        if seconds * rate > 1.0 + 1e-9:
            problem = f'makes frames of {rounded_text(seconds, 3)} s, longer than their period'
            allowed = f'up to {rounded_text(1.0 / rate, 3)} s per frame at rate_hz = {rate:g}; fix: lower it or rate_hz'
            raise source.error((*at, key), problem, allowed, getattr(config, key))
    automatic = getattr(config, 'auto_exposure', None)
    if automatic is not None and automatic.max_exposure_s * rate > 1.0:
        longest = {'max_exposure_s': 1.0 / rate, 'min_exposure_s': min(automatic.min_exposure_s, 1.0 / rate)}
        config = config.model_copy(update={'auto_exposure': automatic.model_copy(update=longest)})
    return config


def sensors_of(
    vehicles: Mapping[str, Mapping[str, Any]], prefixes: Mapping[str, str | None] | None = None
) -> tuple[ResolvedSensor, ...]:
    """Return all sensors of a resolved scenario, in name order.

    Args:
        vehicles: Sensor entries by vehicle and name.
        prefixes: Prefix of the frame ids by vehicle; None: the name of the vehicle and a slash.

    Raises:
        InputError: If the scenario is not resolved.
    """
    kinds = all_sensor_types()
    source = YamlSource.of({}, 'scenario')
    found = []
    for vehicle, entries in sorted(vehicles.items()):
        checked = {name: SensorEntry.model_validate(entry) for name, entry in entries.items()}
        for name, entry in sorted(checked.items()):
            at: KeyPath = ('vehicles', vehicle, 'sensors', name)
            resolved = resolved_sensor_entry(entry, source, at)
            assert isinstance(resolved.model, dict) and resolved.outputs is not None
            kind = kinds[str(resolved.model['type'])]
            apart = 0.0
            if entry.stereo_with is not None:
                apart = baseline(entry, checked[entry.stereo_with], source, at)
            config = load_sensor(resolved.model, kind.config)
            prefix = (prefixes or {}).get(vehicle)
            prefix = f'{vehicle}/' if prefix is None else prefix
            place = entry.mount, resolved.outputs, apart, prefix
            found.append(ResolvedSensor(vehicle, name, kind, config, *place, entry.latency))
    return tuple(found)


def scenario_sensors(scenario: Any) -> tuple[ResolvedSensor, ...]:
    """Return all sensors of a resolved scenario, in name order."""
    entries = scenario.vehicles.items()
    return sensors_of({n: e.sensors for n, e in entries}, {n: e.frame_prefix for n, e in entries})


def lossless_streams(
    sensors: Iterable[ResolvedSensor],
    vehicles: Iterable[str],
    particles: Container[str] = (),
    wheeled: Container[str] = (),
) -> dict[str, tuple[str, ...]]:
    """Return the streams of each vehicle that the sensors must receive without loss; none without sensors.

    Args:
        sensors: Sensors of the scenario.
        vehicles: Names of all vehicles.
        particles: Names of the vehicles with particle regions.
        wheeled: Names of the vehicles that publish the states of their wheels.
    """
    sensing = list(sensors)
    labeled = wheeled if any(WHEELS in sensor.needs for sensor in sensing) else ()
    moving = {sensor.vehicle for sensor in sensing if MOTION in sensor.needs}
    own = ((WHEELS, labeled), (MOTION, moving), (PARTICLES, particles))
    return {
        name: ('state', *(stream for stream, those in own if name in those)) if sensing else ()
        for name in sorted(vehicles)
    }


def max_sensor_lag_s(sensors: Iterable[ResolvedSensor], max_step_s: float) -> float:
    """Return the maximum lag of the sensors behind the world [s]: the shortest period, at least two step sizes."""
    return max(min((1.0 / s.config.rate_hz for s in sensors), default=0.0), 2.0 * max_step_s)
