# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Gymnasium environments: vehicles on deformable terrain for learning, in one process without ROS.

Gymnasium is optional: ``pip install 'regolith-sim[gym]'``. :func:`register_environments` registers the environments. So
does ``gymnasium.make('regolith_bringup.gym.registration:Regolith/DriveToGoal-v0')``.

The public names below are imported from their modules on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regolith_files import export_lazily

if TYPE_CHECKING:
    from regolith_bringup.gym.digging import Berm as Berm
    from regolith_bringup.gym.digging import Dig as Dig
    from regolith_bringup.gym.driving import DriveToGoal as DriveToGoal
    from regolith_bringup.gym.driving import DriveToGoalCamera as DriveToGoalCamera
    from regolith_bringup.gym.environment import RegolithEnv as RegolithEnv
    from regolith_bringup.gym.registration import register_environments as register_environments
    from regolith_bringup.gym.shared_world import SharedWorldVectorEnv as SharedWorldVectorEnv
    from regolith_bringup.gym.slip_control import SlipControl as SlipControl
    from regolith_bringup.gym.task import Draws as Draws
    from regolith_bringup.gym.task import Outcome as Outcome
    from regolith_bringup.gym.task import Task as Task

__all__, __getattr__, __dir__ = export_lazily(
    __name__,
    {
        'digging': (
            'Berm',
            'Dig',
        ),
        'driving': (
            'DriveToGoal',
            'DriveToGoalCamera',
        ),
        'environment': ('RegolithEnv',),
        'registration': ('register_environments',),
        'shared_world': ('SharedWorldVectorEnv',),
        'slip_control': ('SlipControl',),
        'task': (
            'Draws',
            'Outcome',
            'Task',
        ),
    },
)
