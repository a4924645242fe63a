# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the convergence of vehicle motion with the step size."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from regolith_terrain.config import load_soil
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.height_field_builder import FlatField
from regolith_vehicles.agent.events import EventDetector
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.description.model_files import load_vehicle_model
from regolith_vehicles.dynamics.motors import Motors


def fallen(substep: float) -> tuple[float, float]:
    """Return the fall of the center of mass of a rover in 0.2 s [m] and its speed then [m/s]."""
    config, mjcf = load_vehicle_model('viper')
    config = config.model_copy(update={'substep_s': substep})
    rover = Vehicle('rover', config, mjcf, SoilGrid(FlatField(), 0.02), load_soil('chrono_lunar'), 1.62)
    rover.place_at((0.0, 0.0, 20.0), (0.0, 0.0, 0.0, 1.0))
    before = rover.body_state().center_of_mass[2]
    for _ in range(10):
        rover.evolve(20_000_000, np.zeros(4), np.zeros(4))
        rover.commit()
    return before - rover.body_state().center_of_mass[2], -rover.body_state().linear_velocity[2]


def test_free_fall_is_of_first_order() -> None:
    """Semi-implicit Euler falls too far by g h t / 2, at the exact speed; half the substep gives half the error."""
    errors = []
    for step in (1e-3, 5e-4):
        way, speed = fallen(step)
        assert speed == pytest.approx(1.62 * 0.2, rel=1e-3)
        errors.append(way - 0.5 * 1.62 * 0.04)
        assert errors[-1] == pytest.approx(0.5 * 1.62 * step * 0.2, rel=0.02)
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize('parts', [2, 5])
def test_droop_correction_does_not_depend_on_cycle_length(parts: int) -> None:
    """The integral of a constant error is e (1 - exp(-t / T)), in one cycle or in several."""

    def motors() -> Motors:
        drive = SimpleNamespace(
            integral_time_s=0.3, parking_brake_time_s=None, max_wheel_speed_radps=1.0, max_wheel_acceleration_radps2=1.0
        )
        steering = SimpleNamespace(max_angle_deg=30.0, max_rate_degps=30.0)
        config = SimpleNamespace(wheel_drive=drive, steering=steering, wheels=(0, 1))
        body = SimpleNamespace(bias_limit=np.full(2, 9.0), steer_actuator=np.full(2, -1), wheel_actuator=np.arange(2))
        return Motors(config, body)  # type: ignore[arg-type]

    whole, split = motors(), motors()
    target = np.array([0.4, -0.7])
    whole.correct_droop(target, 0.1)
    for _ in range(parts):
        # The rest of the error is what the bias has not compensated.
        split.correct_droop(target - split.bias, 0.1 / parts)
    assert whole.bias == pytest.approx(target * -math.expm1(-0.1 / 0.3), rel=1e-12)
    assert split.bias == pytest.approx(whole.bias, rel=1e-12)


def test_hull_load_average_does_not_depend_on_cycle_length() -> None:
    """The exponential mean of a constant fraction is the same after 0.6 s in 3 cycles and in 30."""
    coarse, fine = EventDetector(), EventDetector()
    for count, watch in ((3, coarse), (30, fine)):
        for k in range(count):
            watch.update((k + 1) * 10**9, 0.6 / count, 1.0, 0.3, 0.0, 0.0, 0.0)
    assert coarse._share == pytest.approx(fine._share, rel=1e-12) and 0.0 < fine._share < 0.3
