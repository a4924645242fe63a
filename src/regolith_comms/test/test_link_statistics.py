# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of link losses and their history, against sequences computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from regolith_comms.link_statistics import FIRST_BIN_NS, LOST_AFTER, MOST_BINS, LinkStatistics

PAIR = [('amber', 'lander')]


def told(arrivals: str, period_ns: int = 10**9) -> LinkStatistics:
    """Return the statistics of one packet per period; '1' arrives."""
    reach = LinkStatistics()
    for k, mark in enumerate(arrivals):
        reach.record_delivery(k * period_ns, PAIR, np.array([1]), np.array([int(mark)]))
    return reach


@pytest.mark.parametrize(
    ('arrivals', 'lost'),
    [
        ('1111', []),
        ('1' + '0' * (LOST_AFTER - 1) + '1', []),
        ('11' + '0' * LOST_AFTER + '1', [[2.0, 7.0]]),
        ('0' * 6, [[0.0, None]]),
        ('1000001000001', [[1.0, 6.0], [7.0, 12.0]]),
    ],
)
def test_link_is_lost_from_first_lost_to_next_received_packet(arrivals: str, lost: list) -> None:
    link = told(arrivals).links()['amber->lander']
    assert link == {'sent': len(arrivals), 'delivered': arrivals.count('1'), 'lost_s': lost}


def test_packets_lost_at_one_time_count_each() -> None:
    """Five losses of one burst, or of two bursts in a row, are a lost link; losses before an arrival do not count."""
    for bursts, lost in (
        ([(5, 0)], [[0.0, None]]),
        ([(4, 0), (1, 0)], [[0.0, None]]),
        ([(4, 0), (9, 1), (4, 0)], []),
        ([(3, 3), (2, 0), (2, 0), (7, 0), (1, 1), (5, 0)], [[1.0, 4.0], [5.0, None]]),
    ):
        reach = LinkStatistics()
        for k, (sent, arrived) in enumerate(bursts):
            reach.record_delivery(k * 10**9, PAIR, np.array([sent]), np.array([arrived]))
        link = reach.links()['amber->lander']
        assert link['lost_s'] == lost, bursts
        assert (link['sent'], link['delivered']) == tuple(map(sum, zip(*bursts)))


def test_bins_double_when_time_passes_the_last_bin() -> None:
    """A packet in the last bin leaves the bins unchanged; one at its end doubles their length."""
    for late_ns, bin_s, count in (
        (0, 2 * FIRST_BIN_NS * 1e-9, MOST_BINS // 2 + 1),
        (-1, FIRST_BIN_NS * 1e-9, MOST_BINS),
    ):
        reach = LinkStatistics()
        reach.record_delivery(0, PAIR, np.array([1]), np.array([1]))
        reach.record_delivery(MOST_BINS * FIRST_BIN_NS + late_ns, PAIR, np.array([1]), np.array([1]))
        history = reach.history()
        assert history['bin_s'] == bin_s and len(history['pairs']['amber->lander']['sent']) == count


def test_pairs_have_separate_statistics() -> None:
    """The reverse direction is a separate link; a pair that begins late has empty bins before."""
    reach = LinkStatistics()
    both = [('a', 'b'), ('b', 'a')]
    for k in range(6):
        reach.record_delivery(k * 250_000_000, both, np.array([1, 2]), np.array([1, 0]))
    reach.record_delivery(6 * 250_000_000, [('c', 'a')], np.array([3]), np.array([2]))
    links = reach.links()
    assert {pair: (link['sent'], link['delivered']) for pair, link in links.items()} == {
        'a->b': (6, 6),
        'b->a': (12, 0),
        'c->a': (3, 2),
    }
    assert links['b->a']['lost_s'] == [[0.0, None]] and links['a->b']['lost_s'] == links['c->a']['lost_s'] == []
    bins = reach.history()['pairs']
    assert bins['c->a'] == {'sent': [0] * 6 + [3], 'delivered': [0] * 6 + [2]} and bins['b->a']['delivered'] == [0] * 6


def test_link_statistics_are_restored_field_by_field() -> None:
    """A link that is lost, one with some losses in a row, and one that works: each continues as without a restore."""
    reach = told('1' + '0' * 7 + '10000000')
    reach.record_delivery(16 * 10**9, [('b', 'a'), ('c', 'a')], np.array([3, 4]), np.array([0, 4]))
    again = LinkStatistics()
    again.load(reach.save())
    assert vars(again) == vars(reach) and again.save() == reach.save()
    assert again.links()['amber->lander']['lost_s'] == [[1.0, 8.0], [9.0, None]]
    for each in (reach, again):
        each.record_delivery(17 * 10**9, [*PAIR, ('b', 'a')], np.array([1, 2]), np.array([1, 0]))
    assert again.links() == reach.links()
    assert again.links()['amber->lander']['lost_s'][1] == [9.0, 17.0] and again.links()['b->a']['lost_s'] == [
        [16.0, None]
    ]


def test_coarser_history_keeps_every_packet() -> None:
    """Sums are those of all packets, for any bins; a restored record continues like the original."""
    rng = np.random.default_rng(3)
    arrivals = ''.join(rng.choice(['0', '1'], 2000))
    reach = told(arrivals, 10**8)
    history = reach.history()
    bins = history['pairs']['amber->lander']
    assert len(bins['sent']) <= MOST_BINS and history['bin_s'] * MOST_BINS >= 200.0
    width = round(history['bin_s'] * 10)
    assert bins['sent'] == [len(arrivals[k : k + width]) for k in range(0, 2000, width)]
    assert bins['delivered'] == [arrivals[k : k + width].count('1') for k in range(0, 2000, width)]
    again = LinkStatistics()
    again.load(reach.save())
    for record in (reach, again):
        record.record_delivery(300 * 10**9, PAIR, np.array([7]), np.array([3]))
    assert again.history() == reach.history() and again.links() == reach.links()
