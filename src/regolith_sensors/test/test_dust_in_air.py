# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust in still air: Stokes' drag, landing, mass balance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from regolith_sensors.arrays import Floats
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.dust.emission import EmittingSurface
from regolith_sensors.dust.flight import START_M, land, positions, velocities
from regolith_sensors.surfaces.meshes import box
from regolith_terrain import FlatField
from regolith_terrain.grid import SoilGrid

G = 9.81
EARTH = DustConfig(air_viscosity_pas=1.8e-5)
STOP_S = EARTH.stopping_time_s


def test_grain_falls_at_stokes_velocity() -> None:
    """Grains of 20 um reach 2 rho g r^2 / (9 mu): 0.150 m/s; those of four times the extinction a sixteenth."""
    assert EARTH.grain_radius_m == pytest.approx(20e-6, rel=1e-3)
    late = velocities(np.array([[3.0, 0.0, 2.0]]), np.array([1.0]), G, STOP_S)
    assert late[0] == pytest.approx([0.0, 0.0, -2.0 * 3100.0 * G * EARTH.grain_radius_m**2 / (9.0 * 1.8e-5)], abs=1e-12)
    assert late[0, 2] == pytest.approx(-0.150, abs=5e-4)
    fine = DustConfig(air_viscosity_pas=1.8e-5, extinction_m2pkg=4.0 * 12.1)
    assert fine.stopping_time_s == pytest.approx(STOP_S / 16.0, rel=1e-12)
    assert math.isinf(DustConfig().stopping_time_s)


def test_flight_in_air_obeys_its_equation_of_motion() -> None:
    """The closed form is the solution of dv/dt = -v / T - g; an integrator with a tolerance of 1e-11 finds the same."""
    start = np.array([0.1, -0.2, 0.3, 1.5, -0.7, 2.0])

    def rate(_: float, state: Floats) -> Floats:
        return np.concatenate((state[3:], -state[3:] / STOP_S - [0.0, 0.0, G]))

    times = np.array([0.001, 0.01, 0.1, 1.0])
    found = solve_ivp(rate, (0.0, 1.0), start, 'DOP853', times, rtol=1e-11, atol=1e-12).y.T
    place, velocity = np.tile(start[:3], (4, 1)), np.tile(start[3:], (4, 1))
    assert positions(place, velocity, times, G, STOP_S) == pytest.approx(found[:, :3], abs=1e-9)
    assert velocities(velocity, times, G, STOP_S) == pytest.approx(found[:, 3:], abs=1e-8)


def test_thin_air_is_vacuum() -> None:
    """With T = 1e6 s the way differs from the parabola by t / (3 T) of it at most."""
    place, velocity, age = np.zeros((5, 3)), np.full((5, 3), 2.0), np.linspace(0.1, 5.0, 5)
    thin, none = positions(place, velocity, age, 1.62, 1e6), positions(place, velocity, age, 1.62)
    assert np.abs(thin - none).max() < 5.0 / 1e6 * 25.0


def test_landing_in_air_is_on_the_ground() -> None:
    """At its end a grain is on the level ground to 1 um; it comes no farther than v T."""
    grid, random = SoilGrid(FlatField(), 0.04), np.random.default_rng(1)
    velocity = random.normal(size=(300, 3)) * [1.0, 1.0, 0.0] + [0.0, 0.0, 0.0]
    velocity[:, 2] = random.uniform(0.0, 3.0, 300)
    start, flight = land(np.zeros((300, 3)), velocity, G, grid, STOP_S)
    end = positions(start, velocity, flight, G, STOP_S)
    assert start[:, 2] == pytest.approx(np.full(300, START_M))
    assert end[:, 2] == pytest.approx(np.zeros(300), abs=1e-6)
    way = np.hypot(end[:, 0] - start[:, 0], end[:, 1] - start[:, 1])
    assert np.all(way < np.hypot(velocity[:, 0], velocity[:, 1]) * STOP_S * (1.0 + 1e-12))
    # The fall takes longer than at the final velocity from the start, and the way up of v T adds to it.
    assert (
        np.all(flight > START_M / (G * STOP_S)) and flight.max() < (START_M + 3.0 * STOP_S) / (G * STOP_S) + 2 * STOP_S
    )


def test_mass_in_air_is_conserved_and_lands() -> None:
    """A box that slides for 0.5 s leaves dust that hangs low, and all of it lands."""
    grid, slider = SoilGrid(FlatField(), 0.04), EmittingSurface.of_body(box((0.2, 0.2, 0.1)))
    cloud = DustCloud(EARTH, 1, G, {})
    highest = 0.0
    for k in range(150):
        t = min(k, 25) * 0.02
        pose = np.array([[2.0 * t, 0.0, 0.09, 0.0, 0.0, 0.0, 1.0]])
        cloud.follow(k * 20_000_000, {'slider': pose}, grid, {'slider': slider})
        balance = cloud.balance()
        assert balance.emitted_kg == pytest.approx(balance.landed_kg + balance.in_flight_kg, rel=1e-12)
        at = cloud.in_flight(cloud.t_ns).place
        highest = max(highest, float(at[:, 2].max(initial=0.0)))
    assert balance.emitted_kg > 1e-6 and balance.in_flight_kg == 0.0
    assert 0.01 < highest < 2.0 * STOP_S + START_M
