# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Lost links and their history, against runs written out by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from regolith_comms.reach import LOST_AFTER, MOST_BINS, Reach

PAIR = [('amber', 'lander')]


def told(arrivals: str, period_ns: int = 10**9) -> Reach:
    """One packet a period; '1' arrives."""
    reach = Reach()
    for k, mark in enumerate(arrivals):
        reach.note(k * period_ns, PAIR, np.array([1]), np.array([int(mark)]))
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
def test_a_link_is_lost_from_the_first_packet_lost_to_the_first_heard(arrivals: str, lost: list) -> None:
    link = told(arrivals).links()['amber->lander']
    assert link == {'sent': len(arrivals), 'delivered': arrivals.count('1'), 'lost_s': lost}


def test_history_keeps_every_packet_as_it_grows_coarser() -> None:
    """Sums are those of the packets told, whatever the bins; a saved record goes on as the other does."""
    rng = np.random.default_rng(3)
    arrivals = ''.join(rng.choice(['0', '1'], 2000))
    reach = told(arrivals, 10**8)
    history = reach.history()
    bins = history['pairs']['amber->lander']
    assert len(bins['sent']) <= MOST_BINS and history['bin_s'] * MOST_BINS >= 200.0
    width = round(history['bin_s'] * 10)
    assert bins['sent'] == [len(arrivals[k : k + width]) for k in range(0, 2000, width)]
    assert bins['delivered'] == [arrivals[k : k + width].count('1') for k in range(0, 2000, width)]
    again = Reach.restored(json.loads(json.dumps(reach.save())))
    for record in (reach, again):
        record.note(300 * 10**9, PAIR, np.array([7]), np.array([3]))
    assert again.history() == reach.history() and again.links() == reach.links()
