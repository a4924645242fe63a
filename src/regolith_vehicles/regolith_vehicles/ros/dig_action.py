# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Action ``NAME/dig`` (regolith_msgs/action/Dig): dig goal, its feedback and its result.

The goal is a live input of the vehicle, so a replay repeats a recorded one. Feedback and result are for observers.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future
from regolith_msgs.action import Dig

from regolith_files import counted_noun, describe_error
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.commands.command_interfaces import joint_rejection
from regolith_vehicles.drivers.dig_goals import DigGoalDriver
from regolith_vehicles.drivers.task_config import DigConfig
from regolith_vehicles.tools.dig_check import idle_drums

PERIOD_NS = 200_000_000
"""Simulated time between two feedback messages [ns]."""


class DigAction:
    """Action server of one vehicle for one goal at a time.

    Args:
        node: Node in the vehicle's namespace.
        agent: Agent of the vehicle.
        driver: Driver that performs the goals.
    """

    def __init__(self, node: Node, agent: VehicleAgent, driver: DigGoalDriver) -> None:
        self._agent, self._driver = agent, driver
        self._log = node.get_logger()
        self._goal: Any = None
        self._done: Future | None = None
        self._number = 0
        self._began_ns = -1
        self._told_ns = 0
        self._dug = 0.0
        self._now_ns = 0
        self._server = ActionServer(
            node, Dig, 'dig', self._execute, goal_callback=self._judge, cancel_callback=self._cancel
        )

    def _judge(self, request: Dig.Goal) -> GoalResponse:
        """Reject a goal that is invalid, or that arrives while another one is active."""
        busy = self._goal is not None or self._driver.active
        problems = ['another goal is active'] if busy else goal_problems(request, self._agent)
        for problem in problems:
            self._log.warning(f'{self._agent.name} rejects a dig goal: {problem}')
        return GoalResponse.REJECT if problems else GoalResponse.ACCEPT

    def _cancel(self, goal: Any) -> CancelResponse:
        self._agent.inputs.set_dig_goal(None)
        return CancelResponse.ACCEPT

    async def _execute(self, goal: Any) -> Dig.Result:
        """Set the goal and wait for its end."""
        self._goal, self._done = goal, Future()
        self._number, self._began_ns = self._driver.taken, -1
        self._dug = self._agent.vehicle.tools.mass_balance()['excavated_kg']
        self._agent.inputs.set_dig_goal(dig_order(goal.request))
        await self._done
        result = Dig.Result(**self._progress(), duration=1e-9 * (self._now_ns - self._began_ns))
        wanted = set(goal.request.tools) or set(result.tools)
        levels = dict(zip(result.tools, result.fill_levels, strict=True))
        result.filled = all(levels[name] >= goal.request.target_fill for name in wanted)
        if goal.is_cancel_requested:
            goal.canceled()
        elif result.filled:
            goal.succeed()
        else:
            goal.abort()
        self._goal = self._done = None
        return result

    def _progress(self) -> dict[str, Any]:
        tools = self._agent.vehicle.tools
        levels = tools.levels()
        return {
            'tools': list(levels),
            'fill_levels': list(levels.values()),
            'excavated_mass': tools.mass_balance()['excavated_kg'] - self._dug,
        }

    def update(self, snapshot: VehicleState) -> None:
        """Publish feedback and detect the end of the goal; called after every commit."""
        if self._done is None or self._done.done() or self._driver.taken == self._number:
            return
        self._now_ns = snapshot.t_ns
        if self._began_ns < 0:
            self._began_ns = self._driver.since_ns
        if not self._driver.active:
            self._done.set_result(None)
        elif snapshot.t_ns - self._told_ns >= PERIOD_NS:
            self._told_ns = snapshot.t_ns
            elapsed = 1e-9 * (snapshot.t_ns - self._began_ns)
            self._goal.publish_feedback(Dig.Feedback(**self._progress(), elapsed=elapsed))


def goal_problems(request: Dig.Goal, agent: VehicleAgent) -> list[str]:
    """Return all reasons why a vehicle cannot perform a goal; empty if it can."""
    vehicle = agent.vehicle
    known = vehicle.tools.names
    problems = []
    if unknown := sorted(set(request.tools) - set(known)):
        problems.append(f'tools {", ".join(unknown)}; allowed: {", ".join(known) or "none: the vehicle has no tools"}')
    if not 0.0 < request.target_fill <= 1.0:
        problems.append(f'target_fill {request.target_fill:g}; allowed: above 0, to 1')
    if len(request.joints) != len(request.targets):
        joints = counted_noun(len(request.joints), 'joint')
        problems.append(f'{counted_noun(len(request.targets), "target")}; allowed: one for each of {joints}')
    if twice := sorted({name for name in request.joints if list(request.joints).count(name) > 1}):
        problems.append(f'joints: {", ".join(twice)} are given more than once; allowed: each joint once')
    for name, target in zip(request.joints, request.targets):
        problems += filter(None, [joint_rejection({name: target}, vehicle.gear)])
    try:
        _order(request, {})
    except ValidationError as error:
        own = [detail for detail in error.errors(include_url=False) if detail['loc'] != ('target_fill',)]
        problems += [_in_the_actions_words(detail) for detail in own]
    if problems:
        return problems
    idle = idle_drums(agent.model, dig_order(request), vehicle.joint_goals(), vehicle.tools.levels())
    return [idle] if idle else []


_FIELDS = {'speed_mps': 'speed', 'initial_wait_s': 'initial_wait', 'timeout_s': 'timeout'}
"""Fields of the action by the keys of the task."""


def _in_the_actions_words(detail: Any) -> str:
    problem, allowed = describe_error(detail)
    key = str(detail['loc'][0]) if detail['loc'] else ''
    return f'{_FIELDS.get(key, key)} {detail["input"]}: {problem}; allowed: {allowed}'


def dig_order(request: Dig.Goal) -> DigConfig:
    """Return the task of a goal.

    Raises:
        pydantic.ValidationError: If a field is invalid.
    """
    return _order(request, dict(zip(request.joints, request.targets, strict=True)))


def _order(request: Dig.Goal, joints: dict[str, float]) -> DigConfig:
    return DigConfig(
        type='dig',
        tools=tuple(request.tools),
        target_fill=request.target_fill,
        speed_mps=request.speed,
        joints=joints,
        initial_wait_s=request.initial_wait,
        timeout_s=request.timeout or 120.0,
    )
