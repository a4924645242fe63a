# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The package that CONTRIBUTING.md shows, taken out of that text: vehicle, driver, soil law, sensor, participant, observer."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import ROOT, LiveRun, environment, run_scenario
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from scipy.spatial.transform import Rotation

from regolith_bringup.bag.reading import Bag
from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario
from regolith_files.problems import InputError
from regolith_terrain.contact import cylinder, make_wrench
from regolith_terrain.contact.ground_contact import CONTACT_OK, ContactSetting, PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import FlatField
from regolith_terrain.terrain_model import find_terrain_model
from regolith_world.checkpoint import files
from regolith_world.random.keyed_generator import generator

PAGES = ('package', 'vehicle', 'driver', 'scenario', 'terrain_model', 'sensor_type', 'participant', 'observer_node')
"""Pages of docs/extending that show the files of the package."""
FILE = re.compile(r'^`(moon_cart/[\w./]+)`\n\n```\w+\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope='module')
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for PYTHONPATH that the package was installed into."""
    folder = tmp_path_factory.mktemp('extension')
    pages = [(ROOT / 'docs' / 'extending' / f'{name}.md').read_text(encoding='utf-8') for name in PAGES]
    files = FILE.findall('\n'.join(pages))
    assert len(files) == 13, [name for name, _ in files]
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    target = folder / 'site'
    options = ['--no-deps', '--no-build-isolation', '--no-index', '--disable-pip-version-check', '-q']
    subprocess.run(
        [sys.executable, '-m', 'pip', 'install', *options, '--target', str(target), str(folder / 'moon_cart')],
        check=True,
        timeout=120,
    )
    return target


@pytest.fixture
def moon_cart(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have the package importable here and in processes started from here."""
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setenv('PYTHONPATH', f'{installed}{os.pathsep}{os.environ.get("PYTHONPATH", "")}')
    yield installed
    for name in [name for name in sys.modules if name.split('.')[0] == 'moon_cart']:
        del sys.modules[name]


def test_drives_in_process(moon_cart: Path) -> None:
    """Vehicle, driver and scenario are found by name; the cart goes where its driver says; twice the same."""
    assert find_scenarios()['weaving_cart'] == moon_cart / 'moon_cart' / 'weaving_cart.yaml'
    scenario = load_scenario('weaving_cart').scenario
    simulation = Simulation(scenario)
    simulation.run(1.0)
    vehicle = simulation.agents['cart'].vehicle
    before = vehicle.statistics.distance
    state_hash = simulation.run(1.5)
    # Spun up long ago, it does the 0.3 m/s of the driver's parameters, less what its narrow wheels slip in their ruts.
    assert 0.8 * 0.15 < vehicle.statistics.distance - before < 0.15
    # After half its period the driver swings to the right as fast as it does; the wheels 0.32 m off the middle turn
    # at (0.3 +- 0.3 * 0.32) / 0.15 rad/s, to the percent by which the motors slow down under load.
    speeds = [wheel.angular_speed for wheel in vehicle.wheel_states()]
    assert speeds == pytest.approx([2.64, 1.36, 2.64, 1.36], rel=0.01)
    assert simulation.terrain.grid.modified_count > 100
    assert Simulation(scenario).run(1.5) == state_hash


SPRINGS = ['terrain.model=winkler', 'terrain.soil={stiffness: 2e6}']


def test_terrain_model_of_another_package_supports_and_keeps_ruts(moon_cart: Path) -> None:
    """Springs carry the cart by Winkler's formula, their own field is in the ground, a checkpoint continues bit-identical."""
    from moon_cart.winkler_contact import WinklerContact

    soil, law = SoilMap(np.array([2e6, 0.0, 0.6])), find_terrain_model('winkler')
    wheel = WinklerContact(ContactSetting(soil, cylinder(0.15, 0.12), np.array([0.17]), 0.0025))
    window = SoilGrid(FlatField(), 0.0025, law).window(-120, 121, -120, 121)
    still, wrench = np.zeros(3), make_wrench()
    pose = PartPose(np.array([0.0, 0.0, 0.14]), np.eye(3), still, still)
    assert wheel.press(wheel.arrays(window, 1), 1e-3, 0, pose, wrench) == CONTACT_OK
    # k times the volume under the plain, of a circle's segment 10 mm high; the nodes' cells measure its width to 2 %.
    segment = 0.15**2 * math.acos(0.14 / 0.15) - 0.14 * math.sqrt(0.15**2 - 0.14**2)
    assert wrench.force[2] == pytest.approx(2e6 * 0.12 * segment, rel=0.03)
    assert window.pressed_pa.max() == pytest.approx(2e6 * 0.01) and window.level.min() == pytest.approx(-0.01)
    scenario = load_scenario('weaving_cart', SPRINGS).scenario
    simulation = Simulation(scenario)
    grid, cart = simulation.terrain.grid, simulation.agents['cart'].vehicle
    assert grid.law.names == ('level_initial', 'level', 'pressed_pa', 'mass_kgpm2')
    simulation.run(1.0)
    saved = simulation.checkpoint()
    assert cart.statistics.distance > 0.1 and grid.modified_count > 100
    state_hash, soil = simulation.run(1.5), grid.save()
    again = Simulation(scenario)
    again.go_to(saved)
    assert again.run(1.5) == state_hash and again.terrain.grid.save() == soil


def test_mistakes_are_found_before_anything_starts(moon_cart: Path) -> None:
    """A driver that is not installed, and a parameter it does not take, are refused with the names that exist."""
    with pytest.raises(InputError, match=r"vehicles.cart.driver.name = 'weav'.*did you mean weave"):
        load_scenario('weaving_cart', ['vehicles.cart.driver.name=weav'])
    with pytest.raises(InputError, match=r'vehicles.cart.driver.parameters.*sped_mps.*moon_cart.weave:Weave'):
        load_scenario('weaving_cart', ['vehicles.cart.driver.parameters.sped_mps=1.0'])
    with pytest.raises(InputError, match=r'vehicles.cart.sensors.sun.model.*noise_rad = -1.0.*allowed: greater than'):
        load_scenario('weaving_cart', ['vehicles.cart.sensors.sun.model.noise_rad=-1.0'])
    with pytest.raises(InputError, match=r"terrain.model = 'winkel'.*is not a terrain model.*did you mean winkler"):
        load_scenario('weaving_cart', ['terrain.model=winkel'])
    with pytest.raises(InputError, match=r"soil = 'lunar_nominal': .*scm, .* winkler; allowed: .*stiffness"):
        load_scenario('weaving_cart', ['terrain.model=winkler'])
    disc = 'disc: {center: [3.0, 0.0], radius_m: 1.0}'
    with pytest.raises(
        InputError,
        match=r"model = 'winkler': cannot be combined with other models; allowed: one model for the whole terrain",
    ):
        load_scenario('weaving_cart', [*SPRINGS, f'terrain.regions=[{{model: rigid, {disc}}}]'])
    resolved = load_scenario('weaving_cart', [f'terrain.regions=[{{model: rigid, {disc}}}]']).scenario
    assert resolved.terrain.grounds == ('scm', 'rigid')
    with pytest.raises(
        InputError, match=r"model.type = 'sun'.*allowed: camera, event_camera, gnss, imu, lidar, spad, sun_sensor"
    ):
        load_scenario('weaving_cart', ['vehicles.cart.sensors.sun.model.type=sun'])


def test_a_participant_is_part_of_the_hash_and_of_checkpoints(moon_cart: Path) -> None:
    """A lamp that is switched on at 0.35 s and off at 0.7 s: cycles end there; a discarded or restored run has it in step."""
    scenario = load_scenario('weaving_cart', ['lamp.period_s=0.35']).scenario
    whole, ends = Simulation(scenario), []
    while whole.world.t_ns < 1_000_000_000:
        whole.world.step(1_000_000_000)
        ends.append(whole.world.t_ns)
    assert {350_000_000, 700_000_000} <= set(ends)
    whole.world.hold()
    saved = whole.checkpoint()
    assert saved.blobs['lamp'] == b'2'
    state_hash = whole.run(1.5)
    rest = Simulation(scenario)
    rest.go_to(saved)
    assert rest.run(1.5) == state_hash and rest.others['lamp'].save() == whole.others['lamp'].save() == b'4'
    # Another lamp, that has not switched either: the cart is the same, the run is not.
    lamps = [Simulation(load_scenario('weaving_cart', [f'lamp.period_s={period}']).scenario) for period in (0.35, 0.7)]
    assert len({lamp.run(0.34) for lamp in lamps}) == 2 and len({lamp.agents['cart'].save() for lamp in lamps}) == 1
    without = load_scenario('weaving_cart', ['lamp=null']).scenario
    assert not Simulation(without).others
    with pytest.raises(InputError, match=r'lamp.period_s = 0.0: is out of range; allowed: greater than 0.001'):
        load_scenario('weaving_cart', ['lamp.period_s=0.0'])


@pytest.mark.ros
@pytest.mark.slow
def test_a_participant_in_one_process_and_in_many(moon_cart: Path, tmp_path: Path) -> None:
    """The same hash, the same checkpoint, the same messages; the run that starts from the checkpoint, too."""
    library = Simulation(load_scenario('weaving_cart').scenario).run(2.0)
    settings = ['--duration', 2.0, '--set', 'world.checkpoint_period_s=1.0', '--set', 'vehicles.cart.sensors={}']
    hashes, heard, saved = [], [], []
    for processes in ('one', 'many'):
        result = run_scenario(tmp_path, 'weaving_cart', *settings, processes=processes, name=processes)
        hashes.append(result.summary['state_hash'])
        saved.append(files.read_checkpoint(sorted((result.run_dir / 'checkpoints').iterdir())[0]).blobs['lamp'])
        bag = Bag(result.run_dir)
        heard.append([message.content.data for message in bag.messages('/regolith/lamp/lit')])
    assert hashes == [library] * 2 and saved == [b'2'] * 2 and heard == [[True, False, True, False]] * 2


@pytest.mark.ros
@pytest.mark.slow
def test_beside_real_nodes(moon_cart: Path, tmp_path: Path) -> None:
    """In processes of their own cart, driver and ground end in the same state; what was measured is in the bag."""
    recorded = '/cart/tilt|geometry_msgs/msg/Vector3Stamped|state|1', '/cart/rut_depth|std_msgs/msg/Float64|state|1'
    topics = f'recording.topics={[*recorded]}'
    duration = ['--duration', 2.0]
    sets = [part for text in (topics, *SPRINGS) for part in ('--set', text)]
    with LiveRun(tmp_path, 'weaving_cart', *duration, '--rtf', 1.0, *sets, node=False, to_be_killed=True) as live:
        observers = [
            subprocess.Popen(
                [sys.executable, '-m', f'moon_cart.{name}'],
                env=environment(live.domain, to_be_killed=True),
                cwd=tmp_path,
            )
            for name in ('tilt', 'ruts')
        ]
        try:
            result = live.finish()
        finally:
            for observer in observers:
                observer.kill()
                observer.wait()
    assert result.summary['state_hash'] == Simulation(load_scenario('weaving_cart', SPRINGS).scenario).run(2.0)
    readings, suns, truth = (
        _by_stamp(result.run_dir, t) for t in ('/cart/tilt', '/cart/sun/direction', '/cart/ground_truth/odom')
    )
    assert len(readings) > 50
    for stamp, reading in readings.items():
        q = truth[stamp].pose.pose.orientation
        roll, pitch, _ = Rotation.from_quat([q.x, q.y, q.z, q.w]).as_euler('xyz')
        noise = generator(3, 'cart/tilt', 'noise', stamp).normal(0.0, 1e-3, 2)
        # Two ways to the same angles; rounding is all that may differ.
        assert [reading.vector.x, reading.vector.y] == pytest.approx([roll + noise[0], pitch + noise[1]], abs=1e-12)
    # Springs yield: where the cart is, the soil is deeper than ever before, and ends at the depth that terrain reports.
    depths = [message.content.data for message in Bag(result.run_dir).messages('/cart/rut_depth')]
    assert len(depths) > 5 and depths[-1] == result.summary['terrain']['max_rut_depth_m'] > 0.0
    # The sensor type of another package has every frame, at the times of its rate, with or without subscribers.
    assert sorted(suns) == [n * 200_000_000 for n in range(10)]
    assert {sun.header.frame_id for sun in suns.values()} == {'cart/sun_link'}
    mount = Rotation.from_euler('y', -20.0, degrees=True)
    # East of north by 70 degrees, 30 degrees high.
    up = math.cos(math.radians(30.0))
    toward = [up * math.sin(math.radians(70.0)), up * math.cos(math.radians(70.0)), 0.5]
    for t_ns in sorted(suns):
        q = truth[t_ns].pose.pose.orientation
        exact = (Rotation.from_quat([q.x, q.y, q.z, q.w]) * mount).inv().apply(toward)
        noise = generator(3, 'cart/sun', 'noise', t_ns // 200_000_000).normal(size=3)
        told = suns[t_ns].vector
        assert [told.x, told.y, told.z] == pytest.approx(exact + 1e-3 * noise, abs=1e-9)


def _by_stamp(run_dir: Path, topic: str) -> dict[int, Any]:
    """Return the messages of a topic in a bag by their stamp [ns]."""
    found = {}
    for path in sorted((run_dir / 'bag').glob('*.mcap')):
        with path.open('rb') as stream:
            reader = make_reader(stream, decoder_factories=[DecoderFactory()])
            for _, _, _, message in reader.iter_decoded_messages(topics=[topic]):
                found[message.header.stamp.sec * 10**9 + message.header.stamp.nanosec] = message
    return found
