# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulator services of ``simulation_interfaces`` 1.5 or 2.1, under the name of the world.

Examples are ``/regolith/world/get_simulator_features`` and others for any ROS 2 tool. A step is a cycle. Unsupported
features are not listed. Their services do not exist, or return FEATURE_UNSUPPORTED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Bounds, Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetCurrentWorld,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from regolith_files import counted_noun
from regolith_world.cycle.records import Vector
from regolith_world.ros.message_conversion import vector3_message
from regolith_world.ros.runner import Runner
from regolith_world.ros.service_server import create_service
from regolith_world.ros.step_request import StepRequest
from regolith_world.world import World

FEATURES = (
    SimulatorFeatures.SPAWNING,
    SimulatorFeatures.DELETING,
    SimulatorFeatures.NAMED_POSES,
    SimulatorFeatures.POSE_BOUNDS,
    SimulatorFeatures.ENTITY_TAGS,
    SimulatorFeatures.ENTITY_BOUNDS,
    SimulatorFeatures.ENTITY_BOUNDS_BOX,
    SimulatorFeatures.ENTITY_CATEGORIES,
    SimulatorFeatures.SPAWNING_RESOURCE_STRING,
    SimulatorFeatures.ENTITY_STATE_GETTING,
    SimulatorFeatures.ENTITY_STATE_SETTING,
    SimulatorFeatures.ENTITY_INFO_GETTING,
    SimulatorFeatures.ENTITY_INFO_SETTING,
    SimulatorFeatures.SPAWNABLES,
    SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_RESET_TIME,
    SimulatorFeatures.SIMULATION_RESET_STATE,
    SimulatorFeatures.SIMULATION_RESET_SPAWNED,
    SimulatorFeatures.SIMULATION_STATE_GETTING,
    SimulatorFeatures.SIMULATION_STATE_SETTING,
    SimulatorFeatures.SIMULATION_STATE_PAUSE,
    SimulatorFeatures.STEP_SIMULATION_SINGLE,
    SimulatorFeatures.STEP_SIMULATION_MULTIPLE,
    SimulatorFeatures.STEP_SIMULATION_ACTION,
    SimulatorFeatures.WORLD_INFO_GETTING,
    SimulatorFeatures.SPAWNING_ENTITIES,
)
FORMATS = ('yaml',)
"""Formats of resources, see :mod:`regolith_world.objects.spawning`."""
CUSTOM = (
    'regolith_msgs: ~/save_snapshot, ~/list_snapshots, ~/rewind, ~/save_checkpoint and ~/restore_checkpoint save and '
    'restore the state of the simulation, soil included. ~/step (srv/Step) also returns the state hash. A step is '
    'one cycle. The world is the scenario of the run and cannot be replaced during the run.'
)
_STATES = 'allowed: STOPPED, PLAYING, PAUSED, QUITTING'


def result_of(code: int = Result.RESULT_OK, message: str = '') -> Result:
    """Return a result message."""
    return Result(result=code, error_message=message)


def bounds_of(low: Vector, high: Vector) -> Bounds:
    """Return the message of an axis-aligned box from its corners [m], each of shape (3,)."""
    return Bounds(type=Bounds.TYPE_BOX, points=[vector3_message(high), vector3_message(low)])


class SimulationServices:
    """Simulation services of the world of a runner.

    Args:
        node: Node ``world``.
        runner: Runner of the world.
        world: The world.
        scenario: Name of the world.
    """

    def __init__(self, node: Node, runner: Runner, world: World, scenario: str) -> None:
        self._node, self._runner, self._world, self._scenario = node, runner, world, scenario
        self._goal: Any = None
        together = ReentrantCallbackGroup()  # a waiting service does not block others
        for kind, callback in (
            (GetSimulatorFeatures, self._features),
            (GetSimulationState, self._state),
            (SetSimulationState, self._set_state),
            (StepSimulation, self._step),
            (ResetSimulation, self._reset),
            (GetCurrentWorld, self._current_world),
        ):
            create_service(node, kind, service_name(kind), callback, together)
        self._steps = ActionServer(
            node,
            SimulateSteps,
            '~/simulate_steps',
            self._simulate,
            goal_callback=lambda goal: GoalResponse.ACCEPT,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    # -- the simulation -----------------------------------------------------------------------------------------

    def _features(self, request: Any, response: Any) -> Any:
        response.features = SimulatorFeatures(features=list(FEATURES), spawn_formats=list(FORMATS), custom_info=CUSTOM)
        return response

    @property
    def _now(self) -> int:
        if self._runner.leaving.requested:
            return int(SimulationState.STATE_QUITTING)
        if self._runner.stopped:
            return int(SimulationState.STATE_STOPPED)
        return int(SimulationState.STATE_PAUSED if self._runner.paused else SimulationState.STATE_PLAYING)

    def _state(self, request: Any, response: Any) -> Any:
        response.state, response.result = SimulationState(state=self._now), result_of()
        return response

    async def _set_state(self, request: Any, response: Any) -> Any:
        wanted, now, runner = request.state.state, self._now, self._runner
        playing, paused = SimulationState.STATE_PLAYING, SimulationState.STATE_PAUSED
        stopped, quitting = SimulationState.STATE_STOPPED, SimulationState.STATE_QUITTING
        problem = ''
        impossible = now == quitting or (now, wanted) == (stopped, paused)
        if wanted == now and not (wanted == paused and runner.stepping):
            response.result = result_of(response.ALREADY_IN_TARGET_STATE, 'the simulation is already in this state')
        elif impossible or wanted not in (playing, paused, stopped, quitting):
            why = 'a stopped simulation can only be played or stepped' if wanted == paused else _STATES
            response.result = result_of(response.INCORRECT_TRANSITION, why)
        else:
            if wanted == quitting:
                runner.leaving.request()
            elif wanted == playing:
                await runner.standing(runner.play)
            else:
                await runner.standing(runner.pause)
            if wanted == stopped:
                problem = await runner.standing(runner.reset)
                runner.stopped = not problem
            response.result = result_of(response.STATE_TRANSITION_ERROR, problem) if problem else result_of()
        return response

    async def _reset(self, request: Any, response: Any) -> Any:
        known = request.SCOPE_TIME, request.SCOPE_STATE, request.SCOPE_SPAWNED
        scope = request.scope or request.SCOPE_ALL
        if scope != request.SCOPE_ALL and scope & ~sum(known):
            why = f'scope {scope} is unknown; allowed: {request.SCOPE_ALL}, or a sum of {", ".join(map(str, known))}'
            response.result = result_of(Result.RESULT_FEATURE_UNSUPPORTED, why)
            return response
        parts = [bool(scope & part) for part in known]
        problem = await self._runner.standing(lambda: self._runner.reset(*parts))
        response.result = result_of(Result.RESULT_OPERATION_FAILED, problem) if problem else result_of()
        return response

    async def _step(self, request: Any, response: Any) -> Any:
        response.result = await self._stepped(request.steps, lambda gone: True)
        return response

    async def _stepped(self, count: int, told: Callable[[int], bool]) -> Result:
        """Return the result of a request of ``count`` steps.

        For ``told`` see :class:`regolith_world.ros.step_request.StepRequest`.
        """
        done, order = Future(), StepRequest(count, told, lambda: done.set_result(None))
        if count == 0:
            return result_of(Result.RESULT_OPERATION_FAILED, 'steps 0; allowed: 1 or more')
        if not self._runner.request_steps(order):
            why = 'it is being stepped' if self._runner.paused else 'only a paused simulation can be stepped'
            return result_of(Result.RESULT_OPERATION_FAILED, why)
        await done
        if order.gone < count:
            why = f'after {counted_noun(order.gone, "step")}: the run ended, or the steps were canceled'
            return result_of(Result.RESULT_OPERATION_FAILED, why)
        return result_of()

    async def _simulate(self, goal: Any) -> Any:
        count = goal.request.steps

        def told(gone: int) -> bool:
            goal.publish_feedback(SimulateSteps.Feedback(completed_steps=gone, remaining_steps=count - gone))
            return not goal.is_cancel_requested

        result = await self._stepped(count, told)
        if goal.is_cancel_requested:
            goal.canceled()
        elif result.result == Result.RESULT_OK:
            goal.succeed()
        else:
            goal.abort()
        return SimulateSteps.Result(result=result)

    def _current_world(self, request: Any, response: Any) -> Any:
        response.result = result_of()
        response.world.name = self._scenario
        return response


def service_name(kind: type) -> str:
    """Return the service name of a type: GetEntityState becomes ~/get_entity_state."""
    return '~/' + ''.join(f'_{c.lower()}' if c.isupper() else c for c in kind.__name__).removeprefix('_')
