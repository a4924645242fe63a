# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of rigid-body dynamics: mass properties, free fall, impulses, placement and errors."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from regolith_terrain.height_field_builder import PlaneField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.dynamics.errors import VehicleError
from regolith_vehicles.dynamics.multibody import inverse_inertia
from regolith_world.numerics.rotation import matrix

CYCLE_NS = 20_000_000
Maker = Callable[..., Vehicle]


def _momentum(vehicle: Vehicle) -> np.ndarray:
    """Return the linear momentum of all bodies [N s] from the sums of MuJoCo."""
    mujoco.mj_subtreeVel(vehicle._model, vehicle._data)
    return np.array(vehicle.body.mass * vehicle._data.subtree_linvel[vehicle.body.base])


@pytest.mark.parametrize('model', ['viper', 'viper_locked'])
def test_mass_properties_match_the_reference(make_vehicle: Maker, model: str) -> None:
    """Mass, center of mass and inertia are those of Chrono's VIPER as built, to the digits printed there."""
    state = make_vehicle(model).body_state()
    assert state.mass == pytest.approx(434.92, abs=0.005)
    assert state.center_of_mass == pytest.approx([-0.0125, -0.0014, 0.5135], abs=5e-5)
    expected = np.array([[149.7, 0.0, -5.1], [0.0, 170.7, 0.0], [-5.1, 0.0, 183.9]])
    assert np.allclose(state.inertia, expected, atol=0.05)


def test_free_fall(make_vehicle: Maker) -> None:
    """High above the ground the center of mass falls as by semi-implicit Euler, without rotation.

    z(n) = z0 - g h^2 n (n + 1) / 2; 1e-10 m is rounding over 500 steps.
    """
    vehicle = make_vehicle('viper_locked')
    vehicle.place_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    start = vehicle.body_state().center_of_mass
    for _ in range(25):
        assert len(vehicle.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))) == 0
    fallen = start - vehicle.body_state().center_of_mass
    assert fallen == pytest.approx([0.0, 0.0, 1.62 * 1e-6 * 500 * 501 / 2], abs=1e-10)
    assert np.abs(vehicle.body_state().angular_velocity).max() < 1e-12


@pytest.mark.parametrize('model', ['viper', 'viper_locked'])
def test_impulse_changes_momentum_by_the_impulse(make_vehicle: Maker, model: str) -> None:
    """Linear momentum grows by p and the spin about the center of mass by r x p, for any joint motion."""
    vehicle = make_vehicle(model)
    vehicle.place_at((1.0, 2.0, 5.0), (0.0, 0.0, math.sin(0.4), math.cos(0.4)))
    mujoco.mj_subtreeVel(vehicle._model, vehicle._data)
    before, spin_before = _momentum(vehicle), vehicle._data.subtree_angmom[vehicle.body.base].copy()
    point, impulse = np.array([1.7, 2.4, 5.6]), np.array([30.0, -12.0, 5.0])
    lever = point - vehicle.body_state().center_of_mass
    vehicle.apply_impulse(point, impulse)
    # 1e-9 of 30 N s: the factorized mass matrix has a condition number of about 1e5.
    assert _momentum(vehicle) - before == pytest.approx(impulse, abs=1e-9)
    spin = vehicle._data.subtree_angmom[vehicle.body.base] - spin_before
    assert spin == pytest.approx(np.cross(lever, impulse), abs=1e-8)


def test_impulse_agrees_with_the_state_it_reports(make_vehicle: Maker) -> None:
    """The composite inertia reported to the world predicts the response of the locked vehicle to an impulse.

    An impulse through the center of mass along y (the direction of the axles, so that no wheel spins) moves the base
    by p / m.
    """
    vehicle = make_vehicle('viper_locked')
    vehicle.place_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    state = vehicle.body_state()
    vehicle.apply_impulse(state.center_of_mass, (0.0, 40.0, 0.0))
    after = vehicle.body_state()
    assert after.linear_velocity == pytest.approx([0.0, 40.0 / state.mass, 0.0], abs=1e-9)
    assert after.angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)


@pytest.mark.parametrize('model', ['viper', 'viper_locked'])
def test_inverse_inertia_matches_impulse_response(make_vehicle: Maker, model: str) -> None:
    """The inverse operational inertia at the center of mass of a rotated, moving vehicle matches impulses there."""
    vehicle = make_vehicle(model)
    vehicle.place_at((1.0, 2.0, 5.0), (0.1, -0.2, math.sin(0.4), math.sqrt(0.95 - math.sin(0.4) ** 2)))
    body, data, center = vehicle.body, vehicle.data, vehicle.body_state().center_of_mass
    told = inverse_inertia(body.model, data, body.base, center)
    assert told == pytest.approx(told.T, abs=1e-12) and np.linalg.eigvalsh(told)[0] > 0.0
    for point, impulse in (((1.7, 2.4, 5.6), (30.0, -12.0, 5.0)), (center, (0.0, 0.0, 9.0))):
        before = vehicle.body_state()
        vehicle.apply_impulse(point, impulse)
        after = vehicle.body_state()
        change = after.angular_velocity - before.angular_velocity
        at_center = after.linear_velocity - before.linear_velocity + np.cross(change, center - after.position)
        wrench = np.concatenate((impulse, np.cross(np.asarray(point) - center, impulse)))
        assert np.concatenate((at_center, change)) == pytest.approx(told @ wrench, abs=1e-10)
        vehicle.discard()


def test_inverse_inertia_of_single_body_is_exact(make_vehicle: Maker) -> None:
    """Along the axles a locked vehicle is one rigid body, 1/m; vertically its springs reduce the effective mass."""
    vehicle = make_vehicle('viper_locked')
    vehicle.place_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    state, body = vehicle.body_state(), vehicle.body
    assert inverse_inertia(body.model, vehicle.data, body.base, state.center_of_mass)[1, 1] == pytest.approx(
        1.0 / state.mass
    )
    sprung = make_vehicle('viper')
    sprung.place_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    told = inverse_inertia(sprung.body.model, sprung.data, sprung.body.base, sprung.body_state().center_of_mass)
    assert told[2, 2] > 1.1 / sprung.body_state().mass


def test_place_on_a_slope(make_vehicle: Maker) -> None:
    """On a plane all wheels sink in equally and the z axis of the base is the plane normal, at any heading."""
    field = PlaneField(0.1, -0.2)
    vehicle = make_vehicle(field=field)
    vehicle.place(3.0, -1.0, 0.7)
    state = vehicle.body_state()
    rotation = matrix(state.orientation)
    normal = np.array([-0.1, 0.2, 1.0]) / math.sqrt(1.05)
    # Levels are those of the nearest node, up to 1.4 cm off at a slope of 0.22: 3 mm over a base of 1.2 m. Springs and
    # soil yield by some millimeters more where the load is.
    assert rotation[:, 2] == pytest.approx(normal, abs=1e-2)
    assert math.atan2(rotation[1, 0], rotation[0, 0]) == pytest.approx(0.7, abs=5e-3)
    gaps = [
        (float(place[2]) - float(field.heights(*place[:2]))) * normal[2] - 0.25 for place in vehicle.gear_arrays()[1]
    ]
    assert min(gaps) > -0.03 and max(gaps) < -0.003


def test_diverged_vehicle_is_named(make_vehicle: Maker) -> None:
    """Velocities that are not finite end the run with the names of vehicle and body."""
    vehicle = make_vehicle('viper_locked')
    vehicle.place(0.0, 0.0, 0.0)
    vehicle._data.qvel[2] = np.nan
    with pytest.raises(VehicleError, match=r'rover: the simulation became unstable at body base_link'):
        vehicle.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))


def test_mujoco_warnings_are_detected(make_vehicle: Maker) -> None:
    """An invalid joint for MuJoCo is an error while every number is still finite; a restored state has none."""
    vehicle = make_vehicle()
    vehicle.place_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0, 1.0))
    vehicle._data.qvel[vehicle.body.wheel_dof[1]] = 1e11
    with pytest.raises(VehicleError, match=r'rover: .* unstable at body wheel_front_right .*BADQVEL'):
        vehicle.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))
    vehicle.discard()
    vehicle.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))


def test_speed_out_of_range_allocates_no_soil_window(make_vehicle: Maker) -> None:
    """An impulse to an impossible speed is an error and allocates no soil window of gigabytes."""
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    vehicle.apply_impulse(vehicle.body_state().center_of_mass, (1e9, 0.0, 0.0))
    with pytest.raises(VehicleError, match=r'rover: body .* moves at more than 1000 m/s'):
        vehicle.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))


def test_commands_that_are_not_finite_are_refused(make_vehicle: Maker) -> None:
    """NaN would stay in the ramp of the commands forever."""
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match=r'rover: commands .*nan.*; allowed: finite numbers'):
        vehicle.evolve(CYCLE_NS, np.array([0.0, np.nan, 0.0, 0.0]), np.zeros(4))


def test_wheel_outside_its_soil_window_is_named(make_vehicle: Maker) -> None:
    """An impossible force moves a wheel out of its window: the error names the wheel, and nothing is read outside."""
    vehicle = make_vehicle('viper_locked')
    vehicle.place(0.0, 0.0, 0.0)
    vehicle._model.opt.gravity[:] = (5e4, 0.0, 0.0)
    with pytest.raises(VehicleError, match=r'rover: .* unstable: wheel front_left is accelerated by more than 10000'):
        vehicle.evolve(CYCLE_NS, np.zeros(4), np.zeros(4))
