# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Check whether a task can fill its tools: a drum digs only during forward rotation."""

from __future__ import annotations

from collections.abc import Mapping

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.drivers.task_config import DigConfig


def idle_drums(
    config: VehicleModelConfig, dig: DigConfig, goals: Mapping[str, float], levels: Mapping[str, float]
) -> str:
    """Return why drums of a task cannot fill, and what is allowed; '' if all rotate forward or are full.

    Args:
        config: Vehicle model.
        dig: Dig task.
        goals: Present targets of joints by name, at the start of the task.
        levels: Fill levels of tools by name, 0 to 1; 0 for tools that are not included.
    """
    waiting = [
        name
        for name in sorted(config.tools)
        if (not dig.tools or name in dig.tools) and levels.get(name, 0.0) < dig.target_fill
    ]
    idle = []
    for name in waiting:
        joint = config.tools[name].joint
        if config.tools[name].kind != 'drum' or joint is None or joint not in config.joints:
            continue  # a blade needs no joint, and joints without targets have unknown motion
        held = goals.get(joint, 0.0) if config.joints[joint].on_timeout == 'hold' else 0.0
        target = dig.joints.get(joint, held)
        if target <= 0.0:
            idle.append((name, joint, target))
    if not idle:
        return ''
    drums = ', '.join(f'{name} (target of joint {joint}: {target:g})' for name, joint, target in idle)
    others = ', '.join(name for name in waiting if name not in {drum for drum, _, _ in idle})
    allowed = 'targets above 0 for these joints' + (f', or only the tools that dig: {others}' if others else '')
    return f'these drums would never fill, since a drum digs only during forward rotation: {drums}; allowed: {allowed}'
