# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: files in the formats of TUM, EuRoC and KITTI, and errors of estimates against ground truth.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_sensors.trajectories.alignment import ALIGNMENTS as ALIGNMENTS
    from regolith_sensors.trajectories.alignment import Alignment as Alignment
    from regolith_sensors.trajectories.association import Pairs as Pairs
    from regolith_sensors.trajectories.association import evo_pairs as evo_pairs
    from regolith_sensors.trajectories.association import interpolated as interpolated
    from regolith_sensors.trajectories.association import tum_pairs as tum_pairs
    from regolith_sensors.trajectories.errors import Drift as Drift
    from regolith_sensors.trajectories.errors import Statistics as Statistics
    from regolith_sensors.trajectories.errors import absolute_errors as absolute_errors
    from regolith_sensors.trajectories.errors import all_segments as all_segments
    from regolith_sensors.trajectories.errors import drift as drift
    from regolith_sensors.trajectories.errors import frame_segments as frame_segments
    from regolith_sensors.trajectories.errors import path_segments as path_segments
    from regolith_sensors.trajectories.errors import relative_errors as relative_errors
    from regolith_sensors.trajectories.errors import statistics as statistics
    from regolith_sensors.trajectories.evaluation import ASSOCIATIONS as ASSOCIATIONS
    from regolith_sensors.trajectories.evaluation import UNITS as UNITS
    from regolith_sensors.trajectories.evaluation import EvaluationSettings as EvaluationSettings
    from regolith_sensors.trajectories.evaluation import evaluate as evaluate
    from regolith_sensors.trajectories.formats import FORMATS as FORMATS
    from regolith_sensors.trajectories.formats import EurocStates as EurocStates
    from regolith_sensors.trajectories.formats import read_euroc as read_euroc
    from regolith_sensors.trajectories.formats import read_euroc_images as read_euroc_images
    from regolith_sensors.trajectories.formats import read_euroc_imu as read_euroc_imu
    from regolith_sensors.trajectories.formats import read_kitti as read_kitti
    from regolith_sensors.trajectories.formats import read_trajectory as read_trajectory
    from regolith_sensors.trajectories.formats import read_tum as read_tum
    from regolith_sensors.trajectories.formats import read_tum_images as read_tum_images
    from regolith_sensors.trajectories.formats import tum_depth as tum_depth
    from regolith_sensors.trajectories.formats import write_euroc as write_euroc
    from regolith_sensors.trajectories.formats import write_euroc_camera as write_euroc_camera
    from regolith_sensors.trajectories.formats import write_euroc_images as write_euroc_images
    from regolith_sensors.trajectories.formats import write_euroc_imu as write_euroc_imu
    from regolith_sensors.trajectories.formats import write_kitti as write_kitti
    from regolith_sensors.trajectories.formats import write_kitti_calibration as write_kitti_calibration
    from regolith_sensors.trajectories.formats import write_tum as write_tum
    from regolith_sensors.trajectories.formats import write_tum_images as write_tum_images
    from regolith_sensors.trajectories.poses import Trajectory as Trajectory
    from regolith_sensors.trajectories.poses import TrajectoryError as TrajectoryError
    from regolith_sensors.trajectories.poses import inverse_pose as inverse_pose
    from regolith_sensors.trajectories.poses import trajectory as trajectory

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'alignment': (
            'ALIGNMENTS',
            'Alignment',
        ),
        'association': (
            'Pairs',
            'evo_pairs',
            'interpolated',
            'tum_pairs',
        ),
        'errors': (
            'Drift',
            'Statistics',
            'absolute_errors',
            'all_segments',
            'drift',
            'frame_segments',
            'path_segments',
            'relative_errors',
            'statistics',
        ),
        'evaluation': (
            'ASSOCIATIONS',
            'UNITS',
            'EvaluationSettings',
            'evaluate',
        ),
        'formats': (
            'EurocStates',
            'FORMATS',
            'read_euroc',
            'read_euroc_images',
            'read_euroc_imu',
            'read_kitti',
            'read_trajectory',
            'read_tum',
            'read_tum_images',
            'tum_depth',
            'write_euroc',
            'write_euroc_camera',
            'write_euroc_images',
            'write_euroc_imu',
            'write_kitti',
            'write_kitti_calibration',
            'write_tum',
            'write_tum_images',
        ),
        'poses': (
            'Trajectory',
            'TrajectoryError',
            'inverse_pose',
            'trajectory',
        ),
    },
)
