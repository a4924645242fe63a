# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Start of every node's process, before slow imports."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from regolith_files import open_streams
from regolith_world.numerics import kernel_cache

PARENT_VARIABLE = 'REGOLITH_PARENT'
"""Environment variable with the parent process of a node. The node ends with it. Not set for nodes started by hand."""

_PR_SET_PDEATHSIG = 1


def disable_mujoco_graphics() -> None:
    """Prevent MuJoCo from loading GLFW on import (0.13 s of 1.5 s per process), because no rendering uses it."""
    os.environ.setdefault('MUJOCO_GL', 'disable')


def run_node() -> None:
    """Run the node of the executable ``lib/PACKAGE/NODE``: call ``PACKAGE.NODE.main``.

    Until the node handles signals itself, they end the process without the traceback of an import.
    """
    open_streams(lossy=True)
    disable_mujoco_graphics()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The parent may have blocked the signal until now.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    exit_with_parent()
    kernel_cache.configure()
    executable = Path(sys.argv[0])
    import_module(f'{executable.parent.name}.{executable.name}').main()


def exit_with_parent() -> None:
    """Have the kernel send SIGINT to this process when its parent ends, as to all nodes of the run.

    This has the effect of Ctrl-C in a terminal: the world sends STOP, and all other nodes wait for it.
    """
    parent = os.environ.pop(PARENT_VARIABLE, '')
    if parent.isdecimal():
        end_with_process(int(parent), signal.SIGINT)


def end_with_process(parent: int, number: signal.Signals = signal.SIGTERM) -> None:
    """Have the kernel send a signal to this process when the process that started it ends.

    Args:
        parent: Id of the process that started this one.
        number: Signal to send.
    """
    # The parent may have blocked the signal.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    if os.getppid() == parent:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    # The parent may have ended before prctl, or a debugger may be in between.
    if os.getppid() != parent and not Path(f'/proc/{parent}').exists():
        os._exit(128 + signal.SIGTERM)
