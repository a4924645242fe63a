# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid bodies that a vehicle computes: forces, momentum, depth, load, sleep, and transfer."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from regolith_terrain.bodies import BodiesConfig, BodyDescription, RigidBodies, place_bodies, shapes
from regolith_terrain.bodies.shapes import BodyShape
from regolith_terrain.config import load_soil
from regolith_terrain.contact.arrays import make_wrench
from regolith_terrain.contact.ground_contact import make_pose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.solids.contact import add_solid_wrench
from regolith_terrain.solids.point_force import POINT_DEPTH
from regolith_terrain.solids.polyhedron import convex_hull
from regolith_terrain.solids.solids import Solid, Solids
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_world.cycle import AssignedBody, BodyState, Command, Cycle, CycleKey, Verdict

CYCLE_NS = 20_000_000
STEP = 1e-3
Floats = NDArray[np.float64]


class Drive:
    """A VIPER with one body, which it computes or not."""

    def __init__(
        self,
        body: BodyDescription | None,
        position: tuple[float, float, float],
        ground: str = 'lunar_nominal',
        gravity: float = 1.62,
        solids: Solids | None = None,
    ) -> None:
        config, mjcf = load_vehicle_model('viper')
        rigid = ground == 'rigid'
        grid = SoilGrid(FlatField(), 1.0, RIGID_TERRAIN_MODEL) if rigid else SoilGrid(FlatField(), 0.02)
        soil: Any = RigidTerrainConfig(friction=0.8) if rigid else load_soil(ground)
        bodies = BodiesConfig()
        self.vehicle = Vehicle('rover', config, mjcf, grid, soil, gravity, solids=solids, bodies=bodies)
        self.assigned = self.vehicle.assigned
        assert self.assigned is not None
        self.cycle = 0
        self.memory = b''
        self.state: BodyState | None = None
        if body is not None:
            alone = RigidBodies([body], self.assigned.ground, bodies)
            alone.place(0, np.array(position))
            self.memory, self.state = alone.memory(0), alone.body_state(0)

    def step(self, speed: float, dt_ns: int = CYCLE_NS, mine: bool = True) -> None:
        """Evolve one cycle and commit it."""
        states = () if self.state is None else (self.state,)
        given = (AssignedBody(self.state.name, 'rover', self.memory),) if self.state is not None and mine else ()
        key = CycleKey(0, self.cycle, 0)
        record = Cycle(key, self.cycle * dt_ns, dt_ns, Verdict.NONE, Command.EVOLVE, bodies=states, assigned=given)
        self.assigned.follow(record)
        self.memory = b''
        self.vehicle.grid.apply(self.vehicle.evolve(dt_ns, *self.vehicle.gear.targets(DriveCommand(speed))))
        for computed in self.assigned.computed():
            self.state = computed.state
        self.vehicle.commit()
        self.cycle += 1

    def momentum(self) -> Floats:
        """Return the momentum of the vehicle and the body [kg m/s]."""
        vehicle, state = self.vehicle, self.state
        mujoco.mj_subtreeVel(vehicle.body.model, vehicle.data)
        total = vehicle.body.mass * vehicle.data.subtree_linvel[vehicle._bodies.root]
        assert state is not None
        return np.array(total + state.mass * state.linear_velocity)

    def depth(self) -> float:
        """Return the largest depth of a part in the body now [m]."""
        vehicle, deepest = self.vehicle, 0.0
        arrays, _, near = vehicle._solids.arrays(vehicle._model, vehicle._data, STEP)
        if near is None or near.first_solid < 0:
            return 0.0
        window = vehicle.step.soil_window(len(vehicle._parts.names), STEP, bodies=near)
        place_bodies(self.assigned.step_arrays(near, window, 1), arrays.near)
        parts, data = vehicle._parts, vehicle._data
        for part in range(len(parts.names)):
            turn = data.xmat[parts.body[part]].reshape(3, 3)
            pose, wrench = make_pose(), make_wrench()
            pose.center[:] = data.xpos[parts.body[part]] + turn @ parts.offset[part]
            pose.rotation[:] = turn @ parts.frame[part]
            add_solid_wrench(arrays, STEP, part, pose, wrench)
            deepest = max(deepest, *arrays.found[: arrays.touched[part], POINT_DEPTH], 0.0)
        vehicle.discard()
        return deepest


def body(mass: float, shape: BodyShape | None = None, **more: Any) -> BodyDescription:
    """Return a body; without a shape a box of rock, 2900 kg/m^3, with sides of 3.5 : 3 : 2."""
    half = np.array([0.035, 0.03, 0.02]) * np.cbrt(mass / 2900.0 / 1.68e-4)
    return BodyDescription('rock', shapes.box(half) if shape is None else shape, mass, **more)


@pytest.mark.seconds
def test_row_7_momentum_of_rover_and_free_block_is_conserved_in_each_cycle() -> None:
    """Without ground and gravity: what the parts receive, the block loses, to 1e-12 in each cycle of one substep.

    The momentum of the whole is conserved to 1e-6. MuJoCo integrates joint velocities, and the momentum of an
    articulated vehicle that turns is not linear in them.
    """
    drive = Drive(body(20.0, shapes.box([0.3, 0.3, 0.3]), weightless=True), (1.6, 0.05, 30.3), gravity=0.0)
    drive.vehicle.place_at((0.0, 0.0, 30.0), (0.0, 0.0, 0.0, 1.0))
    drive.vehicle.data.qvel[0] = 0.5
    drive.vehicle._refresh()
    drive.vehicle.commit()
    start, worst, drift = drive.momentum(), 0.0, 0.0
    for _ in range(2000):
        before = drive.state.linear_velocity
        drive.step(0.0, dt_ns=1_000_000)
        given = 1e-3 * drive.vehicle.step.wrenches.force.sum(axis=0)
        taken = 20.0 * (before - drive.state.linear_velocity)
        worst = max(worst, float(np.abs(given - taken).max()) / 10.0)
        drift = max(drift, float(np.abs(drive.momentum() - start).max() / np.linalg.norm(start)))
    assert drive.state.linear_velocity[0] > 0.4
    assert worst < 1e-12
    assert drift < 1e-5


@pytest.mark.seconds
@pytest.mark.parametrize('mass', [0.5, 10.0])
@pytest.mark.parametrize('ground', ['lunar_nominal', 'rigid'])
def test_row_10_rover_drives_over_a_rock_with_less_than_2_mm_of_depth(mass: float, ground: str) -> None:
    rock = body(mass)
    drive = Drive(rock, (1.1, 0.6, rock.shape.half_width), ground)
    drive.vehicle.place(0.0, 0.0, 0.0)
    deepest = 0.0
    for _ in range(350):
        drive.step(0.3)
        deepest = max(deepest, drive.depth())
    assert deepest < 2e-3
    assert drive.vehicle.body_state().position[0] > 1.5
    assert np.isfinite(drive.state.position).all()


@pytest.mark.seconds
@pytest.mark.parametrize('ground', ['lunar_nominal', 'rigid'])
def test_row_10_load_of_a_wheel_on_a_rock_is_that_on_the_same_rock_held_fixed(ground: str) -> None:
    """The rover settles with one wheel on a flat rock of 13 kg. On soil the rock sinks in, so it carries less."""
    rock = BodyDescription('rock', shapes.box([0.15, 0.15, 0.05]), 13.0)
    at = np.array([0.0, 0.0, 0.05])
    probe = Drive(None, (0.0, 0.0, 0.0), ground)
    probe.vehicle.place_at((0.0, 0.0, 0.36), (0.0, 0.0, 0.0, 1.0))
    at[:2] = probe.vehicle.step.whereabouts(1)[0][0, :2]
    fixed = Solids([convex_hull(rock.shape.points.place)], [Solid(0, at, np.eye(3), rock.friction)])
    free, held = Drive(rock, tuple(at), ground), Drive(None, (0.0, 0.0, 0.0), ground, solids=fixed)
    loads = []
    for drive in (free, held):
        drive.vehicle.place_at((0.0, 0.0, 0.36), (0.0, 0.0, 0.0, 1.0))
        for _ in range(200):
            drive.step(0.0)
        loads.append(float(drive.vehicle.step.wrenches.force[0, 2]))
    assert loads[0] == pytest.approx(loads[1], rel=0.2 if ground == 'lunar_nominal' else 0.02)
    assert free.depth() < 2e-3
