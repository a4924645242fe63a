# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Network namespaces as the hosts of a run: each has an address, shared memory and a host name of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import relay

# What a container has of its own in addition to the network; processes in it are ours to signal.
_ENTER = 'mount -t tmpfs none /dev/shm && echo "$0" > /proc/sys/kernel/hostname && exec "$@"'


def why_not() -> str:
    """Return what this machine lacks for it; '': nothing."""
    if os.geteuid() != 0:
        return 'network namespaces are made by root'
    if not os.access('/dev/net/tun', os.R_OK | os.W_OK):
        return 'there is no /dev/net/tun'
    name = f'rg{os.getpid()}'
    try:
        subprocess.run(['ip', 'netns', 'add', name], check=True, capture_output=True)
        inside = ['unshare', '--mount', '--uts', 'sh', '-c', _ENTER, name, 'true']
        subprocess.run(['ip', 'netns', 'exec', name, *inside], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f'network namespaces cannot be made: {getattr(error, "stderr", None) or error}'
    finally:
        subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)
    return ''


class Program:
    """A program on a host.

    Args:
        log: file for what it prints
    """

    def __init__(self, host: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        inside = ['unshare', '--mount', '--uts', 'sh', '-c', _ENTER, host, *command]
        with log.open('w', encoding='utf-8') as stream:
            self.process = subprocess.Popen(
                ['ip', 'netns', 'exec', host, *inside],
                cwd=log.parent,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        """What it printed so far."""
        return self._log.read_text(encoding='utf-8', errors='replace')

    def wait(self, timeout_s: float) -> int:
        """Return its exit code once it has ended.

        Raises:
            TimeoutError: with what it printed, if it does not end
        """
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f'{self._log.name} did not end within {timeout_s} s:\n{self.output[-3000:]}') from None

    def end(self) -> None:
        """End it, in order where that works."""
        for number, patience_s in ((signal.SIGINT, 20.0), (signal.SIGKILL, 5.0)):
            if self.process.poll() is None:
                self.process.send_signal(number)
                try:
                    self.process.wait(patience_s)
                except subprocess.TimeoutExpired:
                    continue


class Hosts:
    """Hosts on one network, in a ``with`` statement.

    Args:
        names: of the hosts
        delay_s: between any two, one way
        loss: part of the frames that are lost
    """

    def __init__(self, *names: str, delay_s: float = 0.0, loss: float = 0.0) -> None:
        self.names = [f'{name}{os.getpid()}' for name in names]
        self._of = dict(zip(names, self.names, strict=True))
        self._link = delay_s, loss
        self._programs: list[Program] = []
        self._relay: subprocess.Popen[str] | None = None

    def __enter__(self) -> Hosts:
        try:
            for name in self.names:
                subprocess.run(['ip', 'netns', 'add', name], check=True)
            words = [sys.executable, relay.__file__, *self.names]
            self._relay = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._hear()
            self.link(*self._link)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            for program in reversed(self._programs):
                program.end()
        finally:
            self._close()
        if error is not None:
            for program in self._programs:
                print(f'--- {program.process.args[8:]} printed:\n{program.output[-4000:]}')

    def _close(self) -> None:
        if self._relay is not None:
            assert self._relay.stdin is not None
            self._relay.stdin.close()
            self._relay.wait(5.0)
        for name in self.names:
            subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)

    def start(self, host: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> Program:
        """Start a program on a host; it is ended with this block."""
        self._programs.append(Program(self._of[host], command, environment, log))
        return self._programs[-1]

    def address(self, host: str) -> str:
        """Return the IP address of a host."""
        return relay.address(list(self._of).index(host))

    def link(self, delay_s: float, loss: float) -> None:
        """Change all links."""
        self._order(f'link {delay_s} {loss}')

    def multicast(self, works: bool) -> None:
        """Let multicast through, or not."""
        self._order(f'multicast {"on" if works else "off"}')

    def cut(self, host: str, seconds: float) -> None:
        """Cut the link of a host, and restore it after a time [wall s]."""
        self._order(f'cut {self._of[host]}')
        time.sleep(seconds)
        self._order(f'restore {self._of[host]}')

    def _order(self, text: str) -> None:
        assert self._relay is not None and self._relay.stdin is not None
        self._relay.stdin.write(text + '\n')
        self._relay.stdin.flush()
        self._hear()

    def _hear(self) -> None:
        assert self._relay is not None and self._relay.stdout is not None
        if self._relay.stdout.readline() != 'ok\n':
            raise RuntimeError('the relay has ended')
