# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust: emission, flight, landing, mass balance, return to earlier states."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_sensors.arrays import Floats
from regolith_sensors.config.dust import DustConfig
from regolith_sensors.dust.dust_cloud import DustCloud
from regolith_sensors.dust.emission import EmittingSurface, emitted
from regolith_sensors.dust.flight import LONGEST_FLIGHT_S, START_M, hit_boxes, land, positions
from regolith_sensors.surfaces.meshes import box, icosphere
from regolith_terrain import FlatField
from regolith_terrain.grid import NodeRecords, SoilGrid
from regolith_vehicles.visuals import PartRole, VisualDescription
from regolith_vehicles.visuals.visual_description import MovingPart, Visual
from regolith_world.numerics import rotation

G = 1.62
AXLE = rotation.from_rotation_vector(np.array([0.5 * math.pi, 0.0, 0.0]))
RADIUS, HALF_WIDTH = 0.25, 0.1
STEP_NS = 20_000_000


def wheeled(*bodies: Visual) -> VisualDescription:
    """Return a vehicle of a body and one wheel."""
    wheel = Visual('cylinder', (RADIUS, HALF_WIDTH), orientation=AXLE)
    base = MovingPart('base', '', PartRole.BODY, bodies)
    return VisualDescription((base, MovingPart('wheel', 'base', PartRole.WHEEL, (wheel,))))


def poses_at(t_s: float, speed: float, spin: float, sinkage: float = 0.03, height: float = 5.0) -> Floats:
    """Return poses of a body high above a wheel that drives along x and spins forward."""
    turn = rotation.from_rotation_vector(np.array([0.0, spin * t_s, 0.0]))
    x = speed * t_s
    return np.array([[x, 0.0, height, 0.0, 0.0, 0.0, 1.0], [x, 0.0, RADIUS - sinkage, *turn]])


def driven(cloud: DustCloud, grid: SoilGrid, first: int, last: int, spin: float = 10.0, height: float = 5.0) -> None:
    """Let a cloud follow commits of a wheel that spins at twice the speed of rolling up to 1 s, then rests."""
    for k in range(first, last):
        t = min(k, 50) * 0.02
        cloud.follow(k * STEP_NS, {'amber': poses_at(t, 0.5 * spin * RADIUS, spin, height=height)}, grid)


@pytest.fixture
def grid() -> SoilGrid:
    """Return level ground."""
    return SoilGrid(FlatField(), 0.04)


def test_flight_is_a_parabola() -> None:
    """Energy is constant and the position that of the closed form, both to rounding, at any time."""
    random = np.random.default_rng(1)
    place, velocity, age = random.normal(size=(500, 3)), random.normal(size=(500, 3)) * 2.0, random.uniform(0, 30, 500)
    found = positions(place, velocity, age, G)
    t = age[:, None]
    exact = place + velocity * t + 0.5 * np.array([0.0, 0.0, -G]) * t * t
    assert np.abs(found - exact).max() <= 1e-12 * np.abs(exact).max()
    up = velocity[:, 2] - G * age
    before = 0.5 * velocity[:, 2] ** 2 + G * place[:, 2]
    after = 0.5 * up**2 + G * found[:, 2]
    # The terms of the sum are up to 1e3 times larger than their difference.
    assert np.abs(after - before).max() <= 1e-12 * (0.5 * up**2).max()


def test_landing_on_a_plane_has_its_closed_form(grid: SoilGrid) -> None:
    """Range 0.6173 m, apex 0.1543 m and 0.8730 s at 1 m/s and 45 deg; 1.2346 m and 2.469 s at 2 m/s upward."""
    root = math.sqrt(0.5)
    velocity = np.array([[root, 0.0, root], [0.0, 0.0, 2.0]])
    start, flight = land(np.zeros((2, 3)), velocity, G, grid)
    up = velocity[:, 2]
    exact = (up + np.sqrt(up**2 + 2.0 * G * START_M)) / G
    assert np.abs(flight - exact).max() < 1e-12
    assert start[:, 2].tolist() == [START_M, START_M]
    # The table of the specification starts on the ground: the start is 5 mm above it.
    flat = 2.0 * up / G
    assert flat == pytest.approx([0.8730, 2.469], abs=1e-3)
    assert root * flat[0] == pytest.approx(0.6173, abs=1e-4)
    assert up**2 / (2.0 * G) == pytest.approx([0.1543, 1.2346], abs=1e-4)
    assert flight == pytest.approx(flat, abs=START_M / up.min() * 1.01)


def test_landing_on_a_slope_and_in_a_rut(grid: SoilGrid) -> None:
    """The end is within 1 mm of the ground, on a slope of 10 deg and past the edge of a rut of 0.2 m."""
    i, j = (a.ravel().astype(np.int32) for a in np.meshgrid(np.arange(-80, 80), np.arange(-80, 80), indexing='ij'))
    for height in (lambda x: math.tan(math.radians(10.0)) * x, lambda x: np.where(x > 0.2, -0.2, 0.0)):
        z = height(i * 0.04)
        values = np.zeros((5, len(i)))
        values[0], values[1] = 0.0, z
        own = SoilGrid(FlatField(), 0.04)
        own.apply(NodeRecords.from_values(i, j, values))
        random = np.random.default_rng(2)
        velocity = random.normal(size=(200, 3)) * (0.5, 0.5, 0.3) + (0.0, 0.0, 0.8)
        start, flight = land(np.zeros((200, 3)), velocity, G, own)
        end = positions(start, velocity, flight, G)
        d = 0.04
        u, v = end[:, 0] / d, end[:, 1] / d
        a, b = np.floor(u), np.floor(v)
        corners = [own.levels((a + p) * d, (b + q) * d) for p in (0, 1) for q in (0, 1)]
        s, t = u - a, v - b
        level = (1 - s) * ((1 - t) * corners[0] + t * corners[1]) + s * ((1 - t) * corners[2] + t * corners[3])
        steep = np.hypot(velocity[:, 0], velocity[:, 1]) > 0.1
        assert np.abs(end[:, 2] - level)[steep].max() < 6e-3  # a bracket of 1 mm across the rut's wall of 79 deg
        assert np.median(np.abs(end[:, 2] - level)) < 1e-4


def test_flight_ends_after_its_longest_time(grid: SoilGrid) -> None:
    """A parcel that would fly for 61 s ends after 30 s."""
    _, flight = land(np.zeros((1, 3)), np.array([[0.0, 0.0, 50.0]]), G, grid)
    assert flight[0] == LONGEST_FLIGHT_S


def test_emitted_mass_is_that_of_the_slip_velocity(grid: SoilGrid) -> None:
    """The mean number of parcels is eta rho_s (v - v_th) A dt / m_p with the slip of each element of the rim."""
    config = DustConfig(parcel_mass_kg=1e-8)
    speed, spin, sinkage = 1.0, 8.0, 0.03
    surface = EmittingSurface.of_vehicle(wheeled())
    both = poses_at(0.0, speed, spin, sinkage), poses_at(0.02, speed, spin, sinkage)
    counts = [
        len(emitted('amber', surface, both, (k * STEP_NS, (k + 1) * STEP_NS), grid, config, 1).t_ns) for k in range(50)
    ]
    # At the angle a from the lowest point the rim slips by omega R - v cos a; it touches up to cos a = 1 - z / R.
    touch = math.acos(1.0 - (sinkage + 0.01) / RADIUS)
    angle = np.linspace(-touch, touch, 2001)
    slip = spin * RADIUS - speed * np.cos(angle)
    rate = config.lofted_fraction * config.soil_density_kgpm3 * (slip - config.threshold_mps)
    mass_per_s = float(np.mean(rate)) * 2.0 * touch * RADIUS * 2.0 * HALF_WIDTH
    expected = mass_per_s * 0.02 / config.parcel_mass_kg
    # The rim has samples every 5 deg, of which 17 +- 1 touch; the mean of 50 draws has a deviation of 0.2 %.
    assert np.mean(counts) == pytest.approx(expected, rel=1.0 / 17.0 + 0.01)
    assert np.var(counts) == pytest.approx(np.mean(counts), rel=1.0)


def test_parcels_above_the_limit_are_left_out_of_the_drawing_not_of_the_mass(grid: SoilGrid) -> None:
    """Parcels a thousandth as heavy: the same mass; 2 % for the draws."""
    surface = EmittingSurface.of_vehicle(wheeled())
    both = poses_at(0.0, 1.0, 8.0, 0.03), poses_at(0.02, 1.0, 8.0, 0.03)
    masses = []
    for mass in (1e-8, 1e-11):
        config = DustConfig(parcel_mass_kg=mass, max_parcels=10_000)
        new = emitted('amber', surface, both, (0, STEP_NS), grid, config, 1)
        masses.append(mass * (len(new.t_ns) + new.left_out))
    assert new.left_out > 0 and masses[1] == pytest.approx(masses[0], rel=0.02)


def test_wheel_that_rolls_or_is_in_the_air_throws_up_nothing(grid: SoilGrid) -> None:
    """Nothing leaves below the threshold, and nothing without contact."""
    surface, config = EmittingSurface.of_vehicle(wheeled()), DustConfig(parcel_mass_kg=1e-9)
    for speed, spin, sinkage in ((0.1, 0.4, 0.01), (1.0, 20.0, -0.02), (0.0, 0.0, 0.03)):
        both = poses_at(0.0, speed, spin, sinkage), poses_at(0.02, speed, spin, sinkage)
        assert not len(emitted('amber', surface, both, (0, STEP_NS), grid, config, 1).t_ns)


def test_parcels_leave_within_their_cone_and_speed(grid: SoilGrid) -> None:
    """Speeds are 0.3 to 1 of the slip, directions within 30 deg of backward and 20 to 60 deg upward, times in order."""
    surface, config = EmittingSurface.of_vehicle(wheeled()), DustConfig(parcel_mass_kg=1e-9)
    speed, spin = 1.0, 8.0
    both = poses_at(0.0, speed, spin), poses_at(0.02, speed, spin)
    new = emitted('amber', surface, both, (0, STEP_NS), grid, config, 1)
    size = np.linalg.norm(new.velocity, axis=1)
    most = spin * RADIUS - speed * (1.0 - 0.04 / RADIUS)
    assert size.max() <= most and size.min() >= 0.3 * (spin * RADIUS - speed) * 0.999
    ahead = new.velocity / size[:, None]
    tilts = np.radians(np.linspace(20.0, 60.0, 81))
    axes = np.stack([-np.cos(tilts), 0.0 * tilts, np.sin(tilts)], axis=1)
    # Directions below the horizontal are mirrored to above it, which brings none out of the cone.
    assert (ahead @ axes.T).max(axis=1).min() > math.cos(math.radians(30.5))
    assert ahead[:, 2].min() >= 0.0
    assert (np.diff(new.t_ns) >= 0).all() and new.t_ns[0] > 0 and new.t_ns[-1] == STEP_NS


def test_parcels_end_on_a_plate_that_moves() -> None:
    """A plate of 1 mm that passes between two states catches what it sweeps, and nothing else."""
    before = np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.9, 0.0, 0.0]])
    turn, half = np.tile(np.eye(3), (2, 1, 1, 1)), np.array([[5e-4, 1.0, 1.0]])
    origin = np.array([[[-0.5, 0.0, 0.0]], [[0.5, 0.0, 0.0]]])
    hits = np.empty(3, np.int32)
    hit_boxes(before, before.copy(), np.array([7]), turn, origin, half, np.array([1.5]), hits)
    assert hits.tolist() == [7, -1, -1]


def test_mass_is_conserved_and_all_of_it_lands(grid: SoilGrid) -> None:
    """Emitted mass is landed, in flight and on vehicles, to 1e-12 at every commit; all is down after 30 s."""
    plate = Visual('box', (2.0, 1.0, 0.02))
    cloud = DustCloud(DustConfig(parcel_mass_kg=3e-7, threshold_mps=0.01), 3, G, {'amber': wheeled(plate)})
    for k in range(0, 1600):
        t = min(k, 50) * 0.02
        cloud.follow(k * STEP_NS, {'amber': poses_at(t, 1.0, 10.0, height=0.4)}, grid)
        if k % 10 == 0:
            b = cloud.balance()
            total = b.landed_kg + b.in_flight_kg + sum(b.on_vehicles_kg.values())
            assert total == pytest.approx(b.emitted_kg, rel=1e-12)
    assert b.emitted_kg > 1e-3 and b.on_vehicles_kg['amber'] > 0.05 * b.emitted_kg
    assert b.in_flight_kg == 0.0 and not len(cloud.in_flight(cloud.t_ns).place)
    assert b.landed_kg + b.on_vehicles_kg['amber'] == pytest.approx(b.emitted_kg, rel=1e-12)


def test_return_and_restored_state_continue_bit_for_bit(grid: SoilGrid) -> None:
    """A return with dust in the air, and a saved state in a new cloud, give the digests of an uninterrupted run."""

    def made() -> DustCloud:
        vehicles = {'amber': wheeled(Visual('box', (2.0, 1.0, 0.02)))}
        return DustCloud(DustConfig(parcel_mass_kg=1e-6), 3, G, vehicles)

    whole = made()
    driven(whole, grid, 0, 40, height=0.4)
    middle, blob = whole.digest(), whole.save()
    assert whole.balance().in_flight_kg > 0.0
    driven(whole, grid, 40, 90, height=0.4)
    end = whole.digest()
    assert whole.return_to(39 * STEP_NS) and whole.digest() == middle
    driven(whole, grid, 40, 90, height=0.4)
    assert whole.digest() == end
    other = made()
    other.restore(blob)
    assert other.digest() == middle
    driven(other, grid, 40, 90, height=0.4)
    assert other.digest() == end
    assert not other.return_to(10 * STEP_NS)
    other.clear()
    assert other.t_ns == -1 and other.balance().emitted_kg == 0.0


def test_old_parcels_are_discarded_but_counted(grid: SoilGrid) -> None:
    """Memory does not grow with the run; the balance and a return within 30 s stay exact."""
    cloud = DustCloud(DustConfig(parcel_mass_kg=1e-6), 3, G, {'amber': wheeled()})
    driven(cloud, grid, 0, 1000)
    total = cloud.balance().emitted_kg
    digest = cloud.digest()
    driven(cloud, grid, 1000, 4000)
    assert cloud._count == 0 and len(cloud._commits) < 2400
    assert cloud.balance().emitted_kg == cloud.balance().landed_kg == total
    assert not cloud.return_to(999 * STEP_NS) and digest != cloud.digest()


def test_parcels_beyond_the_limit_are_counted_and_left_out(grid: SoilGrid) -> None:
    """At most max_parcels are in flight; the mass of the others is reported."""
    cloud = DustCloud(DustConfig(parcel_mass_kg=1e-8, max_parcels=500), 3, G, {'amber': wheeled()})
    driven(cloud, grid, 0, 30)
    assert len(cloud.in_flight(cloud.t_ns).place) <= 500
    assert cloud.balance().left_out_kg > cloud.balance().emitted_kg


def test_tracks_throw_up_soil(grid: SoilGrid) -> None:
    """A shoe that slides backward on the ground throws soil backward."""
    shoe = Visual('box', (0.07, 0.2, 0.015))
    looks = VisualDescription(
        (MovingPart('base', '', PartRole.BODY, ()), MovingPart('shoe', '', PartRole.TRACK_SHOE, (shoe,)))
    )

    def at(x: float) -> Floats:
        return np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [x, 0.0, 0.014, 0.0, 0.0, 0.0, 1.0]])

    config = DustConfig(parcel_mass_kg=1e-9)
    new = emitted('amber', EmittingSurface.of_vehicle(looks), (at(0.0), at(-0.02)), (0, STEP_NS), grid, config, 1)
    expected = 1e-4 * 1500.0 * 0.95 * 0.14 * 0.4 * 0.02 / 1e-9
    assert len(new.t_ns) == pytest.approx(expected, rel=0.05)
    assert new.velocity[:, 0].max() < 0.3


def test_samples_of_a_mesh_have_its_area_and_its_middle() -> None:
    """Area and first moments of a box are those of its faces; a moment is off by less than a sample's distance."""
    half = np.array([0.3, 0.2, 0.1])
    surface = EmittingSurface.of_body(box((0.3, 0.2, 0.1)))
    assert surface.area.sum() == pytest.approx(8.0 * (0.06 + 0.03 + 0.02), rel=1e-12)
    assert np.average(surface.place, axis=0, weights=surface.area) == pytest.approx(np.zeros(3), abs=0.02)
    beyond = np.abs(surface.place) - half
    assert beyond.max() == pytest.approx(0.0, abs=1e-12)  # all on the faces
    face = np.abs(beyond) < 1e-12
    outward = np.sign(surface.place) * surface.normal
    assert outward[face].min() >= 0.0 and np.all((outward * face).max(axis=1) == pytest.approx(1.0))


def test_blade_throws_up_the_soil_that_it_pushes(grid: SoilGrid) -> None:
    """The front carries soil ahead, bottom and ends slide along it, and the back leaves it."""
    config = DustConfig(parcel_mass_kg=1e-9)
    blade = Visual('box', (0.02, 0.5, 0.2))
    looks = VisualDescription((MovingPart('base', '', PartRole.BODY, (blade,)),))
    surface = EmittingSurface.of_vehicle(looks)

    def at(x: float) -> Floats:
        return np.array([[x, 0.0, 0.17, 0.0, 0.0, 0.0, 1.0]])

    new = emitted('amber', surface, (at(0.0), at(0.01)), (0, STEP_NS), grid, config, 1)
    # 3 cm in the soil and 1 cm above; bottom of 4 cm.
    area = 0.04 * 1.0 + 0.04 * 1.0 + 2.0 * 0.04 * 0.04
    expected = 1e-4 * 1500.0 * (0.5 - 0.05) * area * 0.02 / 1e-9
    # Of 400 samples 36 move soil, one more or less at each edge of the blade.
    assert len(new.t_ns) == pytest.approx(expected, rel=0.12)
    assert new.velocity[:, 0].mean() > 0.1  # ahead
    assert new.place[:, 0].min() > -0.05
    raised = at(0.0) + [[0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0]]
    above = emitted('amber', surface, (raised, raised + at(0.01) - at(0.0)), (0, STEP_NS), grid, config, 1)
    assert not len(above.t_ns)


def fallen(t_s: float) -> Floats:
    """Return the pose of a ball of 10 cm that falls from 1 m and rests 2 cm deep."""
    return np.array([[0.0, 0.0, max(1.0 - 0.5 * G * t_s * t_s, 0.08), 0.0, 0.0, 0.0, 1.0]])


def test_body_that_falls_throws_up_dust_to_all_sides_once(grid: SoilGrid) -> None:
    """All parcels start where it meets the ground; their horizontal momentum is that of chance."""
    config = DustConfig(parcel_mass_kg=1e-8)
    cloud = DustCloud(config, 1, G, {})
    ball = icosphere(3)
    surface = EmittingSurface.of_body(type(ball)(ball.vertices * 0.1, ball.triangles, ball.material))
    times = range(0, 120)
    for k in times:
        cloud.follow(k * STEP_NS, {'ball': fallen(0.02 * k)}, grid, {'ball': surface})
        if 0.02 * k < math.sqrt(2.0 * 0.88 / G):
            assert cloud.balance().emitted_kg == 0.0
    touch_s = math.sqrt(2.0 * 0.9 / G)
    part = cloud._part()
    count = len(part['t_ns'])
    assert count > 300
    assert np.hypot(part['place'][:, 0], part['place'][:, 1]).max() < 0.1
    assert (part['t_ns'] * 1e-9).min() > touch_s - 0.04 and (part['t_ns'] * 1e-9).max() < touch_s + 0.1
    speed = np.sqrt((part['velocity'] ** 2).sum(axis=1))
    assert speed.max() < math.sqrt(2.0 * G * 0.92)
    # The mean of n vectors with random headings has a length of about 1 / sqrt(n) of theirs; four times that.
    assert np.linalg.norm(part['velocity'][:, :2].mean(axis=0)) < 4.0 * speed.mean() / math.sqrt(count)
    again = DustCloud(config, 1, G, {})
    for k in times[:58]:
        again.follow(k * STEP_NS, {'ball': fallen(0.02 * k)}, grid, {'ball': surface})
    continued = DustCloud(config, 1, G, {})
    continued.restore(again.save())
    for k in times[58:]:
        continued.follow(k * STEP_NS, {'ball': fallen(0.02 * k)}, grid, {'ball': surface})
    assert continued.digest() == cloud.digest()
