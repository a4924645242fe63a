# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tracked vehicles: bands, rest, driving, turning and braking."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regolith_files.problems import InputError
from regolith_terrain.config import load_soil
from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.dynamics import substeps
from regolith_vehicles.tracks.band import FREE, NX, NZ, PLACE, PX, PZ, RATE, Band, idler_radius
from regolith_vehicles.tracks.forces import _first_tension as first_tension
from regolith_vehicles.tracks.forces import _press_wheels as press_wheels
from regolith_vehicles.tracks.forces import settle_band
from regolith_vehicles.tracks.running_gear import Tracks
from regolith_vehicles.tracks.speed_controller import speed_control

G = 9.81
CYCLE_NS = 20_000_000
MakeM113 = Callable[..., Vehicle]


@pytest.fixture
def make_m113() -> MakeM113:
    """Return a function that builds M113s from parameters of the running gear, ground and gravity."""

    def make(ground: Any = None, gravity: Any = G, mjcf: Path | None = None, **parameters: Any) -> Vehicle:
        config, shipped = load_vehicle_model('m113')
        gear = config.running_gear
        assert gear is not None
        gear = gear.model_copy(update={'parameters': {**gear.parameters, **parameters}})
        soil = ground if ground is not None else RigidTerrainConfig(friction=0.8)
        rigid = isinstance(soil, RigidTerrainConfig)
        grid = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL) if rigid else SoilGrid(FlatField(), 0.05)
        return Vehicle('m113', config.model_copy(update={'running_gear': gear}), mjcf or shipped, grid, soil, gravity)

    return make


def gear_of(vehicle: Vehicle) -> Tracks:
    assert isinstance(vehicle.gear, Tracks)
    return vehicle.gear


def go(vehicle: Vehicle, seconds: float, *command: float) -> None:
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, np.array(command)))
        vehicle.commit()


def test_m113_mass_and_center_of_mass_match_the_reference(make_m113: MakeM113) -> None:
    """Mass and center of mass of the reference, 11342.86 kg at (-1.998, -0.002, 0.232), shoes included."""
    vehicle = make_m113()
    vehicle.place_at([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
    body = vehicle.body_state()
    assert body.mass == pytest.approx(11342.86, abs=0.01)
    # The shape of the band differs a little there.
    assert body.center_of_mass == pytest.approx([-1.998, -0.002, 0.232], abs=0.003)


def test_discs_in_wrong_order_are_refused(make_m113: MakeM113) -> None:
    """The path around the discs starts at a sprocket in front; a sprocket behind gives an invalid path."""
    sides = gear_of(make_m113()).tracks.model_dump()['sides']
    sides[1]['wheels'] = sides[1]['wheels'][::-1]
    with pytest.raises(VehicleModelError, match=r'sides\.1.* has discs at x = .*; allowed: sprocket, wheels and idler'):
        make_m113(sides=sides)
    behind = gear_of(make_m113()).tracks.model_dump()['sides']
    for side in behind:
        for part in ('body', 'joint'):
            side['sprocket'][part], side['idler'][part] = side['idler'][part], side['sprocket'][part]
    with pytest.raises(VehicleModelError, match='sprocket, wheels and idler'):
        make_m113(sides=behind)


def test_bands_of_wrong_length_are_refused(make_m113: MakeM113) -> None:
    given = gear_of(make_m113()).tracks.model_dump()
    sides = [dict(side) for side in given['sides']]
    for shoes in (10, 200):
        with pytest.raises(VehicleModelError, match=rf'sides\.0\.shoes .*{shoes}.*; allowed: 60 to 65'):
            make_m113(sides=[{**sides[0], 'shoes': shoes}, sides[1]])
    for wrong, message in (
        ([sides[0], {**sides[1], 'name': 'left'}], "sides.1.name = 'left': is already used by side 0"),
        ([sides[0], {**sides[0], 'name': 'right'}], r'sides\.1 = .*: uses body .*, as side 0 does'),
    ):
        with pytest.raises(InputError, match=message):
            make_m113(sides=wrong)
    pads = [{**given['shoe']['pads'][0], 'length_m': 1.0}]
    with pytest.raises(InputError, match=r'shoe\.pads\.0\.length_m = 1\.0: is too long; allowed: up to pitch_m'):
        make_m113(shoe={**given['shoe'], 'pads': pads})


def test_band_transmits_every_force(make_m113: MakeM113) -> None:
    """Newton's third law: ground forces and moments on shoes act on the bodies, less the acceleration of the pins."""
    vehicle = make_m113()
    vehicle.place_at([0.0, 0.0, 0.6], [0.05, 0.1, 0.2, math.sqrt(1.0 - 0.0525)])
    gear = gear_of(vehicle)
    go(vehicle, 0.1, 0.0, 0.0, 0.0)
    gear.find_shoes(vehicle.data)
    gear.state.pin[..., RATE] = 0.0
    rng = np.random.default_rng(5)
    shoes = int(gear.shoes.sum())
    near = gear.state.near
    force, torque = np.zeros((shoes, 3)), np.zeros((shoes, 3))
    force[near], torque[near] = rng.normal(0.0, 1e4, (near.sum(), 3)), rng.normal(0.0, 100.0, (near.sum(), 3))
    views = substeps.bodies(gear.model, vehicle.data, gear.body.base)
    views.xfrc_applied[:] = 0.0
    views.qfrc_applied[:] = 0.0
    step = 1e-3
    settle_band(gear.band, gear.state, step, views, substeps.Wrenches(force, torque, np.zeros((shoes, 8)), make_pose()))
    turn = vehicle.data.xmat[gear.body.base].reshape(3, 3)
    moved, twisted = np.zeros(3), np.zeros(3)
    for side in range(2):
        for k in range(int(gear.shoes[side])):
            pin = gear.state.pins[side, k]
            if pin[PLACE] == FREE:
                rate = gear.state.pin[side, (gear.state.start[side] + k) % gear.shoes[side], RATE]
                place = vehicle.data.xpos[gear.body.base] + turn @ (pin[PX], gear.band.aside[side], pin[PZ])
                moving = turn @ (pin[NX], 0.0, pin[NZ]) * rate * gear.band.mass / step
                moved, twisted = moved + moving, twisted + np.cross(place, moving)
    applied = views.xfrc_applied
    assert applied[:, :3].sum(axis=0) + moved == pytest.approx(force.sum(axis=0), abs=1e-4)
    moment = applied[:, 3:].sum(axis=0) + np.cross(vehicle.data.xipos, applied[:, :3]).sum(axis=0) + twisted
    expected = torque.sum(axis=0) + np.cross(gear.state.center, force).sum(axis=0)
    assert moment == pytest.approx(expected, abs=1e-4)


def test_wheel_pressure_matches_winkler_foundation(make_m113: MakeM113) -> None:
    """F = 4/3 k sqrt(2 r) d^1.5 while the patch is shorter than a shoe, anywhere on it; moments by its contact point."""
    vehicle = make_m113()
    vehicle.place_at([0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0])
    gear = gear_of(vehicle)
    gear.find_shoes(vehicle.data)
    views = substeps.bodies(gear.model, vehicle.data, gear.body.base)
    band, state = gear.band, gear.state
    deep, foot, radius = 0.001, 0.02, 0.305
    state.discs[0, :, :2] = 10.0
    state.discs[0, 1] = foot, radius + band.face - deep, 0.0, 0.0
    ahead, behind = np.zeros(7), np.zeros(7)
    ahead[PX], behind[PX] = 0.5 * band.pitch, -0.5 * band.pitch
    pressed, moment = press_wheels(band, state, 0, ahead, behind, 1.0, 0.0, views)
    expected = 4.0 / 3.0 * band.rubber * math.sqrt(2.0 * radius) * deep**1.5
    assert pressed == pytest.approx(expected, rel=1e-12) and moment == pytest.approx(foot * expected, rel=1e-9)
    # What two shoes share is what one supports alone.
    state.discs[0, 1, 0] = 0.5 * band.pitch
    one, _ = press_wheels(band, state, 0, ahead, behind, 1.0, 0.0, views)
    assert one == pytest.approx(0.5 * expected, rel=1e-9)


def test_wheel_force_acts_at_the_axle_off_the_center_of_mass(make_m113: MakeM113) -> None:
    """Force and moment on the body are those of a force at the axle, for any center of mass beside it."""
    vehicle = make_m113()
    vehicle.place_at([0.0, 0.0, 1.0], [0.1, -0.2, 0.3, math.sqrt(1.0 - 0.14)])
    gear = gear_of(vehicle)
    gear.find_shoes(vehicle.data)
    views = substeps.bodies(gear.model, vehicle.data, gear.body.base)
    band, state = gear.band, gear.state
    state.discs[0, :, :2] = 10.0
    state.discs[0, 1] = 0.01, 0.305 + band.face - 0.002, 0.0, 0.0
    ahead, behind = np.zeros(7), np.zeros(7)
    ahead[PX], behind[PX] = 0.5 * band.pitch, -0.5 * band.pitch
    body = int(band.disc[0, 1])
    views.xipos[body] = views.xpos[body] + (0.05, -0.03, 0.04)
    views.xfrc_applied[:] = 0.0
    press_wheels(band, state, 0, ahead, behind, 1.0, 0.0, views)
    force, moment = views.xfrc_applied[body, :3], views.xfrc_applied[body, 3:]
    assert np.linalg.norm(force) > 500.0
    # To rounding of 1e5 N times 0.1 m.
    assert moment + np.cross(views.xipos[body] - views.xpos[body], force) == pytest.approx([0.0] * 3, abs=1e-6)


def test_mean_tension_follows_from_band_length(make_m113: MakeM113) -> None:
    """By hand: each free pin gets tension from all links behind it, on the sprocket and beyond the run, too."""
    gear = gear_of(make_m113())
    band, state, shoes, first, end = gear.band, gear.state, int(gear.shoes[0]), 4, 30
    state.load[:] = 0.0
    state.way[0] = shoes * band.pitch + 0.01
    even = first_tension(band, state, 0, first, end)
    assert even > 1e3
    pulls = np.random.default_rng(2).uniform(-100.0, 100.0, end - first)
    state.load[0, first:end, 2] = pulls
    first_link = first_tension(band, state, 0, first, end)
    tensions = np.full(shoes, first_link)
    for k, pull in enumerate(pulls, start=first):
        tensions[k:] -= pull
    assert tensions.mean() == pytest.approx(even, rel=1e-9)


def test_idler_deflects_under_band_tension(make_m113: MakeM113) -> None:
    """A shoe sinks in until the foundation supports T p / R: the integral of k (d - x^2 / 2r) over the pitch."""
    band: Band = gear_of(make_m113()).band
    tension, radius = 1e5, 0.255
    pins = idler_radius(band, 0, tension)
    deep = radius + band.face - math.sqrt(pins**2 - (0.5 * band.pitch) ** 2)
    borne = band.rubber * (deep * band.pitch - band.pitch**3 / (24.0 * radius))
    assert borne == pytest.approx(tension * band.pitch / (radius + band.face), rel=1e-9)


def test_engine_and_brakes_turn_the_sprockets(make_m113: MakeM113) -> None:
    """445 N m through 0.24 and 0.5, half a side; a brake holds a side against that; splitting reverses the inner one."""
    vehicle = make_m113(gravity=0.0)
    vehicle.place_at([0.0, 0.0, 10.0], [0.0, 0.0, 0.0, 1.0])
    go(vehicle, 0.02, 0.0, 1.0, 0.0)
    torque = 445.0 / 0.24 / 0.5 / 2.0
    assert vehicle.data.ctrl == pytest.approx([torque, torque], rel=1e-3)
    go(vehicle, 0.5, 1.0, 1.0, 0.0)
    gear = gear_of(vehicle)
    left, right = vehicle.data.qvel[gear.line.dof]
    assert abs(left) < 1e-3 < 1.0 < right
    split = make_m113(gravity=0.0, steering='split', final_drive_ratio=1.0)
    split.place_at([0.0, 0.0, 10.0], [0.0, 0.0, 0.0, 1.0])
    go(split, 0.02, 1.0, 1.0, 0.0, 1.0, 1.0)
    half = 0.5 * 445.0 / 0.24
    assert split.data.ctrl == pytest.approx([-half, half], rel=1e-3)


def test_brake_torque_is_limited_for_braking_plus_steering(make_m113: MakeM113) -> None:
    """Full braking slows both sprockets alike, whether the left side steers as well or not."""
    speeds = []
    for steering in (0.0, 1.0):
        vehicle = make_m113(gravity=0.0, brake_torque_nm=4000.0)
        vehicle.place_at([0.0, 0.0, 10.0], [0.0, 0.0, 0.0, 1.0])
        go(vehicle, 0.5, 0.0, 1.0, 0.0)
        before = vehicle.data.qvel[gear_of(vehicle).line.dof].copy()
        go(vehicle, 0.02, steering, 0.0, 1.0)  # The command rises linearly over this cycle.
        go(vehicle, 0.02, steering, 0.0, 1.0)
        speeds.append(vehicle.data.qvel[gear_of(vehicle).line.dof].copy())
        assert (speeds[-1] > 0.1).all() and (speeds[-1] < before - 0.05).all()
    assert speeds[1][1] == pytest.approx(speeds[0][1], rel=1e-6)
    # Over one cycle of rising commands and one of full ones, the mean of the right brake is 1/2 and 1, that of the
    # left one, min(1, 2 share), is 3/4 and 1. 5 %: the resistance of the bands, which is in both.
    assert (before[0] - speeds[1][0]) / (before[0] - speeds[0][0]) == pytest.approx(1.75 / 1.5, rel=0.05)


def test_twist_is_followed() -> None:
    """It steers by the yaw rate error, uses throttle for speed and brakes to stop, and pivots where possible."""
    memory = np.zeros(4)
    steering, throttle, braking, direction, pivot = speed_control(np.array([2.0, 0.3]), memory, 0.02, 2.16, False)
    assert steering > 0.0 and throttle > 0.0 and braking == 0.0 and direction > 0.0 and pivot == 0.0
    assert speed_control(np.zeros(2), np.zeros(4), 0.02, 2.16, True)[2] == 1.0
    turned = speed_control(np.array([0.0, -0.3]), np.zeros(4), 0.02, 2.16, True)
    assert turned[0] == -1.0 and turned[4] == 1.0 and turned[1] > 0.0
    # In reverse the inner track is the other one.
    back = speed_control(np.array([-2.0, 0.3]), np.array([-1.0, 0.0, 0.0, 0.0]), 0.02, 2.16, False)
    assert back[3] < 0.0 and back[0] < 0.0
    too_fast = speed_control(np.array([1.0, 0.0]), np.array([3.0, 0.0, 0.0, 0.0]), 0.02, 2.16, False)
    assert too_fast[1] == 0.0 and too_fast[2] > 0.0


@pytest.mark.seconds
def test_shoes_stay_one_pitch_apart_and_states_are_restored(make_m113: MakeM113) -> None:
    """Pitch error of 1 mm while driving; a restored vehicle continues bit-identical."""
    vehicle = make_m113(gravity=(-0.5, 0.0, -G))
    vehicle.place(0.0, 0.0, 0.3)
    go(vehicle, 1.0, 0.3, 1.0, 0.0)
    saved = vehicle.state()
    go(vehicle, 0.2, 0.3, 1.0, 0.0)
    after = vehicle.state()
    gear = gear_of(vehicle)
    gear.find_shoes(vehicle.data)
    for side in range(2):
        pins = gear.state.pins[side, : gear.shoes[side] + 1][:, [PX, PZ]]
        assert np.hypot(*np.diff(pins, axis=0).T) == pytest.approx(0.154, abs=1e-3)
    vehicle.restore(saved)
    assert vehicle.state() == saved
    go(vehicle, 0.2, 0.3, 1.0, 0.0)
    assert vehicle.state() == after


def mirrored(path: Path, folder: Path) -> Path:
    """Return a mirrored copy of an MJCF file (left and right exchanged)."""
    tree = ET.parse(path)
    for element in tree.iter():
        for key, value in list(element.attrib.items()):
            swapped = value.replace('left', '#').replace('right', 'left').replace('#', 'right')
            if key in ('pos', 'fromto', 'vertex'):
                numbers = value.split()
                numbers[1::3] = [str(-float(y)) for y in numbers[1::3]]
                swapped = ' '.join(numbers)
            element.set(key, swapped)
    made = folder / 'm113.xml'
    tree.write(made)
    return made


@pytest.mark.seconds
def test_mirrored_vehicle_mirrors_its_path(make_m113: MakeM113, tmp_path: Path) -> None:
    """The sides differ by a shoe and by wheel positions; 1e-6 of the distance, since the order of sums differs."""
    config, shipped = load_vehicle_model('m113')
    assert config.running_gear is not None
    left, right = config.running_gear.parameters['sides']
    swapped = ({**left, 'shoes': right['shoes']}, {**right, 'shoes': left['shoes']})
    ends = []
    for steering, vehicle in (
        (0.5, make_m113(RigidTerrainConfig(viscous_friction_nspm=500.0))),
        (
            -0.5,
            make_m113(RigidTerrainConfig(viscous_friction_nspm=500.0), mjcf=mirrored(shipped, tmp_path), sides=swapped),
        ),
    ):
        vehicle.place_at([0.0, 0.0, 0.6], [0.0, 0.0, 0.0, 1.0])
        go(vehicle, 2.0, steering, 0.8, 0.0)
        body = vehicle.body_state()
        ends.append((*body.position, body.angular_velocity[2]))
    (x, y, z, rate), (mx, my, mz, mirrored_rate) = ends
    assert abs(rate) > 0.05 and (mx, my, mz, mirrored_rate) == pytest.approx((x, -y, z, -rate), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize('ground', ['rigid', 'lunar_nominal'])
@pytest.mark.parametrize('slope_deg', [0.0, 15.0])
def test_vehicle_with_brakes_applied_is_at_rest(make_m113: MakeM113, ground: str, slope_deg: float) -> None:
    """From 10 to 70 s the ground supports its weight to 0.1 % (means over 1 s), and it creeps by less than 1 mm."""
    tilt = math.radians(slope_deg)
    gravity = (-G * math.sin(tilt), 0.0, -G * math.cos(tilt))
    vehicle = make_m113(None if ground == 'rigid' else load_soil(ground), gravity=gravity)
    vehicle.place(0.0, 0.0, 0.0)
    go(vehicle, 10.0, 0.0, 0.0, 1.0)
    start, quick = vehicle.body_state().position, float(np.abs(vehicle.data.qvel).max())
    go(vehicle, 59.0, 0.0, 0.0, 1.0)
    total = np.zeros(3)
    for _ in range(50):
        go(vehicle, 0.02, 0.0, 0.0, 1.0)
        total += vehicle.step.wrenches.force.sum(axis=0) / 50
    assert total == pytest.approx(-vehicle.body.mass * np.array(gravity), abs=1e-3 * vehicle.body.mass * G)
    assert np.abs(vehicle.body_state().position - start).max() < 1e-3
    assert float(np.abs(vehicle.data.qvel).max()) < max(quick, 1e-6)
