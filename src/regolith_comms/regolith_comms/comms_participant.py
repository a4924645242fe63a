# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participant of the radios: datagrams sent before a cycle are attempted at the positions at its start.

Deliveries depend on the committed poses, the inputs latched for the cycle and the broker's state, not on the length of
the cycle. A discarded attempt changes nothing, and its repetition has the same deliveries.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regolith_comms.addresses import BEACON_PORT, BROADCAST, DEFAULT_PORT, check_name
from regolith_comms.broker import Broker, Datagram, Delivery, check, check_port
from regolith_comms.config import CommsConfig
from regolith_comms.links.link import LinkModel, Links
from regolith_comms.links.relays import relay_table
from regolith_comms.packet_delivery import CapacityWindows, deliver
from regolith_comms.radio import Floats
from regolith_comms.radio_visuals import BODIES, breadcrumb_body, breadcrumb_visual, station_visual
from regolith_world.cycle import (
    BodyState,
    Command,
    Cycle,
    CycleResult,
    JoinRequest,
    ObjectVisual,
    Part,
    Participant,
    Roles,
    SpawnedObject,
    StateField,
    StateLayout,
    state_fields,
)
from regolith_world.numerics import rotation

ROLES = Roles(inputs=True)
NO_LIMIT_NS = 2**62
"""Value for no limit on the next cycle [ns]."""
_MOST_COMPLAINTS = 32


@dataclass(frozen=True, slots=True)
class LinkTable:
    """Links of all pairs of radios at one time."""

    t_ns: int
    names: tuple[tuple[str, str], ...]
    """Pairs of transmitter and receiver, in order of their names."""
    links: Links


class CommsParticipant(Participant):
    """Participant that owns the broker."""

    STATE = StateLayout(
        'comms',
        *state_fields('q', '_cycle', '_t_ns'),
        StateField('stock', dict[str, int]),
        StateField('_starting', list[tuple[str, np.ndarray, int]]),
        StateField('broker', Part()),
        tag=b'REGRAD02',
    )

    def __init__(
        self,
        config: CommsConfig,
        model: LinkModel,
        seed: int,
        vehicles: tuple[str, ...],
        send_result: Callable[[CycleResult], None],
        parameters: Mapping[str, str],
        *,
        name: str = 'comms',
        replay_inputs: Mapping[int, bytes] | None = None,
        epoch: int = 0,
    ) -> None:
        """Register every vehicle and station; all of them also bind port 4100.

        Args:
            config: Section ``comms``.
            model: Link model.
            seed: Seed of the scenario.
            vehicles: Names of the vehicles with a radio.
            send_result: Sends cycle results to the world.
            parameters: Values on which all participants must agree; see :class:`JoinRequest`.
            name: Name of the participant.
            replay_inputs: Recorded inputs by cycle number, which replace inputs from outside.
            epoch: Initial epoch of the protocol.

        Raises:
            ValueError: If a name is reserved or a station has no height.
        """
        super().__init__(name, send_result, epoch)
        self.config, self.vehicles = config, tuple(sorted(vehicles))
        self.broker = Broker(
            model,
            seed,
            broadcast_loopback=config.broadcast_loopback,
            count_broadcast_per_receiver=config.count_broadcast_per_receiver,
        )
        for radio in (*self.vehicles, *sorted(config.stations)):
            self.broker.register(radio)
            self.broker.bind(radio, DEFAULT_PORT)
        self._stations = {n: np.array(p, dtype=np.float64) for n, p in sorted(config.stations.items())}
        for station, position in self._stations.items():
            if position.shape != (3,):
                raise ValueError(f'station {station!r} at {position.tolist()}; allowed: x, y and z')
        self.stock = dict.fromkeys(self.vehicles, config.breadcrumbs_per_vehicle)
        self._starting: list[tuple[str, Floats, int]] = []
        """Dropped breadcrumbs that do not relay yet: name, position [m], time of their start [ns]."""
        self.complaints: list[str] = []
        """Descriptions of failures, limited in number and without repetition, since the last read."""
        self._parameters = dict(parameters)
        self.on_arrival: Callable[[list[Delivery]], None] = lambda deliveries: None
        """Called with the deliveries of a committed cycle."""
        self.replay_inputs = replay_inputs or {}
        self._waiting: list[dict[str, Any]] = []
        self._dispatched: tuple[int, bytes, list[Delivery]] = (-1, b'', [])
        self._dropped: list[tuple[str, BodyState]] = []
        """Breadcrumbs of the last dispatch that become bodies, and the states of their vehicles at the drop."""
        self._visuals: list[ObjectVisual] = []
        """Visuals that the last dispatch changed."""
        self._news: list[Delivery] = []
        self._committed: Cycle | None = None
        self.on_committed: Callable[[Cycle], None] = lambda cycle: None
        """Called with the record that committed a cycle, after :attr:`on_arrival`."""
        self.on_restored: Callable[[], None] = lambda: None
        """Called when the set of radios can have changed."""
        self._t_ns = -1
        self.positions: dict[str, Floats] = {}
        """Positions of the antennas at the last dispatch [m]."""

    # -- inputs for the next cycle ----------------------------------------------------------------------------------

    def send(self, datagram: Datagram) -> None:
        """Queue a datagram.

        Raises:
            ValueError: If the datagram exceeds a limit; names the limit.
        """
        check(datagram)
        data = base64.b64encode(datagram.data).decode()
        what = {'do': 'send', 'src': datagram.src, 'dst': datagram.dst, 'port': datagram.port, 'data': data}
        self._waiting.append(what)

    def register(self, radio: str, leave: bool = False) -> None:
        """Register a radio, or remove it.

        Args:
            radio: Name of the radio.
            leave: Whether to remove the radio.

        Raises:
            ValueError: If the name is reserved, or the radio to remove does not exist.
        """
        check_name(radio)
        if leave:
            self._must_know(radio)
        self._waiting.append({'do': 'unregister' if leave else 'register', 'radio': radio})

    def bind(self, radio: str, port: int, multicast: bool = False) -> None:
        """Bind a port of a radio, or join its multicast group.

        Raises:
            ValueError: If the radio or port does not exist.
        """
        check_port(port)
        self._must_know(radio)
        self._waiting.append({'do': 'bind', 'radio': radio, 'port': port, 'multicast': multicast})

    def _must_know(self, radio: str) -> None:
        known = {*self.broker.radios, *(i['radio'] for i in self._waiting if i['do'] == 'register')}
        if radio not in known:
            raise ValueError(f'radio {radio!r} is not registered; allowed: {", ".join(sorted(known))}')

    def deploy(self, vehicle: str) -> str:
        """Drop a breadcrumb at a vehicle's position, and return the breadcrumb's name.

        Raises:
            ValueError: If the vehicle does not exist or has no breadcrumbs left.
        """
        asked = sum(1 for item in self._waiting if item['do'] == 'deploy' and item['vehicle'] == vehicle)
        if vehicle not in self.stock:
            raise ValueError(f'vehicle {vehicle!r}; allowed: {", ".join(self.vehicles) or "none carries breadcrumbs"}')
        if self.stock[vehicle] - asked <= 0:
            raise ValueError(f'{vehicle!r} has dropped all of its {self.config.breadcrumbs_per_vehicle} breadcrumbs')
        self._waiting.append({'do': 'deploy', 'vehicle': vehicle})
        return f'{vehicle}_breadcrumb_{self.config.breadcrumbs_per_vehicle - self.stock[vehicle] + asked}'

    def remove(self, breadcrumb: str) -> None:
        """Remove a breadcrumb.

        Raises:
            ValueError: If no breadcrumb has this name.
        """
        names = [name for name, _, _ in (*self.broker.model.breadcrumbs, *self._starting)]
        if breadcrumb not in names:
            raise ValueError(f'breadcrumb {breadcrumb!r}; allowed: {", ".join(names) or "none is out"}')
        self._waiting.append({'do': 'remove', 'breadcrumb': breadcrumb})

    def links(self) -> LinkTable:
        """Return the links of all pairs of radios at the last dispatch, including relayed ones."""
        radios = [n for n in self.broker.radios if n in self.positions]
        names = tuple((a, b) for a in radios for b in radios if a != b)
        places = np.array([self.positions[n] for pair in names for n in pair]).reshape(-1, 2, 3)
        return LinkTable(self._t_ns, names, self.broker.model.between(places[:, 0], places[:, 1]))

    # -- cycle ------------------------------------------------------------------------------------------------------

    def join_request(self) -> JoinRequest:
        """Return the request to join the simulation."""
        height = self.config.antenna_height_m
        masts = tuple(station_visual(f'{self.name}/{name}', place, height) for name, place in self._stations.items())
        return JoinRequest(
            self.name, ROLES, (), (), NO_LIMIT_NS, self.state_hash(), '', self._parameters, visuals=masts
        )

    def _evolve(self, cycle: Cycle) -> CycleResult:
        if self._dispatched[0] != cycle.key.cycle:
            live = self._live_input(cycle.key.cycle)
            self._dropped, self._visuals = [], []
            self.positions = self._places(cycle)
            self._follow_bodies(cycle)
            for item in json.loads(live):
                self._apply(item, cycle)
            self._say(cycle)
            self._switch_on(cycle.t_ns)
            deliveries = self.broker.deliver_due(cycle.t_ns, self.positions)
            for complaint in self.broker.complaints:
                self._complain(complaint)
            self._t_ns = cycle.t_ns
            self._dispatched = (cycle.key.cycle, live, deliveries)
        result = self._answer_to(cycle, self._dispatched[1])
        result.spawned = tuple(self._spawned(name, vehicle, cycle) for name, vehicle in self._dropped)
        result.visuals = tuple(self._visuals)
        return result

    def _answer_to(self, cycle: Cycle, live: bytes = b'', summary_json: str = '') -> CycleResult:
        return CycleResult(
            cycle.key,
            self.name,
            NO_LIMIT_NS,
            live_inputs=live,
            state_hash=self.state_hash(),
            summary_json=summary_json,
        )

    def state_hash(self) -> str:
        """Return the SHA-256 hash (hex) of all datagrams and deliveries so far, and of all breadcrumbs."""
        crumbs = [[name, place.tolist(), t_ns] for name, place, t_ns in self._starting]
        own = json.dumps([self.stock, crumbs], sort_keys=True)
        return hashlib.sha256(self.broker.state_hash().encode() + own.encode()).hexdigest()

    def _live_input(self, cycle: int) -> bytes:
        waiting, self._waiting = self._waiting, []
        live = self.replay_inputs.get(cycle)
        if live is None:
            # Messages of different robots arrive in any order; messages of one robot keep their order.
            waiting.sort(key=lambda item: item.get('src', item.get('vehicle', item.get('radio', ''))))
            live = json.dumps(waiting).encode()
        return live

    def _places(self, cycle: Cycle) -> dict[str, Floats]:
        """Return the positions of the antennas [m]."""
        up = np.array([0.0, 0.0, self.config.antenna_height_m])
        places = {body.name: body.position + up for body in cycle.bodies}
        return {**places, **{name: position + up for name, position in self._stations.items()}}

    def _apply(self, item: dict[str, Any], cycle: Cycle) -> None:
        """Apply an input; an input that is no longer valid has no effect."""
        broker, do = self.broker, item['do']
        if do == 'send':
            broker.send(Datagram(item['src'], item['dst'], item['port'], base64.b64decode(item['data'])))
        elif do == 'register':
            broker.register(item['radio'])
        elif do == 'unregister':
            broker.unregister(item['radio'])
        elif do == 'bind' and item['radio'] in broker.radios:
            broker.bind(item['radio'], item['port'], multicast=item['multicast'])
        elif do == 'deploy':
            self._drop_breadcrumb(item['vehicle'], cycle)
        elif do == 'remove':
            kept = [(n, p) for n, p, _ in broker.model.breadcrumbs if n != item['breadcrumb']]
            broker.model.place_breadcrumbs(kept)
            self._starting = [crumb for crumb in self._starting if crumb[0] != item['breadcrumb']]
            if BODIES not in cycle.participants:
                self._visuals.append(ObjectVisual(f'{self.name}/{item["breadcrumb"]}'))

    def _drop_breadcrumb(self, vehicle: str, cycle: Cycle) -> None:
        body = next((b for b in cycle.bodies if b.name == vehicle), None)
        if body is None or self.stock[vehicle] <= 0:
            return
        number = self.config.breadcrumbs_per_vehicle - self.stock[vehicle]
        self.stock[vehicle] -= 1
        ready_ns = cycle.t_ns + round(self.config.breadcrumb_delay_s * 1e9)
        place = behind(body, self.config.drop_offset_m)
        name = f'{vehicle}_breadcrumb_{number}'
        self._starting.append((name, place, ready_ns))
        if BODIES in cycle.participants:
            self._dropped.append((name, body))
        else:
            self._visuals.append(breadcrumb_visual(f'{self.name}/{name}', place))

    def _spawned(self, name: str, vehicle: BodyState, cycle: Cycle) -> SpawnedObject:
        """Return the body of a breadcrumb at the end of the cycle in which it drops from its vehicle."""
        place = behind(vehicle, self.config.drop_offset_m)
        return breadcrumb_body(f'{self.name}/{name}', place, vehicle, cycle.dt_ns * 1e-9)

    def _follow_bodies(self, cycle: Cycle) -> None:
        """Move the breadcrumbs to their bodies; one whose body was removed is gone."""
        if BODIES not in cycle.participants:
            return
        bodies, head = {body.name: body.position for body in cycle.bodies}, f'{self.name}/'
        self._starting = [(n, bodies[head + n].copy(), t) for n, _, t in self._starting if head + n in bodies]
        model = self.broker.model
        before = [(name, place.tolist()) for name, place, _ in model.breadcrumbs]
        now = [(name, bodies[head + name].tolist()) for name, _ in before if head + name in bodies]
        if now != before:
            model.place_breadcrumbs(now)

    def _switch_on(self, t_ns: int) -> None:
        """Start the breadcrumbs whose delay has passed."""
        ready = [(name, place) for name, place, when in self._starting if when <= t_ns]
        if not ready:
            return
        model = self.broker.model
        self._starting = [crumb for crumb in self._starting if crumb[2] > t_ns]
        model.place_breadcrumbs([*((name, place) for name, place, _ in model.breadcrumbs), *ready])
        for name, place, tile in model.breadcrumbs[-len(ready) :]:
            if tile < 0 and model.graph is not None:
                where = ', '.join(f'{x:.1f}' for x in place)
                self._complain(f'breadcrumb {name!r} at ({where}) m is outside all tiles and does not relay')

    def _complain(self, what: str) -> None:
        if len(self.complaints) < _MOST_COMPLAINTS and what not in self.complaints:
            self.complaints.append(what)

    def _say(self, cycle: Cycle) -> None:
        """Apply the scenario's inputs since the last dispatch: breadcrumbs, beacons, traffic."""
        since, now = self._t_ns, cycle.t_ns
        for drop in self.config.breadcrumb_drops:
            if due(since, now, drop.time_s):
                self._drop_breadcrumb(drop.vehicle, cycle)
        if self.config.beacon_period_s > 0.0:
            for radio in self.broker.radios:
                for _ in range(due(since, now, 0.0, self.config.beacon_period_s)):
                    self.broker.send(Datagram(radio, BROADCAST, BEACON_PORT, b'hello'))
        for entry in self.config.traffic:
            for _ in range(due(since, now, entry.start_s, entry.period_s, entry.end_s)):
                self.broker.send(Datagram(entry.src, entry.dst, entry.port, bytes(entry.size_bytes)))

    def _commit(self, cycle: Cycle) -> None:
        self._news = self._dispatched[2]
        self._committed = cycle

    def _discard(self) -> None:
        """Keep the dispatch, which is the same for the next attempt of the cycle."""

    def _after_answer(self, cycle: Cycle) -> None:
        news, self._news = self._news, []
        if news:
            self.on_arrival(news)
        committed, self._committed = self._committed, None
        if committed is not None:
            self.on_committed(committed)

    def _idle_result(self, cycle: Cycle) -> CycleResult:
        report = json.dumps(self.summary()) if cycle.command == Command.STOP else ''
        return self._answer_to(cycle, summary_json=report)

    def summary(self) -> dict[str, Any]:
        """Return the values for the run's summary (sent, delivered, dropped by reason, all pairs) and their history."""
        broker = self.broker
        return {
            'sent': broker.sent,
            'delivered': broker.delivered,
            'dropped': dict(sorted(broker.dropped.items())),
            'links': broker.reach.links(),
            'history': broker.reach.history(),
        }

    def warm_up(self) -> None:
        """Compile the kernels of the first datagram and the first breadcrumb, so no cycle waits for them."""
        windows = CapacityWindows(2)
        model = self.broker.model
        deliver(windows, model.radio, np.uint64(0), 0, [0], [1], [1], [0.0], [1.0], [0], [0])
        if model.graph is not None and len(model.graph) > 1:
            table = relay_table(model.graph, [int(model.graph.ids[0])], model.mode)
            table.route(0, len(model.graph) - 1)

    # -- state ------------------------------------------------------------------------------------------------------

    @property
    def _cycle(self) -> int:
        """Number of the last dispatched cycle."""
        return self._dispatched[0]

    @_cycle.setter
    def _cycle(self, cycle: int) -> None:
        self._dispatched = (cycle, b'', [])

    def save(self) -> bytes:
        """Return the committed state, between cycles (at HOLD)."""
        return self.STATE.pack(self)

    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore the state from :meth:`save`.

        Raises:
            ValueError: If the blob is not the state of comms.
        """
        self.STATE.unpack(self, blob)
        self.set_epoch(epoch)
        self.on_restored()

    def set_epoch(self, epoch: int) -> None:
        """Discard all data from earlier records."""
        super().set_epoch(epoch)
        self._news = []
        self.complaints = []


def due(since_ns: int, now_ns: int, first_s: float, period_s: float | None = None, end_s: float | None = None) -> int:
    """Return the number of times first, first + period, ... (< end) in the interval (since, now].

    Args:
        since_ns: Start of the interval, excluded [ns].
        now_ns: End of the interval, included [ns].
        first_s: First time [s].
        period_s: Period [s]; None: only the first time.
        end_s: End of the times [s]; None: no end.
    """
    first = round(first_s * 1e9)
    last = now_ns if end_s is None else min(now_ns, round(end_s * 1e9) - 1)
    if period_s is None:
        return int(since_ns < first <= last)
    period = max(1, round(period_s * 1e9))

    def until(moment: int) -> int:
        return 0 if moment < first else (moment - first) // period + 1

    return max(0, until(last) - until(since_ns))


def behind(body: BodyState, distance: float) -> Floats:
    """Return the point at a distance [m] behind a body's origin, along its -x axis, shape (3,)."""
    return np.asarray(body.position - distance * rotation.matrix(body.orientation)[:, 0])
