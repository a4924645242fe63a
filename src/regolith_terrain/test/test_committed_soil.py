# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of observers of the soil: order of committed changes, gaps, rewinds, other runs; and of what terrain publishes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_terrain_participant import Stage, rut

from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field import FlatField
from regolith_terrain.updates.committed_soil import CommittedSoil, SoilCommit
from regolith_world.cycle.records import Command, CycleKey, Verdict

MS = 1_000_000


def commit(seq: int, epoch: int = 0) -> SoilCommit:
    """Return the change of cycle seq - 1, which lowers the node of that number by 1 cm times the number."""
    return SoilCommit(CycleKey(epoch, seq - 1, 0), 20 * seq * MS, seq, rut(seq, 0.01 * seq), '')


def state(*seqs: int) -> NodeRecords:
    """Return all changed nodes after these updates."""
    parts = [rut(seq, 0.01 * seq) for seq in seqs]
    return NodeRecords.empty().joined(parts)


class Observer:
    """Nodes known by an observer that applies all changes."""

    def __init__(self, soil: CommittedSoil) -> None:
        self.soil = soil
        self.nodes: list[int] = []

    def look(self, t_ms: int | None = None) -> list[int]:
        """Apply the changes up to a time, and return all nodes."""
        complete, records = self.soil.changes(None if t_ms is None else t_ms * MS)
        if complete:
            self.nodes = []
        self.nodes = sorted({*self.nodes, *(int(i) for part in records for i in part.i)})
        return self.nodes


@pytest.fixture
def at_start() -> Observer:
    """An observer that has the complete state of a run that has not begun."""
    soil = CommittedSoil()
    assert soil.lost, 'an observer begins with a complete state'
    soil.load(0, -1, 0, NodeRecords.empty())
    return Observer(soil)


def test_changes_are_returned_once_in_order(at_start: Observer) -> None:
    for seq in (1, 2, 3):
        at_start.soil.take(commit(seq))
    complete, records = at_start.soil.changes()
    assert complete and [int(part.i[0]) for part in records] == [1, 2, 3]
    assert at_start.soil.changes() == (False, []) and not at_start.soil.lost


def test_changes_wait_for_their_time(at_start: Observer) -> None:
    """A sensor applies the commits up to the time of its frame."""
    for seq in (1, 2, 3):
        at_start.soil.take(commit(seq))
    assert at_start.soil.until_ns == 60 * MS
    assert [at_start.look(t_ms) for t_ms in (19, 20, 59, 60)] == [[], [1], [1, 2], [1, 2, 3]]


def test_repeated_changes_have_no_effect(at_start: Observer) -> None:
    """Terrain repeats the last change with a repeated record; a node changed again since must not go back."""
    at_start.soil.take(commit(1))
    at_start.soil.take(commit(2))
    at_start.soil.take(commit(1))
    assert len(at_start.soil.changes().records) == 2
    at_start.soil.take(commit(2))
    at_start.soil.take(commit(3))
    assert [int(part.i[0]) for part in at_start.soil.changes().records] == [3] and not at_start.soil.lost


def test_gap_needs_a_complete_state(at_start: Observer) -> None:
    """Changes before the gap are used; those behind it follow the state as far as it does not contain them."""
    for seq in (1, 3, 4):
        at_start.soil.take(commit(seq))
    assert at_start.look() == [1] and at_start.soil.lost
    at_start.soil.take(commit(5))
    assert at_start.look() == [1], 'nothing is shown before the state has arrived'
    at_start.soil.load(0, 60 * MS, 3, state(1, 2, 3))
    assert at_start.look() == [1, 2, 3, 4, 5] and not at_start.soil.lost and at_start.soil.from_ns == 60 * MS


def test_state_before_the_gap_is_requested_again(at_start: Observer) -> None:
    at_start.soil.take(commit(4))
    assert at_start.look() == [] and at_start.soil.lost
    at_start.soil.load(0, 40 * MS, 2, state(1, 2))
    assert at_start.look() == [1, 2] and at_start.soil.lost


@pytest.mark.parametrize('contained', [9, 11, 14])
def test_late_observer_misses_nothing(contained: int) -> None:
    """Messages come before the request, while the response is on its way, and after it."""
    observer = Observer(CommittedSoil())
    for seq in (10, 11, 12):
        observer.soil.take(commit(seq))
    assert observer.look() == [] and observer.soil.lost
    observer.soil.load(0, 20 * contained * MS, contained, state(*range(1, contained + 1)))
    for seq in (13, 14, 15):
        observer.soil.take(commit(seq))
    assert observer.look() == list(range(1, 16)) and not observer.soil.lost


def test_rewind_discards_the_abandoned_future(at_start: Observer) -> None:
    """Sequence numbers go back with a new epoch. A response of before the rewind is not used."""
    for seq in range(1, 9):
        at_start.soil.take(commit(seq))
    at_start.look(100)
    at_start.soil.take(commit(4, epoch=1))
    assert at_start.soil.lost and at_start.look() == [1, 2, 3, 4, 5]
    at_start.soil.take(commit(9)), at_start.soil.take(commit(5, epoch=1))
    at_start.soil.load(0, 160 * MS, 8, state(*range(1, 9)))
    assert at_start.soil.lost
    at_start.soil.load(1, -1, 3, state(1, 2, 3))
    assert at_start.look() == [1, 2, 3, 4, 5] and not at_start.soil.lost and at_start.soil.from_ns == -1
    at_start.soil.begin(2)  # the world says so before the first change
    assert at_start.soil.lost and at_start.soil.until_ns == -1
    at_start.soil.load(2, -1, 0, NodeRecords.empty())
    at_start.soil.take(commit(1, epoch=2))
    assert at_start.look() == [1]


def test_state_of_a_later_epoch_is_used_at_once(at_start: Observer) -> None:
    """The response may be the first message of an epoch; changes of the past then have no effect."""
    at_start.soil.take(commit(1))
    at_start.soil.load(1, 20 * MS, 6, state(1, 6))
    at_start.soil.begin(1)
    at_start.soil.take(commit(2))
    at_start.soil.take(commit(7, epoch=1))
    assert at_start.look() == [1, 6, 7] and not at_start.soil.lost


def test_recording_is_read_without_states() -> None:
    """A recording may begin anywhere and lack messages; repetitions count once, and a new epoch begins at any number."""
    observer = Observer(CommittedSoil(recorded=True))
    for each in (commit(3), commit(3), commit(5), commit(4), commit(2, epoch=1)):
        observer.soil.take(each)
        observer.look()
    assert observer.nodes == [2, 3, 5] and not observer.soil.lost


# -- stream of terrain ----------------------------------------------------------------------------------------------


def committed_by(stage: Stage) -> list[SoilCommit]:
    """Return the list of all changes that terrain publishes from now on."""
    published: list[SoilCommit] = []
    stage.terrain.on_committed = published.append
    return published


def attempt(stage: Stage, cycle: int, number: int, verdict: Verdict, records: NodeRecords, epoch: int = 0) -> CycleKey:
    """Have the only agent change these nodes in an attempt."""
    key = stage.cycle(cycle, number, verdict, epoch=epoch)
    stage.delta(key, 'amber', records)
    return key


def test_terrain_publishes_committed_changes_only() -> None:
    """Nothing of a discarded attempt: of two attempts at the second cycle, the second one counts."""
    stage = Stage(('amber',))
    published = committed_by(stage)
    first = attempt(stage, 0, 0, Verdict.NONE, rut(1, 0.1))
    assert published == [], 'nothing before the verdict'
    attempt(stage, 1, 0, Verdict.COMMIT, rut(2, 0.2))
    second = attempt(stage, 1, 1, Verdict.DISCARD, rut(3, 0.3))
    stage.cycle(2, 0, Verdict.COMMIT, Command.STOP)
    assert [(each.key, each.soil_seq, each.records.i.tolist()) for each in published] == [
        (first, 1, [1]),
        (second, 2, [3]),
    ]
    assert [each.soil_hash for each in published] == [stage.updates[0].soil_hash, stage.updates[2].soil_hash]
    assert len(stage.updates) == 3


def test_terrain_publishes_cycles_without_changes() -> None:
    """So that an observer knows up to which time it has all changes."""
    stage = Stage(('amber',))
    published = committed_by(stage)
    attempt(stage, 0, 0, Verdict.NONE, NodeRecords.empty())
    attempt(stage, 1, 0, Verdict.COMMIT, rut(1, 0.1))
    stage.cycle(2, 0, Verdict.COMMIT, Command.HOLD)
    assert [(each.soil_seq, len(each.records)) for each in published] == [(1, 0), (2, 1)]


def test_observer_of_the_stream_has_the_soil_of_terrain() -> None:
    """With a repeated record, which repeats the change, and after a rewind to the first cycle."""
    stage = Stage(('amber',))
    soil, grid = CommittedSoil(), SoilGrid(FlatField(), stage.terrain.grid.spacing)
    soil.load(0, stage.terrain.t_ns, stage.terrain.soil_seq, stage.terrain.grid.all_records())
    stage.terrain.on_committed = soil.take
    attempt(stage, 0, 0, Verdict.NONE, rut(1, 0.1))
    saved = stage.terrain.save()
    attempt(stage, 1, 0, Verdict.COMMIT, rut(1, 0.2))
    stage.cycle(1, 0, Verdict.COMMIT)
    attempt(stage, 2, 0, Verdict.COMMIT, rut(2, 0.2))
    for records in soil.changes().records:
        grid.apply(records)
    assert grid.soil_hash() == stage.terrain.grid.soil_hash() and not soil.lost
    stage.terrain.restore(saved, 1)
    assert stage.terrain.t_ns == -1
    attempt(stage, 0, 0, Verdict.NONE, rut(5, 0.5), epoch=1)
    stage.cycle(1, 0, Verdict.COMMIT, Command.HOLD, epoch=1)
    assert soil.changes() == (False, []) and soil.lost
    terrain = stage.terrain
    soil.load(terrain.epoch, terrain.t_ns, terrain.soil_seq, terrain.grid.all_records())
    complete, records = soil.changes()
    grid = SoilGrid(FlatField(), terrain.grid.spacing)
    for each in records:
        grid.apply(each)
    assert complete and grid.soil_hash() == terrain.grid.soil_hash() and terrain.grid.modified_count == 1


# -- connection to a run --------------------------------------------------------------------------------------------


class FakeNode:
    """Node whose service responds when the test says so."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.ready = True

    def create_client(self, kind: Any, name: str) -> Any:
        assert name == '/moon/regolith/terrain/get_state'
        return SimpleNamespace(
            service_is_ready=lambda: self.ready, call_async=self._request, remove_pending_request=self.requests.remove
        )

    def _request(self, request: Any) -> Any:
        pending = SimpleNamespace(done=lambda: hasattr(pending, 'found'), result=lambda: pending.found)
        self.requests.append(pending)
        return pending


class FakeInbox:
    """Inbox that passes on what the test sends."""

    def subscribe(self, kind: Any, topic: str, callback: Any, qos: Any, **options: Any) -> None:
        assert topic == '/moon/regolith/terrain/committed'
        self.send = callback


def message(seq: int, run_id: int = 7) -> SimpleNamespace:
    """Return the message of :func:`commit`."""
    made = commit(seq)
    key = SimpleNamespace(run_id=run_id, epoch=0, cycle=made.key.cycle, attempt=0)
    return SimpleNamespace(key=key, t_ns=made.t_ns, soil_seq=seq, nodes=nodes(made.records), soil_hash='')


def nodes(records: NodeRecords) -> SimpleNamespace:
    return SimpleNamespace(x=records.i, y=records.j, fields=list(records.fields), values=records.table.ravel())


def response(*seqs: int, run_id: int = 7) -> SimpleNamespace:
    return SimpleNamespace(
        run_id=run_id, epoch=0, t_ns=20 * len(seqs) * MS, soil_seq=len(seqs), nodes=nodes(state(*seqs))
    )


def test_follower_requests_the_state_and_ignores_other_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('regolith_msgs')
    from regolith_terrain.ros import soil_follower

    now = [0.0]
    monkeypatch.setattr(soil_follower.time, 'monotonic', lambda: now[0])
    node, inbox = FakeNode(), FakeInbox()
    follower = soil_follower.SoilFollower(node, inbox, run=7, root='/moon')  # type: ignore[arg-type]
    observer = Observer(follower.soil)
    node.ready = False
    assert not follower.poll() and not node.requests
    node.ready = True
    assert not follower.poll() and len(node.requests) == 1
    inbox.send(message(2, run_id=8))
    inbox.send(message(3))
    node.requests.pop().found = response(1, 2, 3, 4, 5, run_id=8)
    assert not follower.poll() and follower.soil.lost, 'the response is of another run'
    follower.poll()
    now[0] = 3.0
    assert not follower.poll() and not node.requests, 'a request without a response is removed'
    follower.poll()
    node.requests.pop().found = response(1, 2)
    assert follower.poll() and observer.look() == [1, 2, 3]
    assert not follower.poll() and not node.requests
    inbox.send(message(9, run_id=8))
    inbox.send(message(4))
    assert observer.look() == [1, 2, 3, 4] and not follower.soil.lost


def test_follower_without_a_run_follows_the_first_one() -> None:
    pytest.importorskip('regolith_msgs')
    from regolith_terrain.ros import SoilFollower

    inbox = FakeInbox()
    follower = SoilFollower(FakeNode(), inbox, CommittedSoil(recorded=True), root='/moon')  # type: ignore[arg-type]
    inbox.send(message(1))
    inbox.send(message(2, run_id=8))
    inbox.send(message(3))
    assert Observer(follower.soil).look() == [1, 3]


def test_commit_is_read_from_its_bytes() -> None:
    """The serializer reads the bytes, and the content is bit-identical."""
    pytest.importorskip('regolith_msgs')
    from rclpy.serialization import deserialize_message
    from regolith_msgs.msg import TerrainCommitted

    from regolith_terrain.ros import protocol_codec

    for count in range(4):
        table = np.random.default_rng(count).normal(size=(5, count))
        records = NodeRecords.from_values(np.arange(count, dtype=np.int32), np.arange(count, dtype=np.int32), table)
        made = SoilCommit(CycleKey(1, 2**40, 3), -5, 2**33, records, 'e' * count)
        read = deserialize_message(protocol_codec.COMMITTED.pack(made, run_id=2**63 + 1), TerrainCommitted)
        again = SoilCommit.of(read)
        assert (
            read.key.run_id == 2**63 + 1 and again.records.equals(records) and again._replace(records=records) == made
        )
