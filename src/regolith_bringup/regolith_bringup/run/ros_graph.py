# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS domain and namespace of a run."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from regolith_files import InputError, Problem
from regolith_world import LAST_ROS_DOMAIN, is_ros_domain

AUTOMATIC = range(1, 102)
"""Domains selected by ``auto``. Domain 0 is the default of other users, and above 101 the DDS ports are in the
ephemeral range of the kernel."""
_PORTS = 250
"""Number of UDP ports per domain, from 7400 + 250 times its number (DDSI-RTPS 2.2, section 9.6.1.1)."""


class ReservedDomain:
    """ROS domain reserved by a lock file of this user until :meth:`release`, or until the process ends."""

    def __init__(self, number: int, lock: int) -> None:
        self.number = number
        self._lock = lock

    def release(self) -> None:
        """Release the domain."""
        os.close(self._lock)


def free_domain(among: Iterable[int] = AUTOMATIC) -> ReservedDomain:
    """Return a domain that no other caller has reserved and whose ports are not in use on this machine.

    Args:
        among: Candidate domains.

    Raises:
        InputError: If no domain is free.
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
    allowed = 'the number of a free domain'
    raise InputError(Problem('--domain', '', 'finds no free domain', allowed, 'auto'))


def listeners(domain: int) -> int:
    """Return the number of ports of a domain on which processes of this machine listen."""
    first = 7400 + _PORTS * domain
    return sum(first <= port < first + _PORTS for port in _busy_ports())


def parse_domain(text: str) -> int | ReservedDomain:
    """Return the domain given by a text: a number, or ``auto`` for a free one.

    Args:
        text: Text of the option.

    Raises:
        InputError: If the text is neither.
    """
    if text == 'auto':
        return free_domain()
    if is_ros_domain(text):
        return int(text)
    raise InputError(Problem('--domain', '', 'is not a domain', f'0 to {LAST_ROS_DOMAIN}, or auto', text))


def parse_namespace(text: str) -> str:
    """Return a namespace without enclosing slashes, '' for none.

    Args:
        text: Text of the option.

    Raises:
        InputError: If ROS 2 does not allow this namespace.
    """
    name = text.strip('/')
    if name and not re.fullmatch(r'[A-Za-z](_?[A-Za-z0-9])*(/[A-Za-z](_?[A-Za-z0-9])*)*', name):
        allowed = 'letters, digits and single underscores, a letter first; further levels after a /'
        raise InputError(Problem('--namespace', '', 'cannot be a namespace', allowed, text))
    return name


def _lock_folder() -> Path:
    given = os.environ.get('XDG_RUNTIME_DIR', '')
    # In containers, the variable often names a missing folder.
    base = given if given and os.access(given, os.W_OK | os.X_OK) else tempfile.gettempdir()
    folder = Path(base) / f'regolith-{os.getuid()}'
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        allowed = 'XDG_RUNTIME_DIR or TMPDIR set to a writable folder'
        what = f'cannot lock a domain in {folder}: {error.strerror}'
        raise InputError(Problem('--domain', '', what, allowed, 'auto')) from None
    return folder


def _busy_ports() -> set[int]:
    """Return the UDP ports in use on this machine, empty if the system does not list them."""
    found: set[int] = set()
    for table in ('/proc/net/udp', '/proc/net/udp6'):
        try:
            rows = Path(table).read_text(encoding='ascii').splitlines()[1:]
        except OSError:
            continue
        found.update(int(row.split()[1].rpartition(':')[2], 16) for row in rows)
    return found
