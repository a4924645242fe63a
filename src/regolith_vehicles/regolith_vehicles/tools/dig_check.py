# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether a task can fill the tools it waits for: a drum digs only while it turns forward."""

from __future__ import annotations

from collections.abc import Mapping

from regolith_vehicles.description.model_config import VehicleModelConfig
from regolith_vehicles.drivers.task_config import DigConfig


def idle_drums(
    config: VehicleModelConfig, dig: DigConfig, goals: Mapping[str, float], levels: Mapping[str, float]
) -> str:
    """Return why drums that a task waits for do not fill, and what is allowed; '' if all turn or are full.

    Args:
        goals: Present targets of joints by name, as the task begins.
        levels: How full tools are by name, 0 to 1; of others 0.
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
            continue  # a blade needs no joint, and what moves a joint without targets is not known here
        held = goals.get(joint, 0.0) if config.joints[joint].on_timeout == 'hold' else 0.0
        target = dig.joints.get(joint, held)
        if target <= 0.0:
            idle.append((name, joint, target))
    if not idle:
        return ''
    drums = ', '.join(f'{name} (target of joint {joint}: {target:g})' for name, joint, target in idle)
    others = ', '.join(name for name in waiting if name not in {drum for drum, _, _ in idle})
    allowed = 'targets above 0 for these joints' + (f', or only the tools that dig: {others}' if others else '')
    return f'these drums would never be full, as a drum digs only while it turns forward: {drums}; allowed: {allowed}'
