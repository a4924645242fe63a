# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of flexible tires on SCM soil: Bekker's table, pressures, limit of a stiff tire, traction, state."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain import contact as terrain_contact
from regolith_terrain.config import load_soil
from regolith_terrain.contact.ground_contact import CONTACT_OK, ContactSetting, PartPose
from regolith_terrain.grid.soil_grid import SoilGrid
from regolith_terrain.grid.soil_map import SoilMap
from regolith_terrain.height_field import FlatField
from regolith_terrain.scm import SCM
from regolith_terrain.scm.contact import ScmContact
from regolith_vehicles.tires.config import RingConfig
from regolith_vehicles.tires.ring_soil import SoilRingContact
from regolith_vehicles.tires.tire import Tire

RADIUS, WIDTH, SPACING = 0.409, 0.23, 0.01


class Rig:
    """Wheel on soil, moved by the test."""

    def __init__(self, stiffness: float | None, strength: float = 0.0, spacing: float = SPACING, **belt: float) -> None:
        """Make a wheel.

        Args:
            stiffness: Stiffness of the ring [N/m^2]; None: a rigid cylinder.
            strength: Fraction of the soil's shear strength [-].
            spacing: Grid node spacing [m].
            belt: Other keys of the ring.
        """
        soil = load_soil('lunar_nominal').parameters()
        self.elastic = soil[6]
        soil[3] *= strength
        soil[4] *= strength
        shape = terrain_contact.cylinder(RADIUS, WIDTH)
        if stiffness is not None:
            shape = terrain_contact.flexible_cylinder(RADIUS, WIDTH, 120)
        setting = ContactSetting(SoilMap(soil), shape, np.array([terrain_contact.reach(shape)]), spacing)
        if stiffness is None:
            self.contact: ScmContact | SoilRingContact = ScmContact(setting)
        else:
            tread = {'stiffness_npm2': 1e8, 'longitudinal_npm2': 1e6, 'lateral_npm2': 1e6}
            values = {'radius_m': RADIUS, 'width_m': WIDTH, 'rim_depth_m': 0.2, 'damping_nspm2': 0.0, 'tread': tread}
            values |= {'type': 'ring', 'stiffness_npm2': stiffness, 'tangential_npm2': stiffness}
            self.contact = SoilRingContact(setting, {0: Tire(RingConfig.model_validate(values | belt))})
        reach = round(0.6 / spacing)
        self.window = SoilGrid(FlatField(), spacing, SCM).window(-reach, 3 * reach, -reach, reach)
        self.arrays = self.contact.arrays(self.window, 1)
        self.wrench = terrain_contact.make_wrench()
        self.x, self.height, self.angle, self.vertical = 0.0, RADIUS, 0.0, 0.0

    def press(self, step: float, height: float, speed: float = 0.0, spin: float = 0.0) -> None:
        """Advance the wheel by a step, which ends at a height of the axle [m]."""
        self.vertical = (height - self.height) / step
        self.x, self.height, self.angle = self.x + step * speed, height, self.angle + step * spin
        c, s = math.cos(self.angle), math.sin(self.angle)
        rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        center = np.array([self.x, 0.0037, height])  # both sides between nodes
        pose = PartPose(center, rotation, np.array([speed, 0.0, self.vertical]), np.array([0.0, spin, 0.0]))
        assert self.contact.press(self.arrays, step, 0, pose, self.wrench) == CONTACT_OK

    def settle(self, load: float) -> None:
        """Lower the axle on virgin soil until it supports a load [N], in steps below the secant."""
        self.reset()
        depth, force, next_depth = 0.0, 0.0, 1e-3
        while abs(load - force) > 1e-4 * load:
            before, depth = (depth, force), next_depth
            self.press(1.0, RADIUS - depth)
            force = float(self.wrench.force[2])
            next_depth = depth + min(1e-3, 0.8 * (load - force) * (depth - before[0]) / (force - before[1]))
        self.press(1e6, self.height)  # at rest, without damping

    def pressures(self) -> np.ndarray:
        """Return the pressures of the nodes below the wheel [Pa]."""
        level_initial, level, plastic, _, _ = self.window.values
        trial = float(self.elastic) * (level_initial - level - plastic)
        return trial[self.window.touched & (trial > 0.0)]

    def reset(self) -> None:
        """Restore virgin soil and a round tire."""
        level_initial, level, plastic, sigma, mass = self.window.values
        level_initial[:] = level[:] = plastic[:] = sigma[:] = mass[:] = 0.0
        self.window.touched[:] = False
        self.contact.reset()
        self.arrays = self.contact.arrays(self.window, 1)
        self.height = RADIUS

    @property
    def sinkage(self) -> float:
        """Sinkage of the lowest node [m]."""
        return float(-self.window.values[1].min())


TABLE = {150.0: (7.55, 6.09, 4.32, 3.60), 287.0: (11.65, 9.43, 6.77, 5.71), 500.0: (16.89, 13.73, 10.02, 8.63)}
"""Sinkages of the specification [mm] by load [N]: rigid, and for these stiffnesses [N/m^2]."""
STIFFNESSES = (None, 2e5, 4e4, 2e4)


@pytest.mark.parametrize('column', range(4))
def test_bekker_table_of_flexible_wheels(column: int) -> None:
    """Sinkages at rest of the specification's table, for all loads: 3 % on nodes 1 cm apart, as it states.

    The table has no shear, so the soil of this test has no strength.
    """
    rig = Rig(STIFFNESSES[column])
    for load, row in TABLE.items():
        rig.settle(load)
        assert 1e3 * rig.sinkage == pytest.approx(row[column], rel=0.03)


def test_softer_ring_never_sinks_deeper_and_has_less_peak_pressure() -> None:
    """With falling stiffness, sinkage and peak pressure fall; the pressures sum to the load (1e-9).

    The pressure remains a parabola, whose peak is 3/2 of the mean: foundation and soil (n = 1) are both linear and
    local. 8 %: rows of nodes enter the contact one after another.
    """
    sinkages, peaks = [], []
    for stiffness in (None, 1e6, 2e5, 8e4, 4e4, 2e4):
        rig = Rig(stiffness)
        rig.settle(287.0)
        pressures = rig.pressures()
        assert math.fsum(pressures) * SPACING**2 == pytest.approx(rig.wrench.force[2], rel=1e-9)
        assert pressures.max() / pressures.mean() == pytest.approx(1.5, rel=0.08)
        sinkages.append(rig.sinkage)
        peaks.append(float(pressures.max()))
    assert sinkages == sorted(sinkages, reverse=True)
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize('spacing', [0.01, 0.05])
def test_stiff_ring_presses_as_a_cylinder(spacing: float) -> None:
    """A ring of 1e9 N/m^2 has the forces of a cylinder, sinking and driving with shear: 1e-3, as specified."""
    forces = []
    for stiffness in (None, 1e9):
        rig = Rig(stiffness, 1.0, spacing)
        for k in range(100):
            rig.press(1e-2, RADIUS - 1.2e-4 * k)
        for _ in range(100):
            rig.press(1e-3, rig.height, 0.3, 0.9)
        forces.append(np.concatenate((rig.wrench.force, rig.wrench.torque)))
    largest = np.repeat(np.abs(forces[0]).reshape(2, 3).max(axis=1), 3)
    assert (np.abs(forces[1] - forces[0]) < 1e-3 * largest).all()


def test_flexible_wheel_pulls_more_than_a_rigid_one() -> None:
    """At a slip of 0.2 and equal load, the drawbar pull is above that of the rigid wheel (Wong 2008, section 2.4)."""
    load, gravity, step, speed = 500.0, 1.62, 1e-3, 0.4
    pulls = []
    for stiffness in (None, 4e4):
        rig = Rig(stiffness, 1.0, 0.02)
        rig.settle(load)
        depth = 0.0 if stiffness is None else float(rig.contact._deflection.max())  # type: ignore[union-attr]
        spin, rate, pull = speed / 0.8 / (RADIUS - depth / 3.0), 0.0, []
        for _ in range(1500):
            rate += step * ((float(rig.wrench.force[2]) - load) * gravity / load - 20.0 * rate)
            rig.press(step, rig.height + step * rate, speed, spin)
            pull.append(float(rig.wrench.force[0]))
        pulls.append(float(np.mean(pull[750:])))
    assert pulls[1] > pulls[0]


def test_state_of_a_ring_on_soil_is_saved_and_restored() -> None:
    """A contact continues from saved bytes with the same bits, and starts round after a reset."""
    rig = Rig(4e4, 1.0, damping_nspm2=100.0, tension_n=500.0)
    assert isinstance(rig.contact, SoilRingContact)
    for k in range(40):
        rig.press(1e-3, RADIUS - 1e-3 * k, 0.3, 0.9)
    kept, soil, at = rig.contact.save(), [values.copy() for values in rig.window.values], (rig.x, rig.height, rig.angle)
    assert rig.contact._deflection.max() > 0.01
    ends = []
    for _ in range(2):
        for _ in range(20):
            rig.press(1e-3, rig.height, 0.3, 0.9)
        rig.contact.remember(rig.window, rig.arrays)
        ends.append((rig.contact.save(), rig.wrench.force.tobytes()))
        rig.contact.load(kept)
        for values, before in zip(rig.window.values, soil, strict=True):
            values[:] = before
        rig.x, rig.height, rig.angle = at
        rig.arrays = rig.contact.arrays(rig.window, 1)
    assert ends[0][0] != kept
    rig.contact.reset()
    assert not rig.contact._deflection.any()


def test_ring_in_reference_mode_is_refused() -> None:
    """Reference mode of the soil has rays of its own."""
    shape = terrain_contact.flexible_cylinder(RADIUS, WIDTH, 120)
    soil = SoilMap(load_soil('lunar_nominal').parameters())
    with pytest.raises(ValueError, match='allowed: regolith'):
        SoilRingContact(ContactSetting(soil, shape, np.array([0.5]), 0.05, mode='reference'), {})
