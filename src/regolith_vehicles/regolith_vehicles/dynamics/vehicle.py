# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One vehicle: its bodies, its running gear, its contact with the ground; it evolves, then commits or discards."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.contact.ground_contact import ContactSetting, GroundContact, make_pose
from regolith_terrain.contact.mixed_contact import make_contact
from regolith_terrain.excavation.diggable_soil import DiggableSoil
from regolith_terrain.grid.node_records import NodeRecords
from regolith_terrain.grid.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.scm import NOTHING_MOVES, STAT_COUNT
from regolith_terrain.solids.contact import SolidContactArrays
from regolith_terrain.solids.solids import Solids
from regolith_terrain.terrain_parameters import SoilParameters
from regolith_vehicles.agent.errors import VehicleError, check_cycle
from regolith_vehicles.agent.exact_state import ExactState
from regolith_vehicles.agent.run_statistics import RunStatistics
from regolith_vehicles.config import VehicleModelConfig
from regolith_vehicles.contact import particle_coupling
from regolith_vehicles.contact.contact_parts import contact_parts
from regolith_vehicles.contact.obstacle_contact import ObstacleContact
from regolith_vehicles.contact.soil_window import window_around
from regolith_vehicles.contact.wheel_state import WheelState
from regolith_vehicles.dynamics import multibody, placement, substeps
from regolith_vehicles.dynamics.body_states import drawn_poses, part_states, vehicle_body_state
from regolith_vehicles.dynamics.cycle_motion import CycleMotion
from regolith_vehicles.dynamics.multibody import check_substep, compile_vehicle
from regolith_vehicles.dynamics.odometry import Odometry
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.running_gear import Contacts
from regolith_vehicles.running_gear_registry import make_running_gear
from regolith_vehicles.tools.tool_substep import TOOL_HOOKS, ToolStepArrays
from regolith_vehicles.tools.vehicle_tools import VehicleTools
from regolith_world.cycle.records import BodyState
from regolith_world.numerics.portable_math import dot, times
from regolith_world.numerics.rotation import matrix

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


class Vehicle:
    """A vehicle evolves by whole cycles; a cycle is tentative until :meth:`commit`, and :meth:`discard` undoes it."""

    def __init__(
        self,
        name: str,
        config: VehicleModelConfig,
        mjcf_path: str | Path,
        grid: SoilGrid,
        soil: SoilParameters | SoilMap,
        gravity: float | ArrayLike,
        mode: str = 'regolith',
        mass_scale: float = 1.0,
        displacement: Vector = NOTHING_MOVES,
        solids: Solids | None = None,
        diggable: DiggableSoil | None = None,
    ) -> None:
        """Compile the vehicle; :meth:`place` or :meth:`restore` comes next.

        Args:
            grid: Committed soil; only read.
            soil: Soil, or map of soils, of the grid's law.
            gravity: Magnitude along -z, or a vector in the world, shape (3,) [m/s^2].
            mode: Of the soil model, 'regolith' or 'reference'.
            mass_scale: Factor on all masses and inertias.
            displacement: Rules of displaced soil (:meth:`regolith_terrain.config.TerrainConfig.displacement`).
            solids: Rocks and obstacles that stand about, if any.
            diggable: What its tools can dig; None: nothing.

        Raises:
            VehicleModelError: If the model is unusable or its substep too long for this soil.
            ValueError: If the mode is unknown.
        """
        self.name = name
        self.config = config
        self.grid = grid
        given = np.asarray(gravity, dtype=np.float64)
        vector = np.array([0.0, 0.0, -float(given)]) if given.ndim == 0 else given
        self.body = compile_vehicle(config, mjcf_path, vector, mass_scale)
        self.payloads = Payloads(config, self.body)
        self.tools = VehicleTools(config, self.body, mjcf_path, self.payloads, grid, vector, diggable)
        """Its tools, and the soil in them."""
        soils = soil if isinstance(soil, SoilMap) else SoilMap(soil.parameters())
        self._model = self.body.model
        self._data = mujoco.MjData(self._model)
        self.gear = make_running_gear(config, self.body, mjcf_path)
        self._parts = contact_parts(config, self.body, mjcf_path, self.gear.touching)
        shapes, reach, layer = self._parts.shapes, self._parts.reach, self._parts.layer
        ground = soils, shapes, reach, grid.spacing, mode, displacement, layer, grid.height_field, vector
        try:
            self.contact: GroundContact = make_contact(
                grid.law, ContactSetting(*ground), self.gear.rigid_terrain_contact
            )
            """With the ground, all memory of it included."""
        except ValueError as error:
            raise ValueError(f'{name}: {error}') from None
        tool_hooks = TOOL_HOOKS if self.tools.names else substeps.ToolHooks()
        self._loop = substeps.substep_loop(self.contact.press, self.gear.hooks, tool_hooks)
        self._bodies = substeps.bodies(self._model, self._data, self.body.base)
        self._pose = make_pose()
        self._solids = ObstacleContact(solids, self._parts, self._bodies)
        self._levels = partial(self._solids.levels, grid.levels)
        check_substep(
            config,
            self.body.mass,
            self.contact.step_limit,
            self.gear.contact_area,
            config.file,
            self._parts.hull_area,
        )
        parts = len(self._parts.names)
        self._force, self._torque = np.zeros((2, parts, 3))
        self._stats = np.zeros((parts, STAT_COUNT))
        self._figures = RunStatistics()
        self._body_state: BodyState | None = None
        self._exact = ExactState(
            name, self._model, self._data, self.gear, self.payloads, self.tools, self._solids, self.contact
        )
        self._refresh()
        self._committed = self.state()

    # -- where it is --------------------------------------------------------------------------------------------

    def place(self, x: float, y: float, heading: float) -> None:
        """Place the vehicle in static equilibrium: sunk in, springs pressed, drives and soil holding it on a slope.

        It is let down on a copy of the committed ground, which only the first cycle marks. Where it would slide down
        for good it stands on the surface, wheels on the plane that fits best. The state is committed.

        Args:
            x: Of the base frame in the world [m]; so is y.
            heading: Of the base's +x, from the world's +x towards +y [rad].
        """
        aim_x, aim_y = x, y
        # On a slope soil gives way by some millimetres before it holds; the second time it does so from further up.
        for _ in range(2):
            self.place_on_ground(aim_x, aim_y, heading)
            if not self._settle():
                self.place_on_ground(x, y, heading)
                return
            off_x, off_y = self._data.xpos[self.body.base, 0] - x, self._data.xpos[self.body.base, 1] - y
            if math.hypot(off_x, off_y) < placement.PLACED_WITHIN:
                break
            aim_x, aim_y = aim_x - off_x, aim_y - off_y
        self._data.qvel[:] = 0.0
        self._data.xfrc_applied[:] = 0.0
        self._force[:] = self._torque[:] = self._stats[:] = 0.0
        self.gear.recharge()
        self._refresh()
        self.commit()

    def place_on_ground(self, x: float, y: float, heading: float) -> None:
        """Stand on the surface, wheels on the plane that fits best, without settling; the state is committed."""
        self.place_at(*placement.pose_on_ground(x, y, heading, *self._feet(), self._levels))

    def place_above_ground(self, x: float, y: float, heading: float, height: float) -> None:
        """Be above where :meth:`put` would stand [m], at rest, springs as the model has them."""
        self.place_on_ground(x, y, heading)
        self.place_at(self.body_state().position + (0.0, 0.0, height), self.body_state().orientation)

    def _feet(self) -> tuple[Vector, Vector, Vector]:
        return self.gear.support_points(multibody.at_origin(self._model))

    def set_state(self, body: BodyState) -> None:
        """Take the base's pose and velocity; joints, cargo and charge stay, what the ground remembers of it goes.

        Raises:
            ValueError: If it would be buried there, or is too fast; nothing has changed then.
        """
        placement.check_speed(self.name, body.linear_velocity, body.angular_velocity)
        deep = placement.support_depth(body.position, body.orientation, *self._feet(), self._levels)
        if deep > placement.BURIED:
            raise ValueError(f'{self.name}: {deep:.3f} m of it below the ground; allowed: {placement.BURIED} m')
        data = self._data
        data.qpos[:3], data.qpos[3:7] = body.position, np.roll(body.orientation, 1)
        data.qvel[:3], data.qvel[3:6] = body.linear_velocity, times(matrix(body.orientation).T, body.angular_velocity)
        self._refresh()
        self.contact.reset()
        self.commit()

    def depth_in_solids(self) -> float:
        """Return how deep a wheel or the hull is in a rock or an obstacle now [m]; all contacts are forgotten."""
        return self._solids.deepest(self._model, self._data, self.gear.whereabouts(self._data))

    def _settle(self) -> bool:
        """Return whether the vehicle comes to rest from its present pose, on soil that forgets each substep.

        Without memory, soil carries what its virgin curve gives at each depth, hence what it will in the first cycle.
        Speeds fade, which ends the rocking sooner and changes nothing where they are zero.
        """
        step = self.config.substep_s
        count = math.ceil(placement.SETTLING_CYCLE / step)
        still = self.gear.at_rest
        samples = np.empty((count, substeps.SAMPLE_COLUMNS))
        fade = math.exp(-placement.SETTLING_RATE * step)
        self._model.opt.timestep = step
        for _ in range(placement.SETTLING_CYCLES):
            active, solids = self._touching(count * step)
            window = self._window(active, count * step)
            contact = self.contact.arrays(window, active)
            controls = self.gear.controls(still)
            before = self.gear.positions(self._data)
            fading = substeps.PlacementDamping(fade, window.values, window.history(), window.touched)
            try:
                driving = self.gear.driving((still, still))
                run = self._run(count, step, active, contact, solids, driving, controls, controls, samples, fading)
                self._check(run())
            except VehicleError:
                return False  # a model that blows up does so in the run, too, which says when
            self.gear.let_down(self._data, before, count * step)
            self.contact.remember(window, contact)
            self._refresh()
            if np.abs(self._data.qvel).max() < placement.SETTLED_SPEED:
                return True
        return bool(np.abs(self._data.qvel).max() < placement.SLIDING_SPEED)

    def place_at(self, position: ArrayLike, orientation: ArrayLike) -> None:
        """Take this pose of the base frame, at rest, and forget all history; the state is committed.

        Args:
            position: In the world [m], shape (3,).
            orientation: Quaternion (x, y, z, w).
        """
        mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[:3] = position
        self._data.qpos[3:7] = np.roll(np.asarray(orientation, dtype=float), 1)
        self.contact.reset()
        self._solids.reset()
        self.gear.reset()
        self.payloads.reset()
        self.tools.reset()
        self._figures = RunStatistics()
        self._refresh()
        self.commit()

    def set_rolling_speed(self, speed: float) -> None:
        """Give the whole vehicle a forward speed [m/s] and nothing else; the state is committed."""
        data = self._data
        data.qvel[:] = 0.0
        data.qvel[:3] = speed * data.xmat[self.body.base].reshape(3, 3)[:, 0]
        self.gear.roll(data, speed)
        self._refresh()
        self.commit()

    @property
    def data(self) -> Any:
        """State of the multibody model (mujoco.MjData) at the end of the last cycle, to be read."""
        return self._data

    def body_state(self) -> BodyState:
        """Return pose, twist and composite inertia of the whole vehicle, named as it is."""
        if self._body_state is None:
            self._body_state = vehicle_body_state(self.name, self._model, self._data, self.body.base)
        return self._body_state

    def part_states(self) -> tuple[BodyState, ...]:
        """Return pose and twist of all of :attr:`VehicleModelConfig.parts`, VEHICLE/BODY; the mass is the whole's."""
        whole = self.body_state()
        return part_states(self.config.parts, self.body.parts, self._data, self._bodies.root, whole)

    def wheel_states(self) -> tuple[WheelState, ...]:
        """Return the states of the wheels at the end of the last cycle; zeros before the first."""
        rows = self.gear.table if self.config.wheels else ()
        return tuple(WheelState.from_row(w.name, row) for w, row in zip(self.config.wheels, rows, strict=True))

    def drawn_poses(self, bodies: Indices) -> Vector:
        """Return the poses in the world of bodies, then of what the gear draws beside them, shape (n, 7).

        Positions [m] and quaternions (x, y, z, w), as
        :class:`regolith_vehicles.description.visual_description.BodyVisuals` orders them.
        """
        return drawn_poses(bodies, self.gear, self._data)

    def gear_arrays(self) -> tuple[Vector, Vector, Vector]:
        """Return copies of the gear's table, the positions of its parts' bodies and their quaternions (x, y, z, w)."""
        return self.gear.table.copy(), *self.gear.part_poses(self._data)

    def joint_states(self) -> tuple[tuple[str, ...], Vector, Vector]:
        """Return names, positions [rad or m] and velocities [rad/s or m/s] of all joints but the free one."""
        return self.body.joints, self._data.qpos[self.body.joint_qpos], self._data.qvel[self.body.joint_dof]

    def joint_goals(self) -> dict[str, float]:
        """Return the present targets of joints that take any, by name, in the units of their actuators."""
        return self.gear.joint_goals()

    def joint_efforts(self) -> Vector:
        """Return the forces of motors and springs on the joints at the last substep [N m or N], in their order."""
        dof = self.body.joint_dof
        return np.asarray(self._data.qfrc_actuator[dof] + self._data.qfrc_passive[dof])

    def ground_force(self) -> Vector:
        """Return the force of the ground on the whole vehicle in the last substep, world axes [N], shape (3,)."""
        return np.asarray(self._force.sum(axis=0))

    def hull_load_fraction(self) -> float:
        """Return the share of the weight on the hull, tools left out, as the last cycle ended; 0 without gravity."""
        gravity, force = self._model.opt.gravity, -self._force[self._parts.belly].sum(axis=0)
        return dot(force, gravity) / (self.body.mass * dot(gravity, gravity)) if gravity.any() else 0.0

    @property
    def odometry(self) -> Odometry | None:
        """Dead reckoning up to now; a copy. None of a running gear without."""
        own = self.gear.odometry
        return None if own is None else Odometry.load(own.save())

    @property
    def statistics(self) -> RunStatistics:
        """Distance, slip and sinkage so far; a copy."""
        return self._figures.copy()

    # -- how it moves -------------------------------------------------------------------------------------------

    def apply_impulse(self, point: ArrayLike, impulse: ArrayLike, part: int = -1) -> None:
        """Change the velocities as a blow does (:func:`regolith_vehicles.dynamics.multibody.impulse_response`);
        tentative like all motion.

        Args:
            point: In the world [m], shape (3,).
            impulse: In the world [N s], shape (3,).
            part: Index in :meth:`part_states` of the body that was struck; -1: the base.
        """
        body = self.body.base if part < 0 else int(self.body.parts[part])
        self._data.qvel[:] += multibody.impulse_response(self._model, self._data, body, point, impulse)
        self._body_state = None
        mujoco.mj_comVel(self._model, self._data)

    def set_payload(self, name: str, mass: float, inertia: ArrayLike) -> None:
        """Replace what the vehicle carries under a name of its file; tentative like all motion.

        The velocities stay: what comes on board is taken to move with the body already.

        Args:
            mass: [kg].
            inertia: Moments about the body's centre of mass, along the axes of its own inertia [kg m^2], shape (3,).

        Raises:
            ValueError: If there is no such payload, or no body has these values or fits in.
        """
        self.payloads.load(name, mass, inertia)
        self._refresh()

    def evolve(self, dt_ns: int, *targets: ArrayLike) -> NodeRecords:
        """Return the nodes that a cycle on the committed soil changes; tentative.

        Args:
            dt_ns: Length of the cycle [ns], > 0.
            targets: Of the running gear's actuators at its end (:meth:`RunningGear.targets`; of wheels: speeds [rad/s]
                and steering angles [rad], shape (n,) each); limits of value and rate apply.

        Raises:
            VehicleError: If the vehicle blew up or a part outran its soil window, naming it and the part.
            ValueError: If a command is not finite.
        """
        motion = self.begin(dt_ns, *targets)
        motion.run()
        return self.finish(motion)

    def begin(self, dt_ns: int, *targets: ArrayLike) -> CycleMotion:
        """Prepare a cycle; arguments as for :meth:`evolve`. Next come the motion's ``run``, then :meth:`finish`."""
        return self._begin(self.state(), dt_ns, targets)

    def _begin(
        self,
        start: bytes,
        dt_ns: int,
        targets: tuple[ArrayLike, ...],
        acceleration: float = substeps.MARGIN_ACCELERATION,
    ) -> CycleMotion:
        """Prepare a cycle.

        Args:
            start: The present :meth:`state`.
            acceleration: Of a part within the cycle, for which soil, solids and tools are chosen [m/s^2].
        """
        if dt_ns <= 0:
            raise ValueError(f'{self.name}: cycle of {dt_ns} ns; allowed: > 0')
        if not all(np.isfinite(target).all() for target in targets):  # it would stay in the ramp for good
            given = ', '.join(repr(target) for target in targets)
            raise ValueError(f'{self.name}: commands {given}; allowed: finite numbers')
        duration = dt_ns * 1e-9
        longest = max(1, math.floor(self.config.substep_s * 1e9))
        count = -(-dt_ns // longest)
        step = duration / count
        gear, data = self.gear, self._data
        if self.tools.apply_grants():
            self._refresh()
        ramp = gear.ramp(duration, *targets)
        active, solids = self._touching(duration, acceleration)
        window = self._window(active, duration, acceleration)
        contact = self.contact.arrays(window, active)
        digging = self.tools.begin(data, window, duration, acceleration)
        self._model.opt.timestep = step
        samples = np.empty((count, substeps.SAMPLE_COLUMNS))
        self._bodies.limits.flips[:] = 0
        begin, end = (gear.controls(command) for command in ramp)
        loop = self._run(count, step, active, contact, solids, gear.driving(ramp), begin, end, samples, digging=digging)
        base = data.xpos[self.body.base].copy()
        left = partial(self.contact.soil_changes, self.grid.law.names)
        return CycleMotion(
            loop,
            window,
            contact,
            duration,
            ramp,
            gear.positions(data),
            base,
            samples,
            digging,
            left,
            acceleration=acceleration,
            start=start,
            given=(dt_ns, targets),
            flips=self._bodies.limits.flips,
        )

    def _run(
        self,
        count: int,
        step: float,
        active: int,
        contact: Any,
        solids: SolidContactArrays,
        driving: Any,
        begin: Vector,
        end: Vector,
        samples: Vector,
        fading: substeps.PlacementDamping = substeps.NOT_FADING,
        digging: ToolStepArrays | None = None,
    ) -> Callable[[], int]:
        """Return all substeps of a cycle, to be called; ``begin`` and ``end`` are controls of the actuators."""
        parts = self._parts
        self._force[active:] = self._torque[active:] = self._stats[active:] = 0.0
        loop = self._loop
        if fading.factor == 1.0:  # nothing is placed on ground that moves
            now = partial(
                particle_coupling.current_part_states, self._data, parts, active, self._refresh, self._whereabouts
            )
            loop = particle_coupling.coupled_loop(self.contact, loop, now)
        return partial(
            loop,
            count,
            step,
            self._bodies,
            substeps.Controls(self.gear.actuators, begin, end),
            substeps.ContactParts(parts.body, parts.offset, parts.frame, active),
            contact,
            solids,
            driving,
            substeps.Wrenches(self._force, self._torque, self._stats, self._pose),
            fading,
            samples,
            digging,
        )

    def finish(self, motion: CycleMotion) -> NodeRecords:
        """Return the nodes that a motion changed after it was run; raises as :meth:`evolve` does.

        A motion of which a part left the soil of its cycle, as a wheel that its steering throws to the other side,
        becomes the same one with soil for higher accelerations: the cycle is repeated from its start.
        """
        for acceleration in substeps.WIDER_ACCELERATIONS:
            if not motion.left_window:
                break
            self._take(motion.start)
            motion.become(self._begin(motion.start, *motion.given, acceleration))
            motion.run()
        self._check(motion.status, motion.trouble)
        data, gear, window, duration = self._data, self.gear, motion.window, motion.duration
        self._refresh()
        self.contact.remember(window, motion.contact)
        gear.finish(data, motion.before, motion.ramp, duration)
        n = self._parts.gear
        speeds = self._whereabouts(n)[1]
        gear.measure(data, Contacts(window, speeds, self._force[:n], self._torque[:n], self._stats[:n]))
        way = math.hypot(*(data.xpos[self.body.base, :2] - motion.base_position[:2]).tolist())
        gear.update_statistics(self._figures, way, data, motion.before, gear.moves(motion.ramp), duration)
        if self.tools.finish(data, motion.digging, duration):
            self._refresh()
        return window.changed().joined(motion.left)

    def _whereabouts(self, count: int) -> tuple[Vector, Vector]:
        """Return origins [m] and velocities [m/s] of the first ``count`` parts in the world, shape (count, 3) each."""
        root = self._bodies.root
        return self._parts.whereabouts(count, self._data, root, self.gear.whereabouts(self._data))

    def _touching(
        self, duration: float, acceleration: float = substeps.MARGIN_ACCELERATION
    ) -> tuple[int, SolidContactArrays]:
        """Return how many parts to press: the gear's, or all where the hull may come to something; the solids near."""
        parts, data, contact = self._parts, self._data, self.contact
        com = data.subtree_com[self._bodies.root]
        near = parts.hull_is_near(
            self.grid, contact.feels_above_m, data.xpos, data.xmat, data.cvel, com, duration, acceleration
        )
        solids, beside = self._solids.arrays(self._model, data, duration, self.gear.whereabouts(data), acceleration)
        return len(parts.names) if near or beside else parts.gear, solids

    def _window(self, active: int, duration: float, acceleration: float = substeps.MARGIN_ACCELERATION) -> SoilWindow:
        """Return the window of soil within reach of the first ``active`` parts in a cycle."""
        centers, velocities = self._whereabouts(active)
        margin = self._parts.reach[:active] + self.contact.margin_cells * self.grid.spacing
        around = centers[:, :2], velocities[:, :2], margin
        if self.tools.names:
            more = self.tools.places(self._data)
            around = np.vstack((around[0], more[0])), np.vstack((around[1], more[1])), np.append(margin, more[2])
        window = window_around(self.grid, *around, duration, acceleration)
        if window is None:
            self._check(substeps.TOO_FAST)
        assert window is not None
        return window

    def _check(self, status: int, trouble: str = '') -> None:
        check_cycle(status, self.name, self._model, self._data, self._parts.names, trouble)

    def _refresh(self) -> None:
        """Bring poses and velocities of all bodies up to qpos and qvel, touching nothing that the next step reads."""
        self._body_state = None
        multibody.refresh(self._model, self._data)

    # -- state --------------------------------------------------------------------------------------------------

    def commit(self, state: bytes | None = None) -> None:
        """Make the present state the one :meth:`discard` returns to.

        Args:
            state: The value of :meth:`state`, if the caller has it already.
        """
        self._committed = self.state() if state is None else state

    def discard(self) -> None:
        """Return to the committed state, to the bit."""
        self.restore(self._committed)

    def committed_state(self) -> bytes:
        """Return the :meth:`state` of the last commit."""
        return self._committed

    def state(self) -> bytes:
        """Return the exact state (little-endian): bodies, running gear, figures, odometry, memory of the contact."""
        return self._exact.pack(self._figures)

    def restore(self, blob: bytes) -> None:
        """Restore what :meth:`state` returned, and commit it.

        Raises:
            ValueError: If the blob is not the state of such a vehicle.
        """
        self._take(blob)
        self._committed = blob

    def _take(self, blob: bytes) -> None:
        """Restore what :meth:`state` returned, without committing it."""
        self._figures = self._exact.unpack(blob)
        self._refresh()
