# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the broker: receivers of datagrams, capacity, breadcrumbs, errors and saved state."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_comms.addresses import BEACON_PORT, BROADCAST, MULTICAST
from regolith_comms.broker import Broker, Datagram
from regolith_comms.links.dot_file import Edge, GraphTile
from regolith_comms.links.link import LinkModel
from regolith_comms.links.visibility import TileGraph
from regolith_comms.links.world_grid import RECORD, WorldGrid
from regolith_comms.radio_config import Radio

NAMES = ('amber', 'basalt', 'cinder')
NEAR = {name: [2.0 * k, 0.0, 0.0] for k, name in enumerate(NAMES)}


def broker(radio: Radio | None = None, **options: bool) -> Broker:
    made = Broker(LinkModel(radio or Radio(model='log_normal_range')), 3, **options)
    for name in NAMES:
        made.register(name)
        made.bind(name, 4100)
    return made


def heard(deliveries: list) -> list[tuple[str, str, bytes]]:
    return [(d.to, d.datagram.src, d.datagram.data) for d in deliveries]


def test_unicast_broadcast_and_multicast_reach_their_receivers() -> None:
    net = broker()
    net.bind('cinder', 4200, multicast=True)
    net.bind('amber', 4200, multicast=True)
    net.send(Datagram('amber', 'basalt', 4100, b'one'))
    net.send(Datagram('amber', BROADCAST, 4100, b'all'))
    net.send(Datagram('basalt', MULTICAST, 4200, b'group'))
    assert heard(net.deliver_due(0, NEAR)) == [
        ('basalt', 'amber', b'one'),
        ('basalt', 'amber', b'all'),
        ('cinder', 'amber', b'all'),
        ('amber', 'basalt', b'group'),
        ('cinder', 'basalt', b'group'),
    ]
    assert net.deliver_due(1, NEAR) == []
    assert set(net.neighbors['cinder']) == {'amber', 'basalt'}


def test_loopback_and_multiple_charges_are_optional() -> None:
    """1500 bytes to two receivers and the sender: 1500 of the sender's capacity, or 4500 as in the reference code."""
    for loopback, each, charged, count in ((False, False, 1500, 2), (True, True, 4500, 3)):
        net = broker(broadcast_loopback=loopback, count_broadcast_per_receiver=each)
        net.send(Datagram('amber', BROADCAST, 4100, bytes(1500)))
        assert len(net.deliver_due(0, NEAR)) == count
        assert net._windows.bytes_in_window(0)[0] == charged


def test_broadcast_beyond_capacity_is_refused_completely() -> None:
    """83 packets of 1500 bytes fit into 1 Mbit; the next one reaches no receiver."""
    net = broker()
    for _ in range(84):
        net.send(Datagram('amber', BROADCAST, 4100, bytes(1500)))
    assert len(net.deliver_due(0, NEAR)) == 83 * 2
    assert net.dropped == {'tx_capacity': 2}
    net.send(Datagram('amber', BROADCAST, 4100, bytes(1500)))
    assert len(net.deliver_due(1_000_000_001, NEAR)) == 2


def test_missing_robot_does_not_affect_other_links() -> None:
    net = broker()
    place = {name: NEAR[name] for name in ('amber', 'cinder')}
    for src, dst in (('amber', 'cinder'), ('amber', 'basalt'), ('basalt', 'amber'), ('cinder', BROADCAST)):
        net.send(Datagram(src, dst, 4100, b'x'))
    assert heard(net.deliver_due(0, place)) == [('cinder', 'amber', b'x'), ('amber', 'cinder', b'x')]
    assert net.dropped == {'no_position': 2}


def test_removed_robot_receives_nothing_until_added_again() -> None:
    net = broker()
    net.send(Datagram('amber', 'basalt', 4100, b'late'))
    assert net.unregister('basalt') and not net.unregister('basalt')
    net.send(Datagram('amber', 'cinder', 4100, b'in time'))
    assert heard(net.deliver_due(0, NEAR)) == [('cinder', 'amber', b'in time')]
    assert net.dropped == {'unknown_address': 1}
    net.register('basalt')
    net.bind('basalt', 4100)
    net.send(Datagram('amber', 'basalt', 4100, b'again'))
    assert heard(net.deliver_due(1, NEAR)) == [('basalt', 'amber', b'again')]


def test_disconnected_robot_leaves_its_multicast_groups() -> None:
    """A multicast reaches the robots that stayed registered. A robot registered again has joined no group."""
    net = broker()
    for name in ('basalt', 'cinder'):
        net.bind(name, 4200, multicast=True)
    net.bind('cinder', 4300, multicast=True)
    net.bind('cinder', 4400)
    assert net.unregister('cinder') and net.radios == ('amber', 'basalt')

    def hearers(dst: str, port: int) -> list[str]:
        net.send(Datagram('amber', dst, port, b'x'))
        return [d.to for d in net.deliver_due(0, NEAR)]

    assert hearers(MULTICAST, 4200) == ['basalt'] == hearers(BROADCAST, 4100) == hearers(BROADCAST, BEACON_PORT)
    assert hearers(MULTICAST, 4300) == hearers(BROADCAST, 4400) == []
    assert net.dropped == {'unbound_port': 2}
    # Packets that it sends, and packets in transit to it.
    net.send(Datagram('cinder', 'amber', 4100, b'x'))
    assert net.deliver_due(1, NEAR) == [] and net.dropped['unregistered_sender'] == 1
    net.register('cinder')
    assert hearers(MULTICAST, 4200) == ['basalt'] and hearers(BROADCAST, BEACON_PORT) == ['basalt', 'cinder']
    assert net.bind('cinder', 4200, multicast=True) and not net.bind('cinder', 4200, multicast=True)
    assert hearers(MULTICAST, 4200) == ['basalt', 'cinder']


def test_added_robot_has_its_own_capacity() -> None:
    """Rows of the windows are never shared, whichever robots left before."""
    net = broker()
    net.send(Datagram('cinder', 'amber', 4100, bytes(1000)))
    net.deliver_due(0, NEAR)
    net.unregister('basalt')
    net.register('dune')
    net.bind('dune', 4100)
    assert net._windows.bytes_in_window(net._radios['dune']) == (0, 0)
    net.send(Datagram('dune', 'cinder', 4100, bytes(700)))
    net.deliver_due(1, {**NEAR, 'dune': [1.0, 1.0, 0.0]})
    sums = {name: net._windows.bytes_in_window(row) for name, row in net._radios.items()}
    assert sums == {'amber': (0, 1000), 'cinder': (1000, 700), 'dune': (700, 0)}


def test_invalid_datagrams_are_refused_or_dropped_with_a_reason() -> None:
    net = broker()
    with pytest.raises(ValueError, match=r'1000000 bytes.*allowed: up to 1500'):
        net.send(Datagram('amber', 'basalt', 4100, bytes(1_000_000)))
    with pytest.raises(ValueError, match=r'port 0.*allowed: 1 to 65535'):
        net.send(Datagram('amber', 'basalt', 0, b''))
    with pytest.raises(ValueError, match="'nobody' is not registered"):  # term: name of a robot
        net.bind('nobody', 4100)
    with pytest.raises(ValueError, match="radio 'broadcast'"):
        net.register(BROADCAST)
    net.send(Datagram('nobody', 'basalt', 4100, b''))
    net.send(Datagram('amber', 'nobody', 4100, b''))
    net.send(Datagram('amber', 'basalt', 9, b''))
    net.send(Datagram('amber', 'basalt', 4100, b'good'))
    assert heard(net.deliver_due(0, NEAR)) == [('basalt', 'amber', b'good')]
    assert net.dropped == {'unregistered_sender': 1, 'unknown_address': 1, 'unbound_port': 1}


def test_every_kind_of_warning_is_kept_and_reported_once() -> None:
    """Each kind of warning is stored; a broadcast without a possible receiver is reported, a random loss is not."""
    net = broker()
    for _ in range(1000):
        net.send(Datagram('amber', 'nobody', 4100, b''))
    net.send(Datagram('amber', 'basalt', 9, b''))
    net.send(Datagram('amber', BROADCAST, 9, b''))
    net.send(Datagram('amber', MULTICAST, 4100, b''))
    net.deliver_due(0, NEAR)
    assert net.dropped == {'unknown_address': 1000, 'unbound_port': 3}
    said = [
        "no radio 'nobody'",  # term: name of a robot
        "'basalt' has not bound port 9",
        'has bound port 9',
        'has joined the group of port 4100',
    ]
    assert len(net.complaints) == 4 and all(text in told for text, told in zip(said, net.complaints))
    alone = Broker(LinkModel(Radio(model='distance')), 1)
    alone.register('amber')
    alone.send(Datagram('amber', BROADCAST, BEACON_PORT, b'hello'))
    assert alone.deliver_due(0, {'amber': NEAR['amber']}) == [] and not alone.complaints and not alone.dropped


def test_ten_thousand_queued_datagrams_are_sent_in_order() -> None:
    """All are tried, in order; those that fit into the capacity of the second arrive."""
    net = broker(Radio(model='distance', capacity_bps=8e5))
    for k in range(10_000):
        net.send(Datagram('amber', 'basalt', 4100, k.to_bytes(20, 'little')))
    arrived = net.deliver_due(0, NEAR)
    assert [int.from_bytes(d.datagram.data, 'little') for d in arrived] == list(range(5000))
    assert net.dropped == {'tx_capacity': 5000} and net.sent == 10_000 and net.delivered == 5000


def ridge() -> LinkModel:
    """Three tiles in a row, 10 m each; the outer ones have no line of sight."""
    records = np.zeros(30 * 3, dtype=RECORD)
    x, z = np.divmod(np.arange(90), 3)
    records['x'], records['z'], records['id'] = x, z, x // 10
    tiles = [GraphTile(k, 'tile', f'tile_{k}') for k in range(3)]
    graph = TileGraph(tiles, [Edge(0, 1, 6.0), Edge(1, 2, 6.0)])
    return LinkModel(Radio(), graph, WorldGrid(records))


@pytest.mark.parametrize('more', [(), ('first',), ('last',), ('first', 'last'), ('last', 'first')])
def test_relayed_range_is_the_longest_leg_with_further_breadcrumbs(more: tuple[str, ...]) -> None:
    """Relayed in the middle, 9 m from one end and 13 m from the other.

    Breadcrumbs in the tiles of the end points are no part of the route, in either direction.
    """
    model, further = ridge(), {'first': (1.0, 0.0, 0.0), 'last': (29.0, 0.0, 0.0)}
    for order in (
        [('middle', (15.0, 0.0, 0.0)), *((name, further[name]) for name in more)],
        [*((name, further[name]) for name in more), ('middle', (15.0, 0.0, 0.0))],
    ):
        model.place_breadcrumbs(order)
        for near, far, longest in (
            ((6.0, 0.0, 0.0), (28.0, 0.0, 0.0), 13.0),
            ((2.0, 0.0, 0.0), (24.0, 0.0, 0.0), 13.0),
        ):
            both = model.between([near, far], [far, near])
            assert both.hops.tolist() == [1, 1] and both.range_m.tolist() == [longest] * 2


def test_breadcrumb_restores_a_lost_link() -> None:
    net = Broker(ridge(), 3)
    place = {'amber': [2.0, 0.0, 1.0], 'basalt': [27.0, 0.0, 1.0]}
    for name in place:
        net.register(name)
        net.bind(name, 4100)

    def talk(t_ns: int) -> list:
        net.send(Datagram('amber', 'basalt', 4100, b'?'))
        return net.deliver_due(t_ns, place)

    assert talk(0) == [] and net.dropped == {'no_link': 1}
    net.model.place_breadcrumbs([('far out', [500.0, 0.0, 0.0])])
    assert talk(1) == [] and net.model.breadcrumbs[0][2] == -1
    net.model.place_breadcrumbs([('far out', [500.0, 0.0, 0.0]), ('crest', [15.0, 0.0, 1.0])])
    (arrived,) = talk(2)
    assert arrived.hops == 1
    net.model.place_breadcrumbs([])
    assert talk(3) == []


def test_first_of_two_breadcrumbs_in_a_tile_relays() -> None:
    """The longest leg is that to the breadcrumb dropped first, wherever the second lies."""
    ends = [[2.0, 0.0, 1.0]], [[27.0, 0.0, 1.0]]
    legs = []
    for places in ([11.0], [11.0, 17.0], [17.0, 11.0]):
        model = ridge()
        model.place_breadcrumbs((f'b{k}', [x, 0.0, 1.0]) for k, x in enumerate(places))
        assert {tile for _, _, tile in model.breadcrumbs} == {1}
        legs.append(float(model.between(*ends).range_m[0]))
    # From 2 m to 11 m to 27 m, and from 2 m to 17 m to 27 m.
    assert legs == [16.0, 16.0, 15.0]


def test_broker_state_is_saved_and_restored_field_by_field() -> None:
    """Compared field by field, in a state with every field in use."""

    def model() -> LinkModel:
        return LinkModel(Radio(model='log_normal_range', fading_exponent=2.5))

    one = Broker(model(), 3)
    for name in NAMES:
        one.register(name)
        one.bind(name, 4100)
    one.bind('amber', 4200, multicast=True)
    one.bind('cinder', 4200, multicast=True)
    for k in range(40):
        one.send(Datagram('amber', BROADCAST, 4100, bytes(1400)))
        one.send(Datagram('basalt', MULTICAST, 4200, bytes([k])))
        one.deliver_due(k * 10_000_000, {n: [120.0 * i, 0.0, 0.0] for i, n in enumerate(NAMES)})
    one.model.place_breadcrumbs([('crest', [1.0, 2.0, 3.0])])
    one.send(Datagram('amber', 'basalt', 4100, b'\x00\xff'))
    one.send(Datagram('amber', 'nobody', 9, b''))
    two = Broker(model(), 3)
    two.load(one.save())
    assert two.save() == one.save() and one.dropped and len(one.reach.links()) > 2
    # The broker has no other state, except what it computes again.
    for name, value in vars(one).items():
        if name in ('model', '_streams', 'complaints'):
            continue
        other = getattr(two, name)
        assert type(other) is type(value), name
        if name == '_windows':
            assert all(np.array_equal(getattr(other, f), getattr(value, f)) for f in vars(value))
        elif name == 'reach':
            assert other.save() == value.save()
        else:
            assert other == value, name
    assert {type(t) for heard in two.neighbors.values() for t in heard.values()} == {tuple}


def test_saved_state_continues_bit_identical() -> None:
    """A restored broker gives the same deliveries, signal strengths and hash; another seed gives other draws."""

    def run(net: Broker, start: int) -> list:
        out = []
        for k in range(start, start + 40):
            for name in NAMES:
                net.send(Datagram(name, BROADCAST, 4100, bytes(900)))
            out += net.deliver_due(k * 100_000_000, {n: [150.0 * i, 0.0, 0.0] for i, n in enumerate(NAMES)})
        return out

    radio = Radio(model='log_normal_range', fading_exponent=2.5)
    one = broker(radio)
    run(one, 0)
    one.send(Datagram('amber', 'basalt', 4100, b'\x00\xff'))
    two = Broker(LinkModel(radio), 3)
    two.load(one.save())
    assert two.state_hash() == one.state_hash()
    expected = run(one, 40)
    assert run(two, 40) == expected and 0 < len(expected) < 240
    assert two.state_hash() == one.state_hash()
    other = Broker(LinkModel(radio), 4)
    other.load(one.save())
    assert run(other, 80) != run(one, 80)
    with pytest.raises(ValueError, match='not the saved state'):
        two.load(b'{}')
