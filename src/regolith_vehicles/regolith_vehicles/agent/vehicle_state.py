# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""A vehicle's committed state as observers get it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regolith_terrain.crm.surfels import Surfels
from regolith_vehicles.agent.events import Event
from regolith_vehicles.agent.run_statistics import RunStatistics
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.dynamics.odometry import Odometry
from regolith_world.cycle.records import BodyState

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PartStates:
    """States of a running gear's parts on the ground."""

    names: tuple[str, ...]
    """Names of the parts."""
    columns: tuple[str, ...]
    """Names of the table's columns; for wheels those of :mod:`regolith_vehicles.contact.wheel_state`."""
    table: Vector
    """One row per part, shape (n, number of columns)."""
    positions: Vector
    """Origins in the world of the bodies they are fixed to, of wheels their centres [m], shape (n, 3)."""
    orientations: Vector
    """Orientations of these bodies, quaternions (x, y, z, w), shape (n, 4)."""


@dataclass(frozen=True, slots=True)
class VehicleState:
    """A committed state for observers."""

    t_ns: int
    """Simulated time [ns]."""
    cycle: int
    """Number of committed cycles."""
    base: BodyState
    """Pose and twist of the base."""
    joint_names: tuple[str, ...]
    """Names of the joints, in the order of the next three."""
    joint_positions: Vector
    """[rad] or [m]."""
    joint_velocities: Vector
    """[rad/s] or [m/s]."""
    joint_efforts: Vector
    """Efforts of motors and springs [N m] or [N]."""
    parts: PartStates
    """States of the running gear's parts."""
    poses: Vector | None
    """Poses in the world of all parts that are drawn and move, in the order of the agent's looks: x, y, z [m] and
    quaternion (x, y, z, w), shape (n, 7); None: nobody wants them."""
    told: Vector
    """Values of the running gear's quantities (:meth:`regolith_vehicles.running_gear.RunningGear.telemetry`), then of
    the
    tools' (:meth:`regolith_vehicles.tools.vehicle_tools.VehicleTools.telemetry`)."""
    charge: Vector
    """State of the battery by the columns of :mod:`regolith_vehicles.powertrain.battery`; (0,) without one."""
    odometry: Odometry | None
    """Dead reckoning; None of a running gear without."""
    command: DriveCommand
    """Last command of the driver."""
    figures: RunStatistics
    """Figures of the run so far."""
    events: tuple[Event, ...] = ()
    """Events that began in the cycle that led here."""
    cycle_ns: int = 0
    """Length of the cycle that led here [ns]; 0 if none did (at the start, after a restore)."""
    motion: Vector | None = None
    """Motion of the base after every substep of that cycle, see
    :func:`regolith_vehicles.dynamics.substeps.substep_loop`.
    """
    alternation: Vector | None = None
    """Fraction of that cycle's substeps in which each actuator went from one limit of its force to the other, shape
    (nu,); None as for ``motion``."""
    discs: Surfels | None = None
    """Surface of the soil that moves in the vehicle's regions; None: it has none, or nobody wants them."""
