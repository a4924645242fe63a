# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of a vehicle, sent once, and its state, sent again and again; fields as in SynChrono's tables."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(slots=True)
class Pose:
    """Pose of a part in the world."""

    position: Vector
    """[m], shape (3,)."""
    orientation: Vector
    """Quaternion (x, y, z, w)."""


@dataclass(slots=True)
class WheeledVehicleDescription:
    """Looks of a wheeled vehicle; files are names of meshes."""

    chassis_vis_file: str = ''
    wheel_vis_file: str = ''
    tire_vis_file: str = ''
    num_wheels: int = 0


@dataclass(slots=True)
class WheeledVehicleState:
    """Poses of a wheeled vehicle's parts."""

    time: float
    """Simulated [s]."""
    chassis: Pose
    wheels: list[Pose] = field(default_factory=list)


@dataclass(slots=True)
class TrackedVehicleDescription:
    """Looks of a tracked vehicle; files are names of meshes."""

    chassis_vis_file: str = ''
    track_shoe_vis_file: str = ''
    left_sprocket_vis_file: str = ''
    right_sprocket_vis_file: str = ''
    left_idler_vis_file: str = ''
    right_idler_vis_file: str = ''
    left_road_wheel_vis_file: str = ''
    right_road_wheel_vis_file: str = ''
    num_track_shoes: int = 0
    num_sprockets: int = 0
    num_idlers: int = 0
    num_road_wheels: int = 0


@dataclass(slots=True)
class TrackedVehicleState:
    """Poses of a tracked vehicle's parts."""

    time: float
    """Simulated [s]."""
    chassis: Pose
    track_shoes: list[Pose] = field(default_factory=list)
    sprockets: list[Pose] = field(default_factory=list)
    idlers: list[Pose] = field(default_factory=list)
    road_wheels: list[Pose] = field(default_factory=list)
