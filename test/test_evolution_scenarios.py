# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the world's own objects, without a vehicle: what they are to show, from a checkpoint on, and as nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import run_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_world.objects.linkages.linkage import Linkage


def simulation(name: str) -> Simulation:
    return Simulation(load_scenario(name).scenario)


def run(made: Simulation, seconds: float) -> Simulation:
    end_ns = round(seconds * 1e9)
    while made.world.t_ns < end_ns:
        made.world.step(end_ns)
    return made


@pytest.mark.seconds
def test_robot_throws_its_ball_at_the_wall_and_continues_from_a_checkpoint() -> None:
    """Thrown at 2.52 s, 10 m before the wall; it bounces back; saved before the throw, in flight and after the impact."""
    saved, made, stops = [], simulation('ball_throwing_robot'), (2.4, 3.0, 4.6, 5.0)
    for t in stops[:-1]:
        run(made, t).world.hold()
        saved.append(made.checkpoint())
    end = run(made, stops[-1]).world.state_hash
    ball = made.world.objects['robot/0']
    assert ball.body.linear_velocity[0] < -4.0 and 0.1 < ball.body.linear_velocity[1] < 0.4, 'the breeze has moved it'
    assert made.world.forced_cycles == 0
    for k, checkpoint in enumerate(saved):
        again = simulation('ball_throwing_robot')
        again.go_to(checkpoint)
        for t in stops[k + 1 :]:  # where a run was stopped is part of its sequence of instants
            run(again, t)
        assert again.world.state_hash == end


@pytest.mark.seconds
@pytest.mark.slow
def test_the_ball_of_the_ropes_bends_the_one_it_meets() -> None:
    made = run(simulation('rope'), 1.5)
    whip, cable = made.world.objects['whip'], made.world.objects['cable']
    assert isinstance(whip, Linkage) and isinstance(cable, Linkage)
    assert whip.links[-1].body.position[0] < 5.7 and np.ptp([link.body.position[1] for link in whip.links]) < 0.01
    assert made.world.forced_cycles == 0
    run(made, 3.1)
    assert 'ball' not in made.world.objects, 'its lifetime is over'


@pytest.mark.ros
@pytest.mark.parametrize(
    ('name', 'processes'),
    [
        ('rope', 'many'),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (('rope', 'one'), ('ball_throwing_robot', 'one'), ('ball_throwing_robot', 'many'))
        ),
    ],
)
def test_a_world_without_vehicles_runs_as_nodes(tmp_path: Path, name: str, processes: str) -> None:
    done = run_scenario(tmp_path, name, '--duration', '1', processes=processes)
    assert done.summary['state_hash'] == run(simulation(name), 1.0).world.state_hash
