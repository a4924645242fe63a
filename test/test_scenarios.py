# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenarios that people start with: what each of them is to show, it shows.

Each is held against what is known of its physics. Those that have tests of their own elsewhere are named in :data:`ELSEWHERE`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from harness import ROOT, run_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.library import find_scenarios
from regolith_bringup.scenario.loading import load_scenario
from regolith_terrain.config import ScmSoilConfig
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.config import load_vehicle_model
from regolith_vehicles.contact import wheel_state as ws
from regolith_world.numerics.rotation import matrix

OWN = ('traverse_polar', 'rut_following', 'convoy', 'stereo_traverse', 'tow')
ELSEWHERE = {
    'garage': 'test_garage:test_one_of_each_drives_the_same_in_one_process_and_in_many',
    'comms_ridge': 'test_comms:test_a_breadcrumb_brings_a_rover_behind_the_ridge_back_on_the_air',
    'lidar_traverse': 'test_lidar_odometry:test_odometry_drifts_by_less_than_two_percent',
    'rassor_dig': 'test_excavation:test_rassor_fills_its_drums_hauls_and_pours_a_berm',
}
PAGE = ROOT / 'docs' / 'guide' / 'scenarios.md'
LARGEST_PICTURE = 250_000


NO_SLIP_SINKAGE = 'terrain.slip_sinkage.enabled=false'
"""The closed forms below are those of pressing alone: soil that slipping wheels carry away deepens ruts without work."""


class Drive:
    """A scenario's run in this process, and what each vehicle was at every commit.

    Args:
        settings: ``a.b=value``
    """

    def __init__(self, name: str, *settings: str, until_s: float | None = None) -> None:
        self.scenario = load_scenario(name, settings).scenario
        self.seen: dict[str, list[VehicleState]] = defaultdict(list)
        self.simulation = Simulation(self.scenario, publish=lambda who, snapshot: self.seen[who].append(snapshot))
        self.simulation.run(self.scenario.duration_s if until_s is None else until_s)

    def places(self, name: str) -> np.ndarray:
        """Return x, y of a vehicle's base [m], shape (n, 2)."""
        return np.array([s.base.position[:2] for s in self.seen[name]])

    def way(self, name: str) -> np.ndarray:
        """Return the way a vehicle has come along the ground since the start [m], shape (n,)."""
        steps = np.hypot(*np.diff(self.places(name), axis=0).T)
        return np.concatenate(([0.0], np.cumsum(steps)))

    def wheels(self, name: str, column: int) -> np.ndarray:
        """Return a column of the table of wheels, shape (n, wheels)."""
        return np.array([s.parts.table[:, column] for s in self.seen[name]])

    def front(self, name: str) -> list[int]:
        """Return the rows of its front wheels."""
        return [k for k, wheel in enumerate(self.seen[name][0].parts.names) if 'front' in wheel]

    def energy(self, name: str) -> np.ndarray:
        """Return the energy that the drives have given since the start [J], shape (n,)."""
        joints = self.seen[name][0].joint_names
        rows = [k for k, joint in enumerate(joints) if joint.startswith('spin_')]
        power = np.array([s.joint_efforts[rows] @ s.joint_velocities[rows] for s in self.seen[name]])
        times = 1e-9 * np.array([s.t_ns for s in self.seen[name]])
        return np.concatenate(([0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(times))))

    def tilt_deg(self, name: str) -> np.ndarray:
        """Return the angle between a vehicle's mast and the vertical [deg], shape (n,)."""
        return np.degrees(np.arccos([min(matrix(s.base.orientation)[2, 2], 1.0) for s in self.seen[name]]))


@pytest.mark.parametrize('name', [*OWN, *ELSEWHERE])
def test_scenario_has_a_description_an_image_a_launch_file_and_a_check(name: str) -> None:
    assert name in find_scenarios()
    assert f"'scenario': '{name}'" in (ROOT / 'launch' / f'{name}.launch.py').read_text()
    section = re.search(rf'^## `{name}`$(.*?)(?=^## |\Z)', PAGE.read_text(encoding='utf-8'), re.M | re.S)
    assert section is not None and len(section[1].split()) > 50
    pictures = re.findall(r'!\[[^]]+\]\((\.\./images/[^)]+)\)', section[1])
    assert pictures
    for picture in pictures:
        assert (PAGE.parent / picture).stat().st_size < LARGEST_PICTURE
    if name in ELSEWHERE:
        module, _, function = ELSEWHERE[name].partition(':')
        assert f'def {function}(' in (Path(__file__).parent / f'{module}.py').read_text()


@pytest.mark.slow
def test_traverse_polar_slips_more_uphill_than_down() -> None:
    """It gets where it is sent; its wheels slip by the slope they climb, and their odometry is too long by the slip."""
    drive = Drive('traverse_polar', NO_SLIP_SINKAGE)
    driver = drive.scenario.vehicles['rover'].driver
    assert math.dist(drive.places('rover')[-1], driver.waypoints[-1]) < 0.3
    assert math.dist(driver.waypoints[0], driver.waypoints[-1]) >= 30.0
    rover = drive.simulation.agents['rover'].summary()
    assert rover['events'] == [] and drive.tilt_deg('rover').max() < 25.0
    slip = drive.wheels('rover', ws.SLIP).mean(axis=1)
    climb = np.array([math.degrees(math.asin(matrix(s.base.orientation)[2, 0])) for s in drive.seen['rover']])
    under_way = drive.wheels('rover', ws.SPIN).mean(axis=1) > 1.0
    # Between 3 degrees up and 3 down the drives have to give some 10 % of the weight more: by Janosi's law with K = 18 mm
    # and 8 cm of contact, which slips by some 6 % for that. Half of it is the least.
    up, down = slip[under_way & (climb > 2.0)], slip[under_way & (climb < -2.0)]
    assert len(up) > 200 and len(down) > 200
    assert np.mean(up) > 0.03 + np.mean(down)
    reckoned = drive.seen['rover'][-1].odometry.distance
    # Along the ground, of which the way in plan is the cosine; the mean is over the way that wheels rolled.
    assert reckoned / drive.way('rover')[-1] - 1.0 == pytest.approx(rover['mean_slip'], abs=0.01)
    assert rover['mean_slip'] > 0.03


@pytest.mark.slow
def test_a_rover_in_ruts_sinks_in_less_and_saves_the_work_of_pressing_them() -> None:
    """On the same five meters: at most 0.4 of the sinkage, less slip, and less energy by Bekker's work, to 30 %.

    To press a rut of width b to the depth z takes b k z^2 / 2 a meter (n = 1). The first rover makes two of z1, the second
    presses them on to z2, so it saves k b (2 z1^2 - z2^2). Depths are medians along rough ground, and slip costs as well.
    """
    drive = Drive('rut_following', NO_SLIP_SINKAGE)
    low, high = 2.5, 7.5
    sinkage, depth, slip, energy = {}, {}, {}, {}
    for name in ('first', 'second'):
        x, front = drive.places(name)[:, 0], drive.front(name)
        on_it = (x > low) & (x < high)
        assert x[-1] > high
        sinkage[name] = float(np.median(drive.wheels(name, ws.SINKAGE_INCREMENTAL)[on_it][:, front]))
        depth[name] = float(np.median(np.delete(drive.wheels(name, ws.SINKAGE_TOTAL)[on_it], front, axis=1)))
        slip[name] = float(np.mean(drive.wheels(name, ws.SLIP)[on_it]))
        energy[name] = float(np.ptp(drive.energy(name)[on_it]) / np.ptp(drive.way(name)[on_it]))
    # Bekker's law alone, for wheels of one load, gives 0.2 on the third pass; rough ground adds to it.
    assert sinkage['second'] < 0.4 * sinkage['first']
    assert slip['second'] < slip['first']
    soil = drive.scenario.terrain.soil
    assert isinstance(soil, ScmSoilConfig) and soil.exponent == 1.0
    width = load_vehicle_model(drive.scenario.vehicles['first'].model)[0].wheels[0].width_m
    stiffness = soil.k_c / width + soil.k_phi
    saved = stiffness * width * (2.0 * depth['first'] ** 2 - depth['second'] ** 2)
    assert energy['first'] - energy['second'] == pytest.approx(saved, rel=0.3)


@pytest.mark.slow
def test_of_a_convoy_each_finds_the_track_firmer_than_the_one_before() -> None:
    """Six on one track: the first compacts most, ruts level off, each needs less energy a meter, no vehicle is met."""
    drive = Drive('convoy', NO_SLIP_SINKAGE)
    names = sorted(drive.scenario.vehicles)
    low, high = 2.0, 4.5
    fresh, depth, energy = [], [], []
    for name in names:
        x, front = drive.places(name)[:, 0], drive.front(name)
        on_it = (x > low) & (x < high)
        assert x[-1] > high and drive.simulation.agents[name].summary()['events'] == []
        fresh.append(float(np.median(drive.wheels(name, ws.SINKAGE_INCREMENTAL)[on_it][:, front])))
        depth.append(float(np.median(np.delete(drive.wheels(name, ws.SINKAGE_TOTAL)[on_it], front, axis=1))))
        energy.append(float(np.ptp(drive.energy(name)[on_it]) / np.ptp(drive.way(name)[on_it])))
    gaps = [float(np.hypot(*(drive.places(a) - drive.places(b)).T).min()) for a, b in itertools.pairwise(names)]
    assert min(gaps) > 2.0, 'a rover is 1.8 m long'
    # Some centimeter of what later ones find is the relief of the mare, which wheels meet on any pass.
    assert fresh[0] > 1.3 * max(fresh[1:])
    # Pressing goes with the logarithm of the number of passes: between 4 and 6 lies 0.6 of what lies between 1 and 2.
    assert 0.0 < depth[5] - depth[3] < 0.6 * (depth[1] - depth[0])
    assert energy == sorted(energy, reverse=True) and energy[-1] < 0.7 * energy[0]


@pytest.mark.ros
@pytest.mark.slow
def test_stereo_traverse_measures_depth(tmp_path: Path) -> None:
    """Block matching of its own pair against the true depth, 2 to 8 m ahead: a quarter of a pixel of disparity.

    A disparity is f b / Z, so an error of e pixels is one of e Z / (f b) of the depth Z, here at 5 m.
    """
    from regolith_bringup.run.summary import FinishedRun
    from regolith_sensors.labels.stereo_evaluation import run_depth_errors

    result = run_scenario(tmp_path, 'stereo_traverse', '--duration', 2.0, processes='one', timeout=280.0)
    (errors,) = run_depth_errors(FinishedRun(result.run_dir))
    assert errors['frames'] == 8 and errors['matched'] > 0.5
    assert errors['median'] < 0.25 * 5.0 / (errors['focal_length_px'] * errors['baseline_m'])
    assert result.summary['bag']['lost'] == 0


@pytest.mark.slow
def test_a_digger_comes_out_of_a_crater_on_a_cable_and_not_without() -> None:
    """Without the cable it stays; with it it gets over the rim, and the pull is what weight and friction on the wall require.

    On a slope of angle a, with the cable at an angle d above the slope, P cos d = W sin a + mu (W cos a - P sin d). Stopped
    wheels slide with tan 35 degrees, 0.70, on average. Second by second the terrain is rough: the slope that the chassis
    shows at the end of a second is off by some 3 degrees, 0.05 of the weight, and soil piles up before wheels.
    """
    middle = np.array([-12.197, -18.354])
    left = Drive('tow', 'objects={}', NO_SLIP_SINKAGE, until_s=10.0)
    assert math.dist(left.places('digger')[0], left.places('digger')[-1]) < 0.1
    drive = Drive('tow', NO_SLIP_SINKAGE, until_s=0.02)
    simulation, given, since = drive.simulation, 0.0, 0
    weight = 1.62 * simulation.agents['digger'].vehicle.body_state().mass
    frictions = []
    end_ns = round(drive.scenario.duration_s * 1e9)
    while simulation.world.t_ns < end_ns:
        report = simulation.world.step(end_ns)
        given += sum(float(np.linalg.norm(i.impulse)) for i in report.impulses if (i.a, i.b) == ('amber', 'digger'))
        if report.t_ns - since >= 1_000_000_000:
            pull = given / (1e-9 * (report.t_ns - since)) / weight
            slope, rise = slope_and_rise(drive)
            if pull > 0.2:
                friction = (pull * math.cos(rise) - math.sin(slope)) / (math.cos(slope) - pull * math.sin(rise))
                frictions.append(friction)
            given, since = 0.0, report.t_ns
    simulation.world.hold()
    out = np.linalg.norm(drive.places('digger') - middle, axis=1)
    assert out[0] < 4.5 and out[-1] > 6.6, 'the rim is 6.6 m from the middle'
    assert 'cable' not in simulation.world.objects
    # In the first second that it pulls it is slack for a part, in the last it is released.
    taut = frictions[1:-1]
    assert len(taut) >= 8
    assert np.mean(taut) == pytest.approx(math.tan(math.radians(35.0)), abs=0.05)
    assert np.abs(np.array(taut) - np.mean(taut)).max() < 0.1


def slope_and_rise(drive: Drive) -> tuple[float, float]:
    """Return how far the digger's chassis is pitched up, and how far the cable is above the slope [rad]."""
    ends = []
    for name, end in zip(('amber', 'digger'), ((-0.8, 0.0, 0.2), (0.4, 0.0, -0.1))):
        base = drive.seen[name][-1].base
        ends.append(np.array(base.position) + matrix(base.orientation) @ np.array(end))
    way = ends[0] - ends[1]
    slope = math.asin(matrix(drive.seen['digger'][-1].base.orientation)[2, 0])
    return slope, math.atan2(way[2], math.hypot(way[0], way[1])) - slope
