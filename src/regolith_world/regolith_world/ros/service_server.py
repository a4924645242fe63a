# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Services that always respond, with unexpected failures in response and log; and checks of numbers in requests."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from simulation_interfaces.msg import Result

FARTHEST_M = 1e5
"""Maximum coordinate in a request [m]. Farther away a solver's floats are too coarse, and soil has no grid nodes."""


def request_coordinates(name: str, values: Iterable[float]) -> NDArray[np.float64]:
    """Return coordinates of a request [m].

    Args:
        name: Name of the field, for the message.
        values: The coordinates [m].

    Raises:
        ValueError: If one is not finite, or too large; names it.
    """
    array = np.array(values, dtype=np.float64)
    wrong = np.flatnonzero(~(np.abs(array) <= FARTHEST_M))  # includes NaN
    if wrong.size:
        index = int(wrong[0])
        why = 'is too large' if np.isfinite(array[index]) else 'is not finite'
        raise ValueError(f'{name}[{index}] = {array[index]:g} {why}; allowed: numbers within {FARTHEST_M:g} m')
    return array


def create_service(
    node: Node, kind: Any, name: str, callback: Callable[[Any, Any], Any], group: CallbackGroup | None = None
) -> None:
    """Create a service whose exceptions become responses.

    Otherwise an exception of the callback would be lost, and the client would wait without limit. A :class:`ValueError`
    states what is wrong with the request. Any other exception is also logged.

    Args:
        node: Node of the service.
        kind: Type of the service.
        name: Name of the service.
        callback: Plain or async function of request and response.
        group: Callback group; None: the default of the node.
    """

    def failed(error: Exception) -> Any:
        if isinstance(error, ValueError):
            return _told(kind.Response(), str(error))
        node.get_logger().error(f'{name} failed:\n{traceback.format_exc()}')
        return _told(kind.Response(), f'failed, see the log of {node.get_name()}: {type(error).__name__}: {error}')

    async def later(request: Any, response: Any) -> Any:
        try:
            return await callback(request, response)
        except Exception as error:  # the client needs a response in any case
            return failed(error)

    def at_once(request: Any, response: Any) -> Any:
        try:
            return callback(request, response)
        except Exception as error:
            return failed(error)

    serve = later if inspect.iscoroutinefunction(callback) else at_once
    node.create_service(kind, name, serve, callback_group=group)


def _told(response: Any, text: str) -> Any:
    """Return a response that reports a failure, as far as its type has fields for it."""
    if hasattr(response, 'result') and isinstance(response.result, Result):
        response.result = Result(result=Result.RESULT_OPERATION_FAILED, error_message=text)
    elif hasattr(response, 'message'):
        response.message = text
    return response
