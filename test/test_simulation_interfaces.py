# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A client that knows the standard's interfaces alone, ``simulation_interfaces``, and steers a run with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import WORLD, LiveRun, vehicle, write_scenario

pytestmark = pytest.mark.ros
BALL = {
    'type': 'free_body', 'position': [-4.0, 0.0, 5.0], 'velocity_mps': [0.0, 1.0, 0.0], 'mass_kg': 1.0, 'weightless': True,
    'shape': {'kind': 'sphere', 'size_m': [0.25]},
}  # fmt: skip
ROCK = {'type': 'immovable', 'position': [30.0, 0.0, 0.0], 'shapes': [{'kind': 'box', 'size_m': [1.0, 2.0, 3.0]}]}


class Client:
    """A client of the services below a name."""

    def __init__(self, live: LiveRun) -> None:
        from simulation_interfaces import srv

        self._live, self._srv = live, srv

    def __call__(self, service: str, /, **fields: Any) -> Any:
        kind = getattr(self._srv, ''.join(word.capitalize() for word in service.split('_')))
        return self._live.call(kind, f'{WORLD}/{service}', **fields)

    def state(self) -> int:
        """Return the simulation's state."""
        return int(self('get_simulation_state').state.state)

    def change(self, state: int) -> int:
        """Return the result of asking for a state."""
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
        SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING, SimulationState.STATE_PAUSED,
        SimulationState.STATE_QUITTING,
    )  # fmt: skip
    file = write_scenario(
        tmp_path, {'amber': vehicle(0.0, 0.0, type='constant', speed_mps=0.3)}, duration_s=600.0,
        terrain={'source': 'flat'}, objects={'ball': BALL, 'rock': ROCK},
    )  # fmt: skip
    with LiveRun(tmp_path, file, '--speed', 1.0, processes=processes) as live:
        ask = Client(live)
        clock = live.subscribe(Clock, '/clock')
        live.wait_for(lambda: clock and clock[-1].clock.sec >= 1, 60.0, 'one second')

        features = set(ask('get_simulator_features').features.features)
        assert features <= set(range(51))
        assert SimulatorFeatures.SPAWNING not in features and SimulatorFeatures.STEP_SIMULATION_ACTION in features

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
            sent = client.send_goal_async(SimulateSteps.Goal(steps=steps), feedback_callback=lambda m: told.append(m.feedback))
            live.wait_for(sent.done, 30.0, 'an answer to the goal')
            return sent.result()

        ended = order(10).get_result_async()
        live.wait_for(ended.done, 30.0, 'ten steps')
        assert ended.result().status == GoalStatus.STATUS_SUCCEEDED and ended.result().result.result.result == 1
        assert [(f.completed_steps, f.remaining_steps) for f in told][-1] == (10, 0) and len(told) == 10
        goal = order(100_000)
        live.wait_for(lambda: len(told) > 15, 30.0, 'some steps')
        assert ask('step_simulation', steps=1).result.result == 4, 'while it is being stepped'
        ended = goal.get_result_async()
        live.wait_for(goal.cancel_goal_async().done, 30.0, 'the answer to a cancel')
        live.wait_for(ended.done, 30.0, 'the end of it')
        assert ended.result().status == GoalStatus.STATUS_CANCELED and ask.state() == paused

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
        assert ask('get_entities', filters=EntityFilters(tags=TagsFilter(tags=['red']))).result.result == 0
        assert ask('get_entities', filters=EntityFilters(bounds=Bounds(type=Bounds.TYPE_CONVEX_HULL))).result.result == 0
        assert ask('get_entities', filters=EntityFilters(bounds=Bounds(type=Bounds.TYPE_SPHERE))).result.result == 4
        for service in ('get_entity_state', 'get_entity_info', 'get_entity_bounds'):
            assert ask(service, entity='nobody').result.result == 2
        box = ask('get_entity_bounds', entity='rock').bounds
        assert box.type == Bounds.TYPE_BOX and (box.points[0].x, box.points[0].y, box.points[0].z) == (1.0, 2.0, 3.0)
        assert ask('get_entity_info', entity='amber').info.category.category == EntityCategory.CATEGORY_ROBOT
        assert ask('get_current_world').world.name

        # Back to the start, /clock with it; what follows is what followed then.
        assert ask('reset_simulation', scope=1).result.result == 0
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
