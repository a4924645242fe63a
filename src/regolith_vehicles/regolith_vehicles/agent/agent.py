# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Participant of one vehicle: its driver, its motion, and its changes of the soil."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regolith_terrain import HeightField, TerrainConfig, handshake_parameters
from regolith_terrain.bodies import BodiesConfig
from regolith_terrain.excavation import DiggableSoil, SoilGrant
from regolith_terrain.grid import SoilGrid
from regolith_terrain.solids import Solids
from regolith_terrain.updates import SoilDelta, SoilUpdate
from regolith_vehicles.agent.energy_use import use_energy
from regolith_vehicles.agent.events import GROUND_TRUTH, Event, EventDetector
from regolith_vehicles.agent.fault_use import use_faults
from regolith_vehicles.agent.input_latch import InputLatch
from regolith_vehicles.agent.object_release import release_objects
from regolith_vehicles.agent.planned_path import running_gear_radius
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.agent.vehicle_state import CycleMotion, VehicleState, observed_state
from regolith_vehicles.agent.vehicle_step import StepPlan
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.commands.command_interfaces import unsupported
from regolith_vehicles.config import VehicleEntry
from regolith_vehicles.contact.collision_shapes import (
    bounding_box,
    collision_shapes,
    outlines,
    shape_bodies,
    swept_bounds,
)
from regolith_vehicles.contact.foreign_regions import ForeignRegions
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.drivers.builtin import DriverError, ExternalDriver, finite_command, make_driver
from regolith_vehicles.drivers.dig_goals import DigGoalDriver
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.dynamics.multibody import inverse_inertia
from regolith_vehicles.visuals.visual_description import BodyVisuals, visuals_of
from regolith_world.cycle import (
    VEHICLE_ROLES,
    BodyState,
    Command,
    Cycle,
    CycleKey,
    CycleResult,
    JoinRequest,
    Part,
    Participant,
    ParticipantFailed,
    StateField,
    StateLayout,
    state_fields,
)

Vector = NDArray[np.float64]

NO_LIMIT_NS = 2**62
"""Limit of the next step size [ns]; a vehicle never requires a shorter cycle."""

_MAGIC = b'REGAGT02'


class VehicleAgent(Participant):
    """Participant that evolves one vehicle in each cycle and sends exactly one soil delta per attempt.

    It only reads the soil grid. The terrain participant of the process or a
    :class:`regolith_terrain.updates.SoilCopy` commits changes to it.
    """

    STATE = StateLayout(
        'a vehicle agent',
        StateField('_cycles', 'q'),
        StateField('_hash', str),
        StateField('_command', Part(1, DriveCommand.load)),
        *state_fields(bytes, '_driver_committed', '_watch_committed', 'vehicle.committed'),
        tag=b'REGAGT04',
    )

    def __init__(
        self,
        name: str,
        entry: VehicleEntry,
        model: VehicleModelConfig,
        mjcf_path: str | Path,
        terrain: TerrainConfig,
        height_field: HeightField,
        gravity_mps2: float,
        send_result: Callable[[CycleResult], None],
        send_delta: Callable[[SoilDelta], None],
        *,
        grid: SoilGrid,
        soil_hash: Callable[[], str] | None = None,
        publish: Callable[[VehicleState], None] | None = None,
        replay_inputs: Mapping[int, bytes] | None = None,
        epoch: int = 0,
        solids: Solids | None = None,
        bodies: BodiesConfig | None = None,
    ) -> None:
        """Build the vehicle and place it on the ground.

        Args:
            name: Name of the vehicle in the scenario.
            entry: Configuration of the vehicle in the scenario.
            model: Vehicle model.
            mjcf_path: Path of the model's MJCF file.
            terrain: Section ``terrain`` of the scenario.
            height_field: Height field of the undisturbed terrain.
            gravity_mps2: Gravitational acceleration along -z of the world [m/s^2].
            send_result: Sends cycle results to the world.
            send_delta: Sends soil changes to terrain.
            grid: Committed soil.
            soil_hash: Returns the hash of terrain's committed soil; None: that of ``grid``.
            publish: Called with every committed state, after the response to the record that committed it was sent.
            replay_inputs: Recorded live inputs by cycle number, which replace inputs from outside.
            epoch: Initial epoch of the protocol.
            solids: Static obstacles (:func:`regolith_vehicles.contact.static_obstacles.build_solids`).
            bodies: Section ``bodies`` of the scenario; None: it has no rigid bodies on the ground.

        Raises:
            ValueError: If the model or the driver is unusable.
        """
        super().__init__(name, send_result, epoch)
        self.entry = entry
        self.model = model
        self.mjcf_path = Path(mjcf_path)
        self.grid = grid
        """Committed soil."""
        self._soil_hash = soil_hash or grid.soil_hash
        self.replay_inputs = replay_inputs or {}
        self.vehicle = Vehicle(
            name,
            model,
            mjcf_path,
            self.grid,
            terrain.soil_map(name),
            gravity_mps2,
            terrain.scm_mode,
            entry.mass_scale,
            terrain.displacement(),
            solids,
            DiggableSoil(terrain, gravity_mps2) if model.tools else None,
            bodies,
            entry.faults,
            entry.traction,
        )
        self._others = ForeignRegions(
            name, terrain.owned_regions(), running_gear_radius(self.vehicle.gear), terrain.spacing_m
        )
        self.looks: BodyVisuals = visuals_of(model, self.vehicle.body, self.vehicle.gear)
        """Visual description of the vehicle; the order of bodies is that of :attr:`VehicleState.poses`."""
        self.poses_wanted: Callable[[], bool] = lambda: True
        """Whether states for observers include poses."""
        self.discs_wanted: Callable[[], bool] = lambda: False
        """Whether states for observers include the surface of moving soil."""
        self.driver = make_driver(entry.driver)
        if isinstance(self.driver, ExternalDriver) and model.tools:
            self.driver = DigGoalDriver(self.driver)
        self.inputs = InputLatch(self.vehicle.gear, self.driver.accepts_orders, bool(model.dispensers))
        """Inputs from outside."""
        self.shapes = collision_shapes(model)
        self._shape_bodies = shape_bodies(model)
        self.outlines = outlines(model)
        """Bounding shapes of the base and of each part."""
        self._struck = {name: -1} | {f'{name}/{part}': k for k, part in enumerate(model.parts)}
        self._parameters = {**handshake_parameters(terrain, height_field), 'world.gravity_mps2': repr(gravity_mps2)}
        self._parameters |= {} if bodies is None else bodies.parameters()
        self._send_delta = send_delta
        self._publish = publish
        self._command = DriveCommand()
        self._watch = EventDetector()
        self._driver_committed, self._watch_committed = self.driver.save(), self._watch.save()
        self._events: tuple[Event, ...] = ()
        self._cycles = 0
        self.place_at_start()
        self._granted: dict[CycleKey, tuple[SoilGrant, ...]] = {}
        self._tentative: tuple[CycleKey, str] | None = None
        self._delta: SoilDelta | None = None
        self._plan: StepPlan | None = None
        self._samples: CycleMotion | None = None
        self._start = self._bodies()
        self._snapshot: VehicleState | None = None
        self._live, self._unseen = b'', True
        self._releases: tuple[str, ...] = ()

    # -- inputs from outside ------------------------------------------------------------------------------------

    def on_command(self, linear: float, angular: float) -> bool:
        """Store a ``cmd_vel`` command, and return whether it was accepted.

        The last command before the first EVOLVE of a cycle is latched for this cycle.

        Args:
            linear: Forward speed [m/s]; ignored if not finite.
            angular: Yaw rate [rad/s]; ignored if not finite.
        """
        return not self.inputs.set_command(DriveCommand(linear, angular))

    def on_joint_targets(self, joints: Mapping[str, float]) -> bool:
        """Store joint targets as :meth:`InputLatch.set_joint_targets` does, and return whether they were accepted."""
        return not self.inputs.set_joint_targets(joints)

    def on_update(self, update: SoilUpdate) -> None:
        """Store the soil that terrain grants to tools in an attempt; it can arrive before or after the verdict."""
        if update.grants and update.key.epoch == self.epoch and not self.away:
            self._granted[update.key] = update.grants

    def place_at_start(self) -> None:
        """Place the vehicle at rest at its initial pose, before the first cycle.

        It stands on the committed terrain or above.
        """
        entry = self.entry
        where = (*entry.position, math.radians(entry.heading_deg))
        if entry.height_above_ground_m is None:
            self.vehicle.place(*where)
        else:
            self.vehicle.place_above_ground(*where, entry.height_above_ground_m)
        self.start = self.vehicle.body_state()
        self._state = self.vehicle.state()
        self._hash = self._digest(0, b'', self._state)

    def set_state(self, body: BodyState) -> None:
        """Set pose and velocity of the base between cycles; joints, payloads, charge and driver state stay.

        Raises:
            ValueError: If the vehicle would be below the ground there.
        """
        self.vehicle.set_state(body)
        self._state = self.vehicle.state()
        self._hash = self._digest(self._cycles, b'', self._state)
        self._unseen = True

    def warm_up(self) -> None:
        """Compile all kernels; the state does not change."""
        self.vehicle.warm_up()

    def soil_hash(self) -> str:
        """Return the hash of terrain's committed soil."""
        return self._soil_hash()

    def start_on_terrain(self) -> None:
        """Place the vehicle on terrain that was loaded after its construction."""
        self.place_at_start()

    def join_request(self) -> JoinRequest:
        """Return the request with which this vehicle joins the simulation."""
        return JoinRequest(
            name=self.name,
            roles=VEHICLE_ROLES,
            shapes=self.shapes,
            bodies=self._bodies(),
            next_dt_ns=NO_LIMIT_NS,
            state_hash=self._hash,
            soil_hash=self.soil_hash(),
            parameters=dict(self._parameters),
            restitution=self.model.collision.restitution,
            friction=self.model.collision.friction,
            shape_bodies=self._shape_bodies if any(self._shape_bodies) else (),
        )

    def _bodies(self) -> tuple[BodyState, ...]:
        """Return the states of the whole vehicle and of its parts that are objects of the world."""
        return (self.vehicle.body_state(), *self.vehicle.part_states())

    # -- protocol -------------------------------------------------------------------------------------------------

    def _commit(self, cycle: Cycle) -> None:
        if self._tentative is None:  # the last record was a HOLD
            return
        key, self._hash = self._tentative
        self._tentative = None
        self.vehicle.commit(self._state)
        # Granted soil is in transit: part of the state from now on, in the payload from the next cycle on.
        if self.vehicle.tools.grant(self._granted.get(key, ()), self.name):
            self.vehicle.commit()
        self._discard_grants(key)
        self._driver_committed = self.driver.save()
        self._watch_committed = self._watch.save()
        self._cycles = key.cycle + 1
        if not cycle.resimulating:
            self._capture(cycle.t_ns, self._samples, self._events)

    def _discard(self) -> None:
        if self._tentative is None:
            return
        self._discard_grants(self._tentative[0])
        self._tentative = None
        self._go_back()

    def _discard_grants(self, key: CycleKey) -> None:
        self._granted = {other: grants for other, grants in self._granted.items() if other > key}

    def _go_back(self) -> None:
        """Return to the committed state."""
        self.vehicle.discard()
        self.driver.restore(self._driver_committed)
        self._watch.load(self._watch_committed)

    def _prepare(self, cycle: Cycle) -> Callable[[], None]:
        self._see(cycle)
        if len(self.vehicle.grid.raised):
            self.vehicle.lift_with_ground()
        self._start = self._bodies()
        start = self._start[0]
        for blow in cycle.impulses:
            for struck, impulse in ((blow.a, blow.impulse), (blow.b, -blow.impulse)):
                if struck in self._struck:
                    self.vehicle.apply_impulse(blow.point, impulse, self._struck[struck])
        if self.vehicle.assigned is not None:
            self.vehicle.assigned.follow(cycle)
        self._live = b''
        self.vehicle.step.set_fields(cycle.fields)
        self._releases = ()
        if self.driver.wants_live_input or self.model.dispensers:
            live, self._live = self.inputs.latch(cycle.key.cycle, self.replay_inputs)
            self._releases = live.releases
            if self.driver.wants_live_input:
                self.driver.receive(cycle.t_ns, live)
        with self._naming_time(cycle):
            if self.vehicle.tools.names:
                self.driver.set_fill_levels(self.vehicle.tools.levels())
            wanted = finite_command(self.driver, self.entry.driver, cycle.t_ns, start)
            self._releases += self.driver.releases(cycle.t_ns)
            self._command = self._others.allowed(wanted, start)
            gear = self.vehicle.gear
            if problem := unsupported(self._command, gear):
                raise VehicleError(problem)
            targets = gear.targets(self._command)
            self._events = use_faults(self.vehicle, cycle.t_ns)
            self._plan = self.vehicle.plan(cycle.dt_ns, *targets)
        return partial(self.vehicle.run, self._plan)

    def _evolve(self, cycle: Cycle) -> CycleResult:
        plan = self._plan
        assert plan is not None
        with self._naming_time(cycle):
            records = self._others.without(self.vehicle.finish(plan))
        self._samples = CycleMotion(cycle.dt_ns, plan.samples, plan.alternation)
        self._plan = None
        spawned, refused = release_objects(self.vehicle, self._releases, cycle)
        bodies = self._bodies()
        end = bodies[0]
        qx, qy = end.orientation[:2].tolist()
        self._events += self._watch.update(
            cycle.t_ns + cycle.dt_ns,
            cycle.dt_ns * 1e-9,
            1.0 - 2.0 * (qx * qx + qy * qy),
            self.vehicle.hull_load_fraction(),
            self._command.speed,
            float(end.position[0]),
            float(end.position[1]),
            self.vehicle.gear.is_empty,
        )
        self._events += refused + use_energy(self.vehicle, self.looks, self._command, cycle)
        self._state = self.vehicle.state()
        self._tentative = (cycle.key, self._digest(cycle.key.cycle + 1, self._live, self._state))
        self._delta = SoilDelta(cycle.key, self.name, records, self.vehicle.tools.work)
        self._send_delta(self._delta)
        low, high = bounding_box(map(swept_bounds, self.outlines, self._start, bodies))
        force, moment = self.vehicle.force_and_moment()
        return CycleResult(
            key=cycle.key,
            name=self.name,
            next_dt_ns=NO_LIMIT_NS,
            bodies=bodies,
            swept_min=low,
            swept_max=high,
            spawned=spawned,
            live_inputs=self._live,
            state_hash=self._tentative[1],
            soil_hash=self.soil_hash(),
            inverse_inertia=self._mobility(cycle),
            computed=() if self.vehicle.assigned is None else self.vehicle.assigned.computed(),
            force=force,
            moment=moment,
        )

    def _idle_result(self, cycle: Cycle) -> CycleResult:
        self._see(cycle)
        self._delta = None
        bodies = self._bodies()
        low, high = bounding_box(outline.bounds(body) for outline, body in zip(self.outlines, bodies, strict=True))
        report = json.dumps(self.summary()) if cycle.command == Command.STOP else ''
        return CycleResult(
            cycle.key,
            self.name,
            NO_LIMIT_NS,
            bodies,
            low,
            high,
            state_hash=self._hash,
            soil_hash=self.soil_hash(),
            summary_json=report,
            inverse_inertia=self._mobility(cycle),
        )

    def _mobility(self, cycle: Cycle) -> Vector:
        """Return the inverse inertia at the vehicle's center of mass for a constraint, else an empty array."""
        if self.name not in cycle.constrained:
            return np.zeros((0, 6))
        vehicle = self.vehicle
        return inverse_inertia(vehicle.body.model, vehicle.data, vehicle.body.base, vehicle.body_state().center_of_mass)

    @contextmanager
    def _naming_time(self, cycle: Cycle) -> Iterator[None]:
        """Convert errors of the vehicle or its driver into a failure of the participant that includes the time."""
        try:
            yield
        except (VehicleError, DriverError) as error:
            what = str(error).removeprefix(f'{self.name}: ')
            raise ParticipantFailed(f'{self.name}: in the cycle from {cycle.t_ns * 1e-9:.4f} s: {what}') from error

    def _resend(self) -> None:
        if self._delta is not None:
            self._send_delta(self._delta)

    def _after_answer(self, cycle: Cycle) -> None:
        if self._snapshot is not None and self._publish is not None:
            snapshot, self._snapshot = self._snapshot, None
            self._publish(snapshot)

    def _see(self, cycle: Cycle) -> None:
        """Capture the initial state for observers once."""
        if self._unseen:
            self._unseen = False
            self._capture(cycle.t_ns)

    def _capture(self, t_ns: int, samples: CycleMotion | None = None, events: tuple[Event, ...] = ()) -> None:
        if self._publish is not None:
            self._snapshot = self.vehicle_state(t_ns, samples, events)

    def vehicle_state(
        self, t_ns: int, samples: CycleMotion | None = None, events: tuple[Event, ...] = ()
    ) -> VehicleState:
        """Return the present state for observers.

        Args:
            t_ns: Simulated time [ns].
            samples: Motion within the last cycle.
            events: Events that began in the last cycle.
        """
        vehicle = self.vehicle
        return observed_state(
            vehicle,
            t_ns,
            self._cycles,
            self._command,
            samples,
            events,
            poses=vehicle.drawn_poses(self.looks.bodies) if self.poses_wanted() else None,
            discs=vehicle.contact.surfels() if self.discs_wanted() else None,
        )

    def summary(self) -> dict[str, object]:
        """Return the vehicle's values for the run's summary, from distance_m to events."""
        events = [{'t_s': t_ns * 1e-9, 'kind': kind, 'source': GROUND_TRUTH} for t_ns, kind in self._watch.history]
        return {**self.vehicle.summary(), 'events': events}

    # -- state --------------------------------------------------------------------------------------------------

    def _digest(self, cycles: int, live: bytes, state: bytes) -> str:
        """Return the SHA-256 hash (hex) of the vehicle's complete state except the terrain."""
        digest = hashlib.sha256(_MAGIC + struct.pack('<q', cycles))
        for part in (state, self.driver.save(), self._watch.save(), live):
            digest.update(struct.pack('<q', len(part)) + part)
        return digest.hexdigest()

    def save(self) -> bytes:
        """Return the committed state as bytes (little-endian); for use between cycles, at HOLD."""
        return self.STATE.pack(self)

    def restore(self, blob: bytes, epoch: int) -> None:
        """Restore the state from :meth:`save`; the terrain is restored by its owner.

        Raises:
            ValueError: If the blob is not the state of a vehicle agent.
        """
        self.STATE.unpack(self, blob)
        self._go_back()
        self.set_epoch(epoch)

    def set_epoch(self, epoch: int) -> None:
        """Discard all data from earlier records, including tentative states."""
        super().set_epoch(epoch)
        if self._tentative is not None:
            self._go_back()
        self._tentative = None
        self._delta = None
        self._snapshot = None
        self._granted = {key: grants for key, grants in self._granted.items() if key.epoch >= epoch}
        self._unseen = True
        self.inputs.release()
