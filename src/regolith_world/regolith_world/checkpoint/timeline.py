# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The past of a world, and ways back into it.

A rewind restores the nearest checkpoint before the time asked for and evolves from there in silence, on the inputs that
the log has; every state on the way is compared with the log's mark of it, so the past comes back to the bit or not at
all. What was done to the world between cycles (:mod:`regolith_world.checkpoint.world_edits`) is done again where it was
done.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from regolith_world.checkpoint import files
from regolith_world.checkpoint.files import WORLD, Checkpoint
from regolith_world.checkpoint.world_edits import Act, DeleteEdit, SpawnEdit
from regolith_world.cycle.participant_type import GROUND
from regolith_world.cycle.records import BodyState
from regolith_world.cycle.transport import RemoteAgent
from regolith_world.objects.object_types import restored
from regolith_world.world import World

BEGINNING = 'beginning'
"""Name of the first checkpoint of a run."""
RESTORED = 'restored'
"""Name of one that was restored and is of another past, behind which rewinds do not lead."""


class ParticipantStates(Protocol):
    """Access to the participants' states, in this process or through services, at HOLD only."""

    def save(self, names: tuple[str, ...]) -> dict[str, bytes]:
        """Return each participant's blob."""
        ...

    def restore(self, blobs: Mapping[str, bytes], epoch: int, inputs: Mapping[str, bytes]) -> None:
        """Set the states of these participants; the ground's blob goes to all of them that hold a copy.

        Args:
            inputs: encoded :class:`regolith_world.checkpoint.input_log.InputHistory` that they take in place of those
                from outside
        """
        ...

    def revive(self, name: str, blob: bytes, ground: bytes, epoch: int, inputs: bytes) -> None:
        """Set the state of one participant that was away.

        Args:
            ground: the soil's blob of this moment
            inputs: as above; empty: none
        """
        ...

    def place(self, name: str, body: BodyState) -> None:
        """Give a vehicle pose and velocity.

        Raises:
            ValueError: if it cannot be there, with the reason
        """
        ...


class Snapshot:
    """A checkpoint of this moment, that a rewind can start from.

    Args:
        content: the checkpoint, or the folder it is in
        kept: whether it stays until the run ends
    """

    def __init__(self, name: str, content: Checkpoint | Path, world: World, *, kept: bool) -> None:
        self.name, self.content, self.kept = name, content, kept
        self.t_ns, self.cycle, self.acts, self.state_hash = world.t_ns, world.cycle, world.acts, world.state_hash
        self.names = frozenset(world.participants)
        """Participants whose states it holds."""

    @property
    def folder(self) -> Path | None:
        """Where it is; None: in memory."""
        return self.content if isinstance(self.content, Path) else None

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        if isinstance(self.content, Checkpoint):
            return sum(map(len, self.content.blobs.values()))
        return sum(file.stat().st_size for file in self.content.iterdir())

    def load(self) -> Checkpoint:
        """Return the checkpoint.

        Raises:
            ValueError: if its folder holds none any longer
        """
        return self.content if isinstance(self.content, Checkpoint) else files.read(self.content)

    def erase(self) -> None:
        """Delete its folder, if it has one."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class Timeline:
    """Checkpoints of a world, acts upon it, and rewinds.

    Args:
        populace: its participants' states
        end_ns: of the run, at which the last cycle is cut; 0: none
        folder: of checkpoints; None: they stay in memory
        on_saved: called with every checkpoint, and with one that was restored
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
        """In the order of their cycles; the first is the beginning."""
        self._first: Snapshot | None = None
        self.branch = 0
        """Number of times that the world has gone back."""

    # -- checkpoints --------------------------------------------------------------------------------------------

    def begin(self) -> Checkpoint:
        """Keep the beginning, at HOLD, and return it."""
        saved = self.collect()
        self.branch = 0
        self._first = Snapshot(BEGINNING, saved, self._world, kept=True)
        self._remember(self._first)
        return saved

    @property
    def beginning(self) -> Checkpoint:
        """The checkpoint of :meth:`begin`, even if what is restored since is of another past."""
        assert self._first is not None
        return self._first.load()

    def save(self, name: str = '', folder: Path | None = None, kept: bool = False) -> Snapshot:
        """Keep the committed state; of automatic checkpoints those go that lie densest, if there are too many.

        Args:
            name: '': its time
            folder: to write it to; None: one of that name among the others, or memory
            kept: whether it stays until the run ends

        Raises:
            ValueError: if another snapshot has that name, or its files are in that folder
            OSError: if the disk refuses
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
            files.write(folder, saved)
        made = Snapshot(name, saved if folder is None else folder, self._world, kept=kept)
        self._remember(made)
        return made

    def collect(self) -> Checkpoint:
        """Return the committed state of everything, at HOLD."""
        world = self._world
        blobs = self._populace.save(tuple(sorted(world.participants)))
        return Checkpoint(world.t_ns, world.state_hash, {WORLD: world.save(), **blobs})

    def _remember(self, made: Snapshot) -> None:
        self.snapshots = sorted([s for s in self.snapshots if s.name != made.name] + [made], key=_place_of)
        spare = [s for s in self.snapshots[1:] if not s.kept]
        if len(spare) > self._world.config.max_checkpoints:
            first_ns, now_ns = self.snapshots[0].t_ns, spare[-1].t_ns
            times = [first_ns, *(s.t_ns for s in spare)]
            # The room that one takes, over its age: old ones may lie wide apart.
            rooms = [(times[k + 2] - times[k]) / max(1, now_ns - times[k + 1]) for k in range(len(spare) - 1)]
            densest = spare[rooms.index(min(rooms))] if rooms else spare[0]
            self.snapshots.remove(densest)
            densest.erase()

    @property
    def span_ns(self) -> tuple[int, int]:
        """Return the earliest and the latest time to which the world can go [ns]."""
        log, first = self._world.log, self.snapshots[0]
        return first.t_ns, log.time_ns(log.last)

    def unneeded(self) -> list[str]:
        """Return the participants that are away and that no known state or repetition of the past needs."""
        needed = {name for each in self.snapshots for name in each.names}
        needed |= {act.name for _, act in self._world.log.acts if isinstance(act, SpawnEdit)}
        return sorted(self._world.away - needed)

    # -- back ---------------------------------------------------------------------------------------------------

    def restore(self, saved: Checkpoint, live_from: int | None = None) -> None:
        """Restore a checkpoint; the world stands and has told all that was committed.

        Args:
            live_from: number of the state from which on the past is forgotten; None: it will repeat itself

        Raises:
            ProtocolError: if it is of participants that are not here; then nothing has changed
        """
        world = self._world
        world.load(saved.blobs[WORLD])
        if live_from is not None:
            log = world.log
            log.cut(max(live_from, world.cycle), max(world.acts, sum(cycle < live_from for cycle, _ in log.acts)))
        self._forget_others()
        self.branch += 1
        blobs = {name: blob for name, blob in saved.blobs.items() if name != WORLD}
        inputs = {n: world.log.inputs[n].encode() for n in sorted(blobs) if n in world.log.inputs}
        self._populace.restore(blobs, world.epoch, inputs)
        world.hold()
        if not any(each.cycle <= world.cycle for each in self.snapshots):
            # It is of a past that this run has not seen, which begins here.
            first = self._first
            again = first is not None and (saved.t_ns, saved.state_hash) == (first.t_ns, first.state_hash)
            self._remember(Snapshot(BEGINNING if again else RESTORED, saved, world, kept=True))
        self._on_saved(saved)

    def _forget_others(self) -> None:
        """Forget checkpoints of what is no longer the past, or the future that is known."""
        log = self._world.log
        for each in [*self.snapshots]:
            if not log.has(each.cycle, each.t_ns, each.state_hash) or each.acts > len(log.acts):
                self.snapshots.remove(each)
                if not each.kept:
                    each.erase()

    def target_ns(self, t_ns: int) -> int:
        """Return the time of the last commit at or before a time [ns].

        Raises:
            ValueError: if the time is not among those past
        """
        log, (first_ns, last_ns) = self._world.log, self.span_ns
        if not first_ns <= t_ns <= last_ns:
            allowed = f'{first_ns * 1e-9:.4f} to {last_ns * 1e-9:.4f}'
            raise ValueError(f'rewind to {t_ns * 1e-9:.9g} s; allowed: {allowed}, what this run has seen')
        target = log.at_or_before(t_ns)
        assert target is not None
        return log.time_ns(target)

    def find(self, name: str) -> Snapshot:
        """Return the snapshot of a name.

        Raises:
            ValueError: if there is none
        """
        for each in self.snapshots:
            if each.name == name:
                return each
        raise ValueError(f'no snapshot {name!r}; allowed: {", ".join(each.name for each in self.snapshots)}')

    def rewind(self, to: int | Snapshot, live: bool, go_on: Callable[[], bool] = lambda: True) -> None:
        """Return the world to its last commit at or before a time [ns], or to a snapshot.

        A time means the state that was committed, before anybody acted upon it. A snapshot is exact: of two of one
        commit, the later holds what was done between them.

        Args:
            live: whether inputs come from outside from there on, in place of those that came then
            go_on: called before every repeated cycle

        Raises:
            ValueError: if the time is not among those past, or a checkpoint's folder is gone
            ProtocolError: if a participant of that time is gone, or the past does not repeat itself
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

    # -- acts ---------------------------------------------------------------------------------------------------

    def apply_edit(self, act: Act) -> None:
        """Act upon the world, which stands; what was recorded of its future is forgotten.

        Raises:
            ValueError: if that is impossible, with the reason
        """
        self._world.hold()
        self._do(act)
        self._note(act)

    @property
    def spawned(self) -> dict[str, SpawnEdit]:
        """What was put into the world and is still there, by name."""
        found: dict[str, SpawnEdit] = {}
        for _, act in self._world.log.acts[: self._world.acts]:
            if isinstance(act, SpawnEdit):
                found[act.name] = act
            elif isinstance(act, DeleteEdit):
                found.pop(act.name, None)
        return {name: act for name, act in found.items() if name in self._world.objects}

    def record_spawn(self, name: str) -> None:
        """Note that a vehicle has been admitted."""
        self._world.hold()
        self._note(SpawnEdit(name, state=self._populace.save((name,))[name]))

    def _note(self, act: Act) -> None:
        world = self._world
        world.log.cut(world.cycle, world.acts)
        # Before this act is counted: of as many others at this commit, another state followed.
        self._forget_others()
        world.log.acts.append((world.cycle, act))
        world.acts += 1

    def replay_edits(self) -> None:
        """Do again what was done before the cycle that comes next."""
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
            made.delay(world.t_ns - act.kept.t_ns)
            world.find_room(made)
            world.add(made)
        elif isinstance(act, SpawnEdit):
            inputs = world.log.inputs.get(act.name)
            told = b'' if inputs is None else inputs.encode()
            self._populace.revive(act.name, act.state, self._populace.save((GROUND,))[GROUND], world.epoch, told)
            world.readmit(act.name)
            world.hold()
        else:
            world.place(act.name, act.body)
            if isinstance(world.objects[act.name.partition('/')[0]], RemoteAgent):
                world.await_state(act.name)
                try:
                    self._populace.place(act.name, act.body)
                finally:
                    world.hold()  # it tells where it is


def _place_of(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.cycle, snapshot.acts
