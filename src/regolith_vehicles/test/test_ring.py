# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of flexible tires on rigid ground: closed forms, friction, rolling, energy, configuration, state."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.optimize import brentq

from regolith_files import InputError
from regolith_terrain import contact as terrain_contact
from regolith_terrain.contact.ground_contact import CONTACT_OK, ContactSetting, PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import FlatField
from regolith_terrain.rigid.law import RIGID_TERRAIN_MODEL
from regolith_terrain.terrain_parameters import RigidTerrainConfig
from regolith_vehicles.tires import load_tire
from regolith_vehicles.tires.config import RingConfig
from regolith_vehicles.tires.ring import RING_RECORD, WORK_ROWS, solve_belt
from regolith_vehicles.tires.ring_contact import RingContact
from regolith_vehicles.tires.ring_touch import NORMAL, STATE_ROWS, S, U, V, W, plane_loads
from regolith_vehicles.tires.tire import TIRES, Tire
from regolith_world.numerics import kernel

RADIUS = 0.409
"""Radius of the closed forms, that of the Lunar Roving Vehicle's wheels [m]."""
VALUES = {
    'type': 'ring',
    'radius_m': RADIUS,
    'width_m': 0.23,
    'rim_depth_m': 0.2,
    'stiffness_npm2': 4e4,
    'tangential_npm2': 4e4,
    'damping_nspm2': 0.0,
    'tread': {'stiffness_npm2': 1e8, 'longitudinal_npm2': 5e4, 'lateral_npm2': 5e4},
}
"""A Winkler ring: isotropic foundation, without belt."""


def make_tire(**changes: object) -> Tire:
    """Return a ring with changes of VALUES."""
    return Tire(RingConfig.model_validate(VALUES | changes))


class Rig:
    """Wheel with a ring on level rigid ground, moved by the test."""

    def __init__(self, tire: Tire, friction: float) -> None:
        config = tire.config
        assert isinstance(config, RingConfig)
        self.tire, self.config, self.record = tire, config, config.ring()
        shape = terrain_contact.cylinder(config.radius_m, config.width_m)
        soils = SoilMap(RigidTerrainConfig(friction=max(friction, 1e-3)).parameters())
        soils.soils[:, 0] = friction
        self.contact = RingContact(
            ContactSetting(soils, shape, np.array([terrain_contact.reach(shape)]), 0.05), {0: tire}
        )
        self.arrays = self.contact.arrays(SoilGrid(FlatField(), 0.05, RIGID_TERRAIN_MODEL).window(-40, 80, -40, 41), 1)
        self.x, self.angle = 0.0, 0.0
        self.wrench = terrain_contact.make_wrench()

    @property
    def state(self) -> np.ndarray:
        """State of the ring."""
        return self.arrays.state[0]

    def press(
        self, step: float, depth: float, velocity: tuple[float, float, float] = (0, 0, 0), spin: float = 0.0
    ) -> None:
        """Advance the wheel by a step, which ends at a penetration of the round tire."""
        self.x += step * velocity[0]
        self.angle += step * spin
        c, s = math.cos(self.angle), math.sin(self.angle)
        rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        center = np.array([self.x, 0.0, self.config.radius_m - depth])
        pose = PartPose(center, rotation, np.array(velocity, float), np.array([0.0, spin, 0.0]))
        assert self.contact.press(self.arrays, step, 0, pose, self.wrench) == CONTACT_OK

    def lower(self, depth: float, steps: int = 200) -> None:
        """Press the wheel down slowly."""
        for k in range(steps):
            self.press(1.0, depth * (k + 1) / steps, (0.0, 0.0, -depth / steps))

    def length(self) -> float:
        """Return the length of the rim's arc in contact, where the linear pressure at both ends vanishes [m]."""
        normal = self.arrays.work[NORMAL]
        inside = np.flatnonzero(normal > 0.0)
        ends = 0.0
        for first, second in ((inside[0], inside[1]), (inside[-1], inside[-2])):
            ends += normal[first] / (normal[second] - normal[first])
        return float(2.0 * math.pi / self.config.points * (inside[-1] - inside[0] + ends))


@kernel
def _solve(
    records: object, step: float, load: np.ndarray, stiff: np.ndarray, before: np.ndarray, out: np.ndarray
) -> None:
    solve_belt(records[0], step, load, stiff, before, np.zeros((WORK_ROWS, load.shape[0])), out)  # type: ignore[index]


def belt(n: int, **values: float) -> np.ndarray:
    """Return the record of a belt with n points."""
    record = np.zeros(1, RING_RECORD)
    record['points'], record['radius'] = n, RADIUS
    for name, value in values.items():
        record[name] = value
    return record


@pytest.mark.parametrize(('tension', 'bending'), [(0.0, 0.0), (3e3, 0.0), (0.0, 20.0), (3e3, 20.0)])
def test_ring_solution_matches_a_dense_solver(tension: float, bending: float) -> None:
    """The elimination gives the solution of the full matrix; 1e-12 of the largest deflection is rounding."""
    n, random = 60, np.random.default_rng(1)
    record = belt(n, stiffness=4e4, damping=200.0, tension=tension, bending=bending)
    load, stiff = random.uniform(-1e3, 1e3, n), np.where(random.uniform(size=n) < 0.2, 1e7, 0.0)
    before, out = random.uniform(-0.01, 0.01, n), np.zeros(n)
    _solve(record, 1e-3, load, stiff, before, out)
    arc, one = 2.0 * math.pi * RADIUS / n, np.eye(n)
    second = (np.roll(one, 1, 0) + np.roll(one, -1, 0) - 2.0 * one) / arc**2
    whole = (4e4 + 2e5) * one - tension * second + bending * second @ second + np.diag(stiff)
    expected = np.linalg.solve(whole, load + 2e5 * before)
    assert np.abs(out - expected).max() < 1e-12 * np.abs(expected).max()


def test_string_decay_length() -> None:
    """Beside a point load the deflection of a string decays as exp(-x / l) with l = sqrt(S / c).

    2 %: the specification's tolerance. The points are a tenth of l apart, which gives 0.04 %.
    """
    n, tension, stiffness = 120, 2e3, 4e4
    load, out = np.zeros(n), np.zeros(n)
    load[60] = 1e4
    _solve(belt(n, stiffness=stiffness, tension=tension), math.inf, load, np.zeros(n), np.zeros(n), out)
    arc = 2.0 * math.pi * RADIUS / n
    assert arc / math.log(out[65] / out[66]) == pytest.approx(math.sqrt(tension / stiffness), rel=0.02)


@pytest.mark.parametrize('stiffness', [2e4, 4e4])
@pytest.mark.parametrize('depth', [0.02, 0.05, 0.076])
def test_load_deflection_of_a_winkler_ring(depth: float, stiffness: float) -> None:
    """Load and contact length of a ring on a foundation alone, for each row of the specification: 1 %.

    240 points leave 0.2 % for the discrete load. The arc in contact ends between points. The length on the ground is
    2 R sin(a) for the arc 2 R a.
    """
    tread = {'stiffness_npm2': 1e9, 'longitudinal_npm2': 1e6, 'lateral_npm2': 1e6}
    tire = make_tire(stiffness_npm2=stiffness, tangential_npm2=stiffness, points=240, tread=tread)
    rig = Rig(tire, 0.8)
    rig.lower(depth)
    a = math.acos(1.0 - depth / RADIUS)
    load = 2.0 * stiffness * RADIUS * (RADIUS * math.sin(a) - (RADIUS - depth) * a)
    assert rig.wrench.force[2] == pytest.approx(load, rel=0.01)
    assert 2.0 * RADIUS * math.sin(0.5 * rig.length()) == pytest.approx(2.0 * RADIUS * math.sin(a), rel=0.01)
    assert abs(rig.wrench.force[0]) < 1e-3 * load  # it sticks without a horizontal force


def test_patch_pressure_sums_to_the_load() -> None:
    """The sum of the pressures is the load (1e-9), and tension and bending shorten the contact under equal loads.

    In the middle of the contact and without friction, the curvature 1 / R that the ground takes from the belt adds S (1 + D / R) / R to the
    pressure of the foundation: the inflation pressure times the width, for points that moved along the normal. 1 %
    covers the second difference of the cosine.
    """
    lengths = []
    for tension, bending in ((0.0, 0.0), (200.0, 0.0), (200.0, 5.0)):
        rig = Rig(make_tire(tension_n=tension, bending_nm2=bending), 0.0)

        def excess(depth: float, rig: Rig = rig) -> float:
            rig.contact.reset()
            rig.lower(depth, 10)
            return float(rig.wrench.force[2]) - 500.0

        depth = brentq(excess, 0.01, 0.1, xtol=1e-5)
        normal = rig.arrays.work[NORMAL]
        assert math.fsum(normal) * 2.0 * math.pi * RADIUS / 120 == pytest.approx(rig.wrench.force[2], rel=1e-9)
        if bending == 0.0:
            string = tension / RADIUS * (1.0 + depth / RADIUS) * (1.0 + 2.0 * tension / (4e4 * RADIUS**2))
            assert normal[90] == pytest.approx(4e4 * rig.state[W, 90] + string, rel=0.01)
        lengths.append(rig.length())
    assert lengths[0] > lengths[1] > lengths[2]


def test_load_curve_is_that_of_the_contact() -> None:
    """The load curve of the tire, without friction, is that of a ring that is pressed down with friction: 1 %.

    For equal stiffnesses the closed form needs no friction, so both differ only by the position of the points.
    """
    tire, depths, loads = make_tire(points=240), np.array([0.03, 0.06]), np.zeros(2)
    plane_loads(np.array([tire.config.ring()]), depths, loads)  # type: ignore[union-attr]
    for depth, load in zip(depths, loads, strict=True):
        rig = Rig(tire, 0.5)
        rig.lower(depth)
        assert rig.wrench.force[2] == pytest.approx(load, rel=0.01)
    assert float(tire.vertical(height=RADIUS - 0.03)['Fz']) == pytest.approx(loads[0], rel=0.03)  # 15 pieces


def test_load_curve_of_the_hmmwv_matches_tmeasy() -> None:
    """With c fitted to TMeasy's load at its nominal deflection, the deflection at twice the load is within 10 %."""
    ring, reference = load_tire('hmmwv_ring'), load_tire('hmmwv_tmeasy')
    nominal = 8562.82661
    depths, loads = np.array(reference.depth([nominal, 2.0 * nominal])), np.zeros(1)
    record = np.array([ring.config.ring()])  # type: ignore[union-attr]

    def load(depth: float) -> float:
        plane_loads(record, np.array([depth]), loads)
        return float(loads[0])

    assert load(depths[0]) == pytest.approx(nominal, rel=0.01)  # the rounded value in the file
    assert brentq(lambda depth: load(depth) - 2.0 * nominal, 0.01, 0.1) == pytest.approx(depths[1], rel=0.1)


@pytest.mark.parametrize('belt', [{}, {'tension_n': 2e3, 'bending_nm2': 5.0, 'damping_nspm2': 50.0}])
def test_effective_radius_of_a_rolling_ring(belt: dict[str, float]) -> None:
    """A free-rolling ring with a belt turns with an effective radius between R - D and R - D / 3.

    A ring without a belt turns with R sin(a) / a, at which its arc 2 R a passes a contact of length 2 R sin(a). 0.1 %:
    its tread slides at the ends, where there is no pressure. This moves it 0.02 % beyond the bound R - D / 3.
    """
    rig, depth, speed, step, inertia = Rig(make_tire(**belt), 0.8), 0.04, 1.0, 5e-4, 0.5
    rig.lower(depth, 50)
    spin, turned = speed / RADIUS, 0.0
    for k in range(2000):
        rig.press(step, depth, (speed, 0.0, 0.0), spin)
        spin += step * float(rig.wrench.torque[1]) / inertia
        turned += step * spin if k >= 1000 else 0.0
    radius, a = 1000 * step * speed / turned, math.acos(1.0 - depth / RADIUS)
    assert radius == pytest.approx(RADIUS * math.sin(a) / a, rel=1e-3) or belt
    assert RADIUS - depth < radius < RADIUS - depth / 3.0 or not belt


class Accounts:
    """Energy of a ring without friction on level ground, and what its steps dissipate."""

    def __init__(self, rig: Rig, depth: float) -> None:
        self.rig, self.depth = rig, depth
        ring, n = rig.config, rig.config.points
        self.arc, one = 2.0 * math.pi * ring.radius_m / n, np.eye(n)
        second = (np.roll(one, 1, 0) + np.roll(one, -1, 0) - 2.0 * one) / self.arc**2
        self.belt = ring.stiffness_npm2 * one - ring.tension_n * second + ring.bending_nm2 * second @ second
        self.wheel = 2.0 * math.pi * np.arange(n) / n
        self.damped = self.lost = 0.0
        self.update()

    def update(self) -> None:
        """Read displacements, tips from the axle and penetrations [m], penetrations of lifted points below 0."""
        ring, angle = self.rig.config, self.wheel - self.rig.angle
        ex, ez = np.cos(angle), np.sin(angle)
        self.w, self.u = self.rig.state[W].copy(), self.rig.state[U].copy()
        self.x, self.z = self.placed(self.w, self.u, ex, ez)
        self.below = self.depth - ring.radius_m - self.z
        self.normal = self.rig.arrays.work[NORMAL].copy()

    def placed(self, w: np.ndarray, u: np.ndarray, ex: np.ndarray, ez: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return x and z of the tips from the axle [m]."""
        r = self.rig.config.radius_m - w
        return r * ex - u * ez, r * ez + u * ex

    def stored(self) -> float:
        """Return the energy of belt, sidewalls and tread [J]."""
        ring = self.rig.config
        springs = self.w @ self.belt @ self.w + ring.tangential_npm2 * self.u @ self.u
        return 0.5 * self.arc * float(springs + self.normal @ self.normal / ring.tread.stiffness_npm2)

    def count(self, step: float, spin: float) -> None:
        """Add the dissipation of a step that has been made.

        By its dampers d dw^2 / dt, and by the step itself: an implicit step leaves half of the springs' work on the
        changes of their lengths. A point that meets the ground within the step is pressed over the whole step. The
        step moves points by their velocity at its end, not along their arcs.
        """
        ring, w, u, z, below = self.rig.config, self.w, self.u, self.z, self.below
        angle = self.wheel - self.rig.angle
        frozen_x, frozen_z = self.placed(w, u, np.cos(angle), np.sin(angle))
        self.update()
        dw, du = self.w - w, self.u - u
        pressed = np.maximum(self.below, 0.0) - np.maximum(below, 0.0)
        springs = dw @ self.belt @ dw + ring.tangential_npm2 * du @ du + ring.tread.stiffness_npm2 * pressed @ pressed
        early = self.normal @ np.maximum(-below, 0.0)
        bow = self.normal @ (step * spin * frozen_x - (z - frozen_z))
        self.lost += self.arc * float(0.5 * springs + early + bow)
        self.damped += self.arc * ring.damping_nspm2 / step * float(dw @ dw)


@pytest.mark.parametrize('tension', [0.0, 500.0])
def test_rolling_ring_loses_its_dampers_work(tension: float) -> None:
    """The work that a wheel without friction needs to roll 1 m is that of its dampers and of its steps.

    1e-6: rounding and the end of the iteration leave less. The share of the steps is proportional to the step, and up
    to 3 % for 0.4 mm.
    """
    depth, speed, shares = 0.04, 1.0, []
    for step in (4e-4, 2e-4):
        rig = Rig(make_tire(damping_nspm2=200.0, tension_n=tension), 0.0)
        rig.lower(depth, 50)
        spin, work = speed / RADIUS, 0.0
        for k in range(int(1.5 / (step * speed))):
            if k * step * speed == 0.5:  # the first half meter is the start
                accounts = Accounts(rig, depth)
                begin = accounts.stored()
            rig.press(step, depth, (speed, 0.0, 0.0), spin)
            if k * step * speed >= 0.5:
                accounts.count(step, spin)
                work -= step * float(rig.wrench.torque[1] * spin + rig.wrench.force[0] * speed)
        assert accounts.damped > 0.0
        assert work - (accounts.stored() - begin) == pytest.approx(accounts.damped + accounts.lost, rel=1e-6)
        shares.append(abs(accounts.lost) / accounts.damped)
    assert shares[0] < 0.03
    assert shares[1] == pytest.approx(0.5 * shares[0], rel=0.2)


def test_sliding_ring_has_coulomb_friction() -> None:
    """A locked wheel that is dragged slides with mu N against its motion, also sideways; 1e-6 is the iteration."""
    rig = Rig(make_tire(tension_n=1e3), 0.6)
    rig.lower(0.04, 50)
    for velocity in ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.3, 0.4, 0.0)):
        for _ in range(2000):
            rig.press(1e-3, 0.04, velocity)
        load, force = rig.wrench.force[2], rig.wrench.force[:2]
        assert float(np.hypot(*force)) == pytest.approx(0.6 * load, rel=1e-6)
        assert np.dot(force, velocity[:2]) == pytest.approx(-0.6 * load * math.hypot(*velocity[:2]), rel=1e-4)


def test_parked_ring_does_not_creep() -> None:
    """Below its friction, a wheel that was displaced by a little keeps its horizontal force."""
    rig = Rig(make_tire(), 0.6)
    rig.lower(0.04, 50)
    for _ in range(10):
        rig.press(1e-3, 0.04, (0.05, 0.0, 0.0))
    held = float(rig.wrench.force[0])
    for _ in range(1000):
        rig.press(1e-3, 0.04)
    assert held < -1.0
    assert float(rig.wrench.force[0]) == pytest.approx(held, rel=1e-9)


def test_lifted_ring_has_no_state() -> None:
    """Without ground, a ring without damping is round."""
    rig = Rig(make_tire(tension_n=1e3), 0.6)
    rig.lower(0.04, 10)
    assert np.abs(rig.state[W]).max() > 0.03
    rig.press(1e-3, -0.01)
    assert not rig.state.any()
    assert not rig.wrench.force.any()


@pytest.fixture
def write_tire(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a changed tire file."""

    def write(key: str, value: object) -> Path:
        data = yaml.safe_load(TIRES.find('hmmwv_ring').read_text())
        section, _, name = key.rpartition('.')
        (data[section] if section else data)[name] = value
        file = tmp_path / 'bad.yaml'
        file.write_text(yaml.safe_dump(data, sort_keys=False))
        return file

    return write


@pytest.mark.parametrize(
    ('key', 'value', 'allowed'),
    [
        ('stiffness_npm2', -1.0, 'greater than 0'),
        ('stiffness_npm2', math.nan, 'number'),
        ('damping_nspm2', -1.0, 'greater than or equal to 0'),
        ('tension_n', -1.0, 'greater than or equal to 0'),
        ('points', 12, 'greater than or equal to 48'),
        ('rim_depth_m', 0.4, 'up to 0.234'),
        ('tread.stiffness_npm2', 0.0, 'greater than 0'),
        ('mass_kg', 0.0, 'points'),
    ],
)
def test_bad_ring_is_refused(write_tire: Callable[..., Path], key: str, value: object, allowed: str) -> None:
    """An error names file, line, key, value and what is allowed; the belt has no mass, so a mass is unknown."""
    file = write_tire(key, value)
    with pytest.raises(InputError) as caught:
        load_tire(file)
    message = str(caught.value)
    assert str(file) in message and key.rpartition('.')[2] in message and allowed in message, message


def test_ring_has_no_slip_curves() -> None:
    """A rig of slip curves refuses a ring."""
    with pytest.raises(ValueError, match='no curves of slip; allowed: the other types'):
        load_tire('hmmwv_ring').steady_state(load=1000.0)


def test_state_of_a_ring_is_saved_and_restored() -> None:
    """A contact continues from saved bytes with the same bits."""
    rig = Rig(load_tire('hmmwv_ring'), 0.8)
    for _ in range(50):
        rig.press(1e-3, 0.02, (1.0, 0.1, 0.0), 2.2)
    kept, at = rig.contact.save(), (rig.x, rig.angle)
    assert rig.state[[W, U, S, V]].any(axis=1).all() and rig.state.shape[0] == STATE_ROWS
    ends = []
    for _ in range(2):
        for _ in range(50):
            rig.press(1e-3, 0.02, (1.0, 0.1, 0.0), 2.2)
        ends.append((rig.contact.save(), rig.wrench.force.tobytes()))
        rig.contact.load(kept)
        rig.x, rig.angle = at
    assert ends[0] == ends[1]
    rig.contact.reset()
    assert rig.contact.save() != kept
