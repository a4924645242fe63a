# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicles on feet: loads, sinkage, slopes, touchdown, and impossible feet."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import yaml

from regolith_files import InputError
from regolith_terrain.config import load_soil
from regolith_terrain.contact.shapes import cap_triangles
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.feet import NORMAL_LOAD, SHEAR, SINKAGE, Feet

G, MASS, SPRUNG, STIFFNESS, DAMPING = 1.62, 520.0, 472.0, 12000.0, 3000.0
CYCLE_NS = 10_000_000
NAMES = ('front', 'left', 'rear', 'right')


def lander(
    folder: Path,
    rigid: bool = True,
    gravity: Any = G,
    spacing: float = 0.02,
    changes: dict[int, dict[str, Any]] | None = None,
    vehicle: dict[str, Any] | None = None,
    ground: dict[str, Any] | None = None,
    **foot: Any,
) -> Vehicle:
    """Return the lander on level ground, with the given keys of all feet, and changes of single ones."""
    config, mjcf = load_vehicle_model('lander')
    content = {**config.model_dump(mode='json', exclude_unset=True), 'mjcf': str(mjcf), **(vehicle or {})}
    feet = content['running_gear']['parameters']['feet']
    feet = [{**each, **foot, **(changes or {}).get(k, {})} for k, each in enumerate(feet)]
    content['running_gear']['parameters']['feet'] = feet
    file = folder / 'own.yaml'
    file.write_text(yaml.safe_dump(content))
    config, mjcf = load_vehicle_model(str(file))
    if rigid:
        hard = RigidTerrainConfig(friction=0.8, **(ground or {}))
        return Vehicle('lander', config, mjcf, SoilGrid(FlatField(), spacing, RIGID_TERRAIN_MODEL), hard, gravity)
    soil = load_soil('lunar_nominal')
    return Vehicle('lander', config, mjcf, SoilGrid(FlatField(), spacing), soil, gravity, mode='regolith')


def evolve(vehicle: Vehicle, seconds: float) -> None:
    for _ in range(round(seconds * 1e9 / CYCLE_NS)):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, *vehicle.gear.targets(DriveCommand())))
        vehicle.commit()


def joint(vehicle: Vehicle, name: str) -> float:
    return float(vehicle.data.joint(name).qpos[0])


@pytest.mark.parametrize('rigid', [True, False])
def test_feet_carry_the_weight_and_the_struts_are_pressed_by_it(tmp_path: Path, rigid: bool) -> None:
    """Each of four feet has a quarter of the weight; a strut has a quarter of the sprung weight over its stiffness."""
    vehicle = lander(tmp_path, rigid)
    vehicle.place(0.0, 0.0, 0.3)
    evolve(vehicle, 4.0)
    table = vehicle.gear.table
    # At rest to 0.1 %.
    assert table[:, NORMAL_LOAD] == pytest.approx(MASS * G / 4.0, rel=1e-3)
    assert [joint(vehicle, f'slide_{n}') for n in NAMES] == pytest.approx([SPRUNG * G / 4.0 / STIFFNESS] * 4, rel=1e-3)
    assert table[:, SHEAR].max() < 1e-2 * MASS * G / 4.0
    assert vehicle.gear.telemetry() == pytest.approx(table.T.ravel())


@pytest.mark.parametrize('kind', ['cylinder', 'box'])
def test_flat_foot_sinks_as_a_plate_under_its_load(tmp_path: Path, kind: str) -> None:
    """Bekker: z = (p / (k_c / b + k_phi))^(1/n), with p = W / (4 A); the area of the nodes is that of a disc to 1 %."""
    # Edges between nodes: with nodes on one edge only, a foot presses off its center, and tilts.
    size = (0.155, 0.04) if kind == 'cylinder' else (0.155, 0.105, 0.04)
    vehicle = lander(tmp_path, rigid=False, spacing=0.01, kind=kind, size_m=list(size))
    vehicle.place(0.0, 0.0, 0.0)
    evolve(vehicle, 3.0)
    soil = load_soil('lunar_nominal')
    area = math.pi * 0.155**2 if kind == 'cylinder' else 4.0 * 0.155 * 0.105
    half = 0.155 if kind == 'cylinder' else 0.105
    pressure = MASS * G / 4.0 / area
    expected = (pressure / (soil.k_c / half + soil.k_phi)) ** (1.0 / soil.exponent)
    # k_c is 2 % of the stiffness, so b hardly matters.
    assert vehicle.gear.table[:, SINKAGE] == pytest.approx(expected, rel=0.015)


def test_cap_is_a_part_of_its_sphere() -> None:
    radius, depth = 0.3, 0.08
    sphere = (radius**2 + depth**2) / (2.0 * depth)
    points = cap_triangles(radius, depth).reshape(-1, 3)
    away = np.sqrt(np.sum(np.square(points - [0.0, 0.0, sphere - depth]), axis=1))
    assert away == pytest.approx(sphere, abs=1e-12)
    assert points[:, 2].min() == pytest.approx(-depth) and abs(points[:, 2].max()) < 1e-12
    triangles = cap_triangles(radius, depth)
    sides = triangles[:, 1:, :2] - triangles[:, :1, :2]
    area = 0.5 * np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]).sum()
    assert area == pytest.approx(12.0 * radius**2 * math.sin(2.0 * math.pi / 24.0), rel=1e-12)  # a polygon of 24 sides


@pytest.mark.parametrize('substep', [5e-4, 1e-3])
def test_cap_on_rigid_ground_rests_on_its_lowest_point(tmp_path: Path, substep: float) -> None:
    """The rim is at d - N / k, the pads are level; a substep of 1 ms is sufficient, since no corner of 0.3 m carries."""
    vehicle = lander(tmp_path, vehicle={'substep_s': substep})
    vehicle.place(0.0, 0.0, 0.3)
    evolve(vehicle, 2.0)
    heights = [float(vehicle.data.body(f'pad_{n}').xpos[2]) for n in NAMES]
    assert heights == pytest.approx([0.08 - MASS * G / 4.0 / 2e5] * 4, abs=1e-6)
    assert np.abs([joint(vehicle, f'{way}_{n}') for way in ('pitch', 'roll') for n in NAMES]).max() < 1e-6
    assert np.abs(vehicle.data.qvel).max() < 1e-5


def test_cap_on_a_slope_tilts_by_friction_on_its_lowest_point(tmp_path: Path) -> None:
    """Moments about the ankle at the center of the rim: k (t - b) + N (R - d) sin t = T ((R - d) cos t - R) + w.

    With the tilt t of the pad, b of the strut, load N, friction T, and the moment w = m g s of the pad's weight at
    s = 0.03 m below the ankle. The pads whose pitch axis is across the slope are those in front and behind.
    """
    slope = math.radians(10.0)
    vehicle = lander(tmp_path, gravity=(-G * math.sin(slope), 0.0, -G * math.cos(slope)))
    vehicle.place_on_ground(0.0, 0.0, 0.0)
    evolve(vehicle, 8.0)
    sphere = (0.3**2 + 0.08**2) / 0.16
    for name in ('front', 'rear'):
        k = NAMES.index(name)
        load, push = vehicle.gear.table[k, NORMAL_LOAD], vehicle.gear.table[k, SHEAR]
        turn = vehicle.data.body(f'pad_{name}').xmat.reshape(3, 3)
        tilt = math.asin(turn[0, 2])
        spring = 40.0 * joint(vehicle, f'pitch_{name}') * (1.0 if name == 'front' else -1.0)
        weight = 6.0 * G * 0.03 * math.sin(slope - tilt)
        moment = -spring - load * (sphere - 0.08) * math.sin(tilt) + push * ((sphere - 0.08) * math.cos(tilt) - sphere)
        assert abs(moment + weight) < 0.02 * push * 0.08
        assert tilt < -0.01


def test_loads_on_a_slope_balance_the_moment_of_the_weight(tmp_path: Path) -> None:
    """Rigid slope of 10 degrees along x: (N_rear - N_front) a = W sin(t) h, and the side feet keep a quarter.

    The height h of the center of mass above the ankles and the lever a are those of the settled vehicle. The springs of
    the ankles add couples, since friction at their lowest points turns the caps.
    """
    tilt = math.radians(10.0)
    vehicle = lander(tmp_path, gravity=(-G * math.sin(tilt), 0.0, -G * math.cos(tilt)))
    vehicle.place_on_ground(0.0, 0.0, 0.0)
    evolve(vehicle, 6.0)
    data, body = vehicle.data, vehicle.body
    center = data.subtree_com[body.base]
    front, left, rear, right = vehicle.gear.table[:, NORMAL_LOAD]
    weight = MASS * G * math.cos(tilt)
    assert front + left + rear + right == pytest.approx(weight, rel=2e-3)
    assert [left, right] == pytest.approx([weight / 4.0] * 2, rel=0.01)
    feet = {n: data.body(f'pad_{n}').xpos for n in NAMES}
    moment = sum(
        load * float(center[0] - feet[n][0]) for n, load in zip(NAMES, (front, left, rear, right), strict=True)
    )
    turned = joint(vehicle, 'pitch_front') - joint(vehicle, 'pitch_rear')
    turned += joint(vehicle, 'roll_left') - joint(vehicle, 'roll_right')
    expected = MASS * G * math.sin(tilt) * float(center[2] - feet['left'][2]) - 40.0 * turned
    assert moment == pytest.approx(expected, rel=0.005)
    assert rear > front > 0.0


def test_touchdown_presses_the_struts_as_a_damped_spring(tmp_path: Path) -> None:
    """At 1 m/s the pads stop, and the sprung mass follows m x'' = -4 c x' - 4 k x + m g; no rebound of the pads.

    The ground under the one point of each cap is stiff, and damped by a ratio of 1 for a pad and its strut of 12 kg.
    """
    vehicle = lander(tmp_path, ground={'stiffness_npm': 2e6, 'damping_nspm': 1e4})
    vehicle.place_above_ground(0.0, 0.0, 0.0, 1.0 / (2.0 * G))
    most, lifted, begun = 0.0, 0.0, False
    for _ in range(250):
        evolve(vehicle, 0.01)
        most = max(most, *(joint(vehicle, f'slide_{n}') for n in NAMES))
        begun = begun or vehicle.gear.table[:, NORMAL_LOAD].min() > 0.0
        if begun:
            lifted = max(lifted, float(vehicle.data.body('pad_front').xpos[2]) - 0.08)
    x, v, step, peak = 0.0, 1.0, 1e-5, 0.0
    while v > 0.0:
        v += step * (G - (4.0 * STIFFNESS * x + 4.0 * DAMPING * v) / SPRUNG)
        x += step * v
        peak = max(peak, x)
    # The dampers press on pads of finite mass, and the springs begin a millimeter from zero.
    assert most == pytest.approx(peak, rel=0.05) and most < 0.25
    assert lifted < 5e-3
    speed = np.abs(vehicle.data.qvel).max()
    assert speed < 5e-3


def test_checkpoint_continues_bit_identical(tmp_path: Path) -> None:
    vehicle = lander(tmp_path, rigid=False)
    vehicle.place_above_ground(0.0, 0.0, 0.2, 0.05)
    evolve(vehicle, 0.4)
    saved, soil = vehicle.committed, vehicle.grid.save()
    evolve(vehicle, 0.6)
    end = vehicle.committed
    again = lander(tmp_path, rigid=False)
    again.grid.load(soil)
    again.restore(saved)
    evolve(again, 0.6)
    assert again.committed == end and isinstance(again.gear, Feet)


@pytest.mark.parametrize(
    ('foot', 'words'),
    [
        ({'size_m': [0.3]}, r'size_m = \[0.3\]: is not the size of a cap; allowed: 2 values, 0.001 to 10$'),
        ({'size_m': [0.3, 0.4]}, r'is too deep for a cap; allowed: a depth up to its radius$'),
        ({'size_m': [0.3, float('nan')]}, r'size_m'),
        ({'kind': 'ball'}, r'kind.*cylinder'),
        ({'name': 'pad'}, r"two have the name 'pad'; allowed: a different name for each"),
        ({'position': [0.0, 0.0, float('inf')]}, r'position'),
        ({'size': [0.3, 0.08]}, r'size.*unknown key'),
    ],
)
def test_impossible_feet_are_refused_by_key_and_value(tmp_path: Path, foot: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        lander(tmp_path, **foot)


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        (
            {1: {'body': 'pad_front'}},
            r'own.yaml.*feet.1.position = \[0.0, 0.0, 0.0\]: foot left overlaps foot front, both of body pad_front; '
            r'allowed: feet that do not overlap',
        ),
        (
            {2: {'position': [0.0, 0.0, 5.0]}},
            r'own.yaml.*feet.2.position = \[0.0, 0.0, 5.0\]: foot rear is 4.9\d m away from the geoms of body pad_rear; '
            r'allowed: a gap of up to 0.6 m, the largest side of the foot',
        ),
        ({0: {'position': [0.0, -3.0, 0.0]}}, r'feet.0.position.*foot front is 2.4 m away'),
    ],
)
def test_feet_in_one_place_or_away_from_their_body_are_refused(
    tmp_path: Path, changes: dict[int, dict[str, Any]], words: str
) -> None:
    with pytest.raises(VehicleModelError, match=words):
        lander(tmp_path, changes=changes)


def test_one_body_may_have_several_feet_beside_each_other(tmp_path: Path) -> None:
    corners = ((0.0, 0.0), (0.15, 0.15), (-0.15, 0.15), (0.15, -0.15))  # their boxes overlap, they do not
    places = {k: {'body': 'pad_front', 'position': [*corner, 0.0]} for k, corner in enumerate(corners)}
    assert len(set(lander(tmp_path, changes=places, size_m=[0.1, 0.08]).gear.bodies.tolist())) == 1  # type: ignore[attr-defined]


def test_unknown_body_names_those_of_the_model(tmp_path: Path) -> None:
    with pytest.raises(VehicleModelError, match=r'feet\.0\.body.*hoof.*pad_front'):
        lander(tmp_path, body='hoof')


def test_substep_is_limited_by_the_mass_that_moves_with_a_foot(tmp_path: Path) -> None:
    """A pad of 6 kg that tilts on its ankle: 1 / m = 1 / m_0 + (r / 2)^2 / I, where m_0 is little more than the pad."""
    vehicle = lander(tmp_path, rigid=False)
    quickest = math.pi * 0.3**2 * (1.0 / 12.0 + 0.15**2 / 0.14)  # pad and strut slide together
    assert vehicle.gear.contact_area == pytest.approx(MASS * quickest, rel=0.05)
    assert mujoco.mj_getTotalmass(vehicle.body.model) == pytest.approx(MASS)
    config, _ = load_vehicle_model('lander')
    assert config.substep_s <= 0.5 * vehicle.contact.step_limit(MASS, vehicle.gear.contact_area).seconds
    with pytest.raises(VehicleModelError, match='is too long for the soil'):
        lander(tmp_path, rigid=False, size_m=[0.9, 0.08])


def test_ball_joint_is_refused_by_name(tmp_path: Path) -> None:
    """Frames of /tf, joint states and URDF have one value per joint."""
    config, mjcf = load_vehicle_model('lander')
    text = mjcf.read_text().replace(
        '<joint name="pitch_left" class="ankle" axis="0 1 0"/>', '<joint name="any" type="ball"/>'
    )
    (tmp_path / 'own.xml').write_text(text.replace('<joint name="roll_left" class="ankle" axis="1 0 0"/>', ''))
    content = {**config.model_dump(mode='json', exclude_unset=True), 'mjcf': 'own.xml'}
    (tmp_path / 'own.yaml').write_text(yaml.safe_dump(content))
    own, path = load_vehicle_model(str(tmp_path / 'own.yaml'))
    with pytest.raises(VehicleModelError, match=r'mjcf.*own\.xml.*joint any.*three hinges'):
        Vehicle('lander', own, path, SoilGrid(FlatField(), 0.02), load_soil('lunar_nominal'), G)
