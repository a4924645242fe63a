# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""How nodes end when somebody asks them to.

Ctrl-C in a terminal reaches every process of a run at once. If each left on its own, the world would lose its
participants in mid-cycle and the bag its last messages; so only the world reacts, by saying STOP, and the others
wait for that, for a few seconds at most.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from types import FrameType
from typing import NoReturn, TypeVar

import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from regolith_world.config import UnresolvedScenario

Made = TypeVar('Made')

GRACE_S = 3.0
"""How long a participant waits for the world's STOP after SIGINT [wall s]."""
FLUSH_S = 1.0
"""How long a process that leaves waits at most for its last messages to arrive [wall s]: a heartbeat of its writers, as
long as the profile in ``config/fastdds.xml`` is in force."""

DESTROY_S = 1.0
"""How long it may then take to destroy its nodes [wall s]: 15 ms as a rule, 42 ms at most in 24 processes."""

_SIGEV_THREAD = 2


class BadStart(Exception):
    """What a process was started with cannot be used, or not here; the message says what is allowed. Exit code 2."""


class Leaving:
    """Notes SIGINT and SIGTERM instead of dying of them. Make it in the main thread."""

    def __init__(self) -> None:
        self._asked: float | None = None
        self._at_once = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._asked is None:
            self._asked = time.monotonic()
        self._at_once = self._at_once or number == signal.SIGTERM

    @property
    def asked(self) -> bool:
        """Whether somebody asked this process to end."""
        return self._asked is not None

    @property
    def overdue(self) -> bool:
        """Whether it should end now, STOP or not."""
        return self._asked is not None and (self._at_once or time.monotonic() - self._asked > GRACE_S)


def run_process(
    build: Callable[[], Made], run: Callable[[Made], int | None], nodes: Callable[[Made], Iterable[Node]], *,
    refusals: tuple[type[Exception], ...] = (TimeoutError,), failed: int = 1,
) -> NoReturn:
    """Be a process with nodes in it: build what it is, run it, leave with an exit code.

    :param build: may refuse, too
    :param run: returns the exit code; none is 0
    :param nodes: to take off the network at the end
    :param refusals: need no traceback; exit code 3
    :param failed: exit code after anything else
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    code = 0
    made: Made | None = None
    try:
        made = build()
        code = run(made) or 0
    except (BadStart, UnresolvedScenario) as error:
        print(f'{error}', file=sys.stderr)
        code = 2
    except refusals as error:
        print(f'{error}', file=sys.stderr)
        code = 3
    except KeyboardInterrupt:
        pass
    except Exception:
        traceback.print_exc()
        code = failed
    leave(code, nodes(made) if made is not None else ())


def leave(code: int, nodes: Iterable[Node] = ()) -> NoReturn:
    """End this process: take its nodes off the network (and its segments out of shared memory), then go at once.

    The interpreter's own end would still destroy wait sets, threads of the middleware and compiled code in whatever
    order it finds them in, which is sometimes the wrong one and ends in SIGSEGV (seen once in some sixty runs).
    A publisher that goes takes with it what has not arrived: who listens gets :data:`FLUSH_S` to take the last of it.

    Fast DDS 2.14 may never come back from destroying a participant while another's departure is being noticed, as at
    the end of every run (twice in some fifteen runs of all tests): ``DomainParticipant::set_listener`` then turns in
    circles, holding the lock that the callback it waits for needs, and rclpy the interpreter's. Hence
    :data:`DESTROY_S`.
    """
    nodes = list(nodes)
    until = time.monotonic() + FLUSH_S
    for publisher in (publisher for node in nodes for publisher in node.publishers):
        publisher.wait_for_all_acked(Duration(seconds=max(until - time.monotonic(), 0.0)))
    sys.stdout.flush()
    sys.stderr.flush()
    exit_after(DESTROY_S, code)
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()
    os._exit(code)


def await_quiet(node: Node) -> None:
    """Wait until nobody has come or gone for a tenth of a second, a second at most, before a node is destroyed.

    For processes that go on afterwards: see :func:`leave` for what may happen otherwise.
    """
    known: list[tuple[str, str]] = []
    changed = begun = time.monotonic()
    while (now := time.monotonic()) - changed < 0.1 and now - begun < 1.0:
        if (found := node.get_node_names_and_namespaces()) != known:
            known, changed = found, now
        time.sleep(0.01)


class _Notice(ctypes.Structure):
    """``struct sigevent`` of the GNU C library."""

    _fields_ = (
        ('value', ctypes.c_long), ('signal', ctypes.c_int), ('notify', ctypes.c_int), ('function', ctypes.c_void_p),
        ('attributes', ctypes.c_void_p), ('padding', ctypes.c_byte * 32),
    )


class _Schedule(ctypes.Structure):
    """``struct itimerspec``: interval and first expiry."""

    _fields_ = (('every', ctypes.c_long * 2), ('first', ctypes.c_long * 2))


def exit_after(seconds: float, code: int) -> None:
    """Have the C library end this process then, even if nobody can get the interpreter's lock any more.

    :raises OSError: if it refuses
    """
    library = ctypes.CDLL(None, use_errno=True)
    notice = _Notice(value=code, notify=_SIGEV_THREAD, function=ctypes.cast(library._exit, ctypes.c_void_p))
    whole = int(seconds)
    schedule = _Schedule(first=(whole, round((seconds - whole) * 1e9)))
    timer = ctypes.c_void_p()
    failed = library.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(notice), ctypes.byref(timer))
    if failed or library.timer_settime(timer, 0, ctypes.byref(schedule), None):
        raise OSError(ctypes.get_errno(), 'timer')
