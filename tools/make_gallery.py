#!/usr/bin/env python3
# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Render the images of docs/concepts/sensors.md and of the README: ``./regolith exec python3 tools/make_gallery.py``.

Two rovers drive over the mare for some seconds. The resulting ground is rendered in seven lights, the last with its
ground truth. If a folder is given, the single panels are written to it. The README's image is a frame of the scenario
``stereo_traverse``.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_sensors.camera.display import display_image
from regolith_sensors.camera.pipeline import Camera, CameraImage, CameraPose
from regolith_sensors.config.camera import CameraConfig
from regolith_sensors.config.lighting import LightConfig
from regolith_sensors.config.sensor_types import Mount
from regolith_sensors.config.sensors import sensors_of
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.light import Spotlight, Sun
from regolith_sensors.report.contact_sheet import CLASS_COLORS
from regolith_sensors.scene.sensor_scene import SensorScene
from regolith_sensors.sensor_models import load_sensor
from regolith_world.numerics.rotation import matrix, product

PICTURE = Path(__file__).parents[1] / 'docs' / 'images' / 'sensors_gallery.png'
TRAVERSE = PICTURE.parent / 'stereo_traverse.png'
TRAVERSE_S, PANEL = 7.5, (480, 360)
WIDTH, HEIGHT, GAP = 384, 268, 6
DRIVEN_S = 9.0
PATH = [[0.0, 0.0], [4.0, 0.3], [8.0, 1.8], [12.0, 4.0]]
SCENARIO: dict[str, Any] = {
    'duration_s': DRIVEN_S,
    'seed': 4,
    'terrain': {'source': 'procedural', 'preset': 'mare', 'spacing_m': 0.02, 'soil': 'lunar_nominal'},
    'vehicles': {
        name: {
            'model': 'viper',
            'position': [x, 0.0],
            'driver': {'type': 'path', 'speed_mps': 0.5, 'lookahead_m': 0.8, 'waypoints': [[x, 0.0], *PATH[1:]]},
        }
        for name, x in (('amber', 0.0), ('basalt', -4.5))
    },
}


class Site:
    """Terrain after the drive, and the poses of the rovers."""

    def __init__(self, scenario: Scenario, driven_s: float, light: LightConfig, viewer: str = 'basalt') -> None:
        ends: dict[str, Any] = {}
        simulation = Simulation(scenario, publish=ends.__setitem__)
        looks = {name: agent.looks for name, agent in simulation.agents.items()}
        dust = None
        if scenario.dust is None:
            simulation.run(driven_s)
        else:
            dust = DustCloud(scenario.dust, scenario.seed, scenario.world.gravity_mps2, looks)
            while simulation.world.t_ns < driven_s * 1e9:
                simulation.world.step(round(scenario.duration_s * 1e9))
                simulation.world.hold()
                poses = {name: snapshot.poses for name, snapshot in ends.items()}
                dust.follow(simulation.world.t_ns, poses, simulation.terrain.grid)
        self.t_ns = 0 if dust is None else dust.t_ns
        world = SensorScene(scenario.terrain, light, scenario.seed, looks, dust=dust)
        world.states.ground.load(simulation.terrain.grid.all_records())
        for name, snapshot in ends.items():
            world.states.tracks[name].add(self.t_ns, snapshot.poses)
        self.view = world.view(viewer)
        self.grid = simulation.terrain.grid
        self.rocks = world._rocks

    def above(self, x: float, y: float, height: float) -> NDArray[np.float64]:
        """Return the position at a height above the ground [m]."""
        return np.array([x, y, float(self.grid.levels(x, y)) + height])

    def look(
        self,
        eye: NDArray[np.float64],
        yaw_deg: float,
        pitch_deg: float,
        sun: Sun | None,
        lamps: tuple[Spotlight, ...] = (),
        **changes: Any,
    ) -> CameraImage:
        """Return an image of a camera similar to NavCam, with another size and further changed settings."""
        values = load_sensor('navcam', CameraConfig).model_dump(mode='json')
        values |= {
            'width': WIDTH,
            'height': HEIGHT,
            'pixel_size_m': 6.4e-6 * 1024 / WIDTH / 1.15,
            'color': 'rgb',
            'samples_per_pixel': 4,
            'sun_samples': 4,
            **changes,
        }
        camera = Camera(CameraConfig.model_validate(values), 4, 'gallery')
        pose = CameraPose(eye, Mount(rpy_deg=(0.0, pitch_deg, yaw_deg)).orientation)
        scene, dust = self.view.prepare(self.t_ns), self.view.dust(self.t_ns)
        seen = camera.expose(scene, self.view.scene.origin, lambda _: pose, sun, lamps, dust=dust)
        return camera.process(seen)


def sun(azimuth_deg: float, elevation_deg: float) -> Sun:
    """Return the sun; azimuth clockwise from north."""
    return Sun(math.radians(azimuth_deg), math.radians(elevation_deg))


def depth_picture(depth: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return depth as gray values on a logarithmic scale, near points bright."""
    near = np.clip(1.0 - np.log2(np.maximum(depth, 1.0)) / np.log2(100.0), 0.0, 1.0)
    gray = (255.0 * np.where(np.isfinite(depth), near, 0.0)).astype(np.uint8)
    return np.repeat(gray[..., None], 3, axis=2)


def panels(site: Site) -> dict[str, NDArray[np.uint8]]:
    """Return images by title."""
    base, turn = site.view.base_pose('basalt', 0)
    x, y = base[0, :2]
    yaw = math.degrees(2.0 * math.atan2(turn[0, 2], turn[0, 3]))
    mast = site.above(x + 0.55 * math.cos(math.radians(yaw)), y + 0.55 * math.sin(math.radians(yaw)), 1.85)
    north = 90.0 - yaw
    out = {
        'low sun (6°) from the side': site.look(mast, yaw + 35.0, 14.0, sun(north - 125.0, 6.0)),
        'sun behind: opposition surge, own shadow': site.look(mast, yaw - 60.0, 26.0, sun(north + 60.0 + 180.0, 24.0)),
        'sun ahead': site.look(mast, yaw, 12.0, sun(north + 8.0, 9.0), effects={'glare': 0.06}),
    }
    heading = np.array([math.cos(math.radians(yaw)), math.sin(math.radians(yaw))])
    lamp = Spotlight(mast + [0.0, 0.0, -0.7], np.array([*heading, -0.16]), (40.0, 40.0, 40.0), 0.30, 0.55)
    out['night, one lamp on the mast'] = site.look(mast, yaw, 14.0, None, (lamp,))
    stone = chosen_rock(site, x, y)
    away = np.array([math.cos(0.6), math.sin(0.6)])
    eye = site.above(*(stone[:2] - 0.9 * away), 0.6)
    out['penumbra behind a rock, sun at 6°'] = site.look(
        eye, math.degrees(0.6), 27.0, sun(90.0 - math.degrees(0.6) - 105.0, 6.0), sun_samples=32, focus_distance_m=1.1
    )
    back = site.above(x - 1.2 * heading[0] - 0.9 * heading[1], y - 1.2 * heading[1] + 0.9 * heading[0], 1.0)
    out['ruts of both rovers'] = site.look(back, yaw + 180.0 + 18.0, 22.0, sun(north + 75.0, 9.0))
    amber = site.view.base_pose('amber', 0)[0][0]
    toward = math.degrees(math.atan2(amber[1] - mast[1], amber[0] - mast[0]))
    nav = site.look(mast, toward, 12.0, sun(north + 115.0, 18.0))
    out['navigation camera, all stages'] = nav
    found = {name: display_image(picture.image, picture.encoding)[0] for name, picture in out.items()}
    found['its depth'] = depth_picture(nav.frame.depth)
    found['its classes'] = CLASS_COLORS(nav.frame.semantic.astype(int), bytes=True)[..., :3]
    return found


def chosen_rock(site: Site, x: float, y: float) -> NDArray[np.float64]:
    """Return (x, y) of the nearest rock of a suitable size beside the track."""
    rocks = site.rocks
    assert rocks is not None
    off = np.hypot(rocks.x - x, rocks.y - y)
    fit = (rocks.diameter > 0.18) & (rocks.diameter < 0.45) & (off > 3.0)
    k = int(np.argmin(np.where(fit, off, np.inf)))
    return np.array([rocks.x[k], rocks.y[k]])


def gallery_scenario() -> Scenario:
    """Return the scenario of the gallery."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'gallery.yaml')
        file.write_text(yaml.safe_dump(SCENARIO), encoding='utf-8')
        return load_scenario(file).scenario


def traverse_picture() -> Image.Image:
    """Return the image of the left camera of stereo_traverse, with depth and classes."""
    scenario = load_scenario('stereo_traverse').scenario
    site = Site(scenario, TRAVERSE_S, scenario.light)
    left = next(s for s in sensors_of({n: e.sensors for n, e in scenario.vehicles.items()}) if s.name == 'left')
    camera = Camera(left.config, scenario.seed, left.full_name)
    scene = site.view.prepare(0)
    place, turn = site.view.base_pose(left.vehicle, 0)
    eye = CameraPose(place[0] + matrix(turn[0]) @ left.mount.position, product(turn[0], left.mount.orientation))
    picture = camera.process(camera.expose(scene, site.view.scene.origin, lambda _: eye, scenario.light.sun_at(0)))
    seen = display_image(picture.image, picture.encoding)[0]
    parts = [
        np.repeat(seen[..., None], 3, axis=2) if seen.ndim == 2 else seen,
        depth_picture(picture.frame.depth),
        CLASS_COLORS(picture.frame.semantic.astype(int), bytes=True)[..., :3],
    ]
    whole = Image.new('RGB', (3 * PANEL[0] + 2, PANEL[1]), (255, 255, 255))
    for k, pixels in enumerate(parts):
        resample = Image.Resampling.NEAREST if k == 2 else Image.Resampling.BOX
        whole.paste(Image.fromarray(np.ascontiguousarray(pixels)).resize(PANEL, resample), (k * (PANEL[0] + 1), 0))
    return whole


def with_palette(image: Image.Image, colors: int) -> Image.Image:
    """Return an image of few colors. Dithering hides the borders of faint light, and makes files smaller."""
    palette = image.quantize(colors, kmeans=2)
    return image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)


def write_sheet(shown: dict[str, NDArray[np.uint8]], columns: int, path: Path) -> None:
    """Write titled images as one image, and each of them into the folder of the command line, if there is one."""
    rows = -(-len(shown) // columns)
    size = columns * (WIDTH + GAP) - GAP, rows * (HEIGHT + GAP) - GAP
    whole = Image.new('RGB', size, (255, 255, 255))
    for k, (name, pixels) in enumerate(shown.items()):
        picture = Image.fromarray(np.ascontiguousarray(pixels)).convert('RGB')
        if len(sys.argv) > 1:
            Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
            picture.save(Path(sys.argv[1], f'{k}.png'))
        draw = ImageDraw.Draw(picture)
        box = draw.textbbox((0, 0), name)
        draw.rectangle((0, 0, box[2] + 8, box[3] + 6), fill=(0, 0, 0))
        draw.text((4, 2), name, fill=(255, 255, 255))
        whole.paste(picture, (k % columns * (WIDTH + GAP), k // columns * (HEIGHT + GAP)))
    with_palette(whole, 200).save(path, optimize=True)
    print(f'{path}: {path.stat().st_size / 1000:.0f} kB')


def main() -> None:
    """Write the images, and the single panels of the gallery into the given folder."""
    with_palette(traverse_picture(), 200).save(TRAVERSE, optimize=True)
    print(f'{TRAVERSE}: {TRAVERSE.stat().st_size / 1000:.0f} kB')
    light = LightConfig.model_validate({'view_range_m': 1500.0, 'terrain_detail': 10.0})
    shown = panels(Site(gallery_scenario(), DRIVEN_S, light))
    write_sheet(shown, 3, PICTURE)


if __name__ == '__main__':
    main()
