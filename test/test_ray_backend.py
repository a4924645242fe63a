# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A back end for rays from an installed package: whole runs with it, checked against closed forms, and its like."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import RunResult, library_run, run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_sensors.camera.pipeline import OPTICAL_FROM_BODY, Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.config.sensor_types import Mount
from regolith_sensors.light import Sun
from regolith_sensors.rays.registry import ray_backend
from regolith_sensors.report.image_reader import image_pixels, stamp_ns
from regolith_sensors.scene.scene import Scene, Semantic
from regolith_sensors.scene.vehicle_mesh import vehicle_parts
from regolith_sensors.surfaces.materials import Lambert
from regolith_sensors.surfaces.meshes import icosphere
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.running_gear_registry import load_visuals
from regolith_vehicles.visuals.visual_description import PartRole
from regolith_world.numerics.rotation import matrix

TOYS = Path(__file__).parent / 'fixtures'
RATE_HZ, DURATION_S, CHECKPOINT_S = 12.5, 0.64, 0.32
"""Frames at ends of cycles, whose states are in the bag."""
OFF = dict.fromkeys(('distortion', 'motion_blur', 'defocus', 'vignetting', 'noise', 'fixed_pattern', 'response'), False)
EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 64,
    'height': 48,
    'pixel_size_m': 5e-6,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'color': 'mono',
    'exposure_s': 5e-4,
    'rate_hz': RATE_HZ,
    'stages': OFF,
}
FLASH: dict[str, Any] = {
    'type': 'lidar',
    'columns': 24,
    'azimuth_deg': [-40.0, 40.0],
    'rings': 12,
    'elevation_deg': [-40.0, 0.0],
    'flash': True,
    'rate_hz': RATE_HZ,
    'range_m': [0.5, 4.0],
    'organized': True,
}
MOUNT = {'xyz': [0.7, 0.1, 1.4], 'rpy_deg': [2.0, 25.0, -5.0]}
SUN = {'azimuth_deg': 60.0, 'elevation_deg': 25.0}


@pytest.fixture(scope='module', autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the back end, for this process and those it starts."""
    site = tmp_path_factory.mktemp('site')
    info = site / 'plane_and_spheres-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: plane_and_spheres\nVersion: 1.0\n')
    points = 'plane_and_spheres = plane_and_spheres:PlaneAndSpheres\nodd = plane_and_spheres:ball_of\n'
    (info / 'entry_points.txt').write_text(f'[regolith.ray_backends]\n{points}')
    (site / 'plane_and_spheres.py').symlink_to(TOYS / 'plane_and_spheres.py')
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv('PYTHONPATH', f'{site}{os.pathsep}{os.environ.get("PYTHONPATH", "")}')
        yield
    sys.modules.pop('plane_and_spheres', None)


def scenario(folder: Path, sees: bool = True) -> Path:
    amber, basalt = (
        vehicle(0.0, 0.0, type='constant', speed_mps=0.4),
        vehicle(4.0, 0.3, 40.0, type='constant', speed_mps=0.3),
    )
    if sees:
        outputs = ['image', 'depth', 'semantic', 'instance', 'normals', 'boxes']
        amber['sensors'] = {
            'eye': {'model': EYE, 'mount': MOUNT, 'outputs': outputs},
            'flash': {'model': FLASH, 'mount': MOUNT},
        }
    light = {'sun': SUN, 'view_range_m': 50.0, 'ray_backend': 'plane_and_spheres'}
    # An object that the world itself moves, for nodes and library to agree on as well.
    stone = {
        'type': 'rigid_body',
        'position': [0.0, 9.0, 2.0],
        'velocity_mps': [1.0, 0.5, 2.0],
        'mass_kg': 1.0,
        'shape': {'kind': 'sphere', 'size_m': [0.1]},
    }
    return write_scenario(
        folder,
        {'amber': amber, 'basalt': basalt},
        duration_s=DURATION_S,
        light=light,
        recording={'sensors': sees},
        world={'checkpoint_period_s': CHECKPOINT_S},
        objects={'stone': stone},
    )


@pytest.fixture(scope='module')
def seen(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    folder = tmp_path_factory.mktemp('rays')
    return run_scenario(folder, scenario(folder))


def digests(run: RunResult) -> dict[tuple[str, int], str]:
    bag = Bag(run.run_dir)
    names = [n for n in bag.topics if n.startswith(('/amber/eye/', '/amber/flash/')) and not n.endswith('/preview')]
    data = ((m.topic, stamp_ns(m.content), m.content) for m in bag.messages(*names))
    return {
        (topic, t): hashlib.sha256(repr(content).encode() + bytes(getattr(content, 'data', b''))).hexdigest()
        for topic, t, content in data
    }


def poses(bag: Bag, vehicle_name: str) -> dict[int, list[tuple[np.ndarray, np.ndarray]]]:
    """Return place and rotation of every part by time."""
    found = {}
    for message in bag.messages(f'/{vehicle_name}/part_poses'):
        parts = message.content.poses
        found[stamp_ns(message.content)] = [
            (
                np.array([p.position.x, p.position.y, p.position.z]),
                matrix(np.array([p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w])),
            )
            for p in parts
        ]
    return found


class Truth:
    """What is to be seen of balls over the plane z = 0, of a pose, by the textbook."""

    def __init__(self, bag: Bag, t_ns: int) -> None:
        parts = vehicle_parts(load_visuals(*load_vehicle_model('viper')), [])
        self.balls = []
        for name in ('amber', 'basalt'):
            for part, (place, turn) in zip(parts, poses(bag, name)[t_ns], strict=True):
                low, high = part.mesh.vertices.min(axis=0), part.mesh.vertices.max(axis=0)
                kind = Semantic.WHEEL if part.role == PartRole.WHEEL else Semantic.VEHICLE
                self.balls.append((place + turn @ (0.5 * (low + high)), 0.5 * (high - low).min(), kind))
        mount = Mount.model_validate({k: tuple(v) for k, v in MOUNT.items()})
        base, turn = poses(bag, 'amber')[t_ns][0]
        self.eye, self.turn = base + turn @ mount.position, turn @ matrix(mount.orientation)

    def look(self, eye: np.ndarray, toward: np.ndarray) -> tuple[float, int, np.ndarray]:
        """Return (in how many lengths of ``toward``, class, normal) of what a ray meets."""
        best, kind, normal = np.inf, Semantic.SKY, np.zeros(3)
        if toward[2] < 0.0:
            best, kind, normal = -eye[2] / toward[2], Semantic.GROUND, np.array([0.0, 0.0, 1.0])
        for center, radius, semantic in self.balls:
            a, b, c = toward @ toward, 2.0 * toward @ (eye - center), (eye - center) @ (eye - center) - radius**2
            if b * b > 4.0 * a * c:
                t = (-b - np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
                if 0.0 < t < best:
                    best, kind, normal = t, semantic, (eye + t * toward - center) / radius
        return float(best), int(kind), normal


@pytest.mark.ros
def test_image_is_that_of_the_geometry(seen: RunResult) -> None:
    """Depth, class, normal and light of every pixel but those at edges, where further rays are looked at."""
    bag = Bag(seen.run_dir)
    t_ns = 6 * 80_000_000
    images = {
        n: next(image_pixels(m.content) for m in bag.messages(f'/amber/eye/{n}') if stamp_ns(m.content) == t_ns)
        for n in ('image_raw', 'depth/image_raw', 'semantic/image_raw', 'normals/image_raw')
    }
    truth = Truth(bag, t_ns)
    to_world = truth.turn @ OPTICAL_FROM_BODY.T
    azimuth, elevation = np.radians(SUN['azimuth_deg']), np.radians(SUN['elevation_deg'])
    sun = np.array([np.cos(elevation) * np.sin(azimuth), np.cos(elevation) * np.cos(azimuth), np.sin(elevation)])
    depth, kind = np.empty((48, 64)), np.empty((48, 64), int)
    normal, light = np.empty((48, 64, 3)), np.zeros((48, 64))
    for v in range(48):
        for u in range(64):
            toward = to_world @ np.array([(u - 31.5) / 60.0, (v - 23.5) / 60.0, 1.0])
            depth[v, u], kind[v, u], normal[v, u] = truth.look(truth.eye, toward)
            if kind[v, u] != Semantic.SKY and normal[v, u] @ sun > 0.0:
                blocked = truth.look(truth.eye + depth[v, u] * toward + 1e-3 * normal[v, u], sun)[1] != Semantic.SKY
                light[v, u] = 0.0 if blocked else normal[v, u] @ sun
    # Coordinates are single precision: pixels on an outline may fall to either side.
    assert (images['semantic/image_raw'] != kind).mean() < 2e-3 and len(np.unique(kind)) >= 3
    same = images['semantic/image_raw'] == kind
    met = same & (kind != Semantic.SKY)
    np.testing.assert_allclose(images['depth/image_raw'][met], depth[met], rtol=1e-4)
    inner = met.copy()
    for axis in (0, 1):
        for step in (-1, 1):
            alike = (kind == np.roll(kind, step, axis)) & ((light > 0.0) == (np.roll(light, step, axis) > 0.0))
            inner &= alike & ((normal * np.roll(normal, step, axis)).sum(axis=2) > 0.92)
    inner[[0, -1]] = inner[:, [0, -1]] = False
    np.testing.assert_allclose(images['normals/image_raw'][inner], (normal @ to_world)[inner], atol=2e-3)
    numbers = images['image_raw'].astype(float)
    scale = np.median(numbers[inner & (kind == Semantic.GROUND) & (light > 0.0)]) / np.sin(elevation)
    assert 1000.0 < scale < 65535.0 and (inner & (light > 0.0)).sum() > 1500 and (inner & (light == 0.0)).sum() > 10
    # Half a number of rounding, and single precision in the normals of balls.
    np.testing.assert_allclose(numbers[inner], scale * light[inner], rtol=2e-3, atol=2.0)


@pytest.mark.ros
def test_a_sweep_is_what_geometry_says(seen: RunResult) -> None:
    bag = Bag(seen.run_dir)
    cloud = next(m.content for m in bag.messages('/amber/flash/points') if stamp_ns(m.content) == 4 * 80_000_000)
    offset = {f.name: f.offset for f in cloud.fields}['range']
    raw = np.frombuffer(bytes(cloud.data), np.uint8).reshape(-1, cloud.point_step)
    reach = np.sort(raw[:, offset : offset + 4].copy().view('<f4').ravel())
    truth = Truth(bag, 4 * 80_000_000)
    expected = []
    for azimuth in np.radians(np.linspace(-40.0, 40.0, 24)):
        for elevation in np.radians(np.linspace(-40.0, 0.0, 12)):
            flat = np.cos(elevation)
            toward = truth.turn @ np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])
            distance = truth.look(truth.eye, toward)[0]
            expected.append(distance if distance <= 4.0 else np.inf)
    np.testing.assert_allclose(reach, np.sort(expected), rtol=1e-4)
    assert np.isinf(reach).sum() > 0 and np.isfinite(reach).sum() > 200


@pytest.mark.ros
@pytest.mark.slow
def test_it_continues_from_a_checkpoint_and_leaves_no_trace(tmp_path: Path, seen: RunResult) -> None:
    """The same images from there on, in one process; and the state of a run without cameras."""
    saved = seen.run_dir / 'checkpoints' / f't{CHECKPOINT_S:010.3f}'
    rest = run_scenario(tmp_path, scenario(tmp_path), '--checkpoint', saved, processes='one', name='rest')
    first = digests(seen)
    later = {key: value for key, value in first.items() if key[1] >= round(CHECKPOINT_S * 1e9)}
    assert len(first) > len(later) > 20 and digests(rest) == later
    blind = library_run(scenario(tmp_path, sees=False))
    assert rest.summary['state_hash'] == seen.summary['state_hash'] == blind.world.state_hash


def ball_scene(name: str) -> Scene:
    """Return a ball of 0.5 m that floats 1 m over level ground."""
    ground = SoilHeightSource(SoilGrid(FlatField(), 0.05), (-6.0, 6.0, -6.0, 6.0))
    gray = Lambert((0.2, 0.2, 0.2))
    scene = Scene(ground, [gray], soil=gray, micro_slope_deg=0.0, micro_albedo=0.0, rays=ray_backend(name)())
    ball = scene.add_object('ball', [(scene.add_mesh(icosphere(5)), Semantic.OTHER)])
    scene.place(ball, 0, (2.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0), 0.5)
    scene.center((0.0, 0.0, 1.0))
    return scene


def test_embree_sees_the_same_where_there_are_balls_over_a_plane() -> None:
    """An icosphere's chords stay within 3e-4 of its radius; edges are looked at again by both."""
    config = CameraConfig.model_validate(EYE)
    pose = CameraPose(np.array([0.0, 0.0, 1.2]), np.array([0.0, np.sin(0.15), 0.0, np.cos(0.15)]))
    frames = []
    for name in ('embree', 'plane_and_spheres'):
        rays, origin = (scene := ball_scene(name)).commit(), scene.origin
        frame = Camera(config, 1, 'eye').expose(rays, origin, lambda _: pose, Sun(-1.2, 0.6))
        scene.place(scene.objects[0], 0, (2.0, 0.5, 1.0), (0.0, 0.0, 0.0, 1.0), 0.5)
        moved = scene.commit()
        assert moved is rays
        level, place = np.array([[1.0, 0.0, 0.0]], np.float32), np.array([[0.0, 0.5, 1.0]], np.float32)
        cast = moved.cast(level, np.zeros(1, np.int32), place, np.eye(3, dtype=np.float32)[None], 9.0, 1e-3)
        frames.append((frame, cast))
    (one, one_cast), (other, other_cast) = frames
    # Embree's ground ends 6 m away, the plane nowhere.
    near = other.depth < 5.0
    assert near.mean() > 0.4 and (one.semantic != other.semantic)[near].mean() < 0.01
    near &= one.semantic == other.semantic
    np.testing.assert_allclose(one.depth[near], other.depth[near], rtol=1e-3)
    assert set(np.unique(one.semantic[near])) == {Semantic.GROUND, Semantic.OTHER}
    np.testing.assert_allclose(one_cast[0], other_cast[0], rtol=3e-4)
    np.testing.assert_allclose(one_cast[0], 1.5, rtol=3e-4)
    assert one_cast[2] == other_cast[2] == 2
    # Further rays at edges by the base's own means: the shadow's border on the level ground has shades between.
    ground = near & (other.semantic == Semantic.GROUND)
    for frame in (one, other):
        bright = frame.radiance[ground].mean(axis=1)
        between = (bright > 0.05 * bright.max()) & (bright < 0.95 * bright.max())
        assert 10 < between.sum() < 200


def test_a_back_end_that_is_not_there_is_refused() -> None:
    with pytest.raises(
        InputError,
        match=r"light.ray_backend = 'embre'.*unknown ray back end.*allowed: embree, odd.*did you mean embree",
    ):
        load_scenario('two_rovers', ['light.ray_backend=embre'])
    with pytest.raises(InputError, match=r'light.ray_backend.*package plane_and_spheres 1.0.*not to a RayBackend'):
        load_scenario('two_rovers', ['light.ray_backend=odd'])
    assert LightConfig().ray_backend == 'embree'
