# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles that share a process and a copy of the ground: the same bits as in one process, whatever comes late or twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import LiveRun, library_run, vehicle, write_scenario

from regolith_bringup.scenario.loading import load_scenario
from regolith_bringup.scenario.schema import Scenario
from regolith_terrain.height_field_builder import build_height_field
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_vehicles.agent.vehicle_group import VehicleGroup
from regolith_world.cycle.participant import Participant
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import Cycle, CycleResult
from regolith_world.cycle.transport import ParticipantTimeout
from regolith_world.world import World

DRIVES = {
    'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
    # It drives in amber's ruts, and the two of another process meet them, too.
    'basalt': vehicle(-2.0, 0.1, 0.0, type='constant', speed_mps=0.5),
    'chert': vehicle(0.2, -3.0, 90.0, type='constant', speed_mps=0.6),
}


class Process:
    """A process of some vehicles as :mod:`regolith_vehicles.vehicle_node` has it, its messages in lists."""

    def __init__(
        self,
        scenario: Scenario,
        names: tuple[str, ...],
        results: dict[str, CycleResult],
        deltas: list[SoilDelta],
        epoch: int,
    ) -> None:
        self.group = ParticipantGroup(threads=2)
        self.group.on_results = lambda told: results.update({each.name: each for each in told})
        self.vehicles = VehicleGroup(
            self.group, scenario.terrain, scenario.world, scenario.seed, send_deltas=deltas.extend
        )
        for name in names:
            self.group.add(self.vehicles.add(name, scenario.vehicles[name], epoch))
        self.agents = self.vehicles.agents
        self.take = self.vehicles.take_update

    def restore(self, name: str, state: bytes, ground: bytes, epoch: int) -> None:
        self.vehicles.load_terrain(name, ground, epoch)
        self.agents[name].restore(state, epoch)


class Processes:
    """A bus to terrain and several processes of vehicles.

    Args:
        late: number of records out of three whose update comes only after the record that commits it
    """

    def __init__(self, scenario_file: Path, groups: tuple[tuple[str, ...], ...], late: int = 0, epoch: int = 0) -> None:
        scenario = load_scenario(scenario_file).scenario
        self.results: dict[str, CycleResult] = {}
        self.deltas: list[SoilDelta] = []
        self.updates: list[SoilUpdate] = []
        self.late = late
        self.terrain = TerrainParticipant(
            scenario.terrain,
            build_height_field(scenario.terrain, scenario.seed),
            self._keep,
            self.updates.append,
            gravity_mps2=scenario.world.gravity_mps2,
            epoch=epoch,
        )
        self.processes = [Process(scenario, names, self.results, self.deltas, epoch) for names in groups]
        self.world = World(scenario.world, bus=self)
        self.world.epoch = epoch
        for participant in self.participants.values():
            self.world.admit(participant.join_request())

    def _keep(self, result: CycleResult) -> None:
        self.results[result.name] = result

    @property
    def participants(self) -> dict[str, Participant]:
        return {'terrain': self.terrain} | {n: a for process in self.processes for n, a in process.agents.items()}

    def exchange(self, cycle: Cycle) -> dict[str, CycleResult]:
        """Deliver everything twice, and updates late."""
        self.results.clear()
        pending, self.updates[:] = list(self.updates), []
        deliver_late = cycle.key.cycle % 3 < self.late
        for process in self.processes:
            first, then = (
                (process.group.on_cycle, process.take) if deliver_late else (process.take, process.group.on_cycle)
            )
            for deliver in (first, then):
                for record in (cycle,) if deliver == process.group.on_cycle else pending:
                    deliver(record)
            process.group.on_cycle(cycle)
        self.terrain.on_cycle(cycle)
        for delta in [*self.deltas, *self.deltas]:
            self.terrain.on_delta(delta)
        self.deltas.clear()
        if missing := [name for name in cycle.participants if name not in self.results]:
            raise ParticipantTimeout(missing)
        return {name: self.results[name] for name in cycle.participants}

    def run(self, until_s: float) -> str:
        while self.world.t_ns < round(until_s * 1e9):
            self.world.step(round(until_s * 1e9))
        self.world.hold()
        return self.world.state_hash

    def saved(self) -> dict[str, bytes]:
        return {name: each.save() for name, each in self.participants.items()} | {'world': self.world.save()}

    def go_to(self, saved: dict[str, bytes]) -> None:
        self.world.load(saved['world'])
        self.updates.clear()
        self.terrain.restore(saved['terrain'], self.world.epoch)
        for process in self.processes:
            for name in process.agents:
                process.restore(name, saved[name], saved['terrain'], self.world.epoch)


@pytest.fixture(scope='module')
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scenario(tmp_path_factory.mktemp('group'), DRIVES, duration_s=1.6)


@pytest.fixture(scope='module')
def undisturbed(file: Path) -> str:
    return library_run(file).world.state_hash


GROUPS = (('amber', 'chert'), ('basalt',))


@pytest.mark.seconds
@pytest.mark.parametrize('late', [pytest.param(0, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_shared_processes_give_the_hash_of_one(file: Path, undisturbed: str, late: int) -> None:
    """Updates that come after the record that commits them make all vehicles of a process wait."""
    assert Processes(file, GROUPS, late).run(1.6) == undisturbed


@pytest.mark.seconds
def test_they_go_back_and_come_again(file: Path, undisturbed: str) -> None:
    """Each vehicle is restored by itself, with the ground that all of its process share."""
    bus = Processes(file, (('amber', 'basalt', 'chert'),), late=2)
    bus.run(0.8)
    saved = bus.saved()
    bus.run(1.1)
    bus.go_to(saved)
    assert bus.run(1.6) == undisturbed


@pytest.mark.seconds
def test_where_compaction_is_not_passed_on_each_has_its_own_ground(tmp_path: Path) -> None:
    file = write_scenario(tmp_path, DRIVES, duration_s=0.8, terrain={'merge_compaction': False})
    assert Processes(file, GROUPS, late=2).run(0.8) == library_run(file).world.state_hash


@pytest.mark.seconds
@pytest.mark.parametrize('merge_compaction', [True, False])
def test_vehicles_that_begin_in_a_later_epoch_follow_the_soil(tmp_path: Path, merge_compaction: bool) -> None:
    """As a vehicle that is spawned after a reset: its copy of the soil is new, and the records are of that epoch."""
    file = write_scenario(tmp_path, DRIVES, duration_s=0.4, terrain={'merge_compaction': merge_compaction})
    bus = Processes(file, GROUPS, epoch=2)
    assert bus.run(0.4) == library_run(file).world.state_hash
    assert all(agent.grid.modified_count > 0 for process in bus.processes for agent in process.agents.values())


@pytest.mark.ros
@pytest.mark.slow
def test_processes_of_vehicles_that_share_them_rejoin_and_give_the_same_hash(tmp_path: Path) -> None:
    """Two of three vehicles are in one process, which fails and restarts; the bag has what all of them published."""
    from test_failures import kill_in_mid_run

    from regolith_bringup.bag.comparison import cycles

    world = {'on_failure': 'wait', 'participant_timeout_s': 3.0, 'checkpoint_period_s': 0.5, 'start_timeout_s': 120.0}
    file = write_scenario(tmp_path, DRIVES, duration_s=2.4, world=world)
    with LiveRun(tmp_path, file, '--rtf', 1.0, processes='2', to_be_killed=True) as live:
        kill_in_mid_run(live, 'regolith/fleet_0', 0.8)
        result = live.finish(100.0)
    assert 'regolith/fleet_0 ended with -9; starting it again' in result.output
    assert result.output.count('rejoined after replaying') == 1
    assert result.summary['processes'] == '2' and result.summary['bag']['lost'] == 0
    assert result.summary['state_hash'] == library_run(file).world.state_hash
    responded = [sorted(spoken.results) for spoken in cycles(result.run_dir)]
    assert responded == [['amber', 'basalt', 'chert', 'terrain']] * result.summary['cycles']
