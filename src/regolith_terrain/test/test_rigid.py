# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground that does not yield: Coulomb's block on an incline, weights borne, wheels that roll without loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from regolith_terrain import scm
from regolith_terrain.ground_contact import LEFT_WINDOW, OK, ContactSetting, PartPose
from regolith_terrain.rigid import RigidContact
from regolith_terrain.soil_config import RigidGroundConfig
from regolith_terrain.soil_grid import SoilGrid
from regolith_terrain.soil_law import RIGID
from regolith_terrain.soil_map import SoilMap
from regolith_terrain.surface import FlatField, PlaneField

MASS, GRAVITY, STEP = 20.0, 9.81, 1e-3


def contact_of(shape: scm.Shapes, **values: float) -> RigidContact:
    soils = SoilMap(RigidGroundConfig.model_validate(values).parameters())
    return RigidContact(ContactSetting(soils, shape, np.array([scm.reach(shape)]), 0.05))


def slide(slope: float, friction: float, duration: float, stick: float = 1e-3) -> float:
    """Return the speed down an incline of a block that was let go on it and does not turn [m/s]."""
    block = contact_of(scm.box(0.4, 0.4, 0.2), friction=friction, stick_m=stick)
    window = SoilGrid(PlaneField(slope), 0.05, RIGID).window(-200, 60, -20, 21)
    arrays = block.arrays(window, 1)
    angle = math.atan(slope)
    turn = np.array([[math.cos(angle), 0.0, -math.sin(angle)], [0.0, 1.0, 0.0], [math.sin(angle), 0.0, math.cos(angle)]])
    sunk = MASS * GRAVITY * math.cos(angle) / (4 * 2e5)  # on four corners of 200 kN/m
    place, speed = (0.1 - sunk) * turn[:, 2], np.zeros(3)
    wrench = scm.make_wrench()
    for _ in range(round(duration / STEP)):
        assert block.press(arrays, STEP, 0, PartPose(place, turn, speed, np.zeros(3)), wrench) == OK
        speed += STEP * (wrench.force / MASS - (0.0, 0.0, GRAVITY))
        place += STEP * speed
    assert not window.touched.any()
    return float(-speed @ turn[:, 0])


@pytest.mark.seconds
def test_a_block_slides_as_coulomb_says() -> None:
    """Above the angle of friction by g (sin a - mu cos a) t, and by what the first 10 um without full friction add."""
    slope, friction = 0.5, 0.3
    along = GRAVITY * (math.sin(math.atan(slope)) - friction * math.cos(math.atan(slope)))
    assert slide(slope, friction, 1.0, 1e-5) == pytest.approx(along, rel=0.005)
    assert slide(slope, 0.0, 1.0) == pytest.approx(GRAVITY * math.sin(math.atan(slope)), rel=1e-6)


def test_a_block_holds_below_the_angle_of_friction() -> None:
    """It neither slides nor creeps: what friction holds it back is remembered, not a matter of its speed."""
    assert abs(slide(0.5, 0.6, 4.0)) < 1e-5


def test_a_wheel_carries_its_load_on_three_points_and_slips_by_coulomb() -> None:
    wheel = contact_of(scm.cylinder(0.25, 0.2), friction=0.5)
    window = SoilGrid(FlatField(), 0.05, RIGID).window(-20, 21, -20, 21)
    arrays = wheel.arrays(window, 1)
    wrench, still = scm.make_wrench(), np.zeros(3)
    place, turn = np.array([0.013, 0.007, 0.249]), np.eye(3)
    assert wheel.press(arrays, STEP, 0, PartPose(place, turn, still, still), wrench) == OK
    assert wrench.stats[scm.STAT_LOADED_NODES] == 3
    assert wrench.force == pytest.approx([0.0, 0.0, 3 * 2e5 * 1e-3]) and wrench.torque == pytest.approx([0.0] * 3)
    # Spinning on the spot: after 25 mm of slip, 25 times stick_m, all of mu N pushes ahead, and its torque brakes.
    for _ in range(100):
        wheel.press(arrays, STEP, 0, PartPose(place, turn, still, np.array([0.0, 1.0, 0.0])), wrench)
    assert wrench.force[0] == pytest.approx(0.5 * 600.0, rel=1e-6)
    assert wrench.torque[1] == pytest.approx(-0.249 * 300.0, rel=5e-3)  # the point lies 0.25 m below the axle
    # Rolling without slip it meets no resistance.
    wheel.reset()
    wheel.press(arrays, STEP, 0, PartPose(place, turn, np.array([0.25, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])), wrench)
    assert wrench.force[0] == pytest.approx(0.0, abs=1e-9)


def test_memory_is_saved_and_a_body_beyond_the_window_is_told() -> None:
    wheel = contact_of(scm.cylinder(0.25, 0.2))
    arrays = wheel.arrays(SoilGrid(FlatField(), 0.05, RIGID).window(-9, 10, -9, 10), 1)
    wrench, moving = scm.make_wrench(), np.array([0.1, 0.05, 0.0])
    pose = PartPose(np.array([0.0, 0.0, 0.249]), np.eye(3), moving, np.zeros(3))
    wheel.press(arrays, STEP, 0, pose, wrench)
    again = contact_of(scm.cylinder(0.25, 0.2))
    again.load(wheel.save())
    assert again.save() == wheel.save() != contact_of(scm.cylinder(0.25, 0.2)).save()
    with pytest.raises(ValueError, match='cut short'):
        again.load(wheel.save()[:-1])
    far = pose._replace(center=np.array([0.5, 0.0, 0.249]))
    assert wheel.press(arrays, STEP, 0, far, wrench) == LEFT_WINDOW
    limit = wheel.step_limit(100.0, 0.1)
    # Three springs of 200 kN/m under 100 kg, and three dampers of 1 kN s/m.
    assert limit.seconds == pytest.approx(min(2.0 * math.sqrt(100.0 / 6e5), 100.0 / 3e3))
