# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Services that always answer: a failure that nobody thought of is told to whoever asked, and to the log."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from simulation_interfaces.msg import Result


def offer(
    node: Node, kind: Any, name: str, callback: Callable[[Any, Any], Any], group: CallbackGroup | None = None
) -> None:
    """Create a service.

    What its callback raises would otherwise be lost, and the client would wait for ever.

    :param callback: plain or async, of request and response
    """

    async def answer(request: Any, response: Any) -> Any:
        try:
            answered = callback(request, response)
            return await answered if inspect.isawaitable(answered) else answered
        except Exception as error:  # a client waits, whatever it is
            node.get_logger().error(f'{name} failed:\n{traceback.format_exc()}')
            return _told(kind.Response(), f'failed, see the log of the world: {type(error).__name__}: {error}')

    node.create_service(kind, name, answer, callback_group=group)


def _told(response: Any, text: str) -> Any:
    """Return a response that says that it failed, as far as its type has words for that."""
    if hasattr(response, 'result') and isinstance(response.result, Result):
        response.result = Result(result=Result.RESULT_OPERATION_FAILED, error_message=text)
    elif hasattr(response, 'message'):
        response.message = text
    return response
