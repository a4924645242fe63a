# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""The digger in a scenario: targets of its joints come from outside, cease, and come again after a checkpoint."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario


@pytest.fixture
def digger(tmp_path: Path) -> Path:
    """Return a scenario whose digger listens."""
    driver = {'type': 'external', 'timeout_s': 0.3}
    vehicle = {'model': 'rassor', 'position': [0.0, 0.0], 'driver': driver}
    terrain = {'source': 'flat', 'spacing_m': 0.02, 'soil': 'lunar_nominal'}
    scenario = {'name': 'digger', 'duration_s': 3.0, 'terrain': terrain, 'vehicles': {'digger': vehicle}}
    path = tmp_path / 'digger.yaml'
    path.write_text(yaml.safe_dump(scenario))
    return path


def test_command_timeout_holds_arms_and_stops_wheels_and_drums(digger: Path) -> None:
    """One message of each kind: the arm gets to its angle, drums and wheels stop after the time-out; all is replayed."""
    scenario = load_scenario(digger).scenario
    simulation = Simulation(scenario)
    agent = simulation.agents['digger']
    gear: Any = agent.vehicle.gear
    assert agent.on_joint_targets({'arm_front': 0.4}) and agent.on_joint_targets({'drum_front': 2.0, 'drum_rear': 2.0})
    assert not agent.on_joint_targets({'spin_front_left': 1.0})  # wheels make their own targets of a twist
    assert agent.on_command(0.1, 0.0)
    simulation.run(0.3)
    assert gear.servos.command[2:] == pytest.approx([0.9, 0.9], abs=0.07) and gear.motors.command.any()
    agent.vehicle.set_payload('drum_front', 12.0, (0.2, 0.2, 0.2))
    agent.vehicle.commit()
    saved = simulation.checkpoint()
    state_hash = simulation.run(2.0)
    assert gear.servos.command == pytest.approx([0.4, 0.0, 0.0, 0.0]) and not gear.motors.command.any()
    names, positions, velocities = agent.vehicle.joint_states()
    assert positions[names.index('arm_front')] == pytest.approx(0.4, abs=math.radians(0.5))
    assert abs(velocities[names.index('drum_rear')]) < 1e-3
    again = Simulation(scenario)
    again.go_to(saved)
    assert again.run(2.0) == state_hash
    assert again.agents['digger'].vehicle.body_state().mass == pytest.approx(78.0)
