# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Two rovers sent at each other: the cycle is discarded, the contact is solved once, no rover gets stuck or through."""

from __future__ import annotations

import numpy as np
import pytest
from harness import library_run, run_scenario, vehicle, write_scenario

from regolith_bringup.run.simulation import Simulation
from regolith_bringup.scenario.loading import load_scenario
from regolith_world.contacts.intersection import NII_DEPTH

HEAD_ON = {
    'amber': vehicle(-1.605, 0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.0),
    'basalt': vehicle(1.6, 0.05, 180.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.0),
}


def test_head_on_at_0_4_mps_each(tmp_path):
    # Wheels that spin in place would dig themselves in and lift the rovers' noses.
    still = {'source': 'flat', 'slip_sinkage': {'enabled': False}}
    run = Simulation(load_scenario(write_scenario(tmp_path, HEAD_ON, duration_s=10.0, terrain=still)).scenario)
    nearest, first_contact, before, blow = np.inf, None, None, None
    while run.world.t_ns < 10_000_000_000:
        speeds = [run.world.objects[n].body.linear_velocity[0] for n in ('amber', 'basalt')]
        report = run.world.step(10_000_000_000)
        nearest = min([nearest, *(h.distance for h in report.intersections)])
        if report.impulses and first_contact is None:
            first_contact, before, blow = report, speeds, report.impulses
            assert report.attempts > 1 and report.dt_ns < 20_000_000
    assert first_contact is not None
    assert before[0] - before[1] > 0.7
    assert run.world.discarded_cycles >= 1
    assert run.world.forced_cycles == 0
    assert nearest > -NII_DEPTH
    # Reduced mass times closing speed is the impulse of a central impact; this one is low and off center, so it is smaller.
    total = abs(sum(b.impulse for b in blow)[0])
    assert 0.3 < total / (0.5 * 434.92 * (before[0] - before[1])) < 1.0
    # Afterwards they press on each other for more than 5 s without stalling: 10 s are 500 steps.
    assert run.world.cycle < 600


def test_impulses_on_two_rovers_are_equal_and_opposite(tmp_path):
    """Momentum taken from one is given to the other; what is left is rounding of sums of order 1e2 N s."""
    run = Simulation(load_scenario(write_scenario(tmp_path, HEAD_ON, duration_s=10.0)).scenario)
    while True:
        report = run.world.step()
        if report.impulses:
            break
    changes = []
    for name, agent in run.agents.items():
        data, model = agent.vehicle._data, agent.vehicle._model
        mass = model.body_mass

        def momentum(data=data, mass=mass):
            com = data.subtree_com[0]
            velocity = data.cvel[:, 3:] + np.cross(data.cvel[:, :3], data.xipos - com)
            return (mass[:, None] * velocity).sum(axis=0)

        before = momentum()
        for blow in report.impulses:
            agent.vehicle.apply_impulse(blow.point, blow.impulse if blow.a == name else -blow.impulse)
        changes.append(momentum() - before)
    assert np.linalg.norm(changes[0]) > 50.0
    np.testing.assert_allclose(changes[0] + changes[1], 0.0, atol=1e-9)


@pytest.mark.ros
@pytest.mark.slow
def test_the_same_in_processes_of_their_own(tmp_path):
    file = write_scenario(tmp_path, HEAD_ON, duration_s=4.0)
    many = run_scenario(tmp_path, file, '--no-record', name='many')
    assert many.summary['discarded_cycles'] >= 1
    assert many.summary['forced_cycles'] == 0
    assert many.summary['state_hash'] == library_run(file).world.state_hash


def test_rovers_without_contact_drive_through_each_other(tmp_path):
    run = library_run(write_scenario(tmp_path, HEAD_ON, duration_s=4.0, world={'contact': 'none'}))
    assert run.world.discarded_cycles == 0
    assert run.agents['amber'].summary()['distance_m'] > 1.3


@pytest.mark.slow
def test_a_grazing_contact_forces_no_cycle(tmp_path):
    """Two curves that close on each other at a sharp angle, on procedural ground; they slide along each other."""
    drives = {
        'amber': vehicle(0.0, 0.0, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.15),
        'basalt': vehicle(-2.6, 0.1, 0.0, type='constant', speed_mps=0.4, yaw_rate_radps=0.1),
    }
    file = write_scenario(tmp_path, drives, duration_s=16.0, terrain={'source': 'procedural', 'spacing_m': 0.08})
    run = Simulation(load_scenario(file).scenario)
    nearest, blows = np.inf, 0
    while run.world.t_ns < 16_000_000_000:
        report = run.world.step(16_000_000_000)
        nearest = min([nearest, *(h.distance for h in report.intersections)])
        blows += len(report.impulses)
    assert blows > 0
    assert run.world.forced_cycles == 0
    assert nearest > -NII_DEPTH
    assert run.world.cycle < 1200
