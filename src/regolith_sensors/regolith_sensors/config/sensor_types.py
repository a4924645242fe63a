# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of sensors: their models, topics, frames and the data that they need; entries that mount sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regolith_files import FileKind, Section, instance_of, load_plugins
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.event_camera import EventCameraConfig
from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.config.imu import ImuConfig
from regolith_sensors.config.latency import LatencyConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.config.spad import SpadConfig
from regolith_sensors.config.thermal_camera import ThermalCameraConfig
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]
GROUP = 'regolith.sensors'
"""Entry points of other packages: type of a sensor -> its :class:`SensorType`."""


Meters = Annotated[float, Field(ge=-1e3, le=1e3)]

Degrees = Annotated[float, Field(ge=-360.0, le=360.0)]


class Mount(Section):
    """Position and orientation of a device on its vehicle."""

    xyz: tuple[Meters, Meters, Meters] = Field(
        (0.0, 0.0, 0.0), description='Position of the body frame in base_link [m].'
    )
    rpy_deg: tuple[Degrees, Degrees, Degrees] = Field(
        (0.0, 0.0, 0.0),
        description='Roll, pitch (positive down) and yaw of the body frame, whose x axis points ahead [deg].',
    )

    @property
    def position(self) -> Floats:
        """Return the position in base_link [m], shape (3,)."""
        return np.array(self.xyz)

    @property
    def orientation(self) -> Floats:
        """Return the quaternion (x, y, z, w) from the body frame to base_link: yaw, then pitch, then roll."""
        return rotation.from_rpy_deg(self.rpy_deg)


class SensorEntry(Section):
    """Sensor of a vehicle."""

    model: str | dict[str, Any] = Field(
        description='Name of a shipped sensor model, path of a sensor file, or its content.'
    )
    mount: Mount = Field(default_factory=Mount, description='Pose of the body frame in base_link.')
    outputs: tuple[str, ...] | None = Field(
        None, description='Outputs that are published; absent: the default outputs of the type.'
    )
    rate_hz: float | None = Field(None, ge=1e-3, le=10_000.0, description='Rate that replaces that of the model [Hz].')
    latency: LatencyConfig = Field(
        default_factory=LatencyConfig, description='Time from the end of a frame until its messages are published.'
    )
    stereo_with: str | None = Field(
        None, description='Left camera of the stereo pair whose right camera this is; its P matrix has the baseline.'
    )


@dataclass(frozen=True)
class Output:
    """Topic that a sensor may publish."""

    topic: str
    """Name below ``/VEHICLE/SENSOR``."""
    message: str
    """Type, e.g. ``sensor_msgs/msg/Image``."""
    large: bool = False
    """Whether it is recorded only on request."""
    needs: frozenset[str] = frozenset()
    """Streams that this output needs in addition to :attr:`SensorType.needs`."""


@dataclass(frozen=True)
class SensorFrame:
    """Coordinate frame of a sensor."""

    suffix: str
    """End of its name, ``VEHICLE/SENSOR_suffix``."""
    parent: str
    """Suffix of its parent frame; '': the vehicle's base."""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Position in the parent frame [m]."""
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    """Quaternion (x, y, z, w) from this frame to its parent."""


LINK = 'link'
"""Suffix of a sensor's body frame: x ahead, y left, z up."""
OPTICAL = SensorFrame('optical_frame', LINK, orientation=(-0.5, 0.5, -0.5, 0.5))
"""x right, y down, z ahead (REP 103)."""
MOTION, WHEELS = 'motion', 'wheels'
NEEDS = (MOTION, WHEELS)
"""Streams (:mod:`regolith_vehicles.agent.state_streams`) that a sensor may need in addition to the poses of all
vehicles: the motion of the own vehicle, and the wheel states of all vehicles."""
PARTICLES = 'particles'
"""Stream of soil particles, which sensors that see the terrain need."""


@dataclass(frozen=True)
class SensorType:
    """Type of sensor: schema of its files, publisher, required streams."""

    config: type[Section]
    """Schema of its model, with the fields ``type`` (whose default is the name of the type) and ``rate_hz``."""
    topics: str
    """``module:factory`` of its :class:`regolith_sensors.ros.sensor_topics.SensorTopics`; imported by the node only."""
    outputs: Mapping[str, tuple[Output, ...]]
    """Topics by output name."""
    default: tuple[str, ...]
    """Outputs of an entry without ``outputs``."""
    always: tuple[Output, ...] = ()
    """Topics that are always published."""
    needs: frozenset[str] = frozenset()
    """Required streams, of :data:`NEEDS`."""
    fixed_frames: tuple[SensorFrame, ...] = ()
    """Frames in addition to the body frame."""
    pairs: bool = False
    """Whether two of them make a stereo pair."""
    sees: bool = False
    """Whether it renders its surroundings, so its own vehicle must not occlude it."""
    placed: bool = False
    """Whether its model has the geodetic origin, see :mod:`regolith_sensors.inertial.geodetic_origin`."""
    sheet: str = ''
    """``module:function`` of its plot in the report: (bag, sensor) -> matplotlib plot, or None without data.
    '': images and point clouds are shown as those of cameras and lidars."""

    def __post_init__(self) -> None:
        """Refuse streams that no vehicle provides."""
        wanted = self.needs.union(*(o.needs for some in self.outputs.values() for o in some))
        if wanted - set(NEEDS):
            raise ValueError(f'needs {sorted(wanted)}; allowed: {", ".join(NEEDS)}')

    def frames(self, mount: Mount) -> tuple[SensorFrame, ...]:
        """Return the frames of a sensor of this type, parents first; its messages use the last one."""
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
    'spad': SensorType(
        SpadConfig,
        'regolith_sensors.ros.spad_topics:SpadTopics',
        {
            'histogram': (Output('histogram', 'regolith_msgs/msg/PhotonHistogram', large=True),),
            'points': (Output('points', 'sensor_msgs/msg/PointCloud2', large=True),),
        },
        ('histogram', 'points'),
        sees=True,
        sheet='regolith_sensors.report.type_sheets:spad_sheet',
    ),
    'event_camera': SensorType(
        EventCameraConfig,
        'regolith_sensors.ros.event_camera_topics:EventCameraTopics',
        {'events': (Output('events', 'regolith_msgs/msg/CameraEvents', large=True),)},
        ('events',),
        (Output('camera_info', 'sensor_msgs/msg/CameraInfo'),),
        fixed_frames=(OPTICAL,),
        sees=True,
        sheet='regolith_sensors.report.type_sheets:event_sheet',
    ),
    'thermal_camera': SensorType(
        ThermalCameraConfig,
        'regolith_sensors.ros.thermal_camera_topics:ThermalCameraTopics',
        {'image': _image('image_raw'), 'radiance': _image('radiance/image_raw')},
        ('image',),
        (Output('camera_info', 'sensor_msgs/msg/CameraInfo'),),
        fixed_frames=(OPTICAL,),
        sees=True,
        sheet='regolith_sensors.report.type_sheets:thermal_sheet',
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


def all_sensor_types() -> dict[str, SensorType]:
    """Return all sensor types by name: the shipped ones and those of entry-point group ``regolith.sensors``."""
    found: dict[str, SensorType] = load_plugins(GROUP, instance_of(SensorType))
    found.update(SENSOR_TYPES)
    return dict(sorted(found.items()))


FILE_KIND = FileKind(
    'Sensor',
    'A sensor file describes a camera, an event camera, a thermal camera, a lidar, a SPAD sensor, an IMU or a GNSS'
    ' receiver.',
    lambda: {f'type {name}': kind.config for name, kind in sorted(all_sensor_types().items())},
)
"""Sensor files."""
