# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Step of one vehicle through a cycle: plan, run, finish.

1. :meth:`VehicleStep.plan`: targets and ground to the arguments of the compiled loop.
2. :meth:`VehicleStep.run`: the loop, :func:`regolith_vehicles.dynamics.substeps.substep_loop`. It may run in another
   thread, without the interpreter lock, and writes only this vehicle's data.
3. :meth:`VehicleStep.finish`: results of the loop to contact memory, running gear, statistics and tools.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.bodies import BodyStep, step_function
from regolith_terrain.contact import STAT_COUNT, GroundContact, make_pose
from regolith_terrain.grid import NodeRecords, SoilGrid, SoilWindow
from regolith_terrain.solids import SolidContactArrays
from regolith_vehicles.agent.exact_state import ExactState
from regolith_vehicles.contact import particle_coupling
from regolith_vehicles.contact.assigned_bodies import AssignedBodies, NearBodies
from regolith_vehicles.contact.contact_parts import PartSet
from regolith_vehicles.contact.obstacle_contact import ObstacleContact
from regolith_vehicles.contact.soil_window import window_around
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics import placement, substeps
from regolith_vehicles.dynamics.errors import VehicleError, check_cycle
from regolith_vehicles.dynamics.field_forces import field_arrays
from regolith_vehicles.dynamics.multibody import Multibody
from regolith_vehicles.running_gear import Contacts, GearPlan, RunningGear
from regolith_vehicles.tools.tool_substep import TOOL_HOOKS, ToolStepArrays
from regolith_vehicles.tools.vehicle_tools import VehicleTools
from regolith_world.cycle import FieldRecord

Vector = NDArray[np.float64]


@dataclass(slots=True)
class StepPlan:
    """Planned step of a vehicle, and what its run left."""

    loop: Callable[[], int]
    """Function that computes all substeps."""
    window: SoilWindow
    """Soil of the cycle."""
    contact: Any
    """Arguments of the ground contact, including its memory."""
    gear: GearPlan
    """Plan of the running gear."""
    digging: ToolStepArrays | None
    """Active tools; None: no tool is active."""
    near_bodies: NearBodies | None
    """Rigid bodies of the cycle; None: there are none."""
    body_step: BodyStep | None
    """Their arguments of the loop."""
    duration: float
    """Duration of the cycle [s]."""
    samples: Vector
    """Motion of the base after every substep; see :func:`substeps.substep_loop`."""
    base_position: Vector
    """Position of the base at the start [m], shape (3,)."""
    flips: NDArray[np.int64]
    """Number of substeps in which each actuator switched from one force limit to the other, shape (nu,)."""
    start: bytes = b''
    """State of the vehicle at the start."""
    given: tuple[int, tuple[ArrayLike, ...]] = (0, ())
    """Duration of the cycle [ns] and targets of the running gear."""
    status: int = substeps.OK
    """Status of the substep loop."""
    left: list[NodeRecords] = field(default_factory=list)
    """Changes of moving soil."""
    trouble: str = ''
    """Failure of moving soil as text; '' if there is none."""

    @property
    def alternation(self) -> Vector:
        """Fraction of the substeps in which each actuator switched between its force limits [-], shape (nu,)."""
        return self.flips / len(self.samples)

    @property
    def left_window(self) -> bool:
        """Whether a part or a body left the soil of the cycle."""
        return substeps.LEFT_WINDOW <= self.status < substeps.SCRATCH_TOO_SMALL or self.status >= substeps.LOST_BODY

    def become(self, other: StepPlan) -> None:
        """Replace all fields by those of another plan."""
        for each in fields(self):
            setattr(self, each.name, getattr(other, each.name))


class VehicleStep:
    """Steps of one vehicle; it changes the vehicle's parts and has no state of its own between cycles."""

    def __init__(
        self,
        name: str,
        config: VehicleModelConfig,
        body: Multibody,
        data: Any,
        grid: SoilGrid,
        gear: RunningGear,
        tools: VehicleTools,
        parts: PartSet,
        contact: GroundContact,
        solids: ObstacleContact,
        bodies: substeps.BodyArrays,
        exact: ExactState,
        refresh: Callable[[], None],
        assigned: AssignedBodies | None = None,
    ) -> None:
        """Compile or load the loop.

        Args:
            name: Name of the vehicle.
            config: Vehicle model.
            body: Multibody model.
            data: MuJoCo state (mujoco.MjData).
            grid: Committed soil; read only.
            gear: Running gear.
            tools: Excavation tools.
            parts: Parts that can touch the ground.
            contact: Ground contact.
            solids: Contact with solids.
            bodies: MuJoCo's structures for the loop.
            exact: State of the vehicle.
            refresh: Function that updates poses and velocities of all bodies from qpos and qvel.
            assigned: Rigid bodies that the vehicle computes; None: the scenario has none.
        """
        self.name, self.config, self.body, self.data, self.grid = name, config, body, data, grid
        self.gear, self.tools, self.parts, self.contact, self.solids = gear, tools, parts, contact, solids
        self.refresh, self.assigned = refresh, assigned
        self._bodies, self._exact = bodies, exact
        self._loop = substeps.substep_loop(contact.press, gear.run, TOOL_HOOKS)
        self._loop_with_bodies: Callable[..., int] | None = None
        weight = body.mass * math.sqrt(float(np.square(body.model.opt.gravity).sum()))
        self._wheel_load = weight / max(1, len(config.wheels))
        n = len(parts.names)
        self.wrenches = substeps.Wrenches(np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, STAT_COUNT)), make_pose())
        """Wrenches of the ground on all parts in the last substep."""

    def set_fields(self, fields: Sequence[FieldRecord]) -> None:
        """Set the force fields that act on the vehicle in the next cycles."""
        if not fields and not len(self._bodies.fields.regions.drag):
            return
        # A running gear with a drive resets all wrenches; otherwise those of parts are reset.
        driven = self.gear.run.drive is not substeps.no_drive
        unset = np.setdiff1d(np.arange(self.body.model.nbody), self.parts.body)[: 0 if driven else None]
        self.data.xfrc_applied[unset] = 0.0
        self._bodies = self._bodies._replace(fields=field_arrays(fields, self.body.model, self.data, unset))

    # -- plan -----------------------------------------------------------------------------------------------------

    def plan(
        self,
        start: bytes,
        dt_ns: int,
        targets: tuple[ArrayLike, ...],
        acceleration: float = substeps.MARGIN_ACCELERATION,
    ) -> StepPlan:
        """Return the plan of a step; :meth:`run` and :meth:`finish` must follow.

        Args:
            start: State of the vehicle now.
            dt_ns: Duration of the cycle [ns], > 0.
            targets: Targets of the running gear's actuators at the end of the cycle.
            acceleration: Acceleration of a part within the cycle, for the selection of soil, obstacles and tools
                [m/s^2].

        Raises:
            VehicleError: If a part is too fast.
            ValueError: If the duration or a target is out of range.
        """
        if dt_ns <= 0:
            raise ValueError(f'{self.name}: dt_ns = {dt_ns}: is out of range; allowed: > 0')
        if not all(np.isfinite(target).all() for target in targets):  # it would never leave the ramp
            given = ', '.join(repr(target) for target in targets)
            raise ValueError(f'{self.name}: commands {given} are not finite; allowed: finite numbers')
        duration = dt_ns * 1e-9
        longest = max(1, math.floor(self.config.substep_s * 1e9))
        count = -(-dt_ns // longest)
        if self.tools.apply_grants():
            self.refresh()
        gear = self.gear.plan(self.data, duration, *targets)
        self._bodies.limits.flips[:] = 0
        plan = self._assemble(count, duration / count, duration, gear, acceleration)
        plan.start, plan.given = start, (dt_ns, targets)
        return plan

    def _assemble(
        self,
        count: int,
        step: float,
        duration: float,
        gear: GearPlan,
        acceleration: float = substeps.MARGIN_ACCELERATION,
        fade: float = 1.0,
    ) -> StepPlan:
        """Return the plan of a step with all arguments of the loop.

        Args:
            count: Number of substeps.
            step: Length of a substep [s].
            duration: Duration of the cycle [s].
            gear: Plan of the running gear.
            acceleration: Acceleration of a part within the cycle [m/s^2].
            fade: Factor on all speeds after each substep of a placement; 1: a cycle of the run.
        """
        data, parts, wrenches = self.data, self.parts, self.wrenches
        active, solids, near = self.touching(duration, acceleration)
        if fade < 1.0:  # bodies wait until the vehicle stands
            near = None
        window = self.soil_window(active, duration, acceleration, near)
        contact = self.contact.arrays(window, active)
        digging, fading, loop, body_step = None, substeps.NOT_FADING, self._loop, None
        if near is not None and self.assigned is not None:
            split = self.assigned.split(near, step, self._wheel_load)
            count, step = count * split, step / split
            loop, body_step = self.loop_with_bodies(), self.assigned.step_arrays(near, window, count)
        if fade == 1.0:
            digging = self.tools.begin(data, window, duration, acceleration)
            now = partial(particle_coupling.current_part_states, data, parts, active, self.refresh, self.whereabouts)
            loop = particle_coupling.coupled_loop(self.contact, loop, now, self.assigned)
        else:  # vehicles are never placed on moving soil
            fading = substeps.PlacementDamping(fade, window.values, window.history(), window.touched)
        self.body.model.opt.timestep = step
        samples = np.empty((count, substeps.SAMPLE_COLUMNS))
        for values in wrenches[:3]:
            values[active:] = 0.0
        run = partial(
            loop,
            count,
            step,
            self._bodies,
            gear.controls,
            substeps.ContactParts(parts.body, parts.offset, parts.frame, active),
            contact,
            solids,
            gear.driving,
            wrenches,
            fading,
            samples,
            digging,
            body_step,
        )
        place, flips = data.xpos[self.body.base].copy(), self._bodies.limits.flips
        return StepPlan(run, window, contact, gear, digging, near, body_step, duration, samples, place, flips)

    def loop_with_bodies(self) -> Callable[..., int]:
        """Return the loop that also advances assigned bodies, compiled or loaded when the first one is assigned."""
        if self._loop_with_bodies is None:
            assert self.assigned is not None
            step = step_function(self.assigned.press)
            self._loop_with_bodies = substeps.substep_loop(self.contact.press, self.gear.run, TOOL_HOOKS, step)
        return self._loop_with_bodies

    def whereabouts(self, count: int) -> tuple[Vector, Vector]:
        """Return origins [m] and velocities [m/s] of the first ``count`` parts in the world, shape (count, 3) each."""
        return self.parts.whereabouts(count, self.data, self._bodies.root, self.gear.whereabouts(self.data))

    def touching(
        self, duration: float, acceleration: float = substeps.MARGIN_ACCELERATION
    ) -> tuple[int, SolidContactArrays, NearBodies | None]:
        """Return the number of parts to press, the solids nearby, and the rigid bodies to advance.

        The parts are those of the running gear, or all where the hull can touch the ground or an obstacle.

        Args:
            duration: Duration of the cycle [s].
            acceleration: Acceleration of a part within the cycle [m/s^2].
        """
        parts, data, contact = self.parts, self.data, self.contact
        high = math.isinf(contact.feels_above_m)
        com = data.subtree_com[self._bodies.root]
        near = high or parts.hull_is_near(
            self.grid, contact.feels_above_m, data.xpos, data.xmat, data.cvel, com, duration, acceleration
        )
        own = self.gear.whereabouts(data)
        try:
            solids, beside, bodies = self.solids.arrays(self.body.model, data, duration, own, acceleration)
        except FloatingPointError as error:
            raise VehicleError(f'{self.name}: {error}') from error
        return len(parts.names) if near or beside else parts.gear, solids, bodies

    def soil_window(
        self,
        active: int,
        duration: float,
        acceleration: float = substeps.MARGIN_ACCELERATION,
        bodies: NearBodies | None = None,
    ) -> SoilWindow:
        """Return the soil window within reach of the first ``active`` parts in a cycle.

        Args:
            active: Number of parts.
            duration: Duration of the cycle [s].
            acceleration: Acceleration of a part within the cycle [m/s^2].
            bodies: Rigid bodies that need soil, too; None: there are none.

        Raises:
            VehicleError: If a part is too fast.
        """
        centers, velocities = self.whereabouts(active)
        margin = self.parts.reach[:active] + self.contact.margin_cells * self.grid.spacing
        around = centers[:, :2], velocities[:, :2], margin
        for more in self._more_places(bodies):
            around = np.vstack((around[0], more[0])), np.vstack((around[1], more[1])), np.append(margin, more[2])
        window = window_around(self.grid, *around, duration, acceleration)
        if window is None:
            self._check(substeps.TOO_FAST)
        assert window is not None
        return window

    def _more_places(self, bodies: NearBodies | None) -> list[tuple[Vector, Vector, Vector]]:
        """Return positions, velocities and margins of the soil that tools and bodies need."""
        found = [self.tools.places(self.data)] if self.tools.names else []
        if bodies is not None and self.assigned is not None:
            found.append(self.assigned.places(bodies))
        return found

    # -- run ------------------------------------------------------------------------------------------------------

    def run(self, plan: StepPlan) -> None:
        """Compute all substeps."""
        try:
            plan.status = plan.loop()
            plan.left = self.contact.soil_changes(self.grid.law.names)
        except FloatingPointError as error:  # can run in another thread
            plan.trouble = str(error)

    # -- finish ---------------------------------------------------------------------------------------------------

    def finish(self, plan: StepPlan) -> NodeRecords:
        """Return the grid nodes that a step changed.

        If a part left the soil of its cycle, the step is repeated from its start with soil for higher accelerations.
        An example is a wheel with fast steering.

        Raises:
            VehicleError: If the motion diverged or a part left its soil window; names the vehicle and the part.
        """
        for acceleration in substeps.WIDER_ACCELERATIONS:
            if not plan.left_window:
                break
            self._exact.load(plan.start)
            self.refresh()
            plan.become(self.plan(plan.start, *plan.given, acceleration))
            self.run(plan)
        self._check(plan.status, plan.trouble)
        data, window, duration = self.data, plan.window, plan.duration
        self.refresh()
        self.contact.remember(window, plan.contact)
        if plan.body_step is not None and plan.near_bodies is not None and self.assigned is not None:
            try:
                self.assigned.finish(plan.near_bodies, window, plan.body_step, plan.given[0])
            except FloatingPointError as error:
                raise VehicleError(f'{self.name}: {error}') from error
        n, (force, torque, stats, _) = self.parts.gear, self.wrenches
        contacts = Contacts(window, self.whereabouts(n)[1], force[:n], torque[:n], stats[:n])
        progress = self.gear.finish(data, plan.gear, contacts, duration)
        way = math.hypot(*(data.xpos[self.body.base, :2] - plan.base_position[:2]).tolist())
        self._exact.statistics.update(way, progress, duration)
        if self.tools.finish(data, plan.digging, duration, self.contact.released_soil()):
            self.refresh()
        return window.changed().joined(plan.left)

    def _check(self, status: int, trouble: str = '') -> None:
        if status >= substeps.LOST_BODY and self.assigned is not None:
            try:
                self.assigned.check(status - substeps.LOST_BODY)
            except FloatingPointError as error:
                raise VehicleError(f'{self.name}: {error}') from error
        check_cycle(status, self.name, self.body.model, self.data, self.parts.names, trouble)

    # -- placement ------------------------------------------------------------------------------------------------

    def settle(self) -> bool:
        """Return whether the vehicle comes to rest from its present pose, on soil that is reset after each substep.

        Without memory, soil supports what its virgin curve gives at each depth, as in the first cycle. Speeds fade,
        which damps the oscillation sooner and changes nothing where they are zero.
        """
        step = self.config.substep_s
        count = math.ceil(placement.SETTLING_CYCLE / step)
        still, duration = self.gear.at_rest, count * step
        fade = math.exp(-placement.SETTLING_RATE * step)
        speeds = self.data.qvel
        for _ in range(placement.SETTLING_CYCLES):
            gear = self.gear.plan_ramp(self.data, still, still)
            plan = self._assemble(count, step, duration, gear, fade=fade)
            try:
                self._check(plan.loop())
            except VehicleError:
                return False  # a diverging model also diverges in the run, which reports the time
            self.gear.settle(self.data, gear, duration)
            self.contact.remember(plan.window, plan.contact)
            self.refresh()
            if np.abs(speeds).max() < placement.SETTLED_SPEED:
                return True
        return bool(np.abs(speeds).max() < placement.SLIDING_SPEED)
