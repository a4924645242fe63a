# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Timeline of a world: checkpoints, snapshots, rewinds and world edits.

A rewind restores the nearest checkpoint before the requested time. From there it resimulates the run without
publishing, on the logged inputs. Every state is compared with its logged mark, so the result is either bit-identical or
an error. World edits between cycles (:mod:`regolith_world.checkpoint.world_edits`) are applied again at the same
cycles.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from regolith_world.checkpoint import files
from regolith_world.checkpoint.files import WORLD_BLOB, Checkpoint
from regolith_world.checkpoint.world_edits import Act, DeleteEdit, SpawnEdit
from regolith_world.cycle.participant_type import TERRAIN_NAME
from regolith_world.cycle.records import BodyState, SpawnedObject
from regolith_world.objects.object import Object
from regolith_world.objects.object_types import restored
from regolith_world.objects.remote_body import RemoteAgent
from regolith_world.world import World

BEGINNING = 'beginning'
"""Name of the first checkpoint of a run."""
RESTORED = 'restored'
"""Name of a restored checkpoint of another run. A rewind cannot go to a time before it."""


class ParticipantStates(Protocol):
    """Access to the states of participants, in this process or through services, at HOLD only."""

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        """Return the saved state of each participant."""
        ...

    def restore(self, blobs: Mapping[str, bytes], epoch: int, inputs: Mapping[str, bytes]) -> None:
        """Set the states of participants. The state of the terrain goes to all participants that hold a copy of it.

        Args:
            blobs: Saved states by participant.
            epoch: The new epoch.
            inputs: Encoded :class:`regolith_world.checkpoint.input_log.InputHistory` by participant, which replaces
                external inputs.
        """
        ...

    def revive(self, name: str, blob: bytes, ground: bytes, epoch: int, inputs: bytes) -> None:
        """Set the state of a participant that was removed.

        Args:
            name: Name of the participant.
            blob: Its saved state.
            ground: Present state of the terrain.
            epoch: The new epoch.
            inputs: Encoded input history, which replaces external inputs; empty: none.
        """
        ...

    def place(self, name: str, body: BodyState) -> None:
        """Set pose and velocity of a vehicle.

        Args:
            name: Name of the vehicle.
            body: Its new state.

        Raises:
            ValueError: If the vehicle cannot have this state; with the reason.
        """
        ...

    def check_place(self, name: str, body: SpawnedObject) -> None:
        """Check that a participant of rigid bodies can compute a body at a state.

        Args:
            name: Name of the participant.
            body: The body at this state.

        Raises:
            ValueError: If it would begin in the ground or in a solid; with the depth and what is allowed.
        """
        ...


class Snapshot:
    """A checkpoint of the present state, from which a rewind can start.

    Args:
        name: Name of the snapshot.
        content: The checkpoint, or its folder.
        world: The world, at the state of the checkpoint.
        kept: Whether it is kept until the run ends.
    """

    def __init__(self, name: str, content: Checkpoint | Path, world: World, *, kept: bool) -> None:
        self.name, self.content, self.kept = name, content, kept
        self.t_ns, self.cycle, self.acts, self.state_hash = world.t_ns, world.cycle, world.acts, world.state_hash
        self.names = frozenset(world.participants)
        """Names of the participants in it."""

    @property
    def folder(self) -> Path | None:
        """Folder of the checkpoint; None: in memory."""
        return self.content if isinstance(self.content, Path) else None

    @property
    def size(self) -> int:
        """Size [bytes]."""
        if isinstance(self.content, Checkpoint):
            return sum(map(len, self.content.blobs.values()))
        return sum(file.stat().st_size for file in self.content.iterdir())

    def load(self) -> Checkpoint:
        """Return the checkpoint.

        Raises:
            ValueError: If its folder no longer holds a checkpoint.
        """
        return self.content if isinstance(self.content, Checkpoint) else files.read_checkpoint(self.content)

    def erase(self) -> None:
        """Delete its folder, if it has one."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class Timeline:
    """Checkpoints and snapshots of a world, edits of it, and rewinds.

    Args:
        world: The world.
        populace: Access to the states of its participants.
        end_ns: End of the run, at which the last step is shortened [ns]; 0: none.
        folder: Folder of the checkpoints; None: in memory.
        on_saved: Called with every checkpoint that is saved or restored.
    """

    def __init__(
        self,
        world: World,
        populace: ParticipantStates,
        end_ns: int = 0,
        folder: Path | None = None,
        on_saved: Callable[[Checkpoint], None] = lambda saved: None,
    ) -> None:
        self._world, self._populace, self._end_ns, self._folder = world, populace, end_ns, folder
        self._on_saved = on_saved
        self.snapshots: list[Snapshot] = []
        """Snapshots in the order of their cycles. The first is the beginning."""
        self._first: Snapshot | None = None
        self.branch = 0
        """Number of rewinds and restores."""

    # -- checkpoints --------------------------------------------------------------------------------------------

    def begin(self) -> Checkpoint:
        """Save the beginning, at HOLD, and return it."""
        saved = self.collect()
        self.branch = 0
        self._first = Snapshot(BEGINNING, saved, self._world, kept=True)
        self._remember(self._first)
        return saved

    @property
    def beginning(self) -> Checkpoint:
        """Checkpoint of :meth:`begin`, even if a checkpoint of another run was restored since."""
        assert self._first is not None
        return self._first.load()

    def save(self, name: str = '', folder: Path | None = None, kept: bool = False) -> Snapshot:
        """Save the committed state. If there are too many automatic checkpoints, delete the one in the densest place.

        Args:
            name: Name of the snapshot; '': its time.
            folder: Folder to write it to; None: one of that name in the checkpoint folder, or memory.
            kept: Whether it is kept until the run ends.

        Raises:
            ValueError: If another snapshot has that name, or is stored in that folder.
            OSError: If writing fails.
        """
        for each in self.snapshots:
            if name == each.name:
                raise ValueError(f'snapshot {name!r} exists; allowed: another name')
            if folder is not None and folder == each.folder:
                raise ValueError(f'{folder} holds snapshot {each.name!r}; allowed: another folder')
        self._world.hold()
        saved = self.collect()
        self._on_saved(saved)
        name = name or f't{saved.t_ns * 1e-9:010.3f}'
        if folder is None and self._folder is not None:
            folder = self._folder / name
        if folder is not None:
            files.write_checkpoint(folder, saved)
        made = Snapshot(name, saved if folder is None else folder, self._world, kept=kept)
        self._remember(made)
        return made

    def collect(self) -> Checkpoint:
        """Return the committed state of the world and all participants, at HOLD."""
        world = self._world
        blobs = self._populace.save(tuple(sorted(world.participants)))
        return Checkpoint(world.t_ns, world.state_hash, {WORLD_BLOB: world.save(), **blobs})

    def _remember(self, made: Snapshot) -> None:
        self.snapshots = sorted([s for s in self.snapshots if s.name != made.name] + [made], key=_place_of)
        spare = [s for s in self.snapshots[1:] if not s.kept]
        if len(spare) > self._world.config.max_checkpoints:
            first_ns, now_ns = self.snapshots[0].t_ns, spare[-1].t_ns
            times = [first_ns, *(s.t_ns for s in spare)]
            # The span that a checkpoint covers relative to its age: old ones may be far apart.
            rooms = [(times[k + 2] - times[k]) / max(1, now_ns - times[k + 1]) for k in range(len(spare) - 1)]
            densest = spare[rooms.index(min(rooms))] if rooms else spare[0]
            self.snapshots.remove(densest)
            densest.erase()

    @property
    def span_ns(self) -> tuple[int, int]:
        """Earliest and latest time to which the world can be set [ns]."""
        log, first = self._world.log, self.snapshots[0]
        return first.t_ns, log.time_ns(log.last)

    def unneeded(self) -> list[str]:
        """Return the removed participants that no snapshot and no resimulation needs."""
        needed = {name for each in self.snapshots for name in each.names}
        needed |= {act.name for _, act in self._world.log.acts if isinstance(act, SpawnEdit)}
        return sorted(self._world.removed_participants - needed)

    # -- rewind -------------------------------------------------------------------------------------------------

    def restore(self, saved: Checkpoint, live_from: int | None = None) -> None:
        """Restore a checkpoint while the world is stopped between cycles, after all commits were published.

        Args:
            saved: The checkpoint.
            live_from: Number of the state after which the log is deleted; None: the logged run will be resimulated.

        Raises:
            ProtocolError: If it contains participants that are not here. Nothing has changed then.
        """
        world = self._world
        world.load(saved.blobs[WORLD_BLOB])
        if live_from is not None:
            log = world.log
            log.cut(max(live_from, world.cycle), max(world.acts, sum(cycle < live_from for cycle, _ in log.acts)))
        self._discard_others()
        self.branch += 1
        blobs = {name: blob for name, blob in saved.blobs.items() if name != WORLD_BLOB}
        inputs = {n: world.log.inputs[n].encode() for n in sorted(blobs) if n in world.log.inputs}
        self._populace.restore(blobs, world.epoch, inputs)
        world.hold()
        if not any(each.cycle <= world.cycle for each in self.snapshots):
            # It belongs to another run, whose timeline begins here.
            first = self._first
            again = first is not None and (saved.t_ns, saved.state_hash) == (first.t_ns, first.state_hash)
            self._remember(Snapshot(BEGINNING if again else RESTORED, saved, world, kept=True))
        self._on_saved(saved)

    def _discard_others(self) -> None:
        """Discard checkpoints that belong neither to the past nor to the logged future."""
        log = self._world.log
        for each in [*self.snapshots]:
            if not log.has(each.cycle, each.t_ns, each.state_hash) or each.acts > len(log.acts):
                self.snapshots.remove(each)
                if not each.kept:
                    each.erase()

    def target_ns(self, t_ns: int) -> int:
        """Return the time of the last commit at or before a time [ns].

        Args:
            t_ns: Time [ns].

        Raises:
            ValueError: If the time is outside the timeline.
        """
        log, (first_ns, last_ns) = self._world.log, self.span_ns
        if not first_ns <= t_ns <= last_ns:
            allowed = f'{first_ns * 1e-9:.4f} to {last_ns * 1e-9:.4f}'
            raise ValueError(f'rewind to {t_ns * 1e-9:.9g} s is outside the timeline of this run; allowed: {allowed} s')
        target = log.at_or_before(t_ns)
        assert target is not None
        return log.time_ns(target)

    def find(self, name: str) -> Snapshot:
        """Return the snapshot of a name.

        Args:
            name: Name of the snapshot.

        Raises:
            ValueError: If there is none.
        """
        for each in self.snapshots:
            if each.name == name:
                return each
        raise ValueError(f'no snapshot {name!r}; allowed: {", ".join(each.name for each in self.snapshots)}')

    def rewind(self, to: int | Snapshot, live: bool, go_on: Callable[[], bool] = lambda: True) -> None:
        """Return the world to its last commit at or before a time [ns], or to a snapshot.

        A time refers to the committed state before any world edit. A snapshot is exact. Of two snapshots of one commit,
        the later one includes the edits made between them.

        Args:
            to: Time [ns] or snapshot.
            live: Whether inputs come from outside again from there on, instead of from the log.
            go_on: Called before every resimulated cycle; returns whether to continue.

        Raises:
            ValueError: If the time is outside the timeline, or the folder of a checkpoint is missing.
            ProtocolError: If a participant of that time is missing, or the resimulation diverges.
        """
        world, log = self._world, self._world.log
        if isinstance(to, Snapshot):
            target, start = to.cycle, to
        else:
            found = log.at_or_before(self.target_ns(to))
            assert found is not None
            target, acts = found, sum(cycle < found for cycle, _ in log.acts)
            past = [s for s in self.snapshots if s.cycle <= target]
            start = next((s for s in reversed(past) if (s.cycle, s.acts) <= (target, acts)), past[0])
        saved = start.load()
        world.silent = True
        try:
            self.restore(saved, target if live else None)
            while world.cycle < target and go_on():
                self.replay_edits()
                world.step(self._end_ns or None)
        finally:
            world.silent = False

    # -- world edits --------------------------------------------------------------------------------------------

    def apply_edit(self, act: Act) -> None:
        """Apply a world edit while the world is stopped between cycles. The logged future is deleted.

        Args:
            act: The edit.

        Raises:
            ValueError: If the edit is not possible; with the reason.
        """
        self._world.hold()
        self._do(act)
        self._note(act)

    @property
    def spawned(self) -> dict[str, SpawnEdit]:
        """Spawned entities that are still in the world, by name."""
        found: dict[str, SpawnEdit] = {}
        for _, act in self._world.log.acts[: self._world.acts]:
            if isinstance(act, SpawnEdit):
                found[act.name] = act
            elif isinstance(act, DeleteEdit):
                found.pop(act.name, None)
        return {name: act for name, act in found.items() if name in self._world.objects}

    def record_spawn(self, name: str) -> None:
        """Record that a vehicle was admitted."""
        self._world.hold()
        self._note(SpawnEdit(name, state=self._populace.save((name,))[name]))

    def _note(self, act: Act) -> None:
        world = self._world
        world.log.cut(world.cycle, world.acts)
        # Before this edit is counted, because a different state followed the same number of edits at this commit.
        self._discard_others()
        world.log.acts.append((world.cycle, act))
        world.acts += 1

    def replay_edits(self) -> None:
        """Apply the logged edits before the next cycle again."""
        world = self._world
        acts = world.log.acts
        while world.acts < len(acts) and acts[world.acts][0] == world.cycle:
            world.hold()
            self._do(acts[world.acts][1])
            world.acts += 1

    def _do(self, act: Act) -> None:
        world = self._world
        if isinstance(act, DeleteEdit):
            world.remove(act.name)
        elif isinstance(act, SpawnEdit) and act.kept is not None:
            made = restored(act.kept)
            made.appear(act.appearance)
            made.delay(world.t_ns - act.kept.t_ns)
            world.find_room(made)
            self._check_ground(made, made.body)
            world.add(made)
        elif isinstance(act, SpawnEdit):
            inputs = world.log.inputs.get(act.name)
            told = b'' if inputs is None else inputs.encode()
            self._populace.revive(
                act.name, act.state, self._populace.save((TERRAIN_NAME,))[TERRAIN_NAME], world.epoch, told
            )
            world.readmit(act.name)
            world.hold()
        else:
            if (found := world.objects.get(act.name)) is not None:
                self._check_ground(found, act.body)
            world.place(act.name, act.body)
            if isinstance(world.objects[act.name.partition('/')[0]], RemoteAgent):
                world.await_state(act.name)
                try:
                    self._populace.place(act.name, act.body)
                finally:
                    world.hold()  # sets its state

    def _check_ground(self, item: Object, body: BodyState) -> None:
        """Check that the participant of rigid bodies, if it computes an object, can do so at a state.

        Raises:
            ValueError: If the object would begin in the ground or in a solid.
        """
        mover = self._world.body_mover(item)
        if mover:
            state = replace(
                item.body,
                position=body.position,
                orientation=body.orientation,
                linear_velocity=body.linear_velocity,
                angular_velocity=body.angular_velocity,
            )
            thing = SpawnedObject(item.name, item.shapes, state, item.restitution, item.friction)
            self._populace.check_place(mover, thing)


def _place_of(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.cycle, snapshot.acts
