# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Screenshot of a page with headless Chromium, controlled by the DevTools protocol over a pipe."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from regolith_files import InputError, Problem

BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
VARIABLE = 'REGOLITH_BROWSER'
"""Environment variable with the path of a browser."""
_FLAGS = (
    '--headless=new',
    '--no-first-run',
    '--no-default-browser-check',
    '--hide-scrollbars',
    '--mute-audio',
    '--disable-extensions',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    # WebGL without a graphics card.
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--ignore-gpu-blocklist',
    '--remote-debugging-pipe',
    'about:blank',
)
_ANSWER_S = 60.0
_POLL_S = 3.0
_SAME = 2
"""Number of equal screenshots after which a page counts as stable. A busy machine draws slowly."""
_LONG_SAME = 8
"""Number of equal screenshots after which it counts as stable even if loading is not complete."""
_LEAVE_S = 10.0
_QUIET_S = 4.0
"""Time without loading after which the page counts as loaded [wall s]."""


def find_browser() -> str | None:
    """Return the path of a browser, or None."""
    named = os.environ.get(VARIABLE)
    if named:
        return named if shutil.which(named) else None
    return next((path for path in map(shutil.which, BROWSERS) if path is not None), None)


def require_browser() -> str:
    """Return the path of a browser.

    Raises:
        InputError: If no browser is found.
    """
    found = find_browser()
    if found is None:
        allowed = f'chromium on the PATH (on Debian or Ubuntu: apt install chromium), or {VARIABLE} with its path'
        raise InputError(Problem('view --screenshot', '', 'no Chromium found', allowed))
    return found


class Browser:
    """Headless browser, for use in a ``with`` statement.

    Args:
        path: Path of the program.
        size: Size of the page [px].
    """

    def __init__(self, path: str, size: tuple[int, int]) -> None:
        self._path, self._size = path, size
        self._number = 0
        self._received = b''
        self._loaded, self._loaded_at = 0, 0.0

    def __enter__(self) -> Self:
        """Start the browser."""
        self._home = tempfile.TemporaryDirectory(prefix='regolith_browser_', ignore_cleanup_errors=True)
        to_read, self._to_write = os.pipe()
        self._to_read, to_write = os.pipe()

        def ends() -> None:
            # The protocol uses descriptors 3 and 4, which may be in use by a pipe end.
            first, second = os.dup(to_read), os.dup(to_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        sandbox = ('--no-sandbox',) if os.geteuid() == 0 else ()  # the sandbox is not available for root
        self._process = subprocess.Popen(
            [
                self._path,
                f'--user-data-dir={self._home.name}',
                f'--window-size={self._size[0]},{self._size[1]}',
                *sandbox,
                *_FLAGS,
            ],
            close_fds=False,
            preexec_fn=ends,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._session = ''
        targets = self._ask('Target.getTargets')['targetInfos']
        page = next(t for t in targets if t['type'] == 'page')
        self._session = self._ask('Target.attachToTarget', targetId=page['targetId'], flatten=True)['sessionId']
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the browser."""
        for end in (self._to_write, self._to_read):
            os.close(end)  # the browser exits when its pipe is closed
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._home.cleanup()

    def open(self, url: str) -> None:
        """Open a page in dark colors."""
        width, height = self._size
        self._ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._ask('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark'}])
        self._ask('Network.enable')
        self._ask('Page.navigate', url=url)

    def picture(self) -> bytes:
        """Return a screenshot of the page as PNG."""
        return base64.b64decode(self._ask('Page.captureScreenshot', format='png')['data'])

    def settled_picture(self, patience_s: float, least_bytes: int, blank_bytes: int) -> bytes:
        """Return a screenshot of the page once it is loaded and no longer changes.

        Args:
            patience_s: Time after which the page is taken as it is [wall s].
            least_bytes: Data that the page loads before it is complete [bytes].
            blank_bytes: Maximum size of a screenshot of a blank page [bytes].

        Raises:
            TimeoutError: If the page is still blank at this time.
        """
        started, before, same = time.monotonic(), b'', 0
        while True:
            time.sleep(_POLL_S)
            now = self.picture()
            same = same + 1 if now == before else 0
            elapsed = time.monotonic() - started
            complete = self._loaded >= least_bytes and time.monotonic() - self._loaded_at > _QUIET_S
            if len(now) > blank_bytes and ((same >= _SAME and complete) or same >= _LONG_SAME or elapsed > patience_s):
                return now
            if elapsed > patience_s:
                raise TimeoutError(f'the page is blank after {patience_s:g} s')
            before = now

    def _ask(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its result.

        Raises:
            OSError: If the browser has exited.
        """
        self._number += 1
        command: dict[str, Any] = {'id': self._number, 'method': method, 'params': parameters}
        if self._session:
            command['sessionId'] = self._session
        os.write(self._to_write, json.dumps(command).encode() + b'\0')
        until = time.monotonic() + _ANSWER_S
        while True:
            text, found, rest = self._received.partition(b'\0')
            if found:
                self._received = rest
                response = json.loads(text)
                if response.get('method') == 'Network.dataReceived':
                    self._loaded += int(response['params']['dataLength'])
                    self._loaded_at = time.monotonic()
                if response.get('id') == self._number:
                    if 'error' in response:
                        raise OSError(f'{method}: {response["error"].get("message")}')
                    return response['result']
                continue
            ready, _, _ = select.select([self._to_read], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._to_read, 1 << 20) if ready else b''
            if not data:
                raise OSError(f'{Path(self._path).name} does not respond')
            self._received += data
