# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories in the bag of a run: ground truth and estimates of the poses of a vehicle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regolith_bringup.bag.reading import Bag
from regolith_bringup.bag.recover import RecoverError
from regolith_bringup.commands.recordings import open_recording
from regolith_bringup.scenario.loading import load_scenario
from regolith_files import InputError, Problem, allowed_names
from regolith_sensors import ResolvedSensor, scenario_sensors
from regolith_sensors.trajectories import (
    EurocStates,
    Trajectory,
    TrajectoryError,
    inverse_pose,
    trajectory,
    write_euroc,
    write_kitti,
    write_tum,
)
from regolith_world.numerics import rotation

Floats = NDArray[np.float64]

POSES = {
    'nav_msgs/msg/Odometry': 'pose.pose',
    'geometry_msgs/msg/PoseWithCovarianceStamped': 'pose.pose',
    'geometry_msgs/msg/PoseStamped': 'pose',
}
"""Types of topics with stamped poses, and the path of the pose."""
_TRUTH = 'ground_truth/odom'


@dataclass(frozen=True, eq=False)
class RecordedTrajectories:
    """Trajectories of one vehicle in a bag."""

    command: str
    """Name of the command, for error messages."""
    folder: Path
    """Run folder or bag folder."""
    bag: Bag
    vehicle: str

    @classmethod
    def opened(cls, command: str, folder: Path, vehicle: str = '') -> RecordedTrajectories:
        """Return the trajectories of a vehicle.

        Args:
            command: Name of the command, for error messages.
            folder: Run folder or bag folder.
            vehicle: Name of the vehicle; '': the only one.

        Raises:
            InputError: If there is no bag, or no ground truth of this vehicle.
        """
        if any(folder.glob('*.mcap*')):
            try:
                bag = Bag(folder)
            except RecoverError as error:
                problem, _, allowed = str(error).partition('; allowed: ')
                raise InputError(Problem(command, '', problem, allowed or 'a bag of a run')) from None
        else:
            bag = open_recording(command, folder)
        names = [topic.split('/')[1] for topic in bag.topics if topic.count('/') == 3 and topic.endswith(f'/{_TRUTH}')]
        if not names:
            raise InputError(Problem(command, '', 'has no ground truth', f'a bag with /NAME/{_TRUTH}', str(folder)))
        if not vehicle and len(names) > 1:
            raise InputError(Problem(command, '--vehicle', 'is not given', ', '.join(names)))
        if vehicle and vehicle not in names:
            problem = 'is not a vehicle with ground truth in this bag'
            raise InputError(Problem(command, '--vehicle', problem, allowed_names(names, vehicle), vehicle))
        return cls(command, folder, bag, vehicle or names[0])

    def truth(self) -> Trajectory:
        """Return the true poses of the base in the world."""
        return self._poses(f'/{self.vehicle}/{_TRUTH}')

    def estimate(self, topic: str) -> tuple[Trajectory, str]:
        """Return the poses of a topic, and the id of their reference frame.

        Raises:
            InputError: If there is no such topic with poses.
        """
        known = [name for name, found in self.bag.topics.items() if found.type_name in POSES and found.messages]
        if topic not in known:
            problem = 'has no poses in this bag' if topic in self.bag.topics else 'is not in this bag'
            raise InputError(Problem(self.command, '--topic', problem, allowed_names(known, topic), topic))
        (first,) = self.bag.some(topic, {0})
        return self._poses(topic), str(first.content.header.frame_id)

    def in_base(self, poses: Trajectory, sensor: str) -> Trajectory:
        """Return the poses of the base for those of the frame of a sensor's messages.

        Raises:
            InputError: If the vehicle has no such sensor, or the bag has no scenario.
        """
        known = {each.name: each for each in self._sensors()}
        if sensor not in known:
            problem = f'is not a sensor of {self.vehicle}'
            raise InputError(Problem(self.command, '--frame', problem, allowed_names(known, sensor), sensor))
        return poses.of_frame(*inverse_pose(*known[sensor].pose))

    def export(self, folder: Path) -> None:
        """Write the true trajectories of ``base_link`` and of each optical frame to a folder.

        The files are ``FRAME/tum.txt``, ``FRAME/mav0/state_groundtruth_estimate0/data.csv`` (EuRoC, with biases of 0),
        and for optical frames ``FRAME/poses/00.txt`` and ``FRAME/times.txt`` (KITTI). FRAME is ``base_link`` or the
        name of the sensor.

        Raises:
            InputError: If the folder cannot be written.
        """
        base = self.truth()
        paths = [f'twist.twist.{part}.{axis}' for part in ('linear', 'angular') for axis in 'xyz']
        columns = self.bag.columns(f'/{self.vehicle}/{_TRUTH}', *paths)
        twist = np.stack([columns[path] for path in paths], axis=1)
        optical = [each for each in self._sensors() if each.optical]
        frames = {'base_link': (np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))} | {
            each.name: each.pose for each in optical
        }
        try:
            for name, (place, turn) in frames.items():
                poses = base.of_frame(place, turn)
                local = twist[:, :3] + np.cross(twist[:, 3:], place)
                speeds = np.einsum('nij,nj->ni', rotation.matrices(base.quaternions), local)
                still = np.zeros_like(speeds)
                write_tum(folder / name / 'tum.txt', poses)
                states = folder / name / 'mav0' / 'state_groundtruth_estimate0' / 'data.csv'
                write_euroc(states, EurocStates(poses, speeds, still, still))
                if name != 'base_link':
                    write_kitti(folder / name / 'poses' / '00.txt', folder / name / 'times.txt', poses)
        except OSError as error:
            problem = f'cannot be written: {error.strerror}'
            raise InputError(Problem(self.command, '--export', problem, 'a writable folder', str(folder))) from None

    def _sensors(self) -> list[ResolvedSensor]:
        for run in (self.folder, self.folder.parent):
            if (run / 'scenario.yaml').exists():
                scenario: Any = load_scenario(str(run / 'scenario.yaml')).scenario
                return [each for each in scenario_sensors(scenario) if each.vehicle == self.vehicle]
        problem = 'has no scenario.yaml with the poses of sensors'
        raise InputError(Problem(self.command, '', problem, 'a run folder', str(self.folder)))

    def _poses(self, topic: str) -> Trajectory:
        root = POSES[self.bag.topics[topic].type_name]
        places = [f'{root}.position.{axis}' for axis in 'xyz']
        turns = [f'{root}.orientation.{axis}' for axis in 'xyzw']
        columns = self.bag.columns(topic, 'header.stamp.sec', 'header.stamp.nanosec', *places, *turns)
        stamps = columns['header.stamp.sec'].astype(np.int64) * 10**9 + columns['header.stamp.nanosec']
        position, quaternion = (np.stack([columns[path] for path in paths], axis=1) for paths in (places, turns))
        try:
            return trajectory(stamps, position, quaternion, 'message {}'.format)
        except TrajectoryError as error:
            problem, _, allowed = str(error).partition('; allowed: ')
            raise InputError(Problem(f'{self.bag.path}: {topic}', '', problem, allowed)) from None
