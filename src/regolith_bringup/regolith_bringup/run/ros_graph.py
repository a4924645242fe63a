# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The place of a run in the ROS graph: its domain, and the namespace above all its names."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from regolith_files.problems import InputError, Problem
from regolith_world.ros_environment import LAST_DOMAIN, is_domain

AUTOMATIC = range(1, 102)
"""Domains that ``auto`` chooses from: 0 is where people work, and above 101 the ports of DDS are those that the kernel
hands out."""
_PORTS = 250
"""Ports of a domain, from 7400 + 250 times its number on (DDSI-RTPS 2.2, section 9.6.1.1)."""


class ReservedDomain:
    """A ROS domain held under a lock file of this user until :meth:`release`, or until the process ends."""

    def __init__(self, number: int, lock: int) -> None:
        self.number = number
        self._lock = lock

    def release(self) -> None:
        """Give the domain back."""
        os.close(self._lock)


def free_domain(among: Iterable[int] = AUTOMATIC) -> ReservedDomain:
    """Return a domain that no other caller holds, and on whose ports no process of this machine listens.

    Raises:
        InputError: if there is none
    """
    folder = _lock_folder()
    for number in among:
        if listeners(number):
            continue
        lock = os.open(folder / f'domain_{number}.lock', os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return ReservedDomain(number, lock)
    allowed = 'the number of a domain that you know to be free'
    raise InputError(Problem('--domain', '', 'finds no free domain', allowed, 'auto'))


def listeners(domain: int) -> int:
    """Return on how many ports of a domain processes of this machine listen."""
    first = 7400 + _PORTS * domain
    return sum(first <= port < first + _PORTS for port in _busy_ports())


def parse_domain(text: str) -> int | ReservedDomain:
    """Return the domain of a text: a number, or ``auto`` for a free one.

    Raises:
        InputError: if it is neither
    """
    if text == 'auto':
        return free_domain()
    if is_domain(text):
        return int(text)
    raise InputError(Problem('--domain', '', 'is no domain', f'0 to {LAST_DOMAIN}, or auto', text))


def parse_namespace(text: str) -> str:
    """Return a namespace without the slashes around it; '' for none.

    Raises:
        InputError: if ROS 2 does not allow it
    """
    name = text.strip('/')
    if name and not re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*(/[A-Za-z](_?[A-Za-z0-9])*)*', name):
        allowed = 'letters, digits and single underscores, a letter first; further levels after a /'
        raise InputError(Problem('--namespace', '', 'cannot be a namespace', allowed, text))
    return name


def _lock_folder() -> Path:
    given = os.environ.get('XDG_RUNTIME_DIR', '')
    # Containers often name a missing one.
    base = given if given and os.access(given, os.W_OK | os.X_OK) else tempfile.gettempdir()
    folder = Path(base) / f'regolith-{os.getuid()}'
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        allowed = 'XDG_RUNTIME_DIR or TMPDIR naming a folder that can be written'
        what = f'cannot lock a domain in {folder}: {error.strerror}'
        raise InputError(Problem('--domain', '', what, allowed, 'auto')) from None
    return folder


def _busy_ports() -> set[int]:
    """Return the UDP ports in use on this machine; empty where the system has no list."""
    found: set[int] = set()
    for table in ('/proc/net/udp', '/proc/net/udp6'):
        try:
            rows = Path(table).read_text(encoding='ascii').splitlines()[1:]
        except OSError:
            continue
        found.update(int(row.split()[1].rpartition(':')[2], 16) for row in rows)
    return found
