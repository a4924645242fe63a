# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the comms participant: latched inputs, discarded attempts, replay and checkpoints."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from regolith_comms.broker import Datagram, Delivery
from regolith_comms.comms_participant import CommsParticipant, behind, due
from regolith_comms.config import CommsConfig
from regolith_comms.links.link import LinkModel
from regolith_comms.radio_config import Radio
from regolith_world.cycle.records import BodyState, Command, Cycle, CycleKey, CycleResult, Roles, Verdict

DT_NS = 20_000_000
CONFIG = {
    'beacon_period_s': 0.0,
    'breadcrumb_delay_s': 0.0,
    'stations': {'lander': [0.0, 0.0, 0.0]},
    'traffic': [{'src': 'amber', 'dst': 'lander', 'period_s': 0.04, 'size_bytes': 700}],
}


class Rig:
    """World side of the protocol; amber stands 200 m from the lander, where about half of its packets arrive."""

    def __init__(self, epoch: int = 0, **config: object) -> None:
        self.results: list[CycleResult] = []
        self.arrived: list[Delivery] = []
        model = LinkModel(Radio(model='log_normal_range', fading_exponent=2.7, scaling_factor=1.0))
        section = CommsConfig.model_validate({**CONFIG, **config})
        self.comms = CommsParticipant(section, model, 5, ('amber', 'basalt'), self.results.append, {}, epoch=epoch)
        self.comms.on_arrival = self.arrived.extend
        self.cycle = self.attempt = self.t_ns = 0
        self.epoch, self.verdict = epoch, Verdict.NONE

    def send(self, command: Command, dt_ns: int) -> CycleResult:
        if self.verdict == Verdict.COMMIT:
            self.cycle, self.attempt = self.cycle + 1, 0
        key = CycleKey(self.epoch, self.cycle, self.attempt)
        self.attempt += 1
        bodies = tuple(
            BodyState(name, np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.zeros(3))
            for name, x in (('amber', 200.0), ('basalt', 5.0))
        )
        roles = (Roles(),)
        self.comms.on_cycle(Cycle(key, self.t_ns, dt_ns, self.verdict, command, ('comms',), roles, bodies))
        return self.results[-1]

    def evolve(self, commit: bool = True, dt_ns: int = DT_NS) -> CycleResult:
        result = self.send(Command.EVOLVE, dt_ns)
        self.verdict = Verdict.COMMIT if commit else Verdict.DISCARD
        self.t_ns += dt_ns if commit else 0
        return result

    def hold(self) -> CycleResult:
        result = self.send(Command.HOLD, 0)
        self.verdict = Verdict.NONE
        return result


def test_scheduled_traffic_is_sent_once_for_any_cycles() -> None:
    """50 datagrams in (-, 1.96 s], in equal cycles or with discarded and shortened ones."""
    plain, rough = Rig(), Rig()
    for _ in range(100):
        plain.evolve()
        rough.evolve(commit=False)
        rough.evolve(dt_ns=DT_NS)
    for rig in (plain, rough):
        assert rig.comms.broker.sent == 50
        rig.hold()
    assert plain.arrived == rough.arrived and 5 < len(plain.arrived) < 45
    assert plain.comms.broker.state_hash() == rough.comms.broker.state_hash()
    assert all(d.t_ns % (2 * DT_NS) == 0 for d in plain.arrived)


def test_deliveries_are_published_after_commit_only() -> None:
    rig = Rig(traffic=[])
    rig.comms.send(Datagram('basalt', 'lander', 4100, b'x'))
    rig.evolve(commit=False)
    rig.evolve()
    assert rig.arrived == []
    rig.evolve()
    assert [(d.to, d.t_ns) for d in rig.arrived] == [('lander', 0)]


def test_inputs_are_latched_and_replayed() -> None:
    """External inputs are in the result; fed back, they give the same hashes; without them the hashes differ."""
    rig = Rig()
    hashes, inputs = [], {}
    for k in range(30):
        if k == 3:
            rig.comms.send(Datagram('amber', 'basalt', 4100, b'hi'))
        if k == 5:
            rig.evolve(commit=False)
            rig.comms.send(Datagram('amber', 'basalt', 4100, b'late'))
            assert rig.comms.deploy('basalt') == 'basalt_breadcrumb_0'
        result = rig.evolve()
        hashes.append(result.state_hash)
        inputs[k] = result.live_inputs
    assert [k for k, live in inputs.items() if live != b'[]'] == [3, 6]
    again, still = Rig(), Rig()
    again.comms.replay_inputs = inputs
    assert [again.evolve().state_hash for _ in range(30)] == hashes
    assert [still.evolve().state_hash for _ in range(30)][3:] != hashes[3:]
    ((name, place, _),) = again.comms.broker.model.breadcrumbs
    assert name == 'basalt_breadcrumb_0' and place == pytest.approx([5.0 - 0.45, 0.0, 0.0])


def test_checkpoint_continues_bit_identical_and_rewind_repeats_inputs() -> None:
    rig = Rig()
    for _ in range(15):
        rig.evolve()
    rig.hold()
    blob, t_ns = rig.comms.save(), rig.t_ns
    rig.comms.send(Datagram('amber', 'basalt', 4100, b'hi'))
    results = [rig.evolve() for _ in range(15)]
    expected = [result.state_hash for result in results]
    fresh = Rig(epoch=1)
    for other in (fresh, rig):
        other.comms.restore(blob, 1)
        other.epoch, other.cycle, other.attempt, other.t_ns, other.verdict = 1, 15, 0, t_ns, Verdict.NONE
    rig.comms.replay_inputs = {15 + k: result.live_inputs for k, result in enumerate(results)}
    assert [rig.evolve().state_hash for _ in range(15)] == expected
    fresh.comms.send(Datagram('amber', 'basalt', 4100, b'hi'))
    assert [fresh.evolve().state_hash for _ in range(15)] == expected
    with pytest.raises(ValueError, match='comms: not the saved state of comms'):
        fresh.comms.restore(b'nonsense', 2)


def test_comms_state_is_saved_and_restored_field_by_field() -> None:
    """Compared with active and pending breadcrumbs, a changed stock, and datagrams queued in the broker."""
    options = {
        'breadcrumb_drops': [{'vehicle': 'amber', 'time_s': 0.0}, {'vehicle': 'basalt', 'time_s': 0.06}],
        'breadcrumb_delay_s': 0.05,
    }
    rig = Rig(**options)
    for _ in range(5):
        rig.evolve()
    rig.hold()
    one = rig.comms
    assert one.broker.model.breadcrumbs and one._starting and one.stock == {'amber': 5, 'basalt': 5} and one._t_ns > 0
    fresh = Rig(epoch=1, **options)
    two = fresh.comms
    two._news, two.complaints = one._dispatched[2], ['of another life']
    two.restore(one.save(), 1)
    assert two.save() == one.save() and two.state_hash() == one.state_hash()
    assert (two.stock, two._t_ns, two._dispatched[0], two.epoch) == (one.stock, one._t_ns, one._dispatched[0], 1)
    ((name, place, t_ns),) = one._starting
    ((other, there, when),) = two._starting
    assert (other, there.tolist(), when) == (name, place.tolist(), t_ns) and isinstance(there, np.ndarray)
    assert two._news == [] and two.complaints == []
    # Its next datagrams are due since the checkpoint, not since the start.
    sent = one.broker.sent
    fresh.cycle, fresh.t_ns = rig.cycle, rig.t_ns
    assert fresh.evolve().state_hash == rig.evolve().state_hash and two.broker.sent == one.broker.sent <= sent + 2


def test_breadcrumb_stock_is_limited() -> None:
    rig = Rig(breadcrumbs_per_vehicle=1, breadcrumb_drops=[{'vehicle': 'amber', 'time_s': 0.03}])
    with pytest.raises(ValueError, match="vehicle 'lander'"):
        rig.comms.deploy('lander')
    for _ in range(3):
        assert not rig.comms.broker.model.breadcrumbs
        rig.evolve()
    assert [name for name, _, _ in rig.comms.broker.model.breadcrumbs] == ['amber_breadcrumb_0']
    with pytest.raises(ValueError, match="'amber' has dropped all of its 1 breadcrumbs"):
        rig.comms.deploy('amber')
    with pytest.raises(ValueError, match='allowed: amber_breadcrumb_0'):
        rig.comms.remove('b')
    rig.comms.remove('amber_breadcrumb_0')
    rig.evolve()
    assert not rig.comms.broker.model.breadcrumbs


def test_breadcrumb_relays_after_its_start_delay() -> None:
    """Dropped in the cycle at 20 ms with a delay of 50 ms: it relays from the cycle at 80 ms on, also after a restore."""
    rig = Rig(breadcrumb_drops=[{'vehicle': 'amber', 'time_s': 0.02}], breadcrumb_delay_s=0.05)
    out = []
    for _ in range(3):
        rig.evolve()
        out.append(len(rig.comms.broker.model.breadcrumbs))
    rig.hold()
    fresh = Rig(epoch=1, breadcrumb_delay_s=0.05)
    assert fresh.comms.state_hash() != rig.comms.state_hash()
    fresh.comms.restore(rig.comms.save(), 1)
    assert fresh.comms.state_hash() == rig.comms.state_hash()
    fresh.cycle, fresh.t_ns = 3, rig.t_ns
    for _ in range(2):
        fresh.evolve()
        out.append(len(fresh.comms.broker.model.breadcrumbs))
    assert out == [0, 0, 0, 0, 1]
    assert fresh.comms.stock['amber'] == 5


def test_due_counts_each_time_once() -> None:
    edges = [-1, 0, 7, 20, 21, 100, 140]
    for first, period, end in ((0.0, 7e-9, None), (2e-8, 1e-8, 9e-8), (0.0, 1e-9, 1e-9)):
        parts = sum(due(a, b, first, period, end) for a, b in pairwise(edges))
        assert parts == due(-1, 140, first, period, end)
        stop = 140 if end is None else min(140, round(end * 1e9) - 1)
        assert parts == len(range(round(first * 1e9), stop + 1, round(period * 1e9)))


def test_breadcrumb_is_dropped_behind_the_body() -> None:
    half = np.sqrt(0.5)
    body = BodyState('a', np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, half, half]), np.zeros(3), np.zeros(3))
    assert behind(body, 0.5) == pytest.approx([1.0, 1.5, 3.0])


def test_breadcrumb_removed_before_its_start_does_not_relay() -> None:
    rig = Rig(
        breadcrumb_drops=[{'vehicle': 'amber', 'time_s': 0.0}, {'vehicle': 'basalt', 'time_s': 0.0}],
        breadcrumb_delay_s=0.1,
    )
    rig.evolve()
    rig.comms.remove('amber_breadcrumb_0')
    for _ in range(10):
        rig.evolve()
    rig.hold()
    assert [name for name, _, _ in rig.comms.broker.model.breadcrumbs] == ['basalt_breadcrumb_0']


def test_breadcrumb_is_seen_from_its_drop_to_its_removal() -> None:
    """Each attempt of a cycle sends the same; a breadcrumb at the origin of a vehicle lies on the ground below it."""
    rig = Rig(drop_offset_m=0.0, beacon_period_s=0.0)
    assert [visual.name for visual in rig.comms.join_request().visuals] == [
        f'comms/{name}' for name in sorted(rig.comms.config.stations)
    ]
    assert rig.evolve().visuals == ()
    name = rig.comms.deploy('amber')
    for commit in (False, True):
        (seen,) = rig.evolve(commit=commit).visuals
        assert seen.name == f'comms/{name}' and seen.visible and seen.position.tolist() == [200.0, 0.0, 0.02]
    assert rig.evolve().visuals == ()
    rig.comms.remove(name)
    (gone,) = rig.evolve().visuals
    assert gone.name == f'comms/{name}' and not gone.visible
    rig.hold()
