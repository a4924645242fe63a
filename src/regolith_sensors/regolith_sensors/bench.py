# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the sensors: ``bench camera`` and ``bench lidar``."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_sensors.brdf import PRESETS
from regolith_sensors.camera.pipeline import Camera, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lidar import LidarConfig
from regolith_sensors.dust.density import Puffs, density_grid
from regolith_sensors.dust.optics import DustOptics, dust_optics
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.light import Sun
from regolith_sensors.numerics.parallel import worker_count
from regolith_sensors.rays.camera_rays import lights
from regolith_sensors.rays.embree.backend import EmbreeRays
from regolith_sensors.scene.scene import Scene, SceneObject, Semantic
from regolith_sensors.scene.vehicle_mesh import vehicle_parts
from regolith_sensors.sensor_models import load_sensor
from regolith_sensors.surfaces.materials import Material, Principled
from regolith_sensors.surfaces.meshes import rock
from regolith_sensors.surfaces.terrain_tiles import SoilHeightSource
from regolith_terrain import ProceduralField
from regolith_terrain.grid import NodeRecords, SoilGrid
from regolith_vehicles import load_vehicle_model, load_visuals
from regolith_vehicles.visuals import PartRole
from regolith_world.random import generator

Floats = NDArray[np.float64]

_SPACING, _HALF = 0.05, 25.6
SUN = Sun(math.radians(60.0), math.radians(12.0))
_EYE = (-2.0, 0.0, 1.6)
_REPEATS, _PAIRS = 15, 30


class BenchScene:
    """Benchmark scene: procedural ground with nodes every 5 cm, rocks of 320 triangles and two rovers."""

    def __init__(self, half: float = _HALF, rocks: int = 2000) -> None:
        """Build the scene.

        Args:
            half: Half the side of the square that is shown at node resolution [m]; 25.6 m are 1024 x 1024 nodes.
            rocks: Number of rocks.
        """
        self.grid = SoilGrid(ProceduralField(3), _SPACING)
        materials: list[Material] = [Principled((0.16, 0.14, 0.12), 0.9, micro_relief=0.6)]
        looks = load_visuals(*load_vehicle_model('viper'))
        parts = vehicle_parts(looks, materials)
        height_source = SoilHeightSource(self.grid, (-half, half, -half, half))
        # The detail setting is large enough to show every node of the square.
        self.rays = EmbreeRays()
        self.scene = Scene(height_source, materials, view_range=100.0, detail=40.0, micro_shadows=True, rays=self.rays)
        self._rocks(half, rocks)
        meshes = [self.scene.add_mesh(part.mesh, holds_light=True) for part in parts]
        at: dict[str, Floats] = {'': np.zeros(3)}
        for each in looks.parts:
            at[each.name] = at[each.parent] + each.position
        self._offsets = np.array([at[part.name] for part in parts])
        kinds = [Semantic.WHEEL if part.role == PartRole.WHEEL else Semantic.VEHICLE for part in parts]
        self.rovers = [self.scene.add_object(name, zip(meshes, kinds)) for name in ('amber', 'basalt')]
        self.move(0.0)
        self.eye = np.array([*_EYE[:2], _EYE[2] + float(self.grid.levels(*_EYE[:2]))])
        self.scene.center(self.eye)
        self.scene.commit()

    def move(self, along: float) -> None:
        """Move both rovers to a distance ``along`` the path [m]."""
        for rover, y in zip(self.rovers, (0.5, -4.0)):
            self._drive(rover, 5.0 + along, y)

    def dust(self, parcels: int = 20_000) -> DustOptics:
        """Return dust behind both front wheels of the nearer rover, on arcs of up to 1.2 m/s."""
        rng = generator(1, 'bench', 'dust', 0)
        age, speed = rng.uniform(0.0, 1.0, parcels), rng.uniform(0.3, 1.2, parcels)
        x = 4.6 + rng.uniform(-0.15, 0.15, parcels) - 0.8 * speed * age
        y = np.where(np.arange(parcels) % 2 == 0, -0.1, 1.1) + rng.normal(0.0, 0.2, parcels) * age
        rise = np.maximum(0.6 * speed * age - 0.81 * age * age, 0.01)
        places = np.stack([x, y, self.grid.levels(x, y) + rise], axis=1)
        puffs = Puffs(places, 0.15 * speed * age, np.arange(parcels))
        return dust_optics(density_grid(puffs, 5e-5, self.scene.origin, self.eye), PRESETS['lunar_sato2014'])

    def _drive(self, rover: SceneObject, x: float, y: float) -> None:
        z = float(self.grid.levels(x, y)) + 0.25
        for part, offset in enumerate(self._offsets):
            self.scene.place(rover, part, offset + (x, y, z), (0.0, 0.0, 0.0, 1.0))

    def _rocks(self, half: float, count: int) -> None:
        stones = [self.scene.add_mesh(rock(number, 2)) for number in range(6)]
        rng = generator(1, 'bench', 'rocks', 0)
        places = rng.uniform(-half + 0.5, half - 0.5, (count, 2))
        sizes = np.minimum(0.04 * (1.0 - rng.random(count)) ** (-1.0 / 2.2), 0.6)
        turns = rng.standard_normal((count, 4))
        heights = self.grid.levels(places[:, 0], places[:, 1])
        for number, (place, size, turn, z) in enumerate(zip(places, sizes, turns, heights)):
            stone = self.scene.add_object(f'rock_{number}', [(stones[number % len(stones)], Semantic.ROCK)])
            self.scene.place(stone, 0, (*place, z + 0.2 * size), turn / np.linalg.norm(turn), size)

    def dig(self, depth: float) -> NodeRecords:
        """Return records of 20 164 nodes in front of the camera (a square of 7.1 m), lowered by ``depth`` [m]."""
        i, j = (a.ravel().astype(np.int32) for a in np.meshgrid(np.arange(142), np.arange(-71, 71), indexing='ij'))
        base = self.grid.height_field.heights(i * _SPACING, j * _SPACING)
        values = np.zeros((5, len(i)))
        values[0], values[1] = base, base - depth * (1.0 + 0.2 * np.sin(i * 0.7) * np.sin(j * 0.9))
        return NodeRecords.from_values(i, j, values)


def _timed(*works: Callable[[int], Any]) -> list[tuple[float, float]]:
    """Return (minimum, median) wall time of a call [s] for each function.

    The functions alternate, so that load on the machine affects all of them. The first two rounds, which
    compile and fill caches, do not count.
    """
    times = np.empty((_REPEATS + 2, len(works)))
    for n in range(len(times)):
        for k, work in enumerate(works):
            begin = time.perf_counter()
            work(n)
            times[n, k] = time.perf_counter() - begin
    return list(zip(times[2:].min(axis=0).tolist(), np.median(times[2:], axis=0).tolist()))


def _ratios(base: Callable[[int], Any], *works: Callable[[int], Any]) -> list[tuple[float, float]]:
    """Return the ratios (processor time, wall time) of calls to those of a base, the medians over many alternations.

    A ratio is that of two calls one after the other, so that the speed of the machine, which drifts, cancels. The
    processor time is that of all threads, and other processes change it little. The first two rounds do not count.
    """
    times = np.empty((_PAIRS + 2, 1 + len(works), 2))
    for n in range(len(times)):
        for k, work in enumerate((base, *works)):
            begin = time.process_time(), time.perf_counter()
            work(n)
            times[n, k] = time.process_time() - begin[0], time.perf_counter() - begin[1]
    medians = np.median(times[2:, 1:] / times[2:, :1], axis=0)
    return [(float(processor), float(wall)) for processor, wall in medians]


def camera() -> dict[str, Any]:
    """Benchmark a 640 x 480 color camera over the bench scene at low sun, in one process with all its threads.

    Returns:
        Results by name, each from the minimum of several runs, with the medians in addition. ``radiance_fps``: rays,
        shadows and Hapke reflectance with one sample and no indirect light. ``pipeline_fps``: all stages.
        ``antialiased_fps``: radiance with further rays at edges, the default. ``bounced_fps``: radiance with ground
        light on hulls, the default. ``bare_fps``: the same rays traced by the library without shading.
        ``ratio_to_bare``, ``ratio_antialiased`` and ``ratio_bounced``: ratios of times. ``ratio_dusty``: processor time
        of radiance with the dust of two wheels, computed for each frame, to that without; ``ratio_without_dust``: the
        same where no dust is in the air. Both are medians of the ratios of alternating frames; those of wall time are
        ``ratio_dusty_wall`` and ``ratio_without_dust_wall``. ``update_ms``: time until rays see 20 164 changed nodes
        and both moved rovers.
    """
    bench = BenchScene()
    config = CameraConfig.model_validate(
        {
            'width': 640,
            'height': 480,
            'pixel_size_m': 7.4e-6,
            'focal_length_m': 4.44e-3,
            'f_number': 4.0,
            'focus_distance_m': 3.0,
            'exposure_s': 2e-3,
            'vignetting_gain': 0.6,
            'defocus_gain': 12.0,
            'distortion': {'coefficients': [-0.16, 0.05, 0.0, 0.0, -0.01]},
            'noise': {'dark_current': [10, 10, 10], 'read': [5, 5, 5], 'prnu': 0.01, 'dsnu': 2, 'hot_fraction': 1e-4},
        }
    )
    tilt = math.radians(6.0)
    pose = CameraPose(bench.eye, np.array([0.0, math.sin(tilt), 0.0, math.cos(tilt)]))
    device, smooth, lit = (
        Camera(config.model_copy(update=changed), 1, 'bench')
        for changed in (
            {'edge_samples': 0, 'ground_light_on_vehicles': False},
            {'ground_light_on_vehicles': False},
            {'edge_samples': 0},
        )
    )
    scene, origin = bench.rays, bench.scene.origin
    eyes, light = device.view(origin, pose), lights(origin, SUN)
    clear = bench.dust(0)

    def looks(camera: Camera) -> Callable[[int], Any]:
        return lambda n: camera.expose(scene, origin, lambda _: pose, SUN, frame=n)

    times = _timed(
        looks(device),
        lambda n: device.process(device.expose(scene, origin, lambda _: pose, SUN, frame=n), n),
        lambda n: scene.trace_only(eyes, light),
        looks(smooth),
        looks(lit),
    )
    dusty, without = _ratios(
        looks(device),
        lambda n: device.expose(scene, origin, lambda _: pose, SUN, frame=n, dust=bench.dust()),
        lambda n: device.expose(scene, origin, lambda _: pose, SUN, frame=n, dust=clear),
    )
    looking, bare = times[0][0], times[2][0]
    rates: dict[str, float] = {}
    for name, (least, median) in zip(('radiance', 'pipeline', 'bare', 'antialiased', 'bounced'), times):
        rates |= {f'{name}_fps': 1.0 / least, f'{name}_fps_median': 1.0 / median}

    def change(n: int) -> None:
        bench.grid.apply(records[n % 2])
        begin = time.perf_counter()
        bench.scene.update(records[n % 2].i, records[n % 2].j)
        bench.move(0.01 * n)
        bench.scene.commit()
        updates.append(time.perf_counter() - begin)

    records, updates = [bench.dig(0.03), bench.dig(0.05)], list[float]()
    _timed(change)
    return {
        **rates,
        'ratio_to_bare': looking / bare,
        'ratio_antialiased': times[3][0] / looking,
        'ratio_bounced': times[4][0] / looking,
        'ratio_dusty': dusty[0],
        'ratio_dusty_wall': dusty[1],
        'ratio_without_dust': without[0],
        'ratio_without_dust_wall': without[1],
        'update_ms': 1e3 * min(updates[2:]),
        'update_ms_median': 1e3 * float(np.median(updates[2:])),
        'changed_nodes': len(records[0]),
        'width': 640,
        'height': 480,
        'threads': worker_count(),
        'processor': platform.processor() or platform.machine(),
    }


def lidar() -> dict[str, Any]:
    """Benchmark a VLP-16-like lidar (28 800 beams, one ray each) over the bench scene.

    Returns:
        Results by name, from the minimum of several runs, with medians in addition: ``scans_per_s``, ``rays_per_s`` and
        ``ratio_to_cast`` (time of a scan divided by the time to cast its rays and compute their backscatter).
    """
    bench = BenchScene()
    device = Lidar(load_sensor('vlp16', LidarConfig), 1, 'bench')

    def poses(moments: Floats) -> tuple[Floats, Floats]:
        places = bench.eye + np.stack([0.05 * moments, 0.0 * moments, 0.0 * moments], axis=1)
        return places, np.tile(np.eye(3), (len(moments), 1, 1))

    places, turns = poses(np.arange(1800) / 1800)
    at = np.ascontiguousarray(places - bench.scene.origin, dtype=np.float32)
    beams = device.beams
    (scanning, median), (casting, _) = _timed(
        lambda n: device.scan(bench.rays, bench.scene.origin, poses, n),
        lambda n: bench.rays.cast(beams.directions, beams.groups, at, turns.astype(np.float32), 100.0, 3e-3),
    )
    rays = len(beams.directions)
    return {
        'scans_per_s': 1.0 / scanning,
        'scans_per_s_median': 1.0 / median,
        'rays': rays,
        'rays_per_s': rays / scanning,
        'ratio_to_cast': scanning / casting,
        'threads': worker_count(),
        'processor': platform.processor() or platform.machine(),
    }
