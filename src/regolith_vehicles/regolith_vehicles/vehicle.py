# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""One vehicle: its bodies, wheels on soil, motors and dead reckoning; it evolves, then commits or discards."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from regolith_terrain.config import SoilConfig
from regolith_terrain.records import NodeRecords
from regolith_terrain.scm import MODES, NO_BULLDOZING, STAT_COUNT, Ground, join_shapes, make_scratch, reach
from regolith_terrain.scm.constants import DAMPING, ELASTIC, ENABLED, SPREAD
from regolith_terrain.shear_memory import ShearMemory
from regolith_terrain.soil_grid import SoilGrid, SoilWindow
from regolith_terrain.soil_map import SoilMap
from regolith_vehicles import substeps, wheel_state
from regolith_vehicles.config import VehicleModelConfig, VehicleModelError
from regolith_vehicles.description import Pose
from regolith_vehicles.multibody import check_substep, compile_vehicle, composite_inertia, point_velocities, to_ros
from regolith_vehicles.odometry import Odometry
from regolith_vehicles.placement import pose_on_ground
from regolith_vehicles.trouble import check_cycle
from regolith_vehicles.wheel_shapes import axle_frame, wheel_shape
from regolith_vehicles.wheel_state import WheelState, measure_wheels
from regolith_world.records import BodyState

Vector = NDArray[np.float64]

_MAGIC = b'REGVEH01'
_HEAD = struct.Struct('<8sqq')
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_MARGIN_CELLS = 3


@dataclass(slots=True)
class Figures:
    """What the run's summary says about a vehicle; part of its state."""

    distance: float = 0.0
    """Horizontal path of the base [m]."""
    slip_time: float = 0.0
    """Integral over time of the mean slip ratio of the turning wheels [s]."""
    driven_time: float = 0.0
    """Time with any wheel turning [s]."""
    max_sinkage: float = 0.0
    """[m]."""

    @property
    def mean_slip(self) -> float:
        """Mean slip ratio while driving [-]; 0 before."""
        return self.slip_time / self.driven_time if self.driven_time > 0.0 else 0.0


@dataclass(slots=True)
class Motion:
    """A cycle under way: what :meth:`Vehicle.begin` set out and :meth:`Vehicle.finish` needs."""

    loop: Callable[[], int]
    """All substeps; runs without the interpreter lock, writes only what this vehicle owns."""
    window: SoilWindow
    shear: Vector
    duration: float
    begin: Vector
    """Controls at the start of the cycle."""
    end: Vector
    """Controls at its end."""
    wheel_angles: Vector
    """At its start, as what follows [rad]."""
    steer_angles: Vector
    base_position: Vector
    """[m]."""
    samples: Vector
    """Of the base after every substep, see :data:`substeps.run_substeps`."""
    status: int = substeps.OK

    def run(self) -> None:
        """Do all substeps."""
        self.status = self.loop()


class Vehicle:
    """Evolves by whole cycles; what :meth:`evolve` did is tentative until :meth:`commit`; :meth:`discard` undoes it."""

    def __init__(
        self,
        name: str,
        config: VehicleModelConfig,
        mjcf_path: str | Path,
        grid: SoilGrid,
        soil: SoilConfig | SoilMap,
        gravity: float | ArrayLike,
        mode: str = 'regolith',
        mass_scale: float = 1.0,
        bulldozing: Vector = NO_BULLDOZING,
    ) -> None:
        """Compile the vehicle; :meth:`place` or :meth:`restore` comes next.

        :param grid: committed soil; only read
        :param gravity: magnitude along -z, or a vector in the world, shape (3,) [m/s^2]
        :param mode: of the soil model, 'regolith' or 'reference'
        :param mass_scale: factor on all masses and inertias
        :param bulldozing: rules of displaced soil (:meth:`regolith_terrain.config.BulldozingConfig.parameters`)
        :raises VehicleModelError: if the model is unusable or its substep too long for this soil
        :raises ValueError: if the mode is unknown
        """
        if mode not in MODES:
            raise ValueError(f'{name}: soil mode {mode!r}; allowed: {", ".join(MODES)}')
        self.name = name
        self.config = config
        self.grid = grid
        given = np.asarray(gravity, dtype=np.float64)
        vector = np.array([0.0, 0.0, -float(given)]) if given.ndim == 0 else given
        self.body = compile_vehicle(config, mjcf_path, vector, mass_scale)
        self._soils = soil if isinstance(soil, SoilMap) else SoilMap(soil.parameters())
        for parameters in self._soils.soils:
            check_substep(config, self.body.mass, float(parameters[ELASTIC]), float(parameters[DAMPING]), config.file)
        self._model = self.body.model
        self._data = mujoco.MjData(self._model)
        self._root = int(self._model.body_rootid[self.body.base])
        self._bulldozing = bulldozing
        self._mode = MODES[mode]
        count = len(config.wheels)
        self._shear = ShearMemory.empty(count if mode == 'regolith' else 1)
        self._zeros: Vector | None = None
        self._steered = np.nonzero(self.body.steer_actuator >= 0)[0]
        self._actuators = np.concatenate((self.body.wheel_actuator, self.body.steer_actuator[self._steered]))
        try:
            self._shapes = join_shapes([wheel_shape(wheel, Path(mjcf_path).parent) for wheel in config.wheels])
        except ValueError as error:
            raise VehicleModelError(config.file or mjcf_path, 'wheels', str(error), 'shapes as documented') from error
        axes = self._model.jnt_axis[self.body.wheel_joint]
        self._frames = np.array(
            [np.eye(3) if w.mesh is not None else axle_frame(a) for w, a in zip(config.wheels, axes, strict=True)]
        )
        self._reach = reach(self._shapes)
        self._scratch = make_scratch(self._reach, grid.spacing, self._spread())
        self._force = np.zeros((count, 3))
        self._torque = np.zeros((count, 3))
        self._stats = np.zeros((count, STAT_COUNT))
        self._table = np.zeros((count, wheel_state.COLUMNS))
        self._command = np.zeros(count + len(self._steered))
        self._bias = np.zeros(count)
        self._odometry = Odometry()
        self._figures = Figures()
        self._body_state: BodyState | None = None
        self._refresh()
        self._committed = self.state()

    # -- where it is --------------------------------------------------------------------------------------------

    def place(self, x: float, y: float, heading: float) -> None:
        """Stand on the ground, at rest: wheels on the plane that fits the ground under them best.

        The state it leads to is committed.

        :param x: of the base frame in the world [m]
        :param heading: of the base's +x, from the world's +x towards +y [rad]
        """
        layout = self.body.layout
        data = mujoco.MjData(self._model)
        data.qpos[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        mujoco.mj_kinematics(self._model, data)
        below = data.xpos[self.body.wheel_body, 2] - self.body.radius
        position, quaternion = pose_on_ground(x, y, heading, layout.x, layout.y, below, self.grid.levels)
        self.place_at(position, quaternion)

    def place_at(self, position: ArrayLike, orientation: ArrayLike) -> None:
        """Take this pose of the base frame, at rest, and forget all history; the state is committed.

        :param position: in the world [m], shape (3,)
        :param orientation: quaternion (x, y, z, w)
        """
        mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[:3] = position
        self._data.qpos[3:7] = np.roll(np.asarray(orientation, dtype=float), 1)
        self._shear = ShearMemory.empty(self._shear.layers)
        self._command[:] = 0.0
        self._bias[:] = 0.0
        self._table[:] = 0.0
        self._odometry = Odometry()
        self._figures = Figures()
        self._refresh()
        self.commit()

    def body_state(self) -> BodyState:
        """Return pose, twist and composite inertia of the whole vehicle, named as it is."""
        if self._body_state is not None:
            return self._body_state
        data, model = self._data, self._model
        center, inertia = np.empty(3), np.empty((3, 3))
        total = composite_inertia(model.body_mass, model.body_inertia, data.xipos, data.ximat, center, inertia)
        rotation = data.xmat[self.body.base].reshape(3, 3)
        self._body_state = BodyState(
            name=self.name,
            position=data.xpos[self.body.base].copy(),
            orientation=to_ros(data.xquat[self.body.base]),
            linear_velocity=data.qvel[:3].copy(),
            angular_velocity=rotation @ data.qvel[3:6],
            mass=float(total),
            center_of_mass=center,
            inertia=inertia,
        )
        return self._body_state

    def wheel_states(self) -> tuple[WheelState, ...]:
        """Return how each wheel stood to the ground at the end of the last cycle; zeros before the first."""
        return tuple(WheelState.from_row(w.name, row) for w, row in zip(self.config.wheels, self._table, strict=True))

    def wheel_poses(self) -> tuple[Pose, ...]:
        """Return the poses of the wheels in the world, in the order of the configuration."""
        bodies = self.body.wheel_body
        return tuple(Pose(self._data.xpos[b].copy(), to_ros(self._data.xquat[b])) for b in bodies)

    def wheel_arrays(self) -> tuple[Vector, Vector, Vector]:
        """Return copies of the table of wheel states, the wheels' positions and their quaternions (x, y, z, w)."""
        bodies = self.body.wheel_body
        return self._table.copy(), self._data.xpos[bodies], self._data.xquat[bodies][:, [1, 2, 3, 0]]

    def joint_states(self) -> tuple[tuple[str, ...], Vector, Vector]:
        """Return names, positions [rad or m] and velocities [rad/s or m/s] of all joints but the free one."""
        return self.body.joints, self._data.qpos[self.body.joint_qpos], self._data.qvel[self.body.joint_dof]

    def joint_efforts(self) -> Vector:
        """Return the forces of motors and springs on the joints at the last substep [N m or N], in their order."""
        dof = self.body.joint_dof
        return np.asarray(self._data.qfrc_actuator[dof] + self._data.qfrc_passive[dof])

    @property
    def odometry(self) -> Odometry:
        """Dead reckoning up to now; a copy."""
        return Odometry.load(self._odometry.save())

    @property
    def figures(self) -> Figures:
        """Distance, slip and sinkage so far; a copy."""
        f = self._figures
        return Figures(f.distance, f.slip_time, f.driven_time, f.max_sinkage)

    # -- how it moves -------------------------------------------------------------------------------------------

    def apply_impulse(self, point: ArrayLike, impulse: ArrayLike) -> None:
        """Change the velocities as a blow on the base does: qvel += M^-1 J^T p; tentative like all motion.

        :param point: in the world [m], shape (3,)
        :param impulse: in the world [N s], shape (3,)
        """
        model, data = self._model, self._data
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, np.asarray(point, dtype=float), self.body.base)
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        change = np.zeros((1, model.nv))
        mujoco.mj_solveM(model, data, change, (np.asarray(impulse, dtype=float) @ jacobian)[None, :])
        data.qvel[:] += change[0]
        self._body_state = None
        mujoco.mj_comVel(model, data)

    def evolve(self, dt_ns: int, wheel_speeds: ArrayLike, steer_angles: ArrayLike) -> NodeRecords:
        """Move by one cycle on the committed soil; return the nodes this changes. Tentative.

        :param dt_ns: length of the cycle [ns], > 0
        :param wheel_speeds: wanted at its end [rad/s], shape (n,); limits of speed and acceleration apply
        :param steer_angles: wanted at its end [rad], shape (n,); limits apply; ignored where nothing steers
        :raises VehicleError: if the vehicle blew up or a wheel outran its soil window, naming it and the part
        :raises ValueError: if a command is not finite
        """
        motion = self.begin(dt_ns, wheel_speeds, steer_angles)
        motion.run()
        return self.finish(motion)

    def begin(self, dt_ns: int, wheel_speeds: ArrayLike, steer_angles: ArrayLike) -> Motion:
        """Prepare a cycle; arguments as for :meth:`evolve`. Next come the motion's ``run``, then :meth:`finish`."""
        if dt_ns <= 0:
            raise ValueError(f'{self.name}: cycle of {dt_ns} ns; allowed: > 0')
        if not (np.isfinite(wheel_speeds).all() and np.isfinite(steer_angles).all()):
            # It would stay in the ramp of the commands for good.
            given = f'{wheel_speeds!r} rad/s, {steer_angles!r} rad'
            raise ValueError(f'{self.name}: commands {given}; allowed: finite numbers')
        duration = dt_ns * 1e-9
        longest = max(1, math.floor(self.config.substep_s * 1e9))
        count = -(-dt_ns // longest)
        step = duration / count
        begin, end = self._limited(np.asarray(wheel_speeds, float), np.asarray(steer_angles, float), duration)
        data, body = self._data, self.body
        window = self._window(duration)
        shear = self._dense_shear(window)
        bias = np.concatenate((self._bias, np.zeros(len(self._steered))))
        self._model.opt.timestep = step
        samples = np.empty((count, substeps.SAMPLE_COLUMNS))
        arguments = (
            self._model._address, data._address, count, step,
            data.qpos, data.qvel, data.xpos, data.xmat, data.cvel, data.subtree_com, data.xipos, data.xfrc_applied,
            data.ctrl, self._root, self._actuators, begin + bias, end + bias,
            body.wheel_body, self._frames, self._shapes, self._ground(window), self._soils.soils, self._bulldozing,
            self._mode, shear, self._scratch, self._force, self._torque, self._stats, samples,
        )  # fmt: skip
        return Motion(
            partial(substeps.run_substeps, *arguments), window, shear, duration, begin, end,
            data.qpos[body.wheel_qpos], self._steer_angles(), data.xpos[body.base].copy(), samples,
        )  # fmt: skip

    def finish(self, motion: Motion) -> NodeRecords:
        """Take in a motion that was run; return the nodes it changed and raise as :meth:`evolve` does."""
        self._check(motion.status)
        data, body, window, duration = self._data, self.body, motion.window, motion.duration
        self._refresh()
        self._shear = self._shear.gather(window.i0, window.j0, motion.shear, window.touched)
        self._shear.clear(window.i0, window.j0, motion.shear)
        self._zeros = motion.shear
        self._command = motion.end
        turned = data.qpos[body.wheel_qpos] - motion.wheel_angles
        wanted = 0.5 * (motion.begin + motion.end)[: len(turned)]
        self._correct_droop(wanted - turned / duration, duration)
        self._odometry.advance(body.layout, turned, 0.5 * (motion.steer_angles + self._steer_angles()), duration)
        self._measure(window)
        self._count(motion.base_position, turned / duration, duration)
        return window.changed()

    def _limited(self, speeds: Vector, angles: Vector, duration: float) -> tuple[Vector, Vector]:
        """Return the controls at the start and at the end of a cycle: wheel speeds, then steering angles."""
        drive, steering = self.config.drive, self.config.steering
        limit = math.radians(steering.max_angle_deg)
        target = np.concatenate(
            (
                np.clip(speeds, -drive.max_wheel_speed_radps, drive.max_wheel_speed_radps),
                np.clip(angles[self._steered], -limit, limit),
            )
        )
        change = np.full(len(target), math.radians(steering.max_rate_degps) * duration)
        change[: len(speeds)] = drive.max_wheel_acceleration_radps2 * duration
        return self._command, self._command + np.clip(target - self._command, -change, change)

    def _correct_droop(self, error: Vector, duration: float) -> None:
        """Integrate the wheels' mean speed error [rad/s], as the motor controllers do; no further than force allows."""
        time = self.config.drive.droop_time_s
        if time is not None:
            limit = self.body.bias_limit
            self._bias = np.clip(self._bias + (1.0 - math.exp(-duration / time)) * error, -limit, limit)

    def _steer_angles(self) -> Vector:
        angles = np.zeros(len(self.config.wheels))
        angles[self._steered] = self._data.qpos[self.body.steer_qpos[self._steered]]
        return angles

    def _wheel_velocities(self) -> Vector:
        """Return the velocities of the wheel centres in world axes [m/s], shape (n, 3)."""
        data, body = self._data, self.body
        out: Vector = point_velocities(data.cvel, data.xpos, data.subtree_com[self._root], body.wheel_body)
        return out

    def _window(self, duration: float) -> SoilWindow:
        """Return the soil that any wheel can reach within a cycle."""
        centers = self._data.xpos[self.body.wheel_body, :2]
        speeds = np.abs(self._wheel_velocities()[:, :2])
        spacing = self.grid.spacing
        margin = self._reach + 0.5 * substeps.MARGIN_ACCELERATION * duration**2
        margin += (_MARGIN_CELLS + self._spread()) * spacing
        reach = speeds * duration + margin
        if not speeds.max() <= substeps.TOP_SPEED:  # NaN neither
            self._check(substeps.TOO_FAST)
        low = np.floor((centers - reach) / spacing)
        high = np.ceil((centers + reach) / spacing) + 1.0
        if not np.abs((low, high)).max() < 2**30:
            self._check(substeps.TOO_FAST)
        parts = np.stack((low[:, 0], high[:, 0], low[:, 1], high[:, 1]), axis=1).astype(np.int32)
        (i0, j0), (i1, j1) = parts[:, ::2].min(axis=0).tolist(), parts[:, 1::2].max(axis=0).tolist()
        # Whole eights, so that the window seldom changes its size and the shear's arrays can be used again.
        return self.grid.window(i0, i0 + (i1 - i0 + 7) // 8 * 8, j0, j0 + (j1 - j0 + 7) // 8 * 8, parts)

    def _dense_shear(self, window: SoilWindow) -> Vector:
        """Return the shear memory as arrays over the window; until :meth:`finish` they are the motion's."""
        shape = (self._shear.layers, *window.shape, 2)
        dense, self._zeros = self._zeros, None
        if dense is None or dense.shape != shape:
            dense = np.zeros(shape)
        self._shear.scatter_into(window.i0, window.j0, dense)
        return dense

    def _spread(self) -> float:
        """Return how many cells beyond a wheel bulldozing may move."""
        return float(self._bulldozing[SPREAD]) + 2.0 if self._bulldozing[ENABLED] else 0.0

    def _ground(self, window: SoilWindow) -> Ground:
        if not self._soils.regions:
            return window.ground()
        ni, nj = window.shape
        return window.ground(
            self._soils.rows(window.i0, window.i0 + ni, window.j0, window.j0 + nj, window.spacing)
        )

    def _measure(self, window: SoilWindow) -> None:
        data, body = self._data, self.body
        measure_wheels(
            window.base, window.level, window.i0, window.j0, window.spacing,
            data.xpos[body.wheel_body], data.xaxis[body.wheel_joint], self._wheel_velocities(),
            data.qvel[body.wheel_dof], self._steer_angles(), body.radius, body.half_width,
            self._force, self._torque, self._stats, self._table,
        )  # fmt: skip

    def _count(self, place_before: Vector, wheel_speeds: Vector, duration: float) -> None:
        moved = self._data.xpos[self.body.base] - place_before
        self._figures.distance += math.hypot(float(moved[0]), float(moved[1]))
        turning = np.abs(wheel_speeds * self.body.radius) >= wheel_state.SLOW
        if bool(turning.any()):
            self._figures.driven_time += duration
            self._figures.slip_time += float(self._table[turning, wheel_state.SLIP].mean()) * duration
        deepest = float(self._table[:, wheel_state.SINKAGE_TOTAL].max())
        self._figures.max_sinkage = max(self._figures.max_sinkage, deepest)

    def _check(self, status: int) -> None:
        check_cycle(status, self.name, self._model, self._data, [f'wheel {wheel.name}' for wheel in self.config.wheels])

    def _refresh(self) -> None:
        """Bring poses and velocities of all bodies up to qpos and qvel, touching nothing that the next step reads."""
        self._body_state = None
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)

    # -- state --------------------------------------------------------------------------------------------------

    def commit(self, state: bytes | None = None) -> None:
        """Make the present state the one :meth:`discard` returns to.

        :param state: what :meth:`state` returned for it, if the caller has that already
        """
        self._committed = self.state() if state is None else state

    def discard(self) -> None:
        """Return to the committed state, to the bit."""
        self.restore(self._committed)

    def committed_state(self) -> bytes:
        """Return what :meth:`state` was at the last commit."""
        return self._committed

    def state(self) -> bytes:
        """Return the exact state (little-endian): bodies, shear memory, motors, odometry, key figures."""
        size = mujoco.mj_stateSize(self._model, _STATE)
        vector = np.empty(size)
        mujoco.mj_getState(self._model, self._data, vector, _STATE)
        shear = self._shear.save()
        figures = self._figures
        own = np.concatenate(
            (
                self._command,
                self._bias,
                self._table.reshape(-1),
                (figures.distance, figures.slip_time, figures.driven_time, figures.max_sinkage),
            )
        )
        parts = (vector.astype('<f8').tobytes(), own.astype('<f8').tobytes(), self._odometry.save(), shear)
        return _HEAD.pack(_MAGIC, size, len(own)) + b''.join(parts)

    def restore(self, blob: bytes) -> None:
        """Become what :meth:`state` described, and commit that.

        :raises ValueError: if the blob is not the state of such a vehicle
        """
        size = mujoco.mj_stateSize(self._model, _STATE)
        wheels = len(self.config.wheels)
        own_size = len(self._command) + wheels + self._table.size + 4
        if len(blob) < _HEAD.size or _HEAD.unpack_from(blob) != (_MAGIC, size, own_size):
            raise ValueError(f'{self.name}: not the saved state of a vehicle of this model ({len(blob)} bytes)')
        at = _HEAD.size
        vector = np.frombuffer(blob, '<f8', size, at).astype(np.float64)
        at += 8 * size
        own = np.frombuffer(blob, '<f8', own_size, at).astype(np.float64)
        at += 8 * own_size
        odometry_size = len(self._odometry.save())
        self._odometry = Odometry.load(blob[at : at + odometry_size])
        self._shear = ShearMemory.load(blob[at + odometry_size :])
        mujoco.mj_setState(self._model, self._data, vector, _STATE)
        self._data.warning.number[:] = 0
        cuts = np.cumsum([len(self._command), wheels, self._table.size])
        self._command, self._bias, table, figures = (part.copy() for part in np.split(own, cuts))
        self._table = table.reshape(wheels, wheel_state.COLUMNS)
        self._figures = Figures(*(float(value) for value in figures))
        self._refresh()
        self._committed = blob
