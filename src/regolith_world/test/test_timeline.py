# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of live rewinds in worlds of objects only; test/test_timeline.py has those with vehicles."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_worlds import Nobody, run, world

from regolith_world.checkpoint.world_edits import DeleteEdit, SetStateEdit, SpawnEdit
from regolith_world.cycle.records import VEHICLE_ROLES
from regolith_world.objects.object import Appearance
from regolith_world.objects.object_types import make_objects
from regolith_world.timeline import Timeline
from regolith_world.world import World


def entry(x: float) -> dict[str, object]:
    shape = {'kind': 'sphere', 'size_m': [0.1]}
    return {'type': 'rigid_body', 'position': [x, 0.0, 0.0], 'mass_kg': 1.0, 'shape': shape, 'weightless': True}


def spawn(name: str, x: float) -> SpawnEdit:
    return SpawnEdit(name, make_objects({name: entry(x)}, 0.0)[0].save())


@pytest.fixture
def begun() -> tuple[World, Timeline]:
    """Return a world of one ball after 0.5 s, and its timeline."""
    w = world(bird=entry(0.0))
    timeline = Timeline(w, Nobody())  # type: ignore[arg-type]
    w.hold()
    timeline.begin()
    return run(w, 0.5), timeline


def test_visuals_of_spawned_objects_follow_rewinds_and_keep_their_appearance(begun: tuple[World, Timeline]) -> None:
    w, timeline = begun
    rock = Appearance('rock', color=(0.5, 0.25, 0.125))
    timeline.apply_edit(SpawnEdit('stone', spawn('stone', 2.0).kept, appearance=rock))
    acted_ns = w.t_ns
    for _ in range(2):
        run(w, 0.8)
        stone = next(visual for visual in w.visuals.all if visual.name == 'stone')
        assert stone.material == 'rock' and stone.color.tolist() == [0.5, 0.25, 0.125]
        timeline.rewind(acted_ns, live=False)
        assert [visual.name for visual in w.visuals.all] == ['bird']
        timeline.replay_edits()
        assert 'stone' in [visual.name for visual in w.visuals.changes]


def test_live_rewind_to_a_world_edit_undoes_it(begun: tuple[World, Timeline]) -> None:
    """The edit is later than the state that it changed, so it belongs to the discarded future."""
    w, timeline = begun
    timeline.apply_edit(spawn('stone', 2.0))
    acted_ns, hash_with = w.t_ns, w.state_hash
    run(w, 0.8)
    timeline.rewind(acted_ns, live=True)
    assert 'stone' not in w.objects and w.log.acts == []
    timeline.replay_edits()
    w.step()
    assert 'stone' not in w.objects and w.state_hash != hash_with


def test_rewind_with_replay_applies_the_world_edit_again(begun: tuple[World, Timeline]) -> None:
    w, timeline = begun
    timeline.apply_edit(spawn('stone', 2.0))
    acted_ns = w.t_ns
    run(w, 0.8)
    end = w.state_hash
    timeline.rewind(acted_ns, live=False)
    assert 'stone' not in w.objects
    timeline.replay_edits()
    run(w, 0.8)
    assert 'stone' in w.objects and w.state_hash == end


def test_world_edit_discards_snapshots_of_other_edits_of_the_state(begun: tuple[World, Timeline]) -> None:
    """For any number: a snapshot after the first edit of a discarded future differs from one after the first edit of this."""
    w, timeline = begun
    before = timeline.save('before')
    for k in (1, 2):
        timeline.apply_edit(spawn(f'stone_{k}', 2.0 * k))
        timeline.save(f'after_{k}')
    run(w, 0.8)
    timeline.rewind(before, live=False)
    assert [each.name for each in timeline.snapshots] == ['beginning', 'before', 'after_1', 'after_2']
    timeline.apply_edit(spawn('pebble', 7.0))
    assert [each.name for each in timeline.snapshots] == ['beginning', 'before'] and len(w.log.acts) == 1


def test_a_snapshot_is_not_replaced(begun: tuple[World, Timeline], tmp_path: Path) -> None:
    """Neither by another of its name, nor of its folder: rewinds to it would reach a different state."""
    w, timeline = begun
    timeline.save('here', tmp_path / 'kept', kept=True)
    run(w, 0.8)
    for name, folder, why in (
        ('here', None, "snapshot 'here' exists; allowed: another name"),
        ('', tmp_path / 'kept', "kept holds snapshot 'here'; allowed: another folder"),
    ):
        with pytest.raises(ValueError, match=why):
            timeline.save(name, folder)
    timeline.rewind(timeline.find('here'), live=False)
    assert w.t_ns == 500_000_000
    with pytest.raises(ValueError, match="no snapshot 'nowhere'; allowed: beginning, here"):
        timeline.find('nowhere')


def test_world_edits_before_the_target_of_a_live_rewind_are_kept(begun: tuple[World, Timeline]) -> None:
    w, timeline = begun
    timeline.apply_edit(spawn('stone', 2.0))
    run(w, 0.6)
    between_ns = w.t_ns
    run(w, 0.7)
    timeline.apply_edit(DeleteEdit('stone'))
    run(w, 0.8)
    timeline.rewind(between_ns, live=True)
    run(w, 0.9)
    assert 'stone' in w.objects and [type(act) for _, act in w.log.acts] == [SpawnEdit]


def test_snapshots_of_one_cycle_are_distinguished_by_their_edits(begun: tuple[World, Timeline]) -> None:
    """Two snapshots of one time and state hash differ in the edits before them: each leads to its own state.

    For a live rewind to that time, or to the earlier snapshot, the later one belongs to the discarded future.
    """
    w, timeline = begun
    timeline.save('before')
    where = w.objects['bird'].body
    timeline.apply_edit(SetStateEdit('bird', where))  # at its own pose, so the state hash is unchanged
    timeline.save('after')
    before, after = timeline.snapshots[-2:]
    assert (before.cycle, before.state_hash, before.acts) == (after.cycle, after.state_hash, after.acts - 1)
    acted_ns = w.t_ns
    for to, left, acts in ((after, ['before', 'after'], 1), (before, ['before'], 0)):
        run(w, 0.8)
        timeline.rewind(to, live=True)
        assert [each.name for each in timeline.snapshots] == ['beginning', *left] and len(w.log.acts) == acts
    timeline.apply_edit(SetStateEdit('bird', where))
    timeline.save('after')
    run(w, 0.8)
    timeline.rewind(acted_ns, live=True)
    assert [each.name for each in timeline.snapshots] == ['beginning', 'before'] and w.log.acts == []


def test_removed_participant_is_kept_while_a_rewind_may_need_it(begun: tuple[World, Timeline]) -> None:
    """A participant of a snapshot, or one that a resimulation spawns again, is needed; no other is."""
    w, timeline = begun
    w.participants = {'amber': VEHICLE_ROLES, 'beryl': VEHICLE_ROLES}
    timeline.save('both')
    w.participants = {'amber': VEHICLE_ROLES}
    timeline.apply_edit(spawn('stone', 2.0))
    w._requests = dict.fromkeys(('amber', 'beryl', 'coral', 'stone', 'dune'))  # type: ignore[assignment]
    assert timeline.unneeded() == ['coral', 'dune']
    assert timeline.snapshots[-1].names == {'amber', 'beryl'}
