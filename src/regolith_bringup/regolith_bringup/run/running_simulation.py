# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Client of a running simulation for commands: status, pause, steps, real-time factor, rewind."""

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
from regolith_files import InputError, Problem
from regolith_world.ros import WORLD_STATE_NAMES, call_service, qos

ANSWER_S = 30.0
"""Timeout of a response, which is sent between two cycles [wall s]."""


class RunningSimulation(GraphClient):
    """Client of the world in a namespace, for use in a ``with`` statement.

    Raises:
        InputError: On entering, if no world is found.
    """

    def entered(self) -> None:
        """Find the world."""
        self.status: WorldStatus | None = None
        self.node.create_subscription(WorldStatus, 'status', self._take, qos.LATCHED)
        if not self.wait(lambda: self.status is not None, self.DISCOVERY_TIMEOUT_S):
            where = f'{self.root}/regolith/world in ROS domain {os.environ.get("ROS_DOMAIN_ID", "0")}'
            raise InputError(
                Problem(
                    'a running simulation',
                    '',
                    f'none found at {where}',
                    '--domain and --namespace of a running simulation',
                )
            )

    def _take(self, status: WorldStatus) -> None:
        self.status = status

    def pause(self, standing: bool) -> WorldStatus:
        """Pause or resume the world and return its status afterwards."""
        self._ask(SetBool, 'pause', SetBool.Request(data=standing))
        wanted = WorldStatus.PAUSED if standing else WorldStatus.PLAYING
        self.wait(lambda: self.known.state in (wanted, WorldStatus.STOPPED), self.DISCOVERY_TIMEOUT_S)
        return self.known

    def step(self, cycles: int) -> Step.Response:
        """Advance the paused world by a number of steps and return its response.

        Args:
            cycles: Number of steps.

        Raises:
            InputError: If the world is not paused.
        """
        client = self._client(Step, 'step')
        response: Step.Response = self._await(client.call_async(Step.Request(steps=cycles)), 'step')
        if not response.success:
            problem, _, allowed = response.message.partition('; call ')
            allowed = './regolith pause first' if allowed else 'a world that is not executing steps'
            raise InputError(Problem('step', '', problem, allowed))
        return response

    def rewind(self, to: int | str, live: bool) -> Rewind.Response:
        """Return the world to its last commit at or before a time [ns], or to a snapshot.

        Args:
            to: Simulated time [ns], or name of a snapshot.
            live: Whether later inputs are discarded.

        Returns:
            Response of the world.

        Raises:
            InputError: If the world cannot return there.
        """
        client = self._client(Rewind, 'rewind')
        inputs = Rewind.Request.LIVE if live else Rewind.Request.REPLAY
        place = {'snapshot': to} if isinstance(to, str) else {'t_ns': to}
        response: Rewind.Response = self._await(client.call_async(Rewind.Request(inputs=inputs, **place)), 'rewind')
        if not response.success:
            problem, _, allowed = response.message.partition('; allowed: ')
            raise InputError(Problem('rewind', '', problem, allowed or 'what ./regolith snapshot list prints'))
        return response

    def reset(self) -> None:
        """Reset the world to t = 0, ``/clock`` included.

        Raises:
            InputError: If the world refuses.
        """
        client = self._client(ResetSimulation, 'reset_simulation')
        response = self._await(client.call_async(ResetSimulation.Request()), 'reset')
        if response.result.result != Result.RESULT_OK:
            raise InputError(Problem('reset', '', response.result.error_message, 'a world that can be reset'))

    def save_snapshot(self, name: str) -> SaveSnapshot.Response:
        """Save a snapshot of the current state and return the response of the world.

        Args:
            name: Name of the snapshot.

        Raises:
            InputError: If the world refuses.
        """
        response: SaveSnapshot.Response = self._await(
            self._client(SaveSnapshot, 'save_snapshot').call_async(SaveSnapshot.Request(name=name)), 'snapshot save'
        )
        if not response.success:
            problem, _, allowed = response.message.partition('; allowed: ')
            raise InputError(Problem('snapshot save', '', problem, allowed or 'another name'))
        return response

    def list_snapshots(self) -> ListSnapshots.Response:
        """Return the snapshots of the world."""
        response: ListSnapshots.Response = self._ask(ListSnapshots, 'list_snapshots', ListSnapshots.Request())
        return response

    def _client(self, kind: Any, service: str) -> Any:
        client = self.node.create_client(kind, f'{self.root}/regolith/world/{service}')
        if not self.wait(client.service_is_ready, self.DISCOVERY_TIMEOUT_S):
            raise InputError(Problem(service, '', f'no service {client.srv_name}', 'a running simulation'))
        return client

    def _await(self, called: Any, what: str) -> Any:
        """Return the response to a request that may take long and must not be repeated."""
        while not self.wait(called.done, 1.0):
            if self.node.count_publishers(f'{self.root}/regolith/status') == 0:
                raise InputError(Problem(what, '', 'the world has ended', 'a running simulation'))
        return called.result()

    def set_real_time_factor(self, speed: float) -> None:
        """Limit the real-time factor.

        Args:
            speed: Maximum real-time factor, 0 for no limit.

        Raises:
            InputError: If the world refuses.
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
            self.wait(lambda: False, 0.1)  # to receive its newest status
            problem = str(error)
            if self.known.state == WorldStatus.STALLED:
                problem += f'; the world is waiting and executes the request when it continues: {self.known.message}'
            raise InputError(Problem('a running simulation', '', problem, 'one that is not waiting')) from None


def status_line(status: WorldStatus) -> str:
    """Return a status on one line."""
    end = f' of {status.end_ns * 1e-9:g}' if status.end_ns else ''
    text = f'{WORLD_STATE_NAMES.get(status.state, "unknown")} at {status.t_ns * 1e-9:.3f}{end} s, cycle {status.cycle}'
    return f'{text}, real-time factor {status.real_time_factor:.2f}' if status.state == WorldStatus.PLAYING else text
