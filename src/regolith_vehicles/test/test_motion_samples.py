# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the motion samples of the base within a cycle."""

from __future__ import annotations

import numpy as np

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics import motion_samples
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_world.cycle.records import BodyState
from regolith_world.numerics.rotation import matrix


def driven(cycle_ns: int) -> tuple[BodyState, BodyState, motion_samples.MotionSamples]:
    """Return the states before and after a cycle on a curve, and its samples; the cycle ends at 1 s."""
    config, mjcf = load_vehicle_model('viper')
    vehicle = Vehicle('amber', config, mjcf, SoilGrid(FlatField(), 0.05), load_soil('chrono_lunar'), 1.62)
    vehicle.place(0.0, 0.0, 0.4)
    speeds, angles = wheel_commands(vehicle.body.layout, 0.3, 0.3)
    for _ in range(100):
        vehicle.evolve(20_000_000, speeds, angles)
    before = vehicle.body_state()
    plan = vehicle.plan(cycle_ns, speeds, angles)
    vehicle.run(plan)
    vehicle.finish(plan)
    return before, vehicle.body_state(), motion_samples.of_cycle(plan.samples, 10**9, cycle_ns)


def test_sample_exists_after_every_substep() -> None:
    before, after, samples = driven(19_999_999)
    last = motion_samples.of_state(after, 10**9)
    # 20 substeps of a nanosecond less than 1 ms, each rounded separately.
    assert len(samples.t_ns) == 20 and samples.t_ns[-1] == 10**9 and set(np.diff(samples.t_ns)) <= {999_999, 1_000_000}
    assert samples.t_ns[0] == 10**9 - 19_999_999 + 1_000_000
    for name in ('t_ns', 'position', 'orientation', 'linear_velocity'):
        np.testing.assert_array_equal(getattr(samples, name)[-1:], getattr(last, name), err_msg=name)
    # To the world frame and back.
    np.testing.assert_allclose(samples.angular_velocity[-1:], last.angular_velocity, atol=1e-12)
    assert abs(after.angular_velocity[2]) > 0.02, 'the rover does not turn; the comparison means little'
    # The integrator is semi-implicit: each position follows from the previous one and the new velocity.
    places = np.vstack([before.position, samples.position])
    np.testing.assert_allclose(np.diff(places, axis=0), samples.linear_velocity * 19_999_999e-9 / 20, atol=1e-12)


def test_state_is_converted_to_one_sample() -> None:
    base, _, _ = driven(20_000_000)
    sample = motion_samples.of_state(base, 5)
    np.testing.assert_allclose(matrix(base.orientation) @ sample.angular_velocity[0], base.angular_velocity, atol=1e-15)
    assert sample.t_ns.tolist() == [5]
