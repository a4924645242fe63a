# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust in whole runs: the same in one process and in many, from a checkpoint on and after a rewind; no trace in the state."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import LiveRun, RunResult, run_scenario, vehicle, write_scenario

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_sensors.config import scenario_sensors
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.lidar.sweep import Lidar
from regolith_sensors.report.image_reader import stamp_ns
from regolith_sensors.scene.sensor_scene import SensorScene

pytestmark = [pytest.mark.ros, pytest.mark.slow]

DURATION_S, CHECKPOINT_S = 1.2, 0.6
EYE: dict[str, Any] = {
    'type': 'camera',
    'width': 64,
    'height': 48,
    'pixel_size_m': 5e-6,
    'focal_length_m': 3e-4,
    'f_number': 4.0,
    'exposure_s': 2e-3,
    'rate_hz': 10.0,
    'auto_exposure': {},
}
DUST = {'lofted_fraction': 0.05, 'threshold_mps': 0.005, 'extinction_m2pkg': 200.0, 'parcel_mass_kg': 1e-5}
"""More dust than there is: the rover of the test is slow."""


CRATE = {'type': 'rigid_body', 'shape': {'kind': 'box', 'size_m': [0.15, 0.15, 0.1]}, 'mass_kg': 20.0}
FALLING = {
    'early': {**CRATE, 'position': [1.5, 1.0, 0.13]},
    'late': {**CRATE, 'position': [1.5, -1.0, 0.25], 'velocity_mps': [0.3, 0.0, 0.0]},
}
"""Boxes that reach the ground 0.35 s and 0.77 s after the start, before and after the checkpoint."""


def scenario(folder: Path, name: str, *, seeing: bool = True, dust: bool = True, bodies: bool = True) -> Path:
    """Return a rover that drives behind another while two boxes fall; weak gravity keeps the dust in the air."""
    behind = vehicle(-2.6, 0.0, type='constant', speed_mps=0.5)
    if seeing:
        mount = {'xyz': [0.6, 0.1, 1.5], 'rpy_deg': [0.0, 20.0, 0.0]}
        behind = {**behind, 'sensors': {'eye': {'model': EYE, 'mount': mount}}}
    (folder / name).mkdir()
    return write_scenario(
        folder / name,
        {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.6), 'basalt': behind},
        duration_s=DURATION_S,
        light={'sun': {'azimuth_deg': 60.0, 'elevation_deg': 15.0}, 'view_range_m': 100.0},
        recording={'sensors': seeing},
        world={'checkpoint_period_s': CHECKPOINT_S, 'gravity_mps2': 0.5},
        bodies={},
        objects=FALLING if bodies else {},
        **({'dust': DUST} if dust else {}),
    )


def images(run: RunResult) -> dict[int, str]:
    """Return a digest of every image by stamp."""
    found = Bag(run.run_dir).messages('/basalt/eye/image_raw')
    return {stamp_ns(m.content): hashlib.sha256(m.content.data.tobytes()).hexdigest() for m in found}


def test_dust_is_the_same_in_every_run_and_leaves_no_trace_in_the_state(tmp_path: Path) -> None:
    """Images, digest and state hash: many processes, one, from a checkpoint on, without dust, without sensors."""
    many = run_scenario(tmp_path, scenario(tmp_path, 'many'), name='many_run')
    file = scenario(tmp_path, 'one')
    one = run_scenario(tmp_path, file, processes='one', name='one_run')
    first, dust = images(many), many.summary['dust']
    assert len(first) == 12 and images(one) == first and one.summary['dust'] == dust
    assert dust['in_flight_kg'] > 0.0
    total = dust['landed_kg'] + dust['in_flight_kg'] + sum(dust['on_vehicles_kg'].values())
    assert total == pytest.approx(dust['emitted_kg'], rel=1e-12)
    saved = one.run_dir / 'checkpoints' / f't{CHECKPOINT_S:010.3f}'
    rest = run_scenario(tmp_path, file, '--checkpoint', saved, processes='one', name='rest_run')
    later = {t_ns: image for t_ns, image in first.items() if t_ns >= round(CHECKPOINT_S * 1e9)}
    assert len(later) == 6 and images(rest) == later and rest.summary['dust'] == dust
    plain = run_scenario(tmp_path, scenario(tmp_path, 'plain', dust=False), processes='one', name='plain_run')
    blind = run_scenario(tmp_path, scenario(tmp_path, 'blind', seeing=False), processes='one', name='blind_run')
    hashes = {run.summary['state_hash'] for run in (many, one, rest, plain, blind)}
    assert len(hashes) == 1
    assert images(plain) != first and not plain.summary['dust'] and not blind.summary['dust']
    fewer = run_scenario(tmp_path, scenario(tmp_path, 'fewer', bodies=False), processes='one', name='fewer_run')
    assert 0.0 < fewer.summary['dust']['emitted_kg'] < dust['emitted_kg']


def test_rewind_brings_back_the_dust_in_the_air(tmp_path: Path) -> None:
    """Back to a time in the past: the images that follow are those of the first time. A lens is cleaned by a service."""
    from regolith_msgs.msg import Cycle
    from regolith_msgs.srv import Rewind
    from sensor_msgs.msg import Image
    from std_srvs.srv import Trigger

    arguments = '--duration', 30, '--rtf', 1.0, '--no-record', '--set', 'world.checkpoint_period_s=0.5'
    with LiveRun(tmp_path, scenario(tmp_path, 'back'), *arguments, processes='one') as live:
        cycles = live.subscribe(Cycle, '/regolith/cycle')
        seen = live.subscribe(Image, '/basalt/eye/image_raw')
        live.wait_for(lambda: len(seen) > 14, 60.0, 'images')
        target_ns = stamp_ns(seen[7])
        assert live.call(Rewind, '/regolith/world/rewind', t_ns=target_ns, inputs=1).success
        back = live.wait_for(lambda: next((c for c in cycles if c.key.epoch > 0), None), 60.0, 'the rewind')
        offset_ns = back.clock_offset_ns

        def fresh() -> list[Any]:
            return [image for image in seen if stamp_ns(image) > target_ns + offset_ns]

        live.wait_for(lambda: len(fresh()) > 5, 60.0, 'images after it')
        cleaned = live.call(Trigger, '/basalt/eye/clean_lens')
        assert cleaned.success and 'is 1' in cleaned.message
        old = {stamp_ns(m): bytes(m.data) for m in seen if stamp_ns(m) < target_ns + offset_ns}
        new = {stamp_ns(m) - offset_ns: bytes(m.data) for m in fresh()[:5]}
    same = [old[t_ns] == data for t_ns, data in new.items() if t_ns in old]
    assert offset_ns > 0 and len(same) >= 4 and all(same)
    assert np.ptp(np.frombuffer(next(iter(new.values())), np.uint16)) > 1000


def test_trail_of_dusty_convoy() -> None:
    """The trail lies behind the wheels, as high as its speeds allow; a lidar behind it sees the ground through it and it."""
    scenario = load_scenario('dusty_convoy').scenario
    ends: dict[str, Any] = {}
    simulation = Simulation(scenario, publish=ends.__setitem__)
    looks = {name: agent.looks for name, agent in simulation.agents.items()}
    gravity, grid = scenario.world.gravity_mps2, simulation.terrain.grid
    cloud = DustCloud(scenario.dust, scenario.seed, gravity, looks)
    assert scenario.dust is not None
    while simulation.world.t_ns < 3_000_000_000:
        simulation.world.step(round(scenario.duration_s * 1e9))
        simulation.world.hold()
        cloud.follow(simulation.world.t_ns, {name: end.poses for name, end in ends.items()}, grid)
    puffs, balance = cloud.in_flight(cloud.t_ns), cloud.balance()
    place = puffs.place
    height = place[:, 2] - grid.levels(place[:, 0], place[:, 1])
    # Arcs of 2 to 3 m/s at up to 90 degrees rise to v^2 / (2 g); few of them do.
    assert 0.3 < np.quantile(height, 0.999) < height.max() < 3.0**2 / (2.0 * gravity)
    truck, rover = ends['first'].poses[0, :3], ends['second'].poses[0, :3]
    assert np.mean(place[:, 0] < truck[0] + 2.0) > 0.99 and np.mean(np.abs(place[:, 1] - truck[1]) < 2.0) > 0.9
    assert balance.emitted_kg > 0.1 and balance.on_vehicles_kg['first'] > 0.0
    world = SensorScene(scenario.terrain, scenario.light, scenario.seed, looks, dust=cloud)
    world.states.ground.load(grid.all_records())
    for name, end in ends.items():
        world.states.tracks[name].add(cloud.t_ns, end.poses)
    view = world.view('second')
    (lidar,) = (sensor for sensor in scenario_sensors(scenario) if sensor.name == 'lidar')
    scene, device = view.prepare(cloud.t_ns), Lidar(lidar.config, scenario.seed, lidar.full_name)

    def poses(parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.tile(rover + lidar.mount.position, (len(parts), 1)), np.tile(np.eye(3), (len(parts), 1, 1))

    clear, dusty = (device.scan(scene, view.scene.origin, poses, 0, dust) for dust in (None, view.dust(cloud.t_ns)))
    early = clear.range - dusty.range > 0.3
    assert early.sum() > 5 and (np.abs(clear.range - dusty.range) < 0.1).sum() > 10_000


def test_rover_leaves_a_crater_at_night(tmp_path: Path) -> None:
    """By lamp, photons and heat; neither they nor the dust change the drive."""
    run = run_scenario(tmp_path, 'crater_rim_night', '--set', 'recording.sensors=true', processes='one')
    simulation = Simulation.load('crater_rim_night', ['dust=null'])
    simulation.run(13.0)
    assert run.summary['state_hash'] == simulation.world.state_hash
    assert run.summary['dust']['in_flight_kg'] > 0.0
    bag = Bag(run.run_dir)
    way = {
        name: {stamp_ns(m.content): m.content.pose.pose.position for m in bag.messages(f'/{name}/ground_truth/odom')}
        for name in ('first', 'second')
    }
    positions = way['first']
    assert positions[13_000_000_000].z - positions[0].z > 1.0
    heat = [m for m in bag.messages('/second/heat/image_raw')][-1]
    kelvin = np.frombuffer(bytes(heat.content.data), np.uint16) / 100.0
    # Hayne et al. (2017): 100 K at midnight at low latitudes. A pixel has noise of 26 K, the median has not.
    assert 90.0 < np.median(kelvin) < 110.0 and (kelvin > 180.0).sum() > 100
    for message in list(bag.messages('/second/photons/points'))[:5]:  # later, ground and rocks are nearer
        cloud, t_ns = message.content, stamp_ns(message.content)
        rows = np.frombuffer(bytes(cloud.data), np.uint8).reshape(-1, cloud.point_step)
        distance = np.linalg.norm(rows[:, :12].copy().view(np.float32), axis=1)
        # From the sensor, 0.6 m ahead and 1.4 m up, to the rear of the body, which is up to 1.2 m nearer than its middle.
        a, b = way['first'][t_ns], way['second'][t_ns]
        off = np.hypot(np.hypot(a.x - b.x, a.y - b.y) - 0.6, b.z + 1.4 - (a.z + 0.5))
        assert off - 1.2 < np.nanquantile(distance, 0.02) < off
    lit = [m.content for m in bag.messages('/second/eye/image_raw')][-1]
    level = np.frombuffer(bytes(lit.data), np.uint16)
    assert np.quantile(level, 0.99) > 10.0 * np.quantile(level, 0.2)
