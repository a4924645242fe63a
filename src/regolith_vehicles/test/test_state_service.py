# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of placement in static equilibrium."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from regolith_terrain.height_field_builder import PlaneField
from regolith_vehicles.agent.vehicle import Vehicle
from regolith_vehicles.commands.command import DriveCommand
from regolith_vehicles.dynamics.kinematics import wheel_commands
from regolith_vehicles.dynamics.placement import pose_on_ground, support_depth
from regolith_world.numerics.rotation import from_rpy_deg, matrix

CYCLE_NS = 20_000_000
STILL = np.zeros(4)
Maker = Callable[..., Vehicle]


def _stand(vehicle: Vehicle, cycles: int = 50) -> tuple[float, float]:
    """Let it rest; return the maximum vertical speed [m/s] and the maximum distance from the start [m]."""
    start = vehicle.body_state().position
    speed = drift = 0.0
    for _ in range(cycles):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, STILL, STILL))
        vehicle.commit()
        state = vehicle.body_state()
        speed = max(speed, abs(float(state.linear_velocity[2])))
        drift = max(drift, float(np.linalg.norm(state.position - start)))
    return speed, drift


@pytest.mark.parametrize(
    ('model', 'slope', 'heading'),
    [('viper', 0.0, 0.3), ('viper', 15.0, 2.3), ('viper_locked', 0.0, 0.0), ('viper_grousered', 15.0, 0.3)],
)
def test_placed_vehicle_is_at_rest(make_vehicle: Maker, model: str, slope: float, heading: float) -> None:
    """In the first second nothing moves by 1 mm or vertically by 1 mm/s; the ground stays unchanged.

    It stands within 3 mm of the requested position: soil yields before it holds on a slope, which is corrected once.
    """
    vehicle = make_vehicle(model, field=PlaneField(math.tan(math.radians(slope)), 0.0))
    vehicle.place(0.3, -0.2, heading)
    assert vehicle.grid.modified_count == 0
    assert not vehicle._data.qvel.any()
    assert np.hypot(*(vehicle.body_state().position[:2] - (0.3, -0.2))) < 3e-3
    speed, drift = _stand(vehicle)
    assert speed < 1e-3 and drift < 1e-3
    assert vehicle.hull_load_fraction() == 0.0
    load = sum(w.force for w in vehicle.wheel_states())
    # The remaining settling takes or gives less than 1 % of the weight.
    assert load == pytest.approx([0.0, 0.0, 434.92 * 1.62], abs=0.01 * 434.92 * 1.62)


def test_vehicle_placed_in_ruts_is_at_rest(make_vehicle: Maker) -> None:
    """A vehicle that joins late is at rest on ground with ruts, and its placement changes nothing there."""
    first = make_vehicle()
    first.place(0.0, 0.0, 0.0)
    speeds, angles = wheel_commands(first.body.layout, 0.5, 0.0)
    for _ in range(100):
        first.grid.apply(first.evolve(CYCLE_NS, speeds, angles))
        first.commit()
    late = make_vehicle()
    late.grid.load(first.grid.save())
    before = late.grid.soil_hash()
    late.place(0.4, 0.13, 0.1)
    assert late.grid.soil_hash() == before
    speed, drift = _stand(late)
    assert speed < 1e-3 and drift < 1e-3


def test_placement_is_bit_identical(make_vehicle: Maker) -> None:
    """Two vehicles placed alike, one of which has driven before, have the same state."""
    fresh, used = make_vehicle(), make_vehicle()
    used.place(1.0, 1.0, 0.5)
    used.evolve(CYCLE_NS, np.full(4, 1.0), STILL)
    for vehicle in (fresh, used):
        vehicle.place(0.3, -0.2, 0.3)
    assert fresh.state() == used.state()


def test_vehicle_without_equilibrium_is_placed_on_the_surface(make_vehicle: Maker) -> None:
    """On 45 degrees there is no equilibrium: it starts at the requested position on the ground, and slides."""
    vehicle = make_vehicle(field=PlaneField(1.0, 0.0))
    vehicle.place(0.3, -0.2, 0.0)
    assert vehicle.body_state().position[:2] == pytest.approx([0.3, -0.2], abs=1e-12)
    assert _stand(vehicle, 10)[1] > 1e-2


def test_statistics_count_from_the_first_command(make_vehicle: Maker) -> None:
    """Rocking, pushes and rolling back do not count before the first command; afterwards everything does."""
    vehicle = make_vehicle()
    vehicle.place(0.0, 0.0, 0.0)
    vehicle.apply_impulse(vehicle.body_state().center_of_mass, (100.0, 0.0, 0.0))
    moved = _stand(vehicle, 10)[1]
    assert moved > 1e-3
    assert vehicle.statistics.distance == 0.0 and vehicle.statistics.rolled == 0.0
    _stand(vehicle, 40)
    speeds, angles = wheel_commands(vehicle.body.layout, 0.2, 0.0)
    start = vehicle.body_state().position[0]
    for _ in range(100):
        vehicle.grid.apply(vehicle.evolve(CYCLE_NS, speeds, angles))
        vehicle.commit()
    figures = vehicle.statistics
    assert figures.distance == pytest.approx(vehicle.body_state().position[0] - start, rel=1e-2)
    # Rolled distance of the wheels minus traveled distance of the rover.
    assert figures.mean_slip == pytest.approx(1.0 - figures.distance / figures.rolled, abs=0.02)
    assert 0.0 < figures.mean_slip < 0.08


@pytest.mark.parametrize('rpy_deg', [(0.0, 0.0, 0.0), (20.0, 0.0, 30.0), (0.0, -15.0, -120.0), (10.0, 25.0, 200.0)])
@pytest.mark.parametrize('slope', [0.0, 0.2])
def test_support_depth_is_that_of_the_deepest_point(rpy_deg: tuple[float, float, float], slope: float) -> None:
    """Compared with each foot rotated and moved on its own; negative where all feet are above the ground."""
    place, feet = np.array([2.0, -1.0, 0.7]), np.random.default_rng(1).uniform(-1.0, 1.0, (6, 3))
    turned = Rotation.from_euler('xyz', rpy_deg, degrees=True).apply(feet) + place
    expected = max(slope * x - z for x, _, z in turned)
    ground = PlaneField(slope, 0.0)
    for lift in (-1.0, 0.0, 3.0):
        depth = support_depth(place + (0.0, 0.0, lift), from_rpy_deg(rpy_deg), *feet.T, ground.heights)
        assert depth == pytest.approx(expected - lift, abs=1e-12)


SLOPES = [(0.0, 0.0), (0.4, 0.0), (-0.4, 0.0), (0.0, 0.4), (0.0, -0.4), (0.2, -0.3)]


@pytest.mark.parametrize('model', ['viper', 'rassor', 'rocker_bogie', 'hmmwv', 'm113'])
def test_vehicle_on_slope_touches_it_with_its_lowest_points(make_vehicle: Maker, model: str) -> None:
    """On slopes along either axis and across both, at all headings: above the requested position and upright."""
    vehicle = make_vehicle(model)
    for slope in SLOPES:
        ground = vehicle._levels = PlaneField(*slope, height=0.7).heights
        normal = np.array([-slope[0], -slope[1], 1.0]) / math.sqrt(1.0 + slope[0] ** 2 + slope[1] ** 2)
        for heading in (0.0, 0.5, 2.0, -2.5):
            vehicle.place_on_ground(3.0, -2.0, heading)
            base = vehicle.body_state()
            ahead, _, up = matrix(base.orientation).T
            assert tuple(base.position[:2]) == (3.0, -2.0)
            assert math.atan2(ahead[1], ahead[0]) == pytest.approx(heading, abs=1e-9)
            feet = vehicle._feet()
            # Feet of unequal lengths, as of springs at rest, tilt it by their difference over its length.
            assert up @ normal > math.cos(np.ptp(feet[2]) / np.ptp(feet[0]) + 1e-4)
            # A plane has the same slope everywhere, so only rounding is left.
            assert support_depth(base.position, base.orientation, *feet, ground) == pytest.approx(0.0, abs=1e-12)
            vehicle.place_above_ground(3.0, -2.0, heading, 0.25)
            base = vehicle.body_state()
            assert support_depth(base.position, base.orientation, *feet, ground) == pytest.approx(-0.25, abs=1e-12)


@pytest.mark.parametrize(('slope', 'heading'), [((0.3, 0.0), 0.4), ((0.0, -0.3), 2.0), ((0.0, 0.0), -1.0)])
def test_support_point_on_a_bump_carries_and_none_is_below_ground(slope: tuple[float, float], heading: float) -> None:
    """One of four feet is raised: the plane rises by a quarter, and the two diagonal feet support the vehicle."""
    feet = np.array([[0.8, 0.5, -0.4], [0.8, -0.5, -0.4], [-0.8, 0.5, -0.4], [-0.8, -0.5, -0.4]])
    c, s = math.cos(heading), math.sin(heading)
    raised = np.array([1.0 + c * 0.8 - s * 0.5, 2.0 + s * 0.8 + c * 0.5])

    def ground(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Plane with a round plateau of 4 cm, far wider than the motion of a foot by tilting."""
        return slope[0] * x + slope[1] * y + 0.04 * (np.hypot(x - raised[0], y - raised[1]) < 0.5)

    position, orientation = pose_on_ground(1.0, 2.0, heading, *feet.T, ground)
    place = feet @ matrix(orientation).T + position
    gaps = place[:, 2] - ground(place[:, 0], place[:, 1])
    # The fit is off by a quarter of the bump, twice up and twice down. Tilting changes 40 mm by up to its square, 5 %.
    assert gaps == pytest.approx([0.0, 0.02, 0.02, 0.0], abs=2e-3)


@pytest.mark.parametrize('model', ['viper', 'rassor', 'rocker_bogie', 'hmmwv', 'm113'])
def test_ground_pushes_support_points_at_contact(make_vehicle: Maker, model: str) -> None:
    """Slightly above level ground there is no force, slightly below there is: support points are where contact is."""
    vehicle = make_vehicle(model)

    def push(height: float) -> float:
        """Return the vertical force of the ground in the first 0.1 ms, in which nothing falls by a micrometer [N]."""
        vehicle.place_above_ground(0.0, 0.0, 0.3, height)
        vehicle.evolve(100_000, *vehicle.gear.targets(DriveCommand()))
        return float(vehicle.ground_force()[2])

    assert push(1e-3) == 0.0
    assert push(-3e-3) > 0.0


def test_placement_corrects_once_for_soil_yielding(make_vehicle: Maker) -> None:
    """At 15 degrees a vehicle slides by some mm before the soil holds; placement corrects for that."""
    vehicle = make_vehicle(field=PlaneField(math.tan(math.radians(15.0)), 0.0), soil='lunar_nominal')
    vehicle.place_on_ground(0.3, -0.2, 0.3)
    assert vehicle.step.settle()
    once = float(np.hypot(*(vehicle.data.xpos[vehicle.body.base, :2] - (0.3, -0.2))))
    vehicle.place(0.3, -0.2, 0.3)
    assert np.hypot(*(vehicle.body_state().position[:2] - (0.3, -0.2))) < 0.5 * once and once > 1e-3
