# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Service calls that are repeated if the response is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.executors import Executor

FIRST_PATIENCE_S = 0.5
"""Time without a response before the first repetition, wall time [s]; doubled for each further one."""


def call_service(
    executor: Executor,
    client: Any,
    request: Any,
    timeout_s: float,
    give_up: Callable[[], bool] = lambda: False,
) -> Any:
    """Call a service and return its response.

    The middleware drops the response to a client that the server has not discovered in time, which occurs for new nodes
    on a busy machine. So the request is repeated. The server must send the same response again, and act only once.

    Args:
        executor: Executor of the client's node.
        client: The client.
        request: The request.
        timeout_s: Time for the service to appear, and then for a response, wall time [s].
        give_up: Function that returns whether to stop waiting.

    Raises:
        TimeoutError: If there is no such service, or no response.
        KeyboardInterrupt: If ``give_up`` returns True.
    """

    def wait(until: float, done: Callable[[], bool]) -> bool:
        while not done():
            if give_up():
                raise KeyboardInterrupt
            left_s = until - time.monotonic()
            if left_s <= 0.0:
                return False
            executor.spin_once(timeout_sec=min(left_s, 0.05))
        return True

    if not wait(time.monotonic() + timeout_s, client.service_is_ready):
        raise TimeoutError(f'no service {client.srv_name} within {timeout_s:.1f} s')
    end = time.monotonic() + timeout_s
    patience_s = FIRST_PATIENCE_S
    asked: list[Any] = []
    try:
        while True:
            asked.append(client.call_async(request))
            if wait(min(time.monotonic() + patience_s, end), lambda: any(f.done() for f in asked)):
                return next(f for f in asked if f.done()).result()
            if time.monotonic() >= end:
                raise TimeoutError(f'no response from {client.srv_name} within {timeout_s:.1f} s')
            patience_s *= 2.0
    finally:
        for future in asked:
            client.remove_pending_request(future)
