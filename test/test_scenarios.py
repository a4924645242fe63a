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
from regolith_terrain.scm.soil import ScmSoilConfig
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.contact import wheel_state as ws
from regolith_vehicles.description.model_config import WheelConfig
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_world.numerics.rotation import matrix

OWN = ('traverse_polar', 'rut_following', 'convoy', 'stereo_traverse', 'tow', 'hmmwv_flexible')
ELSEWHERE = {
    'garage': 'test_garage:test_one_of_each_drives_the_same_in_one_process_and_in_many',
    'comms_ridge': 'test_comms:test_a_breadcrumb_brings_a_rover_behind_the_ridge_back_on_the_air',
    'tunnel': 'test_comms:test_a_breadcrumb_restores_contact_in_a_tunnel',
    'lidar_traverse': 'test_lidar_odometry:test_odometry_drifts_by_less_than_two_percent',
    'crater_rim_night': 'test_dust:test_rover_leaves_a_crater_at_night',
    'dusty_convoy': 'test_dust:test_trail_of_dusty_convoy',
    'polar_day': 'test_energy:test_sun_of_polar_day_sets_behind_the_massif',
    'rassor_dig': 'test_excavation:test_rassor_fills_its_drums_hauls_and_pours_a_berm',
}
PAGE = ROOT / 'docs' / 'guide' / 'scenarios.md'
LARGEST_PICTURE = 250_000


def slip_sinkage_setting(enabled: bool) -> str:
    """Return the setting that turns slip-sinkage and grousers on (the default) or off, where wheels are smooth."""
    return f'terrain.slip_sinkage.enabled={str(enabled).lower()}'


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
@pytest.mark.parametrize('slip_sinkage', [False, True])
def test_traverse_polar_slips_more_uphill_than_down(slip_sinkage: bool) -> None:
    """It gets where it is sent; its wheels slip by the slope they climb, and their odometry is too long by the slip."""
    drive = Drive('traverse_polar', slip_sinkage_setting(slip_sinkage))
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
    # Grousers reach deeper, so contacts are longer and slip less.
    assert rover['mean_slip'] > (0.015 if slip_sinkage else 0.03)


@pytest.mark.slow
def test_flexible_tires_leave_shallower_ruts_in_sand_than_rigid_wheels() -> None:
    """The truck drives from rigid ground into sand at x = 6 m, where flexible tires have longer contacts.

    Tires of a truck deflect by two centimeters and sink by nine, so ruts are shallower by percents: 2 %, half of it here.
    """
    ruts = {}
    for model in ('hmmwv_flexible', 'hmmwv'):
        drive = Drive('hmmwv_flexible', f'vehicles.truck.model={model}')
        end = float(drive.places('truck')[-1, 0])
        assert end > 12.0 and drive.simulation.agents['truck'].summary()['events'] == []
        x, y = np.meshgrid(np.arange(8.0, end - 3.0, 0.05), np.arange(0.4, 1.4, 0.025))  # left wheels, behind the truck
        levels = drive.simulation.terrain.grid.levels(x.ravel(), y.ravel()).reshape(x.shape)
        ruts[model] = -float(levels.min(axis=0).mean())
        firm = drive.simulation.terrain.grid.levels(x.ravel() - 8.0, y.ravel())[x.ravel() < 13.0]
        assert not firm.any()
    assert 0.05 < ruts['hmmwv_flexible'] < 0.99 * ruts['hmmwv']


@pytest.mark.slow
@pytest.mark.parametrize('slip_sinkage', [False, True])
def test_a_rover_in_ruts_sinks_in_less_and_saves_the_work_of_pressing_them(slip_sinkage: bool) -> None:
    """On the same five meters: at most 0.4 of the sinkage, about the same slip, and less energy by the work of pressing, to 30 %.

    Let W(z) be the work per area of pressing soil to the depth z. The first rover presses two ruts of width b to z1. The
    second presses them from z1 to z2, so it saves b (2 W(z1) - W(z2)) per meter for each pass of its two wheels. Depths
    are medians along rough terrain.
    """
    drive = Drive('rut_following', slip_sinkage_setting(slip_sinkage))
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
    # Bekker's law alone, for wheels of one load, gives 0.2 on the third pass. Rough terrain adds to it.
    assert sinkage['second'] < 0.4 * sinkage['first']
    if slip_sinkage:
        # The first has more resistance to overcome, on longer contacts.
        assert slip['second'] == pytest.approx(slip['first'], abs=0.005)
    else:
        assert slip['second'] < slip['first']
    soil = drive.scenario.terrain.soil
    assert isinstance(soil, ScmSoilConfig)
    wheel = load_vehicle_model(drive.scenario.vehicles['first'].model)[0].wheels[0]
    work_1, work_2 = (pressing_work(soil, wheel, depth[name], slip_sinkage) for name in ('first', 'second'))
    assert energy['first'] - energy['second'] == pytest.approx(2.0 * wheel.width_m * (2.0 * work_1 - work_2), rel=0.3)


def pressing_work(soil: ScmSoilConfig, wheel: WheelConfig, depth: float, with_grousers: bool) -> float:
    """Return the work per area [J/m^2] of pressing undisturbed soil to a depth of the wheel's bottom [m].

    The pressure is Bekker's. With grousers it is that on their tips and on the rim between them (docs/concepts/soil.md,
    Grousers).
    """
    s = np.linspace(0.0, depth, 1001)
    bearing = soil.k_phi + soil.k_c / wheel.width_m
    smooth = bearing * s**soil.exponent
    if not with_grousers:
        return float(0.5 * (smooth[1:] + smooth[:-1]) @ np.diff(s))
    assert wheel.grousers is not None
    height, thickness = wheel.grousers.height_m, wheel.grousers.thickness_m
    radius = wheel.radius_m + height
    pitch = 2.0 * math.pi * radius / wheel.grousers.count
    angle = math.radians(soil.friction_angle_deg)
    flanks = math.exp(2.0 * (1.0 - math.sin(angle)) * math.tan(angle) * height / (pitch - thickness))
    slot = thickness + radius / 15.0 * (2.0 * s / radius) ** 1.5
    rim = np.maximum(s - height + height * slot / pitch, 0.0)
    tips = thickness / pitch * (soil.k_phi + soil.k_c / thickness) * s**soil.exponent
    pressure = tips + (1.0 - thickness / pitch) * bearing * rim**soil.exponent * flanks
    pressure = np.minimum(pressure, smooth)
    return float(0.5 * (pressure[1:] + pressure[:-1]) @ np.diff(s))


@pytest.mark.slow
@pytest.mark.parametrize('slip_sinkage', [False, True])
def test_of_a_convoy_each_finds_the_track_firmer_than_the_one_before(slip_sinkage: bool) -> None:
    """Six on one track: the first compacts most, ruts level off, energy per meter falls, no vehicle is met."""
    drive = Drive('convoy', slip_sinkage_setting(slip_sinkage))
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
    if slip_sinkage:
        # On ruts that hardly deepen, energies differ by a few percent.
        assert energy[:3] == sorted(energy[:3], reverse=True)
        assert max(energy[3:]) < energy[2] and max(energy[3:]) - min(energy[3:]) < 0.15 * (energy[0] - energy[1])
    else:
        assert energy == sorted(energy, reverse=True)
    assert energy[-1] < 0.7 * energy[0]


@pytest.mark.ros
@pytest.mark.slow
def test_stereo_traverse_measures_depth(tmp_path: Path) -> None:
    """Block matching of its own pair against the true depth, 2 to 8 m ahead: a quarter of a pixel of disparity.

    A disparity is f b / Z, so an error of e pixels is one of e Z / (f b) of the depth Z, here at 5 m.
    """
    from regolith_bringup.report.summary import FinishedRun
    from regolith_sensors.labels.stereo_evaluation import run_depth_errors

    result = run_scenario(tmp_path, 'stereo_traverse', '--duration', 2.0, processes='one', timeout=280.0)
    (errors,) = run_depth_errors(FinishedRun(result.run_dir))
    assert errors['frames'] == 8 and errors['matched'] > 0.5
    assert errors['median'] < 0.25 * 5.0 / (errors['focal_length_px'] * errors['baseline_m'])
    assert result.summary['bag']['lost'] == 0


@pytest.mark.slow
@pytest.mark.parametrize('slip_sinkage', [False, True])
def test_a_digger_comes_out_of_a_crater_on_a_cable_and_not_without(slip_sinkage: bool) -> None:
    """Without the cable it stays; with it it gets over the rim, and the pull is what weight and friction on the wall require.

    On a slope of angle a, with the cable at an angle d above the slope, P cos d = W sin a + mu (W cos a - P sin d). Stopped
    wheels slide with tan 35 degrees, 0.70, on average. Second by second the terrain is rough: the slope that the chassis
    shows at the end of a second is off by some 3 degrees, 0.05 of the weight, and soil piles up before wheels. With
    slip-sinkage wheels also push the soil that their grousers hold, so the pull is larger.
    """
    setting = slip_sinkage_setting(slip_sinkage)
    middle = np.array([-12.197, -18.354])
    left = Drive('tow', 'objects={}', setting, until_s=10.0)
    assert math.dist(left.places('digger')[0], left.places('digger')[-1]) < 0.1
    drive = Drive('tow', setting, until_s=0.02)
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
    friction = math.tan(math.radians(35.0))
    if slip_sinkage:
        assert friction + 0.03 < np.mean(taut) < friction + 0.15
    else:
        assert np.mean(taut) == pytest.approx(friction, abs=0.05)
    # Heaps of pushed soil grow and are passed over.
    assert np.abs(np.array(taut) - np.mean(taut)).max() < (0.2 if slip_sinkage else 0.1)


def slope_and_rise(drive: Drive) -> tuple[float, float]:
    """Return how far the digger's chassis is pitched up, and how far the cable is above the slope [rad]."""
    ends = []
    for name, end in zip(('amber', 'digger'), ((-0.8, 0.0, 0.2), (0.4, 0.0, -0.1))):
        base = drive.seen[name][-1].base
        ends.append(np.array(base.position) + matrix(base.orientation) @ np.array(end))
    way = ends[0] - ends[1]
    slope = math.asin(matrix(drive.seen['digger'][-1].base.orientation)[2, 0])
    return slope, math.atan2(way[2], math.hypot(way[0], way[1])) - slope
