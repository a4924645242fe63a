# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the vehicle agent in the evolution cycle, with the real terrain authority and a scripted world."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from regolith_terrain.config import TerrainConfig, load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_terrain.terrain_participant import TerrainParticipant
from regolith_terrain.updates.merge import SoilDelta, SoilUpdate
from regolith_terrain.updates.soil_copy import SoilCopy
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_vehicles.agent.vehicle_state import VehicleState
from regolith_vehicles.commands.command import AckermannCommand, DriveCommand, PedalCommand
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.contact import wheel_state
from regolith_vehicles.contact.collision_shapes import swept_bounds
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.drivers.builtin import Driver
from regolith_world.cycle.participant import ParticipantFailed
from regolith_world.cycle.participant_group import ParticipantGroup
from regolith_world.cycle.records import (
    TERRAIN_ROLES,
    VEHICLE_ROLES,
    BodyState,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    FieldRecord,
    Impulse,
    Shape,
    ShapeKind,
    Verdict,
)

DT_NS = 20_000_000
TERRAIN = TerrainConfig(source='flat', soil=load_soil('chrono_lunar'))


class Rig:
    """One agent, a terrain authority and a scripted world; the transport loses messages only on request."""

    def __init__(self, driver: dict[str, Any] | None = None, shared: bool = False, **options: Any) -> None:
        field = FlatField()
        self.results: list[CycleResult] = []
        self.deltas: list[SoilDelta] = []
        self.updates: list[SoilUpdate] = []
        self.published: list[VehicleState] = []
        self.deliver_updates = True
        grid = SoilGrid(field, TERRAIN.spacing_m)
        self.terrain = TerrainParticipant(TERRAIN, field, lambda result: None, self._update, grid=grid)
        self.soil = None if shared else SoilCopy(SoilGrid(field, TERRAIN.spacing_m), 'amber')
        self.group = ParticipantGroup()
        self.group.on_results = self.results.extend
        if self.soil is not None:
            self.group.terrain_copies.append(self.soil)
        config, mjcf = load_vehicle_model('viper')
        driver = driver or {'type': 'constant', 'speed_mps': 0.3, 'yaw_rate_radps': 0.05}
        entry = VehicleEntry.model_validate({'position': [1.0, 2.0], 'heading_deg': 30.0, 'driver': driver})
        self.agent = VehicleAgent(
            'amber',
            entry,
            config,
            mjcf,
            TERRAIN,
            field,
            1.62,
            self.group.receive,
            self._delta,
            grid=grid if self.soil is None else self.soil.grid,
            publish=self.published.append,
            **options,
        )
        self.group.add(self.agent)
        self.cycle, self.attempt, self.t_ns, self.verdict = 0, 0, 0, Verdict.NONE
        self.epoch = 0

    def _delta(self, delta: SoilDelta) -> None:
        self.deltas.append(delta)
        self.terrain.on_delta(delta)

    def _update(self, update: SoilUpdate) -> None:
        self.updates.append(update)
        if self.deliver_updates:
            self.deliver(update)

    def deliver(self, update: SoilUpdate) -> None:
        """Pass an update to the process of the agent."""
        self.agent.on_update(update)
        if self.soil is not None:
            self.soil.receive(update)
            self.group.retry_deferred()

    def record(self, command: Command = Command.EVOLVE, dt_ns: int = DT_NS, **inputs: Any) -> Cycle:
        """Return the next record of the world, after applying the verdict set before."""
        if self.verdict == Verdict.COMMIT:
            self.cycle, self.attempt = self.cycle + 1, 0
        key = CycleKey(self.epoch, self.cycle, self.attempt)
        self.attempt += 1
        roles = (VEHICLE_ROLES, TERRAIN_ROLES)
        return Cycle(key, self.t_ns, dt_ns, self.verdict, command, ('amber', 'terrain'), roles, **inputs)

    def send(self, cycle: Cycle) -> CycleResult:
        """Pass a record to the terrain authority and the agent; return the newest result of the agent."""
        self.terrain.on_cycle(cycle)
        self.group.on_cycle(cycle)
        return self.results[-1]

    def evolve(self, dt_ns: int = DT_NS, commit: bool = True, **inputs: Any) -> CycleResult:
        """Run one attempt and commit or discard it."""
        result = self.send(self.record(dt_ns=dt_ns, **inputs))
        self.verdict = Verdict.COMMIT if commit else Verdict.DISCARD
        self.t_ns += dt_ns if commit else 0
        return result

    def go_to(self, agent: bytes, terrain: bytes, cycle: int, t_ns: int) -> None:
        """Restore a checkpoint in a new epoch."""
        self.epoch += 1
        self.agent.restore(agent, self.epoch)
        self.terrain.restore(terrain, self.epoch)
        self.soil.load(self.terrain.soil_seq, self.terrain.grid.save(), self.epoch)
        self.cycle, self.attempt, self.t_ns, self.verdict = cycle, 0, t_ns, Verdict.NONE

    def hold(self, command: Command = Command.HOLD) -> CycleResult:
        """Run a cycle that holds the state."""
        result = self.send(self.record(command, 0))
        self.verdict = Verdict.NONE
        return result


def _hashes(rig: Rig, cycles: int) -> list[str]:
    return [rig.evolve().state_hash for _ in range(cycles)]


def test_join_request_contains_shared_parameters() -> None:
    """The join request contains soil, ground and gravity; the vehicle stands at the pose of the scenario."""
    request = Rig().agent.join_request()
    assert request.parameters['world.gravity_mps2'] == '1.62'
    assert request.parameters['soil.cohesion_pa'] == '170.0'
    assert request.bodies[0].position[:2] == pytest.approx([1.0, 2.0], abs=1e-3)
    assert len(request.shapes) == 2 and request.state_hash


def test_duplicate_record_gets_the_same_result() -> None:
    """A repeated record gives a bit-identical result, sends the delta again and advances the state only once."""
    plain, noisy = Rig(), Rig()
    expected = _hashes(plain, 10)
    got = []
    for _ in range(10):
        record = noisy.record()
        first = noisy.send(record)
        deltas = len(noisy.deltas)
        noisy.send(record)
        assert noisy.results[-1] is first and noisy.deltas[-1] is noisy.deltas[deltas - 1]
        noisy.verdict = Verdict.COMMIT
        noisy.t_ns += DT_NS
        got.append(first.state_hash)
    assert got == expected


def test_discarded_attempt_leaves_no_trace() -> None:
    """Attempts with other cycle lengths and impulses that are discarded do not change the following cycles."""
    plain, retried = Rig(), Rig()
    expected = _hashes(plain, 12)
    got = []
    for k in range(12):
        if k % 3 == 1:
            retried.evolve(dt_ns=17_000_003, commit=False)
            blow = Impulse('amber', 'rock', np.array([1.5, 2.2, 0.5]), np.array([5.0, 50.0, 0.0]))
            retried.evolve(dt_ns=4_000_000, commit=False, impulses=(blow,))
        got.append(retried.evolve().state_hash)
    assert got == expected
    assert plain.hold().soil_hash == retried.hold().soil_hash == retried.terrain.grid.soil_hash()


def test_commit_waits_for_the_soil_update() -> None:
    """A record that commits an attempt is processed when the missing soil update of that attempt arrives."""
    rig = Rig()
    rig.evolve()
    rig.deliver_updates = False
    results = len(rig.results)
    rig.evolve()  # Its COMMIT part refers to the first attempt, whose update has arrived.
    assert len(rig.results) == results + 1
    rig.evolve()  # The update of the second attempt has not arrived.
    assert len(rig.results) == results + 1
    rig.deliver(rig.updates[-1])
    assert len(rig.results) == results + 2
    assert rig.results[-1].key.cycle == 2


def test_shared_grid_and_own_copy_are_bit_identical() -> None:
    """One process and two processes give the same hashes."""
    own, shared = Rig(), Rig(shared=True)
    for _ in range(12):
        a, b = own.evolve(), shared.evolve()
        assert (a.state_hash, a.soil_hash) == (b.state_hash, b.soil_hash)
    assert own.hold().soil_hash == shared.hold().soil_hash == own.terrain.grid.soil_hash()


def test_impulses_act_with_their_sign() -> None:
    """An agent receives the impulse as body ``a`` and its opposite as body ``b``, within one short cycle."""
    point, push = np.array([1.0, 2.0, 0.5]), np.array([0.0, 0.0, 43.492])

    def lift(*impulses: Impulse) -> float:
        rig = Rig()
        result = rig.evolve(dt_ns=1_000, impulses=impulses)
        return float(result.bodies[0].linear_velocity[2])

    still = lift(Impulse('basalt', 'rock', point, push))
    up, down = lift(Impulse('amber', 'rock', point, push)), lift(Impulse('rock', 'amber', point, push))
    # Only the sprung body takes the impulse, which would give the whole rover (434.92 kg) 0.1 m/s: somewhat more.
    assert 0.1 <= up - still < 0.2
    assert down - still == pytest.approx(-(up - still), rel=1e-3)


def test_live_input_is_latched_once_per_cycle_and_replays() -> None:
    """Retries use the command of the first attempt of their cycle; recorded inputs reproduce the run."""
    external = {'type': 'external', 'timeout_s': 1.0}
    rig = Rig(external)
    hashes, inputs = [], {}
    for k in range(20):
        if k == 3:
            rig.agent.on_command(0.3, 0.1)
        if k == 5:
            rig.evolve(dt_ns=7_000_000, commit=False)
            rig.agent.on_command(-1.0, 0.0)  # Too late for this cycle.
        if k == 9:
            rig.agent.on_command(float('nan'), 0.0)
        result = rig.evolve()
        hashes.append(result.state_hash)
        inputs[k] = result.live_inputs
    assert [k for k, live in inputs.items() if live[0]] == [3, 6]
    again = Rig(external, replay_inputs=inputs)
    assert _hashes(again, 20) == hashes
    still = Rig(external)
    assert _hashes(still, 20)[3:] != hashes[3:]


def test_commands_out_of_range_are_limited_to_the_rovers_maximum() -> None:
    """A cmd_vel of 1e308 in both drives the tightest curve; a non-finite one is ignored; the next valid one applies."""
    rig = Rig({'type': 'external', 'timeout_s': 60.0})
    assert rig.agent.on_command(1e308, 1e308)
    _hashes(rig, 60)
    assert not rig.agent.on_command(float('inf'), 0.0) and not rig.agent.on_command(0.0, float('nan'))
    assert np.isfinite(rig.agent.vehicle.gear_arrays()[0]).all()
    # 1.2 s at 2 rad/s^2 on wheels of 0.25 m.
    speed = np.hypot(*rig.results[-1].bodies[0].linear_velocity[:2])
    assert 0.1 < speed < 0.6
    assert rig.agent.on_command(0.0, 0.0)
    _hashes(rig, 80)
    assert np.hypot(*rig.results[-1].bodies[0].linear_velocity[:2]) < 0.1 * speed


class _Reckless(Driver):
    """Driver of a plug-in that commands an invalid value after 0.1 s."""

    def __init__(self, nonsense: Any) -> None:
        self.nonsense = nonsense

    def command(self, t_ns: int, base: BodyState) -> tuple[float, float]:
        return (0.3, 0.0) if t_ns < 100_000_000 else self.nonsense


@pytest.mark.parametrize('nonsense', [(math.nan, 0.0), (0.0, math.inf), (1.0,), None, ('fast', 0.0)])
def test_invalid_command_of_plugin_driver_fails_with_its_name(nonsense: Any) -> None:
    """The world receives the name of the driver, the time and the reason; no delta is sent to the terrain authority."""
    rig = Rig()
    rig.agent.driver = _Reckless(nonsense)
    rig.agent.entry = VehicleEntry.model_validate(
        {'position': [1.0, 2.0], 'driver': {'type': 'plugin', 'name': 'reckless'}}
    )
    _hashes(rig, 5)
    with pytest.raises(
        ParticipantFailed, match=r"amber: in the cycle from 0\.1000 s: driver 'reckless' \(.*_Reckless\)"
    ):
        rig.evolve()
    assert rig.results[-1].failure.startswith('amber: in the cycle from 0.1000 s') and len(rig.deltas) == 5


def test_unstable_vehicle_ends_the_run_with_time() -> None:
    """A MuJoCo warning reaches the world with vehicle, body and time."""
    rig = Rig()
    _hashes(rig, 3)
    rig.agent.vehicle._data.qvel[rig.agent.vehicle.body.wheel_dof[0]] = 1e11
    with pytest.raises(
        ParticipantFailed, match=r'amber: in the cycle from 0\.0600 s: .*unstable at body wheel_front_left'
    ):
        rig.evolve()
    assert 'wheel_front_left' in rig.results[-1].failure


def _on_its_back(**options: Any) -> Rig:
    rig = Rig({'type': 'constant', 'speed_mps': 0.3}, **options)
    angle = math.pi + 0.6
    rig.agent.vehicle.place_at((1.0, 2.0, 1.27), (0.0, math.sin(0.5 * angle), 0.0, math.cos(0.5 * angle)))
    return rig


def test_overturned_rover_is_bit_identical_in_one_process_many_and_from_checkpoint() -> None:
    """A rover that lies on its hull has the same hashes on its own copy, on a shared grid and from a checkpoint.

    After a second the event rolled_over is reported once, in the snapshots and in the report, and never again.
    """
    own, shared = _on_its_back(), _on_its_back(shared=True)
    for _ in range(40):
        a, b = own.evolve(), shared.evolve()
        assert (a.state_hash, a.soil_hash) == (b.state_hash, b.soil_hash)
    assert own.hold().soil_hash == shared.hold().soil_hash
    assert own.agent.vehicle.hull_load_fraction() > 0.2
    agent_blob, terrain_blob = own.agent.save(), own.terrain.save()
    expected = _hashes(own, 20)
    fresh = Rig({'type': 'constant', 'speed_mps': 0.3})
    fresh.go_to(agent_blob, terrain_blob, 40, own.t_ns - 20 * DT_NS)
    assert _hashes(fresh, 20) == expected
    for rig in (own, fresh):
        report = json.loads(rig.hold(Command.STOP).summary_json)
        assert report['events'] == [{'t_s': 1.0, 'kind': 'rolled_over', 'source': 'ground_truth'}]
        told = [event for snapshot in rig.published for event in snapshot.events]
        assert [(e.t_ns, e.kind) for e in told] == [(1_000_000_000, 'rolled_over')]


@pytest.mark.parametrize('given', [DriveCommand(0.3, 0.1), DriveCommand(by=AckermannCommand(0.3, 0.2, 0.5, 1.0))])
def test_agent_after_rewind_receives_recorded_inputs_again(given: DriveCommand) -> None:
    """After a rewind, commands come from the record of the world first and from outside afterwards."""
    rig = Rig({'type': 'external', 'timeout_s': 1.0})
    _hashes(rig, 5)
    rig.hold()
    agent_blob, terrain_blob, t_ns = rig.agent.save(), rig.terrain.save(), rig.t_ns
    assert not rig.agent.inputs.set_command(given)
    results = [rig.evolve() for _ in range(5)]
    expected = [result.state_hash for result in results]
    rig.go_to(agent_blob, terrain_blob, 5, t_ns)
    rig.agent.replay_inputs = {5 + k: result.live_inputs for k, result in enumerate(results)}
    rig.agent.on_command(-0.5, 0.0)  # Too late: these cycles are recorded.
    assert _hashes(rig, 5) == expected
    rig.agent.on_command(-0.5, 0.0)
    assert [rig.evolve().live_inputs[0] for _ in range(2)] == [1, 0]


def test_driver_with_unsupported_command_interface_ends_the_run() -> None:
    """The error names the command interface and the supported ones."""
    rig = Rig()
    rig.agent.driver._twist = DriveCommand(by=PedalCommand(0.0, 1.0))
    with pytest.raises(ParticipantFailed, match='unsupported command interface pedals; allowed: twist, ackermann'):
        rig.evolve()


def test_save_and_restore_continue_bit_identical() -> None:
    """A new agent on a new copy of the ground continues from a checkpoint with the same hashes."""
    path = {'type': 'path', 'waypoints': [[1.0, 2.0], [4.0, 4.0]], 'speed_mps': 0.4, 'lookahead_m': 0.8}
    rig = Rig(path)
    _hashes(rig, 15)
    held = rig.hold()
    agent_blob, terrain_blob = rig.agent.save(), rig.terrain.save()
    expected = _hashes(rig, 10)

    fresh = Rig(path)
    fresh.go_to(agent_blob, terrain_blob, 15, rig.t_ns - 10 * DT_NS)
    resumed = fresh.hold()
    assert (resumed.state_hash, resumed.soil_hash) == (held.state_hash, held.soil_hash)
    assert _hashes(fresh, 10) == expected
    with pytest.raises(ValueError, match='amber: not the saved state of a vehicle agent of this version'):
        fresh.agent.restore(b'nonsense', 2)


def test_agent_state_is_saved_and_restored_field_by_field() -> None:
    """Cycles, command, hash, driver, events and vehicle are restored, whatever the agent did before."""
    path = {'type': 'path', 'waypoints': [[1.0, 2.0], [4.0, 4.0]], 'speed_mps': 0.4, 'lookahead_m': 0.8}
    rig, fresh = Rig(path), Rig(path)
    _hashes(rig, 15)
    rig.hold()
    one, two = rig.agent, fresh.agent
    blob = one.save()
    _hashes(fresh, 4)
    fresh.evolve(commit=False)
    two.restore(blob, 3)
    assert two.save() == blob and two.epoch == 3
    assert one._cycles == two._cycles == 15 and one._command == two._command and one._command.angular != 0.0
    assert one._hash == two._hash and two._digest(15, b'', two.vehicle.state()) == two._hash
    assert one.driver.save() == two.driver.save() == two._driver_committed != b''
    assert vars(one._watch) == vars(two._watch) and one._watch.save() == two._watch_committed
    assert two.vehicle.state() == one.vehicle.state() == two.vehicle.committed
    assert (two._tentative, two._delta, two._snapshot, two.inputs._latched[0]) == (None, None, None, -1)
    # The first state that an observer receives is the restored one.
    fresh.go_to(blob, rig.terrain.save(), 15, rig.t_ns)
    told = len(fresh.published)
    fresh.hold()
    (seen,) = fresh.published[told:]
    assert (seen.cycle, seen.t_ns, seen.command) == (15, rig.t_ns, one._command)
    assert np.array_equal(seen.base.position, one.vehicle.body_state().position)
    assert seen.cycle_ns == 0 and seen.motion is None and seen.statistics == one.vehicle.statistics


def test_events_are_reported_with_time_and_kind() -> None:
    rig = Rig()
    rig.evolve()
    rig.agent._watch._history.append((2_500_000_000, 'stuck'))
    assert rig.agent.summary()['events'] == [{'t_s': 2.5, 'kind': 'stuck', 'source': 'ground_truth'}]


def test_observers_see_committed_states_only() -> None:
    """The start and each commit are published once, after the result, with the time of the state."""
    rig = Rig()
    rig.evolve()
    rig.evolve(commit=False)
    result = rig.evolve()
    rig.evolve()
    rig.hold()
    assert [s.t_ns for s in rig.published] == [0, DT_NS, 2 * DT_NS, 3 * DT_NS]
    assert np.array_equal(rig.published[2].base.position, result.bodies[0].position)
    assert tuple(rig.published[2].command) == (0.3, 0.05)
    parts = rig.published[2].parts
    assert (
        parts.names == ('front_left', 'front_right', 'rear_left', 'rear_right') and parts.columns == wheel_state.NAMES
    )
    assert parts.table.shape == (4, 15) and len(rig.published[2].joint_names) == 12


def test_stop_reports_summary() -> None:
    """The report is JSON with the keys of the summary; the distance is about that commanded."""
    rig = Rig({'type': 'constant', 'speed_mps': 0.3})
    _hashes(rig, 100)
    report = json.loads(rig.hold(Command.STOP).summary_json)
    # 0.3 m/s for 2 s, less a ramp at 0.5 m/s^2 (0.09 m) and some slip.
    assert 0.4 < report['distance_m'] < 0.55
    assert 0.0 < report['max_sinkage_m'] < 0.05
    assert -0.1 < report['mean_slip'] < 0.5
    moved = np.array(report['final_pose']['position'][:2]) - [1.0, 2.0]
    assert np.hypot(*moved) == pytest.approx(report['distance_m'], abs=0.02)


def test_swept_bounds_enclose_the_motion_within_a_cycle() -> None:
    """No shape leaves the swept bounds at any time within the cycle."""
    rig = Rig()
    agent = rig.agent
    blow = Impulse('amber', 'rock', np.array([1.6, 2.4, 0.4]), np.array([-200.0, 300.0, 50.0]))
    start = agent.vehicle.body_state()
    result = rig.evolve(dt_ns=DT_NS, impulses=(blow,))
    assert np.array_equal(result.swept_min, swept_bounds(agent.outlines[0], start, result.bodies[0])[0])
    for part in (4_000_000, 11_000_000, 19_000_000):
        rig.verdict = Verdict.DISCARD
        middle = rig.evolve(dt_ns=part, impulses=(blow,), commit=False).bodies[0]
        low, high = agent.outlines[0].bounds(middle)
        assert (low >= result.swept_min).all() and (high <= result.swept_max).all()


def test_fields_of_a_cycle_act_on_the_vehicle_in_it() -> None:
    """A field of 1 m/s^2 along x adds its force to the result of the cycle; the next cycle is without it."""
    rig = Rig({'type': 'constant', 'speed_mps': 0.0, 'yaw_rate_radps': 0.0})
    before = rig.evolve().force
    shape = Shape(ShapeKind.SPHERE, np.array([50.0, 0.0, 0.0]))
    turn = np.array([0.0, 0.0, 0.0, 1.0])
    wind = FieldRecord('wind', np.zeros(3), turn, np.array([1.0, 0.0, 0.0]), 0.0, 0.0, (shape,))
    moved = rig.evolve(dt_ns=1_000_000, fields=(wind,))
    mass = rig.agent.vehicle.body.mass
    # The ground does not resist before the vehicle has moved: 1 % in the first millisecond.
    assert moved.force[0] - before[0] == pytest.approx(mass, rel=0.01) and moved.moment.any()
    assert abs(rig.evolve().force[0]) < 0.5 * mass
