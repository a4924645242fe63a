# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The schema of a scenario's sensing: sensors and lamps of its vehicles, and the light."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Discriminator, Field, Tag, field_validator, model_validator

from regolith_files.plugins import instance_of, load_plugins
from regolith_files.problems import allowed_names
from regolith_files.section import Section
from regolith_files.validation import validated
from regolith_files.yaml_source import KeyPath, YamlSource
from regolith_sensors.brdf import PRESETS
from regolith_sensors.camera.config import CameraConfig
from regolith_sensors.inertial.gnss_config import GnssConfig
from regolith_sensors.inertial.imu_config import ImuConfig
from regolith_sensors.lidar.config import LidarConfig
from regolith_sensors.light import Spotlight, Sun, sun_over
from regolith_sensors.rays import registry
from regolith_sensors.sensor_models import SENSORS, SensorModelError, kind_of, load_sensor
from regolith_world.numerics.rotation import from_rpy_deg, matrix

Floats = NDArray[np.float64]
GROUP = 'regolith.sensors'
"""Entry points of other packages: type of a sensor -> its :class:`SensorType`."""

Metres = Annotated[float, Field(ge=-1e3, le=1e3)]
Degrees = Annotated[float, Field(ge=-360.0, le=360.0)]


@dataclass(frozen=True)
class Output:
    """A topic that a sensor may publish."""

    topic: str
    """Name below ``/VEHICLE/SENSOR``."""
    message: str
    """Type, e.g. ``sensor_msgs/msg/Image``."""
    large: bool = False
    """Whether it is recorded on request only."""
    needs: frozenset[str] = frozenset()
    """Streams for this output besides :attr:`SensorType.needs`."""


@dataclass(frozen=True)
class SensorFrame:
    """A coordinate frame of a sensor."""

    suffix: str
    """End of its name, ``VEHICLE/SENSOR_suffix``."""
    parent: str
    """Suffix of its parent frame; '': the vehicle's base."""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """In the parent frame [m]."""
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    """Quaternion (x, y, z, w) from this frame to its parent."""


LINK = 'link'
"""Suffix of a sensor's body frame: x ahead, y left, z up."""
OPTICAL = SensorFrame('optical_frame', LINK, orientation=(-0.5, 0.5, -0.5, 0.5))
"""x right, y down, z ahead (REP 103)."""
MOTION, WHEELS = 'motion', 'wheels'
NEEDS = (MOTION, WHEELS)
"""Streams (:mod:`regolith_vehicles.agent.state_streams`) that a sensor may need besides the poses of all vehicles: the
motion of
its own vehicle, the states of all vehicles' wheels."""
PARTICLES = 'particles'
"""Stream of soil that moves, which whoever sees the ground needs."""


@dataclass(frozen=True)
class SensorType:
    """A kind of sensor: schema of its YAML files, publisher, needs."""

    config: type[Section]
    """Schema of its model; has the fields ``type`` (with the type's name as default) and ``rate_hz``."""
    topics: str
    """``module:factory`` of its :class:`regolith_sensors.ros.sensor_topics.SensorTopics`; imported by the node only."""
    outputs: Mapping[str, tuple[Output, ...]]
    """Topics by their names in ``outputs``."""
    default: tuple[str, ...]
    """Outputs of an entry without ``outputs``."""
    always: tuple[Output, ...] = ()
    """Topics besides any output."""
    needs: frozenset[str] = frozenset()
    """Required streams, of :data:`NEEDS`."""
    fixed_frames: tuple[SensorFrame, ...] = ()
    """Frames besides its body frame."""
    pairs: bool = False
    """Whether two of them make a stereo pair."""
    sees: bool = False
    """Whether it sees what is around it, and so must be clear of its own vehicle."""
    placed: bool = False
    """Whether its model holds the place of the origin, see :mod:`regolith_sensors.inertial.geodetic_origin`."""

    def __post_init__(self) -> None:
        """Refuse needs that no vehicle can meet."""
        wanted = self.needs.union(*(o.needs for some in self.outputs.values() for o in some))
        if wanted - set(NEEDS):
            raise ValueError(f'needs {sorted(wanted)}; allowed: {", ".join(NEEDS)}')

    def frames(self, mount: Mount) -> tuple[SensorFrame, ...]:
        """Return the frames of such a sensor, parents first; its messages are in the last of them."""
        x, y, z, w = (float(v) for v in mount.orientation)
        return (SensorFrame(LINK, '', mount.xyz, (x, y, z, w)), *self.fixed_frames)


def _image(topic: str) -> tuple[Output, ...]:
    return (Output(topic, 'sensor_msgs/msg/Image', large=True),)


SENSOR_TYPES: Mapping[str, SensorType] = {
    'camera': SensorType(
        CameraConfig,
        'regolith_sensors.ros.camera_topics:CameraTopics',
        {
            'image': _image('image_raw'),
            'compressed': (Output('image_raw/compressed', 'sensor_msgs/msg/CompressedImage', large=True),),
            'image_8bit': _image('image_8bit'),
            'depth': _image('depth/image_raw'),
            'semantic': _image('semantic/image_raw'),
            'instance': _image('instance/image_raw'),
            'normals': _image('normals/image_raw'),
            'boxes': (Output('boxes', 'vision_msgs/msg/Detection2DArray'),),
            'wheel_labels': (Output('wheel_labels', 'regolith_msgs/msg/WheelLabels', needs=frozenset({WHEELS})),),
        },
        ('image',),
        (
            Output('camera_info', 'sensor_msgs/msg/CameraInfo'),
            Output('image_metadata', 'regolith_msgs/msg/ImageMetadata'),
            Output('preview', 'sensor_msgs/msg/CompressedImage'),
        ),
        fixed_frames=(OPTICAL,),
        pairs=True,
        sees=True,
    ),
    'lidar': SensorType(
        LidarConfig,
        'regolith_sensors.ros.lidar_topics:LidarTopics',
        {'points': (Output('points', 'sensor_msgs/msg/PointCloud2', large=True),)},
        ('points',),
        sees=True,
    ),
    'imu': SensorType(
        ImuConfig,
        'regolith_sensors.ros.imu_topics:ImuTopics',
        {'data': (Output('data_raw', 'sensor_msgs/msg/Imu'),)},
        ('data',),
        needs=frozenset({MOTION}),
    ),
    'gnss': SensorType(
        GnssConfig,
        'regolith_sensors.ros.gnss_topics:GnssTopics',
        {'fix': (Output('fix', 'sensor_msgs/msg/NavSatFix'),)},
        ('fix',),
        placed=True,
    ),
}


def sensor_types() -> dict[str, SensorType]:
    """Return all kinds of sensors by name: ours, and those of entry-point group ``regolith.sensors``."""
    found: dict[str, SensorType] = load_plugins(GROUP, instance_of(SensorType))
    found.update(SENSOR_TYPES)
    return dict(sorted(found.items()))


class Mount(Section):
    """Place and orientation on a vehicle."""

    xyz: tuple[Metres, Metres, Metres] = Field((0.0, 0.0, 0.0), description='in base_link [m]')
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field(
        (0.0, 0.0, 0.0), description='roll, pitch (down positive), yaw of its body frame, x ahead [deg]'
    )

    @property
    def position(self) -> Floats:
        """Return the place in base_link [m], shape (3,)."""
        return np.array(self.xyz)

    @property
    def orientation(self) -> Floats:
        """Return the quaternion (x, y, z, w) that takes the body frame to base_link: yaw, then pitch, then roll."""
        return from_rpy_deg(self.rpy_deg)


class SensorEntry(Section):
    """One sensor of a vehicle."""

    model: str | dict[str, Any] = Field(description='name of a model that ships, path of a YAML file, or its values')
    mount: Mount = Field(default_factory=Mount, description='xyz and rpy_deg of its body frame in base_link')
    outputs: tuple[str, ...] | None = Field(None, description='what it publishes; absent: the essential')
    rate_hz: float | None = Field(None, ge=1e-3, le=10_000.0, description="replaces the model's [Hz]")
    stereo_with: str | None = Field(
        None, description='left camera of the pair whose right one this is: P then carries -f B'
    )


class SpotlightConfig(Section):
    """A spotlight on a vehicle; it shines along x of its own frame."""

    mount: Mount = Field(default_factory=Mount)
    intensity_w_sr: tuple[float, float, float] = Field((30.0, 30.0, 30.0), description='red, green, blue [W/sr]')
    inner_angle_deg: float = Field(15.0, gt=0.0, lt=89.0, description='half angle of the full cone [deg]')
    outer_angle_deg: float = Field(25.0, gt=0.0, lt=90.0, description='half angle where it has faded [deg]')

    @model_validator(mode='after')
    def _ordered(self) -> SpotlightConfig:
        if self.inner_angle_deg >= self.outer_angle_deg:
            raise ValueError(
                f'inner_angle_deg = {self.inner_angle_deg!r}: is not below outer_angle_deg; allowed: < '
                f'{self.outer_angle_deg!r}'
            )
        return self

    def spotlight(self, position: Floats, orientation: Floats) -> Spotlight:
        """Return the lamp of a vehicle whose base has this position [m] and orientation (x, y, z, w) in the world."""
        turn = matrix(orientation)
        return Spotlight(
            position + turn @ self.mount.position,
            turn @ matrix(self.mount.orientation)[:, 0],
            self.intensity_w_sr,
            math.radians(self.inner_angle_deg),
            math.radians(self.outer_angle_deg),
        )


class FixedSunConfig(Section):
    """The sun in a fixed direction."""

    azimuth_deg: float = Field(ge=-360.0, le=360.0, description='clockwise from north (+y) [deg]')
    elevation_deg: float = Field(ge=-90.0, le=90.0, description='[deg]')


class LunarSunConfig(Section):
    """The sun over a place on the Moon; it moves with simulated time.

    The place is that of the world's origin unless stated.
    """

    latitude_deg: float | None = Field(
        None, ge=-90.0, le=90.0, description="selenographic [deg]; none: of the world's origin"
    )
    longitude_deg: float | None = Field(
        None, ge=-180.0, le=360.0, description="selenographic, east positive [deg]; none: of the world's origin"
    )
    north_deg: float | None = Field(
        None,
        ge=-360.0,
        le=360.0,
        description='bearing of +y of the world, clockwise from true north [deg]; none: that of the elevation model',
    )
    utc: str = Field(description='at the start of the run, e.g. 2026-11-21T12:00:00Z')

    @field_validator('utc')
    @classmethod
    def _time(cls, text: str) -> str:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise ValueError('is no time; allowed: ISO 8601, e.g. 2026-11-21T12:00:00Z') from None
        return text

    @property
    def start(self) -> datetime:
        """Return the time at the start of the run; without a zone it is UTC."""
        when = datetime.fromisoformat(self.utc)
        return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


def _sun_kind(value: Any) -> str:
    """Return 'at' or 'over', by the keys that only one of the two has."""
    keys = value if isinstance(value, dict) else type(value).model_fields if isinstance(value, BaseModel) else ()
    return 'over' if not {'latitude_deg', 'longitude_deg', 'utc'}.isdisjoint(keys) else 'at'


AnySun = Annotated[
    Annotated[FixedSunConfig, Tag('at')] | Annotated[LunarSunConfig, Tag('over')], Discriminator(_sun_kind)
]


def _known_soil(name: str) -> str:
    if name not in PRESETS:
        raise ValueError(f'no such reflectance; allowed: {", ".join(PRESETS)}')
    return name


class LightConfig(Section):
    """The ``light`` section: the sun, and the look of the ground."""

    sun: AnySun | None = Field(
        FixedSunConfig(azimuth_deg=120.0, elevation_deg=20.0),
        description='azimuth_deg and elevation_deg, or latitude_deg, longitude_deg and utc; null: night',
    )
    reflectance: Annotated[str, AfterValidator(_known_soil)] = Field(
        'lunar_sato2014', description='reflectance of the ground'
    )
    micro_slope_deg: float = Field(10.0, ge=0.0, le=40.0, description='r.m.s. slope of relief below the grid [deg]')
    micro_albedo: float = Field(0.06, ge=0.0, le=0.5, description='r.m.s. of the relative brightness below the grid')
    view_range_m: float = Field(1000.0, ge=10.0, le=20_000.0, description='to which the ground is shown [m]')
    ray_backend: Annotated[str, AfterValidator(registry.check)] = Field(
        registry.USUAL, description='back end that traces rays'
    )
    terrain_detail: float = Field(6.0, ge=1.0, le=40.0, description='cells are about distance / (32 detail) wide')

    def sun_at(self, t_ns: int) -> Sun | None:
        """Return the sun at a simulated time [ns]."""
        if self.sun is None:
            return None
        if isinstance(self.sun, FixedSunConfig):
            return Sun(math.radians(self.sun.azimuth_deg), math.radians(self.sun.elevation_deg))
        when = self.sun.start + timedelta(microseconds=t_ns // 1000)
        latitude, longitude, north = self.sun.latitude_deg, self.sun.longitude_deg, self.sun.north_deg or 0.0
        assert latitude is not None and longitude is not None, 'resolved with the scenario'
        over = sun_over(math.radians(latitude), math.radians(longitude), when)
        return replace(over, azimuth=(over.azimuth - math.radians(north)) % (2.0 * math.pi))


@dataclass(frozen=True)
class ResolvedSensor:
    """A sensor of a resolved scenario."""

    vehicle: str
    name: str
    kind: SensorType
    config: Any
    """Values of its model, with the scenario's rate if it has one."""
    mount: Mount
    outputs: tuple[str, ...]
    baseline_m: float = 0.0
    """For the right camera of a stereo pair: its distance from the left one [m]."""
    frame_prefix: str = ''
    """Prefix of the ids of all its vehicle's frames."""

    @property
    def full_name(self) -> str:
        """Return ``VEHICLE/SENSOR``, the key of its noise."""
        return f'{self.vehicle}/{self.name}'

    @property
    def topics(self) -> tuple[tuple[str, Output], ...]:
        """Return (absolute name, output) of all its topics."""
        outputs = [o for name in self.outputs for o in self.kind.outputs[name]] + list(self.kind.always)
        return tuple((f'/{self.full_name}/{o.topic}', o) for o in outputs)

    @property
    def needs(self) -> frozenset[str]:
        """Return its required streams, of :data:`NEEDS`."""
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

    def frame_ns(self, n: int) -> int:
        """Return the time of frame n [ns]."""
        return round(n * 1e9 / float(self.config.rate_hz))

    def make_topics(self, *arguments: Any) -> Any:
        """Return its :class:`regolith_sensors.ros.sensor_topics.SensorTopics`; imports ROS."""
        module, _, factory = self.kind.topics.partition(':')
        return getattr(import_module(module), factory)(self, *arguments)


def resolved_entry(entry: SensorEntry, source: YamlSource, at: KeyPath) -> SensorEntry:
    """Return the entry of a resolved scenario: its model written out, with the entry's rate.

    Args:
        entry: of the scenario
        source: file of the scenario
        at: key of the entry in that file

    Raises:
        InputError: naming file, key, value and what is allowed
    """
    kinds = sensor_types()
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
    known = kinds[kind].outputs
    outputs = entry.outputs if entry.outputs is not None else kinds[kind].default
    for number, name in enumerate(outputs):
        if name not in known:
            raise source.error((*at, 'outputs', number), f'no output of a {kind}', allowed_names(known, name), name)
    if entry.stereo_with is not None and not kinds[kind].pairs:
        paired = ', '.join(name for name, known in kinds.items() if known.pairs)
        key = (*at, 'stereo_with')
        raise source.error(key, f'a {kind} has no stereo pair', f'for {paired} only', entry.stereo_with)
    changed = {'model': config.model_dump(mode='json'), 'rate_hz': None, 'outputs': tuple(outputs)}
    return entry.model_copy(update=changed)


def check_stereo_pair(entries: Mapping[str, SensorEntry], name: str, source: YamlSource, at: KeyPath) -> None:
    """Refuse an impossible stereo pair.

    Args:
        entries: resolved sensors of a vehicle
        name: of the right camera
        source: file of the scenario
        at: key of the right camera in that file

    Raises:
        InputError: naming what is wrong with it
    """
    right, left = entries[name], str(entries[name].stereo_with)
    kinds = sensor_types()
    others = [n for n, e in entries.items() if n != name and isinstance(e.model, dict) and kinds[e.model['type']].pairs]
    if left not in others:
        raise source.error((*at, 'stereo_with'), 'no such camera on this vehicle', allowed_names(others, left), left)
    baseline(right, entries[left], source, at)


def baseline(right: SensorEntry, left: SensorEntry, source: YamlSource, at: KeyPath) -> float:
    """Return the baseline of a stereo pair [m].

    Args:
        right: entry of the right camera
        left: entry of the left camera
        source: file of the scenario
        at: key of the right camera in that file

    Raises:
        InputError: if they are not parallel, side by side and of one model
    """
    if right.mount.rpy_deg != left.mount.rpy_deg:
        allowed = f'{list(left.mount.rpy_deg)}'
        key: KeyPath = (*at, 'mount', 'rpy_deg')
        raise source.error(key, 'the cameras of a pair are parallel', allowed, list(right.mount.rpy_deg))
    apart = matrix(left.mount.orientation).T @ (right.mount.position - left.mount.position)
    if not (apart[1] < 0.0 and abs(apart[0]) < 1e-6 and abs(apart[2]) < 1e-6):
        problem = f'it is {np.round(apart, 6).tolist()} m (ahead, left, up) from the left camera'
        allowed = 'straight to the right of it: (0, negative, 0)'
        raise source.error((*at, 'mount', 'xyz'), problem, allowed, list(right.mount.xyz))
    if right.model != left.model:
        raise source.error((*at, 'model'), 'the cameras of a pair are alike', 'the model of the left camera')
    return -float(apart[1])


def sensors_of(
    vehicles: Mapping[str, Mapping[str, Any]], prefixes: Mapping[str, str | None] | None = None
) -> tuple[ResolvedSensor, ...]:
    """Return all sensors of a resolved scenario, in name order.

    Args:
        vehicles: by vehicle, its sensors by name as in the scenario
        prefixes: by vehicle, the prefix of its frames' ids; None: the vehicle's name and /

    Raises:
        InputError: if the scenario was not resolved, or was changed since
    """
    kinds = sensor_types()
    source = YamlSource.of({}, 'scenario')
    found = []
    for vehicle, entries in sorted(vehicles.items()):
        checked = {name: SensorEntry.model_validate(entry) for name, entry in entries.items()}
        for name, entry in sorted(checked.items()):
            at: KeyPath = ('vehicles', vehicle, 'sensors', name)
            resolved = resolved_entry(entry, source, at)
            assert isinstance(resolved.model, dict) and resolved.outputs is not None
            kind = kinds[str(resolved.model['type'])]
            apart = 0.0
            if entry.stereo_with is not None:
                apart = baseline(entry, checked[entry.stereo_with], source, at)
            config = load_sensor(resolved.model, kind.config)
            prefix = (prefixes or {}).get(vehicle)
            prefix = f'{vehicle}/' if prefix is None else prefix
            found.append(ResolvedSensor(vehicle, name, kind, config, entry.mount, resolved.outputs, apart, prefix))
    return tuple(found)


def scenario_sensors(scenario: Any) -> tuple[ResolvedSensor, ...]:
    """Return all sensors of a resolved scenario, in name order."""
    entries = scenario.vehicles.items()
    return sensors_of({n: e.sensors for n, e in entries}, {n: e.frame_prefix for n, e in entries})


def lossless_streams(
    sensors: Iterable[ResolvedSensor], vehicles: Iterable[str], particles: Container[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Return the streams of each vehicle that a scenario's sensors must receive in full; without sensors none.

    Args:
        sensors: of the scenario
        vehicles: names of all vehicles
        particles: names of those that have regions of particles
    """
    sensing = list(sensors)
    everybodys = ('state', WHEELS) if any(WHEELS in sensor.needs for sensor in sensing) else ('state',)
    moving = {sensor.vehicle for sensor in sensing if MOTION in sensor.needs}
    own = ((MOTION, moving), (PARTICLES, particles))
    return {
        name: (*everybodys, *(stream for stream, those in own if name in those)) if sensing else ()
        for name in sorted(vehicles)
    }


def max_lag_s(sensors: Iterable[ResolvedSensor], max_step_s: float) -> float:
    """Return the world's largest lead over its sensors [s]: a period of the fastest one, at least two heartbeats."""
    return max(min((1.0 / s.config.rate_hz for s in sensors), default=0.0), 2.0 * max_step_s)


__all__ = [
    'SpotlightConfig',
    'LightConfig',
    'Mount',
    'Output',
    'ResolvedSensor',
    'SensorEntry',
    'SensorFrame',
    'SensorModelError',
    'SensorType',
    'baseline',
    'check_stereo_pair',
    'lossless_streams',
    'max_lag_s',
    'resolved_entry',
    'scenario_sensors',
    'sensor_types',
    'sensors_of',
]
