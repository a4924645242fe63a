# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions of ``regolith_sensors`` with fixed unequal arguments, for the baseline ``functions``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np

from regolith_sensors import brdf, ephemeris, light, noise
from regolith_sensors.camera import display, effects, info, stages
from regolith_sensors.camera.adaptive_sampling import edge_marks, edge_pixels
from regolith_sensors.config.camera import CameraConfig, EffectsConfig, ExposureConfig, NoiseConfig
from regolith_sensors.config.gnss import GnssConfig
from regolith_sensors.config.imu import ImuConfig, InertialErrors
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.inertial import drift, gnss, imu, motion_track
from regolith_sensors.labels import ground_truth, stereo
from regolith_sensors.labels.dataset import LabeledBox, _yolo_line
from regolith_sensors.lidar import beams, point_cloud, sweep
from regolith_sensors.numerics import lens
from regolith_sensors.rays.image import empty_frame
from regolith_sensors.render_cost import SensorCost, describe_sensor_costs
from regolith_sensors.scene import irradiance_points, own_hull
from regolith_sensors.schedule import Schedule
from regolith_sensors.sensor_models import load_sensor, sensor_models
from regolith_sensors.surfaces import materials, meshes, shading
from regolith_sensors.surfaces.micro_relief import micro_relief
from regolith_vehicles.dynamics.motion_samples import MotionSamples
from regolith_vehicles.visuals.visual_description import TriangleMesh, Visual
from regolith_world.numerics.rotation import from_rpy_deg
from regolith_world.random.philox import stream_key

Calls = Iterator[tuple[str, Any]]


def ramp(*shape: int) -> np.ndarray:
    """Return numbers between 0 and 1, unlike along each axis."""
    made: np.ndarray = np.mod(0.6180339887 * np.arange(1, math.prod(shape) + 1), 1.0).reshape(shape)
    return made


def reflectance() -> Calls:
    angles = np.array([0.1, 0.7, 1.3])[:, None], np.array([0.2, 0.9, 1.4])[None, :], 0.8
    for name in sorted(k for k, v in vars(brdf).items() if isinstance(v, brdf.HapkeParameters)):
        parameters = getattr(brdf, name)
        yield (
            f'hapke.{name}',
            [brdf.hapke_reflectance(*angles, parameters), brdf.hapke_reflectance(0.4, 0.4, 0.0, parameters)],
        )
        yield f'hapke_components.{name}', brdf.hapke_components(*angles, parameters)
        yield f'hapke_fast.{name}', shading.hapke_fast_many(*angles, parameters)
        yield f'hapke_constants.{name}', [shading.hapke_constants(parameters), parameters.porosity_factor]
    yield 'phase_function', brdf.phase_function(np.array([-0.9, 0.1, 0.8]), 0.25, 0.3)
    yield 'h_function', brdf.h_function(np.array([0.1, 0.5, 1.2]), 0.4)
    yield 'lambert', brdf.lambert_reflectance(np.array([0.3, 1.2]), 0.4)
    table = materials.material_table(
        [
            materials.Lambert((0.3, 0.2, 0.1)),
            materials.Principled((0.6, 0.5, 0.4), 0.3, 0.7, 0.06),
            materials.Principled((0.6, 0.5, 0.4), 0.01, 0.0, 0.04, 0.5),
        ]
    )
    yield 'material_table', table


def camera() -> Calls:
    image, gray = ramp(9, 14, 3) * 40.0, ramp(11, 8)
    yield 'field_of_view', stages.field_of_view(0.01, 0.006)
    yield (
        'defocus_diameter',
        [stages.defocus_diameter(np.array([0.5, 2.0, 9.0, np.inf]), 0.012, 2.8, 5e-6, u, 1.3) for u in (1.5, np.inf)],
    )
    for variant in ('normalized', 'paper'):
        yield (
            f'defocus.{variant}',
            [stages.defocus(image, 2.0 + 3.0 * ramp(9, 14), variant), stages.defocus(gray, 3.3, variant)],
        )  # type: ignore[arg-type]
    yield (
        'vignette',
        [
            stages.vignetting(7, 12, 0.004, 5e-5, 0.7),
            stages.vignette(image, 0.004, 5e-5, 1.0),
            stages.vignette(gray, 0.002, 5e-5, 1.0),
        ],
    )
    yield 'physical_gain', stages.physical_gain(0.8, 550e-9)
    yield 'aggregate', stages.aggregate(image, (0.5, 0.7, 0.9), 5e-6, 2.8, 0.01, (0.3, 0.5, 0.4)) * 1e12
    draws = ramp(9, 14, 3) * 4.0 - 2.0
    for electrons in (False, True):
        yield (
            f'add_noise.{electrons}',
            stages.add_noise(
                image, (1.0, 2.0, 3.0), 0.2, (1.0, 0.5, 1.0), (0.3, 0.2, 0.1), draws, draws[::-1], electrons
            ),
        )
    for response in ('linear', 'gamma', 'sigmoid'):
        yield (
            f'respond.{response}',
            stages.respond(image - 1.0, response, (0.1, 0.2, 0.3), (0.01, 0.02, 0.03), 0.8, 1.3),
        )  # type: ignore[arg-type]
    yield 'quantize', stages.quantize(image / 30.0 - 0.1)
    for model, k in (
        ('plumb_bob', (0.1, -0.05, 0.002, -0.003, 0.01)),
        ('equidistant', (0.05, -0.01, 0.004, -0.001)),
        ('rational_polynomial', (0.1, -0.05, 0.002, -0.003, 0.01, 0.02, 0.01, -0.01)),
    ):
        x, y = np.array([-0.5, 0.1, 0.4]), np.array([0.3, -0.2, 0.05])
        yield (
            f'lens.{model}',
            [
                lens.padded(model, k),
                lens.distort(x, y, k, model),
                lens.undistort(x, y, k, model),
                lens.directions(x, y, k, model),
            ],
        )
        yield f'pixel_rays.{model}', lens.pixel_rays(9, 7, 11.0, k, model, (0.3, -0.2))
        places = np.stack((x, y, np.array([1.0, 2.0, 0.7])), axis=1)
        yield f'project.{model}', lens.project(places, lens.camera_matrix(9, 7, 11.0), k, model)
    yield 'camera_matrix', lens.camera_matrix(640, 360, 500.0)
    for name in sensor_models('camera'):
        config = load_sensor(name, CameraConfig)
        yield (
            f'camera_info.{name}',
            [info.camera_info(config, 0.3), config.focal_length_px, config.focus_distance, config.encoding],
        )
    noisy = NoiseConfig(
        prnu=0.02, dsnu=3.0, row=1.0, column=0.5, dead_fraction=0.03, hot_fraction=0.05, dark_current=(1.0, 2.0, 3.0)
    )
    yield 'fixed_pattern', [effects.fixed_pattern((9, 14, c), noisy, 5, 'a') for c in (1, 3)]
    yield 'dust_transmission', effects.dust_transmission(20, 30, EffectsConfig(dust_spots=5, dust_opacity=0.6), 5, 'a')
    yield 'glare', effects.glare(np.ascontiguousarray(ramp(40, 64, 3), dtype=np.float32), 0.2)
    yield 'mosaic', [effects.mosaic(image, pattern) for pattern in ('rggb', 'bggr', 'grbg', 'gbrg')]
    for most in (1.0, 0.02, 0.3):
        exposure = ExposureConfig(
            percentile=70.0, target_level=0.4, max_full_fraction=most, min_exposure_s=1e-4, max_exposure_s=0.2
        )
        yield (
            f'metered_exposure.{most}',
            [effects.metered_exposure(ramp(200) * scale, 900.0, exposure) for scale in (0.0, 1e3, 1e4, 1e9)],
        )
    numbers = (ramp(8, 10) * 65535).astype(np.uint16)
    yield 'display_image', [display.display_image(numbers, e) for e in ('mono16', 'bayer_rggb16', 'bayer_gbrg16')]
    yield 'srgb', display.srgb(np.array([0.0, 0.002, 0.2, 1.0]))
    costs = [SensorCost('a/left', 0.02, 5.0), SensorCost('a/lidar', 0.013, 10.0), SensorCost('b/mast', 0.09, 1.0)]
    yield 'cost', [describe_sensor_costs(costs), [c.share for c in costs]]
    schedule = Schedule([lambda n: round(n * 1e9 / 7.0), lambda n: round(n * 1e9 / 3.0)], [50_000_000, 333_000_000])
    schedule.start(1_100_000_000)
    ends = []
    for _ in range(8):
        due = schedule.next()
        ends.append(due)
        schedule.done()
    yield 'schedule', ends


def inertia() -> Calls:
    turn = np.array(from_rpy_deg((10.0, -20.0, 35.0)))
    later = np.array(from_rpy_deg((11.0, -18.0, 40.0)))
    pull = np.array([0.1, 0.2, -1.62])
    yield (
        'specific_force',
        imu.specific_force((0.3, -0.2, 0.1), turn, pull, (0.4, 0.3, -0.5), (0.2, 0.6, 0.1), (0.5, -0.3, 0.8)),
    )
    velocity, rate = (
        (np.array([0.1, 0.2, 0.0]), np.array([0.4, 0.1, -0.1])),
        (np.array([0.1, 0.0, 0.3]), np.array([0.2, 0.1, 0.4])),
    )
    yield (
        'mean_specific_force',
        [
            imu.mean_specific_force(velocity, rate, (turn, s * later), 0.1, pull, np.array([0.5, -0.3, 0.8]))
            for s in (1.0, -1.0)
        ],
    )
    errors = InertialErrors(
        noise_density=0.01,
        bias_stddev=0.02,
        bias_correlation_time_s=5.0,
        random_walk=0.003,
        turn_on_bias_stddev=0.05,
        scale_factor_stddev=0.02,
        misalignment_stddev_rad=0.01,
        full_scale_range=4.0,
        resolution_bits=12,
    )
    unit = imu.Imu(
        ImuConfig(
            rate_hz=50.0,
            gyroscope=errors,
            accelerometer=errors.model_copy(update={'noise_density': 0.02, 'resolution_bits': None}),
        ),
        5,
        'a',
    )
    yield (
        'imu',
        [
            unit.samples(3, ramp(20, 3) * 9.0 - 4.0, ramp(20, 3) - 0.5),
            unit.sample(40, (0.1, 0.2, 9.0), (-9.0, 0.1, 0.2)),
            unit.variances(),
        ],
    )
    slow = drift.Drift(stream_key(5, 'a', 'b'), 2, 0.1, 0.3, 4.0, 0.05)
    yield 'drift', [slow.run(7, 6), slow.at(30), slow.at(2), drift.white(5, 'a', 'w', 3, 9, 2)]
    yield 'geodetic', gnss.geodetic(np.array([[100.0, -40.0, 3.0]]), 0.7, -1.2, 50.0, *gnss.WGS84)
    for body in ('moon', 'earth'):
        receiver = gnss.Gnss(
            GnssConfig(body=body, latitude_deg=-43.0, longitude_deg=12.0, altitude_m=90.0, north_deg=25.0), 5, 'a'
        )  # type: ignore[arg-type]
        yield (
            f'gnss.{body}',
            [receiver.fix(n, (300.0, -200.0, 5.0)) for n in (0, 4)] + [receiver.covariance(), receiver.errors(2, 5)],
        )
    track = motion_track.MotionTrack()
    for k in range(3):
        t = 100_000_000 * k + 20_000_000 * np.arange(1, 6)
        turns = np.array([from_rpy_deg((0.03e-6 * v, 0.01e-6 * v, -0.02e-6 * v)) for v in t.tolist()])
        names = {
            't_ns': t,
            'orientation': turns,
            'linear_velocity': ramp(5, 3) + k,
            'angular_velocity': 0.2 * ramp(5, 3),
        }
        track.add(MotionSamples(*(names.get(n, np.zeros((5, 3))) for n in MotionSamples.__dataclass_fields__)))
    yield (
        'felt',
        [
            track.ideal_readings(a, b, pull, np.array([0.5, -0.3, 0.8]), turn)
            for a, b in ((0, 30_000_000), (33_000_000, 171_000_000), (100_000_000, 290_000_000))
        ],
    )


def lidar() -> Calls:
    base: dict[str, Any] = {
        'columns': 6,
        'elevations_deg': (-12.0, 1.0, 7.0),
        'azimuth_deg': (-50.0, 70.0),
        'rate_hz': 8.0,
        'range_m': (1.0, 40.0),
    }
    for beam in ('elliptical', 'rectangular'):
        for profile in ('uniform', 'gaussian'):
            config = LidarConfig.model_validate(
                {**base, 'beam': beam, 'profile': profile, 'divergence_rad': (0.01, 0.02), 'sample_radius': 3}
            )
            yield f'beam_offsets.{beam}.{profile}', beams.beam_offsets(config)
    distance = (ramp(7, 5) * 9.0 + 1.0).astype(np.float32)
    strength = np.where(ramp(7, 5) > 0.2, ramp(7, 5)[::-1], 0.0).astype(np.float32)
    for mode in ('strongest', 'first', 'last', 'mean'):
        yield f'merged_return.{mode}', sweep.merged_return(distance, strength, mode, 0.9, 0.12)
    far = np.array([2.0, 15.0, np.inf], dtype=np.float32)
    yield 'echo_intensity', [beams.echo_intensity(far, np.full(3, 0.1, np.float32), falls) for falls in (True, False)]
    for fields in ('velodyne', 'ouster', 'xyzi'):
        for flash, organized, returns in ((False, False, 'dual'), (True, True, 'last'), (False, True, 'dual')):
            config = LidarConfig.model_validate(
                {
                    **base,
                    'fields': fields,
                    'flash': flash,
                    'organized': organized,
                    'returns': returns,
                    'noise': {
                        'range_stddev_m': 0.02,
                        'range_weak_stddev_m': 0.1,
                        'angle_stddev_rad': 0.003,
                        'intensity_stddev': 0.02,
                    },
                }
            )
            device = sweep.Lidar(config, 5, 'a')
            count = 2 if returns == 'dual' else 1
            reach = (ramp(count, 6, 3) * 50.0).astype(np.float32)
            scan = device._noisy(
                reach,
                (0.3 * ramp(count, 6, 3)).astype(np.float32),
                ('strongest', 'last')[:count],
                np.arange(18, dtype=np.uint16).reshape(6, 3, 1),
                4,
            )
            cloud = point_cloud.sensor_cloud(scan, config)
            yield f'sensor_cloud.{fields}.{flash}.{organized}', [cloud, cloud.dtype.itemsize]
            yield f'directions.{fields}.{flash}.{organized}', [device.beams.directions, device.beams.groups]
    for name in sensor_models('lidar'):
        config = load_sensor(name, LidarConfig)
        yield f'lidar.{name}', [config.elevations, config.azimuths[:5], config.azimuths[-1]]


def labels() -> Calls:
    objects = (ramp(12, 17) * 6).astype(np.uint16)
    kinds = (ramp(17, 12).T * 4).astype(np.uint8)
    yield 'boxes', [ground_truth.boxes(objects, kinds, least) for least in (1, 25, 60)]
    yield 'yolo', _yolo_line(2, LabeledBox('rock', 3, 5, 20, 9), 100, 50)
    depth, truth = ramp(8, 9) * 6.0 + 1.0, ramp(9, 8).T * 7.0 + 1.0
    depth[2, 3] = np.nan
    yield 'depth_error_ratio', np.nan_to_num(stereo.depth_error_ratio(depth, truth))
    yield (
        'depth_errors',
        [
            stereo.depth_errors(depth, truth, (2.0, 6.0), 30.0),
            stereo.depth_errors(depth, truth * 1.01, (1.5, 5.0), 3.0),
        ],
    )
    yield (
        'eight_bits',
        [stereo.to_8_bit([ramp(6, 7) * 900.0, ramp(6, 7, 3) * 300.0]), stereo.to_8_bit([ramp(6, 7) * 900.0], 80.0)],
    )
    left = (255 * ramp(60, 90)).astype(np.uint8)
    for matcher in ('bm', 'sgbm'):
        found = stereo.disparities(
            left, np.roll(left, -7, axis=1), 3.2, 20.0, stereo.MatcherConfig(method=matcher, block_size=7)
        )  # type: ignore[arg-type]
        yield f'disparities.{matcher}', np.nan_to_num(found)


def scene() -> Calls:
    for when in (datetime(2026, 3, 4, 5, 6, tzinfo=UTC), datetime(2031, 11, 20, 18, 0)):
        yield f'subsolar_point.{when.year}', ephemeris.subsolar_point(when)
        sun = ephemeris.sun_over(-1.2, 0.4, when)
        yield f'sun_over.{when.year}', [sun, sun.direction, sun.irradiance, sun.angular_radius]
    lamp = light.Spotlight(np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, -0.5]), (3.0, 2.0, 1.0), 0.2, 0.5)
    yield 'spotlight', lamp.row(np.array([0.5, 0.4, 0.3]))
    yield 'noise', [noise.normals(np.uint64(77), 3, 30), noise.uniforms(np.uint64(77), 3, 30)]
    shapes = {
        'box': meshes.box((0.3, 0.2, 0.1), 2),
        'cylinder': meshes.cylinder(0.3, 0.2, 9, 1),
        'capsule': meshes.capsule(0.3, 0.2, 8),
        'wheel': meshes.wheel(0.3, 0.1, (5, 0.02, 0.01)),
        'revolved': meshes.revolved([(0.0, -0.1), (0.2, 0.0), (0.1, 0.3)], 7),
        'icosphere': meshes.icosphere(1),
        'rock': meshes.rock(5, 2),
    }
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    for name, mesh in shapes.items():
        yield f'mesh.{name}', [mesh, meshes.corner_normals(mesh), mesh.moved(np.array([1.0, 2.0, 3.0]), turn).vertices]
        lit = irradiance_points.irradiance_points(mesh)
        yield f'lit_surface.{name}', lit
    yield 'mesh.joined', meshes.joined([shapes['box'], shapes['wheel']])
    yield 'micro_relief', micro_relief(0.05, np.array([1.3, -2.4, 0.0]), 0.2, 0.1)
    box = shapes['box']
    hull = TriangleMesh('a', box.vertices.astype(np.float32), box.triangles)
    places = np.array([[0.1, 0.05, 0.02], [0.5, 0.4, 0.3], [0.0, -0.6, 0.05], [0.05, 0.1, 0.9]])
    for shape, size in (
        ('box', (0.3, 0.2, 0.1)),
        ('cylinder', (0.3, 0.2)),
        ('grouser_wheel', (0.3, 0.2, 5.0, 0.02, 0.01)),
        ('capsule', (0.3, 0.2)),
        ('sphere', (0.3,)),
        ('ellipsoid', (0.3, 0.2, 0.1)),
    ):
        yield f'distance.{shape}', [own_hull.distance(Visual(shape, size), place) for place in places]
    yield 'distance.mesh', [own_hull.distance(Visual(mesh=hull), place) for place in places]
    frame = empty_frame(9, 12)
    frame.range[:] = (5.0 + np.where(ramp(9, 12) > 0.7, 1.0, 0.0)).astype(np.float32)
    frame.instance[:], frame.semantic[:] = (
        (ramp(9, 12) * 3).astype(frame.instance.dtype),
        (ramp(12, 9).T * 3).astype(np.uint8),
    )
    frame.normal[:] = np.float32(0.0)
    frame.normal[..., 2] = 1.0
    marks = edge_marks(frame)
    yield 'edges', [marks, edge_pixels(marks)]


def calls() -> Calls:
    """Return names and results of all calls."""
    for part in (reflectance, camera, inertia, lidar, labels, scene):
        for name, value in part():
            yield f'sensors.{name}', value
