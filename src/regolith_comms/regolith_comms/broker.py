# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Broker of datagrams between radios: addresses, ports, queue, deliveries.

Datagrams are unreliable as in SubT: no acknowledgment, no retry, first in first out. Differences from SubT's broker: a
radio without a known position only affects itself. A broadcast counts once and is not returned to its transmitter.
Multicast works as documented.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regolith_comms.addresses import BEACON_PORT, BROADCAST, MAX_PORT, MULTICAST, check_name
from regolith_comms.link_statistics import LinkStatistics
from regolith_comms.links.link import LinkModel
from regolith_comms.packet_delivery import CapacityWindows, DeliveryOutcome, deliver
from regolith_comms.radio_config import MAX_PAYLOAD
from regolith_world.cycle import Saved, StateField, StateLayout, state_fields
from regolith_world.random import stream_key

_REASON = {
    DeliveryOutcome.TX_CAPACITY: 'tx_capacity',
    DeliveryOutcome.ERROR: 'packet_error',
    DeliveryOutcome.RX_CAPACITY: 'rx_capacity',
}


@dataclass(frozen=True, slots=True)
class Datagram:
    """Message from one radio to others."""

    src: str
    dst: str
    """Name of a radio, or ``broadcast`` or ``multicast``: all radios that bound the port, or joined its group."""
    port: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Delivery:
    """Delivered datagram."""

    to: str
    datagram: Datagram
    t_ns: int
    """Simulated time of both radios' positions [ns]."""
    rssi_dbm: float
    """Received power as drawn [dBm]; over breadcrumbs that of the longest leg."""
    hops: int
    """Number of breadcrumbs on the route."""


class _Members(NamedTuple):
    """Radios that bound a port, or joined its multicast group."""

    multicast: bool
    port: int
    names: tuple[str, ...]


class Broker(Saved):
    """Broker of all radios of a world; its state is that on which later deliveries depend."""

    STATE = StateLayout(
        'a broker',
        StateField('_radios', dict[str, int]),
        StateField('_members', tuple[_Members, ...]),
        StateField('_queue', list[tuple[int, Datagram]]),
        StateField('_sequence', dict[str, int]),
        *state_fields('q', 'rows', 'length'),
        StateField('_windows.stamps', '<i8', ('rows', 'length')),
        StateField('_windows.sizes', '<i8', ('rows', 'length')),
        StateField('_windows.first', '<i8', ('rows',)),
        StateField('_windows.count', '<i8', ('rows',)),
        StateField('_windows.total', '<i8', ('rows',)),
        StateField('neighbors', dict[str, dict[str, tuple[int, float]]]),
        StateField('_breadcrumbs', tuple[tuple[str, tuple[float, ...]], ...]),
        *state_fields('q', 'sent', 'delivered'),
        StateField('dropped', dict[str, int]),
        StateField('reach', Saved),
        StateField('_digest', bytes, (32,)),
        tag=b'REGCOM02',
    )

    def __init__(
        self,
        model: LinkModel,
        seed: int,
        *,
        broadcast_loopback: bool = False,
        count_broadcast_per_receiver: bool = False,
    ) -> None:
        """Start without radios.

        Args:
            model: Link model.
            seed: Seed of the scenario; it keys the draws, with both radios and the number of the datagram.
            broadcast_loopback: Whether a transmitter receives its own broadcasts.
            count_broadcast_per_receiver: Whether a broadcast counts once per receiver against its transmitter's
                capacity.
        """
        self.model = model
        self._key = stream_key(seed, 'comms', 'attempt')
        self._loopback, self._charge_each = broadcast_loopback, count_broadcast_per_receiver
        self._radios: dict[str, int] = {}
        self._bound: dict[int, set[str]] = {}
        self._groups: dict[int, set[str]] = {}
        self._queue: list[tuple[int, Datagram]] = []
        self._sequence: dict[str, int] = {}
        self._windows = CapacityWindows(0)
        self._streams: dict[tuple[str, str], int] = {}
        self.neighbors: dict[str, dict[str, tuple[int, float]]] = {}
        """Time of the last reception [ns] and its power [dBm], by receiver and transmitter."""
        self.sent = 0
        """Number of queued datagrams so far."""
        self.delivered = 0
        """Number of deliveries so far."""
        self.dropped: dict[str, int] = {}
        """Number of failed attempts (or datagrams without any attempt) by reason."""
        self.complaints: list[str] = []
        """Descriptions of datagrams without an attempt in the last dispatch, limited in number and without repetition.
        """
        self.reach = LinkStatistics()
        self._digest = hashlib.sha256().digest()

    @property
    def radios(self) -> tuple[str, ...]:
        """Registered radios, in order of their names."""
        return tuple(sorted(self._radios))

    # -- addresses --------------------------------------------------------------------------------------------------

    def register(self, name: str) -> None:
        """Register a radio, which then receives on the beacon port. Repeated calls have no effect.

        Raises:
            ValueError: If the name is a reserved address, or is not valid in a topic name.
        """
        check_name(name)
        if name not in self._radios:
            self._radios[name] = self._windows.add_radio()
            self._bound.setdefault(BEACON_PORT, set()).add(name)

    def unregister(self, name: str) -> bool:
        """Remove a radio and its ports, and return whether it was registered; its queued datagrams are lost."""
        if name not in self._radios:
            return False
        for members in (*self._bound.values(), *self._groups.values()):
            members.discard(name)
        # Its rows in the windows remain, so the other radios keep theirs; a new registration gets new rows.
        del self._radios[name]
        return True

    def bind(self, name: str, port: int, *, multicast: bool = False) -> bool:
        """Bind a port of a radio (for its own address and broadcasts), or join the port's multicast group.

        Args:
            name: Name of the radio.
            port: Port.
            multicast: Whether to join the multicast group.

        Returns:
            False if the port was bound, or the group joined, before.

        Raises:
            ValueError: If the radio or port does not exist.
        """
        if name not in self._radios:
            raise ValueError(f'radio {name!r} is not registered; allowed: {", ".join(self.radios) or "none yet"}')
        check_port(port)
        members = (self._groups if multicast else self._bound).setdefault(port, set())
        fresh = name not in members
        members.add(name)
        return fresh

    # -- traffic ----------------------------------------------------------------------------------------------------

    def send(self, datagram: Datagram) -> None:
        """Queue a datagram for the next dispatch.

        Raises:
            ValueError: If it is longer than 1500 bytes or its port is invalid.
        """
        check(datagram)
        number = self._sequence.get(datagram.src, 0)
        self._sequence[datagram.src] = number + 1
        self._queue.append((number, datagram))
        self.sent += 1

    def deliver_due(self, t_ns: int, positions: Mapping[str, ArrayLike]) -> list[Delivery]:
        """Attempt to deliver all queued datagrams in order of transmitter, number and receiver; return the deliveries.

        Args:
            t_ns: Simulated time of the positions [ns].
            positions: Positions of the antennas in the world frame [m] by radio, shape (3,) each; a radio without a
                position neither transmits nor receives.
        """
        self.complaints = []
        queue, self._queue = sorted(self._queue, key=lambda item: (item[1].src, item[0])), []
        tries: list[tuple[str, int, Datagram, bool]] = []
        for number, datagram in queue:
            for k, receiver in enumerate(self._receivers(datagram, positions)):
                tries.append((receiver, number, datagram, k == 0 or self._charge_each))
        deliveries = self._attempt(t_ns, tries, positions) if tries else []
        if queue:
            self._remember(t_ns, queue, deliveries)
        return deliveries

    def _receivers(self, datagram: Datagram, positions: Mapping[str, ArrayLike]) -> list[str]:
        """Return the possible receivers of a datagram, in order of their names; without any it counts as dropped."""
        src, port = datagram.src, datagram.port
        if src not in self._radios:
            return self._refuse('unregistered_sender', datagram, f'{src!r} is not registered')
        if src not in positions:
            return self._refuse('no_position', datagram, f'{src!r} is not in the world')
        if datagram.dst in (BROADCAST, MULTICAST):
            members = (self._bound if datagram.dst == BROADCAST else self._groups).get(port, set())
            if not members:
                what = f'bound port {port}' if datagram.dst == BROADCAST else f'joined the group of port {port}'
                return self._refuse('unbound_port', datagram, f'no radio has {what}')
            # A radio without a position is outside the world, not out of range: it does not count.
            return sorted(n for n in members if n in positions and (self._loopback or n != src))
        dst = datagram.dst
        if dst not in self._radios:
            allowed = ', '.join((*self.radios, BROADCAST, MULTICAST))
            return self._refuse('unknown_address', datagram, f'there is no radio {dst!r}; allowed: {allowed}')
        if dst not in self._bound.get(port, ()):
            ports = ', '.join(str(p) for p, names in sorted(self._bound.items()) if dst in names)
            return self._refuse('unbound_port', datagram, f'{dst!r} has not bound port {port}; it has bound {ports}')
        if dst not in positions:
            return self._refuse('no_position', datagram, f'{dst!r} is not in the world')
        return [dst]

    def _refuse(self, reason: str, datagram: Datagram, why: str) -> list[str]:
        """Count a datagram without an attempt, and keep a description."""
        self._drop(reason)
        to = f'{datagram.dst}:{datagram.port}'
        complaint = f'datagram from {datagram.src!r} to {to} dropped ({reason}): {why}'
        if len(self.complaints) < _MOST_COMPLAINTS and complaint not in self.complaints:
            self.complaints.append(complaint)
        return []

    def _drop(self, reason: str) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def _attempt(
        self, t_ns: int, tries: list[tuple[str, int, Datagram, bool]], positions: Mapping[str, ArrayLike]
    ) -> list[Delivery]:
        pairs = dict.fromkeys((datagram.src, receiver) for receiver, _, datagram, _ in tries)
        number_of = {pair: k for k, pair in enumerate(pairs)}
        links = self.model.between(
            np.array([positions[src] for src, _ in pairs]), np.array([positions[dst] for _, dst in pairs])
        )
        streams = np.array([self._stream(*pair) for pair in pairs], dtype=np.uint64)
        of = np.array([number_of[datagram.src, receiver] for receiver, _, datagram, _ in tries])
        result = deliver(
            self._windows,
            self.model.radio,
            self._key,
            t_ns,
            np.array([self._radios[datagram.src] for _, _, datagram, _ in tries]),
            np.array([self._radios[receiver] for receiver, _, _, _ in tries]),
            np.array([len(datagram.data) for _, _, datagram, _ in tries]),
            links.mean_dbm[of],
            links.variance_db2[of],
            streams[of],
            np.array([number for _, number, _, _ in tries]),
            np.array([charge for _, _, _, charge in tries]),
        )
        arrived = result.outcome == DeliveryOutcome.DELIVERED
        rssi, hops = result.rssi_dbm.tolist(), links.hops[of].tolist()
        deliveries = []
        for k in np.nonzero(arrived)[0].tolist():
            receiver, _, datagram, _ = tries[k]
            deliveries.append(Delivery(receiver, datagram, t_ns, rssi[k], hops[k]))
            self.neighbors.setdefault(receiver, {})[datagram.src] = (t_ns, rssi[k])
        for k in np.nonzero(~arrived)[0].tolist():
            unlinked = result.outcome[k] == DeliveryOutcome.ERROR and links.mean_dbm[of[k]] == -np.inf
            self._drop('no_link' if unlinked else _REASON[DeliveryOutcome(result.outcome[k])])
        self.delivered += len(deliveries)
        self.reach.record_delivery(
            t_ns, pairs, np.bincount(of, minlength=len(pairs)), np.bincount(of[arrived], minlength=len(pairs))
        )
        return deliveries

    def _stream(self, src: str, dst: str) -> int:
        if (src, dst) not in self._streams:
            digest = hashlib.sha256(f'{src}\x00{dst}'.encode()).digest()
            self._streams[src, dst] = int.from_bytes(digest[:8], 'little')
        return self._streams[src, dst]

    # -- state ------------------------------------------------------------------------------------------------------

    def _remember(self, t_ns: int, queue: Iterable[tuple[int, Datagram]], deliveries: Iterable[Delivery]) -> None:
        """Add datagrams and deliveries to the hash chain."""
        digest = hashlib.sha256(self._digest + t_ns.to_bytes(8, 'little', signed=True))
        for number, d in queue:
            digest.update(f'{number}\x00{d.src}\x00{d.dst}\x00{d.port}\x00{len(d.data)}\x00'.encode() + d.data)
        for item in deliveries:
            digest.update(f'{item.to}\x00{item.datagram.src}\x00{item.rssi_dbm!r}\x00{item.hops}\x00'.encode())
        self._digest = digest.digest()

    def state_hash(self) -> str:
        """Return the SHA-256 hash (hex) of all datagrams and deliveries so far, and of the breadcrumbs."""
        crumbs = [(name, place.tolist()) for name, place, _ in self.model.breadcrumbs]
        return hashlib.sha256(self._digest + json.dumps(crumbs).encode()).hexdigest()

    @property
    def _members(self) -> tuple[_Members, ...]:
        """Radios that bound each port or joined its group."""
        both = ((False, self._bound), (True, self._groups))
        return tuple(_Members(m, port, tuple(sorted(names))) for m, of in both for port, names in sorted(of.items()))

    @_members.setter
    def _members(self, members: tuple[_Members, ...]) -> None:
        self._bound, self._groups = (
            {port: set(names) for multicast, port, names in members if multicast == wanted} for wanted in (False, True)
        )

    @property
    def _breadcrumbs(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """Names and positions [m] of the breadcrumbs that relay."""
        return tuple((name, tuple(place.tolist())) for name, place, _ in self.model.breadcrumbs)

    @_breadcrumbs.setter
    def _breadcrumbs(self, breadcrumbs: tuple[tuple[str, tuple[float, ...]], ...]) -> None:
        self.model.place_breadcrumbs(breadcrumbs)


_MOST_COMPLAINTS = 8


def check(datagram: Datagram) -> None:
    """Refuse datagrams that no radio can send.

    Raises:
        ValueError: If the datagram exceeds a limit; names the limit.
    """
    if len(datagram.data) > MAX_PAYLOAD:
        raise ValueError(
            f'datagram of {len(datagram.data)} bytes from {datagram.src!r}; allowed: up to {MAX_PAYLOAD} bytes'
        )
    check_port(datagram.port, f' of a datagram from {datagram.src!r}')


def check_port(port: int, whose: str = '') -> None:
    """Refuse numbers that are not valid ports.

    Raises:
        ValueError: If the number is out of range; names the allowed range.
    """
    if not 0 < port <= MAX_PORT:
        raise ValueError(f'port {port}{whose}; allowed: 1 to {MAX_PORT}')
