# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Process of an agent: it has what the agent may know, and nothing of the simulation.

The map is in memory that both processes share, so that it is scored as it stood when the agent fails. Responses are
JSON: the simulation never executes what an agent sends.

Run as ``python -m regolith_bringup.challenge.agent_process REQUESTS RESPONSES MAP FILE``, with three file descriptors.
"""

from __future__ import annotations

import importlib.util
import json
import math
import mmap
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.challenge.autonomous_agent import AutonomousAgent, VelocityControl
from regolith_bringup.challenge.geometric_map import GeometricMap

Floats = NDArray[np.float64]
_STARTUP_S = 60.0
"""Time in which the process of an agent has to start [s of wall time]."""


class AgentError(Exception):
    """An agent failed, gave a response that is not valid, or took too long."""


class AgentProcess:
    """Agent in a process of its own.

    Args:
        file: Python file of the agent.
        cells: Cells along a side of the map.
        user: User whose rights the process has; empty: those of this process.

    Raises:
        AgentError: If the file has no agent.
    """

    def __init__(self, file: Path, cells: int, user: str = '') -> None:
        descriptor = os.memfd_create('challenge-map')
        os.ftruncate(descriptor, cells * cells * 4 * 8)
        self._map = np.frombuffer(mmap.mmap(descriptor, 0), dtype=np.float64).reshape(cells, cells, 4)
        requests_in, requests_out = os.pipe()
        responses_in, responses_out = os.pipe()
        theirs = (requests_in, responses_out, descriptor)
        command = [sys.executable, '-m', __name__, *map(str, theirs), str(file.resolve())]
        rights: dict[str, Any] = {'user': user, 'extra_groups': ()} if user else {}
        try:
            # What an agent prints belongs to the log, not to the result.
            self._process = subprocess.Popen(
                command, pass_fds=theirs, stdin=subprocess.DEVNULL, stdout=sys.stderr, **rights
            )
        finally:
            for each in theirs:
                os.close(each)
        self._requests = Connection(requests_out, readable=False)
        self._responses = Connection(responses_in, writable=False)
        self._receive(_STARTUP_S)

    def __enter__(self) -> AgentProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the response to a request.

        Raises:
            AgentError: If the agent failed, or did not respond in time.
        """
        try:
            self._requests.send_bytes(pickle.dumps(request, protocol=5))
        except OSError as error:
            raise AgentError(f'the process of the agent ended with status {self._process.wait()}') from error
        return self._receive(timeout_s)

    def _receive(self, timeout_s: float) -> dict[str, Any]:
        """Return the next response; see :meth:`ask`."""
        try:
            if not self._responses.poll(max(timeout_s, 0.0)):
                raise AgentError(f'no response within {timeout_s:.0f} s of wall time')
            response = json.loads(self._responses.recv_bytes())
        except (EOFError, OSError) as error:
            raise AgentError(f'the process of the agent ended with status {self._process.wait()}') from error
        except ValueError as error:
            raise AgentError(f'a response is not valid: {error}') from error
        if not isinstance(response, dict):
            raise AgentError(f'a response is not valid: {response!r}; allowed: a mapping')
        if 'error' in response:
            raise AgentError(str(response['error']))
        return response

    @property
    def map_array(self) -> Floats:
        """Return a copy of the map as it stands, shape (cells, cells, 4)."""
        return self._map.copy()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._requests.close()
        self._responses.close()


# -- in the process of the agent ------------------------------------------------------------------------


def load_agent(file: Path) -> type[AutonomousAgent]:
    """Return the class of the agent of a file.

    Raises:
        ValueError: If the file has no function ``get_entry_point``, or that names no agent.
    """
    spec = importlib.util.spec_from_file_location('challenge_agent', file)
    if spec is None or spec.loader is None:
        raise ValueError(f'{file}: is not a Python file; allowed: the .py file of an agent')
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(file.parent))
    spec.loader.exec_module(module)
    entry = getattr(module, 'get_entry_point', None)
    if not callable(entry):
        raise ValueError(f'{file}: has no function get_entry_point; allowed: one that returns the name of a class')
    name = entry()
    found = getattr(module, str(name), None)
    if not (isinstance(found, type) and issubclass(found, AutonomousAgent)):
        raise ValueError(f'{file}: get_entry_point() = {name!r}: names no subclass of AutonomousAgent')
    return found


class _Host:
    """Agent and its responses."""

    def __init__(self, file: Path, memory: Floats) -> None:
        self._agent = load_agent(file)()
        self._memory = memory

    def setup(self, request: Mapping[str, Any]) -> dict[str, Any]:
        agent = self._agent
        agent._map = GeometricMap(len(self._memory), request['cell_m'], self._memory)
        agent._cameras = request['cameras']
        agent._start, agent._lander = request['start'], request['lander']
        agent._state = request['state']
        agent.setup(request['config'])
        sensors = {str(getattr(key, 'value', key)): dict(values) for key, values in agent.sensors().items()}
        for name, values in sensors.items():
            agent._command.cameras[name] = bool(values.get('camera_active', False))
            agent._command.lights[name] = float(values.get('light_intensity', 0.0))
        return {'fiducials': bool(agent.use_fiducials()), 'sensors': sensors}

    def step(self, request: Mapping[str, Any]) -> dict[str, Any]:
        agent = self._agent
        agent._state = request['state']
        given = agent.run_step(request['images'])
        linear, angular = VelocityControl(*given) if isinstance(given, tuple | list) else (given.linear, given.angular)
        pose = agent.get_estimated_pose()
        return {
            **asdict(agent._command),
            'linear': float(linear),
            'angular': float(angular),
            'pose': None if pose is None else asdict(pose),
        }

    def finalize(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._agent._state = request['state']
        self._agent.finalize()
        return {}


def _main(requests: Connection, responses: Connection, descriptor: int, file: Path) -> None:
    memory = np.frombuffer(mmap.mmap(descriptor, 0), dtype=np.float64)
    cells = math.isqrt(len(memory) // 4)
    host = None
    while True:
        try:
            if host is None:
                host, response = _Host(file, memory.reshape(cells, cells, 4)), {}
            else:
                request = pickle.loads(requests.recv_bytes())
                response = getattr(host, request['do'])(request)
        except EOFError:
            return
        except BaseException as error:
            where = traceback.format_exception(error)
            response = {'error': f'{type(error).__name__}: {error}'}
            print(''.join(where), file=sys.stderr)
        responses.send_bytes(json.dumps(response).encode())


if __name__ == '__main__':
    _, first, second, third, path = sys.argv
    _main(Connection(int(first), writable=False), Connection(int(second), readable=False), int(third), Path(path))
