# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Committed state of a vehicle for observers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.contact import Surfels
from regolith_vehicles.agent.events import Event
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.dynamics.odometry import Odometry
from regolith_vehicles.dynamics.run_statistics import RunStatistics
from regolith_vehicles.energy.vehicle_energy import EnergyValues
from regolith_world.cycle import BodyState

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PartStates:
    """States of the running gear's parts on the ground."""

    names: tuple[str, ...]
    """Names of the parts."""
    columns: tuple[str, ...]
    """Names of the table's columns; for wheels see :mod:`regolith_vehicles.contact.wheel_state`."""
    table: Vector
    """Table of states, one row per part, shape (n, number of columns)."""
    positions: Vector
    """Origins of the parts' bodies in the world, for wheels their centers [m], shape (n, 3)."""
    orientations: Vector
    """Orientations of the parts' bodies in the world, quaternions (x, y, z, w), shape (n, 4)."""


@dataclass(frozen=True, slots=True)
class VehicleState:
    """Committed state of a vehicle for observers."""

    t_ns: int
    """Simulated time [ns]."""
    cycle: int
    """Number of committed cycles."""
    base: BodyState
    """Pose and twist of the base."""
    joint_names: tuple[str, ...]
    """Names of the joints, in the order of the next three fields."""
    joint_positions: Vector
    """Positions of the joints [rad] or [m]."""
    joint_velocities: Vector
    """Velocities of the joints [rad/s] or [m/s]."""
    joint_efforts: Vector
    """Efforts of motors and springs on the joints [N m] or [N]."""
    parts: PartStates
    """States of the running gear's parts."""
    poses: Vector | None
    """World poses of all moving drawn parts: x, y, z [m] and quaternion (x, y, z, w), shape (n, 7).

    The order is that of the agent's visual description. None: not requested.
    """
    telemetry: Vector
    """Telemetry of the running gear, then of the tools.

    See :meth:`regolith_vehicles.running_gear.RunningGear.telemetry` and
    :meth:`regolith_vehicles.tools.vehicle_tools.VehicleTools.telemetry`.
    """
    charge: Vector
    """State of the battery by the columns of :mod:`regolith_vehicles.powertrain.battery`; (0,) without one."""
    odometry: Odometry | None
    """Odometry; None for a running gear without odometry."""
    command: DriveCommand
    """Last command of the driver."""
    statistics: RunStatistics
    """Statistics of the run so far."""
    events: tuple[Event, ...] = ()
    """Events that began in the cycle that led to this state."""
    cycle_ns: int = 0
    """Duration of the cycle that led to this state [ns]; 0 at the start and after a restore."""
    motion: Vector | None = None
    """Motion of the base after every substep of the cycle.

    See :func:`regolith_vehicles.dynamics.substeps.substep_loop`.
    """
    alternation: Vector | None = None
    """Fraction of the cycle's substeps in which each actuator switched between its force limits [-], shape (nu,).

    None as for ``motion``.
    """
    discs: Surfels | None = None
    """Surface of the moving soil in the vehicle's regions; None: it has no regions, or the surface is not requested."""
    energy: EnergyValues | None = None
    """Panels, loads and temperatures; None: the vehicle has none."""


class CycleMotion(NamedTuple):
    """Motion of a vehicle within a cycle."""

    cycle_ns: int
    """Duration of the cycle [ns]."""
    samples: Vector
    """Motion of the base, see :attr:`VehicleState.motion`."""
    alternation: Vector
    """Alternation of the actuators, see :attr:`VehicleState.alternation`."""


def observed_state(
    vehicle: Vehicle,
    t_ns: int,
    cycle: int,
    command: DriveCommand,
    motion: CycleMotion | None,
    events: tuple[Event, ...],
    poses: Vector | None,
    discs: Surfels | None,
) -> VehicleState:
    """Return the present state of a vehicle for observers.

    Args:
        vehicle: The vehicle.
        t_ns: Simulated time [ns].
        cycle: Number of committed cycles.
        command: Last command of the driver.
        motion: Motion within the last cycle; None: there was none.
        events: Events that began in the last cycle.
        poses: World poses of all moving drawn parts, or None.
        discs: Surface of the moving soil, or None.
    """
    gear = vehicle.gear
    names, positions, velocities = vehicle.joint_states()
    part_names = tuple(wheel.name for wheel in vehicle.config.wheels) or gear.names
    return VehicleState(
        t_ns=t_ns,
        cycle=cycle,
        base=vehicle.body_state(),
        joint_names=names,
        joint_positions=positions,
        joint_velocities=velocities,
        joint_efforts=vehicle.joint_efforts(),
        parts=PartStates(part_names, gear.columns, *vehicle.gear_arrays()),
        poses=poses,
        telemetry=np.concatenate((gear.telemetry(), vehicle.tools.telemetry())),
        charge=gear.charge.copy(),
        odometry=vehicle.odometry,
        command=command,
        statistics=vehicle.statistics,
        events=events,
        cycle_ns=motion.cycle_ns if motion is not None else 0,
        motion=motion.samples if motion is not None else None,
        alternation=motion.alternation if motion is not None else None,
        discs=discs,
        energy=None if vehicle.energy is None else vehicle.energy.observed(),
    )
