# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Reference of a track as a chain of rigid shoes, to check the band of ``regolith_vehicles.tracks``.

Hull, arms, wheels, idlers on their tensioners and sprockets are those of the vehicle's MJCF. The bodies with the mass
of the bands are removed. Every shoe is a body. Pins are hinges along the y axis of the hull, and the last shoe of a
side is joined to its first. Contacts are those of MuJoCo, in the same solver as everything else:

* pads: the four corners of a shoe on a plane, with stiffness, damping and friction of the rigid ground of Regolith;
* wheels and idlers: STATIONS balls along the inner face of a shoe, each as stiff as the rubber on its share of the
  pitch;
* sprockets: a ball for each pin on a drum, and between round teeth, 1 mm of play in each gap.

Run as a program, it writes ``data/vehicles/m113_chain.csv`` beside this file: ``./regolith exec python3
src/regolith_vehicles/test/shoe_chain.py`` (about a minute). :func:`measured` (chain) and :func:`band_measured` (band)
start from the same pose.

Not modeled: lateral play (guides hold each track in its plane), friction of wheels, horns and pins, elasticity of the
links (the band has 1e7 N/m).

MuJoCo scales the softness of a contact by an estimate of the inverse masses of the bodies. Here the estimates are set
to 1/kg for a shoe and zero for all other bodies, so that a stiffness is in N/m at an impedance of one half.
"""

from __future__ import annotations

import csv
import math
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.tracks.band import PX, PZ
from regolith_vehicles.tracks.running_gear import Tracks

Floats = NDArray[np.float64]

TABLE = Path(__file__).parent / 'data' / 'vehicles' / 'm113_chain.csv'
CREEP_NSPM = 500.0
"""Friction of the pads of the band below the Coulomb limit while it comes to rest [N s/m].

The contacts of the chain have no memory either, which would hold the strain from braking. While driving, both slide at
the Coulomb limit.
"""
SETTLING_S, RESTING_S, DRIVING_S = 3.0, 1.0, 5.0
"""Settling time of a band, standing time of both, and driving time of both [s].

Values are means over all of the standing time and over the last DRIVING_S - 1 of the driving time.
"""
SPEEDS = {'straight': (0.3, 0.3), 'pivot': (-0.15, 0.15)}
"""Speeds of the left and the right band [m/s], reached in 0.5 s."""
PITCH = 0.154
"""Pitch of the shoes [m]."""
BIN = 0.05
"""Width of the bins over which loads of passing shoes are averaged [m]."""
STEP = 5e-4
"""Step size [s]."""
STATIONS = 11
"""Number of contact points of wheels on the inner face of a shoe: 14 mm apart, under a patch of about 150 mm."""
BALL, PIN = 0.005, 0.015
"""Radii of the balls at stations and corners, and of the pins at the sprocket [m]."""
PLAY = 1e-3
"""Play of a pin between two teeth [m]."""
TEETH_NPM, TEETH_NSPM = 2e7, 2e4
"""Stiffness [N/m] and damping [N s/m] of a pin on the sprocket."""
RUBBER_NSPM, PIN_NMSPRAD = 200.0, 5.0
"""Damping of a station [N s/m] and of the hinge of a pin [N m s/rad]."""
SERVO_NMSPRAD = 1e6
"""Torque on a sprocket per speed error [N m s/rad]."""
_PIN_BIT, _STATION_BIT, _CORNER_BIT = 1, 2, 4
_SOFT = (0.5, 0.5, 0.001, 0.5, 2.0)
"""Solver parameters of an impedance of one half."""


class Chain(NamedTuple):
    """MuJoCo model of the chain, its state and the indices of its parts."""

    model: Any
    data: Any
    hull: int
    shoe: list[NDArray[np.int64]]
    """Bodies of the shoes of each side, in order from the front of the sprocket."""
    wheel: list[list[int]]
    """Bodies of the road wheels of each side."""
    per_turn: Floats
    """Travel of the pins of each side per radian of its sprocket [m], shape (2,)."""


def _solref(stiffness: float, damping: float) -> list[float]:
    """Return MuJoCo's parameters for a spring [N/m] and damper [N s/m] at an impedance of one half and 1/kg."""
    return [-0.5 * stiffness, -0.5 * damping]


def make_chain(vehicle: Vehicle, mjcf: Path, ground: RigidTerrainConfig) -> Chain:
    """Return a chain at rest with the poses of a vehicle's hull, wheels and shoes."""
    gear = vehicle.gear
    assert isinstance(gear, Tracks)
    gear.find_shoes(vehicle.data)
    tracks, band, shoe = gear.tracks, gear.band, gear.tracks.shoe
    pitch = shoe.pitch_m
    spec = mujoco.MjSpec.from_file(str(mjcf))
    spec.option.timestep = STEP
    spec.option.gravity = gear.model.opt.gravity
    spec.option.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 100.0
    spec.memory = 200_000_000
    hull = spec.body('base_link')
    spec.worldbody.add_geom(
        name='ground',
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[50.0, 50.0, 1.0],
        contype=_CORNER_BIT,
        conaffinity=0,
        pos=[0.0, 0.0, 0.0],
    )
    corners = _corners(shoe)
    angles, starts = [], []
    for side, config in enumerate(tracks.sides):
        spec.delete(spec.body(f'band_{config.name}'))
        slide = spec.joint(f'carrier_{config.name}')
        slide.armature = 0.0
        count = config.shoes
        pins = gear.state.pins[side, : count + 1][:, [PX, PZ]]
        theta = _closed(np.arctan2(np.diff(pins[:, 1]), -np.diff(pins[:, 0])), pitch)
        angles.append(theta)
        starts.append(pins[0])
        for k, wheel in enumerate((*config.wheels, config.idler)):
            body = spec.body(wheel.body)
            body.add_geom(
                name=f'rim_{config.name}_{k}',
                type=mujoco.mjtGeom.mjGEOM_CYLINDER,
                size=[wheel.radius_m, 0.09, 0.0],
                quat=[math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0],
                contype=_STATION_BIT,
                conaffinity=0,
            )
        parent = hull
        for k in range(count):
            at = [0.0, float(band.aside[side]), 0.0] if k == 0 else [-pitch, 0.0, 0.0]
            body = parent.add_body(name=f'shoe_{config.name}_{k}', pos=at)
            if k == 0:
                body.add_joint(name=f'x_{config.name}', type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1.0, 0.0, 0.0])
                body.add_joint(name=f'z_{config.name}', type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0.0, 0.0, 1.0])
            body.add_joint(name=f'pin_{config.name}_{k}', axis=[0.0, 1.0, 0.0], damping=PIN_NMSPRAD)
            body.mass, body.ipos, body.inertia = shoe.mass_kg, [-0.5 * pitch, 0.0, 0.0], [0.22, 0.04, 0.25]
            body.explicitinertial = True
            common = dict(type=mujoco.mjtGeom.mjGEOM_SPHERE, solimp=_SOFT, priority=1, contype=0)
            body.add_geom(
                size=[PIN, 0.0, 0.0], conaffinity=_PIN_BIT, condim=1, solref=_solref(TEETH_NPM, TEETH_NSPM), **common
            )
            rubber = _solref(tracks.rubber.modulus_npm2 * pitch / STATIONS, RUBBER_NSPM)
            for n in range(STATIONS):
                body.add_geom(
                    pos=[-(n + 0.5) * pitch / STATIONS, 0.0, shoe.inner_face_height_m - BALL],
                    size=[BALL, 0.0, 0.0],
                    conaffinity=_STATION_BIT,
                    condim=1,
                    solref=rubber,
                    **common,
                )
            for x, y, z in corners:
                body.add_geom(
                    pos=[x - 0.5 * pitch, y, z + BALL],
                    size=[BALL, 0.0, 0.0],
                    conaffinity=_CORNER_BIT,
                    condim=3,
                    friction=[ground.friction, 0.0, 0.0],
                    solref=_solref(ground.stiffness_npm, ground.damping_nspm),
                    **common,
                )
            parent = body
        joined = spec.add_equality(
            name=f'close_{config.name}',
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f'shoe_{config.name}_{count - 1}',
            name2=f'shoe_{config.name}_0',
        )
        joined.solimp, joined.solref = (0.99, 0.99, 0.001, 0.5, 2.0), (0.003, 1.0)
        _add_teeth(spec, config, theta, pins[0], gear, vehicle, side)
        servo = spec.add_actuator(
            name=f'servo_{config.name}',
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            target=config.sprocket.joint,
            gainprm=[SERVO_NMSPRAD, *[0.0] * 9],
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, 0.0, -SERVO_NMSPRAD, *[0.0] * 7],
        )
        servo.ctrllimited = False
    model = spec.compile()
    data = mujoco.MjData(model)
    old = gear.model
    for j in range(old.njnt):
        name = old.joint(j).name
        size = 7 if old.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 1
        a, b = model.joint(name).qposadr[0], old.jnt_qposadr[j]
        data.qpos[a : a + size] = vehicle.data.qpos[b : b + size]
    weight = np.zeros((model.nbody, 2))
    shoes = []
    for side, config in enumerate(tracks.sides):
        data.qpos[model.joint(f'x_{config.name}').qposadr[0]] = starts[side][0]
        data.qpos[model.joint(f'z_{config.name}').qposadr[0]] = starts[side][1]
        turns = np.diff(angles[side], prepend=0.0)
        for k in range(config.shoes):
            data.qpos[model.joint(f'pin_{config.name}_{k}').qposadr[0]] = math.remainder(turns[k], 2.0 * math.pi)
        shoes.append(np.array([model.body(f'shoe_{config.name}_{k}').id for k in range(config.shoes)]))
        weight[shoes[-1]] = 1.0
    model.body_invweight0[:] = weight
    model.eq_data[:, :6] = (-pitch, 0.0, 0.0, 0.0, 0.0, 0.0)
    mujoco.mj_forward(model, data)
    return Chain(
        model,
        data,
        model.body('base_link').id,
        shoes,
        [[model.body(w.body).id for w in s.wheels] for s in tracks.sides],
        gear.band.per_turn,
    )


def _corners(shoe: Any) -> list[tuple[float, float, float]]:
    """Return the lower corners of the bounding box of the pads [m], shoe frame, as for rigid ground."""
    x = max(abs(p.position[0]) + 0.5 * p.length_m for p in shoe.pads)
    y = max(abs(p.position[1]) + 0.5 * p.width_m for p in shoe.pads)
    z = min(p.position[2] for p in shoe.pads)
    return [(i * x, j * y, z) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]


def _closed(theta: Floats, pitch: float) -> Floats:
    """Return the angles of links about y nearest to those given for which links of one pitch close the loop."""
    theta = theta.copy()
    for _ in range(20):
        gap = -pitch * np.array([np.cos(theta).sum(), -np.sin(theta).sum()])
        slope = pitch * np.array([np.sin(theta), np.cos(theta)])
        theta -= np.linalg.lstsq(slope, gap, rcond=None)[0]
    return theta


def _add_teeth(spec: Any, config: Any, theta: Floats, start: Floats, gear: Tracks, vehicle: Vehicle, side: int) -> None:
    """Add a drum and teeth to a sprocket, turned so that the pins on it lie between teeth."""
    pitch, teeth = gear.tracks.shoe.pitch_m, config.sprocket.teeth
    radius = 0.5 * pitch / math.sin(math.pi / teeth)
    x = start[0] - pitch * np.concatenate(([0.0], np.cumsum(np.cos(theta))))[:-1]
    z = start[1] + pitch * np.concatenate(([0.0], np.cumsum(np.sin(theta))))[:-1]
    place = gear.state.discs[side, 0]
    x, z = x - place[0], z - place[1]
    on = np.hypot(x, z) < radius + 0.002
    turned = float(vehicle.data.qpos[gear.band.sprocket_angle[side]])
    # Angles about y, from x towards -z, in the frame of the sprocket; mean of the gap centers.
    angle = np.arctan2(-z[on], x[on]) - turned
    phase = float(np.angle(np.exp(1j * teeth * angle).mean())) / teeth
    body = spec.body(config.sprocket.body)
    soft = dict(contype=_PIN_BIT, conaffinity=0)
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius - PIN, 0.05, 0.0],
        quat=[math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0],
        **soft,
    )
    middle, round_ = radius * math.cos(math.pi / teeth), 0.5 * pitch - PIN - 0.5 * PLAY
    for k in range(teeth):
        a = phase + (k + 0.5) * 2.0 * math.pi / teeth
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[round_, 0.0, 0.0],
            pos=[middle * math.cos(a), 0.0, -middle * math.sin(a)],
            **soft,
        )


class Forces(NamedTuple):
    """Forces on a track at one instant, hull frame, about its origin."""

    place: list[Floats]
    """Positions of the shoes of each side [m], shape (shoes, 3)."""
    ground: list[Floats]
    """Forces of the ground on the shoes [N], shape (shoes, 3)."""
    twist: list[Floats]
    """Moments of the ground about the center of each shoe, upward [N m], shape (shoes,)."""
    wheel: Floats
    """Upward forces on the road wheels [N], shape (sides, wheels)."""
    center: Floats
    """Center of mass [m], shape (3,)."""
    yaw_rate: float
    """Speeds of the sprockets [rad/s]."""


def chain_forces(chain: Chain) -> Forces:
    """Return the forces on a chain."""
    model, data = chain.model, chain.data
    turn, origin = data.xmat[chain.hull].reshape(3, 3), data.xpos[chain.hull]
    index = {int(b): (s, k) for s, bodies in enumerate(chain.shoe) for k, b in enumerate(bodies)}
    wheels = {b: (s, k) for s, bodies in enumerate(chain.wheel) for k, b in enumerate(bodies)}
    ground = [np.zeros((len(b), 3)) for b in chain.shoe]
    place = [(data.xipos[bodies] - origin) @ turn for bodies in chain.shoe]
    twist = [np.zeros(len(b)) for b in chain.shoe]
    pressed = np.zeros((len(chain.wheel), len(chain.wheel[0])))
    six = np.empty(6)
    for n in range(data.ncon):
        contact = data.contact[n]
        a, b = (int(model.geom_bodyid[g]) for g in contact.geom)
        if not (a == 0 or b == 0 or a in wheels or b in wheels):
            continue
        mujoco.mj_contactForce(model, data, n, six)
        force = turn.T @ (contact.frame.reshape(3, 3).T @ six[:3])  # on the second
        if a == 0 or b == 0:
            side, k = index[b if a == 0 else a]
            force = force if a == 0 else -force
            ground[side][k] += force
            x, y, _ = (contact.pos - origin) @ turn - place[side][k]
            twist[side][k] += x * force[1] - y * force[0]
        else:
            pressed[wheels[a if a in wheels else b]] += -force[2] if a in wheels else force[2]
    return Forces(place, ground, twist, pressed, turn.T @ (data.subtree_com[chain.hull] - origin), float(data.qvel[5]))


def band_forces(vehicle: Vehicle) -> Forces:
    """Return the forces on a vehicle with bands."""
    gear, data = vehicle.gear, vehicle.data
    assert isinstance(gear, Tracks)
    gear.find_shoes(data)
    turn, origin = data.xmat[gear.body.base].reshape(3, 3), data.xpos[gear.body.base]
    place, ground, twist = [], [], []
    for side, count in enumerate(gear.shoes):
        shoes = gear.band.first[side] + np.arange(count)
        place.append((gear.state.center[shoes] - origin) @ turn)
        ground.append(vehicle.step.wrenches.force[shoes] @ turn)
        twist.append(vehicle.step.wrenches.torque[shoes] @ turn[:, 2])
    wheel = data.xfrc_applied[gear.band.disc[:, 1:-1], :3] @ turn
    center = turn.T @ (vehicle.body_state().center_of_mass - origin)
    return Forces(place, ground, twist, wheel[..., 2], center, float(data.qvel[5]))


def turning_moments(forces: Forces) -> tuple[float, float]:
    """Return the moments of the ground about the vertical at the center of mass that resist turning and that cause it.

    The first is that of lateral forces and of the scrubbing of each shoe, the second that of longitudinal forces. In
    steady turning they sum to zero.
    """
    resisting = turning = 0.0
    for place, force, twist in zip(forces.place, forces.ground, forces.twist, strict=True):
        resisting += float((place[:, 0] - forces.center[0]) @ force[:, 1] + twist.sum())
        turning -= float((place[:, 1] - forces.center[1]) @ force[:, 0])
    return resisting, turning


Row = tuple[str, str, str, int, float, float]
"""Row of the table: case, quantity, side, number, x in the hull frame [m], value."""


def measured(chain: Chain) -> list[Row]:
    """Return the table of a chain that stands, drives straight ahead and turns in place."""
    start = chain.data.qpos.copy()
    rows = []
    for case in ('rest', *SPEEDS):
        mujoco.mj_resetData(chain.model, chain.data)
        chain.data.qpos[:] = start
        mujoco.mj_forward(chain.model, chain.data)

        def go(seconds: float, speeds: tuple[float, float]) -> Forces:
            chain.data.ctrl[-2:] = np.array(speeds) / chain.per_turn
            for _ in range(round(seconds / STEP)):
                mujoco.mj_step(chain.model, chain.data)
            return chain_forces(chain)

        go(SETTLING_S, (0.0, 0.0))
        rows += _table(case, go)
    return rows


def band_measured(folder: Path, cases: tuple[str, ...] = ('rest', *SPEEDS)) -> list[Row]:
    """Return the table of a band.

    Args:
        folder: Folder for a temporary file.
        cases: Names of the cases to measure.
    """
    rows = []
    for case in cases:
        vehicle = make_band(folder, CREEP_NSPM if case == 'rest' else 0.0)

        def go(seconds: float, speeds: tuple[float, float], vehicle: Vehicle = vehicle) -> Forces:
            assert isinstance(vehicle.gear, Tracks)
            vehicle.data.ctrl[-2:] = np.array(speeds) / vehicle.gear.band.per_turn
            stand(vehicle, seconds)
            return band_forces(vehicle)

        rows += _table(case, go)
    return rows


def make_band(folder: Path, viscous_friction_nspm: float = CREEP_NSPM) -> Vehicle:
    """Return an M113 at rest on rigid ground, with the sprocket servos of the chain."""
    config, shipped = load_vehicle_model('m113')
    tree = ET.parse(shipped)
    actuators = tree.getroot().find('actuator')
    assert actuators is not None
    for side in ('left', 'right'):
        given = {'name': f'servo_{side}', 'joint': f'sprocket_{side}', 'kv': f'{SERVO_NMSPRAD:g}'}
        ET.SubElement(actuators, 'velocity', given)
    path = folder / 'm113.xml'
    tree.write(path)
    ground = RigidTerrainConfig(viscous_friction_nspm=viscous_friction_nspm)
    vehicle = Vehicle('m113', config, path, SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL), ground, 9.81)
    vehicle.place(0.0, 0.0, 0.0)
    stand(vehicle, SETTLING_S)
    return vehicle


def stand(vehicle: Vehicle, seconds: float) -> None:
    """Advance a vehicle with bands without throttle and brake."""
    for _ in range(round(seconds / 0.02)):
        vehicle.grid.apply(vehicle.evolve(20_000_000, np.zeros(3)))
        vehicle.commit()


def _table(case: str, go: Callable[[float, tuple[float, float]], Forces]) -> list[Row]:
    """Return the rows of a case."""
    if case == 'rest':
        seen = [go(0.02, (0.0, 0.0)) for _ in range(round(RESTING_S / 0.02))]
        rows: list[Row] = []
        for side, name in enumerate(('left', 'right')):
            x = np.mean([f.place[side][:, 0] for f in seen], axis=0)
            load = np.mean([f.ground[side][:, 2] for f in seen], axis=0)
            # Sorted by position: the chain numbers its shoes from the front of the sprocket.
            numbers = (-x / PITCH).astype(int)
            rows += [
                (case, 'shoe', name, int(numbers[k]), float(x[k]), float(load[k])) for k in np.flatnonzero(load > 1.0)
            ]
            wheel = np.mean([f.wheel[side] for f in seen], axis=0)
            rows += [(case, 'wheel', name, k, math.nan, float(load)) for k, load in enumerate(wheel)]
        return rows
    left, right = SPEEDS[case]
    for k in range(25):
        go(0.02, (left * (k + 1) / 25, right * (k + 1) / 25))
    go(0.5, (left, right))
    seen = [go(0.02, (left, right)) for _ in range(round((DRIVING_S - 1.0) / 0.02))]
    rows = []
    edges = np.arange(-4.0, -0.3, BIN)
    for side, name in enumerate(('left', 'right')):
        x = np.concatenate([f.place[side][:, 0] for f in seen])
        load = np.concatenate([f.ground[side][:, 2] for f in seen])
        total = np.histogram(x, edges, weights=load)[0] / (len(seen) * BIN)
        for k in np.flatnonzero(total > 0.0):
            rows.append((case, 'line', name, int(k), float(edges[k] + 0.5 * BIN), float(total[k])))
    moments = np.mean([turning_moments(f) for f in seen], axis=0)
    rows += [
        (case, f'moment_{name}', '', 0, math.nan, float(m))
        for name, m in zip(('resisting', 'turning'), moments, strict=True)
    ]
    rows.append((case, 'yaw_rate', '', 0, math.nan, float(np.mean([f.yaw_rate for f in seen]))))
    return rows


def read() -> list[Row]:
    """Return the stored table of the chain."""
    with TABLE.open() as file:
        return [
            (r['case'], r['quantity'], r['side'], int(r['number']), float(r['x_m'] or 'nan'), float(r['value']))
            for r in csv.DictReader(file)
        ]


def write() -> None:
    """Write the table of the chain again."""
    with tempfile.TemporaryDirectory() as folder:
        vehicle = make_band(Path(folder))
        rows = measured(make_chain(vehicle, load_vehicle_model('m113')[1], RigidTerrainConfig()))
    with TABLE.open('w', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(('case', 'quantity', 'side', 'number', 'x_m', 'value'))
        for *where, x, value in rows:
            writer.writerow((*where, '' if math.isnan(x) else f'{x:.4f}', f'{value:.5g}'))


if __name__ == '__main__':
    write()
