# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Services that always respond: an unexpected failure is in the response and in the log; and numbers in requests."""

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
"""Largest coordinate in a request [m]: farther away floats of a solver are too coarse, and soil has no grid nodes."""


def coordinates(name: str, values: Iterable[float]) -> NDArray[np.float64]:
    """Return coordinates of a request [m].

    Args:
        name: of the field, for the message

    Raises:
        ValueError: if one is not a number, or too large
    """
    array = np.array(values, dtype=np.float64)
    wrong = np.flatnonzero(~(np.abs(array) <= FARTHEST_M))  # NaN, too
    if wrong.size:
        index = int(wrong[0])
        raise ValueError(f'{name}[{index}] = {array[index]:g}; allowed: numbers within {FARTHEST_M:g} m')
    return array


def create_service(
    node: Node, kind: Any, name: str, callback: Callable[[Any, Any], Any], group: CallbackGroup | None = None
) -> None:
    """Create a service.

    What its callback raises would otherwise be lost, and the client would wait without an end. A :class:`ValueError`
    says what is wrong with the request; anything else is logged, too.

    Args:
        callback: plain or async, of request and response
    """

    def failed(error: Exception) -> Any:
        if isinstance(error, ValueError):
            return _told(kind.Response(), str(error))
        node.get_logger().error(f'{name} failed:\n{traceback.format_exc()}')
        return _told(kind.Response(), f'failed, see the log of {node.get_name()}: {type(error).__name__}: {error}')

    async def later(request: Any, response: Any) -> Any:
        try:
            return await callback(request, response)
        except Exception as error:  # a client waits, whatever it is
            return failed(error)

    def at_once(request: Any, response: Any) -> Any:
        try:
            return callback(request, response)
        except Exception as error:
            return failed(error)

    serve = later if inspect.iscoroutinefunction(callback) else at_once
    node.create_service(kind, name, serve, callback_group=group)


def _told(response: Any, text: str) -> Any:
    """Return a response that says that it failed, as far as its type has words for that."""
    if hasattr(response, 'result') and isinstance(response.result, Result):
        response.result = Result(result=Result.RESULT_OPERATION_FAILED, error_message=text)
    elif hasattr(response, 'message'):
        response.message = text
    return response
