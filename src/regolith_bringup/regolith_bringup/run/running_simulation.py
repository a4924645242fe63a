# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A running world, asked from the command line: status, pause, steps, speed, its past."""

from __future__ import annotations

import os
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from regolith_msgs.msg import WorldStatus
from regolith_msgs.srv import ListSnapshots, Rewind, SaveSnapshot, Step
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import ResetSimulation
from std_srvs.srv import SetBool

from regolith_bringup.run.graph_client import GraphClient
from regolith_files.problems import InputError, Problem
from regolith_world.ros import qos
from regolith_world.ros.service_client import call_service
from regolith_world.ros.status_publisher import STATES

ANSWER_S = 30.0
"""Longest wait for its answer, which comes between two cycles [wall s]."""


class RunningSimulation(GraphClient):
    """A client of the world below a namespace; use it in a ``with`` statement.

    Raises:
        InputError: on entering, if no world is heard
    """

    def entered(self) -> None:
        """Find the world."""
        self.status: WorldStatus | None = None
        self.node.create_subscription(WorldStatus, 'status', self._take, qos.LATCHED)
        if not self.wait(lambda: self.status is not None, self.PATIENCE_S):
            where = f'{self.root}/regolith/world in ROS domain {os.environ.get("ROS_DOMAIN_ID", "0")}'
            raise InputError(
                Problem('a running world', '', f'none is heard at {where}', '--domain, --namespace of one that runs')
            )

    def _take(self, status: WorldStatus) -> None:
        self.status = status

    def pause(self, standing: bool) -> WorldStatus:
        """Pause the world, or let it go on; return its status then."""
        self._ask(SetBool, 'pause', SetBool.Request(data=standing))
        wanted = WorldStatus.PAUSED if standing else WorldStatus.PLAYING
        self.wait(lambda: self.known.state in (wanted, WorldStatus.STOPPED), self.PATIENCE_S)
        return self.known

    def step(self, cycles: int) -> Step.Response:
        """Advance the paused world by cycles and return the world's answer.

        Raises:
            InputError: if it is not paused
        """
        client = self._client(Step, 'step')
        answer: Step.Response = self._await(client.call_async(Step.Request(steps=cycles)), 'step')
        if not answer.success:
            problem, _, allowed = answer.message.partition('; call ')
            allowed = './regolith pause before' if allowed else 'to leave a world alone that takes steps'
            raise InputError(Problem('step', '', problem, allowed))
        return answer

    def rewind(self, to: int | str, live: bool) -> Rewind.Response:
        """Bring the world back to its last commit at or before a time [ns], or to a snapshot, and return its answer.

        Args:
            live: whether the future is forgotten

        Raises:
            InputError: if it cannot go there
        """
        client = self._client(Rewind, 'rewind')
        inputs = Rewind.Request.LIVE if live else Rewind.Request.REPLAY
        place = {'snapshot': to} if isinstance(to, str) else {'t_ns': to}
        answer: Rewind.Response = self._await(client.call_async(Rewind.Request(inputs=inputs, **place)), 'rewind')
        if not answer.success:
            problem, _, allowed = answer.message.partition('; allowed: ')
            raise InputError(Problem('rewind', '', problem, allowed or 'what ./regolith snapshot list prints'))
        return answer

    def reset(self) -> None:
        """Bring the world back to its beginning, ``/clock`` with it.

        Raises:
            InputError: if it refuses
        """
        client = self._client(ResetSimulation, 'reset_simulation')
        answer = self._await(client.call_async(ResetSimulation.Request()), 'reset')
        if answer.result.result != Result.RESULT_OK:
            raise InputError(Problem('reset', '', answer.result.error_message, 'a world that can be reset'))

    def save_snapshot(self, name: str) -> SaveSnapshot.Response:
        """Have the world keep this moment, and return its answer.

        Raises:
            InputError: if it refuses
        """
        answer: SaveSnapshot.Response = self._await(
            self._client(SaveSnapshot, 'save_snapshot').call_async(SaveSnapshot.Request(name=name)), 'snapshot save'
        )
        if not answer.success:
            problem, _, allowed = answer.message.partition('; allowed: ')
            raise InputError(Problem('snapshot save', '', problem, allowed or 'another name'))
        return answer

    def list_snapshots(self) -> ListSnapshots.Response:
        """Return the moments that the world has kept."""
        answer: ListSnapshots.Response = self._ask(ListSnapshots, 'list_snapshots', ListSnapshots.Request())
        return answer

    def _client(self, kind: Any, service: str) -> Any:
        client = self.node.create_client(kind, f'{self.root}/regolith/world/{service}')
        if not self.wait(client.service_is_ready, self.PATIENCE_S):
            raise InputError(Problem(service, '', f'no service {client.srv_name}', 'a world that runs'))
        return client

    def _await(self, called: Any, what: str) -> Any:
        """Return the answer to what was asked once, and may take long; a repeated request would be done twice."""
        while not self.wait(called.done, 1.0):
            if self.node.count_publishers(f'{self.root}/regolith/status') == 0:
                raise InputError(Problem(what, '', 'the world has left', 'a world that runs'))
        return called.result()

    def set_real_time_factor(self, speed: float) -> None:
        """Cap the speed, simulated seconds per wall second; 0: no cap.

        Raises:
            InputError: if the world refuses
        """
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=float(speed))
        request = SetParameters.Request(parameters=[Parameter(name='real_time_factor', value=value)])
        (result,) = self._ask(SetParameters, 'set_parameters', request).results
        if not result.successful:
            raise InputError(Problem('real_time_factor', '', result.reason, 'a number above 0, or max', f'{speed:g}'))

    @property
    def known(self) -> WorldStatus:
        """The last status."""
        assert self.status is not None
        return self.status

    def _ask(self, kind: Any, service: str, request: Any) -> Any:
        client = self.node.create_client(kind, f'{self.root}/regolith/world/{service}')
        try:
            return call_service(self.executor, client, request, ANSWER_S)
        except TimeoutError as error:
            self.wait(lambda: False, 0.1)  # for its newest status
            problem = str(error)
            if self.known.state == WorldStatus.STALLED:
                problem += f'; it is held, and does what was asked when it goes on: {self.known.message}'
            raise InputError(Problem('a running world', '', problem, 'one that goes on')) from None


def status_line(status: WorldStatus) -> str:
    """Return a status on one line."""
    end = f' of {status.end_ns * 1e-9:g}' if status.end_ns else ''
    text = f'{STATES.get(status.state, "unknown")} at {status.t_ns * 1e-9:.3f}{end} s, cycle {status.cycle}'
    return f'{text}, real-time factor {status.real_time_factor:.2f}' if status.state == WorldStatus.PLAYING else text
