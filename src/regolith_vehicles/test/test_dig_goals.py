# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the validation of dig goals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from regolith_vehicles.description.model_files import load_vehicle_model

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def digger() -> Any:
    """Return a stand-in for the agent of a digger at rest."""
    model, _ = load_vehicle_model('rassor')
    limits = {name: joint.limits for name, joint in model.joints.items()}
    vehicle = SimpleNamespace(
        gear=SimpleNamespace(joints=tuple(model.joints), joint_limits=limits),
        tools=SimpleNamespace(names=tuple(model.tools), levels=lambda: dict.fromkeys(model.tools, 0.0)),
        joint_goals=lambda: dict.fromkeys(model.joints, 0.0),
    )
    return SimpleNamespace(name='digger', vehicle=vehicle, model=model)


def problems(digger: Any, **fields: Any) -> list[str]:
    """Return the problems of a goal that is valid in all fields not given."""
    from regolith_msgs.action import Dig

    from regolith_vehicles.ros.dig_action import goal_problems

    good = {'tools': ['drum_front'], 'target_fill': 0.5, 'joints': ['drum_front'], 'targets': [2.0]}
    return goal_problems(Dig.Goal(**{**good, **fields}), digger)


def test_all_wrong_fields_of_a_dig_goal_are_named(digger: Any) -> None:
    assert problems(digger) == []
    found = problems(
        digger,
        tools=['shovel'],
        target_fill=2.0,
        speed=99.0,
        joints=['drum_front', 'nose', 'arm_front'],
        targets=[float('nan'), 1.0],
        timeout=-5.0,
    )
    starts = [
        'tools shovel; allowed: ',
        'target_fill 2; ',
        '2 targets; ',
        'joint_command: target of drum_front is nan; ',
        "joint_command: name 'nose'; ",
        'speed 99.0: ',
        'timeout -5.0: ',
    ]
    assert len(found) == len(starts) and not [start for start in starts if not any(f.startswith(start) for f in found)]
    assert all('; allowed: ' in text for text in found)
    assert problems(digger, joints=['drum_front'] * 2, targets=[1.0, 2.0])[0].startswith(
        'joints: drum_front are given more than'
    )


def test_dig_goal_for_drums_at_rest_is_refused_with_reason(digger: Any) -> None:
    (found,) = problems(digger, joints=[], targets=[])
    assert found.startswith(
        'these drums would never fill, since a drum digs only during forward rotation: drum_front ('
    )
