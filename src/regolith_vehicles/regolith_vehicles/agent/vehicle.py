# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of one vehicle: multibody model, running gear and ground contact, with commit and discard of cycles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain import SoilParameters
from regolith_terrain.bodies import BodiesConfig, BodyGround, lift_height
from regolith_terrain.contact import ContactSetting, GroundContact, make_contact
from regolith_terrain.excavation import DiggableSoil
from regolith_terrain.grid import NodeRecords, SoilGrid, SoilMap
from regolith_terrain.solids import Solids
from regolith_vehicles.agent.body_states import drawn_poses, force_and_moment, part_states, vehicle_body_state
from regolith_vehicles.agent.exact_state import ExactState
from regolith_vehicles.agent.vehicle_step import StepPlan, VehicleStep
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.contact.assigned_bodies import AssignedBodies
from regolith_vehicles.contact.contact_parts import contact_parts
from regolith_vehicles.contact.obstacle_contact import ObstacleContact
from regolith_vehicles.contact.release_clearance import check_release
from regolith_vehicles.contact.wheel_state import WheelState
from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.dynamics import multibody, placement, substeps
from regolith_vehicles.dynamics.dispensers import Dispensers
from regolith_vehicles.dynamics.model_checks import check_substep
from regolith_vehicles.dynamics.multibody import compile_vehicle
from regolith_vehicles.dynamics.odometry import Odometry
from regolith_vehicles.dynamics.payloads import Payloads
from regolith_vehicles.dynamics.run_statistics import RunStatistics
from regolith_vehicles.energy.vehicle_energy import VehicleEnergy
from regolith_vehicles.faults import FaultConfig, VehicleFaults
from regolith_vehicles.powertrain.battery import battery_summary
from regolith_vehicles.running_gear_registry import make_running_gear
from regolith_vehicles.tools.vehicle_tools import VehicleTools
from regolith_vehicles.traction.config import TractionConfig
from regolith_vehicles.traction.traction_control import TractionControl
from regolith_world.cycle import BodyState, SpawnedObject
from regolith_world.numerics import portable_math, rotation

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


class Vehicle:
    """Vehicle that evolves by whole cycles, which are tentative until :meth:`commit` or :meth:`discard`."""

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
        displacement: Vector | None = None,
        solids: Solids | None = None,
        diggable: DiggableSoil | None = None,
        bodies: BodiesConfig | None = None,
        faults: Sequence[FaultConfig] = (),
        traction: TractionConfig | None = None,
    ) -> None:
        """Compile the vehicle; :meth:`place` or :meth:`restore` must follow.

        Args:
            name: Name of the vehicle.
            config: Vehicle model.
            mjcf_path: Path of the model's MJCF file.
            grid: Committed soil; read only.
            soil: Soil, or map of soils, for the grid's terrain model.
            gravity: Magnitude along -z, or vector in the world frame, shape (3,) [m/s^2].
            mode: Mode of the soil model, 'regolith' or 'reference'.
            mass_scale: Factor on all masses and inertias [-].
            displacement: Parameters of soil displacement (:meth:`regolith_terrain.config.TerrainConfig.displacement`);
                None: soil stays in its column.
            solids: Rocks and static obstacles; None: none exist.
            diggable: Soil that the tools can dig; None: they cannot dig.
            bodies: Section ``bodies`` of the scenario; None: it has no rigid bodies on the ground.
            faults: Faults of its devices.
            traction: Traction control of its wheels; None: there is none.

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
        self.dispensers = Dispensers(config, self.body, Path(mjcf_path).name, self.payloads)
        """Dispensers of objects."""
        self.tools = VehicleTools(config, self.body, mjcf_path, self.payloads, grid, vector, diggable)
        """Excavation tools, and the soil in them."""
        soils = soil if isinstance(soil, SoilMap) else SoilMap(soil.parameters())
        self._model = self.body.model
        self._data = mujoco.MjData(self._model)
        self.gear = make_running_gear(config, self.body, mjcf_path)
        self._parts = contact_parts(config, self.body, mjcf_path, self.gear.touching)
        check_release(config, self.body, Path(mjcf_path).name, self.gear, self._parts)
        shapes, reach, layer = self._parts.shapes, self._parts.reach, self._parts.layer
        ground = soils, shapes, reach, grid.spacing, mode, displacement, layer, grid.height_field, vector
        try:
            setting = ContactSetting(*ground, tool_surfaces=self._parts.tool_surfaces)
            self.contact: GroundContact = make_contact(grid.law, setting, self.gear.special_contact)
            """Ground contact, including all its memory."""
        except ValueError as error:
            raise ValueError(f'{name}: {error}') from None
        self.tools.moving_soil = partial(self._moving_soil, self.tools.bodies)
        self._bodies = substeps.bodies(self._model, self._data, self.body.base)
        self.assigned = (
            None if bodies is None else AssignedBodies(name, bodies, BodyGround(grid, soils, vector, solids, mode))
        )
        """Rigid bodies that the vehicle computes; None: the scenario has none."""
        self._solids = ObstacleContact(solids, self._parts, self._bodies, self.assigned)
        self._levels = partial(self._solids.levels, grid.levels)
        check_substep(
            config,
            self.body.mass,
            self.contact.step_limit,
            self.gear.contact_area,
            config.file,
            self._parts.hull_area,
        )
        self._body_state: BodyState | None = None
        self.energy = VehicleEnergy(config, self.body, self.gear.charge) if config.has_energy else None
        """Panels, loads and thermal nodes; None: it has none."""
        if self.energy is not None:
            self.gear.is_locked = self.energy.locks
        if traction is not None:
            self.gear.traction = TractionControl(
                traction, self.body.radius, config.wheel_drive.max_wheel_acceleration_radps2
            )
        if faults:
            self.gear.faults = VehicleFaults(faults, self.gear, self._data, self.energy, name)
        self._exact = ExactState(
            name,
            self._model,
            self._data,
            self.gear,
            self.payloads,
            self.tools if self.tools.names else None,
            self._solids.contact,
            self.contact,
            self.dispensers,
            self.assigned,
            self.energy,
        )
        self.step = VehicleStep(
            name,
            config,
            self.body,
            self._data,
            grid,
            self.gear,
            self.tools,
            self._parts,
            self.contact,
            self._solids,
            self._bodies,
            self._exact,
            self._refresh,
            self.assigned,
        )
        """Steps of the vehicle: plan, run, finish."""
        self._refresh()
        self.committed = self.state()
        """The :meth:`state` of the last commit."""

    # -- placement ------------------------------------------------------------------------------------------------

    def place(self, x: float, y: float, heading: float) -> None:
        """Place the vehicle in static equilibrium with its sinkage, spring deflections and holding forces on a slope.

        The vehicle settles on a copy of the committed soil, so the soil has no ruts before the first cycle. Where the
        vehicle would slide without limit, it is placed on the surface instead, wheels on the plane of best fit. The
        state is committed.

        Args:
            x: Position of the base along x in the world frame [m].
            y: Position of the base along y in the world frame [m].
            heading: Heading of the base's x axis, from the world's x axis toward y [rad].
        """
        aim_x, aim_y = x, y
        # On a slope, soil yields by some millimeters before it holds; the second pass starts uphill by that distance.
        for _ in range(2):
            self.place_on_ground(aim_x, aim_y, heading)
            if not self.step.settle():
                self.place_on_ground(x, y, heading)
                return
            off_x, off_y = self._data.xpos[self.body.base, 0] - x, self._data.xpos[self.body.base, 1] - y
            if math.hypot(off_x, off_y) < placement.PLACED_WITHIN:
                break
            aim_x, aim_y = aim_x - off_x, aim_y - off_y
        self._data.qvel[:] = 0.0
        self._data.xfrc_applied[:] = 0.0
        for values in self.step.wrenches[:3]:
            values[:] = 0.0
        self.gear.recharge()
        self._refresh()
        self.commit()

    def place_on_ground(self, x: float, y: float, heading: float) -> None:
        """Place the vehicle on the surface, wheels on the plane of best fit, without settling; commit the state."""
        self.place_at(*self.pose_on_ground(x, y, heading))

    def pose_on_ground(self, x: float, y: float, heading: float) -> tuple[Vector, Vector]:
        """Return position [m] and orientation (x, y, z, w) of the base on the surface; see :meth:`place`."""
        return placement.pose_on_ground(x, y, heading, *self._feet(), self._levels)

    def place_above_ground(self, x: float, y: float, heading: float, height: float) -> None:
        """Place the vehicle at rest at a height [m] above its pose on the ground, springs undeformed."""
        self.place_on_ground(x, y, heading)
        self.place_at(self.body_state().position + (0.0, 0.0, height), self.body_state().orientation)

    def _feet(self) -> tuple[Vector, Vector, Vector]:
        return self.gear.support_points(multibody.at_origin(self._model))

    def set_state(self, body: BodyState) -> None:
        """Set pose and velocity of the base; joints, payloads and charge stay, the contact memory is reset.

        Raises:
            ValueError: If the vehicle would be below the ground, or is too fast; the state is then unchanged.
        """
        placement.check_speed(self.name, body.linear_velocity, body.angular_velocity)
        deep = placement.support_depth(body.position, body.orientation, *self._feet(), self._levels)
        if deep > placement.BURIED:
            raise ValueError(f'{self.name}: is {deep:.3f} m below the ground; allowed: up to {placement.BURIED} m')
        data = self._data
        data.qpos[:3], data.qpos[3:7] = body.position, np.roll(body.orientation, 1)
        data.qvel[:3], data.qvel[3:6] = (
            body.linear_velocity,
            portable_math.times(rotation.matrix(body.orientation).T, body.angular_velocity),
        )
        self._refresh()
        self.contact.reset()
        self.commit()

    def lift_with_ground(self) -> None:
        """Raise the vehicle with the ground that the last commit raised below wheels, tracks or hull; tentative.

        Velocities stay; the contacts are reset. See :mod:`regolith_terrain.bodies.lift`.
        """
        height = lift_height(self._parts.solids(self._data, self.gear.whereabouts(self._data)), self.grid)
        if height > 0.0:
            self._data.qpos[2] += height
            self._refresh()
            self.contact.reset()
            self._solids.reset()

    def depth_in_solids(self, solids: Solids | None = None) -> float:
        """Return the penetration of the deepest wheel or hull part in solids [m]; reset the contacts with them.

        Args:
            solids: The solids; None: rocks and obstacles of the scenario.
        """
        contact = self._solids if solids is None else ObstacleContact(solids, self._parts, self._bodies)
        return contact.deepest(self._model, self._data, self.gear.whereabouts(self._data))

    def place_at(self, position: ArrayLike, orientation: ArrayLike) -> None:
        """Set the pose of the base frame, at rest, and reset all history; the state is committed.

        Args:
            position: Position in the world frame [m], shape (3,).
            orientation: Quaternion (x, y, z, w).
        """
        mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[:3] = position
        self._data.qpos[3:7] = np.roll(np.asarray(orientation, dtype=float), 1)
        self.contact.reset()
        self._solids.reset()
        self.gear.reset()
        self.payloads.reset()
        self.dispensers.reset()
        self.tools.reset()
        for part in (self.energy, self.gear.faults, self.gear.traction):
            if part is not None:
                part.reset()
        self._exact.statistics = RunStatistics()
        self._refresh()
        self.commit()

    def set_rolling_speed(self, speed: float) -> None:
        """Set the forward speed of the whole vehicle [m/s], without any other motion; the state is committed."""
        data = self._data
        data.qvel[:] = 0.0
        data.qvel[:3] = speed * data.xmat[self.body.base].reshape(3, 3)[:, 0]
        self.gear.roll(data, speed)
        self._refresh()
        self.commit()

    @property
    def data(self) -> Any:
        """State of the multibody model (mujoco.MjData) at the end of the last cycle; read only."""
        return self._data

    def body_state(self) -> BodyState:
        """Return pose, twist and composite inertia of the whole vehicle, under the vehicle's name."""
        if self._body_state is None:
            self._body_state = vehicle_body_state(self.name, self._model, self._data, self.body.base)
        return self._body_state

    def part_states(self) -> tuple[BodyState, ...]:
        """Return pose and twist of :attr:`VehicleModelConfig.parts`, named VEHICLE/BODY; the mass is the vehicle's."""
        whole = self.body_state()
        return part_states(self.config.parts, self.body.parts, self._data, self._bodies.root, whole)

    def wheel_states(self) -> tuple[WheelState, ...]:
        """Return the states of the wheels at the end of the last cycle; zeros before the first."""
        rows = self.gear.table if self.config.wheels else ()
        return tuple(WheelState.from_row(w.name, row) for w, row in zip(self.config.wheels, rows, strict=True))

    def drawn_poses(self, bodies: Indices) -> Vector:
        """Return the world poses of bodies, then of other parts that the running gear draws, shape (n, 7).

        Positions [m] and quaternions (x, y, z, w), in the order of
        :class:`regolith_vehicles.visuals.visual_description.BodyVisuals`.
        """
        return drawn_poses(bodies, self.gear, self._data)

    def gear_arrays(self) -> tuple[Vector, Vector, Vector]:
        """Return copies of the running gear's table, its parts' body positions and their quaternions (x, y, z, w)."""
        return self.gear.table.copy(), *self.gear.part_poses(self._data)

    def joint_states(self) -> tuple[tuple[str, ...], Vector, Vector]:
        """Return names, positions [rad or m] and velocities [rad/s or m/s] of all joints except the free joint.

        Positions of wheels are those that their encoders count, which faults can change.
        """
        positions = self._data.qpos[self.body.joint_qpos]
        if self.gear.faults is not None:
            positions = self.gear.faults.counted_positions(positions)
        return self.body.joints, positions, self._data.qvel[self.body.joint_dof]

    def joint_goals(self) -> dict[str, float]:
        """Return the present targets of commanded joints by name, in the units of their actuators."""
        return self.gear.joint_goals()

    def joint_efforts(self) -> Vector:
        """Return the forces of motors and springs on the joints in the last substep [N m or N], in joint order."""
        dof = self.body.joint_dof
        return np.asarray(self._data.qfrc_actuator[dof] + self._data.qfrc_passive[dof])

    def ground_force(self) -> Vector:
        """Return the force of the ground on the whole vehicle in the last substep, world axes [N], shape (3,)."""
        return np.asarray(self.step.wrenches.force.sum(axis=0))

    def force_and_moment(self) -> tuple[Vector, Vector]:
        """Return the force of ground, obstacles, tools and fields [N] in the last substep, and their moment [N m].

        The moment is about the center of mass of the whole vehicle; both are in world axes, shape (3,).
        """
        return force_and_moment(self._data, self.body_state())

    def _moving_soil(self, bodies: NDArray[np.int64]) -> Vector:
        """Return the mass of moving soil in the tools of bodies [kg] and the force of it [N], shape (n, 2)."""
        loads, body = self.contact.tool_loads(), self._parts.body
        part_of = {int(body[part]): part for part in self._parts.tool_surfaces}
        found = [loads[part_of[b]] if b in part_of else np.zeros(2) for b in bodies.tolist()]
        return np.array(found).reshape(-1, 2)

    def hull_load_fraction(self) -> float:
        """Return the fraction of the weight on the hull without tools at the end of the last cycle (0 without
        gravity).
        """
        gravity, force = self._model.opt.gravity, -self.step.wrenches.force[self._parts.belly].sum(axis=0)
        return (
            portable_math.dot(force, gravity) / (self.body.mass * portable_math.dot(gravity, gravity))
            if gravity.any()
            else 0.0
        )

    @property
    def odometry(self) -> Odometry | None:
        """Copy of the present odometry; None for a running gear without odometry."""
        own = self.gear.odometry
        return None if own is None else replace(own)

    @property
    def statistics(self) -> RunStatistics:
        """Copy of distance, slip and sinkage so far."""
        return self._exact.statistics.copy()

    def summary(self) -> dict[str, object]:
        """Return the values for the run's summary, from distance_m to battery."""
        base, statistics = self.body_state(), self.statistics
        battery, particles = self.config.battery, self.contact.statistics()
        return {
            **({'soil': self.tools.mass_balance()} if self.tools.names else {}),
            **({'particles': particles} if particles else {}),
            'distance_m': statistics.distance,
            'mean_slip': statistics.mean_slip,
            'max_sinkage_m': statistics.max_sinkage,
            'final_pose': {'position': base.position.tolist(), 'orientation': base.orientation.tolist()},
            'battery': None if battery is None else battery_summary(battery, self.gear.charge),
            **({} if self.energy is None else {'energy': self.energy.summary()}),
            **({} if self.gear.faults is None else {'faults': self.gear.faults.summary()}),
        }

    # -- motion ---------------------------------------------------------------------------------------------------

    def apply_impulse(self, point: ArrayLike, impulse: ArrayLike, part: int = -1) -> None:
        """Change the velocities by an impulse; tentative like all motion.

        See :func:`regolith_vehicles.dynamics.multibody.impulse_response`.

        Args:
            point: Point of the impulse in the world frame [m], shape (3,).
            impulse: Impulse in the world frame [N s], shape (3,).
            part: Index in :meth:`part_states` of the body that was hit; -1: the base.
        """
        body = self.body.base if part < 0 else int(self.body.parts[part])
        self._data.qvel[:] += multibody.impulse_response(self._model, self._data, body, point, impulse)
        self._body_state = None
        mujoco.mj_comVel(self._model, self._data)

    def set_payload(self, name: str, mass: float, inertia: ArrayLike) -> None:
        """Replace a payload of the vehicle; tentative like all motion.

        The velocities do not change: added mass is assumed to move with the body already.

        Args:
            name: Name of the payload in the vehicle's file.
            mass: Mass of the payload [kg].
            inertia: Moments of inertia about the body's center of mass, along its principal axes [kg m^2], shape (3,).

        Raises:
            ValueError: If the payload does not exist, its values are not those of a body, or it exceeds the capacity.
        """
        self.payloads.load(name, mass, inertia)
        self._refresh()

    def release(self, dispenser: str) -> SpawnedObject:
        """Release the next object of a dispenser; tentative like all motion. See :meth:`Dispensers.release`."""
        return self.dispensers.release(dispenser, self.name, self._data, self._refresh)

    def evolve(self, dt_ns: int, *targets: ArrayLike) -> NodeRecords:
        """Evolve by one cycle on the committed soil, and return the changed grid nodes; tentative.

        Args:
            dt_ns: Duration of the cycle [ns], > 0.
            *targets: Targets of the running gear's actuators at the end of the cycle (:meth:`RunningGear.targets`),
                within limits of value and rate. For wheels: speeds [rad/s] and steering angles [rad], shape (n,) each.

        Raises:
            VehicleError: If the motion diverges or a part leaves its soil window; names the vehicle and the part.
            ValueError: If a command is not finite.
        """
        plan = self.plan(dt_ns, *targets)
        self.run(plan)
        return self.finish(plan)

    def plan(self, dt_ns: int, *targets: ArrayLike) -> StepPlan:
        """Plan a cycle as :meth:`evolve` does; :meth:`run` and :meth:`finish` must follow."""
        return self.step.plan(self.state(), dt_ns, targets)

    def run(self, plan: StepPlan) -> None:
        """Compute the substeps of a plan; may run in another thread, without the interpreter lock."""
        self.step.run(plan)

    def finish(self, plan: StepPlan) -> NodeRecords:
        """Return the grid nodes that a plan changed after its run; raises the errors of :meth:`evolve`."""
        return self.step.finish(plan)

    def _refresh(self) -> None:
        """Update poses and velocities of all bodies from qpos and qvel, without other inputs of the next step."""
        self._body_state = None
        multibody.refresh(self._model, self._data)

    # -- state --------------------------------------------------------------------------------------------------

    def commit(self, state: bytes | None = None) -> None:
        """Make the present state the one that :meth:`discard` restores.

        Args:
            state: Value of :meth:`state`, if already available.
        """
        self.committed = self.state() if state is None else state

    def discard(self) -> None:
        """Return to the committed state, bit for bit."""
        self.restore(self.committed)

    def warm_up(self) -> None:
        """Compile all kernels; the state does not change."""
        self.contact.warm_up()
        if self.energy is not None:
            self.energy.warm_up()
        for at_work in (False, True) if self.tools.names else (False,):
            self.tools.always_near = at_work
            self._try_step()
        self.tools.always_near = False
        if self.assigned is not None:
            self.assigned.warm_up(self.body_state().position)
            self._try_step()

    def _try_step(self) -> None:
        self.evolve(1_000_000, *self.gear.targets(DriveCommand()))
        self.discard()

    def state(self) -> bytes:
        """Return the exact state (little-endian): bodies, running gear, statistics, odometry, contact memory."""
        return self._exact.save()

    def restore(self, blob: bytes) -> None:
        """Restore a state from :meth:`state`, and commit it.

        Raises:
            ValueError: If the blob is not the state of a vehicle of this model.
        """
        self._exact.load(blob)
        self._refresh()
        self.committed = blob
