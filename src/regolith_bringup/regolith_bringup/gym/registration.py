# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Registration of the environments, which the import of this module performs."""

from __future__ import annotations

from typing import Any

from regolith_bringup.gym.requirement import load_gymnasium

_PACKAGE = 'regolith_bringup.gym'
CONTROL_S = 0.1
"""Simulated time of a step of the environments [s]."""
_TIMES_S = {'DriveToGoal': 60.0, 'DriveToGoalCamera': 60.0, 'Dig': 60.0, 'Berm': 240.0, 'SlipControl': 30.0}
"""Tasks, and the simulated times after which their episodes are truncated [s]."""


def register_environments() -> None:
    """Register the environments with Gymnasium, as ``Regolith/NAME-v0``; again, it does nothing.

    Raises:
        ImportError: If Gymnasium is not installed; states how to install it.
    """
    gymnasium = load_gymnasium()
    if 'Regolith/DriveToGoal-v0' in gymnasium.registry:
        return
    register = gymnasium.register
    for name, time_s in _TIMES_S.items():
        register(
            id=f'Regolith/{name}-v0',
            entry_point=f'{_PACKAGE}.registration:make_environment',
            max_episode_steps=round(time_s / CONTROL_S),
            kwargs={'task': name},
        )
    register(
        id='Regolith/DriveToGoalShared-v0',
        entry_point=f'{_PACKAGE}.registration:make_environment',
        vector_entry_point=f'{_PACKAGE}.shared_world:SharedWorldVectorEnv',
        max_episode_steps=round(_TIMES_S['DriveToGoal'] / CONTROL_S),
        kwargs={'task': 'DriveToGoal'},
    )


def make_environment(task: str, **arguments: Any) -> Any:
    """Return the environment of a task by its name; arguments as in :class:`RegolithEnv`."""
    from regolith_bringup import gym

    if task == 'DriveToGoalCamera':
        arguments.setdefault('camera', 'camera')
    return gym.RegolithEnv(getattr(gym, task), control_s=arguments.pop('control_s', CONTROL_S), **arguments)


register_environments()
