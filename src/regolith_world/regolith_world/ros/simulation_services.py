# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The standard's services of a simulator, ``simulation_interfaces`` 1.5, under the world's own name.

``/regolith/world/get_simulator_features`` and so on, from any tool of ROS 2. A step is a cycle. What is not offered is
not in the features, and its services are not there, or answer FEATURE_UNSUPPORTED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import (
    Bounds,
    EntityInfo,
    EntityState,
    Result,
    SimulationState,
    SimulatorFeatures,
)
from simulation_interfaces.srv import (
    GetCurrentWorld,
    GetEntities,
    GetEntitiesStates,
    GetEntityBounds,
    GetEntityInfo,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from regolith_world import entities
from regolith_world.objects import Object
from regolith_world.records import Vector
from regolith_world.ros.runner import Runner, Steps
from regolith_world.world import World

FEATURES = (
    SimulatorFeatures.ENTITY_BOUNDS, SimulatorFeatures.ENTITY_BOUNDS_BOX, SimulatorFeatures.ENTITY_CATEGORIES,
    SimulatorFeatures.ENTITY_STATE_GETTING, SimulatorFeatures.ENTITY_INFO_GETTING, SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_STATE_GETTING, SimulatorFeatures.SIMULATION_STATE_SETTING,
    SimulatorFeatures.SIMULATION_STATE_PAUSE, SimulatorFeatures.STEP_SIMULATION_SINGLE,
    SimulatorFeatures.STEP_SIMULATION_MULTIPLE, SimulatorFeatures.STEP_SIMULATION_ACTION,
    SimulatorFeatures.WORLD_INFO_GETTING,
)  # fmt: skip
CUSTOM = (
    'regolith_msgs: ~/checkpoint and ~/restore (srv/Checkpoint) save and rewind the whole world, soil included; ~/step '
    '(srv/Step) tells the state hash. A step is an evolution cycle. Reset is of everything at once: scope ALL, or TIME '
    'and STATE.'
)
_STATES = 'allowed: STOPPED, PLAYING, PAUSED, QUITTING'
_WHOLE_RESETS = (ResetSimulation.Request.SCOPE_DEFAULT, ResetSimulation.Request.SCOPE_ALL)


def _result(code: int = Result.RESULT_OK, message: str = '') -> Result:
    return Result(result=code, error_message=message)


class SimulationServices:
    """Serves them for the world of a runner.

    :param node: named ``world``
    :param scenario: name of the world
    """

    def __init__(self, node: Node, runner: Runner, world: World, scenario: str) -> None:
        self._node, self._runner, self._world, self._scenario = node, runner, world, scenario
        self._goal: Any = None
        for kind, callback in (
            (GetSimulatorFeatures, self._features), (GetSimulationState, self._state),
            (SetSimulationState, self._set_state), (StepSimulation, self._step), (ResetSimulation, self._reset),
            (GetEntities, self._entities), (GetEntitiesStates, self._entities_states),
            (GetEntityState, self._of_entity(self._entity_state)), (GetEntityInfo, self._of_entity(self._entity_info)),
            (GetEntityBounds, self._of_entity(self._entity_bounds)), (GetCurrentWorld, self._current_world),
        ):  # fmt: skip
            node.create_service(kind, f'~/{_snake(kind.__name__)}', callback)
        self._steps = ActionServer(
            node, SimulateSteps, '~/simulate_steps', self._simulate, goal_callback=lambda goal: GoalResponse.ACCEPT,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    # -- the simulation -----------------------------------------------------------------------------------------

    def _features(self, request: Any, response: Any) -> Any:
        response.features = SimulatorFeatures(features=list(FEATURES), custom_info=CUSTOM)
        return response

    @property
    def _now(self) -> int:
        if self._runner.leaving.asked:
            return int(SimulationState.STATE_QUITTING)
        if self._runner.stopped:
            return int(SimulationState.STATE_STOPPED)
        return int(SimulationState.STATE_PAUSED if self._runner.paused else SimulationState.STATE_PLAYING)

    def _state(self, request: Any, response: Any) -> Any:
        response.state, response.result = SimulationState(state=self._now), _result()
        return response

    async def _set_state(self, request: Any, response: Any) -> Any:
        wanted, now, runner = request.state.state, self._now, self._runner
        playing, paused = SimulationState.STATE_PLAYING, SimulationState.STATE_PAUSED
        stopped, quitting = SimulationState.STATE_STOPPED, SimulationState.STATE_QUITTING
        problem = ''
        impossible = now == quitting or (now, wanted) == (stopped, paused)
        if wanted == now:
            response.result = _result(response.ALREADY_IN_TARGET_STATE, 'so it is already')
        elif impossible or wanted not in (playing, paused, stopped, quitting):
            why = 'a stopped simulation is played or stepped' if wanted == paused else _STATES
            response.result = _result(response.INCORRECT_TRANSITION, why)
        else:
            if wanted == quitting:
                runner.leaving.ask()
            elif wanted == playing:
                await self._standing(runner.play)
            else:
                await self._standing(runner.pause)
            if wanted == stopped:
                problem = await self._standing(runner.reset)
                runner.stopped = not problem
            response.result = _result(response.STATE_TRANSITION_ERROR, problem) if problem else _result()
        return response

    async def _reset(self, request: Any, response: Any) -> Any:
        scope = request.scope
        whole = scope in _WHOLE_RESETS or scope == request.SCOPE_TIME | request.SCOPE_STATE
        if not whole:
            why = f'scope {scope}; allowed: {request.SCOPE_ALL}, or {request.SCOPE_TIME | request.SCOPE_STATE}'
            response.result = _result(Result.RESULT_FEATURE_UNSUPPORTED, why)
            return response
        problem = await self._standing(self._runner.reset)
        response.result = _result(Result.RESULT_OPERATION_FAILED, problem) if problem else _result()
        return response

    async def _standing(self, action: Callable[[], Any]) -> Any:
        """Return the outcome of an action that needs a standing world."""
        done = Future()
        self._runner.when_standing(lambda: done.set_result(action()))
        return await done

    async def _step(self, request: Any, response: Any) -> Any:
        response.result = await self._stepped(request.steps, lambda gone: True)
        return response

    async def _stepped(self, count: int, told: Callable[[int], bool]) -> Result:
        """Return the result of an order of steps.

        :param told: see :class:`regolith_world.ros.runner.Steps`
        """
        done, order = Future(), Steps(count, told, lambda: done.set_result(None))
        if count == 0:
            return _result(Result.RESULT_OPERATION_FAILED, 'steps 0; allowed: 1 or more')
        if not self._runner.order_steps(order):
            why = 'it is being stepped' if self._runner.paused else 'only a paused simulation can be stepped'
            return _result(Result.RESULT_OPERATION_FAILED, why)
        await done
        if order.gone < count:
            return _result(Result.RESULT_OPERATION_FAILED, f'after {order.gone} steps: the end, or it was called off')
        return _result()

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
        response.result = _result()
        response.world.name = self._scenario
        return response

    # -- entities -----------------------------------------------------------------------------------------------

    # Services are served while the world stands or awaits answers; either way, objects have their committed states.

    def _entities(self, request: Any, response: Any) -> Any:
        found, response.result = self._chosen(request.filters)
        response.entities = list(found)
        return response

    def _entities_states(self, request: Any, response: Any) -> Any:
        found, response.result = self._chosen(request.filters)
        response.entities, response.states = list(found), [self._state_of(item) for item in found.values()]
        return response

    def _chosen(self, filters: Any) -> tuple[Mapping[str, Object], Result]:
        """Return the entities that fit, and the result."""
        region, problem = _region(filters.bounds)
        if filters.tags.tags:
            return {}, _result(Result.RESULT_FEATURE_UNSUPPORTED, 'entities have no tags')
        if problem is not None:
            return {}, problem
        kinds = [kind.category for kind in filters.categories]
        try:
            return entities.chosen(entities.entities(self._world.objects), filters.filter, kinds, region), _result()
        except ValueError as error:
            return {}, _result(Result.RESULT_OPERATION_FAILED, str(error))

    def _of_entity(self, write: Callable[[Object, Any], None]) -> Callable[[Any, Any], Any]:
        """Return a service that writes something of the entity it is asked for."""

        def serve(request: Any, response: Any) -> Any:
            item = entities.entities(self._world.objects).get(request.entity)
            if item is None:
                response.result = _result(Result.RESULT_NOT_FOUND, f'no entity {request.entity!r}')
                return response
            response.result = _result()
            write(item, response)
            return response

        return serve

    def _entity_state(self, item: Object, response: Any) -> None:
        response.state = self._state_of(item)

    def _state_of(self, item: Object) -> EntityState:
        state, body = EntityState(), item.body
        shown_ns = self._runner.shown_ns
        state.header.stamp.sec, state.header.stamp.nanosec = int(shown_ns // 10**9), int(shown_ns % 10**9)
        pose, twist = state.pose, state.twist
        pose.position.x, pose.position.y, pose.position.z = body.position.tolist()
        turn = pose.orientation
        turn.x, turn.y, turn.z, turn.w = body.orientation.tolist()
        twist.linear.x, twist.linear.y, twist.linear.z = body.linear_velocity.tolist()
        twist.angular.x, twist.angular.y, twist.angular.z = body.angular_velocity.tolist()
        return state

    def _entity_info(self, item: Object, response: Any) -> None:
        kind = 'vehicle' if entities.category(item) == entities.Category.ROBOT else item.root.kind
        response.info = EntityInfo(description=kind)
        response.info.category.category = int(entities.category(item))

    def _entity_bounds(self, item: Object, response: Any) -> None:
        box = entities.bounds(item)
        if box is not None:
            response.bounds = Bounds(type=Bounds.TYPE_BOX, points=[_vector(box.high), _vector(box.low)])


def _vector(at: Vector) -> Vector3:
    x, y, z = at.tolist()
    return Vector3(x=x, y=y, z=z)


def _region(bounds: Any) -> tuple[entities.Ball | entities.Box | None, Result | None]:
    """Return the region that bounds are, none if they are empty; and the result if they cannot be used."""
    points = [np.array([p.x, p.y, p.z]) for p in bounds.points]
    if bounds.type == Bounds.TYPE_EMPTY:
        return None, None
    if bounds.type not in (Bounds.TYPE_BOX, Bounds.TYPE_SPHERE):
        return None, _result(Result.RESULT_FEATURE_UNSUPPORTED, f'bounds of type {bounds.type}; allowed: BOX, SPHERE')
    if len(points) != 2 or not np.isfinite(points).all():
        return None, _result(Result.RESULT_OPERATION_FAILED, f'{len(points)} points of bounds; allowed: two, finite')
    if bounds.type == Bounds.TYPE_SPHERE:
        return entities.Ball(points[0], float(points[1][0])), None
    return entities.Box(np.minimum(*points), np.maximum(*points)), None


def _snake(name: str) -> str:
    """Return GetEntityState as get_entity_state."""
    return ''.join(f'_{c.lower()}' if c.isupper() else c for c in name).removeprefix('_')
