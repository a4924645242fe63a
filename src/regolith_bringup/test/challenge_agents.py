# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Agents of the challenge for tests. The one that runs is named by the environment variable CHALLENGE_AGENT."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from regolith_bringup.challenge import FRONT, FRONT_LEFT, AutonomousAgent, Transform, VelocityControl


def get_entry_point() -> str:
    """Return the name of the agent's class."""
    return os.environ.get('CHALLENGE_AGENT', 'Nothing')


class Nothing(AutonomousAgent):
    """Completes the mission at once."""

    def setup(self, path_to_conf_file: str) -> None:
        self.config = path_to_conf_file

    def use_fiducials(self) -> bool:
        return False

    def sensors(self) -> dict[str, dict[str, Any]]:
        return {}

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        self.mission_complete()
        return VelocityControl(0.0, 0.0)


class Zeros(Nothing):
    """Claims level ground without rocks."""

    def finalize(self) -> None:
        self.get_geometric_map().get_map_array()[:, :, 2:] = 0.0


class Truth(Nothing):
    """Writes the map of a file."""

    def finalize(self) -> None:
        self.get_geometric_map().get_map_array()[:] = np.load(self.config)

    def get_estimated_pose(self) -> Transform | None:
        return self.get_transform()


class Parks(Nothing):
    """Does nothing until the mission ends."""

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        return VelocityControl(0.0, 0.0)


class Crashes(Zeros):
    """Fills a cell, then fails."""

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        self.get_geometric_map().set_cell_height(3, 4, 0.25)
        raise RuntimeError('out of ideas')


class Dies(Crashes):
    """Fills a cell, then ends its process."""

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        self.get_geometric_map().set_cell_height(3, 4, 0.25)
        os._exit(7)


class Hangs(Crashes):
    """Fills a cell, then does not respond."""

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        self.get_geometric_map().set_cell_height(3, 4, 0.25)
        time.sleep(600.0)
        return VelocityControl(0.0, 0.0)


class NotFinite(Nothing):
    """Commands a speed that is not a number."""

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        return VelocityControl(float('nan'), 0.0)


class Sees(Nothing):
    """Drives, moves an arm, and stores what it gets."""

    def sensors(self) -> dict[str, dict[str, Any]]:
        eye = {'camera_active': True, 'light_intensity': 0.2, 'width': 640, 'height': 360}
        return {FRONT_LEFT: {**eye, 'use_semantic': True}, FRONT: {**eye, 'width': 64, 'height': 48}}

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        kept = self.__dict__.setdefault('kept', {'times': [], 'speeds': []})
        kept['times'].append(self.get_mission_time())
        kept['speeds'].append(self.get_linear_speed())
        kept['arm'] = self.get_front_arm_angle()
        for kind, images in input_data.items():
            for name, image in images.items():
                if image is not None:
                    kept.setdefault(f'{kind}_{name}', []).append(image)
        self.set_front_arm_angle(1.2)
        if self.get_mission_time() > 3.0:
            np.savez(self.config, **{name: np.array(values) for name, values in kept.items()})
            self.mission_complete()
        return VelocityControl(5.0, 0.0)


class SwitchesOn(Nothing):
    """Switches its cameras on one after another."""

    def sensors(self) -> dict[str, dict[str, Any]]:
        return {name: {'width': 16, 'height': 16} for name in ('FrontLeft', 'FrontRight', 'Left')}

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        number = round(self.get_mission_time() / 0.05)
        self._command.cameras = {('FrontLeft', 'FrontRight', 'Left')[min(number, 2)]: True}
        return VelocityControl(0.0, 0.0)


class Hostile(Nothing):
    """Searches its process and a folder for ground truth."""

    def run_step(self, input_data: dict[str, dict[str, Any]]) -> VelocityControl:
        found = []
        if self.get_transform() is not None:
            found.append('true pose')
        names = {type(item).__name__ for item in gc.get_objects()}
        found += sorted(names & {'Simulation', 'World', 'SoilGrid', 'Scenario', 'MissionRun', 'TerrainParticipant'})
        found += [path.name for path in Path(self.config).rglob('*') if path.suffix in ('.npz', '.json', '.yaml')]
        for descriptor in os.listdir('/proc/self/fd'):
            try:
                target = os.readlink(f'/proc/self/fd/{descriptor}')
            except OSError:
                continue
            if 'scenario' in target:
                found.append(target)
        if any(key.startswith('ROS_') and 'scenario' in value for key, value in os.environ.items()):
            found.append('environment')
        self.get_geometric_map().get_map_array()[:, :, 2] = float(len(found))
        print('found:', found)
        self.mission_complete()
        return VelocityControl(0.0, 0.0)


class RequestsClasses(Hostile):
    """Requests semantic images, which an evaluation does not give."""

    def sensors(self) -> dict[str, dict[str, Any]]:
        return {FRONT_LEFT: {'camera_active': True, 'width': 64, 'height': 48, 'use_semantic': True}}
