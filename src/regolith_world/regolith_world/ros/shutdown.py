# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Shutdown of processes with nodes.

Ctrl-C in a terminal reaches every process of a run at once. If each process ended by itself, the world would lose its
participants within a cycle, and the bag its last messages. So only the world reacts, with STOP. The other processes
wait for it for a few seconds.
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

from regolith_files import InputError
from regolith_world.config import UnresolvedScenario
from regolith_world.ros.shared_memory import remove_abandoned_segments
from regolith_world.ros_environment import check_ros_environment

Made = TypeVar('Made')

GRACE_S = 3.0
"""Maximum wait of a participant for the world's STOP after SIGINT, wall time [s]."""
FLUSH_S = 1.0
"""Maximum wait of an ending process for the delivery of its last messages, wall time [s].

It is the period in which its writers repeat messages with the profile in ``config/fastdds.xml``.
"""

DESTROY_S = 1.0
"""Maximum time for destroying its nodes, wall time [s]. Usual are 15 ms, the maximum was 42 ms in 24 processes."""

_SIGEV_THREAD = 2


class StartupError(Exception):
    """Unusable parameters of a process. The message states what is allowed. Exit code 2."""


class ShutdownRequest:
    """A handler that records SIGINT and SIGTERM. Create it in the main thread."""

    def __init__(self) -> None:
        self._requested_at: float | None = None
        self._at_once = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._requested_at is None:
            self._requested_at = time.monotonic()
        self._at_once = self._at_once or number == signal.SIGTERM

    def request(self) -> None:
        """Request the end of this process, as the first SIGINT does."""
        if self._requested_at is None:
            self._requested_at = time.monotonic()

    @property
    def requested(self) -> bool:
        """Whether this process received a signal or request to end."""
        return self._requested_at is not None

    @property
    def overdue(self) -> bool:
        """Whether this process should end now, with or without STOP."""
        return self._requested_at is not None and (self._at_once or time.monotonic() - self._requested_at > GRACE_S)


def run_process(
    build: Callable[[], Made],
    run: Callable[[Made], int | None],
    nodes: Callable[[Made], Iterable[Node]],
    *,
    refusals: tuple[type[Exception], ...] = (TimeoutError,),
    failed: int = 1,
) -> NoReturn:
    """Run a process with nodes and end it with an exit code.

    Args:
        build: Function that returns the main object; may raise a refusal.
        run: Function that returns the exit code; None: 0.
        nodes: Function that returns the nodes of the object, destroyed at the end.
        refusals: Exceptions without a traceback; exit code 3.
        failed: Exit code after other exceptions.
    """
    try:
        check_ros_environment(os.environ)
    except InputError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    remove_abandoned_segments()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_by_signal)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    code = 0
    made: Made | None = None
    try:
        made = build()
        code = run(made) or 0
    except (StartupError, UnresolvedScenario) as error:
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
    exit_process(code, nodes(made) if made is not None else ())


def _end_by_signal(number: int, frame: FrameType | None) -> None:
    """End this process by a signal between two Python instructions, not while the middleware creates shared memory."""
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def exit_process(code: int, nodes: Iterable[Node] = ()) -> NoReturn:
    """End this process: destroy its nodes (and its shared memory segments), then exit at once.

    The normal exit of the interpreter also destroys wait sets, threads of the middleware and compiled code in an
    undefined order, which sometimes ends in SIGSEGV (seen once in about sixty runs). A destroyed publisher loses
    undelivered messages, so subscribers get :data:`FLUSH_S` to receive them.

    Fast DDS 2.14 may never return from destroying a participant while the departure of another is processed, as at the
    end of every run (twice in about fifteen runs of all tests). ``DomainParticipant::set_listener`` then loops while it
    holds the lock that the awaited callback needs, and rclpy holds that of the interpreter. :data:`DESTROY_S` limits
    this.

    Args:
        code: Exit code.
        nodes: Nodes to destroy.
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


def await_stable_graph(node: Node) -> None:
    """Wait until the graph has not changed for 0.1 s, for at most 1 s, before a node is destroyed.

    It is for processes that continue afterwards. See :func:`exit_process` for the reason.
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
        ('value', ctypes.c_long),
        ('signal', ctypes.c_int),
        ('notify', ctypes.c_int),
        ('function', ctypes.c_void_p),
        ('attributes', ctypes.c_void_p),
        ('padding', ctypes.c_byte * 32),
    )


class _Schedule(ctypes.Structure):
    """``struct itimerspec``: interval and first expiry."""

    _fields_ = (('every', ctypes.c_long * 2), ('first', ctypes.c_long * 2))


def exit_after(seconds: float, code: int) -> None:
    """Have the C library end this process after a time, even if the interpreter lock is blocked.

    Args:
        seconds: Wall time [s].
        code: Exit code.

    Raises:
        OSError: If the timer cannot be created.
    """
    library = ctypes.CDLL(None, use_errno=True)
    notice = _Notice(value=code, notify=_SIGEV_THREAD, function=ctypes.cast(library._exit, ctypes.c_void_p))
    whole = int(seconds)
    schedule = _Schedule(first=(whole, round((seconds - whole) * 1e9)))
    timer = ctypes.c_void_p()
    failed = library.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(notice), ctypes.byref(timer))
    if failed or library.timer_settime(timer, 0, ctypes.byref(schedule), None):
        raise OSError(ctypes.get_errno(), 'timer')
