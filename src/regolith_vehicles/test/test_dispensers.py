# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of vehicles that release objects."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.input_latch import InputLatch
from regolith_vehicles.agent.object_release import RELEASE_REFUSED, order_release
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.description.model_files import VehicleModelError, load_vehicle_model
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_vehicles.drivers.task_config import TasksDriverConfig
from regolith_vehicles.drivers.tasks import TasksDriver
from regolith_vehicles.dynamics.multibody import at_origin, compile_vehicle, momentum
from regolith_vehicles.running_gear_registry import make_running_gear
from regolith_world.config import WorldConfig
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import Command, Cycle, CycleKey, CycleResult, Verdict
from regolith_world.objects.object_types import make_objects
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.world import ProtocolError, World

CYCLE_NS = 20_000_000
SPHERE = {'kind': 'sphere', 'size_m': [0.1]}
BALL = {
    'body': 'base_link',
    'payload': 'balls',
    'position': (1.6, 0.2, 0.8),
    'direction': (1.0, 1.0, 0.5),
    'speed_mps': 2.0,
    'shape': SPHERE,
    'mass_kg': 5.0,
    'count': 2,
}
TERRAIN = TerrainConfig(source='flat', soil=load_soil('chrono_lunar'))


def model(**changes: Any) -> tuple[VehicleModelConfig, Any]:
    """Return VIPER with a dispenser of two balls, and its MJCF file."""
    config, mjcf = load_vehicle_model('viper')
    whole = config.model_dump(exclude_defaults=True)
    whole['payloads'] = {
        'balls': {'body': config.chassis, 'capacity_kg': 20.0, 'mass_kg': 12.0, 'inertia_kgm2': [1, 1, 1]}
    }
    whole['dispensers'] = {'ball': {**BALL, 'body': config.chassis, **changes}}
    return VehicleModelConfig.model_validate(whole), mjcf


def floating(**changes: Any) -> Vehicle:
    """Return a weightless, turning vehicle far above the ground, with rolling wheels."""
    config, mjcf = model(**changes)
    made = Vehicle(
        'rover', config, mjcf, SoilGrid(FlatField(), 0.02), load_soil('chrono_lunar'), gravity=0.0, mode='regolith'
    )
    made.place_above_ground(0.0, 0.0, 0.3, 50.0)
    made.set_rolling_speed(0.5)
    made.apply_impulse((0.4, 0.7, 50.9), (30.0, -200.0, 90.0))
    made.evolve(CYCLE_NS, *made.gear.targets(DriveCommand(0.5)))
    return made


def test_momentum_is_that_of_mujoco() -> None:
    """Of all bodies about the center of mass: MuJoCo's own sums, to rounding."""
    made = floating()
    mujoco.mj_subtreeVel(made.body.model, made.data)
    push, spin = momentum(made.body.model, made.data, made.data.subtree_com[1])
    assert push == pytest.approx(made.body.mass * made.data.subtree_linvel[1], rel=1e-12)
    assert spin == pytest.approx(made.data.subtree_angmom[1], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ('position', 'shape', 'inside'),
    [
        ((0.0, 0.0, 0.3), SPHERE, True),  # its center is in the hull
        ((0.0, 0.0, 0.3), {'kind': 'box', 'size_m': [2.0, 2.0, 2.0]}, True),  # the hull is in it
        ((1.6, 0.2, 0.8), {'kind': 'capsule', 'size_m': [0.1, 2.0]}, False),
        ((1.6, 0.2, 0.8), {'kind': 'sphere', 'size_m': [2.0]}, True),
    ],
)
def test_object_that_would_begin_inside_its_vehicle_is_refused_with_body_and_depth(
    position: Any, shape: Any, inside: bool
) -> None:
    if not inside:
        floating(position=position, shape=shape)
        return
    with pytest.raises(
        VehicleModelError, match=r'dispensers\.ball\.position = .*begins [\d.]+ m inside .*such as \['
    ) as caught:
        floating(position=position, shape=shape)
    free = re.search(r'such as \[(.*?)\]', str(caught.value))
    assert free is not None
    floating(position=tuple(map(float, free[1].split(','))), shape=shape)


@pytest.mark.parametrize(
    ('name', 'position', 'part', 'far'),
    [
        ('lander', (1.6, 0.0, -1.39), 'foot front', (1.6, 0.0, -1.1)),
        ('viper', None, 'wheel front_left', (0.0, 0.0, 2.0)),
        ('m113', None, 'shoe', (0.0, 0.0, 4.0)),
    ],
)
def test_object_that_would_begin_inside_running_gear_is_refused(name: str, position: Any, part: str, far: Any) -> None:
    """Feet, wheels and shoes press rigid bodies, and would throw one that begins inside them."""
    config, mjcf = load_vehicle_model(name)
    if position is None:
        made = compile_vehicle(config, mjcf, np.zeros(3))
        gear = make_running_gear(config, made, mjcf)
        data = at_origin(made.model)
        own = gear.whereabouts(data)
        position = (data.xpos[gear.touching[0].body] if own is None else own[0][0]).tolist()
    whole = config.model_dump(exclude_defaults=True)
    whole['payloads'] = {'balls': {'body': config.chassis, 'capacity_kg': 1.0, 'mass_kg': 1.0, 'inertia_kgm2': [1] * 3}}
    ground = RigidTerrainConfig()

    def vehicle(place: Any) -> Vehicle:
        shape = {'kind': 'sphere', 'size_m': [0.02]}
        given = {**BALL, 'body': config.chassis, 'position': place, 'shape': shape, 'mass_kg': 0.1, 'count': 1}
        own = VehicleModelConfig.model_validate({**whole, 'dispensers': {'ball': given}})
        return Vehicle('it', own, mjcf, SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL), ground, gravity=1.62)

    allowed = r'.*allowed: a position outside of all collision shapes of the vehicle, such as \['
    with pytest.raises(
        VehicleModelError, match=rf'dispensers\.ball\.position = .*begins [\d.]+ m inside .*{part}{allowed}'
    ):
        vehicle(position)
    vehicle(far)


@pytest.mark.parametrize('speed', [0.0, 2.0, 30.0])
def test_a_release_keeps_mass_momentum_and_angular_momentum(speed: float) -> None:
    """Of vehicle and object, before and after: 1e-12 of what the vehicle has."""
    made = floating(speed_mps=speed)
    origin = np.zeros(3)
    for number in (1, 2):
        mass, (push, spin) = made.body.mass, momentum(made.body.model, made.data, origin)
        ball = made.release('ball')
        state = ball.state
        assert state.name == f'rover/ball_{number}' and mass - made.body.mass == pytest.approx(5.0, abs=1e-12)
        rest, turning = momentum(made.body.model, made.data, origin)
        own = 5.0 * state.linear_velocity
        assert rest + own == pytest.approx(push, abs=1e-12 * np.abs(push).max())
        about = np.cross(state.position, own) + state.inertia @ state.angular_velocity
        assert turning + about == pytest.approx(spin, abs=1e-12 * np.abs(spin).max())
    assert made.payloads.table[0] == pytest.approx([2.0, 1 / 6, 1 / 6, 1 / 6])
    assert not made.dispensers.next_object('ball')


def test_an_object_leaves_with_its_speed_in_its_direction() -> None:
    """Its velocity is that of its point of the body, plus 2 m/s along (1, 1, 0.5) of the body."""
    made = floating()
    body = made.body_state()
    turn = made.data.xmat[made.body.base].reshape(3, 3).copy()
    ball = made.release('ball').state
    arm = turn @ BALL['position']
    assert ball.position == pytest.approx(body.position + arm, abs=1e-12)
    point = body.linear_velocity + np.cross(body.angular_velocity, arm)
    assert ball.linear_velocity - point == pytest.approx(2.0 * turn @ (1.0, 1.0, 0.5) / 1.5, abs=1e-12)
    assert ball.angular_velocity == pytest.approx(body.angular_velocity, abs=1e-12)
    assert ball.inertia == pytest.approx(0.4 * 5.0 * 0.1**2 * np.eye(3), abs=1e-15)


def test_released_objects_are_part_of_the_state() -> None:
    """A restored vehicle has its objects, mass and number back; a vehicle without dispensers has the state it had."""
    made = floating()
    made.commit()
    before, mass = made.state(), made.body.mass
    made.release('ball')
    after = made.state()
    made.discard()
    assert made.state() == before and made.body.mass == mass and made.dispensers.next_object('ball') == 'ball_1'
    made.restore(after)
    assert made.dispensers.next_object('ball') == 'ball_2' and made.body.mass == mass - 5.0
    made.place_above_ground(0.0, 0.0, 0.3, 50.0)
    assert made.dispensers.next_object('ball') == 'ball_1' and made.body.mass == mass


def test_orders_are_latched_recorded_and_replayed() -> None:
    """Orders of one cycle keep their number and sequence; those that arrive in a replay wait for its end."""
    gear = floating().gear
    made = InputLatch(gear, False, True)
    for name in ('ball', 'flag', 'ball'):
        made.add_release(name)
    assert made.pending_releases('ball') == 2
    live, blob = made.latch(3, {})
    assert live.releases == ('ball', 'flag', 'ball') and LiveInput.load(blob, False, True) == live
    assert (
        made.latch(3, {}) == (live, blob) and made.latch(4, {})[0] == LiveInput() and not made.pending_releases('ball')
    )
    made.add_release('flag')
    assert made.latch(5, {5: blob})[0] == live and made.latch(6, {})[0].releases == ('flag',)
    with_dig = LiveInput(DriveCommand(0.2), releases=('a',))
    assert LiveInput.load(with_dig.save(True, True), True, True) == with_dig


@pytest.mark.parametrize(
    ('changes', 'why'),
    [
        ({'payload': 'bals'}, "dispensers.ball.payload = 'bals'.*allowed: balls"),
        ({'count': 3}, 'payloads.balls.mass_kg = 12.0.*at least 15 kg'),
        ({'direction': (0.0, 0.0, 0.0)}, 'is no direction'),
    ],
)
def test_a_dispenser_that_cannot_work_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        model(**changes)


def test_a_dispenser_needs_a_body_of_the_file() -> None:
    config, mjcf = model()
    wrong = config.dispensers['ball'].model_copy(update={'body': 'bas'})
    config = config.model_copy(update={'dispensers': {'ball': wrong}})
    with pytest.raises(VehicleModelError, match=r'dispensers.ball.body.*no such body'):
        Vehicle(
            'rover', config, mjcf, SoilGrid(FlatField(), 0.02), load_soil('chrono_lunar'), gravity=0.0, mode='regolith'
        )


class Alone:
    """Transport between a world and one vehicle in the same process."""

    def __init__(self, **objects: Any) -> None:
        config, mjcf = model()
        self.published: list[VehicleState] = []
        self.results: list[CycleResult] = []
        group = ParticipantGroup()
        group.on_results = self.results.extend
        entry = {'position': [0.0, 0.0], 'height_above_ground_m': 20.0, 'driver': {'type': 'external'}}
        self.agent = VehicleAgent(
            'rover',
            VehicleEntry.model_validate({**entry, 'model': 'viper'}),
            config,
            mjcf,
            TERRAIN,
            FlatField(),
            1.62,
            group.receive,
            lambda delta: None,
            grid=SoilGrid(FlatField(), TERRAIN.spacing_m),
            publish=self.published.append,
        )
        group.add(self.agent)
        self.group = group
        self.world = World(WorldConfig(), make_objects(objects, 1.62), self)
        self.world.admit(self.agent.join_request())
        self.world.hold()

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        self.cycle = cycle
        self.group.on_cycle(cycle)
        return {'rover': self.results[-1]}


def test_the_world_has_the_object_at_the_end_of_the_next_cycle() -> None:
    """It is spawned with the state of the dispenser, flies on, and continues from a checkpoint."""
    run = Alone()
    run.world.step()
    run.agent.inputs.add_release('ball')
    mass = run.agent.vehicle.body.mass
    run.world.step()
    assert run.world.objects['rover/ball_1'].body.mass == 5.0 and run.agent.vehicle.body.mass == mass - 5.0
    speed = run.world.objects['rover/ball_1'].body.linear_velocity[2]
    report = run.world.step()
    fallen = run.world.objects['rover/ball_1'].body.linear_velocity[2] - speed
    assert fallen == pytest.approx(-1.62 * report.dt_ns * 1e-9) and 'rover/ball_1' in run.cycle.spawned


def test_an_object_whose_place_is_taken_stays_in_its_dispenser() -> None:
    """The attempt is repeated without it. The vehicle keeps its mass and reports an event; a later order succeeds."""
    box = {
        'type': 'rigid_body',
        'position': [1.6, 0.2, 0.0],
        'mass_kg': 50.0,
        'shape': {'kind': 'box', 'size_m': [0.1] * 3},
    }
    run = Alone()
    height = run.agent.vehicle.body_state().position[2]
    (body,) = make_objects({'box': {**box, 'position': [1.6, 0.2, height + 0.8]}}, 1.62)
    run.world.add(body)
    mass = run.agent.vehicle.body.mass
    run.agent.inputs.add_release('ball')
    report = run.world.step()
    assert report.attempts == 2 and run.cycle.refused == ('rover/ball_1',)
    assert 'rover/ball_1' not in run.world.objects and run.agent.vehicle.body.mass == mass
    run.world.step()
    assert run.cycle.refused == ()
    (event,) = [event for state in run.published for event in state.events]
    assert event.kind == RELEASE_REFUSED and 'another object is at its place' in event.message
    run.world.remove('box')
    for _ in range(2):  # both at the same place: the second one would be in the first
        run.agent.inputs.add_release('ball')
    run.world.step()
    assert run.cycle.refused == ('rover/ball_2',) and {*run.world.objects} == {'rover', 'rover/ball_1'}


def test_a_participant_that_ignores_a_refusal_is_an_error() -> None:
    """The world would repeat the cycle without end."""
    run = Alone()
    run.world._refused = ('rover/ball_1',)
    cycle = Cycle(CycleKey(0, 0, 0), 0, CYCLE_NS, Verdict.NONE, Command.EVOLVE)
    ball = run.agent.vehicle.release('ball')
    run.world.last_results = {'rover': CycleResult(cycle.key, 'rover', 2**62, spawned=(ball,))}
    inside = replace(ball.state, position=run.agent.vehicle.body_state().position)
    item = RigidBody(ball.name, inside, ball.shapes, gravity=np.zeros(3))
    with pytest.raises(ProtocolError, match='rover spawns rover/ball_1 again'):
        run.world._without_room([item])


def test_an_order_states_the_name_of_the_object_or_the_problem() -> None:
    """Orders that no cycle has latched yet count; the third of two balls is refused."""
    run = Alone()
    assert order_release(run.agent.vehicle, run.agent.inputs, 'bal') == ('', "no dispenser 'bal'; allowed: ball")
    assert order_release(run.agent.vehicle, run.agent.inputs, 'ball') == ('rover/ball_1', '')
    run.world.step()
    assert order_release(run.agent.vehicle, run.agent.inputs, 'ball') == ('rover/ball_2', '')
    assert order_release(run.agent.vehicle, run.agent.inputs, 'ball') == ('', "dispenser 'ball' is empty")
    for _ in range(30):  # the first ball leaves its place
        run.world.step()
    assert {'rover/ball_1', 'rover/ball_2'} & {*run.world.objects} == {'rover/ball_1'}, 'ordered too early'
    assert order_release(run.agent.vehicle, run.agent.inputs, 'ball') == ('rover/ball_2', '')
    run.world.step()
    assert 'rover/ball_2' in run.world.objects


def test_a_task_releases_an_object() -> None:
    """After its wait, once, in the cycle after which the next task begins."""
    tasks = [{'type': 'release', 'dispenser': 'ball', 'initial_wait_s': 0.05}, {'type': 'release', 'dispenser': 'flag'}]
    driver = TasksDriver(TasksDriverConfig.model_validate({'tasks': tasks}))
    (rest,) = make_objects({'x': {'type': 'rigid_body', 'position': [0, 0, 0], 'mass_kg': 1.0, 'shape': SPHERE}}, 0.0)
    seen = []
    for k in range(5):
        assert driver.command(20_000_000 * k, rest.body) == DriveCommand()
        seen.append(driver.releases(20_000_000 * k))
    assert seen == [(), (), (), ('ball', 'flag'), ()] and driver.done == 2
