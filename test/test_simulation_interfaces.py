# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A client that knows the standard's interfaces alone, ``simulation_interfaces``, and steers a run with them."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest
from harness import WORLD, LiveRun, vehicle, write_scenario

pytestmark = pytest.mark.ros
BALL = {
    'type': 'rigid_body',
    'position': [-4.0, 0.0, 5.0],
    'velocity_mps': [0.0, 1.0, 0.0],
    'mass_kg': 1.0,
    'weightless': True,
    'shape': {'kind': 'sphere', 'size_m': [0.25]},
}
ROCK = {'type': 'static_body', 'position': [30.0, 0.0, 0.0], 'shapes': [{'kind': 'box', 'size_m': [1.0, 2.0, 3.0]}]}

POSES = {
    'dock': {
        'position': [3.0, 1.0, 0.5],
        'rpy_deg': [0.0, 0.0, 90.0],
        'tags': ['parking', 'spawn'],
        'clearance_m': [2.0, 1.0, 0.5],
    },
    'rim': {'position': [9.0, 0.0, 1.0], 'description': 'above the crater', 'tags': ['navigation_goal']},
}


class Client:
    """A client of the services below a name."""

    def __init__(self, live: LiveRun) -> None:
        from simulation_interfaces import srv

        self._live, self._srv = live, srv

    def __call__(self, service: str, /, **fields: Any) -> Any:
        """Return the response; fields are those of 1.5, put where 2.1 has them if that is installed."""
        from simulation_interfaces.msg import Resource

        kind = getattr(self._srv, ''.join(word.capitalize() for word in service.split('_')))
        known = kind.Request.get_fields_and_field_types()
        if service == 'spawn_entity' and 'entity_resource' in known:
            flat = {key: fields.pop(key) for key in ('uri', 'resource_string') if key in fields}
            fields['entity_resource'] = Resource(**flat)
        if 'set_pose' in known:
            fields = {'set_pose': True, 'set_twist': True, **fields}
        return self._live.call(kind, f'{WORLD}/{service}', **fields)

    def state(self) -> int:
        """Return the simulation's state."""
        return int(self('get_simulation_state').state.state)

    def change(self, state: int) -> int:
        """Return the result of a request for a state."""
        from simulation_interfaces.msg import SimulationState

        return int(self('set_simulation_state', state=SimulationState(state=state)).result.result)

    def place(self, entity: str) -> tuple[float, float, float]:
        """Return where an entity is [m]."""
        found = self('get_entity_state', entity=entity)
        assert found.result.result == 1
        at = found.state.pose.position
        return at.x, at.y, at.z


@pytest.mark.parametrize('processes', ['one', pytest.param('many', marks=pytest.mark.slow)])
def test_a_client_of_the_standard_steers_a_run(tmp_path: Path, processes: str) -> None:
    """States, steps, reset, entities; each result code that these have is provoked, and features match what works."""
    from action_msgs.msg import GoalStatus
    from rclpy.action import ActionClient
    from rosgraph_msgs.msg import Clock
    from simulation_interfaces.action import SimulateSteps
    from simulation_interfaces.msg import (
        Bounds,
        EntityCategory,
        EntityFilters,
        SimulationState,
        SimulatorFeatures,
        TagsFilter,
    )

    stopped, playing, paused, quitting = (
        SimulationState.STATE_STOPPED,
        SimulationState.STATE_PLAYING,
        SimulationState.STATE_PAUSED,
        SimulationState.STATE_QUITTING,
    )
    file = write_scenario(
        tmp_path,
        {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.3)},
        duration_s=600.0,
        terrain={'source': 'flat'},
        objects={'ball': BALL, 'rock': ROCK},
        named_poses=POSES,
    )
    with LiveRun(tmp_path, file, '--rtf', 1.0, processes=processes) as live:
        ask = Client(live)
        clock = live.subscribe(Clock, '/clock')
        live.wait_for(lambda: clock and clock[-1].clock.sec >= 1, 60.0, 'one second')

        features = set(ask('get_simulator_features').features.features)
        assert features <= set(range(51))
        assert SimulatorFeatures.WORLD_LOADING not in features and SimulatorFeatures.SPAWNING in features
        assert SimulatorFeatures.NAMED_POSES in features and SimulatorFeatures.STEP_SIMULATION_ACTION in features

        # Playing, and what is not to be had while it does.
        assert ask.state() == playing and ask.change(playing) == 101
        assert ask.change(SimulationState.STATE_NO_WORLD) == 103
        assert ask('step_simulation', steps=1).result.result == 4
        assert ask.change(paused) == 1 and ask.state() == paused and ask.change(paused) == 101

        # A step is a cycle of 20 ms; the ball flies at 1 m/s.
        before = ask.place('ball')
        assert ask('step_simulation', steps=5).result.result == 1 and ask.state() == paused
        assert ask.place('ball')[1] - before[1] == pytest.approx(0.1, abs=1e-9)
        assert ask('step_simulation', steps=0).result.result == 4
        client = ActionClient(live.node, SimulateSteps, f'{WORLD}/simulate_steps')
        live.wait_for(client.server_is_ready, 30.0, 'the action')
        told: list[Any] = []

        def order(steps: int) -> Any:
            sent = client.send_goal_async(
                SimulateSteps.Goal(steps=steps), feedback_callback=lambda m: told.append(m.feedback)
            )
            live.wait_for(sent.done, 30.0, 'a response to the goal')
            return sent.result()

        def ten_steps() -> list[int]:
            """Take them, and return the feedback: only of later ones, or nothing, while connections are being made."""
            told.clear()
            ended = order(10).get_result_async()
            live.wait_for(ended.done, 30.0, 'ten steps')
            assert ended.result().status == GoalStatus.STATUS_SUCCEEDED and ended.result().result.result.result == 1
            live.spin(0.5)
            return [word.completed_steps for word in told]

        # Connections take seconds on a busy machine.
        gone, until = ten_steps(), time.monotonic() + 90.0
        while gone[-1:] != [10] and time.monotonic() < until:
            gone = ten_steps()
        assert gone == list(range(11 - len(gone), 11)) and len(gone) > 5 and told[-1].remaining_steps == 0
        goal = order(100_000)
        live.wait_for(lambda: len(told) > 15, 30.0, 'some steps')
        assert ask('step_simulation', steps=1).result.result == 4, 'while it is being stepped'
        ended = goal.get_result_async()
        live.wait_for(goal.cancel_goal_async().done, 30.0, 'the response to a cancel')
        live.wait_for(ended.done, 30.0, 'the end of it')
        assert ended.result().status == GoalStatus.STATUS_CANCELED and ask.state() == paused

        # Places with names.
        assert [p.name for p in ask('get_named_poses').poses] == ['dock', 'rim']
        for tags, mode, names in (
            (['spawn', 'x'], 0, ['dock']),
            (['spawn', 'x'], 1, []),
            (['parking', 'spawn'], 1, ['dock']),
        ):
            found = ask('get_named_poses', tags=TagsFilter(tags=tags, filter_mode=mode))
            assert found.result.result == 1 and [p.name for p in found.poses] == names
        dock, rim = ask('get_named_poses').poses
        assert (dock.pose.position.x, dock.pose.orientation.z) == (3.0, pytest.approx(0.5**0.5))
        assert (rim.description, list(rim.tags)) == ('above the crater', ['navigation_goal'])
        room = ask('get_named_pose_bounds', name='dock')
        assert room.result.result == 1 and room.bounds.type == Bounds.TYPE_BOX
        assert [(p.x, p.y) for p in room.bounds.points] == [pytest.approx((4.0, 3.0)), pytest.approx((2.0, -1.0))]
        assert ask('get_named_pose_bounds', name='rim').bounds.type == Bounds.TYPE_EMPTY
        assert ask('get_named_pose_bounds', name='moon').result.result == 2

        # Entities.
        assert ask('get_entities').entities == ['amber', 'ball', 'rock']
        moved = EntityFilters(categories=[EntityCategory(category=EntityCategory.CATEGORY_DYNAMIC_OBJECT)])
        assert ask('get_entities', filters=moved).entities == ['ball']
        found = ask('get_entities_states', filters=EntityFilters(filter='^(amber|rock)$'))
        assert found.entities == ['amber', 'rock'] and len(found.states) == 2
        assert found.states[0].twist.linear.x == pytest.approx(0.3, abs=0.1) and found.states[1].pose.position.x == 30.0
        shown = clock[-1].clock.sec + 1e-9 * clock[-1].clock.nanosec
        assert found.states[0].header.stamp.sec + 1e-9 * found.states[0].header.stamp.nanosec == pytest.approx(shown)
        assert ask('get_entities', filters=EntityFilters(filter='(')).result.result == 4
        assert ask('get_entities', filters=EntityFilters(tags=TagsFilter(tags=['red']))).entities == []
        assert (
            ask('get_entities', filters=EntityFilters(bounds=Bounds(type=Bounds.TYPE_CONVEX_HULL))).result.result == 0
        )
        assert ask('get_entities', filters=EntityFilters(bounds=Bounds(type=Bounds.TYPE_SPHERE))).result.result == 4
        for service in ('get_entity_state', 'get_entity_info', 'get_entity_bounds'):
            assert ask(service, entity='nobody').result.result == 2
        box = ask('get_entity_bounds', entity='rock').bounds
        assert box.type == Bounds.TYPE_BOX and (box.points[0].x, box.points[0].y, box.points[0].z) == (1.0, 2.0, 3.0)
        assert ask('get_entity_info', entity='amber').info.category.category == EntityCategory.CATEGORY_ROBOT
        assert ask('get_current_world').world.name

        # A client that pauses, plays, stops or resets a world that is being stepped overrides the steps.
        for change, after in ((paused, paused), (stopped, stopped), (playing, playing)):
            told.clear()
            ended = order(100_000).get_result_async()
            live.wait_for(lambda: len(told) > 3, 30.0, 'some steps')
            assert ask.change(change) == 1
            live.wait_for(ended.done, 30.0, 'the end of the steps')
            assert ended.result().status == GoalStatus.STATUS_ABORTED and ask.state() == after
            assert 'the steps were canceled' in ended.result().result.result.error_message
            there = ask.place('ball')
            live.spin(0.3)
            assert (ask.place('ball') == there) == (after != playing)
        assert ask.change(paused) == 1

        # Back to the start, /clock with it; what follows is what followed then.
        assert ask('reset_simulation', scope=8).result.result == 0
        assert ask('reset_simulation').result.result == 1 and ask.state() == paused
        assert ask.place('ball') == (-4.0, 0.0, 5.0)
        live.wait_for(lambda: clock[-1].clock.sec == clock[-1].clock.nanosec == 0, 30.0, 'a clock at 0')
        assert ask('step_simulation', steps=50).result.result == 1
        first = ask.place('amber')
        assert ask.change(stopped) == 1 and ask.state() == stopped and ask.change(stopped) == 101
        assert ask.place('ball') == (-4.0, 0.0, 5.0) and ask.change(paused) == 103
        assert ask('step_simulation', steps=50).result.result == 1 and ask.state() == paused
        assert ask.place('amber') == first
        assert ask.change(playing) == 1 and ask.state() == playing
        assert ask.change(quitting) == 1
        live.finish()


@pytest.mark.slow
def test_steps_beyond_the_end_get_a_result(tmp_path: Path) -> None:
    """With how many there were; the run ends with them."""
    from rosgraph_msgs.msg import Clock

    file = write_scenario(
        tmp_path,
        {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.3)},
        duration_s=5.0,
        terrain={'model': 'rigid', 'soil': {'friction': 0.8}},
    )
    with LiveRun(tmp_path, file, '--rtf', 1.0, processes='one') as live:
        ask = Client(live)
        clock = live.subscribe(Clock, '/clock')
        live.wait_for(lambda: clock and clock[-1].clock.nanosec, 60.0, 'the run')
        assert ask.change(2) == 1
        response = ask('step_simulation', steps=5000)
        assert response.result.result == 4 and ' steps: the run ended, ' in response.result.error_message
        assert live.finish().summary['simulated_s'] == pytest.approx(5.0)


@pytest.mark.seconds
@pytest.mark.parametrize('processes', ['one', pytest.param('many', marks=pytest.mark.slow)])
def test_client_of_the_standard_spawns_entities(tmp_path: Path, processes: str) -> None:
    """Objects and a vehicle are spawned, moved, filtered by tags, and removed; resets of each scope; every code of it."""
    from geometry_msgs.msg import Pose, PoseStamped
    from rosgraph_msgs.msg import Clock
    from simulation_interfaces.msg import EntityFilters, EntityInfo, EntityState, Resource, TagsFilter
    from simulation_interfaces.msg import SpawnEntity as Request

    def at(x: float, y: float, z: float = 0.0, w: float = 1.0, frame: str = '') -> PoseStamped:
        made = PoseStamped()
        made.header.frame_id = frame
        made.pose.position.x, made.pose.position.y, made.pose.position.z = float(x), float(y), float(z)
        made.pose.orientation.w = w
        return made

    ball = '{type: rigid_body, mass_kg: 2.0, weightless: true, shape: {kind: sphere, size_m: [0.3]}, velocity_mps: [0, 0, 0.5]}'
    rock = '{type: static_body, shapes: [{kind: box, size_m: [0.5, 0.5, 0.5]}]}'
    drives = {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.3)}
    file = write_scenario(tmp_path, drives, duration_s=600.0, terrain={'source': 'flat'}, objects={'ball': BALL})
    with LiveRun(tmp_path, file, '--rtf', 1.0, processes=processes) as live:
        ask = Client(live)
        clock = live.subscribe(Clock, '/clock')
        live.wait_for(lambda: clock and clock[-1].clock.sec >= 1, 60.0, 'one second')
        live.pause()

        # What is refused, and why.
        addresses = [getattr(each, 'entity_resource', each).uri for each in ask('get_spawnables').spawnables]
        assert 'regolith://vehicles/viper' in addresses and ask('get_spawnables', sources=['x']).result.result == 0
        for code, fields in (
            (101, {'name': 'amber', 'resource_string': rock}),
            (102, {'resource_string': rock}),
            (102, {'name': 'a b', 'resource_string': rock}),
            (103, {'name': 'x', 'resource_string': '<robot/>'}),
            (104, {'name': 'x'}),
            (104, {'name': 'x', 'uri': 'regolith://vehicles/none'}),
            (104, {'name': 'x', 'uri': '/nowhere.yaml'}),
            (105, {'name': 'x', 'entity_namespace': 'y', 'resource_string': rock}),
            (106, {'name': 'x', 'resource_string': '{type: cloud}'}),
            (106, {'name': 'x', 'resource_string': '[1'}),
            (106, {'name': 'x', 'resource_string': '{1: 2, a: 4}'}),
            (106, {'name': 'x', 'resource_string': ball.replace('2.0', '-2.0')}),
            (106, {'name': 'x', 'resource_string': '{model: viper, sensors: {eye: {model: camera}}}'}),
            (109, {'name': 'x', 'resource_string': rock, 'initial_pose': at(9.0, 9.0, frame='map')}),
            (109, {'name': 'x', 'resource_string': rock, 'initial_pose': at(9.0, 9.0, w=0.0)}),
            (109, {'name': 'x', 'resource_string': rock, 'initial_pose': at(0.5, 0.0)}),
            (109, {'name': 'x', 'uri': 'regolith://vehicles/viper', 'initial_pose': at(0.5, 0.0)}),
        ):
            result = ask('spawn_entity', timeout=90.0, **fields).result
            assert result.result == code, (code, fields, result)
        assert ask('get_entities').entities == ['amber', 'ball']

        # Two at once, one of them renamed; a vehicle, which follows commands.
        made = ask(
            'spawn_entities',
            spawn_requests=[
                Request(
                    name='ball',
                    allow_renaming=True,
                    entity_resource=Resource(resource_string=ball),
                    initial_pose=at(5, 5, 3),
                ),
                Request(name='rock', entity_resource=Resource(resource_string=rock), initial_pose=at(8.0, 0.0)),
            ],
        )
        assert made.result.result == 1, [each.result.error_message for each in made.results]
        assert [each.entity_name for each in made.results] == ['ball_1', 'rock']
        failed = ask(
            'spawn_entities', spawn_requests=[Request(name='rock', entity_resource=Resource(resource_string=rock))]
        )
        assert failed.result.result == 150 and failed.results[0].result.result == 101
        driver = '{model: viper, driver: {type: constant, speed_mps: 0.2}}'
        come = ask('spawn_entity', timeout=90.0, name='basalt', resource_string=driver, initial_pose=at(-4.0, 3.0))
        assert come.result.result == 1 and come.entity_name == 'basalt'
        start = ask.place('basalt')
        assert start[:2] == pytest.approx((-4.0, 3.0), abs=2e-3) and 0.0 < start[2] < 1.0
        assert ask('step_simulation', steps=100).result.result == 1
        assert ask.place('basalt')[0] - start[0] == pytest.approx(0.4, abs=0.1)
        assert ask.place('ball_1') == pytest.approx((5.0, 5.0, 4.0))

        # Their info and their state are set.
        info = EntityInfo(description='a stone', tags=['heavy', 'gray'])
        assert ask('set_entity_info', entity='rock', info=info).result.result == 1
        assert ask('set_entity_info', entity='none', info=info).result.result == 2
        info.category.category = 2
        assert ask('set_entity_info', entity='rock', info=info).result.result == 4
        assert ask('get_entity_info', entity='rock').info.description == 'a stone'
        for tags, mode, found in ((['heavy', 'red'], 0, ['rock']), (['heavy', 'red'], 1, []), (['gray'], 1, ['rock'])):
            filters = EntityFilters(tags=TagsFilter(tags=tags, filter_mode=mode))
            assert ask('get_entities', filters=filters).entities == found
        there = EntityState(pose=at(3.0, -3.0, 2.0).pose)
        there.twist.linear.x = 1.0
        assert ask('set_entity_state', entity='ball_1', state=there).result.result == 1
        assert ask('set_entity_state', entity='none', state=there).result.result == 2
        assert ask('set_entity_state', entity='rock', state=there).result.result == 4, 'it never moves'
        assert ask('set_entity_state', entity='ball_1', state=EntityState(pose=at(8, 0).pose)).result.result == 4, (
            'inside rock'
        )
        assert ask('set_entity_state', entity='amber', state=EntityState(pose=at(0, 0, -1).pose)).result.result == 4, (
            'buried'
        )
        fast = EntityState(pose=at(0.0, -4.0, 3.0).pose)
        for name, speed in (('amber', 60.0), ('ball_1', 1e300), ('ball_1', math.nan)):
            fast.twist.linear.x = speed
            result = ask('set_entity_state', entity=name, state=fast).result
            assert result.result == 4 and 'allowed: ' in result.error_message, 'too fast'
        lifted = EntityState(pose=Pose())
        lifted.pose.position.x, lifted.pose.position.y, lifted.pose.position.z = 0.0, -4.0, start[2] + 0.1
        assert ask('set_entity_state', entity='amber', state=lifted).result.result == 1
        assert ask.place('amber') == pytest.approx((0.0, -4.0, start[2] + 0.1))
        assert ask('step_simulation', steps=50).result.result == 1
        assert ask.place('ball_1') == pytest.approx((4.0, -3.0, 2.0))
        assert ask.place('amber')[2] == pytest.approx(start[2], abs=0.05) and ask.place('amber')[1] < -3.9

        # Removal, and return with a reset of the state; a reset of what came; the time alone.
        assert ask('delete_entity', entity='none').result.result == 2
        assert ask('delete_entity', entity='ball_1').result.result == 1
        assert ask('delete_entity', entity='amber').result.result == 1
        assert ask('get_entities').entities == ['ball', 'basalt', 'rock']
        assert ask('step_simulation', steps=5).result.result == 1
        shown = clock[-1].clock
        assert ask('reset_simulation', scope=2).result.result == 1
        assert ask('get_entities').entities == ['amber', 'ball', 'basalt', 'rock']
        assert ask.place('basalt') == pytest.approx(start, abs=1e-9) and ask.place('ball') == (-4.0, 0.0, 5.0)
        assert ask('step_simulation', steps=100).result.result == 1
        assert ask.place('basalt')[0] - start[0] == pytest.approx(0.4, abs=0.1)
        assert (clock[-1].clock.sec, clock[-1].clock.nanosec) > (shown.sec, shown.nanosec)
        place = ask.place('amber')
        assert ask('reset_simulation', scope=1).result.result == 1 and ask.place('amber') == place
        live.wait_for(lambda: clock[-1].clock.sec == clock[-1].clock.nanosec == 0, 30.0, 'a clock at 0')
        assert ask('reset_simulation', scope=4).result.result == 1
        assert ask('get_entities').entities == ['amber', 'ball'] and ask.place('amber') == place
        assert ask('reset_simulation').result.result == 1 and ask('step_simulation', steps=10).result.result == 1
        live.interrupt()
        live.finish()
