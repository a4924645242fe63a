# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Rerun viewer as a window, as a page on this machine, or as a screenshot."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from regolith_bringup.view.headless_browser import Browser, require_browser
from regolith_files import InputError, Problem
from regolith_world import end_with_process

_LOOPBACK = '127.0.0.1'
_SILENT = {'RERUN_APP_ONLY': 'true', 'CI': 'true'}
"""Environment of a viewer without questions and statistics. Rerun sends no statistics on build servers."""
_START_S = 30.0
_LEAVE_S = 5.0
_BLANK_BYTES = 60_000
"""Maximum size of a screenshot of a page without terrain [bytes]."""
_PATIENCE_S = 180.0
_SHARE = 0.8
"""Minimum fraction of a file that a page loads [-]. Compression may reduce the transferred size."""


def check_screen() -> None:
    """Refuse to open a window without a screen.

    Raises:
        InputError: If there is no screen. The message lists the alternatives.
    """
    if sys.platform.startswith('linux') and not (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        allowed = '--web, --save FILE.rrd, --screenshot FILE.png'
        raise InputError(Problem('view', '', 'no screen found (neither DISPLAY nor WAYLAND_DISPLAY)', allowed))


def has_graphics_card(devices: Path = Path('/dev')) -> bool:
    """Return whether this machine seems to have a graphics card."""
    if not sys.platform.startswith('linux'):
        return True
    # Devices of kernel drivers, of NVIDIA in a container, of WSL.
    return any(any(devices.glob(name)) for name in ('dri/renderD*', 'nvidia0', 'dxg'))


def rerun_program() -> str:
    """Return the path of the viewer in the Python wheel."""
    spec = find_spec('rerun_cli')
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / 'rerun')


class Viewer:
    """Viewer in a separate process, for use in a ``with`` statement.

    Args:
        web: Whether to serve a page for browsers of this machine instead of opening a window.
        file: File to show, None for data sent to :attr:`address`.
        memory: Memory limit of the viewer, e.g. '2GB'.
    """

    def __init__(self, *, web: bool, file: Path | None = None, memory: str = '50%') -> None:
        self._web, self._file, self._memory = web, file, memory
        self._port, self._web_port = _free_port(), _free_port()
        self.address = f'rerun+http://{_LOOPBACK}:{self._port}/proxy'
        """Address that receives drawn data."""
        self.page = f'http://{_LOOPBACK}:{self._web_port}/?url={quote(self.address, safe="")}'
        """Address of the page."""

    def __enter__(self) -> Self:
        """Start the viewer and wait until it listens.

        Raises:
            OSError: If it does not start.
        """
        words = [rerun_program(), '--bind', _LOOPBACK, '--port', str(self._port), '--hide-welcome-screen']
        words += ['--serve-web', '--web-viewer-port', str(self._web_port)] if self._web else []
        words += ['--server-memory-limit', self._memory, '--memory-limit', self._memory]
        words += [str(self._file)] if self._file is not None else []
        environment = {**os.environ, **_SILENT, 'RUST_LOG': os.environ.get('RUST_LOG', 'error')}
        # The viewer must end with this process, because it may hold gigabytes of data.
        self._process = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            preexec_fn=partial(end_with_process, os.getpid()),
        )
        ports = [self._port, self._web_port] if self._web else [self._port]
        until = time.monotonic() + _START_S
        try:
            while not all(map(_listens, ports)):
                if self._process.poll() is not None or time.monotonic() > until:
                    raise OSError('the viewer did not start')
                time.sleep(0.05)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the viewer."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_LEAVE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def ended(self, within_s: float) -> bool:
        """Return whether the viewer was closed, waiting up to a time [wall s]."""
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            return False
        return True


def screenshot(file: Path, image: Path, size: tuple[int, int]) -> None:
    """Write a screenshot of the final state of a recording, drawn by the Rerun page in a headless browser.

    Args:
        file: Recording.
        image: PNG file to write.
        size: Size of the window [px].

    Raises:
        InputError: If there is no browser, or it cannot draw.
    """
    path = require_browser()
    try:
        with Viewer(web=True, file=file) as viewer, Browser(path, size) as browser:
            browser.open(viewer.page)
            data = browser.settled_picture(_PATIENCE_S, round(_SHARE * file.stat().st_size), _BLANK_BYTES)
    except (OSError, TimeoutError) as error:
        allowed = 'a Chromium that can draw WebGL, or --save FILE.rrd'
        raise InputError(Problem('view --screenshot', '', str(error), allowed)) from None
    image.write_bytes(data)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((_LOOPBACK, port)) == 0
