# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A world rewinds to any of its commits and continues bit-identical; soil, commands and world edits included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_terrain import Stamp, stamp_edit
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.drivers.live_input import LiveInput
from regolith_world.checkpoint.world_edits import DeleteEdit, SetStateEdit, SpawnEdit
from regolith_world.cycle.records import Shape, ShapeKind
from regolith_world.objects.rigid_body import RigidBody
from regolith_world.objects.rigid_state import make_rigid_state, sphere_inertia
from regolith_world.objects.static_body import StaticBody
from regolith_world.timeline import Timeline
from regolith_world.world import ProtocolError

MOON = np.array([0.0, 0.0, -1.62])
SECOND = 10**9


def ball(name: str, x: float, y: float, z: float = 4.0) -> SpawnEdit:
    """Return the appearance of a ball of 2 kg, 0.2 m wide."""
    state = make_rigid_state(name, np.array([x, y, z]), 2.0, sphere_inertia(2.0, 0.1))
    made = RigidBody(name, state, [Shape(ShapeKind.SPHERE, np.array([0.1, 0.0, 0.0]))], gravity=MOON)
    return SpawnEdit(name, made.save())


class Run:
    """Two rovers, one of them commanded from outside, and a timeline; every commit is kept by its time."""

    def __init__(self, folder: Path, period_s: float = 0.5, **world: object) -> None:
        drives = {
            'amber': vehicle(0.0, 0.0, 0.0, type='external', timeout_s=0.5),
            'basalt': vehicle(-2.6, 0.1, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
        }
        terrain = {'source': 'procedural', 'spacing_m': 0.04}
        file = write_scenario(folder, drives, duration_s=9.0, terrain=terrain, world=world)
        self.simulation = Simulation(load_scenario(str(file)).scenario)
        self.world = self.simulation.world
        self.timeline = Timeline(self.world, self.simulation)
        self.world.hold()
        self.timeline.begin()
        self.period_ns = round(period_s * SECOND)
        self.hashes: dict[int, str] = {}

    def go(self, until_s: float, commands: bool = True) -> str:
        """Continue to the first commit at or after a time and return the state's hash there."""
        while self.world.t_ns < round(until_s * SECOND):
            if commands and self.world.cycle % 20 == 3:
                self.simulation.agents['amber'].on_command(0.3, 0.01 * (self.world.cycle % 7))
            self.timeline.replay_edits()
            self.world.step()
            self.hashes[self.world.t_ns] = self.world.state_hash
            if self.world.t_ns % self.period_ns == 0:
                self.timeline.save()
        self.world.hold()
        return self.world.state_hash


@pytest.mark.seconds
def test_a_rewound_world_repeats_itself_with_commands_and_ruts(tmp_path: Path) -> None:
    """Between two checkpoints, exactly; commands received during this time count only once the past has been repeated."""
    run = Run(tmp_path)
    end = run.go(2.0)
    assert [s.t_ns for s in run.timeline.snapshots] == [0, *(round(k * 0.5 * SECOND) for k in range(1, 5))]
    ruts = run.simulation.terrain.grid.soil_hash()
    before = dict(run.hashes)
    run.timeline.rewind(round(1.313 * SECOND), live=False)
    run.world.hold()
    landed = max(t for t in before if t <= 1.313 * SECOND)
    assert run.world.t_ns == landed and run.world.state_hash == before[landed]
    assert run.timeline.span_ns == (0, 2 * SECOND)
    run.simulation.agents['amber'].on_command(-0.5, 0.0)
    assert run.go(2.0, commands=False) == end and run.hashes == before
    assert run.simulation.terrain.grid.soil_hash() == ruts
    # From here on there is no past to repeat.
    run.timeline.rewind(0, live=False)
    assert run.go(2.2, commands=False) != Run(tmp_path).go(2.2)
    with pytest.raises(
        ValueError, match=r'rewind to 9 s is outside the timeline of this run; allowed: 0\.0000 to 2\.2000 s'
    ):
        run.timeline.rewind(9 * SECOND, live=False)


@pytest.mark.seconds
def test_edits_of_the_surface_are_made_again(tmp_path: Path) -> None:
    """By a rewind, and by a simulation that continues from a checkpoint; with the same mass."""
    run = Run(tmp_path)
    terrain = run.simulation.terrain
    run.go(0.3)
    terrain.edit(stamp_edit(Stamp('mound', 0.4, 0.0, 0.6, 0.03), terrain.grid.spacing))
    run.go(0.6)
    terrain.edit(stamp_edit(Stamp('trench', -2.0, 0.1, 0.5, 0.05, width=0.4), terrain.grid.spacing))
    end, before = run.go(1.2), dict(run.hashes)
    edited = terrain.edited
    run.timeline.rewind(round(0.2 * SECOND), live=False)
    assert terrain.edited == 0
    assert run.go(1.2, commands=False) == end and run.hashes == before and terrain.edited == edited != 0
    run.timeline.rewind(round(0.55 * SECOND), live=True)
    assert 0 < terrain.edited != edited and run.go(1.2) != end
    assert terrain.summary()['mass_balance']['error_kg'] == 0.0


@pytest.mark.seconds
def test_live_rewind_discards_the_future(tmp_path: Path) -> None:
    """Other commands lead to another state; the same ones, sent again, to the same state."""
    run = Run(tmp_path)
    end = run.go(1.5)
    run.timeline.rewind(SECOND, live=True)
    assert run.world.state_hash == run.hashes[SECOND] and run.timeline.span_ns == (0, SECOND)
    assert run.go(1.5, commands=False) != end
    run.timeline.rewind(SECOND, live=True)
    assert run.go(1.5) == end and run.timeline.branch == 2


@pytest.mark.seconds
def test_a_state_of_another_past_is_where_rewinds_begin_and_resets_still_lead_to_the_beginning(tmp_path: Path) -> None:
    """As when a checkpoint of an earlier run is restored: this run's log knows nothing of how it came about."""
    (tmp_path / 'other').mkdir()
    other = Run(tmp_path / 'other')
    other.go(0.9, commands=False)
    foreign = other.timeline.collect()
    run = Run(tmp_path)
    run.go(0.6)
    first = run.timeline.beginning
    run.timeline.restore(foreign)
    assert [(s.name, s.t_ns) for s in run.timeline.snapshots] == [('restored', foreign.t_ns)]
    run.go(1.2)
    run.timeline.rewind(foreign.t_ns, live=False)
    assert run.world.state_hash == foreign.state_hash
    with pytest.raises(ValueError, match=r'allowed: 0\.9000 to 1\.2000'):
        run.timeline.rewind(0, live=False)
    run.timeline.restore(run.timeline.beginning, 0)
    assert (run.world.t_ns, run.world.state_hash) == (0, first.state_hash)
    assert [s.name for s in run.timeline.snapshots] == ['beginning']
    run.go(0.6)
    run.timeline.rewind(0, live=False)
    assert run.world.state_hash == first.state_hash


@pytest.mark.seconds
@pytest.mark.slow
def test_what_was_done_to_the_world_is_done_again(tmp_path: Path) -> None:
    """Over a spawn, a place and a deletion, of objects and of a vehicle, and back before them all, and forth."""
    run = Run(tmp_path, period_s=0.4)
    run.go(0.5)
    run.timeline.apply_edit(ball('stone', 1.5, 1.5))
    run.go(0.7)
    run.timeline.apply_edit(DeleteEdit('basalt'))
    assert sorted(run.world.participants) == ['amber', 'terrain'] and 'basalt' in run.world.names_in_use
    run.go(0.9)
    moved = run.simulation.agents['amber'].vehicle.body_state()
    moved.position = moved.position + np.array([0.5, 0.5, 0.2])
    run.timeline.apply_edit(SetStateEdit('amber', moved))
    assert run.world.objects['amber'].body.position == pytest.approx(moved.position)
    run.go(1.1)
    run.timeline.apply_edit(DeleteEdit('stone'))
    run.timeline.apply_edit(ball('stone', 0.0, 2.0))
    end = run.go(1.5)
    before = dict(run.hashes)
    for t_s in (0.6, 1.2, 0.3, 0.8):
        run.timeline.rewind(round(t_s * SECOND), live=False)
        assert run.world.state_hash == before[run.world.t_ns]
        assert ('basalt' in run.world.objects) == (t_s < 0.7) and ('stone' in run.world.objects) == (t_s > 0.5)
        assert run.go(1.5, commands=False) == end and run.hashes == before
    # An act in the past is a branch: what was known of the future is not.
    run.timeline.rewind(round(0.6 * SECOND), live=False)
    run.timeline.apply_edit(DeleteEdit('stone'))
    assert run.timeline.span_ns[1] == run.world.t_ns and 'basalt' in run.world.participants
    assert run.go(1.5) != end


def test_acts_that_cannot_be_are_refused(tmp_path: Path) -> None:
    """With the reason; nothing is noted of them."""
    run = Run(tmp_path)
    run.timeline.apply_edit(
        SpawnEdit(
            'rock',
            StaticBody('rock', np.array([5.0, 5.0, 0.0]), [Shape(ShapeKind.BOX, np.array([0.2, 0.2, 0.2]))]).save(),
        )
    )
    moving = run.world.objects['rock'].body
    run.timeline.apply_edit(SetStateEdit('rock', moving))
    moving.linear_velocity = np.array([1.0, 0.0, 0.0])
    deep = run.simulation.agents['amber'].vehicle.body_state()
    deep.position = deep.position - np.array([0.0, 0.0, 0.3])
    for act, why in (
        (SetStateEdit('rock', moving), "'rock' is static; allowed: velocities of 0"),
        (SetStateEdit('amber', deep), r'amber: is 0\.\d+ m below the ground; allowed: up to 0.05 m'),
        (SetStateEdit('absent', moving), "no object 'absent'; allowed: amber, basalt, rock"),
        (ball('amber', 9.0, 9.0), "object name 'amber' is taken"),
    ):
        with pytest.raises(ValueError, match=why):
            run.timeline.apply_edit(act)
    assert len(run.world.log.acts) == run.world.acts == 2
    state = run.world.state_hash
    run.world.step()
    assert run.world.state_hash != state


@pytest.mark.seconds
def test_a_past_that_does_not_repeat_itself_is_named(tmp_path: Path) -> None:
    """With the cycle, instead of leading somewhere else."""
    run = Run(tmp_path, period_s=9.0)
    run.go(0.5)
    inputs = run.world.log.inputs['amber']
    inputs.cut(3)
    for cycle in range(3, 25):
        inputs.append(cycle, LiveInput(DriveCommand(-0.2, 0.0)).save())
    with pytest.raises(ProtocolError, match='the run does not repeat itself: cycle 3 led to'):
        run.timeline.rewind(round(0.4 * SECOND), live=False)


@pytest.mark.seconds
def test_old_checkpoints_lie_wider_apart(tmp_path: Path) -> None:
    """At most so many, on disk, too; the newest and those that are kept stay, and any of them is a way back."""
    run = Run(tmp_path, period_s=0.1, max_checkpoints=4)
    run.timeline._folder = tmp_path / 'checkpoints'
    run.go(0.3)
    run.timeline.save('mine', kept=True)
    run.go(2.0)
    names = [s.name for s in run.timeline.snapshots]
    assert len(names) == 6 and names[0] == 'beginning' and 'mine' in names and names[-1] == 't000002.000'
    assert sorted(p.name for p in (tmp_path / 'checkpoints').iterdir()) == sorted(names[1:])
    times = np.array([s.t_ns for s in run.timeline.snapshots if s.name != 'mine']) * 1e-9
    assert np.all(np.diff(np.diff(times)) < 1e-9) and times[-2] == pytest.approx(1.9)
    run.timeline.rewind(round(0.9 * SECOND), live=True)
    assert run.world.state_hash == run.hashes[round(0.9 * SECOND)]
    left = {s.name for s in run.timeline.snapshots if s.name != 'beginning'}
    assert 'mine' in left and {p.name for p in (tmp_path / 'checkpoints').iterdir()} == left
