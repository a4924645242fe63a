# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""An Ethernet switch between network namespaces, with delay and loss; a process of its own.

``relay.py NAMESPACE... `` makes a TAP device ``eth0`` in each namespace and carries frames between them: unicast to its
address, broadcast and multicast to all. It takes orders on standard input, a line each, acknowledges each with ``ok`` once it
holds, and ends with its input:

* ``link DELAY_S LOSS``: from now on between any two hosts, one way
* ``cut NAMESPACE``, ``restore NAMESPACE``: nothing comes from there or goes there
* ``multicast on``, ``multicast off``: networks that route have none
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time
from contextlib import suppress

_CLONE_NEWNET = 0x40000000
_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
_LONGEST = 65536


def address(number: int) -> str:
    """Return the IP address of a host by its place among all."""
    return f'10.77.0.{number + 1}'


def _hardware(number: int) -> bytes:
    return bytes((2, 0, 0, 0, 0, number + 1))


def _tap(namespace: str, number: int) -> int:
    """Return the descriptor of a new ``eth0`` in a namespace: what one writes into it, the namespace receives."""
    library = ctypes.CDLL(None, use_errno=True)
    own, there = os.open('/proc/self/ns/net', os.O_RDONLY), os.open(f'/run/netns/{namespace}', os.O_RDONLY)
    try:
        if library.setns(there, _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), namespace)
        tap = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
        # A TAP device without offers of offload: the kernel cuts and sums what it hands out.
        fcntl.ioctl(tap, _TUNSETIFF, struct.pack('16sH22x', b'eth0', _IFF_TAP | _IFF_NO_PI))
        library.setns(own, _CLONE_NEWNET)
    finally:
        os.close(own)
        os.close(there)
    for words in (
        f'link set eth0 address {_hardware(number).hex(":")} txqueuelen 10000',
        f'addr add {address(number)}/24 dev eth0',
        'link set lo up',
        'link set eth0 up',
        'route add 224.0.0.0/4 dev eth0',
    ):
        subprocess.run(['ip', '-n', namespace, *words.split()], check=True)
    return tap


class Relay:
    """The switch."""

    def __init__(self, namespaces: list[str]) -> None:
        self._names = namespaces
        self._taps = [_tap(name, number) for number, name in enumerate(namespaces)]
        self._by_address = {_hardware(number): number for number in range(len(namespaces))}
        self._delay_s = self._loss = 0.0
        self._cut: set[int] = set()
        self._multicast = True
        # One stream for each way of each link: what is lost on one does not depend on the others.
        self._draw = {
            (a, b): random.Random(f'{a} {b}').random for a in range(len(namespaces)) for b in range(len(namespaces))
        }
        self._due: list[tuple[float, int, int, int, bytes]] = []
        self._count = 0

    def run(self) -> None:
        """Carry frames until standard input ends."""
        orders = sys.stdin.fileno()
        poll = select.epoll()
        for descriptor in (*self._taps, orders):
            poll.register(descriptor, select.EPOLLIN)
        numbers = {tap: number for number, tap in enumerate(self._taps)}
        print('ok', flush=True)
        while True:
            wait_s = max(0.0, self._due[0][0] - time.monotonic()) if self._due else 1.0
            for descriptor, _ in poll.poll(wait_s):
                if descriptor == orders:
                    line = sys.stdin.readline()
                    if not line:
                        return
                    self._obey(*line.split())
                    print('ok', flush=True)
                else:
                    self._take(numbers[descriptor], descriptor)
            self._deliver()

    def _obey(self, order: str, *words: str) -> None:
        match order:
            case 'link':
                self._delay_s, self._loss = map(float, words)
            case 'cut':
                self._cut.add(self._names.index(words[0]))
            case 'restore':
                self._cut.discard(self._names.index(words[0]))
            case 'multicast':
                self._multicast = words[0] == 'on'

    def _take(self, source: int, tap: int) -> None:
        """Take what a host sends."""
        due = time.monotonic() + self._delay_s
        for _ in range(64):
            try:
                frame = os.read(tap, _LONGEST)
            except BlockingIOError:
                return
            to = self._by_address.get(frame[:6])
            if to is not None:
                targets = [to]
            elif frame[:6] == b'\xff' * 6 or (self._multicast and frame[0] & 1):
                targets = [number for number in range(len(self._taps)) if number != source]
            else:
                continue
            for target in targets:
                if self._draw[source, target]() >= self._loss:
                    self._count += 1
                    heapq.heappush(self._due, (due, self._count, source, target, frame))

    def _deliver(self) -> None:
        while self._due and self._due[0][0] <= time.monotonic():
            _, _, source, target, frame = heapq.heappop(self._due)
            if not self._cut.intersection((source, target)):
                with suppress(BlockingIOError):  # its queue is full: lost, as in a switch
                    os.write(self._taps[target], frame)


if __name__ == '__main__':
    os.nice(-10)  # on a busy machine it would add a delay of its own
    Relay(sys.argv[1:]).run()
