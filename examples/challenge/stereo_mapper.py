# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Baseline agent of the challenge: drives circles around the lander and maps the ground by stereo.

Run: ``./regolith challenge run examples/challenge/stereo_mapper.py --scenario lac_lite``.

The pose is integrated from the inertial readings, which are exact differences of poses. Disparities come from OpenCV's
semi-global matching. A cell has a rock where points rise above the ground around it.
"""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from regolith_bringup import challenge

WIDTH, HEIGHT = 640, 360
FOCAL_PX = 0.5 * WIDTH / math.tan(math.radians(35.0))
BASELINE_M = 0.162
NEAREST_M, FARTHEST_M = 0.55, 3.2
TICK_S, GRAVITY = 0.05, 1.622
SPEED_MPS = 0.3
RADII_M = (4.0, 3.0)
"""Radii of the circles, in order."""
ROCK_M, OBSTACLE_M = 0.04, 0.06
"""Heights above the ground around a cell from which it has a rock, and from which the rover avoids it [m]."""
ARM_RAD = 1.2
"""Angle of both arms, above the view of the cameras."""


def get_entry_point() -> str:
    """Return the name of the agent's class."""
    return 'StereoMapper'


def rotation_matrix(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Return the matrix of roll, pitch and yaw."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    return np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ about_y @ about_x


def rotation_of(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation E of a step from three elements of I - E^T, which the inertial readings are.

    With the angle t about the unit axis a they are sin t a - (1 - cos t) (a_y a_z, a_x a_z, a_x a_y).
    """
    vector = rates
    for _ in range(6):  # each gains a factor of the angle
        angle = float(np.linalg.norm(vector))
        if angle < 1e-9:
            break
        axis = vector / angle
        mixed = np.array([axis[1] * axis[2], axis[0] * axis[2], axis[0] * axis[1]])
        vector = (rates + (1.0 - math.cos(angle)) * mixed) * angle / math.sin(angle)
    return cv2.Rodrigues(vector)[0]


class PoseIntegrator:
    """Pose from inertial readings, which are differences of the poses of three steps."""

    def __init__(self, start: challenge.Transform) -> None:
        self.position = np.array([start.x, start.y, start.z])
        self.turn = rotation_matrix(start.roll, start.pitch, start.yaw)
        self._before = self.position.copy()

    def update(self, reading: NDArray[np.float64]) -> None:
        """Advance by one step."""
        self.turn = rotation_of(reading[3:] * TICK_S) @ self.turn
        second = self.turn @ reading[:3] - np.array([0.0, 0.0, GRAVITY])
        now = 2.0 * self.position - self._before + TICK_S**2 * second
        self._before, self.position = self.position, now

    @property
    def yaw(self) -> float:
        """Heading [rad]."""
        return math.atan2(self.turn[1, 0], self.turn[0, 0])


class StereoMapper(challenge.AutonomousAgent):
    """Maps by stereo on circles around the lander."""

    def setup(self, path_to_conf_file: str) -> None:
        """Prepare sums over cells, and the matcher."""
        cells = self.get_geometric_map().get_cell_number()
        self.cell_m = self.get_geometric_map().get_cell_size()
        self.half_m = 0.5 * cells * self.cell_m
        self.count, self.sum = np.zeros((cells, cells)), np.zeros((cells, cells))
        self.pose = PoseIntegrator(self.get_initial_position())
        self.matcher = cv2.StereoSGBM.create(
            minDisparity=8,
            numDisparities=144,
            blockSize=5,
            P1=200,
            P2=800,
            disp12MaxDiff=1,
            uniquenessRatio=8,
            speckleWindowSize=80,
            speckleRange=2,
        )
        self.circle, self.angle, self.last_bearing = 0, 0.0, None
        self.steps, self.back_steps = 0, 0
        self.places: list[NDArray[np.float64]] = []
        self.stuck_at: NDArray[np.float64] | None = None
        self.set_front_arm_angle(ARM_RAD)
        self.set_back_arm_angle(ARM_RAD)

    def use_fiducials(self) -> bool:
        """Return that fiducials are not used."""
        return False

    def sensors(self) -> dict[str, dict[str, Any]]:
        """Return the front pair, with lamps."""
        eye = {'camera_active': True, 'light_intensity': 0.3, 'width': WIDTH, 'height': HEIGHT}
        return {challenge.FRONT_LEFT: eye, challenge.FRONT_RIGHT: eye}

    def get_estimated_pose(self) -> challenge.Transform:
        """Return the integrated pose."""
        x, y, z = (float(v) for v in self.pose.position)
        return challenge.Transform(x, y, z, 0.0, 0.0, self.pose.yaw)

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> challenge.VelocityControl:
        """Map the images of the step, and follow the circle."""
        if self.steps:
            self.pose.update(self.get_imu_data())
        self.steps += 1
        left, right = (input_data['Grayscale'].get(name) for name in (challenge.FRONT_LEFT, challenge.FRONT_RIGHT))
        if left is not None and right is not None and self.steps > 40:  # arms are up
            self.add_points(left, right)
        return self.drive()

    # -- map ------------------------------------------------------------------------------------------------

    def add_points(self, left: NDArray[np.uint8], right: NDArray[np.uint8]) -> None:
        """Add the points of a stereo pair to the cells."""
        disparity = self.matcher.compute(left, right).astype(np.float64) / 16.0
        rows, columns = np.nonzero(disparity > 8.0)
        depth = BASELINE_M * FOCAL_PX / disparity[rows, columns]
        near = (depth > NEAREST_M) & (depth < FARTHEST_M)
        rows, columns, depth = rows[near], columns[near], depth[near]
        aside = -(columns - 0.5 * (WIDTH - 1)) / FOCAL_PX * depth
        up = -(rows - 0.5 * (HEIGHT - 1)) / FOCAL_PX * depth
        # The left camera of the pair, in the rover's axes.
        points = np.stack([depth + 0.28, aside + 0.081, up + 0.131], axis=1) @ self.pose.turn.T + self.pose.position
        index = np.floor((points[:, :2] + self.half_m) / self.cell_m).astype(int)
        inside = (index >= 0).all(axis=1) & (index < len(self.count)).all(axis=1) & (np.abs(points[:, 2]) < 3.0)
        i, j, z = index[inside, 0], index[inside, 1], points[inside, 2]
        weight = 1.0 / depth[inside] ** 2
        np.add.at(self.count, (i, j), weight)
        np.add.at(self.sum, (i, j), weight * z)

    def heights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean heights, interpolated where nothing was seen, and the ground without rocks."""
        seen = self.count > 0.0
        if not seen.any():
            return np.zeros_like(self.sum), np.zeros_like(self.sum)
        mean = np.where(seen, self.sum / np.maximum(self.count, 1e-9), 0.0)
        mean = fill_holes(mean, seen)
        return mean, cv2.medianBlur(mean.astype(np.float32), 5).astype(np.float64)

    def finalize(self) -> None:
        """Write the map."""
        mean, ground = self.heights()
        rocks = (self.count > 0.0) & (mean - ground > ROCK_M)
        made = self.get_geometric_map()
        for i in range(len(mean)):
            for j in range(len(mean)):
                made.set_cell_height(i, j, float(mean[i, j]))
                made.set_cell_rock(i, j, float(rocks[i, j]))

    # -- drive ----------------------------------------------------------------------------------------------

    def drive(self) -> challenge.VelocityControl:
        """Return the command that follows the present circle counterclockwise, around obstacles."""
        if self.steps < 40:
            return challenge.VelocityControl(0.0, 0.0)
        x, y = self.pose.position[:2]
        bearing = math.atan2(y, x)
        if self.last_bearing is not None:
            self.angle += (bearing - self.last_bearing + math.pi) % (2.0 * math.pi) - math.pi
        self.last_bearing = bearing
        if self.angle > 2.0 * math.pi + 0.2:
            self.circle, self.angle = self.circle + 1, 0.0
            if self.circle == len(RADII_M):
                self.mission_complete()
                return challenge.VelocityControl(0.0, 0.0)
        if self.back_steps:
            self.back_steps -= 1
            return (
                challenge.VelocityControl(-0.2, 0.0) if self.back_steps > 40 else challenge.VelocityControl(0.0, -0.5)
            )
        self.places.append(self.pose.position.copy())
        if len(self.places) > 100 and np.linalg.norm(self.places[-1] - self.places[-101]) < 0.15:
            if self.stuck_at is not None and np.linalg.norm(self.places[-1] - self.stuck_at) < 0.3:
                self.mission_complete()  # the map so far is worth more than the rest of the way
            # Stuck: back, then away from the lander.
            self.stuck_at, self.places, self.back_steps = self.places[-1], [], 100
        radius = RADII_M[self.circle]
        ahead = bearing + 0.8 / radius
        target = radius * np.array([math.cos(ahead), math.sin(ahead)])
        wanted = math.atan2(target[1] - y, target[0] - x)
        heading = min(
            (wanted + 0.2 * k for k in range(-6, 7)), key=lambda way: abs(way - wanted) + self.obstacle_cost(way)
        )
        off = (heading - self.pose.yaw + math.pi) % (2.0 * math.pi) - math.pi
        speed = SPEED_MPS * max(0.0, math.cos(off)) if abs(off) < 1.0 else 0.0
        return challenge.VelocityControl(speed, max(-0.6, min(0.6, 1.5 * off)))

    def obstacle_cost(self, heading: float) -> float:
        """Return the cost of obstacles and of the lander within 1 m in a direction."""
        along = np.array([math.cos(heading), math.sin(heading)])
        aside = np.array([-along[1], along[0]])
        cost = 0.0
        for far in (0.45, 0.6, 0.75, 0.9, 1.05):
            for across in (-0.3, -0.15, 0.0, 0.15, 0.3):
                place = self.pose.position[:2] + far * along + across * aside
                if max(abs(place[0]), abs(place[1])) < 1.9:
                    return 100.0
                index = np.floor((place + self.half_m) / self.cell_m).astype(int)
                if (index < 0).any() or (index >= len(self.count)).any():
                    continue
                i, j = index
                around = np.s_[max(i - 2, 0) : i + 3, max(j - 2, 0) : j + 3]
                known = self.count[around] > 0.0
                if self.count[i, j] > 0.0 and known.sum() > 8:
                    means = self.sum[around] / np.maximum(self.count[around], 1e-9)
                    above = self.sum[i, j] / self.count[i, j] - np.median(means[known])
                    cost += 3.0 if above > OBSTACLE_M else 0.0
        return cost


def fill_holes(values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return values with the mean of known neighbors in cells that are not known, ring by ring.

    Inpainting of OpenCV continues slopes into large unseen areas: 119 instead of 195 points for the heights.
    """
    values, known = values.copy(), known.copy()
    while not known.all():
        near = cv2.blur(known.astype(np.float64), (3, 3), borderType=cv2.BORDER_CONSTANT)
        total = cv2.blur(np.where(known, values, 0.0), (3, 3), borderType=cv2.BORDER_CONSTANT)
        ring = ~known & (near > 1e-9)
        values[ring] = total[ring] / near[ring]
        known |= ring
    return values
